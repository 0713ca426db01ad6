//! The losses of all labels of a tree at once, where nodes cost whole numbers: c(y) + c(truth) − 2 c(y ∩ truth), for paths y and truth.
//!
//! The first two are a sum each, and the third differs only below the nodes of the truth, which are few. Numbers are whole, so that what cancels
//! leaves nothing behind.

use super::NodeLoss;
use crate::inference::Hierarchy;

/// What is known of the labels of a tree before any truth.
#[derive(Debug, Clone)]
pub(super) struct TreeLosses {
    /// What each label costs with all above it.
    reach: Vec<f64>,
    /// The places of labels in such an order that those below a node follow each other.
    places: Vec<u32>,
    /// For each node where the labels below it, and itself, begin and end in that order.
    ranges: Vec<(u32, u32)>,
}

impl TreeLosses {
    /// For labels, in any order; none where the hierarchy is no tree, or costs are not whole.
    pub(super) fn new(hierarchy: &Hierarchy, labels: &[u32], loss: &NodeLoss) -> Option<Self> {
        if !hierarchy.is_tree() || !matches!(loss, NodeLoss::Difference { .. }) || loss.unit().is_none() {
            return None;
        }
        let parent = |node: u32| hierarchy.parents(node).first().map(|&parent| parent as usize);
        let mut counts = vec![0; hierarchy.nodes()];
        labels.iter().for_each(|&label| counts[label as usize] = 1);
        let is_label: Vec<bool> = counts.iter().map(|&count| count == 1).collect();
        for &node in hierarchy.order().iter().rev() {
            if let Some(parent) = parent(node) {
                counts[parent] += counts[node as usize];
            }
        }
        // Parents take a run of places and hand them out to their children; the last entry is that of all roots together.
        let mut free = vec![0u32; hierarchy.nodes() + 1];
        let mut ranges = vec![(0, 0); hierarchy.nodes()];
        let mut places = vec![0; labels.len()];
        for &node in hierarchy.order() {
            let above = parent(node).unwrap_or(hierarchy.nodes());
            let (start, node) = (free[above], node as usize);
            free[above] += counts[node];
            ranges[node] = (start, start + counts[node]);
            free[node] = start + u32::from(is_label[node]);
        }
        for (place, &label) in (0..).zip(labels) {
            places[ranges[label as usize].0 as usize] = place;
        }
        let reach = labels.iter().map(|&label| loss.reach(hierarchy, label)).collect();
        Some(Self { reach, places, ranges })
    }

    /// The loss of each label where this node is true.
    pub(super) fn of_all(&self, hierarchy: &Hierarchy, loss: &NodeLoss, truth: u32, losses: &mut Vec<f64>) {
        let of_truth = loss.reach(hierarchy, truth);
        losses.clear();
        losses.extend(self.reach.iter().map(|reach| reach + of_truth));
        for &node in hierarchy.ancestors(truth) {
            let (start, end) = self.ranges[node as usize];
            let shared = 2.0 * loss.of_node(node);
            for &place in &self.places[start as usize..end as usize] {
                losses[place as usize] -= shared;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::inference::hierarchies::random_hierarchy;

    #[test]
    fn losses_are_those_of_two_nodes() {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let mut losses = Vec::new();
        for round in 0..500 {
            let tree = random_hierarchy(&mut random, 15, true);
            let nodes = tree.nodes() as u32;
            let costs =
                (round % 2 == 0).then(|| (0..nodes).map(|_| f64::from(random.random_range(0..5))).collect());
            let loss = NodeLoss::Difference { costs };
            let labels: Vec<u32> = (0..nodes).filter(|_| random.random_range(0..3) > 0).collect();
            let all = TreeLosses::new(&tree, &labels, &loss).unwrap();
            for truth in 0..nodes {
                all.of_all(&tree, &loss, truth, &mut losses);
                let each: Vec<f64> = labels.iter().map(|&label| loss.of(&tree, truth, label)).collect();
                assert_eq!(losses, each, "round {round}, {truth} in {tree:?}, {labels:?}, {loss:?}");
            }
        }
        let tree = random_hierarchy(&mut random, 5, true);
        assert!(TreeLosses::new(&tree, &[0], &NodeLoss::Distance { weights: None }).is_none());
        let uneven = NodeLoss::Difference { costs: Some(vec![0.5; tree.nodes()].into()) };
        assert!(TreeLosses::new(&tree, &[0], &uneven).is_none());
    }
}
