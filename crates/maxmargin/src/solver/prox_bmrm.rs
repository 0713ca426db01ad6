//! Prox-BMRM and Prox-P-BMRM (BUNDLE Algorithm 2, §3.1–3.3): the bundle method kept from jumping too far.
//!
//! The next point minimises the model plus α ‖w − w_t‖². While the objective falls by at least γ a pass, α stays; when
//! it does not, α becomes the smallest of 0, 1, 2, 4, … for which the step is no longer than K. The lower bound always
//! comes from the model without prox term. BUNDLE's risk is n times ours, so its α = 1 is 1/n here.
//!
//! Algorithm 2 leaves w₁ open: it is the best of some passes of SGD, or a given solution for a larger λ.

use std::time::Instant;

use super::bmrm::MASTER_SHARE;
use super::master::{Master, Prox, Series};
use super::sgd::Sgd;
use super::{Certificate, Progress, Solver};
use crate::linear::norm_squared;
use crate::risk::{Groups, Risk, evaluate};

/// The constants of Algorithm 2, with BUNDLE's values as the default.
#[derive(Debug, Clone, Copy)]
pub struct ProxOptions {
    /// K as a share of ‖w₁‖: the longest step after α was set.
    pub longest_step: f64,
    /// T: the passes after which the gap would be closed if each one gained γ.
    pub patience: f64,
    /// ε: the relative gap that is aimed at.
    pub gap: f64,
    /// The passes of SGD that find w₁ when no start is given.
    pub sgd_passes: usize,
    /// The seed of SGD.
    pub seed: u64,
}

impl Default for ProxOptions {
    fn default() -> Self {
        Self { longest_step: 0.01, patience: 100.0, gap: 1e-3, sgd_passes: 10, seed: 0 }
    }
}

/// Prox-BMRM with one cutting-plane model, or Prox-P-BMRM with several.
pub struct ProxBmrm {
    lambda: f64,
    options: ProxOptions,
    groups: Groups,
    master: Master,
    /// The passes of SGD that are left.
    start: Option<(Sgd, usize)>,
    /// α = 1 of BUNDLE.
    unit: f64,
    /// α_t.
    penalty: f64,
    /// γ_t: what a pass must gain.
    threshold: f64,
    /// K.
    longest_step: f64,
    model_value: f64,
    nulls: usize,
    shortest_limit: f64,
    /// w_t and F(w_t).
    center: Vec<f64>,
    center_primal: f64,
    /// Whether the last candidate was refused, so that the next one is accepted whatever it gains.
    adjusted: bool,
    candidate: Vec<f64>,
    evaluated: Vec<f64>,
    best: Certificate,
}

impl ProxBmrm {
    /// A solver for this risk. It starts at `start`, or at the best point of a few passes of SGD.
    pub fn new(
        lambda: f64,
        risk: &dyn Risk,
        groups: usize,
        start: Option<Vec<f64>>,
        options: ProxOptions,
    ) -> Self {
        let dim = risk.dim();
        let groups = Groups::new(risk.len(), groups);
        let sgd = (start.is_none() && options.sgd_passes > 0)
            .then(|| (Sgd::new(lambda, risk, options.seed), options.sgd_passes));
        Self {
            lambda,
            options,
            master: Master::new(lambda, dim, groups.len()),
            groups,
            start: sgd,
            unit: 1.0 / risk.len().max(1) as f64,
            penalty: 0.0,
            threshold: f64::INFINITY,
            longest_step: f64::INFINITY,
            shortest_limit: 0.0, model_value: 0.0, nulls: 0,
            center: vec![0.0; dim],
            center_primal: f64::INFINITY,
            adjusted: true,
            candidate: start.unwrap_or_else(|| vec![0.0; dim]),
            evaluated: vec![0.0; dim],
            best: Certificate::UNKNOWN,
        }
    }

    /// Minimises the model with the prox term.
    fn propose(&mut self, penalty: f64) -> Vec<f64> {
        let mut gap = MASTER_SHARE * (self.best.primal - self.best.lower_bound).max(0.0);
        loop {
            let prox = Prox { penalty, center: &self.center };
            let s = self.master.minimize(Series::Prox, Some(prox), gap);
            self.model_value = s.bound;
            let predicted = (self.center_primal - s.bound).max(0.0);
            if gap <= 0.2 * predicted || gap < 1e-12 * self.best.primal {
                return s.weights;
            }
            gap = (0.1 * predicted).min(0.1 * gap);
        }
    }

    fn step_length(&self, to: &[f64]) -> f64 {
        to.iter().zip(&self.center).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    }

    /// The smallest α of 0, 1, 2, 4, … (in BUNDLE's unit) whose step is no longer than K, with its point. The length of
    /// the step falls with α, so the search starts at the α in use.
    fn adjust(&mut self) -> Vec<f64> {
        let mut point = self.propose(self.penalty);
        if self.step_length(&point) <= self.longest_step {
            while self.penalty > 0.0 {
                let smaller = if self.penalty <= self.unit { 0.0 } else { 0.5 * self.penalty };
                let farther = self.propose(smaller);
                if self.step_length(&farther) > self.longest_step {
                    break;
                }
                (self.penalty, point) = (smaller, farther);
            }
        } else {
            while self.step_length(&point) > self.longest_step && self.penalty.is_finite() {
                self.penalty = if self.penalty == 0.0 { self.unit } else { 2.0 * self.penalty };
                point = self.propose(self.penalty);
            }
        }
        point
    }

    /// Lines 4–9: accepts or refuses the point just evaluated, and chooses the next one.
    fn choose_next(&mut self, primal: f64) {
        let gain = self.center_primal - primal;
        let predicted = self.threshold;
        if !self.center_primal.is_finite() || gain >= 0.1 * predicted {
            if self.center_primal.is_finite() && gain >= 0.5 * predicted { self.penalty *= 0.5; if self.penalty < self.unit*1e-3 { self.penalty = 0.0; } }
            if !self.center_primal.is_finite() {
                self.longest_step = self.options.longest_step * norm_squared(&self.evaluated).sqrt();
                self.center.copy_from_slice(&self.evaluated);
                self.center_primal = primal;
                self.candidate = self.adjust();
                self.threshold = self.center_primal - self.model_value;
                return;
            }
            self.center.copy_from_slice(&self.evaluated);
            self.center_primal = primal;
            self.nulls = 0;
        } else if gain < -1.0 * predicted && { self.nulls += 1; self.nulls >= 5 } {
            self.nulls = 0;
            self.penalty = if self.penalty == 0.0 { self.unit } else { 2.0 * self.penalty };
        }
        self.candidate = self.propose(self.penalty);
        self.threshold = self.center_primal - self.model_value;
    }
}

impl Solver for ProxBmrm {
    fn name(&self) -> &'static str {
        if self.groups.len() == 1 { "prox-bmrm" } else { "prox-p-bmrm" }
    }

    fn step(&mut self, risk: &dyn Risk) -> Progress {
        let mut oracle_calls = risk.len() as u64;
        let mut starting = false;
        if let Some((sgd, passes)) = &mut self.start {
            sgd.pass(risk);
            self.candidate.copy_from_slice(sgd.average());
            *passes -= 1;
            starting = *passes > 0;
            oracle_calls *= 2;
        }
        std::mem::swap(&mut self.evaluated, &mut self.candidate);
        let evaluation = evaluate(risk, (&self.evaluated).into(), &self.groups);
        let primal = 0.5 * self.lambda * norm_squared(&self.evaluated) + evaluation.risk.upper;
        let oracle_gap = evaluation.risk.upper - evaluation.risk.value;
        let start = Instant::now();
        self.master.add(evaluation);
        self.best.primal = self.best.primal.min(primal);
        let left = self.best.primal - self.best.lower_bound.max(0.0);
        let bound = self.master.minimize(Series::Bound, None, MASTER_SHARE * left.max(0.0)).bound;
        self.best.lower_bound = self.best.lower_bound.max(bound);
        if !starting {
            self.start = None;
            self.choose_next(primal);
        }
        Progress {
            certificate: Certificate { primal, lower_bound: self.best.lower_bound, oracle_gap },
            oracle_calls,
            master_seconds: start.elapsed().as_secs_f64(),
        }
    }

    fn weights(&self) -> &[f64] {
        &self.evaluated
    }
}
