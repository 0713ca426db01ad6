//! F1 over labels: micro, of all their occurrences together, and macro, the mean over labels.
//!
//! The background is no label here: it is what remains when nothing is found. Without a background Micro-F1 would be the
//! share of right labels, which is reported under that name. Macro-F1 is over the labels that occur in the truth or in
//! the predictions; the others have no F1.

use super::{Retrieval, mean};

/// How well the labels other than the background are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Averages {
    /// All labels together, when there is a background.
    pub micro: Option<Retrieval>,
    /// The mean of the F1 of each label.
    pub macro_f1: f64,
}

impl Averages {
    /// From each row's true and predicted label, and the counts of each label.
    pub fn of(
        rows: impl IntoIterator<Item = (u32, u32)>,
        counts: &[Retrieval],
        background: Option<u32>,
    ) -> Self {
        let micro = background.map(|_| Retrieval::of_labels(rows, background));
        let f1: Vec<f64> = (0..)
            .zip(counts)
            .filter(|(label, counts)| Some(*label) != background && counts.truth + counts.predicted > 0)
            .map(|(_, counts)| counts.f1())
            .collect();
        Self { micro, macro_f1: mean(f1.iter().sum(), f1.len()) }
    }

    /// The figures by name.
    pub fn figures(self) -> impl Iterator<Item = (&'static str, f64)> {
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

    use super::super::per_row;
    use super::*;
    use crate::structure::UNKNOWN_LABEL;

    /// Of the labels O, B-NP, I-NP, B-VP, I-VP.
    fn averages(sequences: &[&[u32]], predicted: &[Vec<u32>], background: Option<u32>) -> Averages {
        let rows = || sequences.concat().into_iter().zip(predicted.concat());
        Averages::of(rows(), &per_row(5, rows()), background)
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
