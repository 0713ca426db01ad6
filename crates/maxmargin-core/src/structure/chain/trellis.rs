//! A chain as a path through a trellis.
//!
//! A node for each position and label but the last, a source before them and a sink after them. An arc into a label
//! carries the features and the cost of that label, and those of the transition; all arcs of the last position end in
//! the sink, and tell by their number which label they stand for:
//!
//! | arcs | from | number |
//! | --- | --- | --- |
//! | position 0, label y | the source | `y` |
//! | position t > 0, label y after `before` | (t − 1, `before`) | `labels + (t − 1) · labels² + before · labels + y` |

use super::ChainStructure;
use crate::features::Rows;
use crate::inference::{Network, NetworkArc};
use crate::linear::{FeatureSum, add_row_products};
use crate::structure::{Flow, FlowPolytope};

impl ChainStructure {
    /// The number of the first arc of a position.
    fn first_arc(&self, t: usize) -> usize {
        if t == 0 { 0 } else { self.labels + (t - 1) * self.labels * self.labels }
    }
}

impl Flow<Rows, Vec<u32>> for ChainStructure {
    fn arcs(&self, x: &Rows) -> usize {
        self.first_arc(x.len())
    }

    fn polytope(&self, x: &Rows, truth: &Vec<u32>) -> FlowPolytope {
        let (labels, length) = (self.labels as u32, x.len() as u32);
        if length == 0 {
            return FlowPolytope::default();
        }
        let sink = 1 + labels * (length - 1);
        let mut supplies = vec![0.0; sink as usize + 1];
        (supplies[0], supplies[sink as usize]) = (1.0, -1.0);
        let mut network = Network::new(supplies);
        let mut losses = Vec::with_capacity(self.arcs(x));
        let unit = self.options.loss.unit(truth.len());
        for (t, &truth) in (0..length).zip(truth) {
            let head = |y| if t + 1 == length { sink } else { 1 + t * labels + y };
            let tails = if t == 0 { 0..1 } else { 1 + (t - 1) * labels..1 + t * labels };
            for tail in tails {
                for y in 0..labels {
                    network.add(NetworkArc { tail, head: head(y), capacity: f64::INFINITY, weight: 1.0 });
                }
                self.options.loss.cost.for_each(truth, self.labels, |_, cost| losses.push(unit * cost));
            }
        }
        FlowPolytope::new(network, losses, self.label_flow(x, truth))
    }

    fn label_flow(&self, x: &Rows, y: &Vec<u32>) -> Vec<f64> {
        let mut flow = vec![0.0; self.arcs(x)];
        for (t, &label) in y.iter().enumerate() {
            let before = if t == 0 { 0 } else { y[t - 1] as usize };
            flow[self.first_arc(t) + before * self.labels + label as usize] = 1.0;
        }
        flow
    }

    fn arc_scores(&self, w: &[f64], x: &Rows, scores: &mut [f64]) {
        let labels = self.labels;
        let transitions = &w[self.starts.transitions..self.starts.first];
        for t in 0..x.len() {
            let (_, rest) = scores.split_at_mut(self.first_arc(t));
            // The unary scores go into the first row, from which the others are made.
            let (unary, others) = rest[..self.first_arc(t + 1) - self.first_arc(t)].split_at_mut(labels);
            match self.options.bias {
                true => unary.copy_from_slice(&w[self.starts.bias..self.starts.transitions]),
                false => unary.fill(0.0),
            }
            self.add_unary_products(w, x, t, unary);
            let add = |out: &mut [f64], w: &[f64]| out.iter_mut().zip(w).for_each(|(out, w)| *out += w);
            if self.options.boundary && t == 0 {
                add(unary, &w[self.starts.first..self.starts.last]);
            }
            if self.options.boundary && t + 1 == x.len() {
                add(unary, &w[self.starts.last..]);
            }
            if t > 0 {
                let (first, after_others) = transitions.split_at(labels);
                for (row, transition) in
                    others.chunks_exact_mut(labels).zip(after_others.chunks_exact(labels))
                {
                    row.copy_from_slice(unary);
                    add(row, transition);
                }
                add(unary, first);
                if self.pairs > 0 {
                    let arcs = self.first_arc(t)..self.first_arc(t + 1);
                    add_row_products(self.pair_row(x, t), w, &mut scores[arcs]);
                }
            }
        }
    }

    fn add_arc_features(&self, x: &Rows, arc: usize, sum: &mut dyn FeatureSum) {
        let labels = self.labels;
        let Some(later) = arc.checked_sub(labels) else {
            return self.add_position(x, 0, arc, 1.0, sum);
        };
        let (t, transition) = (1 + later / (labels * labels), later % (labels * labels));
        self.add_position(x, t, transition % labels, 1.0, sum);
        let pair = [(transition / labels) as u32, (transition % labels) as u32];
        self.add_step(x, t, pair, 1.0, sum);
    }

    fn add_flow_features(&self, x: &Rows, z: &[f64], sum: &mut [f64]) {
        let labels = self.labels;
        let mut into = vec![0.0; labels];
        for t in 0..x.len() {
            let arcs = &z[self.first_arc(t)..self.first_arc(t + 1)];
            into.fill(0.0);
            for row in arcs.chunks_exact(labels) {
                into.iter_mut().zip(row).for_each(|(into, z)| *into += z);
            }
            if t > 0 {
                let transitions = &mut sum[self.starts.transitions..self.starts.first];
                transitions.iter_mut().zip(arcs).for_each(|(sum, z)| *sum += z);
                if self.pairs > 0 {
                    for (pair, &z) in arcs.iter().enumerate().filter(|(_, z)| **z != 0.0) {
                        sum.add_row(self.pair_row(x, t), self.label_pairs(), pair, z);
                    }
                }
            }
            for (label, &z) in into.iter().enumerate().filter(|(_, z)| **z != 0.0) {
                self.add_position(x, t, label, z, sum);
            }
        }
    }
}
