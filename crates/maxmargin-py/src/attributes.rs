//! Rows of attributes by name, as people who come from CRFsuite have them.
//!
//! A row is a list of strings, each worth 1, or a dict: a number is what its key is worth, a string `v` of the key `k` is the attribute
//! `k:v`, true is 1 and false is nothing, and of a list of strings each is an attribute `k:v`.

use std::sync::Arc;

use maxmargin::data::{Alphabet, Attributes, MatrixBuilder};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

use crate::matrix::Matrix;
use crate::model::Model;

/// What the columns are: those that rows bring, behind those of a model where it grows, or those of a model alone.
enum Columns<'a> {
    Growing(Alphabet),
    Fixed(&'a Alphabet),
}

struct Builder<'a> {
    columns: Columns<'a>,
    rows: MatrixBuilder,
    /// For names that are put together.
    joined: String,
    argument: &'a str,
}

/// The matrix of some rows.
pub fn matrix(
    rows: &Bound<'_, PyAny>,
    model: Option<&Model>,
    argument: &str,
    grow: bool,
) -> PyResult<Matrix> {
    let columns = match model.map(|model| &model.inner.names().attributes) {
        None => Columns::Growing(Alphabet::default()),
        Some(Attributes::Named(names)) if grow => Columns::Growing(names.clone()),
        Some(Attributes::Named(names)) => Columns::Fixed(names),
        Some(Attributes::Numbered(_)) => {
            let problem = "the model was trained on numbered columns, not on names; give it an array";
            return Err(PyValueError::new_err(format!("{argument}: {problem}")));
        }
    };
    let (rows_so_far, joined) = (MatrixBuilder::sparse(), String::new());
    let mut builder = Builder { columns, rows: rows_so_far, joined, argument };
    for row in rows.try_iter()? {
        builder.row(&row?)?;
    }
    let names = match builder.columns {
        Columns::Growing(names) => names,
        Columns::Fixed(names) => names.clone(),
    };
    Ok(Matrix { features: Arc::new(builder.rows.finish(names.len())), names: Some(names) })
}

impl Builder<'_> {
    fn row(&mut self, row: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(values) = row.cast::<PyDict>() {
            for (name, value) in values {
                let Ok(name) = name.cast::<PyString>() else {
                    return Err(self.refuse(&format!("the attribute {name} is called by no string")));
                };
                self.value(name.to_cow()?.as_ref(), &value)?;
            }
        } else if row.is_instance_of::<PyString>() {
            return Err(self.refuse("a row is a list of strings or a dict, not one string"));
        } else {
            let Ok(names) = row.try_iter() else {
                let kind = row.get_type();
                return Err(self.refuse(&format!("a row is a list of strings or a dict, not {kind}")));
            };
            for name in names {
                let name = name?;
                let Ok(name) = name.cast::<PyString>() else {
                    return Err(self.refuse(&format!("a row has {name}, where strings should be")));
                };
                self.push(name.to_cow()?.as_ref(), 1.0);
            }
        }
        self.rows.end_row();
        Ok(())
    }

    /// What a dict has under a name.
    fn value(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(text) = value.cast::<PyString>() {
            self.push_joined(name, text)?;
        } else if let Ok(switch) = value.cast::<PyBool>() {
            if switch.is_true() {
                self.push(name, 1.0);
            }
        } else if let Ok(number) = value.extract::<f64>() {
            if !number.is_finite() {
                return Err(self.refuse(&format!("the attribute {name} is {number}; values are finite")));
            }
            if number != 0.0 {
                self.push(name, number);
            }
        } else if let Ok(values) = value.try_iter() {
            for value in values {
                let value = value?;
                let Ok(text) = value.cast::<PyString>() else {
                    return Err(
                        self.refuse(&format!("the attribute {name} has {value}, where strings should be"))
                    );
                };
                self.push_joined(name, text)?;
            }
        } else {
            let kind = value.get_type();
            return Err(self.refuse(&format!("the attribute {name} is {kind}; it is a number or a string")));
        }
        Ok(())
    }

    fn push_joined(&mut self, name: &str, value: &Bound<'_, PyString>) -> PyResult<()> {
        let mut joined = std::mem::take(&mut self.joined);
        joined.clear();
        joined.push_str(name);
        joined.push(':');
        joined.push_str(value.to_cow()?.as_ref());
        self.push(&joined, 1.0);
        self.joined = joined;
        Ok(())
    }

    fn push(&mut self, name: &str, value: f64) {
        let column = match &mut self.columns {
            Columns::Growing(names) => Some(names.add(name)),
            Columns::Fixed(names) => names.get(name),
        };
        if let Some(column) = column {
            self.rows.push(column, value);
        }
    }

    fn refuse(&self, problem: &str) -> PyErr {
        PyValueError::new_err(format!("{} (row {}): {problem}", self.argument, self.rows.rows()))
    }
}
