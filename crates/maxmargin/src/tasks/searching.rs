//! Which search goes with a task and a surrogate.

use std::fmt;

use super::{Fitted, Task};
use crate::data::TaskData;
use crate::error::{Error, Result};
use crate::search::{Strategy, SurrogateSearch};
use crate::structure::Structure;
use crate::surrogate::Surrogate;

/// A surrogate, and how its most violated label is to be found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchOptions {
    /// The surrogate.
    pub surrogate: Surrogate,
    /// The search; what is best for the task if there is none.
    pub strategy: Option<Strategy>,
    /// The step to which costs that are no whole numbers are rounded down by the stratified search.
    pub step: Option<f64>,
    /// Micro-F1: the label that is in no set.
    pub background: Option<u32>,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { surrogate: Surrogate::MARGIN, strategy: None, step: None, background: None }
    }
}

/// A search that fits a task, and why it was chosen.
#[derive(Debug, Clone)]
pub struct TaskSearch {
    pub(super) surrogate: Surrogate,
    /// Whether fractional labels are searched too.
    relaxed: bool,
    /// None where one loss-augmented decoding is exact.
    pub(super) search: Option<SurrogateSearch>,
    why: Option<&'static str>,
}

impl TaskSearch {
    /// The surrogate.
    pub fn surrogate(&self) -> Surrogate {
        self.surrogate
    }

    /// The name of the search in model files.
    pub fn name(&self) -> &'static str {
        let of_margin = if self.relaxed { "relaxed" } else { "exact" };
        self.search.as_ref().map_or(of_margin, |search| search.strategy().name())
    }

    /// The search itself; none for margin rescaling, where one decoding is exact.
    pub fn search(&self) -> Option<&SurrogateSearch> {
        self.search.as_ref()
    }

    /// Why this search, if it was not asked for by name.
    pub fn why(&self) -> Option<&'static str> {
        self.why
    }

    /// What a reader of a summary must know about the objective.
    pub fn remark(&self) -> Option<&'static str> {
        match self.search.as_ref().map(SurrogateSearch::strategy) {
            _ if !self.surrogate.is_convex() => Some("not convex in the weights: no certificate exists"),
            _ if self.relaxed => {
                Some("over the linear relaxation of label sets: an upper bound on the objective over sets")
            }
            // The best point of the hull is a label where contours are straight.
            Some(Strategy::HullFractional)
                if !matches!(self.surrogate, Surrogate::MARGIN | Surrogate::MicroF1) =>
            {
                Some("over the convex hull of the labels: another, larger objective than over labels")
            }
            _ => None,
        }
    }
}

impl fmt::Display for TaskSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        let Some(search) = &self.search else { return Ok(()) };
        if let Some(step) = search.step() {
            write!(f, " in steps of {step}")?;
        }
        match search.background() {
            Some(label) if self.surrogate == Surrogate::MicroF1 => write!(f, " without label {label}"),
            _ => Ok(()),
        }
    }
}

impl<T: Task> Fitted<T> {
    /// The search for a surrogate. Refused where the surrogate does not fit the loss, or the search neither of them.
    pub fn search(&self, options: &SearchOptions, data: &T::Data) -> Result<TaskSearch> {
        let &SearchOptions { surrogate, strategy, step, background } = options;
        self.check(data)?;
        if surrogate.needs_hamming() && !self.task.counts_mistakes() {
            return Err(Error::parameter(
                "surrogate",
                format!(
                    "{surrogate} is about the number of mistakes; use it with a loss that counts them, which {} is not",
                    self.task.loss_name()
                ),
            ));
        }
        if let Some(strategy @ (Strategy::Stratified | Strategy::Hull)) = strategy
            && self.structure.offers().relaxed.is_some()
        {
            let problem = format!(
                "{strategy} is about whole labels, and the relaxation has fractional ones; use hull-fractional, or exact inference"
            );
            return Err(Error::parameter("search", problem));
        }
        if let Some(step) = step.filter(|step| !step.is_finite() || *step <= 0.0) {
            return Err(Error::parameter(
                "loss step",
                format!("{step} is not allowed; a step is a number above 0"),
            ));
        }
        let whole = T::has_whole_losses(&self.structure, surrogate);
        if !surrogate.is_monotone() && !whole {
            let problem = format!(
                "{surrogate} does not rise with the loss; it needs the stratified search, and so {}",
                T::STRATIFIED_NEEDS[0]
            );
            return Err(Error::parameter("surrogate", problem));
        }
        if surrogate == Surrogate::MicroF1 && self.structure.offers().sets.is_none() {
            let problem = "micro-f1 takes labels for sets in which each has one weight above 0; it does not go with different costs of misses and of false labels, nor with weights of 0";
            return Err(Error::parameter("surrogate", problem));
        }
        let largest = self.largest_loss(data);
        if surrogate != Surrogate::MicroF1 && !surrogate.value(1.0, largest).is_finite() {
            let problem =
                format!("{surrogate} of a loss of {largest} is too large a number; use smaller exponents");
            return Err(Error::parameter("surrogate", problem));
        }
        if surrogate == Surrogate::MARGIN && strategy.is_none() && step.is_none() {
            return Ok(TaskSearch {
                surrogate,
                relaxed: self.structure.offers().relaxed.is_some(),
                search: None,
                why: None,
            });
        }
        let (strategy, why) = match strategy {
            Some(Strategy::Stratified) if !(whole || step.is_some() && self.task.rounds_costs()) => {
                let step = match self.task.rounds_costs() {
                    true => ", or a loss step, to which costs are rounded",
                    false => "",
                };
                let problem = format!("stratified needs {}; use hull{step}", T::STRATIFIED_NEEDS[0]);
                return Err(Error::parameter("search", problem));
            }
            Some(strategy) => (strategy, None),
            None if !whole && step.is_some() && self.task.rounds_costs() => {
                (Strategy::Stratified, Some("costs are rounded down to the loss step"))
            }
            None => {
                let (strategy, why) = T::best_search(&self.structure, surrogate, data);
                (strategy, Some(why))
            }
        };
        if strategy == Strategy::Stratified && T::has_too_many_losses(&self.structure, surrogate, data, step)
        {
            return Err(Error::parameter("search", T::STRATIFIED_NEEDS[1]));
        }
        let can_round = !whole && strategy == Strategy::Stratified && self.task.rounds_costs();
        if step.is_some() && !can_round {
            return Err(Error::parameter(
                "loss step",
                "only the stratified search rounds costs, and only those that are no whole numbers; leave it out",
            ));
        }
        let search = SurrogateSearch::new(surrogate, strategy)?.with_step(step).with_background(background);
        Ok(TaskSearch {
            surrogate,
            relaxed: self.structure.offers().relaxed.is_some(),
            search: Some(search),
            why,
        })
    }

    /// A bound on all losses of labelled data.
    fn largest_loss(&self, data: &T::Data) -> f64 {
        let largest = |i: usize| {
            // What is not known is refused where it matters; here there is nothing to bound.
            let truth = data.is_labelled(i).then(|| T::truth(&self.structure, data, i).ok())??;
            Some(self.structure.largest_loss(&T::input(data, i), &truth))
        };
        (0..data.len()).filter_map(largest).fold(0.0, f64::max)
    }
}
