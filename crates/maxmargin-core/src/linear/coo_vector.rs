//! A sum of features as a list, not yet added up.

use std::cmp::Ordering;

use super::FeatureSum;
use super::feature_sum::last_place;
use crate::features::{Row, RowValues};

/// Terms `value · e_index`, in the order in which they came; an index may come more than once.
///
/// Writing the list costs a push per term, and reading it streams through memory: the cheapest form for a vector that is
/// multiplied by the weights once and added to them once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CooVector {
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl CooVector {
    /// Removes all terms; the memory stays.
    pub fn clear(&mut self) {
        self.indices.clear();
        self.values.clear();
    }

    /// ⟨self, dense⟩; NaN where an index is beyond the end.
    pub fn dot(&self, dense: &[f64]) -> f64 {
        // Four sums, so that an addition need not wait for the one before it.
        let (indices, indices_rest) = self.indices.as_chunks::<4>();
        let (values, values_rest) = self.values.as_chunks::<4>();
        let mut sums = [0.0; 4];
        for (index, value) in indices.iter().zip(values) {
            for lane in 0..4 {
                let Some(entry) = dense.get(index[lane] as usize) else { return f64::NAN };
                sums[lane] += value[lane] * entry;
            }
        }
        let entry = |i: u32| dense.get(i as usize).unwrap_or(&f64::NAN);
        let rest: f64 = indices_rest.iter().zip(values_rest).map(|(&i, v)| v * entry(i)).sum();
        sums.iter().sum::<f64>() + rest
    }

    /// `dense += factor · self`, as [`FeatureSum`] adds to slices.
    pub fn add_to(&self, factor: f64, dense: &mut [f64]) {
        for (&i, &v) in self.indices.iter().zip(&self.values) {
            dense.add(i as usize, factor * v);
        }
    }

    /// The same vector with one term for each index that is not 0, in the order of the indices.
    pub fn added_up(&self) -> CooVector {
        let mut order: Vec<usize> = (0..self.indices.len()).collect();
        order.sort_by_key(|&k| self.indices[k]);
        let mut sum = CooVector::default();
        for same in order.chunk_by(|&k, &l| self.indices[k] == self.indices[l]) {
            let value: f64 = same.iter().map(|&k| self.values[k]).sum();
            if value != 0.0 {
                sum.add(self.indices[same[0]] as usize, value);
            }
        }
        sum
    }

    /// ⟨self, other⟩, where both are [`added_up`](Self::added_up).
    pub fn product(&self, other: &CooVector) -> f64 {
        let (mut i, mut j, mut sum) = (0, 0, 0.0);
        while i < self.indices.len() && j < other.indices.len() {
            let order = self.indices[i].cmp(&other.indices[j]);
            if order == Ordering::Equal {
                sum += self.values[i] * other.values[j];
            }
            i += usize::from(order != Ordering::Greater);
            j += usize::from(order != Ordering::Less);
        }
        sum
    }

    /// The terms.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.indices.iter().zip(&self.values).map(|(&i, &v)| (i as usize, v))
    }
}

impl FeatureSum for CooVector {
    #[inline]
    fn add(&mut self, index: usize, value: f64) {
        // A place beyond all weights must not become one of the first.
        self.indices.push(index.min(u32::MAX as usize) as u32);
        self.values.push(value);
    }

    fn add_row(&mut self, row: Row<'_>, labels: usize, label: usize, factor: f64) {
        // A place beyond all weights must not become one of the first.
        let is_inside = last_place(row, labels, label).is_some_and(|last| u32::try_from(last).is_ok());
        let place = |j: usize| (j as u32).wrapping_mul(labels as u32).wrapping_add(label as u32);
        match row.indices {
            _ if !is_inside => self.indices.resize(self.indices.len() + row.len(), u32::MAX),
            Some(indices) => self.indices.extend(indices.iter().map(|&j| place(j as usize))),
            None => self.indices.extend((0..row.len()).map(place)),
        }
        match row.values {
            RowValues::Ones(n) => self.values.resize(self.values.len() + n, factor),
            RowValues::Bytes(v, scale) => {
                self.values.extend(v.iter().map(|&v| factor * scale * f64::from(v)))
            }
            RowValues::Single(v) => self.values.extend(v.iter().map(|&v| factor * f64::from(v))),
            RowValues::Double(v) => self.values.extend(v.iter().map(|&v| factor * v)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_terms_stands_for_their_sum() {
        let dense = [1.0, 2.0, 4.0, 8.0];
        let (mut terms, mut sum) = (CooVector::default(), [0.0; 4]);
        for (i, v) in [(3, 1.0), (0, -2.0), (3, 0.5), (1, 3.0), (2, 1.0), (3, 1.0)] {
            terms.add(i, v);
            sum[i] += v;
        }
        let expected: f64 = sum.iter().zip(dense).map(|(s, d)| s * d).sum();
        assert_eq!(terms.dot(&dense), expected);
        let added_up = terms.added_up();
        assert_eq!(
            (&added_up.indices[..], &added_up.values[..]),
            (&[0, 1, 2, 3][..], &[-2.0, 3.0, 1.0, 2.5][..])
        );
        let norm_squared: f64 = sum.iter().map(|v| v * v).sum();
        assert_eq!((added_up.dot(&dense), added_up.product(&added_up)), (expected, norm_squared));
        let mut added = [1.0; 4];
        terms.add_to(2.0, &mut added);
        assert_eq!(added, sum.map(|s| 1.0 + 2.0 * s));
    }
}
