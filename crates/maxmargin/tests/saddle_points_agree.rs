//! Promise: the solvers for saddle points minimise the same F as those with planes, wherever labels are flows; their
//! bounds hold after every pass; and they are refused, with a reason, where labels are no flows.

use std::ops::ControlFlow;

use maxmargin::solver::{Limits, SolverKind, SolverSettings, Stop, run};
use proptest::prelude::*;

use crate::common;

use crate::common::problem::{Problem, Sizes, TaskKind, cases, problems, trainable};
use crate::common::reference::optimum;
use crate::common::surrogate::Surrogated;

const SOLVERS: [SolverKind; 2] = [SolverKind::Extragradient, SolverKind::SmallQp];

/// The relative gap to be reached, and the passes that are more than enough for it.
const GAP: f64 = 1e-5;
const MOST_PASSES: usize = 3_000;

/// Problems whose labels are flows.
fn flows() -> BoxedStrategy<Problem> {
    let sizes = Sizes { features: 1..=3, labels: 2..=3, lengths: 1..=3, samples: 1..=6, weighted: true };
    let multiclass = Sizes { features: 1..=4, labels: 2..=5, samples: 1..=10, ..sizes.clone() };
    let graphs = Sizes { lengths: 1..=6, ..sizes.clone() };
    prop_oneof![
        problems(TaskKind::Multiclass, multiclass),
        problems(TaskKind::Chain, sizes),
        problems(TaskKind::Matching, graphs),
    ]
    .boxed()
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn with_a_reference(
        problem in flows(),
        lambda in prop::sample::select(vec![1.0, 0.1, 0.01, 0.001]),
    ) {
        let reference = optimum(&problem, lambda);
        let rounding = reference.rounding();
        let risk = problem.risk();
        for kind in SOLVERS {
            prop_assert!(kind.check(&*risk).is_ok());
            let settings = SolverSettings::new(lambda).unwrap();
            let limits = Limits { gap: GAP, max_passes: MOST_PASSES, time_limit: None };
            let mut solver = kind.build(&*risk, &settings).unwrap();
            let mut broken = None;
            let outcome = common::with_threads(1, || run(&mut *solver, &*risk, limits, |report| {
                let certificate = report.certificate;
                if certificate.lower_bound > reference.upper + rounding || report.primal_now < reference.lower - rounding {
                    broken = Some(*report);
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            }).unwrap());
            prop_assert!(broken.is_none(), "{kind}: {broken:?} does not contain F* in {reference:?}");
            let certificate = outcome.report.certificate;
            prop_assert!(
                outcome.stop == Stop::GapReached || certificate.primal - certificate.lower_bound <= GAP * (1.0 + certificate.primal),
                "{kind} {} after {} passes: {certificate:?}, F* in {reference:?}", outcome.stop.name(), outcome.report.passes
            );
            let primal = problem.objective(lambda, &outcome.weights);
            prop_assert!(
                (primal - certificate.primal).abs() <= 1e-9 * (1.0 + primal),
                "{kind}: F = {primal} at the weights returned, reported {}", certificate.primal
            );
        }
    }

    #[test]
    fn after_a_change_of_lambda(
        problem in flows(),
        lambdas in prop::collection::vec(prop::sample::select(vec![1.0, 0.3, 0.1, 0.01]), 2..4),
    ) {
        let risk = problem.risk();
        let mut solver = SolverKind::Extragradient.build(&*risk, &SolverSettings::new(lambdas[0]).unwrap()).unwrap();
        for (k, &lambda) in lambdas.iter().enumerate() {
            prop_assert!(k == 0 || solver.set_lambda(lambda));
            let limits = Limits { gap: GAP, max_passes: MOST_PASSES, time_limit: None };
            let outcome =
                common::with_threads(1, || run(&mut *solver, &*risk, limits, |_| ControlFlow::Continue(())).unwrap());
            let certificate = outcome.report.certificate;
            let reference = optimum(&problem, lambda);
            let primal = problem.objective(lambda, &outcome.weights);
            let case = || format!("λ = {lambda}, number {k}: {certificate:?}, F* in {reference:?}");
            reference.check(certificate, primal, 1e-9 * (1.0 + primal), case)?;
            let left = certificate.primal - certificate.lower_bound;
            prop_assert!(left <= GAP * (1.0 + certificate.primal), "{} {}", outcome.stop.name(), case());
        }
    }

    #[test]
    fn to_be_refused_without_flows(problem in trainable(false)) {
        let has_flows = problem.kind != TaskKind::Multilabel;
        let slack = Surrogated::new(&problem, "slack".parse().unwrap(), Some("hull".parse().unwrap()));
        for kind in SOLVERS {
            prop_assert_eq!(kind.check(&*problem.risk()).is_ok(), has_flows, "{} for {}", kind, problem.kind);
            let message = kind.check(&*slack.risk()).unwrap_err().to_string();
            prop_assert!(message.contains("margin") && message.contains("bcfw"), "{message}");
            let built = kind.build(&*slack.risk(), &SolverSettings::new(0.1).unwrap());
            prop_assert_eq!(built.err().map(|error| error.to_string()), Some(message));
        }
    }
}
