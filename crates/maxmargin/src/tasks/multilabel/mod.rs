//! A set of labels for each example, with weights for pairs of labels.

mod demo;
mod examples;
mod metrics;
mod options;
mod pairs;
pub mod topics;

use std::path::PathBuf;
use std::sync::Arc;

pub use examples::LabelSetExamples;
pub use metrics::LabelSetMetrics;
pub use pairs::Pairs;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use self::pairs::StoredPairs;
pub use super::LabelWeights;
use super::stored::unknown_loss;
use super::{ComparisonOf, InputOf, Stored, Task, TaskOption};
use crate::data::{Alphabet, TaskData, Vocabulary, join_names};
use crate::error::Result;
use crate::features::Rows;
use crate::inference::MOST_LABELS;
use crate::metrics::Metrics;
use crate::search::Strategy;
use crate::shown::count;
use crate::structure::{self, Inference, LabelSet, LabelSets, MultilabelOptions, PairWeights, SetLoss};
use crate::surrogate::Surrogate;

/// The task: a set of labels per example.
///
/// ```
/// use maxmargin::tasks::{Fitted, Multilabel, multilabel::Pairs};
/// let one_svm_per_label = Multilabel { pairs: Pairs::None, ..Multilabel::default() };
/// assert_eq!(Fitted::new(one_svm_per_label, 10, 3)?.dim(), 11 * 3);
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Multilabel {
    /// Whether there is a constant feature.
    pub bias: bool,
    /// The pairs of labels that have weights.
    pub pairs: Pairs,
    /// The weights of each pair.
    pub pair_weights: PairWeights,
    /// Whether a label that is not in the set has −x in its block instead of nothing.
    pub signed: bool,
    /// Over which labels the most violated one is searched; without it, what the pairs allow.
    pub inference: Option<Inference>,
    /// What each label costs.
    pub weights: LabelWeights,
    /// Whether the loss is divided by the number of labels.
    pub mean: bool,
    /// How many labels to keep; all without it.
    pub most_frequent_labels: Option<usize>,
}

impl Default for Multilabel {
    fn default() -> Self {
        Self {
            bias: true,
            pairs: Pairs::default(),
            // As good as four, and two to four times as fast: docs/tasks/multilabel.md.
            pair_weights: PairWeights::Both,
            signed: false,
            inference: None,
            weights: LabelWeights::Equal,
            mean: false,
            most_frequent_labels: None,
        }
    }
}

/// What a model file says of label sets.
#[derive(Debug, Serialize, Deserialize)]
struct StoredSets {
    #[serde(flatten)]
    pairs: StoredPairs,
    #[serde(default)]
    pair_weights: PairWeights,
    signed: bool,
    inference: Inference,
}

const LABEL_WEIGHTS: &str = "label_weight";

impl Multilabel {
    fn inference(&self, labels: usize) -> Inference {
        self.inference.unwrap_or(match self.pairs {
            Pairs::None => Inference::Exact,
            _ if labels > MOST_LABELS => Inference::Relaxed,
            _ => Inference::Exact,
        })
    }
}

impl Task for Multilabel {
    type Data = LabelSetExamples;
    type Structure = structure::MultilabelStructure;

    const NAME: &'static str = "multilabel";
    const ABOUT: &'static str = "\
A set of labels for each example

A label is a set of labels; a single label is a set too, and each position of a sequence an example of its own. Predictions \
are one set per line, its labels separated by commas (in quotes where they hold commas), and an empty line for the empty set. Metrics: hamming (the share of \
labels that are wrongly in or out), subset_accuracy (the share of sets that are right), jaccard (the mean of |y∩ŷ|/|y∪ŷ|), \
example_f1 (the mean F1 of a set), Micro-F1 of all labels of all examples with its precision and recall, Macro-F1, the mean \
loss.";
    const HAS_SETS: bool = true;
    const HAS_CANDIDATES: bool = true;

    fn options() -> Vec<TaskOption> {
        options::all()
    }

    fn set(&mut self, option: &str, values: &[String]) -> Result<()> {
        options::set(self, option, values)
    }

    fn files(&self) -> Vec<(&'static str, PathBuf)> {
        let weights = self.weights.file("loss");
        let pairs = match &self.pairs {
            Pairs::File(file) => Some(("pairs", file.clone())),
            _ => None,
        };
        weights.into_iter().chain(pairs).collect()
    }

    fn select(&self, data: &LabelSetExamples) -> Option<Vec<u32>> {
        let mut kept = data.most_frequent_labels(self.most_frequent_labels?);
        kept.sort_unstable();
        Some(kept)
    }

    fn resolve(&self, names: &Vocabulary, data: &LabelSetExamples) -> Result<Self> {
        let weights = self.weights.of_sets(&names.labels, data.len(), data.labels())?;
        let pairs = self.pairs.resolve(&names.labels, data)?;
        let resolved = Self { weights, pairs, ..self.clone() };
        // A tree that was found is listed, and listed pairs of many labels are taken for a graph with cycles.
        let inference = Some(self.inference.unwrap_or_else(|| resolved.inference(names.labels.len())));
        Ok(Self { inference, ..resolved })
    }

    fn structure(&self, features: usize, labels: usize) -> Result<Self::Structure> {
        let &Self { bias, pair_weights, signed, mean, .. } = self;
        let loss = match &self.weights {
            LabelWeights::Listed(weights) => SetLoss::Hamming { weights: Some(Arc::clone(weights)), mean },
            LabelWeights::Mistakes { miss, wrong } => {
                SetLoss::Mistakes { miss: Arc::clone(miss), wrong: Arc::clone(wrong), mean }
            }
            _ => SetLoss::Hamming { weights: None, mean },
        };
        let inference = self.inference(labels);
        let options = MultilabelOptions { bias, pair_weights, signed, loss, inference };
        Ok(structure::MultilabelStructure::new(features, self.pairs.graph(labels)?, options)?)
    }

    fn input(data: &LabelSetExamples, example: usize) -> Rows {
        data.rows().input(example)
    }

    fn truth(_: &Self::Structure, data: &LabelSetExamples, example: usize) -> Result<LabelSet> {
        Ok(LabelSet::of(data.labels_of(example)))
    }

    fn counts_mistakes(&self) -> bool {
        self.weights == LabelWeights::Equal && !self.mean
    }

    fn has_whole_losses(structure: &Self::Structure, surrogate: Surrogate) -> bool {
        match surrogate {
            Surrogate::MicroF1 => structure.with_sizes(None).has_strata(),
            _ => structure.has_strata(),
        }
    }

    const STRATIFIED_NEEDS: [&'static str; 2] = [
        "exact inference, the same cost for every mistake, and a forest of pairs or at most 20 labels",
        "stratified would need too much memory for the losses of a set; use hull",
    ];

    fn best_search(
        structure: &Self::Structure,
        surrogate: Surrogate,
        _: &LabelSetExamples,
    ) -> (Strategy, &'static str) {
        if structure.is_relaxed() {
            return (Strategy::HullFractional, "the best of all fractional label sets");
        }
        match Self::has_whole_losses(structure, surrogate) {
            true => (Strategy::Stratified, "exact, and one look at all losses"),
            false => (Strategy::Hull, "exact, whatever the losses"),
        }
    }

    fn has_label_shifts(&self) -> bool {
        self.bias
    }

    /// The constant feature of a label counts twice where it is −1 outside.
    fn shift_labels(&self, features: usize, shifts: &[f64], weights: &mut [f64]) {
        let scale = if self.signed { 0.5 } else { 1.0 };
        let constant = weights[features * shifts.len()..].iter_mut();
        constant.zip(shifts).for_each(|(weight, shift)| *weight += scale * shift);
    }

    fn blocks(&self, features: usize, labels: usize) -> Vec<(&'static str, Vec<usize>)> {
        let features = features.saturating_add(usize::from(self.bias));
        let pairs = vec![self.pairs.count(labels), self.pair_weights.count()];
        vec![("unary", vec![features, labels]), ("pair", pairs)]
    }

    fn save(&self) -> Stored {
        let &Self { pair_weights, signed, .. } = self;
        let inference = self.inference.unwrap_or_default();
        let sets = StoredSets { pairs: (&self.pairs).into(), pair_weights, signed, inference };
        let mut stored = Stored::default()
            .with("bias", self.bias)
            .with("boundary", false)
            .with("loss", self.loss_name())
            .with("sets", serde_json::to_value(sets).unwrap_or_default());
        match &self.weights {
            LabelWeights::Listed(weights) => {
                stored.add_tensor(LABEL_WEIGHTS, vec![weights.len()], weights.to_vec());
            }
            LabelWeights::Mistakes { miss, wrong } => {
                stored.add_tensor(LABEL_WEIGHTS, vec![2, miss.len()], [&miss[..], wrong].concat());
            }
            _ => {}
        }
        stored
    }

    fn load(stored: &Stored, labels: usize) -> std::result::Result<Self, String> {
        if !stored.fields.contains_key("sets") {
            return Err("the description does not say which pairs of labels have weights".to_owned());
        }
        let StoredSets { pairs, pair_weights, signed, inference } = stored.field("sets")?;
        let loss = stored.loss()?;
        let weights = match loss.as_str() {
            "hamming" | "hamming-mean" => LabelWeights::Equal,
            "weighted" | "weighted-mean" => {
                LabelWeights::Listed(stored.tensor(LABEL_WEIGHTS, &[labels])?.into())
            }
            "mistakes" | "mistakes-mean" => {
                let (miss, wrong) = stored.tensor(LABEL_WEIGHTS, &[2, labels])?.split_at(labels);
                LabelWeights::Mistakes { miss: miss.into(), wrong: wrong.into() }
            }
            loss => return unknown_loss(loss),
        };
        Ok(Self {
            bias: stored.field("bias")?,
            pairs: pairs.pairs()?,
            pair_weights,
            signed,
            inference: Some(inference),
            weights,
            mean: loss.ends_with("-mean"),
            most_frequent_labels: None,
        })
    }

    fn loss_name(&self) -> &'static str {
        match (&self.weights, self.mean) {
            (LabelWeights::Equal, false) => "hamming",
            (LabelWeights::Equal, true) => "hamming-mean",
            (LabelWeights::Listed(_) | LabelWeights::File(_), false) => "weighted",
            (LabelWeights::Listed(_) | LabelWeights::File(_), true) => "weighted-mean",
            (_, false) => "mistakes",
            (_, true) => "mistakes-mean",
        }
    }

    fn describe(structure: &Self::Structure, task: &Self) -> String {
        let graph = structure.graph();
        let pairs = match graph.edges().len() {
            0 => "no pairs".to_owned(),
            pairs if graph.is_complete() => format!("all {}", count(pairs, "pair")),
            pairs => count(pairs, "pair"),
        };
        let weights = match structure.pair_weights() {
            PairWeights::Both if !graph.edges().is_empty() => " (both)",
            _ => "",
        };
        let bias = if task.bias { "bias" } else { "no bias" };
        let inference = if structure.is_relaxed() { "relaxed inference" } else { "exact inference" };
        let signed = if structure.is_signed() { ", signed" } else { "" };
        format!("{bias}, {pairs}{weights}, {inference}{signed}")
    }

    fn facts(structure: &Self::Structure, task: &Self) -> Map<String, Value> {
        let facts = [
            ("bias", json!(task.bias)),
            ("pairs", json!(structure.graph().edges().len())),
            ("inference", json!(if structure.is_relaxed() { "relaxed" } else { "exact" })),
            ("pair_weights", json!(structure.pair_weights().count())),
            ("signed", json!(structure.is_signed())),
        ];
        facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn name(_: &Self::Structure, names: &Vocabulary, _: &InputOf<Self>, label: &LabelSet) -> Value {
        label.on().iter().map(|&label| names.labels.name(label)).collect()
    }

    fn member(names: &Vocabulary, _: &InputOf<Self>, variable: usize) -> Option<Value> {
        Some(names.labels.name(variable as u32).into())
    }

    fn is_right(data: &LabelSetExamples, example: usize, variable: usize, value: u32) -> Option<bool> {
        (value == 1).then(|| data.labels_of(example).contains(&(variable as u32)))
    }

    fn write(label: &Value) -> String {
        join_names(label.as_array().into_iter().flatten().filter_map(Value::as_str))
    }

    fn metrics(structure: &Self::Structure, comparison: ComparisonOf<'_, Self>) -> Metrics {
        LabelSetMetrics::of(structure, comparison).into()
    }

    /// What each pair of labels adds to the score when both are in, beside what each adds by itself. The largest first, by
    /// absolute value.
    fn couplings(
        structure: &Self::Structure,
        names: &Alphabet,
        weights: &[f64],
    ) -> Vec<(String, String, f64)> {
        let edges = structure.graph().edges();
        let kind = structure.pair_weights();
        let start = weights.len().saturating_sub(kind.count() * edges.len());
        let mut couplings: Vec<(String, String, f64)> = edges
            .iter()
            .zip(weights[start..].chunks_exact(kind.count()))
            .map(|(&(i, j), weights)| {
                (names.name(i).to_owned(), names.name(j).to_owned(), kind.coupling(weights))
            })
            .filter(|coupling| coupling.2 != 0.0)
            .collect();
        couplings.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
        couplings
    }

    fn demo(say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        demo::run(say)
    }
}
