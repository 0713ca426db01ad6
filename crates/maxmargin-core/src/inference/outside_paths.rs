//! The best path that leaves a product of sets at least once.
//!
//! Each position has a set of allowed states, and a path is outside where one of its states is not allowed, whatever the others are.
//! So there are two layers: paths that were inside so far, and paths that have left at least once and may go anywhere from then
//! on. The answer comes from the second layer. (CANDIDATE, Algorithm 2, as printed never lets a path that has left go on, and so misses
//! all that leave before the last position.)

use super::{Gain, Steps};

/// The values of both layers.
#[derive(Debug, Clone, Default)]
pub struct OutsideTable<V> {
    inside: Vec<V>,
    left: Vec<V>,
}

/// The best path with at least one state that is not allowed. `unary` and `step` are those of
/// [`viterbi`](super::viterbi()), `allowed` has as many entries as `unary`. Returns false where there is no such path.
pub fn best_path_outside<V: Gain>(
    states: usize,
    unary: &[V],
    step: impl Steps<V>,
    allowed: &[bool],
    table: &mut OutsideTable<V>,
    path: &mut Vec<u32>,
) -> bool {
    let length = unary.len().checked_div(states).unwrap_or(0);
    path.clear();
    if allowed[..length * states].iter().all(|allowed| *allowed) {
        return false;
    }
    let nothing = V::ZERO - V::INFINITY;
    let OutsideTable { inside, left } = table;
    for layer in [&mut *inside, &mut *left] {
        layer.clear();
        layer.resize(length * states, nothing);
    }
    for t in 0..length {
        let here = t * states..(t + 1) * states;
        if t > 0 {
            for layer in [&mut *inside, &mut *left] {
                let (before, now) = layer[(t - 1) * states..].split_at_mut(states);
                now[..states]
                    .iter_mut()
                    .enumerate()
                    .for_each(|(to, now)| *now = arrival(step, t, to, before).1);
            }
        }
        for place in here {
            let came = if t > 0 { inside[place] } else { V::ZERO };
            match allowed[place] {
                true => inside[place] = came + unary[place],
                false => {
                    left[place] = left[place].larger(came);
                    inside[place] = nothing;
                }
            }
            left[place] = left[place] + unary[place];
        }
    }
    path.resize(length, 0);
    let mut state = best_of(left[(length - 1) * states..].iter().copied().enumerate()).0;
    let mut has_left = true;
    for t in (0..length).rev() {
        path[t] = state as u32;
        if t == 0 {
            break;
        }
        let best = |layer: &[V]| arrival(step, t, state, &layer[(t - 1) * states..t * states]);
        let (from_inside, from_left) = (best(inside), best(left));
        let leaves_here = has_left && !allowed[t * states + state] && from_left.1.is_below(from_inside.1);
        has_left = has_left && !leaves_here;
        state = if has_left { from_left.0 } else { from_inside.0 };
    }
    path.iter().enumerate().any(|(t, &state)| !allowed[t * states + state as usize])
}

/// The best way into a state of position `t`: where it comes from, and what it is worth.
fn arrival<V: Gain>(step: impl Steps<V>, t: usize, to: usize, before: &[V]) -> (usize, V) {
    best_of(step.ways(t, to, before).map(|(from, &value, step)| (from, value + step)))
}

/// The largest value with its place; the first of equals.
fn best_of<V: Gain>(values: impl Iterator<Item = (usize, V)>) -> (usize, V) {
    let nothing = V::ZERO - V::INFINITY;
    values.fold((0, nothing), |best, next| if best.1.is_below(next.1) { next } else { best })
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::inference::Lexicographic;

    /// CANDIDATE, Algorithm 2 as printed: the second row of values is reached from candidates only and never goes on, so that a path
    /// leaves in its last position and nowhere else.
    fn as_printed(states: usize, unary: &[f64], step: &[f64], allowed: &[bool]) -> Option<Vec<u32>> {
        let length = unary.len() / states;
        let mut inside = vec![f64::NEG_INFINITY; unary.len()];
        let mut from = vec![0; unary.len()];
        let mut left = vec![f64::NEG_INFINITY; unary.len()];
        for place in 0..unary.len() {
            let (t, b) = (place / states, place % states);
            let mut came = 0.0;
            if t > 0 {
                let value = |a: usize| inside[(t - 1) * states + a] + step[a * states + b];
                from[place] = (0..states).fold(0, |best, a| if value(a) > value(best) { a } else { best });
                came = value(from[place]);
            }
            let layer = if allowed[place] { &mut inside } else { &mut left };
            layer[place] = came + unary[place];
        }
        let last = (length - 1) * states;
        let mut state = (0..states).max_by(|&a, &b| left[last + a].total_cmp(&left[last + b]))?;
        if left[last + state] == f64::NEG_INFINITY {
            return None;
        }
        let mut path = vec![0; length];
        for t in (0..length).rev() {
            path[t] = state as u32;
            state = from[t * states + state];
        }
        Some(path)
    }

    fn value(states: usize, unary: &[f64], step: &[f64], path: &[u32]) -> f64 {
        let of_states: f64 = path.iter().enumerate().map(|(t, &y)| unary[t * states + y as usize]).sum();
        let of_steps = path.windows(2).map(|pair| step[pair[0] as usize * states + pair[1] as usize]);
        of_states + of_steps.sum::<f64>()
    }

    fn all_paths(states: usize, length: usize) -> impl Iterator<Item = Vec<u32>> {
        let count = states.pow(length as u32);
        (0..count)
            .map(move |number| (0..length).map(|t| (number / states.pow(t as u32) % states) as u32).collect())
    }

    #[test]
    fn equals_enumeration() {
        let mut random = Pcg64Mcg::seed_from_u64(7);
        let mut path = Vec::new();
        for round in 0..400 {
            let (states, length) = (random.random_range(2..=4), random.random_range(1..=5));
            let mut numbers = |count: usize| -> Vec<f64> {
                (0..count).map(|_| f64::from(random.random_range(-3..=3))).collect()
            };
            let (unary, step) = (numbers(states * length), numbers(states * states));
            let allowed: Vec<bool> = (0..states * length).map(|_| random.random_bool(0.6)).collect();
            let is_outside =
                |path: &[u32]| path.iter().enumerate().any(|(t, &y)| !allowed[t * states + y as usize]);
            let best = all_paths(states, length)
                .filter(|path| is_outside(path))
                .map(|path| value(states, &unary, &step, &path))
                .max_by(f64::total_cmp);
            let found = best_path_outside(
                states,
                &unary,
                &step[..],
                &allowed,
                &mut OutsideTable::default(),
                &mut path,
            );
            assert_eq!(found, best.is_some(), "round {round}");
            if let Some(best) = best {
                assert!(is_outside(&path), "round {round}: {path:?} is inside");
                assert_eq!(value(states, &unary, &step, &path), best, "round {round}: {path:?}");
            }
            // Ties are broken by the second number.
            let pair = |first: f64, second: f64| Lexicographic { first, second };
            let unary: Vec<_> = unary.iter().map(|&x| pair(0.0, x)).collect();
            let step: Vec<_> = step.iter().map(|&x| pair(0.0, x)).collect();
            let mut other = Vec::new();
            best_path_outside(states, &unary, &step[..], &allowed, &mut OutsideTable::default(), &mut other);
            assert_eq!(path, other, "round {round}");
        }
    }

    /// A path that leaves in the middle and comes back: the printed algorithm cannot find it.
    #[test]
    fn the_printed_algorithm_misses_paths_that_come_back() {
        let (unary, step) = ([0.0, 0.0, 0.0, 5.0, 0.0, 0.0], [0.0; 4]);
        // State 0 is the only candidate in the middle; at the ends both are.
        let allowed = [true, true, true, false, true, true];
        let mut path = Vec::new();
        assert!(best_path_outside(2, &unary, &step[..], &allowed, &mut OutsideTable::default(), &mut path));
        assert_eq!(path, [0, 1, 0]);
        assert_eq!(as_printed(2, &unary, &step[..], &allowed), None);
        // Where a path may leave at the end as well it finds that one, which is worse.
        let allowed = [true, true, true, false, true, false];
        assert!(best_path_outside(2, &unary, &step[..], &allowed, &mut OutsideTable::default(), &mut path));
        let printed = as_printed(2, &unary, &step[..], &allowed).unwrap();
        assert_eq!((printed.as_slice(), path.as_slice()), (&[0, 0, 1][..], &[0, 1, 0][..]));
        assert!(value(2, &unary, &step, &path) > value(2, &unary, &step, &printed));
    }

    #[test]
    fn without_a_state_outside_there_is_none() {
        let mut path = vec![3];
        assert!(!best_path_outside(
            2,
            &[0.0; 4][..],
            &[0.0; 4][..],
            &[true; 4],
            &mut OutsideTable::default(),
            &mut path
        ));
        assert!(!best_path_outside(2, &[], &[0.0; 4][..], &[], &mut OutsideTable::default(), &mut path));
        assert!(path.is_empty());
    }
}
