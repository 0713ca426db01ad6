//! Sparse vectors, and what features can be added to.

use crate::data::Row;

/// Something to which features can be added one by one, or a row of them at a time.
pub trait FeatureSum {
    /// Adds `value` to the entry `index`.
    fn add(&mut self, index: usize, value: f64);

    /// Adds `factor · row_j` to the entry `j · labels + label` for each j: a row of data in the block of one label.
    fn add_row(&mut self, row: Row<'_>, labels: usize, label: usize, factor: f64) {
        row.for_each(|j, value| self.add(j * labels + label, factor * value));
    }
}

impl FeatureSum for [f64] {
    #[inline]
    fn add(&mut self, index: usize, value: f64) {
        self[index] += value;
    }
}

impl FeatureSum for Vec<f64> {
    #[inline]
    fn add(&mut self, index: usize, value: f64) {
        self[index] += value;
    }

    fn add_row(&mut self, row: Row<'_>, labels: usize, label: usize, factor: f64) {
        self.as_mut_slice().add_row(row, labels, label, factor);
    }
}

/// A sparse vector: entries with increasing indices, none of them zero.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SparseVector {
    /// Where.
    pub indices: Vec<u32>,
    /// What.
    pub values: Vec<f64>,
}

impl SparseVector {
    /// The number of entries.
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Whether every entry is zero.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// Makes it the zero vector.
    pub fn clear(&mut self) {
        self.indices.clear();
        self.values.clear();
    }

    /// ⟨self, dense⟩.
    #[inline]
    pub fn dot(&self, dense: &[f64]) -> f64 {
        self.indices.iter().zip(&self.values).map(|(&i, &v)| v * dense[i as usize]).sum()
    }

    /// `dense += factor · self`.
    #[inline]
    pub fn add_to(&self, factor: f64, dense: &mut [f64]) {
        for (&i, &v) in self.indices.iter().zip(&self.values) {
            dense[i as usize] += factor * v;
        }
    }

    /// ‖self‖².
    pub fn norm_squared(&self) -> f64 {
        self.values.iter().map(|v| v * v).sum()
    }

    /// ⟨self, other⟩, by merging the indices.
    pub fn dot_sparse(&self, other: &SparseVector) -> f64 {
        let (mut i, mut j, mut sum) = (0, 0, 0.0);
        while i < self.len() && j < other.len() {
            match self.indices[i].cmp(&other.indices[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    sum += self.values[i] * other.values[j];
                    i += 1;
                    j += 1;
                }
            }
        }
        sum
    }
}
