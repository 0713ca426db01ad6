//! Promise: searches inside and outside of candidates equal enumeration, objectives are ordered as CANDIDATE's Theorem 3 says, solvers agree
//! on the risk of a completion, and the alternation never raises the objective.

use std::ops::ControlFlow;
use std::sync::Arc;

use maxmargin_core::Result;
use maxmargin_core::features::{FeatureMatrix, Rows};
use maxmargin_core::inference::{Hierarchy, LabelGraph};
use maxmargin_core::risk::{
    CandidateExample, CandidateOptions, CandidateProblem, Groups, Point, Risk, StructuredRisk, evaluate,
};
use maxmargin_core::search::MarginSearch;
use maxmargin_core::solver::{Bmrm, Certificate, Limits, Outcome, Solver, SolverKind, SolverSettings, run};
use maxmargin_core::structure::{
    CandidateInput, CandidateLoss, CandidateSets, CandidateStructure, ChainLoss, ChainOptions,
    ChainStructure, CostMatrix, Example, Inference, LabelCost, LabelSet, LossFrom, Mix, MulticlassStructure,
    MultilabelOptions, MultilabelStructure, NodeLoss, NodeOptions, NodeStructure, SetLoss, Side, Structure,
};
use maxmargin_core::testing::check_structure;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const FEATURES: usize = 3;
const LABELS: u32 = 3;
const LAMBDA: f64 = 0.1;

fn rows(length: usize, random: &mut Pcg64Mcg) -> Rows {
    let mut row = || (0..FEATURES).map(|_| f64::from(random.random_range(-2..3))).collect();
    let values: Vec<Vec<f64>> = (0..length.max(1)).map(|_| row()).collect();
    Rows::new(&Arc::new(FeatureMatrix::from_dense(&values)), 0..length)
}

fn sets(length: usize, random: &mut Pcg64Mcg) -> CandidateSets {
    let sets: Vec<Vec<u32>> =
        (0..length).map(|_| (0..LABELS).filter(|_| random.random_bool(0.5)).collect()).collect();
    CandidateSets::new(sets.iter().map(Vec::as_slice))
}

/// All labels of so many positions.
fn labels(length: usize) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        all = all.iter().flat_map(|label| (0..LABELS).map(move |y| [&label[..], &[y]].concat())).collect();
    }
    all
}

fn uneven() -> LabelCost {
    let costs = vec![0.0, 0.3, 1.7, 1.1, 0.0, 0.25, 0.5, 1.0, 0.0];
    LabelCost::Matrix(Arc::new(CostMatrix::new(3, costs).expect("nine costs")))
}

fn chains() -> Vec<ChainStructure> {
    let mut all = Vec::new();
    for cost in [LabelCost::ZeroOne, uneven()] {
        for (boundary, pairs, mean) in [(true, 0, false), (false, 1, true), (false, 0, true)] {
            let options =
                ChainOptions { bias: boundary, boundary, loss: ChainLoss { cost: cost.clone(), mean } };
            let chain = ChainStructure::new(FEATURES - pairs, LABELS as usize, options).expect("it fits");
            let chain = chain.with_pair_features(pairs).expect("it fits");
            all.push(chain.clone());
            // Of second order, with weights for all three labels in a row or for some.
            all.push(chain.clone().with_triples(None).expect("it fits"));
            all.push(chain.with_triples(Some(&[[0, 1, 2], [2, 2, 2], [1, 0, 1]])).expect("it fits"));
        }
    }
    all
}

/// Compares what both sides of the candidates find with all labels.
fn check_sides<S: Structure + Clone>(
    structure: &S,
    input: S::Input,
    sets: CandidateSets,
    all: &[S::Label],
    random: &mut Pcg64Mcg,
) where
    CandidateInput<S>: Sync,
{
    let searches = structure.offers().candidates.expect("chains and multiclass have them");
    let (inside, outside): (Vec<_>, Vec<_>) =
        all.iter().cloned().partition(|label| searches.is_inside(&sets, label));
    let truth = inside[random.random_range(0..inside.len())].clone();
    let (input, sets) = (Arc::new(input), Arc::new(sets));
    assert_eq!(searches.has_outside(&sets), !outside.is_empty());
    for loss in [CandidateLoss::Completion, CandidateLoss::Nearest] {
        let candidates = CandidateStructure::new(structure.clone(), loss).expect("it has candidates");
        let on = |side| CandidateInput { input: Arc::clone(&input), sets: Arc::clone(&sets), side };
        let example = Example { input: on(Side::Inside), truth: truth.clone(), weight: 1.0 };
        check_structure(&candidates, &[example], |_| inside.clone())
            .unwrap_or_else(|error| panic!("{sets:?}, {loss:?}: {error}"));
        // The nearest candidate by the definition.
        for label in all {
            let nearest =
                inside.iter().map(|y| structure.loss(&input, y, label)).fold(f64::INFINITY, f64::min);
            let found = searches.loss_from(&input, &sets, LossFrom::Nearest, label);
            assert!((found - nearest).abs() < 1e-12, "{label:?} in {sets:?}: {found}, not {nearest}");
        }
        let outside_input = on(Side::Outside);
        for round in 0..6 {
            let weights: Vec<f64> = (0..structure.dim())
                .map(|_| match round % 2 {
                    0 => f64::from(random.random_range(-2..=2)),
                    _ => random.random_range(-1.0..1.0),
                })
                .collect();
            let mut scores = S::Scores::default();
            candidates.score(&weights, &outside_input, &mut scores);
            for mix in [Mix::SCORE, Mix::AUGMENTED, Mix::LOSS, Mix { score: 0.3, loss: 2.0 }] {
                let found = candidates.maximize(&outside_input, &truth, &mut scores, mix);
                assert!(
                    found.label == truth || outside.contains(&found.label),
                    "{found:?} is inside {sets:?}"
                );
                let rank = |label: &S::Label| {
                    let loss = candidates.loss(&outside_input, &truth, label);
                    mix.rank(candidates.score_of(&outside_input, &scores, label), loss)
                };
                let here = rank(&found.label);
                for label in outside.iter().chain([&truth]) {
                    assert!(
                        rank(label).0 <= here.0 + 1e-9,
                        "under {mix:?} {found:?} was found, not {label:?}: {sets:?}, {loss:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn searches_equal_enumeration() {
    let mut random = Pcg64Mcg::seed_from_u64(0);
    for chain in chains() {
        for length in [0, 1, 2, 3, 4] {
            for _ in 0..3 {
                let (input, sets) = (rows(length, &mut random), sets(length, &mut random));
                check_sides(&chain, input, sets, &labels(length), &mut random);
            }
        }
    }
    for cost in [LabelCost::ZeroOne, uneven()] {
        let structure = MulticlassStructure::new(FEATURES, LABELS as usize, true, cost).expect("it fits");
        for _ in 0..10 {
            let (input, sets) = (rows(1, &mut random), sets(1, &mut random));
            check_sides(&structure, input, sets, &[0, 1, 2], &mut random);
        }
    }
}

/// Nodes of trees and other graphs, of which all or some are labels, under each loss.
#[test]
fn searches_among_nodes_equal_enumeration() {
    let mut random = Pcg64Mcg::seed_from_u64(9);
    let hierarchies = [
        Hierarchy::forest(&[None, None, Some(1), Some(1), Some(2)]).expect("a forest"),
        Hierarchy::from_parents(&[vec![], vec![], vec![0, 1], vec![1], vec![2, 3]]).expect("a graph"),
    ];
    let costs: Arc<[f64]> = vec![1.0, 2.0, 0.5, 1.5, 3.0].into();
    for hierarchy in hierarchies.map(Arc::new) {
        for labels in [vec![0, 1, 2, 3, 4], vec![0, 3, 4]] {
            for loss in [
                NodeLoss::ZeroOne,
                NodeLoss::Difference { costs: None },
                NodeLoss::Distance { weights: Some(Arc::clone(&costs)) },
            ] {
                let options = NodeOptions { labels: Some(labels.clone()), loss, ..NodeOptions::default() };
                let structure =
                    NodeStructure::new(FEATURES, Arc::clone(&hierarchy), options).expect("it fits");
                for _ in 0..5 {
                    let named: Vec<u32> =
                        labels.iter().copied().filter(|_| random.random_bool(0.5)).collect();
                    let (input, sets) = (rows(1, &mut random), CandidateSets::new([&named[..]]));
                    check_sides(&structure, input, sets, &labels, &mut random);
                }
                let searches = structure.offers().candidates.expect("nodes have them");
                let input = rows(1, &mut random);
                assert!(searches.check_sets(&input, &CandidateSets::new([&[9][..]])).is_err(), "no node");
                let is_label = searches.check_sets(&input, &CandidateSets::new([&[2][..]])).is_ok();
                assert_eq!(is_label, labels.contains(&2));
            }
        }
    }
}

/// Labels that are in, out or open, each by itself, with a forest of pairs, and with few labels in cycles.
#[test]
fn searches_among_label_sets_equal_enumeration() {
    let mut random = Pcg64Mcg::seed_from_u64(10);
    let graph = |edges: &[(u32, u32)]| LabelGraph::new(4, edges.to_vec()).expect("a graph");
    let weights: Arc<[f64]> = vec![1.0, 2.0, 0.5, 1.5].into();
    let losses = [
        SetLoss::default(),
        SetLoss::Hamming { weights: Some(Arc::clone(&weights)), mean: true },
        SetLoss::Mistakes { miss: weights, wrong: vec![3.0, 0.5, 1.0, 1.0].into(), mean: false },
    ];
    for graph in [graph(&[]), graph(&[(0, 2), (1, 2)]), LabelGraph::complete(4).unwrap()] {
        for loss in losses.clone() {
            let options = MultilabelOptions { loss, ..MultilabelOptions::default() };
            let structure = MultilabelStructure::new(FEATURES, graph.clone(), options).expect("it fits");
            let all: Vec<LabelSet> = (0..16_u32)
                .map(|mask| {
                    let on: Vec<u32> = (0..4).filter(|label| mask & (1 << label) != 0).collect();
                    LabelSet::of(&on)
                })
                .collect();
            for _ in 0..8 {
                let known: Vec<Vec<u32>> = (0..4)
                    .map(|_| match random.random_range(0..4) {
                        0 => vec![],
                        1 => vec![1, 0],
                        value => vec![value - 2],
                    })
                    .collect();
                let sets = CandidateSets::new(known.iter().map(Vec::as_slice));
                check_sides(&structure, rows(1, &mut random), sets, &all, &mut random);
            }
        }
    }
    // Fractional sets are neither inside nor outside.
    let options = MultilabelOptions { inference: Inference::Relaxed, ..MultilabelOptions::default() };
    let relaxed =
        MultilabelStructure::new(FEATURES, LabelGraph::complete(4).unwrap(), options).expect("it fits");
    let refused = CandidateStructure::new(relaxed, CandidateLoss::Completion).expect_err("it is relaxed");
    assert!(refused.to_string().contains("forest of pairs"), "{refused}");
}

/// A small problem with a truth among the candidates.
struct Case {
    problem: CandidateProblem<ChainStructure>,
    mms: CandidateProblem<ChainStructure>,
    truth: Vec<Vec<u32>>,
    /// The labels inside, of each example.
    inside: Vec<Vec<Vec<u32>>>,
}

fn case(examples: usize, longest: usize, random: &mut Pcg64Mcg) -> Case {
    let chain = ChainStructure::new(FEATURES, LABELS as usize, ChainOptions::default()).expect("it fits");
    let (mut truth, mut inside, mut given) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..examples {
        let length = random.random_range(1..=longest);
        let (input, sets) = (Arc::new(rows(length, random)), Arc::new(sets(length, random)));
        let candidates: Vec<_> = labels(length).into_iter().filter(|label| sets.contains(label)).collect();
        truth.push(candidates[random.random_range(0..candidates.len())].clone());
        inside.push(candidates);
        given.push(CandidateExample { input, sets, weight: f64::from(random.random_range(1..3)) });
    }
    let problem = |options| CandidateProblem::new(chain.clone(), given.clone(), options);
    match (problem(CandidateOptions::CLLP), problem(CandidateOptions::MMS)) {
        (Ok(problem), Ok(mms)) => Case { problem, mms, truth, inside },
        // Nothing was excluded.
        _ => case(examples, longest, random),
    }
}

fn completions(inside: &[Vec<Vec<u32>>]) -> Vec<Vec<Vec<u32>>> {
    let mut all = vec![Vec::new()];
    for labels in inside {
        let longer = |before: &Vec<Vec<u32>>| {
            let before = before.clone();
            labels.iter().map(move |label| [&before[..], std::slice::from_ref(label)].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

fn trained(risk: &dyn Risk, kind: SolverKind, lambda: f64) -> Outcome {
    let mut solver = kind.build(risk, &SolverSettings::new(lambda).expect("a lambda")).expect("a solver");
    run_to(1e-6, risk, solver.as_mut())
}

fn run_to(gap: f64, risk: &dyn Risk, solver: &mut dyn Solver) -> Outcome {
    let limits = Limits { gap, max_passes: 5000, time_limit: None };
    let outcome = run(solver, risk, limits, |_| ControlFlow::Continue(())).expect("it fits");
    assert!(outcome.report.certificate.gap().0 <= gap, "{:?}", outcome.report);
    outcome
}

fn value(risk: &dyn Risk, w: &[f64]) -> f64 {
    evaluate(risk, Point::from(w), &Groups::new(risk.len(), 1)).expect("it fits").risk.value
}

/// The three objectives without ½λ‖w‖², by their definitions: (2) or (3) for a completion, and (4).
fn by_definition(case: &Case, w: &[f64], completion: &[Vec<u32>]) -> (f64, f64) {
    let structure = case.problem.structure();
    let (mut of_completion, mut of_sets) = (0.0, 0.0);
    for (i, example) in case.problem.examples().iter().enumerate() {
        let (x, sets) = (&example.input, &example.sets);
        let mut scores = Default::default();
        structure.score(w, x, &mut scores);
        let all = labels(x.len());
        let score = |label: &Vec<u32>| structure.score_of(x, &scores, label);
        let most = |is_inside: bool, loss: &dyn Fn(&Vec<u32>) -> f64| {
            let side = all.iter().filter(|label| sets.contains(label) == is_inside);
            side.map(|label| loss(label) + score(label)).fold(f64::NEG_INFINITY, f64::max)
        };
        let own = |label: &Vec<u32>| structure.loss(x, &completion[i], label);
        let of_own = score(&completion[i]);
        of_completion +=
            example.weight * ((most(true, &own) - of_own).max(0.0) + (most(false, &own) - of_own).max(0.0));
        let nearest = |label: &Vec<u32>| {
            case.inside[i].iter().map(|y| structure.loss(x, y, label)).fold(f64::INFINITY, f64::min)
        };
        of_sets += example.weight * (most(false, &nearest) - most(true, &|_| 0.0)).max(0.0);
    }
    let n = case.truth.len() as f64;
    (of_completion / n, of_sets / n)
}

#[test]
fn objectives_are_those_of_the_paper_and_in_its_order() {
    let mut random = Pcg64Mcg::seed_from_u64(3);
    let (mut truth_is_best, mut other_is_better) = (0, 0);
    for round in 0..12 {
        let case = case(2, 2, &mut random);
        let all = completions(&case.inside);
        let dim = case.problem.structure().dim();
        for _ in 0..5 {
            let w: Vec<f64> = (0..dim).map(|_| random.random_range(-1.0..1.0)).collect();
            let (of_truth, of_sets) = by_definition(&case, &w, &case.truth);
            let (mut least, mut least_of_sets) = (f64::INFINITY, f64::INFINITY);
            for completion in &all {
                let (own, _) = by_definition(&case, &w, completion);
                let risk = case.problem.risk(completion).expect("a risk");
                assert!((value(&risk, &w) - own).abs() < 1e-9 * (1.0 + own), "round {round}");
                least = least.min(own);
                least_of_sets = least_of_sets.min(value(&case.mms.risk(completion).expect("a risk"), &w));
            }
            // The best candidate is the completion that makes (4) of its convex bounds.
            assert!((least_of_sets - of_sets).abs() < 1e-9 * (1.0 + of_sets), "round {round}");
            assert!(of_truth >= least - 1e-9 && least >= of_sets - 1e-9, "round {round}");
        }
        // Theorem 3 for the least values: bounds of certificates on both sides.
        let certificate = |risk: &dyn Risk| trained(risk, SolverKind::Bcfw, LAMBDA).report.certificate;
        let of_truth = certificate(&case.problem.risk(&case.truth).expect("a risk"));
        let (mut least, mut least_of_sets) = (f64::INFINITY, f64::INFINITY);
        let mut least_of_others = (f64::INFINITY, f64::INFINITY);
        for completion in &all {
            let own = certificate(&case.problem.risk(completion).expect("a risk"));
            least = least.min(own.primal);
            if *completion != case.truth {
                let (lower, upper) = least_of_others;
                least_of_others = (lower.min(own.lower_bound), upper.min(own.primal));
            }
            let of_sets = certificate(&case.mms.risk(completion).expect("a risk"));
            least_of_sets = least_of_sets.min(of_sets.lower_bound);
        }
        assert!(of_truth.primal >= least - 1e-5 * least && least >= least_of_sets, "round {round}");
        truth_is_best += usize::from(of_truth.primal < least_of_others.0);
        other_is_better += usize::from(of_truth.lower_bound > least_of_others.1);
    }
    // The first half needs the truth among the candidates: where it is better than all others, J_c* without it would be above J₀*.
    assert!(truth_is_best > 0 && other_is_better > 0, "{truth_is_best}, {other_is_better}");
}

#[test]
fn solvers_agree_and_two_groups_are_two_slacks() {
    let mut random = Pcg64Mcg::seed_from_u64(4);
    for _ in 0..4 {
        let case = case(5, 2, &mut random);
        let risk = case.problem.risk(&case.truth).expect("a risk");
        let mut bounds: Vec<Certificate> =
            SolverKind::EXACT.iter().map(|&kind| trained(&risk, kind, LAMBDA).report.certificate).collect();
        let mut two_slack = Bmrm::new(LAMBDA, &risk, 2, None).expect("a solver");
        bounds.push(run_to(1e-6, &risk, &mut two_slack).report.certificate);
        let lower = bounds.iter().map(|bound| bound.lower_bound).fold(0.0, f64::max);
        let upper = bounds.iter().map(|bound| bound.primal).fold(f64::INFINITY, f64::min);
        assert!(lower <= upper, "{bounds:?}");
        // Theorem 5: no dual value is above c₁Δ₁ + c₂Δ₂ (here with weights of examples, 2 at most, and 2 positions).
        assert!(bounds.iter().all(|bound| bound.lower_bound <= 2.0 * (2.0 + 2.0)));
    }
}

/// One label everywhere is ordinary learning.
#[test]
fn without_a_choice_it_is_the_ordinary_risk() {
    let mut random = Pcg64Mcg::seed_from_u64(5);
    let chain = ChainStructure::new(FEATURES, LABELS as usize, ChainOptions::default()).expect("it fits");
    let (mut given, mut ordinary, mut truths) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..4 {
        let (input, truth) = (rows(3, &mut random), vec![0, 2, 1]);
        let sets = Arc::new(CandidateSets::new(truth.chunks(1)));
        given.push(CandidateExample { input: Arc::new(input.clone()), sets, weight: 1.0 });
        ordinary.push(Example { input, truth: truth.clone(), weight: 1.0 });
        truths.push(truth);
    }
    let problem = CandidateProblem::new(chain.clone(), given, CandidateOptions::CLLP).expect("it fits");
    let (own, other) =
        (problem.risk(&truths).expect("a risk"), StructuredRisk::new(chain, MarginSearch, ordinary));
    let other = other.expect("a risk");
    assert_eq!(own.len(), other.len());
    for _ in 0..20 {
        let w: Vec<f64> = (0..own.dim()).map(|_| random.random_range(-1.0..1.0)).collect();
        assert_eq!(value(&own, &w), value(&other, &w));
    }
}

/// The best-scoring candidate alone raises J in some steps; ours never does.
#[test]
fn the_alternation_never_raises_the_objective() {
    let mut random = Pcg64Mcg::seed_from_u64(6);
    let (mut raised, mut fell, mut steps) = (0, 0, 0);
    for round in 0..60 {
        let case = case(12, 4, &mut random);
        let mut completion: Vec<Vec<u32>> =
            case.inside.iter().map(|labels| labels[random.random_range(0..labels.len())].clone()).collect();
        let mut before = f64::INFINITY;
        loop {
            let risk = case.problem.risk(&completion).expect("a risk");
            let outcome = trained(&risk, SolverKind::Bcfw, 3.0);
            let weights = outcome.weights;
            let here = outcome.report.certificate.primal;
            assert!(here <= before * (1.0 + 2e-6), "round {round}: from {before} to {here}");
            let at = value(&risk, &weights);
            let plain = case.problem.best_candidates(&weights).expect("it fits");
            let plain = value(&case.problem.risk(&plain).expect("a risk"), &weights);
            raised += usize::from(plain > at * (1.0 + 1e-9));
            steps += 1;
            let changed = case.problem.complete(&weights, &mut completion).expect("it fits");
            let after = value(&case.problem.risk(&completion).expect("a risk"), &weights);
            assert!(after <= at, "round {round}: from {at} to {after}");
            if changed == 0 {
                break;
            }
            assert!(after < at, "round {round}");
            fell += 1;
            before = here - at + after;
        }
    }
    assert!(
        raised > 0 && fell > 0,
        "{raised} of {steps} plain steps raised J, and {fell} of ours changed it"
    );
}

/// The master problem of CANDIDATE's Algorithm 3 in its dual (19), for whom speed is nothing: pairs of multipliers of one slack are moved to
/// their best until none is worth it.
#[derive(Default)]
struct TwoSlack {
    /// Slope and offset of each constraint, by slack.
    planes: [Vec<(Vec<f64>, f64)>; 2],
    alpha: [Vec<f64>; 2],
}

impl TwoSlack {
    fn weights(&self, dim: usize) -> Vec<f64> {
        let mut w = vec![0.0; dim];
        for (planes, alpha) in self.planes.iter().zip(&self.alpha) {
            for ((slope, _), alpha) in planes.iter().zip(alpha) {
                w.iter_mut().zip(slope).for_each(|(w, slope)| *w -= alpha * slope);
            }
        }
        w
    }

    fn dual(&self, dim: usize) -> f64 {
        let w = self.weights(dim);
        let offsets =
            self.planes.iter().zip(&self.alpha).flat_map(|(planes, alpha)| planes.iter().zip(alpha));
        offsets.map(|((_, offset), alpha)| alpha * offset).sum::<f64>() - 0.5 * dot(&w, &w)
    }

    /// What a slack is at these weights.
    fn slack(&self, slack: usize, w: &[f64]) -> f64 {
        self.planes[slack].iter().map(|(slope, offset)| dot(slope, w) + offset).fold(0.0, f64::max)
    }

    fn add(&mut self, slack: usize, plane: (Vec<f64>, f64)) {
        self.planes[slack].push(plane);
        self.alpha[slack].push(0.0);
    }

    fn solve(&mut self, dim: usize) {
        let mut w = self.weights(dim);
        loop {
            let mut worst: f64 = 0.0;
            for (planes, alpha) in self.planes.iter().zip(&mut self.alpha) {
                let gradient = |k: usize| dot(&planes[k].0, &w) + planes[k].1;
                let by_gradient = |a: &usize, b: &usize| gradient(*a).total_cmp(&gradient(*b));
                let up = (0..planes.len()).max_by(by_gradient).expect("there is the completion itself");
                let down =
                    (0..planes.len()).filter(|&k| alpha[k] > 0.0).min_by(by_gradient).expect("a sum above 0");
                let gain = gradient(up) - gradient(down);
                let direction: Vec<f64> =
                    planes[up].0.iter().zip(&planes[down].0).map(|(a, b)| a - b).collect();
                worst = worst.max(gain);
                let step = (gain / dot(&direction, &direction)).min(alpha[down]);
                if gain > 0.0 && step > 0.0 {
                    alpha[up] += step;
                    alpha[down] = if step == alpha[down] { 0.0 } else { alpha[down] - step };
                    w.iter_mut().zip(&direction).for_each(|(w, d)| *w -= step * d);
                }
            }
            if worst < 1e-9 {
                return;
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The largest loss and the largest ‖δΨ‖ between candidates and labels of one side, weights of examples counted.
fn largest(case: &Case, side: Side) -> (f64, f64) {
    let structure = case.problem.structure();
    let (mut loss, mut norm): (f64, f64) = (0.0, 0.0);
    for (example, inside) in case.problem.examples().iter().zip(&case.inside) {
        let x = &example.input;
        for label in labels(x.len()).iter().filter(|y| example.sets.contains(y) == (side == Side::Inside)) {
            for own in inside {
                let mut difference = vec![0.0; structure.dim()];
                structure.add_difference(x, label, own, 1.0, &mut difference[..]);
                norm = norm.max(example.weight * dot(&difference, &difference).sqrt());
                loss = loss.max(example.weight * structure.loss(x, own, label));
            }
        }
    }
    (loss, norm)
}

/// The risk of the truth with other weights of the two sides.
fn risk_with(
    case: &Case,
    [inside, outside]: [f64; 2],
) -> Result<StructuredRisk<CandidateStructure<ChainStructure>, MarginSearch>> {
    let options = CandidateOptions { inside, outside, ..CandidateOptions::CLLP };
    let structure = case.problem.structure().clone();
    CandidateProblem::new(structure, case.problem.examples().to_vec(), options)?.risk(&case.truth)
}

/// Theorems 4 and 5: by how much each turn of Algorithm 3 raises the dual, what that is at most, and so how many turns there are. What
/// it ends at is what our solvers find.
#[test]
fn two_slacks_rise_as_fast_as_is_proven() {
    let mut random = Pcg64Mcg::seed_from_u64(8);
    let (epsilon, mut turns) = ([0.02, 0.05], 0);
    for round in 0..20 {
        let case = case(4, 3, &mut random);
        let weights = [random.random_range(0.5..2.0), random.random_range(0.5..2.0)];
        // ½‖w‖² + C₁ξ + C₂ζ is F/λ.
        let cost = weights.map(|weight| weight / LAMBDA);
        let one_side = [1.0, 0.0].map(|inside| risk_with(&case, [inside, 1.0 - inside]).ok());
        let [Some(inside), Some(outside)] = &one_side else { continue };
        let sides: [&dyn Risk; 2] = [inside, outside];
        let dim = inside.dim();
        let ((delta_in, p), (delta_out, q)) = (largest(&case, Side::Inside), largest(&case, Side::Outside));
        let most = cost[0] * delta_in + cost[1] * delta_out;
        let mu_of = |violated: [bool; 2]| {
            let single =
                |k: usize, norm: f64| (epsilon[k] * cost[k]).min(epsilon[k].powi(2) / (4.0 * norm * norm));
            0.5 * match violated {
                [true, false] => single(0, p),
                [false, true] => single(1, q),
                _ => {
                    let sum = epsilon[0] + epsilon[1];
                    (sum * cost[0].min(cost[1])).min(sum * sum / (4.0 * (p + q) * (p + q)))
                }
            }
        };
        // The completion itself is the start, whose value is 0.
        let mut master = TwoSlack::default();
        for (k, cost) in cost.iter().enumerate() {
            master.add(k, (vec![0.0; dim], 0.0));
            master.alpha[k][0] = *cost;
        }
        let (mut dual, mut count) = (master.dual(dim), 0);
        assert_eq!(dual, 0.0);
        loop {
            let w = master.weights(dim);
            let found = sides.map(|risk| {
                let groups = Groups::new(risk.len(), 1);
                let plane = evaluate(risk, Point::from(&w[..]), &groups).expect("it fits").planes.remove(0);
                (plane.slope, plane.offset)
            });
            let violated =
                [0, 1].map(|k| dot(&found[k].0, &w) + found[k].1 > master.slack(k, &w) + epsilon[k]);
            if violated == [false; 2] {
                break;
            }
            for (k, plane) in found.into_iter().enumerate().filter(|(k, _)| violated[*k]) {
                master.add(k, plane);
            }
            master.solve(dim);
            let (before, least) = (dual, mu_of(violated));
            dual = master.dual(dim);
            count += 1;
            assert!(
                dual >= before + least - 1e-9,
                "round {round}: from {before} to {dual}, less than {least}"
            );
            assert!(dual <= most + 1e-9, "round {round}: {dual} is above {most}");
        }
        let least =
            [[true, false], [false, true], [true, true]].map(mu_of).into_iter().fold(f64::INFINITY, f64::min);
        assert!(f64::from(count) <= most / least, "round {round}: {count} turns");
        turns += count;
        let risk = risk_with(&case, weights).expect("a risk");
        let ours = trained(&risk, SolverKind::Bcfw, LAMBDA).report.certificate;
        let slack = weights[0] * epsilon[0] + weights[1] * epsilon[1];
        assert!(
            LAMBDA * dual <= ours.primal + 1e-9 && LAMBDA * dual + slack >= ours.lower_bound - 1e-9,
            "round {round}"
        );
    }
    assert!(turns > 100, "{turns} turns");
}

#[test]
fn what_does_not_fit_is_refused() {
    let chain = ChainStructure::new(FEATURES, LABELS as usize, ChainOptions::default()).expect("it fits");
    let input = Arc::new(rows(2, &mut Pcg64Mcg::seed_from_u64(7)));
    let problem = |sets: &[&[u32]], options| {
        let sets = Arc::new(CandidateSets::new(sets.iter().copied()));
        let example = CandidateExample { input: Arc::clone(&input), sets, weight: 1.0 };
        CandidateProblem::new(chain.clone(), vec![example], options).map(|_| ())
    };
    assert!(problem(&[&[0], &[0, 1]], CandidateOptions::CLLP).is_ok());
    assert!(problem(&[&[0]], CandidateOptions::CLLP).is_err(), "one position of two");
    assert!(problem(&[&[0], &[3]], CandidateOptions::CLLP).is_err(), "there is no label 3");
    assert!(problem(&[&[], &[]], CandidateOptions::MMS).is_err(), "nothing is known");
    let negative = CandidateOptions { inside: -1.0, ..CandidateOptions::CLLP };
    assert!(problem(&[&[0], &[0, 1]], negative).is_err());
}
