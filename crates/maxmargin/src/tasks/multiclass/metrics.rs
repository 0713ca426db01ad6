//! Metrics of classification: how many examples got the wrong label, and what that cost.

use super::RowExamples;
use crate::data::TaskData;
use crate::metrics::{Averages, Comparison, Metrics, Retrieval, per_row, share};
use crate::structure::MulticlassStructure;

/// The metrics of one label per example.
#[derive(Debug, Clone, PartialEq)]
pub struct MulticlassMetrics {
    /// The number of examples.
    pub examples: usize,
    /// The share of examples with the wrong label.
    pub error: f64,
    /// The mean loss, which is the error unless there is a cost matrix.
    pub mean_loss: f64,
    /// F1 of the labels.
    pub averages: Averages,
    per_label: Vec<(String, Retrieval)>,
}

impl MulticlassMetrics {
    pub(super) fn of(structure: &MulticlassStructure, comparison: Comparison<'_, RowExamples, u32>) -> Self {
        let examples = comparison.predicted.len();
        let rows = || comparison.truth.labels().iter().copied().zip(comparison.predicted.iter().copied());
        let wrong = rows().filter(|(truth, predicted)| truth != predicted).count();
        let counts = per_row(comparison.labels.len(), rows());
        Self {
            examples,
            error: share(wrong, examples),
            mean_loss: comparison.mean_loss(|i, predicted| {
                let truth = comparison.as_known(&[comparison.truth.label(i)]);
                structure.cost().cost(truth[0], *predicted)
            }),
            averages: Averages::of(rows(), &counts, comparison.background),
            per_label: comparison.named(&counts),
        }
    }

    /// The share of examples with the right label.
    pub fn accuracy(&self) -> f64 {
        1.0 - self.error
    }
}

impl From<MulticlassMetrics> for Metrics {
    fn from(metrics: MulticlassMetrics) -> Self {
        let accuracy = metrics.accuracy();
        let mut figures =
            vec![("error", metrics.error), ("accuracy", accuracy), ("mean_loss", metrics.mean_loss)];
        figures.extend(metrics.averages.figures());
        Metrics { figures, per_label: metrics.per_label, ..Metrics::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Alphabet;
    use crate::structure::UNKNOWN_LABEL;
    use crate::tasks::{Fitted, chain};

    #[test]
    fn unknown_labels_are_mistakes_even_with_names() {
        let labels: Alphabet = ["a", "b", "new"].into_iter().collect();
        // b was predicted and is nowhere; the new label counts where it has a name.
        for (unknown, macro_f1) in [(UNKNOWN_LABEL, 1.0 / 2.0), (2, 1.0 / 3.0)] {
            let truth = &chain::truth(&[&[0], &[unknown]]).into_rows().unwrap();
            let predicted = &[0, 1];
            let comparison = Comparison { truth, predicted, labels: &labels, known: 2, background: None };
            let task = Fitted::new(super::super::Multiclass::default(), 0, 2).unwrap();
            let metrics = task.metrics(comparison).unwrap();
            assert_eq!(metrics.mean_loss(), 0.5);
            let expected = [("error", 0.5), ("accuracy", 0.5), ("mean_loss", 0.5), ("macro_f1", macro_f1)];
            assert_eq!(metrics.figures, expected);
        }
    }
}
