//! Promise: every solver minimises every convex surrogate, whatever the search. Its bracket [lower bound, primal] contains
//! the F* of a reference that lists all labels, and the primal value is F at the weights returned. With searches that
//! may miss labels the bracket still contains F*, and the certificate owns up to what may have been missed.

use std::ops::ControlFlow;

use maxmargin::search::Strategy as Search;
use maxmargin::solver::{Limits, Outcome, SolverKind, SolverSettings, Stop, run};
use maxmargin::surrogate::Surrogate;
use proptest::prelude::*;

use crate::common;

use crate::common::problem::{cases, numbers, trainable, weights};
use crate::common::reference::optimum_under;
use crate::common::surrogate::Surrogated;

const GAP: f64 = 1e-5;

/// What is asked where the objective is curved, and planes touch it in one point only.
const CURVED_GAP: f64 = 1e-3;

/// Far more than any of these small problems should need.
const MOST_PASSES: usize = 2_000;

const CONVEX: [&str; 14] = [
    "margin",
    "slack",
    "beta=0.25",
    "beta=0.5",
    "general=0.5,0",
    "general=1.5,1",
    "general=0.3,0.3",
    "general=2.2,1.2",
    "general=0,0",
    "general=-1,-1.5",
    "general=0,-1",
    "log",
    "prob-convex",
    "micro-f1",
];

/// Every surrogate with the search chosen for it and each that may be asked for.
fn pairs() -> Vec<(Surrogate, Option<Search>)> {
    let surrogates = CONVEX.map(|name| name.parse::<Surrogate>().unwrap());
    let searches = |surrogate: Surrogate| {
        let named = Search::ALL.into_iter().filter(move |search| search.check(surrogate).is_ok());
        [None].into_iter().chain(named.map(Some)).map(move |search| (surrogate, search))
    };
    surrogates.into_iter().flat_map(searches).collect()
}

fn train(surrogated: &Surrogated, kind: SolverKind, settings: &SolverSettings, max_passes: usize) -> Outcome {
    let risk = surrogated.risk();
    kind.check(&*risk).unwrap();
    let limits = Limits { gap: GAP, max_passes, time_limit: None };
    run(&mut *kind.build(&*risk, settings).unwrap(), &*risk, limits, |_| ControlFlow::Continue(())).unwrap()
}

/// Solvers with the most passes that they get: those that need not come to an end, or cannot, get few.
fn solvers(is_exact: bool) -> impl Iterator<Item = (SolverKind, usize)> {
    let most = if is_exact { MOST_PASSES } else { 40 };
    let exact = SolverKind::EXACT.into_iter().map(move |kind| (kind, most));
    exact.chain([(SolverKind::Sgd, 15), (SolverKind::Sdca, 15)])
}

fn check(surrogated: &Surrogated, lambda: f64, settings: &SolverSettings) -> Result<(), TestCaseError> {
    let Surrogated { surrogate, strategy, .. } = surrogated;
    let reference = optimum_under(surrogated, lambda);
    let is_exact = strategy.is_none_or(Search::is_exact);
    for (kind, max_passes) in solvers(is_exact) {
        // One thread: these problems are too small to share.
        let outcome = common::with_threads(1, || train(surrogated, kind, settings, max_passes));
        let certificate = outcome.report.certificate;
        let case = || {
            let search = strategy.map_or("auto", Search::name);
            let (passes, stop) = (outcome.report.passes, outcome.stop.name());
            format!(
                "{surrogate}, {search}, {kind}, λ = {lambda}: {certificate:?}, {stop} after {passes} passes, F* in {reference:?}"
            )
        };
        let primal = surrogated.objective(lambda, &outcome.weights);
        let slight = 1e-9 * (1.0 + primal);
        reference.check(certificate, primal, slight, case)?;
        prop_assert!(
            (-slight..=certificate.primal - certificate.lower_bound + slight)
                .contains(&certificate.oracle_gap),
            "more was missed than the bracket is wide: {}",
            case()
        );
        if is_exact {
            prop_assert!(certificate.oracle_gap <= slight, "an exact search misses nothing: {}", case());
        }
        if is_exact && SolverKind::EXACT.contains(&kind) {
            let is_curved = surrogated.is_fractional() || !surrogate.is_linear();
            let gap = if is_curved { CURVED_GAP } else { GAP };
            prop_assert!(
                certificate.primal - certificate.lower_bound <= gap * (1.0 + certificate.primal)
                    && (is_curved || matches!(outcome.stop, Stop::GapReached | Stop::Stalled)),
                "not solved: {}",
                case()
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn with_every_search(
        problem in trainable(true),
        (surrogate, search) in prop::sample::select(pairs()),
        background in prop::option::of(0u32..2),
        lambda in prop::sample::select(vec![1.0, 0.1, 0.01]),
        groups in 1usize..=8,
        seed in 0u64..1000,
    ) {
        let surrogated = Surrogated { background, ..Surrogated::new(&problem, surrogate, search) };
        prop_assume!(surrogated.applies());
        let settings = SolverSettings { groups, seed, ..SolverSettings::new(lambda).unwrap() };
        check(&surrogated, lambda, &settings)?;
    }
}

proptest! {
    #![proptest_config(cases(60))]

    /// Mixes of labels are more to choose from: the objective over the hull is the larger one, everywhere and at its least.
    #[test]
    fn the_hull_costs_at_least_as_much_as_its_labels(
        problem in trainable(true),
        (surrogate, _) in prop::sample::select(pairs()),
        lambda in prop::sample::select(vec![1.0, 0.1]),
        at in numbers(),
    ) {
        if Search::HullFractional.check(surrogate).is_ok() {
            let labels = Surrogated::new(&problem, surrogate, Some(Search::Hull));
            let hull = Surrogated { strategy: Some(Search::HullFractional), ..labels.clone() };
            let w = weights(&problem, &at);
            prop_assert!(hull.objective(lambda, &w) >= labels.objective(lambda, &w), "{surrogate} at {w:?}");
            let settings = SolverSettings::new(lambda).unwrap();
            let solve = |surrogated: &Surrogated| {
                common::with_threads(1, || train(surrogated, SolverKind::Bcfw, &settings, MOST_PASSES)).report.certificate
            };
            let (of_labels, of_hull) = (solve(&labels), solve(&hull));
            prop_assert!(
                of_hull.primal >= of_labels.lower_bound - 1e-9 * (1.0 + of_labels.primal),
                "{surrogate}, λ = {lambda}: {of_hull:?} over the hull, {of_labels:?} over labels"
            );
        }
    }

    /// No weights are better than the lower bound says: neither near those returned nor anywhere.
    #[test]
    fn no_weights_lie_below_the_lower_bound(
        problem in trainable(true),
        (surrogate, search) in prop::sample::select(pairs()),
        kind in prop::sample::select(&SolverKind::EXACT[..]),
        lambda in prop::sample::select(vec![1.0, 0.1, 0.01]),
        directions in prop::collection::vec(numbers(), 10),
    ) {
        let surrogated = Surrogated::new(&problem, surrogate, search);
        prop_assume!(surrogated.applies());
        let settings = SolverSettings::new(lambda).unwrap();
        let outcome = common::with_threads(1, || train(&surrogated, kind, &settings, 40));
        let certificate = outcome.report.certificate;
        for direction in &directions {
            for length in [1e-4, 1e-2, 0.1, 1.0] {
                let step = weights(&problem, direction);
                let w: Vec<f64> = outcome.weights.iter().zip(&step).map(|(w, d)| w + length * d).collect();
                let value = surrogated.objective(lambda, &w);
                prop_assert!(
                    value >= certificate.lower_bound - 1e-9 * (1.0 + value),
                    "{surrogate}, {search:?}, {kind}, λ = {lambda}: F = {value} at {w:?}, {certificate:?}"
                );
            }
        }
    }

    /// ProbLoss is not convex: only SGD takes it, and proves nothing.
    #[test]
    fn without_convexity_there_is_no_certificate(problem in trainable(true), lambda in prop::sample::select(vec![1.0, 0.1]), seed in 0u64..1000) {
        let surrogated = Surrogated::new(&problem, Surrogate::Prob, None);
        let risk = surrogated.risk();
        for kind in SolverKind::EXACT.into_iter().chain([SolverKind::Sdca]) {
            let message = kind.check(&*risk).map_err(|e| e.to_string());
            prop_assert!(matches!(&message, Err(m) if m.contains("sgd")), "{kind}: {message:?}");
        }
        let settings = SolverSettings { seed, ..SolverSettings::new(lambda).unwrap() };
        for kind in [SolverKind::Sgd, SolverKind::Auto] {
            let outcome = common::with_threads(1, || train(&surrogated, kind, &settings, 15));
            let certificate = outcome.report.certificate;
            let primal = surrogated.objective(lambda, &outcome.weights);
            prop_assert!((certificate.primal - primal).abs() <= 1e-9 * (1.0 + primal), "{kind}: F = {primal}, {certificate:?}");
            prop_assert!(certificate.lower_bound <= 0.0, "{kind}: {certificate:?}");
        }
    }
}
