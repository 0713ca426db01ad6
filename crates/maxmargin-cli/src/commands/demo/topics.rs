//! The demo of label sets: notes about topics that go together.

use std::time::Instant;

use anyhow::Result;
use maxmargin::data::{TopicNotes, topic_notes};
use maxmargin::metrics::{LabelSetMetrics, Metrics};
use maxmargin::task::{Pairs, SetOptions, TaskKind, TaskOptions};

use super::{Demo, Reader, explain};
use crate::describe::couplings;
use crate::print::{percent, say, time};

const TRAINING_NOTES: usize = 600;
const TEST_NOTES: usize = 400;
/// The values of λ between 0.3 and 0.0003 with the least Hamming loss on notes of a third seed, each for its own model.
const SINGLE_LAMBDA: f64 = 0.005;
const PAIRS_LAMBDA: f64 = 0.003;
const SHOWN_NOTES: usize = 4;
const SHOWN_PAIRS: usize = 4;

impl Demo {
    pub(super) fn multilabel(&self) -> Result<()> {
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
        let single = self.file_notes(Pairs::None, SINGLE_LAMBDA, &train, &test)?;
        let pairs = self.file_notes(Pairs::All, PAIRS_LAMBDA, &train, &test)?;
        let mut text = format!(
            "{}\nOn the {TEST_NOTES} new notes:\n\n{:14}{:>16}{:>16}{:>12}\n",
            explain("the pairs", "wrong sets", "notes", &pairs.trained),
            "",
            "wrong labels",
            "wrong sets",
            "Micro-F1",
        );
        for (name, reader) in [("single labels", &single), ("pairs", &pairs)] {
            if let Metrics::LabelSets(LabelSetMetrics { hamming, subset_accuracy, micro, .. }) =
                &reader.metrics
            {
                let (hamming, sets) = (percent(*hamming), percent(1.0 - subset_accuracy));
                text += &format!("{name:14}{hamming:>16}{sets:>16}{:>12}\n", percent(micro.f1()));
            }
        }
        text += "\nWhat the pairs learned (how much two topics would rather be both there or both not):\n\n";
        let mut couplings = couplings(&pairs.problem.task, labels, &pairs.trained.outcome.weights);
        couplings.sort_by(|a, b| b.strength.total_cmp(&a.strength));
        let ends = couplings.len().saturating_sub(SHOWN_PAIRS);
        for coupling in couplings[..SHOWN_PAIRS.min(ends)].iter().chain(&couplings[ends..]) {
            text += &format!("  {:<10}{:<10}{:+.2}\n", coupling.first, coupling.second, coupling.strength);
        }
        text += "\nSome notes that only the pairs file right:\n";
        for i in helped(&test, &single, &pairs) {
            text += &format!(
                "\n  {}\n    single labels: {}\n    pairs:         {}\n",
                test.text(i),
                set(&test, &single.readings[i]),
                set(&test, &pairs.readings[i]),
            );
        }
        text += &format!(
            "\n{} in all. Next: `maxmargin train multilabel --help` to learn from data of your own.\n",
            time(begun.elapsed().as_secs_f64())
        );
        say(&text)
    }

    fn file_notes(&self, pairs: Pairs, lambda: f64, train: &TopicNotes, test: &TopicNotes) -> Result<Reader> {
        let options =
            TaskOptions { sets: SetOptions { pairs, ..SetOptions::default() }, ..TaskOptions::default() };
        let (train, test) = ((&train.data, &train.vocabulary), (&test.data, &test.vocabulary));
        self.learn(TaskKind::Multilabel, options, lambda, train, test)
    }
}

/// The names of labels.
fn set(notes: &TopicNotes, labels: &[u32]) -> String {
    let names: Vec<&str> = labels.iter().map(|&label| notes.vocabulary.labels.name(label)).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

/// The first notes, each with another set, that only the pairs file right.
fn helped(test: &TopicNotes, single: &Reader, pairs: &Reader) -> Vec<usize> {
    let truth = |i: usize| test.data.labels_of(i);
    let mut shown: Vec<usize> = Vec::new();
    for i in 0..test.data.len() {
        let new = shown.iter().all(|&other| truth(other) != truth(i));
        if new && single.readings[i] != truth(i) && pairs.readings[i] == truth(i) && shown.len() < SHOWN_NOTES
        {
            shown.push(i);
        }
    }
    shown
}
