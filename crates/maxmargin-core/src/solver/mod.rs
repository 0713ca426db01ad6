//! Solvers: which weights are best, with a proof.
//!
//! All minimise F(w) = λ/2 ‖w‖² + R(w) and see the risk R only through cutting planes, or as a saddle point. A solver does one pass at a
//! time ([`Solver::step`]); [`run`] owns the loop: limits, observers, interruption, and the best weights so far.
//!
//! | solver | file | planes per pass | paper |
//! | --- | --- | --- | --- |
//! | BMRM, P-BMRM | `bmrm` | 1, P | BUNDLE Alg. 1, §3.3 |
//! | Prox-BMRM, Prox-P-BMRM | `prox_bmrm` | 1, P | BUNDLE Alg. 2 |
//! | BCFW | `bcfw` | up to 2n | Lacoste-Julien et al. 2013; Shah et al. 2015; Osokin et al. 2016 |
//! | SDCA | `bcfw` | up to 2n | Shalev-Shwartz, Zhang 2013 |
//! | n-slack cutting plane | `n_slack` | up to n | Tsochantaridis et al. 2005 |
//! | extragradient | `extragradient` | none | Taskar, Lacoste-Julien, Jordan 2006 |
//! | small QP | `small_qp` | none | SADDLE |
//! | averaged SGD | `sgd` | n | Shalev-Shwartz et al. 2007; Lacoste-Julien et al. 2012 |

mod bcfw;
mod block_ascent;
mod bmrm;
mod certificate;
mod choice;
mod custom;
mod driver;
mod extragradient;
mod face_ascent;
mod face_factor;
mod gram;
mod halt;
mod made_for;
mod master;
mod memory;
mod n_slack;
mod prox_bmrm;
mod saddle_point;
mod sgd;
pub mod simplex_qp;
mod small_qp;
mod state;

pub use bcfw::{Bcfw, BcfwOptions, SharedBcfw};
pub use bmrm::Bmrm;
pub use certificate::{Certificate, Gap, lower_bound_of};
pub use choice::{Choice, SolverKind, SolverSettings};
pub use custom::{CustomSolver, SolverFactory};
pub use driver::{Limits, Outcome, Report, RunState, Stop, resume, resume_until, run};
pub use extragradient::Extragradient;
pub use gram::GramQuadratic;
pub use halt::Halt;
pub use made_for::MadeFor;
pub use n_slack::NSlack;
pub use prox_bmrm::{ProxBmrm, ProxOptions};
pub use sgd::Sgd;
pub use small_qp::SmallQp;
pub use state::{SolverState, load_state, load_state_with, save_state};

use std::time::Instant;

use crate::error::{Error, Result};
use crate::risk::Risk;

/// What one pass of a solver achieved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The certificate of this pass: the primal value at [`Solver::weights`], infinite when this pass did not measure it,
    /// and the solver's best lower bound.
    pub certificate: Certificate,
    /// How often the oracle was asked for an example's plane.
    pub oracle_calls: u64,
    /// The seconds spent outside the oracle: on the master problem. 0 where there is none apart from the visits of examples.
    pub master_seconds: f64,
}

impl Progress {
    /// A pass that did nothing: the risk was another one.
    const NONE: Progress =
        Progress { certificate: Certificate::UNKNOWN, oracle_calls: 0, master_seconds: 0.0 };

    /// What came of a master problem alone.
    fn of_master(lower_bound: f64, start: Instant) -> Self {
        Self {
            certificate: Certificate { lower_bound, ..Certificate::UNKNOWN },
            oracle_calls: 0,
            master_seconds: start.elapsed().as_secs_f64(),
        }
    }
}

/// A method that minimises λ/2 ‖w‖² + R(w), one pass over the examples at a time.
pub trait Solver: Send {
    /// The name on the command line.
    fn name(&self) -> &'static str;

    /// Says which relative gap will be enough: a solver that does not measure its primal value in every pass should
    /// measure it when it may be there.
    fn aim(&mut self, gap: f64) {
        let _ = gap;
    }

    /// Says when to break off a pass. A solver that has long master problems breaks them off when that is due, reports
    /// bounds that hold all the same, and keeps what it needs to go on as if there had been no break.
    fn heed(&mut self, halt: Halt) {
        let _ = halt;
    }

    /// Does what is left of a pass that was broken off; `None` when nothing is. To be called before the next pass, unless there
    /// was none before.
    fn finish_pass(&mut self, risk: &dyn Risk) -> Option<Progress> {
        let _ = risk;
        None
    }

    /// λ of what it minimises.
    fn lambda(&self) -> f64;

    /// The risk that it was made for, which those say that keep planes; none for a solver that may be asked about any.
    fn made_for(&self) -> Option<&MadeFor> {
        None
    }

    /// Refuses a risk that it was not made for: what it knows of another one proves nothing.
    fn check(&self, risk: &dyn Risk) -> Result<()> {
        match self.made_for() {
            Some(made_for) => made_for.check(self.weights(), risk),
            None => check_dim(self.weights(), risk),
        }
    }

    /// One pass. On another risk than the one that it was [made for](Self::made_for) it does nothing and reports nothing.
    fn step(&mut self, risk: &dyn Risk) -> Progress {
        match self.made_for().is_none_or(|made_for| made_for.is(risk)) {
            true => self.one_pass(risk),
            false => Progress::NONE,
        }
    }

    /// What [`step`](Self::step) does where the risk is the right one.
    fn one_pass(&mut self, risk: &dyn Risk) -> Progress;

    /// The weights to which the last pass's primal value belongs.
    fn weights(&self) -> &[f64];

    /// What the relative gap would be if it were measured now, by the looks of it, for a solver that does not measure it in every
    /// pass. Nothing is proven by it: it is for people who wait.
    fn estimated_gap(&self) -> Option<f64> {
        None
    }

    /// Everything that the next pass depends on, for a checkpoint; `None` for a solver that cannot be saved.
    fn state(&self) -> Option<SolverState<'_>> {
        None
    }

    /// Goes on with another λ from where it is. A solver that cannot says `false` and does nothing, as all do where it is no λ.
    fn set_lambda(&mut self, lambda: f64) -> bool {
        let _ = lambda;
        false
    }
}

fn check_dim(weights: &[f64], risk: &dyn Risk) -> Result<()> {
    match weights.len() == risk.dim() {
        true => Ok(()),
        false => {
            let problem = format!("the solver has {} weights, and the risk {}", weights.len(), risk.dim());
            Err(Error::parameter("risk", problem))
        }
    }
}

/// ρ_i = c_i / n: what an example counts in the risk.
fn mass(risk: &dyn Risk, example: usize) -> f64 {
    risk.weight(example) / risk.len().max(1) as f64
}
