//! Block-coordinate Frank-Wolfe (Lacoste-Julien et al. 2013), with what made it faster since: steps on cached planes
//! between oracle calls (Shah, Kolmogorov, Lampert 2015), gap sampling and pairwise steps (Osokin et al. 2016).
//!
//! A pass asks the oracle for those examples whose gap was large when last seen, and then sweeps over the planes at hand
//! for as long as a sweep gains nearly as much per visit as the pass so far ([`SWEEP_SHARE`]): an oracle visit counts as
//! [`ORACLE_COST`] others. (A rule by measured time would make the model depend on the machine's mood.) The steps themselves
//! are in [`block_ascent`](super::block_ascent), and so is the joint climb that takes over where block by block the dual
//! would crawl.
//!
//! The primal value needs the oracle of every example at one w, so it is found only when the gaps that visits saw say
//! that it may be small enough, has fallen a lot, or has not been found for a while. It is taken at an average of the
//! sweeps' ends, which is nearly always better than the last. The planes found there are kept: little is lost.
//!
//! Where oracles are slow a pass may take minutes. So the calls to them, which are most of it, can be broken off by
//! somebody who asks for it; what is left of the pass is kept, and done first when the run goes on.
//!
//! SDCA for the structural hinge is the same without cache and sampling: every example in random order, each time with
//! better coefficients over the planes it has (`sdca` on the command line).

mod shared;

pub use self::shared::SharedBcfw;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::block_ascent::{BlockAscent, Evaluation, Look, Visits, Workers};
use super::choice::check_start;
use super::{Certificate, Halt, MadeFor, Progress, Solver, SolverKind, SolverSettings, SolverState};
use crate::error::{Error, Result};
use crate::linear::LargeVector;
use crate::risk::Risk;

/// What an oracle visit costs, in visits that only look at planes at hand.
const ORACLE_COST: f64 = 2.0;

/// Sweeps go on while one gains at least this share of what the pass has gained so far, per cost.
const SWEEP_SHARE: f64 = 0.7;

/// Sweeps over the planes at hand in one pass.
const MOST_SWEEPS: f64 = 50.0;

/// A run of more passes than this crawls: what oracle visits gain is undone by the next ones, because the planes at hand have not
/// got the coefficients that they deserve. From then on sweeps go on for longer, the more the longer the run.
const LONG_RUN: f64 = 100.0;

/// Examples with this share of the mean gap or more are visited in every pass, the others less often in proportion.
const LARGE_GAP: f64 = 0.2;

/// No example is visited less often than this.
const LEAST_CHANCE: f64 = 0.02;

/// The primal value is found again at the latest after this many passes, or when the gaps seen have fallen to this share.
const MOST_PASSES: usize = 10;
const LARGE_FALL: f64 = 0.2;

/// The real gap is mostly less than the last share of the gaps seen says: a look too early costs less than one too late.
const HOPE: f64 = 0.5;

/// Weights that a thread averages at a time.
const PART: usize = 1 << 16;

/// BCFW, or SDCA.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
/// use maxmargin_core::features::{FeatureMatrix, Rows};
/// use maxmargin_core::risk::StructuredRisk;
/// use maxmargin_core::search::MarginSearch;
/// use maxmargin_core::solver::{Bcfw, BcfwOptions, Limits, Stop, run};
/// use maxmargin_core::structure::{Example, LabelCost, MulticlassStructure};
///
/// let x = Arc::new(FeatureMatrix::from_dense(&[[1.0, 0.2], [0.3, 1.0], [0.8, 0.9]]));
/// let example = |(i, truth)| Example { input: Rows::new(&x, i..i + 1), truth, weight: 1.0 };
/// let structure = MulticlassStructure::new(2, 3, true, LabelCost::ZeroOne)?;
/// let risk = StructuredRisk::new(structure, MarginSearch, (0..3).zip([0, 1, 2]).map(example).collect())?;
/// let mut solver = Bcfw::new(1.0, &risk, BcfwOptions::default())?;
/// let outcome = run(&mut solver, &risk, Limits::default(), |_| ControlFlow::Continue(()))?;
/// assert_eq!(outcome.stop, Stop::GapReached);
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Serialize, Deserialize)]
pub struct Bcfw {
    options: BcfwOptions,
    ascent: BlockAscent,
    random: Pcg64Mcg,
    order: Vec<usize>,
    average: Average,
    best: Certificate,
    /// The relative gap that is wanted.
    aim: f64,
    /// When the primal value was last found: the gaps that visits had seen, and the real gap as a share of them.
    seen: f64,
    real: f64,
    passes_since: usize,
    /// Passes at this λ.
    passes: u32,
    /// Whether the average is where to start, and nothing is known yet.
    starts_here: bool,
    /// What is left of a pass that was broken off.
    rest: Option<Rest>,
    #[serde(skip)]
    halt: Halt,
    /// See [`Solver::estimated_gap`].
    #[serde(skip)]
    estimated_gap: Option<f64>,
    pub(super) made_for: MadeFor,
}

/// What is left of a pass.
#[derive(Serialize, Deserialize)]
enum Rest {
    /// The planes at the weights where the run starts, and what follows.
    Start(Evaluation),
    /// Visits with the oracle, and what follows.
    Visits(Visits),
    /// A look at the primal value.
    Measurement(Measurement),
}

/// A look at the primal value, at the end of a pass.
#[derive(Serialize, Deserialize)]
struct Measurement {
    /// The lower bound of the pass, and the sum of the gaps that it saw.
    lower_bound: f64,
    seen: f64,
    evaluation: Evaluation,
}

/// Which of the improvements are used.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct BcfwOptions {
    /// The seed of everything random.
    pub seed: u64,
    /// Sweeps over cached planes between passes.
    pub cache: bool,
    /// Visits in proportion to gaps.
    pub gap_sampling: bool,
}

impl Default for BcfwOptions {
    fn default() -> Self {
        Self { seed: 0, cache: true, gap_sampling: true }
    }
}

impl BcfwOptions {
    /// SDCA: none of the improvements.
    pub fn sdca(seed: u64) -> Self {
        Self { seed, cache: false, gap_sampling: false }
    }
}

/// A weighted average of points, later ones counting more.
#[derive(Serialize, Deserialize)]
struct Average {
    point: LargeVector,
    count: f64,
}

impl Average {
    fn add(&mut self, point: &[f64]) {
        // Weights 1, 2, 3, …
        let share = 2.0 / (self.count + 2.0);
        let average = self.point.par_chunks_mut(PART).zip(point.par_chunks(PART));
        average.for_each(|(average, point)| {
            average.iter_mut().zip(point).for_each(|(a, p)| *a += share * (p - *a));
        });
        self.count += 1.0;
    }
}

impl Bcfw {
    /// A solver that starts at 0.
    pub fn new(lambda: f64, risk: &dyn Risk, options: BcfwOptions) -> Result<Self> {
        SolverSettings::checked(lambda, None, SolverKind::Bcfw, risk)?;
        if risk.norm().is_some() {
            return Err(Error::parameter(
                "solver",
                "the risk has a norm of its own; `SharedBcfw` is for that",
            ));
        }
        Ok(Self::unchecked(lambda, risk, options))
    }

    /// The same where the caller has checked everything.
    fn unchecked(lambda: f64, risk: &dyn Risk, options: BcfwOptions) -> Self {
        Self {
            options,
            ascent: BlockAscent::new(lambda, risk),
            random: Pcg64Mcg::seed_from_u64(options.seed),
            order: (0..risk.len()).collect(),
            average: Average { point: LargeVector::zeros(risk.dim()), count: 0.0 },
            best: Certificate::UNKNOWN,
            aim: 0.0,
            seen: f64::INFINITY,
            real: 1.0,
            passes_since: 0,
            passes: 0,
            starts_here: false,
            rest: None,
            halt: Halt::default(),
            estimated_gap: None,
            made_for: MadeFor::new(risk),
        }
    }

    /// From given weights: the first pass takes the planes there, which hold wherever they are taken, and finds the best
    /// coefficients for them. The weights themselves are the first whose primal value is known.
    pub fn starting_at(mut self, start: &[f64], risk: &dyn Risk) -> Result<Self> {
        check_start(start, risk)?;
        self.average.point.copy_from_slice(start);
        self.starts_here = true;
        Ok(self)
    }

    /// Visits of the examples to ask the oracle for, in random order.
    fn sample(&mut self) -> Visits {
        self.order.shuffle(&mut self.random);
        let gaps = self.ascent.gaps();
        let large = LARGE_GAP * gaps.iter().sum::<f64>() / gaps.len().max(1) as f64;
        let all = !self.options.gap_sampling || !large.is_finite();
        let mut visited = |&i: &usize| {
            all || gaps[i] >= large || self.random.random::<f64>() < (gaps[i] / large).max(LEAST_CHANCE)
        };
        Visits::new(self.order.iter().copied().filter(|i| visited(i)).collect(), Look::Oracle)
    }

    /// Visits with the oracle, and what follows. Returns the number of oracle calls, and whether the primal value is worth a look.
    fn ascend(&mut self, workers: &mut Workers<'_>) -> (u64, bool) {
        let mut visits = self.sample();
        self.ascent.go_on_visiting(workers, &mut visits, &Halt::default());
        (visits.totals().visits as u64, self.follow_up(workers, &visits))
    }

    /// What follows visits with the oracle: sweeps without. Says whether the primal value is worth a look: then the average is up
    /// to date.
    fn follow_up(&mut self, workers: &mut Workers<'_>, visits: &Visits) -> bool {
        let oracle = visits.totals();
        self.passes_since += 1;
        self.passes += 1;
        let look = self.is_worth_a_look();
        self.average.count = 0.0;
        if look {
            self.average.add(self.ascent.weights());
        }
        if self.options.cache {
            self.sweep(workers, oracle.gain, ORACLE_COST * oracle.visits as f64, look);
        }
        look
    }

    /// Sweeps over the planes at hand, after visits that gained so much and cost so much. With `look` the average is kept up to
    /// date.
    fn sweep(&mut self, workers: &mut Workers<'_>, mut gain: f64, mut cost: f64, look: bool) {
        let patience = (f64::from(self.passes) / LONG_RUN).max(1.0);
        for _ in 0..(patience * MOST_SWEEPS) as u32 {
            self.order.shuffle(&mut self.random);
            let examples: Vec<usize> =
                self.order.iter().copied().filter(|&i| self.ascent.has_planes(i)).collect();
            let sweep = self.ascent.visit(workers, examples, Look::Cached);
            if look {
                self.average.add(self.ascent.weights());
            }
            if patience * sweep.gain * cost <= SWEEP_SHARE * gain * sweep.visits as f64 {
                break;
            }
            gain += sweep.gain;
            cost += sweep.visits as f64;
        }
        if self.ascent.climb_if_due(workers, gain, cost) && look {
            // What the sweeps had is far behind.
            self.average.count = 0.0;
            self.average.add(self.ascent.weights());
        }
    }

    /// Whether the primal value is worth a pass.
    fn is_worth_a_look(&self) -> bool {
        let seen: f64 = self.ascent.gaps().iter().sum();
        let wanted = self.aim * self.best.lower_bound;
        self.passes_since >= MOST_PASSES
            || seen <= LARGE_FALL * self.seen
            || HOPE * seen * self.real <= wanted
    }

    fn pass(&mut self, risk: &dyn Risk) -> Progress {
        // A pass that begins although the end was asked for is wanted all the same: the one of a run that has none yet.
        let halt = if self.halt.is_asked() { Halt::default() } else { self.halt.clone() };
        // If nobody finished the last one: its point is no longer there.
        self.rest = None;
        let rest = match std::mem::take(&mut self.starts_here) {
            true => Rest::Start(Evaluation::default()),
            false => Rest::Visits(self.sample()),
        };
        self.go_on(risk, rest, &halt)
    }

    /// Does what is left of a pass, until it is done or broken off.
    fn go_on(&mut self, risk: &dyn Risk, rest: Rest, halt: &Halt) -> Progress {
        let mut workers = Workers::new(risk);
        match rest {
            Rest::Start(evaluation) => self.start(&mut workers, evaluation, halt),
            Rest::Visits(visits) => self.visit(&mut workers, visits, halt),
            Rest::Measurement(measurement) => self.measure(&mut workers, measurement, 0, halt),
        }
    }

    /// The first pass from given weights.
    fn start(&mut self, workers: &mut Workers<'_>, mut evaluation: Evaluation, halt: &Halt) -> Progress {
        let before = evaluation.asked();
        let point = &self.average.point;
        let bounds = self.ascent.go_on_evaluating(workers, &mut evaluation, point, f64::INFINITY, halt);
        let oracle_calls = (evaluation.asked() - before) as u64;
        let Some(bounds) = bounds else {
            return self.break_off(workers, Rest::Start(evaluation), oracle_calls);
        };
        let here = Certificate::at(self.ascent.lambda(), &self.average.point, bounds);
        self.sweep(workers, 0.0, ORACLE_COST * self.order.len() as f64, false);
        // They were those of other weights.
        self.ascent.forget_gaps();
        self.best.primal = here.primal;
        self.best.lower_bound = self.best.lower_bound.max(self.ascent.lower_bound(workers, f64::INFINITY));
        let certificate = Certificate { lower_bound: self.best.lower_bound, ..here };
        Progress { certificate, oracle_calls, master_seconds: 0.0 }
    }

    /// Visits with the oracle, sweeps, a lower bound and, where it is worth it, a look at the primal value.
    fn visit(&mut self, workers: &mut Workers<'_>, mut visits: Visits, halt: &Halt) -> Progress {
        let before = visits.totals().visits;
        let is_over = self.ascent.go_on_visiting(workers, &mut visits, halt);
        let oracle_calls = (visits.totals().visits - before) as u64;
        if !is_over {
            return self.break_off(workers, Rest::Visits(visits), oracle_calls);
        }
        let look = self.follow_up(workers, &visits);
        let left = self.best.primal - self.best.lower_bound;
        let lower_bound = self.ascent.lower_bound(workers, left);
        self.best.lower_bound = self.best.lower_bound.max(lower_bound);
        let seen = self.ascent.gaps().iter().sum();
        if look {
            let measurement = Measurement { lower_bound, seen, evaluation: Evaluation::default() };
            return self.measure(workers, measurement, oracle_calls, halt);
        }
        self.end_pass(Certificate::UNKNOWN, seen, oracle_calls)
    }

    /// Measures the primal value at the average, after a pass with so many oracle calls.
    fn measure(
        &mut self,
        workers: &mut Workers<'_>,
        mut measurement: Measurement,
        oracle_calls: u64,
        halt: &Halt,
    ) -> Progress {
        let Measurement { lower_bound, seen, ref mut evaluation } = measurement;
        let left = self.best.primal - self.best.lower_bound;
        let before = evaluation.asked();
        let bounds = self.ascent.go_on_evaluating(workers, evaluation, &self.average.point, left, halt);
        let oracle_calls = oracle_calls + (evaluation.asked() - before) as u64;
        let Some(bounds) = bounds else {
            return self.break_off(workers, Rest::Measurement(measurement), oracle_calls);
        };
        let here = Certificate::at(self.ascent.lambda(), &self.average.point, bounds);
        self.best.primal = self.best.primal.min(here.primal);
        (self.seen, self.real) = (seen, (here.primal - lower_bound) / seen);
        self.passes_since = 0;
        self.end_pass(here, seen, oracle_calls)
    }

    /// The end of a pass that saw these gaps.
    fn end_pass(&mut self, here: Certificate, seen: f64, oracle_calls: u64) -> Progress {
        // Gaps that were seen now stand to those that were seen then as the gap now to the one that was measured then.
        let gap = (seen * self.real).min(self.best.primal - self.best.lower_bound);
        let estimate = Certificate { primal: self.best.lower_bound + gap, ..self.best }.gap().0;
        self.estimated_gap = estimate.is_finite().then_some(estimate);
        let certificate = Certificate { lower_bound: self.best.lower_bound, ..here };
        Progress { certificate, oracle_calls, master_seconds: 0.0 }
    }

    /// Keeps what is left of a pass. The lower bound is that of the pass before; in the first one it is what its visits prove.
    fn break_off(&mut self, workers: &mut Workers<'_>, rest: Rest, oracle_calls: u64) -> Progress {
        self.rest = Some(rest);
        let mut lower_bound = self.best.lower_bound;
        if lower_bound == Certificate::UNKNOWN.lower_bound {
            // With no gap to reach, nothing is computed anew: the run goes on as if nobody had asked.
            lower_bound = self.ascent.lower_bound(workers, f64::INFINITY);
        }
        let certificate = Certificate { lower_bound, ..Certificate::UNKNOWN };
        Progress { certificate, oracle_calls, master_seconds: 0.0 }
    }
}

impl Solver for Bcfw {
    fn name(&self) -> &'static str {
        if self.options.cache || self.options.gap_sampling { "bcfw" } else { "sdca" }
    }

    fn aim(&mut self, gap: f64) {
        self.aim = gap;
    }

    fn heed(&mut self, halt: Halt) {
        self.halt = halt;
    }

    fn finish_pass(&mut self, risk: &dyn Risk) -> Option<Progress> {
        let is_mine = self.made_for.is(risk);
        let rest = self.rest.take_if(|_| is_mine)?;
        let halt = self.halt.clone();
        Some(rayon::scope(|_| self.go_on(risk, rest, &halt)))
    }

    fn lambda(&self) -> f64 {
        self.ascent.lambda()
    }

    fn made_for(&self) -> Option<&MadeFor> {
        Some(&self.made_for)
    }

    fn one_pass(&mut self, risk: &dyn Risk) -> Progress {
        // Inside the pool the many small batches need no handing over from one thread to another.
        rayon::scope(|_| self.pass(risk))
    }

    fn weights(&self) -> &[f64] {
        // Before the first look there is no average.
        if matches!(self.rest, Some(Rest::Visits(_))) && self.best.primal == f64::INFINITY {
            return self.ascent.weights();
        }
        &self.average.point
    }

    fn estimated_gap(&self) -> Option<f64> {
        self.estimated_gap
    }

    fn set_lambda(&mut self, lambda: f64) -> bool {
        if SolverSettings::new(lambda).is_err() {
            return false;
        }
        self.ascent.set_lambda(lambda);
        self.best = Certificate::UNKNOWN;
        (self.seen, self.real, self.passes_since, self.passes) = (f64::INFINITY, 1.0, 0, 0);
        self.rest = None;
        true
    }

    fn state(&self) -> Option<SolverState<'_>> {
        Some(SolverState::Bcfw(self))
    }
}
