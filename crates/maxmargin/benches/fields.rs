//! The oracle of label sets with a score for each pair of labels: relaxed, by roof duality, cold and warm, against the general linear
//! program, and exact.
//!
//! Frustrated fields leave all labels undecided, fields at the edge leave some after long searches, easy ones hardly any.

use std::sync::Arc;

use divan::{Bencher, black_box};
use maxmargin::data::{FeatureMatrix, Rows};
use maxmargin::inference::MOST_LABELS;
use maxmargin::structure::{
    Inference, LabelSet, Mix, MultilabelOptions, MultilabelScores, MultilabelStructure, PairWeights, Parts,
    Structure,
};

#[path = "../../maxmargin-core/tests/reference/fields.rs"]
mod fields;
#[path = "../../maxmargin-core/tests/reference/local_polytope.rs"]
mod local_polytope;

use fields::{Dice, RandomField, Shape, any_field, frustrated};
use local_polytope::maximize_relaxed;

fn main() {
    divan::main();
}

const SIZES: [usize; 4] = [14, 53, 101, 159];
const FRUSTRATED: f64 = 0.5;
const EDGE: f64 = 1.0;
const EASY: f64 = 4.0;

fn some_fields(labels: usize, pull: f64) -> Vec<RandomField> {
    let mut dice = Dice::new(7);
    (0..16).map(|_| frustrated(&mut dice, labels, pull)).collect()
}

/// Label sets with the graph of a field, and an input whose scores come from outside.
fn structure(random: &RandomField, inference: Inference) -> (MultilabelStructure, Rows) {
    let options = MultilabelOptions {
        bias: false,
        pair_weights: PairWeights::Both,
        inference,
        ..MultilabelOptions::default()
    };
    let structure = MultilabelStructure::new(1, random.graph.clone(), options).expect("it has labels");
    (structure, Rows::new(&Arc::new(FeatureMatrix::from_dense(&[[1.0]])), 0..1))
}

/// The scores of the labels, then of the pairs.
fn parts(random: &RandomField) -> Vec<f64> {
    [&random.unary[..], &random.coupling].concat()
}

/// The first question about new scores.
fn cold(bencher: Bencher, fields: &[RandomField], inference: Inference) {
    let (structure, x) = structure(&fields[0], inference);
    let all: Vec<Vec<f64>> = fields.iter().map(parts).collect();
    let (mut turn, mut scores) = (all.iter().cycle(), MultilabelScores::default());
    bencher.bench_local(|| {
        let parts = black_box(turn.next().expect("it starts again"));
        structure.scores_from_parts(&x, parts, &mut scores);
        structure.maximize(&x, &LabelSet::of(&[]), &mut scores, Mix::AUGMENTED)
    });
}

/// What a search over λ asks for: the loss of each label, more and more of it.
fn warm(bencher: Bencher, labels: usize, pull: f64) {
    let fields = some_fields(labels, pull);
    let (structure, x) = structure(&fields[0], Inference::Relaxed);
    let mut scores = MultilabelScores::default();
    structure.scores_from_parts(&x, &parts(&fields[0]), &mut scores);
    let truth = LabelSet::of(&(0..labels as u32).step_by(3).collect::<Vec<_>>());
    let mut turn = (0..16).map(|step| Mix { score: 1.0, loss: 0.05 * 1.3f64.powi(step) }).cycle();
    bencher.bench_local(|| {
        let mix = black_box(turn.next().expect("it starts again"));
        structure.maximize(&x, &truth, &mut scores, mix)
    });
}

fn relaxed(bencher: Bencher, labels: usize, pull: f64) {
    cold(bencher, &some_fields(labels, pull), Inference::Relaxed);
}

#[divan::bench(args = SIZES)]
fn flow_frustrated(bencher: Bencher, labels: usize) {
    relaxed(bencher, labels, FRUSTRATED);
}

#[divan::bench(args = SIZES)]
fn flow_at_the_edge(bencher: Bencher, labels: usize) {
    relaxed(bencher, labels, EDGE);
}

#[divan::bench(args = SIZES)]
fn flow_easy(bencher: Bencher, labels: usize) {
    relaxed(bencher, labels, EASY);
}

#[divan::bench(args = SIZES)]
fn flow_again_frustrated(bencher: Bencher, labels: usize) {
    warm(bencher, labels, FRUSTRATED);
}

#[divan::bench(args = SIZES)]
fn flow_again_at_the_edge(bencher: Bencher, labels: usize) {
    warm(bencher, labels, EDGE);
}

#[divan::bench(args = SIZES)]
fn flow_again_easy(bencher: Bencher, labels: usize) {
    warm(bencher, labels, EASY);
}

#[divan::bench(args = [20, 40, 80, 160, 320])]
fn growth(bencher: Bencher, labels: usize) {
    relaxed(bencher, labels, FRUSTRATED);
}

#[divan::bench(args = SIZES, sample_count = 3, sample_size = 1)]
fn linear_program_frustrated(bencher: Bencher, labels: usize) {
    let fields = some_fields(labels, FRUSTRATED);
    bencher.bench_local(|| {
        let RandomField { graph, unary, coupling } = black_box(&fields[0]);
        maximize_relaxed(graph, unary, coupling, &[])
    });
}

/// All sets are listed.
#[divan::bench(args = [10, 14, 18, MOST_LABELS], sample_count = 20)]
fn all_sets(bencher: Bencher, labels: usize) {
    cold(bencher, &some_fields(labels, FRUSTRATED), Inference::Exact);
}

#[divan::bench(args = [MOST_LABELS + 1, 30, 40, 50], sample_count = 3, sample_size = 1)]
fn branch_and_bound_frustrated(bencher: Bencher, labels: usize) {
    cold(bencher, &some_fields(labels, FRUSTRATED), Inference::Exact);
}

#[divan::bench(args = [50, 200, 1000], sample_count = 10, sample_size = 1)]
fn forest(bencher: Bencher, labels: usize) {
    cold(bencher, &[any_field(&mut Dice::new(3), labels, Shape::Forest)], Inference::Exact);
}
