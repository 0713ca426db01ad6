//! Surrogates that are written in Python: two functions, and what they are said to be.

use std::sync::{Mutex, PoisonError};

use maxmargin::surrogate::{Surrogate, SurrogateFunction};
use maxmargin::testing;
use pyo3::prelude::*;

use crate::errors::raised;

/// ψ(h, g) of Python. It is never freed: surrogates are values that anybody may keep.
struct PyFunction {
    name: String,
    value: Py<PyAny>,
    gradient: Py<PyAny>,
    steepest: Option<Py<PyAny>>,
    is_convex: bool,
    is_linear: bool,
    rises_and_falls: bool,
    error: Mutex<Option<PyErr>>,
}

impl std::fmt::Debug for PyFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

impl PyFunction {
    /// What Python says; the first exception is kept.
    fn ask<T>(&self, otherwise: T, ask: impl FnOnce(Python<'_>) -> PyResult<T>) -> T {
        Python::attach(|py| match ask(py) {
            Ok(answer) => answer,
            Err(error) => {
                self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                otherwise
            }
        })
    }
}

impl SurrogateFunction for PyFunction {
    fn name(&self) -> &str {
        &self.name
    }

    fn value(&self, h: f64, g: f64) -> f64 {
        self.ask(0.0, |py| self.value.bind(py).call1((h, g))?.extract())
    }

    fn gradient(&self, h: f64, g: f64) -> (f64, f64) {
        self.ask((0.0, 0.0), |py| self.gradient.bind(py).call1((h, g))?.extract())
    }

    /// Where nobody says it: the slope at the largest margin error, since slopes of a convex ψ rise, for the losses of a grid.
    fn steepest(&self, (low, high): (f64, f64), unit: Option<f64>, largest_h: f64) -> f64 {
        if let Some(steepest) = &self.steepest {
            return self.ask(f64::INFINITY, |py| steepest.bind(py).call1((low, high, largest_h))?.extract());
        }
        let slope = |g: f64| match self.gradient(largest_h, g).0 {
            slope if slope.is_nan() => f64::INFINITY,
            slope => slope,
        };
        let grid = (0..=16).map(|k| low + (high - low) * f64::from(k) / 16.0);
        grid.chain(unit).map(slope).fold(0.0, f64::max)
    }

    fn is_convex(&self) -> bool {
        self.is_convex
    }

    fn is_linear(&self) -> bool {
        self.is_linear
    }

    fn rises_and_falls(&self) -> bool {
        self.rises_and_falls
    }
}

/// A surrogate of Python.
#[pyclass(frozen, module = "maxmargin._engine")]
pub struct CustomSurrogate {
    function: &'static PyFunction,
    pub surrogate: Surrogate,
}

#[pymethods]
impl CustomSurrogate {
    #[new]
    #[pyo3(signature = (name, value, gradient, steepest=None, is_convex=true, is_linear=false, rises_and_falls=true))]
    fn new(
        name: String,
        value: Py<PyAny>,
        gradient: Py<PyAny>,
        steepest: Option<Py<PyAny>>,
        is_convex: bool,
        is_linear: bool,
        rises_and_falls: bool,
    ) -> PyResult<Self> {
        let error = Mutex::default();
        let function =
            PyFunction { name, value, gradient, steepest, is_convex, is_linear, rises_and_falls, error };
        let function: &'static PyFunction = Box::leak(Box::new(function));
        let surrogate = Surrogate::custom(function).map_err(|error| raised(error.into()));
        let made = surrogate.map(|surrogate| Self { function, surrogate });
        // What Python raised says more than that a number is wrong.
        made.map_err(|error| self_error(function).unwrap_or(error))
    }

    /// Looks for a counter-example to what was said of it.
    fn check(&self, py: Python<'_>, largest_loss: f64, largest_h: f64) -> PyResult<()> {
        let checked = py.detach(|| testing::check_surrogate(self.surrogate, largest_loss, largest_h));
        self.raise()?;
        checked.map_err(|error| raised(error.into()))
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.function.name
    }
}

impl CustomSurrogate {
    /// Raises what one of its functions has raised.
    pub fn raise(&self) -> PyResult<()> {
        self_error(self.function).map_or(Ok(()), Err)
    }
}

fn self_error(function: &PyFunction) -> Option<PyErr> {
    function.error.lock().unwrap_or_else(PoisonError::into_inner).take()
}
