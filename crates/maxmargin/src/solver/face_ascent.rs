//! Conjugate gradients on a face of the simplices: all planes that have mass move at once.
//!
//! Moving mass between two planes at a time finds out quickly which planes matter, and then crawls, because planes of
//! one risk are nearly parallel. On the face where exactly those planes have mass the dual is an unconstrained
//! concave quadratic (up to one sum per block), which conjugate gradients solve in few products with the Gram matrix.
//! When a coefficient reaches 0 it leaves the face. (The scheme of Moré and Toraldo 1991, with pairs in the place of
//! projected gradients.)

use rayon::prelude::*;

use super::gram::GramQuadratic;
use crate::linear::{add_scaled, dot};

/// A face is left when an iteration gains less than this share of the best one on it.
const LEAST_PROGRESS: f64 = 0.01;

/// Iterations of one call, over all faces.
const MOST_ITERATIONS: usize = 60;

/// Rows of the matrix below which a second thread costs more than it brings.
const FEWEST_ROWS: usize = 200;

/// One call's working memory. Everything is indexed by the planes that had mass at the start.
pub(super) struct FaceAscent<'a> {
    quadratic: &'a mut GramQuadratic,
    /// Those planes, block by block, and where each block starts.
    free: Vec<usize>,
    starts: Vec<usize>,
    /// The Gram matrix of those planes times the curvature: small enough for the cache, as the whole seldom is.
    gram: Vec<f64>,
    coefficients: Vec<f64>,
    values: Vec<f64>,
    /// The values less their mean in each block; 0 for planes that lost their mass on the way.
    gradient: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
}

impl<'a> FaceAscent<'a> {
    pub(super) fn new(quadratic: &'a mut GramQuadratic) -> Self {
        let (mut free, mut starts) = (Vec::new(), vec![0]);
        for members in &quadratic.members {
            free.extend(members.iter().copied().filter(|&j| quadratic.coefficients[j] > 0.0));
            starts.push(free.len());
        }
        let mut gram = Vec::with_capacity(free.len() * free.len());
        for &j in &free {
            let row = quadratic.row(j);
            gram.extend(free.iter().map(|&k| quadratic.curvature * row[k]));
        }
        let coefficients = free.iter().map(|&j| quadratic.coefficients[j]).collect();
        let values = free.iter().map(|&j| quadratic.values[j]).collect();
        let zeros = vec![0.0; free.len()];
        Self {
            quadratic,
            free,
            starts,
            gram,
            coefficients,
            values,
            gradient: zeros.clone(),
            direction: zeros.clone(),
            product: zeros,
        }
    }

    /// Climbs until the gap on the face is well below `gap`, and hands the coefficients back.
    pub(super) fn run(mut self, gap: f64) {
        self.climb(gap);
        for (&j, &new) in self.free.iter().zip(&self.coefficients) {
            self.quadratic.change(j, new);
        }
    }

    fn climb(&mut self, gap: f64) {
        self.find_gradient();
        self.direction.clone_from(&self.gradient);
        let mut best_gain = 0.0;
        for _ in 0..MOST_ITERATIONS {
            let slope = dot(&self.gradient, &self.direction);
            if slope <= 0.0 || self.gap() <= 0.2 * gap {
                return;
            }
            self.multiply();
            let curvature = dot(&self.direction, &self.product).max(0.0);
            let (limit, blocking) = self.longest_step();
            let step = if curvature * limit <= slope { limit } else { slope / curvature };
            if !step.is_finite() {
                return;
            }
            self.advance(step);
            if step == limit {
                self.coefficients[blocking] = 0.0;
                self.find_gradient();
                self.direction.clone_from(&self.gradient);
                best_gain = 0.0;
                continue;
            }
            let gain = step * (slope - 0.5 * curvature * step);
            if gain <= LEAST_PROGRESS * best_gain {
                return;
            }
            best_gain = gain.max(best_gain);
            self.turn();
        }
    }

    fn find_gradient(&mut self) {
        for block in self.starts.windows(2).map(|bounds| bounds[0]..bounds[1]) {
            let on_face = block.clone().filter(|&k| self.coefficients[k] > 0.0);
            let mean = on_face.clone().map(|k| self.values[k]).sum::<f64>() / on_face.count().max(1) as f64;
            let (mut rest, mut last) = (0.0, None);
            for k in block {
                self.gradient[k] = if self.coefficients[k] > 0.0 {
                    last = Some(k);
                    self.values[k] - mean
                } else {
                    0.0
                };
                rest += self.gradient[k];
            }
            // What rounding leaves of the sum would be mass that a long step makes or destroys.
            if let Some(last) = last {
                self.gradient[last] -= rest;
            }
        }
    }

    /// What the planes on the face still have to gain: as Block::gap, but seen from the mean of each block.
    fn gap(&self) -> f64 {
        let block_gap = |bounds: &[usize]| {
            let block = bounds[0]..bounds[1];
            let gradient = &self.gradient[block.clone()];
            let highest = gradient.iter().copied().fold(0.0, f64::max);
            let mass: f64 = self.coefficients[block.clone()].iter().sum();
            mass * highest - dot(gradient, &self.coefficients[block])
        };
        self.starts.windows(2).map(block_gap).sum()
    }

    /// How the values change per unit of the direction.
    fn multiply(&mut self) {
        let n = self.free.len();
        let rows = self.gram.par_chunks_exact(n).with_min_len(FEWEST_ROWS);
        self.product.par_iter_mut().zip(rows).for_each(|(product, row)| *product = dot(row, &self.direction));
    }

    /// How far the direction can be followed, and which plane then has no mass left.
    fn longest_step(&self) -> (f64, usize) {
        let mut longest = (f64::INFINITY, 0);
        for (k, (&coefficient, &d)) in self.coefficients.iter().zip(&self.direction).enumerate() {
            if d < 0.0 && coefficient < -d * longest.0 {
                longest = (coefficient / -d, k);
            }
        }
        longest
    }

    fn advance(&mut self, step: f64) {
        for (coefficient, &d) in self.coefficients.iter_mut().zip(&self.direction) {
            *coefficient = (*coefficient + step * d).max(0.0);
        }
        add_scaled(&mut self.values, -step, &self.product);
    }

    /// The next conjugate direction (Polak and Ribière's formula, which restarts by itself when conjugacy is lost).
    fn turn(&mut self) {
        let old = self.gradient.clone();
        self.find_gradient();
        let new = &self.gradient;
        let factor = ((dot(new, new) - dot(new, &old)) / dot(&old, &old)).max(0.0);
        for ((d, g), coefficient) in self.direction.iter_mut().zip(new).zip(&self.coefficients) {
            *d = if *coefficient > 0.0 { g + factor * *d } else { 0.0 };
        }
    }
}
