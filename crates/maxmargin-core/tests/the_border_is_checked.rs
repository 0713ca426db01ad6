//! Promise: what is public here refuses what it cannot work with. Nothing that safe code can hand over makes it panic, use weights that
//! belong to something else, or certify what is not so.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use maxmargin_core::features::{FeatureMatrix, MatrixBuilder, Rows};
use maxmargin_core::inference::{Hierarchy, LabelGraph, Network, NetworkArc, Segment, chow_liu};
use maxmargin_core::linear::{
    CooVector, FeatureSum, Precise, PreciseSum, SeenPairs, norm_squared, precise_share, round_down, round_up,
};
use maxmargin_core::risk::{Groups, Plane, Risk, StructuredRisk, evaluate};
use maxmargin_core::search::{MarginSearch, Strategy, SurrogateSearch};
use maxmargin_core::solver::{
    Bcfw, BcfwOptions, Bmrm, Certificate, Extragradient, Limits, NSlack, ProxBmrm, ProxOptions, RunState,
    Sgd, SmallQp, Solver, SolverKind, SolverSettings, SolverState, load_state, lower_bound_of, resume, run,
    save_state,
};
use maxmargin_core::structure::{
    ChainOptions, ChainStructure, CostMatrix, Edge, Example, Graph, LabelCost, LabelSet, LinkLoss, Links,
    MatchingOptions, MatchingStructure, MulticlassStructure, MultilabelOptions, MultilabelStructure, SetLoss,
};
use maxmargin_core::surrogate::{Scaled, Surrogate};
use maxmargin_core::{Error, Result};

const WRONG: [f64; 4] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0];

fn matrix() -> Arc<FeatureMatrix> {
    Arc::new(FeatureMatrix::from_dense(&[[1.0, 0.2], [0.3, 1.0], [0.8, 0.9], [0.1, 0.0]]))
}

fn examples(truths: [u32; 4]) -> Vec<Example<MulticlassStructure>> {
    let x = matrix();
    let example = |(i, truth): (usize, u32)| Example { input: Rows::new(&x, i..i + 1), truth, weight: 1.0 };
    truths.into_iter().enumerate().map(example).collect()
}

fn structure() -> MulticlassStructure {
    MulticlassStructure::new(2, 3, true, LabelCost::ZeroOne).unwrap()
}

fn risk_of(truths: [u32; 4]) -> StructuredRisk<MulticlassStructure, MarginSearch> {
    StructuredRisk::new(structure(), MarginSearch, examples(truths)).unwrap()
}

fn settings() -> SolverSettings {
    SolverSettings::new(0.1).unwrap()
}

fn limits(max_passes: usize) -> Limits {
    Limits { gap: 0.0, max_passes, time_limit: None }
}

fn solvers(risk: &dyn Risk) -> impl Iterator<Item = Box<dyn Solver>> {
    // Without its feature the small quadratic program is none of them.
    SolverKind::ALL.into_iter().filter_map(|kind| kind.build(risk, &settings()).ok())
}

/// Refused, with words about this.
fn refused<T>(result: Result<T>, part: &str) {
    match result {
        Ok(_) => panic!("taken, where an error about {part:?} should be"),
        Err(error) => assert!(error.to_string().contains(part), "{error}, without {part:?}"),
    }
}

#[test]
fn solvers_refuse_what_is_no_lambda() {
    let risk = risk_of([0, 1, 2, 0]);
    for lambda in [0.0, -0.0, 5e-324, f64::MIN_POSITIVE / 1e10].into_iter().chain(WRONG) {
        refused(SolverSettings::new(lambda), "lambda");
        refused(Bmrm::new(lambda, &risk, 1, None), "lambda");
        refused(ProxBmrm::new(lambda, &risk, 1, None, ProxOptions::default()), "lambda");
        refused(Bcfw::new(lambda, &risk, BcfwOptions::default()), "lambda");
        refused(NSlack::new(lambda, &risk), "lambda");
        refused(Sgd::new(lambda, &risk, 0), "lambda");
        refused(Extragradient::new(lambda, &risk), "lambda");
        refused(SmallQp::new(lambda, &risk), "lambda");
        for kind in SolverKind::ALL {
            refused(kind.build(&risk, &SolverSettings { lambda, ..settings() }), "lambda");
        }
        for mut solver in solvers(&risk) {
            assert!(!solver.set_lambda(lambda), "{} takes {lambda}", solver.name());
            assert_eq!(solver.lambda(), 0.1);
        }
        refused(Certificate::of_weights(&risk, lambda, &[0.0; 9], 0.0), "lambda");
    }
}

#[test]
fn solvers_refuse_starts_and_options_that_do_not_fit() {
    let risk = risk_of([0, 1, 2, 0]);
    for start in [vec![], vec![0.0; 8], vec![0.0; 10], vec![f64::NAN; 9], vec![f64::INFINITY; 9]] {
        refused(Bmrm::new(0.1, &risk, 2, Some(start.clone())), "start");
        refused(ProxBmrm::new(0.1, &risk, 2, Some(start.clone()), ProxOptions::default()), "start");
        for kind in SolverKind::ALL {
            refused(kind.build(&risk, &SolverSettings { start: Some(start.clone()), ..settings() }), "start");
        }
    }
    refused(SolverKind::PBmrm.build(&risk, &SolverSettings { groups: 0, ..settings() }), "groups");
    for longest_step in [f64::NAN, -1.0] {
        let options = ProxOptions { longest_step, ..ProxOptions::default() };
        refused(ProxBmrm::new(0.1, &risk, 1, None, options), "longest step");
    }
    // More groups than examples, and none, are as many as there can be.
    for groups in [0, 1, 100, usize::MAX] {
        let mut solver = Bmrm::new(0.1, &risk, groups, None).unwrap();
        run(&mut solver, &risk, limits(3), |_| ControlFlow::Continue(())).unwrap();
    }
}

#[test]
fn what_is_not_convex_is_never_certified() {
    let search = SurrogateSearch::new(Surrogate::Prob, Strategy::Stratified).unwrap();
    let risk = StructuredRisk::new(structure(), search, examples([0, 1, 2, 0])).unwrap();
    assert!(!risk.is_convex());
    refused(Bmrm::new(0.1, &risk, 1, None), "convex");
    refused(ProxBmrm::new(0.1, &risk, 2, None, ProxOptions::default()), "convex");
    refused(Bcfw::new(0.1, &risk, BcfwOptions::sdca(0)), "convex");
    refused(NSlack::new(0.1, &risk), "convex");
    refused(Extragradient::new(0.1, &risk), "solver");
    refused(SmallQp::new(0.1, &risk), "solver");
    for kind in SolverKind::solvers().filter(|&kind| kind != SolverKind::Sgd) {
        refused(kind.build(&risk, &settings()), "solver");
    }
    let mut solver = Sgd::new(0.1, &risk, 0).unwrap();
    let outcome = run(&mut solver, &risk, limits(5), |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(outcome.report.certificate.lower_bound, 0.0);
}

/// Two risks of the same shape with other truths: what is proven of one does not hold for the other.
#[test]
fn nothing_proven_of_one_risk_is_said_of_another() {
    let (risk, other) = (risk_of([0, 1, 2, 0]), risk_of([1, 1, 1, 1]));
    let go_on = |_: &RunState, _: &dyn Solver| ControlFlow::Continue(());
    for mut solver in solvers(&risk) {
        let mut state = RunState::new(&risk);
        resume(solver.as_mut(), &risk, limits(4), &mut state, go_on).unwrap();
        refused(run(solver.as_mut(), &other, limits(4), |_| ControlFlow::Continue(())), "another one");
        // Step by step: it does nothing, and says nothing.
        let weights = solver.weights().to_vec();
        assert_eq!(solver.step(&other).certificate, Certificate::UNKNOWN, "{}", solver.name());
        assert!(solver.finish_pass(&other).is_none());
        assert_eq!(solver.weights(), weights);

        // The state of the run is bound as well, and so is what was saved of both.
        let mut fresh = SolverKind::Bmrm.build(&other, &settings()).unwrap();
        refused(resume(fresh.as_mut(), &other, limits(9), &mut state, go_on), "another risk");
        let bytes = save_state(&state, solver.as_ref(), &risk).unwrap();
        let (mut state, mut again) = load_state(&bytes, &risk).unwrap();
        assert_eq!(again.step(&other).certificate, Certificate::UNKNOWN, "{}", again.name());
        refused(resume(again.as_mut(), &other, limits(9), &mut state, go_on), "another one");
        resume(again.as_mut(), &risk, limits(9), &mut state, go_on).unwrap();
        // With another λ the bounds are others.
        if again.set_lambda(0.01) {
            refused(resume(again.as_mut(), &risk, limits(99), &mut state, go_on), "another lambda");
        }
        // What was saved fits no risk with other weights.
        let chain = ChainStructure::new(2, 3, ChainOptions::default()).unwrap();
        let example = Example { input: Rows::new(&matrix(), 0..2), truth: vec![0, 1], weight: 1.0 };
        let chain = StructuredRisk::new(chain, MarginSearch, vec![example]).unwrap();
        assert!(load_state(&bytes, &chain).is_err());
    }
    assert!(load_state(b"nothing of this kind", &risk).is_err() && load_state(&[], &risk).is_err());
}

/// What was saved of a run is believed, as it cannot be proven again: so it is taken for nothing but that run.
#[test]
fn a_saved_run_is_that_of_its_risk_alone() {
    let costs = Arc::new(CostMatrix::new(3, vec![0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0]).unwrap());
    let structure = || MulticlassStructure::new(2, 3, true, LabelCost::Matrix(Arc::clone(&costs))).unwrap();
    let made = |change: fn(&mut Example<MulticlassStructure>)| {
        let mut examples = examples([0, 1, 2, 0]);
        change(&mut examples[3]);
        StructuredRisk::new(structure(), MarginSearch, examples).unwrap()
    };
    let slack = SurrogateSearch::new(Surrogate::SLACK, Strategy::Hull).unwrap();
    let risk = made(|_| ());
    let others: [&dyn Risk; 5] = [
        &made(|example| example.truth = 1),
        &made(|example| example.weight = 1.5),
        &made(|example| example.input = Rows::new(&matrix(), 0..1)),
        &StructuredRisk::new(structure(), slack, examples([0, 1, 2, 0])).unwrap(),
        &risk_of([0, 1, 2, 0]),
    ];
    for mut solver in solvers(&risk) {
        let mut state = RunState::new(&risk);
        let go_on = |_: &RunState, _: &dyn Solver| ControlFlow::Continue(());
        resume(solver.as_mut(), &risk, limits(4), &mut state, go_on).unwrap();
        let bytes = save_state(&state, solver.as_ref(), &risk).unwrap();
        load_state(&bytes, &made(|_| ())).unwrap();
        for other in others {
            refused(load_state(&bytes, other).map(drop), "made for other data");
            refused(save_state(&state, solver.as_ref(), other), "another");
        }
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            refused(load_state(&changed, &risk).map(drop), "changed since it was saved");
        }
        // Nothing else reads it: not with bounds that somebody made up.
        let SolverState::Bcfw(bcfw) = solver.state().unwrap() else { continue };
        let made_up = postcard::to_stdvec(bcfw).unwrap();
        assert!(postcard::from_bytes::<Bcfw>(&made_up).is_err());
        let made_up = postcard::to_stdvec(&state).unwrap();
        assert!(postcard::from_bytes::<RunState>(&made_up).is_err());
    }
}

#[test]
fn risks_refuse_examples_that_do_not_fit() {
    let risk = |change: fn(&mut Example<MulticlassStructure>)| {
        let mut examples = examples([0, 1, 2, 0]);
        change(&mut examples[2]);
        StructuredRisk::new(structure(), MarginSearch, examples)
    };
    assert!(risk(|_| ()).is_ok());
    refused(risk(|example| example.truth = 3), "example 3");
    refused(risk(|example| example.truth = u32::MAX), "example 3");
    refused(risk(|example| example.weight = -1.0), "example 3");
    refused(risk(|example| example.weight = f64::NAN), "example 3");
    refused(risk(|example| example.weight = f64::MAX), "example 3");
    refused(risk(|example| example.input = Rows::new(&matrix(), 0..2)), "example 3");
    refused(risk(|example| example.input = Rows::new(&matrix(), 7..9)), "example 3");
    refused(risk(|example| example.input = Rows::without_features(1)), "example 3");
    for wrong in [f64::NAN, f64::INFINITY, 1e200] {
        let x = Arc::new(FeatureMatrix::from_dense(&[[1.0, wrong]]));
        let example = Example { input: Rows::new(&x, 0..1), truth: 0, weight: 1.0 };
        refused(StructuredRisk::new(structure(), MarginSearch, vec![example]), "overflow");
    }
    // Without examples there is nothing to learn, and nothing to stumble over.
    let empty = StructuredRisk::new(structure(), MarginSearch, vec![]).unwrap();
    for mut solver in solvers(&empty) {
        let outcome = run(solver.as_mut(), &empty, limits(3), |_| ControlFlow::Continue(())).unwrap();
        let Certificate { primal, lower_bound, .. } = outcome.report.certificate;
        assert!(lower_bound <= 0.0 && (0.0..1e-9).contains(&primal), "{}: {primal}", solver.name());
    }
}

/// −|y| is a loss for Micro-F1 only: elsewhere the truth would cost less than nothing, and 0 be no lower bound.
#[test]
fn losses_below_that_of_the_truth_are_refused() {
    let structure = MulticlassStructure::new(2, 3, true, LabelCost::Size { background: None }).unwrap();
    refused(StructuredRisk::new(structure, MarginSearch, examples([0, 1, 2, 0])), "the truth itself");
    let options = MatchingOptions { loss: LinkLoss::Size, ..MatchingOptions::default() };
    let edges: Arc<[Edge]> = [(0, 0), (1, 1)].map(|(left, right)| Edge { left, right }).into();
    let input = Graph::new(Rows::new(&matrix(), 0..2), edges, 0).unwrap();
    let example = Example { input, truth: Links::of(vec![0]), weight: 1.0 };
    let structure = MatchingStructure::new(2, options).unwrap();
    refused(StructuredRisk::new(structure, MarginSearch, vec![example]), "the truth itself");
    let options = MultilabelOptions { loss: SetLoss::Size { weights: None }, ..MultilabelOptions::default() };
    let structure = MultilabelStructure::new(2, LabelGraph::independent(3), options).unwrap();
    let example = Example { input: Rows::new(&matrix(), 0..1), truth: LabelSet::of(&[1]), weight: 1.0 };
    refused(StructuredRisk::new(structure, MarginSearch, vec![example]), "the truth itself");
}

#[test]
fn structures_and_their_parts_refuse_what_is_none() {
    let edges: Arc<[Edge]> = [(0, 0), (1, 1), (2, 0)].map(|(left, right)| Edge { left, right }).into();
    for (rows, start) in [(0..4, 0), (0..3, 1), (0..1, 3), (0..1, usize::MAX), (0..2, usize::MAX - 1)] {
        refused(Graph::new(Rows::new(&matrix(), rows), Arc::clone(&edges), start), "edges");
    }
    assert!(Graph::new(Rows::new(&matrix(), 0..0), Arc::from([]), 0).is_ok());
    refused(CostMatrix::new(usize::MAX, vec![]), "cost matrix");
    refused(CostMatrix::new(1 << 32, vec![]), "cost matrix");
    for cost in WRONG {
        refused(CostMatrix::new(2, vec![0.0, cost, 1.0, 0.0]), "cost matrix");
    }
    for labels in [0, 1, usize::MAX] {
        assert!(MulticlassStructure::new(2, labels, true, LabelCost::ZeroOne).is_err());
        assert!(ChainStructure::new(2, labels, ChainOptions::default()).is_err());
    }
    assert!(MulticlassStructure::new(usize::MAX, 3, true, LabelCost::ZeroOne).is_err());
    assert!(MulticlassStructure::new(1 << 40, 1 << 20, true, LabelCost::ZeroOne).is_err());
    assert!(MatchingStructure::new(usize::MAX, MatchingOptions::default()).is_err());
    assert!(
        MultilabelStructure::new(usize::MAX, LabelGraph::independent(3), MultilabelOptions::default())
            .is_err()
    );
    refused(LabelGraph::new(2, vec![(0, 2)]), "label graph");
    refused(chow_liu(2, [(&[0, 1][..], f64::NAN)]), "weight");
    // The order in which members of a set are named says nothing.
    assert_eq!(LabelSet::of(&[7, 4, 7]), LabelSet::of(&[4, 7]));
    assert_eq!(Links::of(vec![3, 1, 3]), Links::of(vec![1, 3]));
}

#[test]
fn rows_are_those_of_the_example_or_none() {
    let x = matrix();
    refused(Rows::try_new(&x, 3..5), "rows");
    assert!(Rows::new(&x, 4..9).is_empty() && Rows::new(&x, usize::MAX - 1..usize::MAX).is_empty());
    for (rows, position) in [(Rows::new(&x, 0..2), 2), (Rows::without_features(2), 2)] {
        // The row behind the last one belongs to another example.
        assert!(catch_unwind(AssertUnwindSafe(|| rows.row(position).len())).is_err());
    }
    for scale in [f64::NAN, f64::INFINITY] {
        refused(FeatureMatrix::from_bytes(vec![1, 2], 2, scale), "scale");
    }
    refused(FeatureMatrix::from_bytes(vec![1, 2, 3], 2, 1.0), "whole rows");
    refused(FeatureMatrix::from_bytes(vec![1], 0, 1.0), "whole rows");
    let mut builder = MatrixBuilder::default();
    builder.push(9, 1.0);
    builder.end_row();
    assert_eq!(builder.finish(7).rows(), 1);
}

#[test]
fn no_weight_stands_for_another() {
    // A place beyond 32 bits is none of the first, of rows neither.
    let mut terms = CooVector::default();
    terms.add((1 << 32) + 1, 5.0);
    assert!(terms.iter().all(|(index, _)| index != 1));
    let mut terms = CooVector::default();
    let sparse = FeatureMatrix::from_csr(vec![0i64, 2], vec![1i32, 3], vec![1.0f64, 2.0], 4);
    for matrix in [FeatureMatrix::from_dense(&[[0.0, 1.0, 0.0, 2.0]]), sparse.expect("a matrix of one row")] {
        for (labels, label) in [(1 << 31, 1 << 31), (usize::MAX, usize::MAX), (1 << 32, 0)] {
            terms.add_row(matrix.row(0), labels, label, 1.0);
        }
    }
    assert!(terms.iter().all(|(index, _)| index == u32::MAX as usize));
    terms.clear();
    terms.add_row(FeatureMatrix::from_dense(&[[3.0, 4.0]]).row(0), 2, 1, 1.0);
    terms.add(2, 7.0);
    assert_eq!(terms.iter().collect::<Vec<_>>(), [(1, 3.0), (3, 4.0), (2, 7.0)]);
    // Weights of another number are refused where the whole risk is asked for.
    let risk = risk_of([0, 1, 2, 0]);
    for count in [0, 8, 10] {
        refused(evaluate(&risk, (&vec![0.0; count]).into(), &Groups::new(4, 1)), "weights");
    }
    refused(evaluate(&risk, (&vec![0.0; 9]).into(), &Groups::new(5, 1)), "groups");
}

#[test]
fn searches_and_surrogates_refuse_what_they_cannot_do() {
    for number in WRONG {
        assert!(Scaled::new(number, 0.5).is_err() || number == -1.0);
        assert!(Scaled::beta_scaling(number).is_err());
        let search = SurrogateSearch::new(Surrogate::SLACK, Strategy::Stratified).unwrap();
        let search = search.with_step(Some(number));
        refused(StructuredRisk::new(structure(), search, examples([0, 1, 2, 0])), "loss step");
    }
    let search = SurrogateSearch::new(Surrogate::SLACK, Strategy::Hull).unwrap();
    let risk = StructuredRisk::new(structure(), search, examples([0, 1, 2, 0])).unwrap();
    let memory = risk.memory();
    let changed = |change: fn(&mut (f64, Vec<Vec<u32>>))| {
        let mut memory = memory.clone();
        change(&mut memory.examples[1]);
        risk.remember(memory)
    };
    assert!(changed(|_| ()).is_ok());
    refused(changed(|example| example.0 = f64::NAN), "example 2");
    refused(changed(|example| example.0 = -1.0), "example 2");
    refused(changed(|example| example.1 = vec![vec![3]]), "example 2");
    refused(changed(|example| example.1 = vec![vec![]]), "example 2");
    let mut short = memory.clone();
    short.examples.pop();
    assert!(risk.remember(short).is_err());
}

#[test]
fn numbers_that_are_none_prove_nothing() {
    let (nan, infinite) = (f64::NAN, f64::INFINITY);
    for (offsets, norm, lambda, load) in [
        (nan, 1.0, 1.0, 1.0),
        (infinite, 1.0, 1.0, 1.0),
        (1.0, nan, 1.0, 1.0),
        (1.0, 1.0, nan, 1.0),
        (1.0, 1.0, -1.0, 1.0),
        (1.0, 1.0, 1.0, nan),
        (1.0, 1.0, 1.0, -1.0),
        (-1.0, 0.0, 1.0, 0.0),
    ] {
        assert_eq!(lower_bound_of(offsets, norm, lambda, load), 0.0, "{offsets} {norm} {lambda} {load}");
    }
    // A gap that is no number is never reached, and the passes end all the same.
    let risk = risk_of([0, 1, 2, 0]);
    for mut solver in solvers(&risk) {
        let limits = Limits { gap: nan, ..limits(3) };
        let outcome = run(solver.as_mut(), &risk, limits, |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(outcome.report.passes, 3);
    }
    // A plane is a claim of whoever makes it; made-up ones change nothing in a risk.
    assert_eq!(Plane::new(&[9], nan, nan).parts().count(), 1);
}

/// Numbers that are those of no node, label or feature, and sizes that no memory holds.
#[test]
fn shapes_answer_whatever_they_are_asked() {
    let far = [3, 4, 1 << 20, u32::MAX];
    let hierarchy = Hierarchy::from_edges(3, &[(0, 1), (0, 2)]).unwrap();
    for node in far {
        assert!(hierarchy.parents(node).is_empty() && hierarchy.children(node).is_empty());
        assert!(hierarchy.ancestors(node).is_empty() && hierarchy.depth(node) == 0);
        assert!(!hierarchy.is_leaf(node) && !hierarchy.is_closed(&[0, node]));
        assert_eq!(hierarchy.closure(&[1, node]), [0, 1]);
        assert_eq!(hierarchy.ends(&[0, 1, node]), [1, node]);
        assert!(
            Hierarchy::from_edges(3, &[(node, 1)]).is_err()
                && Hierarchy::from_edges(3, &[(1, node)]).is_err()
        );
        assert!(Hierarchy::forest(&[None, Some(node)]).is_err());
        assert!(Hierarchy::from_parents(&[vec![node]]).is_err());
    }
    assert!(Hierarchy::from_edges(usize::MAX, &[]).is_err() && Hierarchy::from_edges(0, &[]).is_err());

    for labels in [1 << 20, 1 << 32, usize::MAX] {
        refused(LabelGraph::complete(labels), "label graph");
        let graph = LabelGraph::independent(labels);
        assert!(graph.is_forest() && !graph.is_complete() && graph.edge(0, labels - 1).is_none());
        assert!(graph.neighbours(labels - 1).is_empty() && graph.neighbours(labels).is_empty());
        assert_eq!(LabelGraph::new(labels, vec![]).unwrap(), graph);
    }
    for labels in [1 << 32, usize::MAX] {
        refused(LabelGraph::new(labels, vec![(0, 1)]), "label graph");
        refused(chow_liu(labels, [(&[0, 1][..], 1.0)]), "labels");
        let graph = LabelGraph::independent(labels);
        assert!(MultilabelStructure::new(1 << 40, graph, MultilabelOptions::default()).is_err());
    }
    for edges in [vec![(0, 3)], vec![(u32::MAX, 0)], vec![(1, 1)], vec![(0, 1), (1, 0)]] {
        refused(LabelGraph::new(3, edges), "label graph");
    }
    for graph in [LabelGraph::complete(3).unwrap(), LabelGraph::new(3, vec![(0, 1)]).unwrap()] {
        for label in [3, 4, usize::MAX] {
            assert!(graph.neighbours(label).is_empty());
            assert!(graph.edge(0, label).is_none() && graph.edge(label, 1).is_none());
            assert!(graph.edge(label, label).is_none());
        }
    }

    let beyond = Segment::new(usize::MAX - 1..usize::MAX, 1 << 32);
    assert!(beyond.is_empty() && beyond.positions().is_empty() && beyond.class == u32::MAX);
    let backwards = Segment { start: 5, end: 2, class: 0 };
    assert!(backwards.is_empty() && backwards.positions().is_empty());

    let network =
        Network::with_arcs(vec![0.0; 2], vec![NetworkArc { tail: 0, head: 1, capacity: 1.0, weight: 1.0 }])
            .unwrap();
    for flow in [vec![], vec![0.5], vec![0.5; 9], vec![f64::NAN], vec![f64::INFINITY, f64::NAN]] {
        for number in [network.excess(&flow), network.excess_rounding(&flow)] {
            assert!(number >= 0.0 || number.is_nan());
        }
    }
}

#[test]
fn sums_with_entries_that_there_are_not_are_none() {
    let x = FeatureMatrix::from_dense(&[[1.0, 2.0]]);
    for index in [2, 1 << 32, usize::MAX] {
        let (mut slice, mut precise) = (vec![1.0; 2], PreciseSum::zeros(2));
        slice.add(index, 1.0);
        precise.add(index, 1.0);
        assert!(slice[0].is_nan() && slice[1] == 1.0 && precise.iter().next().unwrap().is_nan());
        slice[..0].add(index, 1.0);
        PreciseSum::zeros(0).add(index, 1.0);
        let mut terms = CooVector::default();
        terms.add(index, 1.0);
        assert!(terms.dot(&[1.0; 2]).is_nan() && terms.dot(&[]).is_nan());
        for _ in 0..4 {
            terms.add(index, 1.0);
        }
        assert!(terms.dot(&[1.0; 2]).is_nan());
        let mut dense = [1.0; 2];
        terms.add_to(1.0, &mut dense);
        terms.add_to(f64::NAN, &mut []);
        assert!(dense[0].is_nan() && terms.added_up().product(&terms).is_finite());
    }
    for (labels, label) in
        [(3, 0), (2, 2), (1, usize::MAX), (usize::MAX, 0), (usize::MAX, usize::MAX), (1 << 63, 1 << 63)]
    {
        let (mut slice, mut precise, mut terms) = (vec![0.0; 2], PreciseSum::zeros(2), CooVector::default());
        slice.add_row(x.row(0), labels, label, 1.0);
        precise.add_row(x.row(0), labels, label, 1.0);
        terms.add_row(x.row(0), labels, label, 1.0);
        assert!(slice[0].is_nan() && precise.iter().next().unwrap().is_nan(), "{labels} {label}");
        assert!(terms.dot(&[0.0; 2]).is_nan());
    }
    // Sums of other lengths add what both have.
    let (mut short, long) = (PreciseSum::zeros(1), PreciseSum::zeros(3));
    short.add_sum(&long);
    short.add_scaled(f64::NAN, &[1.0; 4]);
    assert_eq!(short.iter().count(), 1);
    for number in WRONG {
        let mut sum = Precise::default();
        sum.add(number);
        sum.add_product(number, number);
        sum.add_sum(sum);
        sum.subtract(sum);
        let _ = (sum.get(), precise_share(number), round_up(number, number), round_down(number, number));
        assert!(norm_squared(&[number]) >= 0.0 || number.is_nan());
    }
}

#[test]
fn pairs_that_were_never_seen_have_no_weight() {
    let x = FeatureMatrix::from_dense(&[[1.0, 2.0]]);
    let seen = SeenPairs::new(3, vec![0, 2, 3], vec![0, 2, 1]).unwrap();
    for (feature, label) in
        [(0, 1), (0, 3), (0, u32::MAX), (2, 0), (3, 0), (usize::MAX, 0), (usize::MAX, u32::MAX)]
    {
        assert_eq!(seen.place(feature, label), None);
    }
    for (features, labels, of_row) in
        [(1, 3, 0), (2, 3, 3), (2, 3, u32::MAX), (usize::MAX, 3, 0), (1 << 33, 3, 0)]
    {
        refused(SeenPairs::collect(features, labels, |see| see(x.row(0), &[of_row])), "pairs");
    }
    assert!(SeenPairs::new(usize::MAX, vec![0, 1], vec![7]).is_ok());
    for (starts, labels) in [(vec![], vec![]), (vec![0, usize::MAX], vec![0]), (vec![0, 9, 1], vec![0])] {
        refused(SeenPairs::new(3, starts, labels), "pairs");
    }
}

#[test]
fn networks_have_arcs_between_their_nodes() {
    let arc = NetworkArc { tail: 0, head: 1, capacity: 1.0, weight: 1.0 };
    let with = |arc| Network::with_arcs(vec![0.0; 2], vec![arc]);
    assert!(with(arc).is_ok());
    for wrong in [
        NetworkArc { head: 2, ..arc },
        NetworkArc { tail: u32::MAX, ..arc },
        NetworkArc { capacity: -1.0, ..arc },
        NetworkArc { capacity: f64::NAN, ..arc },
        NetworkArc { weight: 0.0, ..arc },
        NetworkArc { weight: f64::NAN, ..arc },
        NetworkArc { weight: f64::INFINITY, ..arc },
    ] {
        refused(with(wrong), "network");
    }
    refused(Network::with_arcs(vec![f64::NAN], vec![]), "network");
}

#[test]
fn errors_are_shown_without_what_files_could_hide_in_them() {
    assert!(!Error::parameter("a\u{1b}[2J", "b\n").to_string().contains('\u{1b}'));
}
