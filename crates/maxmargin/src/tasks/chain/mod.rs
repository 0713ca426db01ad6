//! A class for each position of a sequence, with weights for neighbours.

mod chunks;
mod demo;
mod examples;
mod metrics;
mod triples;
pub mod word_images;

use std::path::PathBuf;
use std::sync::Arc;

pub use examples::SequenceExamples;
pub use metrics::SequenceMetrics;
use serde_json::{Map, Value, json};

use self::triples::{ORDER, Triples};
use super::option::{NO_BIAS, choice, not_allowed, one, unknown};
use super::seen_weights::WEIGHTS;
use super::stored::unknown_loss;
use super::{ComparisonOf, Costs, InputOf, SeenWeights, Stored, Task, TaskOption, WeightChoice};
use crate::data::{Alphabet, TaskData, UNKNOWN_LABEL, Vocabulary};
use crate::error::{Error, Result};
use crate::features::Rows;
use crate::linear::SeenPairs;
use crate::metrics::Metrics;
use crate::search::Strategy;
use crate::shown::count;
use crate::structure::{self, ChainLoss, ChainOptions, LabelCost, LabelSets};
use crate::surrogate::Surrogate;

/// Up to this many different losses of a mean example the stratified search is faster than the hull search.
const FEW_LOSSES: f64 = 40.0;

/// The task: one class per position.
///
/// ```
/// use maxmargin::tasks::{Chain, Fitted};
/// let chain = Chain { boundary: false, ..Chain::default() };
/// assert_eq!(Fitted::new(chain, 10, 3)?.dim(), 11 * 3 + 3 * 3);
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Chain {
    /// Whether there is a constant feature.
    pub bias: bool,
    /// Whether the first and the last label have weights.
    pub boundary: bool,
    /// What a wrong class costs.
    pub costs: Costs,
    /// Whether the loss is divided by the length.
    pub mean: bool,
    /// How many of the columns, the first ones, have a weight for each pair of neighbouring labels. [`Task::resolve`] takes it from the
    /// data.
    pub pair_attributes: usize,
    /// Which pairs of attributes and labels have weights.
    pub weights: SeenWeights,
    /// Whether three labels in a row have weights, and which.
    pub triples: Triples,
}

/// So many weights of pairs are the most: 2 GB.
const MOST_PAIR_WEIGHTS: usize = 1 << 28;

impl Default for Chain {
    fn default() -> Self {
        Self {
            bias: true,
            boundary: true,
            costs: Costs::Equal,
            mean: false,
            pair_attributes: 0,
            weights: SeenWeights::default(),
            triples: Triples::default(),
        }
    }
}

const LOSS: TaskOption = TaskOption::value(
    "loss",
    "LOSS",
    "The task loss: hamming, hamming-mean, cost=FILE, weights=FILE or balanced",
)
.default("hamming")
.more(
    "hamming: the number of wrong positions. hamming-mean: that number divided by the length. cost=FILE: lines \
     `truth predicted cost`; pairs that are not named cost 1; the costs of all positions are added up. weights=FILE: a wrong \
     position costs what its true label weighs; lines `label weight`, and 1 for others. balanced: the same, and a label weighs \
     the more, the rarer it is.",
);
/// The field of a model that says how many attributes have weights of pairs.
pub(crate) const PAIR_ATTRIBUTES: &str = "pair_attributes";

const NO_BOUNDARY: TaskOption =
    TaskOption::switch("no-boundary", "Leave out the weights of the first and the last label");

impl Chain {
    fn has_sizes(surrogate: Surrogate) -> bool {
        surrogate == Surrogate::MicroF1
    }
}

impl Task for Chain {
    type Data = SequenceExamples;
    type Structure = structure::ChainStructure;

    const NAME: &'static str = "chain";
    const ABOUT: &'static str = "\
A class for each position of a sequence

A label is a class for each position of a sequence, found as a whole. Predictions are one label per line, with a blank line \
after each sequence. Metrics: token error and accuracy, sequence error (any token wrong), the mean loss, Macro-F1, for tags \
like O, B-NP, I-NP precision, recall and F1 of chunks as the CoNLL shared tasks count them; with a background also Micro-F1 \
of the other labels.";
    const HAS_BACKGROUND: bool = true;
    const HAS_TAGS: bool = true;
    const HAS_CANDIDATES: bool = true;

    fn options() -> Vec<TaskOption> {
        vec![LOSS, ORDER, WEIGHTS, NO_BIAS, NO_BOUNDARY]
    }

    fn set(&mut self, option: &str, values: &[String]) -> Result<()> {
        match option {
            "no-bias" => self.bias = false,
            "no-boundary" => self.boundary = false,
            "weights" => self.weights.set(option, values)?,
            "order" => {
                self.triples = choice(option, values, &[("1", Triples::None), ("2", Triples::All)])?;
            }
            "loss" => {
                (self.costs, self.mean) = match one(option, values)? {
                    "hamming" => (Costs::Equal, false),
                    "hamming-mean" => (Costs::Equal, true),
                    "zero-one" => {
                        let problem = "zero-one: the 0/1 loss of a whole chain does not split over its positions, so the most violated labels cannot be found by dynamic programming here; use hamming or hamming-mean";
                        return Err(Error::parameter(option, problem));
                    }
                    loss => {
                        let losses = ["hamming", "hamming-mean", "cost=FILE", "weights=FILE", "balanced"];
                        (Costs::parse(loss).ok_or_else(|| not_allowed(option, loss, &losses))?, false)
                    }
                }
            }
            _ => return Err(unknown(Self::NAME, option)),
        }
        Ok(())
    }

    fn files(&self) -> Vec<(&'static str, PathBuf)> {
        self.costs.files()
    }

    fn resolve(&self, names: &Vocabulary, data: &SequenceExamples) -> Result<Self> {
        let (pair_attributes, labels) = (data.pair_columns(), names.labels.len());
        let weights = pair_attributes.saturating_mul(labels.saturating_mul(labels));
        if weights > MOST_PAIR_WEIGHTS {
            let problem = format!(
                "the templates of pairs make {pair_attributes} attributes, with a weight for each of the {labels} × {labels} pairs of \
                 labels: {weights} weights, more than {MOST_PAIR_WEIGHTS}; let them look at what has fewer values, as tags have"
            );
            return Err(Error::parameter("templates", problem));
        }
        if pair_attributes > 0 && self.weights.choice == WeightChoice::Seen {
            let problem = "seen does not go with templates of pairs of labels, which have weights for all of them; leave one of the two out";
            return Err(Error::parameter("weights", problem));
        }
        let weights = self.weights.resolved(
            data.features().map_or(0, |features| features.columns()),
            labels,
            |see| {
                for i in 0..data.len() {
                    let (input, of_rows) = (data.rows().input(i), data.labels_of(i));
                    let first = data.rows().range(i).start;
                    for (row, &label) in of_rows.iter().enumerate() {
                        let of_row = match data.candidates() {
                            Some(candidates) => candidates.of(first + row),
                            None if label == UNKNOWN_LABEL => &[],
                            None => &of_rows[row..=row],
                        };
                        see(input.row(row), of_row);
                    }
                }
            },
        )?;
        let is_seen = self.weights.choice == WeightChoice::Seen;
        let triples = self.triples.resolved(is_seen, (0..data.len()).map(|i| data.labels_of(i)));
        let costs = self.costs.resolve(&names.labels, data.labels())?;
        Ok(Self { costs, pair_attributes, weights, triples, ..*self })
    }

    fn structure(&self, features: usize, labels: usize) -> Result<Self::Structure> {
        let &Self { bias, boundary, mean, .. } = self;
        let options =
            ChainOptions { bias, boundary, loss: ChainLoss { cost: self.costs.label_cost(), mean } };
        let unary = features.checked_sub(self.pair_attributes).ok_or_else(|| {
            let problem = format!("{} of pairs, but there are {features} in all", self.pair_attributes);
            Error::parameter("attributes", problem)
        })?;
        let structure = match self.weights.pairs_of(features)? {
            None => structure::ChainStructure::new(unary, labels, options)?,
            Some(pairs) if pairs.label_count() == labels => {
                structure::ChainStructure::with_seen_pairs(pairs, options)?
            }
            Some(pairs) => {
                let problem = format!("pairs with {} labels, but there are {labels}", pairs.label_count());
                return Err(Error::parameter("weights", problem));
            }
        };
        self.triples.added_to(structure.with_pair_features(self.pair_attributes)?)
    }

    fn input(data: &SequenceExamples, example: usize) -> Rows {
        data.rows().input(example)
    }

    fn truth(_: &Self::Structure, data: &SequenceExamples, example: usize) -> Result<Vec<u32>> {
        Ok(data.labels_of(example).to_vec())
    }

    fn counts_mistakes(&self) -> bool {
        self.costs.are_equal() && !self.mean
    }

    fn rounds_costs(&self) -> bool {
        true
    }

    /// Micro-F1 has losses of its own.
    fn has_whole_losses(structure: &Self::Structure, surrogate: Surrogate) -> bool {
        Self::has_sizes(surrogate) || structure.cost().is_whole(None)
    }

    fn has_too_many_losses(
        structure: &Self::Structure,
        surrogate: Surrogate,
        data: &SequenceExamples,
        step: Option<f64>,
    ) -> bool {
        let longest = (0..data.len()).map(|i| data.rows().range(i).len()).max().unwrap_or(0);
        match Self::has_sizes(surrogate) {
            true => structure.with_sizes(None).has_too_many_losses(longest, None),
            false => structure.has_too_many_losses(longest, step),
        }
    }

    const STRATIFIED_NEEDS: [&'static str; 2] = [
        "costs that are whole numbers up to 100",
        "stratified would need more than 256 MB for the losses of the longest chain; use hull, or a larger loss step",
    ];

    fn best_search(
        structure: &Self::Structure,
        surrogate: Surrogate,
        data: &SequenceExamples,
    ) -> (Strategy, &'static str) {
        let whole = Self::has_whole_losses(structure, surrogate);
        if Self::has_sizes(surrogate) {
            return (Strategy::Hull, "exact, and two queries mostly do: the best label is a vertex");
        }
        if whole && !surrogate.is_monotone() {
            return (Strategy::Stratified, "the only one for this surrogate");
        }
        let mean_length = data.labels().len() as f64 / data.len().max(1) as f64;
        let has_few_losses = mean_length * structure.cost().largest_of_all() <= FEW_LOSSES;
        match whole && has_few_losses && !Self::has_too_many_losses(structure, surrogate, data, None) {
            true => (Strategy::Stratified, "exact, and there are few different losses"),
            false => (Strategy::Hull, "exact, whatever the losses"),
        }
    }

    fn blocks(&self, features: usize, labels: usize) -> Vec<(&'static str, Vec<usize>)> {
        let pairs = self.pair_attributes;
        let constant = usize::from(self.bias);
        let mut blocks = Vec::new();
        if pairs > 0 {
            blocks.push(("pair", vec![pairs, labels, labels]));
        }
        match self.weights.pairs() {
            None => {
                let features = features.saturating_sub(pairs).saturating_add(constant);
                blocks.push(("unary", vec![features, labels]));
            }
            Some(seen) => blocks.extend([("seen", vec![1, seen.len()]), ("bias", vec![constant, labels])]),
        }
        blocks.push(("transition", vec![labels, labels]));
        if self.boundary {
            blocks.extend([("first", vec![labels]), ("last", vec![labels])]);
        }
        blocks.extend(self.triples.block(labels));
        blocks
    }

    fn triples(&self, names: &Alphabet, weights: &[f64]) -> Vec<([String; 3], f64)> {
        self.triples.named(names, weights)
    }

    fn pair_attributes(&self) -> usize {
        self.pair_attributes
    }

    fn with_pair_attributes(&self, pair_attributes: usize) -> Self {
        Self { pair_attributes, ..self.clone() }
    }

    fn save(&self) -> Stored {
        let mut stored = Stored::default()
            .with("bias", self.bias)
            .with("boundary", self.boundary)
            .with("loss", self.loss_name());
        self.costs.save(&mut stored);
        let mut tensors: Vec<&str> = Vec::new();
        if self.weights.pairs().is_some() {
            tensors.extend(SeenWeights::TENSORS);
            stored = self.weights.save(stored);
        }
        stored = self.triples.save(stored, &mut tensors);
        if !tensors.is_empty() {
            stored = stored.with("tensors", tensors);
        }
        match self.pair_attributes {
            0 => stored,
            pairs => stored.with(PAIR_ATTRIBUTES, pairs),
        }
    }

    fn load(stored: &Stored, labels: usize) -> std::result::Result<Self, String> {
        let loss = stored.loss()?;
        let costs = match loss.as_str() {
            "hamming" | "hamming-mean" | "zero-one" => Costs::Equal,
            "cost" | "cost-mean" => Costs::load(stored, labels)?,
            loss => return unknown_loss(loss),
        };
        let (bias, boundary) = (stored.field("bias")?, stored.field("boundary")?);
        let pair_attributes = stored.field::<Option<usize>>(PAIR_ATTRIBUTES)?.unwrap_or(0);
        let weights = SeenWeights::load(stored, labels)?;
        let triples = Triples::load(stored)?;
        Ok(Self { bias, boundary, costs, mean: loss.ends_with("-mean"), pair_attributes, weights, triples })
    }

    fn loss_name(&self) -> &'static str {
        match (self.costs.are_equal(), self.mean) {
            (true, false) => "hamming",
            (true, true) => "hamming-mean",
            (false, false) => "cost",
            (false, true) => "cost-mean",
        }
    }

    fn describe(_: &Self::Structure, task: &Self) -> String {
        let bias = if task.bias { "bias" } else { "no bias" };
        let boundary = if task.boundary { "boundary weights" } else { "no boundary weights" };
        let seen = if task.weights.pairs().is_some() { ", weights of seen pairs" } else { "" };
        let order = if task.triples == Triples::None { "" } else { ", second order" };
        match task.pair_attributes {
            0 => format!("{bias}, {boundary}{order}{seen}"),
            pairs => format!("{bias}, {boundary}{order}, {}", count(pairs, "pair attribute")),
        }
    }

    fn facts(_: &Self::Structure, task: &Self) -> Map<String, Value> {
        let facts = [
            ("bias", json!(task.bias)),
            ("boundary", json!(task.boundary)),
            (PAIR_ATTRIBUTES, json!(task.pair_attributes)),
            ("order", json!(if task.triples == Triples::None { 1 } else { 2 })),
        ];
        facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn name(_: &Self::Structure, names: &Vocabulary, _: &InputOf<Self>, label: &Vec<u32>) -> Value {
        label.iter().map(|&label| names.labels.name(label)).collect()
    }

    fn is_right(data: &SequenceExamples, example: usize, variable: usize, value: u32) -> Option<bool> {
        Some(data.labels_of(example).get(variable) == Some(&value))
    }

    fn write(label: &Value) -> String {
        let names: Vec<&str> = label.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        names.join("\n")
    }

    fn metrics(structure: &Self::Structure, comparison: ComparisonOf<'_, Self>) -> Metrics {
        let metrics = Metrics::from(SequenceMetrics::of(structure, comparison));
        let counted = matches!(structure.cost(), LabelCost::ZeroOne).then_some("token_error");
        Metrics { main: metrics.main.or(counted), ..metrics }
    }

    fn seen_pairs(&self) -> Option<&SeenPairs> {
        self.weights.pairs().map(Arc::as_ref)
    }

    fn demo(say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        demo::run(say)
    }
}

/// Sequences with these true labels and no features.
#[cfg(test)]
pub(crate) fn truth(sequences: &[&[u32]]) -> SequenceExamples {
    let labels: Vec<u32> = sequences.concat();
    SequenceExamples::new(rows_without_features(sequences.iter().map(|sequence| sequence.len())), labels)
        .unwrap()
}

/// Groups of so many rows each, without features.
#[cfg(test)]
pub(crate) fn rows_without_features(sizes: impl Iterator<Item = usize>) -> crate::data::ExampleRows {
    let starts = crate::data::starts(sizes);
    let mut features = crate::features::MatrixBuilder::sparse();
    (0..starts[starts.len() - 1]).for_each(|_| features.end_row());
    crate::data::ExampleRows::grouped(features.finish(0), starts).unwrap()
}
