//! Solvers from outside, made and read back by name.

use std::fmt;

use super::{Solver, SolverSettings};
use crate::error::{Error, Result};
use crate::risk::Risk;

/// Makes solvers of a kind that was written elsewhere, for [`SolverKind::custom`](super::SolverKind::custom).
pub trait SolverFactory: fmt::Debug + Sync {
    /// The name of the kind, which its solvers have too.
    fn name(&self) -> &'static str;

    /// Refuses a risk that its solvers cannot work on. Without it these are risks that are not convex, whose planes prove nothing.
    fn check(&self, risk: &dyn Risk) -> Result<()> {
        match risk.is_convex() {
            true => Ok(()),
            false => {
                let problem = format!("{} needs a surrogate that is convex in the weights", self.name());
                Err(Error::parameter("solver", problem))
            }
        }
    }

    /// Whether solvers can begin at [`SolverSettings::start`].
    fn starts_anywhere(&self) -> bool {
        false
    }

    /// A solver for a risk.
    fn build(&self, risk: &dyn Risk, settings: &SolverSettings) -> Result<Box<dyn Solver>>;

    /// The solver that said this of itself in [`SolverState::Other`](super::SolverState::Other). Files may hold anything: what does not
    /// fit the risk is to be refused.
    fn load(&self, state: &[u8], risk: &dyn Risk) -> Result<Box<dyn Solver>> {
        let _ = (state, risk);
        Err(Error::parameter("checkpoint", format!("the solver {} cannot be read back", self.name())))
    }
}

/// A kind of solver from outside.
#[derive(Clone, Copy)]
pub struct CustomSolver(pub(super) &'static dyn SolverFactory);

impl CustomSolver {
    /// What makes the solvers.
    pub fn factory(self) -> &'static dyn SolverFactory {
        self.0
    }
}

impl fmt::Debug for CustomSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Two are the same where they are one factory in memory with one name.
impl PartialEq for CustomSolver {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::addr_eq(self.0, other.0) && self.0.name() == other.0.name()
    }
}

impl Eq for CustomSolver {}
