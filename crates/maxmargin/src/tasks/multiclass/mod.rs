//! One of several classes for each example.

mod demo;
mod examples;
mod metrics;

use std::path::PathBuf;

pub use examples::RowExamples;
pub use metrics::MulticlassMetrics;
use serde_json::{Map, Value, json};

use super::option::{NO_BIAS, not_allowed, one, unknown};
use super::stored::unknown_loss;
use super::{ComparisonOf, Costs, InputOf, LabelWeights, Stored, Task, TaskOption};
use crate::data::{TaskData, Vocabulary};
use crate::error::Result;
use crate::features::Rows;
use crate::metrics::Metrics;
use crate::search::Strategy;
use crate::structure::{self, LabelCost};
use crate::surrogate::Surrogate;

/// The task: one class per example.
///
/// ```
/// use maxmargin::tasks::{Fitted, Multiclass};
/// assert_eq!(Fitted::new(Multiclass::default(), 10, 3)?.dim(), 11 * 3);
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Multiclass {
    /// Whether there is a constant feature.
    pub bias: bool,
    /// What a wrong class costs.
    pub costs: Costs,
    /// How much examples of each class count.
    pub class_weights: LabelWeights,
}

impl Default for Multiclass {
    fn default() -> Self {
        Self { bias: true, costs: Costs::Equal, class_weights: LabelWeights::Equal }
    }
}

const LOSS: TaskOption =
    TaskOption::value("loss", "LOSS", "The task loss: zero-one, cost=FILE, weights=FILE or balanced")
        .default("zero-one")
        .more(
            "zero-one: 1 for a wrong label. cost=FILE: lines `truth predicted cost`; pairs that are not named cost 1. \
             weights=FILE: what the true label weighs; lines `label weight`, and 1 for others. balanced: the true label weighs \
             the more, the rarer it is.",
        );
const CLASS_WEIGHTS: TaskOption = TaskOption::value(
    "class-weights",
    "WEIGHTS",
    "How much examples of each class count: balanced, or a file with lines `label weight`",
)
.more(
    "The weight of an example is multiplied by that of its class, as by -wi of LIBLINEAR and by class_weight of scikit-learn. \
     balanced: n / (K·n_k) for a class of which n_k of n examples are, where there are K of them.",
);
/// The field of a model file with the weights of classes.
const STORED_WEIGHTS: &str = "class_weights";

impl Task for Multiclass {
    type Data = RowExamples;
    type Structure = structure::MulticlassStructure;

    const NAME: &'static str = "multiclass";
    const ABOUT: &'static str = "\
One of several classes for each example

A label is a class. Each position of a sequence is taken as an example of its own. Predictions are one label per line. \
Metrics: error and accuracy, the mean loss, Macro-F1; with a background also Micro-F1 of the other labels.";
    const HAS_BACKGROUND: bool = true;
    const HAS_CANDIDATES: bool = true;

    fn options() -> Vec<TaskOption> {
        vec![LOSS, CLASS_WEIGHTS, NO_BIAS]
    }

    fn set(&mut self, option: &str, values: &[String]) -> Result<()> {
        match option {
            "no-bias" => self.bias = false,
            "loss" => {
                self.costs = match one(option, values)? {
                    "zero-one" | "hamming" | "hamming-mean" => Costs::Equal,
                    loss => Costs::parse(loss).ok_or_else(|| {
                        not_allowed(option, loss, &["zero-one", "cost=FILE", "weights=FILE", "balanced"])
                    })?,
                }
            }
            "class-weights" => {
                self.class_weights = match one(option, values)? {
                    "" => return Err(not_allowed(option, "", &["balanced", "FILE"])),
                    weights => LabelWeights::named(option, weights)?,
                }
            }
            _ => return Err(unknown(Self::NAME, option)),
        }
        Ok(())
    }

    fn files(&self) -> Vec<(&'static str, PathBuf)> {
        self.costs.files().into_iter().chain(self.class_weights.file("class-weights")).collect()
    }

    fn resolve(&self, names: &Vocabulary, data: &RowExamples) -> Result<Self> {
        let class_weights = self.class_weights.of_classes(&names.labels, data.labels())?;
        let class_weights = class_weights.map_or(LabelWeights::Equal, LabelWeights::Listed);
        Ok(Self { costs: self.costs.resolve(&names.labels, data.labels())?, class_weights, ..*self })
    }

    fn weight(&self, data: &RowExamples, example: usize) -> f64 {
        let of_class = match &self.class_weights {
            LabelWeights::Listed(weights) => weights.get(data.label(example) as usize).copied(),
            _ => None,
        };
        data.weight(example) * of_class.unwrap_or(1.0)
    }

    fn structure(&self, features: usize, labels: usize) -> Result<Self::Structure> {
        Ok(structure::MulticlassStructure::new(features, labels, self.bias, self.costs.label_cost())?)
    }

    fn input(data: &RowExamples, example: usize) -> Rows {
        data.rows().input(example)
    }

    fn truth(_: &Self::Structure, data: &RowExamples, example: usize) -> Result<u32> {
        Ok(data.label(example))
    }

    fn counts_mistakes(&self) -> bool {
        self.costs.are_equal()
    }

    fn rounds_costs(&self) -> bool {
        true
    }

    /// All labels are listed anyway.
    fn has_whole_losses(_: &Self::Structure, _: Surrogate) -> bool {
        true
    }

    const STRATIFIED_NEEDS: [&'static str; 2] = ["nothing", "use hull"];

    fn best_search(_: &Self::Structure, _: Surrogate, _: &RowExamples) -> (Strategy, &'static str) {
        (Strategy::Stratified, "all labels are looked at anyway")
    }

    fn blocks(&self, features: usize, labels: usize) -> Vec<(&'static str, Vec<usize>)> {
        vec![("unary", vec![features.saturating_add(usize::from(self.bias)), labels])]
    }

    fn save(&self) -> Stored {
        let mut stored =
            Stored::default().with("bias", self.bias).with("boundary", false).with("loss", self.loss_name());
        self.costs.save(&mut stored);
        match &self.class_weights {
            LabelWeights::Listed(weights) => stored.with(STORED_WEIGHTS, weights.to_vec()),
            _ => stored,
        }
    }

    fn load(stored: &Stored, labels: usize) -> std::result::Result<Self, String> {
        let costs = match stored.loss()?.as_str() {
            // Early versions wrote it so for data without sequences.
            "zero-one" | "hamming" | "hamming-mean" => Costs::Equal,
            "cost" | "cost-mean" => Costs::load(stored, labels)?,
            loss => return unknown_loss(loss),
        };
        let class_weights = match stored.fields.contains_key(STORED_WEIGHTS) {
            true => LabelWeights::Listed(stored.field::<Vec<f64>>(STORED_WEIGHTS)?.into()),
            false => LabelWeights::Equal,
        };
        Ok(Self { bias: stored.field("bias")?, costs, class_weights })
    }

    fn loss_name(&self) -> &'static str {
        if self.costs.are_equal() { "zero-one" } else { "cost" }
    }

    fn describe(_: &Self::Structure, task: &Self) -> String {
        let weighted = if task.class_weights == LabelWeights::Equal { "" } else { ", class weights" };
        format!("{}{weighted}", if task.bias { "bias" } else { "no bias" })
    }

    fn facts(_: &Self::Structure, task: &Self) -> Map<String, Value> {
        [("bias".to_owned(), json!(task.bias))].into_iter().collect()
    }

    fn name(_: &Self::Structure, names: &Vocabulary, _: &InputOf<Self>, label: &u32) -> Value {
        names.labels.name(*label).into()
    }

    fn is_right(data: &RowExamples, example: usize, _: usize, value: u32) -> Option<bool> {
        Some(data.label(example) == value)
    }

    fn write(label: &Value) -> String {
        label.as_str().unwrap_or_default().to_owned()
    }

    fn metrics(structure: &Self::Structure, comparison: ComparisonOf<'_, Self>) -> Metrics {
        let main = matches!(structure.cost(), LabelCost::ZeroOne).then_some("error");
        Metrics { main, ..MulticlassMetrics::of(structure, comparison).into() }
    }

    fn demo(say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        demo::run(say)
    }
}
