//! min Σ α^ρ with α_child ≥ α_parent on a tree, one number per node from the leaves up.
//!
//! Let f_n(L, a) be the least cost of the subtree of n where L reaches it and no weight in it may be below a. Where a is at most what n
//! would keep by itself, k_n·L, it does not matter; else n weighs a, and
//!
//! ```text
//! f_n(L, a) = a^ρ + Σ_children f_c(L − a, a)          k_n = argmin_k k^ρ + Σ_children f_c(1 − k, k)
//! ```
//!
//! which is convex in k: its slope is found by the same recursion, through those children only that weigh as much as their parent, and
//! the root of the slope by bisection.

use super::from_below;
use crate::inference::Hierarchy;

/// What is known of a subtree.
#[derive(Debug, Clone, Copy)]
struct Subtree {
    /// The share that its root keeps of what reaches it, where its parent does not ask for more.
    kept: f64,
    /// What it then costs where 1 reaches it.
    cost: f64,
    /// The number of nodes on its longest way down: no node can weigh more than what reaches it over this.
    height: f64,
}

/// The halvings of an interval after which its middle is exact.
const HALVINGS: usize = 100;

pub(super) fn weights(hierarchy: &Hierarchy, rho: f64) -> Vec<f64> {
    let leaf = Subtree { kept: 1.0, cost: 1.0, height: 1.0 };
    let subtrees = from_below(hierarchy, leaf, |node, below| {
        let children = hierarchy.children(node);
        if children.is_empty() {
            return leaf;
        }
        let solved = Solved { hierarchy, rho, subtrees: below };
        let height = 1.0 + children.iter().map(|&child| below[child as usize].height).fold(0.0, f64::max);
        let slope = |kept: f64| {
            let of_children = children.iter().map(|&child| solved.slopes(child, 1.0 - kept, kept));
            rho * kept.powf(rho - 1.0) + of_children.map(|[by_sum, by_least]| by_least - by_sum).sum::<f64>()
        };
        let (mut low, mut high) = (0.0, 1.0 / height);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if slope(middle) < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let kept = 0.5 * (low + high);
        let cost = children.iter().map(|&child| solved.cost(child, 1.0 - kept, kept)).sum::<f64>();
        Subtree { kept, cost: kept.powf(rho) + cost, height }
    });
    // From the top down a node takes what it would keep, or as much as its parent.
    let (mut weights, mut left) = (vec![0.0; hierarchy.nodes()], vec![0.0; hierarchy.nodes()]);
    for &node in hierarchy.order() {
        let above = hierarchy.parents(node).first().map(|&parent| parent as usize);
        let (reaches, least) = above.map_or((1.0, 0.0), |above| (left[above], weights[above]));
        let is_leaf = hierarchy.is_leaf(node);
        let weight = if is_leaf { reaches } else { f64::max(least, subtrees[node as usize].kept * reaches) };
        weights[node as usize] = weight;
        left[node as usize] = (reaches - weight).max(0.0);
    }
    weights
}

/// Subtrees that are known, and what they cost otherwise.
struct Solved<'a> {
    hierarchy: &'a Hierarchy,
    rho: f64,
    subtrees: &'a [Subtree],
}

impl Solved<'_> {
    /// Whether the root of a subtree weighs more than it must.
    fn is_free(&self, node: u32, reaches: f64, least: f64) -> bool {
        self.hierarchy.is_leaf(node) || least <= self.subtrees[node as usize].kept * reaches
    }

    /// f_n(L, a).
    fn cost(&self, node: u32, reaches: f64, least: f64) -> f64 {
        if self.is_free(node, reaches, least) {
            return self.subtrees[node as usize].cost * reaches.max(0.0).powf(self.rho);
        }
        let children = self.hierarchy.children(node).iter();
        least.powf(self.rho) + children.map(|&child| self.cost(child, reaches - least, least)).sum::<f64>()
    }

    /// ∂f_n/∂L and ∂f_n/∂a.
    fn slopes(&self, node: u32, reaches: f64, least: f64) -> [f64; 2] {
        let power = self.rho - 1.0;
        if self.is_free(node, reaches, least) {
            return [self.rho * self.subtrees[node as usize].cost * reaches.max(0.0).powf(power), 0.0];
        }
        let mut slopes = [0.0, self.rho * least.powf(power)];
        for &child in self.hierarchy.children(node) {
            let [by_sum, by_least] = self.slopes(child, reaches - least, least);
            slopes[0] += by_sum;
            slopes[1] += by_least - by_sum;
        }
        slopes
    }
}
