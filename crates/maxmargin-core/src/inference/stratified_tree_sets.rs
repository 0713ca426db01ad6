//! The best closed set of nodes of a forest for each number of differences from a true one.
//!
//! A table per node has the best score of its subtree with the node in, by the number of differences; a subtree that is out has one
//! number of them and the score 0. Joining a child's table to its parent's is a (max, +) convolution, and all joints together cost O(n²)
//! for n nodes that count, because each pair of them meets in one joint. Where an inner node needs a child, a table has the sets with a
//! child and those without apart. Roots are joined like children, under one that is always in.

use super::{Hierarchy, SetRules};

/// Tables of scores by number of differences; working memory for forests.
#[derive(Debug, Clone, Default)]
pub struct StratifiedTreeSets {
    /// For each node and the one above all roots: by number of differences, the best scores of its subtree when it is in, without and
    /// with a child.
    tables: Vec<Vec<[f64; 2]>>,
    /// For each node, whether it is in, by the number of differences that its parent's subtree has with all that had joined it by then.
    choices: Vec<Vec<[Choice; 2]>>,
    /// The differences of each subtree that is out.
    missed: Vec<u32>,
    joined: Vec<[f64; 2]>,
}

/// What a child is in the best set of its parent's table.
#[derive(Debug, Clone, Copy)]
struct Choice {
    /// The differences of the child's subtree.
    differences: u32,
    is_in: bool,
    /// Whether its parent has another child among those that joined it before.
    has_child: bool,
}

/// How many cells the tables of all joints have, of a forest in which these nodes count.
pub fn cells_of_strata(hierarchy: &Hierarchy, counts: impl Fn(u32) -> bool) -> usize {
    let mut counted: Vec<usize> =
        (0..hierarchy.nodes() as u32).map(|node| usize::from(counts(node))).collect();
    let (mut cells, mut above) = (0_usize, 0_usize);
    for &node in hierarchy.order().iter().rev() {
        let below = counted[node as usize];
        let sum = match hierarchy.parents(node).first() {
            Some(&parent) => &mut counted[parent as usize],
            None => &mut above,
        };
        *sum += below;
        cells = cells.saturating_add(*sum + 1);
    }
    cells
}

impl StratifiedTreeSets {
    /// Fills the tables for scores of nodes and a true set, of which nodes that do not count make no difference.
    pub fn count_differences(
        &mut self,
        hierarchy: &Hierarchy,
        scores: &[f64],
        rules: SetRules,
        counts: &[bool],
        truth: &[u32],
    ) {
        let nodes = hierarchy.nodes();
        self.tables.resize(nodes + 1, Vec::new());
        self.choices.resize(nodes, Vec::new());
        self.missed.clear();
        self.missed.resize(nodes + 1, 0);
        truth.iter().for_each(|&node| self.missed[node as usize] = u32::from(counts[node as usize]));
        for node in 0..nodes {
            // A node that is in and should be out is a difference; if it should be in, it is one when it is out.
            let wrong = counts[node] && self.missed[node] == 0;
            let table = &mut self.tables[node];
            table.clear();
            table.resize(1 + usize::from(counts[node]), [f64::NEG_INFINITY; 2]);
            table[usize::from(wrong)][0] = scores[node];
        }
        self.tables[nodes].clear();
        self.tables[nodes].push([0.0, f64::NEG_INFINITY]);
        for &node in hierarchy.order().iter().rev() {
            self.finish(node as usize, rules.needs_child && !hierarchy.is_leaf(node));
            let above = hierarchy.parents(node).first().map_or(nodes, |&parent| parent as usize);
            let keeps_apart = if above == nodes { rules.never_empty } else { rules.needs_child };
            self.join(above, node as usize, keeps_apart);
        }
        self.finish(nodes, rules.never_empty);
    }

    /// All have joined a node: sets without a child are none where it needs one.
    fn finish(&mut self, node: usize, needs_child: bool) {
        if needs_child {
            self.tables[node].iter_mut().for_each(|scores| scores[0] = f64::NEG_INFINITY);
        }
    }

    fn join(&mut self, parent: usize, child: usize, keeps_apart: bool) {
        let (of_child, of_parent) = (std::mem::take(&mut self.tables[child]), &self.tables[parent]);
        let size = of_parent.len() + of_child.len() - 1;
        let missed = self.missed[child] as usize;
        self.joined.clear();
        self.joined.resize(size, [f64::NEG_INFINITY; 2]);
        let choices = &mut self.choices[child];
        let out = Choice { differences: missed as u32, is_in: false, has_child: false };
        choices.clear();
        choices.resize(size, [out; 2]);
        for (a, before) in of_parent.iter().enumerate() {
            for (has_child, &score) in
                before.iter().enumerate().filter(|(_, score)| **score > f64::NEG_INFINITY)
            {
                let mut consider = |differences: usize, has_one: usize, score: f64, is_in: bool| {
                    let best = &mut self.joined[a + differences][has_one];
                    if score > *best {
                        *best = score;
                        choices[a + differences][has_one] =
                            Choice { differences: differences as u32, is_in, has_child: has_child == 1 };
                    }
                };
                consider(missed, has_child, score, false);
                let has_one = usize::from(keeps_apart);
                for (b, [without, with]) in of_child.iter().enumerate() {
                    consider(b, has_one, score + without.max(*with), true);
                }
            }
        }
        std::mem::swap(&mut self.tables[parent], &mut self.joined);
        self.missed[parent] += missed as u32;
        self.tables[child] = of_child;
    }

    /// The best score for each number of differences from 0 on, −∞ where there is no such set, of the tables that were filled last.
    pub fn scores(&self) -> impl Iterator<Item = f64> + '_ {
        self.tables.last().into_iter().flatten().map(|[without, with]| without.max(*with))
    }

    /// A best set with a number of differences for which there is one.
    pub fn set(&self, hierarchy: &Hierarchy, differences: usize) -> Vec<u32> {
        let nodes = hierarchy.nodes();
        // For each node that is in: the differences that are left for those that joined it earlier, and whether one of them is in.
        let mut left: Vec<Option<(usize, usize)>> = vec![None; nodes + 1];
        let with_child = |node: usize, differences: usize| {
            let [without, with] = self.tables[node][differences];
            usize::from(with > without)
        };
        left[nodes] = Some((differences, with_child(nodes, differences)));
        let mut set = Vec::new();
        // Those that come first joined last.
        for &node in hierarchy.order() {
            let above = hierarchy.parents(node).first().map_or(nodes, |&parent| parent as usize);
            let Some((of_parent, has_child)) = left[above] else { continue };
            let choice = self.choices[node as usize][of_parent][has_child];
            let of_child = choice.differences as usize;
            left[above] = Some((of_parent - of_child, usize::from(choice.has_child)));
            if choice.is_in {
                left[node as usize] = Some((of_child, with_child(node as usize, of_child)));
                set.push(node);
            }
        }
        set.sort_unstable();
        set
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::inference::hierarchies::{closed_sets, random_hierarchy};

    #[test]
    fn strata_equal_enumeration() {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let mut strata = StratifiedTreeSets::default();
        for round in 0..1500 {
            let tree = random_hierarchy(&mut random, 10, true);
            let rules = SetRules { needs_child: round % 2 == 0, never_empty: round % 4 < 2 };
            let scores: Vec<f64> =
                (0..tree.nodes()).map(|_| f64::from(random.random_range(-3..=3))).collect();
            let counts: Vec<bool> = match round % 3 {
                0 => (0..tree.nodes() as u32).map(|node| tree.is_leaf(node)).collect(),
                _ => (0..tree.nodes()).map(|_| random.random_range(0..3) > 0).collect(),
            };
            let all = closed_sets(&tree, rules.needs_child, !rules.never_empty);
            let truth = &all[random.random_range(0..all.len())];
            let differences = |set: &[u32]| {
                let differs =
                    |node: &u32| set.contains(node) != truth.contains(node) && counts[*node as usize];
                (0..tree.nodes() as u32).filter(differs).count()
            };
            let score = |set: &[u32]| set.iter().map(|&node| scores[node as usize]).sum::<f64>();
            strata.count_differences(&tree, &scores, rules, &counts, truth);
            let found: Vec<f64> = strata.scores().collect();
            assert_eq!(found.len(), 1 + counts.iter().filter(|counts| **counts).count());
            for (number, &found) in found.iter().enumerate() {
                let with = all.iter().filter(|set| differences(set) == number);
                let best = with.map(|set| score(set)).fold(f64::NEG_INFINITY, f64::max);
                assert_eq!(
                    found, best,
                    "round {round}: {number} differences from {truth:?} in {tree:?}, {rules:?}"
                );
                if best > f64::NEG_INFINITY {
                    let set = strata.set(&tree, number);
                    assert!(all.contains(&set), "round {round}: {set:?}");
                    assert_eq!((differences(&set), score(&set)), (number, best), "round {round}: {set:?}");
                }
            }
        }
    }
}
