//! Scores of parts from elsewhere in the place of weights: a network, say, that was trained through [`PartRisk`](crate::risk::PartRisk).

use std::any::Any;
use std::fmt::Debug;
use std::ops::Range;

use super::Task;
use crate::error::Result;

/// Scores the parts of inputs, as the structure's [`Parts`](crate::structure::Parts) name them.
pub trait PartScorer<T: Task>: Any + Debug + Send + Sync {
    /// The part scores of some examples, block after block.
    fn part_scores(&self, data: &T::Data, examples: Range<usize>) -> Result<Vec<Vec<f64>>>;

    /// What it is, in a few words.
    fn describe(&self) -> String;
}
