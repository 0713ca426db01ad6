//! Models as Python holds them.

use std::sync::Arc;

use maxmargin::data::{Attributes, DataObject};
use maxmargin::tasks::{Multiclass, Prediction, RowExamples};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use serde_json::Value;

use crate::data::Data;
use crate::errors::raised;
use crate::watching::watched;

/// A trained model.
#[pyclass(frozen, module = "maxmargin._engine")]
pub struct Model {
    pub inner: Arc<maxmargin::Model>,
}

impl From<maxmargin::Model> for Model {
    fn from(model: maxmargin::Model) -> Self {
        Self { inner: Arc::new(model) }
    }
}

#[pymethods]
impl Model {
    /// Loads a model file, of any task.
    #[staticmethod]
    fn load(py: Python<'_>, path: std::path::PathBuf) -> PyResult<Self> {
        py.detach(|| maxmargin::Model::load(path)).map(Self::from).map_err(raised)
    }

    /// Saves a model file. It is whole or not there.
    fn save(&self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
        py.detach(|| self.inner.save(path)).map_err(raised)
    }

    /// The content of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.inner.to_bytes()).map_err(raised)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// A model from the content of its file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let bytes = bytes.to_vec();
        py.detach(|| maxmargin::Model::from_bytes(bytes)).map(Self::from).map_err(raised)
    }

    /// For pickling.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }

    /// What it is, and how it was trained.
    #[getter]
    fn about<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (model, description) = (&self.inner, self.inner.description());
        let about = PyDict::new(py);
        about.set_item("task", model.task().name())?;
        about.set_item("describe", model.task().describe())?;
        about.set_item("loss", model.task().loss_name())?;
        about.set_item("lam", description.lambda)?;
        about.set_item("surrogate", &description.surrogate)?;
        about.set_item("search", &description.search)?;
        about.set_item("solver", &description.solver)?;
        about.set_item("seed", description.seed)?;
        about.set_item("passes", description.passes)?;
        about.set_item("examples", description.examples)?;
        about.set_item("format", &description.format)?;
        about.set_item("primal", description.certificate.primal)?;
        about.set_item("lower_bound", description.certificate.lower_bound)?;
        about.set_item("oracle_gap", description.certificate.oracle_gap)?;
        about.set_item("gap", description.certificate.gap().0)?;
        about.set_item("features", model.task().features())?;
        about.set_item("options", json(py, &Value::Object(model.task().save().fields))?)?;
        Ok(about)
    }

    /// The names of labels.
    #[getter]
    fn label_names(&self) -> Vec<String> {
        self.inner.names().labels.iter().map(str::to_owned).collect()
    }

    /// The names of columns, where they have any.
    #[getter]
    fn attribute_names(&self) -> Option<Vec<String>> {
        match &self.inner.names().attributes {
            Attributes::Named(names) => Some(names.iter().map(str::to_owned).collect()),
            Attributes::Numbered(_) => None,
        }
    }

    /// The blocks of weights by name.
    fn blocks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (weights, blocks) = (self.inner.weights(), PyDict::new(py));
        for block in self.inner.blocks() {
            let values = PyArray1::from_slice(py, &weights[block.start..][..block.len()]);
            blocks.set_item(block.name, values.reshape(block.shape)?)?;
        }
        Ok(blocks)
    }

    /// All weights, one after the other.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.inner.weights())
    }

    /// What is added to the score of each label being in a set, in predictions.
    #[getter]
    fn label_shifts(&self) -> Option<Vec<f64>> {
        self.inner.label_shifts().map(<[f64]>::to_vec)
    }

    /// The best label of each example: a name, or a list.
    #[pyo3(signature = (data, threads=None))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyList>> {
        let labels = PyList::empty(py);
        for predictions in self.predictions(py, data, 1, false, threads)? {
            let label = predictions.first().map_or(&Value::Null, |best| &best.label);
            labels.append(json(py, label)?)?;
        }
        Ok(labels)
    }

    /// The best labels of each example, each with its score and what it may have missed.
    #[pyo3(signature = (data, k, threads=None))]
    fn predict_k_best<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        k: usize,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyList>> {
        let all = PyList::empty(py);
        for predictions in self.predictions(py, data, k, false, threads)? {
            let list = PyList::empty(py);
            for Prediction { label, score, missed, .. } in predictions {
                list.append((json(py, &label)?, score, missed))?;
            }
            all.append(list)?;
        }
        Ok(all)
    }

    /// The best label of each example, its score, by how much it is better than the second best, and the same for each name in it, and
    /// for each that is not in it (with the name). What is bounded only is at least this.
    #[pyo3(signature = (data, threads=None))]
    fn predict_surely<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyList>> {
        let all = PyList::empty(py);
        for predictions in self.predictions(py, data, 1, true, threads)? {
            let Some(Prediction { label, score, certainty: Some(sure), .. }) = predictions.into_iter().next()
            else {
                return Err(PyValueError::new_err("there is no label for an example"));
            };
            let parts: Vec<f64> = sure.parts.iter().map(|sure| sure.at_least).collect();
            let others = PyList::empty(py);
            for (name, sure) in &sure.others {
                others.append((json(py, name)?, sure.at_least))?;
            }
            all.append((json(py, &label)?, score, sure.margin.at_least, parts, others))?;
        }
        Ok(all)
    }

    /// The score of each class of each row, where labels are classes.
    #[pyo3(signature = (data, threads=None))]
    fn class_scores<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let model = &self.inner;
        let Some(task) = model.task_as::<Multiclass>() else {
            let problem = format!("{} has no scores of classes", model.task().name());
            return Err(PyValueError::new_err(problem));
        };
        let classes = task.labels();
        let work = |_: &_| -> maxmargin::Result<Vec<f64>> {
            let view = model.view(Arc::clone(&data.data))?;
            let rows = view.of_type::<RowExamples>().ok_or_else(|| {
                maxmargin::Error::parameter("X", format!("rows are needed, not {}", view.kind()))
            })?;
            let found = task.predict(model.deciding_weights(), rows, classes)?;
            let mut scores = vec![0.0; rows.rows().len() * classes];
            for (row, found) in scores.chunks_mut(classes.max(1)).zip(found) {
                found.iter().for_each(|found| row[found.label as usize] = found.score);
            }
            Ok(scores)
        };
        let (scores, interrupted) = watched::<(), _>(py, threads, work, |_, ()| Ok(false))?;
        after(interrupted)?;
        let scores = scores.map_err(raised)?;
        let rows = scores.len() / classes.max(1);
        scores.into_pyarray(py).reshape([rows, classes])
    }

    /// How good the predictions for labelled examples are: all figures of the task.
    #[pyo3(signature = (data, threads=None))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let model = &self.inner;
        let work = |_: &_| -> maxmargin::Result<_> {
            let view = model.view(Arc::clone(&data.data))?;
            let background = match model.task().has_background() {
                true => maxmargin::data::background_label(&model.names().labels),
                false => None,
            };
            model.task().evaluate(model.deciding_weights(), view.as_ref(), &data.names.labels, background)
        };
        let (metrics, interrupted) = watched::<(), _>(py, threads, work, |_, ()| Ok(false))?;
        after(interrupted)?;
        let figures = PyDict::new(py);
        for (name, value) in metrics.map_err(raised)?.0.figures {
            figures.set_item(name, value)?;
        }
        Ok(figures)
    }

    /// The nodes of a hierarchy as they are drawn: name, depth, α, norm of the weights, examples, other parents.
    #[allow(clippy::type_complexity)]
    fn drawn_tree(&self) -> Option<Vec<(String, usize, f64, f64, u32, Vec<String>)>> {
        let model = &self.inner;
        let tree = model.task().draw(&model.names().labels, model.weights(), &[])?;
        let node = |node: maxmargin::tasks::DrawnNode| {
            (node.name, node.depth, node.alpha, node.norm, node.support, node.also_below)
        };
        Some(tree.nodes.into_iter().map(node).collect())
    }
}

impl Model {
    fn predictions(
        &self,
        py: Python<'_>,
        data: &Data,
        k: usize,
        surely: bool,
        threads: Option<usize>,
    ) -> PyResult<Vec<Vec<Prediction>>> {
        let (model, data): (_, &dyn DataObject) = (&self.inner, data.data.as_ref());
        let work = |_: &_| match surely {
            true => model.predict_surely(data, k),
            false => model.predict(data, k),
        };
        let (predictions, interrupted) = watched::<(), _>(py, threads, work, |_, ()| Ok(false))?;
        after(interrupted)?;
        predictions.map_err(raised)
    }
}

/// A prediction that Ctrl-C came into is complete, but nobody waits for it.
fn after(interrupted: bool) -> PyResult<()> {
    match interrupted {
        true => Err(pyo3::exceptions::PyKeyboardInterrupt::new_err(())),
        false => Ok(()),
    }
}

/// A value as Python has it.
fn json<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.into_pyobject(py)?.into_any(),
            None => number.as_f64().unwrap_or(f64::NAN).into_pyobject(py)?.into_any(),
        },
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Array(values) => {
            let list = PyList::empty(py);
            for value in values {
                list.append(json(py, value)?)?;
            }
            list.into_any()
        }
        Value::Object(fields) => {
            let dict = PyDict::new(py);
            for (name, value) in fields {
                dict.set_item(name, json(py, value)?)?;
            }
            dict.into_any()
        }
    })
}
