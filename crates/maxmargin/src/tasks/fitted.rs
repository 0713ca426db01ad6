//! A task for known numbers of features and labels, and what can be done with it.
//!
//! The examples of a task are valid by construction. But weights are found by the numbers of columns and labels, so that data
//! with other numbers of them would read weights that belong to something else: all that takes data asks [`Fitted::check`]
//! first.

use std::sync::Arc;

use rayon::prelude::*;

use super::{ComparisonOf, InputOf, LabelOf, PartScorer, SearchOptions, Task, TaskSearch};
use crate::data::TaskData;
use crate::error::{Error, Result};
use crate::metrics::Metrics;
use crate::risk::{Risk, StructuredRisk};
use crate::search::MarginSearch;
use crate::structure::{Confidence, Example, Found, MaxMarginals, Mix, Structure};

type ScoresOf<T> = <<T as Task>::Structure as Structure>::Scores;

/// A task whose structure is made.
///
/// ```
/// use maxmargin::data::{Noise, word_images};
/// use maxmargin::tasks::{Chain, Fitted};
///
/// let words = word_images(10, Noise::default(), 1);
/// let task = Fitted::new(Chain { bias: false, ..Chain::default() }, 128, 26)?;
/// assert_eq!(task.dim(), 128 * 26 + 26 * 26 + 2 * 26);
/// let predictions = task.predict(&vec![0.0; task.dim()], &words.data, 2)?;
/// assert_eq!(predictions[0].len(), 2);
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Fitted<T: Task> {
    pub(super) task: T,
    pub(super) structure: T::Structure,
    features: usize,
    labels: usize,
    scorer: Option<Arc<dyn PartScorer<T>>>,
}

/// So many examples are scored from outside at a time, of so many part scores together unless it is one.
const SCORED_AT_ONCE: usize = 64;
const SCORES_AT_ONCE: usize = 1 << 22;

impl<T: Task> Fitted<T> {
    /// A [resolved](Task::resolve) task with this many features and labels.
    pub fn new(task: T, features: usize, labels: usize) -> Result<Self> {
        let structure = task.structure(features, labels)?;
        Ok(Self { task, structure, features, labels, scorer: None })
    }

    /// The same task, whose predictions are made with part scores from elsewhere: weights count nowhere then. Refused where the structure takes
    /// no part scores.
    pub fn with_scorer(self, scorer: Arc<dyn PartScorer<T>>) -> Result<Self> {
        match self.structure.offers().parts {
            Some(_) => Ok(Self { scorer: Some(scorer), ..self }),
            None => Err(Error::parameter("scorer", format!("{} takes no part scores", T::NAME))),
        }
    }

    /// The same task with predictions by weights.
    pub fn without_scorer(&self) -> Self {
        Self { scorer: None, ..self.clone() }
    }

    /// What scores the parts of inputs in the place of weights, if anything does.
    pub fn scorer(&self) -> Option<&dyn PartScorer<T>> {
        self.scorer.as_deref()
    }

    /// The task.
    pub fn task(&self) -> &T {
        &self.task
    }

    /// The structure that learns.
    pub fn structure(&self) -> &T::Structure {
        &self.structure
    }

    /// The number of weights.
    pub fn dim(&self) -> usize {
        self.structure.dim()
    }

    /// The number of columns that data for this task has.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// The margin-rescaled risk of labelled data.
    pub fn risk(&self, data: &T::Data) -> Result<Box<dyn Risk>> {
        self.risk_with(data, &self.search(&SearchOptions::default(), data)?)
    }

    /// The risk of labelled data under a surrogate.
    pub fn risk_with(&self, data: &T::Data, search: &TaskSearch) -> Result<Box<dyn Risk>> {
        let examples = self.examples(data)?;
        let Some(strategy) = search.search.clone() else {
            return Ok(Box::new(StructuredRisk::new(self.structure.clone(), MarginSearch, examples)?));
        };
        let risk = StructuredRisk::new(self.structure.clone(), strategy, examples)?;
        Ok(Box::new(if search.surrogate.is_convex() { risk } else { risk.not_convex() }))
    }

    /// The examples of labelled data.
    pub fn examples(&self, data: &T::Data) -> Result<Vec<Example<T::Structure>>> {
        self.check(data)?;
        self.task.check_decided()?;
        if data.is_empty() {
            return Err(Error::parameter("training data", "there are no examples"));
        }
        if !(0..data.len()).all(|i| data.is_labelled(i)) {
            let problem = "an example has no label, or one that the model does not know";
            return Err(Error::parameter("training data", problem));
        }
        let example = |i: usize| {
            T::check_input(&self.structure, data, i)?;
            let truth = T::truth(&self.structure, data, i).map_err(|error| {
                Error::parameter(format!("example {} of the training data", i + 1), error.to_string())
            })?;
            Ok(Example { input: T::input(data, i), truth, weight: self.task.weight(data, i) })
        };
        (0..data.len()).map(example).collect()
    }

    /// The `k` best labels of each example, best first. Refused where data or weights are not those of the task; the labels
    /// of the data do not matter.
    pub fn predict(&self, weights: &[f64], data: &T::Data, k: usize) -> Result<Vec<Vec<Found<LabelOf<T>>>>> {
        self.for_each_input(weights, data, k, |_, _, found| found)
    }

    /// The same, and how sure each variable of the best one is, where the structure has
    /// [max-marginals](crate::structure::MaxMarginals).
    #[allow(clippy::type_complexity)]
    pub fn predict_surely(
        &self,
        weights: &[f64],
        data: &T::Data,
        k: usize,
    ) -> Result<Vec<(Vec<Found<LabelOf<T>>>, Vec<Confidence>)>> {
        self.max_marginals()?;
        self.for_each_input(weights, data, k, |input, scores, found| {
            let best = self.structure.offers().max_marginals.zip(found.first());
            let sure = best.map(|(marginals, best)| marginals.confidences(input, scores, best));
            (found, sure.unwrap_or_default())
        })
    }

    /// What finds out how sure labels are. Refused where nothing does.
    pub fn max_marginals(&self) -> Result<&dyn MaxMarginals<T::Structure>> {
        let problem = || format!("{} does not know how sure its labels are", T::NAME);
        self.structure.offers().max_marginals.ok_or_else(|| Error::parameter("confidence", problem()))
    }

    /// What becomes of the best labels of each example.
    fn for_each_input<R: Send>(
        &self,
        weights: &[f64],
        data: &T::Data,
        k: usize,
        of: impl Fn(&InputOf<T>, &mut ScoresOf<T>, Vec<Found<LabelOf<T>>>) -> R + Sync,
    ) -> Result<Vec<R>> {
        self.check_inputs(data)?;
        self.check_weights(weights)?;
        (0..data.len()).try_for_each(|i| T::check_input(&self.structure, data, i))?;
        if k > 1 && self.structure.offers().k_best.is_none() {
            let problem = format!("{} finds the best label only, not several", T::NAME);
            return Err(Error::parameter("k", problem));
        }
        let predict = |scores: &mut ScoresOf<T>, i: usize| {
            let input = T::input(data, i);
            self.structure.score(weights, &input, scores);
            let found = self.best(&input, k, scores);
            of(&input, scores, found)
        };
        if let Some(scorer) = &self.scorer {
            return self.for_each_scored(scorer.as_ref(), data, k, of);
        }
        // To wake another thread takes longer than most examples.
        if data.len() == 1 {
            return Ok(vec![predict(&mut Default::default(), 0)]);
        }
        Ok((0..data.len()).into_par_iter().map_init(Default::default, predict).collect())
    }

    /// The same with scores from outside.
    fn for_each_scored<R: Send>(
        &self,
        scorer: &dyn PartScorer<T>,
        data: &T::Data,
        k: usize,
        of: impl Fn(&InputOf<T>, &mut ScoresOf<T>, Vec<Found<LabelOf<T>>>) -> R + Sync,
    ) -> Result<Vec<R>> {
        let mut all = Vec::with_capacity(data.len());
        while all.len() < data.len() {
            let examples = all.len()..self.end_of_batch(data, all.len());
            let parts = scorer.part_scores(data, examples.clone())?;
            if parts.len() != examples.len() {
                let problem = format!("scores of {} examples, not {}", parts.len(), examples.len());
                return Err(Error::parameter("scorer", problem));
            }
            let predict = |scores: &mut ScoresOf<T>, (i, parts): (usize, &Vec<f64>)| {
                let input = T::input(data, i);
                let Some(of_parts) = self.structure.offers().parts else {
                    return Err(Error::parameter("scorer", "the structure takes no part scores"));
                };
                let count = of_parts.count(&input);
                if parts.len() != count || parts.iter().any(|part| !part.is_finite()) {
                    let problem = format!("{} scores, where {count} finite ones should be", parts.len());
                    return Err(Error::parameter("scorer", problem));
                }
                of_parts.scores_from_parts(&input, parts, scores);
                let found = self.best(&input, k, scores);
                Ok(of(&input, scores, found))
            };
            let scored = examples.into_par_iter().zip(&parts);
            let some: Vec<Result<R>> = scored.map_init(Default::default, predict).collect();
            for result in some {
                all.push(result?);
            }
        }
        Ok(all)
    }

    /// Where the examples end that are scored together with the one at `start`.
    fn end_of_batch(&self, data: &T::Data, start: usize) -> usize {
        let count = |i| self.structure.offers().parts.map_or(0, |parts| parts.count(&T::input(data, i)));
        let (mut end, mut sum) = (start + 1, count(start));
        while end < data.len() && end - start < SCORED_AT_ONCE {
            sum += count(end);
            if sum > SCORES_AT_ONCE {
                break;
            }
            end += 1;
        }
        end
    }

    /// The best labels of an input that is scored.
    fn best(&self, input: &InputOf<T>, k: usize, scores: &mut ScoresOf<T>) -> Vec<Found<LabelOf<T>>> {
        match self.structure.offers().k_best.filter(|_| k > 1) {
            Some(structure) => structure.k_best(input, None, scores, Mix::SCORE, k),
            None => vec![self.structure.decode(input, scores)],
        }
    }

    /// How good predictions for labelled data are. Refused where predictions are not those of the data, or labels without a name.
    pub fn metrics(&self, comparison: ComparisonOf<'_, T>) -> Result<Metrics> {
        let ComparisonOf::<T> { truth, predicted, labels, known, background } = comparison;
        let problem = if predicted.len() != truth.len() {
            format!("{} predictions for {} examples", predicted.len(), truth.len())
        } else if known != self.labels || known > labels.len() {
            format!("{known} labels are known of {}, but the task was made for {}", labels.len(), self.labels)
        } else if truth.label_count().max(background.map_or(0, |label| label as usize + 1)) > labels.len() {
            format!("there is a label beyond the {} that have names", labels.len())
        } else {
            self.check_inputs(truth)?;
            for (i, label) in predicted.iter().enumerate() {
                self.structure.check(&T::input(truth, i), label)?;
            }
            return Ok(T::metrics(&self.structure, comparison));
        };
        Err(Error::parameter("comparison", problem))
    }

    /// Refuses inputs with other attributes, whatever their labels.
    pub fn check_inputs(&self, data: &T::Data) -> Result<()> {
        let (columns, features) = (data.attributes(), self.features);
        match columns == features || data.is_empty() {
            true => Ok(()),
            false => {
                let problem = format!("the data has {columns} columns, but the task was made for {features}");
                Err(Error::parameter(format!("task {}", T::NAME), problem))
            }
        }
    }

    /// Refuses examples with other attributes or labels.
    pub fn check(&self, data: &T::Data) -> Result<()> {
        self.check_inputs(data)?;
        match data.label_count() {
            count if count <= self.labels => Ok(()),
            count => {
                let (label, labels) = (count - 1, self.labels);
                let problem =
                    format!("the data has label {label}, but the task was made for {labels}, from 0 on");
                Err(Error::parameter(format!("task {}", T::NAME), problem))
            }
        }
    }

    /// Refuses weights that are not those of this task.
    pub fn check_weights(&self, weights: &[f64]) -> Result<()> {
        match weights.len() == self.dim() {
            true => Ok(()),
            false => {
                let problem = format!("{} weights, but the task has {}", weights.len(), self.dim());
                Err(Error::parameter(format!("task {}", T::NAME), problem))
            }
        }
    }
}
