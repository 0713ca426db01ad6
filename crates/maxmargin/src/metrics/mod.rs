//! How good predictions are, by the names that each field uses.
//!
//! [`Metrics::of`] compares predictions with the truth: `multiclass` counts examples, `sequence` counts tokens and whole
//! sequences, `label_sets` compares sets, `links` compares links of graphs, `averages` sums up how well each label is found, and `chunks` counts the phrases
//! that tags like B-NP and I-NP mark. A label that the model does not know is a mistake whatever was predicted. Weights of
//! examples are not used: these are counts.

mod averages;
mod chunks;
mod label_sets;
mod links;
mod multiclass;
mod per_label;
mod retrieval;
mod sequence;

pub use averages::Averages;
pub use label_sets::LabelSetMetrics;
pub use links::LinkMetrics;
pub use multiclass::MulticlassMetrics;
pub use per_label::per_label;
pub use retrieval::Retrieval;
pub use sequence::SequenceMetrics;

use crate::data::{Alphabet, Dataset, UNKNOWN_LABEL};
use crate::task::{Task, TaskKind};

/// The metrics of a task.
#[derive(Debug, Clone, PartialEq)]
pub enum Metrics {
    /// One label per example.
    Multiclass(MulticlassMetrics),
    /// One label per token.
    Sequence(SequenceMetrics),
    /// A set of labels per example.
    LabelSets(LabelSetMetrics),
    /// Links between nodes.
    Links(LinkMetrics),
}

/// The true labels of some examples and what was predicted for each.
#[derive(Debug, Clone, Copy)]
pub struct Comparison<'a> {
    /// The examples. Labels beyond those of the model are allowed where `labels` has names for them.
    pub truth: &'a Dataset,
    /// The predicted labels of each example, or its links by the numbers of their edges.
    pub predicted: &'a [Vec<u32>],
    /// The names of labels: the model's first, then any others that the truth holds.
    pub labels: &'a Alphabet,
    /// The number of labels that the model has.
    pub known: usize,
    /// The label that stands for "nothing here", see [`background_label`](crate::data::background_label).
    pub background: Option<u32>,
}

impl Comparison<'_> {
    /// The mean loss over all examples.
    fn mean_loss(&self, task: &Task) -> f64 {
        let loss = |(i, predicted): (usize, &Vec<u32>)| {
            let known = |&label: &u32| if (label as usize) < self.known { label } else { UNKNOWN_LABEL };
            let truth: Vec<u32> = self.truth.labels_of(i).iter().map(known).collect();
            task.loss_of(&truth, predicted)
        };
        mean(self.predicted.iter().enumerate().map(loss).sum(), self.predicted.len())
    }

    /// What is to be found of each example's set of labels, and what was.
    fn sets(&self) -> impl Iterator<Item = Retrieval> {
        self.predicted.iter().enumerate().map(|(i, predicted)| {
            let truth = self.truth.labels_of(i);
            let right = predicted.iter().filter(|label| truth.contains(label)).count();
            Retrieval { truth: truth.len(), predicted: predicted.len(), right }
        })
    }

    /// Each token's true and predicted label.
    fn tokens(&self) -> impl Iterator<Item = (u32, u32)> {
        self.truth.labels.iter().copied().zip(self.predicted.iter().flatten().copied())
    }
}

impl Metrics {
    /// The metrics that belong to a task.
    ///
    /// ```
    /// use maxmargin::data::{Noise, word_images};
    /// use maxmargin::metrics::{Comparison, Metrics};
    /// use maxmargin::task::{Task, TaskKind, TaskOptions};
    ///
    /// let words = word_images(10, Noise::default(), 1);
    /// let task = Task::new(TaskKind::Chain, 128, 26, TaskOptions::default())?;
    /// let predicted: Vec<Vec<u32>> = (0..words.data.len()).map(|i| words.data.labels_of(i).to_vec()).collect();
    /// let labels = &words.vocabulary.labels;
    /// let (truth, known, background) = (&words.data, labels.len(), None);
    /// let comparison = Comparison { truth, predicted: &predicted, labels, known, background };
    /// assert_eq!(Metrics::of(&task, comparison).mean_loss(), 0.0);
    /// # Ok::<(), maxmargin::Error>(())
    /// ```
    pub fn of(task: &Task, comparison: Comparison<'_>) -> Self {
        match task.kind() {
            TaskKind::Multiclass => Metrics::Multiclass(MulticlassMetrics::of(task, comparison)),
            TaskKind::Chain => Metrics::Sequence(SequenceMetrics::of(task, comparison)),
            TaskKind::Multilabel => Metrics::LabelSets(LabelSetMetrics::of(task, comparison)),
            TaskKind::Matching => Metrics::Links(LinkMetrics::of(task, comparison)),
        }
    }

    /// The mean loss, which every task has: what a validation minimises.
    pub fn mean_loss(&self) -> f64 {
        match self {
            Metrics::Multiclass(metrics) => metrics.mean_loss,
            Metrics::Sequence(metrics) => metrics.mean_loss,
            Metrics::LabelSets(metrics) => metrics.mean_loss,
            Metrics::Links(metrics) => metrics.mean_loss,
        }
    }

    /// Whether a figure of this name is the better the smaller it is: losses and errors are, all others are not.
    pub fn is_smaller_better(name: &str) -> bool {
        ["loss", "error", "hamming", "aer"].iter().any(|end| name.ends_with(end))
    }

    /// All figures by name, in the order in which they are shown. Shares are between 0 and 1.
    pub fn figures(&self) -> Vec<(&'static str, f64)> {
        match self {
            Metrics::Multiclass(metrics) => metrics.figures(),
            Metrics::Sequence(metrics) => metrics.figures(),
            Metrics::LabelSets(metrics) => metrics.figures(),
            Metrics::Links(metrics) => metrics.figures(),
        }
    }
}

/// A sum divided by a count; 0 of nothing.
fn mean(sum: f64, count: usize) -> f64 {
    if count == 0 { 0.0 } else { sum / count as f64 }
}

/// The share of `part` in `whole`; 0 of nothing.
fn share(part: usize, whole: usize) -> f64 {
    mean(part as f64, whole)
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::MatrixBuilder;
    use crate::task::TaskOptions;

    /// Sequences (or single rows) with these true labels and no features.
    pub fn truth(sequences: &[&[u32]], chains: bool) -> Dataset {
        let labels: Vec<u32> = sequences.concat();
        let mut features = MatrixBuilder::sparse();
        labels.iter().for_each(|_| features.end_row());
        let mut starts = vec![0];
        for sequence in sequences {
            starts.push(starts[starts.len() - 1] + sequence.len());
        }
        let features = Arc::new(features.finish(0));
        Dataset { features, labels, sequences: chains.then_some(starts), ..Dataset::default() }
    }

    pub fn task(kind: TaskKind, labels: usize) -> Task {
        Task::new(kind, 0, labels, TaskOptions::default()).unwrap()
    }

    #[test]
    fn unknown_labels_are_mistakes_even_with_names() {
        let labels: Alphabet = ["a", "b", "new"].into_iter().collect();
        // b was predicted and is nowhere; the new label counts where it has a name.
        for (unknown, macro_f1) in [(UNKNOWN_LABEL, 1.0 / 2.0), (2, 1.0 / 3.0)] {
            let truth = truth(&[&[0], &[unknown]], false);
            let predicted = [vec![0], vec![1]];
            let comparison = Comparison {
                truth: &truth,
                predicted: &predicted,
                labels: &labels,
                known: 2,
                background: None,
            };
            let metrics = Metrics::of(&task(TaskKind::Multiclass, 2), comparison);
            assert_eq!(metrics.mean_loss(), 0.5);
            let expected = [("error", 0.5), ("accuracy", 0.5), ("mean_loss", 0.5), ("macro_f1", macro_f1)];
            assert_eq!(metrics.figures(), expected);
        }
    }
}
