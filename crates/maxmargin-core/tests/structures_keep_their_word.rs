//! Promise: every built-in structure is what it says, on all labels of small inputs; and the referee finds what is wrong with one
//! that is not.

use std::sync::Arc;

use maxmargin_core::features::{FeatureMatrix, Rows};
use maxmargin_core::inference::LabelGraph;
use maxmargin_core::linear::{FeatureSum, SeenPairs};
use maxmargin_core::structure::{
    ChainLoss, ChainOptions, ChainScores, ChainStructure, CostMatrix, Edge, Example, Found, Graph, Inference,
    LabelCost, LabelSet, LinkLoss, Links, Magnitude, MatchingOptions, MatchingStructure, Mix,
    MulticlassStructure, MultilabelOptions, MultilabelStructure, PairWeights, SetLoss, Structure,
};
use maxmargin_core::surrogate::Surrogate;
use maxmargin_core::testing::{check_structure, check_surrogate};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Rows of small whole numbers in half of the cases, so that scores tie.
fn matrix(random: &mut Pcg64Mcg, rows: usize, columns: usize, is_whole: bool) -> Arc<FeatureMatrix> {
    let mut number = || match is_whole {
        true => f64::from(random.random_range(-1..=2)),
        false => random.random_range(-1.0..1.0),
    };
    let rows: Vec<Vec<f64>> = (0..rows).map(|_| (0..columns).map(|_| number()).collect()).collect();
    Arc::new(FeatureMatrix::from_dense(&rows))
}

fn costs(random: &mut Pcg64Mcg, labels: usize, is_whole: bool) -> LabelCost {
    let mut cost = || match is_whole {
        true => f64::from(random.random_range(1..4)),
        false => random.random_range(0.1..2.0),
    };
    let pairs = (0..labels).flat_map(|a| (0..labels).map(move |b| a == b));
    let costs = pairs.map(|same| if same { 0.0 } else { cost() }).collect();
    LabelCost::Matrix(Arc::new(CostMatrix::new(labels, costs).unwrap()))
}

/// All sequences of so many labels.
fn sequences(length: usize, labels: u32) -> Vec<Vec<u32>> {
    let extend = |all: Vec<Vec<u32>>, _| {
        all.iter().flat_map(|y| (0..labels).map(move |label| [&y[..], &[label]].concat())).collect()
    };
    (0..length).fold(vec![vec![]], extend)
}

fn subsets(count: u32) -> impl Iterator<Item = Vec<u32>> {
    (0..1u32 << count).map(move |mask| (0..count).filter(|place| mask >> place & 1 == 1).collect())
}

#[test]
fn multiclass() {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    for round in 0..40 {
        let (is_whole, labels) = (round % 2 == 0, random.random_range(2..6));
        let x = matrix(&mut random, 3, 2, is_whole);
        let cost = match round % 3 {
            0 => LabelCost::ZeroOne,
            kind => costs(&mut random, labels, kind == 1),
        };
        let structure = MulticlassStructure::new(2, labels, round % 5 < 3, cost).unwrap();
        let example =
            |i: usize| Example { input: Rows::new(&x, i..i + 1), truth: (i % labels) as u32, weight: 1.0 };
        let examples: Vec<_> = (0..3).map(example).collect();
        check_structure(&structure, &examples, |_| (0..labels as u32).collect())
            .unwrap_or_else(|e| panic!("{e}"));
    }
}

/// A chain of first order with examples: some with features of pairs, and some with no others.
fn random_chain(
    random: &mut Pcg64Mcg,
    round: usize,
    longest: usize,
) -> (ChainStructure, [Example<ChainStructure>; 3]) {
    let (is_whole, labels) = (round.is_multiple_of(2), random.random_range(2..4));
    let lengths = [random.random_range(1..=longest), random.random_range(1..4), 0];
    let (features, pairs) = [(2, 0), (2, 0), (1, 1), (0, 2)][round / 30];
    let x = matrix(random, lengths.iter().sum(), 2, is_whole);
    let cost = match round % 3 {
        0 => LabelCost::ZeroOne,
        kind => costs(random, labels, kind == 1),
    };
    let loss = ChainLoss { cost, mean: round.is_multiple_of(7) };
    let options = ChainOptions { bias: round % 5 < 3, boundary: round % 4 < 2, loss };
    let structure = ChainStructure::new(features, labels, options).unwrap();
    let mut start = 0;
    let examples = lengths.map(|length| {
        start += length;
        let truth = (0..length).map(|_| random.random_range(0..labels as u32)).collect();
        Example { input: Rows::new(&x, start - length..start), truth, weight: 1.0 }
    });
    (structure.with_pair_features(pairs).unwrap(), examples)
}

#[test]
fn chains() {
    let mut random = Pcg64Mcg::seed_from_u64(2);
    for round in 0..120 {
        let (structure, examples) = random_chain(&mut random, round, 4);
        check_structure(&structure, &examples, |x| sequences(x.len(), structure.labels() as u32))
            .unwrap_or_else(|e| panic!("round {round}: {e}"));
    }
}

/// Chains of second order, with weights for all three labels in a row or for some of them: what they say, and the same as a chain of first
/// order over pairs of labels.
#[test]
fn chains_of_second_order() {
    let mut random = Pcg64Mcg::seed_from_u64(22);
    for round in 0..120 {
        let (first, examples) = random_chain(&mut random, round, 5);
        let labels = first.labels();
        let some: Vec<[u32; 3]> = sequences(3, labels as u32)
            .into_iter()
            .filter(|_| random.random_range(0..3) > 0)
            .map(|y| [y[0], y[1], y[2]])
            .collect();
        let seen = (round % 3 > 0).then_some(&some[..]);
        let second = first.clone().with_triples(seen).unwrap();
        check_structure(&second, &examples, |x| sequences(x.len(), labels as u32))
            .unwrap_or_else(|e| panic!("round {round}: {e}"));

        // The scores are those of first order, and one more for each three labels in a row.
        let w: Vec<f64> = (0..second.dim()).map(|_| random.random_range(-1.0..1.0)).collect();
        let (of_first, of_triples) = w.split_at(first.dim());
        let triples = second.triples();
        assert_eq!(triples.len(), of_triples.len());
        let triple = |y: &[u32]| triples.iter().position(|triple| triple == y).map_or(0.0, |k| of_triples[k]);
        for Example { input, .. } in &examples {
            let mut scores = [ChainScores::default(), ChainScores::default()];
            first.score(of_first, input, &mut scores[0]);
            second.score(&w, input, &mut scores[1]);
            let value =
                |y: &Vec<u32>| first.score_of(input, &scores[0], y) + y.windows(3).map(triple).sum::<f64>();
            let mut best = f64::NEG_INFINITY;
            for y in sequences(input.len(), labels as u32) {
                let is = second.score_of(input, &scores[1], &y);
                assert!((is - value(&y)).abs() < 1e-12, "round {round}, {y:?}: {is} and {}", value(&y));
                best = best.max(is);
            }
            // A chain of first order whose labels are pairs, of which those that do not fit are worth too little.
            let pairs_of =
                |y: &[u32]| y.windows(2).map(|y| y[0] * labels as u32 + y[1]).collect::<Vec<u32>>();
            if input.len() > 1 {
                let (states, length) = (labels * labels, input.len() - 1);
                let mut unary = vec![0.0; length * states];
                let mut step = vec![-1e6; states * states];
                for y in sequences(2, labels as u32) {
                    let place = (y[0] as usize) * labels + y[1] as usize;
                    for after in 0..labels {
                        step[place * states + y[1] as usize * labels + after] =
                            triple(&[y[0], y[1], after as u32]);
                    }
                }
                // What a pair is worth at a step: what changes with it while all else stays.
                for y in sequences(input.len(), labels as u32) {
                    let beginnings = |end: usize| y[..end].iter().copied().chain(vec![0; input.len() - end]);
                    for t in 0..length {
                        let [whole, part] = [t + 2, t + 1].map(|end| beginnings(end).collect::<Vec<u32>>());
                        let base = if t == 0 { 0.0 } else { first.score_of(input, &scores[0], &part) };
                        unary[t * states + pairs_of(&y)[t] as usize] =
                            first.score_of(input, &scores[0], &whole) - base;
                    }
                }
                let path = best_path(states, &unary, &step);
                let found = second.decode(input, &mut scores[1]);
                assert!((found.score - best).abs() < 1e-12, "round {round}");
                let labels_of = |path: &[u32]| -> Vec<u32> {
                    let first = path[0] / labels as u32;
                    std::iter::once(first).chain(path.iter().map(|pair| pair % labels as u32)).collect()
                };
                let by_pairs = second.score_of(input, &scores[1], &labels_of(&path));
                assert!((by_pairs - best).abs() < 1e-9, "round {round}: {by_pairs} and {best}");
            }
        }
    }
}

/// The best path through a chain of states, in the plainest way.
fn best_path(states: usize, unary: &[f64], step: &[f64]) -> Vec<u32> {
    let mut best: Vec<(f64, Vec<u32>)> = vec![(0.0, Vec::new()); states];
    for (t, unary) in unary.chunks_exact(states).enumerate() {
        let into = |to: usize| {
            let ways = best.iter().enumerate().map(|(from, (value, path))| {
                (value + if t == 0 { 0.0 } else { step[from * states + to] }, path)
            });
            let (value, path) = ways.max_by(|a, b| a.0.total_cmp(&b.0)).expect("a state");
            (value + unary[to], [&path[..], &[to as u32]].concat())
        };
        best = (0..states).map(into).collect();
    }
    best.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).expect("a state").1
}

/// Some pairs of features and labels; the first features have none.
fn some_pairs(random: &mut Pcg64Mcg, without: usize, features: usize, labels: usize) -> Arc<SeenPairs> {
    let mut starts = vec![0; without + 1];
    let mut of_pairs = Vec::new();
    for _ in without..features {
        of_pairs.extend((0..labels as u32).filter(|_| random.random_range(0..3) > 0));
        starts.push(of_pairs.len());
    }
    Arc::new(SeenPairs::new(labels, starts, of_pairs).unwrap())
}

/// With weights of some pairs only, a chain is what it says, and the same as one with all pairs whose other weights are 0.
#[test]
fn chains_of_seen_pairs() {
    let mut random = Pcg64Mcg::seed_from_u64(12);
    for round in 0..80 {
        let (is_whole, labels) = (round % 2 == 0, random.random_range(2..4));
        let lengths = [random.random_range(1..5), random.random_range(1..4), 0];
        let pairs = usize::from(round % 4 == 3);
        let x = matrix(&mut random, lengths.iter().sum(), 3, is_whole);
        let x = if round % 3 == 0 { Arc::new((*x).clone().sparse_if_worthwhile()) } else { x };
        let seen = some_pairs(&mut random, pairs, 3, labels);
        let loss = ChainLoss { mean: round % 7 == 0, ..ChainLoss::default() };
        let options = ChainOptions { bias: round % 5 < 3, boundary: round % 4 < 2, loss };
        let some = ChainStructure::with_seen_pairs(Arc::clone(&seen), options.clone()).unwrap();
        let some = some.with_pair_features(pairs).unwrap();
        let all = ChainStructure::new(3 - pairs, labels, options).unwrap().with_pair_features(pairs).unwrap();
        let mut start = 0;
        let examples = lengths.map(|length| {
            start += length;
            let truth = (0..length).map(|_| random.random_range(0..labels as u32)).collect();
            Example { input: Rows::new(&x, start - length..start), truth, weight: 1.0 }
        });
        check_structure(&some, &examples, |x| sequences(x.len(), labels as u32))
            .unwrap_or_else(|e| panic!("round {round}: {e}"));
        // The same weights in their places among all.
        let w: Vec<f64> = (0..some.dim()).map(|_| random.random_range(-1.0..1.0)).collect();
        let (before, unary) = (pairs * labels * labels, (3 - pairs) * labels);
        let mut wide = w[..before].to_vec();
        for j in pairs..3 {
            let weight = |label| seen.place(j, label).map_or(0.0, |place| w[before + place]);
            wide.extend((0..labels as u32).map(weight));
        }
        wide.extend_from_slice(&w[before + seen.len()..]);
        assert_eq!((wide.len(), wide.len() - w.len()), (all.dim(), unary - seen.len()), "round {round}");
        for Example { input, .. } in &examples {
            let mut scores = [ChainScores::default(), ChainScores::default()];
            some.score(&w, input, &mut scores[0]);
            all.score(&wide, input, &mut scores[1]);
            for y in sequences(input.len(), labels as u32) {
                let [of_some, of_all] =
                    [some.score_of(input, &scores[0], &y), all.score_of(input, &scores[1], &y)];
                assert!((of_some - of_all).abs() < 1e-12, "round {round}, {y:?}: {of_some} and {of_all}");
            }
        }
    }
    // Columns of pairs have no weights with single labels.
    let seen = some_pairs(&mut random, 1, 3, 2);
    let chain = ChainStructure::with_seen_pairs(seen, ChainOptions::default()).unwrap();
    assert!(chain.clone().with_pair_features(4).is_err());
    let wrong = Arc::new(SeenPairs::new(2, vec![0, 1, 1], vec![0]).unwrap());
    let chain = ChainStructure::with_seen_pairs(wrong, ChainOptions::default()).unwrap();
    assert!(chain.with_pair_features(1).is_err());
}

#[test]
fn label_sets() {
    let mut random = Pcg64Mcg::seed_from_u64(3);
    for round in 0..160 {
        let (is_whole, labels) = (round % 2 == 0, random.random_range(1..6));
        let x = matrix(&mut random, 2, 2, is_whole);
        let chain = (1..labels as u32).map(|label| (label - 1, label));
        let graph = match round % 4 {
            0 => LabelGraph::complete(labels).unwrap(),
            1 => LabelGraph::independent(labels),
            2 => LabelGraph::new(labels, chain.collect()).unwrap(),
            _ => {
                LabelGraph::new(labels, chain.chain((labels > 2).then_some((0, labels as u32 - 1))).collect())
                    .unwrap()
            }
        };
        let mut numbers = |least: u32, unit: f64| -> std::sync::Arc<[f64]> {
            (0..labels).map(|_| f64::from(random.random_range(least..4)) * unit).collect()
        };
        let mean = round % 7 == 0;
        let loss = match round % 10 {
            0 => SetLoss::Hamming { mean, weights: Some(numbers(0, 1.0)) },
            // Sets with weights, for Micro-F1.
            5 => SetLoss::Hamming { mean, weights: Some(numbers(1, 0.75)) },
            7 | 9 => SetLoss::Mistakes { mean, miss: numbers(0, 1.0), wrong: numbers(0, 1.0) },
            8 => SetLoss::Mistakes { mean, miss: vec![2.0; labels].into(), wrong: vec![0.5; labels].into() },
            _ => SetLoss::Hamming { mean, weights: None },
        };
        let options = MultilabelOptions {
            bias: round % 3 < 2,
            pair_weights: if round % 8 < 4 { PairWeights::Four } else { PairWeights::Both },
            signed: round % 6 == 0,
            loss,
            inference: if round % 9 == 8 { Inference::Relaxed } else { Inference::Exact },
        };
        let structure = MultilabelStructure::new(2, graph, options).unwrap();
        let examples = [0, 1].map(|i| {
            let on: Vec<u32> = (0..labels as u32).filter(|_| random.random_range(0..2) == 0).collect();
            Example { input: Rows::new(&x, i..i + 1), truth: LabelSet::of(&on), weight: 1.0 }
        });
        check_structure(&structure, &examples, |_| {
            subsets(labels as u32).map(|on| LabelSet::of(&on)).collect()
        })
        .unwrap_or_else(|e| panic!("round {round}, {structure:?}: {e}"));
    }
}

#[test]
fn matchings() {
    let mut random = Pcg64Mcg::seed_from_u64(4);
    for round in 0..80 {
        let is_whole = round % 2 == 0;
        let (lefts, rights) = (random.random_range(1..4), random.random_range(1..4));
        let pairs = (0..lefts).flat_map(|left| (0..rights).map(move |right| Edge { left, right }));
        let edges: Vec<Edge> =
            pairs.filter(|_| round % 3 > 0 || random.random_range(0..3) > 0).take(8).collect();
        let x = matrix(&mut random, edges.len(), 2, is_whole);
        let graph = Graph::new(Rows::new(&x, 0..edges.len()), edges.clone().into(), 0).unwrap();
        let loss = match round % 5 {
            0 => LinkLoss::Mistakes { miss: 2.0, false_link: 1.0 },
            1 => LinkLoss::Mistakes { miss: 0.7, false_link: 1.1 },
            _ => LinkLoss::default(),
        };
        let fertility = if round % 4 == 0 { (2, 1) } else { (1, 1) };
        let options = MatchingOptions { bias: round % 3 < 2, loss, fertility, ..MatchingOptions::default() };
        let structure = MatchingStructure::new(2, options).unwrap();
        let all: Vec<Links> = subsets(edges.len() as u32)
            .map(Links::of)
            .filter(|links| structure.check_truth(&graph, links).is_ok())
            .collect();
        let mut truth = all[random.random_range(0..all.len())].clone();
        truth.free = (0..edges.len() as u32)
            .filter(|edge| !truth.on.contains(edge) && round % 6 == 0)
            .take(1)
            .collect();
        let example = Example { input: graph, truth, weight: 1.0 };
        check_structure(&structure, &[example], |_| all.clone())
            .unwrap_or_else(|e| panic!("round {round}: {e}"));
    }
}

#[test]
fn surrogates() {
    for name in ["margin", "slack", "beta=0.5", "general=1.5,1", "general=2,1", "log", "prob", "prob-convex"]
    {
        check_surrogate(name.parse::<Surrogate>().unwrap(), 6.0, 8.0).unwrap_or_else(|e| panic!("{e}"));
    }
}

/// What is wrong with a structure.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    Nothing,
    Decoding,
    Mixing,
    Ties,
    Losses,
    LargestLoss,
    Features,
    Difference,
    Product,
    Norm,
    Unit,
}

/// Three labels with a feature vector of their own, and one fault.
struct Faulty(Fault);

impl Structure for Faulty {
    type Input = [f64; 3];
    type Label = u32;
    type Scores = Vec<f64>;
    type Kernel = ();

    fn dim(&self) -> usize {
        3
    }

    fn score(&self, w: &[f64], x: &[f64; 3], scores: &mut Vec<f64>) {
        scores.clear();
        scores.extend(x.iter().zip(w).map(|(x, w)| x * w));
    }

    fn magnitude(&self, x: &[f64; 3], _truth: &u32) -> Magnitude {
        let norm = x.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        let norm = if self.0 == Fault::Norm { 0.5 * norm } else { norm };
        Magnitude { norm, terms: 4.0, repeats: 1.0, loss: 2.0, is_exact: false }
    }

    fn score_of(&self, _x: &[f64; 3], scores: &Vec<f64>, y: &u32) -> f64 {
        scores[*y as usize]
    }

    fn decode(&self, x: &[f64; 3], scores: &mut Vec<f64>) -> Found<u32> {
        let best = (0..3).fold(0, |best, y| if scores[y] > scores[best] { y } else { best });
        let best = if self.0 == Fault::Decoding { 0 } else { best as u32 };
        Found::exactly(best, self.score_of(x, scores, &best), 0.0)
    }

    fn loss(&self, x: &[f64; 3], truth: &u32, y: &u32) -> f64 {
        // It sees the input: labels with a negative feature cost twice as much.
        let cost = if x[*y as usize] < 0.0 { 2.0 } else { 1.0 };
        if truth != y || self.0 == Fault::Losses { cost } else { 0.0 }
    }

    fn largest_loss(&self, _x: &[f64; 3], _truth: &u32) -> f64 {
        if self.0 == Fault::LargestLoss { 1.0 } else { 2.0 }
    }

    fn loss_unit(&self, _x: &[f64; 3], _truth: &u32) -> Option<f64> {
        Some(if self.0 == Fault::Unit { 2.0 } else { 1.0 })
    }

    fn maximize(&self, x: &[f64; 3], truth: &u32, scores: &mut Vec<f64>, mix: Mix) -> Found<u32> {
        let rank = |y: u32| {
            let (score, loss) = (scores[y as usize], self.loss(x, truth, &y));
            match self.0 {
                Fault::Mixing => mix.rank(score, 0.5 * loss),
                Fault::Ties => (mix.height(score, loss), -score - loss),
                _ => mix.rank(score, loss),
            }
        };
        let best = (0..3).fold(0, |best, y| if rank(y) > rank(best) { y } else { best });
        Found::exactly(best, scores[best as usize], self.loss(x, truth, &best))
    }

    fn add_features<A: FeatureSum + ?Sized>(&self, x: &[f64; 3], y: &u32, factor: f64, sum: &mut A) {
        let sign = if self.0 == Fault::Features { -factor } else { factor };
        sum.add(*y as usize, sign * x[*y as usize]);
    }

    fn add_difference<A: FeatureSum + ?Sized>(
        &self,
        x: &[f64; 3],
        y: &u32,
        truth: &u32,
        factor: f64,
        sum: &mut A,
    ) {
        self.add_features(x, y, factor, sum);
        self.add_features(x, truth, if self.0 == Fault::Difference { factor } else { -factor }, sum);
    }

    fn product(&self, x: &[f64; 3], _kernel: &(), truth: &u32, y: &u32, z: &u32) -> f64 {
        let square = |y: u32| x[y as usize] * x[y as usize];
        let same = if y == z && self.0 != Fault::Product { square(*y) } else { 0.0 };
        if y == truth || z == truth { 0.0 } else { square(*truth) + same }
    }
}

#[test]
fn faults_are_found() {
    let example = || Example { input: [1.0, -2.0, 1.0], truth: 2, weight: 1.0 };
    let judge = |fault| check_structure(&Faulty(fault), &[example()], |_| vec![0, 1, 2]);
    judge(Fault::Nothing).unwrap_or_else(|e| panic!("{e}"));
    for (fault, word) in [
        (Fault::Decoding, "decode"),
        (Fault::Mixing, "maximize"),
        (Fault::Ties, "tie"),
        (Fault::Losses, "truth"),
        (Fault::LargestLoss, "largest_loss"),
        (Fault::Features, "score_of"),
        (Fault::Difference, "add_difference"),
        (Fault::Product, "product"),
        (Fault::Norm, "magnitude"),
        (Fault::Unit, "unit"),
    ] {
        let error = judge(fault).expect_err("a fault").to_string();
        assert!(error.contains(word), "{fault:?}: {error}");
    }
}
