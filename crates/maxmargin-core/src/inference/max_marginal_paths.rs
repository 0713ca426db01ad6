//! The best path through each state of a chain: forward and backward in the (max, +) semiring.

use super::Steps;
use super::viterbi::forward;
use crate::linear::max_plus;

/// For each position the value of the best path whose state there is not that of `path`; −∞ where there is no other state.
/// `unary` and `step` are those of [`viterbi`](super::viterbi()).
///
/// ```
/// use maxmargin_core::inference::best_elsewhere;
/// let (unary, step) = ([0.0, 1.0, 0.0, 0.5], [0.0, 0.0, 5.0, 0.0]);
/// assert_eq!(best_elsewhere(2, &unary, &step, &[1, 0]), [0.5, 1.5]);
/// ```
pub fn best_elsewhere<'a, S: Steps<'a>>(states: usize, unary: &[f64], step: S, path: &[u32]) -> Vec<f64> {
    if unary.is_empty() {
        return Vec::new();
    }
    let mut before = Vec::new();
    forward(states, unary, step, &mut before);
    let mut back = vec![0.0; states * states];
    let mut best = vec![f64::NEG_INFINITY; path.len()];
    // What the best path after a position adds to each of its states, and the same with the unary of the next one.
    let (mut after, mut next) = (vec![0.0; states], vec![0.0; states]);
    for t in (0..path.len()).rev() {
        let here = t * states..(t + 1) * states;
        let values = before[here.clone()].iter().zip(&after).map(|(before, after)| before + after);
        let others = values.enumerate().filter(|(state, _)| *state != path[t] as usize);
        best[t] = others.fold(f64::NEG_INFINITY, |best, (_, value)| best.max(value));
        next.iter_mut()
            .zip(&unary[here])
            .zip(&after)
            .for_each(|((next, unary), after)| *next = unary + after);
        if t == 0 {
            break;
        }
        if t + 1 == path.len() || S::DIFFER {
            turn(states, step.to_position(t), &mut back);
        }
        max_plus(&next, &back, &mut after);
    }
    best
}

/// Writes down the steps the other way round.
fn turn(states: usize, step: &[f64], back: &mut [f64]) {
    for (from, row) in step.chunks_exact(states).enumerate() {
        row.iter().enumerate().for_each(|(to, &value)| back[to * states + from] = value);
    }
}
