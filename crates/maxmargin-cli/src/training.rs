//! One solve, watched: progress, observers, signals.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::Result;
use maxmargin::Error;
use maxmargin::risk::Risk;
use maxmargin::solver::{Limits, Outcome, Report, RunState, Solver, SolverSettings, Stop, resume_until};
use maxmargin::training::{CandidateMethod, Event, Problem, Stage, Turn};
use serde_json::{Value, json};

use crate::interrupt;
use crate::print::{count, lower, note, number, percent, time, upper};
use crate::progress::Progress;

/// A finished run, as commands report it.
pub struct Finished<'a> {
    /// What was solved.
    pub problem: &'a Problem,
    /// The name of the solver that ran.
    pub solver: &'static str,
    /// What it was told.
    pub settings: &'a SolverSettings,
    /// How far it came.
    pub report: Report,
    /// Why it ended.
    pub stop: Stop,
}

/// A run that ended before its gap, in words.
#[derive(Debug)]
pub struct MissedGap(String);

impl MissedGap {
    /// Says so, or makes an error of it, with an exit code of its own, where the gap is required.
    pub fn report(missed: Option<Self>, is_required: bool, model: &Path) -> Result<()> {
        match missed {
            None => Ok(()),
            Some(Self(text)) if is_required => {
                Err(Self(format!("{text} (--require-gap); the model is saved in {}", model.display())).into())
            }
            Some(Self(text)) => {
                note(&format!("note: {text}"));
                Ok(())
            }
        }
    }
}

impl std::fmt::Display for MissedGap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for MissedGap {}

/// Solves until a limit is reached or a signal asks to stop. What each pass achieved goes to `observe`.
pub fn solve(
    solver: &mut dyn Solver,
    risk: &dyn Risk,
    limits: Limits,
    progress: &mut Progress,
    mut observe: impl FnMut(&Report),
) -> Result<Outcome> {
    let mut state = RunState::new(risk);
    let stop = resume_until(solver, risk, limits, &interrupt::halt(), &mut state, |state, _| {
        let flow = if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        progress.update(state.report(), state.stop(&limits, flow).is_some());
        observe(state.report());
        flow
    })?;
    end(progress, stop);
    Ok(state.into_outcome(stop))
}

/// What a run of the library tells, shown.
pub fn show(event: Event<'_>, progress: &mut Progress, mut observe: impl FnMut(&Report)) -> ControlFlow<()> {
    match event {
        Event::Pass(report, is_last) => {
            progress.update(report, is_last);
            observe(report);
        }
        Event::Turn(turn) => progress.between(&describe_turn(turn)),
        Event::NoCheckpoint(pass, error) => note(&format!("no checkpoint after pass {pass}: {error}")),
    }
    ControlFlow::Continue(())
}

/// What a turn of learning from candidates came to.
fn describe_turn(turn: &Turn) -> String {
    let Turn { stage, turn, certificate, changed, examples } = turn;
    let bounds = format!(
        "{} ≤ F* ≤ {}, gap {}",
        lower(certificate.lower_bound),
        upper(certificate.primal),
        certificate.gap()
    );
    match stage {
        Stage::Known => format!("known positions: {bounds}; {examples} examples completed"),
        Stage::Start => format!("start {turn}: {bounds}; {changed} of {examples} completions changed"),
        Stage::Own => format!("turn {turn}: {bounds}; {changed} of {examples} completions changed"),
    }
}

/// All turns in a sentence, where there are any.
pub fn describe_turns(method: CandidateMethod, turns: &[Turn], stop: Stop) -> Option<String> {
    let last = turns.last()?;
    let own = turns.iter().filter(|turn| turn.stage == Stage::Own).count();
    let rests = match last.changed {
        0 if last.stage == Stage::Own => "completions rest".to_owned(),
        changed => {
            format!("broken off ({}): {changed} completions changed after the last of them", stop.name())
        }
    };
    Some(format!("{method}, {}: {rests}; the certificate is about the last completion", count(own, "turn")))
}

/// A turn for programs.
pub fn turn_json(turn: &Turn) -> Value {
    let certificate = &turn.certificate;
    json!({
        "stage": turn.stage, "turn": turn.turn, "primal": certificate.primal, "lower_bound": certificate.lower_bound,
        "changed": turn.changed, "examples": turn.examples,
    })
}

/// What is to be done when a run is over.
pub fn end(progress: &Progress, stop: Stop) {
    progress.finish();
    if stop == Stop::Interrupted {
        interrupt::heed();
    }
}

/// A file with one JSON object per pass. A log that cannot be written ends, but never the run that it is about.
pub struct Log {
    file: File,
    path: PathBuf,
    /// The length of the file up to the last whole line.
    length: u64,
    /// What went wrong, and the last pass that is in the file.
    failure: Option<(Error, usize)>,
    passes: usize,
}

impl Log {
    /// Begins a new log.
    pub fn create(path: &Path) -> Result<Self> {
        let file = File::create(path).map_err(|e| Error::io("write", path, e))?;
        Ok(Self { file, path: path.to_owned(), length: 0, failure: None, passes: 0 })
    }

    /// Goes on with a log whose run was broken off after `passes` passes: later lines are taken away.
    pub fn go_on(path: &Path, passes: usize) -> Result<Self> {
        let old = match std::fs::read_to_string(path) {
            Ok(old) => old,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Error::io("read", path, error).into()),
        };
        let is_earlier = |line: &&str| {
            let object: Option<Value> = serde_json::from_str(line).ok().filter(|_| line.ends_with('\n'));
            object.and_then(|object| object["passes"].as_u64()).is_some_and(|pass| pass as usize <= passes)
        };
        let kept: usize = old.split_inclusive('\n').take_while(is_earlier).map(str::len).sum();
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
            .map_err(|e| Error::io("write", path, e))?;
        file.set_len(kept as u64)
            .and_then(|()| file.seek(SeekFrom::End(0)).map(drop))
            .map_err(|e| Error::io("write", path, e))?;
        Ok(Self { file, path: path.to_owned(), length: kept as u64, failure: None, passes })
    }

    /// One line, whole, at once: whoever follows the file sees it. When that fails, it is said once.
    pub fn write(&mut self, report: &Report) {
        if self.failure.is_some() {
            return;
        }
        let mut line = json!({
            "passes": report.passes,
            "primal_now": report.primal_now,
            "oracle_calls": report.oracle_calls,
            "queries": report.queries,
            "seconds": report.seconds,
            "master_seconds": report.master_seconds,
            "estimated_gap": report.estimated_gap,
        });
        add_certificate(&mut line, report);
        let line = format!("{line}\n");
        match self.file.write_all(line.as_bytes()) {
            Ok(()) => (self.length, self.passes) = (self.length + line.len() as u64, report.passes),
            Err(error) => {
                // Half a line would be no JSON. Devices have no length to set.
                drop(self.file.set_len(self.length));
                let error = Error::io("write", &self.path, error);
                note(&format!("the log ends here: {error}; training goes on"));
                self.failure = Some((error, self.passes));
            }
        }
    }

    /// What went wrong, and the last pass that is in the file.
    pub fn failure(self) -> Option<(Error, usize)> {
        self.failure
    }
}

/// Adds primal, lower_bound, gap and oracle_gap; what is not known is null.
pub fn add_certificate(object: &mut Value, report: &Report) {
    let certificate = &report.certificate;
    object["primal"] = json!(certificate.primal);
    object["lower_bound"] = json!(certificate.lower_bound);
    object["gap"] = json!(certificate.gap().0);
    object["oracle_gap"] = json!(certificate.oracle_gap);
}

impl Finished<'_> {
    /// What was asked for and what came of it, as every command that trains reports it.
    pub fn json(&self) -> Value {
        let Finished { problem, settings, report, stop, .. } = self;
        let mut object = json!({
            "task": problem.task().name(),
            "solver": self.solver,
            "search": problem.search().name(),
            "surrogate": problem.search().surrogate().to_string(),
            "lambda": settings.lambda,
            "n": problem.examples().len(),
            "dim": problem.task().dim(),
            "passes": report.passes,
            "oracle_calls": report.oracle_calls,
            "queries": report.queries,
            "seconds": report.seconds,
            "master_seconds": report.master_seconds,
            "seed": settings.seed,
            "stop": stop.name(),
            "signal": interrupt::signal().filter(|_| *stop == Stop::Interrupted),
        });
        add_certificate(&mut object, report);
        object
    }

    /// The certificate in a sentence.
    pub fn certificate(&self) -> String {
        let problem = self.problem;
        if !problem.search().surrogate().is_convex() {
            let primal = upper(self.report.certificate.primal);
            return format!(
                "none: {} is not convex in the weights; F = {primal}",
                problem.search().surrogate()
            );
        }
        let certificate = &self.report.certificate;
        if certificate.primal == f64::INFINITY {
            let least = lower(certificate.lower_bound);
            return format!("unfinished: broken off before F was measured once; {least} ≤ F*");
        }
        let oracle = match certificate.oracle_gap {
            0.0 => "the search is exact".to_owned(),
            gap => format!("of which inexact searches may account for {:.2e}", gap / certificate.primal),
        };
        format!(
            "{} ≤ F* ≤ {}: gap {}, {oracle}{}",
            lower(certificate.lower_bound),
            upper(certificate.primal),
            certificate.gap(),
            problem.search().remark().map_or(String::new(), |remark| format!("; {remark}")),
        )
    }

    /// What to say of a run that was not broken off and yet ended before this gap. Where there is no certificate, there is no gap.
    pub fn missed_gap(&self, aim: f64) -> Option<MissedGap> {
        let gap = self.report.certificate.gap();
        let is_missed = self.stop != Stop::Interrupted && gap.0 > aim;
        (is_missed && self.problem.search().surrogate().is_convex()).then(|| {
            let why = match self.stop {
                // Weights in single precision are a little worse than those that reached it.
                Stop::GapReached => "the weights were rounded to single precision",
                stop => stop.name(),
            };
            MissedGap(format!("the gap is {gap}, not the {} asked for: {why}", number(aim)))
        })
    }

    /// How much work it was.
    pub fn work(&self) -> String {
        let report = &self.report;
        let master = match report.master_seconds / report.seconds.max(f64::MIN_POSITIVE) {
            0.0 => String::new(),
            share => format!(" ({} on the master problem)", percent(share)),
        };
        // Starts by SGD make a few queries that are no one's oracle call.
        let many = report.queries as f64 > 1.1 * report.oracle_calls as f64;
        let queries = if many { format!(" with {} queries", report.queries) } else { String::new() };
        let certificate = &report.certificate;
        // A search that missed nothing worth mentioning at the best weights may miss more where the solver is stuck.
        let is_blind = certificate.oracle_gap > 0.01 * (certificate.primal - certificate.lower_bound);
        let stop = match self.stop {
            Stop::Stalled if is_blind => {
                "stalled, since the search misses what is left (stratified and hull are exact),"
            }
            stop => stop.name(),
        };
        format!(
            "{stop} after {}, {} oracle calls{queries}, {}{master}",
            count(report.passes, "pass"),
            report.oracle_calls,
            time(report.seconds),
        )
    }
}
