//! Promise: labels of one node, and of sets of nodes, are what they say on all labels of small random trees and graphs, for every loss;
//! and what the thesis states of them holds.

use std::sync::Arc;

use crate::hierarchies::{closed_sets, random_hierarchy};
use maxmargin_core::features::{FeatureMatrix, Rows};
use maxmargin_core::inference::{Hierarchy, SetRules};
use maxmargin_core::linear::SeenPairs;
use maxmargin_core::structure::{
    Example, LabelSet, Mix, NodeLoss, NodeOptions, NodeSetOptions, NodeSetStructure, NodeStructure, SetLoss,
    Structure,
};
use maxmargin_core::testing::check_structure;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Rows of small whole numbers in half of the cases, so that scores tie.
fn matrix(random: &mut Pcg64Mcg, rows: usize, is_whole: bool) -> Arc<FeatureMatrix> {
    let mut number = || match is_whole {
        true => f64::from(random.random_range(-1..=2)),
        false => random.random_range(-1.0..1.0),
    };
    let rows: Vec<Vec<f64>> = (0..rows).map(|_| (0..2).map(|_| number()).collect()).collect();
    Arc::new(FeatureMatrix::from_dense(&rows))
}

/// Some pairs of features and nodes, for every third round.
fn pairs(random: &mut Pcg64Mcg, round: usize, nodes: usize) -> Option<Arc<SeenPairs>> {
    let ones = FeatureMatrix::from_dense(&[[1.0, 0.0], [0.0, 1.0]]).sparse_if_worthwhile();
    let of: [Vec<u32>; 2] =
        std::array::from_fn(|_| (0..nodes as u32).filter(|_| random.random_range(0..3) > 0).collect());
    let pairs = SeenPairs::collect(2, nodes, |see| (0..2).for_each(|j| see(ones.row(j), &of[j])));
    (round % 3 == 1).then(|| Arc::new(pairs.unwrap()))
}

/// Numbers for nodes, some of them 0.
fn weights(random: &mut Pcg64Mcg, nodes: usize, is_whole: bool) -> Arc<[f64]> {
    let mut number = || match is_whole {
        true => f64::from(random.random_range(0..4)),
        false => random.random_range(0.1..2.0),
    };
    (0..nodes).map(|_| number()).collect()
}

fn chosen<T: Clone>(random: &mut Pcg64Mcg, from: &[T]) -> T {
    from[random.random_range(0..from.len())].clone()
}

#[test]
fn nodes() {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    for round in 0..160 {
        let (is_whole, is_tree) = (round % 2 == 0, round % 4 < 2);
        let hierarchy = Arc::new(random_hierarchy(&mut random, 9, is_tree));
        let inner: Vec<u32> =
            (0..hierarchy.nodes() as u32).filter(|_| random.random_range(0..3) > 0).collect();
        let labels = (round % 3 > 0).then_some(inner);
        // Leaves of labels' own are numbered like nodes, after all of them.
        let own_leaves = round % 8 > 4;
        let has_own = |label: &&u32| own_leaves && !hierarchy.is_leaf(**label);
        let nodes = hierarchy.nodes() + labels.iter().flatten().filter(has_own).count();
        let loss = match round % 5 {
            0 => NodeLoss::ZeroOne,
            1 => NodeLoss::Difference { costs: None },
            2 => NodeLoss::Difference { costs: Some(weights(&mut random, nodes, is_whole)) },
            3 => NodeLoss::Distance { weights: None },
            _ => NodeLoss::Distance { weights: Some(weights(&mut random, nodes, is_whole)) },
        };
        let alpha = (round % 7 > 2).then(|| weights(&mut random, nodes, is_whole));
        let options = NodeOptions { bias: round % 5 < 3, alpha, labels, own_leaves, loss };
        let structure = match pairs(&mut random, round, nodes) {
            None => NodeStructure::new(2, Arc::clone(&hierarchy), options),
            Some(pairs) => NodeStructure::with_pairs(pairs, Arc::clone(&hierarchy), options),
        };
        let structure = match structure {
            Ok(structure) => structure,
            Err(error) => {
                assert!(error.to_string().contains("fewer than two"), "{error}");
                continue;
            }
        };
        let x = matrix(&mut random, 2, is_whole);
        let examples = [0, 1].map(|i| Example {
            input: Rows::new(&x, i..i + 1),
            truth: chosen(&mut random, structure.labels()),
            weight: 1.0,
        });
        check_structure(&structure, &examples, |_| structure.labels().to_vec())
            .unwrap_or_else(|e| panic!("round {round}, {structure:?}: {e}"));
    }
}

/// Leaves of labels' own are what a user could have written: the same scores, features and losses as with these leaves in the hierarchy.
#[test]
fn own_leaves_are_leaves() {
    let mut random = Pcg64Mcg::seed_from_u64(7);
    for round in 0..60 {
        let hierarchy = random_hierarchy(&mut random, 8, round % 2 == 0);
        let nodes = hierarchy.nodes() as u32;
        let inside: Vec<u32> = (0..nodes).filter(|&node| !hierarchy.is_leaf(node)).collect();
        let written = Arc::new(hierarchy.with_leaves_below(&inside).unwrap());
        let all = written.nodes();
        let costs = Some(weights(&mut random, all, round % 3 == 0));
        let loss = match round % 4 {
            0 => NodeLoss::ZeroOne,
            1 => NodeLoss::Difference { costs: None },
            2 => NodeLoss::Difference { costs },
            _ => NodeLoss::Distance { weights: costs },
        };
        let alpha = (round % 5 > 2).then(|| weights(&mut random, all, false));
        let own = NodeOptions {
            labels: Some((0..nodes).collect()),
            own_leaves: true,
            alpha: alpha.clone(),
            loss: loss.clone(),
            ..NodeOptions::default()
        };
        // What has no list of costs counts nodes of the hierarchy only.
        let counted = (0..all as u32).map(|node| f64::from(u8::from(node < nodes))).collect();
        let loss = match loss {
            NodeLoss::Difference { costs: None } => NodeLoss::Difference { costs: Some(counted) },
            other => other,
        };
        let plain = NodeOptions { alpha, loss, ..NodeOptions::default() };
        let Ok(own) = NodeStructure::new(2, Arc::new(hierarchy), own) else { continue };
        let plain = NodeStructure::new(2, written, plain).unwrap();
        assert_eq!((own.dim(), own.hierarchy().nodes()), (plain.dim(), nodes as usize));
        let x = Rows::new(&matrix(&mut random, 1, false), 0..1);
        let w: Vec<f64> = (0..own.dim()).map(|_| random.random_range(-1.0..1.0)).collect();
        let (mut own_scores, mut plain_scores) = (Default::default(), Default::default());
        own.score(&w, &x, &mut own_scores);
        plain.score(&w, &x, &mut plain_scores);
        for truth in 0..nodes {
            let end = own.end_of(truth);
            let found = own.maximize(&x, &truth, &mut own_scores, Mix::AUGMENTED);
            let other = plain.maximize(&x, &end, &mut plain_scores, Mix::AUGMENTED);
            assert_eq!((found.score, found.loss), (other.score, other.loss), "round {round}, {own:?}");
            let (mut sum, mut plain_sum) = (vec![0.0; own.dim()], vec![0.0; own.dim()]);
            own.add_features(&x, &truth, 1.0, &mut sum[..]);
            plain.add_features(&x, &end, 1.0, &mut plain_sum[..]);
            assert_eq!(sum, plain_sum);
        }
        assert_eq!(
            own.end_of(own.decode(&x, &mut own_scores).label),
            plain.decode(&x, &mut plain_scores).label
        );
    }
}

#[test]
fn sets_of_nodes() {
    let mut random = Pcg64Mcg::seed_from_u64(2);
    for round in 0..160 {
        let (is_whole, is_tree) = (round % 2 == 0, round % 4 < 2);
        let hierarchy = Arc::new(random_hierarchy(&mut random, 6, is_tree));
        let nodes = hierarchy.nodes();
        let rules = SetRules { needs_child: round % 3 == 0, never_empty: round % 5 < 3 };
        let of_leaves = || (0..nodes as u32).map(|node| f64::from(u8::from(hierarchy.is_leaf(node))));
        let mean = round % 11 == 0;
        let loss = match round % 7 {
            0 => SetLoss::Hamming { mean, weights: None },
            1 | 2 => SetLoss::Hamming { mean, weights: Some(of_leaves().collect()) },
            3 => SetLoss::Hamming { mean, weights: Some(of_leaves().map(|cost| 0.7 * cost).collect()) },
            4 | 5 => SetLoss::Hamming { mean, weights: Some(weights(&mut random, nodes, is_whole)) },
            _ => SetLoss::Mistakes {
                mean,
                miss: weights(&mut random, nodes, is_whole),
                wrong: weights(&mut random, nodes, is_whole),
            },
        };
        let alpha = (round % 7 > 2).then(|| weights(&mut random, nodes, is_whole));
        let options = NodeSetOptions { bias: round % 5 < 3, alpha, rules, loss };
        let structure = match pairs(&mut random, round, nodes) {
            None => NodeSetStructure::new(2, Arc::clone(&hierarchy), options).unwrap(),
            Some(pairs) => NodeSetStructure::with_pairs(pairs, Arc::clone(&hierarchy), options).unwrap(),
        };
        let sets = closed_sets(&hierarchy, rules.needs_child, !rules.never_empty);
        let labels: Vec<LabelSet> = sets.iter().map(|set| LabelSet::of(set)).collect();
        let x = matrix(&mut random, 2, is_whole);
        let examples = [0, 1].map(|i| Example {
            input: Rows::new(&x, i..i + 1),
            truth: chosen(&mut random, &labels),
            weight: 1.0,
        });
        check_structure(&structure, &examples, |_| labels.clone())
            .unwrap_or_else(|e| panic!("round {round}, {structure:?}: {e}"));
        for example in &examples {
            let mut scores = Default::default();
            structure.score(&vec![0.3; structure.dim()], &example.input, &mut scores);
            let found = structure.maximize(&example.input, &example.truth, &mut scores, Mix::AUGMENTED);
            assert_eq!(found.missed, 0.0, "so few labels leave nothing open");
        }
    }
}

#[test]
fn strata_are_refused_with_the_reason() {
    let structure = |parents: &[Vec<u32>], loss| {
        let hierarchy = Arc::new(Hierarchy::from_parents(parents).unwrap());
        NodeSetStructure::new(1, hierarchy, NodeSetOptions { loss, ..NodeSetOptions::default() }).unwrap()
    };
    let refused = |parents: &[Vec<u32>], loss| {
        let structure = structure(parents, loss);
        assert!(structure.offers().stratified.is_none());
        structure.check_strata().unwrap_err().to_string()
    };
    let (tree, graph) = ([vec![], vec![0], vec![0]], [vec![], vec![0], vec![0, 1]]);
    let hamming = |weights: [f64; 3]| SetLoss::Hamming { weights: Some(weights.into()), mean: false };
    assert!(structure(&tree, hamming([0.0, 2.0, 2.0])).offers().stratified.is_some());
    assert!(refused(&graph, SetLoss::default()).contains("several parents"));
    assert!(refused(&tree, hamming([0.0, 1.0, 2.0])).contains("different costs"));
    let star: Vec<Vec<u32>> = (0..10_000).map(|node| if node == 0 { vec![] } else { vec![0] }).collect();
    assert!(refused(&star, SetLoss::default()).contains("too many nodes"));
}

#[test]
fn distances_between_nodes_of_a_tree() {
    //     0
    //   /   \
    //  1     2
    //  |    / \
    //  3   4   5
    let parents = [None, Some(0), Some(0), Some(1), Some(2), Some(2)];
    let hierarchy = Arc::new(Hierarchy::forest(&parents).unwrap());
    let loss = |loss: NodeLoss, truth, y| {
        let options = NodeOptions { labels: Some(vec![0, 1, 3, 4, 5]), loss, ..NodeOptions::default() };
        NodeStructure::new(1, Arc::clone(&hierarchy), options).unwrap().loss_between(truth, y)
    };
    let edges = || NodeLoss::Difference { costs: None };
    assert_eq!((loss(edges(), 3, 4), loss(edges(), 4, 5), loss(edges(), 0, 4)), (4.0, 2.0, 2.0));
    let costs: Arc<[f64]> = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0].into();
    assert_eq!(loss(NodeLoss::Difference { costs: Some(Arc::clone(&costs)) }, 3, 4), 30.0);
    assert_eq!(loss(NodeLoss::Distance { weights: Some(costs) }, 4, 5), 48f64.sqrt());
    assert_eq!((loss(NodeLoss::ZeroOne, 1, 3), loss(NodeLoss::ZeroOne, 3, 3)), (1.0, 0.0));
}

#[test]
fn what_does_not_fit_a_hierarchy_is_refused() {
    let hierarchy = Arc::new(Hierarchy::forest(&[None, Some(0), Some(0)]).unwrap());
    let refused = |options: NodeOptions| {
        NodeStructure::new(1, Arc::clone(&hierarchy), options).expect_err("refused").to_string()
    };
    let options = NodeOptions::default;
    assert!(refused(NodeOptions { labels: Some(vec![1, 3]), ..options() }).contains("node 3"));
    assert!(refused(NodeOptions { labels: Some(vec![1, 1]), ..options() }).contains("fewer than two"));
    assert!(refused(NodeOptions { alpha: Some([1.0, 1.0].into()), ..options() }).contains("2 numbers"));
    let costs = Some([1.0, -1.0, 0.0].into());
    assert!(refused(NodeOptions { loss: NodeLoss::Difference { costs }, ..options() }).contains("node 1"));
    let structure = NodeStructure::new(1, Arc::clone(&hierarchy), options()).unwrap();
    let x = Rows::new(&Arc::new(FeatureMatrix::from_dense(&[[1.0]])), 0..1);
    assert!(structure.check(&x, &1).is_ok());
    assert!(structure.check(&x, &0).unwrap_err().to_string().contains("none of the labels"));
    assert!(structure.check(&x, &3).unwrap_err().to_string().contains("0 to 2"));
}
