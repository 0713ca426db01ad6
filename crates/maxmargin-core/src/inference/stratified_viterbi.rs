//! The best path of every total cost (Bauer et al. 2014): Viterbi with the cost so far in its state.
//!
//! Costs are small whole numbers on the positions, so a chain of length T with costs up to c has at most c·T + 1 totals, and
//! the table takes as many ordinary decodings at most. As in [`viterbi`](super::viterbi()), only values are kept, and a path
//! is found on the way back.

use super::MaxPlusSteps;
use super::viterbi::first_maximum;

/// The values of the best paths to each position, total cost and state; reused from chain to chain.
#[derive(Debug, Clone, Default)]
pub struct StratifiedTable {
    states: usize,
    length: usize,
    totals: usize,
    /// `best[(t · totals + k) · states + y]`; −∞ where there is no path.
    best: Vec<f64>,
    costs: Vec<u32>,
    from: Vec<f64>,
}

impl StratifiedTable {
    /// Fills the table. `costs` has a whole number for each value of `unary`; `unary` and `steps` as for
    /// [`viterbi`](super::viterbi()).
    pub fn fill(
        &mut self,
        states: usize,
        unary: &[f64],
        steps: impl MaxPlusSteps,
        costs: impl IntoIterator<Item = u32>,
    ) {
        self.costs.clear();
        self.costs.extend(costs);
        (self.states, self.length) = (states, unary.len().checked_div(states).unwrap_or(0));
        let most = |row: &[u32]| row.iter().copied().max().unwrap_or(0) as usize;
        self.totals = 1 + self.costs.chunks_exact(states.max(1)).map(most).sum::<usize>();
        let size = self.totals * states;
        self.best.clear();
        self.best.resize(self.length.max(1) * size, f64::NEG_INFINITY);
        if self.length == 0 {
            self.best[..states].fill(0.0);
            return;
        }
        self.from.resize(states, 0.0);
        for (y, &cost) in self.costs[..states].iter().enumerate() {
            self.best[cost as usize * states + y] = unary[y];
        }
        let mut reached = most(&self.costs[..states]);
        for t in 1..self.length {
            let (before, now) = self.best[(t - 1) * size..].split_at_mut(size);
            let (costs, unary) = (&self.costs[t * states..(t + 1) * states], &unary[t * states..]);
            for (k, before) in before.chunks_exact(states).enumerate().take(reached + 1) {
                steps.forward(t, before, &mut self.from);
                for (y, ((&from, &cost), &unary)) in self.from.iter().zip(costs).zip(unary).enumerate() {
                    now[(k + cost as usize) * states + y] = from + unary;
                }
            }
            reached += most(costs);
        }
    }

    /// The value of the best path of each total cost, from 0 up; −∞ where there is none.
    pub fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.last()
            .chunks_exact(self.states.max(1))
            .map(|row| row.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    }

    fn last(&self) -> &[f64] {
        let size = self.totals * self.states;
        &self.best[self.length.saturating_sub(1) * size..]
    }

    /// The best path of a total cost that has one, with the steps that the table was filled with.
    pub fn path(&self, total: usize, steps: impl MaxPlusSteps) -> Vec<u32> {
        let (states, size) = (self.states, self.totals * self.states);
        let mut path = vec![0; self.length];
        if self.length == 0 {
            return path;
        }
        let mut k = total;
        let mut state = first_maximum(self.last()[k * states..(k + 1) * states].iter().copied());
        for t in (0..self.length).rev() {
            path[t] = state as u32;
            if t > 0 {
                k -= self.costs[t * states + state] as usize;
                let before = &self.best[(t - 1) * size + k * states..][..states];
                state = steps.best_origin(t, state, before);
            }
        }
        path
    }
}
