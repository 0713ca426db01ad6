//! The best cut of every total cost, where costs of segments are small whole numbers.

use super::{Segment, SegmentTable};
use crate::inference::viterbi::first_maximum;
use crate::linear::max_plus;

/// The values of the best cuts up to each position, by total cost and class of the last segment.
#[derive(Debug, Clone, Default)]
pub struct StratifiedSegments {
    classes: usize,
    length: usize,
    totals: usize,
    /// `best[(t · totals + k) · classes + c]`; −∞ where there is none.
    best: Vec<f64>,
    /// What may come before a segment that starts at a position.
    before: Vec<f64>,
    costs: SegmentTable<u32>,
}

impl StratifiedSegments {
    /// The costs to fill in before [`fill`](Self::fill): as large as the table of values.
    pub fn costs(&mut self) -> &mut SegmentTable<u32> {
        &mut self.costs
    }

    /// Finds the best cuts of all costs up to `most`; `steps` as for [`best_segments`](super::best_segments).
    pub fn fill(&mut self, table: &SegmentTable, steps: &[f64], most: usize) {
        (self.classes, self.length, self.totals) = (table.classes, table.length(), most + 1);
        let (classes, size) = (self.classes, self.totals * self.classes);
        self.best.clear();
        self.best.resize(self.length * size, f64::NEG_INFINITY);
        self.before.clear();
        self.before.resize(self.length * size, f64::NEG_INFINITY);
        if let Some(first) = self.before.get_mut(..classes) {
            first.fill(0.0);
        }
        for t in 0..self.length {
            if t > 0 {
                let best = self.best[(t - 1) * size..t * size].chunks_exact(classes);
                let before = self.before[t * size..(t + 1) * size].chunks_exact_mut(classes);
                best.zip(before).for_each(|(best, before)| max_plus(best, steps, before));
            }
            let best = &mut self.best[t * size..(t + 1) * size];
            for length in 1..=table.longest_to(t) {
                let before = &self.before[(t + 1 - length) * size..][..size];
                let (values, costs) = (table.row(t, length), self.costs.row(t, length));
                for (class, (&value, &cost)) in values.iter().zip(costs).enumerate() {
                    if value == f64::NEG_INFINITY {
                        continue;
                    }
                    for k in cost as usize..self.totals {
                        let from = before[(k - cost as usize) * classes + class];
                        let place = &mut best[k * classes + class];
                        *place = place.max(from + value);
                    }
                }
            }
        }
    }

    /// The value of the best cut of each total cost, from 0 up; −∞ where there is none.
    pub fn values(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.totals).map(|k| match self.length {
            0 if k == 0 => 0.0,
            0 => f64::NEG_INFINITY,
            _ => self.last(k).iter().copied().fold(f64::NEG_INFINITY, f64::max),
        })
    }

    fn last(&self, total: usize) -> &[f64] {
        &self.best[((self.length - 1) * self.totals + total) * self.classes..][..self.classes]
    }

    /// The best cut of a total cost that has one, with the values and steps that the table was filled with.
    pub fn cut(&self, total: usize, table: &SegmentTable, steps: &[f64]) -> Vec<Segment> {
        let mut cut = Vec::new();
        if self.length == 0 {
            return cut;
        }
        let (classes, size) = (self.classes, self.totals * self.classes);
        let (mut end, mut k) = (self.length, total);
        let mut class = first_maximum(self.last(k).iter().copied());
        while end > 0 {
            let value = |length: usize| {
                let cost = self.costs.row(end - 1, length)[class] as usize;
                let before = |rest: usize| self.before[(end - length) * size + rest * classes + class];
                k.checked_sub(cost).map_or(f64::NEG_INFINITY, before) + table.row(end - 1, length)[class]
            };
            let length = 1 + first_maximum((1..=table.longest_to(end - 1)).map(value));
            k = k.saturating_sub(self.costs.row(end - 1, length)[class] as usize);
            cut.push(Segment::new(end - length..end, class));
            end -= length;
            if end > 0 {
                let best = &self.best[(end - 1) * size + k * classes..][..classes];
                let column = steps[class..].iter().step_by(classes);
                class = first_maximum(best.iter().zip(column).map(|(best, step)| best + step));
            }
        }
        cut.reverse();
        cut
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::super::tests::{all_cuts, random_table};
    use super::*;

    #[test]
    fn every_stratum_is_that_of_enumeration() {
        let mut random = Pcg64Mcg::seed_from_u64(2);
        let mut strata = StratifiedSegments::default();
        for round in 0..1000 {
            let (table, steps) = random_table(&mut random);
            table.map_into(strata.costs(), |_| random.random_range(0..3));
            let most = 2 * table.length();
            strata.fill(&table, &steps, most);
            let all = all_cuts(&table, &steps);
            let cost =
                |cut: &[Segment]| cut.iter().map(|segment| strata.costs.value(segment)).sum::<u32>() as usize;
            for (total, value) in strata.values().enumerate() {
                let of_total = all.iter().filter(|(cut, _)| cost(cut) == total);
                let best = of_total.clone().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
                assert_eq!(value, best, "round {round}, total {total}: {table:?}");
                if best > f64::NEG_INFINITY {
                    let cut = strata.cut(total, &table, &steps);
                    let found = of_total.clone().find(|(other, _)| *other == cut);
                    assert_eq!(found.map(|(_, value)| *value), Some(best), "round {round}, total {total}");
                }
            }
        }
    }
}
