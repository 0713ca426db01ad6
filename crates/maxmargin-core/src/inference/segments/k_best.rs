//! The k best cuts, under values that are compared in two stages.
//!
//! Each position and class keeps its k best cuts so far. They are merged lazily, by a heap: first over the class of the segment before,
//! then over the length of the last one.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::{Segment, SegmentTable};
use crate::inference::Lexicographic;

/// A cut up to some position, by its value, the number of the list that it goes on from, and its rank in that list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Partial {
    value: Lexicographic,
    list: u32,
    rank: u32,
}

impl Ord for Partial {
    fn cmp(&self, other: &Self) -> Ordering {
        // Of equal values the first list comes first, so that answers are reproducible.
        self.value.cmp(&other.value).then_with(|| other.list.cmp(&self.list))
    }
}

impl PartialOrd for Partial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The k best of some lists that are sorted, with a value added to each.
fn merge(lists: &[(&[Partial], Lexicographic)], k: usize) -> Vec<Partial> {
    let entry = |list: usize, rank: usize| {
        let &(partials, more) = lists.get(list)?;
        let value = partials.get(rank)?.value + more;
        // What is not there, or is no number, is no cut.
        (value.first > f64::NEG_INFINITY).then_some(Partial { value, list: list as u32, rank: rank as u32 })
    };
    let mut heap: BinaryHeap<Partial> = (0..lists.len()).filter_map(|list| entry(list, 0)).collect();
    let mut found = Vec::new();
    while found.len() < k
        && let Some(next) = heap.pop()
    {
        found.push(next);
        heap.extend(entry(next.list as usize, next.rank as usize + 1));
    }
    found
}

/// The `k` best cuts, best first; fewer when there are fewer. `steps` as for [`best_segments`](super::best_segments). Segments
/// whose first value is −∞ are not there.
pub fn k_best_segments(
    table: &SegmentTable<Lexicographic>,
    steps: &[Lexicographic],
    k: usize,
) -> Vec<Vec<Segment>> {
    let (classes, length) = (table.classes, table.length());
    if length == 0 {
        return if k == 0 { Vec::new() } else { vec![Vec::new()] };
    }
    // The best cuts that end with each class at each position: by length; and what they follow: by the class before.
    let mut ends: Vec<Vec<Partial>> = Vec::with_capacity(length * classes);
    let begin = vec![Partial { value: Lexicographic::default(), list: 0, rank: 0 }];
    let mut before: Vec<Vec<Partial>> = vec![begin; classes];
    for t in 0..length {
        for class in 0..classes {
            if t > 0 {
                let lists: Vec<_> = (0..classes)
                    .map(|from| (&ends[(t - 1) * classes + from][..], steps[from * classes + class]))
                    .collect();
                before.push(merge(&lists, k));
            }
        }
        for class in 0..classes {
            let lists: Vec<_> = (1..=table.longest_to(t))
                .map(|size| (&before[(t + 1 - size) * classes + class][..], table.row(t, size)[class]))
                .collect();
            ends.push(merge(&lists, k));
        }
    }
    let none = Lexicographic::default();
    let lists: Vec<_> = ends[(length - 1) * classes..].iter().map(|list| (&list[..], none)).collect();
    let trace = |mut from: Partial| {
        let (mut cut, mut end) = (Vec::new(), length);
        loop {
            // The list is the class of the last segment, and the next one its length.
            let class = from.list as usize;
            let last = ends[(end - 1) * classes + class][from.rank as usize];
            let start = end - (last.list as usize + 1);
            cut.push(Segment::new(start..end, class));
            if start == 0 {
                cut.reverse();
                return cut;
            }
            from = before[start * classes + class][last.rank as usize];
            end = start;
        }
    };
    merge(&lists, k).into_iter().map(trace).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::SeedableRng;
    use rand_pcg::Pcg64Mcg;

    use super::super::tests::{all_cuts, random_table};
    use super::*;

    #[test]
    fn lists_are_those_of_enumeration() {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        for round in 0..1000 {
            let (table, steps) = random_table(&mut random);
            let value = |first: f64| Lexicographic { first, second: 0.0 };
            let mut values = SegmentTable::default();
            table.map_into(&mut values, value);
            let of_steps: Vec<_> = steps.iter().copied().map(value).collect();
            let mut all = all_cuts(&table, &steps);
            all.sort_by(|a, b| b.1.total_cmp(&a.1));
            for k in [0, 1, 2, 7, 1000] {
                let found = k_best_segments(&values, &of_steps, k);
                let worth =
                    |cut: &Vec<Segment>| all.iter().find(|(other, _)| other == cut).map(|(_, value)| *value);
                let worths: Vec<_> = found.iter().map(worth).collect();
                let wanted: Vec<_> = all.iter().take(k).map(|(_, value)| Some(*value)).collect();
                assert_eq!(worths, wanted, "round {round}, k = {k}: {table:?}");
                assert_eq!(found.iter().collect::<HashSet<_>>().len(), found.len());
            }
        }
    }
}
