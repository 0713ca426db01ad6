//! The loop around a solver: limits, observers, interruption, and the best weights so far.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::{Certificate, Solver};
use crate::risk::Risk;

/// A run that has not improved either bound for this many passes has reached what floating point allows.
const STALLED_PASSES: usize = 300;

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Stop when the relative gap is at most this.
    pub gap: f64,
    /// Stop after this many passes.
    pub max_passes: usize,
    /// Stop after this time.
    pub time_limit: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { gap: 1e-3, max_passes: usize::MAX, time_limit: None }
    }
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The gap is small enough: the weights are proven optimal to the tolerance.
    GapReached,
    /// The limit on passes.
    PassLimit,
    /// The limit on time.
    TimeLimit,
    /// The observer asked for it.
    Interrupted,
    /// Neither bound has moved for hundreds of passes.
    Stalled,
}

impl Stop {
    /// A few words for a person, and the value in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Stop::GapReached => "gap reached",
            Stop::PassLimit => "pass limit",
            Stop::TimeLimit => "time limit",
            Stop::Interrupted => "interrupted",
            Stop::Stalled => "stalled at floating-point precision",
        }
    }
}

/// How far a run is.
#[derive(Debug, Clone, Copy)]
pub struct Report {
    /// Passes so far.
    pub passes: usize,
    /// The best bounds so far.
    pub certificate: Certificate,
    /// The primal value of this pass, which need not be the best.
    pub primal_now: f64,
    /// Oracle calls so far.
    pub oracle_calls: u64,
    /// Seconds so far.
    pub seconds: f64,
    /// Seconds so far outside the oracle.
    pub master_seconds: f64,
}

/// The end of a run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The best weights.
    pub weights: Vec<f64>,
    /// How far the run came.
    pub report: Report,
    /// Why it ended.
    pub stop: Stop,
}

/// Runs a solver until a limit is reached or `observe` breaks. The weights of the best pass are returned.
///
/// ```
/// use std::ops::ControlFlow;
/// use maxmargin::data::{Noise, word_images};
/// use maxmargin::solver::{Bmrm, Limits, Stop, run};
/// use maxmargin::task::{Task, TaskKind, TaskOptions};
///
/// let words = word_images(20, Noise::default(), 1);
/// let task = Task::new(TaskKind::Chain, 128, 26, TaskOptions::default())?;
/// let risk = task.risk(&words.data)?;
/// let mut solver = Bmrm::new(1.0, risk.as_ref(), 1, None);
/// let limits = Limits { gap: 0.0, max_passes: 5, time_limit: None };
/// let mut lines = Vec::new();
/// let outcome = run(&mut solver, risk.as_ref(), limits, |report| {
///     lines.push(format!("pass {}: gap {}", report.passes, report.certificate.gap()));
///     ControlFlow::Continue(())
/// });
/// assert_eq!(outcome.stop, Stop::PassLimit);
/// assert_eq!(lines.len(), 5);
/// # Ok::<(), maxmargin::Error>(())
/// ```
pub fn run(
    solver: &mut dyn Solver,
    risk: &dyn Risk,
    limits: Limits,
    mut observe: impl FnMut(&Report) -> ControlFlow<()>,
) -> Outcome {
    let start = Instant::now();
    solver.aim(limits.gap);
    let mut weights = vec![0.0; risk.dim()];
    let mut report = Report {
        passes: 0,
        certificate: Certificate::UNKNOWN,
        primal_now: f64::INFINITY,
        oracle_calls: 0,
        seconds: 0.0,
        master_seconds: 0.0,
    };
    let mut last_improved = 0;
    let stop = loop {
        let progress = solver.step(risk);
        report.passes += 1;
        report.primal_now = progress.certificate.primal;
        report.oracle_calls += progress.oracle_calls;
        report.master_seconds += progress.master_seconds;
        report.seconds = start.elapsed().as_secs_f64();
        let best = &mut report.certificate;
        if progress.certificate.primal < best.primal {
            best.primal = progress.certificate.primal;
            best.oracle_gap = progress.certificate.oracle_gap;
            weights.copy_from_slice(solver.weights());
            last_improved = report.passes;
        }
        if progress.certificate.lower_bound > best.lower_bound {
            best.lower_bound = progress.certificate.lower_bound;
            last_improved = report.passes;
        }
        let flow = observe(&report);
        if report.certificate.gap().0 <= limits.gap {
            break Stop::GapReached;
        } else if flow.is_break() {
            break Stop::Interrupted;
        } else if report.passes >= limits.max_passes {
            break Stop::PassLimit;
        } else if limits.time_limit.is_some_and(|limit| start.elapsed() >= limit) {
            break Stop::TimeLimit;
        } else if report.passes - last_improved >= STALLED_PASSES {
            break Stop::Stalled;
        }
    };
    Outcome { weights, report, stop }
}
