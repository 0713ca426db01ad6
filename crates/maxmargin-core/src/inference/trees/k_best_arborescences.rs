//! The k best of all trees: the rest of a set of trees without its best one is cut into smaller sets, each with a best tree of its own (Lawler 1972).
//!
//! A set of trees is one in which the first words have given heads, and the next word does not have some. What the best tree of a set
//! is worth at most is known without finding it, from the dual values of the set that it was cut from: so a tree is found only where it may be the
//! next one, not for each of n sets. (Camerini, Fratta and Maffioli 1980 look for the second best tree of a set in the same spirit.)

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::arborescence::{Contraction, Rooted, by_roots};
use super::{ArcTable, Roots, nothing};
use crate::inference::Gain;

/// A set of trees.
struct Set<V> {
    /// What its best tree is worth, or no less than that.
    bound: V,
    /// In the order in which they were made.
    number: usize,
    /// The heads of the first words, and those that the next word does not have.
    settled: Vec<u32>,
    banned: Vec<u32>,
    /// Its best tree, where it was found.
    best: Option<Best<V>>,
}

struct Best<V> {
    heads: Vec<u32>,
    /// What a tree loses at least when a word has another head.
    losses: Vec<V>,
}

impl<V: Gain> Ord for Set<V> {
    /// Of equal ones those that are found come first, then those that were made first.
    fn cmp(&self, other: &Self) -> Ordering {
        let found = self.best.is_some().cmp(&other.best.is_some());
        self.bound.compare(other.bound).then(found).then(other.number.cmp(&self.number))
    }
}

impl<V: Gain> PartialOrd for Set<V> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<V: Gain> PartialEq for Set<V> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<V: Gain> Eq for Set<V> {}

/// The k best trees, best first; fewer where there are fewer. Trees that are worth nothing (−∞) are none.
pub fn k_best_arborescences<V: Gain>(arcs: &ArcTable<V>, roots: Roots, k: usize) -> Vec<(Vec<u32>, V)> {
    let trees = match roots {
        Roots::Any => best_trees(arcs, k, |_| true),
        // Those with more words below the root are all worth less.
        Roots::One => best_trees(&by_roots(arcs), k, |value: Rooted<V>| value.arcs >= -1.0),
    };
    let valued = |heads: Vec<u32>| {
        let value = arcs.value_of(&heads);
        (heads, value)
    };
    trees.into_iter().map(valued).collect()
}

/// The k best trees whose values are allowed; whatever is worth less than one that is not is none either.
fn best_trees<V: Gain>(arcs: &ArcTable<V>, k: usize, is_allowed: impl Fn(V) -> bool) -> Vec<Vec<u32>> {
    let is_there = |value: V| nothing::<V>().is_below(value) && is_allowed(value);
    let (mut found, mut made, mut some) = (Vec::new(), 0, arcs.clone());
    let all = Set { bound: V::INFINITY, number: 0, settled: Vec::new(), banned: Vec::new(), best: None };
    let mut waiting = BinaryHeap::from([all]);
    while found.len() < k
        && let Some(mut set) = waiting.pop()
    {
        let Some(Best { heads, losses }) = set.best.take() else {
            restrict(arcs, &set, &mut some);
            set.best = Contraction::new(&some).map(|contraction| {
                let duals = |heads: &[u32]| contraction.least_losses(&some, heads);
                let heads = contraction.clone().heads();
                Best { losses: duals(&heads), heads }
            });
            if let Some(best) = &set.best {
                set.bound = some.value_of(&best.heads);
                waiting.extend(Some(set).filter(|set| is_there(set.bound)));
            }
            continue;
        };
        for place in set.settled.len()..heads.len() {
            let (settled, mut banned) = (heads[..place].to_vec(), Vec::new());
            if place == set.settled.len() {
                banned.clone_from(&set.banned);
            }
            banned.push(heads[place]);
            let bound = set.bound - losses[place];
            if is_there(bound) {
                made += 1;
                waiting.push(Set { bound, number: made, settled, banned, best: None });
            }
        }
        found.push(heads);
    }
    found
}

/// The arcs of a set.
fn restrict<V: Gain>(arcs: &ArcTable<V>, set: &Set<V>, some: &mut ArcTable<V>) {
    some.clone_from(arcs);
    for (place, &head) in set.settled.iter().enumerate() {
        let others = (0..=arcs.words()).filter(|&other| other != head as usize);
        others.for_each(|other| *some.value_mut(other, place + 1) = nothing());
    }
    set.banned.iter().for_each(|&head| *some.value_mut(head as usize, set.settled.len() + 1) = nothing());
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::super::listed::{random_table, trees};
    use super::*;

    #[test]
    fn they_are_the_best_of_all_trees() {
        let mut random = Pcg64Mcg::seed_from_u64(8);
        for round in 0..150 {
            let words = round % 5;
            let arcs = random_table(words, &mut random);
            for roots in [Roots::Any, Roots::One] {
                let all = trees(words, roots, false);
                let mut values: Vec<f64> = all.iter().map(|tree| arcs.value_of(tree)).collect();
                values.sort_by(|a, b| b.total_cmp(a));
                let k = random.random_range(1..30);
                values.truncate(k);
                let found = k_best_arborescences(&arcs, roots, k);
                assert_eq!(found.iter().map(|found| found.1).collect::<Vec<_>>(), values);
                let mut different: Vec<&Vec<u32>> = found.iter().map(|found| &found.0).collect();
                different.sort();
                different.dedup();
                assert_eq!(different.len(), found.len(), "{found:?}");
            }
        }
    }
}
