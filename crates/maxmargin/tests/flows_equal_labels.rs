//! Promise: where a structure says that its labels are flows, they are: a label's flow has its features, its score and its
//! loss (which the referee for structures compares), and the best flow for any weights is worth no more than the best label.

use std::fmt::Debug;

use maxmargin::structure::{Example, Flow, Links, Structure};
use maxmargin::testing::check_structure;
use proptest::prelude::*;

use crate::common::problem::{Problem, Sizes, TaskKind, cases, dot, numbers, problems, weights};
use crate::networks::Aim;

fn check<S, Y: Debug>(
    problem: &Problem,
    structure: &S,
    input: impl Fn(usize) -> S::Input,
    label: impl Fn(&[u32]) -> Y,
    w: &[f64],
) -> Result<(), TestCaseError>
where
    S: Structure<Label = Y>,
{
    let flow: &dyn Flow<S::Input, Y> = structure.offers().flow.expect("labels are flows");
    for (i, sample) in problem.samples.iter().enumerate() {
        let (x, truth) = (input(i), label(&sample.truth));
        let polytope = flow.polytope(&x, &truth);
        let arcs = flow.arcs(&x);
        prop_assert_eq!(polytope.network.arcs().len(), arcs);
        prop_assert_eq!(polytope.losses.len(), arcs);
        prop_assert_eq!(&polytope.truth, &flow.label_flow(&x, &truth));
        let mut scores = vec![f64::NAN; arcs];
        flow.arc_scores(w, &x, &mut scores);
        let all = || problem.labels_of(i).iter().map(|y| label(y)).collect();
        let example = Example { input: input(i), truth: label(&sample.truth), weight: 1.0 };
        let judged = check_structure(structure, &[example], |_| all());
        judged.map_err(|error| TestCaseError::fail(error.to_string()))?;
        // Far enough in the direction of the scores, the nearest flow is a best one.
        let value: Vec<f64> = scores.iter().zip(&polytope.losses).map(|(score, loss)| score + loss).collect();
        let far: Vec<f64> = value.iter().map(|value| 1e4 * value).collect();
        let z = Aim { network: polytope.network, point: far }.reference();
        let best = dot(&value, &z) + polytope.constant - dot(&scores, &polytope.truth);
        let h = problem.h(i, w);
        prop_assert!((best - h).abs() < 1e-3 * (1.0 + h), "the best flow is worth {best}, and H is {h}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn on_chains(
        problem in problems(
            TaskKind::Chain,
            Sizes { features: 1..=3, labels: 2..=3, lengths: 1..=4, samples: 1..=2, weighted: false },
        ),
        numbers in numbers(),
    ) {
        let data = problem.dataset();
        check(&problem, &problem.chain(), |i| data.input(i), <[u32]>::to_vec, &weights(&problem, &numbers))?;
    }

    #[test]
    fn on_single_labels(
        problem in problems(
            TaskKind::Multiclass,
            Sizes { features: 1..=3, labels: 2..=5, lengths: 1..=1, samples: 1..=2, weighted: false },
        ),
        numbers in numbers(),
    ) {
        let data = problem.dataset();
        check(&problem, &problem.multiclass(), |i| data.input(i), |y| y[0], &weights(&problem, &numbers))?;
    }

    #[test]
    fn on_matchings(
        problem in problems(
            TaskKind::Matching,
            Sizes { features: 1..=3, labels: 2..=2, lengths: 1..=6, samples: 1..=2, weighted: false },
        ),
        numbers in numbers(),
    ) {
        let graphs = problem.graphs();
        check(&problem, &problem.matching(), |i| graphs.graph(i), Links::of_labels, &weights(&problem, &numbers))?;
    }
}
