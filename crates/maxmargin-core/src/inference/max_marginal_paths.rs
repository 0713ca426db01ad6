//! The best path through each state of a chain: forward and backward in the (max, +) semiring.

use super::MaxPlusSteps;
use super::viterbi::forward;

/// For each position the value of the best path whose state there is not that of `path`; −∞ where there is no other state.
/// `unary` and `step` are those of [`viterbi`](super::viterbi()).
pub fn best_elsewhere(states: usize, unary: &[f64], step: impl MaxPlusSteps, path: &[u32]) -> Vec<f64> {
    let mut best = vec![f64::NEG_INFINITY; path.len()];
    for_each_max_marginal(states, unary, step, |t, state, value| {
        if state != path[t] as usize {
            best[t] = best[t].max(value);
        }
    });
    best
}

/// Calls back with each position, state, and the value of the best path through them. `unary` and `step` are those of
/// [`viterbi`](super::viterbi()).
pub fn for_each_max_marginal(
    states: usize,
    unary: &[f64],
    step: impl MaxPlusSteps,
    mut each: impl FnMut(usize, usize, f64),
) {
    if unary.is_empty() {
        return;
    }
    let mut before = Vec::new();
    forward(states, unary, step, &mut before);
    let mut memory = Vec::new();
    // What the best path after a position adds to each of its states, and the same with the unary of the next one.
    let (mut after, mut next) = (vec![0.0; states], vec![0.0; states]);
    for t in (0..unary.len() / states).rev() {
        let here = t * states..(t + 1) * states;
        let values = before[here.clone()].iter().zip(&after).map(|(before, after)| before + after);
        values.enumerate().for_each(|(state, value)| each(t, state, value));
        next.iter_mut()
            .zip(&unary[here])
            .zip(&after)
            .for_each(|((next, unary), after)| *next = unary + after);
        if t > 0 {
            step.backward(t, &next, &mut after, &mut memory);
        }
    }
}
