//! Kernels for binary fields on complete graphs: roof duality by flow, cold and warm, against the general linear program, and
//! exact solvers.
//!
//! Frustrated fields leave all labels undecided, fields at the edge leave some after long searches, easy ones hardly any.

use divan::{Bencher, black_box};
use maxmargin::inference::{AllSets, BinaryField, BranchAndBound, RoofDual};

#[path = "../tests/fields/mod.rs"]
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

fn cold(bencher: Bencher, labels: usize, pull: f64) {
    let (fields, mut solver, mut nodes) = (some_fields(labels, pull), RoofDual::default(), Vec::new());
    let mut turn = fields.iter().cycle();
    bencher.bench_local(|| turn.next().map(|random| solver.solve(black_box(random.field()), &mut nodes)));
}

/// The unaries that a search over λ asks for: the loss of each label, more and more of it.
fn warm(bencher: Bencher, labels: usize, pull: f64) {
    let fields = some_fields(labels, pull);
    let random = &fields[0];
    let loss = |label: usize| if label.is_multiple_of(3) { -1.0 } else { 1.0 };
    let unaries: Vec<Vec<f64>> = (0..16)
        .map(|step| {
            let lambda = 0.05 * 1.3f64.powi(step);
            random.unary.iter().enumerate().map(|(i, unary)| unary + lambda * loss(i)).collect()
        })
        .collect();
    let (mut solver, mut nodes) = (RoofDual::default(), Vec::new());
    solver.solve(random.field(), &mut nodes);
    let mut turn = unaries.iter().cycle();
    bencher.bench_local(|| {
        let field = BinaryField { unary: turn.next().expect("it starts again"), ..random.field() };
        solver.solve_again(black_box(field), &mut nodes)
    });
}

#[divan::bench(args = SIZES)]
fn flow_frustrated(bencher: Bencher, labels: usize) {
    cold(bencher, labels, FRUSTRATED);
}

#[divan::bench(args = SIZES)]
fn flow_at_the_edge(bencher: Bencher, labels: usize) {
    cold(bencher, labels, EDGE);
}

#[divan::bench(args = SIZES)]
fn flow_easy(bencher: Bencher, labels: usize) {
    cold(bencher, labels, EASY);
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
    cold(bencher, labels, FRUSTRATED);
}

#[divan::bench(args = SIZES, sample_count = 3, sample_size = 1)]
fn linear_program_frustrated(bencher: Bencher, labels: usize) {
    let fields = some_fields(labels, FRUSTRATED);
    bencher.bench_local(|| maximize_relaxed(black_box(fields[0].field()), &[]));
}

#[divan::bench(args = [10, 14, 18, 20], sample_count = 20)]
fn all_sets(bencher: Bencher, labels: usize) {
    let (fields, mut sets) = (some_fields(labels, FRUSTRATED), AllSets::default());
    bencher.bench_local(|| {
        sets.fill(black_box(fields[0].field())).expect("few labels");
        sets.best()
    });
}

#[divan::bench(args = [20, 30, 40, 50], sample_count = 3, sample_size = 1)]
fn branch_and_bound_frustrated(bencher: Bencher, labels: usize) {
    let (fields, mut solver) = (some_fields(labels, FRUSTRATED), BranchAndBound::default());
    bencher.bench_local(|| solver.maximize(black_box(fields[0].field()), &[], 20_000));
}

#[divan::bench(args = [50, 200, 1000], sample_count = 10, sample_size = 1)]
fn branch_and_bound_forest(bencher: Bencher, labels: usize) {
    let random = any_field(&mut Dice::new(3), labels, Shape::Forest);
    let mut solver = BranchAndBound::default();
    bencher.bench_local(|| solver.maximize(black_box(random.field()), &[], 20_000));
}
