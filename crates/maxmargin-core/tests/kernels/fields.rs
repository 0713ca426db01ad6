//! Promise: every kernel for binary fields finds what listing all sets of labels, or a general linear program, finds.

use crate::inference::{
    AllSets, BinaryField, BoundedSet, BranchAndBound, Forest, RoofDual, k_best_sets, relaxed_score,
};

use super::random_fields::{Dice, RandomField, Shape, any_field, frustrated};
use crate::inference::local_polytope::maximize_relaxed;

impl RandomField {
    fn field(&self) -> BinaryField<'_> {
        BinaryField { graph: &self.graph, unary: &self.unary, coupling: &self.coupling }
    }
}

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
fn all_scores(field: BinaryField<'_>) -> Vec<f64> {
    (0..1u32 << field.graph.labels()).map(|set| field.score(|i| set >> i & 1 == 1)).collect()
}

/// What rounding may do to sums of the numbers of a field.
fn tolerance(field: BinaryField<'_>) -> f64 {
    1e-12 * field.unary.iter().chain(field.coupling).map(|x| x.abs()).sum::<f64>()
}

/// Whether some best set has all labels that are decided in `nodes`.
fn persistent(field: BinaryField<'_>, scores: &[f64], nodes: &[u8]) -> bool {
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
        let reference = maximize_relaxed(field.graph, field.unary, field.coupling, &[])
            .expect("a program with an optimum")
            .score;
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
    let small = (1..=6).map(|seed| (seed, 60));
    for (seed, labels) in small.chain([(7, 159), (8, 159), (10, 300), (11, 300), (13, 300), (14, 300)]) {
        let mut dice = Dice::new(seed);
        let random = match seed % 3 {
            0 => any_field(&mut dice, labels, Shape::Sparse),
            _ if labels == 300 => any_field(&mut dice, labels, Shape::Lattice),
            1 => frustrated(&mut dice, labels, 1.0),
            _ => frustrated(&mut dice, labels, 0.8),
        };
        let field = random.field();
        let value = solver.solve(field, &mut Vec::new());
        let reference = maximize_relaxed(field.graph, field.unary, field.coupling, &[])
            .expect("a program with an optimum")
            .score;
        assert!(
            (value - reference).abs() <= 1e-7 * value.abs().max(reference.abs()),
            "{value} for {reference}"
        );
    }
}

#[test]
fn lists_of_all_sets_are_right() {
    let mut sets = AllSets::default();
    for_fields(800, 10, |random, dice| {
        let field = random.field();
        let (labels, tolerance) = (field.graph.labels(), tolerance(field));
        sets.fill(field).expect("few labels");
        let scores = all_scores(field);
        assert!(scores.iter().zip(sets.scores()).all(|(a, b)| (a - b).abs() <= tolerance), "{random:?}");
        let scores = sets.scores();
        let truth = dice.upto((1 << labels) - 1) as u32;
        let by_distance = sets.best_by_distance(truth);
        assert_eq!(by_distance.len(), labels + 1);
        for (distance, &(set, score)) in by_distance.iter().enumerate() {
            let at = |set: u32| (set ^ truth).count_ones() as usize == distance;
            let all = (0..scores.len() as u32).filter(|&set| at(set)).map(|set| scores[set as usize]);
            assert!(at(set) && score == scores[set as usize]);
            assert_eq!(score, all.fold(f64::NEG_INFINITY, f64::max), "distance {distance}: {random:?}");
        }
        let mut sorted: Vec<u32> = (0..scores.len() as u32).collect();
        sorted.sort_by(|&a, &b| scores[b as usize].partial_cmp(&scores[a as usize]).expect("no NaN"));
        let k = dice.upto(20);
        let listed: Vec<u32> = sets.k_best(k).iter().map(|best| best.0).collect();
        assert_eq!(listed, sorted[..k.min(sorted.len())], "{random:?}");
        assert_eq!(sets.best().0, sorted[0]);
    });
}

/// The best score of sets that agree with what is fixed.
fn best_fixed(scores: &[f64], fixed: &[Option<bool>]) -> f64 {
    let agrees =
        |set: usize| fixed.iter().enumerate().all(|(i, f)| f.is_none_or(|on| on == (set >> i & 1 == 1)));
    let scores = scores.iter().enumerate().filter(|(set, _)| agrees(*set));
    scores.fold(f64::NEG_INFINITY, |best, (_, &score)| best.max(score))
}

fn some_fixed(dice: &mut Dice, labels: usize) -> Vec<Option<bool>> {
    (0..labels).map(|_| [None, None, Some(false), Some(true)][dice.upto(3)]).collect()
}

#[test]
fn branch_and_bound_finds_the_best_set() {
    let mut solver = BranchAndBound::default();
    let mut check = |random: &RandomField, dice: &mut Dice| {
        let field = random.field();
        let (labels, tolerance) = (field.graph.labels(), tolerance(field));
        let mut sets = AllSets::default();
        sets.fill(field).expect("few labels");
        for fixed in [vec![], vec![None; labels], some_fixed(dice, labels)] {
            let reference = best_fixed(sets.scores(), &fixed);
            let best = solver.maximize(field, &fixed, usize::MAX);
            assert!((best.score - reference).abs() <= tolerance, "{best:?} for {reference}: {random:?}");
            assert!(fixed.iter().zip(&best.on).all(|(fixed, on)| fixed.is_none_or(|fixed| fixed == *on)));
            assert_eq!((best.bound, field.score(|i| best.on[i])), (best.score, best.score));
            for most_nodes in 0..4 {
                let best = solver.maximize(field, &fixed, most_nodes);
                assert!(
                    best.score <= reference + tolerance && reference <= best.bound + tolerance,
                    "{best:?}, {random:?}"
                );
                assert_eq!(best.score, field.score(|i| best.on[i]));
            }
        }
    };
    for_fields(2000, 12, &mut check);
    // More labels than are listed, and little that a relaxation can decide.
    for seed in 0..60 {
        let mut dice = Dice::new(seed);
        let random = frustrated(&mut dice, 14 + seed as usize % 6, 0.2 * (seed % 6) as f64);
        check(&random, &mut dice);
    }
}

#[test]
fn forests_are_decoded_exactly() {
    for_fields(2400, 11, |random, dice| {
        let field = random.field();
        let (labels, tolerance) = (field.graph.labels(), tolerance(field));
        let Ok(mut forest) = Forest::new(field.graph) else { return };
        let scores = all_scores(field);
        for fixed in [vec![], some_fixed(dice, labels)] {
            let (on, score) = forest.maximize(field, &fixed);
            let reference = best_fixed(&scores, &fixed);
            assert!((score - reference).abs() <= tolerance, "{score} for {reference}: {random:?}");
            assert_eq!(score, field.score(|i| on[i]));
            assert!(fixed.iter().zip(&on).all(|(fixed, on)| fixed.is_none_or(|fixed| fixed == *on)));
        }
        let truth: Vec<bool> = (0..labels).map(|_| dice.upto(1) == 1).collect();
        let differences = |on: &[bool]| on.iter().zip(&truth).filter(|(a, b)| a != b).count();
        let mut reference = vec![f64::NEG_INFINITY; labels + 1];
        for (set, &score) in scores.iter().enumerate() {
            let on: Vec<bool> = (0..labels).map(|i| set >> i & 1 == 1).collect();
            let best = &mut reference[differences(&on)];
            *best = best.max(score);
        }
        forest.count_differences(field, &truth);
        let found: Vec<f64> = forest.scores().collect();
        assert_eq!(found.len(), reference.len());
        for (number, (found, reference)) in found.iter().zip(&reference).enumerate() {
            let on = forest.set(number);
            assert!(
                (found - reference).abs() <= tolerance,
                "{number} differences: {found} for {reference}, {random:?}"
            );
            assert!((field.score(|i| on[i]) - reference).abs() <= tolerance, "{on:?}, {random:?}");
            assert_eq!(differences(&on), number);
        }
    });
}

#[test]
fn the_best_sets_are_listed_in_order() {
    for_fields(1000, 9, |random, dice| {
        let field = random.field();
        let (labels, tolerance, k) = (field.graph.labels(), tolerance(field), 1 + dice.upto(30));
        let mut reference = all_scores(field);
        reference.sort_by(|a, b| b.partial_cmp(a).expect("no NaN"));
        let check = |sets: Vec<BoundedSet>| {
            assert_eq!(sets.len(), k.min(reference.len()));
            for (set, reference) in sets.iter().zip(&reference) {
                assert!((set.score - reference).abs() <= tolerance, "{set:?} for {reference}: {random:?}");
                assert_eq!((set.bound, field.score(|i| set.on[i])), (set.score, set.score));
            }
            let mut different: Vec<_> = sets.iter().map(|set| &set.on).collect();
            different.sort();
            different.dedup();
            assert_eq!(different.len(), sets.len());
        };
        let mut solver = BranchAndBound::default();
        check(k_best_sets(labels, k, |fixed| solver.maximize(field, fixed, usize::MAX)));
        if let Ok(mut forest) = Forest::new(field.graph) {
            check(k_best_sets(labels, k, |fixed| {
                let (on, score) = forest.maximize(field, fixed);
                BoundedSet::proven(on, score)
            }));
        }
    });
}

#[test]
fn bounds_hold_for_sets_that_are_missed() {
    for seed in 0..20 {
        let mut dice = Dice::new(seed);
        let random = frustrated(&mut dice, 16, 0.1);
        let field = random.field();
        let mut sets = AllSets::default();
        sets.fill(field).expect("few labels");
        let mut solver = BranchAndBound::default();
        let best = k_best_sets(16, 5, |fixed| solver.maximize(field, fixed, 1));
        for (set, (_, reference)) in best.iter().zip(sets.k_best(5)) {
            assert!(set.bound >= reference - tolerance(field), "{set:?} for {reference}");
        }
    }
}

#[test]
fn no_finite_numbers_are_too_much() {
    let sizes = [0.0, 5e-324, 1e-310, 1e-150, 1.0, 1e150, 1e300, f64::MAX];
    let mut roof = RoofDual::default();
    for_fields(2000, 16, |random, dice| {
        let labels = random.graph.labels();
        let most = dice.upto(sizes.len() - 1);
        let mut number = || sizes[dice.upto(most)] * if dice.upto(1) == 0 { 1.0 } else { -1.0 };
        let mut random = random.clone();
        random.unary.iter_mut().chain(&mut random.coupling).for_each(|value| *value = number());
        let field = random.field();
        let mut nodes = Vec::new();
        roof.solve(field, &mut nodes);
        let other: Vec<f64> = (0..labels).map(|_| number()).collect();
        roof.solve_again(BinaryField { unary: &other, ..field }, &mut nodes);
        assert_eq!(nodes.len(), labels);
        let mut solver = BranchAndBound::default();
        assert_eq!(solver.maximize(field, &[], 50).on.len(), labels);
        assert_eq!(
            k_best_sets(labels, 2, |fixed| solver.maximize(field, fixed, 5)).len(),
            2.min(1 << labels)
        );
        let mut sets = AllSets::default();
        sets.fill(field).expect("few labels");
        assert_eq!(sets.best_by_distance(0).len(), labels + 1);
        assert_eq!(sets.k_best(3).len(), 3.min(1 << labels));
        if let Ok(mut forest) = Forest::new(field.graph) {
            forest.maximize(field, &[]);
            forest.count_differences(field, &vec![false; labels]);
            assert!((0..=labels).all(|differences| forest.set(differences).len() == labels));
        }
    });
}
