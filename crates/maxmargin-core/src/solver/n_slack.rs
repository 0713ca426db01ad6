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

use super::block_ascent::{BlockAscent, Look, Workers};
use super::choice::check_start;
use super::{Certificate, Halt, MadeFor, Progress, Solver, SolverKind, SolverSettings, SolverState};
use crate::error::Result;
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
    /// Whether these are where to start, and nothing is known yet.
    starts_here: bool,
    random: Pcg64Mcg,
    best: Certificate,
    /// What is left of a pass that was broken off between sweeps.
    rest: Option<Sweeps>,
    #[serde(skip)]
    halt: Halt,
    pub(super) made_for: MadeFor,
}

/// The sweeps of a pass.
#[derive(Serialize, Deserialize)]
struct Sweeps {
    /// The gap at the start of the pass.
    left: f64,
    done: usize,
    /// The examples that have planes, in the order of the last sweep.
    active: Vec<usize>,
}

impl NSlack {
    /// A solver that starts at 0.
    pub fn new(lambda: f64, risk: &dyn Risk) -> Result<Self> {
        SolverSettings::checked(lambda, None, SolverKind::NSlack, risk)?;
        Ok(Self {
            ascent: BlockAscent::new(lambda, risk),
            evaluated: vec![0.0; risk.dim()],
            starts_here: false,
            random: Pcg64Mcg::seed_from_u64(risk.len() as u64),
            best: Certificate::UNKNOWN,
            rest: None,
            halt: Halt::default(),
            made_for: MadeFor::new(risk),
        })
    }

    /// From given weights: the first planes are those there.
    pub fn starting_at(mut self, start: &[f64], risk: &dyn Risk) -> Result<Self> {
        check_start(start, risk)?;
        self.evaluated.copy_from_slice(start);
        self.starts_here = true;
        Ok(self)
    }

    fn pass(&mut self, risk: &dyn Risk) -> Progress {
        let mut workers = Workers::new(risk);
        if !std::mem::take(&mut self.starts_here) {
            self.evaluated.copy_from_slice(self.ascent.weights());
        }
        let left = self.best.primal - self.best.lower_bound;
        let bounds = self.ascent.evaluate(&workers, &self.evaluated, left);
        let here = Certificate::at(self.ascent.lambda(), &self.evaluated, bounds);
        let start = Instant::now();
        self.best.primal = self.best.primal.min(here.primal);
        let left = self.best.primal - self.best.lower_bound.max(0.0);
        let active: Vec<usize> = (0..risk.len()).filter(|&i| self.ascent.has_planes(i)).collect();
        let lower_bound = self.sweep(&mut workers, Sweeps { left, done: 0, active });
        Progress {
            certificate: Certificate { lower_bound, ..here },
            oracle_calls: risk.len() as u64,
            master_seconds: start.elapsed().as_secs_f64(),
        }
    }

    /// Raises the dual, until that is done or broken off. Returns the lower bound that is then known.
    fn sweep(&mut self, workers: &mut Workers<'_>, mut sweeps: Sweeps) -> f64 {
        while sweeps.done < MOST_SWEEPS {
            if self.halt.is_due() {
                // With no gap to reach, nothing is computed anew: the next sweep starts as if there had been no break.
                let bound = self.ascent.lower_bound(workers, f64::INFINITY);
                self.rest = Some(sweeps);
                return self.best.lower_bound.max(bound);
            }
            sweeps.active.shuffle(&mut self.random);
            let sweep = self.ascent.visit(workers, sweeps.active.clone(), Look::Cached);
            if sweep.gap <= MASTER_SHARE * sweeps.left || sweep.gain <= 0.0 {
                break;
            }
            self.ascent.climb_if_due(workers, sweep.gain, sweep.visits as f64);
            sweeps.done += 1;
        }
        self.ascent.drop_idle();
        self.best.lower_bound = self.best.lower_bound.max(self.ascent.lower_bound(workers, sweeps.left));
        self.best.lower_bound
    }
}

impl Solver for NSlack {
    fn name(&self) -> &'static str {
        "n-slack"
    }

    fn heed(&mut self, halt: Halt) {
        self.halt = halt;
    }

    fn finish_pass(&mut self, risk: &dyn Risk) -> Option<Progress> {
        let is_mine = self.made_for.is(risk);
        let (start, sweeps) = (Instant::now(), self.rest.take_if(|_| is_mine)?);
        let bound = rayon::scope(|_| self.sweep(&mut Workers::new(risk), sweeps));
        Some(Progress::of_master(bound, start))
    }

    fn lambda(&self) -> f64 {
        self.ascent.lambda()
    }

    fn made_for(&self) -> Option<&MadeFor> {
        Some(&self.made_for)
    }

    fn one_pass(&mut self, risk: &dyn Risk) -> Progress {
        rayon::scope(|_| self.pass(risk))
    }

    fn weights(&self) -> &[f64] {
        &self.evaluated
    }

    fn set_lambda(&mut self, lambda: f64) -> bool {
        if SolverSettings::new(lambda).is_err() {
            return false;
        }
        self.ascent.set_lambda(lambda);
        self.best = Certificate::UNKNOWN;
        self.rest = None;
        true
    }

    fn state(&self) -> Option<SolverState<'_>> {
        Some(SolverState::NSlack(self))
    }
}
