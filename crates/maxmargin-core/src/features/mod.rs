//! The inputs: a matrix with one row per token or example, as small as its values allow.
//!
//! Rows are sparse (column numbers and values) or dense (values only). Values are held as nothing at all when they are
//! all 1, as bytes with a common scale, as `f32` where that is exact, else as `f64`: the builder starts with the smallest
//! and widens when a value asks for it. Every number that a file held is therefore represented exactly.

mod builder;

use std::ops::Range;
use std::sync::Arc;

pub use builder::MatrixBuilder;

use crate::error::{Error, Result};

/// A matrix of features, row by row. See the module's page for how it is held.
#[derive(Debug, Clone, Default)]
pub struct FeatureMatrix {
    columns: usize,
    /// Sparse: where each row starts in `indices`, and the end. Dense: empty.
    starts: Vec<usize>,
    /// Sparse: the column of each value, increasing within a row.
    indices: Vec<u32>,
    rows: usize,
    sparse: bool,
    values: Values,
}

/// The values of a matrix, in the narrowest type that holds them exactly.
#[derive(Debug, Clone, Default)]
enum Values {
    /// Every stored value is 1.
    #[default]
    Ones,
    /// `byte · scale`.
    Bytes {
        bytes: Vec<u8>,
        scale: f64,
    },
    Single(Vec<f32>),
    Double(Vec<f64>),
}

/// A view of one row.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The columns of the values; `None` for a dense row, whose columns are 0, 1, 2, ….
    pub indices: Option<&'a [u32]>,
    /// The values.
    pub values: RowValues<'a>,
}

/// The values of one row.
#[derive(Debug, Clone, Copy)]
pub enum RowValues<'a> {
    /// This many ones.
    Ones(usize),
    /// `byte · scale`.
    Bytes(&'a [u8], f64),
    /// `f32` values.
    Single(&'a [f32]),
    /// `f64` values.
    Double(&'a [f64]),
}

impl<'a> Row<'a> {
    /// The number of stored values.
    pub fn len(&self) -> usize {
        match self.values {
            RowValues::Ones(n) => n,
            RowValues::Bytes(v, _) => v.len(),
            RowValues::Single(v) => v.len(),
            RowValues::Double(v) => v.len(),
        }
    }

    /// Whether no value is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `visit(column, value)` for each stored value.
    pub fn for_each(&self, mut visit: impl FnMut(usize, f64)) {
        match self.indices {
            Some(indices) => match self.values {
                RowValues::Ones(_) => indices.iter().for_each(|&j| visit(j as usize, 1.0)),
                RowValues::Bytes(v, scale) => {
                    indices.iter().zip(v).for_each(|(&j, &v)| visit(j as usize, f64::from(v) * scale))
                }
                RowValues::Single(v) => {
                    indices.iter().zip(v).for_each(|(&j, &v)| visit(j as usize, f64::from(v)))
                }
                RowValues::Double(v) => indices.iter().zip(v).for_each(|(&j, &v)| visit(j as usize, v)),
            },
            None => match self.values {
                RowValues::Ones(n) => (0..n).for_each(|j| visit(j, 1.0)),
                RowValues::Bytes(v, scale) => {
                    v.iter().enumerate().for_each(|(j, &v)| visit(j, f64::from(v) * scale))
                }
                RowValues::Single(v) => v.iter().enumerate().for_each(|(j, &v)| visit(j, f64::from(v))),
                RowValues::Double(v) => v.iter().enumerate().for_each(|(j, &v)| visit(j, v)),
            },
        }
    }

    /// The same with bytes as they are, without their scale.
    pub fn for_each_unscaled(&self, visit: impl FnMut(usize, f64)) {
        let values = match self.values {
            RowValues::Bytes(v, _) => RowValues::Bytes(v, 1.0),
            values => values,
        };
        Row { values, ..*self }.for_each(visit);
    }

    /// ‖self‖², rounded.
    pub fn norm_squared(&self) -> f64 {
        let mut sum = 0.0;
        self.for_each(|_, value| sum += value * value);
        sum
    }

    /// ⟨self, other⟩ for rows of one matrix.
    pub fn dot(&self, other: &Row<'_>) -> f64 {
        match (self.indices, other.indices) {
            (Some(indices), Some(other_indices)) => {
                let (mut a, mut b, mut sum) = (0, 0, 0.0);
                while a < indices.len() && b < other_indices.len() {
                    let (i, j) = (indices[a], other_indices[b]);
                    if i == j {
                        sum += self.value(a) * other.value(b);
                    }
                    // Both may move: no branch to mispredict.
                    a += usize::from(i <= j);
                    b += usize::from(j <= i);
                }
                sum
            }
            (Some(indices), None) => {
                indices.iter().enumerate().map(|(a, &j)| self.value(a) * other.value(j as usize)).sum()
            }
            (None, Some(_)) => other.dot(self),
            (None, None) => (0..self.len()).map(|j| self.value(j) * other.value(j)).sum(),
        }
    }

    /// The stored value number `k`.
    fn value(&self, k: usize) -> f64 {
        match self.values {
            RowValues::Ones(_) => 1.0,
            RowValues::Bytes(v, scale) => f64::from(v[k]) * scale,
            RowValues::Single(v) => f64::from(v[k]),
            RowValues::Double(v) => v[k],
        }
    }

    /// The row as `(column, value)` pairs, for tests and printing.
    pub fn to_pairs(&self) -> Vec<(usize, f64)> {
        let mut pairs = Vec::with_capacity(self.len());
        self.for_each(|j, v| pairs.push((j, v)));
        pairs
    }
}

impl FeatureMatrix {
    /// A dense matrix from its rows. Panics where they have different lengths; see [`try_from_dense`](Self::try_from_dense).
    pub fn from_dense<R: AsRef<[f64]>>(rows: &[R]) -> Self {
        match Self::try_from_dense(rows) {
            Ok(matrix) => matrix,
            Err(error) => panic!("{error}"),
        }
    }

    /// A dense matrix from its rows, which must have equal lengths.
    pub fn try_from_dense<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self> {
        let columns = rows.first().map_or(0, |row| row.as_ref().len());
        if let Some(row) = rows.iter().position(|row| row.as_ref().len() != columns) {
            let problem = format!("row {row} has {} values, and others {columns}", rows[row].as_ref().len());
            return Err(Error::parameter("features", problem));
        }
        let mut builder = MatrixBuilder::dense(columns);
        for row in rows {
            for &value in row.as_ref() {
                builder.push(0, value);
            }
            builder.end_row();
        }
        Ok(builder.finish(columns))
    }

    /// A dense matrix of bytes, each worth `byte · scale`.
    pub fn from_bytes(bytes: Vec<u8>, columns: usize, scale: f64) -> Self {
        assert!(columns > 0 && bytes.len().is_multiple_of(columns), "whole rows");
        let rows = bytes.len() / columns;
        let values = Values::Bytes { bytes, scale };
        Self { columns, rows, sparse: false, values, ..Self::default() }
    }

    /// This many rows without any feature: for inputs whose scores come from outside.
    pub fn without_columns(rows: usize) -> Self {
        Self { rows, ..Self::default() }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Whether only some values are stored, with their columns; all others are 0.
    pub fn is_sparse(&self) -> bool {
        self.sparse
    }

    /// The number of stored values.
    pub fn stored(&self) -> usize {
        if self.sparse { self.indices.len() } else { self.rows * self.columns }
    }

    /// The bytes that the matrix holds in memory.
    pub fn bytes(&self) -> usize {
        let values = match &self.values {
            Values::Ones => 0,
            Values::Bytes { bytes, .. } => bytes.len(),
            Values::Single(v) => 4 * v.len(),
            Values::Double(v) => 8 * v.len(),
        };
        values + 4 * self.indices.len() + 8 * self.starts.len()
    }

    /// One row.
    #[inline]
    pub fn row(&self, row: usize) -> Row<'_> {
        let range = if self.sparse {
            self.starts[row]..self.starts[row + 1]
        } else {
            row * self.columns..(row + 1) * self.columns
        };
        let indices = self.sparse.then(|| &self.indices[range.clone()]);
        let values = match &self.values {
            Values::Ones => RowValues::Ones(range.len()),
            Values::Bytes { bytes, scale } => RowValues::Bytes(&bytes[range], *scale),
            Values::Single(v) => RowValues::Single(&v[range]),
            Values::Double(v) => RowValues::Double(&v[range]),
        };
        Row { indices, values }
    }

    /// A matrix of some of the rows, in the order in which they are given.
    pub fn select(&self, rows: impl Iterator<Item = usize> + Clone) -> Self {
        let range = |row: usize| match self.sparse {
            true => self.starts[row]..self.starts[row + 1],
            false => row * self.columns..(row + 1) * self.columns,
        };
        let stored = rows.clone().map(|row| range(row).len()).sum();
        fn gather<T: Copy>(from: &[T], stored: usize, ranges: impl Iterator<Item = Range<usize>>) -> Vec<T> {
            let mut taken = Vec::with_capacity(stored);
            ranges.for_each(|range| taken.extend_from_slice(&from[range]));
            taken
        }
        let ranges = rows.clone().map(range);
        let values = match &self.values {
            Values::Ones => Values::Ones,
            Values::Bytes { bytes, scale } => {
                Values::Bytes { bytes: gather(bytes, stored, ranges.clone()), scale: *scale }
            }
            Values::Single(v) => Values::Single(gather(v, stored, ranges.clone())),
            Values::Double(v) => Values::Double(gather(v, stored, ranges.clone())),
        };
        let mut selected = Self {
            columns: self.columns,
            rows: rows.count(),
            sparse: self.sparse,
            values,
            ..Self::default()
        };
        if self.sparse {
            selected.indices = gather(&self.indices, stored, ranges.clone());
            selected.starts.reserve_exact(selected.rows + 1);
            selected.starts.push(0);
            let mut end = 0;
            selected.starts.extend(ranges.map(|range| {
                end += range.len();
                end
            }));
        }
        selected
    }

    /// The same matrix with only the values that are not 0 stored, if that makes products with it cheaper.
    pub fn sparse_if_worthwhile(self) -> Self {
        if self.sparse {
            return self;
        }
        let stored = self.stored();
        let nonzero = match &self.values {
            Values::Ones => stored,
            Values::Bytes { bytes, .. } => bytes.iter().filter(|&&v| v != 0).count(),
            Values::Single(v) => v.iter().filter(|&&v| v != 0.0).count(),
            Values::Double(v) => v.iter().filter(|&&v| v != 0.0).count(),
        };
        if nonzero * 2 > stored {
            return self;
        }
        self.into_sparse(nonzero)
    }

    fn into_sparse(self, nonzero: usize) -> Self {
        let mut starts = Vec::with_capacity(self.rows + 1);
        let mut indices = Vec::with_capacity(nonzero);
        starts.push(0);
        for row in 0..self.rows {
            self.row(row).for_each(|j, v| {
                if v != 0.0 {
                    indices.push(j as u32);
                }
            });
            starts.push(indices.len());
        }
        let values = match self.values {
            Values::Ones => Values::Ones,
            Values::Bytes { bytes, scale } if scale == 1.0 && bytes.iter().all(|&b| b <= 1) => {
                drop(bytes);
                Values::Ones
            }
            Values::Bytes { mut bytes, scale } => {
                bytes.retain(|&v| v != 0);
                bytes.shrink_to_fit();
                Values::Bytes { bytes, scale }
            }
            Values::Single(mut v) => {
                v.retain(|&v| v != 0.0);
                v.shrink_to_fit();
                Values::Single(v)
            }
            Values::Double(mut v) => {
                v.retain(|&v| v != 0.0);
                v.shrink_to_fit();
                Values::Double(v)
            }
        };
        Self { columns: self.columns, starts, indices, rows: self.rows, sparse: true, values }
    }
}

/// Some consecutive rows of a shared matrix: the input of one example. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Rows {
    matrix: Arc<FeatureMatrix>,
    start: u32,
    end: u32,
}

impl Rows {
    /// These rows of the matrix. Panics when they are not all there; see [`try_new`](Self::try_new).
    pub fn new(matrix: &Arc<FeatureMatrix>, rows: Range<usize>) -> Self {
        match Self::try_new(matrix, rows) {
            Ok(rows) => rows,
            Err(error) => panic!("{error}"),
        }
    }

    /// These rows of the matrix, if they are all there.
    pub fn try_new(matrix: &Arc<FeatureMatrix>, rows: Range<usize>) -> Result<Self> {
        if rows.start <= rows.end && rows.end <= matrix.rows() && rows.end <= u32::MAX as usize {
            return Ok(Self { matrix: Arc::clone(matrix), start: rows.start as u32, end: rows.end as u32 });
        }
        let problem = format!("rows {} to {} of a matrix with {}", rows.start, rows.end, matrix.rows());
        Err(Error::parameter("features", problem))
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
    #[inline]
    pub fn row(&self, position: usize) -> Row<'_> {
        debug_assert!(position < self.len());
        self.matrix.row(self.start as usize + position)
    }

    /// The number of columns of the matrix.
    pub fn columns(&self) -> usize {
        self.matrix.columns()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_value() -> impl Strategy<Value = f64> {
        prop_oneof![
            Just(1.0),
            (0u8..=255).prop_map(f64::from),
            any::<f32>().prop_map(f64::from),
            any::<f64>()
        ]
        .prop_filter("finite", |v| v.is_finite())
    }

    proptest! {
        #[test]
        fn sparse_rows_come_back_exactly(rows in prop::collection::vec(prop::collection::btree_map(0u32..50, any_value(), 0..8), 0..12)) {
            let mut builder = MatrixBuilder::sparse();
            for row in &rows {
                row.iter().for_each(|(&j, &v)| builder.push(j, v));
                builder.end_row();
            }
            let matrix = builder.finish(50);
            for (i, row) in rows.iter().enumerate() {
                let expected: Vec<(usize, f64)> = row.iter().map(|(&j, &v)| (j as usize, v)).collect();
                prop_assert_eq!(matrix.row(i).to_pairs(), expected);
            }
        }

        #[test]
        fn dense_rows_come_back_exactly(rows in prop::collection::vec(prop::collection::vec(any_value(), 5), 1..8)) {
            let matrix = FeatureMatrix::from_dense(&rows);
            let sparse = matrix.clone().sparse_if_worthwhile();
            for (i, row) in rows.iter().enumerate() {
                let dense: Vec<f64> = matrix.row(i).to_pairs().into_iter().map(|(_, v)| v).collect();
                prop_assert_eq!(&dense, row);
                let mut back = vec![0.0; 5];
                sparse.row(i).for_each(|j, v| back[j] = v);
                prop_assert_eq!(&back, row);
            }
        }
    }
}
