//! Metrics of label sets: labels that are wrongly in or out, and how much of each set is found.
//!
//! The Jaccard index |y∩ŷ| / |y∪ŷ| is what papers on the subject call accuracy. Where both sets are empty it is 1, and so is
//! the F1 of the example: nothing was to be found, and nothing was.

use super::LabelSetExamples;
use crate::data::TaskData;
use crate::metrics::{Comparison, Metrics, Retrieval, mean, per_set};
use crate::structure::{LabelSet, MultilabelStructure, SetLoss, UNKNOWN_LABEL};

/// The metrics of a set of labels per example.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelSetMetrics {
    /// The number of examples.
    pub examples: usize,
    /// The share of all labels of all examples that are wrongly in or out.
    pub hamming: f64,
    /// The share of examples whose set is right.
    pub subset_accuracy: f64,
    /// The mean of |y∩ŷ| / |y∪ŷ|.
    pub jaccard: f64,
    /// The mean of 2·|y∩ŷ| / (|y| + |ŷ|).
    pub example_f1: f64,
    /// All labels of all examples together.
    pub micro: Retrieval,
    /// The mean of the F1 of each label that occurs in the truth or in the predictions.
    pub macro_f1: f64,
    /// F1 of all labels of all examples together, each counted by its weight in the loss; none where all weigh the same.
    pub weighted_micro_f1: Option<f64>,
    /// The mean loss.
    pub mean_loss: f64,
    per_label: Vec<(String, Retrieval)>,
}

impl LabelSetMetrics {
    pub(super) fn of(
        structure: &MultilabelStructure,
        comparison: Comparison<'_, LabelSetExamples, LabelSet>,
    ) -> Self {
        let examples = comparison.predicted.len();
        let pairs = || {
            let predicted = comparison.predicted.iter().map(LabelSet::on).enumerate();
            predicted.map(|(i, predicted)| (comparison.truth.labels_of(i), predicted))
        };
        let counts = |(truth, predicted): (&[u32], &[u32])| Retrieval {
            truth: truth.len(),
            predicted: predicted.len(),
            right: predicted.iter().filter(|label| truth.contains(label)).count(),
        };
        let sets: Vec<Retrieval> = pairs().map(counts).collect();
        let micro = sets.iter().fold(Retrieval::default(), |sum, set| Retrieval {
            truth: sum.truth + set.truth,
            predicted: sum.predicted + set.predicted,
            right: sum.right + set.right,
        });
        let wrong = micro.truth + micro.predicted - 2 * micro.right;
        // 0/0 is 1: both sets are empty.
        let of_sets = |part: usize, whole: usize| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
        let mean_of = |value: &dyn Fn(&Retrieval) -> f64| mean(sets.iter().map(value).sum(), examples);
        let per_label = per_set(comparison.labels.len(), pairs());
        let f1: Vec<f64> = per_label
            .iter()
            .filter(|counts| counts.truth + counts.predicted > 0)
            .map(Retrieval::f1)
            .collect();
        Self {
            examples,
            hamming: mean(wrong as f64, examples * comparison.labels.len()),
            subset_accuracy: mean_of(&|set| {
                f64::from(u8::from(set.truth == set.right && set.predicted == set.right))
            }),
            jaccard: mean_of(&|set| of_sets(set.right, set.truth + set.predicted - set.right)),
            example_f1: mean_of(&|set| of_sets(2 * set.right, set.truth + set.predicted)),
            micro,
            macro_f1: mean(f1.iter().sum(), f1.len()),
            weighted_micro_f1: match structure.set_loss() {
                SetLoss::Hamming { weights: Some(weights), .. } => Some(weighted_f1(weights, &per_label)),
                _ => None,
            },
            mean_loss: comparison.mean_loss(|i, predicted| {
                loss(structure, &comparison.as_known(comparison.truth.labels_of(i)), predicted)
            }),
            per_label: comparison.named(&per_label),
        }
    }
}

/// F1 of all labels together, each with its weight; 1 for those that nobody gave any.
fn weighted_f1(weights: &[f64], per_label: &[Retrieval]) -> f64 {
    let weights = weights.iter().copied().chain(std::iter::repeat(1.0));
    let (mut right, mut all) = (0.0, 0.0);
    for (counts, weight) in per_label.iter().zip(weights) {
        right += 2.0 * weight * counts.right as f64;
        all += weight * (counts.truth + counts.predicted) as f64;
    }
    if all > 0.0 { right / all } else { 0.0 }
}

/// The loss of a prediction; an unknown label is one mistake.
fn loss(structure: &MultilabelStructure, truth: &[u32], predicted: &LabelSet) -> f64 {
    let known: Vec<u32> = truth.iter().copied().filter(|&label| label != UNKNOWN_LABEL).collect();
    let unknown = (truth.len() - known.len()) as f64 * structure.cost_of_unknown();
    structure.loss_between(&LabelSet::of(&known), predicted) + unknown
}

impl From<LabelSetMetrics> for Metrics {
    fn from(metrics: LabelSetMetrics) -> Self {
        let mut figures = vec![
            ("hamming", metrics.hamming),
            ("subset_accuracy", metrics.subset_accuracy),
            ("jaccard", metrics.jaccard),
            ("example_f1", metrics.example_f1),
        ];
        figures.extend(metrics.micro.figures(["micro_precision", "micro_recall", "micro_f1"]));
        figures.extend(metrics.weighted_micro_f1.map(|f1| ("weighted_micro_f1", f1)));
        figures.extend([("macro_f1", metrics.macro_f1), ("mean_loss", metrics.mean_loss)]);
        // Who weighs labels is judged by the weights.
        let main = if metrics.weighted_micro_f1.is_some() { "weighted_micro_f1" } else { "micro_f1" };
        Metrics { figures, per_label: metrics.per_label, main: Some(main), ..Metrics::default() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::data::Alphabet;
    use crate::tasks;

    fn metrics(truth: &[Vec<u32>], predicted: &[Vec<u32>]) -> LabelSetMetrics {
        let rows = tasks::chain::rows_without_features(truth.iter().map(|_| 1));
        let data = LabelSetExamples::from_sets(rows, truth).unwrap();
        let labels: Alphabet = ["a", "b", "c", "d"].into_iter().collect();
        let task = tasks::Fitted::new(tasks::Multilabel::default(), 0, 4).unwrap();
        let predicted: Vec<LabelSet> = predicted.iter().map(|set| LabelSet::of(set)).collect();
        let (predicted, labels) = (&predicted[..], &labels);
        let comparison = Comparison { truth: &data, predicted, labels, known: 4, background: None };
        LabelSetMetrics::of(task.structure(), comparison)
    }

    #[test]
    fn an_example_by_hand() {
        let found =
            metrics(&[vec![0, 1], vec![], vec![2], vec![0, 3]], &[vec![0, 2], vec![], vec![2], vec![]]);
        assert_eq!(found.micro, Retrieval { truth: 5, predicted: 3, right: 2 });
        assert_eq!((found.hamming, found.subset_accuracy), (4.0 / 16.0, 0.5));
        assert_eq!(found.jaccard, (1.0 / 3.0 + 1.0 + 1.0 + 0.0) / 4.0);
        assert_eq!(found.example_f1, (0.5 + 1.0 + 1.0 + 0.0) / 4.0);
        // a 2·1/(2+1), b 0, c 2·1/(1+2), d 0.
        assert!((found.macro_f1 - (2.0 / 3.0 + 0.0 + 2.0 / 3.0 + 0.0) / 4.0).abs() < 1e-15);
        assert_eq!(found.mean_loss, 1.0);
    }

    #[test]
    fn counts_are_those_of_sets() {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        for round in 0..200 {
            let mut sets = || -> Vec<Vec<u32>> {
                (0..6).map(|_| (0..4).filter(|_| random.random_bool(0.4)).collect()).collect()
            };
            let (truth, predicted) = (sets(), sets());
            let found = metrics(&truth, &predicted);
            let pairs = || {
                let set = |labels: &[u32]| labels.iter().copied().collect::<HashSet<u32>>();
                truth.iter().zip(&predicted).map(move |(y, z)| (set(y), set(z)))
            };
            let wrong: usize = pairs().map(|(y, z)| (&y ^ &z).len()).sum();
            assert_eq!(found.hamming, wrong as f64 / 24.0, "round {round}");
            assert_eq!(found.mean_loss, wrong as f64 / 6.0, "round {round}");
            let equal = pairs().filter(|(y, z)| y == z).count();
            assert_eq!(found.subset_accuracy, equal as f64 / 6.0, "round {round}");
            let jaccard: f64 =
                pairs()
                    .map(|(y, z)| {
                        if (&y | &z).is_empty() {
                            1.0
                        } else {
                            (&y & &z).len() as f64 / (&y | &z).len() as f64
                        }
                    })
                    .sum();
            assert!((found.jaccard - jaccard / 6.0).abs() < 1e-12, "round {round}");
        }
    }
}
