//! One row of a matrix, lent from it.

/// A view of one row. Only matrices make them: there are as many columns as values, and they increase.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    pub(crate) indices: Option<&'a [u32]>,
    pub(crate) values: RowValues<'a>,
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
    /// The columns of the values; `None` for a dense row, whose columns are 0, 1, 2, ….
    pub fn indices(&self) -> Option<&'a [u32]> {
        self.indices
    }

    /// The values.
    pub fn values(&self) -> RowValues<'a> {
        self.values
    }

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

    /// The part of the columns before `column`, and that of the columns from there on. A sparse row keeps the numbers of its columns;
    /// the second part of a dense one counts them from 0.
    #[inline(never)]
    pub(crate) fn split_at(&self, column: usize) -> (Row<'a>, Row<'a>) {
        let place = match self.indices {
            Some(indices) => indices.partition_point(|&j| (j as usize) < column),
            None => column.min(self.len()),
        };
        let indices = self.indices.map(|indices| indices.split_at(place));
        let (first, second) = match self.values {
            RowValues::Ones(n) => (RowValues::Ones(place), RowValues::Ones(n - place)),
            RowValues::Bytes(v, scale) => {
                (RowValues::Bytes(&v[..place], scale), RowValues::Bytes(&v[place..], scale))
            }
            RowValues::Single(v) => (RowValues::Single(&v[..place]), RowValues::Single(&v[place..])),
            RowValues::Double(v) => (RowValues::Double(&v[..place]), RowValues::Double(&v[place..])),
        };
        let part = |values, indices| Row { indices, values };
        (part(first, indices.map(|both| both.0)), part(second, indices.map(|both| both.1)))
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

    /// ⟨self, other⟩. Of rows of different lengths, what one of them lacks is 0.
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
                let within = indices.iter().take_while(|&&j| (j as usize) < other.len());
                within.enumerate().map(|(a, &j)| self.value(a) * other.value(j as usize)).sum()
            }
            (None, Some(_)) => other.dot(self),
            (None, None) => (0..self.len().min(other.len())).map(|j| self.value(j) * other.value(j)).sum(),
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
