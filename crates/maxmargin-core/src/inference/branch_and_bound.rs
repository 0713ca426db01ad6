//! The exact maximum of any binary field, by branch and bound on the relaxation.
//!
//! [`RoofDual`] bounds what a branch can give, and decides labels without loss (persistency); a label that it leaves at a half
//! is tried both ways, depth first, so that each solve goes on from the flow of the one before. Once few halves remain, all
//! their sets are listed. Good sets are found on the way by rounding halves and flipping labels while that pays.
//!
//! Invariant: the score of each set is at most the best score found, or the bound of a branch that is still open (up to
//! rounding, 1e-12 of the sum of all numbers). The labels that the first relaxation leaves undecided are split into parts
//! that are not connected with each other, and each is searched by itself.

use super::dominance::{HALF, ON};
use super::roof_duality::scale;
use super::{AllSets, BinaryField, LabelGraph, RoofDual, relaxed_score};

/// With this many halves, listing their sets costs about as much as one relaxation.
const LISTED: usize = 13;

/// A set of labels with what is known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundedSet {
    /// Which labels are on.
    pub on: Vec<bool>,
    /// The score of this set.
    pub score: f64,
    /// No set scores more than this; the score itself when the set is proven to be best.
    pub bound: f64,
}

impl BoundedSet {
    /// A set that is known to be best.
    pub fn proven(on: Vec<bool>, score: f64) -> Self {
        Self { on, score, bound: score }
    }
}

/// Searches for best sets; working memory that is reused from field to field.
#[derive(Debug, Clone, Default)]
pub struct BranchAndBound {
    roof: RoofDual,
    sets: AllSets,
    /// The unaries of a part, with those of labels that are fixed in this branch so large that they decide.
    unary: Vec<f64>,
    nodes: Vec<u8>,
    trail: Vec<u32>,
    branches: Vec<Branch>,
    flips: Flips,
}

/// What is still to be tried: a label's value, after the first labels of the trail.
#[derive(Debug, Clone, Copy)]
struct Branch {
    trail: usize,
    label: usize,
    on: bool,
    bound: f64,
}

/// Labels that the relaxation leaves undecided and that are connected, as a field of their own.
struct Part {
    labels: Vec<u32>,
    graph: LabelGraph,
    unary: Vec<f64>,
    coupling: Vec<f64>,
}

impl Part {
    fn field(&self) -> BinaryField<'_> {
        BinaryField { graph: &self.graph, unary: &self.unary, coupling: &self.coupling }
    }

    /// A unary with which a label does not depend on others.
    fn decisive(&self, label: usize, on: bool) -> f64 {
        let couplings = self.graph.neighbours(label).iter().map(|n| self.coupling[n.1 as usize].abs());
        let size = 1.0 + 2.0 * couplings.sum::<f64>();
        if on { size } else { -size }
    }
}

impl BranchAndBound {
    /// A best set in which labels are as they are `fixed` (one entry per label, or none at all). After `most_nodes`
    /// relaxations the search ends with what it has.
    pub fn maximize(
        &mut self,
        field: BinaryField<'_>,
        fixed: &[Option<bool>],
        most_nodes: usize,
    ) -> BoundedSet {
        let mut nodes = Vec::new();
        self.roof.solve_fixed(field, fixed, &mut nodes);
        let mut on: Vec<bool> = nodes.iter().map(|&node| node == ON).collect();
        let scale = scale(field);
        let (mut left, mut missing) = (most_nodes.saturating_sub(1), 0.0);
        for part in parts(field, &nodes, scale) {
            let gap = self.search(&part, &mut left);
            missing += gap / scale;
            for (&label, &is_on) in part.labels.iter().zip(&self.flips.best) {
                on[label as usize] = is_on;
            }
        }
        let score = field.score(|i| on[i]);
        BoundedSet { on, score, bound: score + missing }
    }

    /// Leaves a set of the part's labels in `flips.best`, and returns how much more another set might score.
    fn search(&mut self, part: &Part, left: &mut usize) -> f64 {
        let field = part.field();
        let numbers = field.unary.iter().chain(field.coupling);
        let rounding = 1e-12 * numbers.map(|x| x.abs()).sum::<f64>();
        self.flips.start(field);
        self.trail.clear();
        self.branches.clear();
        self.unary.clone_from(&part.unary);
        if part.labels.len() <= LISTED {
            self.nodes.clear();
            self.nodes.resize(part.labels.len(), HALF);
            self.list(part);
            return 0.0;
        }
        self.roof.solve(field, &mut self.nodes);
        loop {
            // Fixed labels have the values that they are fixed to, so this is the relaxation of the branch.
            let bound = relaxed_score(field, &self.nodes);
            if bound > self.flips.score + rounding {
                self.branch(part, bound);
            }
            let branch = loop {
                match self.branches.pop() {
                    None => return 0.0,
                    Some(branch) if branch.bound > self.flips.score + rounding => break branch,
                    Some(_) => {}
                }
            };
            if *left == 0 {
                let open = self.branches.iter().fold(branch.bound, |open, branch| open.max(branch.bound));
                return (open - self.flips.score).max(0.0);
            }
            *left -= 1;
            for label in self.trail.drain(branch.trail..) {
                self.unary[label as usize] = part.unary[label as usize];
            }
            self.fix(part, branch.label, branch.on);
            self.roof.solve_again(BinaryField { unary: &self.unary, ..field }, &mut self.nodes);
        }
    }

    /// Improves on the best set with what the relaxation says, and adds what remains to be tried.
    fn branch(&mut self, part: &Part, bound: f64) {
        let field = part.field();
        let halves = self.nodes.iter().filter(|&&node| node == HALF).count();
        if halves <= LISTED {
            self.list(part);
            return;
        }
        self.flips.climb(field, &self.nodes);
        // What is decided here may stay so in both branches.
        for label in 0..self.nodes.len() {
            if self.nodes[label] != HALF && self.unary[label] == part.unary[label] {
                self.fix(part, label, self.nodes[label] == ON);
            }
        }
        let pull = |label: usize| {
            let half = |n: &&(u32, u32)| self.nodes[n.0 as usize] == HALF;
            let neighbours = field.graph.neighbours(label).iter().filter(half);
            neighbours.map(|n| field.coupling[n.1 as usize].abs()).sum::<f64>()
        };
        let undecided = (0..self.nodes.len()).filter(|&label| self.nodes[label] == HALF);
        let strongest = undecided.map(|label| (pull(label), label)).max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, label)) = strongest else { return };
        // The value in the best set comes last, and so is tried first.
        let likely = self.flips.best[label];
        for on in [!likely, likely] {
            self.branches.push(Branch { trail: self.trail.len(), label, on, bound });
        }
    }

    fn fix(&mut self, part: &Part, label: usize, on: bool) {
        self.unary[label] = part.decisive(label, on);
        self.trail.push(label as u32);
    }

    /// Decides the halves by listing their sets.
    fn list(&mut self, part: &Part) {
        let field = part.field();
        let halves: Vec<usize> = (0..self.nodes.len()).filter(|&i| self.nodes[i] == HALF).collect();
        let unary = |i: usize| {
            let on = field.graph.neighbours(halves[i]).iter().filter(|n| self.nodes[n.0 as usize] == ON);
            field.unary[halves[i]] + on.map(|n| field.coupling[n.1 as usize]).sum::<f64>()
        };
        let coupling =
            |j: usize, i: usize| field.graph.edge(halves[j], halves[i]).map_or(0.0, |e| field.coupling[e]);
        self.sets.fill_with(halves.len(), unary, coupling);
        let (set, _) = self.sets.best();
        for (place, &label) in halves.iter().enumerate() {
            self.nodes[label] = if set >> place & 1 == 1 { ON } else { 0 };
        }
        self.flips.climb(field, &self.nodes);
    }
}

/// The undecided labels in parts that are not connected; numbers are multiplied by `scale`.
fn parts(field: BinaryField<'_>, nodes: &[u8], scale: f64) -> Vec<Part> {
    let mut places = vec![u32::MAX; nodes.len()];
    let mut parts = Vec::new();
    for first in 0..nodes.len() {
        if nodes[first] != HALF || places[first] != u32::MAX {
            continue;
        }
        places[first] = 0;
        let mut labels = vec![first as u32];
        let mut next = 0;
        while next < labels.len() {
            for &(j, e) in field.graph.neighbours(labels[next] as usize) {
                let j = j as usize;
                if nodes[j] == HALF && places[j] == u32::MAX && field.coupling[e as usize] != 0.0 {
                    places[j] = labels.len() as u32;
                    labels.push(j as u32);
                }
            }
            next += 1;
        }
        let mut pairs = Vec::new();
        let mut unary = Vec::with_capacity(labels.len());
        for (place, &label) in labels.iter().enumerate() {
            let mut sum = scale * field.unary[label as usize];
            for &(j, e) in field.graph.neighbours(label as usize) {
                let coupling = scale * field.coupling[e as usize];
                match nodes[j as usize] {
                    ON => sum += coupling,
                    HALF if places[j as usize] > place as u32 && coupling != 0.0 => {
                        pairs.push(((place as u32, places[j as usize]), coupling));
                    }
                    _ => {}
                }
            }
            unary.push(sum);
        }
        pairs.sort_unstable_by_key(|pair| pair.0);
        let coupling = pairs.iter().map(|pair| pair.1).collect();
        let edges = pairs.into_iter().map(|pair| pair.0).collect();
        let graph = LabelGraph::new(labels.len(), edges).expect("edges of a graph");
        parts.push(Part { labels, graph, unary, coupling });
    }
    parts
}

/// Local search, and the best set that it has met.
#[derive(Debug, Clone, Default)]
struct Flips {
    best: Vec<bool>,
    score: f64,
    on: Vec<bool>,
    /// What each label adds to the set when it is on.
    gains: Vec<f64>,
}

impl Flips {
    fn start(&mut self, field: BinaryField<'_>) {
        self.best.clear();
        self.best.resize(field.graph.labels(), false);
        self.score = 0.0;
    }

    /// Starts from the labels that are on, and flips the label that gains most until none does.
    fn climb(&mut self, field: BinaryField<'_>, nodes: &[u8]) {
        self.on.clear();
        self.on.resize(nodes.len(), false);
        self.gains.clear();
        self.gains.extend_from_slice(field.unary);
        for label in (0..nodes.len()).filter(|&label| nodes[label] == ON) {
            self.flip(field, label);
        }
        // Each flip gains, so this ends; the limit is for gains that are nothing but rounding.
        for _ in 0..4 * nodes.len() {
            let gain = |label: usize| if self.on[label] { -self.gains[label] } else { self.gains[label] };
            let best = (0..nodes.len()).max_by(|&a, &b| gain(a).total_cmp(&gain(b)));
            match best.filter(|&label| gain(label) > 0.0) {
                Some(label) => self.flip(field, label),
                None => break,
            }
        }
        let score = field.score(|label| self.on[label]);
        if score > self.score {
            self.score = score;
            self.best.clone_from(&self.on);
        }
    }

    fn flip(&mut self, field: BinaryField<'_>, label: usize) {
        self.on[label] = !self.on[label];
        let sign = if self.on[label] { 1.0 } else { -1.0 };
        for &(j, e) in field.graph.neighbours(label) {
            self.gains[j as usize] += sign * field.coupling[e as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_searched_apart() -> crate::Result<()> {
        // Two frustrated triangles and a label by itself.
        let edges = vec![(0, 2), (2, 4), (0, 4), (1, 3), (3, 5), (1, 5)];
        let graph = LabelGraph::new(7, edges)?;
        let field = BinaryField { graph: &graph, unary: &[1.0; 7], coupling: &[-2.0; 6] };
        let mut nodes = Vec::new();
        RoofDual::default().solve(field, &mut nodes);
        let parts = parts(field, &nodes, 1.0);
        assert_eq!(parts.iter().map(|part| part.labels.clone()).collect::<Vec<_>>(), [[0, 2, 4], [1, 3, 5]]);
        let best = BranchAndBound::default().maximize(field, &[], 10);
        assert_eq!((best.score, best.bound), (3.0, 3.0));
        Ok(())
    }
}
