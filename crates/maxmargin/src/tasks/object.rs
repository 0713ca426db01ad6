//! The faces of tasks for those who know a task by its name only: programs, model files, other languages.
//!
//! Each has one implementation for all tasks. A label is here what its names say, as JSON.

use std::any::{Any, TypeId};
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::{Map, Value};

use super::{
    CandidateTurns, Certainty, ComparisonOptions, DrawnImage, DrawnTree, Fitted, InputOf, LabelOf,
    Prediction, SearchOptions, Stored, Task, TaskOption, TaskSearch, WeightNames,
};
use crate::comparison::SearchComparison;
use crate::data::{Alphabet, Batch, Batches, DataObject, ReadOptions, Reading, TaskData, Vocabulary};
use crate::error::{Error, Result};
use crate::features::FeatureMatrix;
use crate::linear::SeenPairs;
use crate::metrics::{Comparison, Metrics};
use crate::model::Block;
use crate::risk::{CandidateOptions, Risk};
use crate::structure::{Confidence, Found};

/// Examples as they arrive.
pub type ExampleBatches<'a> = Box<dyn Iterator<Item = Result<Batch<Arc<dyn DataObject>>>> + 'a>;

/// The examples as a task has them. Refused where they are another's.
fn own<T: Task>(data: &dyn DataObject) -> Result<&T::Data> {
    data.of_type().ok_or_else(|| {
        let problem = format!("it takes {}, not {}", T::Data::KIND, data.kind());
        Error::parameter(format!("task {}", T::NAME), problem)
    })
}

/// Labels that were found, by their names.
fn named<T: Task>(
    structure: &T::Structure,
    names: &Vocabulary,
    input: &InputOf<T>,
    found: Vec<Found<LabelOf<T>>>,
) -> Vec<Prediction> {
    let named = |Found { label, score, missed, .. }: Found<LabelOf<T>>| Prediction {
        label: T::name(structure, names, input, &label),
        score,
        missed,
        certainty: None,
    };
    found.into_iter().map(named).collect()
}

/// A task with its options. See [`Task`] for what each method says.
#[allow(missing_docs)]
pub trait TaskObject: Debug + Send + Sync {
    fn name(&self) -> &'static str;
    fn summary(&self) -> &'static str;
    fn about(&self) -> &'static str;
    fn has_background(&self) -> bool;
    fn has_candidates(&self) -> bool;
    fn reads_tables(&self) -> bool;
    fn claims(&self, task: &str, format: Option<&str>) -> bool;
    fn for_test_data(&self) -> Box<dyn TaskObject>;
    fn options(&self) -> Vec<TaskOption>;
    fn set(&mut self, option: &str, values: &[String]) -> Result<()>;
    fn files(&self) -> Vec<(&'static str, PathBuf)>;
    fn read(
        &self,
        files: &[PathBuf],
        options: &ReadOptions,
        known: Option<&Vocabulary>,
    ) -> Result<Reading<Arc<dyn DataObject>>>;
    /// Data to predict, in batches as it arrives where the format allows it. No examples are no batches, and no error.
    fn read_batches<'a>(
        &self,
        files: &[PathBuf],
        options: &ReadOptions,
        known: &'a Vocabulary,
    ) -> Result<ExampleBatches<'a>>;
    fn select(&self, data: &dyn DataObject) -> Result<Option<Vec<u32>>>;
    fn variants(&self, data: &dyn DataObject) -> Result<Vec<(String, Box<dyn TaskObject>)>>;
    /// The task for some data, with its structure.
    fn fit(&self, names: &Vocabulary, data: &dyn DataObject) -> Result<Box<dyn FittedObject>>;
    /// The task of a model file.
    fn load(&self, stored: &Stored, names: &Vocabulary)
    -> std::result::Result<Box<dyn FittedObject>, String>;
    fn demo(&self, say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()>;
    fn demo_images(&self) -> Result<Vec<DrawnImage>> {
        Ok(Vec::new())
    }
    /// Tells tasks of the same name apart.
    fn type_id_of_task(&self) -> TypeId;
    fn boxed(&self) -> Box<dyn TaskObject>;
}

impl<T: Task> TaskObject for T {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn summary(&self) -> &'static str {
        T::ABOUT.split_once('\n').map_or(T::ABOUT, |(first, _)| first)
    }

    fn about(&self) -> &'static str {
        T::ABOUT.split_once("\n\n").map_or("", |(_, more)| more)
    }

    fn has_background(&self) -> bool {
        T::HAS_BACKGROUND
    }

    fn has_candidates(&self) -> bool {
        T::HAS_CANDIDATES
    }

    fn reads_tables(&self) -> bool {
        T::READS_TABLES
    }

    fn claims(&self, task: &str, format: Option<&str>) -> bool {
        T::claims(task, format)
    }

    fn for_test_data(&self) -> Box<dyn TaskObject> {
        Box::new(Task::for_test_data(self))
    }

    fn options(&self) -> Vec<TaskOption> {
        T::options()
    }

    fn set(&mut self, option: &str, values: &[String]) -> Result<()> {
        Task::set(self, option, values)
    }

    fn files(&self) -> Vec<(&'static str, PathBuf)> {
        Task::files(self)
    }

    fn read(
        &self,
        files: &[PathBuf],
        options: &ReadOptions,
        known: Option<&Vocabulary>,
    ) -> Result<Reading<Arc<dyn DataObject>>> {
        Task::read(self, files, options, known)?.try_map(|data| Ok(Arc::new(data) as _))
    }

    fn read_batches<'a>(
        &self,
        files: &[PathBuf],
        options: &ReadOptions,
        known: &'a Vocabulary,
    ) -> Result<ExampleBatches<'a>> {
        if !T::READS_TABLES {
            let Reading { data, unseen, .. } = TaskObject::read(self, files, options, Some(known))?;
            return Ok(Box::new(std::iter::once(Ok(Batch { data, unseen }))));
        }
        let batches = Batches::new(files, self.table_options(options)?, known)?;
        let task = self.clone();
        Ok(Box::new(batches.map(move |batch| {
            let Batch { data, unseen } = batch?;
            Ok(Batch { data: Arc::new(task.examples(data, known)?) as _, unseen })
        })))
    }

    fn select(&self, data: &dyn DataObject) -> Result<Option<Vec<u32>>> {
        Ok(Task::select(self, own::<T>(data)?))
    }

    fn variants(&self, data: &dyn DataObject) -> Result<Vec<(String, Box<dyn TaskObject>)>> {
        let variants = Task::variants(self, own::<T>(data)?)?.into_iter();
        Ok(variants.map(|(name, task)| (name, Box::new(task) as _)).collect())
    }

    fn fit(&self, names: &Vocabulary, data: &dyn DataObject) -> Result<Box<dyn FittedObject>> {
        let data = own::<T>(data)?;
        self.check_names(names)?;
        let task = self.resolve(names, data)?;
        Ok(Box::new(Fitted::new(task, names.attributes.len(), names.labels.len())?))
    }

    fn load(
        &self,
        stored: &Stored,
        names: &Vocabulary,
    ) -> std::result::Result<Box<dyn FittedObject>, String> {
        let task = <T as Task>::load(stored, names.labels.len())?;
        task.check_names(names).map_err(|e| e.to_string())?;
        let fitted = Fitted::new(task, names.attributes.len(), names.labels.len());
        Ok(Box::new(fitted.map_err(|e| e.to_string())?))
    }

    fn demo(&self, say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        <T as Task>::demo(say)
    }

    fn demo_images(&self) -> Result<Vec<DrawnImage>> {
        <T as Task>::demo_images()
    }

    fn type_id_of_task(&self) -> TypeId {
        TypeId::of::<T>()
    }

    fn boxed(&self) -> Box<dyn TaskObject> {
        Box::new(self.clone())
    }
}

/// A task whose structure is made. See [`Task`] and [`Fitted`] for what each method says.
#[allow(missing_docs)]
pub trait FittedObject: Debug + Send + Sync {
    fn name(&self) -> &'static str;
    fn dim(&self) -> usize;
    fn features(&self) -> usize;
    fn labels(&self) -> usize;
    fn has_background(&self) -> bool;
    fn loss_name(&self) -> &'static str;
    fn describe(&self) -> String;
    fn facts(&self) -> Map<String, Value>;
    fn has_label_shifts(&self) -> bool;
    fn shift_labels(&self, shifts: &[f64], weights: &mut [f64]);
    fn seen_pairs(&self) -> Option<&SeenPairs>;
    fn pair_attributes(&self) -> usize;
    fn blocks(&self) -> Vec<Block>;
    fn save(&self) -> Stored;
    /// See [`Task::OF_DATA`].
    fn fields_of_data(&self) -> &'static [&'static str];
    fn weight_names(&self, labels: &Alphabet) -> WeightNames;
    fn couplings(&self, names: &Alphabet, weights: &[f64]) -> Vec<(String, String, f64)>;
    fn triples(&self, names: &Alphabet, weights: &[f64]) -> Vec<([String; 3], f64)>;
    fn draw(&self, names: &Alphabet, weights: &[f64], around: &[u32]) -> Option<DrawnTree>;
    fn picture(&self, data: &dyn DataObject, example: usize, label: &Value) -> Option<DrawnImage>;
    /// One example of these rows, without a label.
    fn one_example(&self, features: FeatureMatrix) -> Result<Arc<dyn DataObject>>;
    fn search(&self, options: &SearchOptions, data: &dyn DataObject) -> Result<TaskSearch>;
    fn risk(&self, data: &dyn DataObject, search: &TaskSearch) -> Result<Box<dyn Risk>>;
    fn candidate_turns(
        &self,
        data: &dyn DataObject,
        options: CandidateOptions,
        start: &dyn DataObject,
    ) -> Result<Box<dyn CandidateTurns>>;
    #[allow(clippy::type_complexity)]
    fn compared_risk(
        &self,
        data: &dyn DataObject,
        search: &SearchOptions,
        options: &ComparisonOptions,
    ) -> Result<(Box<dyn Risk>, Arc<dyn SearchComparison>)>;
    /// The `k` best labels of each example, by their names.
    fn predict(
        &self,
        weights: &[f64],
        names: &Vocabulary,
        data: &dyn DataObject,
        k: usize,
    ) -> Result<Vec<Vec<Prediction>>>;
    /// The same, and how sure the best one and its parts are.
    fn predict_surely(
        &self,
        weights: &[f64],
        names: &Vocabulary,
        data: &dyn DataObject,
        k: usize,
    ) -> Result<Vec<Vec<Prediction>>>;
    fn write(&self, label: &Value) -> String;
    /// How good the predictions for labelled data are, and for how many examples they are not proven to be the best ones.
    /// `labels` has the names of all labels of the data, those of the model first.
    fn evaluate(
        &self,
        weights: &[f64],
        data: &dyn DataObject,
        labels: &Alphabet,
        background: Option<u32>,
    ) -> Result<(Metrics, usize)>;
    /// How good the same predictions are for some of the examples at a time.
    fn evaluate_samples(
        &self,
        weights: &[f64],
        data: &dyn DataObject,
        labels: &Alphabet,
        background: Option<u32>,
        samples: &[Vec<usize>],
    ) -> Result<Vec<Metrics>>;
    /// How sure each part of the predictions for labelled data is (at least), and whether it is right.
    fn sure_and_right(&self, weights: &[f64], data: &dyn DataObject) -> Result<Vec<(f64, bool)>>;
    /// The same task for further data to be read, with its options.
    fn task(&self) -> Box<dyn TaskObject>;
    /// The same task for another number of features, of which so many have [weights of pairs](Task::pair_attributes).
    fn with_features(&self, features: usize, pairs: usize) -> Result<Box<dyn FittedObject>>;
    /// What scores the parts of inputs in the place of weights, in a few words: see [`PartScorer`](super::PartScorer).
    fn scorer(&self) -> Option<String>;
    /// The [`Fitted`] task itself.
    fn as_any(&self) -> &dyn Any;
    fn boxed(&self) -> Box<dyn FittedObject>;
}

impl<T: Task> FittedObject for Fitted<T> {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn dim(&self) -> usize {
        self.dim()
    }

    fn features(&self) -> usize {
        self.features()
    }

    fn labels(&self) -> usize {
        self.labels()
    }

    fn has_background(&self) -> bool {
        T::HAS_BACKGROUND
    }

    fn loss_name(&self) -> &'static str {
        self.task.loss_name()
    }

    fn describe(&self) -> String {
        T::describe(&self.structure, &self.task)
    }

    fn facts(&self) -> Map<String, Value> {
        T::facts(&self.structure, &self.task)
    }

    fn has_label_shifts(&self) -> bool {
        self.task.has_label_shifts()
    }

    fn shift_labels(&self, shifts: &[f64], weights: &mut [f64]) {
        self.task.shift_labels(self.features(), shifts, weights);
    }

    fn seen_pairs(&self) -> Option<&SeenPairs> {
        self.task.seen_pairs()
    }

    fn pair_attributes(&self) -> usize {
        self.task.pair_attributes()
    }

    fn blocks(&self) -> Vec<Block> {
        Block::in_order(self.task.blocks(self.features(), self.labels()))
    }

    fn save(&self) -> Stored {
        self.task.save()
    }

    fn fields_of_data(&self) -> &'static [&'static str] {
        T::OF_DATA
    }

    fn weight_names(&self, labels: &Alphabet) -> WeightNames {
        self.task.weight_names(labels)
    }

    fn couplings(&self, names: &Alphabet, weights: &[f64]) -> Vec<(String, String, f64)> {
        T::couplings(&self.structure, names, weights)
    }

    fn triples(&self, names: &Alphabet, weights: &[f64]) -> Vec<([String; 3], f64)> {
        self.task.triples(names, weights)
    }

    fn draw(&self, names: &Alphabet, weights: &[f64], around: &[u32]) -> Option<DrawnTree> {
        self.task.draw(&self.structure, names, weights, around)
    }

    fn picture(&self, data: &dyn DataObject, example: usize, label: &Value) -> Option<DrawnImage> {
        T::picture(data.of_type()?, example, label)
    }

    fn one_example(&self, features: FeatureMatrix) -> Result<Arc<dyn DataObject>> {
        Ok(Arc::new(T::Data::of_one(features)?))
    }

    fn search(&self, options: &SearchOptions, data: &dyn DataObject) -> Result<TaskSearch> {
        self.search(options, own::<T>(data)?)
    }

    fn risk(&self, data: &dyn DataObject, search: &TaskSearch) -> Result<Box<dyn Risk>> {
        self.risk_with(own::<T>(data)?, search)
    }

    fn candidate_turns(
        &self,
        data: &dyn DataObject,
        options: CandidateOptions,
        start: &dyn DataObject,
    ) -> Result<Box<dyn CandidateTurns>> {
        self.candidate_turns(own::<T>(data)?, options, own::<T>(start)?)
    }

    fn compared_risk(
        &self,
        data: &dyn DataObject,
        search: &SearchOptions,
        options: &ComparisonOptions,
    ) -> Result<(Box<dyn Risk>, Arc<dyn SearchComparison>)> {
        self.compared_risk(own::<T>(data)?, search, options)
    }

    fn predict(
        &self,
        weights: &[f64],
        names: &Vocabulary,
        data: &dyn DataObject,
        k: usize,
    ) -> Result<Vec<Vec<Prediction>>> {
        let data = own::<T>(data)?;
        let found = self.predict(weights, data, k)?;
        let named =
            |(i, found): (usize, Vec<_>)| named::<T>(&self.structure, names, &T::input(data, i), found);
        Ok(found.into_iter().enumerate().map(named).collect())
    }

    fn predict_surely(
        &self,
        weights: &[f64],
        names: &Vocabulary,
        data: &dyn DataObject,
        k: usize,
    ) -> Result<Vec<Vec<Prediction>>> {
        let data = own::<T>(data)?;
        let (marginals, found) = (self.max_marginals()?, self.predict_surely(weights, data, k)?);
        let named = |(i, (found, sure)): (usize, (Vec<_>, Vec<_>))| {
            let input = T::input(data, i);
            let certainty = found
                .first()
                .map(|best| Certainty::of::<T>(&self.structure, names, &input, best, &sure, marginals));
            let mut predictions = named::<T>(&self.structure, names, &input, found);
            predictions.iter_mut().zip(certainty).for_each(|(best, sure)| best.certainty = Some(sure));
            predictions
        };
        Ok(found.into_iter().enumerate().map(named).collect())
    }

    fn write(&self, label: &Value) -> String {
        T::write(label)
    }

    fn evaluate(
        &self,
        weights: &[f64],
        truth: &dyn DataObject,
        labels: &Alphabet,
        background: Option<u32>,
    ) -> Result<(Metrics, usize)> {
        let truth = own::<T>(truth)?;
        let mut unproven = 0;
        let best = |found: Vec<Found<LabelOf<T>>>| {
            unproven += usize::from(!found.iter().all(|found| found.missed == 0.0));
            found.into_iter().next().map(|found| found.label).unwrap_or_default()
        };
        let predicted: Vec<LabelOf<T>> = self.predict(weights, truth, 1)?.into_iter().map(best).collect();
        let known = self.labels();
        let mut metrics =
            self.metrics(Comparison { truth, predicted: &predicted, labels, known, background })?;
        metrics.figures.extend(T::score_metrics(&self.structure, weights, truth, labels.len()));
        Ok((metrics, unproven))
    }

    fn evaluate_samples(
        &self,
        weights: &[f64],
        truth: &dyn DataObject,
        labels: &Alphabet,
        background: Option<u32>,
        samples: &[Vec<usize>],
    ) -> Result<Vec<Metrics>> {
        let truth = own::<T>(truth)?;
        let best = |found: Vec<Found<LabelOf<T>>>| found.into_iter().next().map(|found| found.label);
        let predicted: Vec<LabelOf<T>> = self
            .predict(weights, truth, 1)?
            .into_iter()
            .map(|found| best(found).unwrap_or_default())
            .collect();
        let metrics = |sample: &Vec<usize>| {
            let some = TaskData::subset(truth, sample)?;
            let predicted: Vec<LabelOf<T>> = sample.iter().map(|&i| predicted[i].clone()).collect();
            let (truth, known) = (&some, self.labels());
            Ok(T::metrics(
                &self.structure,
                Comparison { truth, predicted: &predicted, labels, known, background },
            ))
        };
        samples.par_iter().map(metrics).collect()
    }

    fn sure_and_right(&self, weights: &[f64], data: &dyn DataObject) -> Result<Vec<(f64, bool)>> {
        let data = own::<T>(data)?;
        let (marginals, mut parts) = (self.max_marginals()?, Vec::new());
        for (i, (found, sure)) in self.predict_surely(weights, data, 1)?.into_iter().enumerate() {
            let Some(best) = found.first() else { continue };
            let values = marginals.values(&T::input(data, i), &best.label);
            let part = |(variable, (value, sure)): (usize, (u32, Confidence))| {
                Some((sure.at_least, T::is_right(data, i, variable, value)?))
            };
            parts.extend(values.into_iter().zip(sure).enumerate().filter_map(part));
        }
        Ok(parts)
    }

    fn task(&self) -> Box<dyn TaskObject> {
        Box::new(self.task.clone())
    }

    fn with_features(&self, features: usize, pairs: usize) -> Result<Box<dyn FittedObject>> {
        Ok(Box::new(Fitted::new(self.task.with_pair_attributes(pairs), features, self.labels())?))
    }

    fn scorer(&self) -> Option<String> {
        Fitted::scorer(self).map(|scorer| scorer.describe())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn boxed(&self) -> Box<dyn FittedObject> {
        Box::new(self.clone())
    }
}
