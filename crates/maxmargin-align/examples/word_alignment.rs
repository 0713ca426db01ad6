//! From parallel text to word links: without any training on links, and by a matching trained on some.
//!
//! With files: text to estimate associations from, then text to be aligned, then (if there are any) its true links. The
//! first half of them, 200 at most, is trained on:
//!
//! ```text
//! cargo run --release --example word_alignment -- unlabelled.e.gz unlabelled.f.gz test.e test.f test.wa [FOLDER]
//! ```
//!
//! With a folder, the graphs are written to `train.edges` and `test.edges` in it, for the program `maxmargin`.
//!
//! Without, a few made-up sentences do.

use std::ops::Range;
use std::path::Path;

use maxmargin::data::Edge;
use maxmargin::structure::ExtraLinks;
use maxmargin::tasks::{Matching, Prediction};
use maxmargin::{Examples, Trainer};
use maxmargin_align::association::{Associations, EstimationOptions};
use maxmargin_align::{
    AlignmentPicture, AlignmentSource, ParallelText, SentenceLinks, read_links, write_edges,
};

fn main() -> maxmargin::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let files: Vec<&Path> = arguments.iter().map(Path::new).collect();
    let (unlabelled, text) = match files[..] {
        [left, right, test_left, test_right, ..] => {
            (ParallelText::read(left, right)?, ParallelText::read(test_left, test_right)?)
        }
        _ => (
            made_up(),
            ParallelText::from_pairs([("the small house has a flower", "la petite maison a une fleur")]),
        ),
    };
    let gold = files.get(4).map(|path| read_links(path, &text)).transpose()?;

    // No link is looked at, so the text that shall be aligned may help as well: then no word is unknown.
    let associations =
        Associations::estimate(&[&unlabelled, &text], &EstimationOptions::default(), |pass| {
            let [right, left] = pass.log_likelihood;
            println!("{:?}, pass {} of {}: {right:.0} and {left:.0}", pass.model, pass.number, pass.passes);
        })?;

    // 1. Links without training: those that both directions believe in.
    let predicted: Vec<Vec<Edge>> = (0..text.len())
        .map(|pair| associations.of_pair(&text.left.text(pair), &text.right.text(pair)).links(0.5))
        .collect();
    let shown = (0..text.len()).max_by_key(|&pair| predicted[pair].len().min(12)).unwrap_or(0);
    let nothing = vec![SentenceLinks::default(); text.len()];
    let links = gold.as_ref().unwrap_or(&nothing);
    let (left, right) = (text.left.text(shown), text.right.text(shown));
    println!("\n{}", AlignmentPicture::new(&left, &right, &links[shown], &predicted[shown]).text());
    // 2. Links by a matching that is trained on some of the sentence pairs, and tested on the others.
    if let Some(gold) = &gold {
        let cut = (text.len() / 2).min(200);
        let (train_text, test_text) = (part(&text, 0..cut), part(&text, cut..text.len()));
        let train =
            AlignmentSource { associations: Some(&associations), ..AlignmentSource::new(&train_text) };
        let test = AlignmentSource { text: &test_text, ..train };
        let groups = train.groups();
        let (data, vocabulary) = train.training_set(&gold[..cut], &groups)?;
        println!("{} graphs with {} features to train on", data.rows().len(), vocabulary.attributes.len());

        let task =
            Matching { miss: 3.0, fertility: (2, 2), extra_links: ExtraLinks::Free, ..Matching::default() };
        let examples = Examples::new(data.clone(), vocabulary);
        let model = Trainer::new(task).lambda(0.03).gap(1e-2).train(&examples)?;
        let vocabulary = model.names();

        let graphs = test.test_set(Some(&gold[cut..]), &groups, vocabulary)?;
        if let Some(folder) = files.get(5) {
            write_edges(&folder.join("train.edges"), &data, vocabulary)?;
            write_edges(&folder.join("test.edges"), &graphs, vocabulary)?;
        }
        let links_of = |best: &Vec<Prediction>| -> Vec<Edge> {
            let links = best.iter().take(1).flat_map(|best| best.label.as_array()).flatten();
            let node = |value: &serde_json::Value| value.as_u64().unwrap_or_default() as u32;
            links.map(|link| Edge { left: node(&link[0]), right: node(&link[1]) }).collect()
        };
        let found: Vec<Vec<Edge>> = model.predict(&graphs, 1)?.iter().map(links_of).collect();
        println!("alignment error rate on the other sentence pairs:");
        println!("    without training {:.2} %", 100.0 * error_rate(&gold[cut..], &predicted[cut..]));
        println!("    with training    {:.2} %", 100.0 * error_rate(&gold[cut..], &found));
    }
    Ok(())
}

/// Some of the sentence pairs.
fn part(text: &ParallelText, pairs: Range<usize>) -> ParallelText {
    let mut part = ParallelText::default();
    pairs.for_each(|pair| part.push(text.left.text(pair), text.right.text(pair)));
    part
}

/// 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|) for predicted links A, sure ones S, and P all that are sure or possible.
fn error_rate(gold: &[SentenceLinks], predicted: &[Vec<Edge>]) -> f64 {
    let (mut right, mut all) = (0, 0);
    for (gold, predicted) in gold.iter().zip(predicted) {
        right += predicted.iter().filter(|link| gold.sure.contains(link)).count();
        right += predicted.iter().filter(|link| gold.contains(**link)).count();
        all += predicted.len() + gold.sure.len();
    }
    1.0 - right as f64 / all.max(1) as f64
}

fn made_up() -> ParallelText {
    ParallelText::from_pairs([
        ("the house", "la maison"),
        ("the flower", "la fleur"),
        ("a house", "une maison"),
        ("a small flower", "une petite fleur"),
        ("the small house", "la petite maison"),
        ("she has the flower", "elle a la fleur"),
        ("she has a house", "elle a une maison"),
        ("the house is small", "la maison est petite"),
        ("she is small", "elle est petite"),
        ("the flower is small", "la fleur est petite"),
    ])
}
