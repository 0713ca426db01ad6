//! The complete state of a run as bytes, with every random number generator, so that it goes on as if nothing had happened.

use serde::{Deserialize, Serialize};

use super::{
    Bcfw, Bmrm, Extragradient, NSlack, ProxBmrm, RunState, Sgd, SharedBcfw, SmallQp, Solver, SolverFactory,
};
use crate::error::{Error, Result};
use crate::risk::{Risk, RiskMemory};

/// A solver's state, by kind.
#[derive(Serialize)]
pub enum SolverState<'a> {
    /// BMRM and P-BMRM.
    Bmrm(&'a Bmrm),
    /// Prox-BMRM and Prox-P-BMRM.
    ProxBmrm(&'a ProxBmrm),
    /// n-slack.
    NSlack(&'a NSlack),
    /// BCFW and SDCA.
    Bcfw(&'a Bcfw),
    /// SGD.
    Sgd(&'a Sgd),
    /// The extragradient method.
    Extragradient(&'a Extragradient),
    /// The small quadratic program.
    SmallQp(&'a SmallQp),
    /// A solver that was written elsewhere, in its own words.
    Other {
        /// The name by which [`load_state_with`] finds who can read it.
        name: &'a str,
        /// Everything that its next pass depends on.
        state: Vec<u8>,
    },
    /// BCFW under a norm of the risk's own.
    SharedBcfw(&'a SharedBcfw),
}

/// The same, read back: variants in the same order.
#[derive(Deserialize)]
enum OwnedState {
    Bmrm(Box<Bmrm>),
    ProxBmrm(Box<ProxBmrm>),
    NSlack(Box<NSlack>),
    Bcfw(Box<Bcfw>),
    Sgd(Box<Sgd>),
    Extragradient(Box<Extragradient>),
    SmallQp(Box<SmallQp>),
    Other { name: String, state: Vec<u8> },
    SharedBcfw(Box<SharedBcfw>),
}

/// The state of a run, its solver and what the risk's searches remember.
pub fn save_state(state: &RunState, solver: &dyn Solver, risk: &dyn Risk) -> Result<Vec<u8>> {
    let solver_state = solver.state().ok_or_else(|| {
        Error::parameter("checkpoint", format!("the solver {} cannot be saved", solver.name()))
    })?;
    postcard::to_stdvec(&(state, solver_state, risk.memory()))
        .map_err(|e| Error::parameter("checkpoint", e.to_string()))
}

/// The run that was saved. The risk's searches remember what they knew then.
pub fn load_state(bytes: &[u8], risk: &dyn Risk) -> Result<(RunState, Box<dyn Solver>)> {
    load_state_with(bytes, risk, &[])
}

/// The same where solvers that were written elsewhere may come back, each by the name of its factory.
pub fn load_state_with(
    bytes: &[u8],
    risk: &dyn Risk,
    others: &[&dyn SolverFactory],
) -> Result<(RunState, Box<dyn Solver>)> {
    let (state, solver, memory): (RunState, OwnedState, RiskMemory) =
        postcard::from_bytes(bytes).map_err(|_| Error::parameter("checkpoint", "not the state of a run"))?;
    let is_of_its_norm = match (&solver, risk.norm()) {
        (OwnedState::Bmrm(solver), norm) => solver.is_under(norm),
        (OwnedState::SharedBcfw(solver), Some(norm)) => solver.is_under(norm, risk),
        (OwnedState::SharedBcfw(_), None) => false,
        (OwnedState::Other { .. }, _) => true,
        (_, norm) => norm.is_none(),
    };
    if !is_of_its_norm {
        return Err(Error::parameter("checkpoint", "made under another norm"));
    }
    let solver: Box<dyn Solver> = match solver {
        OwnedState::Bmrm(solver) => solver,
        OwnedState::ProxBmrm(solver) => solver,
        OwnedState::NSlack(solver) => solver,
        OwnedState::Bcfw(solver) => solver,
        OwnedState::Sgd(solver) => solver,
        OwnedState::Extragradient(solver) => solver,
        OwnedState::SmallQp(solver) => solver,
        OwnedState::SharedBcfw(solver) => solver,
        OwnedState::Other { name, state } => {
            let load = others.iter().find(|other| other.name() == name).ok_or_else(|| {
                let problem = format!("saved by the solver {name}, and nobody here can read that");
                Error::parameter("checkpoint", problem)
            })?;
            load.load(&state, risk)?
        }
    };
    let state = state.loaded(solver.as_ref(), risk)?;
    risk.remember(memory)?;
    Ok((state, solver))
}
