//! Promise: where a structure says that its labels are flows, they are: a label's flow has its features, its score and its
//! loss, and the best flow for any weights is worth no more than the best label.

use std::fmt::Debug;

use maxmargin::data::Dataset;
use maxmargin::inference::FlowProjection;
use maxmargin::linear::Terms;
use maxmargin::structure::{Flow, Links, Structure};
use maxmargin::task::TaskKind;
use proptest::prelude::*;

mod common;

use common::problem::{Problem, Sizes, cases, dot, numbers, problems, weights};

fn check<S, Y: Debug>(
    problem: &Problem,
    structure: &S,
    input: impl Fn(&Dataset, usize) -> S::Input,
    label: impl Fn(&[u32]) -> Y,
    w: &[f64],
) -> Result<(), TestCaseError>
where
    S: Structure<Label = Y>,
{
    let flow: &dyn Flow<S::Input, Y> = structure.as_flow().expect("labels are flows");
    let data = problem.dataset();
    for (i, sample) in problem.samples.iter().enumerate() {
        let (x, truth) = (input(&data, i), label(&sample.truth));
        let polytope = flow.polytope(&x, &truth);
        let arcs = flow.arcs(&x);
        prop_assert_eq!(polytope.network.arcs().len(), arcs);
        prop_assert_eq!(polytope.losses.len(), arcs);
        prop_assert_eq!(&polytope.truth, &flow.label_flow(&x, &truth));
        let mut scores = vec![f64::NAN; arcs];
        flow.arc_scores(w, &x, &mut scores);
        for y in problem.labels_of(i) {
            let z = flow.label_flow(&x, &label(&y));
            prop_assert_eq!(polytope.network.excess(&z), 0.0, "{:?} is no flow", y);
            let mut features = vec![0.0; problem.dim()];
            flow.add_flow_features(&x, &z, &mut features);
            let mut by_arcs = Terms::default();
            (0..arcs).filter(|&a| z[a] == 1.0).for_each(|a| flow.add_arc_features(&x, a, &mut by_arcs));
            let mut sum = vec![0.0; problem.dim()];
            by_arcs.add_to(1.0, &mut sum);
            prop_assert!(sum.iter().zip(&features).all(|(a, b)| (a - b).abs() < 1e-9), "arc by arc: {sum:?}");
            let phi = problem.phi(i, &y);
            prop_assert!(
                features.iter().zip(&phi).all(|(a, b)| (a - b).abs() < 1e-9),
                "{y:?} has the features {features:?}, not {phi:?}"
            );
            let score = dot(w, &phi);
            prop_assert!((dot(&scores, &z) - score).abs() < 1e-9 * (1.0 + score.abs()), "the score of {y:?}");
            prop_assert!((polytope.loss(&z) - problem.loss(i, &y)).abs() < 1e-9, "the loss of {y:?}");
        }
        // Far enough in the direction of the scores, the nearest flow is a best one.
        let value: Vec<f64> = scores.iter().zip(&polytope.losses).map(|(score, loss)| score + loss).collect();
        let far: Vec<f64> = value.iter().map(|value| 1e4 * value).collect();
        let (mut z, mut potentials) = (vec![0.0; arcs], vec![0.0; polytope.network.nodes()]);
        FlowProjection::default().project(&polytope.network, &far, &mut potentials, &mut z);
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
        check(&problem, &problem.chain(), Dataset::input, <[u32]>::to_vec, &weights(&problem, &numbers))?;
    }

    #[test]
    fn on_single_labels(
        problem in problems(
            TaskKind::Multiclass,
            Sizes { features: 1..=3, labels: 2..=5, lengths: 1..=1, samples: 1..=2, weighted: false },
        ),
        numbers in numbers(),
    ) {
        check(&problem, &problem.multiclass(), Dataset::input, |y| y[0], &weights(&problem, &numbers))?;
    }

    #[test]
    fn on_matchings(
        problem in problems(
            TaskKind::Matching,
            Sizes { features: 1..=3, labels: 2..=2, lengths: 1..=6, samples: 1..=2, weighted: false },
        ),
        numbers in numbers(),
    ) {
        let graph = |data: &Dataset, i| data.graph(i).expect("a graph");
        check(&problem, &problem.matching(), graph, Links::of_labels, &weights(&problem, &numbers))?;
    }
}
