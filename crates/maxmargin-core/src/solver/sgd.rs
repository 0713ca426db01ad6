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
//!
//! From given weights w₀ the iterate is w = w₀ Π(1 − λη) − Σ β a / λ, of which the dual has the second part. The examples that w₀
//! has seen are added to t₀ (one pass where nobody says how many), so that the first steps do not wipe them out.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

use super::certificate::{lower_bound_of, measure};
use super::choice::check_start;
use super::{Certificate, MadeFor, Progress, Solver, SolverKind, SolverSettings, SolverState};
use crate::error::Result;
use crate::linear::{CooVector, round_down, round_up};
use crate::risk::{Groups, Oracle, Plane, Point, Risk, norm_bound};

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
    /// Bounds on ‖w‖ and on what rounding has added to w.
    reach: f64,
    drift: f64,
    lower_bound: f64,
    /// Whether sums that cancel are taken with twice the digits.
    is_precise: bool,
    /// Where it started, unless at 0, and the share of that in w.
    start: Vec<f64>,
    kept: f64,
    pub(super) made_for: MadeFor,
}

impl Sgd {
    /// A solver that starts at 0.
    pub fn new(lambda: f64, risk: &dyn Risk, seed: u64) -> Result<Self> {
        SolverSettings::checked(lambda, None, SolverKind::Sgd, risk)?;
        let dim = risk.dim();
        Ok(Self {
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
            reach: 0.0,
            drift: 0.0,
            lower_bound: 0.0,
            is_precise: false,
            start: Vec::new(),
            kept: 1.0,
            made_for: MadeFor::new(risk),
        })
    }

    /// From given weights that have seen so many examples; as many as there are here when `None`.
    pub fn starting_at(mut self, start: &[f64], seen: Option<usize>, risk: &dyn Risk) -> Result<Self> {
        check_start(start, risk)?;
        self.offset = seen.unwrap_or(risk.len()) as f64;
        for point in [&mut self.direction, &mut self.rest, &mut self.average] {
            point.copy_from_slice(start);
        }
        self.reach = norm_bound(start);
        self.start = start.to_vec();
        Ok(self)
    }

    /// One pass over the examples in a new random order. The average is brought up to date.
    pub(super) fn pass(&mut self, risk: &dyn Risk) {
        let mut oracle = risk.oracle();
        if self.step == 0.0 {
            self.offset += slope_per_loss(risk, oracle.as_mut()) / self.lambda;
        }
        self.order.shuffle(&mut self.random);
        let (mut plane, mut terms) = (Plane::default(), CooVector::default());
        for k in 0..self.order.len() {
            let i = self.order[k];
            let at = Point::unmeasured(&self.direction, self.scale);
            terms.clear();
            let above = oracle.plane(i, at, &mut plane).value > 0.0;
            let (mut b, mut length) = (0.0, 0.0);
            if above {
                b = plane.b;
                length = oracle.add_slopes(i, std::slice::from_ref(&plane), &[(0, 1.0)], &mut terms);
            }
            self.descend(&terms, b, risk.weight(i));
            self.wander(risk.weight(i) * length, 4.0 * risk.magnitude(i).repeats);
        }
        self.materialize();
    }

    /// The weighted average of all iterates, as of the last pass.
    pub(super) fn average(&self) -> &[f64] {
        &self.average
    }

    fn descend(&mut self, slope: &CooVector, b: f64, weight: f64) {
        self.step += 1.0;
        let rate = 1.0 / (self.step + self.offset);
        self.scale *= 1.0 - rate;
        self.kept *= 1.0 - rate;
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

    /// Takes in what rounding of the last step may have done to w: each addition is rounded relative to the weight it
    /// changes, and each term relative to itself.
    fn wander(&mut self, length: f64, additions: f64) {
        let rate = 1.0 / (self.step + self.offset);
        let added = rate / self.lambda * length;
        self.reach = (1.0 - rate) * self.reach + added;
        self.drift =
            (1.0 - rate) * self.drift + f64::EPSILON * ((additions + 4.0) * self.reach + 8.0 * added);
    }

    /// What the steps have proven: their coefficients are feasible, up to what each step and each loss may have rounded.
    fn dual(&self, risk: &dyn Risk) -> f64 {
        let of_losses = (0..risk.len()).map(|i| risk.roundings(i)).fold(0.0, f64::max);
        let roundings = 8.0 * self.step + 16.0 + of_losses;
        let norm = self.dual_norm() + round_up(self.drift, roundings);
        let load = 1.0 + roundings * f64::EPSILON;
        lower_bound_of(round_down(self.offsets, roundings), norm, self.lambda, load)
    }

    /// A bound on ‖Σ β a / λ‖, but for the drift of w.
    fn dual_norm(&self) -> f64 {
        if self.start.is_empty() {
            return norm_bound(&self.direction);
        }
        let own: Vec<f64> =
            self.direction.iter().zip(&self.start).map(|(w, start)| w - self.kept * start).collect();
        // What is left of the start was multiplied in as many steps here as there.
        let extent = norm_bound(&self.direction) + norm_bound(&self.start);
        round_up(norm_bound(&own) + f64::EPSILON * (4.0 * self.step + 16.0) * extent, 8.0)
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

/// ‖a‖² / H over some planes at w = 0: its inverse is the step that would bring such a plane to 0. Never negative: with t₀ < 0
/// examples would have more than their mass.
fn slope_per_loss(risk: &dyn Risk, oracle: &mut dyn Oracle) -> f64 {
    let zero = vec![0.0; risk.dim()];
    let (mut plane, mut products) = (Plane::default(), Vec::new());
    let probes = risk.len().min(PROBES);
    let (mut slopes, mut losses) = (0.0, 0.0);
    for k in 0..probes {
        let i = k * risk.len() / probes;
        losses += oracle.plane(i, (&zero).into(), &mut plane).value;
        oracle.products(i, &plane, &[], &mut products);
        // Products of planes that nearly vanish may be rounded below 0.
        slopes += risk.weight(i) * products[0].max(0.0);
    }
    if losses > 0.0 { slopes / losses } else { 0.0 }
}

impl Solver for Sgd {
    fn name(&self) -> &'static str {
        "sgd"
    }

    fn lambda(&self) -> f64 {
        self.lambda
    }

    fn made_for(&self) -> Option<&MadeFor> {
        Some(&self.made_for)
    }

    fn one_pass(&mut self, risk: &dyn Risk) -> Progress {
        self.pass(risk);
        let best = Certificate { lower_bound: self.lower_bound, ..Certificate::UNKNOWN };
        let groups = Groups::new(risk.len(), 1);
        let (here, _) = measure(risk, &self.average, &groups, self.lambda, &best, &mut self.is_precise);
        if risk.is_convex() {
            self.lower_bound = self.lower_bound.max(self.dual(risk));
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
