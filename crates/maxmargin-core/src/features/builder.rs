//! Feature matrices row by row, in the narrowest type that holds all values so far.

use super::{FeatureMatrix, Values};

/// Builds a [`FeatureMatrix`] row by row.
///
/// ```
/// use maxmargin_core::features::MatrixBuilder;
/// let mut builder = MatrixBuilder::sparse();
/// builder.push(3, 1.0);
/// builder.push(7, 0.1);
/// builder.end_row();
/// builder.end_row();
/// let matrix = builder.finish(10);
/// assert_eq!(matrix.rows(), 2);
/// assert_eq!(matrix.row(0).to_pairs(), [(3, 1.0), (7, 0.1)]);
/// assert!(matrix.row(1).is_empty());
/// ```
#[derive(Debug, Clone, Default)]
pub struct MatrixBuilder {
    matrix: FeatureMatrix,
}

impl MatrixBuilder {
    /// For rows whose columns are given with each value. Columns may come in any order within a row; the values of a
    /// column that comes twice are added.
    pub fn sparse() -> Self {
        Self { matrix: FeatureMatrix { sparse: true, starts: vec![0], ..FeatureMatrix::default() } }
    }

    /// For rows that hold a value for each column.
    pub fn dense(columns: usize) -> Self {
        Self { matrix: FeatureMatrix { columns, ..FeatureMatrix::default() } }
    }

    /// The same rows, sparse from now on if most of their values are 0. To be called between rows: those that a dense row has
    /// so far are dropped.
    pub fn sparse_if_worthwhile(mut self) -> Self {
        if !self.matrix.sparse {
            self.truncate(self.matrix.rows * self.matrix.columns);
        }
        Self { matrix: self.matrix.sparse_if_worthwhile() }
    }

    /// Whether values are given with their columns.
    pub fn is_sparse(&self) -> bool {
        self.matrix.sparse
    }

    /// The number of rows ended so far.
    pub fn rows(&self) -> usize {
        self.matrix.rows
    }

    /// The number of values pushed so far.
    pub fn stored(&self) -> usize {
        if self.matrix.sparse { self.matrix.indices.len() } else { self.length() }
    }

    /// Adds a value to the open row. A dense row ignores the column: values come in order.
    #[inline]
    pub fn push(&mut self, column: u32, value: f64) {
        if self.matrix.sparse {
            self.matrix.indices.to_mut().push(column);
        }
        match &mut self.matrix.values {
            Values::Ones if self.matrix.sparse && value == 1.0 => {}
            Values::Bytes { bytes, scale } if *scale == 1.0 && is_byte(value) => {
                bytes.to_mut().push(value as u8)
            }
            Values::Single(v) if is_single(value) => v.to_mut().push(value as f32),
            Values::Double(v) => v.to_mut().push(value),
            _ => self.push_wider(value),
        }
    }

    /// Ends the open row. A dense one that has too few values is filled up with zeros, and what it has too many is dropped.
    pub fn end_row(&mut self) {
        let matrix = &mut self.matrix;
        matrix.rows += 1;
        if matrix.sparse {
            let start = matrix.starts[matrix.starts.len() - 1];
            if !matrix.indices[start..].is_sorted_by(|a, b| a < b) {
                self.sort_open_row(start);
            }
            self.matrix.starts.push(self.matrix.indices.len());
        } else if self.length() != self.matrix.rows * self.matrix.columns {
            self.fit_dense_row();
        }
    }

    /// Fills a dense row up with zeros that has too few values, or cuts off what it has too many.
    #[cold]
    fn fit_dense_row(&mut self) {
        let expected = self.matrix.rows * self.matrix.columns;
        (self.length()..expected).for_each(|_| self.push(0, 0.0));
        self.truncate(expected);
    }

    fn truncate(&mut self, length: usize) {
        match &mut self.matrix.values {
            Values::Ones => {}
            Values::Bytes { bytes, .. } => bytes.to_mut().truncate(length),
            Values::Single(v) => v.to_mut().truncate(length),
            Values::Double(v) => v.to_mut().truncate(length),
        }
    }

    /// Numbers the columns of sparse rows again that have `from` or more: they are counted from `to` on, behind all others.
    /// Where there are columns below `from` that are not below `to`, they are counted from behind these on.
    pub fn move_columns(&mut self, from: u32, to: u32) {
        let others = self.matrix.indices.iter().filter(|column| **column < from);
        let to = others.max().map_or(to, |&last| to.max(last.saturating_add(1)));
        for column in self.matrix.indices.to_mut().iter_mut().filter(|column| **column >= from) {
            *column = (*column - from).saturating_add(to);
        }
    }

    /// The matrix. Sparse ones are told their number of columns here (a larger one than any seen is fine).
    pub fn finish(mut self, columns: usize) -> FeatureMatrix {
        let matrix = &mut self.matrix;
        if matrix.sparse {
            let needed = matrix.indices.iter().max().map_or(0, |&j| j as usize + 1);
            matrix.columns = columns.max(needed);
        }
        matrix.starts.shrink_to_fit();
        matrix.indices.to_mut().shrink_to_fit();
        match &mut matrix.values {
            Values::Ones => {}
            Values::Bytes { bytes, .. } => bytes.to_mut().shrink_to_fit(),
            Values::Single(v) => v.to_mut().shrink_to_fit(),
            Values::Double(v) => v.to_mut().shrink_to_fit(),
        }
        self.matrix
    }

    /// The number of values held, whatever their type.
    fn length(&self) -> usize {
        match &self.matrix.values {
            Values::Ones => self.matrix.indices.len(),
            Values::Bytes { bytes, .. } => bytes.len(),
            Values::Single(v) => v.len(),
            Values::Double(v) => v.len(),
        }
    }

    /// Widens the type of the values until it holds `value`, and pushes it.
    #[cold]
    fn push_wider(&mut self, value: f64) {
        // With `Ones` the new value's index was pushed already, but its value was not.
        let ones = if self.matrix.sparse { self.matrix.indices.len() - 1 } else { 0 };
        let values = std::mem::take(&mut self.matrix.values);
        self.matrix.values = match values {
            Values::Ones if is_byte(value) => Values::Bytes { bytes: vec![1; ones].into(), scale: 1.0 },
            Values::Ones if is_single(value) => Values::Single(vec![1.0; ones].into()),
            Values::Ones => Values::Double(vec![1.0; ones].into()),
            Values::Bytes { bytes, .. } if is_single(value) => {
                Values::Single(bytes.iter().map(|&byte| f32::from(byte)).collect::<Vec<_>>().into())
            }
            Values::Bytes { bytes, .. } => {
                Values::Double(bytes.iter().map(|&byte| f64::from(byte)).collect::<Vec<_>>().into())
            }
            Values::Single(v) => {
                Values::Double(v.iter().map(|&value| f64::from(value)).collect::<Vec<_>>().into())
            }
            Values::Double(v) => Values::Double(v),
        };
        match &mut self.matrix.values {
            Values::Ones => {}
            Values::Bytes { bytes, .. } => bytes.to_mut().push(value as u8),
            Values::Single(v) => v.to_mut().push(value as f32),
            Values::Double(v) => v.to_mut().push(value),
        }
    }

    /// Sorts the open row by column and adds up the values of equal columns.
    fn sort_open_row(&mut self, start: usize) {
        // The usual case in text: names in any order, each once, with the value 1.
        if let Values::Ones = self.matrix.values {
            let indices = &mut self.matrix.indices.to_mut()[start..];
            indices.sort_unstable();
            if indices.is_sorted_by(|a, b| a < b) {
                return;
            }
        }
        let indices = &self.matrix.indices[start..];
        let value = |k: usize| match &self.matrix.values {
            Values::Ones => 1.0,
            Values::Bytes { bytes, .. } => f64::from(bytes[start + k]),
            Values::Single(v) => f64::from(v[start + k]),
            Values::Double(v) => v[start + k],
        };
        let mut pairs: Vec<(u32, f64)> = indices.iter().enumerate().map(|(k, &j)| (j, value(k))).collect();
        pairs.sort_by_key(|&(j, _)| j);
        pairs.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        self.matrix.indices.to_mut().truncate(start);
        self.truncate(start);
        for (column, value) in pairs {
            self.push(column, value);
        }
    }
}

fn is_byte(value: f64) -> bool {
    // −0.0 would come back as +0.0: keep it in a float.
    (0.0..=255.0).contains(&value) && value.fract() == 0.0 && !value.is_sign_negative()
}

fn is_single(value: f64) -> bool {
    f64::from(value as f32) == value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unordered_columns_are_sorted_and_added_up() {
        let mut builder = MatrixBuilder::sparse();
        for (column, value) in [(4, 1.0), (1, 1.0), (4, 1.0)] {
            builder.push(column, value);
        }
        builder.end_row();
        assert_eq!(builder.finish(5).row(0).to_pairs(), [(1, 1.0), (4, 2.0)]);
    }

    #[test]
    fn dense_rows_of_any_length_have_one_length() {
        let mut builder = MatrixBuilder::dense(2);
        for values in [&[][..], &[1.0], &[1.0, 0.5, 7.0], &[3.0, 4.0]] {
            values.iter().for_each(|&value| builder.push(0, value));
            builder.end_row();
        }
        let matrix = builder.finish(2);
        let rows: Vec<_> = (0..4).map(|row| matrix.row(row).to_pairs()).collect();
        assert_eq!(
            rows,
            [[(0, 0.0), (1, 0.0)], [(0, 1.0), (1, 0.0)], [(0, 1.0), (1, 0.5)], [(0, 3.0), (1, 4.0)]]
        );
    }
}
