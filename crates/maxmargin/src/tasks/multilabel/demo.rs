//! The demo of label sets: notes about topics that go together.

use std::time::Instant;

use super::super::demonstrating::{Learnt, explain, learn};
use super::topics::{TopicNotes, topic_notes};
use super::{Multilabel, Pairs};
use crate::data::TaskData;
use crate::error::Result;
use crate::shown::{percent, time};

const TRAINING_NOTES: usize = 600;
const TEST_NOTES: usize = 400;
/// The values of λ between 0.3 and 0.0003 with the least Hamming loss on notes of a third seed, each for its own model.
const SINGLE_LAMBDA: f64 = 0.005;
const PAIRS_LAMBDA: f64 = 0.003;
const SHOWN_NOTES: usize = 4;
const SHOWN_PAIRS: usize = 4;

pub(super) fn run(say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
    let begun = Instant::now();
    let (train, test) = (topic_notes(TRAINING_NOTES, 1), topic_notes(TEST_NOTES, 2));
    let labels = &train.vocabulary.labels;
    say(&format!(
        "Filing short notes under topics, each under as many as fit: {TRAINING_NOTES} notes to learn from, {TEST_NOTES} new ones.\n\
         There are {} topics; \"{}\" is filed under {}.\n\n\
         Single labels: one classifier for each topic, by itself. Pairs: weights for all pairs of topics as well, which\n\
         learn what goes together; the best set is found as a whole, exactly.\n\n",
        labels.len(),
        train.text(0),
        set(&train, train.data.labels_of(0)),
    ))?;
    let file = |pairs, lambda| {
        let task = Multilabel { pairs, ..Multilabel::default() };
        learn(task, lambda, &train.data, &test.data, &train.vocabulary)
    };
    let single = file(Pairs::None, SINGLE_LAMBDA)?;
    let pairs = file(Pairs::All, PAIRS_LAMBDA)?;
    let mut text = format!(
        "{}\nOn the {TEST_NOTES} new notes:\n\n{:14}{:>16}{:>16}{:>12}\n",
        explain("the pairs", "wrong sets", "notes", &pairs.report),
        "",
        "wrong labels",
        "wrong sets",
        "Micro-F1",
    );
    for (name, learnt) in [("single labels", &single), ("pairs", &pairs)] {
        let figure = |name: &str| learnt.metrics.figure(name).unwrap_or_default();
        let (hamming, sets) = (percent(figure("hamming")), percent(1.0 - figure("subset_accuracy")));
        text += &format!("{name:14}{hamming:>16}{sets:>16}{:>12}\n", percent(figure("micro_f1")));
    }
    text += "\nWhat the pairs learned (how much two topics would rather be both there or both not):\n\n";
    let mut couplings = pairs.model.task().couplings(labels, pairs.model.weights());
    couplings.sort_by(|a, b| b.2.total_cmp(&a.2));
    let ends = couplings.len().saturating_sub(SHOWN_PAIRS);
    for (first, second, strength) in couplings[..SHOWN_PAIRS.min(ends)].iter().chain(&couplings[ends..]) {
        text += &format!("  {first:<10}{second:<10}{strength:+.2}\n");
    }
    text += "\nSome notes that only the pairs file right:\n";
    for i in helped(&test, &single, &pairs) {
        text += &format!(
            "\n  {}\n    single labels: {}\n    pairs:         {}\n",
            test.text(i),
            set(&test, single.labels[i].on()),
            set(&test, pairs.labels[i].on()),
        );
    }
    text += &format!("\n{} in all.\n", time(begun.elapsed().as_secs_f64()));
    say(&text)
}

/// The names of labels.
fn set(notes: &TopicNotes, labels: &[u32]) -> String {
    let names: Vec<&str> = labels.iter().map(|&label| notes.vocabulary.labels.name(label)).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

/// The first notes, each with another set, that only the pairs file right.
fn helped(test: &TopicNotes, single: &Learnt<Multilabel>, pairs: &Learnt<Multilabel>) -> Vec<usize> {
    let truth = |i: usize| test.data.labels_of(i);
    let mut shown: Vec<usize> = Vec::new();
    for i in 0..test.data.len() {
        let new = shown.iter().all(|&other| truth(other) != truth(i));
        let only_pairs = single.labels[i].on() != truth(i) && pairs.labels[i].on() == truth(i);
        if new && only_pairs && shown.len() < SHOWN_NOTES {
            shown.push(i);
        }
    }
    shown
}
