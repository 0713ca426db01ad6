//! Promise: every cutting plane lies below its H_i everywhere and touches it where it was asked for, whatever the scale
//! of the point, the weights, the groups and the number of threads.

use maxmargin::linear::CooVector;
use maxmargin::risk::{Evaluation, Groups, Oracle, Plane, Point, evaluate};
use proptest::prelude::*;

use crate::common;

use crate::common::problem::{Problem, Sizes, TaskKind, cases, dot, numbers, problems, weights};

const TOLERANCE: f64 = 1e-9;

fn any_problem(samples: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Problem> {
    let sizes = Sizes { features: 1..=3, labels: 2..=3, lengths: 0..=3, samples, weighted: true };
    let multiclass = Sizes { labels: 2..=6, ..sizes.clone() };
    let sets = Sizes { labels: 1..=5, ..sizes.clone() };
    let graphs = Sizes { lengths: 0..=7, ..sizes.clone() };
    prop_oneof![
        problems(TaskKind::Matching, graphs),
        problems(TaskKind::Multiclass, multiclass),
        problems(TaskKind::Chain, sizes),
        problems(TaskKind::Multilabel, sets),
    ]
}

/// A point that is not on the grid of exact numbers.
fn elsewhere(problem: &Problem, numbers: &[i8]) -> Vec<f64> {
    weights(problem, numbers).iter().enumerate().map(|(j, w)| 0.37 * w + 0.01 * (j % 7) as f64).collect()
}

fn check_planes(problem: &Problem, w: &[f64], others: &[&[f64]]) -> Result<(), TestCaseError> {
    let risk = problem.risk();
    let mut oracle = risk.oracle();
    for i in 0..problem.samples.len() {
        prop_assert_eq!(risk.weight(i), problem.samples[i].weight);
        let mut planes = Vec::new();
        for scale in [1.0, 0.0, 1e-9, 0.25, 1.7, 1e4] {
            let measured = Point::from(w);
            let at = measured.times(scale);
            let here: Vec<f64> = w.iter().map(|w| scale * w).collect();
            let h = problem.h(i, &here);
            let close = |x: f64, y: f64| (x - y).abs() <= TOLERANCE * (1.0 + y.abs());
            let mut plane = Plane::default();
            let bounds = oracle.plane(i, at, &mut plane);
            prop_assert!(
                close(bounds.value, h)
                    && close(bounds.upper - bounds.rounding, h)
                    && bounds.upper >= bounds.value,
                "example {i} at {scale} · {w:?}: H = {h}, the oracle says {bounds:?}"
            );
            let slope = slope(&mut *oracle, i, &plane);
            let tight = slope.dot(&here) + plane.b;
            prop_assert!(close(tight, h), "example {i} at {scale} · {w:?}: H = {h}, the plane has {tight}");
            for &other in others {
                let (below, above) = (slope.dot(other) + plane.b, problem.h(i, other));
                prop_assert!(
                    below <= above + TOLERANCE * (1.0 + above.abs()),
                    "example {i}: the plane of {scale} · {w:?} has {below} at {other:?}, where H is {above}"
                );
            }
            planes.push(plane);
        }
        check_arithmetic(&mut *oracle, i, &planes, w, others)?;
    }
    Ok(())
}

/// The slope of a plane, written out.
fn slope(oracle: &mut dyn Oracle, i: usize, plane: &Plane) -> CooVector {
    let mut terms = CooVector::default();
    oracle.add_slopes(i, std::slice::from_ref(plane), &[(0, 1.0)], &mut terms);
    terms.added_up()
}

/// What the oracle does with planes equals what their slopes, written out, do.
fn check_arithmetic(
    oracle: &mut dyn Oracle,
    i: usize,
    planes: &[Plane],
    w: &[f64],
    others: &[&[f64]],
) -> Result<(), TestCaseError> {
    let slopes: Vec<CooVector> = planes.iter().map(|plane| slope(oracle, i, plane)).collect();
    let close = |x: f64, y: f64| (x - y).abs() <= TOLERANCE * (1.0 + y.abs());
    for (other, scale) in others.iter().zip([1.0, 0.5, 3.0]) {
        let at = Point::unmeasured(other, scale);
        let expected: Vec<f64> =
            slopes.iter().zip(planes).map(|(slope, plane)| scale * slope.dot(other) + plane.b).collect();
        let mut values = Vec::new();
        oracle.values(i, at, planes, &mut values);
        prop_assert!(values.iter().zip(&expected).all(|(&x, &y)| close(x, y)), "{values:?} {expected:?}");
        oracle.plane(i, at, &mut Plane::default());
        values.clear();
        oracle.values_there(i, planes, &mut values);
        prop_assert!(values.iter().zip(&expected).all(|(&x, &y)| close(x, y)), "{values:?} {expected:?}");
    }
    for (k, plane) in planes.iter().enumerate() {
        let mut products = Vec::new();
        oracle.products(i, plane, planes, &mut products);
        let expected = slopes.iter().chain([&slopes[k]]).map(|slope| slope.product(&slopes[k]));
        for (product, expected) in products.iter().zip(expected) {
            prop_assert!(close(*product, expected), "plane {k} of example {i}: {product} for {expected}");
        }
    }
    // Mass that moves between two planes, between three, and that comes from nowhere.
    let last = planes.len() - 1;
    for factors in
        [vec![(0, 0.5), (last, -0.5)], vec![(0, 0.5), (1, 0.25), (last, -0.75)], vec![(1, 2.0), (last, 1.0)]]
    {
        let mut sum = w.to_vec();
        oracle.add_slopes(i, planes, &factors, &mut sum);
        let mut expected = w.to_vec();
        factors.iter().for_each(|&(k, factor)| slopes[k].add_to(factor, &mut expected));
        prop_assert!(
            sum.iter().zip(&expected).all(|(&x, &y)| close(x, y)),
            "{factors:?}: {sum:?} {expected:?}"
        );
    }
    Ok(())
}

fn check_evaluation(problem: &Problem, w: &[f64], other: &[f64]) -> Result<(), TestCaseError> {
    let risk = problem.risk();
    let n = problem.samples.len();
    for wanted in [1, 2, 3, n, n + 2] {
        let groups = Groups::new(n, wanted);
        let evaluation = evaluate(&*risk, w.into(), &groups).unwrap();
        prop_assert_eq!(evaluation.planes.len(), groups.len());
        let at = |x: &[f64]| -> f64 {
            evaluation.planes.iter().map(|plane| dot(&plane.slope, x) + plane.offset).sum()
        };
        let close = |x: f64, y: f64| (x - y).abs() <= TOLERANCE * (1.0 + y.abs());
        let (here, there) = (problem.risk_at(w), problem.risk_at(other));
        prop_assert!(
            close(evaluation.risk.value, here) && close(evaluation.risk.upper, here) && close(at(w), here),
            "{wanted} groups: R = {here}, evaluated {:?}, the planes have {}",
            evaluation.risk,
            at(w)
        );
        prop_assert!(at(other) <= there + TOLERANCE * (1.0 + there), "{wanted} groups: above R at {other:?}");
        for (group, plane) in evaluation.planes.iter().enumerate() {
            let members = groups.range(group);
            let share: f64 = members.map(|i| problem.samples[i].weight * problem.h(i, other)).sum();
            let (below, share) = (dot(&plane.slope, other) + plane.offset, share / n as f64);
            prop_assert!(
                below <= share + TOLERANCE * (1.0 + share),
                "group {group} of {wanted} at {other:?}"
            );
        }
        let all_bits = |evaluation: &Evaluation| {
            let planes = evaluation.planes.iter().flat_map(|p| p.slope.iter().copied().chain([p.offset]));
            let numbers: Vec<f64> = planes.chain([evaluation.risk.value, evaluation.risk.upper]).collect();
            common::bits(&numbers)
        };
        for threads in [1, 2, 3] {
            let again = common::with_threads(threads, || evaluate(&*risk, w.into(), &groups).unwrap());
            prop_assert!(all_bits(&again) == all_bits(&evaluation), "{threads} threads, {wanted} groups");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn planes_of_examples(problem in any_problem(1..=3), at in numbers(), first in numbers(), second in numbers()) {
        let others = [weights(&problem, &first), elsewhere(&problem, &second), vec![0.0; problem.dim()]];
        let others = others.each_ref().map(Vec::as_slice);
        check_planes(&problem, &weights(&problem, &at), &others)?;
        check_planes(&problem, &elsewhere(&problem, &at), &others)?;
    }
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn planes_of_groups(problem in any_problem(1..=12), at in numbers(), other in numbers()) {
        check_evaluation(&problem, &elsewhere(&problem, &at), &elsewhere(&problem, &other))?;
    }

    #[test]
    fn planes_of_many_examples(problem in any_problem(100..=200), at in numbers(), other in numbers()) {
        check_evaluation(&problem, &elsewhere(&problem, &at), &elsewhere(&problem, &other))?;
    }
}
