//! Stochastic subgradient descent with weighted averaging: quick to a good start, with a weak proof.
//!
//! Pegasos steps (Shalev-Shwartz et al. 2007) w ← (1 − λη) w − η c_i a_i with η = 1/(λ(t + t₀)), where t₀ makes the
//! first step just long enough to satisfy the average example, and an average that weights the step t by t (Lacoste-Julien,
//! Schmidt, Bach 2012). Both vectors are held as sums of scaled ones, so a step costs what its plane costs.
//!
//! After each pass the risk is evaluated at the average. The lower bound comes from the planes that the steps saw: these
//! steps give each of T planes the coefficient c_i/(T + t₀), so after whole passes no example has more than its mass c_i/n,
//! and the last iterate is w = −Σ β a / λ for a feasible point of the dual, whose value costs one norm. Rigorous, free,
//! and far from tight in the first passes.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

use super::{Certificate, Progress, Solver, SolverState};
use crate::linear::{Terms, large_norm_squared};
use crate::risk::{Groups, Oracle, Plane, Point, Risk, evaluate};

/// Planes at w = 0 from which the length of the first step is taken.
const PROBES: usize = 100;

/// Averaged SGD.
#[derive(Serialize, Deserialize)]
pub struct Sgd {
    lambda: f64,
    random: Pcg64Mcg,
    order: Vec<usize>,
    /// The number of steps so far, and the offset t₀.
    step: f64,
    offset: f64,
    /// w = scale · direction.
    direction: Vec<f64>,
    scale: f64,
    /// average = along · direction + share · rest.
    rest: Vec<f64>,
    along: f64,
    share: f64,
    average: Vec<f64>,
    /// Σ β b of the last iterate.
    offsets: f64,
    lower_bound: f64,
}

impl Sgd {
    /// A solver that starts at 0.
    pub fn new(lambda: f64, risk: &dyn Risk, seed: u64) -> Self {
        let dim = risk.dim();
        Self {
            lambda,
            random: Pcg64Mcg::seed_from_u64(seed),
            order: (0..risk.len()).collect(),
            step: 0.0,
            offset: 0.0,
            direction: vec![0.0; dim],
            scale: 1.0,
            rest: vec![0.0; dim],
            along: 0.0,
            share: 1.0,
            average: vec![0.0; dim],
            offsets: 0.0,
            lower_bound: 0.0,
        }
    }

    /// One pass over the examples in a new random order. The average is brought up to date.
    pub fn pass(&mut self, risk: &dyn Risk) {
        let mut oracle = risk.oracle();
        if self.step == 0.0 {
            self.offset = slope_per_loss(risk, oracle.as_mut()) / self.lambda;
        }
        self.order.shuffle(&mut self.random);
        let (mut plane, mut terms) = (Plane::default(), Terms::default());
        for k in 0..self.order.len() {
            let i = self.order[k];
            let at = Point { direction: &self.direction, scale: self.scale };
            terms.clear();
            let above = oracle.plane(i, at, &mut plane).value > 0.0;
            if above {
                oracle.add_slopes(i, std::slice::from_ref(&plane), &[(0, 1.0)], &mut terms);
            }
            let b = if above { plane.b } else { 0.0 };
            self.descend(&terms, b, risk.weight(i));
        }
        self.materialize();
    }

    /// The weighted average of all iterates, as of the last pass.
    pub fn average(&self) -> &[f64] {
        &self.average
    }

    fn descend(&mut self, slope: &Terms, b: f64, weight: f64) {
        self.step += 1.0;
        let rate = 1.0 / (self.step + self.offset);
        self.scale *= 1.0 - rate;
        self.offsets += rate * (weight * b - self.offsets);
        if self.scale < 1e-9 {
            self.materialize();
        }
        // w changes by −rate/λ · c_i · a_i; the average must not change with it yet.
        let change = -rate / self.lambda * weight / self.scale;
        slope.add_to(change, &mut self.direction);
        slope.add_to(-change * self.along / self.share, &mut self.rest);
        let newest = 2.0 / (self.step + 1.0);
        self.along = (1.0 - newest) * self.along + newest * self.scale;
        self.share *= 1.0 - newest;
        if self.share < 1e-9 {
            self.materialize();
        }
    }

    /// Multiplies out the factored vectors: direction = w, rest = average.
    fn materialize(&mut self) {
        for ((direction, rest), average) in
            self.direction.iter_mut().zip(&mut self.rest).zip(&mut self.average)
        {
            *average = self.along * *direction + self.share * *rest;
            *rest = *average;
            *direction *= self.scale;
        }
        (self.scale, self.along, self.share) = (1.0, 0.0, 1.0);
    }
}

/// ‖a‖² / H over some planes at w = 0: its inverse is the step that would bring such a plane to 0.
fn slope_per_loss(risk: &dyn Risk, oracle: &mut dyn Oracle) -> f64 {
    let zero = vec![0.0; risk.dim()];
    let (mut plane, mut products) = (Plane::default(), Vec::new());
    let probes = risk.len().min(PROBES);
    let (mut slopes, mut losses) = (0.0, 0.0);
    for k in 0..probes {
        let i = k * risk.len() / probes;
        losses += oracle.plane(i, (&zero).into(), &mut plane).value;
        oracle.products(i, &plane, &[], &mut products);
        slopes += risk.weight(i) * products[0];
    }
    if losses > 0.0 { slopes / losses } else { 0.0 }
}

impl Solver for Sgd {
    fn name(&self) -> &'static str {
        "sgd"
    }

    fn step(&mut self, risk: &dyn Risk) -> Progress {
        self.pass(risk);
        let evaluation = evaluate(risk, (&self.average).into(), &Groups::new(risk.len(), 1));
        let here = Certificate::at(self.lambda, &self.average, evaluation.risk);
        // Less what the rounding of all steps may have added.
        let norm = self.lambda * large_norm_squared(&self.direction);
        let dual = self.offsets - 0.5 * norm - 2.0 * f64::EPSILON * self.step * (norm + self.offsets);
        if risk.is_convex() {
            self.lower_bound = self.lower_bound.max(dual);
        }
        Progress {
            certificate: Certificate { lower_bound: self.lower_bound, ..here },
            oracle_calls: 2 * risk.len() as u64,
            master_seconds: 0.0,
        }
    }

    fn weights(&self) -> &[f64] {
        &self.average
    }

    fn state(&self) -> Option<SolverState<'_>> {
        Some(SolverState::Sgd(self))
    }
}
