//! Which search goes with a task and a surrogate.

use std::fmt;

use super::{Task, graph};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::inference::MOST_LABELS;
use crate::search::{Strategy, SurrogateSearch};
use crate::structure::{LabelCost, LabelSets, Links, Matching, SetLoss, Structure};
use crate::surrogate::Surrogate;

/// Up to this many different losses of a mean example the stratified search is faster than the hull search.
const FEW_LOSSES: f64 = 40.0;

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

impl Task {
    /// The search for a surrogate. Refused where the surrogate does not fit the loss, or the search neither of them.
    pub fn search(&self, options: &SearchOptions, data: &Dataset) -> Result<TaskSearch> {
        let &SearchOptions { surrogate, strategy, step, background } = options;
        self.check(data)?;
        if surrogate.needs_hamming() && !self.counts_mistakes() {
            return Err(Error::parameter(
                "surrogate",
                format!(
                    "{surrogate} is about the number of mistakes; use it with the loss hamming (chains, label sets), zero-one (multiclass) or miss=1,false=1 (matchings)"
                ),
            ));
        }
        if let Some(strategy @ (Strategy::Stratified | Strategy::Hull)) = strategy
            && self.is_relaxed()
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
        let whole = self.has_whole_losses(surrogate);
        if !surrogate.is_monotone() && !whole {
            let problem = format!(
                "{surrogate} does not rise with the loss; it needs the stratified search, and so costs that are whole numbers up to 100 (label sets: exact inference, equal weights, and a forest of pairs or at most {MOST_LABELS} labels; matchings: equal costs, or whole numbers up to 100)"
            );
            return Err(Error::parameter("surrogate", problem));
        }
        let largest = self.largest_loss(data);
        if surrogate != Surrogate::MicroF1 && !surrogate.value(1.0, largest).is_finite() {
            let problem =
                format!("{surrogate} of a loss of {largest} is too large a number; use smaller exponents");
            return Err(Error::parameter("surrogate", problem));
        }
        if surrogate == Surrogate::MARGIN && strategy.is_none() && step.is_none() {
            return Ok(TaskSearch { surrogate, relaxed: self.is_relaxed(), search: None, why: None });
        }
        let (strategy, why) = match strategy {
            Some(Strategy::Stratified) if !whole && matches!(self, Task::Multilabel(_)) => {
                let problem = format!(
                    "stratified needs equal label weights, and a forest of pairs or at most {MOST_LABELS} labels; use hull"
                );
                return Err(Error::parameter("search", problem));
            }
            Some(Strategy::Stratified) if !whole && matches!(self, Task::Matching(_)) => {
                let problem =
                    "stratified needs equal costs of mistakes, or whole numbers up to 100; use hull";
                return Err(Error::parameter("search", problem));
            }
            Some(Strategy::Stratified) if !whole && step.is_none() => {
                return Err(Error::parameter(
                    "search",
                    "stratified needs costs that are whole numbers up to 100; use hull, or allow costs to be rounded \
                     with --loss-step",
                ));
            }
            Some(strategy) => (strategy, None),
            None if !whole && step.is_some() && self.rounds_costs() => {
                (Strategy::Stratified, Some("costs are rounded down to --loss-step"))
            }
            None => {
                let (strategy, why) = self.best_search(surrogate, data);
                (strategy, Some(why))
            }
        };
        if strategy == Strategy::Stratified && self.has_too_many_losses(surrogate, data, step) {
            let problem = match self {
                Task::Matching(_) => {
                    "the best matching of every loss takes too long to find in the largest graph; stratified is for graphs with up to about 11 nodes on the smaller side, or sparse ones whose edges join nodes at similar places. Use hull, and a surrogate that rises with the loss"
                }
                _ => {
                    "stratified would need more than 256 MB for the losses of the longest chain; use hull, or a larger \
                     --loss-step"
                }
            };
            return Err(Error::parameter("search", problem));
        }
        let can_round = !whole && strategy == Strategy::Stratified && self.rounds_costs();
        if step.is_some() && !can_round {
            return Err(Error::parameter(
                "loss step",
                "only the stratified search rounds costs, and only those that are no whole numbers; leave it out",
            ));
        }
        let search = SurrogateSearch::new(surrogate, strategy)?.with_step(step).with_background(background);
        Ok(TaskSearch { surrogate, relaxed: self.is_relaxed(), search: Some(search), why })
    }

    /// Whether the loss is the number of mistakes.
    fn counts_mistakes(&self) -> bool {
        match self {
            Task::Multiclass(structure) => matches!(structure.cost(), LabelCost::ZeroOne),
            Task::Chain(structure) => matches!(structure.cost(), LabelCost::ZeroOne) && !structure.is_mean(),
            Task::Multilabel(structure) => *structure.set_loss() == SetLoss::default(),
            Task::Matching(structure) => structure.link_loss().counts_mistakes(),
        }
    }

    /// Whether the stratified search may round costs.
    fn rounds_costs(&self) -> bool {
        matches!(self, Task::Multiclass(_) | Task::Chain(_))
    }

    /// A bound on all losses of labelled data.
    fn largest_loss(&self, data: &Dataset) -> f64 {
        match self {
            Task::Multiclass(structure) => structure.cost().largest_of_all(),
            Task::Chain(structure) => longest(data) as f64 * structure.cost().largest_of_all(),
            Task::Multilabel(structure) => structure.largest_loss_of_all(),
            Task::Matching(structure) => {
                let largest = |i: usize| structure.largest_loss(&graph(data, i), &truth(data, i));
                (0..data.len()).map(largest).fold(0.0, f64::max)
            }
        }
    }

    /// Whether the most violated label is searched among fractional ones too.
    pub fn is_relaxed(&self) -> bool {
        matches!(self, Task::Multilabel(structure) if structure.is_relaxed())
    }

    /// Whether the stratified search applies without rounding.
    pub(super) fn has_whole_losses(&self, surrogate: Surrogate) -> bool {
        match self {
            // All labels are listed anyway.
            Task::Multiclass(_) => true,
            // Micro-F1 has losses of its own.
            Task::Chain(structure) => surrogate == Surrogate::MicroF1 || structure.cost().is_whole(None),
            Task::Multilabel(structure) if surrogate == Surrogate::MicroF1 => {
                structure.with_sizes(None).has_strata()
            }
            Task::Multilabel(structure) => structure.has_strata(),
            Task::Matching(structure) => surrogate == Surrogate::MicroF1 || structure.has_whole_losses(),
        }
    }

    /// Whether the table of all losses of the longest example is too large to be made.
    pub(super) fn has_too_many_losses(
        &self,
        surrogate: Surrogate,
        data: &Dataset,
        step: Option<f64>,
    ) -> bool {
        match self {
            Task::Multiclass(_) | Task::Multilabel(_) => false,
            Task::Chain(structure) => {
                let longest = longest(data);
                match surrogate {
                    Surrogate::MicroF1 => structure.with_sizes(None).has_too_many_losses(longest, None),
                    _ => structure.has_too_many_losses(longest, step),
                }
            }
            Task::Matching(structure) => {
                let fits = |structure: &Matching| {
                    (0..data.len()).all(|i| structure.has_strata(&graph(data, i), &truth(data, i)))
                };
                match surrogate {
                    Surrogate::MicroF1 => !fits(&structure.with_sizes(None)),
                    _ => !fits(structure),
                }
            }
        }
    }

    pub(super) fn best_search(&self, surrogate: Surrogate, data: &Dataset) -> (Strategy, &'static str) {
        let whole = self.has_whole_losses(surrogate);
        match self {
            Task::Multiclass(_) => (Strategy::Stratified, "all labels are looked at anyway"),
            Task::Multilabel(structure) if structure.is_relaxed() => {
                (Strategy::HullFractional, "the best of all fractional label sets")
            }
            Task::Multilabel(_) if whole => (Strategy::Stratified, "exact, and one look at all losses"),
            Task::Multilabel(_) => (Strategy::Hull, "exact, whatever the losses"),
            Task::Matching(_) if !surrogate.is_monotone() => {
                (Strategy::Stratified, "the only one for this surrogate")
            }
            Task::Matching(_) => (Strategy::Hull, "exact, whatever the losses"),
            Task::Chain(_) if surrogate == Surrogate::MicroF1 => {
                (Strategy::Hull, "exact, and two queries mostly do: the best label is a vertex")
            }
            Task::Chain(_) if whole && !surrogate.is_monotone() => {
                (Strategy::Stratified, "the only one for this surrogate")
            }
            Task::Chain(structure)
                if whole
                    && mean_length(data) * structure.cost().largest_of_all() <= FEW_LOSSES
                    && !self.has_too_many_losses(surrogate, data, None) =>
            {
                (Strategy::Stratified, "exact, and there are few different losses")
            }
            Task::Chain(_) => (Strategy::Hull, "exact, whatever the losses"),
        }
    }
}

/// The links of an example that are to be found, as the data has them.
fn truth(data: &Dataset, i: usize) -> Links {
    Links::of_labels(data.labels_of(i))
}

fn mean_length(data: &Dataset) -> f64 {
    data.labels.len() as f64 / data.len().max(1) as f64
}

/// The length of the longest example.
fn longest(data: &Dataset) -> usize {
    (0..data.len()).map(|i| data.labels_of(i).len()).max().unwrap_or(0)
}
