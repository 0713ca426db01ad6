//! The k best of all trees: the rest of a set of trees without its best one is cut into smaller sets, each with a best tree of its own (Lawler 1972).
//!
//! A set of trees is one in which some words have a given head and some arcs are not allowed. That is n decodings for each tree; Camerini,
//! Fratta and Maffioli (1980) find the second best of a set without decoding its parts.

use super::{ArcTable, Roots, best_arborescence, nothing};
use crate::inference::Gain;

/// A set of trees with its best one.
struct Space<V> {
    value: V,
    heads: Vec<u32>,
    /// The arcs that are left.
    arcs: ArcTable<V>,
    /// How many words, the first ones, have their heads for good.
    settled: usize,
}

/// The k best trees, best first; fewer where there are fewer. Trees that are worth nothing (−∞) are none.
pub fn k_best_arborescences<V: Gain>(arcs: &ArcTable<V>, roots: Roots, k: usize) -> Vec<(Vec<u32>, V)> {
    let space = |arcs: ArcTable<V>, settled: usize| {
        let heads = best_arborescence(&arcs, roots)?;
        Some(Space { value: arcs.value_of(&heads), heads, arcs, settled })
    };
    let mut spaces: Vec<Space<V>> = space(arcs.clone(), 0).into_iter().collect();
    let mut found = Vec::new();
    while found.len() < k {
        // The first of equals.
        let best =
            (0..spaces.len()).reduce(|a, b| if spaces[a].value.is_below(spaces[b].value) { b } else { a });
        let Some(best) = best else { break };
        let Space { value, heads, mut arcs, settled } = spaces.remove(best);
        if found.len() + 1 < k {
            for word in settled + 1..=arcs.words() {
                let head = heads[word - 1] as usize;
                let taken = std::mem::replace(arcs.value_mut(head, word), nothing());
                spaces.extend(space(arcs.clone(), word - 1));
                // From now on the word has this head.
                (0..=arcs.words()).for_each(|other| *arcs.value_mut(other, word) = nothing());
                *arcs.value_mut(head, word) = taken;
            }
        }
        found.push((heads, value));
    }
    found
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
