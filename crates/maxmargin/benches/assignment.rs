//! Matchings of complete graphs with as many nodes on each side as sentences have words: the best links, given the gain of each,
//! against the crate `lapjv`, with several links a node, and lists of the best ones.
//!
//! Four kinds of gains: *full*, where all links are worth something and all nodes are linked in the end, *words*, where most
//! pairs of words have nothing to do with each other and some words stay alone, *augmented*, the same with the loss added,
//! and *untrained*, the gains of the first loss-augmented decoding, which are all the same but for the true links.
//! `lapjv` needs a square table of costs in which each row is assigned; with what is worth nothing set to 0 its optimum
//! is the same. The table is made in the time measured, as ours is.
//!
//! Small graphs come in a thousand, because a processor learns the branches of a few by heart when they come again and
//! again, and no corpus has the same sentence a thousand times. `MAXMARGIN_BENCH_GRAPHS=16` shows what that makes.
//!
//! *decoding* is all that a model does with a new pair of sentences: scores from one feature, then the best links.

use std::sync::Arc;

use divan::{Bencher, black_box};
use lapjv::{Matrix, lapjv};
use maxmargin::data::{Edge, FeatureMatrix, Graph, Rows};
use maxmargin::structure::{
    KBest, MatchingOptions, MatchingScores, MatchingStructure, Mix, Parts, Structure,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

fn main() {
    divan::main();
}

const SIZES: [usize; 6] = [10, 20, 30, 50, 100, 200];

fn graphs(size: usize) -> usize {
    let told = std::env::var("MAXMARGIN_BENCH_GRAPHS").ok().and_then(|number| number.parse().ok());
    told.unwrap_or((1_000_000 / (size * size)).clamp(16, 1000))
}

fn full(size: usize) -> Vec<Vec<f64>> {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    (0..graphs(size)).map(|_| (0..size * size).map(|_| random.random_range(0.0..1.0)).collect()).collect()
}

fn words(size: usize) -> Vec<Vec<f64>> {
    let mut random = Pcg64Mcg::seed_from_u64(2);
    let gains = |random: &mut Pcg64Mcg| {
        let gain = |edge: usize| {
            let (left, right) = (edge / size, edge % size);
            let bonus = if left == right && left % 8 != 0 { 2.0 } else { 0.0 };
            bonus + random.random_range(-2.0..0.5) - 0.02 * left.abs_diff(right) as f64
        };
        (0..size * size).map(gain).collect()
    };
    (0..graphs(size)).map(|_| gains(&mut random)).collect()
}

fn augmented(size: usize) -> Vec<Vec<f64>> {
    let mut problems = words(size);
    for gains in &mut problems {
        for (edge, gain) in gains.iter_mut().enumerate() {
            let (left, right) = (edge / size, edge % size);
            *gain += if left == right && left % 8 != 0 { -1.0 } else { 1.0 };
        }
    }
    problems
}

fn untrained(size: usize) -> Vec<Vec<f64>> {
    vec![(0..size * size).map(|edge| if edge / size == edge % size { -1.0 } else { 1.0 }).collect()]
}

/// The best links of complete graphs with these gains, or the best few.
fn links(
    bencher: Bencher,
    size: usize,
    problems: Vec<Vec<f64>>,
    fertility: (u32, u32),
    best: impl Fn(&MatchingStructure, &Graph, &mut MatchingScores) -> usize,
) {
    let task = structure(fertility);
    let without_features = Arc::new(FeatureMatrix::from_dense(&vec![[0.0]; size * size]));
    let x = Graph::new(Rows::new(&without_features, 0..size * size), edges(size), 0).unwrap();
    let (mut turn, mut scores) = (problems.iter().cycle(), MatchingScores::default());
    bencher.bench_local(|| {
        task.scores_from_parts(&x, black_box(turn.next().expect("it starts again")), &mut scores);
        best(&task, &x, &mut scores)
    });
}

fn assignment(bencher: Bencher, size: usize, problems: Vec<Vec<f64>>) {
    links(bencher, size, problems, (1, 1), |task, x, scores| task.decode(x, scores).label.on.len());
}

fn other(bencher: Bencher, size: usize, problems: Vec<Vec<f64>>) {
    let mut turn = problems.iter().cycle();
    bencher.bench_local(|| {
        let gains = turn.next().expect("it starts again");
        let costs = black_box(gains).iter().map(|gain| -gain.max(0.0)).collect();
        let costs = Matrix::from_shape_vec((size, size), costs).expect("a square");
        lapjv(&costs).map(|(rows, _)| rows[0]).ok()
    });
}

#[divan::bench(args = SIZES)]
fn assignment_full(bencher: Bencher, size: usize) {
    assignment(bencher, size, full(size));
}

#[divan::bench(args = SIZES)]
fn lapjv_full(bencher: Bencher, size: usize) {
    other(bencher, size, full(size));
}

#[divan::bench(args = SIZES)]
fn assignment_words(bencher: Bencher, size: usize) {
    assignment(bencher, size, words(size));
}

#[divan::bench(args = SIZES)]
fn lapjv_words(bencher: Bencher, size: usize) {
    other(bencher, size, words(size));
}

#[divan::bench(args = SIZES)]
fn assignment_augmented(bencher: Bencher, size: usize) {
    assignment(bencher, size, augmented(size));
}

#[divan::bench(args = SIZES)]
fn lapjv_augmented(bencher: Bencher, size: usize) {
    other(bencher, size, augmented(size));
}

#[divan::bench(args = SIZES)]
fn assignment_untrained(bencher: Bencher, size: usize) {
    assignment(bencher, size, untrained(size));
}

#[divan::bench(args = SIZES)]
fn lapjv_untrained(bencher: Bencher, size: usize) {
    other(bencher, size, untrained(size));
}

#[divan::bench(args = SIZES)]
fn three_links_words(bencher: Bencher, size: usize) {
    links(bencher, size, words(size), (3, 2), |task, x, scores| task.decode(x, scores).label.on.len());
}

#[divan::bench(args = [10, 20, 30, 50])]
fn best_10_words(bencher: Bencher, size: usize) {
    links(bencher, size, words(size), (1, 1), |task, x, scores| {
        task.k_best(x, None, scores, Mix::SCORE, 10).len()
    });
}

fn structure(fertility: (u32, u32)) -> MatchingStructure {
    let options = MatchingOptions { bias: false, fertility, ..MatchingOptions::default() };
    MatchingStructure::new(1, options).expect("one feature")
}

fn edges(size: usize) -> Arc<[Edge]> {
    let nodes = 0..size as u32;
    nodes.clone().flat_map(|left| nodes.clone().map(move |right| Edge { left, right })).collect()
}

fn decoding(bencher: Bencher, size: usize, fertility: (u32, u32)) {
    let (task, edges) = (structure(fertility), edges(size));
    let pair = |gains: Vec<f64>| {
        let features: Vec<[f64; 1]> = gains.into_iter().map(|gain| [gain]).collect();
        let features = Arc::new(FeatureMatrix::from_dense(&features));
        Graph::new(Rows::new(&features, 0..size * size), Arc::clone(&edges), 0).unwrap()
    };
    let pairs: Vec<Graph> = words(size).into_iter().map(pair).collect();
    let (mut turn, mut scores) = (pairs.iter().cycle(), MatchingScores::default());
    bencher.bench_local(|| {
        let x = turn.next().expect("it starts again");
        task.score(black_box(&[1.0]), x, &mut scores);
        task.decode(x, &mut scores)
    });
}

#[divan::bench(args = SIZES)]
fn decoding_one_to_one(bencher: Bencher, size: usize) {
    decoding(bencher, size, (1, 1));
}

#[divan::bench(args = SIZES)]
fn decoding_fertility_2_2(bencher: Bencher, size: usize) {
    decoding(bencher, size, (2, 2));
}
