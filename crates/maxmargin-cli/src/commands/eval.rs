//! `maxmargin eval`: how good a model is on labelled data.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use maxmargin::Model;
use maxmargin::tasks::TaskObject;
use maxmargin::training::HeldOut;
use serde_json::json;

use crate::arguments::{
    EvaluationArguments, Folds, PlotArguments, ReadArguments, ReadingOptions, RunArguments,
    WellFormedArguments,
};
use crate::evaluation::{Shown, bin_figure, bin_objects, bin_table};
use crate::files::Files;
use crate::loading::note_all;
use crate::plot::TreePicture;
use crate::print::{say, say_json};

/// Measure a model on labelled data
///
/// Multiclass: error and accuracy. Chains: token error and accuracy, sequence error (any token wrong), and for tags like O,
/// B-NP, I-NP precision, recall and F1 of chunks as the CoNLL shared tasks count them. Both: with a background (see
/// --background) Micro-F1 of the other labels, with its precision and recall.
///
/// Label sets: hamming (the share of labels that are wrongly in or out), subset_accuracy (the share of sets that are right),
/// jaccard (the mean of |y∩ŷ|/|y∪ŷ|), example_f1 (the mean F1 of a set), and Micro-F1 of all labels of all examples, with its
/// precision and recall.
///
/// Matchings: precision, recall and f1 of links, the alignment error rate (aer), hamming (the share of edges that are wrongly
/// linked or not), exact (the share of graphs without a mistake). Possible links are neither right nor wrong where they are
/// left out, and right where they are predicted.
///
/// Landmarks: mean_deviation (the mean distance from the true points, as a share of a length such as that from eyes to mouth),
/// worst_deviation (of the worst point of each face), faces_found and points_found (the shares with a deviation below 0.1).
///
/// All: the mean loss. All but matchings: Macro-F1, the mean of the F1 of each label. A label that the model does not know counts as a
/// mistake; one that was left out by --most-frequent-labels is ignored. Weights of examples do not count. Where it is not
/// proven that predicted sets are the best ones, a note says for how many examples (unproven in JSON).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  maxmargin eval --model mnist.model --data t10k-images-idx3-ubyte.gz
  maxmargin eval --model letters.model --data letter.data.gz --folds 0 --per-label
  maxmargin eval --model chunks.model --data test.crfsuite --background O --json
  maxmargin eval --model chunks.model --data test.crfsuite --confidence-bins --plot sure.svg
  maxmargin eval --model yeast.model --data yeast-test.arff.gz --per-label
  maxmargin eval --model words.model --data test.edges --json")]
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

    #[command(flatten)]
    well_formed: WellFormedArguments,

    /// Also precision, recall and F1 of each label
    #[arg(long, help_heading = "Evaluation")]
    per_label: bool,

    /// Also how often predictions are right by how sure they are: precision in N bins of confidence
    ///
    /// A bin has about as many positions, members of sets or links as any other, the least sure ones in the first. See predict --confidence.
    #[arg(
        long, value_name = "N", num_args = 0..=1, default_missing_value = "10", help_heading = "Evaluation",
        value_parser = clap::value_parser!(u16).range(2..=1000)
    )]
    confidence_bins: Option<u16>,

    #[command(flatten)]
    plot: PlotArguments,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    run: RunArguments,
}

impl Eval {
    /// Runs the command.
    pub fn run(self, reading: &ReadingOptions) -> Result<()> {
        let files = Files::default().read("--model", [&self.model]).read_data("--data", &self.data);
        self.plot.add_to(reading.add_to(self.read.add_to(files))).check()?;
        let model = self.well_formed.apply(Model::load(&self.model)?)?;
        let is_tree = model.task().draw(&model.names().labels, model.weights(), &[]).is_some();
        if !self.plot.plot.is_empty() && self.confidence_bins.is_none() && !is_tree {
            bail!("--plot draws precision over confidence; give --confidence-bins with it");
        }
        let task = reading.apply(model.task().task())?;
        self.run.on_threads(|| self.evaluate(&model, task.as_ref()))
    }

    fn evaluate(&self, model: &Model, task: &dyn TaskObject) -> Result<()> {
        let background = self.evaluation.background(&model.names().labels);
        let folds = self.folds.as_ref().map(|folds| &folds.0[..]);
        let options = self.read.options();
        let data = HeldOut::read(model.known(), task, &self.data, &options, folds)?
            .with_background(model.task(), &background)?;
        if !self.run.quiet {
            note_all(data.data());
        }
        let evaluation = Shown::new(&data, data.evaluate(model.task(), model.deciding_weights())?);
        let bins = |bins: u16| data.confidence_bins(model.task(), model.deciding_weights(), bins.into());
        let bins = self.confidence_bins.map(bins).transpose()?;
        let tree = model.task().draw(&model.names().labels, model.weights(), &[]);
        let tree = tree.map(|tree| tree.with_counts(&evaluation.evaluation.metrics.per_label));
        match (&bins, &tree) {
            (Some(bins), _) => {
                let title = format!("How often {} is right", self.model.display());
                self.plot.draw(title, |title| bin_figure(title, bins))?;
            }
            (None, Some(tree)) => {
                let title = format!("Where {} is wrong", self.model.display());
                self.plot.draw(title, |title| TreePicture { title, tree: tree.clone() })?;
            }
            (None, None) => {}
        }
        if self.json {
            let mut object = evaluation.json(self.per_label);
            object["task"] = json!(task.name());
            object["model"] = json!(self.model.display().to_string());
            if let Some(bins) = &bins {
                object["confidence_bins"] = bin_objects(bins);
            }
            return say_json(&object);
        }
        let mut text = evaluation.table();
        if let Some(types) = evaluation.type_table() {
            text += &format!("\n{types}");
        }
        if self.per_label {
            text += &format!("\n{}", evaluation.label_table());
            text += &tree.map_or(String::new(), |tree| format!("\n{tree}"));
        }
        if let Some(bins) = &bins {
            text += &format!("\n{}", bin_table(bins));
        }
        for note in evaluation.notes().iter().filter(|_| !self.run.quiet) {
            text += &format!("\n{note}\n");
        }
        say(&text)
    }
}
