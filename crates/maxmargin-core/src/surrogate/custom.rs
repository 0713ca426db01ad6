//! Surrogates from outside: any ψ(h, g) that says what it is.
//!
//! What is said of ψ here is believed, and certificates rest on it. [`check_surrogate`](crate::testing::check_surrogate) looks for
//! a counter-example.

use std::fmt;

use super::SLOPE_ROUNDING;

/// A function ψ(h, g) of a margin error h and a task loss g ≥ 0 that is 0 at (0, 0), the truth, and rises with h.
///
/// ```
/// use maxmargin_core::search::{Strategy, SurrogateSearch};
/// use maxmargin_core::surrogate::{Surrogate, SurrogateFunction};
///
/// /// g·max(0, 1 + h)²: slack rescaling with squared slacks.
/// #[derive(Debug)]
/// struct Squared;
///
/// impl SurrogateFunction for Squared {
///     fn name(&self) -> &str {
///         "squared"
///     }
///     fn value(&self, h: f64, g: f64) -> f64 {
///         g * (1.0 + h).max(0.0).powi(2)
///     }
///     fn gradient(&self, h: f64, g: f64) -> (f64, f64) {
///         let slack = (1.0 + h).max(0.0);
///         (2.0 * g * slack, slack * slack)
///     }
///     fn steepest(&self, (_, high): (f64, f64), _: Option<f64>, largest_h: f64) -> f64 {
///         2.0 * high * (1.0 + largest_h)
///     }
///     fn is_convex(&self) -> bool {
///         true
///     }
///     fn rises_and_falls(&self) -> bool {
///         true
///     }
/// }
///
/// let surrogate = Surrogate::custom(&Squared)?;
/// assert_eq!(surrogate.value(1.0, 2.0), 8.0);
/// assert!(SurrogateSearch::new(surrogate, Strategy::Hull).is_ok());
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
pub trait SurrogateFunction: fmt::Debug + Sync {
    /// Its name, for people.
    fn name(&self) -> &str;

    /// ψ(h, g), right up to [`rounding`](Self::rounding) of the numbers involved.
    fn value(&self, h: f64, g: f64) -> f64;

    /// (∂ψ/∂h, ∂ψ/∂g).
    fn gradient(&self, h: f64, g: f64) -> (f64, f64);

    /// At least ∂ψ/∂h for all losses in a range and all |h| up to `largest_h`, which may be infinite. The smallest loss above 0 is
    /// `unit`, where that is known. Upper bounds allow for so much times the rounding of h.
    fn steepest(&self, range: (f64, f64), unit: Option<f64>, largest_h: f64) -> f64;

    /// Whether ψ is convex in h: then so is the risk in the weights, and there is a certificate.
    fn is_convex(&self) -> bool;

    /// Whether ψ is linear in h: then a label is the same plane at every w.
    fn is_linear(&self) -> bool {
        false
    }

    /// Whether ψ rises with g where it is not negative, has no jump at g = 0, and along each line h + λ·g = constant rises and then
    /// falls, as g goes from 0 to the largest loss. λ-oracles find the label then; otherwise the stratified search alone does.
    fn rises_and_falls(&self) -> bool;

    /// What values and gradients may be wrong by, as a share of the numbers involved.
    fn rounding(&self) -> f64 {
        SLOPE_ROUNDING
    }

    /// At least ψ(0, g) for all losses in a range, of which the smallest above 0 is `unit`, where that is known.
    fn largest_without_margin(&self, range: (f64, f64), unit: Option<f64>) -> f64 {
        let _ = unit;
        if self.rises_and_falls() { self.value(0.0, range.1) } else { f64::INFINITY }
    }

    /// A lower bound on what the tangent at h is worth where the margin error is 0, that is on ψ − ψ_h·h, less what the rounding
    /// of the slope may account for. To be written anew where the difference cancels so much that little is left.
    fn tangent_offset(&self, h: f64, g: f64) -> f64 {
        let (value, slope) = (self.value(h, g), self.gradient(h, g).0);
        let size = value.abs() + slope.abs() * (2.0 * h.abs() + g.max(0.0).sqrt());
        value - slope * h - self.rounding() * size
    }
}

/// A checked surrogate from outside, which [`Surrogate::custom`](super::Surrogate::custom) makes.
#[derive(Clone, Copy)]
pub struct CustomSurrogate(pub(super) &'static dyn SurrogateFunction);

impl CustomSurrogate {
    /// The function.
    pub fn function(&self) -> &'static dyn SurrogateFunction {
        self.0
    }
}

impl fmt::Debug for CustomSurrogate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Two are the same where they are one function in memory with one name.
impl PartialEq for CustomSurrogate {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::addr_eq(self.0, other.0) && self.0.name() == other.0.name()
    }
}
