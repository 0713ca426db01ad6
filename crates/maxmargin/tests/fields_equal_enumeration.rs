//! Promise: every kernel for binary fields finds what listing all sets of labels, or a general linear program, finds.

use maxmargin::inference::{Field, RoofDual, maximize_relaxed, relaxed_score};

mod fields;

use fields::{Dice, RandomField, Shape, any_field};

const SHAPES: [Shape; 4] = [Shape::Complete, Shape::Sparse, Shape::Forest, Shape::Independent];

/// Calls a test with many small fields.
fn for_fields(count: u64, most: usize, mut test: impl FnMut(&RandomField, &mut Dice)) {
    for seed in 0..count {
        let mut dice = Dice::new(seed);
        let labels = dice.upto(most);
        let field = any_field(&mut dice, labels, SHAPES[seed as usize % SHAPES.len()]);
        test(&field, &mut dice);
    }
}

/// The score of each set, as a bit mask; computed in the plainest way.
fn all_scores(field: Field<'_>) -> Vec<f64> {
    (0..1u32 << field.graph.labels()).map(|set| field.score(|i| set >> i & 1 == 1)).collect()
}

/// What rounding may do to sums of the numbers of a field.
fn tolerance(field: Field<'_>) -> f64 {
    1e-12 * field.unary.iter().chain(field.coupling).map(|x| x.abs()).sum::<f64>()
}

/// Whether some best set has all labels that are decided in `nodes`.
fn persistent(field: Field<'_>, scores: &[f64], nodes: &[u8]) -> bool {
    let best = scores.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
    let agrees =
        |set: u32| nodes.iter().enumerate().all(|(i, &node)| node == 1 || node / 2 == (set >> i & 1) as u8);
    scores.iter().enumerate().any(|(set, &score)| score >= best - tolerance(field) && agrees(set as u32))
}

#[test]
fn roof_duality_solves_the_linear_program() {
    let mut solver = RoofDual::default();
    for_fields(4000, 12, |random, _| {
        let (field, mut nodes) = (random.field(), Vec::new());
        let value = solver.solve(field, &mut nodes);
        assert!(nodes.iter().all(|node| *node <= 2), "{nodes:?}, {random:?}");
        let largest = field.unary.iter().chain(field.coupling).fold(0.0f64, |a, b| a.max(b.abs()));
        let reference = maximize_relaxed(field, &[]).expect("a program with an optimum").score;
        assert!(
            (value - reference).abs() <= 1e-6 * largest,
            "{value} for {reference}: {nodes:?}, {random:?}"
        );
        assert_eq!(value, relaxed_score(field, &nodes));
        assert!(persistent(field, &all_scores(field), &nodes), "{nodes:?}, {random:?}");
    });
}

#[test]
fn roof_duality_goes_on_from_other_unaries() {
    let (mut warm, mut cold) = (RoofDual::default(), RoofDual::default());
    for_fields(3000, 14, |random, dice| {
        let mut random = random.clone();
        let mut nodes = Vec::new();
        warm.solve(random.field(), &mut nodes);
        for _ in 0..6 {
            let change = [0.01, 0.3, 1.0, 10.0][dice.upto(3)];
            let size = random.coupling.iter().chain(&random.unary).fold(0.0f64, |a, b| a.max(b.abs()));
            for unary in &mut random.unary {
                *unary += (4.0 * change * dice.signed()).round() * 0.25 * size;
            }
            let field = random.field();
            let value = warm.solve_again(field, &mut nodes);
            assert_eq!(value, relaxed_score(field, &nodes));
            let reference = cold.solve(field, &mut Vec::new());
            assert!(
                (value - reference).abs() <= 100.0 * tolerance(field),
                "{value} for {reference}: {random:?}"
            );
            assert!(
                random.graph.labels() > 10 || persistent(field, &all_scores(field), &nodes),
                "{nodes:?}, {random:?}"
            );
        }
    });
}

#[test]
fn roof_duality_solves_large_programs() {
    let mut solver = RoofDual::default();
    for (seed, labels) in [(1, 60), (2, 60), (3, 60), (4, 60), (5, 159), (6, 159)] {
        let mut dice = Dice::new(seed);
        let random = any_field(&mut dice, labels, SHAPES[seed as usize % 2]);
        let field = random.field();
        let value = solver.solve(field, &mut Vec::new());
        let reference = maximize_relaxed(field, &[]).expect("a program with an optimum").score;
        assert!(
            (value - reference).abs() <= 1e-7 * value.abs().max(reference.abs()),
            "{value} for {reference}"
        );
    }
}
