//! One evaluation of the risk of templates with its subgradient, on one thread, against the product in it: made-up images of the size of number plates
//! (BUNDLE 4.3), 16 pixels a column, 30 characters of 3 to 8 columns and gaps between them.
//!
//! `the_matrix_product` is X·W, the scores of all columns for all places of templates, of dense f64 matrices by `matrixmultiply`. (Of Xᵀ·G, which the other benches count as well, most is never done: G has two entries for each wrong column.)

use std::sync::Arc;

use divan::{Bencher, black_box};
use maxmargin::data::{FeatureMatrix, Rows};
use maxmargin::inference::Segment;
use maxmargin::risk::{Groups, Risk, StructuredRisk, evaluate};
use maxmargin::search::MarginSearch;
use maxmargin::structure::{
    ChainLoss, Example, SegmentInput, SegmentLoss, SegmentationOptions, SegmentationStructure, Structure,
    Widths,
};

const IMAGES: usize = 500;
const ROWS: usize = 16;
const CHARACTERS: usize = 30;

fn main() {
    divan::main();
}

fn number(i: usize) -> usize {
    i.wrapping_mul(2_654_435_761) >> 16 & 0xffff
}

/// Gaps have one column, class 0.
fn widths() -> Vec<u32> {
    let mut widths = vec![1];
    widths.extend((0..CHARACTERS as u32).map(|k| 3 + (k * 7 + 5) % 6));
    widths
}

/// Columns of all images, and how each is cut.
fn images() -> (Arc<FeatureMatrix>, Vec<Vec<Segment>>) {
    let (widths, mut bytes, mut cuts) = (widths(), Vec::new(), Vec::new());
    for image in 0..IMAGES {
        let (mut cut, mut end) = (Vec::new(), 0);
        let mut add = |class: usize| {
            let width = widths[class] as usize;
            cut.push(Segment::new(end..end + width, class));
            end += width;
            for place in 0..width * ROWS {
                let own = number(class * 1000 + place) % 256;
                bytes.push(((own + number(image * 7919 + end * 31 + place) % 96) / 2) as u8);
            }
        };
        for character in 0..7 + image % 2 {
            (0..1 + number(image * 11 + character) % 4).for_each(|_| add(0));
            add(1 + number(image * 13 + character) % CHARACTERS);
        }
        cuts.push(cut);
    }
    (Arc::new(FeatureMatrix::from_bytes(bytes, ROWS, 1.0 / 255.0).expect("whole rows")), cuts)
}

fn weights(count: usize) -> Vec<f64> {
    (0..count).map(|i| number(i) as f64 / 655_360.0 - 0.05).collect()
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn risk_with_subgradient(bencher: Bencher) {
    let (matrix, cuts) = images();
    let options = SegmentationOptions {
        widths: Widths::Exactly(widths()),
        background: Some(0),
        edges: false,
        lengths: false,
        boundary: true,
        loss: SegmentLoss::Positions(ChainLoss::default()),
    };
    let structure = SegmentationStructure::new(ROWS, 0, options).expect("templates");
    let w = weights(structure.dim());
    let mut start = 0;
    let examples = cuts.into_iter().map(|truth| {
        let end = start + truth.last().map_or(0, |segment| segment.end as usize);
        let input = SegmentInput::of_positions(Rows::new(&matrix, std::mem::replace(&mut start, end)..end));
        Example { input, truth, weight: 1.0 }
    });
    let risk = StructuredRisk::new(structure, MarginSearch, examples.collect()).expect("examples fit");
    let groups = Groups::new(risk.len(), 1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    bencher.bench_local(|| pool.install(|| evaluate(black_box(&risk), (&w).into(), &groups)));
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn the_matrix_product(bencher: Bencher) {
    let (matrix, _) = images();
    let (n, k) = (matrix.rows(), widths().iter().sum::<u32>() as usize);
    let mut x = vec![0.0; n * ROWS];
    for (i, row) in x.chunks_exact_mut(ROWS).enumerate() {
        matrix.row(i).for_each(|j, value| row[j] = value);
    }
    let w = weights(ROWS * k);
    let mut scores = vec![0.0; n * k];
    bencher.bench_local(|| {
        let (of_x, of_w) = (ROWS as isize, k as isize);
        let (from, by, to) = (x.as_ptr(), w.as_ptr(), scores.as_mut_ptr());
        // SAFETY: each matrix has the size that its row and column counts and strides say.
        unsafe { matrixmultiply::dgemm(n, ROWS, k, 1.0, from, of_x, 1, by, of_w, 1, 0.0, to, of_w, 1) };
        black_box(&scores);
    });
}
