//! The quadratic program behind every cutting-plane method: a concave quadratic over a product of simplices.
//!
//! Each block p (a group of examples, or one) has planes with values v_j = ⟨a_j, w⟩ + b_j at the current w and
//! coefficients β_j ≥ 0 that add up to the block's mass. w depends linearly on β (w = −Aβ/λ without a prox term), and
//! the dual objective has gradient v. Its gap, Σ_p (mass_p · max_j v_j − Σ_j β_j v_j), is a proof of how far β is from
//! the optimum, and is what [`solve`] stops on.
//!
//! The method moves mass between two planes of a block at a time: to the plane of largest value, from the one where
//! the exact line search gains most (sequential minimal optimisation with second-order selection; LibQP's, which BUNDLE
//! uses, is of this kind). It starts from whatever β is there. Two kinds of quadratics share it: a Gram matrix of few
//! dense planes ([`GramQuadratic`](super::GramQuadratic)), and explicit weights with many sparse planes (n-slack).

/// A block as the method sees it.
#[derive(Debug)]
pub struct Block<'a> {
    /// The value of each plane at the current w.
    pub values: &'a [f64],
    /// The coefficient of each plane.
    pub coefficients: &'a [f64],
}

impl Block<'_> {
    /// mass · max_j v_j − Σ_j β_j v_j, and the plane of the largest value.
    pub fn gap(&self) -> (f64, usize) {
        let mut best = (f64::NEG_INFINITY, 0);
        let (mut mass, mut mean) = (0.0, 0.0);
        for (j, (&v, &beta)) in self.values.iter().zip(self.coefficients).enumerate() {
            if v > best.0 {
                best = (v, j);
            }
            mass += beta;
            mean += beta * v;
        }
        ((mass * best.0 - mean).max(0.0), best.1)
    }
}

/// A concave quadratic in the coefficients, block by block.
pub trait Quadratic {
    /// The number of blocks.
    fn blocks(&self) -> usize;

    /// The planes of a block with their values at the current point.
    fn block(&mut self, block: usize) -> Block<'_>;

    /// The second derivative along "mass from `from` to `to`": ‖a_to − a_from‖² / λ.
    fn curvature(&self, block: usize, from: usize, to: usize) -> f64;

    /// Moves mass between two planes of a block. `whole` says that all of `from`'s mass goes.
    fn transfer(&mut self, block: usize, from: usize, to: usize, amount: f64, whole: bool);
}

/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QpOutcome {
    /// The duality gap of the quadratic program at the coefficients left behind.
    pub gap: f64,
    /// The number of transfers.
    pub steps: u64,
}

/// How much work a solve may do.
#[derive(Debug, Clone, Copy)]
pub struct QpLimits {
    /// Stop when the gap is at most this.
    pub gap: f64,
    /// Stop after this many transfers even so.
    pub steps: u64,
    /// Transfers in one visit of a block.
    pub steps_per_visit: usize,
}

/// Raises the dual until its gap is at most `limits.gap`.
///
/// Blocks that are nearly solved are passed over until the others are; the gap that is returned was measured over all
/// blocks at one point.
pub fn solve(quadratic: &mut impl Quadratic, limits: QpLimits) -> QpOutcome {
    let mut steps = 0;
    let mut active: Vec<usize> = Vec::new();
    let mut full_sweep = true;
    loop {
        if full_sweep {
            let mut gap = 0.0;
            active.clear();
            for p in 0..quadratic.blocks() {
                let (block_gap, _) = quadratic.block(p).gap();
                gap += block_gap;
                if block_gap > 0.0 {
                    active.push(p);
                }
            }
            if gap <= limits.gap || steps >= limits.steps {
                return QpOutcome { gap, steps };
            }
        }
        let steps_before = steps;
        let mut seen_gap = 0.0;
        let small = 0.1 * limits.gap / active.len().max(1) as f64;
        active.retain(|&p| {
            let (gap, moved) = improve(quadratic, p, small, limits.steps_per_visit);
            seen_gap += gap;
            steps += moved;
            gap > small
        });
        if steps == steps_before && full_sweep {
            // No pair gains anything any more: this is as far as floating point goes.
            let gap = (0..quadratic.blocks()).map(|p| quadratic.block(p).gap().0).sum();
            return QpOutcome { gap, steps };
        }
        full_sweep = seen_gap <= 0.5 * limits.gap
            || active.is_empty()
            || steps >= limits.steps
            || steps == steps_before;
    }
}

/// Some transfers in one block; returns the block's gap before them and their number.
fn improve(quadratic: &mut impl Quadratic, p: usize, small: f64, most: usize) -> (f64, u64) {
    let mut first_gap = 0.0;
    for step in 0..most {
        let block = quadratic.block(p);
        let (gap, to) = block.gap();
        if step == 0 {
            first_gap = gap;
        }
        if gap <= small {
            return (first_gap, step as u64);
        }
        let top = block.values[to];
        let candidates: Vec<(usize, f64, f64)> = block
            .coefficients
            .iter()
            .zip(block.values)
            .enumerate()
            .filter(|&(_, (&beta, &v))| beta > 0.0 && v < top)
            .map(|(k, (&beta, &v))| (k, beta, top - v))
            .collect();
        let mut best = (0.0, 0, 0.0, false);
        for (from, beta, slope) in candidates {
            let curvature = quadratic.curvature(p, from, to);
            let whole = slope >= curvature * beta;
            let amount = if whole { beta } else { slope / curvature };
            let gain = amount * (slope - 0.5 * curvature * amount);
            if gain > best.0 {
                best = (gain, from, amount, whole);
            }
        }
        let (gain, from, amount, whole) = best;
        if gain <= 0.0 {
            return (first_gap, step as u64);
        }
        quadratic.transfer(p, from, to, amount, whole);
    }
    (first_gap, most as u64)
}
