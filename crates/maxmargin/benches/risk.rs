//! One evaluation of a multiclass risk with its subgradient, on one thread, against the two matrix products in it.
//!
//! The products are X·W (scores) and Xᵀ·G (subgradient) of dense f64 matrices by `matrixmultiply`, on the same data: MNIST
//! where it is found (as the tests look for it), else made-up images of the same size and sparsity.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use divan::{Bencher, black_box};
use maxmargin::data::{FeatureMatrix, ReadOptions, Rows, read_training};
use maxmargin::risk::{Groups, Risk, StructuredRisk, evaluate};
use maxmargin::search::MarginSearch;
use maxmargin::structure::{Example, LabelCost, MulticlassStructure};

const FEATURES: usize = 784;
const LABELS: usize = 10;

fn main() {
    divan::main();
}

/// A row of features for each example, and its label.
fn images() -> (Arc<FeatureMatrix>, Vec<u32>) {
    let folder = std::env::var_os("MAXMARGIN_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let path = folder.join("mnist/train-images-idx3-ubyte.gz");
    if let Ok((data, _)) = read_training(&[path], &ReadOptions::default()) {
        return (data.features, data.labels);
    }
    let n = 60_000;
    let byte =
        |i: usize| if (i.wrapping_mul(2_654_435_761) >> 20) % 100 < 19 { (i % 255) as u8 + 1 } else { 0 };
    let bytes = (0..n * FEATURES).map(byte).collect();
    let matrix = FeatureMatrix::from_bytes(bytes, FEATURES, 1.0 / 255.0).unwrap().sparse_if_worthwhile();
    (Arc::new(matrix), (0..n).map(|i| (i % LABELS) as u32).collect())
}

fn weights() -> Vec<f64> {
    (0..FEATURES * LABELS).map(|i| ((i * 37) % 101) as f64 / 1000.0 - 0.05).collect()
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn risk_with_subgradient(bencher: Bencher) {
    let (matrix, labels) = images();
    let examples: Vec<Example<MulticlassStructure>> = labels
        .iter()
        .enumerate()
        .map(|(i, &truth)| Example { input: Rows::new(&matrix, i..i + 1), truth, weight: 1.0 })
        .collect();
    let task = MulticlassStructure::new(FEATURES, LABELS, false, LabelCost::ZeroOne).expect("ten labels");
    let risk = StructuredRisk::new(task, MarginSearch, examples).unwrap();
    let groups = Groups::new(risk.len(), 1);
    let w = weights();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    bencher.bench_local(|| pool.install(|| evaluate(black_box(&risk), (&w).into(), &groups)));
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn the_two_matrix_products(bencher: Bencher) {
    let (matrix, _) = images();
    let (n, d, k) = (matrix.rows(), FEATURES, LABELS);
    let mut x = vec![0.0; n * d];
    for (i, row) in x.chunks_exact_mut(d).enumerate() {
        matrix.row(i).for_each(|j, value| row[j] = value);
    }
    let w = weights();
    let mut scores = vec![0.0; n * k];
    let mut slope = vec![0.0; d * k];
    let strides = |columns: usize| (columns as isize, 1);
    bencher.bench_local(|| {
        let ((xr, xc), (wr, wc)) = (strides(d), strides(k));
        // SAFETY: each matrix has the size that its row and column counts and strides say.
        unsafe {
            matrixmultiply::dgemm(
                n,
                d,
                k,
                1.0,
                x.as_ptr(),
                xr,
                xc,
                w.as_ptr(),
                wr,
                wc,
                0.0,
                scores.as_mut_ptr(),
                wr,
                wc,
            );
            matrixmultiply::dgemm(
                d,
                n,
                k,
                1.0,
                x.as_ptr(),
                xc,
                xr,
                scores.as_ptr(),
                wr,
                wc,
                0.0,
                slope.as_mut_ptr(),
                wr,
                wc,
            );
        }
        black_box(&slope);
    });
}
