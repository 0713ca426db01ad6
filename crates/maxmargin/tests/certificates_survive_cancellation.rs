//! Promise: no certificate is false, to the last digit, also where floating point loses all of them: `lower_bound` is at
//! most F*, and `primal` at least F of the weights that come with it.
//!
//! The referee of `exact` has small problems with all labels listed. It computes F of a run's weights without rounding, and
//! an upper bound on F* from weights of hundreds of digits. Both are compared with what was printed as the numbers they are:
//! there is no tolerance.
//!
//! `MAXMARGIN_CERTIFICATE_RUNS` says how many runs, `MAXMARGIN_CERTIFICATE_SEED` with which problem to begin: a fault
//! names the seed of its problem. `--nocapture` shows how tight certificates are.

use maxmargin::solver::{SolverKind, SolverSettings};
use maxmargin::surrogate::Surrogate;
use maxmargin::task::TaskKind;

mod common;
mod exact;

use common::problem::{Problem, Sample, Sets, Values};
use common::surrogate::Surrogated;
use exact::hostile::{Case, case};
use exact::judge::{SOLVERS, Trial, description, hear};

/// Runs by default: less than a minute.
const RUNS: usize = 600;

/// The most faults that are printed in full.
const MOST_PRINTED: usize = 6;

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
        surrogated: Surrogated::new(problem, Surrogate::MARGIN, None),
        settings: SolverSettings::new(lambda).unwrap(),
        gap,
        passes: 300,
    };
    let hearing = common::with_threads(1, || hear(&case, &SOLVERS)).expect("nothing is refused");
    assert!(hearing.reference_gap < 1e-30, "the reference itself failed: {}", hearing.reference_gap);
    let faults: Vec<String> = hearing.trials.iter().flat_map(|trial| faults(trial, &case)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    hearing.trials
}

/// The faults of a run, with all that it takes to see them again.
fn faults(trial: &Trial, case: &Case) -> Vec<String> {
    let tell = |fault: &String| {
        let Trial { kind, stop, passes, certificate, .. } = trial;
        format!(
            "{kind}: {fault}\n  {certificate:?}, {} after {passes} passes\n{}",
            stop.name(),
            description(case)
        )
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
    let exact = exact::objective::ExactProblem::new(&surrogated, 0.01).unwrap();
    let optimum = exact::optimum::optimum(&exact);
    let value = optimum.value.high.to_f64();
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

fn number_of(variable: &str, default: usize) -> usize {
    std::env::var(variable).map_or(default, |text| {
        text.parse().unwrap_or_else(|_| panic!("{variable} is {text:?}, which is no whole number"))
    })
}

#[test]
fn random_problems_that_are_hard_on_floating_point() {
    let wanted = number_of("MAXMARGIN_CERTIFICATE_RUNS", RUNS);
    let first = number_of("MAXMARGIN_CERTIFICATE_SEED", 0) as u64;
    let (mut trials, mut found, mut skipped): (Vec<Trial>, Vec<String>, usize) = (Vec::new(), Vec::new(), 0);
    let mut reference_gaps = Vec::new();
    common::with_threads(1, || {
        for seed in first.. {
            if trials.len() >= wanted {
                break;
            }
            let case = case(seed);
            let Some(hearing) = hear(&case, &SOLVERS) else {
                skipped += 1;
                continue;
            };
            for trial in &hearing.trials {
                found.extend(faults(trial, &case).iter().map(|fault| format!("seed {seed}, {fault}")));
            }
            reference_gaps.push(hearing.reference_gap);
            trials.extend(hearing.trials);
        }
    });
    println!("{} runs on {} problems, {skipped} problems refused", trials.len(), reference_gaps.len());
    println!(
        "gap of the reference: median {:.1e}, largest {:.1e}",
        quantile(&mut reference_gaps, 0.5),
        quantile(&mut reference_gaps, 1.0)
    );
    for kind in SOLVERS {
        print_summary(kind, &trials);
    }
    let printed: Vec<&str> = found.iter().map(String::as_str).take(MOST_PRINTED).collect();
    assert!(
        found.is_empty(),
        "{} false of {} certificates\n{}",
        found.len(),
        trials.len(),
        printed.join("\n")
    );
}

/// How tight the certificates of a solver are.
fn print_summary(kind: SolverKind, trials: &[Trial]) {
    let own: Vec<&Trial> = trials.iter().filter(|trial| trial.kind == kind).collect();
    if own.is_empty() {
        return;
    }
    let share = |count: usize| 100.0 * count as f64 / own.len() as f64;
    let reached = own.iter().filter(|trial| trial.stop == maxmargin::solver::Stop::GapReached).count();
    let mut gaps: Vec<f64> = own.iter().map(|trial| trial.certificate.gap().0).collect();
    let mut true_gaps: Vec<f64> = own.iter().map(|trial| trial.true_gap()).collect();
    let faulty = own.iter().filter(|trial| !trial.faults.is_empty()).count();
    println!(
        "{:>14}: {:4} runs, {faulty:3} false, gap reached {:3.0} %, gap median {:.1e} upper quartile {:.1e}, true gap median {:.1e} upper quartile {:.1e}",
        kind.name(),
        own.len(),
        share(reached),
        quantile(&mut gaps, 0.5),
        quantile(&mut gaps, 0.75),
        quantile(&mut true_gaps, 0.5),
        quantile(&mut true_gaps, 0.75),
    );
}

/// The number below which this share of the numbers is.
fn quantile(numbers: &mut [f64], share: f64) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let last = numbers.len().saturating_sub(1);
    numbers.get((share * last as f64).round() as usize).copied().unwrap_or(f64::NAN)
}
