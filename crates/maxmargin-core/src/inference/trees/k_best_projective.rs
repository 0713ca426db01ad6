//! The k best projective trees: each span keeps its k best ways, as (value, where it splits, ranks of its two parts).
//!
//! Trees are put together in one way only (see [`projective`](super::projective)), so that the k best ways are k different trees. The ways of a
//! span are merged by a heap, which costs O(n + k log n) for each.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::siblings::{SiblingValue, worth};
use super::spans::{Kind, Span};
use super::{ArcTable, Roots, nothing};
use crate::inference::Gain;

/// One way to make a span.
#[derive(Debug, Clone, Copy)]
struct Way<V> {
    value: V,
    split: u32,
    ranks: [u32; 2],
}

impl<V: Gain> Ord for Way<V> {
    /// Ways of the same value come in the order of their places.
    fn cmp(&self, other: &Self) -> Ordering {
        let places = (other.split, other.ranks).cmp(&(self.split, self.ranks));
        self.value.compare(other.value).then(places)
    }
}

impl<V: Gain> PartialOrd for Way<V> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<V: Gain> PartialEq for Way<V> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<V: Gain> Eq for Way<V> {}

struct Table<'a, V> {
    arcs: &'a ArcTable<V>,
    /// What neighbours below one head are worth, where they count.
    siblings: Option<&'a dyn Fn(usize, usize, usize) -> V>,
    size: usize,
    most: usize,
    /// By kind, beginning and end.
    ways: [Vec<Vec<Way<V>>>; 5],
}

/// The k best trees without crossing arcs, best first; fewer where there are fewer. Trees that are worth nothing (−∞) are none.
pub fn k_best_projective<V: Gain>(arcs: &ArcTable<V>, roots: Roots, k: usize) -> Vec<(Vec<u32>, V)> {
    k_best(arcs, None, roots, k)
}

/// The same where neighbours below one head count: see [`SiblingTable`](super::SiblingTable).
pub fn k_best_with_siblings<V: Gain>(
    arcs: &ArcTable<V>,
    siblings: &impl SiblingValue<V>,
    roots: Roots,
    k: usize,
) -> Vec<(Vec<u32>, V)> {
    k_best(arcs, Some(siblings), roots, k)
}

fn k_best<V: Gain>(
    arcs: &ArcTable<V>,
    siblings: Option<&dyn Fn(usize, usize, usize) -> V>,
    roots: Roots,
    k: usize,
) -> Vec<(Vec<u32>, V)> {
    let words = arcs.words();
    if k == 0 || words == 0 {
        return vec![(Vec::new(), V::ZERO); k.min(1)];
    }
    let size = words + 1;
    let lists = || vec![Vec::new(); size * size];
    let ways = std::array::from_fn(|_| lists());
    let mut table = Table { arcs, siblings, size, most: k, ways };
    let kinds = if siblings.is_some() { &Kind::WITH_SIBLINGS[..] } else { &Kind::ALL };
    let first = usize::from(roots == Roots::One);
    for s in first..size {
        let alone = Way { value: V::ZERO, split: s as u32, ranks: [0, 0] };
        for kind in [Kind::Right, Kind::Left] {
            table.ways[kind as usize][s * size + s].push(alone);
        }
    }
    for width in 1..size - first {
        for s in first..size - width {
            kinds.iter().for_each(|&kind| table.fill(Span::new(kind, s, s + width)));
        }
    }
    let whole = Span::new(Kind::Right, 0, words);
    match roots {
        Roots::Any => {
            let ranked = table.list(whole).iter().enumerate();
            ranked.map(|(rank, way)| (table.tree([(whole, rank)]), way.value)).collect()
        }
        Roots::One => {
            let of_sibling = |word| siblings.map_or(V::ZERO, |siblings| siblings(0, 0, word));
            let worth = |word| arcs.value(0, word) + of_sibling(word);
            let all = (1..=words).map(|word| (word, Span::below_root(word, words), worth(word)));
            let tree = |way: &Way<V>| {
                let [first, second] = Span::below_root(way.split as usize, words);
                table.tree([(first, way.ranks[0] as usize), (second, way.ranks[1] as usize)])
            };
            table.merged(all).iter().map(|way| (tree(way), way.value)).collect()
        }
    }
}

impl<V: Gain> Table<'_, V> {
    fn list(&self, span: Span) -> &[Way<V>] {
        &self.ways[span.kind as usize][span.start * self.size + span.end]
    }

    fn fill(&mut self, span: Span) {
        let arc = match span.arc() {
            Some((_, 0)) => nothing(),
            Some((head, word)) => self.arcs.value(head, word),
            None => V::ZERO,
        };
        let ways =
            match self.siblings {
                None => self.merged(span.splits().map(|split| (split, span.parts(split), arc))),
                Some(siblings) => self.merged(span.sibling_splits().map(|split| {
                    (split, span.sibling_parts(split), worth(self.arcs, &siblings, span, split))
                })),
            };
        self.ways[span.kind as usize][span.start * self.size + span.end] = ways;
    }

    /// The best ways over all splits.
    fn merged(&self, splits: impl Iterator<Item = (usize, [Span; 2], V)> + Clone) -> Vec<Way<V>> {
        let way = |split: usize, parts: [Span; 2], arc: V, ranks: [u32; 2]| {
            let [first, second] = parts.map(|span| self.list(span));
            let (first, second) = (first.get(ranks[0] as usize)?, second.get(ranks[1] as usize)?);
            let value = first.value + second.value + arc;
            nothing::<V>().is_below(value).then_some(Way { value, split: split as u32, ranks })
        };
        let starts = splits.clone().filter_map(|(split, parts, arc)| way(split, parts, arc, [0, 0]));
        let mut waiting: BinaryHeap<Way<V>> = starts.collect();
        let mut ways = Vec::new();
        while ways.len() < self.most
            && let Some(best) = waiting.pop()
        {
            ways.push(best);
            let Some((split, parts, arc)) = splits.clone().find(|(split, ..)| *split == best.split as usize)
            else {
                continue;
            };
            let [first, second] = best.ranks;
            // Each pair of ranks is reached from one other: along the second where the first is 0, else along the first.
            let next = [Some([first + 1, second]), (first == 0).then_some([0, second + 1])];
            waiting.extend(next.into_iter().flatten().filter_map(|ranks| way(split, parts, arc, ranks)));
        }
        ways
    }

    /// The tree of some spans, in a way of each.
    fn tree<const N: usize>(&self, spans: [(Span, usize); N]) -> Vec<u32> {
        let (mut heads, mut spans) = (vec![0; self.size - 1], spans.to_vec());
        while let Some((span, rank)) = spans.pop() {
            if span.start == span.end {
                continue;
            }
            if let Some((head, word)) = span.arc() {
                heads[word - 1] = head as u32;
            }
            let Way { split, ranks, .. } = self.list(span)[rank];
            let parts = match self.siblings {
                None => span.parts(split as usize),
                Some(_) => span.sibling_parts(split as usize),
            };
            spans.extend(parts.into_iter().zip(ranks.map(|rank| rank as usize)));
        }
        heads
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::super::listed::{random_table, trees};
    use super::*;

    #[test]
    fn they_are_the_best_of_all_trees() {
        let mut random = Pcg64Mcg::seed_from_u64(4);
        for round in 0..200 {
            let words = round % 6;
            let arcs = random_table(words, &mut random);
            for roots in [Roots::Any, Roots::One] {
                let mut values: Vec<f64> =
                    trees(words, roots, true).iter().map(|tree| arcs.value_of(tree)).collect();
                values.sort_by(|a, b| b.total_cmp(a));
                let k = random.random_range(1..40);
                values.truncate(k);
                let found = k_best_projective(&arcs, roots, k);
                assert_eq!(found.iter().map(|found| found.1).collect::<Vec<_>>(), values);
                for (heads, value) in &found {
                    assert_eq!(arcs.value_of(heads), *value);
                }
                let mut different: Vec<&Vec<u32>> = found.iter().map(|found| &found.0).collect();
                different.sort();
                different.dedup();
                assert_eq!(different.len(), found.len(), "{found:?}");
            }
        }
    }
}
