//! Promise: the same seed gives the same weights, to the last bit, for any number of threads.

use maxmargin::risk::Risk;
use maxmargin::solver::{SolverKind, SolverSettings};
use maxmargin::tasks::multilabel::Pairs;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::common;

use crate::common::problem::{Problem, Sample, Sets, TaskKind, Values};
use crate::common::surrogate::Surrogated;

/// Noisy data that a model can partly explain.
fn problem(kind: TaskKind, samples: usize, features: usize, labels: usize) -> Problem {
    let mut random = Pcg64Mcg::seed_from_u64(17);
    let sample = |random: &mut Pcg64Mcg| {
        // Of a graph: three nodes on each side, and one of six ways to link them all.
        let edges: Vec<(u32, u32)> = match kind {
            TaskKind::Matching => (0..3).flat_map(|l| (0..3).map(move |r| (l, r))).collect(),
            _ => Vec::new(),
        };
        let length = match kind {
            TaskKind::Chain => random.random_range(1..8),
            TaskKind::Matching => edges.len(),
            _ => 1,
        };
        let mut truth: Vec<u32> = (0..length).map(|_| random.random_range(0..labels as u32)).collect();
        if kind == TaskKind::Matching {
            let (shift, turn) = (random.random_range(0..3), random.random_range(1..3));
            truth = edges.iter().map(|(l, r)| u32::from((l * turn + shift) % 3 == *r)).collect();
        }
        let row = |random: &mut Pcg64Mcg, y: u32| -> Vec<f64> {
            let value = |(j, noise): (usize, f64)| f64::from(u8::from(j % labels == y as usize)) + noise;
            (0..features).map(|j| value((j, random.random_range(-1.0..1.0)))).collect()
        };
        let rows = truth.iter().map(|&y| row(random, y)).collect();
        if kind == TaskKind::Multilabel {
            // The label that the row shows, and some that it does not.
            let shown = truth[0];
            let on = |label| u32::from(label == shown || random.random_range(0..4) == 0);
            truth = (0..labels as u32).map(on).collect();
        }
        Sample { rows, truth, weight: random.random_range(0.5..2.0), edges }
    };
    Problem {
        kind,
        features,
        pair_features: 0,
        second_order: false,
        labels,
        bias: true,
        boundary: true,
        mean: true,
        costs: None,
        sets: Sets::default(),
        fertility: (1, 1),
        values: Values::Double,
        sparse: false,
        samples: (0..samples).map(|_| sample(&mut random)).collect(),
    }
}

fn check(name: &str, new_risk: impl Fn() -> Box<dyn Risk> + Sync, lambda: f64, passes: usize) {
    let settings = SolverSettings { seed: 3, ..SolverSettings::new(lambda).unwrap() };
    for kind in SolverKind::ALL.into_iter().filter(|kind| kind.check(&*new_risk()).is_ok()) {
        // Each of its passes is ten steps.
        let passes = if kind == SolverKind::Extragradient { passes.min(3) } else { passes };
        let train = |threads| {
            common::with_threads(threads, || {
                // A new one each time: searches remember what they found.
                let risk = new_risk();
                let mut solver = kind.build(&*risk, &settings).unwrap();
                let certificates: Vec<_> = (0..passes).map(|_| solver.step(&*risk).certificate).collect();
                let numbers: Vec<f64> = certificates.iter().flat_map(|c| [c.primal, c.lower_bound]).collect();
                (common::bits(&numbers), common::bits(solver.weights()))
            })
        };
        let one = train(1);
        assert!(one.1.iter().any(|&bits| bits != 0), "{kind} on {name} has not moved");
        for threads in [2, 4] {
            let several = train(threads);
            let differ = one.0.iter().zip(&several.0).position(|(a, b)| a != b);
            assert_eq!(
                differ.map(|k| k / 2),
                None,
                "{kind} on {name}: the first pass that {threads} threads change"
            );
            assert!(one.1 == several.1, "{kind} on {name}: {threads} threads change the weights");
        }
    }
}

#[test]
fn on_chains() {
    let problem = problem(TaskKind::Chain, 150, 12, 5);
    check("chains", || problem.risk(), 0.01, 20);
}

/// More weights than are summed in one piece.
#[test]
fn on_many_weights() {
    let problem = problem(TaskKind::Multiclass, 70, 900, 5);
    check("many weights", || problem.risk(), 0.01, 15);
}

/// More examples than n-slack asks for in one wave.
#[test]
fn on_many_examples() {
    let problem = problem(TaskKind::Multiclass, 5000, 6, 4);
    check("many examples", || problem.risk(), 0.01, 13);
}

/// Searches that remember, and those whose planes are tangents or mixes.
#[test]
fn with_other_surrogates() {
    let searches = [
        ("slack", Some("hull")),
        ("slack", Some("hull-fractional")),
        ("slack", Some("angular")),
        ("slack", Some("bisecting")),
        ("log", None),
        ("log", Some("hull")),
        ("log", Some("hull-fractional")),
        ("micro-f1", Some("hull")),
    ];
    let problem = problem(TaskKind::Chain, 120, 8, 3);
    for (surrogate, strategy) in searches {
        let strategy = strategy.map(|name| name.parse().unwrap());
        let surrogated = Surrogated::new(&problem, surrogate.parse().unwrap(), strategy);
        check(&format!("{surrogate} with {strategy:?}"), || surrogated.risk(), 0.01, 8);
    }
}

#[test]
fn on_matchings() {
    let problem = problem(TaskKind::Matching, 80, 8, 2);
    check("matchings", || problem.risk(), 0.01, 15);
    for (surrogate, strategy) in
        [("slack", "hull"), ("slack", "angular"), ("micro-f1", "hull"), ("log", "stratified")]
    {
        let strategy = Some(strategy.parse().unwrap());
        let surrogated = Surrogated::new(&problem, surrogate.parse().unwrap(), strategy);
        check(&format!("matchings, {surrogate} with {strategy:?}"), || surrogated.risk(), 0.01, 6);
    }
}

#[test]
fn on_label_sets() {
    let mut problem = problem(TaskKind::Multilabel, 60, 6, 5);
    let pairs = (0..5).flat_map(|i| (i + 1..5).map(move |j| (i, j)));
    problem.sets = Sets { given: Pairs::All, pairs: pairs.collect(), ..Sets::default() };
    check("label sets", || problem.risk(), 0.01, 15);
    problem.sets.relaxed = true;
    check("fractional label sets", || problem.risk(), 0.01, 15);
    for strategy in ["hull-fractional", "angular", "bisecting"] {
        let surrogated = Surrogated::new(&problem, "slack".parse().unwrap(), Some(strategy.parse().unwrap()));
        check(&format!("fractional label sets with {strategy}"), || surrogated.risk(), 0.01, 6);
    }
}
