//! The best tree of all, crossing arcs or not: a maximum arborescence (Chu and Liu 1965, Edmonds 1967) in O(n²) (Tarjan 1977).
//!
//! Words take their best arcs one after another, each from where the last one came. Where that closes a cycle, its words become one node: an
//! arc into it is worth what it gains over the arc of the cycle that it replaces. At the end nodes are taken apart again, from the last one made to the first.
//! Each merging costs O(n) for each node that is merged, and so does each best arc.
//!
//! That only one word has the root for a head is no heuristic: arcs are compared by how many of them leave the root first, and by their values
//! then, so that the best tree has the fewest that it can have. No large number is subtracted, and nothing is lost.

use std::ops::{Add, Sub};

use super::{ArcTable, Roots, nothing};
use crate::inference::Gain;

/// The heads of the best tree. `None` where there is no tree: all of them have an arc that is worth nothing (−∞), or more than one word must be below the root
/// where one may.
pub fn best_arborescence<V: Gain>(arcs: &ArcTable<V>, roots: Roots) -> Option<Vec<u32>> {
    let heads = match roots {
        Roots::Any => Contraction::new(arcs)?.heads(),
        Roots::One => Contraction::new(&by_roots(arcs))?.heads(),
    };
    let count = heads.iter().filter(|head| **head == 0).count();
    (roots == Roots::Any || count <= 1).then_some(heads)
}

/// Arcs that are compared by how many of them leave the root, the fewest first, then by their values.
pub(super) fn by_roots<V: Gain>(arcs: &ArcTable<V>) -> ArcTable<Rooted<V>> {
    let value = |head, word| Rooted { arcs: -f64::from(u8::from(head == 0)), value: arcs.value(head, word) };
    let is_missing = |value: V| !nothing::<V>().is_below(value);
    let value = |head, word| match value(head, word) {
        Rooted { value, .. } if is_missing(value) => nothing(),
        there => there,
    };
    ArcTable::new(arcs.words(), value, nothing())
}

/// Minus the number of arcs from the root, and a value.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Rooted<V> {
    pub(super) arcs: f64,
    pub(super) value: V,
}

impl<V: Gain> Add for Rooted<V> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { arcs: self.arcs + other.arcs, value: self.value + other.value }
    }
}

impl<V: Gain> Sub for Rooted<V> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { arcs: self.arcs - other.arcs, value: self.value - other.value }
    }
}

impl<V: Gain> Gain for Rooted<V> {
    const ZERO: Self = Self { arcs: 0.0, value: V::ZERO };
    const INFINITY: Self = Self { arcs: f64::INFINITY, value: V::INFINITY };

    fn is_below(self, other: Self) -> bool {
        self.arcs < other.arcs || (self.arcs == other.arcs && self.value.is_below(other.value))
    }
}

/// An arc into a node, from a word or the root into a word.
#[derive(Debug, Clone, Copy)]
struct Arc<V> {
    value: V,
    head: u32,
    word: u32,
}

/// Words, and nodes that were made of cycles of nodes.
///
/// What a node's arc gains is a dual value y of the node: a tree is worth no more than Σ y − Σ r, where the second sum is over its arcs and
/// r(u → v) = Σ y − value(u → v) ≥ 0, summed over the nodes that hold v and not u. The best tree has arcs with r = 0 only.
#[derive(Clone)]
pub(super) struct Contraction<V> {
    words: usize,
    /// For each node that is in no other, the best arc from each word and from the root, row by row.
    incoming: Vec<Vec<Arc<V>>>,
    /// The node that a node is in.
    parent: Vec<Option<usize>>,
    /// The arc that a node takes.
    taken: Vec<Option<Arc<V>>>,
    /// The outermost node of each word.
    node: Vec<usize>,
    members: Vec<Vec<usize>>,
}

impl<V: Gain> Contraction<V> {
    pub(super) fn new(arcs: &ArcTable<V>) -> Option<Self> {
        let words = arcs.words();
        let row = |word: usize| {
            let arc = |head: usize| Arc {
                value: if head == word { nothing() } else { arcs.value(head, word) },
                head: head as u32,
                word: word as u32,
            };
            (0..=words).map(arc).collect()
        };
        let mut contraction = Self {
            words,
            // The root is a node without arcs into it.
            incoming: std::iter::once(Vec::new()).chain((1..=words).map(row)).collect(),
            parent: vec![None; words + 1],
            taken: vec![None; words + 1],
            node: (0..=words).collect(),
            members: vec![Vec::new(); words + 1],
        };
        contraction.contract()?;
        Some(contraction)
    }

    /// Gives each outermost node an arc, such that there is no cycle.
    fn contract(&mut self) -> Option<()> {
        // Nodes whose arcs lead to the root.
        let mut is_done = vec![false; 2 * self.words + 1];
        is_done[0] = true;
        for word in 1..=self.words {
            let mut path: Vec<usize> = Vec::new();
            let mut at = self.node[word];
            while !is_done[at] {
                if let Some(start) = path.iter().position(|&node| node == at) {
                    at = self.merge(path.split_off(start));
                }
                path.push(at);
                let arc = self.best_arc(at)?;
                self.taken[at] = Some(arc);
                at = self.node[arc.head as usize];
            }
            path.into_iter().for_each(|node| is_done[node] = true);
        }
        Some(())
    }

    /// The best arc into a node from outside of it.
    fn best_arc(&self, node: usize) -> Option<Arc<V>> {
        let outside = self.incoming[node].iter().filter(|arc| self.node[arc.head as usize] != node);
        let better = |best: Option<Arc<V>>, arc: &Arc<V>| match best {
            Some(best) if !best.value.is_below(arc.value) => Some(best),
            _ => Some(*arc),
        };
        outside.fold(None, better).filter(|arc| nothing::<V>().is_below(arc.value))
    }

    /// Makes one node of a cycle of nodes.
    fn merge(&mut self, cycle: Vec<usize>) -> usize {
        let new = self.incoming.len();
        let mut incoming: Vec<Arc<V>> = Vec::new();
        for &member in &cycle {
            let Some(taken) = self.taken[member] else { continue };
            let gains = std::mem::take(&mut self.incoming[member]).into_iter();
            let gains = gains.map(|arc| Arc { value: arc.value - taken.value, ..arc });
            if incoming.is_empty() {
                incoming.extend(gains);
            } else {
                for (best, arc) in incoming.iter_mut().zip(gains) {
                    if best.value.is_below(arc.value) {
                        *best = arc;
                    }
                }
            }
            self.parent[member] = Some(new);
        }
        self.node.iter_mut().filter(|node| cycle.contains(node)).for_each(|node| *node = new);
        self.incoming.push(incoming);
        self.parent.push(None);
        self.taken.push(None);
        self.members.push(cycle);
        new
    }

    /// For each word, what a tree loses at least when the word has another head than in this one: the least r of the other arcs to it.
    pub(super) fn least_losses(&self, arcs: &ArcTable<V>, heads: &[u32]) -> Vec<V> {
        // Where a node is in the chain of nodes that hold the word, and Σ y up to there.
        let mut sums: Vec<Option<V>> = vec![None; self.incoming.len()];
        let mut chain = Vec::new();
        let of_word = |(place, &taken): (usize, &u32)| {
            let word = place + 1;
            chain.clear();
            let (mut node, mut sum) = (Some(word), V::ZERO);
            while let Some(at) = node {
                sums[at] = Some(sum);
                chain.push(at);
                sum = sum + self.taken[at].map_or(V::ZERO, |arc| arc.value);
                node = self.parent[at];
            }
            let all = sum;
            let loss = |head: usize| {
                let mut node = Some(head);
                while let Some(at) = node {
                    if let Some(sum) = sums[at] {
                        return sum - arcs.value(head, word);
                    }
                    node = self.parent[at];
                }
                all - arcs.value(head, word)
            };
            let others = (0..=self.words).filter(|&head| head != word && head != taken as usize);
            let least = others.map(loss).fold(V::INFINITY, V::smaller);
            chain.iter().for_each(|&node| sums[node] = None);
            least
        };
        heads.iter().enumerate().map(of_word).collect()
    }

    /// Takes all nodes apart.
    pub(super) fn heads(mut self) -> Vec<u32> {
        for node in (self.words + 1..self.incoming.len()).rev() {
            let Some(arc) = self.taken[node] else { continue };
            // The member with the word that the arc leads to takes it, the others keep those of the cycle.
            let mut member = arc.word as usize;
            while let Some(parent) = self.parent[member].filter(|&parent| parent != node) {
                member = parent;
            }
            self.taken[member] = Some(arc);
        }
        self.taken[1..=self.words].iter().map(|arc| arc.map_or(0, |arc| arc.head)).collect()
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::super::listed::{is_tree, random_table, trees};
    use super::*;
    use crate::inference::Lexicographic;

    #[test]
    fn the_best_tree_is_that_of_all_trees() {
        let mut random = Pcg64Mcg::seed_from_u64(6);
        for round in 0..400 {
            let words = round % 6;
            let mut arcs = random_table(words, &mut random);
            if round % 3 == 0 {
                // Some arcs are not allowed.
                arcs =
                    arcs.map(|value| if random.random_range(0..3) == 0 { f64::NEG_INFINITY } else { value });
            }
            for roots in [Roots::Any, Roots::One] {
                let values = trees(words, roots, false).into_iter().map(|tree| arcs.value_of(&tree));
                let best = values.fold(f64::NEG_INFINITY, f64::max);
                match best_arborescence(&arcs, roots) {
                    Some(heads) => {
                        assert!(is_tree(&heads, roots), "{heads:?} of {arcs:?}");
                        assert_eq!(arcs.value_of(&heads), best, "{heads:?} of {arcs:?}");
                    }
                    None => assert_eq!(best, f64::NEG_INFINITY, "{arcs:?}"),
                }
            }
        }
    }

    #[test]
    fn ties_are_broken_by_the_second_value() {
        let mut random = Pcg64Mcg::seed_from_u64(7);
        for round in 0..100 {
            let words = 1 + round % 5;
            let second = random_table(words, &mut random);
            let value = |head: usize, word: usize| Lexicographic {
                first: f64::from(random.random_range(0..2)),
                second: second.value(head, word),
            };
            let arcs = ArcTable::new(words, value, Lexicographic::default());
            let best = trees(words, Roots::One, false).iter().map(|tree| arcs.value_of(tree)).max().unwrap();
            assert_eq!(arcs.value_of(&best_arborescence(&arcs, Roots::One).unwrap()), best);
        }
    }
}
