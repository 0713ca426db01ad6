//! Structures that are written in Python.
//!
//! Labels are any objects of Python. Each gets a number when it is first seen, by a key that equal labels share (the package's
//! `_keys.key_of`), and solvers keep numbers. Features are asked for once per input and label and kept, up to a limit on memory.
//!
//! The trait of structures has no errors. The first exception is kept, everything after it answers with the truth, and whoever runs
//! the solver raises it at the end of the pass ([`PyStructure::take_error`]).

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use maxmargin::EngineError;
use maxmargin::linear::FeatureSum;
use maxmargin::structure::{
    Coded, Found, KBest, Magnitude, Mix, Offers, OracleCost, ScoreStratum, Stratified, Structure,
};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// Features of labels that are kept take no more than so many numbers; then all are forgotten.
const MOST_KEPT: usize = 1 << 25;

/// How much longer the features of a label may be than those of the truth, where nobody says how long they are. What scores may be
/// rounded by grows with it, which is nothing beside any gap.
const LONGER: f64 = 1000.0;

/// The number of a label.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct LabelNumber(pub u32);

impl Default for LabelNumber {
    fn default() -> Self {
        Self(u32::MAX)
    }
}

impl std::fmt::Debug for LabelNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "label#{}", self.0)
    }
}

impl Coded for LabelNumber {
    fn encode(&self, code: &mut Vec<u32>) {
        code.push(self.0);
    }

    fn decode(&mut self, code: &[u32]) -> bool {
        let &[number] = code else { return false };
        *self = Self(number);
        true
    }
}

/// An input, by its number among the examples.
pub struct PyInput {
    pub number: u32,
    pub x: Py<PyAny>,
}

/// Features that are not 0.
type Sparse = Arc<(Vec<u32>, Vec<f64>)>;

#[derive(Default)]
struct Kept {
    features: HashMap<(u32, u32), Sparse>,
    numbers: usize,
}

/// What is known of an input and its truth.
#[derive(Clone, Copy)]
struct Size {
    norm: f64,
    loss: f64,
}

/// A structure of Python. Clones are the same structure for another owner: a risk takes one, and whoever looks for exceptions another.
#[derive(Clone)]
pub struct PyStructure(Arc<Asked>);

/// What is asked, and what is known of its answers.
pub struct Asked {
    object: Py<PyAny>,
    key_of: Py<PyAny>,
    dim: usize,
    /// From keys to numbers.
    numbers: Py<PyDict>,
    labels: Mutex<Vec<Py<PyAny>>>,
    kept: Mutex<Kept>,
    sizes: Mutex<HashMap<u32, Size>>,
    has: Has,
    error: Mutex<Option<PyErr>>,
    has_failed: AtomicBool,
    /// Calls of Python: decoding, features, losses.
    pub calls: [AtomicU64; 3],
}

impl Deref for PyStructure {
    type Target = Asked;

    fn deref(&self) -> &Asked {
        &self.0
    }
}

/// Which methods there are.
#[derive(Clone, Copy)]
struct Has {
    k_best: bool,
    strata: bool,
    feature_norm: bool,
    max_loss: bool,
    loss_unit: bool,
}

/// The weights under which an input is asked about, and strata that were found.
#[derive(Default)]
pub struct PyScores {
    weights: Vec<f64>,
    array: Option<Py<PyArray1<f64>>>,
    strata: Vec<LabelNumber>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PyStructure {
    pub fn new(object: &Bound<'_, PyAny>, key_of: Bound<'_, PyAny>, dim: usize) -> PyResult<Self> {
        for name in ["joint_feature", "loss", "loss_augmented_decode", "decode"] {
            if !object.getattr_opt(name)?.is_some_and(|method| method.is_callable()) {
                return Err(PyValueError::new_err(format!("structure: it has no method {name}")));
            }
        }
        let has =
            |name: &str| PyResult::Ok(object.getattr_opt(name)?.is_some_and(|method| method.is_callable()));
        Ok(Self(Arc::new(Asked {
            has: Has {
                k_best: has("k_best")?,
                strata: has("strata")?,
                feature_norm: has("feature_norm")?,
                max_loss: has("max_loss")?,
                loss_unit: has("loss_unit")?,
            },
            numbers: PyDict::new(object.py()).unbind(),
            object: object.clone().unbind(),
            key_of: key_of.unbind(),
            dim,
            labels: Mutex::default(),
            kept: Mutex::default(),
            sizes: Mutex::default(),
            error: Mutex::default(),
            has_failed: AtomicBool::new(false),
            calls: Default::default(),
        })))
    }

    /// The number of a label.
    pub fn number(&self, label: &Bound<'_, PyAny>) -> PyResult<LabelNumber> {
        let py = label.py();
        let (key, numbers) = (self.key_of.bind(py).call1((label,))?, self.numbers.bind(py));
        if let Some(known) = numbers.get_item(&key)? {
            return Ok(LabelNumber(known.extract()?));
        }
        // The lock is not held while Python runs: another thread may have been quicker.
        let mut labels = locked(&self.labels);
        let number = labels.len() as u32;
        labels.push(label.clone().unbind());
        drop(labels);
        numbers.set_item(key, number)?;
        Ok(LabelNumber(number))
    }

    fn label<'py>(&self, py: Python<'py>, label: LabelNumber) -> PyResult<Bound<'py, PyAny>> {
        let known = locked(&self.labels).get(label.0 as usize).map(|label| label.clone_ref(py));
        known
            .map(|label| label.into_bound(py))
            .ok_or_else(|| PyValueError::new_err(format!("there is no label of the number {}", label.0)))
    }

    /// What was raised, if anything was.
    pub fn take_error(&self) -> Option<PyErr> {
        locked(&self.error).take()
    }

    /// Whether something was raised.
    pub fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::SeqCst)
    }

    /// A message with labels in it as Python shows them.
    pub fn explained(&self, py: Python<'_>, message: &str) -> String {
        let mut parts = message.split("label#");
        let mut explained = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            let number = part[..end].parse().map(LabelNumber).unwrap_or_default();
            let shown = self.label(py, number).and_then(|label| label.repr()).map(|repr| repr.to_string());
            explained.push_str(&shown.unwrap_or_else(|_| format!("label {}", &part[..end])));
            explained.push_str(&part[end..]);
        }
        explained
    }

    /// What Python says; where it raises, something else.
    fn ask<T>(&self, otherwise: T, ask: impl FnOnce(Python<'_>) -> PyResult<T>) -> T {
        if self.has_failed() {
            return otherwise;
        }
        Python::attach(|py| match ask(py) {
            Ok(answer) => answer,
            Err(error) => {
                locked(&self.error).get_or_insert(error);
                self.has_failed.store(true, Ordering::SeqCst);
                otherwise
            }
        })
    }

    fn count(&self, kind: usize) {
        self.calls[kind].fetch_add(1, Ordering::Relaxed);
    }

    /// φ(x, y), from what is kept or from Python.
    fn features(&self, x: &PyInput, y: LabelNumber) -> Sparse {
        if let Some(known) = locked(&self.kept).features.get(&(x.number, y.0)) {
            return Arc::clone(known);
        }
        self.count(1);
        let found = self.ask(Arc::default(), |py| {
            let features = self.object.bind(py).call_method1("joint_feature", (&x.x, self.label(py, y)?))?;
            let found = sparse(&features, self.dim)?;
            if let Some(size) = locked(&self.sizes).get(&x.number)
                && norm(&found.1) > size.norm
            {
                let problem = format!(
                    "joint_feature: a label of example {} has features of length {:.6}, more than the {:.6} that was said (feature_norm) or taken for granted ({LONGER} times those of the truth)",
                    x.number, norm(&found.1), size.norm
                );
                return Err(PyValueError::new_err(problem));
            }
            Ok(Arc::new(found))
        });
        let mut kept = locked(&self.kept);
        if kept.numbers > MOST_KEPT {
            *kept = Kept::default();
        }
        kept.numbers += found.0.len() + 4;
        kept.features.insert((x.number, y.0), Arc::clone(&found));
        found
    }

    fn weights<'py>(&self, py: Python<'py>, scores: &mut PyScores) -> Bound<'py, PyArray1<f64>> {
        let array = scores.array.get_or_insert_with(|| {
            let array = PyArray1::from_slice(py, &scores.weights);
            array.readwrite().make_nonwriteable();
            array.unbind()
        });
        array.bind(py).clone()
    }

    fn found(
        &self,
        x: &PyInput,
        truth: Option<LabelNumber>,
        scores: &PyScores,
        label: LabelNumber,
    ) -> Found<LabelNumber> {
        let loss = truth.map_or(0.0, |truth| self.loss(x, &truth, &label));
        Found::exactly(label, self.score_of(x, scores, &label), loss)
    }

    /// How large features and losses of an example are. The largest loss is that of the best label where no feature counts.
    fn size(&self, x: &PyInput, truth: LabelNumber) -> Size {
        if let Some(size) = locked(&self.sizes).get(&x.number) {
            return *size;
        }
        let of_truth = self.features(x, truth);
        let norm = self.ask(f64::NAN, |py| match self.has.feature_norm {
            true => self.object.bind(py).call_method1("feature_norm", (&x.x,))?.extract(),
            false => Ok(LONGER * (1.0 + norm(&of_truth.1))),
        });
        let loss = self.ask(f64::NAN, |py| {
            let (object, y) = (self.object.bind(py), self.label(py, truth)?);
            if self.has.max_loss {
                return object.call_method1("max_loss", (&x.x, y))?.extract();
            }
            let nothing = PyArray1::<f64>::zeros(py, self.dim, false);
            let worst = object
                .call_method1("loss_augmented_decode", (&x.x, &y, nothing, mix_of(py, Mix::AUGMENTED)?))?;
            object.call_method1("loss", (y, worst))?.extract()
        });
        let size = Size { norm: round_up(norm), loss: round_up(loss) };
        locked(&self.sizes).insert(x.number, size);
        size
    }
}

/// A mix as Python has it: a pair of numbers with names.
fn mix_of<'py>(py: Python<'py>, mix: Mix) -> PyResult<Bound<'py, PyAny>> {
    py.import("maxmargin.structure")?.getattr("Mix")?.call1((mix.score, mix.loss))
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}

fn round_up(value: f64) -> f64 {
    value * (1.0 + 1e-9)
}

/// Features as indices and values: of an array, of a pair (indices, values), or of a sparse row.
fn sparse(features: &Bound<'_, PyAny>, dim: usize) -> PyResult<(Vec<u32>, Vec<f64>)> {
    let refuse = |problem: String| PyValueError::new_err(format!("joint_feature: {problem}"));
    let (indices, values): (Vec<u32>, Vec<f64>) = if let Ok(pair) = features.cast::<PyTuple>() {
        let (indices, values): (Vec<u32>, Vec<f64>) = pair.extract()?;
        if indices.len() != values.len() {
            return Err(refuse(format!("{} indices for {} values", indices.len(), values.len())));
        }
        (indices, values)
    } else if features.hasattr("tocoo")? {
        let coo = features.call_method0("tocoo")?;
        let shape: Vec<usize> = coo.getattr("shape")?.extract()?;
        if shape.iter().product::<usize>() != dim {
            return Err(refuse(format!("a sparse row of shape {shape:?}, but there are {dim} weights")));
        }
        let coordinates: Vec<Vec<u32>> = match coo.getattr_opt("coords")? {
            Some(coordinates) => {
                coordinates.extract::<Vec<PyReadonlyArrayLike>>()?.into_iter().map(|c| c.0).collect()
            }
            None => vec![coo.getattr("col")?.extract::<PyReadonlyArrayLike>()?.0],
        };
        let indices = coordinates.into_iter().next_back().unwrap_or_default();
        (indices, coo.getattr("data")?.extract::<ValuesLike>()?.0)
    } else {
        let values = features.extract::<ValuesLike>()?.0;
        if values.len() != dim {
            return Err(refuse(format!("{} numbers, but there are {dim} weights", values.len())));
        }
        let present = (0..).zip(values).filter(|(_, value)| *value != 0.0);
        present.unzip()
    };
    if indices.iter().any(|&index| index as usize >= dim) {
        return Err(refuse(format!("an index beyond the {dim} weights")));
    }
    match values.iter().find(|value| !value.is_finite()) {
        Some(value) => Err(refuse(format!("{value} is not finite"))),
        None => Ok((indices, values)),
    }
}

/// Whole numbers of any array.
struct PyReadonlyArrayLike(Vec<u32>);

impl<'py> FromPyObject<'_, 'py> for PyReadonlyArrayLike {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let array = object.call_method1("astype", ("uint32",))?;
        Ok(Self(array.extract::<PyReadonlyArray1<'_, u32>>()?.as_array().to_vec()))
    }
}

/// Numbers of any array or list.
struct ValuesLike(Vec<f64>);

impl<'py> FromPyObject<'_, 'py> for ValuesLike {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = object.extract::<PyReadonlyArray1<'_, f64>>() {
            return Ok(Self(array.as_array().to_vec()));
        }
        let numpy = object.py().import("numpy")?;
        let array = numpy.call_method1("asarray", (object, "float64"))?;
        let array = array.extract::<PyReadonlyArray1<'_, f64>>();
        let array =
            array.map_err(|_| PyValueError::new_err("joint_feature: an array of one dimension is needed"))?;
        Ok(Self(array.as_array().to_vec()))
    }
}

impl Structure for PyStructure {
    type Input = PyInput;
    type Label = LabelNumber;
    type Scores = PyScores;
    type Kernel = ();

    fn dim(&self) -> usize {
        self.dim
    }

    fn check(&self, _: &PyInput, y: &LabelNumber) -> Result<(), EngineError> {
        match (y.0 as usize) < locked(&self.labels).len() {
            true => Ok(()),
            false => Err(EngineError::parameter("label", "a label that was never seen")),
        }
    }

    fn oracle_cost(&self) -> OracleCost {
        OracleCost::High
    }

    fn score(&self, w: &[f64], _: &PyInput, scores: &mut PyScores) {
        if scores.weights != w {
            scores.weights.clear();
            scores.weights.extend_from_slice(w);
            scores.array = None;
        }
    }

    fn magnitude(&self, x: &PyInput, truth: &LabelNumber) -> Magnitude {
        let Size { norm, loss } = self.size(x, *truth);
        Magnitude { norm, terms: (self.dim + 16) as f64, repeats: 1.0, loss, is_exact: false }
    }

    fn score_of(&self, x: &PyInput, scores: &PyScores, y: &LabelNumber) -> f64 {
        let features = self.features(x, *y);
        features.0.iter().zip(&features.1).map(|(&j, value)| value * scores.weights[j as usize]).sum()
    }

    fn decode(&self, x: &PyInput, scores: &mut PyScores) -> Found<LabelNumber> {
        self.count(0);
        let label = self.ask(LabelNumber::default(), |py| {
            let weights = self.weights(py, scores);
            self.number(&self.object.bind(py).call_method1("decode", (&x.x, weights))?)
        });
        self.found(x, None, scores, label)
    }

    fn loss(&self, _: &PyInput, truth: &LabelNumber, y: &LabelNumber) -> f64 {
        if truth == y {
            return 0.0;
        }
        self.count(2);
        self.ask(0.0, |py| {
            let loss: f64 = self
                .object
                .bind(py)
                .call_method1("loss", (self.label(py, *truth)?, self.label(py, *y)?))?
                .extract()?;
            match loss >= 0.0 && loss.is_finite() {
                true => Ok(loss),
                false => Err(PyValueError::new_err(format!(
                    "loss: {loss} is no finite number that is not negative"
                ))),
            }
        })
    }

    fn loss_unit(&self, x: &PyInput, truth: &LabelNumber) -> Option<f64> {
        if !self.has.loss_unit {
            return None;
        }
        self.ask(None, |py| {
            self.object.bind(py).call_method1("loss_unit", (&x.x, self.label(py, *truth)?))?.extract()
        })
    }

    fn maximize(
        &self,
        x: &PyInput,
        truth: &LabelNumber,
        scores: &mut PyScores,
        mix: Mix,
    ) -> Found<LabelNumber> {
        self.count(0);
        let label = self.ask(*truth, |py| {
            let arguments = (&x.x, self.label(py, *truth)?, self.weights(py, scores), mix_of(py, mix)?);
            self.number(&self.object.bind(py).call_method1("loss_augmented_decode", arguments)?)
        });
        let found = self.found(x, Some(*truth), scores, label);
        // The truth itself is a label: what is worth less was not the best.
        let of_truth = self.score_of(x, scores, truth);
        match mix.rank(of_truth, 0.0) > mix.rank(found.score, found.loss) {
            true => Found::exactly(*truth, of_truth, 0.0),
            false => found,
        }
    }

    fn add_features<A: FeatureSum + ?Sized>(&self, x: &PyInput, y: &LabelNumber, factor: f64, sum: &mut A) {
        let features = self.features(x, *y);
        features.0.iter().zip(&features.1).for_each(|(&j, value)| sum.add(j as usize, factor * value));
    }

    fn offers(&self) -> Offers<'_, Self> {
        Offers {
            k_best: self.has.k_best.then_some(self as _),
            stratified: self.has.strata.then_some(self as _),
            ..Offers::default()
        }
    }
}

impl KBest<Self> for PyStructure {
    fn k_best(
        &self,
        x: &PyInput,
        truth: Option<&LabelNumber>,
        scores: &mut PyScores,
        mix: Mix,
        k: usize,
    ) -> Vec<Found<LabelNumber>> {
        self.count(0);
        let otherwise = truth.copied().into_iter().collect();
        let labels: Vec<LabelNumber> = self.ask(otherwise, |py| {
            let y = truth.map(|truth| self.label(py, *truth)).transpose()?;
            let arguments = (&x.x, y, self.weights(py, scores), mix_of(py, mix)?, k);
            let labels = self.object.bind(py).call_method1("k_best", arguments)?;
            labels.try_iter()?.take(k).map(|label| self.number(&label?)).collect()
        });
        labels.into_iter().map(|label| self.found(x, truth.copied(), scores, label)).collect()
    }
}

impl Stratified<Self> for PyStructure {
    fn strata(
        &self,
        x: &PyInput,
        truth: &LabelNumber,
        scores: &mut PyScores,
        step: Option<f64>,
        strata: &mut Vec<ScoreStratum>,
    ) -> bool {
        strata.clear();
        scores.strata.clear();
        if step.is_some() {
            return false;
        }
        self.count(0);
        let labels: Vec<LabelNumber> = self.ask(Vec::new(), |py| {
            let arguments = (&x.x, self.label(py, *truth)?, self.weights(py, scores));
            let labels = self.object.bind(py).call_method1("strata", arguments)?;
            labels.try_iter()?.map(|label| self.number(&label?)).collect()
        });
        for label in labels {
            let loss = self.loss(x, truth, &label);
            strata.push(ScoreStratum { score: self.score_of(x, scores, &label), losses: (loss, loss) });
            scores.strata.push(label);
        }
        true
    }

    fn stratum_label(&self, _: &PyInput, scores: &mut PyScores, number: usize) -> LabelNumber {
        scores.strata.get(number).copied().unwrap_or_default()
    }
}
