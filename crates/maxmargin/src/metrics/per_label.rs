//! How well each label is predicted.

use super::Retrieval;

/// The counts of so many labels, where each row has one: from its true and its predicted label.
pub fn per_row(labels: usize, rows: impl IntoIterator<Item = (u32, u32)>) -> Vec<Retrieval> {
    let mut counts = vec![Retrieval::default(); labels];
    for (truth, predicted) in rows {
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

/// The counts of so many labels, where each example has a set of them: from the true and the predicted one.
pub fn per_set<'a>(labels: usize, sets: impl IntoIterator<Item = (&'a [u32], &'a [u32])>) -> Vec<Retrieval> {
    let mut counts = vec![Retrieval::default(); labels];
    for (truth, predicted) in sets {
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
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::UNKNOWN_LABEL;

    #[test]
    fn labels_are_counted() {
        let counts = per_row(2, [(0, 0), (1, 0), (1, 1), (UNKNOWN_LABEL, 1)]);
        assert_eq!(counts[0], Retrieval { truth: 1, predicted: 2, right: 1 });
        assert_eq!(counts[1], Retrieval { truth: 2, predicted: 2, right: 1 });
        assert_eq!((counts[0].precision(), counts[0].recall()), (0.5, 1.0));
    }
}
