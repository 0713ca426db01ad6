//! What links between nodes are worth: one number, or two of which the second decides ties in the first.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::ops::{Add, Sub};

use super::Lexicographic;

/// A number that matchings add up and compare: an ordered group.
///
/// [`Lexicographic`] gains are for the two ends of a λ-oracle, where ties of the score are broken by the loss or the other
/// way round. All that the matching kernels do with gains is exact where sums and differences of the numbers are.
pub trait Gain: Copy + Debug + Default + PartialEq + Add<Output = Self> + Sub<Output = Self> {
    /// Nothing gained.
    const ZERO: Self;

    /// More than all that can be gained.
    const INFINITY: Self;

    /// Whether this is worth less than `other`.
    fn is_below(self, other: Self) -> bool;

    /// The larger of two.
    #[inline]
    fn larger(self, other: Self) -> Self {
        if self.is_below(other) { other } else { self }
    }

    /// The smaller of two.
    #[inline]
    fn smaller(self, other: Self) -> Self {
        if other.is_below(self) { other } else { self }
    }

    /// The order of two.
    fn compare(self, other: Self) -> Ordering {
        match () {
            () if self.is_below(other) => Ordering::Less,
            () if other.is_below(self) => Ordering::Greater,
            () => Ordering::Equal,
        }
    }
}

impl Gain for f64 {
    const ZERO: f64 = 0.0;
    const INFINITY: f64 = f64::INFINITY;

    #[inline]
    fn is_below(self, other: f64) -> bool {
        self < other
    }
}

impl Gain for Lexicographic {
    const ZERO: Lexicographic = Lexicographic { first: 0.0, second: 0.0 };
    const INFINITY: Lexicographic = Lexicographic { first: f64::INFINITY, second: f64::INFINITY };

    #[inline]
    fn is_below(self, other: Lexicographic) -> bool {
        self.first < other.first || (self.first == other.first && self.second < other.second)
    }
}
