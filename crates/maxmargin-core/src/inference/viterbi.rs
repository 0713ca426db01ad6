//! The best path through a chain of states (Viterbi 1967).
//!
//! The forward pass keeps only the values of the best paths, in a loop that vectorises; the path is found on the way
//! back by asking again, at each step, which predecessor gave the maximum. That is one column per step, against a
//! table of back pointers per cell.

use super::MaxPlusSteps;

/// The path that maximises `Σ_t unary[t·states + y_t] + Σ_t step[y_{t−1}·states + y_t]`; the first of equals.
///
/// `unary` has one row of `states` values per position, `step` is `states × states`, or one such matrix for
/// [each](super::EachStep) step; `best` is working memory. The path
/// is written to `path`. An empty chain has the empty path.
pub fn viterbi(
    states: usize,
    unary: &[f64],
    step: impl MaxPlusSteps,
    best: &mut Vec<f64>,
    path: &mut Vec<u32>,
) {
    let length = unary.len().checked_div(states).unwrap_or(0);
    path.clear();
    if length == 0 {
        return;
    }
    forward(states, unary, step, best);
    path.resize(length, 0);
    let mut state = first_maximum(best[(length - 1) * states..].iter().copied());
    path[length - 1] = state as u32;
    for t in (1..length).rev() {
        state = step.best_origin(t, state, &best[(t - 1) * states..t * states]);
        path[t - 1] = state as u32;
    }
}

/// The value of the best path to each state of each position.
pub(super) fn forward(states: usize, unary: &[f64], step: impl MaxPlusSteps, best: &mut Vec<f64>) {
    best.clear();
    best.resize(unary.len(), 0.0);
    best[..states].copy_from_slice(&unary[..states]);
    for t in 1..unary.len() / states {
        let (before, now) = best[(t - 1) * states..].split_at_mut(states);
        let now = &mut now[..states];
        step.forward(t, before, now);
        now.iter_mut().zip(&unary[t * states..]).for_each(|(best, unary)| *best += unary);
    }
}

/// The place of the largest value; the first of equals.
pub(super) fn first_maximum(values: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (i, value) in values.enumerate() {
        if value > best.1 {
            best = (i, value);
        }
    }
    best.0
}
