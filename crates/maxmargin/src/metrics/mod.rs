//! How good predictions are, by the names that each field uses.
//!
//! Each task counts its own (see the folders in `tasks`), and all come out as [`Metrics`]: figures by name. What several tasks
//! count is here: [`Retrieval`] is precision and recall, [`Averages`] sums up how well each label is found. A label that the
//! model does not know is a mistake whatever was predicted. Weights of examples are not used: these are counts.

mod averages;
mod confidence_bins;
mod per_label;
mod precision_recall;
mod retrieval;
mod significance;

pub use averages::Averages;
pub use confidence_bins::ConfidenceBin;
pub use per_label::{per_row, per_set};
pub use precision_recall::{PrecisionRecallAreas, precision_recall_area};
pub use retrieval::Retrieval;
pub use significance::{PairedBootstrap, SignedRanks, resamples};

use crate::data::Alphabet;
use crate::structure::UNKNOWN_LABEL;

/// What came out of a comparison of predictions with the truth.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Metrics {
    /// All figures by name, in the order in which they are shown. Shares are between 0 and 1.
    pub figures: Vec<(&'static str, f64)>,
    /// How well each label is found, by its name.
    pub per_label: Vec<(String, Retrieval)>,
    /// How well each type of chunk is found, by its name, where labels mark chunks.
    pub per_type: Vec<(String, Retrieval)>,
    /// The figure that the field goes by; the mean loss where the task names none.
    pub main: Option<&'static str>,
}

impl Metrics {
    /// A figure by its name.
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|(other, _)| *other == name).map(|(_, value)| *value)
    }

    /// The mean loss, which every task has: what a validation minimises.
    pub fn mean_loss(&self) -> f64 {
        self.figure("mean_loss").unwrap_or(f64::NAN)
    }

    /// The name of the figure that the field goes by, which validation looks at unless it is told otherwise.
    pub fn main(&self) -> &'static str {
        self.main.unwrap_or("mean_loss")
    }

    /// How bad a figure is: the less the better. None where there is no such figure, or where it is no number.
    pub fn badness(&self, name: &str) -> Option<f64> {
        let value = self.figure(name).filter(|value| !value.is_nan())?;
        Some(if Self::is_smaller_better(name) { value } else { 1.0 - value })
    }

    /// Whether a figure of this name is the better the smaller it is: losses and errors are, all others are not.
    pub fn is_smaller_better(name: &str) -> bool {
        ["loss", "error", "hamming", "aer", "distance", "deviation"].iter().any(|end| name.ends_with(end))
    }

    /// Whether a figure of this name is a share, between 0 and 1: all are but losses, distances and deviations.
    pub fn is_share(name: &str) -> bool {
        !["loss", "distance", "deviation"].iter().any(|end| name.ends_with(end))
    }
}

/// The true labels of some examples and what was predicted for each.
#[derive(Debug)]
pub struct Comparison<'a, D, L> {
    /// The examples. Labels beyond those of the model are allowed where `labels` has names for them.
    pub truth: &'a D,
    /// The predicted label of each example.
    pub predicted: &'a [L],
    /// The names of labels: the model's first, then any others that the truth holds.
    pub labels: &'a Alphabet,
    /// The number of labels that the model has.
    pub known: usize,
    /// The label that stands for "nothing here", see [`background_label`](crate::data::background_label).
    pub background: Option<u32>,
}

impl<D, L> Clone for Comparison<'_, D, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D, L> Copy for Comparison<'_, D, L> {}

impl<D, L> Comparison<'_, D, L> {
    /// The mean loss over all examples; `loss` gets the number of an example and what was predicted for it.
    pub fn mean_loss(&self, loss: impl Fn(usize, &L) -> f64) -> f64 {
        let losses = self.predicted.iter().enumerate().map(|(i, predicted)| loss(i, predicted));
        mean(losses.sum(), self.predicted.len())
    }

    /// Labels as the model has them: those that it does not know are unknown.
    pub fn as_known(&self, labels: &[u32]) -> Vec<u32> {
        let known = |&label: &u32| if (label as usize) < self.known { label } else { UNKNOWN_LABEL };
        labels.iter().map(known).collect()
    }

    /// Counts for each label, with its name.
    pub fn named(&self, counts: &[Retrieval]) -> Vec<(String, Retrieval)> {
        self.labels.iter().map(str::to_owned).zip(counts.iter().copied()).collect()
    }
}

/// A sum divided by a count; 0 of nothing.
pub fn mean(sum: f64, count: usize) -> f64 {
    if count == 0 { 0.0 } else { sum / count as f64 }
}

/// The share of `part` in `whole`; 0 of nothing.
pub fn share(part: usize, whole: usize) -> f64 {
    mean(part as f64, whole)
}
