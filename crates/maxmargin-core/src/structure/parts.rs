//! Scores from outside: the part scores of a structure as a plain array that a caller may supply.
//!
//! The score of a label is a sum of part scores. A linear model computes these from features and weights; a neural network may
//! compute them from anything. [`PartRisk`](crate::risk::PartRisk) answers with H and its gradient by the part scores.

use super::Structure;

/// Some of the part scores of an input, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartBlock {
    /// What they are scores of.
    pub name: &'static str,
    /// How many there are in each direction; the last one runs fastest.
    pub shape: Vec<usize>,
}

impl PartBlock {
    /// A block of this shape.
    pub fn new(name: &'static str, shape: &[usize]) -> Self {
        Self { name, shape: shape.to_vec() }
    }

    /// The number of scores.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there is no score in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Scores of labels as sums of part scores.
///
/// For every label y of an input x, ⟨parts, [`add_parts`](Self::add_parts) with factor 1⟩ is the score of y, up to rounding.
pub trait Parts<S: Structure> {
    /// The blocks of an input's part scores, in the order in which they lie one after the other in one array.
    fn blocks(&self, x: &S::Input) -> Vec<PartBlock>;

    /// How many part scores an input has.
    fn count(&self, x: &S::Input) -> usize {
        self.blocks(x).iter().map(PartBlock::len).sum()
    }

    /// Takes part scores for those of an input, as [`Structure::score`] would make them. There are as many as the blocks say.
    ///
    /// Returns a bound on what the absolute values of all that is added up for one label come to, which is what rounding is
    /// relative to: certificates rest on it.
    fn scores_from_parts(&self, x: &S::Input, parts: &[f64], scores: &mut S::Scores) -> f64;

    /// Adds `factor` times how often a label has each part.
    fn add_parts(&self, x: &S::Input, y: &S::Label, factor: f64, gradient: &mut [f64]);
}
