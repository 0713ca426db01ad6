//! `maxmargin eval`: how good a model is on labelled data.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use maxmargin::Model;
use serde_json::json;

use crate::arguments::{EvaluationArguments, Folds, ReadArguments};
use crate::evaluation::HeldOut;
use crate::print::{say, say_json};

/// Measure a model on labelled data
///
/// Multiclass: error, accuracy and mean loss. Chains: token error and accuracy, sequence error (any token wrong), mean
/// loss, and for tags like O, B-NP, I-NP precision, recall and F1 of chunks as the CoNLL shared tasks count them. Label
/// sets: the share of labels wrongly in or out, of sets that are right, the Jaccard index, F1 by example, Micro-F1 with its
/// precision and recall, and Macro-F1. Both others:
/// Macro-F1, the mean of the F1 of each label, and with a background (see --background) Micro-F1 with its precision and
/// recall. A label that the model does not know counts as a mistake. Weights of examples do not count.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  maxmargin eval --model mnist.model --data t10k-images-idx3-ubyte.gz
  maxmargin eval --model letters.model --data letter.data.gz --folds 0 --per-label
  maxmargin eval --model chunks.model --data test.crfsuite --background O --json")]
pub struct Eval {
    /// The model
    #[arg(long, value_name = "FILE")]
    model: PathBuf,

    /// The labelled data: one file or several of the same format
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    data: Vec<PathBuf>,

    /// Only these folds of the data, for example 0 or 1-9
    #[arg(long, value_name = "LIST")]
    folds: Option<Folds>,

    #[command(flatten)]
    read: ReadArguments,

    #[command(flatten)]
    evaluation: EvaluationArguments,

    /// Also precision, recall and F1 of each label
    #[arg(long, help_heading = "Evaluation")]
    per_label: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Eval {
    /// Runs the command.
    pub fn run(self) -> Result<()> {
        let model = Model::load(&self.model)?;
        let task = model.task()?;
        let options = self.read.options();
        let data = HeldOut::read(&self.data, &options, self.folds.as_ref(), &task, &model.vocabulary)?
            .with_background(&self.evaluation)?;
        let evaluation = data.evaluate(&task, &model.weights, model.vocabulary.labels.len());
        if self.json {
            let mut object = evaluation.json(self.per_label);
            object["task"] = json!(task.kind().name());
            object["model"] = json!(self.model.display().to_string());
            return say_json(&object);
        }
        let mut text = evaluation.table();
        if self.per_label {
            text += &format!("\n{}", evaluation.label_table());
        }
        if let Some(note) = evaluation.note() {
            text += &format!("\n{note}\n");
        }
        say(&text)
    }
}
