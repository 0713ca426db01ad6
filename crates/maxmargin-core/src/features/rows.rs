//! The rows of one example.

use std::ops::Range;
use std::sync::Arc;

use super::{FeatureMatrix, Row};
use crate::error::{Error, Result};

/// From so many rows on, products are found column by column.
const MANY_ROWS: usize = 10;

/// Some consecutive rows of a shared matrix: the input of one example. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Rows {
    matrix: Arc<FeatureMatrix>,
    start: u32,
    end: u32,
}

impl Rows {
    /// Those of these rows that the matrix has. Where one that lacks is a mistake, [`Rows::try_new`] says so.
    pub fn new(matrix: &Arc<FeatureMatrix>, rows: Range<usize>) -> Self {
        // Rows are counted in 32 bits.
        let end = rows.end.min(matrix.rows()).min(u32::MAX as usize);
        let start = rows.start.min(end);
        Self { matrix: Arc::clone(matrix), start: start as u32, end: end as u32 }
    }

    /// These rows of the matrix; an error when they are not all there.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use maxmargin_core::features::{FeatureMatrix, Rows};
    /// let matrix = Arc::new(FeatureMatrix::from_dense(&[[1.0], [2.0]]));
    /// assert_eq!(Rows::try_new(&matrix, 1..2)?.row(0).to_pairs(), [(0, 2.0)]);
    /// assert!(Rows::try_new(&matrix, 1..3).is_err());
    /// # Ok::<(), maxmargin_core::Error>(())
    /// ```
    pub fn try_new(matrix: &Arc<FeatureMatrix>, rows: Range<usize>) -> Result<Self> {
        let found = Self::new(matrix, rows.clone());
        match rows.start <= rows.end && rows == (found.start as usize..found.end as usize) {
            true => Ok(found),
            false => {
                let problem =
                    format!("{} to {} of a matrix that has {}", rows.start, rows.end, matrix.rows());
                Err(Error::parameter("rows", problem))
            }
        }
    }

    /// So many rows without features, as of a sequence of which only the length is known: for scores from outside.
    pub fn without_features(rows: u32) -> Self {
        Self { matrix: Arc::new(FeatureMatrix::without_columns(rows as usize)), start: 0, end: rows }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// The row number `position` of these.
    ///
    /// # Panics
    ///
    /// When there are not so many, as a slice does.
    #[inline]
    pub fn row(&self, position: usize) -> Row<'_> {
        // Beyond them there may be rows of other examples. All of them are rows of the matrix.
        assert!(position < self.len(), "a row of the example");
        self.matrix.row_within(self.start as usize + position)
    }

    /// ⟨x_s, x_t⟩ for all rows s ≤ t, row by row of t.
    pub fn products(&self) -> Vec<f64> {
        if self.len() < MANY_ROWS || !self.matrix.is_sparse() {
            let pairs = (0..self.len()).flat_map(|t| (0..=t).map(move |s| (s, t)));
            return pairs.map(|(s, t)| self.row(s).dot(&self.row(t))).collect();
        }
        // Rows that share few columns meet in these alone. Columns ascend, so that sums are those of `dot`, bit by bit.
        let mut entries: Vec<(u32, u32, f64)> = Vec::new();
        for t in 0..self.len() {
            self.row(t).for_each(|column, value| entries.push((column as u32, t as u32, value)));
        }
        entries.sort_unstable_by_key(|&(column, t, _)| (u64::from(column) << 32) | u64::from(t));
        let mut products = vec![0.0; self.len() * (self.len() + 1) / 2];
        for same in entries.chunk_by(|a, b| a.0 == b.0) {
            for (k, &(_, t, of_t)) in same.iter().enumerate() {
                let start = t as usize * (t as usize + 1) / 2;
                for &(_, s, of_s) in &same[..=k] {
                    products[start + s as usize] += of_s * of_t;
                }
            }
        }
        products
    }

    /// The number of columns of the matrix.
    pub fn columns(&self) -> usize {
        self.matrix.columns()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_many_rows_are_those_of_each_two() {
        let value = |i: usize, j: usize| {
            if (i * 7 + j * 5).is_multiple_of(3) { 0.0 } else { 0.1 + (i * j) as f64 / 3.0 }
        };
        let rows: Vec<Vec<f64>> =
            (0..24).map(|i| (0..9).map(|j| value(i, j).max((j % 4) as f64 - 2.0)).collect()).collect();
        for keep in [1, 3] {
            let kept = |i: usize, j: usize, v: f64| if (i + j).is_multiple_of(keep) { v } else { 0.0 };
            let rows: Vec<Vec<f64>> = rows
                .iter()
                .enumerate()
                .map(|(i, row)| row.iter().enumerate().map(|(j, &v)| kept(i, j, v)).collect())
                .collect();
            let matrix = Arc::new(FeatureMatrix::from_dense(&rows).sparse_if_worthwhile());
            assert_eq!(matrix.is_sparse(), keep == 3);
            for range in [2..24, 0..5] {
                let x = Rows::new(&matrix, range);
                let pairs = (0..x.len()).flat_map(|t| (0..=t).map(move |s| (s, t)));
                let expected: Vec<f64> = pairs.map(|(s, t)| x.row(s).dot(&x.row(t))).collect();
                assert_eq!(x.products(), expected);
            }
        }
    }
}
