//! The cutting-plane model of the risk and the master problem on it.
//!
//! R_t(w) = Σ_p max_j (⟨a_j, w⟩ + b_j) over the planes j of group p (BUNDLE eq. 14). The master problem minimises
//! λ/2 ‖w‖² + R_t(w) + α ‖w − center‖² (eq. 10), through its dual (eq. 13) on a product of simplices. With α = 0 every
//! feasible dual value is a lower bound on F*: it is recomputed from the planes themselves, not from the running sums of
//! the solver. So it may be broken off: any feasible point has a bound. What a problem that was broken off found is not
//! kept, so that it can be solved again from the same start, to the same bits as without a break. Planes that have had no mass for a while are dropped; the zero plane of each group (R ≥ 0) stays.

mod shared;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::certificate::{is_negligible, lower_bound_of};
use super::face_factor::FaceFactor;
use super::gram::{GramQuadratic, retain};
use super::halt::Halt;
use super::simplex_qp::{QpLimits, solve};
use crate::linear::{
    BlockNorm, PreciseSum, add_scaled, dot, dots, norm_squared, precise_share, round_down, round_up,
};
use crate::risk::{Evaluation, GroupPlane, norm_bound};

/// A plane is dropped when it has had no mass for this many evaluations.
const IDLE_LIMIT: u32 = 10;

/// A prox term α ‖w − center‖².
#[derive(Debug, Clone, Copy)]
pub struct Prox<'a> {
    /// α.
    pub penalty: f64,
    /// The center.
    pub center: &'a [f64],
}

/// A solved master problem.
#[derive(Debug, Clone)]
pub struct Solution {
    /// Its minimiser.
    pub weights: Vec<f64>,
    /// Its minimum, rounded; without a prox term a lower bound on F*, less what rounding may have added.
    pub bound: f64,
    /// Whether it was broken off: the bound holds, but the weights may be far from the minimiser.
    pub is_halted: bool,
}

/// Which of two series of master problems this is: each keeps coefficients to start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Series {
    /// Without prox term, for the lower bound.
    Bound,
    /// With a prox term.
    Prox,
}

/// The planes and the master problem on them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Master {
    lambda: f64,
    dim: usize,
    groups: usize,
    /// The zero plane of each group, with an empty slope, and then what evaluations brought.
    planes: Vec<GroupPlane>,
    idle: Vec<u32>,
    quadratic: GramQuadratic,
    /// The coefficients where each series left off, and the factor of those with mass.
    left_off: [Vec<f64>; 2],
    faces: [FaceFactor; 2],
    shared: shared::Shared,
}

impl Master {
    /// The model R_t = 0.
    pub fn new(lambda: f64, dim: usize, groups: usize, norm: Option<&dyn BlockNorm>) -> Self {
        let mut master = Self {
            lambda,
            dim,
            groups,
            planes: Vec::new(),
            idle: Vec::new(),
            quadratic: GramQuadratic::new(groups),
            left_off: Default::default(),
            faces: Default::default(),
            shared: Default::default(),
        };
        for group in 0..groups {
            let products = vec![0.0; group + 1];
            master.push(group, GroupPlane::default(), &products, norm);
        }
        master
    }

    /// Whether all planes were taken in under this norm.
    pub fn is_under(&self, norm: Option<&dyn BlockNorm>) -> bool {
        self.shared.is_under(norm, self.planes.len())
    }

    /// Says when to break off.
    pub fn heed(&mut self, halt: Halt) {
        self.quadratic.heed(halt);
    }

    /// Adds the planes of an evaluation, one per group, of a risk with this norm.
    pub fn add(&mut self, evaluation: Evaluation, norm: Option<&dyn BlockNorm>) {
        self.idle.iter_mut().for_each(|idle| *idle += 1);
        let products = self.products_with(&evaluation.planes);
        for (group, plane) in evaluation.planes.into_iter().enumerate() {
            let products: Vec<f64> = products[..=self.planes.len()].iter().map(|row| row[group]).collect();
            self.push(group, plane, &products, norm);
        }
    }

    /// The inner products of new planes with all planes, old ones first and then the new: a row for each, a product for each new one.
    /// They are added up over parts of the dimension. Of a part all new slopes stay in the processor's cache while old ones go by;
    /// cores share the parts, and no rounding depends on how many there are.
    fn products_with(&self, new: &[GroupPlane]) -> Vec<Vec<f64>> {
        const PART: usize = 2048;
        let all: Vec<&[f64]> = self.planes.iter().chain(new).map(|plane| plane.slope.as_slice()).collect();
        let of_part = |start: usize| {
            let end = (start + PART).min(self.dim);
            let new: Vec<&[f64]> = new.iter().map(|plane| &plane.slope[start..end]).collect();
            let mut products = vec![0.0; all.len() * new.len()];
            for (slope, products) in all.iter().zip(products.chunks_exact_mut(new.len())) {
                if !slope.is_empty() {
                    dots(&slope[start..end], &new, products);
                }
            }
            products
        };
        let mut sums = vec![0.0; all.len() * new.len()];
        // So many parts at a time that their sums take little memory.
        let starts: Vec<usize> = (0..self.dim).step_by(PART).collect();
        for starts in starts.chunks(64) {
            let parts: Vec<Vec<f64>> = starts.par_iter().map(|&start| of_part(start)).collect();
            for part in parts {
                sums.iter_mut().zip(part).for_each(|(sum, product)| *sum += product);
            }
        }
        sums.chunks_exact(new.len().max(1)).map(<[f64]>::to_vec).collect()
    }

    /// Adds a plane, given its inner products with all planes before it and with itself.
    fn push(&mut self, group: usize, plane: GroupPlane, products: &[f64], norm: Option<&dyn BlockNorm>) {
        self.shared.push(&self.planes, &plane, norm);
        self.quadratic.push(group, products);
        for left_off in &mut self.left_off {
            left_off.push(self.quadratic.coefficients()[products.len() - 1]);
        }
        self.planes.push(plane);
        self.idle.push(0);
    }

    /// Minimises the model under the norm of the risk until the master's own gap is at most `gap`.
    pub fn minimize_under(&mut self, norm: Option<&dyn BlockNorm>, gap: f64) -> Solution {
        match norm {
            Some(norm) => self.minimize_shared(norm, gap),
            None => self.minimize(Series::Bound, None, gap),
        }
    }

    /// Minimises the model (with the prox term) until the master's own gap is at most `gap`.
    pub fn minimize(&mut self, series: Series, prox: Option<Prox<'_>>, gap: f64) -> Solution {
        let (penalty, center) = prox.map_or((0.0, [].as_slice()), |prox| (prox.penalty, prox.center));
        let total = self.lambda + 2.0 * penalty;
        let linear: Vec<f64> = self
            .planes
            .par_iter()
            .map(|plane| match plane.slope.is_empty() || penalty == 0.0 {
                true => plane.offset,
                false => plane.offset + 2.0 * penalty / total * dot(&plane.slope, center),
            })
            .collect();
        let start = self.quadratic.halt().may_be_due().then(|| self.faces[series as usize].clone());
        self.quadratic.set_coefficients(&self.left_off[series as usize]);
        self.quadratic.swap_face(&mut self.faces[series as usize]);
        self.quadratic.set_objective(linear, 1.0 / total);
        let steps_per_visit = if self.groups == 1 { 50 } else { 4 };
        solve(&mut self.quadratic, QpLimits { gap, steps: 200_000, steps_per_visit });
        self.quadratic.swap_face(&mut self.faces[series as usize]);
        self.quadratic.normalize();
        let is_halted = self.quadratic.halt().is_due();
        if is_halted {
            self.faces[series as usize] = start.unwrap_or_default();
        } else {
            self.left_off[series as usize].copy_from_slice(self.quadratic.coefficients());
            for (idle, &beta) in self.idle.iter_mut().zip(self.quadratic.coefficients()) {
                *idle = if beta == 0.0 { *idle } else { 0 };
            }
        }

        let mut mixed = self.mixed_slope();
        let bound = match prox {
            None => self.lower_bound(&mut mixed, gap),
            Some(_) => 0.0,
        };
        let weights: Vec<f64> = match prox {
            None => mixed.iter().map(|a| -a / total).collect(),
            Some(_) => mixed.iter().zip(center).map(|(a, c)| (2.0 * penalty * c - a) / total).collect(),
        };
        let bound = match prox {
            None => bound,
            // min_w λ/2 ‖w‖² + α‖w − c‖² + ⟨a, w⟩ + b, at its minimiser w.
            Some(prox) => {
                let distance: f64 = weights.iter().zip(prox.center).map(|(w, c)| (w - c) * (w - c)).sum();
                0.5 * self.lambda * norm_squared(&weights)
                    + dot(&mixed, &weights)
                    + self.offsets()
                    + prox.penalty * distance
            }
        };
        if series == Series::Bound && !is_halted {
            self.drop_idle();
        }
        Solution { weights, bound, is_halted }
    }

    /// Σ_j β_j b_j.
    fn offsets(&self) -> f64 {
        self.planes.iter().zip(self.quadratic.coefficients()).map(|(plane, beta)| plane.offset * beta).sum()
    }

    /// What the coefficients prove: Σ β b − ‖Σ β a‖²/(2λ), less what rounding may have added. Where the sum of slopes cancels so
    /// much that this matters against the gap that is wanted, it is taken again with twice the digits.
    fn lower_bound(&self, mixed: &mut [f64], gap: f64) -> f64 {
        let coefficients = self.quadratic.coefficients();
        let with_mass = || self.planes.iter().zip(coefficients).filter(|(_, beta)| **beta != 0.0);
        let count = with_mass().count() as f64;
        // What the slopes of planes were rounded by when they were made, and what their sum is relative to.
        let (mut error, mut length) = (0.0, 0.0);
        for (j, (plane, &beta)) in self.planes.iter().zip(coefficients).enumerate() {
            error += beta * plane.error;
            length += beta * round_up(self.quadratic.row(j)[j], self.dim as f64).sqrt();
        }
        let mut norm = norm_bound(mixed);
        let mut of_sum = (count + 4.0) * f64::EPSILON * length;
        if !is_negligible(of_sum * norm / self.lambda, gap) {
            let mut sum = PreciseSum::zeros(self.dim);
            for (plane, &beta) in with_mass().filter(|(plane, _)| !plane.slope.is_empty()) {
                sum.add_scaled(beta, &plane.slope);
            }
            mixed.iter_mut().zip(sum.iter()).for_each(|(mixed, sum)| *mixed = sum);
            norm = norm_bound(mixed);
            of_sum = f64::EPSILON * norm + precise_share(count) * length;
        }
        let norm = round_up(norm + of_sum + error, count + 8.0) / self.lambda;
        // Each group's coefficients add up to 1 but for rounding.
        let load = 1.0 + (count + 16.0) * f64::EPSILON;
        lower_bound_of(round_down(self.offsets(), count + 8.0), norm, self.lambda, load)
    }

    /// Σ_j β_j a_j, cut into parts of the dimension so that all cores share the work and no rounding depends on them.
    fn mixed_slope(&self) -> Vec<f64> {
        const PART: usize = 2048;
        let mut sum = vec![0.0; self.dim];
        sum.par_chunks_mut(PART).enumerate().for_each(|(part, sum)| {
            for (plane, &beta) in self.planes.iter().zip(self.quadratic.coefficients()) {
                if beta != 0.0 && !plane.slope.is_empty() {
                    add_scaled(sum, beta, &plane.slope[part * PART..][..sum.len()]);
                }
            }
        });
        sum
    }

    fn drop_idle(&mut self) {
        let mut keep = vec![true; self.planes.len()];
        for (j, keep) in keep.iter_mut().enumerate().skip(self.groups) {
            let has_mass = self.left_off.iter().any(|beta| beta[j] != 0.0);
            *keep = has_mass || self.idle[j] < IDLE_LIMIT;
        }
        if keep.iter().all(|&keep| keep) {
            return;
        }
        self.quadratic.retain(&keep);
        self.faces.iter_mut().for_each(|face| face.retain(&keep));
        retain(&mut self.planes, &keep);
        retain(&mut self.idle, &keep);
        self.shared.retain(&keep);
        self.left_off.iter_mut().for_each(|beta| retain(beta, &keep));
    }
}
