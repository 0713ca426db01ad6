//! The same counts for each label: how often it is true, predicted, and both.

use super::{Comparison, f1, share};

/// How well one label is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LabelMetrics {
    /// How often it is true.
    pub truth: usize,
    /// How often it is predicted.
    pub predicted: usize,
    /// How often it is predicted and true.
    pub right: usize,
}

impl LabelMetrics {
    /// The counts of all labels that have names, in the order of their numbers.
    pub fn of(comparison: Comparison<'_>) -> Vec<Self> {
        let mut counts = vec![Self::default(); comparison.labels.len()];
        for (truth, predicted) in comparison.tokens() {
            if let Some(label) = counts.get_mut(truth as usize) {
                label.truth += 1;
                label.right += usize::from(truth == predicted);
            }
            if let Some(label) = counts.get_mut(predicted as usize) {
                label.predicted += 1;
            }
        }
        counts
    }

    /// The share of its predictions that are right.
    pub fn precision(&self) -> f64 {
        share(self.right, self.predicted)
    }

    /// The share of its occurrences that were found.
    pub fn recall(&self) -> f64 {
        share(self.right, self.truth)
    }

    /// The harmonic mean of precision and recall.
    pub fn f1(&self) -> f64 {
        f1(self.precision(), self.recall())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::truth;
    use super::*;
    use crate::data::UNKNOWN_LABEL;

    #[test]
    fn labels_are_counted() {
        let truth = truth(&[&[0, 1, 1, UNKNOWN_LABEL]], true);
        let labels = ["a", "b"].into_iter().collect();
        let predicted = [vec![0, 0, 1, 1]];
        let counts =
            LabelMetrics::of(Comparison { truth: &truth, predicted: &predicted, labels: &labels, known: 2 });
        assert_eq!(counts[0], LabelMetrics { truth: 1, predicted: 2, right: 1 });
        assert_eq!(counts[1], LabelMetrics { truth: 2, predicted: 2, right: 1 });
        assert_eq!((counts[0].precision(), counts[0].recall()), (0.5, 1.0));
    }
}
