//! The complete state of a run as bytes, with every random number generator, so that it goes on as if nothing had happened.

use serde::{Deserialize, Serialize};

use super::{
    Bcfw, Bmrm, Extragradient, MadeFor, NSlack, ProxBmrm, RunState, Sgd, SharedBcfw, SmallQp, Solver,
    SolverFactory,
};
use crate::error::{Error, Result};
use crate::fingerprint::fingerprint_of_bytes;
use crate::risk::{Risk, RiskMemory, fingerprint};

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

/// The bytes at the end that vouch for the others.
const SEAL: usize = size_of::<u64>();

/// The state of a run, its solver and what the risk's searches remember. Which risk it is goes with it, by its
/// [fingerprint](Risk::fingerprint), and a seal at the end that depends on every byte.
pub fn save_state(state: &RunState, solver: &dyn Solver, risk: &dyn Risk) -> Result<Vec<u8>> {
    let solver_state = solver.state().ok_or_else(|| {
        Error::parameter("checkpoint", format!("the solver {} cannot be saved", solver.name()))
    })?;
    solver.check(risk)?;
    if !state.is_of(risk) {
        return Err(Error::parameter("state", "of a run on another risk"));
    }
    let fingerprint = state.fingerprint(risk)?;
    let mut bytes = postcard::to_stdvec(&(fingerprint, state, solver_state, risk.memory()))
        .map_err(|e| Error::parameter("checkpoint", e.to_string()))?;
    bytes.extend(fingerprint_of_bytes(&bytes).to_le_bytes());
    Ok(bytes)
}

/// The run that was saved. The risk's searches remember what they knew then. Refused where the run was one on another risk, or
/// where a byte is not as [`save_state`] wrote it: bounds cannot be found again, and are believed.
pub fn load_state(bytes: &[u8], risk: &dyn Risk) -> Result<(RunState, Box<dyn Solver>)> {
    load_state_with(bytes, risk, &[])
}

/// The same where solvers that were written elsewhere may come back, each by the name of its factory.
pub fn load_state_with(
    bytes: &[u8],
    risk: &dyn Risk,
    others: &[&dyn SolverFactory],
) -> Result<(RunState, Box<dyn Solver>)> {
    let refuse = |problem| Error::parameter("checkpoint", problem);
    let damaged = || refuse("not the state of a run, or changed since it was saved");
    let (body, seal) = bytes.split_last_chunk::<SEAL>().ok_or_else(damaged)?;
    if fingerprint_of_bytes(body) != u64::from_le_bytes(*seal) {
        return Err(damaged());
    }
    let (saved_of, body) = postcard::take_from_bytes::<u64>(body).map_err(|_| damaged())?;
    let fingerprint = fingerprint(risk)?;
    if saved_of != fingerprint {
        return Err(refuse("made for other data, another loss or another search"));
    }
    let read = || postcard::from_bytes::<(RunState, OwnedState, RiskMemory)>(body);
    let (state, solver, memory) = MadeFor::while_reading(risk, read).map_err(|_| damaged())?;
    let is_of_its_norm = match (&solver, risk.norm()) {
        (OwnedState::Bmrm(solver), norm) => solver.is_under(norm),
        (OwnedState::SharedBcfw(solver), Some(norm)) => solver.is_under(norm, risk),
        (OwnedState::SharedBcfw(_), None) => false,
        (OwnedState::Other { .. }, _) => true,
        (_, norm) => norm.is_none(),
    };
    if !is_of_its_norm {
        return Err(refuse("made under another norm"));
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
    let state = state.loaded(solver.as_ref(), risk, fingerprint)?;
    risk.remember(memory)?;
    Ok((state, solver))
}
