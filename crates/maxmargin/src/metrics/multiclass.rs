//! Metrics of classification: how many examples got the wrong label, and what that cost.

use super::{Averages, Comparison, share};
use crate::task::Task;

/// The metrics of one label per example.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MulticlassMetrics {
    /// The number of examples.
    pub examples: usize,
    /// The share of examples with the wrong label.
    pub error: f64,
    /// The mean loss, which is the error unless there is a cost matrix.
    pub mean_loss: f64,
    /// F1 of the labels.
    pub averages: Averages,
}

impl MulticlassMetrics {
    pub(super) fn of(task: &Task, comparison: Comparison<'_>) -> Self {
        let examples = comparison.predicted.len();
        let wrong = comparison.tokens().filter(|(truth, predicted)| truth != predicted).count();
        Self {
            examples,
            error: share(wrong, examples),
            mean_loss: comparison.mean_loss(task),
            averages: Averages::of(comparison),
        }
    }

    /// The share of examples with the right label.
    pub fn accuracy(&self) -> f64 {
        1.0 - self.error
    }

    pub(super) fn figures(&self) -> Vec<(&'static str, f64)> {
        let mut figures =
            vec![("error", self.error), ("accuracy", self.accuracy()), ("mean_loss", self.mean_loss)];
        figures.extend(self.averages.figures());
        figures
    }
}
