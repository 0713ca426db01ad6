//! F1 over labels: micro, of all their occurrences together, and macro, the mean over labels.
//!
//! The background is no label here: it is what remains when nothing is found. Without a background Micro-F1 would be the
//! share of right labels, which is reported under that name. Macro-F1 is over the labels that occur in the truth or in
//! the predictions; the others have no F1.

use super::{Comparison, Retrieval, mean, per_label};

/// How well the labels other than the background are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Averages {
    /// All labels together, when there is a background.
    pub micro: Option<Retrieval>,
    /// The mean of the F1 of each label.
    pub macro_f1: f64,
}

impl Averages {
    pub(super) fn of(comparison: Comparison<'_>) -> Self {
        let background = comparison.background;
        let micro = background.map(|_| Retrieval::of_labels(comparison.tokens(), background));
        let f1: Vec<f64> = (0..)
            .zip(per_label(comparison))
            .filter(|(label, counts)| Some(*label) != background && counts.truth + counts.predicted > 0)
            .map(|(_, counts)| counts.f1())
            .collect();
        Self { micro, macro_f1: mean(f1.iter().sum(), f1.len()) }
    }

    pub(super) fn figures(self) -> impl Iterator<Item = (&'static str, f64)> {
        let names = ["micro_precision", "micro_recall", "micro_f1"];
        let micro = self.micro.into_iter().flat_map(move |micro| micro.figures(names));
        micro.chain([("macro_f1", self.macro_f1)])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::super::tests::truth;
    use super::*;
    use crate::data::{Alphabet, UNKNOWN_LABEL};

    fn averages(sequences: &[&[u32]], predicted: &[Vec<u32>], background: Option<u32>) -> Averages {
        let truth = truth(sequences, true);
        let labels: Alphabet = ["O", "B-NP", "I-NP", "B-VP", "I-VP"].into_iter().collect();
        Averages::of(Comparison { truth: &truth, predicted, labels: &labels, known: 5, background })
    }

    #[test]
    fn an_example_by_hand() {
        // True      B-NP I-NP O    B-VP | O B-NP
        // predicted B-NP O    B-NP B-VP | O I-NP
        let sequences = [&[1, 2, 0, 3][..], &[0, 1]];
        let predicted = [vec![1, 0, 1, 3], vec![0, 2]];
        let found = averages(&sequences, &predicted, Some(0));
        assert_eq!(found.micro, Some(Retrieval { truth: 4, predicted: 4, right: 2 }));
        // B-NP 2·1/(2+2), I-NP 0, B-VP 1; I-VP does not occur.
        assert_eq!(found.macro_f1, 0.5);
        let expected =
            [("micro_precision", 0.5), ("micro_recall", 0.5), ("micro_f1", 0.5), ("macro_f1", 0.5)];
        assert_eq!(found.figures().collect::<Vec<_>>(), expected);
        // With O, whose F1 is 2·1/(2+2), as a label like the others.
        let all = averages(&sequences, &predicted, None);
        assert_eq!(all, Averages { micro: None, macro_f1: 0.5 });
        // An unknown label is to be found, and cannot be.
        let unknown = averages(&[&[UNKNOWN_LABEL, 0]], &[vec![0, 0]], Some(0));
        assert_eq!(unknown.micro, Some(Retrieval { truth: 1, predicted: 0, right: 0 }));
    }

    #[test]
    fn counts_are_those_of_sets() {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        for round in 0..200 {
            let background = random.random_range(0..5);
            let mut sequence = || -> Vec<u32> { (0..8).map(|_| random.random_range(0..5)).collect() };
            let (truth, predicted) = (sequence(), sequence());
            let set = |labels: &[u32]| -> HashSet<(usize, u32)> {
                labels.iter().copied().enumerate().filter(|(_, label)| *label != background).collect()
            };
            let (y, z) = (set(&truth), set(&predicted));
            let f1 = |y: &HashSet<(usize, u32)>, z: &HashSet<(usize, u32)>| {
                2.0 * (y & z).len() as f64 / (y.len() + z.len()).max(1) as f64
            };
            let occurring: HashSet<u32> = y.union(&z).map(|(_, label)| *label).collect();
            let only = |set: &HashSet<(usize, u32)>, label| -> HashSet<(usize, u32)> {
                set.iter().copied().filter(|pair| pair.1 == label).collect()
            };
            let sum: f64 = occurring.iter().map(|&label| f1(&only(&y, label), &only(&z, label))).sum();

            let found = averages(&[&truth], std::slice::from_ref(&predicted), Some(background));
            assert_eq!(found.micro.unwrap().f1(), f1(&y, &z), "round {round}: {truth:?} {predicted:?}");
            let difference = found.macro_f1 - sum / occurring.len().max(1) as f64;
            assert!(difference.abs() < 1e-12, "round {round}: {truth:?} {predicted:?}");
        }
    }
}
