//! Metrics of sequences: wrong tokens, sequences with any wrong token, and chunks where labels mark them.

use super::chunks::count_chunks;
use super::{Averages, Comparison, Retrieval, share};
use crate::task::Task;

/// The metrics of one label per token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SequenceMetrics {
    /// The number of sequences.
    pub sequences: usize,
    /// The number of tokens.
    pub tokens: usize,
    /// The share of tokens with the wrong label.
    pub token_error: f64,
    /// The share of sequences with at least one wrong token.
    pub sequence_error: f64,
    /// The mean loss over sequences.
    pub mean_loss: f64,
    /// F1 of the labels of tokens.
    pub averages: Averages,
    /// Precision and recall of chunks, when the labels are tags like O, B-NP and I-NP.
    pub chunks: Option<Retrieval>,
}

impl SequenceMetrics {
    pub(super) fn of(task: &Task, comparison: Comparison<'_>) -> Self {
        let Comparison { truth, predicted, .. } = comparison;
        let tokens = truth.labels.len();
        let wrong = comparison.tokens().filter(|(truth, predicted)| truth != predicted).count();
        let spoilt =
            predicted.iter().enumerate().filter(|(i, labels)| truth.labels_of(*i) != *labels).count();
        Self {
            sequences: predicted.len(),
            tokens,
            token_error: share(wrong, tokens),
            sequence_error: share(spoilt, predicted.len()),
            mean_loss: comparison.mean_loss(task),
            averages: Averages::of(comparison),
            chunks: count_chunks(comparison),
        }
    }

    /// The share of tokens with the right label.
    pub fn token_accuracy(&self) -> f64 {
        1.0 - self.token_error
    }

    pub(super) fn figures(&self) -> Vec<(&'static str, f64)> {
        let mut figures = vec![
            ("token_error", self.token_error),
            ("token_accuracy", self.token_accuracy()),
            ("sequence_error", self.sequence_error),
            ("mean_loss", self.mean_loss),
        ];
        figures.extend(self.averages.figures());
        if let Some(chunks) = &self.chunks {
            figures.extend(chunks.figures(["chunk_precision", "chunk_recall", "chunk_f1"]));
        }
        figures
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{task, truth};
    use super::*;
    use crate::data::UNKNOWN_LABEL;
    use crate::task::TaskKind;

    #[test]
    fn tokens_and_sequences_are_counted() {
        let truth = truth(&[&[0, 1, 1], &[1], &[UNKNOWN_LABEL, 0], &[1, 0]], true);
        let predicted = [vec![0, 1, 1], vec![0], vec![0, 0], vec![0, 1]];
        let labels = ["x", "y"].into_iter().collect();
        let comparison =
            Comparison { truth: &truth, predicted: &predicted, labels: &labels, known: 2, background: None };
        let metrics = SequenceMetrics::of(&task(TaskKind::Chain, 2), comparison);
        assert_eq!((metrics.sequences, metrics.tokens), (4, 8));
        assert_eq!((metrics.token_error, metrics.sequence_error), (0.5, 0.75));
        assert_eq!(metrics.token_accuracy(), 0.5);
        assert_eq!(metrics.mean_loss, 1.0);
        assert_eq!(metrics.chunks, None);
    }
}
