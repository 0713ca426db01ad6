//! A run in which searches are compared.

use std::sync::Arc;

use super::{Fitted, SearchOptions, Task, TaskSearch};
use crate::comparison::{ComparedSearch, SearchComparison, Subject};
use crate::data::TaskData;
use crate::error::{Error, Result};
use crate::risk::{Risk, StructuredRisk};
use crate::search::{Strategy, SurrogateSearch};
use crate::structure::Structure;

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

impl<T: Task> Fitted<T> {
    /// The risk under a search, with which all the others are compared while a solver minimises it.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use maxmargin::data::{Noise, word_images};
    /// use maxmargin::search::Strategy;
    /// use maxmargin::solver::{Bmrm, Limits, run};
    /// use maxmargin::surrogate::Surrogate;
    /// use maxmargin::tasks::{Chain, ComparisonOptions, Fitted, SearchOptions};
    ///
    /// let words = word_images(20, Noise::default(), 1);
    /// let task = Fitted::new(Chain::default(), 128, 26)?;
    /// let search = SearchOptions { surrogate: Surrogate::SLACK, ..SearchOptions::default() };
    /// let options = ComparisonOptions { every: 5, ..ComparisonOptions::default() };
    /// let (risk, comparison) = task.compared_risk(&words.data, &search, &options)?;
    /// let mut solver = Bmrm::new(0.1, risk.as_ref(), 1, None)?;
    /// let limits = Limits { max_passes: 5, ..Limits::default() };
    /// run(&mut solver, risk.as_ref(), limits, |_| ControlFlow::Continue(()))?;
    /// for each in comparison.statistics() {
    ///     assert_eq!((each.warm.searches, each.warm.broken_bounds), (20, 0));
    ///     assert!(each.warm.misses == 0 || !each.strategy.is_exact());
    /// }
    /// # Ok::<(), maxmargin::Error>(())
    /// ```
    pub fn compared_risk(
        &self,
        data: &T::Data,
        search: &SearchOptions,
        options: &ComparisonOptions,
    ) -> Result<(Box<dyn Risk>, Arc<dyn SearchComparison>)> {
        let examples = self.examples(data)?;
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
        let surrogate = search.surrogate;
        // With a step the table of losses was found to fit, or refused.
        let stratified = search.step.is_some()
            || T::has_whole_losses(&self.structure, surrogate)
                && !T::has_too_many_losses(&self.structure, surrogate, data, None);
        let applies = |strategy: &Strategy| match strategy {
            Strategy::Stratified => stratified,
            Strategy::Hull => self.structure.offers().relaxed.is_none(),
            _ => true,
        };
        let strategies: Vec<Strategy> = Strategy::ALL.into_iter().filter(applies).collect();
        let is_convex = driving.surrogate().is_convex();
        let &ComparisonOptions { every, subject } = options;
        let search = ComparedSearch::new(driving, &strategies, examples.len(), every, subject);
        let comparison = search.comparison();
        let risk = StructuredRisk::new(self.structure.clone(), search, examples)?;
        Ok((Box::new(if is_convex { risk } else { risk.not_convex() }), comparison))
    }

    /// The search that was asked for or is best. For margin rescaling too, where training needs none.
    fn driving_search(&self, options: &SearchOptions, data: &T::Data) -> Result<SurrogateSearch> {
        if let TaskSearch { search: Some(search), .. } = self.search(options, data)? {
            return Ok(search);
        }
        let (strategy, _) = T::best_search(&self.structure, options.surrogate, data);
        Ok(SurrogateSearch::new(options.surrogate, strategy)?.with_step(options.step))
    }
}
