//! The checkpoints of a run: when to write one, and which one may be gone on with.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::checkpoint::{CheckpointDir, Identity, Saved};
use crate::error::{Error, Result};
use crate::risk::Risk;
use crate::shown::escaped_path;
use crate::solver::{RunState, Solver, SolverKind};

/// Where a run keeps its checkpoint.
#[derive(Debug, Clone)]
pub struct CheckpointPlan {
    /// The directory.
    pub directory: PathBuf,
    /// The time between two checkpoints.
    pub every: Duration,
    /// Whether to go on from the one that is there. Without it, one that is there is an error.
    pub resume: bool,
}

impl CheckpointPlan {
    /// The directory. A checkpoint that is there already is neither lost nor gone on with unless the user says so.
    fn open(&self) -> Result<CheckpointDir> {
        let directory = CheckpointDir::new(&self.directory)?;
        if directory.exists() && !self.resume {
            let file = escaped_path(directory.file());
            let problem =
                format!("{file} is a checkpoint of an earlier run; ask to go on with it, or delete it");
            return Err(Error::parameter("resume", problem));
        }
        Ok(directory)
    }

    /// The identity of the run that is gone on with, if there is one.
    pub(super) fn earlier(&self) -> Result<Option<Identity>> {
        let directory = self.open()?;
        directory.exists().then(|| directory.identity()).transpose()
    }
}

/// A directory with a checkpoint that is brought up to date now and then.
#[derive(Debug)]
pub(super) struct Checkpoints {
    directory: CheckpointDir,
    identity: Identity,
    /// What goes with the state.
    beside: Vec<u8>,
    every: Duration,
    last: Instant,
}

impl Checkpoints {
    /// Opens the directory.
    pub fn open(plan: &CheckpointPlan, identity: Identity) -> Result<Self> {
        let (every, last) = (plan.every, Instant::now());
        Ok(Self { directory: plan.open()?, identity, beside: Vec::new(), every, last })
    }

    /// What the checkpoint has, if there is one.
    pub fn saved(&self) -> Result<Option<Saved>> {
        self.directory.exists().then(|| self.directory.saved(&self.identity)).transpose()
    }

    /// The run as the checkpoint has it.
    pub fn load(
        &self,
        saved: &Saved,
        kind: SolverKind,
        risk: &dyn Risk,
    ) -> Result<(RunState, Box<dyn Solver>)> {
        self.directory.load_saved(saved, risk, kind.factory().as_slice())
    }

    /// An error about a checkpoint that is not as it was written.
    pub fn damaged(&self) -> Error {
        self.directory.damaged()
    }

    /// What is to be saved with the state from now on.
    pub fn set_beside(&mut self, beside: Vec<u8>) {
        self.beside = beside;
    }

    /// Writes a checkpoint when the last one is old enough. If that fails, the run goes on with the old one.
    pub fn save_if_due(&mut self, state: &RunState, solver: &dyn Solver, risk: &dyn Risk) -> Result<()> {
        if self.last.elapsed() < self.every {
            return Ok(());
        }
        let saved = self.save(state, solver, risk);
        self.last = Instant::now();
        saved
    }

    /// Writes a checkpoint.
    pub fn save(&self, state: &RunState, solver: &dyn Solver, risk: &dyn Risk) -> Result<()> {
        self.directory.save_beside(&self.beside, &self.identity, state, solver, risk)
    }
}
