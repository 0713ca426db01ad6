//! The loop around a solver: limits, observers, interruption, and the best weights so far.

use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::{Certificate, Halt, MadeFor, Progress, Solver, check_dim};
use crate::error::{Error, Result};
use crate::risk::{Risk, fingerprint};

/// A run that has not improved either bound for this many passes has reached what floating point allows.
const STALLED_PASSES: usize = 300;

/// A run whose gap has not shrunk by this share in so many passes would not come to its end.
const CRAWL: f64 = 1e-3;
const CRAWLING_PASSES: usize = 100_000;

/// A gap of this share of the first primal value is nothing: where F* is 0, weights may shrink for ever without getting there.
const NOTHING: f64 = 1e-30;

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
    /// Bounds move, but a hundred thousand passes have hardly changed the gap.
    Crawling,
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
            Stop::Crawling => "hardly any progress in 100,000 passes",
        }
    }
}

/// How far a run is.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Report {
    /// Passes so far.
    pub passes: usize,
    /// The best bounds so far.
    pub certificate: Certificate,
    /// The primal value of this pass, which need not be the best.
    pub primal_now: f64,
    /// Oracle calls so far.
    pub oracle_calls: u64,
    /// Queries of structures so far: a search may ask several times for one oracle call.
    pub queries: u64,
    /// Seconds so far.
    pub seconds: f64,
    /// Seconds so far outside the oracle.
    pub master_seconds: f64,
    /// What [`Solver::estimated_gap`] says, which is no part of any proof.
    #[serde(skip)]
    pub estimated_gap: Option<f64>,
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

/// A vector that is kept for later: without its zeros, where that is shorter.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Kept {
    dim: usize,
    /// The places of the values; empty when all values are there.
    places: Vec<u32>,
    values: Vec<f64>,
}

impl Kept {
    fn keep(&mut self, vector: &[f64]) {
        self.places.clear();
        self.values.clear();
        let filled = vector.iter().filter(|&&value| value != 0.0).count();
        if filled > vector.len() / 2 {
            self.values.extend_from_slice(vector);
            return;
        }
        self.places.reserve_exact(filled);
        self.values.reserve_exact(filled);
        for (j, &value) in vector.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            self.places.push(j as u32);
            self.values.push(value);
        }
    }

    fn fits(&self, dim: usize) -> bool {
        let is_whole = self.places.is_empty() && (self.values.is_empty() || self.values.len() == dim);
        let is_sparse = self.places.len() == self.values.len();
        self.dim == dim && (is_whole || is_sparse) && self.places.iter().all(|&place| (place as usize) < dim)
    }

    fn take_out(self) -> Vec<f64> {
        if self.values.len() == self.dim {
            return self.values;
        }
        let mut vector = vec![0.0; self.dim];
        self.places.iter().zip(self.values).for_each(|(&j, value)| vector[j as usize] = value);
        vector
    }
}

/// All that a run knows besides its solver.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunState {
    report: Report,
    /// The best weights so far.
    weights: Kept,
    /// The last pass that improved a bound.
    last_improved: usize,
    /// The first primal value that was measured.
    first_primal: f64,
    /// The gap, not relative, when it last had shrunk by [`CRAWL`], and the pass of that.
    last_mark: (f64, usize),
    /// What the bounds are about: a risk, and λ from the first pass on.
    made_for: MadeFor,
    #[serde(skip)]
    lambda: Option<f64>,
    /// The risk's, once it was asked for.
    #[serde(skip)]
    fingerprint: OnceLock<u64>,
}

impl RunState {
    /// Before the first pass on a risk.
    pub fn new(risk: &dyn Risk) -> Self {
        let report = Report {
            passes: 0,
            certificate: Certificate::UNKNOWN,
            primal_now: f64::INFINITY,
            oracle_calls: 0,
            queries: 0,
            seconds: 0.0,
            master_seconds: 0.0,
            estimated_gap: None,
        };
        Self {
            report,
            weights: Kept { dim: risk.dim(), ..Kept::default() },
            last_improved: 0,
            first_primal: f64::INFINITY,
            last_mark: (f64::INFINITY, 0),
            made_for: MadeFor::new(risk),
            lambda: None,
            fingerprint: OnceLock::new(),
        }
    }

    /// How far it is.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The best weights so far.
    pub fn weights(&self) -> Vec<f64> {
        self.weights.clone().take_out()
    }

    /// The state that was saved of a run of this solver on this risk, which both belong to from now on.
    pub(super) fn loaded(mut self, solver: &dyn Solver, risk: &dyn Risk, fingerprint: u64) -> Result<Self> {
        self.check(solver, risk)?;
        self.fingerprint = fingerprint.into();
        match self.weights.fits(risk.dim()) {
            true => Ok(self),
            false => Err(Error::parameter("checkpoint", "made for another number of weights")),
        }
    }

    /// Whether its bounds are about this risk.
    pub(super) fn is_of(&self, risk: &dyn Risk) -> bool {
        self.made_for.is(risk)
    }

    /// The [fingerprint](Risk::fingerprint) of its risk, which costs about a pass where that is slow: it is found once in a run.
    pub(super) fn fingerprint(&self, risk: &dyn Risk) -> Result<u64> {
        match self.fingerprint.get() {
            Some(&number) => Ok(number),
            None => fingerprint(risk).map(|number| *self.fingerprint.get_or_init(|| number)),
        }
    }

    /// Refuses a solver and a risk whose bounds are about something else than those that are here.
    fn check(&mut self, solver: &dyn Solver, risk: &dyn Risk) -> Result<()> {
        solver.check(risk)?;
        if !self.is_of(risk) {
            return Err(Error::parameter("state", "of a run on another risk; begin with a new one"));
        }
        match *self.lambda.get_or_insert(solver.lambda()) == solver.lambda() {
            true => Ok(()),
            false => Err(Error::parameter("state", "of a run with another lambda; begin with a new one")),
        }
    }

    /// The end of the run.
    pub fn into_outcome(self, stop: Stop) -> Outcome {
        Outcome { weights: self.weights.take_out(), report: self.report, stop }
    }

    /// Takes in a pass.
    fn add(&mut self, progress: Progress, weights: &[f64], seconds: f64) {
        self.report.passes = self.report.passes.saturating_add(1);
        self.report.primal_now = progress.certificate.primal;
        self.amend(progress, weights, seconds);
    }

    /// Takes in more of the last pass.
    fn amend(&mut self, progress: Progress, weights: &[f64], seconds: f64) {
        let report = &mut self.report;
        report.oracle_calls = report.oracle_calls.saturating_add(progress.oracle_calls);
        report.master_seconds += progress.master_seconds;
        report.seconds = seconds;
        let best = &mut report.certificate;
        if self.first_primal == f64::INFINITY {
            self.first_primal = progress.certificate.primal;
        }
        if best.primal == f64::INFINITY {
            // Nobody knows what any are worth yet: the last are the best guess.
            self.weights.keep(weights);
        }
        let something = best.primal - best.lower_bound.max(0.0) > NOTHING * self.first_primal;
        if progress.certificate.primal < best.primal {
            best.primal = progress.certificate.primal;
            best.oracle_gap = progress.certificate.oracle_gap;
            self.weights.keep(weights);
            self.last_improved = if something { report.passes } else { self.last_improved };
        }
        if progress.certificate.lower_bound > best.lower_bound {
            best.lower_bound = progress.certificate.lower_bound;
            self.last_improved = if something { report.passes } else { self.last_improved };
        }
        let gap = best.primal - best.lower_bound;
        if gap <= (1.0 - CRAWL) * self.last_mark.0 {
            self.last_mark = (gap, report.passes);
        }
        // A search may find less at the best weights than the planes of other passes prove.
        best.oracle_gap = best.oracle_gap.min((best.primal - best.lower_bound).max(0.0));
    }

    /// Why to end here, if there is a reason.
    pub fn stop(&self, limits: &Limits, flow: ControlFlow<()>) -> Option<Stop> {
        let Report { passes, seconds, certificate, .. } = self.report;
        if passes > 0 && certificate.gap().0 <= limits.gap {
            Some(Stop::GapReached)
        } else if flow.is_break() {
            Some(Stop::Interrupted)
        } else if passes >= limits.max_passes {
            Some(Stop::PassLimit)
        } else if limits.time_limit.is_some_and(|limit| passes > 0 && seconds >= limit.as_secs_f64()) {
            Some(Stop::TimeLimit)
        } else if passes.saturating_sub(self.last_improved) >= STALLED_PASSES {
            Some(Stop::Stalled)
        } else if passes.saturating_sub(self.last_mark.1) >= CRAWLING_PASSES {
            Some(Stop::Crawling)
        } else {
            None
        }
    }
}

/// Runs a solver until a limit is reached or `observe` breaks. The weights of the best pass are returned. Refused where the solver
/// was made for another risk.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
/// use maxmargin_core::features::{FeatureMatrix, Rows};
/// use maxmargin_core::risk::StructuredRisk;
/// use maxmargin_core::search::MarginSearch;
/// use maxmargin_core::solver::{Bmrm, Limits, Stop, run};
/// use maxmargin_core::structure::{Example, LabelCost, MulticlassStructure};
///
/// let x = Arc::new(FeatureMatrix::from_dense(&[[1.0, 0.2], [0.3, 1.0], [0.8, 0.9]]));
/// let example = |(i, truth)| Example { input: Rows::new(&x, i..i + 1), truth, weight: 1.0 };
/// let structure = MulticlassStructure::new(2, 3, true, LabelCost::ZeroOne)?;
/// let risk = StructuredRisk::new(structure, MarginSearch, (0..3).zip([0, 1, 2]).map(example).collect())?;
/// let mut solver = Bmrm::new(1.0, &risk, 1, None)?;
/// let limits = Limits { gap: 0.0, max_passes: 5, time_limit: None };
/// let mut lines = Vec::new();
/// let outcome = run(&mut solver, &risk, limits, |report| {
///     lines.push(format!("pass {}: gap {}", report.passes, report.certificate.gap()));
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(outcome.stop, Stop::PassLimit);
/// assert_eq!(lines.len(), 5);
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
pub fn run(
    solver: &mut dyn Solver,
    risk: &dyn Risk,
    limits: Limits,
    mut observe: impl FnMut(&Report) -> ControlFlow<()>,
) -> Result<Outcome> {
    let mut state = RunState::new(risk);
    let stop = resume(solver, risk, limits, &mut state, |state, _| observe(&state.report))?;
    Ok(state.into_outcome(stop))
}

/// The same from a state on, which may be that of an earlier run with the same risk and λ. `observe` can save it together with the
/// solver.
pub fn resume(
    solver: &mut dyn Solver,
    risk: &dyn Risk,
    limits: Limits,
    state: &mut RunState,
    mut observe: impl FnMut(&RunState, &dyn Solver) -> ControlFlow<()>,
) -> Result<Stop> {
    resume_until(solver, risk, limits, &Halt::default(), state, &mut observe)
}

/// The same, but a pass that is in its master problem when `halt` or the limit on time is due does not finish it first, and neither
/// does one that asks oracles one by one when somebody asks for the end. Its bounds hold all the same, and a later call goes on from there, to the same end as without a break.
pub fn resume_until(
    solver: &mut dyn Solver,
    risk: &dyn Risk,
    limits: Limits,
    halt: &Halt,
    state: &mut RunState,
    mut observe: impl FnMut(&RunState, &dyn Solver) -> ControlFlow<()>,
) -> Result<Stop> {
    state.check(solver, risk)?;
    let (start, seconds_before) = (Instant::now(), state.report.seconds);
    let seconds = || seconds_before + start.elapsed().as_secs_f64();
    let queries_before = risk.queries().saturating_sub(state.report.queries);
    solver.aim(limits.gap);
    let due = halt.clone().or_at(deadline(start, limits.time_limit, seconds_before));
    solver.heed(due.clone());
    let mut flow = ControlFlow::Continue(());
    loop {
        let stop = state.stop(&limits, flow);
        // A pass that was broken off is counted already: no limit on passes keeps it from being finished.
        let is_final =
            stop.is_some_and(|stop| !matches!(stop, Stop::PassLimit | Stop::Stalled | Stop::Crawling));
        if !is_final
            && state.report.passes > 0
            && let Some(progress) = solver.finish_pass(risk)
        {
            check_dim(solver.weights(), risk)?;
            state.amend(progress, solver.weights(), seconds());
            state.report.queries = risk.queries().saturating_sub(queries_before);
            let is_due = due.is_due();
            if halt.is_asked() {
                flow = ControlFlow::Break(());
            }
            if is_due {
                return Ok(state.stop(&limits, flow).unwrap_or(Stop::TimeLimit));
            }
            continue;
        }
        if let Some(stop) = stop {
            return Ok(stop);
        }
        let progress = solver.step(risk);
        check_dim(solver.weights(), risk)?;
        state.add(progress, solver.weights(), seconds());
        state.report.queries = risk.queries().saturating_sub(queries_before);
        state.report.estimated_gap = solver.estimated_gap();
        flow = observe(state, solver);
    }
}

/// When the limit on time will be reached, a little late, so that by then the seconds are counted in full.
fn deadline(start: Instant, limit: Option<Duration>, seconds_before: f64) -> Option<Instant> {
    let before = Duration::try_from_secs_f64(seconds_before).unwrap_or_default();
    start.checked_add(limit?.saturating_sub(before).saturating_add(Duration::from_micros(1)))
}
