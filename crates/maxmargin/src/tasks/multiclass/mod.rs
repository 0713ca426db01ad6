//! One of several classes for each example.

mod demo;
mod examples;
mod metrics;

use std::path::PathBuf;

pub use examples::RowExamples;
pub use metrics::MulticlassMetrics;
use serde_json::{Map, Value, json};

use super::option::{NO_BIAS, one, unknown};
use super::stored::unknown_loss;
use super::{ComparisonOf, Costs, InputOf, Stored, Task, TaskOption};
use crate::data::Vocabulary;
use crate::error::{Error, Result};
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
}

impl Default for Multiclass {
    fn default() -> Self {
        Self { bias: true, costs: Costs::Equal }
    }
}

const LOSS: TaskOption = TaskOption::value("loss", "LOSS", "The task loss: zero-one or cost=FILE")
    .default("zero-one")
    .more("zero-one: 1 for a wrong label. cost=FILE: lines `truth predicted cost`; pairs that are not named cost 1.");

impl Task for Multiclass {
    type Data = RowExamples;
    type Structure = structure::MulticlassStructure;

    const NAME: &'static str = "multiclass";
    const SUMMARY: &'static str = "One of several classes for each example";
    const ABOUT: &'static str = "\
A label is a class. Each position of a sequence is taken as an example of its own. Predictions are one label per line. \
Metrics: error and accuracy, the mean loss, Macro-F1; with a background also Micro-F1 of the other labels.";
    const HAS_BACKGROUND: bool = true;

    fn options() -> Vec<TaskOption> {
        vec![LOSS, NO_BIAS]
    }

    fn set(&mut self, option: &str, values: &[String]) -> Result<()> {
        match option {
            "no-bias" => self.bias = false,
            "loss" => {
                self.costs = match one(option, values)? {
                    "zero-one" | "hamming" | "hamming-mean" => Costs::Equal,
                    loss => match loss.strip_prefix("cost=").filter(|file| !file.is_empty()) {
                        Some(file) => Costs::File(file.into()),
                        None => return Err(Error::parameter("loss", "allowed are zero-one and cost=FILE")),
                    },
                }
            }
            _ => return Err(unknown(Self::NAME, option)),
        }
        Ok(())
    }

    fn files(&self) -> Vec<(&'static str, PathBuf)> {
        self.costs.files()
    }

    fn resolve(&self, names: &Vocabulary, _: &RowExamples) -> Result<Self> {
        Ok(Self { costs: self.costs.resolve(&names.labels)?, ..*self })
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
        stored
    }

    fn load(stored: &Stored, labels: usize) -> std::result::Result<Self, String> {
        let costs = match stored.loss()?.as_str() {
            // Early versions wrote it so for data without sequences.
            "zero-one" | "hamming" | "hamming-mean" => Costs::Equal,
            "cost" | "cost-mean" => Costs::load(stored, labels)?,
            loss => return unknown_loss(loss),
        };
        Ok(Self { bias: stored.field("bias")?, costs })
    }

    fn loss_name(&self) -> &'static str {
        if self.costs.are_equal() { "zero-one" } else { "cost" }
    }

    fn describe(_: &Self::Structure, task: &Self) -> String {
        if task.bias { "bias" } else { "no bias" }.to_owned()
    }

    fn facts(_: &Self::Structure, task: &Self) -> Map<String, Value> {
        [("bias".to_owned(), json!(task.bias))].into_iter().collect()
    }

    fn name(names: &Vocabulary, _: &InputOf<Self>, label: &u32) -> Value {
        names.labels.name(*label).into()
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
