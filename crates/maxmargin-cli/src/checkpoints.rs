//! The checkpoints of a training run: when to write one, and which one may be gone on with.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use maxmargin::Error;
use maxmargin::solver::{CheckpointDir, Identity, RunState, Solver, SolverKind, SolverSettings};

use crate::print::note;
use crate::problem::Problem;

/// A directory with a checkpoint that is brought up to date now and then.
pub struct Checkpoints {
    directory: CheckpointDir,
    identity: Identity,
    every: Duration,
    last: Instant,
}

impl Checkpoints {
    /// Opens the directory. A checkpoint that is there already is neither lost nor gone on with unless the user says so.
    pub fn open(
        directory: &Path,
        every: Duration,
        resume: bool,
        problem: &Problem,
        kind: SolverKind,
        settings: &SolverSettings,
    ) -> Result<Self> {
        let directory = CheckpointDir::new(directory)?;
        if directory.exists() && !resume {
            bail!(
                "{}: a checkpoint of an earlier run; add --resume to go on with it, or delete it",
                directory.file().display()
            );
        }
        if resume && !directory.exists() {
            note("there is no checkpoint yet; training starts from the beginning");
        }
        Ok(Self { directory, identity: identity(problem, kind, settings), every, last: Instant::now() })
    }

    /// The run as the checkpoint has it, if there is one.
    pub fn load(&self) -> Result<Option<(RunState, Box<dyn Solver>)>> {
        if !self.directory.exists() {
            return Ok(None);
        }
        let (state, solver) = self.directory.load(&self.identity)?;
        note(&format!("going on after {} passes", state.report.passes));
        Ok(Some((state, solver)))
    }

    /// Writes a checkpoint when the last one is old enough.
    pub fn save_if_due(&mut self, state: &RunState, solver: &dyn Solver) -> Result<(), Error> {
        if self.last.elapsed() < self.every {
            return Ok(());
        }
        self.save(state, solver)?;
        self.last = Instant::now();
        Ok(())
    }

    /// Writes a checkpoint.
    pub fn save(&self, state: &RunState, solver: &dyn Solver) -> Result<(), Error> {
        self.directory.save(&self.identity, state, solver)
    }
}

/// All that decides which way a run goes.
fn identity(problem: &Problem, kind: SolverKind, settings: &SolverSettings) -> Identity {
    let start = settings.start.as_ref().map_or("0".to_owned(), |start| {
        let mut hasher = DefaultHasher::new();
        start.iter().for_each(|w| w.to_bits().hash(&mut hasher));
        format!("the weights {:016x}", hasher.finish())
    });
    let options = &problem.options;
    [
        ("program version", env!("CARGO_PKG_VERSION").to_owned()),
        ("task", problem.task.kind().to_string()),
        ("loss", format!("{:?}, mean {}", options.cost, options.mean)),
        ("bias", options.bias.to_string()),
        ("boundary", options.boundary.to_string()),
        ("number of weights", problem.task.dim().to_string()),
        ("solver", kind.to_string()),
        ("λ", settings.lambda.to_string()),
        ("number of groups", settings.groups.to_string()),
        ("seed", settings.seed.to_string()),
        ("start", start),
        ("number of examples", problem.data.len().to_string()),
        ("data", format!("{:016x}", problem.data.fingerprint())),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}
