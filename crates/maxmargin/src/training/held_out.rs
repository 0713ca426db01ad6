//! Labelled data that a model was not trained on: reading it, predicting it, and how good that is.

use std::path::PathBuf;
use std::sync::Arc;

use super::{Background, Known, Problem, mismatch};
use crate::data::{Alphabet, DataObject, LabelSpellings, ReadOptions, Reading, Source, Unseen, Vocabulary};
use crate::error::{Error, Place, Result};
use crate::metrics::{ConfidenceBin, Metrics};
use crate::model::Model;
use crate::shown::count;
use crate::tasks::{FittedObject, TaskObject};

/// Labelled data, read with the names of a model.
#[derive(Debug)]
pub struct HeldOut {
    /// The examples, as the weights see them.
    data: Arc<dyn DataObject>,
    /// The names of labels: the model's, then those that only this data has.
    labels: Alphabet,
    background: Option<u32>,
    unseen: Unseen,
    /// What a person is to be told about how it was read.
    notes: Vec<String>,
}

/// How good predictions for held-out data are.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// The task's metrics.
    pub metrics: Metrics,
    /// Examples whose prediction is not proven to be the best.
    pub unproven: usize,
}

impl HeldOut {
    /// Reads files. `task` has the options of reading that go with them.
    pub fn read(
        known: Known<'_>,
        task: &dyn TaskObject,
        files: &[PathBuf],
        options: &ReadOptions,
        folds: Option<&[u32]>,
    ) -> Result<Self> {
        let Reading { mut data, mut unseen, text, .. } = known.read(task, files, options)?;
        let mut labels = known.names.labels.clone();
        let stream = files.iter().find(|path| Source::is_stream(path));
        if let (Some(stream), 1..) = (stream, unseen.labels) {
            let problem = format!(
                "{} that the model does not know; to count them the data is read again, and a pipe can be read only once: save it in a file first",
                count(unseen.labels, "label"),
            );
            return Err(Error::data(Place::new(stream, 0, 0), problem));
        }
        if unseen.labels > 0
            && let Ok(other) = task.read(files, &known.options(options), None)
        {
            // Rare, so it may cost two more readings: chunks are counted right only if unknown tags keep their names.
            let (mine, dropped) = (LabelSpellings::of(&labels), LabelSpellings::of(known.dropped_labels));
            let is_stranger = |name: &&str| {
                mine.find(&known.names.labels, name).is_none()
                    && dropped.find(known.dropped_labels, name).is_none()
            };
            other.names.labels.iter().filter(is_stranger).for_each(|name| _ = labels.add(name));
            let names = Vocabulary { labels: labels.clone(), attributes: known.names.attributes.clone() };
            data = Known { names: &names, ..known }.read(task, files, options)?.data;
        }
        if let Some(folds) = folds {
            data = data.in_folds(folds)?;
            let known = known.names.labels.len() as u32;
            unseen.labels = data.labels().iter().filter(|&&label| label >= known).count() as _;
        }
        let data = known.view(data)?;
        if let Some(problem) = data.missing_truth(unseen.labels > 0) {
            let file = files.first().cloned().unwrap_or_default();
            return Err(Error::data(Place::new(file, 0, 0), problem));
        }
        if let Some(open) = data.open_rows().filter(|&open| open > 0) {
            let problem = format!(
                "{} several candidates or any label, but an evaluation needs the true labels",
                match open {
                    1 => "1 row has".to_owned(),
                    rows => format!("{rows} rows have"),
                }
            );
            let file = files.first().cloned().unwrap_or_default();
            return Err(Error::data(Place::new(file, 0, 0), problem));
        }
        mismatch::check_labels(files, known, data.as_ref(), &labels)?;
        Self { background: None, data, labels, unseen, notes: text.notes }
            .with_background(known.task, &Background::Usual)
    }

    /// Other examples of the training data, as the weights see them, which hold nothing unseen.
    pub fn from_training(data: Arc<dyn DataObject>, known: Known<'_>) -> Result<Self> {
        let (labels, unseen) = (known.names.labels.clone(), Unseen::default());
        Self { background: None, data, labels, unseen, notes: Vec::new() }
            .with_background(known.task, &Background::Usual)
    }

    /// With the label that stands for nothing, where the task may have one.
    pub fn with_background(mut self, task: &dyn FittedObject, background: &Background) -> Result<Self> {
        self.background = match (task.has_background(), background) {
            (true, _) => background.of(&self.labels)?,
            (false, Background::Usual | Background::None) => None,
            (false, Background::Named(_)) => {
                let problem = format!("{} has no label that stands for nothing; leave it out", task.name());
                return Err(Error::parameter("background", problem));
            }
        };
        Ok(self)
    }

    /// The examples, as the weights see them.
    pub fn data(&self) -> &dyn DataObject {
        self.data.as_ref()
    }

    /// What the model does not know.
    pub fn unseen(&self) -> Unseen {
        self.unseen
    }

    /// What a person is to be told about how it was read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The name of the label that stands for nothing.
    pub fn background(&self) -> Option<&str> {
        self.background.map(|label| self.labels.name(label))
    }

    /// Which figures an evaluation has: those of no examples.
    pub fn figures(&self, task: &dyn FittedObject) -> Result<Metrics> {
        let weights = vec![0.0; task.dim()];
        let (metrics, _) =
            task.evaluate(&weights, self.data.subset(&[])?.as_ref(), &self.labels, self.background)?;
        Ok(metrics)
    }

    /// The same for the model of a problem with whose names the data was read: the model may have left out attributes.
    pub fn evaluate_model(&self, problem: &Problem, model: &Model) -> Result<Evaluation> {
        let pairs = problem.task().pair_attributes();
        let mut weights = model.weights_of(problem.examples().names(), pairs)?;
        if let Some(shifts) = model.label_shifts() {
            problem.task().shift_labels(shifts, &mut weights);
        }
        self.evaluate(problem.task(), &weights)
    }

    /// How often parts of predictions are right, in so many bins by how sure they are.
    pub fn confidence_bins(
        &self,
        task: &dyn FittedObject,
        weights: &[f64],
        bins: usize,
    ) -> Result<Vec<ConfidenceBin>> {
        Ok(ConfidenceBin::of(task.sure_and_right(weights, self.data())?, bins))
    }

    /// The same for some of the examples at a time, of which each may come several times; they are predicted once. Figures for which scores are
    /// needed are not among these.
    pub fn resampled(
        &self,
        task: &dyn FittedObject,
        weights: &[f64],
        samples: &[Vec<usize>],
    ) -> Result<Vec<Metrics>> {
        task.evaluate_samples(weights, self.data(), &self.labels, self.background, samples)
    }

    /// What these weights predict for it, against the truth.
    pub fn evaluate(&self, task: &dyn FittedObject, weights: &[f64]) -> Result<Evaluation> {
        let (metrics, unproven) = task.evaluate(weights, self.data(), &self.labels, self.background)?;
        Ok(Evaluation { metrics, unproven })
    }
}
