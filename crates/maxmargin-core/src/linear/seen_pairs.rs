//! Weights only for the pairs of a feature and a label that occur together.
//!
//! With thousands of labels most pairs never do, and nothing is learnt of them but that they are wrong. Their weights are left out,
//! which is another, smaller problem: memory then grows with what was seen, and so does the time of a score, which walks through
//! the labels of each feature that an input has. Weights lie feature by feature, labels ascending.

use std::ops::Range;

use super::FeatureSum;
use super::label_ranks::LabelRanks;
use super::rounding::{Precise, two_product};
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
    /// Where labels are found in the lists of features that have many.
    ranks: LabelRanks,
}

/// The labels of one feature, as they come: the first are each there once and ascend, the rest are what came since.
#[derive(Debug, Clone, Default)]
struct GrowingList {
    labels: Vec<u32>,
    tidy: usize,
}

impl GrowingList {
    /// Adds the labels of a row. What is there twice goes whenever the list has doubled, so that it is never much longer than it will be.
    fn add(&mut self, labels: &[u32]) {
        let is_new = |label: &&u32| self.labels[..self.tidy].binary_search(label).is_err();
        let first = self.labels.len();
        let fresh = labels.iter().filter(is_new).count();
        if first + fresh > self.labels.capacity() {
            self.tidy();
            let tidy = self.tidy;
            self.labels.reserve_exact(fresh.max(tidy).max(4));
        }
        let Self { labels: all, tidy } = self;
        for label in labels {
            if all[..*tidy].binary_search(label).is_err() {
                all.push(*label);
            }
        }
    }

    fn tidy(&mut self) {
        self.labels.sort_unstable();
        self.labels.dedup();
        self.tidy = self.labels.len();
    }
}

impl SeenPairs {
    /// The pairs of some rows and their labels. `rows` calls what it is given with each row and its labels; zeros that are stored count
    /// as features. An error where a feature or a label is beyond those that there are, or
    /// where there are more than 2³² features. Memory is never more than three times that of
    /// the pairs, however often these come.
    pub fn collect(
        features: usize,
        labels: usize,
        rows: impl Fn(&mut dyn FnMut(Row<'_>, &[u32])),
    ) -> Result<Self> {
        if u32::try_from(features.saturating_sub(1)).is_err() {
            return Err(Error::parameter("pairs", format!("{features} features; there are up to 2³²")));
        }
        let mut lists = vec![GrowingList::default(); features];
        let mut is_beyond = false;
        rows(&mut |row, of_row| {
            if of_row.iter().any(|&label| label as usize >= labels) {
                is_beyond = true;
                return;
            }
            row.for_each_unscaled(|j, _| match lists.get_mut(j) {
                Some(list) => list.add(of_row),
                None => is_beyond = true,
            });
        });
        if is_beyond {
            let problem = format!("a feature or a label beyond the {features} and {labels} that there are");
            return Err(Error::parameter("pairs", problem));
        }
        let mut starts = Vec::with_capacity(features + 1);
        starts.push(0);
        let mut end = 0;
        for list in &mut lists {
            list.tidy();
            end += list.labels.len();
            starts.push(end);
        }
        let mut all = Vec::with_capacity(end);
        lists.into_iter().for_each(|list| all.extend_from_slice(&list.labels));
        Ok(Self::of_lists(labels, starts, all))
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
            true => Ok(Self::of_lists(label_count, starts, labels)),
            false => wrong("the labels of a feature do not ascend, or there are not so many"),
        }
    }

    fn of_lists(label_count: usize, starts: Vec<usize>, labels: Vec<u32>) -> Self {
        let ranks = LabelRanks::new(label_count, starts.windows(2).map(|ends| &labels[ends[0]..ends[1]]));
        Self { label_count, starts, labels, ranks }
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
        let &[start, end] = self.starts.get(feature..)?.first_chunk()?;
        let place = match self.ranks.of(feature) {
            Some(rank) => rank.place(label),
            None => self.labels[start..end].binary_search(&label).ok(),
        };
        place.map(|k| start + k)
    }

    #[inline]
    fn range(&self, feature: usize) -> Range<usize> {
        self.starts[feature]..self.starts[feature + 1]
    }

    /// `out[k] += Σ_j row_j · w(j, k)` for every label `k`; there are as many weights as pairs.
    pub(crate) fn add_row_products(&self, row: Row<'_>, weights: &[f64], out: &mut [f64]) {
        // What is added to lies all over: nothing is gained by wide registers, so there is but one copy of this loop.
        row.for_each(|j, value| {
            let range = self.range(j);
            for (&label, &weight) in self.labels[range.clone()].iter().zip(&weights[range]) {
                out[label as usize] += value * weight;
            }
        });
    }

    /// The terms of which these sums are made, for all labels: what [`add_row_products`](Self::add_row_products) costs.
    pub(crate) fn row_terms(&self, row: Row<'_>) -> usize {
        let mut terms = 0;
        row.for_each_unscaled(|j, _| terms += self.range(j).len());
        terms
    }

    /// The same with about twice the digits.
    pub(crate) fn precise_row_products(&self, row: Row<'_>, weights: &[f64], out: &mut [Precise]) {
        let scale = if let RowValues::Bytes(_, scale) = row.values { scale } else { 1.0 };
        row.for_each_unscaled(|j, value| {
            let (high, low) = two_product(value, scale);
            let range = self.range(j);
            for (&label, &weight) in self.labels[range.clone()].iter().zip(&weights[range]) {
                out[label as usize].add_scaled_product((high, low), weight);
            }
        });
    }

    /// Adds `factor · row_j` to the weight of each feature with one label, where it has one; the weights begin at `start`. Values are
    /// rounded by it.
    pub(crate) fn add_row<A: FeatureSum + ?Sized>(
        &self,
        row: Row<'_>,
        label: u32,
        factor: f64,
        start: usize,
        sum: &mut A,
    ) {
        self.for_each_common(row, &[label], |_, place, value| sum.add(start + place, factor * value));
    }

    /// Calls `visit(k, place, value)` for each feature of a row and each of some labels (the `k`-th of them; they ascend) that have a weight
    /// together. The shorter of two lists is looked up in the longer one, from where the last one was found, or at once where the feature
    /// has many labels.
    pub(crate) fn for_each_common(
        &self,
        row: Row<'_>,
        labels: &[u32],
        mut visit: impl FnMut(usize, usize, f64),
    ) {
        row.for_each(|j, value| {
            let Range { start, end } = self.range(j);
            let of_feature = &self.labels[start..end];
            let mut from = 0;
            if let Some(rank) = self.ranks.of(j) {
                for (k, &label) in labels.iter().enumerate() {
                    if let Some(place) = rank.place(label) {
                        visit(k, start + place, value);
                    }
                }
            } else if labels.len() <= of_feature.len() {
                for (k, &label) in labels.iter().enumerate() {
                    from = gallop(of_feature, from, label);
                    if of_feature.get(from) == Some(&label) {
                        visit(k, start + from, value);
                    }
                }
            } else {
                for (place, &label) in (start..).zip(of_feature) {
                    from = gallop(labels, from, label);
                    if labels.get(from) == Some(&label) {
                        visit(from, place, value);
                    }
                }
            }
        });
    }
}

/// The first place of an ascending list from `from` on whose entry is `wanted` or more: in steps that double, and then halve.
fn gallop(list: &[u32], from: usize, wanted: u32) -> usize {
    let (mut low, mut step) = (from, 1);
    while low + step < list.len() && list[low + step] < wanted {
        low += step;
        step *= 2;
    }
    let high = list.len().min(low + step + 1);
    low.min(high) + list[low.min(high)..high].partition_point(|&entry| entry < wanted)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::features::FeatureMatrix;
    use crate::linear::add_row_products;

    proptest! {
        /// Where all others are 0, weights of pairs are weights of a full block.
        #[test]
        fn pairs_are_a_block_with_zeros(
            rows in prop::collection::vec((prop::collection::vec(-2i32..3, 4), prop::collection::vec(0u32..5, 0..4)), 1..6),
            numbers in prop::collection::vec(-9i32..9, 20),
            mut some in prop::collection::vec(0u32..5, 0..5),
        ) {
            some.sort_unstable();
            some.dedup();
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
                let mut sums = vec![1.0; some.len()];
                let mut terms = 0;
                seen.for_each_common(x.row(i), &some, |k, place, value| {
                    sums[k] += value * weights[place];
                    terms += 1;
                });
                prop_assert_eq!(sums, some.iter().map(|&label| scores[label as usize]).collect::<Vec<_>>());
                let all: Vec<u32> = (0..5).collect();
                let mut of_all = 0;
                seen.for_each_common(x.row(i), &all, |_, _, _| of_all += 1);
                prop_assert_eq!(of_all, seen.row_terms(x.row(i)));
                prop_assert!(terms <= of_all);
            }
        }
    }

    #[test]
    fn what_comes_often_takes_no_memory() {
        let mut list = GrowingList::default();
        let mut expected = std::collections::BTreeSet::new();
        for round in 0..20_000_u32 {
            let labels = [round % 7, 100 + round / 100];
            list.add(&labels);
            expected.extend(labels);
            assert!(
                list.labels.capacity() <= 3 * expected.len() + 8,
                "{} for {}",
                list.labels.capacity(),
                expected.len()
            );
        }
        list.tidy();
        assert!(list.labels.iter().eq(&expected));
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
