//! The demo of chains: reading noisy images of words, letter by letter and as a whole.

use std::time::Instant;

use super::super::demonstrating::{explain, learn};
use super::super::{Chain, Multiclass};
use super::word_images::{COLUMNS, WordImages, draw, images_of_a_demo};
use crate::data::TaskData;
use crate::error::Result;
use crate::shown::{percent, time};

const SHOWN: usize = 4;
/// Values of λ with a good letter error on words of a third seed. With a third of each, the error is a little smaller
/// and training takes several times as long.
const CHAIN_LAMBDA: f64 = 0.1;
const CLASSIFIER_LAMBDA: f64 = 0.03;

pub(super) fn run(say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
    let begun = Instant::now();
    let (train, test) = images_of_a_demo();
    let words = test.data.len();
    say(&format!(
        "Reading noisy images of words: {} words ({} letters) to learn from, {words} new ones to read.\n\n\
         The classifier looks at each letter by itself. The chain also learns which letters follow each other,\n\
         and reads a word as a whole.\n\n",
        train.data.len(),
        train.data.labels().len(),
    ))?;
    let names = &train.vocabulary;
    let [letters, new_letters] = [&train, &test].map(|words| words.data.clone().into_rows());
    let single = learn(Multiclass::default(), CLASSIFIER_LAMBDA, &letters?, &new_letters?, names)?;
    let chain = learn(Chain::default(), CHAIN_LAMBDA, &train.data, &test.data, names)?;
    let letters = (&single.labels, chain.labels.concat());
    let error =
        |name: &str, metrics: &crate::metrics::Metrics| percent(metrics.figure(name).unwrap_or_default());
    let mut text = format!(
        "{}\nOn the {words} new words:\n\n{:14}{:>16}{:>16}\n{:14}{:>16}{:>16}\n{:14}{:>16}{:>16}\n\n",
        explain("the chain", "wrong readings", "words", &chain.report),
        "",
        "wrong letters",
        "wrong words",
        "classifier",
        error("error", &single.metrics),
        percent(word_error(&test, letters.0)),
        "chain",
        error("token_error", &chain.metrics),
        percent(word_error(&test, &letters.1)),
    );
    text += "Some words that the neighbours of a letter help to read (wrong letters in brackets):\n";
    for i in helped(&test, letters.0, &letters.1) {
        text += &format!("\n{}\n", draw(&test.data.rows().input(i)));
        let range = test.data.rows().range(i);
        let truth = test.data.labels_of(i);
        for (name, reading) in
            [("truth", truth), ("classifier", &letters.0[range.clone()]), ("chain", &letters.1[range])]
        {
            text += &format!("{}  {name}\n", spaced(&test, truth, reading));
        }
    }
    text += &format!("\n{} in all.\n", time(begun.elapsed().as_secs_f64()));
    say(&text)
}

fn mistakes(test: &WordImages, i: usize, readings: &[u32]) -> usize {
    readings[test.data.rows().range(i)].iter().zip(test.data.labels_of(i)).filter(|(a, b)| a != b).count()
}

fn word_error(test: &WordImages, readings: &[u32]) -> f64 {
    let words = test.data.len();
    (0..words).filter(|&i| mistakes(test, i, readings) > 0).count() as f64 / words as f64
}

/// The first words, none twice, that the chain reads right and the classifier gets wrong in two letters or more.
fn helped(test: &WordImages, classifier: &[u32], chain: &[u32]) -> Vec<usize> {
    let mut shown: Vec<usize> = Vec::new();
    for i in 0..test.data.len() {
        let new = shown.iter().all(|&other| test.words[other] != test.words[i]);
        if new && mistakes(test, i, classifier) > 1 && mistakes(test, i, chain) == 0 && shown.len() < SHOWN {
            shown.push(i);
        }
    }
    shown
}

/// Letters set below their images.
fn spaced(test: &WordImages, truth: &[u32], reading: &[u32]) -> String {
    let letter = |(&label, &truth): (&u32, &u32)| {
        let name = test.vocabulary.labels.name(label);
        let shown = if label == truth { name.to_owned() } else { format!("[{name}]") };
        format!("{shown:^COLUMNS$} ")
    };
    reading.iter().zip(truth).map(letter).collect()
}
