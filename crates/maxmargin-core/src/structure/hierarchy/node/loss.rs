//! What it costs to take one node for another.

use std::sync::Arc;

use crate::error::Result;
use crate::inference::Hierarchy;
use crate::structure::hierarchy::blocks::{check_weights, members};

/// Whole costs of nodes up to this are counted one by one.
const MOST_WHOLE: f64 = 100.0;

/// The cost of predicting one node where another is true; Ā(n) is a node with its ancestors.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum NodeLoss {
    /// 1 for every mistake.
    #[default]
    ZeroOne,
    /// What the nodes cost that are above one of the two only, or one of them: Σ over Ā(y) Δ Ā(truth). In a tree with costs of 1 the
    /// number of edges between the two (6.2).
    Difference {
        /// What each node costs; 1 without.
        costs: Option<Arc<[f64]>>,
    },
    /// The square root of the same: the normalised margin ‖Λ(y) − Λ(truth)‖ with weights α (6.9).
    Distance {
        /// What each node counts; 1 without.
        weights: Option<Arc<[f64]>>,
    },
    /// −1 for every node but the background, whatever the truth: the size of a label as a set, for Micro-F1.
    Size {
        /// The node that is in no set.
        background: Option<u32>,
    },
}

impl NodeLoss {
    pub(super) fn check(&self, nodes: usize) -> Result<()> {
        self.list().map_or(Ok(()), |costs| check_weights("node costs", costs, nodes))
    }

    /// The same where nodes behind so many, up to all, cost nothing; lists say themselves what all cost.
    pub(super) fn without_cost_of(self, behind: usize, all: usize) -> Self {
        let costs =
            || (behind < all).then(|| (0..all).map(|node| f64::from(u8::from(node < behind))).collect());
        match self {
            NodeLoss::Difference { costs: None } => NodeLoss::Difference { costs: costs() },
            NodeLoss::Distance { weights: None } => NodeLoss::Distance { weights: costs() },
            other => other,
        }
    }

    fn list(&self) -> Option<&Arc<[f64]>> {
        match self {
            NodeLoss::Difference { costs } => costs.as_ref(),
            NodeLoss::Distance { weights } => weights.as_ref(),
            NodeLoss::ZeroOne | NodeLoss::Size { .. } => None,
        }
    }

    pub(super) fn of_node(&self, node: u32) -> f64 {
        self.list().map_or(1.0, |costs| costs[node as usize])
    }

    /// Whether the cost is one of two sets of nodes.
    fn is_of_sets(&self) -> bool {
        matches!(self, NodeLoss::Difference { .. } | NodeLoss::Distance { .. })
    }

    /// The loss, given what the nodes of the difference cost together.
    fn of_sum(&self, sum: f64) -> f64 {
        if let NodeLoss::Distance { .. } = self { sum.sqrt() } else { sum }
    }

    /// The cost of `predicted` where `truth` is right.
    pub(super) fn of(&self, hierarchy: &Hierarchy, truth: u32, predicted: u32) -> f64 {
        match self {
            NodeLoss::ZeroOne => f64::from(u8::from(truth != predicted)),
            NodeLoss::Size { background } => -f64::from(u8::from(Some(predicted) != *background)),
            NodeLoss::Difference { .. } | NodeLoss::Distance { .. } => {
                let sets = [hierarchy.ancestors(truth), hierarchy.ancestors(predicted), &[]];
                let differ = members(sets).filter(|(_, [in_truth, in_other, _])| in_truth != in_other);
                self.of_sum(differ.map(|(node, _)| self.of_node(node)).sum())
            }
        }
    }

    /// The cost of each of some nodes; `by_node` is working memory.
    pub(super) fn of_all(
        &self,
        hierarchy: &Hierarchy,
        is_tree: bool,
        truth: u32,
        nodes: &[u32],
        by_node: &mut Vec<[f64; 2]>,
        losses: &mut Vec<f64>,
    ) {
        losses.clear();
        if !(is_tree && self.is_of_sets()) {
            losses.extend(nodes.iter().map(|&node| self.of(hierarchy, truth, node)));
            return;
        }
        self.walk_down(hierarchy, truth, by_node);
        losses.extend(nodes.iter().map(|&node| {
            let [wrong, missing] = by_node[node as usize];
            self.of_sum(wrong + missing)
        }));
    }

    /// For each node of a tree what is above it and not above the truth, and the other way round: sums of costs in which nothing
    /// cancels, from one walk down.
    fn walk_down(&self, hierarchy: &Hierarchy, truth: u32, by_node: &mut Vec<[f64; 2]>) {
        by_node.clear();
        by_node.resize(hierarchy.nodes(), [f64::NAN; 2]);
        // From the truth upwards: what a label that ends here misses.
        let (mut missing, mut next) = (0.0, Some(truth));
        while let Some(node) = next {
            by_node[node as usize] = [0.0, missing];
            missing += self.of_node(node);
            next = hierarchy.parents(node).first().copied();
        }
        for &node in hierarchy.order() {
            if by_node[node as usize][1].is_nan() {
                let above = hierarchy.parents(node).first();
                let [wrong, missed] = above.map_or([0.0, missing], |&parent| by_node[parent as usize]);
                by_node[node as usize] = [wrong + self.of_node(node), missed];
            }
        }
    }

    /// What a node costs with its ancestors, or a bound on what it adds to a loss.
    pub(super) fn reach(&self, hierarchy: &Hierarchy, node: u32) -> f64 {
        match self.is_of_sets() {
            true => hierarchy.ancestors(node).iter().map(|&node| self.of_node(node)).sum(),
            false => 0.0,
        }
    }

    /// A bound on all losses of a truth, given the reach of it and the largest of all labels.
    pub(super) fn largest(&self, of_truth: f64, of_all: f64) -> f64 {
        match self {
            NodeLoss::ZeroOne => 1.0,
            NodeLoss::Size { .. } => 0.0,
            NodeLoss::Difference { .. } | NodeLoss::Distance { .. } => self.of_sum(of_truth + of_all),
        }
    }

    /// No loss above 0 is smaller than this; infinite where nothing costs anything.
    pub(super) fn least(&self, nodes: usize) -> f64 {
        let costs = (0..nodes as u32).map(|node| self.of_node(node)).filter(|cost| *cost > 0.0);
        self.of_sum(costs.fold(f64::INFINITY, f64::min))
    }

    /// The unit of which all losses are multiples.
    pub(super) fn unit(&self) -> Option<f64> {
        let is_whole = |cost: &f64| cost.fract() == 0.0 && *cost <= MOST_WHOLE;
        match self {
            NodeLoss::ZeroOne => Some(1.0),
            NodeLoss::Size { .. } => Some(-1.0),
            NodeLoss::Distance { .. } => None,
            NodeLoss::Difference { costs } => {
                costs.iter().all(|costs| costs.iter().all(is_whole)).then_some(1.0)
            }
        }
    }
}
