//! Both players of the saddle point: weights w against a flow z_i for each example.
//!
//! ```text
//! min_w max_z Φ(w, z) = λ/2 ‖w‖² + Σ_i ρ_i ( ⟨F_iᵀw + losses_i, z_i⟩ − ⟨F_iᵀw, truth_i⟩ + constant_i ),    ρ_i = c_i / n
//! ```
//!
//! Given z, the best weights are w(z) = −a(z) / λ with a(z) = Σ ρ_i F_i (z_i − truth_i), and D(z) = min_w Φ(w, z) is a
//! lower bound on F*, as long as each z_i is a flow. What a flow lacks by rounding is counted: if the violations of its
//! network's constraints add up to ε_i, then Φ is too high by at most ε_i times the largest potential of an optimal dual,
//! which is at most the number of nodes m_i times the largest |score| + |loss| of an arc. Scores at w differ from those at w(z)
//! by at most ‖w − w(z)‖ times the longest column ℓ_i of F_i, and Φ(w, z) = D(z) + λ/2 ‖w − w(z)‖², so that for every w
//!
//! ```text
//! F(w) ≥ D(z) − Σ ρ_i ε_i m_i s_i − k ‖w − w(z)‖ + λ/2 ‖w − w(z)‖² ≥ D(z) − Σ ρ_i ε_i m_i s_i − k²/(2λ),    k = Σ ρ_i ε_i m_i ℓ_i
//! ```
//!
//! with s_i the largest |score| + |loss| at w(z).
//!
//! Sums over examples are taken in blocks that depend on the data only, and in their order.

use std::ops::Range;

use rayon::prelude::*;

use super::mass;
use crate::linear::{add_scaled, round_up};
use crate::risk::{Risk, Saddle, norm_bound};

/// The most blocks into which examples are cut, each with a sum of its own.
const BLOCKS: usize = 16;

/// Numbers that the sums of all blocks may take together, where that is enough for two blocks.
const LARGEST_SUMS: usize = 1 << 22;

/// The examples in blocks of nearly equal size.
pub(super) fn blocks(risk: &dyn Risk) -> Vec<Range<usize>> {
    let (n, dim) = (risk.len(), risk.dim().max(1));
    let count = (LARGEST_SUMS / dim).clamp(2, BLOCKS).min(n.max(1));
    (0..count).map(|k| n * k / count..n * (k + 1) / count).collect()
}

/// Works on all examples in blocks. `work` gets an example and its state, and adds to the block's vector and numbers;
/// the sums of all blocks are returned.
pub(super) fn over_examples<T: Send, W: Default, const N: usize>(
    risk: &dyn Risk,
    states: &mut [T],
    work: impl Fn(usize, &mut T, &mut W, &mut [f64]) -> [f64; N] + Sync,
) -> (Vec<f64>, [f64; N]) {
    let mut rest = states;
    let mut parts = Vec::new();
    for block in blocks(risk) {
        let (part, others) = rest.split_at_mut(block.len());
        parts.push((block.start, part));
        rest = others;
    }
    let sums: Vec<(Vec<f64>, [f64; N])> = parts
        .into_par_iter()
        .map(|(start, states)| {
            let (mut sum, mut numbers) = (vec![0.0; risk.dim()], [0.0; N]);
            let mut workspace = W::default();
            for (i, state) in (start..).zip(states) {
                let more = work(i, state, &mut workspace, &mut sum);
                numbers.iter_mut().zip(more).for_each(|(number, more)| *number += more);
            }
            (sum, numbers)
        })
        .collect();
    let (mut total, mut numbers) = (vec![0.0; risk.dim()], [0.0; N]);
    for (sum, more) in &sums {
        add_scaled(&mut total, 1.0, sum);
        numbers.iter_mut().zip(more).for_each(|(number, more)| *number += more);
    }
    (total, numbers)
}

/// Adds ρ_i F_i (z − truth) to `sum`.
pub(super) fn add_difference(
    saddle: &dyn Saddle,
    (i, share): (usize, f64),
    z: &[f64],
    difference: &mut Vec<f64>,
    sum: &mut [f64],
) {
    let truth = &saddle.polytope(i).truth;
    difference.clear();
    difference.extend(z.iter().zip(truth).map(|(z, truth)| share * (z - truth)));
    saddle.add_flow_features(i, difference, sum);
}

/// What the flows of all examples prove.
pub(super) struct DualPoint {
    /// a(z): the best weights against the flows are −a(z) / λ.
    pub(super) slope: Vec<f64>,
    /// D(z), less what rounding may have added.
    pub(super) lower_bound: f64,
}

impl DualPoint {
    /// w(z).
    pub(super) fn weights(&self, lambda: f64) -> Vec<f64> {
        self.slope.iter().map(|a| -a / lambda).collect()
    }
}

/// What these flows prove.
pub(super) fn dual_point<'a>(
    risk: &dyn Risk,
    saddle: &dyn Saddle,
    lambda: f64,
    flow: impl Fn(usize) -> &'a [f64] + Sync,
) -> DualPoint {
    let mut states = vec![(); risk.len()];
    let (slope, [losses, size, steps]) = over_examples(risk, &mut states, |i, (), difference, sum| {
        let (flow, polytope, share) = (flow(i), saddle.polytope(i), mass(risk, i));
        add_difference(saddle, (i, share), flow, difference, sum);
        let size: f64 = polytope.losses.iter().zip(flow).map(|(loss, z)| (loss * z).abs()).sum();
        let steps: f64 = flow.iter().zip(&polytope.truth).map(|(z, truth)| (z - truth).abs()).sum();
        let size = polytope.constant.abs() + size;
        [share * polytope.loss(flow), share * size, share * saddle.longest_arc(i) * steps]
    });
    let mut dual = DualPoint { slope, lower_bound: 0.0 };
    let weights = dual.weights(lambda);
    let (_, [excess, reach, arcs]) = over_examples(risk, &mut states, |i, (), scores: &mut Vec<f64>, _| {
        let (flow, polytope) = (flow(i), saddle.polytope(i));
        let network = &polytope.network;
        scores.clear();
        scores.resize(flow.len(), 0.0);
        saddle.arc_scores(i, &weights, scores);
        let largest = scores.iter().zip(&polytope.losses).map(|(s, l)| s.abs() + l.abs()).fold(0.0, f64::max);
        let excess =
            mass(risk, i) * (network.excess(flow) + network.excess_rounding(flow)) * network.nodes() as f64;
        [excess * largest, excess * saddle.longest_arc(i), flow.len() as f64]
    });
    let norm = norm_bound(&weights);
    // Sums have a term for each arc, example and block. Those of a(z) may cancel: they are rounded at the size of their terms.
    let terms = arcs + (risk.len() + BLOCKS) as f64;
    let of_slope = 2.0 * f64::EPSILON * terms * steps / lambda;
    // So are scores, from which the largest potential comes.
    let scores = 2.0 * f64::EPSILON * terms * reach * (norm + of_slope);
    let infeasible = excess + scores + reach * reach / (2.0 * lambda);
    let length = norm + of_slope;
    let allowance = round_up(infeasible + 2.0 * f64::EPSILON * terms * size, terms);
    let square = round_up(0.5 * lambda * length * length, 8.0);
    dual.lower_bound = losses - square - allowance - 4.0 * f64::EPSILON * (losses.abs() + square);
    dual
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::features::{FeatureMatrix, Rows};
    use crate::risk::StructuredRisk;
    use crate::search::MarginSearch;
    use crate::structure::{Example, LabelCost, MulticlassStructure};

    /// Three examples with one feature: 1, and two large ones against each other. What the first flow gains, the small
    /// violations of the others take back from the weights, so that w(z) = 0 shows nothing of them.
    #[test]
    fn flows_that_are_not_quite_feasible_prove_no_more_than_is_true() {
        for (large, violation, lambda) in [(100.0, 1e-2, 1e-6), (1e6, 1e-11, 1e-7), (1e6, 1e-13, 1e-9)] {
            let features = Arc::new(FeatureMatrix::from_dense(&[[1.0], [large], [-large]]));
            let example = |(i, truth)| Example { input: Rows::new(&features, i..i + 1), truth, weight: 1.0 };
            let structure = MulticlassStructure::new(1, 2, false, LabelCost::ZeroOne).unwrap();
            let examples = (0..3).zip([0, 0, 1]).map(example).collect();
            let risk = StructuredRisk::new(structure, MarginSearch, examples).unwrap();
            let saddle = risk.saddle().unwrap();
            let share = large * violation;
            let flows = [[1.0 - share, share], [1.0 + violation, 0.0], [0.0, 1.0 + violation]];
            let dual = dual_point(&risk, saddle.as_ref(), lambda, |i| &flows[i][..]);
            let optimum = lambda / 4.0;
            assert!(dual.lower_bound <= optimum, "{} above {optimum}", dual.lower_bound);
        }
    }
}
