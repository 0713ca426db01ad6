//! The best cut of a sequence into segments with a class each (semi-Markov models; Sarawagi and Cohen 2004).
//!
//! A [`SegmentTable`] has a value for each segment: each end, length and class. Neighbouring segments add a step between their classes.
//! For each end, the best cut up to there that a segment of a class may follow is found once, and each length is then one addition
//! for each class: `O(T · K · (K + L))` for T positions, K classes and lengths up to L.

mod k_best;
mod max_marginals;
mod one_width;
mod strata;

pub use k_best::k_best_segments;
pub use max_marginals::best_cuts_elsewhere;
pub use one_width::best_segments_of_widths;
pub use strata::StratifiedSegments;

use super::viterbi::first_maximum;
use crate::linear::max_plus;

/// A segment: some consecutive positions, and their class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Segment {
    /// The first position.
    pub start: u32,
    /// The position after the last one.
    pub end: u32,
    /// The class.
    pub class: u32,
}

impl Segment {
    /// A segment of these positions. Numbers beyond 32 bits are those of no position and no class.
    pub fn new(positions: std::ops::Range<usize>, class: usize) -> Self {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self { start: number(positions.start), end: number(positions.end), class: number(class) }
    }

    /// How many positions it has.
    pub fn len(&self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    /// Whether it has no position.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its positions.
    pub fn positions(&self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value for each segment of a sequence, by its end, its length and its class; −∞ where there is no such segment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SegmentTable<V = f64> {
    classes: usize,
    longest: usize,
    values: Vec<V>,
}

impl<V: Copy> SegmentTable<V> {
    /// Makes it a table of so many positions and classes and of lengths up to `longest`, with one value everywhere.
    pub fn reset(&mut self, length: usize, longest: usize, classes: usize, value: V) {
        (self.classes, self.longest) = (classes, longest);
        self.values.clear();
        self.values.resize(length * longest * classes, value);
    }

    /// Makes it a table of so many positions: those that were there before keep their values, others have one value everywhere.
    pub(crate) fn set_length(&mut self, length: usize, value: V) {
        self.values.resize(length * self.longest * self.classes, value);
    }

    /// The values of all segments that end with a position, by length and class.
    pub(crate) fn ending_mut(&mut self, last: usize) -> &mut [V] {
        let size = self.longest * self.classes;
        &mut self.values[last * size..][..size]
    }

    /// Makes it a table of the same size as another one, with any values.
    pub(crate) fn take_size_of<W>(&mut self, other: &SegmentTable<W>)
    where
        V: Default,
    {
        (self.classes, self.longest) = (other.classes, other.longest);
        self.values.resize(other.values.len(), V::default());
    }

    /// The same table with other values.
    pub fn map_into<W: Copy>(&self, out: &mut SegmentTable<W>, value: impl FnMut(V) -> W) {
        (out.classes, out.longest) = (self.classes, self.longest);
        out.values.clear();
        out.values.extend(self.values.iter().copied().map(value));
    }

    /// The number of positions.
    pub fn length(&self) -> usize {
        self.values.len().checked_div(self.longest * self.classes).unwrap_or(0)
    }

    /// The longest segments.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// The longest segments that end at a position.
    pub fn longest_to(&self, last: usize) -> usize {
        self.longest.min(last + 1)
    }

    /// The values of all classes for the segments of a length whose last position is this.
    pub fn row(&self, last: usize, length: usize) -> &[V] {
        &self.values[self.place(last, length)..][..self.classes]
    }

    /// The same, to be changed.
    pub fn row_mut(&mut self, last: usize, length: usize) -> &mut [V] {
        let place = self.place(last, length);
        &mut self.values[place..][..self.classes]
    }

    /// The value of a segment.
    pub fn value(&self, segment: &Segment) -> V {
        self.row(segment.end as usize - 1, segment.len())[segment.class as usize]
    }

    fn place(&self, last: usize, length: usize) -> usize {
        (last * self.longest + length - 1) * self.classes
    }
}

/// Working memory of the decoders.
#[derive(Debug, Clone, Default)]
pub struct SegmentMemory {
    /// The best cut up to each position whose last segment has each class.
    best: Vec<f64>,
    /// What may come before a segment that starts at a position, by the segment's class.
    before: Vec<f64>,
}

/// The cut with the largest sum of values and steps, `steps` being `classes × classes`: before, after. Of equals the first class and
/// the shortest segment from the end. False where there is no cut at all. A sequence without positions has the empty cut.
pub fn best_segments(
    table: &SegmentTable,
    steps: &[f64],
    memory: &mut SegmentMemory,
    cut: &mut Vec<Segment>,
) -> bool {
    cut.clear();
    let (classes, length) = (table.classes, table.length());
    if length == 0 {
        return true;
    }
    forward(table, steps, memory);
    let last = &memory.best[(length - 1) * classes..];
    let mut class = first_maximum(last.iter().copied());
    if last[class] == f64::NEG_INFINITY {
        return false;
    }
    let mut end = length;
    while end > 0 {
        let value =
            |size: usize| table.row(end - 1, size)[class] + memory.before[(end - size) * classes + class];
        let size = 1 + first_maximum((1..=table.longest_to(end - 1)).map(value));
        cut.push(Segment::new(end - size..end, class));
        end -= size;
        if end > 0 {
            let best = &memory.best[(end - 1) * classes..end * classes];
            let column = steps[class..].iter().step_by(classes);
            class = first_maximum(best.iter().zip(column).map(|(best, step)| best + step));
        }
    }
    cut.reverse();
    true
}

/// Fills both tables of the memory.
fn forward(table: &SegmentTable, steps: &[f64], memory: &mut SegmentMemory) {
    let (classes, length) = (table.classes, table.length());
    let SegmentMemory { best, before } = memory;
    best.clear();
    best.resize(length * classes, f64::NEG_INFINITY);
    before.clear();
    before.resize(length * classes, 0.0);
    for t in 0..length {
        if t > 0 {
            max_plus(
                &best[(t - 1) * classes..t * classes],
                steps,
                &mut before[t * classes..(t + 1) * classes],
            );
        }
        let best = &mut best[t * classes..(t + 1) * classes];
        for size in 1..=table.longest_to(t) {
            let before = &before[(t + 1 - size) * classes..];
            for ((best, before), value) in best.iter_mut().zip(before).zip(table.row(t, size)) {
                *best = best.max(before + value);
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;

    /// Small whole numbers, so that there are ties, with segments that are not there.
    pub fn random_table(random: &mut Pcg64Mcg) -> (SegmentTable, Vec<f64>) {
        let (length, longest, classes) =
            (random.random_range(0..6), random.random_range(1..4), random.random_range(1..4));
        let mut table = SegmentTable::default();
        table.reset(length, longest, classes, 0.0);
        for value in &mut table.values {
            *value = f64::from(random.random_range(-3..4));
            if random.random_bool(0.2) {
                *value = f64::NEG_INFINITY;
            }
        }
        let steps = (0..classes * classes).map(|_| f64::from(random.random_range(-2..3))).collect();
        (table, steps)
    }

    /// All cuts, with their values.
    pub fn all_cuts(table: &SegmentTable, steps: &[f64]) -> Vec<(Vec<Segment>, f64)> {
        let mut open: Vec<(Vec<Segment>, f64)> = vec![(Vec::new(), 0.0)];
        let mut found = Vec::new();
        while let Some((cut, value)) = open.pop() {
            let start = cut.last().map_or(0, |segment| segment.end as usize);
            if start == table.length() {
                found.push((cut, value));
                continue;
            }
            for size in 1..=table.longest.min(table.length() - start) {
                for class in 0..table.classes {
                    let segment = Segment::new(start..start + size, class);
                    let step =
                        cut.last().map_or(0.0, |last| steps[last.class as usize * table.classes + class]);
                    let value = value + table.value(&segment) + step;
                    if value > f64::NEG_INFINITY {
                        let mut cut = cut.clone();
                        cut.push(segment);
                        open.push((cut, value));
                    }
                }
            }
        }
        found
    }

    #[test]
    fn no_cut_is_better() {
        let mut random = Pcg64Mcg::seed_from_u64(0);
        let (mut memory, mut cut) = (SegmentMemory::default(), Vec::new());
        let mut impossible = 0;
        for round in 0..2000 {
            let (table, steps) = random_table(&mut random);
            let all = all_cuts(&table, &steps);
            let best = all.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
            let is_there = best_segments(&table, &steps, &mut memory, &mut cut);
            assert_eq!(is_there, !all.is_empty(), "round {round}: {table:?}");
            impossible += usize::from(!is_there);
            if is_there {
                let value = all.iter().find(|(other, _)| *other == cut).map(|(_, value)| *value);
                assert_eq!(value, Some(best), "round {round}: {cut:?} of {table:?}");
            }
        }
        assert!((10..1000).contains(&impossible), "{impossible}");
    }
}
