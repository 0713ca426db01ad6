//! max min α with α_child ≥ α_parent (THESIS (6.7)), by progressive filling.
//!
//! All weights grow alike until those on the way to some leaf add up to the limit; these are then final, and the others go on. A child
//! is final no earlier than its parents, so that it weighs no less. The first to be final are on the way to the leaf with most ancestors:
//! the smallest weight is the limit over their number, and cannot be larger.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::inference::Hierarchy;

pub(super) fn weights(hierarchy: &Hierarchy, limit: f64) -> Vec<f64> {
    let mut weights: Vec<Option<f64>> = vec![None; hierarchy.nodes()];
    // The weight at which a leaf is full, given those on the way to it that are final. More of these come, and it is full later:
    // what is in the heap is a lower bound, and found again when its turn comes.
    let full_at = |weights: &[Option<f64>], leaf: u32| {
        let path = hierarchy.ancestors(leaf);
        let fixed: f64 = path.iter().filter_map(|&node| weights[node as usize]).sum();
        let open = path.iter().filter(|&&node| weights[node as usize].is_none()).count();
        (limit - fixed) / open as f64
    };
    let leaves = hierarchy.leaves().iter();
    let mut turns: BinaryHeap<Reverse<(OrderedWeight, u32)>> =
        leaves.map(|&leaf| Reverse((OrderedWeight(full_at(&weights, leaf)), leaf))).collect();
    while let Some(Reverse((OrderedWeight(before), leaf))) = turns.pop() {
        let now = full_at(&weights, leaf);
        if now > before && turns.peek().is_some_and(|Reverse((next, _))| next.0 < now) {
            turns.push(Reverse((OrderedWeight(now), leaf)));
            continue;
        }
        for &node in hierarchy.ancestors(leaf) {
            weights[node as usize].get_or_insert(now);
        }
    }
    weights.into_iter().map(|weight| weight.unwrap_or(0.0)).collect()
}

/// A finite number, in order.
#[derive(Debug, Clone, Copy, PartialEq)]
struct OrderedWeight(f64);

impl Eq for OrderedWeight {}

impl Ord for OrderedWeight {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for OrderedWeight {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
