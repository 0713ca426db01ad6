//! How far rounding may have taken the weights from what the coefficients say.
//!
//! The weights are changed at each visit, and the coefficients beside them. A lower bound is a claim about the
//! coefficients, and ‖w‖ stands for ‖Σ β a‖ / λ in it. So every change adds to `distance`, a bound on ‖w + Σ β a / λ‖: each
//! addition to a weight is rounded relative to that weight, and each term relative to itself.

use serde::{Deserialize, Serialize};

use crate::linear::round_up;

/// What has been lost since the weights were last computed anew.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Drift {
    /// A bound on how far the weights are off.
    distance: f64,
    /// What it was when they were last computed.
    fresh: f64,
    /// ‖w‖ when it was last measured, and a bound on how far the weights have moved since.
    norm: f64,
    reach: f64,
}

impl Drift {
    pub(super) fn distance(&self) -> f64 {
        self.distance
    }

    /// Whether computing the weights anew would make the distance much smaller.
    pub(super) fn is_worth_mending(&self) -> bool {
        self.distance > 2.0 * self.fresh
    }

    /// Takes in that terms were added whose absolute values have a norm of at most `length`, at most `additions` to one weight,
    /// and that coefficients were rounded whose planes have the length `held` together; all as parts of the weights.
    pub(super) fn moved(&mut self, length: f64, additions: f64, held: f64) {
        self.reach += length;
        self.distance += f64::EPSILON * (additions * (self.norm + self.reach) + 8.0 * length + 2.0 * held);
    }

    /// Takes in that a vector of the norm `length` was added, made of numbers of the size `extent` by so many operations.
    pub(super) fn pulled(&mut self, length: f64, extent: f64, operations: f64) {
        self.reach += length;
        self.distance += f64::EPSILON * operations * (self.norm + self.reach + extent);
    }

    /// Takes in that the norm was measured.
    pub(super) fn measured(&mut self, norm: f64) {
        (self.norm, self.reach) = (norm, 0.0);
    }

    /// Takes in that all weights were multiplied by a number.
    pub(super) fn scaled(&mut self, factor: f64) {
        self.norm = factor * (self.norm + self.reach);
        self.reach = 0.0;
        self.distance = round_up(factor * self.distance, 2.0) + 2.0 * f64::EPSILON * self.norm;
    }

    /// The weights were computed anew and are now off by no more than this.
    pub(super) fn restart(distance: f64, norm: f64) -> Self {
        Self { distance, fresh: distance, norm, reach: 0.0 }
    }
}
