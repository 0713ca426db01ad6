//! The best tree whose arcs do not cross (Eisner 1996), in O(n³) time and O(n²) memory.
//!
//! A span from s to t is complete where one of its ends is the head of all the rest, and open where its ends are head and word of one arc. An open span is
//! two complete ones that meet, and a complete one is an open one with a complete one behind its far end: each tree is put together in one way only.
//! Values of spans are kept twice, by their beginnings and by their ends, so that inner loops run along rows. As in
//! [`viterbi`](crate::inference::viterbi()) no back pointers are kept; the way back asks again.

use super::spans::{Kind, Span};
use super::{ArcTable, Roots, nothing};
use crate::inference::Gain;

/// The values of all spans, reused from sentence to sentence.
#[derive(Debug, Clone, Default)]
pub struct ProjectiveTable<V = f64> {
    /// Words and root.
    size: usize,
    roots: Option<Roots>,
    /// Complete spans with the head at the beginning, by beginning and by end.
    right_from: Vec<V>,
    right_to: Vec<V>,
    /// Complete spans with the head at the end.
    left_from: Vec<V>,
    left_to: Vec<V>,
    /// Open spans: the arc goes from the beginning to the end, by beginning; from the end to the beginning, by end.
    open_right: Vec<V>,
    open_left: Vec<V>,
    /// The arcs from the root, where only one may be.
    of_root: Vec<V>,
}

/// The largest sum of two rows, with its place; the first of equals.
fn best_sum<V: Gain>(first: &[V], second: &[V]) -> (usize, V) {
    let mut best = (0, nothing::<V>());
    for (place, (&first, &second)) in first.iter().zip(second).enumerate() {
        let sum = first + second;
        if best.1.is_below(sum) {
            best = (place, sum);
        }
    }
    best
}

impl<V: Gain> ProjectiveTable<V> {
    /// Finds the values of all spans.
    pub fn fill(&mut self, arcs: &ArcTable<V>, roots: Roots) {
        let size = arcs.words() + 1;
        (self.size, self.roots) = (size, Some(roots));
        let rows = [
            &mut self.right_from,
            &mut self.right_to,
            &mut self.left_from,
            &mut self.left_to,
            &mut self.open_right,
            &mut self.open_left,
        ];
        for row in rows {
            row.clear();
            row.resize(size * size, nothing());
        }
        for row in [&mut self.right_from, &mut self.right_to, &mut self.left_from, &mut self.left_to] {
            (0..size).for_each(|at| row[at * size + at] = V::ZERO);
        }
        let first = usize::from(roots == Roots::One);
        for width in 1..size - first.min(size - 1) {
            for s in first..size - width {
                self.fill_span(arcs, s, s + width);
            }
        }
        self.of_root.clear();
        if roots == Roots::One {
            self.of_root.extend((1..size).map(|word| arcs.value(0, word)));
        }
    }

    fn fill_span(&mut self, arcs: &ArcTable<V>, s: usize, t: usize) {
        let (from, to) = (s * self.size, t * self.size);
        let inner = self.inner(s, t).1;
        self.open_right[from + t] = inner + arcs.value(s, t);
        if s > 0 {
            self.open_left[to + s] = inner + arcs.value(t, s);
        }
        let left = self.left_split(s, t).1;
        (self.left_from[from + t], self.left_to[to + s]) = (left, left);
        let right = self.right_split(s, t).1;
        (self.right_from[from + t], self.right_to[to + s]) = (right, right);
    }

    /// Two complete spans that meet: s … q and q + 1 … t.
    fn inner(&self, s: usize, t: usize) -> (usize, V) {
        let (from, to) = (s * self.size, t * self.size);
        let (place, sum) =
            best_sum(&self.right_from[from + s..from + t], &self.left_to[to + s + 1..to + t + 1]);
        (s + place, sum)
    }

    /// A complete span s … q, then an open one q … t.
    fn left_split(&self, s: usize, t: usize) -> (usize, V) {
        let (from, to) = (s * self.size, t * self.size);
        let (place, sum) = best_sum(&self.left_from[from + s..from + t], &self.open_left[to + s..to + t]);
        (s + place, sum)
    }

    /// An open span s … q, then a complete one q … t.
    fn right_split(&self, s: usize, t: usize) -> (usize, V) {
        let (from, to) = (s * self.size, t * self.size);
        let (open, complete) = (s + 1..t + 1, to + s + 1..to + t + 1);
        let (place, sum) =
            best_sum(&self.open_right[from + open.start..from + open.end], &self.right_to[complete]);
        (s + 1 + place, sum)
    }

    pub(super) fn complete_right(&self, s: usize, t: usize) -> V {
        self.right_from[s * self.size + t]
    }

    pub(super) fn complete_left(&self, s: usize, t: usize) -> V {
        self.left_from[s * self.size + t]
    }

    pub(super) fn open_right_value(&self, s: usize, t: usize) -> V {
        self.open_right[s * self.size + t]
    }

    pub(super) fn open_left_value(&self, s: usize, t: usize) -> V {
        self.open_left[t * self.size + s]
    }

    /// The one word below the root, and what the tree is worth.
    fn single_root(&self) -> (usize, V) {
        let last = self.size - 1;
        let mut best = (1, nothing::<V>());
        for (word, &arc) in (1..).zip(&self.of_root) {
            let value = arc + self.left_to[word * self.size + 1] + self.right_from[word * self.size + last];
            if best.1.is_below(value) {
                best = (word, value);
            }
        }
        best
    }

    /// What the best tree is worth.
    #[cfg(test)]
    pub fn value(&self) -> V {
        match self.roots {
            None => V::ZERO,
            Some(_) if self.size == 1 => V::ZERO,
            Some(Roots::Any) => self.right_from[self.size - 1],
            Some(Roots::One) => self.single_root().1,
        }
    }

    /// The heads of the best tree; the first of equals.
    pub fn tree(&self, heads: &mut Vec<u32>) {
        heads.clear();
        heads.resize(self.size.saturating_sub(1), 0);
        if heads.is_empty() {
            return;
        }
        let last = self.size - 1;
        let mut spans = match self.roots {
            Some(Roots::One) => Span::below_root(self.single_root().0, last).to_vec(),
            _ => vec![Span::new(Kind::Right, 0, last)],
        };
        while let Some(span) = spans.pop() {
            let Span { kind, start: s, end: t } = span;
            if s == t {
                continue;
            }
            if let Some((head, word)) = span.arc() {
                heads[word - 1] = head as u32;
            }
            let (split, _) = match kind {
                Kind::Right => self.right_split(s, t),
                Kind::Left => self.left_split(s, t),
                _ => self.inner(s, t),
            };
            spans.extend(span.parts(split));
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::super::listed::{is_projective, is_tree, random_table, trees};
    use super::*;
    use crate::inference::Lexicographic;

    #[test]
    fn the_best_tree_is_that_of_all_trees() {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        for round in 0..300 {
            let words = round % 7;
            let arcs = random_table(words, &mut random);
            for roots in [Roots::Any, Roots::One] {
                let best =
                    trees(words, roots, true).iter().map(|tree| arcs.value_of(tree)).fold(f64::MIN, f64::max);
                let (mut table, mut heads) = (ProjectiveTable::default(), vec![7]);
                table.fill(&arcs, roots);
                table.tree(&mut heads);
                assert!(is_tree(&heads, roots) && is_projective(&heads), "{heads:?} of {arcs:?}");
                assert_eq!((table.value(), arcs.value_of(&heads)), (best, best), "{heads:?} of {arcs:?}");
            }
        }
    }

    #[test]
    fn ties_are_broken_by_the_second_value() {
        let mut random = Pcg64Mcg::seed_from_u64(2);
        for round in 0..100 {
            let words = 1 + round % 5;
            let second = random_table(words, &mut random);
            let arcs = ArcTable::new(
                words,
                |head, word| Lexicographic {
                    first: f64::from(random.random_range(0..2)),
                    second: second.value(head, word),
                },
                Lexicographic::default(),
            );
            let all = trees(words, Roots::One, true);
            let best = all.iter().map(|tree| arcs.value_of(tree)).max().unwrap();
            let mut table = ProjectiveTable::default();
            table.fill(&arcs, Roots::One);
            assert_eq!(table.value(), best);
        }
    }
}
