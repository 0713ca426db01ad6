//! Newton's method on a face of the simplices: all planes that have mass move at once.
//!
//! Moving mass between two planes at a time finds out quickly which planes matter, and then crawls, because planes of
//! one risk are nearly parallel. On the face where exactly those planes have mass the dual is an unconstrained
//! concave quadratic (up to one sum per block), and one Newton step goes to its maximum. When a coefficient reaches 0
//! on the way, its plane leaves the face and the next step starts there. (An active-set method in which pairs choose
//! the planes that enter.)

use super::face_factor::{FaceFactor, Slot};
use super::gram::GramQuadratic;
use super::simplex_qp::Quadratic;
use crate::linear::{dot, scale};

/// A climb ends when the gap on the face is this share of what the solve wants. On the right face any share costs the
/// same one step; on a wrong one it spares planes that would only leave to come back.
const ENOUGH: f64 = 0.02;

/// One call's working memory. Everything is indexed by the slots of the factor.
pub(super) struct FaceAscent<'a> {
    quadratic: &'a mut GramQuadratic,
    factor: &'a mut FaceFactor,
    coefficients: Vec<f64>,
    values: Vec<f64>,
}

impl<'a> FaceAscent<'a> {
    /// A climb from the quadratic's coefficients, whose planes with mass the factor holds.
    pub(super) fn new(quadratic: &'a mut GramQuadratic, factor: &'a mut FaceFactor) -> Self {
        let of_slots = |of_planes: &[f64]| -> Vec<f64> {
            factor.slots().iter().map(|slot| slot.map_or(0.0, |slot| of_planes[slot.plane])).collect()
        };
        let coefficients = of_slots(&quadratic.coefficients);
        let values = of_slots(&quadratic.values);
        Self { quadratic, factor, coefficients, values }
    }

    /// Climbs until the gap on the face is well below `gap`, and hands the coefficients back.
    pub(super) fn run(mut self, gap: f64) {
        let planes: Vec<(usize, usize)> = self.on_face().map(|(k, slot)| (k, slot.plane)).collect();
        let (objective, before) = (self.quadratic.objective(), self.coefficients.clone());
        self.climb(gap);
        planes.iter().for_each(|&(k, plane)| self.quadratic.change(plane, self.coefficients[k]));
        if self.quadratic.objective() < objective {
            // The factor has seen too much rounding: pairs go on from where they were, and it is computed anew.
            planes.iter().for_each(|&(k, plane)| self.quadratic.change(plane, before[k]));
            self.factor.clear();
        }
    }

    fn climb(&mut self, gap: f64) {
        self.factor.set_target(&self.values);
        loop {
            self.center_values();
            if self.gap() <= ENOUGH * gap || self.quadratic.is_halted() {
                return;
            }
            let mut direction = self.factor.newton_step();
            scale(&mut direction, 1.0 / self.quadratic.curvature);
            self.keep_mass(&mut direction);
            if !direction.iter().all(|d| d.is_finite()) {
                self.factor.clear();
                return;
            }
            let (limit, blocking) = self.longest_step(&direction);
            let step = limit.min(1.0);
            for (coefficient, &d) in self.coefficients.iter_mut().zip(&direction) {
                *coefficient = (*coefficient + step * d).max(0.0);
            }
            if limit > 1.0 {
                return;
            }
            scale(&mut self.values, 1.0 - step);
            self.factor.scale_target(1.0 - step);
            self.coefficients[blocking] = 0.0;
            self.values[blocking] = 0.0;
            self.factor.remove(blocking);
        }
    }

    /// Subtracts the Lagrange multiplier of each block: at the face's maximum all values are then 0.
    fn center_values(&mut self) {
        let multipliers = self.factor.center_target();
        for (value, slot) in self.values.iter_mut().zip(self.factor.slots()) {
            if let Some(slot) = slot {
                *value -= multipliers[slot.block];
            }
        }
    }

    /// What the planes on the face still have to gain, as [`Block::gap`](super::simplex_qp::Block::gap).
    fn gap(&self) -> f64 {
        let blocks = self.quadratic.members.len();
        let (mut highest, mut mass) = (vec![f64::NEG_INFINITY; blocks], vec![0.0; blocks]);
        for (k, slot) in self.on_face() {
            highest[slot.block] = self.values[k].max(highest[slot.block]);
            mass[slot.block] += self.coefficients[k];
        }
        let most: f64 =
            highest.iter().zip(&mass).filter(|(_, mass)| **mass > 0.0).map(|(v, mass)| v * mass).sum();
        most - dot(&self.values, &self.coefficients)
    }

    /// Takes what rounding leaves of each block's sum from its largest coefficient: a long step would make it mass.
    fn keep_mass(&self, direction: &mut [f64]) {
        let blocks = self.quadratic.members.len();
        let (mut largest, mut rest) = (vec![None; blocks], vec![0.0; blocks]);
        for (k, slot) in self.on_face() {
            rest[slot.block] += direction[k];
            let largest = &mut largest[slot.block];
            if largest.is_none_or(|l: usize| self.coefficients[l] < self.coefficients[k]) {
                *largest = Some(k);
            }
        }
        for (largest, rest) in largest.into_iter().zip(rest) {
            if let Some(k) = largest {
                direction[k] -= rest;
            }
        }
    }

    /// How far the direction can be followed, and which plane then has no mass left.
    fn longest_step(&self, direction: &[f64]) -> (f64, usize) {
        let mut longest = (f64::INFINITY, 0);
        for (k, (&coefficient, &d)) in self.coefficients.iter().zip(direction).enumerate() {
            if d < 0.0 && coefficient < -d * longest.0 {
                longest = (coefficient / -d, k);
            }
        }
        longest
    }

    fn on_face(&self) -> impl Iterator<Item = (usize, Slot)> {
        self.factor.slots().iter().enumerate().filter_map(|(k, slot)| Some((k, (*slot)?)))
    }
}
