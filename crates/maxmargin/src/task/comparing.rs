//! A run in which searches are compared.

use std::sync::Arc;

use super::{SearchOptions, Task, TaskSearch, check_all_labelled, examples, graphs};
use crate::comparison::{ComparedSearch, Comparison, Subject};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::risk::{Risk, StructuredRisk};
use crate::search::{Strategy, SurrogateSearch};
use crate::structure::{Example, LabelSet, Structure};

/// Which examples are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparisonOptions {
    /// All searches are tried on each example whose number is a multiple of this.
    pub every: usize,
    /// Whose label plane is to be drawn.
    pub subject: Subject,
}

impl Default for ComparisonOptions {
    fn default() -> Self {
        Self { every: 10, subject: Subject::Nobody }
    }
}

impl Task {
    /// The risk under a search, with which all the others are compared while a solver minimises it.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use maxmargin::data::{Noise, word_images};
    /// use maxmargin::search::Strategy;
    /// use maxmargin::solver::{Bmrm, Limits, run};
    /// use maxmargin::surrogate::Surrogate;
    /// use maxmargin::task::{ComparisonOptions, SearchOptions, Task, TaskKind, TaskOptions};
    ///
    /// let words = word_images(20, Noise::default(), 1);
    /// let task = Task::new(TaskKind::Chain, 128, 26, TaskOptions::default())?;
    /// let search = SearchOptions { surrogate: Surrogate::SLACK, ..SearchOptions::default() };
    /// let options = ComparisonOptions { every: 5, ..ComparisonOptions::default() };
    /// let (risk, comparison) = task.compared_risk(&words.data, &search, &options)?;
    /// let mut solver = Bmrm::new(0.1, risk.as_ref(), 1, None);
    /// let limits = Limits { max_passes: 5, ..Limits::default() };
    /// run(&mut solver, risk.as_ref(), limits, |_| ControlFlow::Continue(()));
    /// for tally in comparison.tallies() {
    ///     assert_eq!((tally.warm.searches, tally.warm.broken_bounds), (20, 0));
    ///     assert!(tally.warm.misses == 0 || !tally.strategy.is_exact());
    /// }
    /// # Ok::<(), maxmargin::Error>(())
    /// ```
    pub fn compared_risk(
        &self,
        data: &Dataset,
        search: &SearchOptions,
        options: &ComparisonOptions,
    ) -> Result<(Box<dyn Risk>, Arc<dyn Comparison>)> {
        self.check(data)?;
        check_all_labelled(data)?;
        if options.every == 0 {
            return Err(Error::parameter("every", "0 is not allowed; 1 follows all examples"));
        }
        match options.subject {
            Subject::Example(number) if number >= data.len() => {
                let problem =
                    format!("there is no example {number}; they are numbered 0 to {}", data.len() - 1);
                return Err(Error::parameter("example", problem));
            }
            _ => {}
        }
        let driving = self.driving_search(search, data)?;
        let stratified = match self {
            // All the others can make the table of losses, or are refused above.
            Task::Matching(_) => {
                self.has_whole_losses(search.surrogate)
                    && !self.has_too_many_losses(search.surrogate, data, None)
            }
            _ => self.has_whole_losses(search.surrogate) || search.step.is_some(),
        };
        let applies = |strategy: &Strategy| match strategy {
            Strategy::Stratified => stratified,
            Strategy::Hull => !self.is_relaxed(),
            _ => true,
        };
        let strategies: Vec<Strategy> = Strategy::ALL.into_iter().filter(applies).collect();
        match self {
            Task::Multiclass(structure) => {
                compared(structure, examples(data, |labels| labels[0]), driving, &strategies, options)
            }
            Task::Chain(structure) => {
                compared(structure, examples(data, <[u32]>::to_vec), driving, &strategies, options)
            }
            Task::Multilabel(structure) => {
                compared(structure, examples(data, LabelSet::of), driving, &strategies, options)
            }
            Task::Matching(structure) => {
                compared(structure, graphs(structure, data)?, driving, &strategies, options)
            }
        }
    }

    /// The search that was asked for or is best. For margin rescaling too, where training needs none.
    fn driving_search(&self, options: &SearchOptions, data: &Dataset) -> Result<SurrogateSearch> {
        if let TaskSearch { search: Some(search), .. } = self.search(options, data)? {
            return Ok(search);
        }
        let (strategy, _) = self.best_search(options.surrogate, data);
        Ok(SurrogateSearch::new(options.surrogate, strategy)?.with_step(options.step))
    }
}

fn compared<S>(
    structure: &S,
    examples: Vec<Example<S>>,
    driving: SurrogateSearch,
    strategies: &[Strategy],
    options: &ComparisonOptions,
) -> Result<(Box<dyn Risk>, Arc<dyn Comparison>)>
where
    S: Structure + Clone + 'static,
{
    let is_convex = driving.surrogate().is_convex();
    let &ComparisonOptions { every, subject } = options;
    let search = ComparedSearch::new(driving, strategies, examples.len(), every, subject);
    let comparison = search.comparison();
    let risk = StructuredRisk::new(structure.clone(), search, examples)?;
    Ok((Box::new(if is_convex { risk } else { risk.not_convex() }), comparison))
}
