//! Settings of training, from the keywords that Python gives.

use std::time::Duration;

use maxmargin::Error;
use maxmargin::data::Impute;
use maxmargin::search::Strategy;
use maxmargin::solver::SolverKind;
use maxmargin::surrogate::Surrogate;
use maxmargin::training::{Background, Columns, Regularizer, Settings};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::raised;

/// What settings are when nobody says anything, by their names in Python.
#[pyfunction]
pub fn default_settings(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let settings = Settings::default();
    let defaults = PyDict::new(py);
    for name in [
        "lam",
        "C",
        "C_mean",
        "folds",
        "loss_step",
        "max_passes",
        "time_limit",
        "background",
        "tune_threshold",
    ] {
        defaults.set_item(name, py.None())?;
    }
    defaults.set_item("surrogate", settings.surrogate.to_string())?;
    defaults.set_item("search", settings.search.map_or("auto", Strategy::name))?;
    defaults.set_item("solver", settings.solver.to_string())?;
    defaults.set_item("groups", settings.groups)?;
    defaults.set_item("gap", settings.gap)?;
    defaults.set_item("single_precision", settings.single_precision)?;
    let Columns { impute: _, standardize, center, log_counts, tf_idf, normalize } = settings.columns;
    defaults.set_item("standardize", standardize)?;
    defaults.set_item("center", center)?;
    defaults.set_item("log_counts", log_counts)?;
    defaults.set_item("tf_idf", tf_idf)?;
    defaults.set_item("normalize", normalize)?;
    Ok(defaults)
}

/// The keywords of a call, each taken once.
pub struct Keywords<'a, 'py>(pub &'a Bound<'py, PyDict>);

impl<'py> Keywords<'_, 'py> {
    /// What was given under a name; nothing and `None` are the same.
    pub fn take<T>(&self, name: &str) -> PyResult<Option<T>>
    where
        T: for<'a> FromPyObject<'a, 'py>,
    {
        let Some(value) = self.0.get_item(name)?.filter(|value| !value.is_none()) else { return Ok(None) };
        let shown = value.repr().map(|repr| repr.to_string()).unwrap_or_default();
        let expected = std::any::type_name::<T>();
        let expected = match expected {
            "f64" => "a number",
            "bool" => "True or False",
            "usize" | "u64" => "a whole number that is not negative",
            _ => "a string",
        };
        value
            .extract()
            .map(Some)
            .map_err(|_| PyTypeError::new_err(format!("{name}: {shown} is not {expected}")))
    }

    fn switch(&self, name: &str) -> PyResult<bool> {
        Ok(self.take(name)?.unwrap_or(false))
    }

    /// A number above 0.
    fn positive(&self, name: &str) -> PyResult<Option<f64>> {
        let number: Option<f64> = self.take(name)?;
        match number {
            Some(number) if !(number > 0.0 && number.is_finite()) => {
                Err(PyValueError::new_err(format!("{name}: {number} is not a finite number above 0")))
            }
            number => Ok(number),
        }
    }

    /// A name of something that parses.
    fn parsed<T: std::str::FromStr>(&self, name: &str) -> PyResult<Option<T>>
    where
        Error: From<T::Err>,
    {
        let text: Option<String> = self.take(name)?;
        text.map(|text| text.parse().map_err(|error| raised(Error::from(error)))).transpose()
    }

    /// All of them as settings.
    pub fn settings(&self, surrogate: Option<Surrogate>) -> PyResult<Settings> {
        let defaults = Settings::default();
        let search = match self.take::<String>("search")?.as_deref() {
            None | Some("auto") => None,
            Some(_) => self.parsed::<Strategy>("search")?,
        };
        let surrogate = match surrogate {
            Some(surrogate) => surrogate,
            None => self.parsed("surrogate")?.unwrap_or(defaults.surrogate),
        };
        let seconds = self.positive("time_limit")?;
        let max_passes: Option<usize> = self.take("max_passes")?;
        if max_passes == Some(0) {
            return Err(PyValueError::new_err("max_passes: 0 is not allowed; at least one pass is made"));
        }
        Ok(Settings {
            regularizer: self.regularizer()?,
            surrogate,
            search,
            loss_step: self.positive("loss_step")?,
            background: match self.take::<String>("background")? {
                None => Background::Usual,
                Some(name) if name == "none" => Background::None,
                Some(name) => Background::Named(name),
            },
            columns: Columns {
                impute: Impute::None,
                standardize: self.switch("standardize")?,
                center: self.switch("center")?,
                log_counts: self.switch("log_counts")?,
                tf_idf: self.switch("tf_idf")?,
                normalize: self.switch("normalize")?,
            },
            solver: self.parsed::<SolverKind>("solver")?.unwrap_or(defaults.solver),
            groups: self.take("groups")?.unwrap_or(defaults.groups),
            seed: self.take("seed")?.unwrap_or(defaults.seed),
            gap: self.positive("gap")?.unwrap_or(defaults.gap),
            max_passes,
            time_limit: seconds.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)),
            single_precision: self.switch("single_precision")?,
            candidates: None,
            tune_threshold: self.parsed("tune_threshold")?,
        })
    }

    fn regularizer(&self) -> PyResult<Regularizer> {
        let given = (self.positive("lam")?, self.positive("C")?, self.positive("C_mean")?);
        let folds: Option<usize> = self.take("folds")?;
        match given {
            (None, None, None) => Ok(Regularizer::Chosen { folds }),
            (Some(_), None, None) | (None, Some(_), None) | (None, None, Some(_)) if folds.is_some() => {
                Err(PyValueError::new_err("folds: they are for choosing λ, but it is given; leave one out"))
            }
            (Some(lambda), None, None) => Ok(Regularizer::Lambda(lambda)),
            (None, Some(c), None) => Ok(Regularizer::CSum(c)),
            (None, None, Some(c)) => Ok(Regularizer::CMean(c)),
            _ => Err(PyValueError::new_err("lam, C and C_mean say the same; give one of them, or none")),
        }
    }
}
