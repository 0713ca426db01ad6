//! For each number of wrong heads the best projective tree that has so many: spans hold a value for each number, which takes O(n⁵) time
//! and O(n³) memory. For sentences that are not long.

use super::spans::{Kind, Span};
use super::{ArcTable, Roots};

/// What each arc costs is a whole number; those of the true heads cost 0.
#[derive(Debug, Clone)]
pub struct ProjectiveStrata<'a> {
    arcs: &'a ArcTable,
    costs: &'a ArcTable<u32>,
    roots: Roots,
    size: usize,
    /// Costs from 0, without the largest.
    strata: usize,
    /// By kind, beginning, end and cost.
    spans: [Vec<f64>; 4],
    whole: Vec<f64>,
}

impl<'a> ProjectiveStrata<'a> {
    /// Finds the values of all trees that cost no more than `most`.
    pub fn new(arcs: &'a ArcTable, costs: &'a ArcTable<u32>, roots: Roots, most: usize) -> Self {
        let (size, strata) = (arcs.words() + 1, most + 1);
        let row = || vec![f64::NEG_INFINITY; size * size * strata];
        let mut table = Self {
            arcs,
            costs,
            roots,
            size,
            strata,
            spans: [row(), row(), row(), row()],
            whole: vec![f64::NEG_INFINITY; strata],
        };
        for at in 0..size {
            for kind in [Kind::Right, Kind::Left] {
                table.spans[kind as usize][(at * size + at) * strata] = 0.0;
            }
        }
        let first = usize::from(roots == Roots::One).min(size - 1);
        for width in 1..size - first {
            for s in first..size - width {
                Kind::ALL.into_iter().for_each(|kind| table.fill(Span::new(kind, s, s + width)));
            }
        }
        table.fill_whole();
        table
    }

    /// The values of the best trees of each cost; −∞ where there is none.
    pub fn values(&self) -> &[f64] {
        &self.whole
    }

    /// Where the values of a span are.
    fn range(&self, span: Span) -> std::ops::Range<usize> {
        let start = (span.start * self.size + span.end) * self.strata;
        start..start + self.strata
    }

    fn of(&self, span: Span) -> &[f64] {
        &self.spans[span.kind as usize][self.range(span)]
    }

    fn fill(&mut self, span: Span) {
        let arc = span.arc();
        if arc.is_some_and(|(_, word)| word == 0) {
            return;
        }
        let mut best = vec![f64::NEG_INFINITY; self.strata];
        for [first, second] in span.splits().map(|split| span.parts(split)) {
            self.add_pairs(self.of(first), self.of(second), arc, &mut best);
        }
        let range = self.range(span);
        self.spans[span.kind as usize][range].copy_from_slice(&best);
    }

    /// Raises the values of all costs that two parts and an arc come to.
    fn add_pairs(&self, first: &[f64], second: &[f64], arc: Option<(usize, usize)>, best: &mut [f64]) {
        let (value, cost) = self.of_arc(arc);
        for (i, &first) in first.iter().enumerate().filter(|(_, value)| **value > f64::NEG_INFINITY) {
            let Some(best) = best.get_mut(i + cost..) else { break };
            for (best, &second) in best.iter_mut().zip(second) {
                *best = best.max(first + second + value);
            }
        }
    }

    fn of_arc(&self, arc: Option<(usize, usize)>) -> (f64, usize) {
        arc.map_or((0.0, 0), |(head, word)| {
            (self.arcs.value(head, word), self.costs.value(head, word) as usize)
        })
    }

    fn fill_whole(&mut self) {
        let last = self.size - 1;
        let mut whole = std::mem::take(&mut self.whole);
        match self.roots {
            _ if last == 0 => whole[0] = 0.0,
            Roots::Any => whole.copy_from_slice(self.of(Span::new(Kind::Right, 0, last))),
            Roots::One => {
                for word in 1..=last {
                    let [left, right] = Span::below_root(word, last);
                    self.add_pairs(self.of(left), self.of(right), Some((0, word)), &mut whole);
                }
            }
        }
        self.whole = whole;
    }

    /// The best tree of a cost that there is; some heads where there is none.
    pub fn tree(&self, cost: usize) -> Vec<u32> {
        let last = self.size - 1;
        let mut heads = vec![0; last];
        let mut spans = match self.roots {
            _ if last == 0 => Vec::new(),
            Roots::Any => vec![(Span::new(Kind::Right, 0, last), cost)],
            Roots::One => {
                let all = (1..=last).map(|word| (Span::below_root(word, last), Some((0, word))));
                self.parts_of(all, self.whole[cost], cost)
            }
        };
        while let Some((span, cost)) = spans.pop() {
            if span.start == span.end {
                continue;
            }
            let arc = span.arc();
            if let Some((head, word)) = arc {
                heads[word - 1] = head as u32;
            }
            let all = span.splits().map(|split| (span.parts(split), arc));
            spans.extend(self.parts_of(all, self.of(span)[cost], cost));
        }
        heads
    }

    /// Two parts with their costs that come to a value: the same sums are taken as on the way there.
    fn parts_of(
        &self,
        splits: impl Iterator<Item = ([Span; 2], Option<(usize, usize)>)>,
        value: f64,
        cost: usize,
    ) -> Vec<(Span, usize)> {
        for ([first, second], arc) in splits {
            let (arc_value, arc_cost) = self.of_arc(arc);
            let Some(left) = cost.checked_sub(arc_cost) else { continue };
            let (firsts, seconds) = (self.of(first), self.of(second));
            let is_it = |i: &usize| {
                firsts[*i] > f64::NEG_INFINITY && firsts[*i] + seconds[left - i] + arc_value == value
            };
            if let Some(i) = (0..=left).find(is_it) {
                return vec![(first, i), (second, left - i)];
            }
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::super::listed::{random_table, trees};
    use super::*;

    #[test]
    fn each_cost_has_its_best_tree() {
        let mut random = Pcg64Mcg::seed_from_u64(5);
        for round in 0..200 {
            let words = round % 6;
            let arcs = random_table(words, &mut random);
            let truth: Vec<usize> = (0..words).map(|_| random.random_range(0..=words)).collect();
            let unit = 1 + round as u32 % 2;
            let costs = ArcTable::new(words, |head, word| unit * u32::from(truth[word - 1] != head), 0);
            let cost = |tree: &[u32]| -> usize {
                (1..).zip(tree).map(|(word, &head)| costs.value(head as usize, word) as usize).sum()
            };
            let most = if round % 4 == 0 { words / 2 } else { words * unit as usize };
            for roots in [Roots::Any, Roots::One] {
                let mut best = vec![f64::NEG_INFINITY; most + 1];
                for tree in trees(words, roots, true).iter().filter(|tree| cost(tree) <= most) {
                    best[cost(tree)] = best[cost(tree)].max(arcs.value_of(tree));
                }
                let strata = ProjectiveStrata::new(&arcs, &costs, roots, most);
                assert_eq!(strata.values(), best, "{arcs:?}, {truth:?}");
                for (number, &value) in best.iter().enumerate().filter(|(_, value)| value.is_finite()) {
                    let tree = strata.tree(number);
                    assert_eq!((arcs.value_of(&tree), cost(&tree)), (value, number), "{tree:?}");
                }
            }
        }
    }
}
