//! From parallel text to word links without training, and to a data set for training.
//!
//! With files: text to estimate associations from, then text to be aligned, then (if there are any) its true links:
//!
//! ```text
//! cargo run --release --example word_alignment -- unlabelled.e.gz unlabelled.f.gz test.e test.f test.wa
//! ```
//!
//! Without, a few made-up sentences do.

use std::path::Path;

use maxmargin::association::{Associations, EstimationOptions};
use maxmargin::data::Edge;
use maxmargin::data::alignment::{
    AlignmentPicture, AlignmentSource, ParallelText, SentenceLinks, read_links,
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
    if let Some(gold) = &gold {
        println!("alignment error rate without training: {:.2} %", 100.0 * error_rate(gold, &predicted));
    }

    // 2. A data set to train a matching on.
    let source = AlignmentSource { associations: Some(&associations), ..AlignmentSource::new(&text) };
    let (data, vocabulary) = source.training_set(links, &source.groups())?;
    println!(
        "{} graphs with {} edges and {} features",
        data.len(),
        data.features.rows(),
        vocabulary.attributes.len()
    );
    Ok(())
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
