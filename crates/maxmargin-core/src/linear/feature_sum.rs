//! What features can be added to.

use std::ops::DerefMut;

use crate::features::Row;

/// Something to which features can be added one by one, or a row of them at a time.
///
/// Where a slice has no entry of a number, the sum is none: its first number becomes NaN.
pub trait FeatureSum {
    /// Adds `value` to the entry `index`.
    fn add(&mut self, index: usize, value: f64);

    /// Adds `factor · row_j` to the entry `j · labels + label` for each j: a row of data in the block of one label.
    fn add_row(&mut self, row: Row<'_>, labels: usize, label: usize, factor: f64) {
        match last_place(row, labels, label) {
            Some(_) => row.for_each(|j, value| self.add(place(j, labels, label), factor * value)),
            None => self.add(usize::MAX, factor),
        }
    }
}

/// The largest of the entries to which a row is added, if numbers go so far: one look at the last column of a row, which is its largest,
/// spares a look at each.
pub(super) fn last_place(row: Row<'_>, labels: usize, label: usize) -> Option<usize> {
    let last = match row.indices {
        Some(indices) => indices.last().map_or(0, |&last| last as usize),
        None => row.len().saturating_sub(1),
    };
    last.checked_mul(labels)?.checked_add(label)
}

/// The entry of a column, no larger than the [`last_place`].
#[inline(always)]
pub(super) fn place(column: usize, labels: usize, label: usize) -> usize {
    column.wrapping_mul(labels).wrapping_add(label)
}

impl FeatureSum for [f64] {
    #[inline]
    fn add(&mut self, index: usize, value: f64) {
        match self.get_mut(index) {
            Some(entry) => *entry += value,
            None => spoil(self),
        }
    }
}

#[cold]
fn spoil(sum: &mut [f64]) {
    sum.iter_mut().take(1).for_each(|first| *first = f64::NAN);
}

impl<V: DerefMut<Target = [f64]>> FeatureSum for V {
    #[inline]
    fn add(&mut self, index: usize, value: f64) {
        self.deref_mut().add(index, value);
    }
}
