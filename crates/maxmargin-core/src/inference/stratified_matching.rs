//! The best matching of every loss, for graphs that are small or narrow.
//!
//! With a loss to be met exactly this is the exact matching problem, for which no polynomial method is known: the
//! Lagrangian finds the losses on the hull only. So this is a dynamic program that is exponential in the *width* of the
//! graph. Outer nodes (those of one side) come one after the other, and their edges one by one. An inner node is *open*
//! from its first edge to its last, and the width is the most inner nodes that are open at once: all of the smaller side
//! in a complete graph, few where edges only join nodes at similar places. A state says how many links each open node
//! has, and how many the outer node whose turn it is; for each state and each loss the table has the largest gain.
//! Taking an edge or not are the two ways to go on. With one link per node that is
//!
//! ```text
//! O(edges · 2^width · 2 · losses)
//! ```
//!
//! time, and as many bytes for the way back. What would need more than 2²⁴ (complete graphs beyond about 11 nodes on the
//! smaller side) is refused.
//!
//! Invariant: losses are whole numbers from 0; a set of links has the loss `start` + the costs of its edges, and no
//! subset of links may have one below 0.

use super::{Bipartite, LinkLimits};

/// The most decisions that are kept for the way back: 16 MB for each thread.
const MOST_CELLS: usize = 1 << 24;

/// One step of the program.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// An edge is taken or not; the open node at its inner end has this slot.
    Edge { edge: u32, slot: u32 },
    /// The turn of an outer node ends.
    EndOuter,
    /// An inner node has no edges left; its slot becomes free.
    Close { slot: u32 },
}

/// The table and its working memory.
#[derive(Debug, Clone, Default)]
pub struct StratifiedMatching {
    steps: Vec<Step>,
    shape: Shape,
    values: Vec<f64>,
    decisions: Vec<u8>,
    costs: Vec<i32>,
}

/// How the table is laid out: states × links of the outer node × losses.
#[derive(Debug, Clone, Copy, Default)]
struct Shape {
    /// One more than the most links of an inner and of an outer node.
    inner: usize,
    outer: usize,
    states: usize,
    losses: usize,
}

impl Shape {
    fn cells(&self) -> usize {
        self.states * self.outer * self.losses
    }

    /// The cells of one state and number of links.
    fn row(&self, state: usize, links: usize) -> usize {
        (state * self.outer + links) * self.losses
    }

    fn unit(&self, slot: u32) -> usize {
        self.inner.pow(slot)
    }

    fn links_at(&self, state: usize, slot: u32) -> usize {
        state / self.unit(slot) % self.inner
    }
}

impl StratifiedMatching {
    /// Whether a graph is small or narrow enough, with this many losses.
    pub fn fits(graph: &Bipartite, limits: LinkLimits, losses: usize) -> bool {
        [false, true].into_iter().any(|turned| plan(graph, limits, losses, turned, &mut Vec::new()).is_some())
    }

    /// Finds the largest gain for each loss below `losses`, where no link is a loss of `start` and each edge changes it by
    /// its cost. Returns false where the graph is too large.
    pub fn fill(
        &mut self,
        graph: &Bipartite,
        limits: LinkLimits,
        gains: &[f64],
        costs: &[i32],
        start: usize,
        losses: usize,
    ) -> bool {
        let mut turned_steps = Vec::new();
        let plain = plan(graph, limits, losses, false, &mut self.steps);
        let turned = plan(graph, limits, losses, true, &mut turned_steps);
        let cost = |plan: &Option<Shape>| plan.map_or(usize::MAX, |shape| shape.cells());
        if cost(&turned) < cost(&plain) {
            self.steps = turned_steps;
        }
        let Some(shape) = (if cost(&turned) < cost(&plain) { turned } else { plain }) else { return false };
        self.shape = shape;
        self.costs.clear();
        self.costs.extend_from_slice(costs);
        self.values.clear();
        self.values.resize(shape.cells(), f64::NEG_INFINITY);
        if let Some(value) = self.values.get_mut(start).filter(|_| start < losses) {
            *value = 0.0;
        }
        self.decisions.clear();
        for step in 0..self.steps.len() {
            match self.steps[step] {
                Step::Edge { edge, slot } => {
                    self.take_or_not(gains[edge as usize], costs[edge as usize], slot)
                }
                Step::EndOuter => self.end_outer(),
                Step::Close { slot } => self.close(slot),
            }
        }
        true
    }

    /// The largest gain for each loss from 0; −∞ where no set of links has it.
    pub fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.values[..self.shape.losses].iter().copied()
    }

    /// The links of largest gain with this loss, ascending.
    pub fn links(&self, mut loss: usize) -> Vec<u32> {
        let shape = self.shape;
        let (mut state, mut links_of_outer) = (0, 0);
        let mut end = self.decisions.len();
        let mut links = Vec::new();
        for step in self.steps.iter().rev() {
            match *step {
                Step::Edge { edge, slot } => {
                    end -= shape.cells();
                    if self.decisions[end + shape.row(state, links_of_outer) + loss] == 1 {
                        links.push(edge);
                        state -= shape.unit(slot);
                        links_of_outer -= 1;
                        loss = (loss as i64 - i64::from(self.costs[edge as usize])) as usize;
                    }
                }
                Step::EndOuter => {
                    end -= shape.states * shape.losses;
                    links_of_outer = usize::from(self.decisions[end + state * shape.losses + loss]);
                }
                Step::Close { slot } => {
                    end -= shape.states * shape.losses;
                    let links = usize::from(self.decisions[end + state * shape.losses + loss]);
                    state += links * shape.unit(slot);
                }
            }
        }
        links.sort_unstable();
        links
    }

    fn take_or_not(&mut self, gain: f64, cost: i32, slot: u32) {
        let shape = self.shape;
        let before = self.decisions.len();
        self.decisions.resize(before + shape.cells(), 0);
        let decisions = &mut self.decisions[before..];
        // From the last state to the first, so that each edge is taken once: what is read has not been written yet.
        for state in (0..shape.states).rev().filter(|&state| shape.links_at(state, slot) > 0) {
            for links in 1..shape.outer {
                let to = shape.row(state, links);
                let from = shape.row(state - shape.unit(slot), links - 1);
                let (sources, targets) = self.values.split_at_mut(to);
                let shift = cost.unsigned_abs() as usize;
                let length = shape.losses.saturating_sub(shift);
                let (from, to) = if cost < 0 { (from + shift, 0) } else { (from, shift) };
                let sources = &sources[from..from + length];
                let taken = &mut decisions[shape.row(state, links) + to..][..length];
                for ((source, target), taken) in sources.iter().zip(&mut targets[to..to + length]).zip(taken)
                {
                    let value = source + gain;
                    if value > *target {
                        (*target, *taken) = (value, 1);
                    }
                }
            }
        }
    }

    fn end_outer(&mut self) {
        let shape = self.shape;
        for state in 0..shape.states {
            for loss in 0..shape.losses {
                let mut best = 0;
                for links in 1..shape.outer {
                    if self.values[shape.row(state, links) + loss]
                        > self.values[shape.row(state, best) + loss]
                    {
                        best = links;
                    }
                }
                self.values[shape.row(state, 0) + loss] = self.values[shape.row(state, best) + loss];
                for links in 1..shape.outer {
                    self.values[shape.row(state, links) + loss] = f64::NEG_INFINITY;
                }
                self.decisions.push(best as u8);
            }
        }
    }

    fn close(&mut self, slot: u32) {
        let shape = self.shape;
        for state in 0..shape.states {
            let is_closed = shape.links_at(state, slot) == 0;
            for loss in 0..shape.losses {
                if !is_closed {
                    self.decisions.push(0);
                    continue;
                }
                let at = |links: usize| shape.row(state + links * shape.unit(slot), 0) + loss;
                let mut best = 0;
                for links in 1..shape.inner {
                    if self.values[at(links)] > self.values[at(best)] {
                        best = links;
                    }
                }
                self.values[at(0)] = self.values[at(best)];
                for links in 1..shape.inner {
                    self.values[at(links)] = f64::NEG_INFINITY;
                }
                self.decisions.push(best as u8);
            }
        }
    }
}

/// The steps with left nodes as the outer ones, or turned round; none where the table would be too large.
fn plan(
    graph: &Bipartite,
    limits: LinkLimits,
    losses: usize,
    turned: bool,
    steps: &mut Vec<Step>,
) -> Option<Shape> {
    let (outers, inners) =
        if turned { (graph.rights(), graph.lefts()) } else { (graph.lefts(), graph.rights()) };
    let (outer_limit, inner_limit) =
        if turned { (limits.right, limits.left) } else { (limits.left, limits.right) };
    let of_outer = |node: usize| if turned { graph.of_right(node) } else { graph.of_left(node) };
    let of_inner = |node: usize| if turned { graph.of_left(node) } else { graph.of_right(node) };
    let inner_end = |edge: u32| {
        let (left, right) = graph.ends(edge as usize);
        if turned { left } else { right }
    };
    let most = |limit: u32, degrees: &mut dyn Iterator<Item = usize>| {
        (limit as usize).min(degrees.max().unwrap_or(0)) + 1
    };
    let outer = most(outer_limit, &mut (0..outers).map(|node| of_outer(node).len()));
    let inner = most(inner_limit, &mut (0..inners).map(|node| of_inner(node).len()));
    if outer > usize::from(u8::MAX) || inner > usize::from(u8::MAX) {
        return None;
    }
    steps.clear();
    let mut left_over: Vec<usize> = (0..inners).map(|node| of_inner(node).len()).collect();
    let mut slot_of: Vec<Option<u32>> = vec![None; inners];
    let mut free: Vec<u32> = Vec::new();
    let mut slots = 0;
    let mut closed = Vec::new();
    for node in 0..outers {
        for &edge in of_outer(node) {
            let end = inner_end(edge);
            let slot = *slot_of[end].get_or_insert_with(|| {
                free.pop().unwrap_or_else(|| {
                    slots += 1;
                    slots - 1
                })
            });
            steps.push(Step::Edge { edge, slot });
            left_over[end] -= 1;
            if left_over[end] == 0 {
                closed.push(slot);
            }
        }
        steps.push(Step::EndOuter);
        for slot in closed.drain(..) {
            steps.push(Step::Close { slot });
            free.push(slot);
        }
    }
    let states = inner.checked_pow(slots).filter(|states| *states <= MOST_CELLS)?;
    let shape = Shape { inner, outer, states, losses };
    let cells = states.checked_mul(outer)?.checked_mul(losses)?.checked_mul(steps.len())?;
    (cells <= MOST_CELLS).then_some(shape)
}
