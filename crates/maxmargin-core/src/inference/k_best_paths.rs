//! The k best paths through a chain from the values of an ordinary Viterbi pass.
//!
//! The values of the best paths to each state say exactly what every beginning is worth, so paths can be listed from
//! the end without a table of k lists per state: a path is the best one that departs from another at some step, and each new
//! path adds its own departures. Only departures among the k best so far are kept. A path costs one column per step.

use super::MaxPlusSteps;
use super::viterbi::forward;

/// A way to depart from a path that is known: its end from some step on, and what its best beginning is worth.
#[derive(Debug, Clone, Copy)]
struct Departure {
    /// The value of the whole path.
    value: f64,
    /// The position at which the beginning ends, and the state there.
    position: usize,
    state: usize,
    /// The path that is followed after that position, and the value of that part.
    parent: usize,
    rest: f64,
}

/// The `k` best paths, best first; fewer when there are fewer. `unary`, `steps` and `best` as for
/// [`viterbi`](super::viterbi()).
pub fn k_best_paths(
    states: usize,
    unary: &[f64],
    steps: impl MaxPlusSteps,
    best: &mut Vec<f64>,
    k: usize,
) -> Vec<Vec<u32>> {
    let length = unary.len().checked_div(states).unwrap_or(0);
    if k == 0 || length == 0 {
        return vec![Vec::new(); k.min(1)];
    }
    forward(states, unary, steps, best);
    let mut paths: Vec<Vec<u32>> = Vec::new();
    let mut waiting = Departures { departures: Vec::new(), most: k };
    for (state, &value) in best[(length - 1) * states..].iter().enumerate() {
        waiting.add(Departure { value, position: length - 1, state, parent: usize::MAX, rest: 0.0 });
    }
    while paths.len() < k
        && let Some(departure) = waiting.take_best()
    {
        let Departure { position, mut state, parent, mut rest, .. } = departure;
        let number = paths.len();
        let mut path = paths.get(parent).cloned().unwrap_or_else(|| vec![0; length]);
        path[position] = state as u32;
        waiting.most = k - number - 1;
        for t in (1..=position).rev() {
            rest += unary[t * states + state];
            let before = &best[(t - 1) * states..t * states];
            let (chosen, mut chosen_step) = (steps.best_origin(t, state, before), 0.0);
            let least = waiting.least();
            for (from, before, step) in steps.ways(t, state, before) {
                if from == chosen {
                    chosen_step = step;
                } else if before + step + rest > least {
                    let rest = rest + step;
                    let value = before + rest;
                    waiting.add(Departure { value, position: t - 1, state: from, parent: number, rest });
                }
            }
            rest += chosen_step;
            state = chosen;
            path[t - 1] = state as u32;
        }
        paths.push(path);
    }
    paths
}

/// The best departures that wait, the worst first.
struct Departures {
    departures: Vec<Departure>,
    most: usize,
}

impl Departures {
    fn add(&mut self, departure: Departure) {
        let place = self.departures.partition_point(|other| other.value < departure.value);
        self.departures.insert(place, departure);
        self.shorten();
    }

    /// A departure of this value or less would be one too many.
    fn least(&self) -> f64 {
        if self.departures.len() < self.most {
            f64::NEG_INFINITY
        } else {
            self.departures.first().map_or(f64::INFINITY, |d| d.value)
        }
    }

    fn take_best(&mut self) -> Option<Departure> {
        self.departures.pop()
    }

    fn shorten(&mut self) {
        if self.departures.len() > self.most {
            self.departures.drain(..self.departures.len() - self.most);
        }
    }
}
