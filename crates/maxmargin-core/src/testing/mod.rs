//! A referee for structures and surrogates, of this crate and of others.
//!
//! Certificates rest on what a structure says of itself: a decoder that misses the best label makes the primal value wrong without
//! notice, and wrong features make the lower bound wrong. On small inputs, where all labels can be listed, [`check_structure`]
//! compares every method with what it stands for, and says in words where the two differ. [`check_surrogate`] does the same for a ψ
//! of one's own.
//!
//! Weights are small whole numbers in half of the rounds, so that there are ties, and anything in the others. What cannot be judged by
//! listing labels is not judged: that no flow is worth more than all labels ([`Flow`](crate::structure::Flow)).

mod decoding;
mod features;
mod labels;
mod oracles;
mod surrogate;

pub use surrogate::check_surrogate;

use std::collections::HashSet;
use std::fmt;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::error::{Error, Result};
use crate::structure::{Magnitude, Mix, ScoreNoise, Structure};

/// How often each input is scored.
const ROUNDS: usize = 8;

/// The most labels of one input that are compared with each other in pairs.
const MOST_IN_PAIRS: usize = 12;

/// All ways to ask a λ-oracle: both ends, and between them.
const MIXES: [Mix; 7] = [
    Mix::SCORE,
    Mix::AUGMENTED,
    Mix::LOSS,
    Mix { score: 1.0, loss: 2.0 },
    Mix { score: 2.0, loss: 1.0 },
    Mix { score: 0.5, loss: 8.0 },
    Mix { score: 3.0, loss: 0.01 },
];

/// Compares all that a structure says with a list of all labels of small inputs, and returns the first counter-example.
///
/// `enumerate` lists every label that [`maximize`](Structure::maximize) may find for an input, each once. (Where labels may be
/// fractional, all whole ones.)
///
/// ```
/// use std::sync::Arc;
/// use maxmargin_core::features::{FeatureMatrix, Rows};
/// use maxmargin_core::structure::{Example, LabelCost, MulticlassStructure};
/// use maxmargin_core::testing::check_structure;
///
/// let x = Arc::new(FeatureMatrix::from_dense(&[[1.0, -2.0]]));
/// let example = Example { input: Rows::new(&x, 0..1), truth: 1, weight: 1.0 };
/// let structure = MulticlassStructure::new(2, 3, true, LabelCost::ZeroOne)?;
/// check_structure(&structure, &[example], |_| vec![0, 1, 2])?;
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
pub fn check_structure<S: Structure>(
    structure: &S,
    examples: &[crate::structure::Example<S>],
    enumerate: impl Fn(&S::Input) -> Vec<S::Label>,
) -> Result<()> {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    for (i, example) in examples.iter().enumerate() {
        let (input, truth) = (&example.input, &example.truth);
        let labels = enumerate(input);
        check_example(structure, input, truth, labels, &mut random).map_err(|error| error.of_example(i))?;
    }
    Ok(())
}

fn check_example<S: Structure>(
    structure: &S,
    input: &S::Input,
    truth: &S::Label,
    labels: Vec<S::Label>,
    random: &mut Pcg64Mcg,
) -> Result<()> {
    structure.check(input, truth)?;
    let magnitude = structure.magnitude(input, truth);
    let known = labels.iter().cloned().collect();
    let listed = Listed { structure, input, truth, labels, known, magnitude };
    listed.check_labels()?;
    listed.check_features()?;
    listed.check_flows(random)?;
    for round in 0..ROUNDS {
        let weights: Vec<f64> = (0..structure.dim())
            .map(|_| match round % 2 {
                0 => f64::from(random.random_range(-2..=2)),
                _ => random.random_range(-1.0..1.0),
            })
            .collect();
        let mut scores = S::Scores::default();
        structure.score(&weights, input, &mut scores);
        listed.check_scores(&weights, &mut scores)?;
        let noise = magnitude.noise(crate::risk::norm_bound(&weights));
        listed.check_oracles(&mut scores, noise)?;
        listed.check_parts(round, random)?;
    }
    Ok(())
}

/// An example with all its labels.
struct Listed<'a, S: Structure> {
    structure: &'a S,
    input: &'a S::Input,
    truth: &'a S::Label,
    labels: Vec<S::Label>,
    /// The same, to be looked up.
    known: HashSet<S::Label>,
    magnitude: Magnitude,
}

/// A label with what it is worth.
struct Worth<'a, L> {
    label: &'a L,
    score: f64,
    loss: f64,
}

impl<L: fmt::Debug> fmt::Display for Worth<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} with the score {} and the loss {}", self.label, self.score, self.loss)
    }
}

impl<S: Structure> Listed<'_, S> {
    /// Scores and losses of all labels.
    fn worths(&self, scores: &S::Scores) -> Vec<Worth<'_, S::Label>> {
        let worth = |label| Worth {
            label,
            score: self.structure.score_of(self.input, scores, label),
            loss: self.structure.loss(self.input, self.truth, label),
        };
        self.labels.iter().map(worth).collect()
    }

    /// Some labels, the truth among them.
    fn some_labels(&self) -> impl Iterator<Item = &S::Label> + Clone {
        let step = self.labels.len().div_ceil(MOST_IN_PAIRS).max(1);
        self.labels.iter().step_by(step).chain([self.truth])
    }

    /// Whether only whole labels are listed, and there are others.
    fn is_relaxed(&self) -> bool {
        self.structure.offers().relaxed.is_some()
    }
}

/// What a decoder's answer may differ from the best label by, under a mix.
fn allowed(noise: &ScoreNoise, mix: Mix) -> f64 {
    4.0 * (mix.score * noise.error + mix.loss * noise.of_sums(noise.loss))
}

/// A counter-example.
fn wrong<T>(what: impl Into<String>) -> Result<T> {
    Err(Error::parameter("structure", what))
}
