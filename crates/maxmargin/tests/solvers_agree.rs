//! Promise: all solvers minimise the same F. Their brackets [lower bound, primal] contain the F* of a reference solver
//! that sees every label, and the primal value is F at the weights that are returned.

use std::ops::ControlFlow;
use std::time::Duration;

use maxmargin::solver::{Limits, Outcome, SolverKind, SolverSettings, Stop, run};
use proptest::prelude::*;

use crate::common;

use crate::common::problem::{Problem, Sample, Sets, TaskKind, Values, cases, numbers, trainable, weights};
use crate::common::reference::optimum;

const GAP: f64 = 1e-6;

/// Far more than any of these small problems should need.
const MOST_PASSES: usize = 3_000;

fn train(problem: &Problem, kind: SolverKind, settings: &SolverSettings, max_passes: usize) -> Outcome {
    let risk = problem.risk();
    let limits = Limits { gap: GAP, max_passes, time_limit: None };
    let mut solver = kind.build(&*risk, settings).unwrap();
    run(&mut *solver, &*risk, limits, |_| ControlFlow::Continue(())).unwrap()
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn on_small_problems(
        problem in trainable(true),
        lambda in prop::sample::select(vec![1.0, 0.1, 0.01, 0.001]),
        groups in 1usize..=16,
        seed in 0u64..1000,
        start in prop::option::of(numbers()),
    ) {
        let reference = optimum(&problem, lambda);
        let start = start.map(|numbers| weights(&problem, &numbers));
        let settings = SolverSettings { groups, seed, start, ..SolverSettings::new(lambda).unwrap() };
        let exact = SolverKind::EXACT.map(|kind| (kind, MOST_PASSES));
        let mut brackets: Vec<(SolverKind, f64, f64)> = Vec::new();
        for (kind, max_passes) in exact.into_iter().chain([(SolverKind::Auto, MOST_PASSES), (SolverKind::Sgd, 30), (SolverKind::Sdca, 30)]) {
            // One thread: these problems are too small to share.
            let outcome = common::with_threads(1, || train(&problem, kind, &settings, max_passes));
            let certificate = outcome.report.certificate;
            if !matches!(kind, SolverKind::Sgd | SolverKind::Sdca) {
                prop_assert!(
                    matches!(outcome.stop, Stop::GapReached | Stop::Stalled),
                    "{kind} after {} passes: {certificate:?}, F* in {reference:?}",
                    outcome.report.passes
                );
                // A stall is for the last digits only.
                prop_assert!(
                    certificate.primal - certificate.lower_bound <= GAP * (1.0 + certificate.primal),
                    "{kind} {} after {} passes: {certificate:?}, F* in {reference:?}",
                    outcome.stop.name(),
                    outcome.report.passes
                );
            }
            let rounding = reference.rounding();
            prop_assert!(
                certificate.lower_bound <= reference.upper + rounding && reference.lower <= certificate.primal + rounding,
                "{kind}: {certificate:?} does not contain F* in {reference:?}"
            );
            let primal = problem.objective(lambda, &outcome.weights);
            prop_assert!(
                (primal - certificate.primal).abs() <= 1e-9 * (1.0 + primal),
                "{kind}: F = {primal} at the weights returned, reported {}",
                certificate.primal
            );
            prop_assert_eq!(certificate.oracle_gap, 0.0, "{}: its oracle is exact", kind);
            for &(other, lower, upper) in &brackets {
                prop_assert!(
                    certificate.lower_bound <= upper + rounding && lower <= certificate.primal + rounding,
                    "{kind} says {certificate:?}, {other} says [{lower}, {upper}]"
                );
            }
            brackets.push((kind, certificate.lower_bound, certificate.primal));
        }
    }
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn after_a_change_of_lambda(
        problem in trainable(true),
        lambdas in prop::collection::vec(prop::sample::select(vec![1.0, 0.3, 0.1, 0.01]), 2..4),
        seed in 0u64..1000,
    ) {
        let risk = problem.risk();
        let settings = SolverSettings { seed, ..SolverSettings::new(lambdas[0]).unwrap() };
        let limits = Limits { gap: GAP, max_passes: MOST_PASSES, time_limit: None };
        for kind in [SolverKind::Bcfw, SolverKind::NSlack] {
            let mut solver = kind.build(&*risk, &settings).unwrap();
            for (k, &lambda) in lambdas.iter().enumerate() {
                prop_assert!(k == 0 || solver.set_lambda(lambda), "{kind} goes on with another λ");
                let outcome = common::with_threads(1, || run(&mut *solver, &*risk, limits, |_| ControlFlow::Continue(())).unwrap());
                let certificate = outcome.report.certificate;
                let reference = optimum(&problem, lambda);
                let rounding = reference.rounding();
                prop_assert!(
                    certificate.lower_bound <= reference.upper + rounding && reference.lower <= certificate.primal + rounding,
                    "{kind} with λ = {lambda}, number {k}: {certificate:?} does not contain F* in {reference:?}"
                );
                prop_assert!(
                    certificate.primal - certificate.lower_bound <= GAP * (1.0 + certificate.primal),
                    "{kind} {} with λ = {lambda}, number {k}: {certificate:?}", outcome.stop.name()
                );
                let primal = problem.objective(lambda, &outcome.weights);
                prop_assert!((primal - certificate.primal).abs() <= 1e-9 * (1.0 + primal), "{kind}: F = {primal}");
            }
        }
    }
}

/// Asked for more than floating point can give, a solver stops by itself and says so.
#[test]
fn a_gap_of_zero_comes_to_an_end() {
    let sample =
        |value: f64, y| Sample { rows: vec![vec![value, 1.0]], truth: vec![y], weight: 1.0, edges: vec![] };
    let problem = Problem {
        kind: TaskKind::Multiclass,
        features: 2,
        pair_features: 0,
        second_order: false,
        labels: 3,
        bias: true,
        boundary: false,
        mean: false,
        costs: None,
        sets: Sets::default(),
        fertility: (1, 1),
        values: Values::Double,
        sparse: false,
        samples: (0..9).map(|i| sample(f64::from(i) / 7.0 - 0.6, (i / 2 % 3) as u32)).collect(),
    };
    for kind in SolverKind::EXACT {
        for lambda in [0.3, 0.01] {
            let (done, waiting) = std::sync::mpsc::channel();
            let problem = problem.clone();
            std::thread::spawn(move || {
                let settings = SolverSettings::new(lambda).unwrap();
                let risk = problem.risk();
                let limits = Limits { gap: 0.0, max_passes: 2_000, time_limit: None };
                let outcome = run(&mut *kind.build(&*risk, &settings).unwrap(), &*risk, limits, |_| {
                    ControlFlow::Continue(())
                })
                .unwrap();
                done.send(outcome.report.certificate)
            });
            let certificate = waiting.recv_timeout(Duration::from_secs(20));
            let certificate = certificate
                .unwrap_or_else(|_| panic!("{kind} at λ = {lambda}: no end after 20 seconds, on 9 examples"));
            assert!(certificate.gap().0 < 1e-9, "{kind} at λ = {lambda}: {certificate:?}");
        }
    }
}

/// Five examples whose features nearly depend on each other, and a small λ: block by block the dual crawls here.
#[test]
fn a_badly_conditioned_problem_does_not_take_long() {
    let sample = |rows: &[[f64; 3]], truth: &[u32], weight| Sample {
        rows: rows.iter().map(|row| row.to_vec()).collect(),
        truth: truth.to_vec(),
        weight,
        edges: vec![],
    };
    let problem = Problem {
        kind: TaskKind::Chain,
        features: 3,
        pair_features: 0,
        second_order: false,
        labels: 2,
        bias: false,
        boundary: false,
        mean: true,
        costs: None,
        sets: Sets::default(),
        fertility: (1, 1),
        values: Values::Bytes,
        sparse: false,
        samples: vec![
            sample(&[[2.0, 2.0, 3.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]], &[1, 0, 0], 1.0),
            sample(&[[1.0, 1.0, 1.0]], &[0], 0.5),
            sample(&[[3.0, 2.0, 2.0], [3.0, 0.0, 1.0], [1.0, 1.0, 1.0]], &[0, 1, 0], 3.0),
            sample(&[[0.0, 1.0, 3.0], [1.0, 2.0, 1.0], [2.0, 3.0, 3.0]], &[0, 0, 0], 0.5),
            sample(&[[3.0, 2.0, 1.0], [1.0, 1.0, 1.0], [1.0, 2.0, 2.0]], &[1, 0, 1], 2.0),
        ],
    };
    for kind in SolverKind::EXACT {
        for seed in [0, 1, 185] {
            let settings = SolverSettings { seed, ..SolverSettings::new(0.001).unwrap() };
            let outcome = common::with_threads(1, || train(&problem, kind, &settings, MOST_PASSES));
            assert_eq!(outcome.stop, Stop::GapReached, "{kind}: {:?}", outcome.report.certificate);
        }
    }
}
