//! For each node of a forest, what the best set is worth in which the node is in, or out, where it was not: two passes, O(M).
//!
//! The first pass goes from the leaves up, as in [`TreeSets`](super::TreeSets). In the second, what a set is worth with a parent in is
//! known, and so is the part of it that its children make; that part is replaced by what they make with one child in, or out.

use super::{Hierarchy, SetRules};

/// The children of a node: what they are worth together, and what matters where one of them must be out.
#[derive(Clone, Copy)]
struct Children {
    /// The sum of those that are worth more than nothing, and their number.
    sum: f64,
    helpful: usize,
    /// The best child and its worth, and that of the second best.
    best: (u32, f64),
    second: f64,
    needs_child: bool,
}

impl Children {
    fn new(children: &[u32], inside: &[f64], needs_child: bool) -> Self {
        let worth = |child: u32| inside[child as usize];
        let (mut best, mut second) = ((u32::MAX, f64::NEG_INFINITY), f64::NEG_INFINITY);
        let (mut sum, mut helpful) = (0.0, 0);
        for &child in children {
            if worth(child) > 0.0 {
                sum += worth(child);
                helpful += 1;
            }
            if worth(child) > best.1 {
                (second, best) = (best.1, (child, worth(child)));
            } else {
                second = second.max(worth(child));
            }
        }
        Self { sum, helpful, best, second, needs_child: needs_child && !children.is_empty() }
    }

    fn worth(&self) -> f64 {
        if self.needs_child && self.helpful == 0 { self.best.1 } else { self.sum }
    }

    /// What they are worth when this one is in, or out.
    fn worth_with(&self, child: u32, inside: f64, is_in: bool) -> f64 {
        let others = self.sum - inside.max(0.0);
        let others_help = self.helpful > usize::from(inside > 0.0);
        match is_in {
            true => others + inside,
            false if others_help || !self.needs_child => others,
            false if self.best.0 == child => self.second,
            false => self.best.1,
        }
    }
}

/// For each node, what the best closed set is worth that differs from this one there; −∞ where none does.
pub fn best_sets_elsewhere(hierarchy: &Hierarchy, values: &[f64], rules: SetRules, set: &[u32]) -> Vec<f64> {
    let nodes = hierarchy.nodes();
    let mut inside = values.to_vec();
    let children =
        |inside: &[f64], node: u32| Children::new(hierarchy.children(node), inside, rules.needs_child);
    for &node in hierarchy.order().iter().rev() {
        inside[node as usize] += children(&inside, node).worth();
    }
    // Above all roots is one that is always in.
    let roots = Children::new(hierarchy.roots(), &inside, rules.never_empty);
    let mut totals = vec![[f64::NEG_INFINITY; 2]; nodes + 1];
    totals[nodes] = [f64::NEG_INFINITY, roots.worth()];
    let below: Vec<Children> = (0..nodes as u32).map(|node| children(&inside, node)).chain([roots]).collect();
    for &node in hierarchy.order() {
        let above = hierarchy.parents(node).first().map_or(nodes, |&parent| parent as usize);
        let siblings = &below[above];
        let [out, with] = totals[above];
        let instead =
            |is_in| with - siblings.worth() + siblings.worth_with(node, inside[node as usize], is_in);
        totals[node as usize] = [out.max(instead(false)), instead(true)];
    }
    let is_in = |node: u32| set.binary_search(&node).is_ok();
    (0..nodes as u32).map(|node| totals[node as usize][usize::from(!is_in(node))]).collect()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::inference::hierarchies::{closed_sets, random_hierarchy};

    #[test]
    fn best_sets_elsewhere_equal_enumeration() {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        for round in 0..1000 {
            let tree = random_hierarchy(&mut random, 10, true);
            let rules = SetRules { needs_child: round % 2 == 0, never_empty: round % 4 < 2 };
            let values: Vec<f64> =
                (0..tree.nodes()).map(|_| f64::from(random.random_range(-3..=2))).collect();
            let all = closed_sets(&tree, rules.needs_child, !rules.never_empty);
            let set = &all[random.random_range(0..all.len())];
            let found = best_sets_elsewhere(&tree, &values, rules, set);
            for node in 0..tree.nodes() as u32 {
                let differing = all.iter().filter(|other| other.contains(&node) != set.contains(&node));
                let value = |other: &Vec<u32>| other.iter().map(|&node| values[node as usize]).sum::<f64>();
                let best = differing.map(value).fold(f64::NEG_INFINITY, f64::max);
                assert_eq!(
                    found[node as usize], best,
                    "round {round}: node {node} of {set:?} in {tree:?}, {rules:?}"
                );
            }
        }
    }
}
