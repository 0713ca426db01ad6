//! How likely each word of one sentence comes from each word of the other, by IBM Model 1 and by a hidden Markov model.
//!
//! One sentence *emits* the words of the other: word j was emitted by word a_j, or by the empty word NULL, with probability
//! t(word j | word a_j). In Model 1 (Brown et al. 1993, §4.1) each a_j is drawn by itself: NULL with probability p₀, each
//! word alike otherwise. In the hidden Markov model (Vogel, Ney and Tillmann 1996; NULL as in Och and Ney 2003, §2.1.2) it
//! depends on the word before through a jump. A word from NULL leaves the place from which the next jump starts.
//!
//! Posteriors are p(a_j = i | both sentences). They are exact sums over all alignments; `tests` has the enumeration.

use super::jumps::{Jumps, Transitions};

/// Added to every emission, so that no word is impossible.
pub(super) const FLOOR: f64 = 1e-9;

/// Emissions of one sentence pair, and room for what is computed from them. Reused from pair to pair.
#[derive(Debug, Default)]
pub(super) struct Lattice {
    /// The words that emit.
    states: usize,
    /// The words that are emitted.
    steps: usize,
    /// t(step | state), step by step.
    pub emission: Vec<f64>,
    /// t(step | NULL).
    pub null_emission: Vec<f64>,
    /// p(a = state | both sentences), step by step.
    pub posterior: Vec<f64>,
    /// p(a = NULL | both sentences).
    pub null_posterior: Vec<f64>,
    /// Scaled forward probabilities of words and of NULL, and of their sums, which a jump starts from.
    forward: Vec<f64>,
    null_forward: Vec<f64>,
    origins: Vec<f64>,
    scales: Vec<f64>,
    backward: Vec<f64>,
    next: Vec<f64>,
    /// Expected jumps from the start and from each word to each word, before they are weighed.
    jumped: Vec<f64>,
}

impl Lattice {
    /// Makes room for a sentence pair. Every emission has to be set then.
    pub fn resize(&mut self, states: usize, steps: usize) {
        (self.states, self.steps) = (states, steps);
        for cells in [&mut self.emission, &mut self.posterior, &mut self.forward, &mut self.null_forward] {
            cells.resize(states * steps, 0.0);
        }
        for row in [&mut self.null_emission, &mut self.null_posterior, &mut self.scales] {
            row.resize(steps, 0.0);
        }
        for row in [&mut self.origins, &mut self.backward, &mut self.next] {
            row.resize(states, 0.0);
        }
        self.jumped.resize((states + 1) * states, 0.0);
    }

    /// Posteriors by Model 1. Returns the log-likelihood.
    pub fn model1(&mut self, null: f64) -> f64 {
        let share = (1.0 - null) / self.states as f64;
        let mut log_likelihood = 0.0;
        for step in 0..self.steps {
            let row = step * self.states..(step + 1) * self.states;
            let from_null = null * self.null_emission[step];
            let total = from_null + share * self.emission[row.clone()].iter().sum::<f64>();
            for (posterior, emission) in self.posterior[row.clone()].iter_mut().zip(&self.emission[row]) {
                *posterior = share * emission / total;
            }
            self.null_posterior[step] = from_null / total;
            log_likelihood += total.ln();
        }
        log_likelihood
    }

    /// Posteriors by the hidden Markov model. Adds expected jumps to `counts`, when given. Returns the log-likelihood.
    pub fn hmm(&mut self, transitions: &Transitions, null: f64, counts: Option<&mut [f64]>) -> f64 {
        let log_likelihood = self.sweep_forward(transitions, null);
        self.sweep_backward(transitions, null, counts.is_some());
        if let Some(counts) = counts {
            self.add_jumps(transitions, counts);
        }
        log_likelihood
    }

    /// Forward probabilities, scaled to sum to 1 at each step. A NULL keeps the place of the word before; where it is the
    /// first, its place is drawn like that of a first word.
    fn sweep_forward(&mut self, transitions: &Transitions, null: f64) -> f64 {
        let states = self.states;
        let mut log_likelihood = 0.0;
        for step in 0..self.steps {
            let row = step * states..(step + 1) * states;
            let (before, here) = self.forward.split_at_mut(row.start);
            let forward = &mut here[..states];
            let (null_before, null_here) = self.null_forward.split_at_mut(row.start);
            let null_forward = &mut null_here[..states];
            match step {
                0 => {
                    forward.copy_from_slice(transitions.first());
                    self.origins.copy_from_slice(transitions.first());
                }
                _ => {
                    let last = row.start - states..row.start;
                    let sums =
                        before[last.clone()].iter().zip(&null_before[last]).map(|(word, null)| word + null);
                    self.origins.iter_mut().zip(sums).for_each(|(origin, sum)| *origin = sum);
                    forward.fill(0.0);
                    for (from, &origin) in self.origins.iter().enumerate() {
                        forward.iter_mut().zip(transitions.from(from)).for_each(|(f, a)| *f += origin * a);
                    }
                }
            }
            let from_null = null * self.null_emission[step];
            let mut total = 0.0;
            for i in 0..states {
                forward[i] *= (1.0 - null) * self.emission[row.start + i];
                null_forward[i] = self.origins[i] * from_null;
                total += forward[i] + null_forward[i];
            }
            let scale = 1.0 / total;
            forward.iter_mut().chain(null_forward).for_each(|value| *value *= scale);
            self.scales[step] = scale;
            log_likelihood += total.ln();
        }
        log_likelihood
    }

    /// Backward probabilities and posteriors. A word and the NULL after it have the same future, so one row serves both.
    fn sweep_backward(&mut self, transitions: &Transitions, null: f64, jumps: bool) {
        let states = self.states;
        if jumps {
            self.jumped.fill(0.0);
        }
        self.backward.fill(1.0);
        for step in (0..self.steps).rev() {
            let row = step * states..(step + 1) * states;
            let (forward, null_forward) = (&self.forward[row.clone()], &self.null_forward[row.clone()]);
            let mut from_null = 0.0;
            for i in 0..states {
                self.posterior[row.start + i] = forward[i] * self.backward[i];
                from_null += null_forward[i] * self.backward[i];
            }
            self.null_posterior[step] = from_null;
            let scale = self.scales[step];
            for i in 0..states {
                self.next[i] = (1.0 - null) * self.emission[row.start + i] * self.backward[i] * scale;
            }
            if step == 0 {
                if jumps {
                    self.jumped[..states]
                        .iter_mut()
                        .zip(&self.next)
                        .for_each(|(jumped, next)| *jumped += next);
                }
                break;
            }
            if jumps {
                let last = row.start - states..row.start;
                let (words, nulls) = (&self.forward[last.clone()], &self.null_forward[last]);
                for from in 0..states {
                    let origin = words[from] + nulls[from];
                    let row = &mut self.jumped[(from + 1) * states..(from + 2) * states];
                    row.iter_mut().zip(&self.next).for_each(|(jumped, next)| *jumped += origin * next);
                }
            }
            let null_weight = null * self.null_emission[step] * scale;
            self.backward.iter_mut().for_each(|backward| *backward *= null_weight);
            for (to, &next) in self.next.iter().enumerate() {
                self.backward.iter_mut().zip(transitions.to(to)).for_each(|(b, a)| *b += a * next);
            }
        }
    }

    fn add_jumps(&self, transitions: &Transitions, counts: &mut [f64]) {
        for from in 0..=self.states {
            let row = match from {
                0 => transitions.first(),
                _ => transitions.from(from - 1),
            };
            let jumped = &self.jumped[from * self.states..(from + 1) * self.states];
            for (to, (probability, jumped)) in row.iter().zip(jumped).enumerate() {
                counts[Jumps::place(from as isize - 1, to as isize)] += probability * jumped;
            }
        }
    }
}
