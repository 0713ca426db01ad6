//! Best closed sets of nodes of a forest, by dynamic programming from the leaves to the roots in O(M) (THESIS 6.7).
//!
//! `inside[n]` is what the subtree of node n is worth when n is in. A child goes in with its parent where that is worth more than
//! nothing; where an inner node needs a child and none is, the one that loses least does. All roots hang below one that is always in:
//! sets that are never empty are those in which it needs a child, too.

use serde::{Deserialize, Serialize};

use super::{Gain, Hierarchy};

/// Which sets of nodes there are, of those that have with each node its ancestors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SetRules {
    /// Whether an inner node needs one of its children: all paths end at leaves.
    pub needs_child: bool,
    /// Whether the empty set is none.
    pub never_empty: bool,
}

/// Working memory for the best sets of forests.
#[derive(Debug, Clone, Default)]
pub struct TreeSets<G> {
    inside: Vec<G>,
    /// Whether a node can be in, and whether it must be, or some node below it.
    possible: Vec<bool>,
    needed: Vec<bool>,
    /// The child that goes in because its parent needs one; the last entry is that of the root above all.
    spared: Vec<u32>,
    is_in: Vec<bool>,
}

const NONE: u32 = u32::MAX;

impl<G: Gain> TreeSets<G> {
    /// Finds a best set in which nodes are as they are `fixed` (one entry per node, or none at all); false where there is no such
    /// set. Of equal sets one with few nodes is found.
    pub fn maximize(
        &mut self,
        hierarchy: &Hierarchy,
        values: &[G],
        rules: SetRules,
        fixed: &[Option<bool>],
        set: &mut Vec<u32>,
    ) -> bool {
        let nodes = hierarchy.nodes();
        set.clear();
        self.inside.clear();
        self.inside.extend_from_slice(values);
        for (list, filling) in
            [(&mut self.possible, true), (&mut self.needed, false), (&mut self.is_in, false)]
        {
            list.clear();
            list.resize(nodes, filling);
        }
        self.spared.clear();
        self.spared.resize(nodes + 1, NONE);
        for (node, is_in) in fixed.iter().enumerate().filter_map(|(node, fixed)| Some((node, (*fixed)?))) {
            self.possible[node] = is_in;
            self.needed[node] = is_in;
        }
        for &node in hierarchy.order().iter().rev() {
            let (node, children) = (node as usize, hierarchy.children(node));
            self.needed[node] |= children.iter().any(|&child| self.needed[child as usize]);
            match self.join(node, children, rules.needs_child) {
                Some(below) => self.inside[node] = self.inside[node] + below,
                None => self.possible[node] = false,
            }
        }
        if self.join(nodes, hierarchy.roots(), rules.never_empty).is_none() {
            return false;
        }
        for &node in hierarchy.order() {
            let above = hierarchy.parents(node).first().map_or(nodes, |&parent| parent as usize);
            let is_reached = above == nodes || self.is_in[above];
            let goes_in = self.goes_in(node) || self.spared[above] == node;
            self.is_in[node as usize] = is_reached && goes_in;
        }
        set.extend((0..nodes as u32).filter(|&node| self.is_in[node as usize]));
        true
    }

    /// Whether a node is in, when its parent is.
    fn goes_in(&self, node: u32) -> bool {
        let node = node as usize;
        self.possible[node] && (self.needed[node] || G::ZERO.is_below(self.inside[node]))
    }

    /// What the children of a node are worth together when it is in; none where it cannot be.
    fn join(&mut self, node: usize, children: &[u32], needs_child: bool) -> Option<G> {
        let (mut sum, mut has_child, mut best) = (G::ZERO, false, None);
        for &child in children {
            let place = child as usize;
            if self.needed[place] && !self.possible[place] {
                return None;
            }
            if self.goes_in(child) {
                sum = sum + self.inside[place];
                has_child = true;
            } else if self.possible[place]
                && best.is_none_or(|best: u32| self.inside[best as usize].is_below(self.inside[place]))
            {
                best = Some(child);
            }
        }
        if needs_child && !has_child && !children.is_empty() {
            let spared = best?;
            self.spared[node] = spared;
            sum = self.inside[spared as usize];
        }
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::inference::Lexicographic;
    use crate::inference::hierarchies::{closed_sets, is_as_fixed, random_fixed, random_hierarchy};

    #[test]
    fn best_sets_equal_enumeration() {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let mut sets = TreeSets::default();
        let mut found = Vec::new();
        for round in 0..2000 {
            let tree = random_hierarchy(&mut random, 10, true);
            let rules = SetRules { needs_child: round % 2 == 0, never_empty: round % 4 < 2 };
            let mut part = || f64::from(random.random_range(-3..=2));
            let values: Vec<Lexicographic> =
                (0..tree.nodes()).map(|_| Lexicographic { first: part(), second: part() }).collect();
            let fixed = random_fixed(&mut random, tree.nodes(), round % 3);
            let value = |set: &Vec<u32>| {
                set.iter().fold(Lexicographic::ZERO, |sum, &node| sum + values[node as usize])
            };
            let all = closed_sets(&tree, rules.needs_child, !rules.never_empty);
            let best = all.iter().filter(|set| is_as_fixed(set, &fixed)).map(value).max();
            let is_there = sets.maximize(&tree, &values, rules, &fixed, &mut found);
            assert_eq!(is_there, best.is_some(), "round {round}: {tree:?}, {rules:?}, {fixed:?}");
            if let Some(best) = best {
                assert!(all.contains(&found) && is_as_fixed(&found, &fixed), "round {round}: {found:?}");
                assert_eq!(value(&found), best, "round {round}: {found:?} in {tree:?}, {rules:?}");
            }
        }
    }
}
