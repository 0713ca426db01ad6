//! What features can be added to.

use std::ops::DerefMut;

use crate::features::Row;

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

impl<V: DerefMut<Target = [f64]>> FeatureSum for V {
    #[inline]
    fn add(&mut self, index: usize, value: f64) {
        self[index] += value;
    }
}
