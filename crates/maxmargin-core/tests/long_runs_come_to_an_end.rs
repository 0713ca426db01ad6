//! Promise: exact solvers reach their gap where examples share few features, λ is small, and planes are cheap to find but many: there
//! block-coordinate ascent crawls unless it gives the planes at hand the coefficients that they deserve.

use std::ops::ControlFlow;
use std::sync::Arc;

use maxmargin_core::features::{FeatureMatrix, Rows};
use maxmargin_core::inference::LabelGraph;
use maxmargin_core::risk::StructuredRisk;
use maxmargin_core::search::{MarginSearch, Strategy, SurrogateSearch};
use maxmargin_core::solver::{Limits, SolverKind, SolverSettings, Stop, run};
use maxmargin_core::structure::{
    Example, Inference, LabelCost, LabelSet, MulticlassStructure, MultilabelOptions, MultilabelStructure,
    PairWeights, SetLoss,
};

/// Four examples of one feature, whose label sets are points of the local polytope: every weight vector has a set of its own.
fn risk() -> StructuredRisk<MultilabelStructure, SurrogateSearch> {
    let x = Arc::new(FeatureMatrix::from_dense(&[[-3.0], [3.0], [3.0], [3.0]]));
    let truths: [&[u32]; 4] = [&[0, 2], &[0, 1, 2], &[0, 1, 3], &[3]];
    let graph = LabelGraph::new(4, vec![(0, 1), (0, 3), (1, 2), (2, 3)]).unwrap();
    let options = MultilabelOptions {
        bias: false,
        pair_weights: PairWeights::Both,
        loss: SetLoss::Mistakes {
            miss: vec![0.0, 0.0, 1.0, 0.0].into(),
            wrong: vec![1.0, 1.0, 3.0, 0.0].into(),
            mean: false,
        },
        inference: Inference::Relaxed,
        ..MultilabelOptions::default()
    };
    let structure = MultilabelStructure::new(1, graph, options).unwrap();
    let example = |(i, truth): (usize, &&[u32])| Example {
        input: Rows::new(&x, i..i + 1),
        truth: LabelSet::of(truth),
        weight: 3.0,
    };
    let search = SurrogateSearch::new("slack".parse().unwrap(), Strategy::HullFractional).unwrap();
    StructuredRisk::new(structure, search, truths.iter().enumerate().map(example).collect()).unwrap()
}

#[test]
fn gaps_are_reached() {
    let risk = risk();
    for (kind, seed) in SolverKind::EXACT.into_iter().flat_map(|kind| (0..5).map(move |seed| (kind, seed))) {
        let settings = SolverSettings { seed, ..SolverSettings::new(0.01).unwrap() };
        // Without its feature the small quadratic program is none of them.
        let Ok(mut solver) = kind.build(&risk, &settings) else { continue };
        let limits = Limits { gap: 1e-4, max_passes: 1_000, time_limit: None };
        let outcome = run(&mut *solver, &risk, limits, |_| ControlFlow::Continue(())).unwrap();
        let certificate = outcome.report.certificate;
        assert!(outcome.stop == Stop::GapReached, "{kind}, seed {seed}: {certificate:?}");
        assert!(certificate.primal >= 4.2340 && certificate.lower_bound <= 4.2341, "{kind}: {certificate:?}");
    }
}

/// Features that share an offset of 1.7e9 are one feature to a solver that goes from example to example.
#[test]
fn runs_that_crawl_are_ended() {
    let x = Arc::new(FeatureMatrix::from_dense(&[
        [1700000000.747, 1700000000.066],
        [1700000000.563, 1700000000.155],
    ]));
    let example =
        |truth: u32| Example { input: Rows::new(&x, truth as usize..truth as usize + 1), truth, weight: 1.0 };
    let structure = MulticlassStructure::new(2, 2, true, LabelCost::ZeroOne).unwrap();
    let risk = StructuredRisk::new(structure, MarginSearch, vec![example(0), example(1)]).unwrap();
    let mut solver = SolverKind::Sdca.build(&risk, &SolverSettings::new(0.01).unwrap()).unwrap();
    let limits = Limits { gap: 1e-2, max_passes: 10_000_000, time_limit: None };
    let outcome = run(&mut *solver, &risk, limits, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(outcome.stop, Stop::Crawling, "{:?}", outcome.report);
    assert!(outcome.report.certificate.lower_bound <= 0.26835192, "{:?}", outcome.report);
}
