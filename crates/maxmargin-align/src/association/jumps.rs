//! Where a translation goes on: the probability of jumping from one word to another depends on the distance alone
//! (Vogel, Ney and Tillmann 1996, §3).
//!
//! p(i | i′, I) = (1 − s) · c(i − i′) / Σ_k c(k − i′) + s / I for sentences of I words. The start stands before the first
//! word. The uniform part s keeps every jump possible.

use serde::{Deserialize, Serialize};

/// Longer jumps count as jumps of this length.
pub(super) const REACH: usize = 100;

/// The share s of the uniform distribution.
const UNIFORM: f64 = 0.05;

/// Weights c of distances from −[`REACH`] to [`REACH`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Jumps {
    pub weights: Vec<f64>,
}

impl Default for Jumps {
    /// All distances alike.
    fn default() -> Self {
        Self { weights: vec![1.0; 2 * REACH + 1] }
    }
}

impl Jumps {
    /// From expected counts.
    pub fn from_counts(counts: &[f64]) -> Self {
        let total: f64 = counts.iter().sum();
        if total.is_nan() || total <= 0.0 {
            return Self::default();
        }
        Self { weights: counts.iter().map(|count| count / total).collect() }
    }

    /// Whether these are weights of all distances, as a file must have them.
    pub fn are_sound(&self) -> bool {
        self.weights.len() == 2 * REACH + 1 && self.weights.iter().all(|weight| (0.0..=1.0).contains(weight))
    }

    /// The place of a distance among the weights.
    pub fn place(from: isize, to: isize) -> usize {
        ((to - from).clamp(-(REACH as isize), REACH as isize) + REACH as isize) as usize
    }

    /// All jumps within a sentence.
    pub fn transitions(&self, words: usize) -> Transitions {
        let mut forward = vec![0.0; (words + 1) * words];
        let mut backward = vec![0.0; words * words];
        let uniform = 1.0 / words as f64;
        for from in 0..=words {
            let row = &mut forward[from * words..(from + 1) * words];
            for (to, entry) in row.iter_mut().enumerate() {
                *entry = self.weights[Self::place(from as isize - 1, to as isize)];
            }
            let total: f64 = row.iter().sum();
            for entry in row.iter_mut() {
                let share = if total > 0.0 { *entry / total } else { uniform };
                *entry = (1.0 - UNIFORM) * share + UNIFORM * uniform;
            }
            if from > 0 {
                for (to, &entry) in row.iter().enumerate() {
                    backward[to * words + from - 1] = entry;
                }
            }
        }
        Transitions { words, forward, backward }
    }
}

/// The probabilities of all jumps within a sentence of so many words.
#[derive(Debug)]
pub(super) struct Transitions {
    pub words: usize,
    /// From the start (first row) and from each word (the other rows) to each word.
    forward: Vec<f64>,
    /// To each word (rows) from each word.
    backward: Vec<f64>,
}

impl Transitions {
    /// The probabilities of beginning with each word.
    pub fn first(&self) -> &[f64] {
        &self.forward[..self.words]
    }

    /// From a word to each.
    pub fn from(&self, word: usize) -> &[f64] {
        &self.forward[(word + 1) * self.words..(word + 2) * self.words]
    }

    /// To a word from each.
    pub fn to(&self, word: usize) -> &[f64] {
        &self.backward[word * self.words..(word + 1) * self.words]
    }
}
