//! Precision, recall and their mean, of whatever is to be found: chunks, or the occurrences of a label.

use super::share;

/// How much there was to find, how much was predicted, and how much of that is right.
///
/// ```
/// use maxmargin::metrics::Retrieval;
/// let found = Retrieval { truth: 4, predicted: 2, right: 1 };
/// assert_eq!((found.precision(), found.recall()), (0.5, 0.25));
/// assert_eq!(found.f1(), 1.0 / 3.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Retrieval {
    /// How many there are in the truth.
    pub truth: usize,
    /// How many were predicted.
    pub predicted: usize,
    /// How many were predicted and are right.
    pub right: usize,
}

impl Retrieval {
    /// The share of what was predicted that is right; 0 when nothing was.
    pub fn precision(&self) -> f64 {
        share(self.right, self.predicted)
    }

    /// The share of the truth that was found; 0 when there is nothing to find.
    pub fn recall(&self) -> f64 {
        share(self.right, self.truth)
    }

    /// The harmonic mean of precision and recall.
    pub fn f1(&self) -> f64 {
        share(2 * self.right, self.truth + self.predicted)
    }
}
