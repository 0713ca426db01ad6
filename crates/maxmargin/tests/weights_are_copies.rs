//! Promise: an example of weight c behaves as c copies of it. The risk is divided by the number of examples, so n · F
//! is what stays the same, at equal λ · n (the C-sum of other tools).

use std::ops::ControlFlow;

use maxmargin::risk::{Groups, evaluate};
use maxmargin::solver::{Limits, SolverKind, SolverSettings, run};
use maxmargin::surrogate::Surrogate;
use proptest::prelude::*;

use crate::common;

use crate::common::problem::{Problem, Sample, cases, numbers, trainable, weights};
use crate::common::reference::optimum_under;
use crate::common::surrogate::Surrogated;

/// Each sample as several, their weights given.
fn split(problem: &Problem, parts: impl Fn(&Sample) -> Vec<f64>) -> Problem {
    let copies = |sample: &Sample| -> Vec<Sample> {
        parts(sample).into_iter().map(|weight| Sample { weight, ..sample.clone() }).collect()
    };
    Problem { samples: problem.samples.iter().flat_map(copies).collect(), ..problem.clone() }
}

/// Whole weights as copies of weight 1.
fn copied(problem: &Problem) -> Problem {
    split(problem, |sample| vec![1.0; sample.weight as usize])
}

/// Each weight as two halves.
fn halved(problem: &Problem) -> Problem {
    split(problem, |sample| vec![0.5 * sample.weight; 2])
}

fn check(
    surrogate: Surrogate,
    one: &Problem,
    other: &Problem,
    product: f64,
    w: &[f64],
) -> Result<(), TestCaseError> {
    let sizes = [one, other].map(|problem| problem.samples.len() as f64);
    let [one, other] = [one, other].map(|problem| Surrogated::new(problem, surrogate, None));
    let risks = [one.risk(), other.risk()];
    // n · R at a point, as the library evaluates it.
    let sums: Vec<f64> = risks
        .iter()
        .zip(sizes)
        .map(|(risk, n)| n * evaluate(&**risk, w.into(), &Groups::new(risk.len(), 3)).unwrap().risk.upper)
        .collect();
    prop_assert!((sums[0] - sums[1]).abs() <= 1e-9 * (1.0 + sums[0]), "n · R = {sums:?} at {w:?}");
    let expected = sizes[0] * one.objective(0.0, w);
    prop_assert!((sums[0] - expected).abs() <= 1e-9 * (1.0 + expected), "{} for {expected}", sums[0]);
    // The optima.
    let reference = optimum_under(&other, product / sizes[1]);
    let rounding = sizes[1] * reference.rounding();
    for kind in SolverKind::EXACT {
        for (risk, n) in risks.iter().zip(sizes) {
            let settings = SolverSettings::new(product / n).unwrap();
            let limits = Limits { gap: 1e-6, max_passes: 3_000, time_limit: None };
            let mut solver = kind.build(&**risk, &settings).unwrap();
            let found =
                run(&mut *solver, &**risk, limits, |_| ControlFlow::Continue(())).unwrap().report.certificate;
            let (lower, upper) = (n * found.lower_bound, n * found.primal);
            let (least, most) = (sizes[1] * reference.lower, sizes[1] * reference.upper);
            prop_assert!(
                lower <= most + rounding
                    && least <= upper + rounding
                    && upper - lower <= 1e-5 * (1.0 + upper),
                "{kind}, {n} examples: n · F* in [{lower}, {upper}], must lie in [{least}, {most}]"
            );
        }
    }
    Ok(())
}

fn surrogate() -> impl Strategy<Value = Surrogate> {
    prop::sample::select(vec![Surrogate::MARGIN, Surrogate::SLACK])
}

proptest! {
    #![proptest_config(cases(25))]

    #[test]
    fn whole_weights(
        problem in trainable(false),
        copies in prop::collection::vec(1u8..=3, 10),
        product in prop::sample::select(vec![1.0, 0.1, 0.02]),
        surrogate in surrogate(),
        at in numbers(),
    ) {
        let mut problem = problem;
        problem.samples.iter_mut().zip(copies).for_each(|(sample, copies)| sample.weight = f64::from(copies));
        let w = weights(&problem, &at);
        common::with_threads(1, || check(surrogate, &problem, &copied(&problem), product, &w))?;
    }

    #[test]
    fn halves(
        problem in trainable(true),
        product in prop::sample::select(vec![1.0, 0.1, 0.02]),
        surrogate in surrogate(),
        at in numbers(),
    ) {
        let w = weights(&problem, &at);
        common::with_threads(1, || check(surrogate, &problem, &halved(&problem), product, &w))?;
    }
}
