//! How large the numbers of one example are: what bounds the rounding of everything that is computed from them.

use crate::linear::{precise_share, round_up};

/// Bounds on the features and losses of one example, whatever the label.
///
/// A structure finds them once per example. With them and ‖w‖ the rounding of scores and of sums of features is known
/// without going through either: a score is a sum of at most `terms` numbers whose absolute values add up to at most
/// `norm` · ‖w‖ (Cauchy and Schwarz).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Magnitude {
    /// At least the norm of the vector of Σ |features| over the parts of a label, for every label.
    pub norm: f64,
    /// At least the operations that follow each other on the way to a label's score, in the decoder too.
    pub terms: f64,
    /// At least how often one weight occurs in a label.
    pub repeats: f64,
    /// At least every loss.
    pub loss: f64,
    /// Whether features are handed on unrounded: by [`add_row`](crate::linear::FeatureSum::add_row), or as the factor itself
    /// times a whole number or a half. False where in doubt, as with `factor * value`: their rounding is then allowed for.
    pub is_exact: bool,
}

/// What may be wrong with scores, and with what a decoder makes of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreNoise {
    /// No score differs from what it stands for by more than this.
    pub error: f64,
    /// The absolute values of a label's scores add up to no more than this.
    pub extent: f64,
    /// At least every loss.
    pub loss: f64,
    /// The operations on the way to a label's loss, and to what a decoder maximises.
    pub terms: f64,
}

impl ScoreNoise {
    /// Nothing is known.
    pub const UNKNOWN: ScoreNoise =
        ScoreNoise { error: f64::INFINITY, extent: f64::INFINITY, loss: f64::INFINITY, terms: 0.0 };

    /// Whether anything is known.
    pub fn is_known(&self) -> bool {
        self.error.is_finite()
    }

    /// What sums of `size` may be wrong by, with a term for each part of a label.
    pub fn of_sums(&self, size: f64) -> f64 {
        (self.terms + 8.0) * f64::EPSILON * size
    }

    /// How much higher than a decoder's label another may lie, in score plus loss: both scores, that of the truth, and the
    /// decoder's sums may be wrong.
    pub fn of_margin(&self) -> f64 {
        round_up(4.0 * self.error + 2.0 * self.of_sums(self.loss), 4.0)
    }
}

impl Magnitude {
    /// The noise of scores that were computed in plain arithmetic from weights of this norm.
    pub fn noise(&self, norm: f64) -> ScoreNoise {
        let extent = round_up(self.norm * norm, 8.0);
        self.with_extent(extent, 0.0)
    }

    /// The noise of scores that were computed with twice the digits and rounded once, and of which those of one label add
    /// up to `extent`, in a decoder with so many operations in a row.
    pub fn precise_noise(&self, norm: f64, extent: f64, decoding: f64) -> ScoreNoise {
        let extent = round_up(extent, 8.0 + decoding);
        let lost = 4.0 * precise_share(self.terms) * round_up(self.norm * norm, 8.0);
        Magnitude { terms: decoding, ..*self }.with_extent(extent, lost)
    }

    /// The noise of scores that were not computed here, but given as parts: those that are added up for one label have absolute
    /// values that come to no more than `extent`.
    pub fn noise_of_parts(&self, extent: f64) -> ScoreNoise {
        self.with_extent(round_up(extent, 8.0 + self.terms), 0.0)
    }

    fn with_extent(&self, extent: f64, lost: f64) -> ScoreNoise {
        let rounded = (self.terms + 8.0) * f64::EPSILON * extent;
        let error = round_up(rounded + lost, 4.0) + f64::MIN_POSITIVE;
        ScoreNoise { error, extent, loss: self.loss, terms: self.terms }
    }

    /// Whether all bounds are numbers to compute with.
    pub fn is_finite(&self) -> bool {
        let largest = [self.norm * self.norm, self.terms, self.repeats, self.loss * self.loss];
        largest.iter().all(|x| x.is_finite() && *x >= 0.0) && (self.norm * self.loss).is_finite()
    }
}
