//! Labels of a binary field that can be decided by looking at one label at a time.
//!
//! A label that does not pay even when all its helpful neighbours are on (unary_i + Σ_j max(0, c_ij) ≤ 0) is off, one that
//! pays although all its harmful neighbours are on (unary_i + Σ_j min(0, c_ij) ≥ 0) is on. Deciding a label moves its
//! couplings into its neighbours' unaries, which may decide them in turn.
//!
//! No optimum is lost, in the relaxation neither. Take any point of the local polytope. Off: setting μ_i and all μ_ij
//! to 0 gains −unary_i·μ_i − Σ c_ij·μ_ij ≥ −μ_i·(unary_i + Σ max(0, c_ij)) ≥ 0, because 0 ≤ μ_ij ≤ μ_i. On: setting μ_i to 1
//! and μ_ij to μ_j gains unary_i·(1 − μ_i) + Σ c_ij·(μ_j − μ_ij) ≥ (1 − μ_i)·(unary_i + Σ min(0, c_ij)) ≥ 0, because
//! 0 ≤ μ_j − μ_ij ≤ 1 − μ_i. Both points stay in the polytope.
//!
//! Invariant: an undecided label has `field` = unary + what neighbours that are on add + half of the couplings to undecided
//! neighbours, and `spread` = half of their absolute values. These are the numbers of the field in ±1 variables.

use super::{BinaryField, LabelGraph};

/// A label that is off, undecided or on: twice its value in the relaxation.
pub(super) const OFF: u8 = 0;
pub(super) const HALF: u8 = 1;
pub(super) const ON: u8 = 2;

/// Working memory, reused from field to field.
#[derive(Debug, Clone, Default)]
pub(super) struct Dominance {
    /// Half of the sum of the couplings of each label, and of their absolute values; they depend on the couplings only.
    half_sums: Vec<f64>,
    half_spreads: Vec<f64>,
    pub field: Vec<f64>,
    spread: Vec<f64>,
    pub states: Vec<u8>,
    /// Labels that are decided and whose neighbours do not know yet.
    news: Vec<u32>,
}

/// The edges of a label to larger ones: edges are sorted, so these lie together.
pub(super) fn later(graph: &LabelGraph, label: usize) -> std::ops::Range<usize> {
    let labels = graph.labels();
    if graph.is_complete() {
        // Computed, because looking it up would miss the cache once per label.
        let start = label * (2 * labels - label - 1) / 2;
        return start..start + labels - label - 1;
    }
    let neighbours = graph.neighbours(label);
    let later = &neighbours[neighbours.partition_point(|n| n.0 < label as u32)..];
    let start = later.first().map_or(0, |n| n.1 as usize);
    start..start + later.len()
}

/// A sum in eight parts, which the processor can work on at the same time.
pub(super) fn sum_in_lanes(values: &[f64], of: impl Fn(f64) -> f64) -> f64 {
    let (chunks, rest) = values.as_chunks::<8>();
    let mut lanes = [0.0; 8];
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, &value)| *lane += of(value));
    }
    rest.iter().map(|&value| of(value)).sum::<f64>() + lanes.iter().sum::<f64>()
}

impl Dominance {
    /// To be called when the couplings are new. Numbers are multiplied by `scale` throughout.
    pub fn prepare(&mut self, graph: &LabelGraph, coupling: &[f64], scale: f64) {
        let half = 0.5 * scale;
        for sums in [&mut self.half_sums, &mut self.half_spreads] {
            sums.clear();
            sums.resize(graph.labels(), 0.0);
        }
        let complete = graph.is_complete();
        for i in 0..graph.labels() {
            let edges = later(graph, i);
            let (neighbours, couplings) = (&graph.edges()[edges.clone()], &coupling[edges]);
            if complete {
                // The larger neighbours are all that follow: no indices, so that this vectorises.
                let sums = self.half_sums[i + 1..].iter_mut().zip(&mut self.half_spreads[i + 1..]);
                for (&c, (sums, spreads)) in couplings.iter().zip(sums) {
                    *sums += half * c;
                    *spreads += half * c.abs();
                }
            } else {
                for (&c, &(_, j)) in couplings.iter().zip(neighbours) {
                    self.half_sums[j as usize] += half * c;
                    self.half_spreads[j as usize] += half * c.abs();
                }
            }
            let sum = sum_in_lanes(couplings, |c| half * c);
            let spread = sum_in_lanes(couplings, |c| half * c.abs());
            self.half_sums[i] += sum;
            self.half_spreads[i] += spread;
        }
    }

    /// Decides what can be decided, given the labels that are `fixed` (all may change where this is empty).
    pub fn decide(&mut self, field: BinaryField<'_>, scale: f64, fixed: &[Option<bool>]) {
        let labels = field.graph.labels();
        self.field.clear();
        self.field.extend(self.half_sums.iter().zip(field.unary).map(|(sum, unary)| sum + scale * unary));
        self.spread.clone_from(&self.half_spreads);
        self.states.clear();
        self.states.resize(labels, HALF);
        self.news.clear();
        for (i, fixed) in fixed.iter().enumerate() {
            if let Some(on) = fixed {
                self.states[i] = if *on { ON } else { OFF };
                self.news.push(i as u32);
            }
        }
        for i in 0..labels {
            self.look_at(i);
        }
        if 2 * self.news.len() > labels {
            self.sum_again(field, scale);
        }
        while let Some(i) = self.news.pop() {
            let sign = if self.states[i as usize] == ON { 0.5 * scale } else { -0.5 * scale };
            for &(j, e) in field.graph.neighbours(i as usize) {
                let j = j as usize;
                if self.states[j] == HALF {
                    let c = sign * field.coupling[e as usize];
                    self.field[j] += c;
                    self.spread[j] -= c.abs();
                    self.look_at(j);
                }
            }
        }
    }

    fn look_at(&mut self, i: usize) {
        if self.states[i] != HALF {
            return;
        }
        let (field, spread) = (self.field[i], self.spread[i]);
        if field + spread <= 0.0 {
            self.states[i] = OFF;
        } else if field - spread >= 0.0 {
            self.states[i] = ON;
        } else {
            return;
        }
        self.news.push(i as u32);
    }

    /// Tells all news at once to the undecided labels, which is less work when they are the fewer.
    fn sum_again(&mut self, field: BinaryField<'_>, scale: f64) {
        self.news.clear();
        let half = 0.5 * scale;
        // Decisions made on the way would be old news to the labels before them: they wait for the end.
        for i in 0..self.states.len() {
            if self.states[i] == HALF {
                let (mut sum, mut spread) = (scale * field.unary[i], 0.0);
                for &(j, e) in field.graph.neighbours(i) {
                    let c = half * field.coupling[e as usize];
                    let state = self.states[j as usize];
                    sum += c * f64::from(state);
                    spread += if state == HALF { c.abs() } else { 0.0 };
                }
                (self.field[i], self.spread[i]) = (sum, spread);
            }
        }
        for i in 0..self.states.len() {
            self.look_at(i);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_spread_along_a_chain() -> crate::Result<()> {
        let graph = LabelGraph::new(4, vec![(0, 1), (1, 2), (2, 3)])?;
        let field = BinaryField { graph: &graph, unary: &[3.0, 0.5, 0.5, -5.0], coupling: &[-2.0, 1.0, 4.0] };
        let mut dominance = Dominance::default();
        dominance.prepare(&graph, field.coupling, 1.0);
        dominance.decide(field, 1.0, &[]);
        assert_eq!(dominance.states, [ON, OFF, ON, OFF]);
        dominance.decide(field, 1.0, &[None, None, None, Some(true)]);
        assert_eq!(dominance.states, [ON, OFF, ON, ON]);
        Ok(())
    }

    #[test]
    fn a_frustrated_triangle_is_left_alone() {
        let graph = LabelGraph::complete(3).unwrap();
        let field = BinaryField { graph: &graph, unary: &[1.0; 3], coupling: &[-2.0; 3] };
        let mut dominance = Dominance::default();
        dominance.prepare(&graph, field.coupling, 1.0);
        dominance.decide(field, 1.0, &[]);
        assert_eq!(dominance.states, [HALF; 3]);
        assert_eq!(dominance.field, [-1.0; 3]);
    }

    #[test]
    fn the_relaxation_keeps_its_value() -> Result<(), String> {
        use crate::inference::local_polytope::{PolytopeRow, maximize_relaxed};
        let graph = LabelGraph::complete(5).unwrap();
        let mut decided = 0;
        for seed in 0..200u64 {
            // Small integers, so that many conditions hold with equality.
            let number = |i: u64| ((seed * 31 + i).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) % 7;
            let unary: Vec<f64> = (0..5).map(|i| 2.0 * (number(i) as f64 - 3.0)).collect();
            let coupling: Vec<f64> = (5..15).map(|i| number(i) as f64 - 3.0).collect();
            let field = BinaryField { graph: &graph, unary: &unary, coupling: &coupling };
            let mut dominance = Dominance::default();
            dominance.prepare(&graph, &coupling, 1.0);
            dominance.decide(field, 1.0, &[]);
            let row = |(i, &state): (u32, &u8)| match state {
                OFF => Some(PolytopeRow { nodes: vec![(i, 1.0)], pairs: vec![], bound: 0.0 }),
                ON => Some(PolytopeRow { nodes: vec![(i, -1.0)], pairs: vec![], bound: -1.0 }),
                _ => None,
            };
            let rows: Vec<_> = (0..).zip(&dominance.states).filter_map(row).collect();
            decided += rows.len();
            let relaxed = |rows| maximize_relaxed(field.graph, field.unary, field.coupling, rows);
            let (free, bound) = (relaxed(&[])?.score, relaxed(&rows)?.score);
            assert!((free - bound).abs() < 1e-6, "{bound} for {free}: {:?}, {field:?}", dominance.states);
        }
        assert!(decided > 100);
        Ok(())
    }
}
