//! Labelled data that a model was not trained on: reading it, predicting it, and what comes out.

use std::path::PathBuf;

use anyhow::{Result, bail};
use maxmargin::data::{
    Alphabet, Dataset, LabelSpellings, ReadOptions, Source, UNKNOWN_LABEL, Unseen, Vocabulary,
    background_label, read_training, read_with,
};
use maxmargin::metrics::{Comparison, Metrics, Retrieval, per_label};
use maxmargin::task::{Prediction, Task, TaskKind};
use serde_json::{Value, json};

use crate::arguments::{EvaluationArguments, Folds};
use crate::known::Known;
use crate::print::{count, number, percent};
use crate::problem::{in_folds, note_unlinked};
use crate::table::Table;

/// Labelled data, read with the vocabulary of a model.
pub struct HeldOut {
    /// The examples, as the task sees them.
    pub data: Dataset,
    /// The names of labels: the model's, then those that only this data has.
    labels: Alphabet,
    background: Option<u32>,
    unseen: Unseen,
}

impl HeldOut {
    /// Reads files.
    pub fn read(
        paths: &[PathBuf],
        options: ReadOptions,
        folds: Option<&Folds>,
        known: Known<'_>,
    ) -> Result<Self> {
        let (options, vocabulary) = (known.options(options), known.vocabulary);
        let (mut data, mut unseen) = read_with(paths, &options, vocabulary)?;
        let mut labels = vocabulary.labels.clone();
        let stream = paths.iter().find(|path| Source::is_stream(path));
        if let (Some(stream), 1..) = (stream, unseen.labels) {
            bail!(
                "{}: {} that the model does not know; to count them the data is read again, and a pipe can be read only once: save it in a file first",
                stream.display(),
                count(unseen.labels, "label"),
            );
        }
        if unseen.labels > 0
            && let Ok((_, other)) = read_training(paths, &options)
        {
            // Rare, so it may cost two more readings: chunks are counted right only if unknown tags keep their names.
            let (mine, dropped) = (LabelSpellings::of(&labels), LabelSpellings::of(known.dropped_labels));
            let is_stranger = |name: &&str| {
                mine.find(&vocabulary.labels, name).is_none()
                    && dropped.find(known.dropped_labels, name).is_none()
            };
            other.labels.iter().filter(is_stranger).for_each(|name| _ = labels.add(name));
            let attributes = vocabulary.attributes.clone();
            (data, _) = read_with(paths, &options, &Vocabulary { labels: labels.clone(), attributes })?;
        }
        if let Some(folds) = folds {
            data = in_folds(&data, folds)?;
            let known = vocabulary.labels.len() as u32;
            unseen.labels = data.labels.iter().filter(|&&label| label >= known).count() as _;
        }
        let data = known.view(data)?;
        let has_names = unseen.labels > 0 && data.sets.is_none() && data.edges.is_none();
        if !has_names && !data.labels.is_empty() && data.labels.iter().all(|&label| label == UNKNOWN_LABEL) {
            let file = paths.first().map(|path| path.display().to_string()).unwrap_or_default();
            match data.edges {
                Some(_) => bail!(
                    "{file}: an evaluation needs the true links; name them with --links, those of test data as its second file"
                ),
                None if data.sets.is_some() => bail!(
                    "{file}: no example has a label that the model knows; an evaluation needs the true labels"
                ),
                None => bail!(
                    "{file}: no example has a label, but an evaluation needs the true ones; name the column of a table with --label-columns, or the labels of images with --labels"
                ),
            }
        }
        note_unlinked(&data);
        Ok(Self { background: usual_background(&data, &labels), data, labels, unseen })
    }

    /// Other examples of the training data, as the task sees them, which hold nothing unseen.
    pub fn from_training(data: Dataset, vocabulary: &Vocabulary) -> Self {
        let labels = vocabulary.labels.clone();
        Self { background: usual_background(&data, &labels), data, labels, unseen: Unseen::default() }
    }

    /// With the background that was asked for.
    pub fn with_background(mut self, task: TaskKind, arguments: &EvaluationArguments) -> Result<Self> {
        self.background = arguments.background(task, &self.labels)?;
        Ok(self)
    }

    /// The names of the figures that an evaluation has.
    pub fn figure_names(&self, task: &Task, known: usize) -> Vec<&'static str> {
        let (truth, predicted) = (&self.data.subset(&[]), &[]);
        let Self { labels, background, .. } = self;
        let nothing = Comparison { truth, predicted, labels, known, background: *background };
        Metrics::of(task, nothing).figures().into_iter().map(|(name, _)| name).collect()
    }

    /// What these weights predict for it, against the truth.
    pub fn evaluate(&self, task: &Task, weights: &[f64], known: usize) -> Result<Evaluation<'_>> {
        let best = task.predict(weights, &self.data, 1)?;
        let unproven = count_unproven(&best);
        let best = best.into_iter();
        let predicted: Vec<Vec<u32>> =
            best.map(|best| best.into_iter().next().map(|best| best.labels).unwrap_or_default()).collect();
        let Self { data: truth, labels, background, .. } = self;
        let comparison = Comparison { truth, predicted: &predicted, labels, known, background: *background };
        Ok(Evaluation {
            held_out: self,
            metrics: Metrics::of(task, comparison),
            per_label: per_label(comparison),
            unproven,
        })
    }
}

/// The number of examples with a prediction that is not proven to be the best.
pub fn count_unproven(predictions: &[Vec<Prediction>]) -> usize {
    predictions.iter().filter(|best| !best.iter().all(Prediction::is_proven)).count()
}

/// A line about predictions that are not proven to be the best, if there are any.
pub fn unproven_note(unproven: usize, examples: usize) -> Option<String> {
    let what = "are not proven to be the best ones: the search for better sets was cut short";
    (unproven > 0)
        .then(|| format!("note: the predictions of {unproven} of {} {what}", count(examples, "example")))
}

/// How good predictions for held-out data are.
pub struct Evaluation<'a> {
    held_out: &'a HeldOut,
    /// The task's metrics.
    pub metrics: Metrics,
    per_label: Vec<Retrieval>,
    /// Examples whose prediction is not proven to be the best.
    unproven: usize,
}

impl Evaluation<'_> {
    /// One object with the metrics by name.
    pub fn json(&self, per_label: bool) -> Value {
        let HeldOut { data, unseen, .. } = self.held_out;
        let mut object = json!({
            "n": data.len(),
            "rows": data.features.rows(),
            "unseen_labels": unseen.labels,
            "unseen_attributes": unseen.attributes,
            "unproven": self.unproven,
            "background": self.background(),
        });
        for (name, value) in self.metrics.figures() {
            object[name] = json!(value);
        }
        if per_label {
            let one = |(name, label): (&str, &Retrieval)| {
                json!({
                    "label": name, "truth": label.truth, "predicted": label.predicted, "right": label.right,
                    "precision": label.precision(), "recall": label.recall(), "f1": label.f1(),
                })
            };
            object["per_label"] = self.labels().map(one).collect();
        }
        object
    }

    fn background(&self) -> Option<&str> {
        self.held_out.background.map(|label| self.held_out.labels.name(label))
    }

    /// The metrics that one line has room for: without accuracies, which the errors imply, and what F1 is the mean of.
    pub fn summary(&self) -> Vec<(&'static str, f64)> {
        let left_out = |name: &str| {
            let implied = ["accuracy", "token_accuracy"].contains(&name);
            implied || ["precision", "recall"].iter().any(|end| name.ends_with(end))
        };
        self.metrics.figures().into_iter().filter(|(name, _)| !left_out(name)).collect()
    }

    /// The metrics in a line.
    pub fn line(&self) -> String {
        let figure = |(name, value): (&str, f64)| match name {
            "mean_loss" => format!("mean loss {}", number(value)),
            name => format!("{} {}", name.replace('_', " "), percent(value)),
        };
        self.summary().into_iter().map(figure).collect::<Vec<_>>().join(", ")
    }

    /// The metrics as a table.
    pub fn table(&self) -> String {
        let mut table = Table::new(["metric", "value"]);
        let HeldOut { data, .. } = self.held_out;
        table.row(["examples".to_owned(), data.len().to_string()]);
        if data.features.rows() != data.len() {
            let rows = if data.edges.is_some() { "edges" } else { "rows" };
            table.row([rows.to_owned(), data.features.rows().to_string()]);
        }
        if let Some(label) = self.background() {
            table.row(["background", label]);
        }
        for (name, value) in self.metrics.figures() {
            let value = if name == "mean_loss" { number(value) } else { percent(value) };
            table.row([name.to_owned(), value]);
        }
        table.to_string()
    }

    /// The labels that are predicted. Of those of edges only one is: a link.
    fn labels(&self) -> impl Iterator<Item = (&str, &Retrieval)> {
        let is_graph = self.held_out.data.edges.is_some();
        let labels = self.held_out.labels.iter().zip(&self.per_label);
        labels.filter(move |(name, _)| !is_graph || *name == "sure")
    }

    /// A row per label.
    pub fn label_table(&self) -> String {
        let mut table = Table::new(["label", "true", "predicted", "right", "precision", "recall", "F1"]);
        for (name, label) in self.labels() {
            table.row([
                name.to_owned(),
                label.truth.to_string(),
                label.predicted.to_string(),
                label.right.to_string(),
                percent(label.precision()),
                percent(label.recall()),
                percent(label.f1()),
            ]);
        }
        table.to_string()
    }

    /// Lines about what the model does not know, and what is not proven, if there is anything.
    pub fn notes(&self) -> Vec<String> {
        let HeldOut { data, unseen, .. } = self.held_out;
        let unseen = unseen_note(*unseen, data.sets.is_some());
        unseen.into_iter().chain(unproven_note(self.unproven, data.len())).collect()
    }
}

/// The label that stands for nothing by convention; label sets and links need none.
fn usual_background(data: &Dataset, labels: &Alphabet) -> Option<u32> {
    if data.sets.is_some() || data.edges.is_some() { None } else { background_label(labels) }
}

/// A line about what a model does not know, if there is anything.
pub fn unseen_note(unseen: Unseen, sets: bool) -> Option<String> {
    let labels = match unseen.labels {
        0 => None,
        labels if sets => {
            let them = if labels == 1 { "it" } else { "them" };
            let labels = count(labels, "label");
            Some(format!("counted as mistakes: {labels} in sets, since the model does not know {them}"))
        }
        rows => Some(format!(
            "counted as mistakes: {} with a label that the model does not know",
            count(rows, "row")
        )),
    };
    let attributes = match unseen.attributes {
        0 => None,
        values => {
            Some(format!("left out: {} of attributes that the model does not know", count(values, "value")))
        }
    };
    let parts: Vec<String> = labels.into_iter().chain(attributes).collect();
    (!parts.is_empty()).then(|| format!("note: {}", parts.join("; ")))
}
