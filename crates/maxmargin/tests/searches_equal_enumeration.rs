//! Promise: exact searches find the label that listing all labels finds, for every surrogate; the fractional one finds the
//! best point of the convex hull; and the upper bound of every search holds.

use maxmargin::search::{Memory, Points, Scene, Strategy, SurrogateSearch, Workspace, search};
use maxmargin::structure::{ScoreNoise, Structure};
use maxmargin::surrogate::Surrogate;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::common::problem::{Problem, Sizes, TaskKind, cases, label_set, links, numbers, problems, weights};
use crate::common::surrogate::{Surrogated, best_label, best_mix};

const SURROGATES: [&str; 20] = [
    "margin",
    "slack",
    "beta=0.01",
    "beta=0.25",
    "beta=0.5",
    "beta=0.75",
    "general=0.5,0",
    "general=1.5,1",
    "general=1.98,1",
    "general=2.9,1.91",
    "general=2,1",
    "general=3,2",
    "general=2.2,1.2",
    "general=0.3,0.3",
    "general=0,0",
    "general=-1,-1.5",
    "log",
    "prob",
    "prob-convex",
    "micro-f1",
];

fn surrogates() -> impl Iterator<Item = Surrogate> {
    SURROGATES.into_iter().map(|name| name.parse().unwrap())
}

fn strategies(surrogate: Surrogate) -> impl Iterator<Item = Strategy> {
    Strategy::ALL.into_iter().filter(move |strategy| strategy.check(surrogate).is_ok())
}

/// Labels as random points: on a grid, where ties abound, or anywhere; h small or large beside g.
fn random_points(surrogate: Surrogate, random: &mut Pcg64Mcg) -> Vec<(f64, f64)> {
    let count = random.random_range(1..12);
    let grid = random.random::<bool>();
    let scale = [1.0, 1.0, 1.0, 0.1, 10.0][random.random_range(0..5)];
    let mut number = |low: f64, high: f64| {
        let number = random.random_range(low..high);
        if grid { number.round() } else { number }
    };
    let mut points = match surrogate {
        Surrogate::MicroF1 => vec![(0.0, -4.0)],
        _ => vec![(0.0, 0.0)],
    };
    for _ in 0..count {
        points.push(match surrogate {
            Surrogate::MicroF1 => (scale * number(-6.0, 6.0), number(-9.0, -2.0)),
            _ => (scale * number(-6.0, 4.0), number(0.0, 7.0)),
        });
    }
    points
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs() + b.abs())
}

#[test]
fn on_ten_thousand_sets_of_points() {
    let rounds = 10_000;
    let mut random = Pcg64Mcg::seed_from_u64(4);
    let mut missed = [0; 3];
    for surrogate in surrogates() {
        for round in 0..rounds {
            let points = random_points(surrogate, &mut random);
            let best = best_label(&points, surrogate).2.max(0.0);
            // Listing all mixes takes as long as all the rest.
            let is_tried = |strategy: &Strategy| *strategy != Strategy::HullFractional || round % 8 == 0;
            for strategy in strategies(surrogate).filter(is_tried) {
                let mut plane = Points::new(points.clone());
                plane.stratified = strategy == Strategy::Stratified || round % 2 == 0;
                let mut memory = Memory::default();
                // The second time with what the first one remembers.
                for start in ["cold", "warm"] {
                    let answer = search(strategy, &mut plane, surrogate, &mut memory);
                    let case = || format!("{surrogate}, {strategy} {start}: {answer:?}, labels {points:?}");
                    let (h, g) = answer.point();
                    assert!(close(surrogate.value(h, g).max(0.0), answer.value), "{}", case());
                    let wanted = match strategy {
                        Strategy::HullFractional => best_mix(&points, surrogate).2.max(0.0),
                        _ => best,
                    };
                    assert!(answer.upper >= wanted - 1e-9 * (1.0 + wanted), "best {wanted}, {}", case());
                    if strategy.is_exact() {
                        assert!(close(answer.value, wanted), "best {wanted}, {}", case());
                        assert!(close(answer.upper, answer.value), "{}", case());
                    } else if !close(answer.value, best) {
                        missed[strategy as usize - Strategy::Bisecting as usize] += 1;
                    }
                }
            }
        }
    }
    println!(
        "bisecting, binary and sarawagi missed the best label {missed:?} times in {} searches",
        2 * rounds
    );
    assert!(
        missed.iter().all(|&missed| missed > 0),
        "λ-oracles alone cannot find every label (SLACK Theorem 1)"
    );
}

/// A structure may have nothing but a λ-oracle: what hull and angular then miss, their bound allows for.
#[test]
fn a_plain_oracle_bounds_what_cannot_be_listed() {
    let mut random = Pcg64Mcg::seed_from_u64(9);
    let (mut found, mut missed) = (0, 0);
    for surrogate in surrogates() {
        for _ in 0..2_000 {
            let points = random_points(surrogate, &mut random);
            let best = best_label(&points, surrogate).2.max(0.0);
            let of_labels = [Strategy::Hull, Strategy::Angular];
            for strategy in strategies(surrogate).filter(|strategy| of_labels.contains(strategy)) {
                let mut plane = Points::new(points.clone());
                (plane.stratified, plane.listed) = (false, false);
                let mut memory = Memory::default();
                for start in ["cold", "warm"] {
                    let answer = search(strategy, &mut plane, surrogate, &mut memory);
                    let case = || format!("{surrogate}, {strategy} {start}: {answer:?}, labels {points:?}");
                    let (h, g) = answer.best.point();
                    assert!(close(surrogate.value(h, g).max(0.0), answer.value), "{}", case());
                    assert!(answer.value <= best + 1e-9 * (1.0 + best), "best {best}, {}", case());
                    assert!(answer.upper >= best - 1e-9 * (1.0 + best), "best {best}, {}", case());
                    *if close(answer.value, best) { &mut found } else { &mut missed } += 1;
                }
            }
        }
    }
    assert!(missed > 0 && found > 5 * missed, "{found} found, {missed} missed");
}

/// SLACK Theorem 1: no λ-oracle returns the best of three labels.
#[test]
fn three_labels_that_defeat_every_lambda() {
    // In (h + 1, g): (4, ε), (1, 1) just under the edge between the others, (ε, 4).
    for epsilon in [1e-3, 1e-6, 1e-9] {
        let points = vec![(0.0, 0.0), (3.0, epsilon), (0.9, 1.9), (epsilon - 1.0, 4.0)];
        for strategy in Strategy::ALL {
            let mut plane = Points::new(points.clone());
            plane.stratified = strategy == Strategy::Stratified;
            let answer = search(strategy, &mut plane, Surrogate::SLACK, &mut Memory::default());
            let best = 1.9 * 1.9;
            match strategy {
                Strategy::HullFractional => {
                    assert!(close(answer.value, (4.0 + epsilon).powi(2) / 4.0), "{answer:?}")
                }
                _ if strategy.is_exact() => assert!(close(answer.value, best), "{strategy}: {answer:?}"),
                _ => assert!(
                    answer.value <= 4.0 * epsilon * (1.0 + 1e-6) && answer.upper >= best,
                    "{strategy}: {answer:?}"
                ),
            }
        }
    }
}

fn check<S: Structure>(
    problem: &Problem,
    structure: &S,
    examples: &[(S::Input, S::Label)],
    w: &[Vec<f64>],
    background: Option<u32>,
) -> Result<(), TestCaseError> {
    for (i, (input, truth)) in examples.iter().enumerate() {
        let (least, largest) = (structure.least_loss(input, truth), structure.largest_loss(input, truth));
        for loss in problem.labels_of(i).iter().map(|y| problem.loss(i, y)).filter(|loss| *loss > 0.0) {
            let is_between = least * (1.0 - 1e-15) <= loss && loss <= largest * (1.0 + 1e-14);
            prop_assert!(least > 0.0 && is_between, "{loss} is not between {least} and {largest}");
        }
    }
    for surrogate in surrogates() {
        // Refused by a check of the search.
        if surrogate == Surrogate::MicroF1 && !problem.has_sizes() {
            continue;
        }
        let surrogated = Surrogated { problem: problem.clone(), surrogate, strategy: None, background };
        for strategy in strategies(surrogate) {
            if strategy == Strategy::Stratified && !surrogated.has_strata() {
                continue;
            }
            let search = SurrogateSearch::new(surrogate, strategy).unwrap().with_background(background);
            let mut workspace = Workspace::<S>::default();
            for (i, (input, truth)) in examples.iter().enumerate() {
                let mut memory = Memory::default();
                for (w, scale) in w.iter().zip([1.0, 0.5, 0.0]) {
                    let mut scores = S::Scores::default();
                    structure.score(w, input, &mut scores);
                    let scene = Scene {
                        example: 0,
                        structure,
                        input,
                        truth,
                        scores: &mut scores,
                        scale,
                        noise: ScoreNoise::UNKNOWN,
                    };
                    let answer = search.answer(scene, &mut memory, &mut workspace);
                    let scaled: Vec<f64> = w.iter().map(|w| scale * w).collect();
                    let points: Vec<_> = surrogated.labels(i).iter().map(|y| y.point(&scaled)).collect();
                    let best = match strategy {
                        Strategy::HullFractional => best_mix(&points, surrogate).2.max(0.0),
                        _ => best_label(&points, surrogate).2.max(0.0),
                    };
                    let rounding = 1e-9 * (1.0 + best);
                    prop_assert!(
                        answer.upper >= best - rounding && answer.value <= best + rounding,
                        "{surrogate}, {strategy}, example {i}, w {scaled:?}: {answer:?}, best {best}"
                    );
                    if strategy.is_exact() {
                        prop_assert!(
                            close(answer.value, best) && close(answer.upper, best),
                            "{surrogate}, {strategy}, example {i}, w {scaled:?}: {answer:?}, best {best}"
                        );
                    }
                }
            }
        }
    }
    Ok(())
}

fn structured(kind: TaskKind) -> BoxedStrategy<Problem> {
    let sizes = Sizes { features: 1..=3, labels: 2..=3, lengths: 1..=4, samples: 1..=4, weighted: false };
    let labels = match kind {
        TaskKind::Multiclass => 2..=6,
        TaskKind::Chain => 2..=3,
        TaskKind::Multilabel => 1..=5,
        TaskKind::Matching => 1..=3,
    };
    let lengths = if kind == TaskKind::Matching { 1..=7 } else { sizes.lengths.clone() };
    problems(kind, Sizes { labels, lengths, ..sizes })
}

proptest! {
    #![proptest_config(cases(80))]

    #[test]
    fn on_chains(
        problem in structured(TaskKind::Chain),
        numbers in [numbers(), numbers(), numbers()],
        background in prop::option::of(0u32..2),
    ) {
        let (structure, data) = (problem.chain(), problem.dataset());
        let examples: Vec<_> = (0..data.len()).map(|i| (data.input(i), data.labels_of(i).to_vec())).collect();
        check(&problem, &structure, &examples, &numbers.map(|n| weights(&problem, &n)), background)?;
    }

    #[test]
    fn on_multiclass(
        problem in structured(TaskKind::Multiclass),
        numbers in [numbers(), numbers(), numbers()],
        background in prop::option::of(0u32..2),
    ) {
        let (structure, data) = (problem.multiclass(), problem.dataset());
        let examples: Vec<_> = (0..data.len()).map(|i| (data.input(i), data.labels_of(i)[0])).collect();
        check(&problem, &structure, &examples, &numbers.map(|n| weights(&problem, &n)), background)?;
    }

    #[test]
    fn on_label_sets(
        problem in structured(TaskKind::Multilabel),
        numbers in [numbers(), numbers(), numbers()],
    ) {
        let (structure, data) = (problem.multilabel(), problem.dataset());
        let truth = |i: usize| label_set(&problem.samples[i].truth);
        let examples: Vec<_> = (0..data.len()).map(|i| (data.input(i), truth(i))).collect();
        check(&problem, &structure, &examples, &numbers.map(|n| weights(&problem, &n)), None)?;
    }

    #[test]
    fn on_matchings(
        problem in structured(TaskKind::Matching),
        numbers in [numbers(), numbers(), numbers()],
    ) {
        let (structure, data) = (problem.matching(), problem.graphs());
        let truth = |i: usize| links(&problem.samples[i].truth);
        let examples: Vec<_> = (0..data.rows().len()).map(|i| (data.graph(i), truth(i))).collect();
        check(&problem, &structure, &examples, &numbers.map(|n| weights(&problem, &n)), None)?;
    }
}
