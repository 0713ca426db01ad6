//! The demo of matchings: which words of two sentences belong together.

use std::time::Instant;

use super::super::demonstrating::{Learnt, explain, learn};
use super::Matching;
use super::sentence_pairs::{SentencePairs, sentence_pairs};
use crate::data::TaskData;
use crate::error::Result;
use crate::shown::{percent, time};
use crate::structure::Edge;

const TRAINING_PAIRS: usize = 300;
const TEST_PAIRS: usize = 300;
/// A good value on sentences of a third seed, for both.
const LAMBDA: f64 = 0.01;
/// So many links that nothing keeps a word from having all.
const ANY: (u32, u32) = (1000, 1000);
const SHOWN: usize = 3;

pub(super) fn run(say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
    let begun = Instant::now();
    let (train, test) = (sentence_pairs(TRAINING_PAIRS, 1), sentence_pairs(TEST_PAIRS, 2));
    say(&format!(
        "Finding which words of a sentence and its translation belong together: {TRAINING_PAIRS} pairs of sentences to learn\n\
         from, {TEST_PAIRS} new ones. For example\n\n  {}\n  {}\n\n\
         Pair by pair: each two words are linked or not, whatever happens to the others. Matching: a word has one\n\
         link at most, and the best set of links is found as a whole, exactly, as an assignment problem.\n\n",
        train.words[0].0.join(" "),
        train.words[0].1.join(" "),
    ))?;
    let link = |fertility| {
        let task = Matching { fertility, ..Matching::default() };
        learn(task, LAMBDA, &train.data, &test.data, &train.vocabulary)
    };
    let (single, matching) = (link(ANY)?, link((1, 1))?);
    let mut text = format!(
        "{}\nOn the {TEST_PAIRS} new pairs of sentences:\n\n{:14}{:>12}{:>12}{:>12}{:>22}\n",
        explain("the matching", "wrong links", "sentences", &matching.report),
        "",
        "precision",
        "recall",
        "AER",
        "sentences all right",
    );
    for (name, learnt) in [("pair by pair", &single), ("matching", &matching)] {
        let figure = |name: &str| percent(learnt.metrics.figure(name).unwrap_or_default());
        let [precision, recall, aer, exact] = ["precision", "recall", "aer", "exact"].map(figure);
        text += &format!("{name:14}{precision:>12}{recall:>12}{aer:>12}{exact:>22}\n");
    }
    text += "\nSome sentences that only the matching gets right:\n";
    for i in helped(&test, &single, &matching) {
        text += &format!(
            "\n  {}\n  {}\n    pair by pair: {}\n    matching:     {}\n",
            test.words[i].0.join(" "),
            test.words[i].1.join(" "),
            links(&test, i, &single.labels[i].on),
            links(&test, i, &matching.labels[i].on),
        );
    }
    text += &format!("\n{} in all.\n", time(begun.elapsed().as_secs_f64()));
    say(&text)
}

/// Links by their words.
fn links(pairs: &SentencePairs, i: usize, links: &[u32]) -> String {
    let (left, right) = &pairs.words[i];
    let graph = pairs.data.graph(i);
    let name = |&edge: &u32| {
        let Edge { left: l, right: r } = graph.edges()[edge as usize];
        format!("{}-{}", left[l as usize], right[r as usize])
    };
    links.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// The first sentences that only the matching gets right.
fn helped(test: &SentencePairs, single: &Learnt<Matching>, matching: &Learnt<Matching>) -> Vec<usize> {
    let is_right = |i: usize, learnt: &Learnt<Matching>| {
        let truth = (0..).zip(test.data.labels_of(i)).filter(|(_, label)| **label == 1);
        truth.map(|(edge, _)| edge).eq(learnt.labels[i].on.iter().copied())
    };
    let only_matching = |i: &usize| is_right(*i, matching) && !is_right(*i, single);
    (0..test.data.len()).filter(only_matching).take(SHOWN).collect()
}
