//! A matrix of features, and its rows.

use std::ops::Range;

use super::array::{Array, Number};
use super::parts::{check_scale, whole_rows};
use super::{MatrixBuilder, Row, RowValues};
use crate::error::Result;

/// A matrix of features, row by row. See the module's page for how it is held.
#[derive(Debug, Clone, Default)]
pub struct FeatureMatrix {
    pub(super) columns: usize,
    /// Sparse: where each row starts in `indices`, and the end. Dense: empty.
    pub(super) starts: Vec<usize>,
    /// Sparse: the column of each value, increasing within a row.
    pub(super) indices: Array<u32>,
    pub(super) rows: usize,
    pub(super) sparse: bool,
    pub(super) values: Values,
}

/// The values of a matrix, in the narrowest type that holds them exactly.
#[derive(Debug, Clone, Default)]
pub(super) enum Values {
    /// Every stored value is 1.
    #[default]
    Ones,
    /// `byte · scale`.
    Bytes {
        bytes: Array<u8>,
        scale: f64,
    },
    Single(Array<f32>),
    Double(Array<f64>),
}

impl FeatureMatrix {
    /// A dense matrix from its rows. Those that are shorter than the longest are filled up with zeros.
    pub fn from_dense<R: AsRef<[f64]>>(rows: &[R]) -> Self {
        let columns = rows.iter().map(|row| row.as_ref().len()).max().unwrap_or(0);
        let mut builder = MatrixBuilder::dense(columns);
        for row in rows {
            for &value in row.as_ref() {
                builder.push(0, value);
            }
            builder.end_row();
        }
        builder.finish(columns)
    }

    /// A dense matrix of bytes, each worth `byte · scale`; an error if they are no whole rows, or the scale is not finite.
    pub fn from_bytes(bytes: Vec<u8>, columns: usize, scale: f64) -> Result<Self> {
        let rows = whole_rows(bytes.len(), columns)?;
        check_scale(scale)?;
        let values = Values::Bytes { bytes: bytes.into(), scale };
        Ok(Self { columns, rows, sparse: false, values, ..Self::default() })
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

    /// The bytes that the matrix holds in memory, or shares.
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
    ///
    /// # Panics
    ///
    /// When the matrix has no such row, as a slice does.
    #[inline]
    pub fn row(&self, row: usize) -> Row<'_> {
        assert!(row < self.rows, "a row of the matrix");
        self.row_within(row)
    }

    /// One row of those that are there, which the caller has seen to.
    #[inline]
    pub(super) fn row_within(&self, row: usize) -> Row<'_> {
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

    /// A matrix of some of the rows, in the order in which they are given. Those that are not there are left out.
    pub fn select(&self, rows: impl Iterator<Item = usize> + Clone) -> Self {
        let rows = rows.filter(|&row| row < self.rows);
        let range = |row: usize| match self.sparse {
            true => self.starts[row]..self.starts[row + 1],
            false => row * self.columns..(row + 1) * self.columns,
        };
        let stored = rows.clone().map(|row| range(row).len()).sum();
        fn gather<T: Copy>(
            from: &[T],
            stored: usize,
            ranges: impl Iterator<Item = Range<usize>>,
        ) -> Array<T> {
            let mut taken = Vec::with_capacity(stored);
            ranges.for_each(|range| taken.extend_from_slice(&from[range]));
            taken.into()
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

    /// The same sparse rows, with a column of its own for each stored value, in their order. None for a dense matrix.
    pub fn with_own_columns(&self) -> Option<Self> {
        let columns = u32::try_from(self.indices.len()).ok().filter(|_| self.sparse)?;
        let indices = (0..columns).collect::<Vec<u32>>().into();
        let (starts, values) = (self.starts.clone(), self.values.clone());
        Some(Self { columns: columns as usize, indices, starts, values, ..*self })
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
        let (columns, rows) = (self.columns, self.rows);
        let (starts, indices, values) = match self.values {
            // Nothing is 0 among ones: nobody asks for it.
            Values::Ones => {
                let all = (0..rows).flat_map(|_| 0..columns as u32).collect();
                ((0..=rows).map(|row| row * columns).collect(), all, Values::Ones)
            }
            Values::Bytes { bytes, scale } => {
                let (starts, indices, bytes) = without_zeros(&bytes, (rows, columns), nonzero);
                let are_ones = scale == 1.0 && bytes.iter().all(|&byte| byte == 1);
                let values =
                    if are_ones { Values::Ones } else { Values::Bytes { bytes: bytes.into(), scale } };
                (starts, indices, values)
            }
            Values::Single(values) => {
                let (starts, indices, values) = without_zeros(&values, (rows, columns), nonzero);
                (starts, indices, Values::Single(values.into()))
            }
            Values::Double(values) => {
                let (starts, indices, values) = without_zeros(&values, (rows, columns), nonzero);
                (starts, indices, Values::Double(values.into()))
            }
        };
        Self { columns, starts, indices: indices.into(), rows, sparse: true, values }
    }
}

/// Dense rows without their zeros, of which so many values are left: where rows start, and columns and values.
fn without_zeros<T: Number + Default + PartialEq>(
    values: &[T],
    (rows, columns): (usize, usize),
    nonzero: usize,
) -> (Vec<usize>, Vec<u32>, Vec<T>) {
    // Every value is written, and the next one over it if it was 0: no branch to mispredict, and one place too many.
    let (mut indices, mut kept) = (vec![0; nonzero + 1], vec![T::default(); nonzero + 1]);
    let (mut starts, mut end) = (vec![0], 0);
    for row in values.chunks_exact(columns.max(1)) {
        for (column, &value) in (0..).zip(row) {
            (indices[end], kept[end]) = (column, value);
            end += usize::from(value != T::default());
        }
        starts.push(end);
    }
    // Rows without columns are rows all the same.
    starts.resize(rows + 1, end);
    indices.truncate(end);
    kept.truncate(end);
    indices.shrink_to_fit();
    kept.shrink_to_fit();
    (starts, indices, kept)
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
