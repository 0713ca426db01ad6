//! The cutting-plane model of one example, with the dual coefficients of its planes.

use serde::{Deserialize, Serialize};

use crate::risk::Plane;

/// Planes of one example, which share its mass c_i/n with the zero plane (H_i ≥ 0).
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct ExampleModel {
    pub(super) planes: Vec<Plane>,
    /// The coefficient of the zero plane, and then of each plane.
    pub(super) coefficients: Vec<f64>,
    /// The inner products of the planes' slopes: the lower triangle, row by row.
    products: Vec<f64>,
    /// For how many visits each plane has had no mass.
    idle: Vec<u32>,
    /// c_i/n.
    mass: f64,
}

impl ExampleModel {
    pub(super) fn new(mass: f64) -> Self {
        Self { planes: Vec::new(), coefficients: vec![mass], products: Vec::new(), idle: Vec::new(), mass }
    }

    /// Adds a plane without mass, given its products with the planes before it and with itself.
    pub(super) fn push(&mut self, plane: Plane, products: &[f64]) {
        debug_assert_eq!(products.len(), self.planes.len() + 1);
        self.planes.push(plane);
        self.coefficients.push(0.0);
        self.products.extend_from_slice(products);
        self.idle.push(0);
    }

    /// Computes all inner products anew: `products` has those of a plane with the ones before it, and with itself.
    pub(super) fn refit(&mut self, mut products: impl FnMut(&Plane, &[Plane]) -> Vec<f64>) {
        self.products.clear();
        for (k, plane) in self.planes.iter().enumerate() {
            self.products.extend(products(plane, &self.planes[..k]));
        }
    }

    /// How large the labels are: what a visit costs, more or less.
    pub(super) fn size(&self) -> usize {
        self.planes.first().map_or(0, Plane::size)
    }

    /// The inner product of two slopes; number 0 is the zero plane.
    pub(super) fn product(&self, j: usize, k: usize) -> f64 {
        let (low, high) = (j.min(k), j.max(k));
        if low == 0 { 0.0 } else { self.products[high * (high - 1) / 2 + low - 1] }
    }

    /// ‖a_j − a_k‖².
    pub(super) fn distance_squared(&self, j: usize, k: usize) -> f64 {
        (self.product(j, j) + self.product(k, k) - 2.0 * self.product(j, k)).max(0.0)
    }

    /// Moves the coefficients by a step towards a target; a step of 1 arrives exactly.
    pub(super) fn go_towards(&mut self, target: &[f64], step: f64) {
        for (beta, &target) in self.coefficients.iter_mut().zip(target) {
            *beta = if step == 1.0 { target } else { *beta + step * (target - *beta) };
        }
    }

    /// Counts a visit, and forgets planes that have had no mass for more than `limit` visits.
    pub(super) fn drop_idle(&mut self, limit: u32) {
        let mut any = false;
        for (idle, &beta) in self.idle.iter_mut().zip(&self.coefficients[1..]) {
            *idle = if beta == 0.0 { *idle + 1 } else { 0 };
            any |= *idle > limit;
        }
        if !any {
            return;
        }
        let kept: Vec<usize> = (0..self.planes.len()).filter(|&k| self.idle[k] <= limit).collect();
        let products =
            kept.iter().flat_map(|&k| kept.iter().take_while(move |&&l| l <= k).map(move |&l| (k, l)));
        self.products = products.map(|(k, l)| self.products[k * (k + 1) / 2 + l]).collect();
        for (new, &old) in kept.iter().enumerate() {
            self.planes.swap(new, old);
            self.coefficients[new + 1] = self.coefficients[old + 1];
            self.idle[new] = self.idle[old];
        }
        self.planes.truncate(kept.len());
        self.coefficients.truncate(kept.len() + 1);
        self.idle.truncate(kept.len());
    }

    /// Σ β b, and Σ β as a share of the mass that there is.
    pub(super) fn offset_and_load(&self) -> (f64, f64) {
        let (mut offset, mut others) = (0.0, 0.0);
        for (plane, beta) in self.planes.iter().zip(&self.coefficients[1..]) {
            offset += plane.b * beta;
            others += beta;
        }
        (offset, if others == 0.0 { 0.0 } else { others / self.mass })
    }

    /// A bound on Σ β ‖a‖, for features of this norm.
    pub(super) fn length(&self, norm: f64) -> f64 {
        let lengths =
            self.planes.iter().zip(&self.coefficients[1..]).map(|(plane, beta)| plane.length() * beta);
        4.0 * norm * lengths.sum::<f64>()
    }

    /// Makes the coefficients add up to the mass again after the rounding of many steps: only then is the dual a bound.
    pub(super) fn normalize(&mut self) {
        let mass = self.mass;
        let others: f64 = self.coefficients[1..].iter().sum();
        if others > mass {
            self.coefficients[1..].iter_mut().for_each(|beta| *beta *= mass / others);
            self.coefficients[0] = 0.0;
        } else {
            self.coefficients[0] = mass - others;
        }
    }
}
