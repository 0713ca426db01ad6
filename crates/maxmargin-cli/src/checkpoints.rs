//! The checkpoints of a training run: when to write one, and which one may be gone on with.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use maxmargin::data::fingerprint_of_bytes;
use maxmargin::risk::Risk;
use maxmargin::solver::{RunState, Solver, SolverKind, SolverSettings};
use maxmargin::structure::LabelCost;
use maxmargin::task::{LinkOptions, Task, TaskKind};
use maxmargin::{CheckpointDir, Error, Identity};

use crate::describe::{columns, label_sets, links};
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
    pub fn load(&self, risk: &dyn Risk) -> Result<Option<(RunState, Box<dyn Solver>)>> {
        if !self.directory.exists() {
            return Ok(None);
        }
        let (state, solver) = self.directory.load(&self.identity, risk)?;
        note(&format!("going on after {} passes", state.report.passes));
        Ok(Some((state, solver)))
    }

    /// Writes a checkpoint when the last one is old enough. If that fails, the run goes on with the old one.
    pub fn save_if_due(&mut self, state: &RunState, solver: &dyn Solver, risk: &dyn Risk) {
        if self.last.elapsed() >= self.every {
            if let Err(error) = self.save(state, solver, risk) {
                note(&format!("no checkpoint after pass {}: {error}", state.report.passes));
            }
            self.last = Instant::now();
        }
    }

    /// Writes a checkpoint.
    pub fn save(&self, state: &RunState, solver: &dyn Solver, risk: &dyn Risk) -> Result<(), Error> {
        self.directory.save(&self.identity, state, solver, risk)
    }
}

fn hash(numbers: &[f64]) -> String {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    format!("{:016x}", fingerprint_of_bytes(&bytes))
}

/// All that decides which way a run goes. What is easiest to understand comes first: the first difference is reported.
fn identity(problem: &Problem, kind: SolverKind, settings: &SolverSettings) -> Identity {
    let start = settings
        .start
        .as_ref()
        .map_or("at 0".to_owned(), |start| format!("the --warm-start weights {}", hash(start)));
    let options = &problem.options;
    let loss = match (&options.cost, options.mean, problem.task.kind()) {
        (_, _, TaskKind::Matching) => "links".to_owned(),
        (LabelCost::ZeroOne, _, TaskKind::Multiclass) => "zero-one".to_owned(),
        (LabelCost::ZeroOne, true, _) => "hamming-mean".to_owned(),
        (LabelCost::ZeroOne, false, _) => "hamming".to_owned(),
        (LabelCost::Size { background }, ..) => format!("sizes without {background:?}"),
        (LabelCost::Matrix(matrix), mean, _) => {
            format!("costs {}{}", hash(matrix.as_slice()), if mean { ", their mean" } else { "" })
        }
    };
    let mut identity: Identity = [
        ("program version", env!("CARGO_PKG_VERSION").to_owned()),
        ("task", problem.task.kind().to_string()),
        ("loss", loss),
        ("surrogate", problem.search.surrogate().to_string()),
        ("search", problem.search.to_string()),
        ("bias", options.bias.to_string()),
        ("boundary", options.boundary.to_string()),
        ("number of weights", problem.task.dim().to_string()),
        ("start", start),
        ("solver", kind.to_string()),
        ("λ", settings.lambda.to_string()),
        ("number of groups", settings.groups.to_string()),
        ("seed", settings.seed.to_string()),
        ("number of examples", problem.data.len().to_string()),
        ("data", format!("the one with fingerprint {:016x}", problem.data.fingerprint())),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    let mut add = |name: &str, value: String| identity.push((name.to_owned(), value));
    // What only some runs have comes only with them: checkpoints of the others stay as they are.
    if let Some(columns) = columns(&problem.preprocessing) {
        add("columns", columns);
    }
    if let Some(links) = links(&problem.task) {
        let LinkOptions { miss, false_link, extra_links, .. } = options.links;
        add("links", links);
        add("costs of links", hash(&[miss, false_link]));
        add("extra links", format!("{extra_links:?}").to_lowercase());
    }
    if let Task::Multilabel(structure) = &problem.task {
        let ends = structure.graph().edges().iter().flat_map(|&(i, j)| [f64::from(i), f64::from(j)]);
        add("label sets", label_sets(&problem.task).unwrap_or_default());
        add("pairs", format!("those with fingerprint {}", hash(&ends.collect::<Vec<f64>>())));
        let weights = options.sets.weights.as_deref();
        add(
            "label weights",
            weights.map_or("equal".to_owned(), |weights| format!("weights {}", hash(weights))),
        );
    }
    identity
}
