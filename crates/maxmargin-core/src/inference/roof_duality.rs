//! The relaxed maximum of a binary field by maximum flow: roof duality (Hammer, Hansen & Simeone 1984; Boros & Hammer 2002).
//!
//! The linear program max Σ unary_i·μ_i + Σ coupling_e·μ_e over the local polytope 0 ≤ μ_ij ≤ min(μ_i, μ_j),
//! μ_ij ≥ μ_i + μ_j − 1 has an optimum whose μ_i are 0, ½ or 1. Labels that it sets to 0 or 1 have that value in some best
//! set of labels too (persistency), so that only halves are left to be decided by other means.
//!
//! First [`dominance`](super::dominance) removes what it can, in the common case nearly everything; flow decides about
//! the rest. A field of other unaries with the same couplings goes on from the last flow (Kohli & Torr 2007): changed
//! unaries only change the excesses.

use super::BinaryField;
use super::dominance::{Dominance, HALF, OFF, ON, later};
use super::max_flow::ConflictFlow;

/// Solves the relaxation of fields; working memory that is reused from field to field.
#[derive(Debug, Clone, Default)]
pub struct RoofDual {
    dominance: Dominance,
    flow: ConflictFlow,
    scale: f64,
    /// What the flow was computed for: the unaries, scaled, and the labels that are not part of it.
    unary: Vec<f64>,
    states: Vec<u8>,
}

impl RoofDual {
    /// Writes twice the values of an optimum to `nodes` (0, 1, 2 for 0, ½, 1), and returns its value; see [`relaxed_score`].
    pub fn solve(&mut self, field: BinaryField<'_>, nodes: &mut Vec<u8>) -> f64 {
        self.solve_fixed(field, &[], nodes)
    }

    /// As [`solve`](Self::solve), with labels that are fixed: one entry per label, or none at all.
    pub fn solve_fixed(
        &mut self,
        field: BinaryField<'_>,
        fixed: &[Option<bool>],
        nodes: &mut Vec<u8>,
    ) -> f64 {
        self.scale = scale(field);
        self.dominance.prepare(field.graph, field.coupling, self.scale);
        self.dominance.decide(field, self.scale, fixed);
        self.flow_anew(field);
        self.finish(field, nodes)
    }

    /// As [`solve`](Self::solve), faster where only the unaries differ from those of the last field.
    ///
    /// The graph and the couplings must be those of the last call: this is not checked.
    pub fn solve_again(&mut self, field: BinaryField<'_>, nodes: &mut Vec<u8>) -> f64 {
        let largest = largest(field.unary);
        let same_size = self.dominance.states.len() == field.graph.labels();
        if !same_size || largest * self.scale > MOST_GROWTH || self.scale > scale_of(largest) * MOST_GROWTH {
            return self.solve(field, nodes);
        }
        self.dominance.decide(field, self.scale, &[]);
        let undecided = || (0..field.graph.labels()).filter(|&i| self.dominance.states[i] == HALF);
        let known = undecided().all(|i| (self.flow.places[i] as usize) < self.flow.labels.len());
        // Labels that are decided by now make the old flow a detour.
        if known && 2 * undecided().count() >= self.flow.labels.len() {
            self.flow_on(field);
        } else {
            self.flow_anew(field);
        }
        self.finish(field, nodes)
    }

    fn flow_anew(&mut self, field: BinaryField<'_>) {
        let Self { dominance, flow, scale, .. } = self;
        flow.start(field, *scale, &dominance.states, &dominance.field);
        self.remember(field);
        self.flow.run(field.graph);
    }

    /// Continues with the labels of the last flow: it only has to hear how their unaries and the labels around them changed.
    fn flow_on(&mut self, field: BinaryField<'_>) {
        let Self { dominance, flow, scale, .. } = self;
        for (place, &label) in flow.labels.iter().enumerate() {
            flow.excess[place] += *scale * field.unary[label as usize] - self.unary[label as usize];
        }
        for (i, (&state, &before)) in dominance.states.iter().zip(&self.states).enumerate() {
            // Labels of the flow are undecided in `self.states`: what is decided about them now does not concern the flow.
            if state != before && before != HALF {
                let change = *scale * 0.5 * (f64::from(state) - f64::from(before));
                for &(j, e) in field.graph.neighbours(i) {
                    if let Some(excess) = flow.excess.get_mut(flow.places[j as usize] as usize) {
                        *excess += change * field.coupling[e as usize];
                    }
                }
            }
        }
        self.remember(field);
        self.flow.run(field.graph);
    }

    fn remember(&mut self, field: BinaryField<'_>) {
        self.unary.clear();
        self.unary.extend(field.unary.iter().map(|unary| self.scale * unary));
        self.states.clone_from(&self.dominance.states);
        for &label in &self.flow.labels {
            self.states[label as usize] = HALF;
        }
    }

    fn finish(&mut self, field: BinaryField<'_>, nodes: &mut Vec<u8>) -> f64 {
        nodes.clone_from(&self.states);
        self.flow.write(nodes);
        // What dominance decides about labels of an old flow is at least as good, and never a half.
        for (node, &state) in nodes.iter_mut().zip(&self.dominance.states) {
            if state != HALF {
                *node = state;
            }
        }
        relaxed_score(field, nodes)
    }
}

/// Unaries may grow or shrink by this factor against the couplings before scaled numbers lose their meaning.
const MOST_GROWTH: f64 = (1u64 << 20) as f64;

/// A power of two that brings the largest number of a field near 1, so that sums neither overflow nor vanish.
pub(super) fn scale(field: BinaryField<'_>) -> f64 {
    scale_of(largest(field.unary).max(largest(field.coupling)))
}

fn largest(values: &[f64]) -> f64 {
    let larger = |a: f64, b: f64| if b.abs() > a { b.abs() } else { a };
    let (chunks, rest) = values.as_chunks::<8>();
    let mut lanes = [0.0; 8];
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, &value)| *lane = larger(*lane, value));
    }
    rest.iter().chain(&lanes).fold(0.0, |a, &b| larger(a, b))
}

fn scale_of(largest: f64) -> f64 {
    let exponent = (largest.to_bits() >> 52) as i32 - 1023;
    2.0f64.powi((-exponent).clamp(-1022, 1022))
}

/// The value of a half-integral point of the local polytope, given twice its node values; pairs take their best values,
/// min(μ_i, μ_j) where the coupling is positive and max(0, μ_i + μ_j − 1) where it is not.
pub fn relaxed_score(field: BinaryField<'_>, nodes: &[u8]) -> f64 {
    let mut score = 0.0;
    for (i, &node) in nodes.iter().enumerate().filter(|(_, node)| **node != OFF) {
        let edges = later(field.graph, i);
        let (neighbours, couplings) = (&field.graph.edges()[edges.clone()], &field.coupling[edges]);
        // Twice the value of the pair: that of the other label next to one that is on; next to a half, half of it, rounded
        // up where the coupling is positive.
        let others = neighbours.iter().map(|n| nodes[n.1 as usize]).zip(couplings);
        let row: f64 = if node == ON {
            others.map(|(other, c)| 0.5 * f64::from(other) * c).sum()
        } else {
            others.map(|(other, &c)| 0.5 * f64::from((other + u8::from(c > 0.0)) / 2) * c).sum()
        };
        score += 0.5 * f64::from(node) * field.unary[i] + row;
    }
    score
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::LabelGraph;

    #[test]
    fn free_choices_are_made() {
        // All sets of equal labels that attract each other and gain nothing are as good: no half is needed.
        let graph = LabelGraph::complete(4).unwrap();
        let field = BinaryField { graph: &graph, unary: &[-1.5; 4], coupling: &[1.0; 6] };
        let mut nodes = Vec::new();
        assert_eq!(RoofDual::default().solve(field, &mut nodes), 0.0);
        assert!(!nodes.contains(&HALF), "{nodes:?}");
    }

    #[test]
    fn numbers_of_any_size_do() {
        let graph = LabelGraph::complete(3).unwrap();
        for size in [0.0f64, 1e-310, 1e-300, 1e300, 8e307] {
            let (unary, coupling) = ([size; 3], [-2.0 * size; 3]);
            let field = BinaryField { graph: &graph, unary: &unary, coupling: &coupling };
            let mut nodes = Vec::new();
            let value = RoofDual::default().solve(field, &mut nodes);
            assert!((value / 1.5 - size).abs() <= 1e-9 * size, "{size:e}: {value:e}, {nodes:?}");
        }
        let none = LabelGraph::independent(0);
        let nothing = BinaryField { graph: &none, unary: &[], coupling: &[] };
        assert_eq!(RoofDual::default().solve(nothing, &mut Vec::new()), 0.0);
        assert_eq!(RoofDual::default().solve_again(nothing, &mut Vec::new()), 0.0);
    }
}
