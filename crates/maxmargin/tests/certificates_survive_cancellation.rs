//! Promise: no certificate is false, to the last digit, also where floating point loses all of them: `lower_bound` is at
//! most F*, and `primal` at least F of the weights that come with it.
//!
//! The referee of `exact` has small problems with all labels listed. It computes F of a run's weights without rounding, and
//! an upper bound on F* from weights of hundreds of digits. Both are compared with what was printed as the numbers they are:
//! there is no tolerance. What a certificate may assume of `exp`, `ln_1p`, `powf` and `erfc` is in
//! `functions_of_the_platform.rs`; the referee uses none of them.
//!
//! `MAXMARGIN_CERTIFICATE_RUNS` says how many runs, `MAXMARGIN_CERTIFICATE_SEED` with which problem to begin: a fault
//! names the seed of its problem. `--nocapture` shows how tight certificates are.

use std::ops::ControlFlow;

use maxmargin::solver::{Certificate, Limits, SolverKind, SolverSettings, Stop, run};
use maxmargin::surrogate::Surrogate;

use crate::common;

use crate::common::problem::{Problem, Sample, Sets, TaskKind, Values};
use crate::common::reference::optimum_under;
use crate::common::surrogate::Surrogated;
use crate::exact::hostile::{Case, case};
use crate::exact::judge::{Charge, Fault, Hearing, Trial, description, hear};
use crate::exact::objective::ExactProblem;
use crate::exact::optimum::optimum;
use crate::exact::rational::Rational;

/// Runs by default: about half a minute.
const RUNS: usize = 400;

/// Problems on which the referee is compared with other references.
const COMPARED: usize = 40;

/// The most faults of a kind that are printed in full.
const MOST_PRINTED: usize = 2;

/// A multiclass problem in which each example has a label of its own.
fn multiclass(rows: &[&[f64]], bias: bool) -> Problem {
    let sample = |(label, row): (u32, &&[f64])| Sample {
        rows: vec![row.to_vec()],
        truth: vec![label],
        weight: 1.0,
        edges: Vec::new(),
    };
    Problem {
        kind: TaskKind::Multiclass,
        features: rows[0].len(),
        pair_features: 0,
        second_order: false,
        labels: rows.len(),
        bias,
        boundary: false,
        mean: false,
        costs: None,
        sets: Sets::default(),
        fertility: (1, 1),
        values: Values::Double,
        sparse: true,
        samples: (0..).zip(rows).map(sample).collect(),
    }
}

/// Every solver on a problem under margin rescaling.
fn judge(problem: &Problem, lambda: f64, gap: f64) -> Vec<Trial> {
    let case = Case {
        is_tame: false,
        surrogated: Surrogated::new(problem, Surrogate::MARGIN, None),
        settings: SolverSettings::new(lambda).unwrap(),
        gap,
        passes: 300,
    };
    let hearing = common::with_threads(1, || hear(&case, SolverKind::solvers())).expect("nothing is refused");
    assert!(hearing.reference_gap < 1e-30, "the reference itself failed: {}", hearing.reference_gap);
    let faults: Vec<String> = hearing.trials.iter().flat_map(told).map(|(_, fault)| fault).collect();
    assert!(faults.is_empty(), "{}\n{}", faults.join("\n"), description(&case));
    hearing.trials
}

/// The faults of a run, and what there is to say about them.
fn told(trial: &Trial) -> Vec<(Fault, String)> {
    let Trial { kind, stop, passes, certificate, .. } = trial;
    let tell = |fault: &Fault| {
        let Fault { charge, excess, text } = fault;
        let end = format!("{certificate:?}, {} after {passes} passes", stop.name());
        (fault.clone(), format!("{kind}, {charge:?}: {text}, by {excess:.2e} of it; {end}"))
    };
    trial.faults.iter().map(tell).collect()
}

#[test]
fn timestamps_as_features() {
    for bias in [true, false] {
        let rows: [&[f64]; 2] = [&[1700000000.747, 1700000000.066], &[1700000000.563, 1700000000.155]];
        judge(&multiclass(&rows, bias), 0.01, 1e-3);
        let rows: [&[f64]; 2] =
            [&[1700000000000.747, 1700000000000.066], &[1700000000000.563, 1700000000000.155]];
        judge(&multiclass(&rows, bias), 1e-4, 1e-3);
    }
}

#[test]
fn the_optimum_with_timestamps_is_known() {
    let rows: [&[f64]; 2] = [&[1700000000.747, 1700000000.066], &[1700000000.563, 1700000000.155]];
    let surrogated = Surrogated::new(&multiclass(&rows, true), Surrogate::MARGIN, None);
    let exact = ExactProblem::new(&surrogated, 0.01).unwrap();
    let value = optimum(&exact).value.high.to_f64();
    assert!((value - 0.268351913).abs() < 1e-9, "{value}");
}

#[test]
fn large_features_and_a_tiny_primal() {
    for bias in [true, false] {
        for gap in [1e-3, 1e-12] {
            let rows: [&[f64]; 2] = [&[1e8, 2.5e8], &[-3e8, 1.5e8]];
            judge(&multiclass(&rows, bias), 1e-4, gap);
        }
    }
}

/// Every solver on the problem of a seed: one that went wrong once.
fn judge_seed(seed: u64) {
    let case = case(seed);
    let hearing = common::with_threads(1, || hear(&case, SolverKind::solvers())).expect("nothing is refused");
    let faults: Vec<String> = hearing.trials.iter().flat_map(told).map(|(_, fault)| fault).collect();
    assert!(faults.is_empty(), "{}\n{}", faults.join("\n"), description(&case));
}

/// The tangent of prob-convex at a label with a margin error of 1e15 was too steep to be asked for, and another label with less
/// loss, worth half as much again, was missed.
#[test]
fn margin_errors_so_large_that_tangents_are_steep() {
    judge_seed(587);
}

/// ψ = (h + 1)·g^−1.5 with costs that have no unit: the rounding of h counts most where g is least.
#[test]
fn a_surrogate_without_bound_near_a_loss_of_0() {
    judge_seed(94);
}

/// Slopes of which nothing but rounding is left: their squares were negative, and sgd began with too much mass.
#[test]
fn labels_that_differ_by_rounding() {
    judge_seed(100_219);
}

/// Losses of long chains are sums whose rounding adds up: with no features, F* is the largest ψ(0, g) of all labels, which is
/// known without listing them.
#[test]
fn losses_that_are_rounded_a_thousand_times() {
    for (length, cost, name, power) in [
        (1000, 2.13, "margin", 1),
        (1000, 2.13, "slack", 1),
        (300, 0.47, "slack", 1),
        (300, 0.94, "general=2,2", 2),
        (300, 0.47, "general=40,40", 40),
    ] {
        let sample =
            Sample { rows: vec![vec![0.0]; length], truth: vec![0; length], weight: 1.0, edges: Vec::new() };
        let problem = Problem {
            kind: TaskKind::Chain,
            costs: Some(vec![0.0, cost, cost, 0.0]),
            samples: vec![sample],
            ..multiclass(&[&[0.0], &[0.0]], false)
        };
        let loss = &Rational::whole(length as i64) * &Rational::from(cost);
        let value = loss.power(power);
        let surrogated = Surrogated::new(&problem, name.parse().unwrap(), None);
        let risk = surrogated.risk();
        let settings = SolverSettings::new(1e200).unwrap();
        for kind in SolverKind::solvers().filter(|kind| kind.check(risk.as_ref()).is_ok()) {
            let mut solver = kind.build(risk.as_ref(), &settings).unwrap();
            let limits = Limits { gap: 0.0, max_passes: 3, time_limit: None };
            let outcome = run(solver.as_mut(), risk.as_ref(), limits, |_| ControlFlow::Continue(())).unwrap();
            let Certificate { primal, lower_bound, .. } = outcome.report.certificate;
            let case = format!("{kind}, {name}, {length} times {cost}");
            assert!(Rational::from(lower_bound) <= value, "{case}: {lower_bound} is above {value:?}");
            assert!(Rational::from(primal) >= value, "{case}: {primal} is below {value:?}");
        }
    }
}

/// The referee against what other tests compare with, which rounds: on moderate numbers both say nearly the same.
#[test]
fn the_referee_agrees_with_the_other_references() {
    let mut compared = 0;
    for seed in (0..).step_by(3) {
        let Case { surrogated, settings: SolverSettings { lambda, .. }, .. } = case(seed);
        let Some(exact) = ExactProblem::new(&surrogated, lambda).filter(|_| surrogated.try_risk().is_ok())
        else {
            continue;
        };
        let numbers = || (0..).map(|j| f64::from((j * 7 + seed as u32) % 11) / 5.0 - 1.0);
        let weights: Vec<f64> = numbers().take(exact.dim).collect();
        let (value, expected) = (exact.at_weights(&weights), surrogated.objective(lambda, &weights));
        let slight = 1e-9 * (1.0 + expected.abs());
        assert!((value.low.to_f64() - expected).abs() <= slight, "seed {seed}: {value:?}, not {expected}");
        let width = (&value.high - &value.low).to_f64();
        assert!(width <= 1e-50 * (1.0 + expected), "seed {seed}: {value:?} is {width} wide");
        let (found, bracket) = (optimum(&exact).value, optimum_under(&surrogated, lambda));
        let (found, slight) = (found.high.to_f64(), bracket.rounding());
        assert!(
            bracket.lower - slight <= found && found <= bracket.upper + slight,
            "seed {seed}: {found} is not in {bracket:?}\n{}",
            description(&case(seed))
        );
        compared += 1;
        if compared == COMPARED {
            return;
        }
    }
}

#[test]
fn random_problems_that_are_hard_on_floating_point() {
    let wanted = common::number_of("MAXMARGIN_CERTIFICATE_RUNS", RUNS);
    let first = common::number_of("MAXMARGIN_CERTIFICATE_SEED", 0) as u64;
    let mut heard: Vec<(Case, Hearing)> = Vec::new();
    let mut found = Vec::new();
    let (mut runs, mut refused) = (0, 0);
    common::with_threads(1, || {
        for seed in first.. {
            if runs >= wanted {
                break;
            }
            let case = case(seed);
            let Some(hearing) = hear(&case, SolverKind::solvers()) else {
                refused += 1;
                continue;
            };
            runs += hearing.trials.len();
            let told = hearing.trials.iter().flat_map(told);
            found.extend(told.map(|(fault, text)| (seed, fault, text)));
            heard.push((case, hearing));
        }
    });
    println!(
        "{runs} runs on {} problems; {refused} problems were refused or have no rational optimum",
        heard.len()
    );
    for is_tame in [true, false] {
        print_summary(is_tame, &heard);
    }
    // The worst of each kind first, with their data.
    found.sort_by(|a, b| b.1.excess.total_cmp(&a.1.excess));
    let of_charge =
        |charge| found.iter().filter(move |(_, fault, _)| fault.charge == charge).take(MOST_PRINTED);
    let tell = |(seed, _, text): &(u64, Fault, String)| {
        format!("seed {seed}, {text}\n{}", description(&case(*seed)))
    };
    let worst: Vec<String> = Charge::ALL.into_iter().flat_map(of_charge).map(tell).collect();
    assert!(found.is_empty(), "{} faults in {runs} runs; the worst:\n{}", found.len(), worst.join("\n"));
}

/// How tight certificates are.
fn print_summary(is_tame: bool, heard: &[(Case, Hearing)]) {
    let hearings: Vec<&(Case, Hearing)> = heard.iter().filter(|(case, _)| case.is_tame == is_tame).collect();
    println!("{} problems with {} numbers", hearings.len(), if is_tame { "moderate" } else { "hostile" });
    for is_linear in [true, false] {
        let own = hearings.iter().filter(|(case, _)| case.surrogated.surrogate.is_linear() == is_linear);
        let mut gaps: Vec<f64> = own.map(|(_, hearing)| hearing.reference_gap).collect();
        let [median, most, all] = [0.5, 0.9, 1.0].map(|share| quantile(&mut gaps, share));
        let name = if is_linear { "linear" } else { "other" };
        println!(
            "  {name} surrogates: gap of the reference median {median:.1e}, 90 % {most:.1e}, largest {all:.1e}"
        );
    }
    let trials: Vec<&Trial> = hearings.iter().flat_map(|(_, hearing)| &hearing.trials).collect();
    for kind in SolverKind::solvers() {
        let own: Vec<&Trial> = trials.iter().copied().filter(|trial| trial.kind == kind).collect();
        if !own.is_empty() {
            print_solver(kind, &own);
        }
    }
}

fn print_solver(kind: SolverKind, trials: &[&Trial]) {
    let reached = trials.iter().filter(|trial| trial.stop == Stop::GapReached).count();
    let stalled = trials.iter().filter(|trial| trial.stop == Stop::Stalled).count();
    let mut gaps: Vec<f64> = trials.iter().map(|trial| trial.certificate.gap().0).collect();
    let mut true_gaps: Vec<f64> = trials.iter().map(|trial| trial.true_gap()).collect();
    let charged = |charge: Charge| {
        let own = || trials.iter().flat_map(|trial| &trial.faults).filter(|fault| fault.charge == charge);
        let worst = own().map(|fault| fault.excess).fold(0.0, f64::max);
        if own().count() == 0 { "0".to_owned() } else { format!("{} ({worst:.0e})", own().count()) }
    };
    println!(
        "  {:>14}: {:4} runs, {:3.0} % reached the gap, {stalled} stalled; gap: median {:.0e}, 75 % {:.0e}; true gap: {:.0e}, {:.0e}; false: primal {}, lower bound {}, no bracket {}, no number {}",
        kind.name(),
        trials.len(),
        100.0 * reached as f64 / trials.len() as f64,
        quantile(&mut gaps, 0.5),
        quantile(&mut gaps, 0.75),
        quantile(&mut true_gaps, 0.5),
        quantile(&mut true_gaps, 0.75),
        charged(Charge::Primal),
        charged(Charge::LowerBound),
        charged(Charge::NoBracket),
        charged(Charge::NoNumber),
    );
}

/// The number below which this share of the numbers is.
fn quantile(numbers: &mut [f64], share: f64) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let last = numbers.len().saturating_sub(1);
    numbers.get((share * last as f64).round() as usize).copied().unwrap_or(f64::NAN)
}
