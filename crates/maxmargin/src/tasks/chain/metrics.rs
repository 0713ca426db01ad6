//! Metrics of sequences: wrong tokens, sequences with any wrong token, and chunks where labels mark them.

use super::SequenceExamples;
use super::chunks::count_chunks;
use crate::data::TaskData;
use crate::metrics::{Averages, Comparison, Metrics, Retrieval, per_row, share};
use crate::structure::ChainStructure;

/// The metrics of one label per token.
#[derive(Debug, Clone, PartialEq)]
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
    /// The same for each type of chunk.
    pub chunk_types: Vec<(String, Retrieval)>,
    per_label: Vec<(String, Retrieval)>,
}

impl SequenceMetrics {
    pub(super) fn of(
        structure: &ChainStructure,
        comparison: Comparison<'_, SequenceExamples, Vec<u32>>,
    ) -> Self {
        let truth = comparison.truth;
        let mean_loss = comparison.mean_loss(|i, predicted| {
            structure.loss_between(&comparison.as_known(truth.labels_of(i)), predicted)
        });
        Self::with_loss(comparison, mean_loss)
    }

    /// The same with a mean loss that somebody else knows.
    pub(in crate::tasks) fn with_loss(
        comparison: Comparison<'_, SequenceExamples, Vec<u32>>,
        mean_loss: f64,
    ) -> Self {
        let Comparison { truth, predicted, .. } = comparison;
        let tokens = truth.labels().len();
        let rows = || truth.labels().iter().copied().zip(predicted.iter().flatten().copied());
        let counts = per_row(comparison.labels.len(), rows());
        let wrong = rows().filter(|(truth, predicted)| truth != predicted).count();
        let spoilt =
            predicted.iter().enumerate().filter(|(i, labels)| truth.labels_of(*i) != *labels).count();
        let chunks = count_chunks(comparison);
        Self {
            sequences: predicted.len(),
            tokens,
            token_error: share(wrong, tokens),
            sequence_error: share(spoilt, predicted.len()),
            mean_loss,
            averages: Averages::of(rows(), &counts, comparison.background),
            chunks: chunks.as_ref().map(|chunks| chunks.all),
            chunk_types: chunks.into_iter().flat_map(|chunks| chunks.by_type).collect(),
            per_label: comparison.named(&counts),
        }
    }

    /// The share of tokens with the right label.
    pub fn token_accuracy(&self) -> f64 {
        1.0 - self.token_error
    }
}

impl From<SequenceMetrics> for Metrics {
    fn from(metrics: SequenceMetrics) -> Self {
        let mut figures = vec![
            ("token_error", metrics.token_error),
            ("token_accuracy", metrics.token_accuracy()),
            ("sequence_error", metrics.sequence_error),
            ("mean_loss", metrics.mean_loss),
        ];
        figures.extend(metrics.averages.figures());
        if let Some(chunks) = metrics.chunks {
            figures.extend(chunks.figures(["chunk_precision", "chunk_recall", "chunk_f1"]));
        }
        let main = metrics.chunks.map(|_| "chunk_f1");
        Metrics { figures, per_label: metrics.per_label, per_type: metrics.chunk_types, main }
    }
}

#[cfg(test)]
mod tests {
    use super::super::truth;
    use super::*;
    use crate::structure::{ChainOptions, UNKNOWN_LABEL};

    #[test]
    fn tokens_and_sequences_are_counted() {
        let truth = truth(&[&[0, 1, 1], &[1], &[UNKNOWN_LABEL, 0], &[1, 0]]);
        let predicted = [vec![0, 1, 1], vec![0], vec![0, 0], vec![0, 1]];
        let labels = ["x", "y"].into_iter().collect();
        let comparison =
            Comparison { truth: &truth, predicted: &predicted, labels: &labels, known: 2, background: None };
        let metrics =
            SequenceMetrics::of(&ChainStructure::new(0, 2, ChainOptions::default()).unwrap(), comparison);
        assert_eq!((metrics.sequences, metrics.tokens), (4, 8));
        assert_eq!((metrics.token_error, metrics.sequence_error), (0.5, 0.75));
        assert_eq!(metrics.token_accuracy(), 0.5);
        assert_eq!(metrics.mean_loss, 1.0);
        assert_eq!(metrics.chunks, None);
    }
}
