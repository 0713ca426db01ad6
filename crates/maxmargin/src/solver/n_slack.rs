//! The n-slack cutting-plane method: one model per example (Tsochantaridis et al. 2005).
//!
//! Each pass asks the oracle for every example at one w, over all cores, and keeps the planes that lie above the
//! example's model. Then the dual over all kept planes is raised until its gap is a share of the one that is left. Planes
//! that stayed without mass are dropped, so memory grows with the planes that matter.

use std::time::Instant;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

use super::block_ascent::{BlockAscent, Crew, Look};
use super::{Certificate, Progress, Solver, SolverState};
use crate::risk::Risk;

/// The dual is raised until the gaps seen in a sweep are this share of the gap that is left.
const MASTER_SHARE: f64 = 0.05;

/// Sweeps in one pass, however little they gain.
const MOST_SWEEPS: usize = 1000;

/// The n-slack cutting-plane solver.
#[derive(Serialize, Deserialize)]
pub struct NSlack {
    ascent: BlockAscent,
    evaluated: Vec<f64>,
    random: Pcg64Mcg,
    best: Certificate,
}

impl NSlack {
    /// A solver that starts at 0.
    pub fn new(lambda: f64, risk: &dyn Risk) -> Self {
        Self {
            ascent: BlockAscent::new(lambda, risk),
            evaluated: vec![0.0; risk.dim()],
            random: Pcg64Mcg::seed_from_u64(risk.len() as u64),
            best: Certificate::UNKNOWN,
        }
    }

    fn pass(&mut self, risk: &dyn Risk) -> Progress {
        let mut crew = Crew::new(risk);
        self.evaluated.copy_from_slice(self.ascent.weights());
        let left = self.best.primal - self.best.lower_bound;
        let bounds = self.ascent.evaluate(&mut crew, &self.evaluated, left);
        let here = Certificate::at(self.ascent.lambda(), &self.evaluated, bounds);
        let start = Instant::now();
        self.best.primal = self.best.primal.min(here.primal);
        let left = self.best.primal - self.best.lower_bound.max(0.0);
        let mut active: Vec<usize> = (0..risk.len()).filter(|&i| self.ascent.has_planes(i)).collect();
        for _ in 0..MOST_SWEEPS {
            active.shuffle(&mut self.random);
            let sweep = self.ascent.visit(&mut crew, &active, Look::Cached);
            if sweep.gap <= MASTER_SHARE * left || sweep.gain <= 0.0 {
                break;
            }
            self.ascent.climb_if_due(&mut crew, sweep.gain, sweep.visits as f64);
        }
        self.ascent.drop_idle();
        self.best.lower_bound = self.best.lower_bound.max(self.ascent.lower_bound(&mut crew, left));
        Progress {
            certificate: Certificate { lower_bound: self.best.lower_bound, ..here },
            oracle_calls: risk.len() as u64,
            master_seconds: start.elapsed().as_secs_f64(),
        }
    }
}

impl Solver for NSlack {
    fn name(&self) -> &'static str {
        "n-slack"
    }

    fn step(&mut self, risk: &dyn Risk) -> Progress {
        rayon::scope(|_| self.pass(risk))
    }

    fn weights(&self) -> &[f64] {
        &self.evaluated
    }

    fn set_lambda(&mut self, lambda: f64) -> bool {
        self.ascent.set_lambda(lambda);
        self.best = Certificate::UNKNOWN;
        true
    }

    fn state(&self) -> Option<SolverState<'_>> {
        Some(SolverState::NSlack(self))
    }
}
