//! Precision, recall and their mean, of whatever is to be found: chunks, labels, or the occurrences of one label.

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
    /// Counts labels, given as pairs of the true and the predicted one, as sets without the background.
    ///
    /// A truth y is the set of all (position, label) where the label is not the background, and so is a prediction ŷ.
    /// [`f1`](Self::f1) is then the Micro-F1 2·|y∩ŷ| / (|y| + |ŷ|). Without a background both sets have every position,
    /// and it is the share of right labels.
    ///
    /// ```
    /// use maxmargin::metrics::Retrieval;
    /// let (truth, predicted) = ([0, 1, 2, 0], [0, 1, 1, 2]);
    /// let pairs = || truth.into_iter().zip(predicted);
    /// assert_eq!(Retrieval::of_labels(pairs(), Some(0)), Retrieval { truth: 2, predicted: 3, right: 1 });
    /// assert_eq!(Retrieval::of_labels(pairs(), None).f1(), 0.5);
    /// ```
    pub fn of_labels(pairs: impl IntoIterator<Item = (u32, u32)>, background: Option<u32>) -> Self {
        let mut counts = Self::default();
        for (truth, predicted) in pairs {
            let there = Some(truth) != background;
            counts.truth += usize::from(there);
            counts.predicted += usize::from(Some(predicted) != background);
            counts.right += usize::from(there && truth == predicted);
        }
        counts
    }

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

    /// Precision, recall and F1 by these names.
    /// Precision, recall and F1 under these names.
    pub fn figures(self, names: [&'static str; 3]) -> impl Iterator<Item = (&'static str, f64)> {
        names.into_iter().zip([self.precision(), self.recall(), self.f1()])
    }
}
