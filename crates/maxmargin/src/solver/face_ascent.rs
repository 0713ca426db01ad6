//! Conjugate gradients on a face of the simplices: all planes that have mass move at once.
//!
//! Moving mass between two planes at a time finds out quickly which planes matter, and then crawls, because planes of
//! one risk are nearly parallel. On the face where exactly those planes have mass the dual is an unconstrained
//! concave quadratic (up to one sum per block), which conjugate gradients solve in few products with the Gram matrix.
//! When a coefficient reaches 0 it leaves the face. (The scheme of Moré and Toraldo 1991, with pairs in the place of
//! projected gradients.)

use super::gram::GramQuadratic;
use crate::linear::{add_scaled, dot};

/// A face is left when an iteration gains less than this share of the best one on it.
const LEAST_PROGRESS: f64 = 0.01;

/// Iterations of one call, over all faces.
const MOST_ITERATIONS: usize = 60;

/// One call's working memory.
pub(super) struct FaceAscent<'a> {
    quadratic: &'a mut GramQuadratic,
    /// The planes with mass, block by block, and where each block starts.
    free: Vec<usize>,
    starts: Vec<usize>,
    gradient: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
}

impl<'a> FaceAscent<'a> {
    pub(super) fn new(quadratic: &'a mut GramQuadratic) -> Self {
        let product = vec![0.0; quadratic.len()];
        Self {
            quadratic,
            free: Vec::new(),
            starts: Vec::new(),
            gradient: Vec::new(),
            direction: Vec::new(),
            product,
        }
    }

    pub(super) fn run(&mut self) {
        self.find_face();
        let mut best_gain = 0.0;
        for _ in 0..MOST_ITERATIONS {
            let slope = dot(&self.gradient, &self.direction);
            if slope <= 0.0 {
                return;
            }
            let curvature = self.multiply();
            let (limit, blocking) = self.longest_step();
            let step = if curvature * limit <= slope { limit } else { slope / curvature };
            if !step.is_finite() {
                return;
            }
            self.advance(step);
            if step == limit {
                self.quadratic.coefficients[self.free[blocking]] = 0.0;
                self.find_face();
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

    /// The planes with mass, and the gradient along the face they span as the first direction.
    fn find_face(&mut self) {
        self.free.clear();
        self.starts.clear();
        for members in &self.quadratic.members {
            self.starts.push(self.free.len());
            self.free.extend(members.iter().copied().filter(|&j| self.quadratic.coefficients[j] > 0.0));
        }
        self.starts.push(self.free.len());
        self.find_gradient();
        self.direction.clone_from(&self.gradient);
    }

    /// The values of the free planes, less their mean in each block.
    fn find_gradient(&mut self) {
        self.gradient.clear();
        self.gradient.extend(self.free.iter().map(|&j| self.quadratic.values[j]));
        for block in self.starts.windows(2) {
            let block = &mut self.gradient[block[0]..block[1]];
            let mean = block.iter().sum::<f64>() / block.len().max(1) as f64;
            block.iter_mut().for_each(|g| *g -= mean);
        }
    }

    /// The change of all values per unit of the direction; returns the curvature along it.
    fn multiply(&mut self) -> f64 {
        self.product.fill(0.0);
        for (&j, &d) in self.free.iter().zip(&self.direction) {
            add_scaled(&mut self.product, self.quadratic.curvature * d, self.quadratic.row(j));
        }
        self.free.iter().zip(&self.direction).map(|(&j, d)| d * self.product[j]).sum::<f64>().max(0.0)
    }

    /// How far the direction can be followed, and which free plane then has no mass left.
    fn longest_step(&self) -> (f64, usize) {
        let mut longest = (f64::INFINITY, 0);
        for (k, (&j, &d)) in self.free.iter().zip(&self.direction).enumerate() {
            if d < 0.0 && self.quadratic.coefficients[j] < -d * longest.0 {
                longest = (self.quadratic.coefficients[j] / -d, k);
            }
        }
        longest
    }

    fn advance(&mut self, step: f64) {
        for (&j, &d) in self.free.iter().zip(&self.direction) {
            let coefficient = &mut self.quadratic.coefficients[j];
            *coefficient = (*coefficient + step * d).max(0.0);
        }
        add_scaled(&mut self.quadratic.values, -step, &self.product);
    }

    /// The next conjugate direction (Polak and Ribière's formula, which restarts by itself when conjugacy is lost).
    fn turn(&mut self) {
        let old = std::mem::take(&mut self.gradient);
        self.find_gradient();
        let new = &self.gradient;
        let factor = ((dot(new, new) - dot(new, &old)) / dot(&old, &old)).max(0.0);
        self.direction.iter_mut().zip(new).for_each(|(d, g)| *d = g + factor * *d);
    }
}
