//! Tasks by name: the border between files, whose task is known at run time, and structures, which are types.

mod comparing;
mod fitting;
mod searching;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use rayon::prelude::*;

pub use self::comparing::ComparisonOptions;
pub use self::searching::{SearchOptions, TaskSearch};
use crate::data::{Dataset, Graph, Rows, UNKNOWN_LABEL};
use crate::error::{Error, Result};
use crate::inference::{LabelGraph, chow_liu};
use crate::risk::{Risk, StructuredRisk};
use crate::search::MarginSearch;
use crate::structure::{
    Chain, ChainLoss, ChainOptions, Example, ExtraLinks, Found, Inference, KBest, LabelCost, LabelSet,
    LinkLoss, Links, Matching, MatchingOptions, Mix, Multiclass, Multilabel, MultilabelOptions, PairWeights,
    SetLoss, Structure,
};

/// The tasks that can be asked for by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskKind {
    /// One label per input.
    Multiclass,
    /// One label per position of a sequence.
    Chain,
    /// A set of labels per input.
    Multilabel,
    /// A set of links between the nodes of a bipartite graph.
    Matching,
}

impl TaskKind {
    /// All tasks.
    pub const ALL: [TaskKind; 4] =
        [TaskKind::Multiclass, TaskKind::Chain, TaskKind::Multilabel, TaskKind::Matching];

    /// The name on the command line and in model files.
    pub fn name(self) -> &'static str {
        match self {
            TaskKind::Multiclass => "multiclass",
            TaskKind::Chain => "chain",
            TaskKind::Multilabel => "multilabel",
            TaskKind::Matching => "matching",
        }
    }

    /// The data as this task sees it: a task without sequences takes each position of one as an example of its own, and
    /// to one about label sets a single label is a set.
    pub fn view(self, data: Dataset) -> Result<Dataset> {
        data.check_inputs()?;
        // Data to predict may have none.
        let has_labels = !data.labels.is_empty() || data.sets.is_some();
        if has_labels {
            data.check_labels()?;
        }
        match self {
            TaskKind::Matching => {
                data.check_graphs()?;
                Ok(data)
            }
            _ if data.edges.is_some() => Err(Error::parameter(
                "task",
                format!("the examples of the data are graphs; they are for matching, not for {self}"),
            )),
            TaskKind::Multilabel => {
                let mut data = if data.sequences.is_some() { data.tokens() } else { data };
                if !has_labels {
                    data.labels = vec![UNKNOWN_LABEL; data.features.rows()];
                }
                let sets = data.sets.unwrap_or_else(|| (0..=data.labels.len()).collect());
                Ok(Dataset { sets: Some(sets), ..data })
            }
            _ if data.sets.is_some() => Err(Error::parameter(
                "task",
                format!("the data has a set of labels per row; that is for multilabel, not for {self}"),
            )),
            TaskKind::Multiclass if data.sequences.is_some() => Ok(data.tokens()),
            TaskKind::Chain if data.sequences.is_none() => Err(Error::parameter(
                "task chain",
                "the data has no sequences; svmlight files mark them with qid:N on each line, CRFsuite files with blank lines",
            )),
            _ => Ok(data),
        }
    }
}

impl fmt::Display for TaskKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for TaskKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::parameter("task", format!("{text:?} is not a task; there are {names}"))
        })
    }
}

/// A structure whose kind was chosen at run time.
///
/// ```
/// use maxmargin::data::{Noise, word_images};
/// use maxmargin::task::{Task, TaskKind, TaskOptions};
///
/// let words = word_images(10, Noise::default(), 1);
/// let kind: TaskKind = "chain".parse()?;
/// let task = Task::new(kind, 128, 26, TaskOptions { bias: false, ..TaskOptions::default() })?;
/// assert_eq!(task.dim(), 128 * 26 + 26 * 26 + 2 * 26);
/// let predictions = task.predict(&vec![0.0; task.dim()], &words.data, 2)?;
/// assert_eq!(predictions[0].len(), 2);
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone)]
pub enum Task {
    /// One label per input.
    Multiclass(Multiclass),
    /// One label per position.
    Chain(Chain),
    /// A set of labels per input.
    Multilabel(Multilabel),
    /// Links between nodes.
    Matching(Matching),
}

/// A label that was predicted for one example.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The label of each row of the example, or its set of labels, or the rows that are links, in ascending order.
    pub labels: Vec<u32>,
    /// Its score.
    pub score: f64,
    /// How much more a label that is not listed before it may score: 0 where it is proven to be the best of those. Sets of
    /// many labels with pairs may be too hard to prove.
    pub missed: f64,
}

impl Prediction {
    /// Whether no label that is not listed before it scores more.
    pub fn is_proven(&self) -> bool {
        self.missed == 0.0
    }
}

/// Which weights a task has, and its loss.
#[derive(Debug, Clone)]
pub struct TaskOptions {
    /// A constant feature.
    pub bias: bool,
    /// Chains: weights for the first and last label.
    pub boundary: bool,
    /// What one wrong label costs (not for label sets and matchings).
    pub cost: LabelCost,
    /// Whether the loss of a chain is divided by its length, and that of a label set by the number of labels.
    pub mean: bool,
    /// What only label sets have.
    pub sets: SetOptions,
    /// What only matchings have.
    pub links: LinkOptions,
}

/// What only matchings have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkOptions {
    /// What a sure link costs that is missed.
    pub miss: f64,
    /// What a link costs that is neither sure nor possible.
    pub false_link: f64,
    /// The most links of a left and of a right node.
    pub fertility: (u32, u32),
    /// What to do about truths that have more.
    pub extra_links: ExtraLinks,
}

impl Default for LinkOptions {
    fn default() -> Self {
        Self { miss: 1.0, false_link: 1.0, fertility: (1, 1), extra_links: ExtraLinks::Refuse }
    }
}

/// What only tasks about label sets have.
#[derive(Debug, Clone, Default)]
pub struct SetOptions {
    /// The pairs of labels that have weights.
    pub pairs: Pairs,
    /// The weights of each pair.
    pub pair_weights: PairWeights,
    /// Whether a label that is not in the set has −x in its block instead of nothing.
    pub signed: bool,
    /// Over which labels the most violated one is searched.
    pub inference: Inference,
    /// What each label costs; 1 without weights.
    pub weights: Option<Arc<[f64]>>,
}

/// With more labels than this not all pairs can have weights: there would be 50 million of them.
const MOST_FOR_ALL_PAIRS: usize = 10_000;

/// Which pairs of labels have weights.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Pairs {
    /// None: one SVM per label.
    None,
    /// All.
    #[default]
    All,
    /// These.
    Listed(Vec<(u32, u32)>),
}

impl Pairs {
    /// The pairs of a Chow-Liu tree: those labels that tell most about each other, without a cycle.
    pub fn tree(data: &Dataset, labels: usize) -> Result<Self> {
        data.check_inputs()?;
        data.check_labels()?;
        let sets = (0..data.len()).map(|i| (data.labels_of(i), data.weight(i)));
        Ok(Pairs::Listed(chow_liu(labels, sets)?))
    }

    fn graph(&self, labels: usize) -> Result<LabelGraph> {
        match self {
            Pairs::None => Ok(LabelGraph::independent(labels)),
            Pairs::All if labels > MOST_FOR_ALL_PAIRS => Err(Error::parameter(
                "pairs",
                format!(
                    "all pairs of {labels} labels are too many (up to {MOST_FOR_ALL_PAIRS} labels can have them); use --pairs tree or none, or --most-frequent-labels"
                ),
            )),
            Pairs::All => Ok(LabelGraph::complete(labels)),
            Pairs::Listed(pairs) => Ok(LabelGraph::new(labels, pairs.clone())?),
        }
    }
}

impl Default for TaskOptions {
    fn default() -> Self {
        Self {
            bias: true,
            boundary: true,
            cost: LabelCost::ZeroOne,
            mean: false,
            sets: SetOptions::default(),
            links: LinkOptions::default(),
        }
    }
}

impl Task {
    /// A task with this many features and labels. A matching has the labels none, sure and possible of edges.
    pub fn new(kind: TaskKind, features: usize, labels: usize, options: TaskOptions) -> Result<Self> {
        let TaskOptions { bias, boundary, cost, mean, sets, links } = options;
        Ok(match kind {
            TaskKind::Multiclass => Task::Multiclass(Multiclass::new(features, labels, bias, cost)?),
            TaskKind::Chain => {
                let options = ChainOptions { bias, boundary, loss: ChainLoss { cost, mean } };
                Task::Chain(Chain::new(features, labels, options)?)
            }
            TaskKind::Multilabel => {
                let SetOptions { pairs, pair_weights, signed, inference, weights } = sets;
                let loss = SetLoss::Hamming { weights, mean };
                let options = MultilabelOptions { bias, pair_weights, signed, loss, inference };
                Task::Multilabel(Multilabel::new(features, pairs.graph(labels)?, options)?)
            }
            TaskKind::Matching => {
                let LinkOptions { miss, false_link, fertility, extra_links } = links;
                let loss = LinkLoss::Mistakes { miss, false_link };
                Task::Matching(Matching::new(
                    features,
                    MatchingOptions { bias, loss, fertility, extra_links },
                )?)
            }
        })
    }

    /// Which task it is.
    pub fn kind(&self) -> TaskKind {
        match self {
            Task::Multiclass(_) => TaskKind::Multiclass,
            Task::Chain(_) => TaskKind::Chain,
            Task::Multilabel(_) => TaskKind::Multilabel,
            Task::Matching(_) => TaskKind::Matching,
        }
    }

    /// The number of weights.
    pub fn dim(&self) -> usize {
        match self {
            Task::Multiclass(structure) => structure.dim(),
            Task::Chain(structure) => structure.dim(),
            Task::Multilabel(structure) => structure.dim(),
            Task::Matching(structure) => structure.dim(),
        }
    }

    /// The data as this task sees it, see [`TaskKind::view`].
    pub fn view(&self, data: Dataset) -> Result<Dataset> {
        self.kind().view(data)
    }

    /// The margin-rescaled risk of labelled data.
    pub fn risk(&self, data: &Dataset) -> Result<Box<dyn Risk>> {
        self.risk_with(data, &self.search(&SearchOptions::default(), data)?)
    }

    /// The risk of labelled data under a surrogate.
    pub fn risk_with(&self, data: &Dataset, search: &TaskSearch) -> Result<Box<dyn Risk>> {
        self.check(data)?;
        check_all_labelled(data)?;
        match self {
            Task::Multiclass(structure) => risk(structure, examples(data, |labels| labels[0]), search),
            Task::Chain(structure) => risk(structure, examples(data, <[u32]>::to_vec), search),
            Task::Multilabel(structure) => risk(structure, examples(data, LabelSet::of), search),
            Task::Matching(structure) => risk(structure, graphs(structure, data)?, search),
        }
    }

    /// The `k` best labels of each example, best first. Refused where data or weights are not those of the task; the labels
    /// of the data do not matter.
    pub fn predict(&self, weights: &[f64], data: &Dataset, k: usize) -> Result<Vec<Vec<Prediction>>> {
        self.check_inputs(data)?;
        self.check_weights(weights)?;
        let (n, rows) = (data.len(), |i: usize| data.input(i));
        Ok(match self {
            Task::Multiclass(structure) => predict(structure, weights, n, rows, k, |label| vec![label]),
            Task::Chain(structure) => predict(structure, weights, n, rows, k, |label| label),
            Task::Multilabel(structure) => predict(structure, weights, n, rows, k, |set| set.on().to_vec()),
            Task::Matching(structure) => {
                predict(structure, weights, n, |i| graph(data, i), k, |links| links.on)
            }
        })
    }

    /// The task loss of a prediction, where `truth` has the label of each row or the set of labels; a row without a known label, or an unknown label in a set, is a mistake of cost 1
    /// (divided by the number of labels where the loss is). Refused where the two are not labels of one example.
    pub fn loss(&self, truth: &[u32], predicted: &[u32]) -> Result<f64> {
        self.check_labels(truth, predicted)?;
        Ok(self.loss_of(truth, predicted))
    }

    /// The same for labels that are known to be those of one example.
    pub(crate) fn loss_of(&self, truth: &[u32], predicted: &[u32]) -> f64 {
        match self {
            Task::Multiclass(structure) => structure.cost().cost(truth[0], predicted[0]),
            Task::Chain(structure) => structure.loss_between(truth, predicted),
            Task::Multilabel(structure) => {
                let known: Vec<u32> = truth.iter().copied().filter(|&l| l != UNKNOWN_LABEL).collect();
                let unknown = (truth.len() - known.len()) as f64 * structure.cost_of_unknown();
                structure.loss_between(&LabelSet::of(&known), &LabelSet::of(predicted)) + unknown
            }
            Task::Matching(structure) => {
                structure.loss_between(&Links::of_labels(truth), &Links::of(predicted.to_vec()))
            }
        }
    }
}

fn risk<S>(structure: &S, examples: Vec<Example<S>>, search: &TaskSearch) -> Result<Box<dyn Risk>>
where
    S: Structure + Clone + 'static,
{
    let Some(strategy) = search.search.clone() else {
        return Ok(Box::new(StructuredRisk::new(structure.clone(), MarginSearch, examples)?));
    };
    let risk = StructuredRisk::new(structure.clone(), strategy, examples)?;
    Ok(Box::new(if search.surrogate.is_convex() { risk } else { risk.not_convex() }))
}

fn check_all_labelled(data: &Dataset) -> Result<()> {
    if data.is_empty() {
        return Err(Error::parameter("training data", "there are no examples"));
    }
    if data.labels.contains(&UNKNOWN_LABEL) {
        return Err(Error::parameter(
            "training data",
            "an example has no label, or one that the model does not know",
        ));
    }
    Ok(())
}

fn examples<S>(data: &Dataset, truth: impl Fn(&[u32]) -> S::Label) -> Vec<Example<S>>
where
    S: Structure<Input = Rows>,
{
    (0..data.len())
        .map(|i| Example { input: data.input(i), truth: truth(data.labels_of(i)), weight: data.weight(i) })
        .collect()
}

/// The examples of a matching task.
fn graphs(structure: &Matching, data: &Dataset) -> Result<Vec<Example<Matching>>> {
    let example = |i: usize| {
        let input = graph(data, i);
        let truth = structure.truth(&input, data.labels_of(i)).map_err(|error| {
            Error::parameter(format!("example {} of the training data", i + 1), error.to_string())
        })?;
        Ok(Example { input, truth, weight: data.weight(i) })
    };
    (0..data.len()).map(example).collect()
}

/// The graph of an example; one without edges where the data has no graphs.
fn graph(data: &Dataset, i: usize) -> Graph {
    data.graph(i).unwrap_or_else(|| Graph::new(Rows::new(&data.features, 0..0), Arc::from([]), 0))
}

fn predict<S: Structure + KBest<S>>(
    structure: &S,
    weights: &[f64],
    examples: usize,
    input: impl Fn(usize) -> S::Input + Sync,
    k: usize,
    labels: impl Fn(S::Label) -> Vec<u32> + Sync,
) -> Vec<Vec<Prediction>> {
    (0..examples)
        .into_par_iter()
        .map_init(S::Scores::default, |scores, i| {
            let input = input(i);
            structure.score(weights, &input, scores);
            let found = match k {
                1 => vec![structure.decode(&input, scores)],
                _ => structure.k_best(&input, None, scores, Mix::SCORE, k),
            };
            let prediction = |Found { label, score, missed, .. }: Found<S::Label>| Prediction {
                labels: labels(label),
                score,
                missed,
            };
            found.into_iter().map(prediction).collect()
        })
        .collect()
}
