//! Dependency trees of one sentence, by its length: scoring all labelled arcs, and finding the best tree and the ten best, without crossing arcs and with.

use divan::{Bencher, black_box};
use maxmargin::inference::Roots;
use maxmargin::structure::{
    ArcLoss, KBest, Mix, ParsingOptions, ParsingScores, ParsingStructure, Sentence, Structure, Token,
    TreeKind,
};

const WORDS: [usize; 5] = [10, 25, 50, 100, 200];
const RELATIONS: usize = 50;

fn main() {
    divan::main();
}

fn number(i: usize) -> u32 {
    (i.wrapping_mul(2_654_435_761) >> 7) as u32
}

/// Words and tags about as often the same as in text.
fn sentence(words: usize) -> Sentence {
    let word = |i: usize| {
        let (word, tag) = (number(i), number(i) % 45);
        Token { word: word % 5000, tag, coarse: tag % 17, ending: word % 700, form: tag * 3 + word % 3 }
    };
    Sentence::new((1..=words).map(word))
}

fn structure(trees: TreeKind) -> ParsingStructure {
    let options =
        ParsingOptions { trees, roots: Roots::One, loss: ArcLoss::ARCS, ..ParsingOptions::default() };
    ParsingStructure::new(RELATIONS, options).expect("the options are allowed")
}

fn weights(structure: &ParsingStructure) -> Vec<f64> {
    (0..structure.dim()).map(|i| f64::from(number(i) % 2001) / 1000.0 - 1.0).collect()
}

fn scored(words: usize, trees: TreeKind) -> (ParsingStructure, Sentence, ParsingScores) {
    let (structure, x, mut scores) = (structure(trees), sentence(words), ParsingScores::default());
    structure.score(&weights(&structure), &x, &mut scores);
    (structure, x, scores)
}

#[divan::bench(args = WORDS, sample_count = 20)]
fn scoring(bencher: Bencher, words: usize) {
    let (structure, x, mut scores) = (structure(TreeKind::Any), sentence(words), ParsingScores::default());
    let w = weights(&structure);
    bencher.bench_local(|| structure.score(black_box(&w), &x, &mut scores));
}

fn best(bencher: Bencher, words: usize, trees: TreeKind) {
    let (structure, x, mut scores) = scored(words, trees);
    bencher.bench_local(|| structure.decode(&x, black_box(&mut scores)));
}

fn ten_best(bencher: Bencher, words: usize, trees: TreeKind) {
    let (structure, x, mut scores) = scored(words, trees);
    bencher.bench_local(|| structure.k_best(&x, None, black_box(&mut scores), Mix::SCORE, 10));
}

#[divan::bench(args = WORDS, sample_count = 20)]
fn best_projective(bencher: Bencher, words: usize) {
    best(bencher, words, TreeKind::Projective);
}

#[divan::bench(args = WORDS, sample_count = 20)]
fn best_non_projective(bencher: Bencher, words: usize) {
    best(bencher, words, TreeKind::Any);
}

#[divan::bench(args = WORDS, sample_count = 10, sample_size = 1)]
fn ten_best_projective(bencher: Bencher, words: usize) {
    ten_best(bencher, words, TreeKind::Projective);
}

#[divan::bench(args = WORDS, sample_count = 10, sample_size = 1)]
fn ten_best_non_projective(bencher: Bencher, words: usize) {
    ten_best(bencher, words, TreeKind::Any);
}
