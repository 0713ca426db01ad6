//! The best projective tree where neighbours below one head count too (McDonald and Pereira 2006), in O(n³) time and O(n²) memory, and the best
//! one with each arc.
//!
//! What a tree is worth is a sum over its arcs, each with the neighbour of its word: the word of the same head, on the same side of it, that is
//! next on the way to the head, or none. To the spans of [`projective`](super::projective) come those between two such neighbours. An open span
//! is then another open one, up to the neighbour, with the span between, or has no neighbour. Each tree is still put together in one way only.

use super::spans::{Kind, Span};
use super::{ArcTable, Roots, nothing};
use crate::inference::Gain;

/// What head, neighbour (0 for none) and word are worth together.
pub trait SiblingValue<V>: Fn(usize, usize, usize) -> V {}

impl<V, F: Fn(usize, usize, usize) -> V> SiblingValue<V> for F {}

/// What the arc of a span that is split somewhere is worth, with its neighbour; nothing where there is no arc.
pub(super) fn worth<V: Gain>(
    arcs: &ArcTable<V>,
    siblings: &impl SiblingValue<V>,
    span: Span,
    split: usize,
) -> V {
    match span.sibling(split) {
        None => V::ZERO,
        Some([_, _, 0]) => nothing(),
        Some([head, sibling, word]) => arcs.value(head, word) + siblings(head, sibling, word),
    }
}

/// The values of all spans and where each is split.
#[derive(Debug, Clone)]
pub struct SiblingTable<V = f64> {
    size: usize,
    roots: Roots,
    values: [Vec<V>; 5],
    splits: [Vec<u32>; 5],
    /// The best word below the root, where only one may be, and what the tree is worth.
    root: usize,
    best: V,
}

impl<V: Gain> SiblingTable<V> {
    /// Finds the values of all spans.
    pub fn new(arcs: &ArcTable<V>, siblings: &impl SiblingValue<V>, roots: Roots) -> Self {
        let size = arcs.words() + 1;
        let values = || vec![nothing::<V>(); size * size];
        let splits = || vec![0; size * size];
        let mut table = Self {
            size,
            roots,
            values: std::array::from_fn(|_| values()),
            splits: std::array::from_fn(|_| splits()),
            root: 0,
            best: V::ZERO,
        };
        for at in 0..size {
            table.values[Kind::Right as usize][at * size + at] = V::ZERO;
            table.values[Kind::Left as usize][at * size + at] = V::ZERO;
        }
        for span in all_spans(size, roots) {
            table.fill(span, arcs, siblings);
        }
        table.finish(arcs, siblings);
        table
    }

    fn place(&self, span: Span) -> usize {
        span.start * self.size + span.end
    }

    fn of(&self, span: Span) -> V {
        self.values[span.kind as usize][self.place(span)]
    }

    fn fill(&mut self, span: Span, arcs: &ArcTable<V>, siblings: &impl SiblingValue<V>) {
        let mut best = (nothing::<V>(), span.sibling_splits().start);
        for split in span.sibling_splits() {
            let [first, second] = span.sibling_parts(split).map(|part| self.of(part));
            let value = first + second + worth(arcs, siblings, span, split);
            if best.0.is_below(value) {
                best = (value, split);
            }
        }
        let place = self.place(span);
        self.values[span.kind as usize][place] = best.0;
        self.splits[span.kind as usize][place] = best.1 as u32;
    }

    fn finish(&mut self, arcs: &ArcTable<V>, siblings: &impl SiblingValue<V>) {
        let last = self.size - 1;
        if last == 0 {
            return;
        }
        if self.roots == Roots::Any {
            self.best = self.of(Span::new(Kind::Right, 0, last));
            return;
        }
        (self.root, self.best) = (1, nothing());
        for word in 1..=last {
            let [left, right] = Span::below_root(word, last).map(|span| self.of(span));
            let value = left + right + arcs.value(0, word) + siblings(0, 0, word);
            if self.best.is_below(value) {
                (self.root, self.best) = (word, value);
            }
        }
    }

    /// What the best tree is worth.
    #[cfg(test)]
    pub fn value(&self) -> V {
        self.best
    }

    /// The heads of the best tree; the first of equals.
    pub fn tree(&self) -> Vec<u32> {
        let last = self.size - 1;
        let mut heads = vec![0; last];
        let mut spans = match self.roots {
            _ if last == 0 => Vec::new(),
            Roots::One => Span::below_root(self.root, last).to_vec(),
            Roots::Any => vec![Span::new(Kind::Right, 0, last)],
        };
        while let Some(span) = spans.pop() {
            if span.start == span.end {
                continue;
            }
            if let Some((head, word)) = span.arc() {
                heads[word - 1] = head as u32;
            }
            let split = self.splits[span.kind as usize][self.place(span)];
            spans.extend(span.sibling_parts(split as usize));
        }
        heads
    }
}

/// All spans of two words and more, each behind those that it is made of.
fn all_spans(size: usize, roots: Roots) -> impl DoubleEndedIterator<Item = Span> {
    let first = usize::from(roots == Roots::One).min(size - 1);
    (1..size - first).flat_map(move |width| {
        (first..size - width).flat_map(move |s| Kind::WITH_SIBLINGS.map(|kind| Span::new(kind, s, s + width)))
    })
}

/// What the best tree without crossing arcs is worth that has an arc, for each arc.
pub fn sibling_max_marginals(arcs: &ArcTable, siblings: &impl SiblingValue<f64>, roots: Roots) -> ArcTable {
    let inside = SiblingTable::new(arcs, siblings, roots);
    let (size, last) = (inside.size, arcs.words());
    let mut best = ArcTable::default();
    best.reset(last, f64::NEG_INFINITY);
    let mut outside: [Vec<f64>; 5] = std::array::from_fn(|_| vec![f64::NEG_INFINITY; size * size]);
    let raise = |span: Span, value: f64, outside: &mut [Vec<f64>; 5]| {
        let entry = &mut outside[span.kind as usize][span.start * size + span.end];
        *entry = entry.max(value);
    };
    match roots {
        _ if last == 0 => return best,
        Roots::Any => raise(Span::new(Kind::Right, 0, last), 0.0, &mut outside),
        Roots::One => {
            for word in 1..=last {
                let [left, right] = Span::below_root(word, last);
                let arc = arcs.value(0, word) + siblings(0, 0, word);
                *best.value_mut(0, word) = arc + inside.of(left) + inside.of(right);
                raise(left, arc + inside.of(right), &mut outside);
                raise(right, arc + inside.of(left), &mut outside);
            }
        }
    }
    for span in all_spans(size, roots).rev() {
        let value = outside[span.kind as usize][inside.place(span)];
        if value == f64::NEG_INFINITY {
            continue;
        }
        if let Some((head, word)) = span.arc() {
            *best.value_mut(head, word) = best.value(head, word).max(value + inside.of(span));
        }
        for split in span.sibling_splits() {
            let [first, second] = span.sibling_parts(split);
            let value = value + worth(arcs, siblings, span, split);
            raise(first, value + inside.of(second), &mut outside);
            raise(second, value + inside.of(first), &mut outside);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::super::listed::{random_table, trees};
    use super::super::{k_best_with_siblings, siblings_of};
    use super::*;

    /// Whole numbers for all heads, neighbours and words.
    fn random_siblings(words: usize, random: &mut Pcg64Mcg) -> Vec<f64> {
        (0..(words + 1).pow(3)).map(|_| f64::from(random.random_range(-4..5))).collect()
    }

    fn check(round: usize, random: &mut Pcg64Mcg, roots: Roots) {
        let words = round % 7;
        let arcs = random_table(words, random);
        let numbers = random_siblings(words, random);
        let of = |head: usize, sibling: usize, word: usize| {
            numbers[(head * (words + 1) + sibling) * (words + 1) + word]
        };
        let worth = |heads: &[u32]| {
            let siblings = siblings_of(heads);
            let of_word = |word: usize| of(heads[word] as usize, siblings[word] as usize, word + 1);
            arcs.value_of(heads) + (0..words).map(of_word).sum::<f64>()
        };
        let all = trees(words, roots, true);
        let mut values: Vec<f64> = all.iter().map(|heads| worth(heads)).collect();
        let marginals = sibling_max_marginals(&arcs, &of, roots);
        for word in 1..=words {
            for head in (0..=words).filter(|&head| head != word) {
                let with = all.iter().zip(&values).filter(|(heads, _)| heads[word - 1] as usize == head);
                let best = with.map(|(_, &value)| value).fold(f64::NEG_INFINITY, f64::max);
                assert_eq!(marginals.value(head, word), best, "{head} → {word} of {arcs:?}, {numbers:?}");
            }
        }
        values.sort_by(|a, b| b.total_cmp(a));
        let table = SiblingTable::new(&arcs, &of, roots);
        assert_eq!((table.value(), worth(&table.tree())), (values[0], values[0]), "{arcs:?}, {numbers:?}");
        values.truncate(random.random_range(1..40));
        let found = k_best_with_siblings(&arcs, &of, roots, values.len());
        assert_eq!(found.iter().map(|found| found.1).collect::<Vec<_>>(), values);
        assert!(found.iter().all(|(heads, value)| worth(heads) == *value), "{found:?}");
        let mut different: Vec<&Vec<u32>> = found.iter().map(|found| &found.0).collect();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), found.len(), "{found:?}");
    }

    #[test]
    fn they_equal_the_list_of_all_trees() {
        let mut random = Pcg64Mcg::seed_from_u64(6);
        for round in 0..140 {
            for roots in [Roots::Any, Roots::One] {
                check(round, &mut random, roots);
            }
        }
    }

    #[test]
    fn neighbours_are_on_the_same_side() {
        assert_eq!(siblings_of(&[3, 3, 0, 3, 3, 5]), [2, 0, 0, 0, 4, 0]);
        assert_eq!(siblings_of(&[0, 0, 0]), [0, 1, 2]);
        assert!(siblings_of(&[]).is_empty());
    }
}
