//! A proximal term along the directions that the slopes of all examples share.
//!
//! The blocks of the dual meet in the weights. Where all slopes have long parts in common (see [`CommonDirections`]), each
//! example moves the weights there against all others, and the dual crawls. So the objective gets a term
//! κ/2 ‖P(w − c)‖², with P the projection on these few directions and c an *anchor* in them, which follows the weights after
//! each round of visits. This is the proximal point method in a few coordinates (seen from the dual, the method of
//! multipliers): it ends at the minimiser of the objective as it is.
//!
//! Let v = −Σ β a / λ be the weights without the term, p their coordinates, and θ = κ/(λ + κ). The weights with it are
//! w = v + Q θ (c − p), and a step along a slope a has the curvature (‖a‖² − θ‖Pa‖²)/λ. Lower bounds come from v, in which there
//! is no anchor.

use serde::{Deserialize, Serialize};

use super::drift::Drift;
use crate::linear::{CommonDirections, dot, norm_squared};
use crate::risk::norm_bound;

/// θ: the share of the common parts that the curvature loses. With 0.9 the dual still crawls; with 0.998 the lower bound is far
/// behind for long, because p moves 1/(1 − θ) times as far as w. In between it makes little difference.
pub(super) const PULL: f64 = 0.97;

/// The anchor, and where the weights without it are; empty where there are no common directions.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Anchor {
    /// c.
    place: Vec<f64>,
    /// p.
    free: Vec<f64>,
    /// How far w has yet to be moved along the common directions.
    pending: Vec<f64>,
}

impl Anchor {
    /// An anchor at 0.
    pub(super) fn new(common: Option<&dyn CommonDirections>) -> Self {
        let zeros = vec![0.0; common.map_or(0, CommonDirections::count)];
        Self { place: zeros.clone(), free: zeros.clone(), pending: zeros }
    }

    /// Whether there is none.
    pub(super) fn is_absent(&self) -> bool {
        self.place.is_empty()
    }

    /// Takes in that v was multiplied by a number, and w with it.
    pub(super) fn scale(&mut self, factor: f64) {
        self.place.iter_mut().chain(&mut self.free).for_each(|coordinate| *coordinate *= factor);
    }

    /// What the move that is pending adds to ⟨a, w⟩, for a slope with these parts.
    pub(super) fn pending(&self, parts: &[f64]) -> f64 {
        dot(parts, &self.pending)
    }

    /// Takes in that v, and so far w with it, moved by `step` times a slope with these parts.
    pub(super) fn moved(&mut self, step: f64, parts: &[f64]) {
        for ((free, pending), part) in self.free.iter_mut().zip(&mut self.pending).zip(parts) {
            *free += step * part;
            *pending -= PULL * step * part;
        }
    }

    /// Moves w by what is pending, after so many moves.
    pub(super) fn settle(
        &mut self,
        common: Option<&dyn CommonDirections>,
        moves: usize,
        w: &mut [f64],
        drift: &mut Drift,
    ) {
        if let Some(common) = common {
            common.add_to(&self.pending, w);
            let length = norm_squared(&self.pending).sqrt();
            drift.pulled(length, self.extent() + length, (moves + self.place.len()) as f64 + 16.0);
            self.pending.fill(0.0);
        }
    }

    /// How large the coordinates are.
    pub(super) fn extent(&self) -> f64 {
        norm_squared(&self.place).sqrt() + norm_squared(&self.free).sqrt()
    }

    /// Moves the anchor to where w is, which moves w on.
    pub(super) fn follow(&mut self, common: Option<&dyn CommonDirections>, w: &mut [f64], drift: &mut Drift) {
        for ((place, free), pending) in self.place.iter_mut().zip(&self.free).zip(&mut self.pending) {
            let way = (1.0 - PULL) * (free - *place);
            *place += way;
            *pending += PULL * way;
        }
        self.settle(common, 1, w, drift);
    }

    /// Finds p anew for weights that are v, and makes w of them.
    pub(super) fn attach(
        &mut self,
        common: Option<&dyn CommonDirections>,
        weights: &mut [f64],
        drift: &mut Drift,
    ) {
        if let Some(common) = common {
            common.parts_of(weights, &mut self.free);
            let pulls = self.pulls(PULL);
            common.add_to(&pulls, weights);
            drift.pulled(norm_squared(&pulls).sqrt(), self.extent(), self.place.len() as f64 + 16.0);
        }
    }

    /// A bound on ‖v‖, with what the rounding of v may come to.
    pub(super) fn free_norm(&self, common: Option<&dyn CommonDirections>, w: &[f64]) -> (f64, f64) {
        let Some(common) = common else { return (norm_bound(w), 0.0) };
        let mut v = w.to_vec();
        common.add_to(&self.pulls(-PULL), &mut v);
        let norm = norm_bound(&v);
        let operations = self.place.len() as f64 + 16.0;
        (norm, f64::EPSILON * operations * (norm + norm_bound(w) + self.extent()))
    }

    /// factor · (c − p).
    fn pulls(&self, factor: f64) -> Vec<f64> {
        self.place.iter().zip(&self.free).map(|(place, free)| factor * (place - free)).collect()
    }
}
