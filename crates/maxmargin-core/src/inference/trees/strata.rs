//! For each number of wrong heads the best projective tree that has so many: spans hold a value for each number, which takes O(n⁵) time
//! and O(n³) memory. For sentences that are not long.

use super::spans::{Kind, Span};
use super::{ArcTable, Roots};

/// What an arc is worth, and what it costs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PricedArc {
    /// What it is worth.
    pub value: f64,
    /// What it costs: a whole number, 0 for what is true.
    pub cost: u32,
}

/// The best trees of each cost.
///
/// An arc can be taken in one way, and one arc of each word in a second way with another value and cost: with a wrong relation.
#[derive(Debug, Clone)]
pub struct ProjectiveStrata {
    arcs: ArcTable<PricedArc>,
    /// For each word the head of an arc that can be taken in another way, and that.
    others: Vec<Option<(u32, PricedArc)>>,
    roots: Roots,
    size: usize,
    /// Costs from 0, without the largest.
    strata: usize,
    /// By kind, beginning, end and cost.
    spans: [Vec<f64>; 4],
    whole: Vec<f64>,
}

/// The ways to take an arc. What is no arc is worth nothing and costs nothing.
type Ways = [Option<PricedArc>; 2];

impl ProjectiveStrata {
    /// Finds the values of all trees that cost no more than `most`.
    pub fn new(
        arcs: ArcTable<PricedArc>,
        others: Vec<Option<(u32, PricedArc)>>,
        roots: Roots,
        most: usize,
    ) -> Self {
        let (size, strata) = (arcs.words() + 1, most + 1);
        let row = || vec![f64::NEG_INFINITY; size * size * strata];
        let mut table = Self {
            arcs,
            others,
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
        let mut best = vec![f64::NEG_INFINITY; strata];
        for width in 1..size - first {
            for s in first..size - width {
                Kind::ALL.into_iter().for_each(|kind| table.fill(Span::new(kind, s, s + width), &mut best));
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

    fn fill(&mut self, span: Span, best: &mut [f64]) {
        let arc = span.arc();
        if arc.is_some_and(|(_, word)| word == 0) {
            return;
        }
        best.fill(f64::NEG_INFINITY);
        for [first, second] in span.splits().map(|split| span.parts(split)) {
            add_pairs(self.of(first), self.of(second), best);
        }
        let (range, ways) = (self.range(span), self.ways(arc));
        add_ways(best, ways, &mut self.spans[span.kind as usize][range]);
    }

    fn ways(&self, arc: Option<(usize, usize)>) -> Ways {
        let Some((head, word)) = arc else { return [Some(PricedArc::default()), None] };
        let other = self.others[word - 1].filter(|(other, _)| *other as usize == head);
        [Some(self.arcs.value(head, word)), other.map(|(_, way)| way)]
    }

    fn fill_whole(&mut self) {
        let last = self.size - 1;
        let mut whole = std::mem::take(&mut self.whole);
        match self.roots {
            _ if last == 0 => whole[0] = 0.0,
            Roots::Any => whole.copy_from_slice(self.of(Span::new(Kind::Right, 0, last))),
            Roots::One => {
                let mut best = vec![f64::NEG_INFINITY; self.strata];
                for word in 1..=last {
                    let [left, right] = Span::below_root(word, last);
                    best.fill(f64::NEG_INFINITY);
                    add_pairs(self.of(left), self.of(right), &mut best);
                    add_ways(&best, self.ways(Some((0, word))), &mut whole);
                }
            }
        }
        self.whole = whole;
    }

    /// The heads of the best tree of a cost that there is, and whether the arc of each word is taken in the other way; some heads where there is none.
    pub fn tree(&self, cost: usize) -> (Vec<u32>, Vec<bool>) {
        let last = self.size - 1;
        let (mut heads, mut is_other) = (vec![0; last], vec![false; last]);
        let mut spans = match self.roots {
            _ if last == 0 => Vec::new(),
            Roots::Any => vec![(Span::new(Kind::Right, 0, last), cost)],
            Roots::One => {
                let all = (1..=last).map(|word| (Span::below_root(word, last), Some((0, word))));
                self.parts_of(all, self.whole[cost], cost, &mut is_other)
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
            spans.extend(self.parts_of(all, self.of(span)[cost], cost, &mut is_other));
        }
        (heads, is_other)
    }

    /// Two parts with their costs that come to a value: the same sums are taken as on the way there.
    fn parts_of(
        &self,
        splits: impl Iterator<Item = ([Span; 2], Option<(usize, usize)>)>,
        value: f64,
        cost: usize,
        is_other: &mut [bool],
    ) -> Vec<(Span, usize)> {
        for ([first, second], arc) in splits {
            for (number, way) in self.ways(arc).into_iter().flatten().enumerate() {
                let Some(left) = cost.checked_sub(way.cost as usize) else { continue };
                let (firsts, seconds) = (self.of(first), self.of(second));
                let is_it = |i: &usize| {
                    firsts[*i] > f64::NEG_INFINITY && firsts[*i] + seconds[left - i] + way.value == value
                };
                if let Some(i) = (0..=left).find(is_it) {
                    if let Some((_, word)) = arc {
                        is_other[word - 1] = number == 1;
                    }
                    return vec![(first, i), (second, left - i)];
                }
            }
        }
        Vec::new()
    }
}

/// Raises the values of all costs that two parts come to.
fn add_pairs(first: &[f64], second: &[f64], best: &mut [f64]) {
    for (i, &first) in first.iter().enumerate().filter(|(_, value)| **value > f64::NEG_INFINITY) {
        for (best, &second) in best[i..].iter_mut().zip(second) {
            *best = best.max(first + second);
        }
    }
}

/// Raises the values of all costs that parts and the ways of an arc come to.
fn add_ways(parts: &[f64], ways: Ways, best: &mut [f64]) {
    for way in ways.into_iter().flatten() {
        let Some(best) = best.get_mut(way.cost as usize..) else { continue };
        for (best, &parts) in best.iter_mut().zip(parts) {
            *best = best.max(parts + way.value);
        }
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
            let values = random_table(words, &mut random);
            let truth: Vec<usize> = (0..words).map(|_| random.random_range(0..=words)).collect();
            let unit = 1 + round as u32 % 2;
            let arc = |head: usize, word: usize| PricedArc {
                value: values.value(head, word),
                cost: unit * u32::from(truth[word - 1] != head),
            };
            let arcs = ArcTable::new(words, arc, PricedArc::default());
            // True heads may have a wrong relation, which costs 1.
            let mut other = |word: usize| PricedArc {
                value: values.value(truth[word - 1], word) + f64::from(random.random_range(-2..3)),
                cost: 1,
            };
            let others: Vec<_> = (1..=words)
                .map(|word| {
                    (truth[word - 1] != word && round % 3 > 0).then(|| (truth[word - 1] as u32, other(word)))
                })
                .collect();
            let most = if round % 4 == 0 { words / 2 } else { words * unit as usize };
            let worth = |tree: &[u32], is_other: &[bool]| {
                let way = |(place, &head): (usize, &u32)| match others[place].filter(|_| is_other[place]) {
                    Some((_, way)) => way,
                    None => arc(head as usize, place + 1),
                };
                let ways = tree.iter().enumerate().map(way);
                ways.fold((0.0, 0), |(value, cost), way| (value + way.value, cost + way.cost as usize))
            };
            for roots in [Roots::Any, Roots::One] {
                let mut best = vec![f64::NEG_INFINITY; most + 1];
                for tree in trees(words, roots, true) {
                    for mask in 0..1u32 << words {
                        let is_other: Vec<bool> = (0..words).map(|place| mask >> place & 1 == 1).collect();
                        let can = |place: usize| others[place].is_some_and(|(head, _)| head == tree[place]);
                        if (0..words).any(|place| is_other[place] && !can(place)) {
                            continue;
                        }
                        let (value, cost) = worth(&tree, &is_other);
                        if cost <= most {
                            best[cost] = best[cost].max(value);
                        }
                    }
                }
                let strata = ProjectiveStrata::new(arcs.clone(), others.clone(), roots, most);
                assert_eq!(strata.values(), best, "{arcs:?}, {truth:?}");
                for (number, &value) in best.iter().enumerate().filter(|(_, value)| value.is_finite()) {
                    let (tree, is_other) = strata.tree(number);
                    assert_eq!(worth(&tree, &is_other), (value, number), "{tree:?}");
                }
            }
        }
    }
}
