//! Training of structures that are written in Python, and the referee for them.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use maxmargin::Error;
use maxmargin::risk::{Risk, StructuredRisk};
use maxmargin::search::{MarginSearch, Strategy, SurrogateSearch};
use maxmargin::solver::{Halt, Limits, Outcome, Report, RunState, SolverSettings, resume_until};
use maxmargin::structure::{Example, Structure};
use maxmargin::surrogate::Surrogate;
use maxmargin::testing;
use maxmargin::training::{Regularizer, Settings};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors::raised;
use crate::settings::Keywords;
use crate::structure::{LabelNumber, PyInput, PyStructure};
use crate::surrogate::CustomSurrogate;
use crate::training::{about_run, ask, fill};
use crate::watching::{Teller, watched};

/// Examples of lists of inputs and labels.
fn examples(
    structure: &PyStructure,
    inputs: &Bound<'_, PyAny>,
    labels: &Bound<'_, PyAny>,
    weights: Option<&PyReadonlyArray1<'_, f64>>,
) -> PyResult<Vec<Example<PyStructure>>> {
    let labels: Vec<Bound<'_, PyAny>> = labels.try_iter()?.collect::<PyResult<_>>()?;
    let mut examples = Vec::with_capacity(labels.len());
    for (i, x) in inputs.try_iter()?.enumerate() {
        let Some(label) = labels.get(i) else {
            return Err(PyValueError::new_err(format!("y: {} labels, but X has more inputs", labels.len())));
        };
        let input = PyInput { number: i as u32, x: x?.unbind() };
        let weight = weights.map_or(1.0, |weights| weights.as_array()[i]);
        examples.push(Example { input, truth: structure.number(label)?, weight });
    }
    match examples.len() == labels.len() {
        true => Ok(examples),
        false => {
            Err(PyValueError::new_err(format!("y: {} labels for {} inputs", labels.len(), examples.len())))
        }
    }
}

/// Trains weights for a structure of Python. `settings` and `hear` are as for `train`; λ must be given. Returns the weights, and a
/// dict with what is to be known of the run.
#[pyfunction]
#[pyo3(signature = (structure, key_of, dim, inputs, labels, settings, weights=None, surrogate=None, start=None, threads=1, hear=None))]
pub fn train_structure<'py>(
    py: Python<'py>,
    structure: &Bound<'py, PyAny>,
    key_of: Bound<'py, PyAny>,
    dim: usize,
    inputs: &Bound<'py, PyAny>,
    labels: &Bound<'py, PyAny>,
    settings: &Bound<'py, PyDict>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    surrogate: Option<&CustomSurrogate>,
    start: Option<PyReadonlyArray1<'py, f64>>,
    threads: usize,
    hear: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyDict>)> {
    let settings = Keywords(settings).settings(surrogate.map(|custom| custom.surrogate))?;
    if let Regularizer::Chosen { .. } = settings.regularizer {
        let problem =
            "lam: give lam, C or C_mean; for a structure of your own it is not chosen (GridSearchCV does)";
        return Err(PyValueError::new_err(problem));
    }
    let structure = PyStructure::new(structure, key_of, dim)?;
    let examples = examples(&structure, inputs, labels, weights.as_ref())?;
    if examples.is_empty() {
        return Err(PyValueError::new_err("X: there are no examples"));
    }
    let start = start.map(|start| start.as_array().to_vec());
    let history = PyList::empty(py).unbind();
    let trained = structure.clone();
    let work = |teller: &Teller<(Report, bool)>| run(trained, examples, &settings, start, teller);
    let (outcome, interrupted) = watched(py, Some(threads), work, |py, (report, is_last)| {
        if let Some(error) = structure.take_error() {
            return Err(error);
        }
        let record = PyDict::new(py);
        fill(&record, &report, is_last)?;
        history.bind(py).append(&record)?;
        ask(py, hear.as_ref(), &record)
    })?;
    if let Some(error) = structure.take_error() {
        return Err(error);
    }
    surrogate.map_or(Ok(()), CustomSurrogate::raise)?;
    let (outcome, solver, lambda) = outcome.map_err(raised)?;
    let Outcome { weights, report, stop } = outcome;
    let about = about_run(py, &report, (solver, stop), interrupted, history)?;
    about.set_item("lam", lambda)?;
    let calls: Vec<u64> = structure.calls.iter().map(|calls| calls.load(Ordering::Relaxed)).collect();
    about.set_item("calls", calls)?;
    Ok((PyArray1::from_vec(py, weights), about))
}

fn run(
    structure: PyStructure,
    examples: Vec<Example<PyStructure>>,
    settings: &Settings,
    start: Option<Vec<f64>>,
    teller: &Teller<(Report, bool)>,
) -> maxmargin::Result<(Outcome, &'static str, f64)> {
    let count = examples.len();
    let Some(lambda) = settings.regularizer.lambda(count) else {
        return Err(Error::parameter("lam", "it must be given"));
    };
    let risk: Box<dyn Risk> = match (settings.surrogate, settings.search) {
        (Surrogate::MARGIN, None) => Box::new(StructuredRisk::new(structure, MarginSearch, examples)?),
        (surrogate, search) => {
            let search = match search {
                Some(search) => search,
                None if structure.offers().stratified.is_some() => Strategy::Stratified,
                None => Strategy::Hull,
            };
            let risk = StructuredRisk::new(structure, SurrogateSearch::new(surrogate, search)?, examples)?;
            Box::new(if surrogate.is_convex() { risk } else { risk.not_convex() })
        }
    };
    settings.solver.check(risk.as_ref())?;
    let choice = settings.solver.resolve(risk.as_ref(), lambda);
    let solver_settings = SolverSettings { start, ..settings.solver_settings(lambda)? };
    let mut solver = choice.build(risk.as_ref(), &solver_settings)?;
    let mut state = RunState::new(risk.as_ref());
    let limits: Limits = settings.limits_for(risk.as_ref());
    let halt = Halt::when(teller.flag());
    let stop = resume_until(solver.as_mut(), risk.as_ref(), limits, &halt, &mut state, |state, _| {
        let asked = if teller.is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let is_last = state.stop(&limits, asked).is_some();
        let told = teller.tell((*state.report(), is_last));
        if asked.is_break() { asked } else { told }
    })?;
    let name = solver.name();
    drop(solver);
    Ok((state.into_outcome(stop), name, lambda))
}

/// Compares all that a structure of Python says with a list of all labels of small inputs. `enumerate` lists these for an input.
#[pyfunction]
pub fn check_structure(
    py: Python<'_>,
    structure: &Bound<'_, PyAny>,
    key_of: Bound<'_, PyAny>,
    dim: usize,
    inputs: &Bound<'_, PyAny>,
    labels: &Bound<'_, PyAny>,
    enumerate: Py<PyAny>,
) -> PyResult<()> {
    let structure = PyStructure::new(structure, key_of, dim)?;
    let examples = examples(&structure, inputs, labels, None)?;
    let listing = std::cell::RefCell::new(None);
    let checked = testing::check_structure(&structure, &examples, |x| {
        let listed = || -> PyResult<Vec<LabelNumber>> {
            enumerate.bind(py).call1((&x.x,))?.try_iter()?.map(|label| structure.number(&label?)).collect()
        };
        listed().unwrap_or_else(|error| {
            *listing.borrow_mut() = Some(error);
            Vec::new()
        })
    });
    if let Some(error) = structure.take_error().or(listing.into_inner()) {
        return Err(error);
    }
    checked.map_err(|error| {
        let message = Error::from(error).to_string();
        PyValueError::new_err(structure.explained(py, &message))
    })
}
