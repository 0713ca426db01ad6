//! All searches of one example, side by side, through a whole run (SLACK Table 1, THESIS Table 5.1).
//!
//! Each search is tried twice on the same label plane: *warm*, from its own memory of the example, as if it alone had
//! served the run, and *cold*, from nothing. Answers are measured against the best one of the round, and against the
//! slack ξ: the largest ψ, under the present weights, of the labels that the driving search found for this example
//! before. A search that beats ξ finds a cutting plane that the run does not have yet.
//!
//! The best mix of labels is worth at least as much as the best label, so that the fractional search is measured
//! against mixes and never counts for the others.

use std::time::Instant;

use super::statistics::{Mark, SearchStatistics};
use crate::search::{Answer, LabelPlane, Memory, Spot, Strategy, search};
use crate::surrogate::Surrogate;

/// The answers to one label plane, in the order of the strategies.
pub(super) struct Round<L> {
    pub(super) warm: Vec<Answer<L>>,
    pub(super) cold: Vec<Answer<L>>,
    /// How much the best label found is better than the worst one, from nothing; 0 where rounding explains it.
    /// Without searches that need a slack: from nothing they are not themselves.
    pub(super) spread: f64,
}

/// The searches of one example: what they remember and how they did.
pub(super) struct Contest<L> {
    surrogate: Surrogate,
    memories: Vec<Memory<L>>,
    statistics: Vec<SearchStatistics>,
    driving: usize,
    /// What the driving search found so far.
    found: Vec<L>,
    rounds: usize,
}

impl<L: Clone + PartialEq> Contest<L> {
    /// Before the first round. `driving` is the place of the driving search.
    pub(super) fn new(surrogate: Surrogate, strategies: &[Strategy], driving: usize) -> Self {
        Self {
            surrogate,
            memories: strategies.iter().map(|_| Memory::default()).collect(),
            statistics: strategies.iter().copied().map(SearchStatistics::new).collect(),
            driving,
            found: Vec::new(),
            rounds: 0,
        }
    }

    /// How the searches did.
    pub(super) fn statistics(&self) -> &[SearchStatistics] {
        &self.statistics
    }

    /// The rounds so far.
    pub(super) fn rounds(&self) -> usize {
        self.rounds
    }

    /// Tries all searches on a plane.
    pub(super) fn round<P: LabelPlane<Label = L>>(&mut self, plane: &mut P) -> Round<L> {
        let slack = self.slack(plane);
        let (mut warm, mut cold) = (Vec::new(), Vec::new());
        for (each, memory) in self.statistics.iter().zip(&mut self.memories) {
            let answer = timed(each.strategy, plane, self.surrogate, memory);
            cold.push(match each.strategy.remembers() {
                true => timed(each.strategy, plane, self.surrogate, &mut Memory::default()),
                false => answer.clone(),
            });
            warm.push(answer);
        }
        self.statistics.iter_mut().for_each(|each| each.mixes &= !plane.is_fractional());
        let is_mix: Vec<bool> = self.statistics.iter().map(|each| each.mixes).collect();
        let of_labels = || warm.iter().zip(&is_mix).chain(cold.iter().zip(&is_mix)).filter(|(_, mix)| !**mix);
        let best = of_labels().map(|((answer, _), _)| answer.value).fold(0.0, f64::max);
        let best_mix = warm.iter().chain(&cold).map(|(answer, _)| answer.value).fold(best, f64::max);
        for (place, each) in self.statistics.iter_mut().enumerate() {
            let best = if is_mix[place] { best_mix } else { best };
            for (totals, (answer, seconds)) in
                [(&mut each.warm, &warm[place]), (&mut each.cold, &cold[place])]
            {
                let queries = answer.queries.len();
                let mark = Mark { value: answer.value, upper: answer.upper, queries, seconds: *seconds };
                totals.add(mark, best, slack, plane.is_fractional());
            }
        }
        let from_nothing =
            self.statistics.iter().zip(&cold).filter(|(each, _)| !each.mixes && !each.strategy.needs_slack());
        let worst = from_nothing.map(|(_, (answer, _))| answer.value).fold(best, f64::min);
        let spread = if Mark::is_less(worst, best) { best - worst } else { 0.0 };
        self.keep(plane, &warm[self.driving].0);
        self.rounds += 1;
        let answers = |timed: Vec<(Answer<L>, f64)>| timed.into_iter().map(|(answer, _)| answer).collect();
        Round { warm: answers(warm), cold: answers(cold), spread }
    }

    /// Keeps what the driving search found: a mix as the label that it is, or else as its two labels.
    fn keep(&mut self, plane: &impl LabelPlane<Label = L>, answer: &Answer<L>) {
        let second = answer.second.as_ref();
        let mix = second.and_then(|(second, share)| plane.between(&answer.best, second, *share));
        let spots = match &mix {
            Some(mix) => vec![mix],
            None => [Some(&answer.best), second.map(|second| &second.0)].into_iter().flatten().collect(),
        };
        for Spot { label, .. } in spots {
            if !self.found.contains(label) {
                self.found.push(label.clone());
            }
        }
    }

    /// The largest ψ of the labels found before.
    fn slack(&self, plane: &impl LabelPlane<Label = L>) -> f64 {
        let spots = self.found.iter().map(|label| plane.spot(label));
        spots.map(|spot| self.surrogate.value(spot.h, spot.g)).fold(0.0, f64::max)
    }
}

/// An answer, and the seconds that it took.
fn timed<P: LabelPlane>(
    strategy: Strategy,
    plane: &mut P,
    surrogate: Surrogate,
    memory: &mut Memory<P::Label>,
) -> (Answer<P::Label>, f64) {
    let start = Instant::now();
    let answer = search(strategy, plane, surrogate, memory);
    (answer, start.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Points;

    /// No λ-oracle ever returns the label in the middle, which is the best for slack rescaling.
    const HIDDEN: [(f64, f64); 4] = [(0.0, 0.0), (3.0, 0.1), (0.45, 1.1), (-0.9, 4.0)];

    fn contest(strategies: &[Strategy]) -> Contest<usize> {
        Contest::new(Surrogate::SLACK, strategies, 0)
    }

    #[test]
    fn a_hidden_label_is_missed_by_plain_searches_only() {
        let strategies: Vec<Strategy> = Strategy::ALL.to_vec();
        let mut contest = contest(&strategies);
        let mut plane = Points::new(HIDDEN.to_vec());
        let round = contest.round(&mut plane);
        let best = 1.45 * 1.1;
        assert!((round.spread - (best - 0.4)).abs() < 1e-12, "{}", round.spread);
        for SearchStatistics { strategy, warm, cold, .. } in contest.statistics() {
            let expected = u64::from(!strategy.is_exact());
            assert_eq!((warm.searches, warm.misses, cold.misses), (1, expected, expected), "{strategy}");
            assert_eq!(warm.broken_bounds + cold.broken_bounds, 0, "{strategy}");
            assert_eq!(warm.successes, 1, "{strategy}: every label is new at first");
            let ratio = if strategy.is_exact() { 1.0 } else { 0.4 / best };
            assert!((warm.mean_ratio() - ratio).abs() < 1e-9, "{strategy}: {}", warm.mean_ratio());
        }
    }

    #[test]
    fn only_labels_above_the_slack_are_successes() {
        let strategies = [Strategy::Stratified, Strategy::Hull, Strategy::Binary];
        let mut contest = contest(&strategies);
        let mut plane = Points::new(HIDDEN.to_vec());
        contest.round(&mut plane);
        contest.round(&mut plane);
        let successes = |contest: &Contest<usize>| -> Vec<u64> {
            contest.statistics().iter().map(|each| each.warm.successes).collect()
        };
        assert_eq!(successes(&contest), [1, 1, 1], "nothing is new in the second round");
        // Other weights: the first label is now better than the one found before.
        let mut moved = HIDDEN.to_vec();
        moved[1] = (30.0, 0.1);
        contest.round(&mut Points::new(moved));
        assert_eq!(successes(&contest), [2, 2, 2]);
        assert_eq!(contest.rounds(), 3);
    }

    #[test]
    fn warm_searches_ask_less() {
        let mut contest = contest(&[Strategy::Hull, Strategy::Bisecting]);
        let mut plane = Points::new((0..40).map(|i| (f64::from(i), f64::from(40 - i).sqrt())).collect());
        (0..5).for_each(|_| drop(contest.round(&mut plane)));
        for SearchStatistics { strategy, warm, cold, .. } in contest.statistics() {
            assert!(warm.mean_queries() < cold.mean_queries(), "{strategy}: {warm:?} and {cold:?}");
        }
    }

    #[test]
    fn mixes_are_measured_against_mixes() {
        let mut contest = contest(&[Strategy::Hull, Strategy::HullFractional]);
        contest.round(&mut Points::new(HIDDEN.to_vec()));
        let [labels, mixes] = contest.statistics() else { panic!("two searches") };
        assert_eq!((labels.warm.misses, mixes.warm.misses), (0, 0));
        assert_eq!(labels.warm.mean_ratio(), 1.0, "the better mix must not count for labels");
    }
}
