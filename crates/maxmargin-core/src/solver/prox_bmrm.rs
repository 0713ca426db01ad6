//! Prox-BMRM and Prox-P-BMRM (BUNDLE §3.1–3.3): the bundle method kept from jumping too far.
//!
//! The next point minimises the model plus a prox term α ‖w − c‖² around a centre c. The lower bound always comes from
//! the model without prox term. As in BUNDLE, the first centre w₁ is the best of some passes of SGD or a given solution,
//! and the first α is the smallest of 0, 1, 2, 4, … whose step is no longer than K = 0.01 ‖w₁‖. BUNDLE's risk is n times
//! ours, so its α = 1 is 1/n here.
//!
//! Later α follow proximity control (Kiwiel 1990) instead of Algorithm 2's fixed K, which needs several times the passes
//! when w₁ is far from the optimum, because it never lets a step grow again (`docs/solvers/prox-bmrm.md` has figures):
//! - a point that gains at least [`SERIOUS`] of what the model predicted becomes the centre; else the centre stays, and
//!   the model is better by the planes found there;
//! - α is halved when the point gained [`GOOD`] of the prediction, or when the prediction is less than [`SHORT`] of the
//!   gap that is left, so that steps are too short to close it soon;
//! - α is doubled after [`POOR_POINTS`] points that were worse than the centre by more than the prediction;
//! - α is halved when an inexact search leaves a point worse than predicted, though what it found there is no more than the
//!   model says: the planes of this point teach nothing, and the next one would be the same.

use serde::{Deserialize, Serialize};
use std::time::Instant;

use super::bmrm::MASTER_SHARE;
use super::certificate::measure;
use super::master::{Master, Prox, Series};
use super::sgd::Sgd;
use super::{Certificate, Halt, MadeFor, Progress, Solver, SolverKind, SolverSettings, SolverState};
use crate::error::{self, Error};
use crate::linear::norm_squared;
use crate::risk::{Groups, Risk};

/// The share of the predicted gain that makes a point the new centre.
const SERIOUS: f64 = 0.1;
/// The share of the predicted gain that says that longer steps would do as well.
const GOOD: f64 = 0.5;
/// A prediction below this share of the gap that is left comes from a step that is too short.
const SHORT: f64 = 0.3;
/// Points much worse than the centre, in a row, after which steps become shorter.
const POOR_POINTS: usize = 5;

/// The lower bound is computed anew when this share of all passes has gone by without. Its master problem is the larger
/// one, as planes far from the centre matter in it, and only the stop waits for it: by this share of the passes at most.
const STALE: f64 = 0.02;

/// The constants of the method, with BUNDLE's values as the default.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct ProxOptions {
    /// K as a share of ‖w₁‖: the longest first step.
    pub longest_step: f64,
    /// The passes of SGD that find w₁ when no start is given.
    pub sgd_passes: usize,
    /// The seed of SGD.
    pub seed: u64,
}

impl Default for ProxOptions {
    fn default() -> Self {
        Self { longest_step: 0.01, sgd_passes: 10, seed: 0 }
    }
}

/// Prox-BMRM with one cutting-plane model, or Prox-P-BMRM with several.
#[derive(Serialize, Deserialize)]
pub struct ProxBmrm {
    lambda: f64,
    options: ProxOptions,
    groups: Groups,
    master: Master,
    /// SGD and its passes that are left, while it looks for w₁.
    start: Option<(Sgd, usize)>,
    /// α.
    penalty: f64,
    /// BUNDLE's α = 1.
    unit: f64,
    /// The centre, once there is one.
    center: Option<Center>,
    /// What the model predicted that the candidate would gain.
    predicted: f64,
    poor_points: usize,
    /// All passes so far, and those since the lower bound was computed.
    passes: u64,
    passes_since_bound: u64,
    candidate: Vec<f64>,
    evaluated: Vec<f64>,
    best: Certificate,
    /// Whether sums that cancel are taken with twice the digits.
    is_precise: bool,
    rest: Option<Rest>,
    pub(super) made_for: MadeFor,
}

/// What is left to do of a pass, when it was broken off in a master problem. Each goes on to the next.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum Rest {
    /// The lower bound; then to judge the point, and whether SGD has found it.
    Bound { here: Certificate, starting: bool },
    /// The first α. Here and below, the gap is what the master problem was being solved to.
    FirstPenalty { gap: Option<f64> },
    /// The next point.
    Aim { gap: Option<f64> },
}

/// The point around which the prox term holds the next one.
#[derive(Serialize, Deserialize)]
struct Center {
    weights: Vec<f64>,
    primal: f64,
}

impl Center {
    fn distance(&self, to: &[f64]) -> f64 {
        to.iter().zip(&self.weights).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    }
}

impl ProxBmrm {
    /// A solver for this risk. It starts at `start`, or at the best point of a few passes of SGD.
    pub fn new(
        lambda: f64,
        risk: &dyn Risk,
        groups: usize,
        start: Option<Vec<f64>>,
        options: ProxOptions,
    ) -> error::Result<Self> {
        let kind = if groups <= 1 { SolverKind::ProxBmrm } else { SolverKind::ProxPBmrm };
        SolverSettings::checked(lambda, start.as_deref(), kind, risk)?;
        if options.longest_step.is_nan() || options.longest_step < 0.0 {
            let problem = format!("{} is not allowed; it is at least 0", options.longest_step);
            return Err(Error::parameter("longest step", problem));
        }
        let dim = risk.dim();
        let groups = Groups::new(risk.len(), groups);
        let sgd = match start.is_none() && options.sgd_passes > 0 {
            true => Some((Sgd::new(lambda, risk, options.seed)?, options.sgd_passes)),
            false => None,
        };
        Ok(Self {
            lambda,
            options,
            master: Master::new(lambda, dim, groups.len(), None),
            groups,
            start: sgd,
            penalty: 0.0,
            unit: 1.0 / risk.len().max(1) as f64,
            center: None,
            predicted: f64::INFINITY,
            poor_points: 0,
            passes: 0,
            passes_since_bound: 0,
            candidate: start.unwrap_or_else(|| vec![0.0; dim]),
            evaluated: vec![0.0; dim],
            best: Certificate::UNKNOWN,
            is_precise: false,
            rest: None,
            made_for: MadeFor::new(risk),
        })
    }

    /// Does what is left of the pass, until it is done or broken off. Returns the lower bound that is then known.
    fn work_off(&mut self) -> f64 {
        while let Some(rest) = self.rest {
            let done = match rest {
                Rest::Bound { here, starting } => match self.raise_bound() {
                    Ok(()) => Ok(self.take_in(&here, starting)),
                    Err(bound) => return self.best.lower_bound.max(bound),
                },
                Rest::FirstPenalty { gap } => {
                    let found = self.first_penalty(gap).map(|()| Some(Rest::Aim { gap: None }));
                    found.map_err(|gap| Rest::FirstPenalty { gap: Some(gap) })
                }
                Rest::Aim { gap } => self.aim(gap).map(|()| None).map_err(|gap| Rest::Aim { gap: Some(gap) }),
            };
            match done {
                Ok(rest) => self.rest = rest,
                Err(rest) => {
                    self.rest = Some(rest);
                    break;
                }
            }
        }
        self.best.lower_bound
    }

    /// Computes the lower bound, if enough has happened since it was last. When that is broken off, the error is a bound
    /// that holds.
    fn raise_bound(&mut self) -> Result<(), f64> {
        if self.passes_since_bound as f64 >= STALE * self.passes as f64 {
            let left = self.best.primal - self.best.lower_bound.max(0.0);
            let solution = self.master.minimize(Series::Bound, None, MASTER_SHARE * left.max(0.0));
            if solution.is_halted {
                return Err(solution.bound);
            }
            self.best.lower_bound = self.best.lower_bound.max(solution.bound);
            self.passes_since_bound = 0;
        }
        Ok(())
    }

    /// The minimiser of the model with the prox term around `center`, and what it should gain. The master problem is solved
    /// to `gap` at first; when it is broken off, the error is the one it was being solved to.
    fn propose(&mut self, center: &Center, gap: Option<f64>) -> Result<(Vec<f64>, f64), f64> {
        let enough = MASTER_SHARE * (self.best.primal - self.best.lower_bound).max(0.0);
        let mut gap = gap.unwrap_or(enough);
        loop {
            let prox = Prox { penalty: self.penalty, center: &center.weights };
            let solution = self.master.minimize(Series::Prox, Some(prox), gap);
            if solution.is_halted {
                return Err(gap);
            }
            let predicted = (center.primal - solution.bound).max(0.0);
            // A master solved to less than what the step can gain says nothing about the step.
            if gap <= 0.2 * predicted || gap <= 1e-12 * self.best.primal {
                return Ok((solution.weights, predicted));
            }
            gap = 0.1 * predicted.min(gap);
        }
    }

    /// The first α: the smallest of 0, 1, 2, 4, … (in BUNDLE's unit) whose step is no longer than K.
    fn first_penalty(&mut self, mut gap: Option<f64>) -> Result<(), f64> {
        let Some(center) = self.center.take() else { return Ok(()) };
        let longest = self.options.longest_step * norm_squared(&center.weights).sqrt();
        let mut done = Ok(());
        while longest > 0.0 && self.penalty.is_finite() {
            match self.propose(&center, gap.take()) {
                Ok((weights, _)) if center.distance(&weights) <= longest => break,
                Ok(_) => self.penalty = if self.penalty == 0.0 { self.unit } else { 2.0 * self.penalty },
                Err(gap) => {
                    done = Err(gap);
                    break;
                }
            }
        }
        self.center = Some(center);
        done
    }

    /// Chooses the next point.
    fn aim(&mut self, gap: Option<f64>) -> Result<(), f64> {
        let Some(center) = self.center.take() else { return Ok(()) };
        let proposed = self.propose(&center, gap);
        self.center = Some(center);
        (self.candidate, self.predicted) = proposed?;
        Ok(())
    }

    /// Judges the point just evaluated against the centre and adapts α; returns what is left to do.
    fn take_in(&mut self, here: &Certificate, starting: bool) -> Option<Rest> {
        if starting {
            return self.end_start_pass(here.primal);
        }
        match self.center.take() {
            None => {
                self.center = Some(Center { weights: self.evaluated.clone(), primal: here.primal });
                Some(Rest::FirstPenalty { gap: None })
            }
            Some(center) => {
                self.center = Some(self.judge(center, here));
                Some(Rest::Aim { gap: None })
            }
        }
    }

    fn judge(&mut self, mut center: Center, here: &Certificate) -> Center {
        // Below this α no longer matters, and doubling must still have something to double.
        let least = 1e-3 * self.unit;
        let primal = here.primal;
        let gain = center.primal - primal;
        if gain >= SERIOUS * self.predicted {
            let left = primal - self.best.lower_bound;
            if gain >= GOOD * self.predicted || self.predicted < SHORT * left {
                self.penalty = (0.5 * self.penalty).max(least);
            }
            center.weights.copy_from_slice(&self.evaluated);
            center.primal = primal;
            self.poor_points = 0;
        } else if gain + here.oracle_gap >= (1.0 - SERIOUS) * self.predicted {
            self.penalty = (0.5 * self.penalty).max(least);
        } else if gain < -self.predicted {
            self.poor_points += 1;
            if self.poor_points >= POOR_POINTS {
                self.penalty = (2.0 * self.penalty).max(least);
                self.poor_points = 0;
            }
        }
        center
    }

    /// One pass of SGD, if it is still looking for w₁: its average is the next point to evaluate.
    fn continue_start(&mut self, risk: &dyn Risk) -> bool {
        let Some((sgd, passes)) = &mut self.start else { return false };
        sgd.pass(risk);
        self.candidate.copy_from_slice(sgd.average());
        *passes -= 1;
        true
    }

    /// Keeps the best point that SGD has visited as the centre; when SGD is done, the bundle method begins there, at w₁.
    fn end_start_pass(&mut self, primal: f64) -> Option<Rest> {
        if self.center.as_ref().is_none_or(|center| primal < center.primal) {
            self.center = Some(Center { weights: self.evaluated.clone(), primal });
        }
        self.start.take_if(|(_, passes)| *passes == 0).map(|_| Rest::FirstPenalty { gap: None })
    }
}

impl Solver for ProxBmrm {
    fn name(&self) -> &'static str {
        if self.groups.len() == 1 { "prox-bmrm" } else { "prox-p-bmrm" }
    }

    fn heed(&mut self, halt: Halt) {
        self.master.heed(halt);
    }

    fn finish_pass(&mut self, risk: &dyn Risk) -> Option<Progress> {
        let start = Instant::now();
        (self.rest.is_some() && self.made_for.is(risk)).then(|| Progress::of_master(self.work_off(), start))
    }

    fn lambda(&self) -> f64 {
        self.lambda
    }

    fn made_for(&self) -> Option<&MadeFor> {
        Some(&self.made_for)
    }

    fn one_pass(&mut self, risk: &dyn Risk) -> Progress {
        let starting = self.continue_start(risk);
        std::mem::swap(&mut self.evaluated, &mut self.candidate);
        let (here, evaluation) =
            measure(risk, &self.evaluated, &self.groups, self.lambda, &self.best, &mut self.is_precise);
        let start = Instant::now();
        self.master.add(evaluation, None);
        self.best.primal = self.best.primal.min(here.primal);
        self.passes += 1;
        self.passes_since_bound += 1;
        self.rest = Some(Rest::Bound { here, starting });
        let lower_bound = self.work_off();
        Progress {
            certificate: Certificate { lower_bound, ..here },
            oracle_calls: risk.len() as u64 * if starting { 2 } else { 1 },
            master_seconds: start.elapsed().as_secs_f64(),
        }
    }

    fn weights(&self) -> &[f64] {
        &self.evaluated
    }

    fn state(&self) -> Option<SolverState<'_>> {
        Some(SolverState::ProxBmrm(self))
    }
}
