//! The shared norm (THESIS 6.6): weights α that the data choose, and what bounds the joint problem of weights and α.
//!
//! With q_n = ‖U_n‖² the norm is the least Σ q_n/α_n over A = {α ≥ 0, Σ_{n∈Ā(l)} α_n ≤ 1 for each leaf l} (6.23).
//!
//! The joint problem in (U, α) is convex. Where the risk is at least ⟨a, U⟩ + b, the least of λ/2 Σ ‖U_n‖²/α_n + ⟨a, U⟩ + b over both is
//! b − 1/(2λ) · max_{α∈A} Σ α_n ‖a_n‖²: every aggregated plane proves a lower bound by [`largest_sum`].

use super::super::blocks::check_weights;
use super::leaf_multipliers::{Ascent, above_leaves, below_leaves, scaled};
use super::{from_below, passed_down};
use crate::error::Result;
use crate::inference::Hierarchy;
use crate::linear::round_up;

/// The most updates of the multipliers of leaves.
const MOST_UPDATES: usize = 20_000;

/// Weights for which Σ q/α is proven to be the least up to this share are good enough.
const TOLERANCE: f64 = 1e-9;

/// A largest sum that is known up to this share is good enough.
const SUM_TOLERANCE: f64 = 1e-6;

/// Weights α, and what they are proven to be.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedAlpha {
    /// α of each node. A node with q_n = 0 has 0 where others on its ways have more: who wants all to be trained further adds a small
    /// number to all q.
    pub weights: Vec<f64>,
    /// Σ q_n/α_n, of nodes with q_n > 0.
    pub norm: f64,
    /// No α of A has a smaller one.
    pub least: f64,
}

/// The weights α for which Σ q_n/α_n is least: in closed form on trees (Algorithm 5, corrected), elsewhere by multiplicative updates.
///
/// ```
/// use maxmargin_core::inference::Hierarchy;
/// use maxmargin_core::structure::alpha::shared::best_alpha;
/// let tree = Hierarchy::forest(&[None, Some(0), Some(0)])?;
/// // √q of the root is 2, and those of its two leaves come to √(1² + 0²) = 1 together.
/// let best = best_alpha(&tree, &[4.0, 1.0, 0.0])?;
/// assert_eq!((best.weights[0], best.norm), (2.0 / 3.0, 9.0));
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
pub fn best_alpha(hierarchy: &Hierarchy, squares: &[f64]) -> Result<SharedAlpha> {
    check_weights("squared norms", squares, hierarchy.nodes())?;
    Ok(match hierarchy.is_tree() {
        true => on_tree(hierarchy, squares),
        false => on_graph(hierarchy, squares),
    })
}

/// Algorithm 5 as it should be: a subtree has the norm N/L where L reaches it, with N = (√q + √S)² and S = Σ_children N, and its root
/// keeps the share √q/(√q + √S).
fn on_tree(hierarchy: &Hierarchy, squares: &[f64]) -> SharedAlpha {
    // √N, the share that is kept and the one that is passed on; then the number of nodes on the longest way down.
    let known = from_below(hierarchy, [0.0; 4], |node, below: &[[f64; 4]]| {
        let root = squares[node as usize].sqrt();
        let children = || hierarchy.children(node).iter().map(|&child| below[child as usize]);
        if hierarchy.is_leaf(node) {
            return [root, 1.0, 0.0, 1.0];
        }
        let sum = children().map(|child| child[0] * child[0]).sum::<f64>().sqrt();
        let height = 1.0 + children().map(|child| child[3]).fold(0.0, f64::max);
        match root + sum {
            // Nobody needs anything here: whatever is left is shared out evenly.
            0.0 => [0.0, 1.0 / height, 1.0 - 1.0 / height, height],
            both => [both, root / both, sum / both, height],
        }
    });
    let weights = passed_down(hierarchy, |node| (known[node as usize][1], known[node as usize][2]));
    let least = hierarchy.roots().iter().map(|&root| known[root as usize][0].powi(2)).sum();
    SharedAlpha { weights, norm: least, least }
}

/// The dual: max over μ on the simplex of leaves of F(μ)², F = Σ_n √(q_n c_n) with c_n = Σ of μ below n. By Jensen's inequality F is at least
/// Σ_l √(μ_l ν_l) g_l at any other ν, with g_l = Σ_{n∈Ā(l)} √(q_n/c_n); so μ_l ← μ_l g_l², scaled to 1, never lowers it.
/// α = √(q/c) / max g lies in A.
fn on_graph(hierarchy: &Hierarchy, squares: &[f64]) -> SharedAlpha {
    let mut ascent = Ascent::new(hierarchy);
    let mut best = SharedAlpha { weights: vec![0.0; squares.len()], norm: f64::INFINITY, least: 0.0 };
    let value = |sums: &[f64]| squares.iter().zip(sums).map(|(q, c)| (q * c).sqrt()).sum::<f64>();
    for _ in 0..MOST_UPDATES {
        let sums = below_leaves(hierarchy, &ascent.multipliers);
        let ratio = |(q, c): (&f64, &f64)| if *q == 0.0 { 0.0 } else { (q / c).sqrt() };
        let ratios: Vec<f64> = squares.iter().zip(&sums).map(ratio).collect();
        let dual = value(&sums);
        let slopes = above_leaves(hierarchy, &ratios);
        let largest = slopes.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 {
            // All q are 0.
            let share = |node: &u32| 1.0 / hierarchy.ancestors(*node).len() as f64;
            let least = hierarchy.leaves().iter().map(share).fold(1.0, f64::min);
            return SharedAlpha { weights: vec![least; squares.len()], norm: 0.0, least: 0.0 };
        }
        best.least = best.least.max(dual * dual);
        if largest * dual < best.norm {
            best.norm = largest * dual;
            best.weights.clear();
            best.weights.extend(ratios.iter().map(|ratio| ratio / largest));
        }
        if best.norm - best.least <= TOLERANCE * best.norm {
            break;
        }
        let factors = slopes.iter().map(|slope| (slope / largest).powi(2));
        ascent.update(factors, |multipliers| value(&below_leaves(hierarchy, multipliers)));
    }
    best
}

/// An interval in which a number lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Between {
    /// It is at least this.
    pub low: f64,
    /// It is at most this.
    pub high: f64,
}

/// max_{α∈A} Σ_n α_n v_n for numbers v ≥ 0: exact on trees, f(n) = max(v_n, Σ_children f). Elsewhere it lies in an interval that is
/// proven from both sides.
///
/// ```
/// use maxmargin_core::inference::Hierarchy;
/// use maxmargin_core::structure::alpha::shared::largest_sum;
/// let tree = Hierarchy::forest(&[None, Some(0), Some(0)])?;
/// assert!((largest_sum(&tree, &[2.0, 1.5, 1.0])?.high - 2.5).abs() < 1e-12);
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
pub fn largest_sum(hierarchy: &Hierarchy, values: &[f64]) -> Result<Between> {
    check_weights("values", values, hierarchy.nodes())?;
    if hierarchy.is_tree() {
        let best = from_below(hierarchy, 0.0, |node, below: &[f64]| {
            let children = hierarchy.children(node).iter().map(|&child| below[child as usize]);
            children.sum::<f64>().max(values[node as usize])
        });
        let sum: f64 = hierarchy.roots().iter().map(|&root| best[root as usize]).sum();
        return Ok(Between { low: sum, high: round_up(sum, hierarchy.nodes() as f64) });
    }
    Ok(largest_sum_on_graph(hierarchy, values))
}

/// The dual is a cover: min Σ μ over μ ≥ 0 with c ≥ v. Any μ on the simplex proves max_n v_n/c_n. Σ (v_n/c_n)^p has the same minimum for
/// large p; again by Jensen's inequality μ_l ← μ_l G_l^{1/(p+1)} with G_l = Σ_{n∈Ā(l)} v_n^p/c_n^{p+1} never raises it, and the terms of G,
/// scaled into A, are weights that prove the other side. p is doubled when it brings no more.
fn largest_sum_on_graph(hierarchy: &Hierarchy, values: &[f64]) -> Between {
    let leaves = hierarchy.leaves().len();
    let mut multipliers = vec![1.0 / leaves as f64; leaves];
    let mut best = Between { low: 0.0, high: f64::INFINITY };
    let (mut power, mut before) = (2.0, f64::INFINITY);
    for update in 0..MOST_UPDATES {
        let sums = below_leaves(hierarchy, &multipliers);
        let ratio = |(v, c): (&f64, &f64)| if *v == 0.0 { 0.0 } else { v / c };
        let ratios: Vec<f64> = values.iter().zip(&sums).map(ratio).collect();
        let largest = ratios.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 {
            return Between { low: 0.0, high: 0.0 };
        }
        best.high = best.high.min(largest);
        let term =
            |(ratio, c): (&f64, &f64)| if *ratio == 0.0 { 0.0 } else { (ratio / largest).powf(power) / c };
        let terms: Vec<f64> = ratios.iter().zip(&sums).map(term).collect();
        let slopes = above_leaves(hierarchy, &terms);
        let steepest = slopes.iter().copied().fold(0.0, f64::max);
        let sum: f64 = terms.iter().zip(values).map(|(term, value)| term * value).sum();
        best.low = best.low.max(sum / steepest);
        if best.high - best.low <= SUM_TOLERANCE * best.high {
            break;
        }
        let moved =
            |(multiplier, slope): (&f64, &f64)| multiplier * (slope / steepest).powf(1.0 / (power + 1.0));
        multipliers = scaled(multipliers.iter().zip(&slopes).map(moved).collect());
        if update % 20 == 19 {
            let now = best.high - best.low;
            if now > 0.8 * before {
                power = f64::min(2.0 * power, 1e6);
            }
            before = now;
        }
    }
    let operations = 4.0 * hierarchy.nodes() as f64;
    Between { low: best.low, high: round_up(best.high, operations) }
}
