//! A search that drives a run and tries all the others on the way.
//!
//! Every k-th example is followed through the whole run, at every oracle call: a sample of examples and not of calls,
//! since a warm start is only what it is in training if no call of the example was left out. The choice depends on the
//! data only, and each example has statistics of its own, so that the number of threads changes nothing but times.

use std::cmp::Reverse;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::contest::{Contest, Round};
use super::{Portrait, SearchStatistics};
use crate::error::Result;
use crate::search::{LabelPlane, Memory, Scene, Search, Strategy, SurrogateSearch, Violation, Workspace};
use crate::structure::Structure;

/// Whose label plane is to be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Subject {
    /// Nobody's.
    #[default]
    Nobody,
    /// That of an example and a time where the searches differ most; where they never do, with the most queries.
    MostTelling,
    /// That of the example with this number, when the searches differ most.
    Example(usize),
}

/// What came of a comparison, readable while it goes on.
pub trait SearchComparison: Send + Sync {
    /// How each strategy did.
    fn statistics(&self) -> Vec<SearchStatistics>;

    /// The strategy that drives the run.
    fn driving(&self) -> Strategy;

    /// How many examples are followed.
    fn followed(&self) -> usize;

    /// The label plane that was asked for, if there was one.
    fn portrait(&self) -> Option<Portrait>;
}

/// How telling a label plane is: the spread of values, not the first call (where the weights are often 0), queries;
/// then the first one.
type Rank = (f64, bool, usize, Reverse<usize>, Reverse<usize>);

struct Contests<L> {
    strategies: Vec<Strategy>,
    driving: usize,
    every: usize,
    subject: Subject,
    /// One for each example that is followed; the last one is the subject's, if it would not be among them otherwise.
    contests: Vec<Mutex<Contest<L>>>,
    portrait: Mutex<Option<(Rank, Portrait)>>,
}

impl<L> Contests<L> {
    /// The place of an example among those that are followed.
    fn place(&self, example: usize) -> Option<usize> {
        match self.subject {
            _ if example.is_multiple_of(self.every) => Some(example / self.every),
            Subject::Example(subject) if subject == example => Some(self.contests.len() - 1),
            _ => None,
        }
    }

    fn is_subject(&self, example: usize) -> bool {
        match self.subject {
            Subject::Nobody => false,
            Subject::MostTelling => true,
            Subject::Example(subject) => subject == example,
        }
    }
}

impl<L: Clone + PartialEq> Contests<L> {
    /// Draws the plane, if none was more telling so far.
    fn consider<P: LabelPlane<Label = L>>(
        &self,
        plane: &mut P,
        search: &SurrogateSearch,
        (example, call): (usize, usize),
        round: &Round<L>,
    ) {
        let queries = round.cold.iter().map(|answer| answer.queries.len()).sum();
        let rank: Rank = (round.spread, call > 1, queries, Reverse(example), Reverse(call));
        let mut portrait = lock(&self.portrait);
        if portrait.as_ref().is_none_or(|(other, _)| rank > *other) {
            let answers = self.strategies.iter().copied().zip(&round.cold);
            *portrait = Some((rank, Portrait::new(plane, search.surrogate(), example, call, answers)));
        }
    }
}

impl<L: Clone + PartialEq + Send + Sync> SearchComparison for Contests<L> {
    fn statistics(&self) -> Vec<SearchStatistics> {
        let mut statistics: Vec<SearchStatistics> =
            self.strategies.iter().copied().map(SearchStatistics::new).collect();
        for contest in &self.contests {
            statistics.iter_mut().zip(lock(contest).statistics()).for_each(|(each, other)| each.join(other));
        }
        statistics
    }

    fn driving(&self) -> Strategy {
        self.strategies[self.driving]
    }

    fn followed(&self) -> usize {
        self.contests.len()
    }

    fn portrait(&self) -> Option<Portrait> {
        lock(&self.portrait).as_ref().map(|(_, portrait)| portrait.clone())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A search that drives a run, while others are tried on some of its examples.
pub struct ComparedSearch<L> {
    search: SurrogateSearch,
    contests: Arc<Contests<L>>,
}

impl<L: Clone + PartialEq + Send + Sync + 'static> ComparedSearch<L> {
    /// Tries `others` beside `search` on every `every`-th of so many examples. Others that cannot find the surrogate's
    /// label are left out.
    pub fn new(
        search: SurrogateSearch,
        others: &[Strategy],
        examples: usize,
        every: usize,
        subject: Subject,
    ) -> Self {
        let (surrogate, drives) = (search.surrogate(), search.strategy());
        let applies = |strategy: &Strategy| strategy.check(surrogate).is_ok();
        let mut strategies: Vec<Strategy> = others.iter().copied().filter(applies).collect();
        let driving = strategies.iter().position(|&other| other == drives).unwrap_or_else(|| {
            strategies.push(drives);
            strategies.len() - 1
        });
        let every = every.max(1);
        let extra = matches!(subject, Subject::Example(number) if !number.is_multiple_of(every));
        let followed = examples.div_ceil(every) + usize::from(extra);
        let contest = |_| Mutex::new(Contest::new(surrogate, &strategies, driving));
        let contests = (0..followed).map(contest).collect();
        let portrait = Mutex::default();
        Self {
            search,
            contests: Arc::new(Contests { strategies, driving, every, subject, contests, portrait }),
        }
    }

    /// What comes of it.
    pub fn comparison(&self) -> Arc<dyn SearchComparison> {
        self.contests.clone()
    }
}

impl<S: Structure> Search<S> for ComparedSearch<S::Label> {
    type Workspace = Workspace<S>;

    fn most_violated(
        &self,
        scene: Scene<'_, S>,
        memory: &mut Memory<S::Label>,
        workspace: &mut Self::Workspace,
    ) -> Violation<S::Label> {
        let (contests, example) = (&*self.contests, scene.example);
        let Some(place) = contests.place(example) else {
            return self.search.most_violated(scene, memory, workspace);
        };
        let (structure, truth) = (scene.structure, scene.truth);
        let rounding = self.search.rounding(&scene);
        let answer = self.search.on_plane(scene, workspace, |plane| {
            let mut contest = lock(&contests.contests[place]);
            let mut round = contest.round(plane);
            if contests.is_subject(example) {
                contests.consider(plane, &self.search, (example, contest.rounds()), &round);
            }
            round.warm.swap_remove(contests.driving)
        });
        self.search.violation(structure, truth, answer, rounding)
    }

    fn check(&self, structure: &S) -> Result<()> {
        self.search.check(structure)
    }

    fn steepest(&self, structure: &S, input: &S::Input, truth: &S::Label) -> f64 {
        self.search.steepest(structure, input, truth)
    }

    fn sensitivity(&self) -> f64 {
        self.search.surrogate().sensitivity()
    }

    fn remembers(&self) -> bool {
        self.search.strategy().remembers()
    }

    fn is_convex(&self) -> bool {
        self.search.surrogate().is_convex()
    }

    fn name(&self) -> &'static str {
        self.search.strategy().name()
    }
}
