//! The best cut that differs at each position: forward and backward in the (max, +) semiring.

use super::{Segment, SegmentMemory, SegmentTable, forward};
use crate::linear::max_plus;

/// For each position the value of the best cut that has another class there, or a segment that begins there where that of `cut` does
/// not, or the other way round; −∞ where there is none. `steps` as for [`best_segments`](super::best_segments).
pub fn best_cuts_elsewhere(table: &SegmentTable, steps: &[f64], cut: &[Segment]) -> Vec<f64> {
    let (classes, length) = (table.classes, table.length());
    let mut memory = SegmentMemory::default();
    forward(table, steps, &mut memory);
    let here: Vec<(usize, bool)> = cut
        .iter()
        .flat_map(|segment| {
            segment.positions().map(|t| (segment.class as usize, t == segment.start as usize))
        })
        .collect();
    let mut back = vec![0.0; classes * classes];
    for (from, row) in steps.chunks_exact(classes.max(1)).enumerate() {
        row.iter().enumerate().for_each(|(to, &step)| back[to * classes + from] = step);
    }
    let mut best = vec![f64::NEG_INFINITY; length];
    // What the best rest adds to a segment that ends before a position, by its class; what it is with a segment from there on.
    let mut after = vec![0.0; (length + 1) * classes];
    let mut from_here = vec![f64::NEG_INFINITY; length * classes];
    for end in (1..=length).rev() {
        if end < length {
            let (_, rest) = after.split_at_mut(end * classes);
            max_plus(&from_here[end * classes..(end + 1) * classes], &back, &mut rest[..classes]);
        }
        let after = &after[end * classes..(end + 1) * classes];
        for size in 1..=table.longest_to(end - 1) {
            let start = end - size;
            let row = table.row(end - 1, size);
            for (class, (&value, &after)) in row.iter().zip(after).enumerate() {
                let with_rest = value + after;
                let place = &mut from_here[start * classes + class];
                *place = place.max(with_rest);
                let whole = memory.before[start * classes + class] + with_rest;
                for (t, best) in (start..end).zip(&mut best[start..end]) {
                    if here.get(t) != Some(&(class, t == start)) {
                        *best = best.max(whole);
                    }
                }
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_pcg::Pcg64Mcg;

    use super::super::best_segments;
    use super::super::tests::{all_cuts, random_table};
    use super::*;

    #[test]
    fn others_are_those_of_enumeration() {
        let mut random = Pcg64Mcg::seed_from_u64(3);
        let mut cut = Vec::new();
        for round in 0..1000 {
            let (table, steps) = random_table(&mut random);
            if !best_segments(&table, &steps, &mut SegmentMemory::default(), &mut cut) {
                continue;
            }
            let all = all_cuts(&table, &steps);
            let at = |cut: &[Segment], t: usize| {
                cut.iter()
                    .find(|segment| segment.positions().contains(&t))
                    .map(|s| (s.class, s.start as usize == t))
            };
            for (t, value) in best_cuts_elsewhere(&table, &steps, &cut).into_iter().enumerate() {
                let others = all.iter().filter(|(other, _)| at(other, t) != at(&cut, t));
                let best = others.map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
                assert_eq!(value, best, "round {round}, position {t}: {table:?}");
            }
        }
    }
}
