//! The proof that comes with every model.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::linear::large_norm_squared;
use crate::risk::Bounds;

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
/// use maxmargin::solver::Certificate;
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

    /// F at some weights where the risk was evaluated; no lower bound yet.
    pub(super) fn at(lambda: f64, weights: &[f64], risk: Bounds) -> Certificate {
        Certificate {
            primal: 0.5 * lambda * large_norm_squared(weights) + risk.upper,
            oracle_gap: risk.upper - risk.value,
            ..Certificate::UNKNOWN
        }
    }

    /// The relative gap; 0 when the bounds meet.
    pub fn gap(&self) -> Gap {
        let distance = self.primal - self.lower_bound;
        if distance <= 0.0 { Gap(0.0) } else { Gap(distance / self.primal.abs()) }
    }
}
