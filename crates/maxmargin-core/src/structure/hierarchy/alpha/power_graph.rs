//! min Σ α^ρ where sums are at least 1, on any graph, by multiplicative updates.
//!
//! With μ on the simplex of leaves and c_n the sum of μ below n, Hölder's inequality gives Σ α^ρ ≥ (Σ c^q)^{−(ρ−1)} for every such α, where
//! q = ρ/(ρ−1); both are equal for α ∝ c^{1/(ρ−1)} at the best μ. By Jensen's inequality μ_l ← μ_l · (Σ_{n∈Ā(l)} α_n)^{−(ρ−1)}, scaled to 1, never
//! raises Σ c^q. Sums that have an upper limit too are for [`dual_ascent`](super::dual_ascent).

use super::leaf_multipliers::{Ascent, above_leaves, below_leaves};
use crate::inference::Hierarchy;

const MOST_UPDATES: usize = 20_000;

/// Weights whose sum of powers is proven to be the least up to this share are good enough.
const TOLERANCE: f64 = 1e-8;

/// The best weights; none where they do not keep the limit, or are not proven to be best.
pub(super) fn weights(hierarchy: &Hierarchy, rho: f64, limit: f64) -> Option<Vec<f64>> {
    let exponent = rho / (rho - 1.0);
    let mut ascent = Ascent::new(hierarchy);
    for _ in 0..MOST_UPDATES {
        let below = below_leaves(hierarchy, &ascent.multipliers);
        let weights: Vec<f64> = below.iter().map(|c| c.powf(1.0 / (rho - 1.0))).collect();
        let sums = above_leaves(hierarchy, &weights);
        let (least, most) =
            sums.iter().fold((f64::INFINITY, 0.0_f64), |(least, most), &sum| (least.min(sum), most.max(sum)));
        let powers: f64 = below.iter().map(|c| c.powf(exponent)).sum();
        // Scaled to sums of at least 1, against what the multipliers prove; both are powers of the same number.
        let (primal, dual) = (powers / least.powf(rho), powers.powf(1.0 - rho));
        if primal - dual <= TOLERANCE * primal {
            return (most <= limit * least).then(|| weights.iter().map(|weight| weight / least).collect());
        }
        if !(primal.is_finite() && dual > 0.0) {
            return None;
        }
        let factors = sums.iter().map(|sum| (sum / least).powf(1.0 - rho));
        ascent.update(factors, |multipliers| {
            -below_leaves(hierarchy, multipliers).iter().map(|c| c.powf(exponent)).sum::<f64>()
        });
    }
    None
}
