//! The family h·g^β + g^α, which has margin rescaling, slack rescaling and β-scaling in it (THESIS 3.3.1).
//!
//! ψ = g^β · (h + g^(α−β)): on K₀ the second factor is positive, and along a line it is concave when 0 ≤ α−β ≤ 1. With
//! β ≥ 0 the product is then log-concave along lines: quasi-concave. THESIS prints this condition with α and β exchanged.

use crate::error::{Error, Result};

/// What the rounding of α − β may come to.
const ROUNDING: f64 = 1e-12;

/// ψ(h, g) = h·g^β + g^α with (β ≥ 0 or β ≤ −1) and 0 ≤ α−β ≤ 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaled {
    alpha: f64,
    beta: f64,
}

impl Scaled {
    /// h + g.
    pub const MARGIN: Scaled = Scaled { alpha: 1.0, beta: 0.0 };
    /// (h + 1)·g.
    pub const SLACK: Scaled = Scaled { alpha: 1.0, beta: 1.0 };

    /// With exponents α and β.
    pub fn new(alpha: f64, beta: f64) -> Result<Self> {
        // 2.2 − 1.2 is a little more than 1.
        let difference = alpha - beta;
        let valid = (beta >= 0.0 || beta <= -1.0)
            && (-ROUNDING..=1.0 + ROUNDING).contains(&difference)
            && alpha.is_finite();
        if valid {
            return Ok(Self { alpha, beta });
        }
        Err(Error::parameter(
            "surrogate",
            format!(
                "h·g^β + g^α with α = {alpha}, β = {beta} is not quasi-concave: α − β must lie between 0 and 1, and β must \
                 be at least 0 or at most −1"
            ),
        ))
    }

    /// h·g^β + g, from margin rescaling (β = 0) to slack rescaling (β = 1).
    pub fn beta_scaling(beta: f64) -> Result<Self> {
        if !(0.0..=1.0).contains(&beta) {
            return Err(Error::parameter(
                "surrogate",
                format!("beta is {beta}; it must lie between 0 and 1"),
            ));
        }
        Ok(Self { alpha: 1.0, beta })
    }

    /// The exponent of the loss that stands alone.
    pub fn alpha(self) -> f64 {
        self.alpha
    }

    /// The exponent of the loss that scales the margin error.
    pub fn beta(self) -> f64 {
        self.beta
    }

    /// ψ(h, g). A label without loss costs its margin error when β = 0, and nothing otherwise.
    #[inline]
    pub(super) fn value(self, h: f64, g: f64) -> f64 {
        if g <= 0.0 {
            return if self.beta == 0.0 { h } else { 0.0 };
        }
        h * power(g, self.beta) + power(g, self.alpha)
    }

    pub(super) fn gradient(self, h: f64, g: f64) -> (f64, f64) {
        if g <= 0.0 && (self.beta < 0.0 || self.alpha < 0.0) {
            return (0.0, 0.0);
        }
        let slope = |exponent: f64| if exponent == 0.0 { 0.0 } else { exponent * power(g, exponent - 1.0) };
        let (factor, alone) = if self.alpha == self.beta { (h + 1.0, 0.0) } else { (h, slope(self.alpha)) };
        // At g = 0 either part may be infinite: 0 · ∞ is 0, and of two infinities that of β, the smaller exponent, wins.
        let scaled = if factor == 0.0 { 0.0 } else { factor * slope(self.beta) };
        let by_g = if scaled.is_infinite() { scaled } else { scaled + alone };
        (power(g, self.beta), by_g)
    }
}

/// g^p without `powf` where it is not needed.
#[inline]
fn power(g: f64, exponent: f64) -> f64 {
    match exponent {
        0.0 => 1.0,
        1.0 => g,
        0.5 => g.sqrt(),
        _ => g.powf(exponent),
    }
}
