//! The k best sets of a field, from a solver that finds the best set with some labels fixed (Lawler 1972).
//!
//! A space of sets is described by labels that are fixed. Once its best set is taken, what remains of it falls into spaces
//! without overlap: for each free label, the sets that agree with the best one on the free labels before, and differ in this.
//!
//! Invariant: each set that was not taken is in exactly one open space, and scores at most the bound of that space.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::BoundedSet;

/// A part of all sets that waits to be split: the labels that are fixed in it, and its best set.
struct Space {
    best: BoundedSet,
    fixed: Vec<Option<bool>>,
    /// Of equal scores the space that was found first is split first, so that answers are reproducible.
    number: usize,
}

impl Ord for Space {
    fn cmp(&self, other: &Self) -> Ordering {
        // Adding 0.0 turns −0.0 into 0.0, which `total_cmp` would keep apart.
        let scores = (self.best.score + 0.0).total_cmp(&(other.best.score + 0.0));
        scores.then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for Space {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Space {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Space {}

/// The `k` best sets of `labels` labels, best first; fewer when there are fewer. A solver may answer with `None` where no set is as the
/// labels are fixed.
///
/// The bound of each holds for all sets but those before it: it is its score where the solver proves its answers. The solver is
/// asked about once per label and set.
pub fn k_best_sets<B: Into<Option<BoundedSet>>>(
    labels: usize,
    k: usize,
    mut solve: impl FnMut(&[Option<bool>]) -> B,
) -> Vec<BoundedSet> {
    let mut taken = Vec::new();
    if k == 0 {
        return taken;
    }
    let mut number = 0;
    let mut space = |fixed: &[Option<bool>]| {
        number += 1;
        let best = solve(fixed).into()?;
        Some(Space { best, fixed: fixed.to_vec(), number })
    };
    let mut open: BinaryHeap<Space> = space(&vec![None; labels]).into_iter().collect();
    while let Some(Space { mut best, mut fixed, .. }) = open.pop() {
        best.bound = open.iter().fold(best.bound, |bound, space| bound.max(space.best.bound));
        let split = taken.len() + 1 < k;
        for label in (0..labels).filter(|_| split) {
            if fixed[label].is_none() {
                fixed[label] = Some(!best.on[label]);
                open.extend(space(&fixed));
                fixed[label] = Some(best.on[label]);
            }
        }
        taken.push(best);
        if !split {
            break;
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sets_are_listed_once() {
        let solve = |fixed: &[Option<bool>]| {
            let on: Vec<bool> = fixed.iter().map(|fixed| fixed.unwrap_or(true)).collect();
            let score = on.iter().filter(|on| **on).count() as f64;
            BoundedSet::proven(on, score)
        };
        let sets = k_best_sets(3, 100, solve);
        assert_eq!(
            sets.iter().map(|set| set.score).collect::<Vec<_>>(),
            [3.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 0.0]
        );
        let mut different: Vec<_> = sets.iter().map(|set| set.on.clone()).collect();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), 8);
        assert!(k_best_sets(3, 0, solve).is_empty());
        assert_eq!(k_best_sets(0, 5, solve).len(), 1);
    }
}
