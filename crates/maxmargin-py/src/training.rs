//! Training, watched from Python.

use maxmargin::Trainer;
use maxmargin::solver::{Halt, Report, Stop};
use maxmargin::tasks::{TaskObject, registry};
use maxmargin::training::{ChoiceEvent, Event, Settings, Trained, TriedLambda};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::data::Data;
use crate::errors::raised;
use crate::model::Model;
use crate::settings::Keywords;
use crate::surrogate::CustomSurrogate;
use crate::watching::{Teller, watched};

/// What Python hears of a run.
enum Told {
    Pass(Report, bool),
    Tried(TriedLambda, &'static str),
}

/// A task with options, each a list of values.
pub fn task_of(name: &str, options: &Bound<'_, PyDict>) -> PyResult<Box<dyn TaskObject>> {
    let mut task = registry::find(name).map_err(raised)?;
    for (option, values) in options {
        task.set(&option.extract::<String>()?, &values.extract::<Vec<String>>()?).map_err(raised)?;
    }
    Ok(task)
}

/// Trains a model: of a task by name, with its options (each a list of values, empty for a switch) and settings, on examples. `start`
/// is a model to start from, `seen` the number of examples that were learnt from before (0 at first), where these are batches of many, `surrogate` one of Python. `hear` is called with a dict after each pass, and after each λ that
/// was tried; true ends training. Returns the model and a dict with what is to be known of the run.
#[pyfunction]
#[pyo3(signature = (task, options, settings, data, start=None, threads=None, hear=None, surrogate=None, seen=None))]
pub fn train<'py>(
    py: Python<'py>,
    task: &str,
    options: &Bound<'py, PyDict>,
    settings: &Bound<'py, PyDict>,
    data: &Data,
    start: Option<&Model>,
    threads: Option<usize>,
    hear: Option<Py<PyAny>>,
    surrogate: Option<&CustomSurrogate>,
    seen: Option<usize>,
) -> PyResult<(Model, Bound<'py, PyDict>)> {
    let task = task_of(task, options)?;
    let settings = Keywords(settings).settings(surrogate.map(|custom| custom.surrogate))?;
    let (examples, start) = (data.examples(), start.map(|model| (*model.inner).clone()));
    let history = PyList::empty(py).unbind();
    let work = |teller: &Teller<Told>| run(task, settings, examples, (start, seen), teller);
    let (trained, interrupted) = watched(py, threads, work, |py, told| {
        let record = record(py, &told)?;
        if matches!(told, Told::Pass(..)) {
            history.bind(py).append(&record)?;
        }
        ask(py, hear.as_ref(), &record)
    })?;
    surrogate.map_or(Ok(()), CustomSurrogate::raise)?;
    let (trained, choice) = trained.map_err(raised)?;
    let about = about_run(py, &trained.report, (trained.solver, trained.stop), interrupted, history)?;
    about.set_item(
        "tried",
        choice.map(|tried| tried.iter().map(|tried| (tried.lambda, tried.value)).collect::<Vec<_>>()),
    )?;
    Ok((Model::from(trained.model), about))
}

/// The values of λ that were tried, where it was chosen.
type Choice = Option<Vec<TriedLambda>>;

fn run(
    task: Box<dyn TaskObject>,
    settings: Settings,
    examples: maxmargin::Examples,
    (start, seen): (Option<maxmargin::Model>, Option<usize>),
    teller: &Teller<Told>,
) -> maxmargin::Result<(Trained, Choice)> {
    let halt = Halt::when(teller.flag());
    let (examples, _) = examples.selected(task.as_ref(), None)?;
    let trainer = Trainer::of(task, settings);
    let trainer = start.into_iter().fold(trainer, Trainer::warm_start);
    let trainer = seen.into_iter().fold(trainer, Trainer::seen);
    let problem = trainer.problem(&examples)?;
    let training = trainer.prepare_watched(problem, &halt, |event| {
        if let ChoiceEvent::Tried(tried, figure) = event
            && teller.tell(Told::Tried(*tried, figure)).is_break()
        {
            teller.ask();
        }
    })?;
    let choice = training.lambda_choice().map(|choice| choice.tried.clone());
    let trained = training.run(&halt, |event| match event {
        Event::Pass(report, is_last) => teller.tell(Told::Pass(*report, is_last)),
        _ => std::ops::ControlFlow::Continue(()),
    })?;
    Ok((trained, choice))
}

fn record<'py>(py: Python<'py>, told: &Told) -> PyResult<Bound<'py, PyDict>> {
    let record = PyDict::new(py);
    match told {
        Told::Pass(report, is_last) => fill(&record, report, *is_last)?,
        Told::Tried(tried, figure) => {
            record.set_item("event", "lambda")?;
            record.set_item("lam", tried.lambda)?;
            record.set_item("figure", *figure)?;
            record.set_item("value", tried.value)?;
            record.set_item("passes", tried.passes)?;
            record.set_item("seconds", tried.seconds)?;
        }
    }
    Ok(record)
}

/// Whether whoever hears of a pass asks for the end.
pub fn ask(py: Python<'_>, hear: Option<&Py<PyAny>>, record: &Bound<'_, PyDict>) -> PyResult<bool> {
    hear.map_or(Ok(false), |hear| hear.call1(py, (record,))?.is_truthy(py))
}

/// What is to be known of a run.
pub fn about_run<'py>(
    py: Python<'py>,
    report: &Report,
    (solver, stop): (&str, Stop),
    interrupted: bool,
    history: Py<PyList>,
) -> PyResult<Bound<'py, PyDict>> {
    let about = PyDict::new(py);
    fill(&about, report, true)?;
    about.set_item("oracle_gap", report.certificate.oracle_gap)?;
    about.set_item("solver", solver)?;
    about.set_item("stop", stop.name())?;
    about.set_item("interrupted", interrupted)?;
    about.set_item("history", history)?;
    Ok(about)
}

/// What is to be known of a pass.
pub fn fill(record: &Bound<'_, PyDict>, report: &Report, is_last: bool) -> PyResult<()> {
    record.set_item("event", "pass")?;
    record.set_item("passes", report.passes)?;
    record.set_item("primal", report.certificate.primal)?;
    record.set_item("lower_bound", report.certificate.lower_bound)?;
    record.set_item("gap", report.certificate.gap().0)?;
    record.set_item("seconds", report.seconds)?;
    record.set_item("oracle_calls", report.oracle_calls)?;
    record.set_item("is_last", is_last)
}
