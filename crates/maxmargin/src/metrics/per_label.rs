//! How well each label is predicted.

use super::{Comparison, Retrieval};

/// The counts of all labels that have names, in the order of their numbers. Of the labels of edges only `sure` is predicted,
/// and what is predicted of possible links counts nowhere.
pub fn per_label(comparison: Comparison<'_>) -> Vec<Retrieval> {
    let mut counts = vec![Retrieval::default(); comparison.labels.len()];
    if comparison.truth.edges.is_some() {
        for (i, predicted) in comparison.predicted.iter().enumerate() {
            let truth = comparison.truth.labels_of(i);
            if let Some(sure) = counts.get_mut(1) {
                sure.truth += truth.iter().filter(|label| **label == 1).count();
                let counts = |edge: &&u32| truth.get(**edge as usize) != Some(&2);
                sure.predicted += predicted.iter().filter(counts).count();
                sure.right += predicted.iter().filter(|&&edge| truth.get(edge as usize) == Some(&1)).count();
            }
        }
        return counts;
    }
    if comparison.truth.sets.is_some() {
        for (i, predicted) in comparison.predicted.iter().enumerate() {
            let truth = comparison.truth.labels_of(i);
            for &label in truth {
                if let Some(label) = counts.get_mut(label as usize) {
                    label.truth += 1;
                }
            }
            for found in predicted {
                if let Some(label) = counts.get_mut(*found as usize) {
                    label.predicted += 1;
                    label.right += usize::from(truth.contains(found));
                }
            }
        }
        return counts;
    }
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
        let comparison =
            Comparison { truth: &truth, predicted: &predicted, labels: &labels, known: 2, background: None };
        let counts = per_label(comparison);
        assert_eq!(counts[0], Retrieval { truth: 1, predicted: 2, right: 1 });
        assert_eq!(counts[1], Retrieval { truth: 2, predicted: 2, right: 1 });
        assert_eq!((counts[0].precision(), counts[0].recall()), (0.5, 1.0));
    }
}
