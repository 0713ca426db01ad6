//! Weights only for the pairs of a feature and a label that occur together.
//!
//! With thousands of labels most pairs never do, and nothing is learnt of them but that they are wrong. Their weights are left out,
//! which is another, smaller problem: memory then grows with what was seen, and so does the time of a score, which walks through
//! the labels of each feature that an input has. Weights lie feature by feature, labels ascending.

use std::ops::Range;

use super::rounding::{Precise, two_product};
use super::{FeatureSum, dispatch, multiply_add};
use crate::error::{Error, Result};
use crate::features::{Row, RowValues};

/// Which features have a weight for which labels.
///
/// ```
/// use maxmargin_core::features::FeatureMatrix;
/// use maxmargin_core::linear::SeenPairs;
///
/// let x = FeatureMatrix::from_dense(&[[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]]).sparse_if_worthwhile();
/// let labels = [[0], [2]];
/// let seen = SeenPairs::collect(3, 3, |see| (0..2).for_each(|i| see(x.row(i), &labels[i])))?;
/// assert_eq!((seen.len(), seen.place(0, 2), seen.place(2, 2)), (2, None, Some(1)));
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SeenPairs {
    label_count: usize,
    /// Where the labels of each feature start, and the end.
    starts: Vec<usize>,
    /// The labels of all features, ascending within each.
    labels: Vec<u32>,
}

impl SeenPairs {
    /// The pairs of some rows and their labels. `rows` calls what it is given with each row and its labels, the same ones whenever it is
    /// called; zeros that are stored count as features. An error where a feature or a label is beyond those that there are.
    pub fn collect(
        features: usize,
        labels: usize,
        rows: impl Fn(&mut dyn FnMut(Row<'_>, &[u32])),
    ) -> Result<Self> {
        let mut ends = vec![0usize; features + 1];
        let mut beyond = None;
        rows(&mut |row, of_row| {
            beyond = beyond.or(of_row.iter().copied().find(|&label| label as usize >= labels));
            row.for_each_unscaled(|j, _| match ends.get_mut(j + 1) {
                Some(count) if j < features => *count += of_row.len(),
                _ => beyond = beyond.or(Some(u32::MAX)),
            });
        });
        if beyond.is_some() {
            let problem = format!("a feature or a label beyond the {features} and {labels} that there are");
            return Err(Error::parameter("pairs", problem));
        }
        for j in 0..features {
            ends[j + 1] += ends[j];
        }
        let (mut places, mut found) = (ends.clone(), vec![0; ends[features]]);
        rows(&mut |row, of_row| {
            row.for_each_unscaled(|j, _| {
                let (Some(place), Some(&end)) = (places.get_mut(j), ends.get(j + 1)) else { return };
                for (to, &label) in found[(*place).min(end)..end].iter_mut().zip(of_row) {
                    *to = label;
                    *place += 1;
                }
            });
        });
        // Each feature's labels once, moved to the front.
        let (mut starts, mut kept) = (Vec::with_capacity(features + 1), 0);
        starts.push(0);
        for j in 0..features {
            let range = ends[j]..places[j];
            found[range.clone()].sort_unstable();
            let start = kept;
            for k in range {
                if kept == start || found[kept - 1] != found[k] {
                    found[kept] = found[k];
                    kept += 1;
                }
            }
            starts.push(kept);
        }
        found.truncate(kept);
        found.shrink_to_fit();
        Ok(Self { label_count: labels, starts, labels: found })
    }

    /// The pairs of lists that were written down: where the labels of each feature start (and the end), and the labels, ascending
    /// within each. An error where they are no such lists.
    pub fn new(label_count: usize, starts: Vec<usize>, labels: Vec<u32>) -> Result<Self> {
        let wrong = |problem: &str| Err(Error::parameter("pairs", problem));
        if starts.first() != Some(&0) || starts.last() != Some(&labels.len()) || !starts.is_sorted() {
            return wrong("the places where features start do not ascend from 0 to the number of pairs");
        }
        let rows = starts.windows(2).map(|pair| &labels[pair[0]..pair[1]]);
        let is_row = |row: &[u32]| {
            row.is_sorted_by(|a, b| a < b) && row.last().is_none_or(|&last| (last as usize) < label_count)
        };
        match rows.clone().all(is_row) {
            true => Ok(Self { label_count, starts, labels }),
            false => wrong("the labels of a feature do not ascend, or there are not so many"),
        }
    }

    /// The number of pairs: of weights.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The number of features.
    pub fn features(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of labels.
    pub fn label_count(&self) -> usize {
        self.label_count
    }

    /// Where the labels of each feature start, and the end.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The labels of all features.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The place of the weight of a pair, if it has one.
    #[inline]
    pub fn place(&self, feature: usize, label: u32) -> Option<usize> {
        let Range { start, end } = self.range(feature);
        self.labels[start..end].binary_search(&label).ok().map(|k| start + k)
    }

    #[inline]
    fn range(&self, feature: usize) -> Range<usize> {
        self.starts[feature]..self.starts[feature + 1]
    }

    /// `out[k] += Σ_j row_j · w(j, k)` for every label `k`.
    ///
    /// # Panics
    ///
    /// When there are fewer weights or labels than pairs ask for, as a slice does.
    pub fn add_row_products(&self, row: Row<'_>, weights: &[f64], out: &mut [f64]) {
        fn body<const FMA: bool>(pairs: &SeenPairs, row: Row<'_>, weights: &[f64], out: &mut [f64]) {
            row.for_each(|j, value| {
                let range = pairs.range(j);
                for (&label, &weight) in pairs.labels[range.clone()].iter().zip(&weights[range]) {
                    let sum = &mut out[label as usize];
                    *sum = multiply_add::<FMA>(value, weight, *sum);
                }
            });
        }
        let pairs = self;
        dispatch!(body(pairs: &SeenPairs, row: Row<'_>, weights: &[f64], out: &mut [f64]))
    }

    /// The same with about twice the digits.
    ///
    /// # Panics
    ///
    /// As [`add_row_products`](Self::add_row_products).
    pub fn precise_row_products(&self, row: Row<'_>, weights: &[f64], out: &mut [Precise]) {
        let scale = if let RowValues::Bytes(_, scale) = row.values { scale } else { 1.0 };
        row.for_each_unscaled(|j, value| {
            let (high, low) = two_product(value, scale);
            let range = self.range(j);
            for (&label, &weight) in self.labels[range.clone()].iter().zip(&weights[range]) {
                out[label as usize].add_scaled_product((high, low), weight);
            }
        });
    }

    /// Adds `factor · row_j` to the weight of each feature with one label, where it has one. Values are rounded by it.
    pub fn add_row<A: FeatureSum + ?Sized>(&self, row: Row<'_>, label: u32, factor: f64, sum: &mut A) {
        row.for_each(|j, value| {
            if let Some(place) = self.place(j, label) {
                sum.add(place, factor * value);
            }
        });
    }

    /// Σ row_j² over the features that have a weight for a label.
    pub fn norm_squared(&self, row: Row<'_>, label: u32) -> f64 {
        let mut sum = 0.0;
        row.for_each(|j, value| {
            if self.place(j, label).is_some() {
                sum += value * value;
            }
        });
        sum
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::features::FeatureMatrix;
    use crate::linear::{CooVector, add_row_products};

    proptest! {
        /// Where all others are 0, weights of pairs are weights of a full block.
        #[test]
        fn pairs_are_a_block_with_zeros(
            rows in prop::collection::vec((prop::collection::vec(-2i32..3, 4), prop::collection::vec(0u32..5, 0..4)), 1..6),
            numbers in prop::collection::vec(-9i32..9, 20),
            label in 0u32..5,
        ) {
            let dense: Vec<Vec<f64>> = rows.iter().map(|(row, _)| row.iter().map(|&v| f64::from(v)).collect()).collect();
            let x = FeatureMatrix::from_dense(&dense).sparse_if_worthwhile();
            let seen = SeenPairs::collect(4, 5, |see| {
                rows.iter().enumerate().for_each(|(i, (_, labels))| see(x.row(i), labels));
            }).unwrap();
            prop_assert_eq!(&SeenPairs::new(5, seen.starts().to_vec(), seen.labels().to_vec()).unwrap(), &seen);
            let (mut full, mut weights) = ([0.0; 20], vec![0.0; seen.len()]);
            for j in 0..4 {
                for y in 0..5u32 {
                    let is_stored = |i: usize| x.row(i).to_pairs().iter().any(|&(column, _)| column == j);
                    let occurs = rows.iter().enumerate().any(|(i, (_, labels))| labels.contains(&y) && is_stored(i));
                    prop_assert_eq!(seen.place(j, y).is_some(), occurs);
                    if let Some(place) = seen.place(j, y) {
                        let number = f64::from(numbers[j * 5 + y as usize]);
                        (full[j * 5 + y as usize], weights[place]) = (number, number);
                    }
                }
            }
            for i in 0..rows.len() {
                let (mut expected, mut scores, mut precise) = ([1.0; 5], [1.0; 5], [Precise::default(); 5]);
                add_row_products(x.row(i), &full, &mut expected);
                seen.add_row_products(x.row(i), &weights, &mut scores);
                seen.precise_row_products(x.row(i), &weights, &mut precise);
                prop_assert_eq!(expected, scores);
                prop_assert_eq!(precise.map(|sum| sum.get() + 1.0), scores);
                let mut sum = CooVector::default();
                seen.add_row(x.row(i), label, 1.0, &mut sum);
                prop_assert_eq!(sum.dot(&weights), scores[label as usize] - 1.0);
                let norm: f64 = sum.iter().map(|(_, value)| value * value).sum();
                prop_assert_eq!(seen.norm_squared(x.row(i), label), norm);
            }
        }
    }

    #[test]
    fn what_is_no_list_of_pairs_is_refused() {
        for (starts, labels) in [
            (vec![], vec![]),
            (vec![0, 1], vec![]),
            (vec![1, 1], vec![0]),
            (vec![0, 2, 1], vec![0]),
            (vec![0, 2], vec![1, 1]),
            (vec![0, 1], vec![3]),
        ] {
            assert!(SeenPairs::new(3, starts.clone(), labels.clone()).is_err(), "{starts:?} {labels:?}");
        }
        let x = FeatureMatrix::from_dense(&[[1.0, 2.0]]);
        assert!(SeenPairs::collect(1, 3, |see| see(x.row(0), &[0])).is_err());
        assert!(SeenPairs::collect(2, 3, |see| see(x.row(0), &[3])).is_err());
    }
}
