//! The k best paths through a chain, under values that are compared in two stages.
//!
//! Each cell keeps its k best partial paths as (value, predecessor, rank at the predecessor); a heap merges the
//! predecessors' lists lazily, so a cell costs O(states + k log states). Values are pairs compared lexicographically:
//! that is what the two ends of a λ-oracle need (λ = 0: score, then loss; λ = ∞: loss, then score).

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::{Add, Sub};

use super::Steps;

/// A value with a second one that decides ties in the first.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Lexicographic {
    /// What is compared first.
    pub first: f64,
    /// What decides ties.
    pub second: f64,
}

impl Eq for Lexicographic {}

impl Ord for Lexicographic {
    fn cmp(&self, other: &Self) -> Ordering {
        // Adding 0.0 turns −0.0 into 0.0, which `total_cmp` would keep apart.
        (self.first + 0.0)
            .total_cmp(&(other.first + 0.0))
            .then_with(|| (self.second + 0.0).total_cmp(&(other.second + 0.0)))
    }
}

impl PartialOrd for Lexicographic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Add for Lexicographic {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { first: self.first + other.first, second: self.second + other.second }
    }
}

impl Sub for Lexicographic {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { first: self.first - other.first, second: self.second - other.second }
    }
}

/// A partial path that ends in a cell.
#[derive(Clone, Copy)]
struct Partial {
    value: Lexicographic,
    predecessor: u32,
    rank: u32,
}

/// A candidate in the merge; of equal values the smaller predecessor comes first, so that answers are reproducible.
#[derive(PartialEq, Eq)]
struct Candidate {
    value: Lexicographic,
    predecessor: std::cmp::Reverse<u32>,
    rank: u32,
    /// What the step from the predecessor is worth.
    step: Lexicographic,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.cmp(&other.value).then_with(|| self.predecessor.cmp(&other.predecessor))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The `k` best paths, best first; fewer when there are fewer. `unary` and `steps` as for [`viterbi`](super::viterbi).
pub fn k_best_viterbi(
    states: usize,
    unary: &[Lexicographic],
    steps: impl Steps<Lexicographic>,
    k: usize,
) -> Vec<(Vec<u32>, Lexicographic)> {
    let length = unary.len().checked_div(states).unwrap_or(0);
    if length == 0 || k == 0 {
        // An empty chain has one path: the empty one.
        return if k == 0 { Vec::new() } else { vec![(Vec::new(), Lexicographic::default())] };
    }
    let first = |&value: &Lexicographic| vec![Partial { value, predecessor: 0, rank: 0 }];
    let mut cells: Vec<Vec<Partial>> = unary[..states].iter().map(first).collect();
    for t in 1..length {
        for state in 0..states {
            let before = &cells[(t - 1) * states..t * states];
            let mut heap: BinaryHeap<Candidate> = steps
                .ways(t, state, before)
                .map(|(p, cell, step)| Candidate {
                    value: cell[0].value + step,
                    predecessor: std::cmp::Reverse(p as u32),
                    rank: 0,
                    step,
                })
                .collect();
            let mut cell = Vec::new();
            while cell.len() < k
                && let Some(Candidate { value, predecessor, rank, step }) = heap.pop()
            {
                let p = predecessor.0 as usize;
                let value_here = value + unary[t * states + state];
                cell.push(Partial { value: value_here, predecessor: predecessor.0, rank });
                if let Some(next) = before[p].get(rank as usize + 1) {
                    let value = next.value + step;
                    heap.push(Candidate { value, predecessor, rank: rank + 1, step });
                }
            }
            cells.push(cell);
        }
    }
    let mut ends: Vec<(Lexicographic, usize, usize)> = cells[(length - 1) * states..]
        .iter()
        .enumerate()
        .flat_map(|(state, cell)| cell.iter().enumerate().map(move |(rank, p)| (p.value, state, rank)))
        .collect();
    ends.sort_by_key(|end| std::cmp::Reverse(end.0));
    ends.truncate(k);
    ends.into_iter().map(|(value, state, rank)| (trace(states, &cells, length, state, rank), value)).collect()
}

fn trace(
    states: usize,
    cells: &[Vec<Partial>],
    length: usize,
    mut state: usize,
    mut rank: usize,
) -> Vec<u32> {
    let mut path = vec![0; length];
    for t in (0..length).rev() {
        path[t] = state as u32;
        let partial = cells[t * states + state][rank];
        (state, rank) = (partial.predecessor as usize, partial.rank as usize);
    }
    path
}
