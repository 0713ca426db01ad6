//! BMRM (BUNDLE Algorithm 1, after Teo et al. 2010) and P-BMRM (§3.3): the bundle method in its plain form.
//!
//! Each pass evaluates the risk at the minimiser of the model, adds the planes found there, and minimises the model
//! again. With one group it is also the 1-slack cutting-plane algorithm of Joachims et al. 2009.

use serde::{Deserialize, Serialize};
use std::time::Instant;

use super::certificate::measure;
use super::master::Master;
use super::{Certificate, Halt, MadeFor, Progress, Solver, SolverKind, SolverSettings, SolverState};
use crate::error::Result;
use crate::linear::BlockNorm;
use crate::risk::{Groups, Risk};

/// The master problem is solved to this share of the gap that is left.
pub(super) const MASTER_SHARE: f64 = 0.1;

/// BMRM with one cutting-plane model, or P-BMRM with several.
///
/// It minimises λ/2 ‖w‖² + R(w). The next point is the minimiser of λ/2 ‖w‖² + Σ_p max_j (⟨a_pj, w⟩ + b_pj) over the
/// planes found so far in each group p; the minimum itself is the lower bound.
///
/// ```
/// use std::sync::Arc;
/// use maxmargin_core::features::{FeatureMatrix, Rows};
/// use maxmargin_core::risk::StructuredRisk;
/// use maxmargin_core::search::MarginSearch;
/// use maxmargin_core::solver::{Bmrm, Solver};
/// use maxmargin_core::structure::{Example, LabelCost, MulticlassStructure};
///
/// let x = Arc::new(FeatureMatrix::from_dense(&[[1.0, 0.2], [0.3, 1.0], [0.8, 0.9]]));
/// let example = |(i, truth)| Example { input: Rows::new(&x, i..i + 1), truth, weight: 1.0 };
/// let structure = MulticlassStructure::new(2, 3, true, LabelCost::ZeroOne)?;
/// let risk = StructuredRisk::new(structure, MarginSearch, (0..3).zip([0, 1, 2]).map(example).collect())?;
/// let mut solver = Bmrm::new(1.0, &risk, 1, None)?;
/// let first = solver.step(&risk).certificate;
/// let second = solver.step(&risk).certificate;
/// assert!(first.lower_bound <= second.lower_bound && second.lower_bound <= first.primal);
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Serialize, Deserialize)]
pub struct Bmrm {
    lambda: f64,
    groups: Groups,
    master: Master,
    evaluated: Vec<f64>,
    next: Vec<f64>,
    best: Certificate,
    /// Whether sums that cancel are taken with twice the digits.
    is_precise: bool,
    /// Whether the last pass was broken off in its master problem, so that there is no next point yet.
    is_unfinished: bool,
    pub(super) made_for: MadeFor,
}

impl Bmrm {
    /// A solver for a risk, with at least one group and at most one for each example; `groups` = 1 is BMRM itself. It starts at
    /// `start`, or 0.
    pub fn new(lambda: f64, risk: &dyn Risk, groups: usize, start: Option<Vec<f64>>) -> Result<Self> {
        let kind = if groups <= 1 { SolverKind::Bmrm } else { SolverKind::PBmrm };
        SolverSettings::checked(lambda, start.as_deref(), kind, risk)?;
        let dim = risk.dim();
        let groups = Groups::new(risk.len(), groups);
        let master = Master::new(lambda, dim, groups.len(), risk.norm());
        let next = start.unwrap_or_else(|| vec![0.0; dim]);
        Ok(Self {
            lambda,
            groups,
            master,
            evaluated: vec![0.0; dim],
            next,
            best: Certificate::UNKNOWN,
            is_precise: false,
            is_unfinished: false,
            made_for: MadeFor::new(risk),
        })
    }

    /// Whether it was made for a risk with this norm.
    pub(super) fn is_under(&self, norm: Option<&dyn BlockNorm>) -> bool {
        self.master.is_under(norm)
    }

    /// Solves the master problem for the next point; returns the lower bound that is then known. When it is broken off,
    /// only the bound comes of it.
    fn choose_next(&mut self, risk: &dyn Risk) -> f64 {
        let left = self.best.primal - self.best.lower_bound.max(0.0);
        let solution = self.master.minimize_under(risk.norm(), MASTER_SHARE * left.max(0.0));
        self.is_unfinished = solution.is_halted;
        let bound = self.best.lower_bound.max(solution.bound);
        if !solution.is_halted {
            self.best.lower_bound = bound;
            self.next = solution.weights;
        }
        bound
    }
}

impl Solver for Bmrm {
    fn name(&self) -> &'static str {
        if self.groups.len() == 1 { "bmrm" } else { "p-bmrm" }
    }

    fn heed(&mut self, halt: Halt) {
        self.master.heed(halt);
    }

    fn finish_pass(&mut self, risk: &dyn Risk) -> Option<Progress> {
        let start = Instant::now();
        (self.is_unfinished && self.made_for.is(risk))
            .then(|| Progress::of_master(self.choose_next(risk), start))
    }

    fn lambda(&self) -> f64 {
        self.lambda
    }

    fn made_for(&self) -> Option<&MadeFor> {
        Some(&self.made_for)
    }

    fn one_pass(&mut self, risk: &dyn Risk) -> Progress {
        std::mem::swap(&mut self.evaluated, &mut self.next);
        let (here, evaluation) =
            measure(risk, &self.evaluated, &self.groups, self.lambda, &self.best, &mut self.is_precise);
        let start = Instant::now();
        self.master.add(evaluation, risk.norm());
        self.best.primal = self.best.primal.min(here.primal);
        let lower_bound = self.choose_next(risk);
        Progress {
            certificate: Certificate { lower_bound, ..here },
            oracle_calls: risk.len() as u64,
            master_seconds: start.elapsed().as_secs_f64(),
        }
    }

    fn weights(&self) -> &[f64] {
        &self.evaluated
    }

    fn state(&self) -> Option<SolverState<'_>> {
        Some(SolverState::Bmrm(self))
    }
}
