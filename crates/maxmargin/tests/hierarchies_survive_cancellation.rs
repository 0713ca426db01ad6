//! Promise: certificates of hierarchies are true to the last digit where floating point loses all of them: under HSVM, under NHSVM with α as they
//! are stored, and under the shared norm, where they are about weights and α together.
//!
//! The referee of `exact` lists all labels of small trees and graphs. Under the shared norm no optimum is known without rounding; a lower bound is
//! held to F of all weights that any solver found, and to the exact optimum for the α that go with the best of them.
//!
//! `MAXMARGIN_CERTIFICATE_RUNS` says how many problems, `MAXMARGIN_CERTIFICATE_SEED` with which to begin.

use std::sync::Arc;

use maxmargin::features::{FeatureMatrix, Rows};
use maxmargin::inference::SetRules;
use maxmargin::risk::{Risk, StructuredRisk};
use maxmargin::search::{MarginSearch, Strategy, SurrogateSearch};
use maxmargin::solver::{Limits, SolverKind, SolverSettings};
use maxmargin::structure::alpha::AlphaRule;
use maxmargin::structure::{
    Example, LabelSet, NodeLoss, NodeOptions, NodeSetOptions, NodeSetStructure, NodeStructure, SetLoss,
    Structure,
};
use maxmargin::surrogate::Surrogate;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::common;

use crate::common::problem::{Problem, Sample, Sets, TaskKind, Values};
use crate::exact::docket::Docket;
use crate::exact::hierarchy::{NodeProblem, widened};
use crate::exact::hostile::{give_digits, number_between, spoil};
use crate::exact::judge::{Trial, judge_bounds, try_solver};
use crate::exact::optimum::optimum;
use crate::hierarchies::{closed_sets, random_hierarchy};

/// Problems by default.
const PROBLEMS: usize = 40;

/// A problem, and how it is trained.
struct Case {
    problem: NodeProblem,
    is_of_sets: bool,
    is_shared: bool,
    strategy: Strategy,
    settings: SolverSettings,
    limits: Limits,
}

/// Rows of numbers that are hard on floating point, with weights of examples.
fn rows(random: &mut Pcg64Mcg, labels: usize, is_tame: bool) -> Problem {
    let (features, count) = (random.random_range(1..=3), random.random_range(2..=4));
    let sample = |random: &mut Pcg64Mcg| Sample {
        rows: vec![(0..features).map(|_| f64::from(random.random_range(-3..=3))).collect()],
        truth: vec![random.random_range(0..labels as u32)],
        weight: 1.0,
        edges: Vec::new(),
    };
    let mut problem = Problem {
        kind: TaskKind::Multiclass,
        features,
        pair_features: 0,
        second_order: false,
        labels,
        bias: random.random(),
        boundary: false,
        mean: false,
        costs: None,
        sets: Sets::default(),
        fertility: (1, 1),
        values: Values::Double,
        sparse: false,
        samples: (0..count).map(|_| sample(random)).collect(),
    };
    match is_tame {
        true => give_digits(&mut problem, random),
        false => spoil(&mut problem, random),
    }
    problem
}

fn case(seed: u64) -> Case {
    let random = &mut Pcg64Mcg::seed_from_u64(seed);
    let is_tame = seed.is_multiple_of(4);
    let is_of_sets = random.random_range(0..3) == 0;
    let hierarchy = loop {
        let is_tree = random.random_range(0..3) > 0;
        let hierarchy = random_hierarchy(random, if is_of_sets { 5 } else { 7 }, is_tree);
        if hierarchy.leaves().len() > 1 {
            break hierarchy;
        }
    };
    let ends_inside: bool = random.random();
    let labels: Vec<Vec<u32>> = match is_of_sets {
        true => closed_sets(&hierarchy, false, false),
        false => {
            let is_label = |node: &u32| ends_inside || hierarchy.is_leaf(*node);
            let nodes = (0..hierarchy.nodes() as u32).filter(is_label);
            nodes.map(|node| hierarchy.ancestors(node).to_vec()).collect()
        }
    };
    let Problem { bias, samples, .. } = rows(random, labels.len(), is_tame);
    let kind = random.random_range(0..5);
    let (is_shared, is_scaled) = (kind < 2, kind == 2 || kind == 3);
    let rule: AlphaRule =
        ["rho=2", "rho=1.5", "maxmin", "rho=2,directed"].choose(random).unwrap().parse().unwrap();
    let of_rule = rule.weights(&hierarchy, 1.5).ok();
    let alpha = of_rule.clone().filter(|_| is_scaled);
    let loss = match random.random_range(0..3) {
        0 if !is_of_sets => NodeLoss::ZeroOne,
        1 if !is_of_sets => NodeLoss::Distance { weights: of_rule.map(Arc::from) },
        _ => NodeLoss::Difference { costs: None },
    };
    let surrogate = if random.random_range(0..3) > 0 { Surrogate::MARGIN } else { Surrogate::SLACK };
    let lambdas = if is_tame { (-3, 1) } else { (-8, 3) };
    let lambda = number_between(lambdas.0, lambdas.1, random);
    let problem = NodeProblem {
        hierarchy,
        bias,
        alpha,
        loss,
        surrogate,
        lambda,
        rows: samples.iter().map(|sample| sample.rows[0].clone()).collect(),
        truths: samples.iter().map(|sample| sample.truth[0] as usize).collect(),
        weights: samples.iter().map(|sample| sample.weight).collect(),
        labels,
    };
    let settings = SolverSettings {
        groups: random.random_range(1..=3),
        seed: random.random_range(0..1000),
        ..SolverSettings::new(lambda).unwrap()
    };
    let passes = *[10, 30, 80].choose(random).unwrap();
    let gap = *[1e-3, 1e-6, 1e-9, 0.0].choose(random).unwrap();
    let strategy = if random.random() { Strategy::Stratified } else { Strategy::Hull };
    let limits = Limits { gap, max_passes: passes, time_limit: None };
    Case { problem, is_of_sets, is_shared, strategy, settings, limits }
}

impl Case {
    fn risk(&self) -> Box<dyn Risk> {
        let problem = &self.problem;
        let (features, hierarchy) = (problem.rows[0].len(), Arc::new(problem.hierarchy.clone()));
        let alpha: Option<Arc<[f64]>> = problem.alpha.clone().map(Arc::from);
        if self.is_of_sets {
            let rules = SetRules { needs_child: false, never_empty: true };
            let loss = SetLoss::Hamming { weights: None, mean: false };
            let options = NodeSetOptions { bias: problem.bias, alpha, rules, loss };
            let structure = NodeSetStructure::new(features, hierarchy, options).unwrap();
            let structure = if self.is_shared { structure.with_shared_norm().unwrap() } else { structure };
            return self.risk_of(structure, |label| LabelSet::of(label));
        }
        // The last node of a path in the order from the top is the label.
        let end = |label: &Vec<u32>| problem.hierarchy.ends(label)[0];
        let options = NodeOptions {
            bias: problem.bias,
            alpha,
            labels: Some(problem.labels.iter().map(end).collect()),
            own_leaves: false,
            loss: problem.loss.clone(),
        };
        let structure = NodeStructure::new(features, hierarchy, options).unwrap();
        let structure = if self.is_shared { structure.with_shared_norm().unwrap() } else { structure };
        self.risk_of(structure, end)
    }

    fn risk_of<S: Structure<Input = Rows> + 'static>(
        &self,
        structure: S,
        label: impl Fn(&Vec<u32>) -> S::Label,
    ) -> Box<dyn Risk>
    where
        StructuredRisk<S, MarginSearch>: Risk,
        StructuredRisk<S, SurrogateSearch>: Risk,
    {
        let problem = &self.problem;
        let x = Arc::new(FeatureMatrix::from_dense(&problem.rows));
        let example = |(i, truth): (usize, &usize)| Example {
            input: Rows::new(&x, i..i + 1),
            truth: label(&problem.labels[*truth]),
            weight: problem.weights[i],
        };
        let examples = problem.truths.iter().enumerate().map(example).collect();
        if problem.surrogate == Surrogate::MARGIN {
            return Box::new(StructuredRisk::new(structure, MarginSearch, examples).unwrap());
        }
        let search = SurrogateSearch::new(problem.surrogate, self.strategy).unwrap();
        Box::new(StructuredRisk::new(structure, search, examples).unwrap())
    }

    /// Every solver that applies, judged.
    fn hear(&self) -> Vec<Trial> {
        let (risk, problem) = (self.risk(), &self.problem);
        let solvers = SolverKind::solvers().filter(|kind| kind.check(risk.as_ref()).is_ok());
        let exact = if self.is_shared { problem.unscaled() } else { problem.scaled() };
        let value_of = |weights: &[f64]| match self.is_shared {
            true => problem.shared_at(&exact, weights),
            false => widened(&exact.at_weights(weights)),
        };
        let weights = std::cell::RefCell::new(Vec::new());
        let try_one = |kind| {
            let risk = self.risk();
            try_solver(risk.as_ref(), &self.settings, self.limits, kind, |at| {
                *weights.borrow_mut() = at.to_vec();
                value_of(at)
            })
        };
        let mut found: Vec<(Trial, Vec<f64>)> = Vec::new();
        for kind in solvers {
            let trial = try_one(kind);
            found.push((trial, weights.borrow().clone()));
        }
        let upper = match self.is_shared {
            false => widened(&optimum(&exact).value).high,
            true => {
                let best = found.iter().min_by(|a, b| a.0.value.high.cmp(&b.0.value.high)).expect("a solver");
                problem.shared_upper_bound(&best.1)
            }
        };
        let mut trials: Vec<Trial> = found.into_iter().map(|(trial, _)| trial).collect();
        judge_bounds(&mut trials, upper);
        trials
    }
}

#[test]
fn random_problems_that_are_hard_on_floating_point() {
    let count = common::number_of("MAXMARGIN_CERTIFICATE_RUNS", PROBLEMS);
    let first = common::number_of("MAXMARGIN_CERTIFICATE_SEED", 0) as u64;
    let mut docket = Docket::default();
    common::with_threads(1, || {
        for seed in first..first + count as u64 {
            let case = case(seed);
            docket.add(&case.hear(), case.limits.gap, || {
                let Case { problem, is_of_sets, is_shared, settings, limits, .. } = &case;
                let SolverSettings { groups, seed: own, .. } = settings;
                format!("seed {seed}, sets {is_of_sets}, shared {is_shared}, groups {groups}, seed {own}, {limits:?}\n  {problem:?}")
            });
        }
    });
    println!("{} runs on {count} problems, {} of them to their gap", docket.runs, docket.reached);
    docket.close();
    let Docket { runs, reached, .. } = docket;
    assert!(reached * 4 > runs, "{reached} of {runs} runs reached their gap");
}

/// The referee against F as the library has it, on moderate numbers.
#[test]
fn the_referee_agrees_with_the_library() {
    use maxmargin::solver::Certificate;
    for seed in (0..80).step_by(4) {
        let case = case(seed);
        let (risk, problem) = (case.risk(), &case.problem);
        let numbers = (0..).map(|j| f64::from((j * 7 + seed as u32) % 11) / 5.0 - 1.0);
        let weights: Vec<f64> = numbers.take(risk.dim()).collect();
        let expected = Certificate::of_weights(risk.as_ref(), problem.lambda, &weights, 0.0).unwrap().primal;
        let value = match case.is_shared {
            true => problem.shared_at(&problem.unscaled(), &weights),
            false => problem.scaled().at_weights(&weights),
        };
        let (low, high) = (value.low.to_f64(), value.high.to_f64());
        assert!(high - low <= 1e-7 * high, "seed {seed}: {low} to {high}");
        assert!((low - expected).abs() <= 1e-6 * expected, "seed {seed}: {low} to {high}, not {expected}");
    }
}
