//! Promise: with labels from a hierarchy every surrogate has an exact search, and all solvers prove the same optimum.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::hierarchies::{closed_sets, random_hierarchy};
use maxmargin_core::features::{FeatureMatrix, Rows};
use maxmargin_core::inference::{Hierarchy, SetRules};
use maxmargin_core::risk::{Groups, Risk, StructuredRisk, evaluate};
use maxmargin_core::search::{MarginSearch, Strategy, SurrogateSearch};
use maxmargin_core::solver::{Limits, SolverKind, SolverSettings, run};
use maxmargin_core::structure::alpha::AlphaRule;
use maxmargin_core::structure::{
    Example, LabelSet, NodeLoss, NodeOptions, NodeSetOptions, NodeSetStructure, NodeStructure, SetLoss,
    Structure,
};
use maxmargin_core::surrogate::Surrogate;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const COLUMNS: usize = 4;

/// Examples whose features are those of their label's nodes, with noise.
fn examples<S: Structure<Input = Rows>>(
    random: &mut Pcg64Mcg,
    count: usize,
    labels: &[S::Label],
    nodes_of: impl Fn(&S::Label) -> Vec<u32>,
    nodes: usize,
) -> Vec<Example<S>> {
    let mut row = |length| -> Vec<f64> { (0..length).map(|_| random.random_range(-1.0..1.0)).collect() };
    let prototypes: Vec<Vec<f64>> = (0..nodes).map(|_| row(COLUMNS)).collect();
    let mut rows: Vec<Vec<f64>> = (0..count).map(|_| row(COLUMNS)).collect();
    let truths: Vec<&S::Label> = (0..count).map(|_| &labels[random.random_range(0..labels.len())]).collect();
    for (row, truth) in rows.iter_mut().zip(&truths) {
        for node in nodes_of(truth) {
            row.iter_mut().zip(&prototypes[node as usize]).for_each(|(x, p)| *x += p);
        }
    }
    let matrix = Arc::new(FeatureMatrix::from_dense(&rows));
    let example = |(i, truth): (usize, &&S::Label)| Example {
        input: Rows::new(&matrix, i..i + 1),
        truth: S::Label::clone(truth),
        weight: 1.0,
    };
    truths.iter().enumerate().map(example).collect()
}

/// Intervals that hold the optimum have a point in common.
fn solvers_agree(risk: &dyn Risk, kinds: impl Iterator<Item = SolverKind>) {
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    for kind in kinds {
        let mut solver = kind.build(risk, &SolverSettings::new(0.02).unwrap()).unwrap();
        let limits = Limits { gap: 1e-3, max_passes: 3000, time_limit: None };
        let outcome = run(solver.as_mut(), risk, limits, |_| ControlFlow::Continue(())).unwrap();
        let certificate = outcome.report.certificate;
        assert!(certificate.gap().0 <= 1e-3, "{kind:?}: {certificate:?}");
        low = low.max(certificate.lower_bound);
        high = high.min(certificate.primal);
        assert!(low <= high, "{kind:?}: {certificate:?}, where others prove {low} and {high}");
    }
}

fn node_structure(random: &mut Pcg64Mcg, is_tree: bool, loss: impl Fn(&[f64]) -> NodeLoss) -> NodeStructure {
    let hierarchy = loop {
        let hierarchy = random_hierarchy(random, 12, is_tree);
        if hierarchy.leaves().len() > 2 {
            break Arc::new(hierarchy);
        }
    };
    let alpha = AlphaRule::default().weights(&hierarchy, 1.5).unwrap();
    let options = NodeOptions { loss: loss(&alpha), alpha: Some(alpha.into()), ..NodeOptions::default() };
    NodeStructure::new(COLUMNS, hierarchy, options).unwrap()
}

fn node_examples(
    random: &mut Pcg64Mcg,
    structure: &NodeStructure,
    count: usize,
) -> Vec<Example<NodeStructure>> {
    let hierarchy = Arc::clone(structure.hierarchy());
    examples(
        random,
        count,
        structure.labels(),
        |&label| hierarchy.ancestors(label).to_vec(),
        hierarchy.nodes(),
    )
}

#[test]
fn solvers_agree_on_nodes() {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    for is_tree in [true, false] {
        let normalised = |alpha: &[f64]| NodeLoss::Distance { weights: Some(alpha.into()) };
        let structure = node_structure(&mut random, is_tree, normalised);
        let examples = node_examples(&mut random, &structure, 40);
        let risk = StructuredRisk::new(structure, MarginSearch, examples).unwrap();
        solvers_agree(&risk, SolverKind::EXACT.into_iter().chain([SolverKind::Extragradient]));
    }
}

#[test]
fn solvers_agree_on_sets_of_nodes() {
    let mut random = Pcg64Mcg::seed_from_u64(2);
    for (is_tree, needs_child) in [(true, true), (true, false), (false, false), (false, true)] {
        let hierarchy = Arc::new(random_hierarchy(&mut random, 10, is_tree));
        let rules = SetRules { needs_child, never_empty: true };
        let options = NodeSetOptions { rules, ..NodeSetOptions::default() };
        let structure = NodeSetStructure::new(COLUMNS, Arc::clone(&hierarchy), options).unwrap();
        let sets = closed_sets(&hierarchy, needs_child, false);
        let labels: Vec<LabelSet> = sets.iter().map(|set| LabelSet::of(set)).collect();
        let examples =
            examples(&mut random, 30, &labels, |label: &LabelSet| label.on().to_vec(), hierarchy.nodes());
        let risk = StructuredRisk::new(structure, MarginSearch, examples).unwrap();
        solvers_agree(&risk, SolverKind::EXACT.into_iter());
    }
}

/// The search finds the largest ψ of all labels, for each example under random weights.
fn searches_equal_enumeration<S: Structure<Input = Rows> + Clone>(
    random: &mut Pcg64Mcg,
    structure: &S,
    examples: &[Example<S>],
    labels: &[S::Label],
    search: &SurrogateSearch,
) {
    let surrogate = search.surrogate();
    for example in examples {
        let one = Example { input: example.input.clone(), truth: example.truth.clone(), weight: 1.0 };
        let risk = StructuredRisk::new(structure.clone(), search.clone(), vec![one]).unwrap();
        let w: Vec<f64> = (0..structure.dim()).map(|_| random.random_range(-1.0..1.0)).collect();
        let mut scores = S::Scores::default();
        structure.score(&w, &example.input, &mut scores);
        let score = |y: &S::Label| structure.score_of(&example.input, &scores, y);
        let psi = |y: &S::Label| {
            let (margin, loss) =
                (score(y) - score(&example.truth), structure.loss(&example.input, &example.truth, y));
            match structure.offers().sets.filter(|_| surrogate == Surrogate::MicroF1) {
                Some(sets) => {
                    let sizes = sets.size(y, None) + sets.size(&example.truth, None);
                    surrogate.value(sets.set_loss(&example.truth, y, None) + margin, -sizes)
                }
                None => surrogate.value(margin, loss),
            }
        };
        let best = labels.iter().map(psi).fold(0.0, f64::max);
        let found = evaluate(&risk, (&w).into(), &Groups::new(1, 1)).unwrap().risk;
        let allowed = 1e-9 * (1.0 + best);
        assert!((found.value - best).abs() <= allowed, "{search:?}: {found:?}, but the best is {best}");
        assert!(found.upper >= best - allowed && found.missed <= allowed, "{search:?}: {found:?}, {best}");
    }
}

#[test]
fn every_surrogate_has_an_exact_search() {
    let mut random = Pcg64Mcg::seed_from_u64(3);
    let search = |surrogate: &str, strategy| {
        SurrogateSearch::new(surrogate.parse().unwrap(), strategy)
            .unwrap_or_else(|e| panic!("{surrogate}: {e}"))
    };
    for is_tree in [true, false, true, false] {
        for distance in [true, false] {
            let loss = |alpha: &[f64]| match distance {
                true => NodeLoss::Distance { weights: Some(alpha.into()) },
                false => NodeLoss::Difference { costs: None },
            };
            let structure = node_structure(&mut random, is_tree, loss);
            let examples = node_examples(&mut random, &structure, 10);
            let labels = structure.labels().to_vec();
            // (6.13) is general=0,-1 on distances.
            for surrogate in ["slack", "general=0,-1", "log", "prob-convex", "beta=0.5", "micro-f1"] {
                let search = search(surrogate, Strategy::Stratified);
                searches_equal_enumeration(&mut random, &structure, &examples, &labels, &search);
            }
            for strategy in [Strategy::Hull, Strategy::Angular] {
                let search = search("slack", strategy);
                searches_equal_enumeration(&mut random, &structure, &examples, &labels, &search);
            }
        }
        let hierarchy = Arc::new(random_hierarchy(&mut random, 8, is_tree));
        let rules = SetRules { needs_child: is_tree, never_empty: true };
        let of_leaves =
            (0..hierarchy.nodes() as u32).map(|node| f64::from(u8::from(hierarchy.is_leaf(node))));
        let weights = is_tree.then(|| of_leaves.collect());
        let loss = SetLoss::Hamming { weights, mean: false };
        let options = NodeSetOptions { rules, loss, ..NodeSetOptions::default() };
        let structure = NodeSetStructure::new(COLUMNS, Arc::clone(&hierarchy), options).unwrap();
        let sets = closed_sets(&hierarchy, rules.needs_child, false);
        let labels: Vec<LabelSet> = sets.iter().map(|set| LabelSet::of(set)).collect();
        let examples =
            examples(&mut random, 10, &labels, |label: &LabelSet| label.on().to_vec(), hierarchy.nodes());
        for surrogate in ["slack", "log", "beta=0.5", "micro-f1"] {
            // Strata where there are any, lists of the best elsewhere.
            let strategy = if is_tree { Strategy::Stratified } else { Strategy::Hull };
            let search = search(surrogate, strategy);
            searches_equal_enumeration(&mut random, &structure, &examples, &labels, &search);
        }
    }
}

/// Features are those of THESIS (6.11): with weights U_n = √α_n W_n scores are the same, and the norm is Σ ‖U_n‖²/α_n.
#[test]
fn scaled_blocks_are_a_norm_with_weights() {
    let hierarchy = Arc::new(Hierarchy::forest(&[None, Some(0), Some(0)]).unwrap());
    let alpha: [f64; 3] = [0.25, 0.5, 4.0];
    let task = |alpha: Option<[f64; 3]>| {
        let options = NodeOptions { bias: false, alpha: alpha.map(Into::into), ..NodeOptions::default() };
        NodeStructure::new(1, Arc::clone(&hierarchy), options).unwrap()
    };
    let x = Rows::new(&Arc::new(FeatureMatrix::from_dense(&[[3.0]])), 0..1);
    let w = [1.0, -2.0, 0.5];
    let u: Vec<f64> = w.iter().zip(alpha).map(|(w, alpha)| w * alpha.sqrt()).collect();
    let scores = |task: &NodeStructure, w: &[f64]| {
        let mut scores = Default::default();
        task.score(w, &x, &mut scores);
        [1, 2].map(|y| task.score_of(&x, &scores, &y))
    };
    assert_eq!(scores(&task(Some(alpha)), &w), scores(&task(None), &u));
    let weighted: f64 = u.iter().zip(alpha).map(|(u, alpha)| u * u / alpha).sum();
    assert!((weighted - w.iter().map(|w| w * w).sum::<f64>()).abs() < 1e-12);
}
