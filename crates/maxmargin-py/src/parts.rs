//! Losses of part scores that come from outside, for neural networks: H and its gradient for batches, on all cores.

use maxmargin::data::{Edge, Graph, Rows};
use maxmargin::inference::LabelGraph;
use maxmargin::risk::{PartAnswer, PartExample, PartRisk};
use maxmargin::search::{MarginSearch, Search, Strategy, SurrogateSearch};
use maxmargin::structure::{
    ChainLoss, ChainOptions, ChainStructure, LabelCost, LabelSet, Links, MatchingOptions, MatchingStructure,
    MulticlassStructure, MultilabelOptions, MultilabelStructure, PairWeights, Structure,
};
use maxmargin::surrogate::Surrogate;
use maxmargin::{EngineError, Error};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::raised;
use crate::surrogate::CustomSurrogate;
use crate::watching::watched;

/// A structure whose part scores come from outside.
enum Kind {
    Multiclass(MulticlassStructure),
    Chain(ChainStructure),
    Multilabel(MultilabelStructure),
    Matching(MatchingStructure),
}

/// H of part scores.
#[pyclass(frozen, module = "maxmargin._engine")]
pub struct PartLoss {
    kind: Kind,
    surrogate: Surrogate,
    search: Option<Strategy>,
}

type Answer = (f64, Vec<f64>);
type Numbers<'py> = Bound<'py, PyArray1<f64>>;

#[pymethods]
impl PartLoss {
    /// A structure by name: `multiclass`, `chain`, `multilabel` or `matching`, with so many labels.
    #[new]
    #[pyo3(signature = (structure, labels, surrogate="margin", search="auto", boundary=false, mean=false, pairs=None, fertility=(1, 1), custom=None))]
    fn new(
        structure: &str,
        labels: usize,
        surrogate: &str,
        search: &str,
        boundary: bool,
        mean: bool,
        pairs: Option<Vec<(u32, u32)>>,
        fertility: (u32, u32),
        custom: Option<&CustomSurrogate>,
    ) -> PyResult<Self> {
        let made = |error: EngineError| raised(error.into());
        let kind = match structure {
            "multiclass" => Kind::Multiclass(
                MulticlassStructure::new(0, labels, false, LabelCost::ZeroOne).map_err(made)?,
            ),
            "chain" => {
                let loss = ChainLoss { mean, ..ChainLoss::default() };
                let options = ChainOptions { bias: false, boundary, loss };
                Kind::Chain(ChainStructure::new(0, labels, options).map_err(made)?)
            }
            "multilabel" => {
                let graph = match pairs {
                    Some(pairs) => LabelGraph::new(labels, pairs).map_err(made)?,
                    None => LabelGraph::complete(labels).map_err(made)?,
                };
                let options =
                    MultilabelOptions { bias: false, pair_weights: PairWeights::Both, ..Default::default() };
                Kind::Multilabel(MultilabelStructure::new(0, graph, options).map_err(made)?)
            }
            "matching" => {
                let options = MatchingOptions { bias: false, fertility, ..Default::default() };
                Kind::Matching(MatchingStructure::new(0, options).map_err(made)?)
            }
            other => {
                let problem =
                    format!("structure: {other:?} is not one of multiclass, chain, multilabel and matching");
                return Err(PyValueError::new_err(problem));
            }
        };
        let surrogate = match custom {
            Some(custom) => custom.surrogate,
            None => surrogate.parse().map_err(|error: EngineError| made(error))?,
        };
        let search = match search {
            "auto" => None,
            name => Some(name.parse().map_err(|error: EngineError| made(error))?),
        };
        let search = search.or((surrogate != Surrogate::MARGIN).then_some(Strategy::Hull));
        Ok(Self { kind, surrogate, search })
    }

    /// H of each example, and its gradient by all part scores: `truths` are whole numbers for each example (a class, the labels of
    /// positions, the labels in a set, the edges that are links), `parts` its scores, block after block. `edges` are those of graphs.
    #[pyo3(signature = (truths, parts, edges=None, threads=None))]
    fn answers<'py>(
        &self,
        py: Python<'py>,
        truths: Vec<PyReadonlyArray1<'py, i64>>,
        parts: Vec<PyReadonlyArray1<'py, f64>>,
        edges: Option<Vec<PyReadonlyArray2<'py, i64>>>,
        threads: Option<usize>,
    ) -> PyResult<(Numbers<'py>, Vec<Numbers<'py>>)> {
        if truths.len() != parts.len() {
            return Err(PyValueError::new_err(format!(
                "y: {} labels for {} examples",
                truths.len(),
                parts.len()
            )));
        }
        let truths: Vec<Vec<u32>> = truths.iter().map(whole).collect::<PyResult<_>>()?;
        let parts: Vec<Vec<f64>> = parts.iter().map(|parts| parts.as_array().to_vec()).collect();
        let graphs = self.graphs(edges, parts.len())?;
        let work = |_: &_| self.batch(&truths, &parts, &graphs);
        let (answers, _) = watched::<(), _>(py, threads, work, |_, ()| Ok(false))?;
        let (values, gradients): (Vec<f64>, Vec<Vec<f64>>) = answers.map_err(raised)?.into_iter().unzip();
        let gradients = gradients.into_iter().map(|gradient| PyArray1::from_vec(py, gradient)).collect();
        Ok((PyArray1::from_vec(py, values), gradients))
    }

    /// The best label under part scores, as whole numbers. `lengths` are those of chains.
    #[pyo3(signature = (parts, lengths, edges=None, threads=None))]
    fn decode<'py>(
        &self,
        py: Python<'py>,
        parts: Vec<PyReadonlyArray1<'py, f64>>,
        lengths: Vec<u32>,
        edges: Option<Vec<PyReadonlyArray2<'py, i64>>>,
        threads: Option<usize>,
    ) -> PyResult<Vec<Vec<u32>>> {
        let parts: Vec<Vec<f64>> = parts.iter().map(|parts| parts.as_array().to_vec()).collect();
        let graphs = self.graphs(edges, parts.len())?;
        if lengths.len() != parts.len() {
            return Err(PyValueError::new_err("lengths: there is one for each example"));
        }
        let work = |_: &_| -> maxmargin::Result<Vec<Vec<u32>>> {
            let rows: Vec<Rows> = lengths.iter().map(|&length| Rows::without_features(length)).collect();
            match &self.kind {
                Kind::Multiclass(structure) => best(structure, &rows, &parts, |label| vec![*label]),
                Kind::Chain(structure) => best(structure, &rows, &parts, Clone::clone),
                Kind::Multilabel(structure) => best(structure, &rows, &parts, |label| label.on().to_vec()),
                Kind::Matching(structure) => best(structure, &graphs, &parts, |label| label.on.clone()),
            }
        };
        watched::<(), _>(py, threads, work, |_, ()| Ok(false))?.0.map_err(raised)
    }
}

impl PartLoss {
    fn graphs(&self, edges: Option<Vec<PyReadonlyArray2<'_, i64>>>, count: usize) -> PyResult<Vec<Graph>> {
        let Kind::Matching(_) = self.kind else { return Ok(Vec::new()) };
        let edges = edges.unwrap_or_default();
        if edges.len() != count {
            return Err(PyValueError::new_err(format!("edges: those of {} graphs for {count}", edges.len())));
        }
        let graph = |edges: PyReadonlyArray2<'_, i64>| {
            let edges = edges.as_array();
            let end = |end: i64| {
                u32::try_from(end).map_err(|_| PyValueError::new_err("edges: no number of a node"))
            };
            let edges: PyResult<Vec<Edge>> = edges
                .rows()
                .into_iter()
                .map(|row| match row.len() {
                    2 => Ok(Edge { left: end(row[0])?, right: end(row[1])? }),
                    _ => Err(PyValueError::new_err("edges: an edge has two ends")),
                })
                .collect();
            Graph::without_features(&edges?).map_err(|error| raised(error.into()))
        };
        edges.into_iter().map(graph).collect()
    }

    fn batch(
        &self,
        truths: &[Vec<u32>],
        parts: &[Vec<f64>],
        graphs: &[Graph],
    ) -> maxmargin::Result<Vec<Answer>> {
        let rows = |length: usize| Rows::without_features(length as u32);
        let single = || truths.iter().map(|_| rows(1)).collect::<Vec<_>>();
        match &self.kind {
            Kind::Multiclass(structure) => {
                let labels: Option<Vec<u32>> = truths.iter().map(|truth| truth.first().copied()).collect();
                let labels = labels.ok_or_else(|| Error::parameter("y", "an example has no class"))?;
                self.ask(structure, &single(), &labels, parts)
            }
            Kind::Chain(structure) => {
                let inputs: Vec<Rows> = truths.iter().map(|truth| rows(truth.len())).collect();
                self.ask(structure, &inputs, truths, parts)
            }
            Kind::Multilabel(structure) => {
                let labels: Vec<LabelSet> = truths.iter().map(|truth| LabelSet::of(truth)).collect();
                self.ask(structure, &single(), &labels, parts)
            }
            Kind::Matching(structure) => {
                let labels: Vec<Links> = truths.iter().map(|truth| Links::of(truth.clone())).collect();
                self.ask(structure, graphs, &labels, parts)
            }
        }
    }

    fn ask<S: Structure + Clone>(
        &self,
        structure: &S,
        inputs: &[S::Input],
        truths: &[S::Label],
        parts: &[Vec<f64>],
    ) -> maxmargin::Result<Vec<Answer>> {
        match self.search {
            None => answers(PartRisk::new(structure.clone(), MarginSearch)?, inputs, truths, parts),
            Some(search) => {
                let search = SurrogateSearch::new(self.surrogate, search)?;
                answers(PartRisk::new(structure.clone(), search)?, inputs, truths, parts)
            }
        }
    }
}

fn answers<S: Structure, Q: Search<S>>(
    risk: PartRisk<S, Q>,
    inputs: &[S::Input],
    truths: &[S::Label],
    parts: &[Vec<f64>],
) -> maxmargin::Result<Vec<Answer>> {
    let examples = inputs.iter().zip(truths).zip(parts);
    let batch: Vec<PartExample<'_, S>> =
        examples.map(|((input, truth), parts)| PartExample { input, truth, parts }).collect();
    let answer = |PartAnswer { bounds, gradient, .. }: PartAnswer<S::Label>| (bounds.value, gradient);
    Ok(risk.answers(&batch)?.into_iter().map(answer).collect())
}

/// The best label of each input.
fn best<S: Structure>(
    structure: &S,
    inputs: &[S::Input],
    parts: &[Vec<f64>],
    numbers: impl Fn(&S::Label) -> Vec<u32>,
) -> maxmargin::Result<Vec<Vec<u32>>> {
    let Some(of_parts) = structure.offers().parts else {
        return Err(Error::parameter("structure", "it takes no part scores"));
    };
    let mut scores = S::Scores::default();
    let mut labels = Vec::with_capacity(inputs.len());
    for (input, parts) in inputs.iter().zip(parts) {
        let count = of_parts.count(input);
        if parts.len() != count || parts.iter().any(|part| !part.is_finite()) {
            let problem = format!("{} numbers, where {count} finite ones should be", parts.len());
            return Err(Error::parameter("parts", problem));
        }
        of_parts.scores_from_parts(input, parts, &mut scores);
        labels.push(numbers(&structure.decode(input, &mut scores).label));
    }
    Ok(labels)
}

fn whole(numbers: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<u32>> {
    let number = |&number: &i64| {
        u32::try_from(number)
            .map_err(|_| PyValueError::new_err(format!("y: {number} is no number of a label")))
    };
    numbers.as_array().iter().map(number).collect()
}
