//! λ chosen by validation: a path of falling λ on a share of the examples, judged on the others by the task's own figure.
//!
//! The path is coarse. Its runs start from each other, end at a gap of [`COARSE_GAP`], and are √10 apart: figures on other data
//! hardly change below that. [`Path::ladder`] says where it begins, and [`Ladder`](super::Ladder) where it ends. Everything follows from
//! data, settings and seed, whatever the number of threads.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::{Event, HeldOut, Path, PathStep, Problem, Settings};
use crate::data::{cross_validation, hold_out};
use crate::error::{Error, Result};
use crate::metrics::Metrics;
use crate::solver::{Halt, Limits, Report, Stop};
use crate::surrogate::Surrogate;

/// The relative gap at which runs of the path end.
const COARSE_GAP: f64 = 0.1;

/// The most passes of a run of the path: a solver that comes no closer within these says enough about its λ.
const MOST_PASSES: usize = 100;

/// The share of the examples that is held out.
const HELD_OUT: f64 = 0.2;

/// Below this many examples a share says too little, and each is held out once,
const FEW: usize = 1000;
/// in about so many folds as make this many of all examples,
const ENOUGH: usize = 1500;
/// but in no more than this.
const MOST_FOLDS: usize = 10;

/// Figures that differ by less than this share of their own standard error are as good as each other.
const TOLERANCE: f64 = 0.25;

/// The share of the time there is that the choice may take: the other half is for the training that follows. A value of λ that is not
/// through in all folds by then does not count, unless it is the first one.
const TIME_SHARE: u32 = 2;

/// Which λ was chosen, and why.
#[derive(Debug, Clone)]
pub struct LambdaChoice {
    /// The one that was chosen.
    pub lambda: f64,
    /// The name of the figure that decided.
    pub figure: &'static str,
    /// The number of folds; 1 where one share of the examples was held out.
    pub folds: usize,
    /// The number of examples that were predicted.
    pub validated_on: usize,
    /// All values, in the order in which they were tried.
    pub tried: Vec<TriedLambda>,
    /// Whether a signal or the time limit ended it early.
    pub is_cut_short: bool,
}

/// What came of one λ.
#[derive(Debug, Clone, Copy)]
pub struct TriedLambda {
    /// λ.
    pub lambda: f64,
    /// The figure that decides, in the mean over folds.
    pub value: f64,
    /// The mean loss, in the mean over folds.
    pub mean_loss: f64,
    /// Passes, of all folds together.
    pub passes: usize,
    /// Seconds, of all folds together.
    pub seconds: f64,
    /// The largest relative gap of a fold.
    pub gap: f64,
}

/// What a choice tells while it goes on.
#[derive(Debug)]
pub enum ChoiceEvent<'a> {
    /// A run begins: λ, the number of the fold from 1 on and of all folds, and when the run ends.
    Run(f64, (usize, usize), Limits),
    /// A run tells something.
    Of(Event<'a>),
    /// A λ is judged, by the figure of this name.
    Tried(&'a TriedLambda, &'static str),
}

/// Some of the examples to train on, and the others.
struct Split {
    problem: Problem,
    held_out: HeldOut,
}

impl Split {
    fn new(problem: &Problem, train: &[usize], others: &[usize], settings: &Settings) -> Result<Self> {
        let held_out = HeldOut::from_training(problem.examples().data().subset(others)?, problem.known())?;
        let held_out = held_out.with_background(problem.task(), &settings.background)?;
        Ok(Self { problem: problem.subset(train)?, held_out })
    }

    /// All splits of a problem.
    fn all(problem: &Problem, settings: &Settings, asked: Option<usize>) -> Result<Vec<Self>> {
        let examples = problem.examples().len();
        if examples < 2 {
            let problem =
                format!("to choose it takes at least two examples, and there are {examples}; name it");
            return Err(Error::parameter("lambda", problem));
        }
        let usual = || ENOUGH.div_ceil(examples).clamp(2, MOST_FOLDS.min(examples));
        match asked.or_else(|| (examples < FEW).then(usual)) {
            Some(count) => cross_validation(examples, count, settings.seed)?
                .iter()
                .map(|(train, others)| Self::new(problem, train, others, settings))
                .collect(),
            None => {
                let (train, others) = hold_out(examples, HELD_OUT, settings.seed)?;
                Ok(vec![Self::new(problem, &train, &others, settings)?])
            }
        }
    }
}

/// Chooses λ for a problem; in so many folds where that is asked for.
pub(super) fn choose(
    problem: &Problem,
    settings: &Settings,
    asked: Option<usize>,
    halt: &Halt,
    mut observe: impl FnMut(ChoiceEvent<'_>),
) -> Result<LambdaChoice> {
    let start = Instant::now();
    let splits = Split::all(problem, settings, asked)?;
    let coarse = Settings {
        gap: settings.gap.max(COARSE_GAP),
        max_passes: Some(settings.max_passes.unwrap_or(MOST_PASSES)),
        ..settings.clone()
    };
    let mut paths: Vec<Path<'_>> =
        splits.iter().map(|split| Path::new(&split.problem, coarse.clone())).collect::<Result<_>>()?;
    let mut ladder = paths[0].ladder()?;
    let validated_on = splits.iter().map(|split| split.held_out.data().len()).sum();
    let parts: usize = splits.iter().map(|split| split.held_out.data().parts().1).sum();
    let time = settings.time_limit.map(|limit| limit / TIME_SHARE);
    let left = || time.map(|time| time.saturating_sub(start.elapsed()));
    let is_time_up = || left().is_some_and(|left| left.is_zero());
    let mut figure = "";
    let mut tried: Vec<TriedLambda> = Vec::new();
    let mut is_cut_short = false;
    while let Some(lambda) = ladder.next().filter(|_| !is_cut_short) {
        let mut found = Folds::default();
        for (k, (split, path)) in splits.iter().zip(&mut paths).enumerate() {
            // One fold of one value there must be.
            is_cut_short |= is_time_up();
            if is_cut_short && !(tried.is_empty() && k == 0) {
                break;
            }
            if let Some(left) = left() {
                path.end_within(left.max(Duration::from_millis(1)));
            }
            observe(ChoiceEvent::Run(lambda, (k + 1, splits.len()), path.limits()));
            let PathStep { weights, outcome, .. } = path.step(lambda, halt, |event| {
                observe(ChoiceEvent::Of(event));
                ControlFlow::Continue(())
            })?;
            let metrics = split.held_out.evaluate(problem.task(), &weights)?.metrics;
            figure = deciding(&metrics, settings.surrogate);
            is_cut_short |= matches!(outcome.stop, Stop::Interrupted | Stop::TimeLimit);
            found.push((metrics, outcome.report));
        }
        if found.len() < splits.len() && !tried.is_empty() {
            break;
        }
        let (one, badness) = TriedLambda::of(lambda, &found, figure);
        let tolerance = TOLERANCE * (badness.max(0.0) / parts.max(1) as f64).sqrt();
        ladder.add(lambda, badness, tolerance);
        observe(ChoiceEvent::Tried(&one, figure));
        tried.push(one);
    }
    // There is a first one always.
    let lambda = ladder.best().map_or(f64::NAN, |best| tried[best].lambda);
    Ok(LambdaChoice { lambda, figure, folds: splits.len(), validated_on, tried, is_cut_short })
}

/// What came of the folds of one λ.
type Folds = Vec<(Metrics, Report)>;

impl TriedLambda {
    /// What came of its folds, and how bad that is by this figure.
    fn of(lambda: f64, folds: &Folds, figure: &str) -> (Self, f64) {
        let mean = |of: &dyn Fn(&Metrics) -> f64| {
            folds.iter().map(|(metrics, _)| of(metrics)).sum::<f64>() / folds.len() as f64
        };
        let reports = || folds.iter().map(|(_, report)| report);
        let tried = Self {
            lambda,
            value: mean(&|metrics| metrics.figure(figure).unwrap_or(f64::NAN)),
            mean_loss: mean(&Metrics::mean_loss),
            passes: reports().map(|report| report.passes).sum(),
            seconds: reports().map(|report| report.seconds).sum(),
            gap: reports().map(|report| report.certificate.gap().0).fold(0.0, f64::max),
        };
        (tried, mean(&|metrics| metrics.badness(figure).unwrap_or(f64::INFINITY)))
    }
}

/// The name of the figure that decides: what is trained for, or what the task goes by.
fn deciding(metrics: &Metrics, surrogate: Surrogate) -> &'static str {
    let trained_for =
        ["weighted_micro_f1", "micro_f1"].into_iter().find(|name| metrics.figure(name).is_some());
    match trained_for {
        Some(figure) if surrogate == Surrogate::MicroF1 => figure,
        _ => metrics.main(),
    }
}
