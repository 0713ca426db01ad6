//! Promise: certificates of segmentations are true to the last digit where floating point loses all of them: with free widths and with templates,
//! with features of segments and without, and with truths that no cut can express.
//!
//! The referee of `exact` lists all cuts of short sequences, and holds every solver to them.
//!
//! `MAXMARGIN_CERTIFICATE_RUNS` says how many runs, `MAXMARGIN_CERTIFICATE_SEED` with which problem to begin.

use std::sync::Arc;

use maxmargin::features::{FeatureMatrix, Rows};
use maxmargin::inference::Segment;
use maxmargin::risk::{Risk, StructuredRisk};
use maxmargin::search::{MarginSearch, Strategy, SurrogateSearch};
use maxmargin::solver::{Certificate, Limits, SolverKind, SolverSettings};
use maxmargin::structure::{
    ChainLoss, CostMatrix, Example, LabelCost, SegmentInput, SegmentLoss, SegmentationOptions,
    SegmentationStructure, Widths,
};
use maxmargin::surrogate::Surrogate;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::common;
use crate::common::problem::{Problem, Sample, Sets, TaskKind, Values};
use crate::exact::docket::Docket;
use crate::exact::hostile::{give_digits, number_between, spoil};
use crate::exact::judge::{Trial, judge_bounds, try_solver};
use crate::exact::optimum::optimum;
use crate::exact::segments::{CutLoss, CutProblem, Sequence};

/// Runs by default.
const RUNS: usize = 200;

/// The most cuts that a sequence may have.
const MOST_CUTS: usize = 60;

/// Each as often as it stands here.
const SURROGATES: [&str; 8] =
    ["margin", "margin", "margin", "margin", "slack", "log", "prob-convex", "micro-f1"];

/// A problem, and how it is trained.
struct Case {
    problem: CutProblem,
    strategy: Strategy,
    settings: SolverSettings,
    limits: Limits,
}

/// Rows of numbers that are hard on floating point, with weights of examples: some for each sequence.
fn rows(random: &mut Pcg64Mcg, features: usize, counts: &[usize], is_tame: bool) -> Problem {
    let mut sample = |&count: &usize| Sample {
        rows: (0..count)
            .map(|_| (0..features).map(|_| f64::from(random.random_range(-3..=3))).collect())
            .collect(),
        truth: vec![0; count],
        weight: 1.0,
        edges: Vec::new(),
    };
    let mut problem = Problem {
        kind: TaskKind::Chain,
        features,
        pair_features: 0,
        second_order: false,
        labels: 2,
        bias: false,
        boundary: false,
        mean: false,
        costs: None,
        sets: Sets::default(),
        fertility: (1, 1),
        values: Values::Double,
        sparse: false,
        samples: counts.iter().map(&mut sample).collect(),
    };
    match is_tame {
        true => give_digits(&mut problem, random),
        false => spoil(&mut problem, random),
    }
    problem
}

/// Widths such that the sequence can be covered, in not too many ways.
fn widths(random: &mut Pcg64Mcg, longest_sequence: usize) -> Widths {
    let classes = random.random_range(2..=3);
    let mut all: Vec<u32> = (0..classes).map(|_| random.random_range(1..=3)).collect();
    all[0] = 1;
    match random.random_range(0..3) {
        0 => Widths::Exactly(all),
        1 if longest_sequence > 3 => Widths::Exactly(all),
        _ => Widths::UpTo(all.iter().map(|&width| width.min(2 + u32::from(classes == 2))).collect()),
    }
}

/// A cut at random. Segments may be too long for their class.
fn random_cut(random: &mut Pcg64Mcg, length: usize, classes: usize) -> Vec<Segment> {
    let mut cut = Vec::new();
    let mut start = 0;
    while start < length {
        let end = random.random_range(start + 1..=length);
        cut.push(Segment::new(start..end, random.random_range(0..classes)));
        start = end;
    }
    cut
}

fn case(seed: u64) -> Case {
    let random = &mut Pcg64Mcg::seed_from_u64(seed);
    let is_tame = seed.is_multiple_of(4);
    let counts: Vec<usize> = (0..random.random_range(2..=3)).map(|_| random.random_range(1..=4)).collect();
    let widths = widths(random, counts.iter().copied().max().unwrap_or(1));
    let (classes, longest) = (widths.classes(), widths.longest());
    let features = random.random_range(1..=2);
    let of_positions = rows(random, features, &counts, is_tame);
    let has_segment_features = random.random_range(0..3) == 0;
    let of_segments = has_segment_features.then(|| {
        let counts: Vec<usize> = of_positions.samples.iter().map(|s| s.rows.len() * longest).collect();
        rows(random, 1, &counts, is_tame)
    });
    let surrogate: Surrogate = SURROGATES.choose(random).unwrap().parse().unwrap();
    let unit = if random.random() { 1.0 } else { random.random_range(0.1..3.0) };
    let has_matrix: bool = random.random();
    let mut cost = |truth: usize, class: usize| match truth == class {
        true => 0.0,
        false if has_matrix => unit * f64::from(random.random_range(1..4)),
        false => 1.0,
    };
    let costs = (0..classes * classes).map(|place| cost(place / classes, place % classes)).collect();
    let loss = match random.random_range(0..3) {
        0 => CutLoss::Segments,
        kind => CutLoss::Positions { costs, is_mean: kind == 1 },
    };
    let samples = of_positions.samples.into_iter().enumerate();
    let sequences = samples.map(|(i, sample)| {
        let possible = loop {
            // Half of the truths can be found.
            let cut = random_cut(random, sample.rows.len(), classes);
            let can_find = cut.iter().all(|s| widths.admits(s.class as usize, s.len()));
            if can_find || random.random_range(0..4) == 0 {
                break cut;
            }
        };
        Sequence {
            segment_rows: of_segments.as_ref().map_or(Vec::new(), |rows| {
                let own = &rows.samples[i].rows;
                // Examples that were doubled may have other lengths.
                (0..sample.rows.len() * longest).map(|k| own[k % own.len()].clone()).collect()
            }),
            rows: sample.rows,
            truth: possible,
            weight: sample.weight,
        }
    });
    let sequences = sequences.collect();
    let lambdas = if is_tame { (-3, 1) } else { (-8, 3) };
    let lambda = number_between(lambdas.0, lambdas.1, random);
    let problem = CutProblem {
        background: random.random_range(0..2u32).checked_sub(1),
        edges: matches!(widths, Widths::UpTo(_)) && random.random(),
        lengths: random.random(),
        boundary: random.random(),
        widths,
        loss,
        surrogate,
        lambda,
        sequences,
    };
    let settings = SolverSettings {
        groups: random.random_range(1..=3),
        seed: random.random_range(0..1000),
        ..SolverSettings::new(lambda).unwrap()
    };
    let passes = *[10, 20, 60].choose(random).unwrap();
    let gap = *[1e-3, 1e-6, 1e-9, 0.0].choose(random).unwrap();
    // What costs no whole numbers has strata only if it is rounded.
    let is_whole = |cost: &f64| cost.fract() == 0.0;
    let has_strata = match &problem.loss {
        CutLoss::Positions { costs, .. } => costs.iter().all(is_whole),
        CutLoss::Segments => true,
    };
    let strategy = if has_strata && random.random() { Strategy::Stratified } else { Strategy::Hull };
    Case { problem, strategy, settings, limits: Limits { gap, max_passes: passes, time_limit: None } }
}

impl Case {
    /// None where the library refuses it: a search that does not go with the loss, or a sequence that is not covered.
    fn risk(&self) -> Option<Box<dyn Risk>> {
        let problem = &self.problem;
        let loss = match &problem.loss {
            CutLoss::Segments => SegmentLoss::Segments,
            CutLoss::Positions { costs, is_mean } => {
                let classes = problem.widths.classes();
                let is_plain =
                    |(place, &cost): (usize, &f64)| cost == f64::from(u8::from(place % (classes + 1) != 0));
                let cost = match costs.iter().enumerate().all(is_plain) {
                    true => LabelCost::ZeroOne,
                    false => LabelCost::Matrix(Arc::new(CostMatrix::new(classes, costs.clone()).unwrap())),
                };
                SegmentLoss::Positions(ChainLoss { cost, mean: *is_mean })
            }
        };
        let options = SegmentationOptions {
            widths: problem.widths.clone(),
            background: problem.background,
            edges: problem.edges,
            lengths: problem.lengths,
            boundary: problem.boundary,
            loss,
        };
        let structure =
            SegmentationStructure::new(problem.features(), problem.segment_features(), options).unwrap();
        let whole = |rows: &[Vec<f64>]| Rows::new(&Arc::new(FeatureMatrix::from_dense(rows)), 0..rows.len());
        let example = |sequence: &Sequence| Example {
            input: SegmentInput {
                positions: whole(&sequence.rows),
                segments: (!sequence.segment_rows.is_empty()).then(|| whole(&sequence.segment_rows)),
                keys: None,
            },
            truth: sequence.truth.clone(),
            weight: sequence.weight,
        };
        let examples = problem.sequences.iter().map(example).collect();
        if problem.surrogate == Surrogate::MARGIN {
            return Some(Box::new(StructuredRisk::new(structure, MarginSearch, examples).unwrap()));
        }
        let search = SurrogateSearch::new(problem.surrogate, self.strategy).ok()?;
        let search = search.with_background(problem.background);
        Some(Box::new(StructuredRisk::new(structure, search, examples).ok()?))
    }

    /// Every solver that applies, judged.
    fn hear(&self) -> Option<Vec<Trial>> {
        let is_small = |sequence: &Sequence| self.problem.cuts(sequence.rows.len()).len() <= MOST_CUTS;
        if !self.problem.sequences.iter().all(is_small) {
            return None;
        }
        let risk = self.risk()?;
        let exact = self.problem.exact();
        let solvers = SolverKind::solvers().filter(|kind| kind.check(risk.as_ref()).is_ok());
        let try_one = |kind| {
            let risk = self.risk().expect("it was there before");
            let value_of = |weights: &[f64]| exact.at_weights(weights);
            try_solver(risk.as_ref(), &self.settings, self.limits, kind, value_of)
        };
        let mut trials: Vec<Trial> = solvers.map(try_one).collect();
        judge_bounds(&mut trials, optimum(&exact).value.high);
        Some(trials)
    }
}

#[test]
fn random_problems_that_are_hard_on_floating_point() {
    let wanted = common::number_of("MAXMARGIN_CERTIFICATE_RUNS", RUNS);
    let first = common::number_of("MAXMARGIN_CERTIFICATE_SEED", 0) as u64;
    let (mut problems, mut templates, mut beyond, mut docket) = (0, 0, 0, Docket::default());
    common::with_threads(1, || {
        for seed in first.. {
            if docket.runs >= wanted {
                break;
            }
            let case = case(seed);
            let Some(trials) = case.hear() else { continue };
            problems += 1;
            templates += usize::from(matches!(case.problem.widths, Widths::Exactly(_)));
            let cannot = |s: &Segment| !case.problem.widths.admits(s.class as usize, s.len());
            beyond += usize::from(case.problem.sequences.iter().any(|s| s.truth.iter().any(cannot)));
            docket.add(&trials, case.limits.gap, || {
                let Case { problem, settings, limits, strategy } = &case;
                let SolverSettings { groups, seed: own, .. } = settings;
                format!("seed {seed}, {strategy:?}, groups {groups}, seed {own}, {limits:?}\n  {problem:?}")
            });
        }
    });
    let Docket { runs, reached, solvers, .. } = &docket;
    println!(
        "{runs} runs of {} solvers on {problems} problems, {templates} of templates, {beyond} with truths beyond reach; {reached} runs to their gap",
        solvers.len()
    );
    docket.close();
    assert!(
        first > 0 || wanted < RUNS || (templates > 3 && beyond > 3 && reached * 6 > *runs),
        "too few of some kind"
    );
}

/// The referee against F as the library has it, on moderate numbers.
#[test]
fn the_referee_agrees_with_the_library() {
    let mut compared = 0;
    for seed in (0..160).step_by(4) {
        let case = case(seed);
        let (Some(risk), problem) = (case.risk(), &case.problem) else { continue };
        let numbers = (0..).map(|j| f64::from((j * 7 + seed as u32) % 11) / 5.0 - 1.0);
        let weights: Vec<f64> = numbers.take(risk.dim()).collect();
        let expected = Certificate::of_weights(risk.as_ref(), problem.lambda, &weights, 0.0).unwrap().primal;
        let exact = problem.exact();
        assert_eq!(exact.dim, risk.dim(), "seed {seed}");
        let value = exact.at_weights(&weights);
        let (low, high) = (value.low.to_f64(), value.high.to_f64());
        assert!(high - low <= 1e-7 * high, "seed {seed}: {low} to {high}");
        assert!((low - expected).abs() <= 1e-6 * expected, "seed {seed}: {low} to {high}, not {expected}");
        compared += 1;
    }
    assert!(compared > 20, "{compared}");
}
