//! The best cut where each class has segments of one width: a value for each end and class is all there is, and
//! `O(T · K²)` for T positions and K classes, however wide segments are.

use super::super::viterbi::first_maximum;
use super::{Segment, SegmentMemory};
use crate::linear::max_plus;

/// The cut with the largest sum of values and steps. `values` has a row for each last position, with a value for each class; `steps` and
/// what is returned are as for [`best_segments`](super::best_segments), with the same answer among equals.
pub fn best_segments_of_widths(
    values: &[f64],
    widths: &[u32],
    steps: &[f64],
    memory: &mut SegmentMemory,
    cut: &mut Vec<Segment>,
) -> bool {
    cut.clear();
    let classes = widths.len();
    let length = values.len() / classes.max(1);
    assert_eq!(values.len(), length * classes, "a value for each class");
    if length == 0 {
        return true;
    }
    let SegmentMemory { best, before } = memory;
    best.clear();
    best.resize(length * classes, f64::NEG_INFINITY);
    before.clear();
    before.resize(length * classes, 0.0);
    for (t, values) in values.chunks_exact(classes).enumerate() {
        let place = t * classes;
        if t > 0 {
            max_plus(&best[place - classes..place], steps, &mut before[place..place + classes]);
        }
        let best = &mut best[place..place + classes];
        for (class, ((best, value), &width)) in best.iter_mut().zip(values).zip(widths).enumerate() {
            if let Some(start) = (t + 1).checked_sub(width as usize) {
                *best = before[start * classes + class] + value;
            }
        }
    }
    let last = &best[(length - 1) * classes..];
    let mut class = first_maximum(last.iter().copied());
    if last[class] == f64::NEG_INFINITY {
        return false;
    }
    let mut end = length;
    loop {
        let start = end - widths[class] as usize;
        cut.push(Segment::new(start..end, class));
        if start == 0 {
            break;
        }
        end = start;
        let best = &best[(end - 1) * classes..end * classes];
        let column = steps[class..].iter().step_by(classes);
        class = first_maximum(best.iter().zip(column).map(|(best, step)| best + step));
    }
    cut.reverse();
    true
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::super::{SegmentTable, best_segments};
    use super::*;

    #[test]
    fn equals_the_cut_of_any_widths() {
        let mut random = Pcg64Mcg::seed_from_u64(3);
        let (mut memory, mut cut, mut other) = (SegmentMemory::default(), Vec::new(), Vec::new());
        let mut impossible = 0;
        for round in 0..2000 {
            let (length, classes) = (random.random_range(0..9), random.random_range(1..5));
            let widths: Vec<u32> = (0..classes).map(|_| random.random_range(1..4)).collect();
            // Small whole numbers, so that there are ties.
            let mut draw = |count: usize| -> Vec<f64> {
                (0..count).map(|_| f64::from(random.random_range(-2..3))).collect()
            };
            let (values, steps) = (draw(length * classes), draw(classes * classes));
            let mut table = SegmentTable::default();
            table.reset(length, 3, classes, f64::NEG_INFINITY);
            for last in 0..length {
                for class in 0..classes {
                    let width = widths[class] as usize;
                    if width <= last + 1 {
                        table.row_mut(last, width)[class] = values[last * classes + class];
                    }
                }
            }
            let expected = best_segments(&table, &steps, &mut memory, &mut other);
            let is_there = best_segments_of_widths(&values, &widths, &steps, &mut memory, &mut cut);
            assert_eq!((is_there, &cut), (expected, &other), "round {round}: {widths:?}, {values:?}");
            impossible += usize::from(!is_there);
        }
        assert!((10..1000).contains(&impossible), "{impossible}");
    }
}
