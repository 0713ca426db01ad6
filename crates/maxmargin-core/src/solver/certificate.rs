//! The proof that comes with every model.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::SolverSettings;
use crate::error::Result;
use crate::linear::{BlockNorm, block_squares, round_down, round_up};
use crate::risk::{Bounds, Evaluation, Groups, Point, Risk, evaluate, evaluate_fitting, norm_bound};

/// Rounding may take this share of the gap that is left. Beyond it, sums are taken with twice the digits.
const NEGLIGIBLE: f64 = 0.01;

/// The relative duality gap (primal − lower bound) / primal.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Gap(pub f64);

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2e}", self.0)
    }
}

/// Bounds on the least value F* of the objective: `lower_bound ≤ F* ≤ primal`.
///
/// ```
/// use maxmargin_core::solver::Certificate;
/// let certificate = Certificate { primal: 2.0, lower_bound: 1.9, oracle_gap: 0.0 };
/// assert_eq!(certificate.gap().to_string(), "5.00e-2");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// F(w) of the weights, with every H_i at its upper bound.
    pub primal: f64,
    /// No weights whatever reach less than this. It comes from cutting planes and holds whatever the oracle returned.
    pub lower_bound: f64,
    /// The part of the primal value that only inexact searches account for: upper bounds minus values found.
    pub oracle_gap: f64,
}

impl Certificate {
    /// Nothing is known yet.
    pub const UNKNOWN: Certificate =
        Certificate { primal: f64::INFINITY, lower_bound: f64::NEG_INFINITY, oracle_gap: 0.0 };

    /// F at some weights where the risk was evaluated, whose norm is the Euclidean one; no lower bound yet.
    /// [`of_weights`](Self::of_weights) knows others.
    pub fn at(lambda: f64, weights: &[f64], risk: Bounds) -> Certificate {
        let norm = norm_bound(weights);
        Self::of_square(lambda, norm * norm, risk)
    }

    /// The same where the norm of the risk is another than the Euclidean one.
    fn under(norm: Option<&dyn BlockNorm>, lambda: f64, weights: &[f64], risk: Bounds) -> Certificate {
        match norm {
            None => Self::at(lambda, weights, risk),
            Some(norm) => Self::of_square(lambda, norm.best(&block_squares(norm, weights)).1, risk),
        }
    }

    fn of_square(lambda: f64, square: f64, risk: Bounds) -> Certificate {
        Certificate {
            primal: round_up(0.5 * lambda * square + risk.upper, 4.0),
            oracle_gap: risk.missed,
            ..Certificate::UNKNOWN
        }
    }

    /// The certificate of given weights, with a lower bound that the caller vouches for: of the same risk and λ.
    pub fn of_weights(
        risk: &dyn Risk,
        lambda: f64,
        weights: &[f64],
        lower_bound: f64,
    ) -> Result<Certificate> {
        SolverSettings::new(lambda)?;
        let evaluation = evaluate(risk, Point::from(weights).precisely(), &Groups::new(risk.len(), 1))?;
        Ok(Certificate { lower_bound, ..Certificate::under(risk.norm(), lambda, weights, evaluation.risk) })
    }

    /// The relative gap; 0 when the bounds meet, infinite where no primal value is known.
    pub fn gap(&self) -> Gap {
        if self.primal == f64::INFINITY {
            return Gap(f64::INFINITY);
        }
        let distance = self.primal - self.lower_bound;
        if distance <= 0.0 { Gap(0.0) } else { Gap(distance / self.primal.abs()) }
    }
}

/// Whether an allowance for rounding matters against the gap that is left.
pub(super) fn is_negligible(allowance: f64, left: f64) -> bool {
    allowance <= NEGLIGIBLE * left
}

/// max(0, Σ β b − ‖Σ β a‖²/(2λ)) for coefficients whose sum over some example is up to `load` times its mass: all of them are
/// divided by that first. `offsets` is at most Σ β b, and λ · `norm` at least ‖Σ β a‖. What is no number proves nothing: 0.
pub fn lower_bound_of(offsets: f64, norm: f64, lambda: f64, load: f64) -> f64 {
    let square = round_up(0.5 * lambda * norm * norm / (load * load), 8.0);
    let offsets = round_down(offsets / load, 2.0);
    let is_sound = lambda > 0.0 && load > 0.0 && offsets > square && offsets < f64::INFINITY;
    // No risk is below 0, since the truth itself costs nothing.
    if is_sound { round_down(offsets - square, 1.0) } else { 0.0 }
}

/// Evaluates the risk at some weights, with twice the digits once the rounding of plain sums was not negligible against what
/// was left of the gap.
pub(super) fn measure(
    risk: &dyn Risk,
    weights: &[f64],
    groups: &Groups,
    lambda: f64,
    best: &Certificate,
    is_precise: &mut bool,
) -> (Certificate, Evaluation) {
    let plain = Point::from(weights);
    let at = if *is_precise { plain.precisely() } else { plain };
    let evaluation = evaluate_fitting(risk, at, groups);
    let here = Certificate::under(risk.norm(), lambda, weights, evaluation.risk);
    if !*is_precise {
        let left = here.primal.min(best.primal) - best.lower_bound;
        // Planes are part of the lower bound with their own rounding, relative to the weights at which they count.
        let of_planes: f64 = evaluation.planes.iter().map(|plane| plane.error * at.norm).sum();
        *is_precise = !is_negligible(evaluation.risk.rounding + of_planes, left);
    }
    (here, evaluation)
}
