//! BCFW under a [`BlockNorm`]: block-coordinate ascent for fixed α, which follow the weights from pass to pass.
//!
//! For fixed α the problem is a usual one with features scaled by √α_n in block n. A pass of BCFW on it lowers its gap; then α become those that
//! are best for the weights (THESIS 6.6, Algorithm 5), which never raises the joint objective. The coefficients of planes
//! stay: planes are labels, and hold whatever their features are scaled by. The lower bound is that of the joint problem, from all coefficients,
//! by the best of all α; the primal value is that of the weights without scaling, under the norm itself.

use serde::{Deserialize, Serialize};

use super::{Bcfw, BcfwOptions, SolverSettings};
use crate::error::{Error, Result};
use crate::linear::{BlockNorm, block_squares, followed_alpha};
use crate::risk::{Groups, Risk};
use crate::solver::block_ascent::Workers;
use crate::solver::certificate::measure;
use crate::solver::{Certificate, MadeFor, Progress, Solver, SolverKind, SolverState};

/// BCFW for a risk with a norm of its own.
#[derive(Serialize, Deserialize)]
pub struct SharedBcfw {
    inner: Bcfw,
    /// α of the blocks.
    alpha: Vec<f64>,
    /// Where the primal value was last measured.
    weights: Vec<f64>,
    best: Certificate,
    is_precise: bool,
    pub(in crate::solver) made_for: MadeFor,
}

impl SharedBcfw {
    /// A solver that starts at 0, with α that are best for blocks of equal norm, or with those that are best for given weights.
    pub fn new(lambda: f64, risk: &dyn Risk, options: BcfwOptions, start: Option<&[f64]>) -> Result<Self> {
        SolverSettings::checked(lambda, start, SolverKind::Bcfw, risk)?;
        let Some(norm) = risk.norm() else {
            return Err(Error::parameter(
                "solver",
                "the norm of this risk is the Euclidean one; use bcfw itself",
            ));
        };
        let squares = start.map(|start| block_squares(norm, start));
        let alpha = followed_alpha(norm, &squares.unwrap_or_else(|| vec![1.0; norm.blocks()]), 1.0);
        let inner = Bcfw::unchecked(lambda, risk, options);
        let weights = vec![0.0; risk.dim()];
        let made_for = MadeFor::new(risk);
        Ok(Self { inner, alpha, weights, best: Certificate::UNKNOWN, is_precise: false, made_for })
    }

    /// Whether it was made for a risk with this norm.
    pub(in crate::solver) fn is_under(&self, norm: &dyn BlockNorm, risk: &dyn Risk) -> bool {
        let lengths = [self.weights.len(), self.inner.average.point.len(), self.inner.ascent.weights().len()];
        self.alpha.len() == norm.blocks() && lengths.iter().all(|&length| length == risk.dim())
    }

    fn pass(&mut self, risk: &dyn Risk, norm: &dyn BlockNorm, scaled: &dyn Risk) -> Progress {
        let lambda = self.inner.ascent.lambda();
        let scales: Vec<f64> = self.alpha.iter().map(|alpha| alpha.sqrt()).collect();
        let mut workers = Workers::new(scaled);
        self.inner.ascent.refit(&mut workers);
        let (mut oracle_calls, look) = self.inner.ascend(&mut workers);
        let left = self.best.primal - self.best.lower_bound;
        let bound = self.inner.ascent.lower_bound_under(norm, &mut Workers::new(risk), left);
        self.best.lower_bound = self.best.lower_bound.max(bound);
        self.inner.best.lower_bound = self.best.lower_bound;
        let mut here = Certificate::UNKNOWN;
        if look {
            self.weights.copy_from_slice(&self.inner.average.point);
            norm.scale(&scales, &mut self.weights);
            let groups = Groups::new(risk.len(), 1);
            (here, _) = measure(risk, &self.weights, &groups, lambda, &self.best, &mut self.is_precise);
            oracle_calls += risk.len() as u64;
            self.best.primal = self.best.primal.min(here.primal);
            self.inner.seen = self.inner.ascent.gaps().iter().sum();
            self.inner.real = (here.primal - bound) / self.inner.seen;
            self.inner.passes_since = 0;
        }
        // The squares of the weights without scaling.
        let mut squares = block_squares(norm, self.inner.ascent.weights());
        squares.iter_mut().zip(&self.alpha).for_each(|(square, alpha)| *square *= alpha);
        self.alpha = followed_alpha(norm, &squares, self.best.gap().0);
        let certificate = Certificate { lower_bound: self.best.lower_bound, ..here };
        Progress { certificate, oracle_calls, master_seconds: 0.0 }
    }
}

impl Solver for SharedBcfw {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn aim(&mut self, gap: f64) {
        self.inner.aim = gap;
    }

    fn lambda(&self) -> f64 {
        self.inner.ascent.lambda()
    }

    fn made_for(&self) -> Option<&MadeFor> {
        Some(&self.made_for)
    }

    fn one_pass(&mut self, risk: &dyn Risk) -> Progress {
        let scaled = risk.scaled(&self.alpha);
        match (risk.norm(), scaled) {
            (Some(norm), Some(scaled)) => rayon::scope(|_| self.pass(risk, norm, scaled.as_ref())),
            _ => Progress::NONE,
        }
    }

    fn weights(&self) -> &[f64] {
        &self.weights
    }

    fn state(&self) -> Option<SolverState<'_>> {
        Some(SolverState::SharedBcfw(self))
    }
}
