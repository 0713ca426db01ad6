//! How much speaks for each node, one by one: what precision-recall curves need, where the best label alone is not enough.
//!
//! In a tree it is a price: the largest one per node at which the best set of nodes still has this one. Nodes that stay in at a higher
//! price include all above them, so that each threshold cuts off a label. All these sets together are the isotonic regression of the
//! scores of nodes: blocks of nodes whose means fall on each way down. (A block goes in as a whole when the price falls to its mean.)
//!
//! Where nodes have several parents that would be a maximum flow per price. There it is half the least score on the ways up to a root,
//! and half the largest on the ways down; that falls on each way down, too.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::inference::Hierarchy;

/// What speaks for each node, from its score by itself. It is never more than what speaks for a parent.
pub(super) fn node_scores(hierarchy: &Hierarchy, scores: &[f64], out: &mut Vec<f64>) {
    match hierarchy.is_tree() {
        true => prices(hierarchy, scores, out),
        false => between_ways(hierarchy, scores, out),
    }
}

/// A block of nodes below another, by its mean.
struct Below {
    mean: f64,
    top: u32,
}

impl PartialEq for Below {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Below {}

impl PartialOrd for Below {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Below {
    fn cmp(&self, other: &Self) -> Ordering {
        self.mean.total_cmp(&other.mean).then(other.top.cmp(&self.top))
    }
}

/// Isotonic regression in a forest, from the leaves to the roots: a node takes in the blocks below it that have larger means.
fn prices(hierarchy: &Hierarchy, scores: &[f64], out: &mut Vec<f64>) {
    let nodes = hierarchy.nodes();
    let (mut sums, mut sizes) = (scores.to_vec(), vec![1.0; nodes]);
    let mut below: Vec<BinaryHeap<Below>> = (0..nodes).map(|_| BinaryHeap::new()).collect();
    // The top of the block that a block was taken into; its own where it was not.
    let mut taken: Vec<u32> = (0..nodes as u32).collect();
    for &node in hierarchy.order().iter().rev() {
        let top = node as usize;
        let mut blocks = std::mem::take(&mut below[top]);
        while blocks.peek().is_some_and(|block| block.mean > sums[top] / sizes[top]) {
            let Some(Below { top: other, .. }) = blocks.pop() else { break };
            sums[top] += sums[other as usize];
            sizes[top] += sizes[other as usize];
            taken[other as usize] = node;
            let mut more = std::mem::take(&mut below[other as usize]);
            if more.len() > blocks.len() {
                std::mem::swap(&mut more, &mut blocks);
            }
            blocks.extend(more);
        }
        below[top] = blocks;
        if let Some(&parent) = hierarchy.parents(node).first() {
            below[parent as usize].push(Below { mean: sums[top] / sizes[top], top: node });
        }
    }
    out.clear();
    out.resize(nodes, 0.0);
    // Blocks are taken in by nodes above them, which come first.
    for &node in hierarchy.order() {
        let top = taken[node as usize];
        out[node as usize] = match top == node {
            true => sums[node as usize] / sizes[node as usize],
            false => out[top as usize],
        };
    }
}

/// Half the least score from here to the roots, and half the largest from here downwards.
fn between_ways(hierarchy: &Hierarchy, scores: &[f64], out: &mut Vec<f64>) {
    let (mut least, mut most) = (scores.to_vec(), scores.to_vec());
    for &node in hierarchy.order() {
        let above = hierarchy.parents(node).iter().map(|&parent| least[parent as usize]);
        least[node as usize] = above.fold(scores[node as usize], f64::min);
    }
    for &node in hierarchy.order().iter().rev() {
        let below = hierarchy.children(node).iter().map(|&child| most[child as usize]);
        most[node as usize] = below.fold(scores[node as usize], f64::max);
    }
    out.clear();
    out.extend(least.iter().zip(&most).map(|(least, most)| 0.5 * (least + most)));
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::data::{FeatureMatrix, Rows};
    use crate::structure::{LabelSet, NodeSetOptions, NodeSetScores, NodeSetStructure, Structure};

    #[test]
    fn a_node_is_in_the_best_set_up_to_its_price() {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let one = Rows::new(&Arc::new(FeatureMatrix::from_dense(&[[1.0]])), 0..1);
        let (mut sets, mut found) = (NodeSetScores::default(), Vec::new());
        for round in 0..500 {
            let nodes = random.random_range(1..12usize);
            let parents: Vec<Option<u32>> = (0..nodes)
                .map(|node| Some(random.random_range(0..=node)).filter(|&p| p < node).map(|p| p as u32))
                .collect();
            let tree = Arc::new(Hierarchy::forest(&parents).unwrap());
            let options = NodeSetOptions { bias: false, ..NodeSetOptions::default() };
            let structure = NodeSetStructure::new(1, Arc::clone(&tree), options).unwrap();
            let scores: Vec<f64> = (0..nodes).map(|_| f64::from(random.random_range(-6..6))).collect();
            node_scores(&tree, &scores, &mut found);
            let mut prices: Vec<f64> = found.clone();
            prices.sort_by(f64::total_cmp);
            prices.dedup();
            // A little above and below each price: in and out change exactly there.
            for price in prices.iter().flat_map(|price| [price - 1e-6, price + 1e-6]) {
                let values: Vec<f64> = scores.iter().map(|score| score - price).collect();
                structure.score(&values, &one, &mut sets);
                let best = structure.decode(&one, &mut sets).label;
                let expected: Vec<u32> =
                    (0..nodes as u32).filter(|&node| found[node as usize] > price).collect();
                assert_eq!(
                    best,
                    LabelSet::of(&expected),
                    "round {round}: price {price}, {parents:?}, {scores:?}, {found:?}"
                );
            }
        }
    }

    #[test]
    fn what_speaks_for_a_node_falls_on_every_way_down() {
        let mut random = Pcg64Mcg::seed_from_u64(2);
        let mut found = Vec::new();
        for round in 0..200 {
            let nodes = random.random_range(2..15u32);
            let parents: Vec<Vec<u32>> =
                (0..nodes).map(|node| (0..node).filter(|_| random.random_bool(0.3)).collect()).collect();
            let graph = Hierarchy::from_parents(&parents).unwrap();
            let scores: Vec<f64> = (0..nodes).map(|_| random.random_range(-1.0..1.0)).collect();
            node_scores(&graph, &scores, &mut found);
            for (node, above) in parents.iter().enumerate() {
                assert!(above.iter().all(|&parent| found[parent as usize] >= found[node]), "round {round}");
            }
        }
    }
}
