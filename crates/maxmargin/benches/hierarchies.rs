//! One evaluation of a hierarchical risk with its subgradient, on one thread, against the two matrix products in it, for trees that grow.
//!
//! The products are X·W (scores of all nodes) and Xᵀ·G (subgradient) of dense f64 matrices by `matrixmultiply`, on the same data: made-up points with
//! a hundred features, in trees whose nodes have eight children each.

use std::sync::Arc;

use divan::{Bencher, black_box};
use maxmargin::data::{FeatureMatrix, Rows};
use maxmargin::inference::Hierarchy;
use maxmargin::risk::{Groups, Risk, StructuredRisk, evaluate};
use maxmargin::search::MarginSearch;
use maxmargin::structure::{
    Example, LabelSet, NodeLoss, NodeOptions, NodeSetOptions, NodeSetStructure, NodeStructure, Structure,
};

const EXAMPLES: usize = 1000;
const FEATURES: usize = 100;
const NODES: [usize; 3] = [100, 1000, 10_000];

fn main() {
    divan::main();
}

fn number(i: usize) -> f64 {
    (i.wrapping_mul(2_654_435_761) >> 16) as u16 as f64 / 32_768.0 - 1.0
}

fn points() -> Arc<FeatureMatrix> {
    let rows: Vec<[f64; FEATURES]> =
        (0..EXAMPLES).map(|i| std::array::from_fn(|j| number(i * FEATURES + j))).collect();
    Arc::new(FeatureMatrix::from_dense(&rows))
}

fn tree(nodes: usize) -> Arc<Hierarchy> {
    let parents: Vec<Option<u32>> =
        (0..nodes).map(|node| (node >= 8).then(|| (node / 8 - 1) as u32)).collect();
    Arc::new(Hierarchy::forest(&parents).expect("parents come first"))
}

fn weights(count: usize) -> Vec<f64> {
    (0..count).map(|i| 0.05 * number(i)).collect()
}

/// Evaluates the risk of examples whose truths are leaves, one of them each.
fn evaluate_risk<S: Structure<Input = Rows> + 'static>(
    bencher: Bencher,
    hierarchy: &Hierarchy,
    structure: S,
    truth: impl Fn(u32) -> S::Label,
) {
    let x = points();
    let leaves = hierarchy.leaves();
    let example = |i: usize| {
        let truth = truth(leaves[i * 7 % leaves.len()]);
        Example { input: Rows::new(&x, i..i + 1), truth, weight: 1.0 }
    };
    let w = weights(structure.dim());
    let examples = (0..EXAMPLES).map(example).collect();
    let risk = StructuredRisk::new(structure, MarginSearch, examples).expect("examples fit");
    let groups = Groups::new(risk.len(), 1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    bencher.bench_local(|| pool.install(|| evaluate(black_box(&risk), (&w).into(), &groups)));
}

#[divan::bench(args = NODES, sample_count = 10, sample_size = 1)]
fn one_node(bencher: Bencher, nodes: usize) {
    let hierarchy = tree(nodes);
    let loss = NodeLoss::Difference { costs: None };
    let options = NodeOptions { bias: false, loss, ..NodeOptions::default() };
    let structure = NodeStructure::new(FEATURES, Arc::clone(&hierarchy), options).expect("leaves are labels");
    evaluate_risk(bencher, &hierarchy, structure, |leaf| leaf);
}

#[divan::bench(args = NODES, sample_count = 10, sample_size = 1)]
fn sets_of_nodes(bencher: Bencher, nodes: usize) {
    let hierarchy = tree(nodes);
    let options = NodeSetOptions { bias: false, ..NodeSetOptions::default() };
    let structure = NodeSetStructure::new(FEATURES, Arc::clone(&hierarchy), options).expect("a tree");
    evaluate_risk(bencher, &hierarchy, structure, |leaf| LabelSet::of(hierarchy.ancestors(leaf)));
}

#[divan::bench(args = NODES, sample_count = 10, sample_size = 1)]
fn the_two_matrix_products(bencher: Bencher, nodes: usize) {
    let matrix = points();
    let (n, d) = (EXAMPLES, FEATURES);
    let mut x = vec![0.0; n * d];
    for (i, row) in x.chunks_exact_mut(d).enumerate() {
        matrix.row(i).for_each(|j, value| row[j] = value);
    }
    let w = weights(d * nodes);
    let mut scores = vec![0.0; n * nodes];
    let mut slope = vec![0.0; d * nodes];
    let (width, count) = (d as isize, nodes as isize);
    bencher.bench_local(|| {
        let (from, to) = (scores.as_mut_ptr(), slope.as_mut_ptr());
        // SAFETY: each matrix has the size that its row and column counts and strides say.
        unsafe {
            matrixmultiply::dgemm(
                n,
                d,
                nodes,
                1.0,
                x.as_ptr(),
                width,
                1,
                w.as_ptr(),
                count,
                1,
                0.0,
                from,
                count,
                1,
            );
            matrixmultiply::dgemm(d, n, nodes, 1.0, x.as_ptr(), 1, width, from, count, 1, 0.0, to, count, 1);
        }
        black_box(&slope);
    });
}
