//! min Σ α^ρ on a tree, in closed form (THESIS (6.6)).
//!
//! What a subtree costs is E·L^ρ where L reaches it. A node that keeps the share k costs k^ρ + (1−k)^ρ·S with S = Σ_children E; the
//! best k is r/(1+r) with r = S^{1/(ρ−1)}. Leaves keep all, E = 1.

use super::{from_below, passed_down};
use crate::inference::Hierarchy;

pub(super) fn weights(hierarchy: &Hierarchy, rho: f64) -> Vec<f64> {
    // The share that a node keeps, what is left of 1, and E.
    let costs = from_below(hierarchy, [1.0, 0.0, 1.0], |node, below: &[[f64; 3]]| {
        let children = hierarchy.children(node);
        if children.is_empty() {
            return [1.0, 0.0, 1.0];
        }
        let sum: f64 = children.iter().map(|&child| below[child as usize][2]).sum();
        let ratio = sum.powf(1.0 / (rho - 1.0));
        let (kept, rest) = (1.0 / (1.0 + 1.0 / ratio), 1.0 / (1.0 + ratio));
        // At the best k both terms are in proportion, and E is k^(ρ−1).
        [kept, rest, kept.powf(rho - 1.0)]
    });
    passed_down(hierarchy, |node| (costs[node as usize][0], costs[node as usize][1]))
}
