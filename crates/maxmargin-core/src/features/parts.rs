//! Matrices of arrays that are there already: those of compressed sparse rows, or dense ones row by row.
//!
//! Values and 32-bit columns stay where they are, in memory that may belong to another language. Columns of 64 bits are copied
//! to 32, which halves what every product reads, and so are the starts of rows, which are few. All of it is checked once.
//! Whoever changes the numbers later gets results that mean nothing, or a panic, but no access outside of the arrays: every
//! product checks the columns that it reads, and the starts of rows are copies.

use std::fmt;

use super::array::{Array, Number, Shared};
use super::{FeatureMatrix, Values};
use crate::error::{Error, Result};

/// An array of whole numbers: columns, or where rows start.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum IndexArray {
    /// 32 bits, as SciPy has them unless there are too many.
    I32(Shared<i32>),
    /// 32 bits without a sign.
    U32(Shared<u32>),
    /// 64 bits.
    I64(Shared<i64>),
    /// 64 bits without a sign.
    U64(Shared<u64>),
}

/// An array of values.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ValueArray {
    /// Each worth `byte · scale`.
    Bytes {
        /// The bytes.
        bytes: Shared<u8>,
        /// What 1 is worth.
        scale: f64,
    },
    /// `f32` values.
    Single(Shared<f32>),
    /// `f64` values.
    Double(Shared<f64>),
}

/// The types of whole numbers that may be columns.
pub trait Index: Number {
    /// An array of these.
    fn array(numbers: Shared<Self>) -> IndexArray;
}

impl Index for i32 {
    fn array(numbers: Shared<Self>) -> IndexArray {
        IndexArray::I32(numbers)
    }
}

impl Index for u32 {
    fn array(numbers: Shared<Self>) -> IndexArray {
        IndexArray::U32(numbers)
    }
}

impl Index for i64 {
    fn array(numbers: Shared<Self>) -> IndexArray {
        IndexArray::I64(numbers)
    }
}

impl Index for u64 {
    fn array(numbers: Shared<Self>) -> IndexArray {
        IndexArray::U64(numbers)
    }
}

impl<T: Index> From<Shared<T>> for IndexArray {
    fn from(numbers: Shared<T>) -> Self {
        T::array(numbers)
    }
}

impl<T: Index> From<Vec<T>> for IndexArray {
    fn from(numbers: Vec<T>) -> Self {
        T::array(numbers.into())
    }
}

/// The types of numbers that may be values as they are.
pub trait Value: Number {
    /// An array of these.
    fn array(numbers: Shared<Self>) -> ValueArray;
}

impl Value for f32 {
    fn array(numbers: Shared<Self>) -> ValueArray {
        ValueArray::Single(numbers)
    }
}

impl Value for f64 {
    fn array(numbers: Shared<Self>) -> ValueArray {
        ValueArray::Double(numbers)
    }
}

impl Value for u8 {
    fn array(bytes: Shared<Self>) -> ValueArray {
        ValueArray::Bytes { bytes, scale: 1.0 }
    }
}

impl<T: Value> From<Shared<T>> for ValueArray {
    fn from(numbers: Shared<T>) -> Self {
        T::array(numbers)
    }
}

impl<T: Value> From<Vec<T>> for ValueArray {
    fn from(numbers: Vec<T>) -> Self {
        T::array(numbers.into())
    }
}

impl FeatureMatrix {
    /// A sparse matrix of compressed sparse rows (CSR): the columns and values of row i are those from `offsets[i]` to
    /// `offsets[i + 1]`, with the columns in ascending order. They may be `Vec`s, or [`Shared`] with somebody.
    ///
    /// Refused are offsets that do not start at 0, descend or lead out of the arrays, columns that are not below `columns`,
    /// that descend or that come twice in a row, and values that are not finite.
    ///
    /// ```
    /// use maxmargin_core::features::FeatureMatrix;
    /// let matrix = FeatureMatrix::from_csr(vec![0i64, 2, 2], vec![1i32, 3], vec![0.5f32, 2.0], 4)?;
    /// assert_eq!((matrix.rows(), matrix.row(0).to_pairs()), (2, vec![(1, 0.5), (3, 2.0)]));
    /// let error = FeatureMatrix::from_csr(vec![0, 2], vec![1, 1], vec![0.5, 2.0], 4).unwrap_err();
    /// assert!(error.to_string().contains("row 0"));
    /// # Ok::<(), maxmargin_core::Error>(())
    /// ```
    pub fn from_csr(
        offsets: impl Into<IndexArray>,
        indices: impl Into<IndexArray>,
        values: impl Into<ValueArray>,
        columns: usize,
    ) -> Result<Self> {
        check_columns(columns)?;
        // What is checked is the copy, which nobody changes.
        let starts = starts(offsets.into())?;
        let stored = starts[starts.len() - 1];
        let values = values.into();
        let indices = match indices.into() {
            IndexArray::I32(indices) => Array::Shared(indices.unsigned().truncated(stored)),
            IndexArray::U32(indices) => Array::Shared(indices.truncated(stored)),
            IndexArray::I64(indices) => Array::Own(narrow(&indices.truncated(stored), &starts, columns)?),
            IndexArray::U64(indices) => Array::Own(narrow(&indices.truncated(stored), &starts, columns)?),
        };
        let most = indices.len().min(values.len());
        if most < stored {
            let problem = format!("the last is {stored}, but there are only {most} columns or values");
            return Err(Error::parameter("offsets", problem));
        }
        let rows = starts.len() - 1;
        let values = values.checked(stored)?;
        let matrix = Self { columns, starts, indices, rows, sparse: true, values };
        (0..rows).try_for_each(|row| matrix.check_row(row))?;
        Ok(matrix)
    }

    /// A dense matrix of its values, row by row, in a `Vec` or [`Shared`] with somebody. Refused are values that are no whole
    /// rows, and those that are not finite.
    ///
    /// ```
    /// use maxmargin_core::features::{FeatureMatrix, ValueArray};
    /// let matrix = FeatureMatrix::from_row_major(vec![0.5f64, 1.0, 2.0, 3.0], 2)?;
    /// assert_eq!(matrix.row(1).to_pairs(), [(0, 2.0), (1, 3.0)]);
    /// let pixels = ValueArray::Bytes { bytes: vec![0, 255].into(), scale: 1.0 / 255.0 };
    /// assert_eq!(FeatureMatrix::from_row_major(pixels, 2)?.row(0).to_pairs(), [(0, 0.0), (1, 1.0)]);
    /// # Ok::<(), maxmargin_core::Error>(())
    /// ```
    pub fn from_row_major(values: impl Into<ValueArray>, columns: usize) -> Result<Self> {
        check_columns(columns)?;
        let values = values.into();
        let rows = whole_rows(values.len(), columns)?;
        let values = values.checked(rows * columns)?;
        let matrix = Self { columns, rows, sparse: false, values, ..Self::default() };
        (0..rows).try_for_each(|row| matrix.check_row(row))?;
        Ok(matrix)
    }

    /// Checks that a row is what kernels expect, and its values finite.
    fn check_row(&self, row: usize) -> Result<()> {
        let stored = self.row(row);
        if let Some(indices) = stored.indices {
            if let Some(&column) = indices.iter().find(|&&column| column as usize >= self.columns) {
                // A negative number of 32 bits has become a large one.
                let shown = match column as i32 {
                    negative @ ..0 => format!("{negative} (or {column})"),
                    _ => column.to_string(),
                };
                return Err(no_column(&shown, row, self.columns));
            }
            if let Some(pair) = indices.windows(2).find(|pair| pair[0] >= pair[1]) {
                let problem = format!(
                    "the column {} comes after {} in row {row}; sort the columns of each row, and add up those that come twice",
                    pair[1], pair[0]
                );
                return Err(Error::parameter("indices", problem));
            }
        }
        let mut broken = None;
        stored.for_each(|column, value| {
            if !value.is_finite() {
                broken.get_or_insert((column, value));
            }
        });
        match broken {
            Some((column, value)) => {
                let problem = format!("{value} in row {row}, column {column}, is not finite");
                Err(Error::parameter("values", problem))
            }
            None => Ok(()),
        }
    }
}

impl ValueArray {
    /// How many values there are.
    pub fn len(&self) -> usize {
        match self {
            ValueArray::Bytes { bytes, .. } => bytes.len(),
            ValueArray::Single(values) => values.len(),
            ValueArray::Double(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first so many values.
    fn checked(self, stored: usize) -> Result<Values> {
        Ok(match self {
            ValueArray::Bytes { bytes, scale } => {
                check_scale(scale)?;
                Values::Bytes { bytes: Array::Shared(bytes.truncated(stored)), scale }
            }
            ValueArray::Single(values) => Values::Single(Array::Shared(values.truncated(stored))),
            ValueArray::Double(values) => Values::Double(Array::Shared(values.truncated(stored))),
        })
    }
}

pub(super) fn check_scale(scale: f64) -> Result<()> {
    match scale.is_finite() {
        true => Ok(()),
        false => Err(Error::parameter("scale", format!("{scale} is not finite"))),
    }
}

/// How many rows so many values are.
pub(super) fn whole_rows(values: usize, columns: usize) -> Result<usize> {
    match values.checked_div(columns) {
        None if values == 0 => Ok(0),
        Some(rows) if rows * columns == values => check_rows(rows),
        _ => {
            let problem = format!("{values} values are no whole rows of {columns}");
            Err(Error::parameter("values", problem))
        }
    }
}

fn check_rows(rows: usize) -> Result<usize> {
    match u32::try_from(rows) {
        Ok(_) => Ok(rows),
        Err(_) => Err(Error::parameter("rows", format!("{rows} are more than {}", u32::MAX))),
    }
}

fn check_columns(columns: usize) -> Result<()> {
    match u32::try_from(columns) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::parameter("columns", format!("{columns} are more than {}", u32::MAX))),
    }
}

/// A copy of the columns, in 32 bits.
fn narrow<T>(indices: &[T], starts: &[usize], columns: usize) -> Result<Vec<u32>>
where
    T: Copy + fmt::Display + TryInto<u32>,
{
    let narrowed = indices.iter().enumerate().map(|(k, &index)| {
        index.try_into().map_err(|_| {
            let row = starts.partition_point(|&start| start <= k) - 1;
            no_column(&index.to_string(), row, columns)
        })
    });
    narrowed.collect()
}

#[cold]
fn no_column(index: &str, row: usize, columns: usize) -> Error {
    let problem = format!("the column {index} in row {row} is not one of {columns}, counted from 0");
    Error::parameter("indices", problem)
}

/// A copy of the offsets, which ascend from 0.
fn starts(offsets: IndexArray) -> Result<Vec<usize>> {
    fn copy<T: Copy, E>(
        offsets: &[T],
        fit: impl Fn(T) -> std::result::Result<usize, E>,
    ) -> std::result::Result<Vec<usize>, E> {
        offsets.iter().map(|&offset| fit(offset)).collect()
    }
    let refuse = |problem: String| Err(Error::parameter("offsets", problem));
    let starts = match offsets {
        IndexArray::I32(offsets) => copy(&offsets, usize::try_from),
        IndexArray::U32(offsets) => copy(&offsets, usize::try_from),
        IndexArray::I64(offsets) => copy(&offsets, usize::try_from),
        IndexArray::U64(offsets) => copy(&offsets, usize::try_from),
    };
    let Ok(starts) = starts else {
        return refuse("there are negative ones".to_owned());
    };
    match starts.first() {
        Some(0) => {}
        Some(first) => return refuse(format!("they start at {first}, not at 0")),
        None => return refuse("there are none; even without rows there is a 0".to_owned()),
    }
    if let Some(row) = starts.windows(2).position(|pair| pair[0] > pair[1]) {
        return refuse(format!("row {row} ends at {}, before it starts at {}", starts[row + 1], starts[row]));
    }
    check_rows(starts.len() - 1)?;
    Ok(starts)
}
