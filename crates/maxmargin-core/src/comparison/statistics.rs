//! Sums over many searches, from which a table of searches is made.

use crate::search::{FRACTIONAL_PRECISION, Strategy};

/// Values are equal up to this share of them.
const TOLERANCE: f64 = 1e-9;

/// And up to this: what rounding leaves of a difference of scores does not shrink with it.
const ROUNDING: f64 = 1e-12;

/// How one search ended.
pub(super) struct Mark {
    pub(super) value: f64,
    pub(super) upper: f64,
    pub(super) queries: usize,
    pub(super) seconds: f64,
}

impl Mark {
    /// Whether a value is less than another by more than rounding.
    pub(super) fn is_less(value: f64, other: f64) -> bool {
        other - value > TOLERANCE * other.abs() + ROUNDING
    }
}

/// Sums over the searches of one strategy.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Totals {
    /// The number of searches.
    pub searches: u64,
    /// Those that found more than the labels found before are worth (among fractional labels by a thousandth at least): a new
    /// cutting plane.
    pub successes: u64,
    /// Those that did not reach the best value that any search found there.
    pub misses: u64,
    /// The sum of value / best value, 1 where there was nothing to find.
    pub ratios: f64,
    /// Queries of λ-oracles.
    pub queries: u64,
    /// The time, without that for scores.
    pub seconds: f64,
    /// Upper bounds below a value that another search found. Must be 0.
    pub broken_bounds: u64,
}

impl Totals {
    /// Takes a search in. `best` is the best value that any search found there, `slack` that of the labels found before.
    /// Among fractional labels a search may end a little below the best, as the angular search does.
    pub(super) fn add(&mut self, mark: Mark, best: f64, slack: f64, is_fractional: bool) {
        let Mark { value, upper, queries, seconds } = mark;
        self.searches += 1;
        let precision = if is_fractional { FRACTIONAL_PRECISION } else { 0.0 };
        self.successes += u64::from(Mark::is_less(slack, (1.0 - precision) * value));
        self.misses += u64::from(Mark::is_less(value, (1.0 - precision) * best));
        self.ratios += if best > ROUNDING { value / best } else { 1.0 };
        self.queries += queries as u64;
        self.seconds += seconds;
        self.broken_bounds += u64::from(Mark::is_less(upper, best));
    }

    fn mean(&self, sum: f64) -> f64 {
        if self.searches == 0 { 0.0 } else { sum / self.searches as f64 }
    }

    /// The share of searches that found a new cutting plane.
    pub fn success_rate(&self) -> f64 {
        self.mean(self.successes as f64)
    }

    /// The share of searches that did not reach the best value.
    pub fn miss_rate(&self) -> f64 {
        self.mean(self.misses as f64)
    }

    /// The mean of value / best value.
    pub fn mean_ratio(&self) -> f64 {
        self.mean(self.ratios)
    }

    /// Queries per search.
    pub fn mean_queries(&self) -> f64 {
        self.mean(self.queries as f64)
    }

    /// Seconds per search.
    pub fn mean_seconds(&self) -> f64 {
        self.mean(self.seconds)
    }

    fn join(&mut self, other: &Totals) {
        self.searches += other.searches;
        self.successes += other.successes;
        self.misses += other.misses;
        self.ratios += other.ratios;
        self.queries += other.queries;
        self.seconds += other.seconds;
        self.broken_bounds += other.broken_bounds;
    }
}

/// How a strategy did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchStatistics {
    /// The strategy.
    pub strategy: Strategy,
    /// Whether its answers are mixes where those of the others are labels. (Fractional labels are mixes themselves.)
    pub mixes: bool,
    /// Each search from where the last one of the example ended, as in training.
    pub warm: Totals,
    /// Each search from nothing.
    pub cold: Totals,
}

impl SearchStatistics {
    /// Before the first search.
    pub(super) fn new(strategy: Strategy) -> Self {
        Self { strategy, mixes: strategy.mixes(), warm: Totals::default(), cold: Totals::default() }
    }

    /// Adds the searches of the same strategy on other examples.
    pub(super) fn join(&mut self, other: &SearchStatistics) {
        self.mixes &= other.mixes;
        self.warm.join(&other.warm);
        self.cold.join(&other.cold);
    }
}
