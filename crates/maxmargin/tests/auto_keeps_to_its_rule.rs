//! Promise: `auto` is a function of the problem alone: of its weights, its variables and λ·n. The table in `docs/solvers/auto.md`
//! says which; `benches/solver_matrix.py` holds it to measurements.

use std::ops::ControlFlow;
use std::sync::Arc;

use maxmargin::data::{FeatureMatrix, Noise, Rows, TaskData, word_images};
use maxmargin::inference::LabelGraph;
use maxmargin::risk::{Risk, StructuredRisk};
use maxmargin::search::{MarginSearch, Search, Strategy, SurrogateSearch};
use maxmargin::solver::{Limits, SolverKind, SolverSettings, Stop, run};
use maxmargin::structure::{
    Example, LabelCost, LabelSet, MulticlassStructure, MultilabelOptions, MultilabelStructure,
};
use maxmargin::tasks::{Chain, Fitted};

/// 60 examples of two classes with this many features.
fn classes(features: usize) -> StructuredRisk<MulticlassStructure, MarginSearch> {
    let value = |i: usize, j: usize| ((7 * i + 3 * j) % 11) as f64 / 11.0;
    let rows: Vec<Vec<f64>> = (0..60).map(|i| (0..features).map(|j| value(i, j)).collect()).collect();
    let x = Arc::new(FeatureMatrix::from_dense(&rows));
    let example = |i: usize| Example { input: Rows::new(&x, i..i + 1), truth: (i % 2) as u32, weight: 1.0 };
    let structure = MulticlassStructure::new(features, 2, false, LabelCost::ZeroOne).unwrap();
    StructuredRisk::new(structure, MarginSearch, (0..60).map(example).collect()).unwrap()
}

/// 60 sets of these labels, all pairs of which have weights.
fn sets(labels: usize, search: impl Search<MultilabelStructure> + 'static) -> Box<dyn Risk> {
    let x = Arc::new(FeatureMatrix::from_dense(&vec![vec![1.0]; 60]));
    let truth = |i: usize| LabelSet::of(&[(i % labels) as u32]);
    let example = |i: usize| Example { input: Rows::new(&x, i..i + 1), truth: truth(i), weight: 1.0 };
    let graph = LabelGraph::complete(labels).unwrap();
    let structure = MultilabelStructure::new(1, graph, MultilabelOptions::default()).unwrap();
    Box::new(StructuredRisk::new(structure, search, (0..60).map(example).collect()).unwrap())
}

fn chosen(risk: &dyn Risk, c_sum: f64) -> SolverKind {
    SolverKind::Auto.resolve(risk, 1.0 / (c_sum * risk.len() as f64)).kind
}

#[test]
fn bundles_are_for_few_weights_and_small_lambda() {
    // 60 variables for 10 weights, and for 14.
    let (few, many) = (classes(5), classes(7));
    assert_eq!((few.dim(), few.variables(), many.dim()), (10, 60, 14));
    assert_eq!(chosen(&few, 1.0), SolverKind::ProxPBmrm);
    assert_eq!(chosen(&few, 100.0), SolverKind::ProxPBmrm);
    assert_eq!(chosen(&few, 0.1), SolverKind::Bcfw);
    assert_eq!(chosen(&many, 1.0), SolverKind::Bcfw);
    assert_eq!(chosen(&many, 0.01), SolverKind::Bcfw);
}

#[test]
fn lists_of_sets_are_made_seldom() {
    // Cycles of pairs: all sets are listed, at every call.
    let listed = sets(3, MarginSearch);
    assert!(listed.variables() >= 5 * listed.dim());
    assert_eq!(chosen(listed.as_ref(), 1.0), SolverKind::Bcfw);
    assert_eq!(chosen(listed.as_ref(), 10.0), SolverKind::ProxPBmrm);
    // Other surrogates take block-coordinate steps too many passes; two labels have no cycle.
    let slack = SurrogateSearch::new("slack".parse().unwrap(), Strategy::Stratified).unwrap();
    assert_eq!(chosen(sets(3, slack).as_ref(), 1.0), SolverKind::ProxPBmrm);
    assert_eq!(chosen(sets(2, MarginSearch).as_ref(), 1.0), SolverKind::ProxPBmrm);
    assert_eq!(chosen(sets(21, MarginSearch).as_ref(), 1e6), SolverKind::Bcfw);
}

#[test]
fn positions_of_sequences_count() {
    let words = word_images(20, Noise::default(), 1);
    let task = Fitted::new(Chain::default(), 128, 26).unwrap();
    let risk = task.risk(&words.data).unwrap();
    let letters = words.data.labels().len();
    assert_eq!(risk.variables(), letters);
    assert_eq!(chosen(risk.as_ref(), 1.0), SolverKind::Bcfw);
}

#[test]
fn what_is_chosen_reaches_the_gap() {
    let risks = || [classes(5), classes(7)].into_iter();
    // Weights to start from do not change the choice.
    let cases = risks().map(|risk| (risk, false)).chain(risks().map(|risk| (risk, true)));
    for (risk, is_given) in cases {
        let start = is_given.then(|| vec![0.1; risk.dim()]);
        let settings = SolverSettings { start, ..SolverSettings::new(1.0 / 60.0).unwrap() };
        let mut solver = SolverKind::Auto.build(&risk, &settings).unwrap();
        assert_eq!(solver.name(), SolverKind::Auto.resolve(&risk, settings.lambda).kind.name());
        let outcome = run(solver.as_mut(), &risk, Limits::default(), |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(outcome.stop, Stop::GapReached);
    }
}
