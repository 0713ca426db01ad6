//! λ chosen by validation: a path of falling λ on a share of the examples, judged on the others by the task's own figure.
//!
//! The path is coarse. Its runs start from each other, end at a gap of [`COARSE_GAP`], and are √10 apart: figures on other data
//! hardly change below that. [`Path::ladder`] says where it begins, and [`Ladder`](super::Ladder) where it ends. Everything follows from
//! data, settings and seed, whatever the number of threads.
//!
//! Of [candidates](super::Candidates) that are learnt from by turns, what is held out is judged where there is one: on the known parts of its examples.
//!
//! Where an option leaves more open than λ ([`Task::variants`](crate::tasks::Task::variants)), that is chosen with it, by the same figure.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::{Event, HeldOut, Ladder, Path, PathStep, Problem, Settings};
use crate::data::{cross_validation, hold_out};
use crate::error::{Error, Result};
use crate::metrics::Metrics;
use crate::solver::{Halt, Limits, Report, Stop};
use crate::surrogate::Surrogate;
use crate::tasks::TaskObject;

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
const MOST_FOLDS: usize = 5;

/// Figures that differ by less than this share of their own standard error are as good as each other. (Of few examples the best one is taken all
/// the same: time is not what they lack.)
const TOLERANCE: f64 = 0.25;

/// The share of the time there is that the choice may take: the other half is for the training that follows. A value of λ that is not
/// through in all folds by then does not count, unless it is the first one.
const TIME_SHARE: u32 = 2;

/// Which λ was chosen, and with it which of several tasks, and why.
#[derive(Debug, Clone)]
pub struct LambdaChoice {
    /// The one that was chosen.
    pub lambda: f64,
    /// What the task was chosen among, by name; empty where it was not.
    pub variants: Vec<String>,
    /// The place of the one that was chosen among them.
    pub variant: usize,
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
    /// The place of the task among those that there were to choose; 0 where there was one.
    pub variant: usize,
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
    /// A task begins, where there are several to choose among.
    Variant(&'a str),
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
        let mut data = problem.examples().data().subset(others)?;
        if settings.turns().is_some() {
            // What is not known cannot be judged.
            data = data.known_parts()?;
        }
        let held_out = HeldOut::from_training(data, problem.known())?;
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
        let splits: Vec<Self> = match asked.or_else(|| (examples < FEW).then(usual)) {
            Some(count) => cross_validation(examples, count, settings.seed)?
                .iter()
                .map(|(train, others)| Self::new(problem, train, others, settings))
                .collect::<Result<_>>()?,
            None => {
                let (train, others) = hold_out(examples, HELD_OUT, settings.seed)?;
                vec![Self::new(problem, &train, &others, settings)?]
            }
        };
        if splits.iter().any(|split| split.held_out.data().is_empty()) {
            let problem = "to choose it takes labels that are known, and some of the held-out examples have none with one candidate; name it";
            return Err(Error::parameter("lambda", problem));
        }
        Ok(splits)
    }
}

/// What is left open, and how it is to be chosen.
pub(super) struct Open<'a> {
    /// The only λ, where it is said.
    pub lambda: Option<f64>,
    /// In so many folds, where that is asked for.
    pub folds: Option<usize>,
    /// The tasks that there are to choose among, by name; none where it is λ only.
    pub variants: &'a [(String, Box<dyn TaskObject>)],
}

/// Chooses λ for a problem, and with it one of several tasks, which the problem then has.
///
/// The first task has a ladder of its own. Those of the others are around the λ that is as far below the one with which theirs would begin.
pub(super) fn choose(
    problem: &mut Problem,
    settings: &Settings,
    open: &Open<'_>,
    halt: &Halt,
    mut observe: impl FnMut(ChoiceEvent<'_>),
) -> Result<LambdaChoice> {
    let mut splits = Split::all(problem, settings, open.folds)?;
    let validated_on = splits.iter().map(|split| split.held_out.data().len()).sum();
    let mut choosing = Choosing::new(settings, halt, &splits);
    let mut usual_share = None;
    let mut best: Option<(f64, usize)> = None;
    for place in 0..open.variants.len().max(1) {
        if choosing.is_cut_short {
            break;
        }
        if let Some((name, task)) = open.variants.get(place) {
            observe(ChoiceEvent::Variant(name));
            let fitted = task.fit(problem.examples().names(), problem.examples().data())?;
            splits.iter_mut().try_for_each(|split| split.problem.set_task(fitted.boxed()))?;
        }
        let coarse = choosing.coarse.clone();
        let mut paths: Vec<Path<'_>> =
            splits.iter().map(|split| Path::new(&split.problem, coarse.clone())).collect::<Result<_>>()?;
        let first = paths[0].first_lambda()?;
        let mut ladder = match (open.lambda, usual_share) {
            (Some(lambda), _) => Ladder::only(lambda),
            (None, None) => Ladder::down_from(first),
            (None, Some(share)) => Ladder::around(share * first),
        };
        if problem.examples().len() < FEW {
            ladder = ladder.strict();
        }
        let begin = choosing.tried.len();
        while let Some(lambda) = ladder.next().filter(|_| !choosing.is_cut_short) {
            let Some((badness, tolerance)) =
                choosing.run(place, lambda, &splits, &mut paths, &mut observe)?
            else {
                break;
            };
            ladder.add(lambda, badness, tolerance);
        }
        // There is a first λ always.
        let Some(own) = ladder.best().map(|own| begin + own) else { continue };
        usual_share = usual_share.or(Some(choosing.tried[own].lambda / first));
        if best.is_none_or(|(badness, _)| choosing.badness[own] < badness) {
            best = Some((choosing.badness[own], own));
        }
    }
    let Choosing { figure, tried, is_cut_short, .. } = choosing;
    let chosen = best.map(|(_, place)| tried[place]);
    let (lambda, variant) = chosen.map_or((f64::NAN, 0), |chosen| (chosen.lambda, chosen.variant));
    if let Some((_, task)) = open.variants.get(variant) {
        let fitted = task.fit(problem.examples().names(), problem.examples().data())?;
        problem.set_task(fitted)?;
    }
    let variants = open.variants.iter().map(|(name, _)| name.clone()).collect();
    Ok(LambdaChoice {
        lambda,
        variants,
        variant,
        figure,
        folds: splits.len(),
        validated_on,
        tried,
        is_cut_short,
    })
}

/// What was tried so far, and how runs are made.
struct Choosing<'a> {
    settings: &'a Settings,
    halt: &'a Halt,
    /// The settings of runs.
    coarse: Settings,
    start: Instant,
    /// The number of parts that are predicted.
    parts: usize,
    figure: &'static str,
    tried: Vec<TriedLambda>,
    badness: Vec<f64>,
    is_cut_short: bool,
}

impl<'a> Choosing<'a> {
    fn new(settings: &'a Settings, halt: &'a Halt, splits: &[Split]) -> Self {
        let coarse = Settings {
            gap: settings.gap.max(COARSE_GAP),
            max_passes: Some(settings.max_passes.unwrap_or(MOST_PASSES)),
            ..settings.clone()
        };
        let parts = splits.iter().map(|split| split.held_out.data().parts().1).sum();
        let (tried, badness) = (Vec::new(), Vec::new());
        Self {
            settings,
            halt,
            coarse,
            start: Instant::now(),
            parts,
            figure: "",
            tried,
            badness,
            is_cut_short: false,
        }
    }

    /// Trains with a λ on all splits. How bad that is for what is held out, and by how much less others are as good; nothing where the time
    /// was up before the last split.
    fn run(
        &mut self,
        variant: usize,
        lambda: f64,
        splits: &[Split],
        paths: &mut [Path<'_>],
        observe: &mut impl FnMut(ChoiceEvent<'_>),
    ) -> Result<Option<(f64, f64)>> {
        let time = self.settings.time_limit.map(|limit| limit / TIME_SHARE);
        let start = self.start;
        let left = || time.map(|time| time.saturating_sub(start.elapsed()));
        let is_time_up = || left().is_some_and(|left| left.is_zero());
        let mut found = Folds::default();
        for (k, (split, path)) in splits.iter().zip(paths).enumerate() {
            // One fold of one value there must be.
            self.is_cut_short |= is_time_up();
            if self.is_cut_short && !(self.tried.is_empty() && k == 0) {
                break;
            }
            if let Some(left) = left() {
                path.end_within(left.max(Duration::from_millis(1)));
            }
            observe(ChoiceEvent::Run(lambda, (k + 1, splits.len()), path.limits()));
            let PathStep { weights, outcome, .. } = path.step(lambda, self.halt, |event| {
                observe(ChoiceEvent::Of(event));
                ControlFlow::Continue(())
            })?;
            let metrics = split.held_out.evaluate(split.problem.task(), &weights)?.metrics;
            self.figure = deciding(&metrics, self.settings.surrogate);
            self.is_cut_short |= matches!(outcome.stop, Stop::Interrupted | Stop::TimeLimit);
            found.push((metrics, outcome.report));
        }
        if found.len() < splits.len() && !self.tried.is_empty() {
            return Ok(None);
        }
        let (one, badness) = TriedLambda::of((variant, lambda), &found, self.figure);
        observe(ChoiceEvent::Tried(&one, self.figure));
        self.tried.push(one);
        self.badness.push(badness);
        Ok(Some((badness, TOLERANCE * (badness.max(0.0) / self.parts.max(1) as f64).sqrt())))
    }
}

/// What came of the folds of one λ.
type Folds = Vec<(Metrics, Report)>;

impl TriedLambda {
    /// What came of its folds, and how bad that is by this figure.
    fn of((variant, lambda): (usize, f64), folds: &Folds, figure: &str) -> (Self, f64) {
        let mean = |of: &dyn Fn(&Metrics) -> f64| {
            folds.iter().map(|(metrics, _)| of(metrics)).sum::<f64>() / folds.len() as f64
        };
        let reports = || folds.iter().map(|(_, report)| report);
        let tried = Self {
            variant,
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
