//! The master problem under a [`BlockNorm`]: planes and the weights α of blocks, together.
//!
//! min over w and α ∈ A of λ/2 Σ_n ‖w_n‖²/α_n + R_t(w) is, by its dual, min_α max_β Σ β b − 1/(2λ) Σ_n α_n ‖(Σ β a)_n‖². For a fixed α this
//! is the usual quadratic program, whose Gram matrix is a sum over blocks with weights α. At its solution w_n = −α_n (Σ β a)_n / λ, and the
//! α that are best for these w never raise the minimum (THESIS 6.6, Algorithm 5, with an exact step in w). A round
//! is both. Each round proves a bound by the best of all α for its β, and ends where the model at w comes down to that bound.

use serde::{Deserialize, Serialize};

use super::{Master, Solution};
use crate::linear::{BlockNorm, block_squares, dot, followed_alpha, round_down, round_up};
use crate::risk::{GroupPlane, norm_bound};
use crate::solver::certificate::lower_bound_of;
use crate::solver::simplex_qp::{QpLimits, solve};

/// The most rounds for one master problem.
const ROUNDS: usize = 60;

/// After so many rounds in a row that leave nearly all of the gap as it was, no more are tried: rounding leaves no better.
const STALE_ROUNDS: usize = 3;

/// What a master problem under a block norm keeps.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Shared {
    /// α where the last problem left off.
    alpha: Vec<f64>,
    /// The products of each plane with those before it and itself, block by block; empty where one has no slope.
    products: Vec<Vec<Vec<f64>>>,
}

impl Shared {
    /// Takes in a plane, the last of these.
    pub fn push(&mut self, planes: &[GroupPlane], plane: &GroupPlane, norm: Option<&dyn BlockNorm>) {
        let of_blocks = |other: &GroupPlane| match norm {
            Some(norm) if !other.slope.is_empty() && !plane.slope.is_empty() => {
                let mut products = vec![0.0; norm.blocks()];
                norm.add_products(&other.slope, &plane.slope, &mut products);
                products
            }
            _ => Vec::new(),
        };
        if norm.is_some() {
            self.products.push(planes.iter().chain([plane]).map(of_blocks).collect());
        }
    }

    /// Whether so many planes were taken in under this norm.
    pub fn is_under(&self, norm: Option<&dyn BlockNorm>, planes: usize) -> bool {
        let Some(norm) = norm else { return self.products.is_empty() && self.alpha.is_empty() };
        let fits = |list: &[f64]| list.is_empty() || list.len() == norm.blocks();
        let row_fits =
            |(j, row): (usize, &Vec<Vec<f64>>)| row.len() == j + 1 && row.iter().all(|list| fits(list));
        self.products.len() == planes && self.products.iter().enumerate().all(row_fits) && fits(&self.alpha)
    }

    pub fn retain(&mut self, keep: &[bool]) {
        super::retain(&mut self.products, keep);
        self.products.iter_mut().for_each(|row| super::retain(row, keep));
    }

    fn product(&self, j: usize, k: usize) -> f64 {
        let products = &self.products[j.max(k)][j.min(k)];
        if products.is_empty() { 0.0 } else { dot(&self.alpha, products) }
    }
}

/// What a round found.
struct Round {
    weights: Vec<f64>,
    /// The model at the weights.
    value: f64,
    coefficients: Vec<f64>,
    alpha: Vec<f64>,
}

impl Master {
    /// Minimises the model under the norm until its own gap is at most `gap`.
    pub(super) fn minimize_shared(&mut self, norm: &dyn BlockNorm, gap: f64) -> Solution {
        let lambda = self.lambda;
        if self.shared.alpha.is_empty() {
            self.shared.alpha = norm.best(&vec![1.0; norm.blocks()]).0;
        }
        let start = self.shared.alpha.clone();
        let (mut best, mut bound): (Option<Round>, f64) = (None, f64::NEG_INFINITY);
        self.quadratic.set_coefficients(&self.left_off[0]);
        let linear: Vec<f64> = self.planes.iter().map(|plane| plane.offset).collect();
        let (mut open, mut stale) = (f64::INFINITY, 0);
        for _ in 0..ROUNDS {
            let shared = &self.shared;
            self.quadratic.set_products(|j, k| shared.product(j, k));
            self.quadratic.set_objective(linear.clone(), 1.0 / lambda);
            let steps_per_visit = if self.groups == 1 { 50 } else { 4 };
            solve(&mut self.quadratic, QpLimits { gap: 0.5 * gap, steps: 200_000, steps_per_visit });
            self.quadratic.normalize();
            let mut weights = self.mixed_slope();
            let squares = block_squares(norm, &weights);
            bound = bound.max(self.shared_bound(norm, &squares));
            let factors: Vec<f64> = self.shared.alpha.iter().map(|alpha| -alpha / lambda).collect();
            norm.scale(&factors, &mut weights);
            let squares: Vec<f64> = squares.iter().zip(&factors).map(|(a, f)| a * f * f).collect();
            let value = 0.5 * lambda * norm.best(&squares).1 + self.quadratic.model();
            if best.as_ref().is_none_or(|best| value < best.value) {
                let coefficients = self.quadratic.coefficients().to_vec();
                best = Some(Round { weights, value, coefficients, alpha: self.shared.alpha.clone() });
            }
            let reached = best.as_ref().map_or(f64::INFINITY, |best| best.value);
            stale = if reached - bound > 0.99 * open { stale + 1 } else { 0 };
            open = reached - bound;
            if open <= gap || stale == STALE_ROUNDS || self.quadratic.halt().is_due() {
                break;
            }
            self.shared.alpha = followed_alpha(norm, &squares, gap / reached);
        }
        let is_halted = self.quadratic.halt().is_due();
        let Some(best) = best.filter(|_| !is_halted) else {
            self.shared.alpha = start;
            return Solution { weights: vec![0.0; self.dim], bound, is_halted };
        };
        for (idle, &beta) in self.idle.iter_mut().zip(&best.coefficients) {
            *idle = if beta == 0.0 { *idle } else { 0 };
        }
        self.left_off[0].copy_from_slice(&best.coefficients);
        self.left_off[1].copy_from_slice(&best.coefficients);
        self.shared.alpha = best.alpha;
        self.quadratic.set_coefficients(&best.coefficients);
        self.drop_idle();
        Solution { weights: best.weights, bound, is_halted }
    }

    /// Σ β b − 1/(2λ) max_α Σ α_n ‖(Σ β a)_n‖², less what rounding may have added, where the squares are those of the sum as it was computed.
    fn shared_bound(&self, norm: &dyn BlockNorm, squares: &[f64]) -> f64 {
        let coefficients = self.quadratic.coefficients();
        let (mut error, mut length, mut count) = (0.0, 0.0, 0.0);
        for (plane, &beta) in self.planes.iter().zip(coefficients).filter(|(_, beta)| **beta != 0.0) {
            error += beta * plane.error;
            length += beta * norm_bound(&plane.slope);
            count += 1.0;
        }
        // √ max_α Σ α_n ‖·‖² is a norm, and no more than the Euclidean one, as no α is above 1.
        let of_sum = (count + 4.0) * f64::EPSILON * length;
        let largest = round_up(norm.largest(squares).sqrt(), 2.0);
        let dual_norm = round_up(largest + of_sum + error, count + 8.0) / self.lambda;
        let load = 1.0 + (count + 16.0) * f64::EPSILON;
        lower_bound_of(round_down(self.offsets(), count + 8.0), dual_norm, self.lambda, load)
    }
}
