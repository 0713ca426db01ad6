//! Feature matrices of NumPy's and SciPy's arrays, which are read where they are.

use std::sync::Arc;

use maxmargin::data::{Alphabet, FeatureMatrix, IndexArray, Shared, ValueArray};
use numpy::{Element, PyArray, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::attributes;
use crate::errors::of_argument;
use crate::model::Model;

/// Rows of numbers, and what their columns are called where they have names.
#[pyclass(frozen, module = "maxmargin._engine")]
pub struct Matrix {
    pub features: Arc<FeatureMatrix>,
    pub names: Option<Alphabet>,
}

impl Matrix {
    fn numbered(features: FeatureMatrix) -> Self {
        Self { features: Arc::new(features), names: None }
    }
}

#[pymethods]
impl Matrix {
    /// A dense matrix: two dimensions, row after row, of float32, float64 or bytes. Not copied.
    #[staticmethod]
    #[pyo3(signature = (array, scale=1.0, argument="X"))]
    fn dense(array: &Bound<'_, PyAny>, scale: f64, argument: &str) -> PyResult<Self> {
        let (values, columns) = if let Ok(array) = array.cast::<PyArray2<f64>>() {
            (ValueArray::Double(shared(array, argument)?), array.shape()[1])
        } else if let Ok(array) = array.cast::<PyArray2<f32>>() {
            (ValueArray::Single(shared(array, argument)?), array.shape()[1])
        } else if let Ok(array) = array.cast::<PyArray2<u8>>() {
            (ValueArray::Bytes { bytes: shared(array, argument)?, scale }, array.shape()[1])
        } else {
            return Err(refused(
                argument,
                "an array of two dimensions of float64, float32 or uint8 is needed",
            ));
        };
        let matrix = FeatureMatrix::from_row_major(values, columns);
        Ok(Self::numbered(matrix.map_err(|error| of_argument(argument, error))?))
    }

    /// Compressed sparse rows, as SciPy has them: float32, float64 or bytes with columns of 32 or 64 bits. Values and columns of 32
    /// bits are not copied.
    #[staticmethod]
    #[pyo3(signature = (indptr, indices, data, columns, scale=1.0, argument="X"))]
    fn csr(
        indptr: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        columns: usize,
        scale: f64,
        argument: &str,
    ) -> PyResult<Self> {
        let values = if let Ok(data) = data.cast::<PyArray1<f64>>() {
            ValueArray::Double(shared(data, argument)?)
        } else if let Ok(data) = data.cast::<PyArray1<f32>>() {
            ValueArray::Single(shared(data, argument)?)
        } else if let Ok(data) = data.cast::<PyArray1<u8>>() {
            ValueArray::Bytes { bytes: shared(data, argument)?, scale }
        } else {
            return Err(refused(argument, "values of float64, float32 or uint8 are needed"));
        };
        let (offsets, indices) = (whole_numbers(indptr, argument)?, whole_numbers(indices, argument)?);
        let matrix = FeatureMatrix::from_csr(offsets, indices, values, columns);
        Ok(Self::numbered(matrix.map_err(|error| of_argument(argument, error))?))
    }

    /// Rows of attributes by name: dicts, or lists of strings. With a model those that it does not know are left out, or come behind its
    /// own where it is to grow.
    #[staticmethod]
    #[pyo3(signature = (rows, model=None, argument="X", grow=false))]
    fn attributes(
        rows: &Bound<'_, PyAny>,
        model: Option<&Model>,
        argument: &str,
        grow: bool,
    ) -> PyResult<Self> {
        attributes::matrix(rows, model, argument, grow)
    }

    /// So many rows without any number in them.
    #[staticmethod]
    fn without_features(rows: usize) -> PyResult<Self> {
        let matrix = FeatureMatrix::from_csr(vec![0u64; rows + 1], Vec::<u32>::new(), Vec::<f64>::new(), 0);
        Ok(Self::numbered(matrix.map_err(|error| of_argument("rows", error))?))
    }

    /// The same rows with other names for their columns.
    fn named(&self, names: Vec<String>) -> PyResult<Self> {
        let alphabet: Alphabet = names.iter().map(String::as_str).collect();
        if alphabet.len() != names.len() || names.len() != self.features.columns() {
            let problem =
                format!("{} different names for {} columns", alphabet.len(), self.features.columns());
            return Err(refused("X", &problem));
        }
        Ok(Self { features: Arc::clone(&self.features), names: Some(alphabet) })
    }

    /// The numbers of rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.features.rows(), self.features.columns())
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Option<Vec<String>> {
        self.names.as_ref().map(|names| names.iter().map(str::to_owned).collect())
    }

    /// The bytes that it holds, borrowed ones included.
    #[getter]
    fn bytes(&self) -> usize {
        self.features.bytes()
    }
}

fn refused(argument: &str, problem: &str) -> PyErr {
    PyValueError::new_err(format!("{argument}: {problem}"))
}

/// The numbers of an array, where they are. The array lives as long as somebody has them.
fn shared<T, D>(array: &Bound<'_, PyArray<T, D>>, argument: &str) -> PyResult<Shared<T>>
where
    T: Element + maxmargin::features::Number,
    D: numpy::ndarray::Dimension,
{
    if !array.is_c_contiguous() {
        return Err(refused(
            argument,
            "the array must lie row after row in memory (numpy.ascontiguousarray)",
        ));
    }
    let owner = Arc::new(array.clone().into_any().unbind());
    // SAFETY: the owner keeps the array, and with it the numbers. NumPy refuses to resize an array that others refer to.
    let numbers = unsafe { Shared::from_raw(owner, array.data(), array.len()) };
    numbers.map_err(|error| of_argument(argument, error))
}

/// An array of whole numbers, where it is.
fn whole_numbers(array: &Bound<'_, PyAny>, argument: &str) -> PyResult<IndexArray> {
    if let Ok(array) = array.cast::<PyArray1<i32>>() {
        Ok(IndexArray::I32(shared(array, argument)?))
    } else if let Ok(array) = array.cast::<PyArray1<i64>>() {
        Ok(IndexArray::I64(shared(array, argument)?))
    } else {
        Err(refused(argument, "indices of int32 or int64 are needed"))
    }
}
