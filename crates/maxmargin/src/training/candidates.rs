//! Learning from candidate labels (CANDIDATE): completion and training by turns.
//!
//! A turn trains under a completion, to a proven gap; then examples take their best-scoring candidates where these lower the objective.
//! When no completion changes any more, that is the end: the objective has not risen in any turn. Before that, what votes do not settle is
//! completed by maximum margin sets, which count no loss where any label may be. The certificate of a turn is about its
//! completion. Over completions the objective is not convex, and nobody knows how much lower another one would be.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Examples, Problem, Settings};
use crate::checkpoint::Identity;
use crate::data::Completion;
use crate::error::{Error, Result};
use crate::risk::{CandidateOptions, Risk};
use crate::shown::{did_you_mean, excerpt};
use crate::solver::{Certificate, Limits, Report};
use crate::surrogate::Surrogate;
use crate::tasks::CandidateTurns;

/// What is made of candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CandidateMethod {
    /// CLLP, CANDIDATE (3): the completion is to win against other candidates and against all other labels.
    #[default]
    Cllp,
    /// Maximum margin sets, CANDIDATE (4): the best candidate is to win against all labels that are none.
    Mms,
    /// One candidate in place of each list, then as ever.
    Completed(Completion),
    /// Training on those parts alone whose label has one candidate.
    Known,
}

impl CandidateMethod {
    /// The names of all methods.
    pub const NAMES: [&'static str; 6] = ["cllp", "mms", "first", "random", "majority", "known"];

    /// Whether it trains by turns.
    pub fn takes_turns(self) -> bool {
        matches!(self, Self::Cllp | Self::Mms)
    }
}

impl fmt::Display for CandidateMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cllp => f.write_str("cllp"),
            Self::Mms => f.write_str("mms"),
            Self::Completed(completion) => completion.fmt(f),
            Self::Known => f.write_str("known"),
        }
    }
}

impl FromStr for CandidateMethod {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "cllp" => Ok(Self::Cllp),
            "mms" => Ok(Self::Mms),
            "known" => Ok(Self::Known),
            other => other.parse().map(Self::Completed).map_err(|_| {
                let (shown, names) = (excerpt(other), Self::NAMES.join(", "));
                let meant = did_you_mean(other, Self::NAMES);
                let problem = format!("{shown} is not allowed; it is one of {names}{meant}");
                Error::parameter("candidates", problem)
            }),
        }
    }
}

/// From where the turns start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CandidateStart {
    /// From weights that were trained on those parts alone whose label has one candidate: maximum margin sets complete all others from
    /// there.
    Known,
    /// From one candidate in place of each list. Where any label may be, maximum margin sets complete it, from weights that were trained on the
    /// other parts.
    Completed(Completion),
}

impl fmt::Display for CandidateStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known => f.write_str("known"),
            Self::Completed(completion) => completion.fmt(f),
        }
    }
}

impl FromStr for CandidateStart {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "known" => Ok(Self::Known),
            other => other.parse().map(Self::Completed).map_err(|_| {
                let names = ["known", "majority", "first", "random"];
                let (shown, meant) = (excerpt(other), did_you_mean(other, names));
                let problem = format!("{shown} is not allowed; it is one of {}{meant}", names.join(", "));
                Error::parameter("candidate-start", problem)
            }),
        }
    }
}

/// How to learn from candidates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidates {
    /// What is made of them.
    pub method: CandidateMethod,
    /// c₁: what counts inside the candidates. CLLP only.
    pub inside: f64,
    /// c₂: what counts outside of them. CLLP only.
    pub outside: f64,
    /// From where turns start.
    pub start: CandidateStart,
}

impl Default for Candidates {
    fn default() -> Self {
        Self {
            method: CandidateMethod::Cllp,
            inside: 1.0,
            outside: 1.0,
            start: CandidateStart::Completed(Completion::Majority),
        }
    }
}

/// What is trained on in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Those parts alone whose label has one candidate.
    Known,
    /// Maximum margin sets of the candidates of the start, whatever the method: what is open there costs nothing.
    Start,
    /// The method's own objective.
    Own,
}

/// What a turn came to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// What was trained on.
    pub stage: Stage,
    /// Its number in its stage, from 1.
    pub turn: usize,
    /// What is proven of its completion, or of the known parts.
    pub certificate: Certificate,
    /// How many completions changed after it.
    pub changed: usize,
    /// Of how many.
    pub examples: usize,
}

/// Turns in the making.
pub(super) struct Alternation {
    candidates: Candidates,
    turns: Box<dyn CandidateTurns>,
    stage: Stage,
    done: Vec<Turn>,
    /// What the turns before this one took.
    before: Option<Report>,
}

/// Where the turns of a run are, as a checkpoint has it.
#[derive(Serialize, Deserialize)]
struct SavedTurns {
    stage: Stage,
    done: Vec<Turn>,
    before: Option<Report>,
    completion: Vec<Vec<u32>>,
}

impl Alternation {
    /// What decides which way turns go.
    pub(super) fn identity(&self) -> Identity {
        let Candidates { method, inside, outside, start } = self.candidates;
        let pair = |name: &str, value: String| (name.to_owned(), value);
        vec![
            pair("method for candidates", method.to_string()),
            pair("weights of candidates", format!("{inside},{outside}")),
            pair("start of candidates", start.to_string()),
        ]
    }

    /// Where the turns are: all that the next one depends on, but for the weights.
    pub(super) fn saved(&self) -> Result<Vec<u8>> {
        let Self { stage, done, before, turns, .. } = self;
        let (done, completion) = (done.clone(), turns.codes());
        let saved = SavedTurns { stage: *stage, done, before: *before, completion };
        postcard::to_stdvec(&saved).map_err(|error| Error::parameter("checkpoint", error.to_string()))
    }

    /// Goes on where the turns of an earlier run were. The risk to train on, if it is not the first one; nothing at all where these are not
    /// the turns of such a run.
    pub(super) fn go_on(&mut self, saved: &[u8]) -> Result<Option<Option<Box<dyn Risk>>>> {
        let Ok(saved) = postcard::from_bytes::<SavedTurns>(saved) else { return Ok(None) };
        let is_possible = match (saved.stage, self.stage) {
            (Stage::Known, begun) => begun == Stage::Known,
            (Stage::Start, begun) => begun != Stage::Own,
            (Stage::Own, _) => true,
        };
        if !(is_possible && self.turns.take_codes(&saved.completion)) {
            return Ok(None);
        }
        if saved.stage == Stage::Own {
            self.turns.end_start();
        }
        (self.stage, self.done, self.before) = (saved.stage, saved.done, saved.before);
        match self.stage {
            Stage::Known => Ok(Some(None)),
            Stage::Start | Stage::Own => Ok(self.turns.risk().ok().map(Some)),
        }
    }

    /// The first risk to train on, and what comes after it. None where there are no turns.
    pub(super) fn new(problem: &Problem, settings: &Settings) -> Result<Option<(Self, Box<dyn Risk>)>> {
        let Some(candidates) = settings.turns() else { return Ok(None) };
        if settings.surrogate != Surrogate::MARGIN {
            let problem = format!("{} goes with the surrogate margin only", candidates.method);
            return Err(Error::parameter("candidates", problem));
        }
        let options = match candidates.method {
            CandidateMethod::Mms => CandidateOptions::MMS,
            _ => {
                let Candidates { inside, outside, .. } = candidates;
                CandidateOptions { inside, outside, ..CandidateOptions::CLLP }
            }
        };
        let (task, data) = (problem.task(), problem.examples().data());
        let labels = problem.examples().names().labels.len();
        let narrowed = match candidates.start {
            CandidateStart::Known => None,
            CandidateStart::Completed(how) => Some(data.narrowed(how, labels, settings.seed)?),
        };
        let start = narrowed.as_deref().unwrap_or(data);
        let turns = task.candidate_turns(data, options, start)?;
        let known = match turns.has_start() {
            true => Some(start.known_parts()?).filter(|known| !known.is_empty()),
            false => None,
        };
        let (stage, risk) = match &known {
            Some(known) => (Stage::Known, task.risk(known.as_ref(), problem.search())?),
            None if turns.has_start() => (Stage::Start, turns.risk()?),
            None => (Stage::Own, turns.risk()?),
        };
        Ok(Some((Self { candidates, turns, stage, done: Vec::new(), before: None }, risk)))
    }

    /// The turns that are over.
    pub(super) fn done(&self) -> &[Turn] {
        &self.done
    }

    pub(super) fn into_done(self) -> Vec<Turn> {
        self.done
    }

    /// Ends a turn. Where completions changed, or another stage follows, there is a risk for the next one.
    pub(super) fn next(&mut self, weights: &[f64], report: &Report) -> Result<Option<Box<dyn Risk>>> {
        let stage = self.stage;
        let changed = match stage {
            Stage::Known => {
                self.turns.restart(weights)?;
                self.turns.len()
            }
            Stage::Start | Stage::Own => self.turns.complete(weights)?,
        };
        let turn = 1 + self.done.iter().filter(|turn| turn.stage == stage).count();
        let (certificate, examples) = (report.certificate, self.turns.len());
        self.done.push(Turn { stage, turn, certificate, changed, examples });
        match (stage, changed) {
            (Stage::Own, 0) => return Ok(None),
            (Stage::Known, _) => self.stage = Stage::Start,
            (Stage::Start, 0) => {
                self.turns.end_start();
                self.stage = Stage::Own;
            }
            _ => {}
        }
        self.before = Some(self.total(report));
        self.turns.risk().map(Some)
    }

    /// A report of this turn with what those before it took.
    pub(super) fn total(&self, report: &Report) -> Report {
        let Some(before) = &self.before else { return *report };
        Report {
            passes: before.passes + report.passes,
            oracle_calls: before.oracle_calls + report.oracle_calls,
            queries: before.queries + report.queries,
            seconds: before.seconds + report.seconds,
            master_seconds: before.master_seconds + report.master_seconds,
            ..*report
        }
    }

    /// What is left of limits.
    pub(super) fn left(&self, limits: Limits) -> Limits {
        let Some(before) = &self.before else { return limits };
        let spent = std::time::Duration::from_secs_f64(before.seconds);
        Limits {
            max_passes: limits.max_passes.saturating_sub(before.passes).max(1),
            time_limit: limits.time_limit.map(|limit| limit.saturating_sub(spent)),
            ..limits
        }
    }
}

impl Examples {
    /// The examples as a method wants them that takes no turns: with one label in place of candidates, or without what has several.
    pub(super) fn without_candidates(&self, candidates: Candidates, seed: u64) -> Result<Self> {
        let data = match candidates.method {
            CandidateMethod::Cllp | CandidateMethod::Mms => return Ok(self.clone()),
            CandidateMethod::Known => self.data.known_parts()?,
            CandidateMethod::Completed(how) => self.data.completed(how, self.names.labels.len(), seed)?,
        };
        Ok(self.with_data(data))
    }
}
