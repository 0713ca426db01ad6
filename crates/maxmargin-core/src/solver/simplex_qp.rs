//! The quadratic program behind the bundle methods: a concave quadratic over a product of simplices.
//!
//! Each block p (a group of examples) has planes with values v_j = ⟨a_j, w⟩ + b_j at the current w and
//! coefficients β_j ≥ 0 that add up to the block's mass. w depends linearly on β (w = −Aβ/λ without a prox term), and
//! the dual objective has gradient v. Its gap, Σ_p (mass_p · max_j v_j − Σ_j β_j v_j), is a proof of how far β is from
//! the optimum, and is what [`solve`] stops on.
//!
//! The method moves mass between two planes of a block at a time: to the plane of largest value, from the one where
//! the exact line search gains most (sequential minimal optimisation with second-order selection; LibQP's, which BUNDLE
//! uses, is of this kind), and between such sweeps lets the quadratic improve all coefficients at once. It starts from
//! whatever β is there. The quadratic is a Gram matrix of few dense planes ([`GramQuadratic`](super::GramQuadratic)). Methods
//! with a model for each example hold their weights explicitly and use `block_ascent` instead.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

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

    /// The transfer to the plane `to` that gains most, where `curvature(from)` is the second derivative along it.
    pub(super) fn best_transfer(&self, to: usize, curvature: impl Fn(usize) -> f64) -> Option<Transfer> {
        let mut best: Option<Transfer> = None;
        for (from, (&beta, &value)) in self.coefficients.iter().zip(self.values).enumerate() {
            let slope = self.values[to] - value;
            if beta <= 0.0 || slope <= 0.0 {
                continue;
            }
            let curvature = curvature(from);
            let whole = slope >= curvature * beta;
            let amount = if whole { beta } else { slope / curvature };
            let gain = amount * (slope - 0.5 * curvature * amount);
            if gain > best.as_ref().map_or(0.0, |best| best.gain) {
                best = Some(Transfer { from, amount, whole, gain });
            }
        }
        best
    }
}

/// A transfer that an exact line search found.
pub(super) struct Transfer {
    pub(super) from: usize,
    pub(super) amount: f64,
    /// Whether all of the plane's mass goes.
    pub(super) whole: bool,
    gain: f64,
}

/// A concave quadratic in the coefficients, one block of which is loaded at a time.
///
/// Transfers change the loaded block only; `unload` makes the rest of the quadratic know of them.
pub trait Quadratic {
    /// The number of blocks.
    fn blocks(&self) -> usize;

    /// Brings the values of a block up to date and makes it the loaded one.
    fn load(&mut self, block: usize);

    /// The loaded block.
    fn loaded(&self) -> Block<'_>;

    /// The second derivative along "mass from `from` to `to`" in the loaded block: ‖a_to − a_from‖² / λ.
    fn curvature(&self, from: usize, to: usize) -> f64;

    /// Moves mass between two planes of the loaded block. `whole` says that all of `from`'s mass goes.
    fn transfer(&mut self, from: usize, to: usize, amount: f64, whole: bool);

    /// Ends the work on the loaded block.
    fn unload(&mut self);

    /// Whether to break off: the coefficients are then feasible, but their gap may be large.
    fn is_halted(&self) -> bool {
        false
    }

    /// Improves the coefficients that have mass all together until their gap is well below `gap`, where the quadratic
    /// has a cheap way to do so.
    fn improve_jointly(&mut self, gap: f64) {
        let _ = gap;
    }
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

/// Sweeps over the active blocks before the gap is measured at one point again.
const SWEEPS: usize = 100;

/// A solve ends when the gap has not fallen by a tenth for this many measurements.
const STALE_ROUNDS: usize = 20;

/// Raises the dual until its gap is at most `limits.gap`.
///
/// Blocks that are nearly solved are passed over until the others are; the gap that is returned was measured over all
/// blocks at one point.
///
/// ```
/// use maxmargin_core::solver::simplex_qp::{QpLimits, solve};
/// use maxmargin_core::solver::GramQuadratic;
///
/// // One block with two planes, w + 1 and −w, in a single weight: the dual is β₁ − ½ (β₁ − β₂)².
/// let mut quadratic = GramQuadratic::new(1);
/// quadratic.push(0, &[1.0]);
/// quadratic.push(0, &[-1.0, 1.0]);
/// quadratic.set_objective(vec![1.0, 0.0], 1.0);
/// let outcome = solve(&mut quadratic, QpLimits { gap: 1e-9, steps: 1000, steps_per_visit: 10 });
/// assert!(outcome.gap <= 1e-9);
/// assert!((quadratic.coefficients()[0] - 0.75).abs() < 1e-6);
/// ```
pub fn solve(quadratic: &mut impl Quadratic, limits: QpLimits) -> QpOutcome {
    let small = 0.3 * limits.gap / quadratic.blocks().max(1) as f64;
    let mut active: Vec<usize> = Vec::new();
    let mut random = Pcg64Mcg::seed_from_u64(quadratic.blocks() as u64);
    // The last sweep's gaps, each measured when its block's turn came, against the gap at one point: what a sweep sees is
    // often much smaller than what is there.
    let (mut seen, mut seen_share) = (f64::INFINITY, 1.0);
    let mut steps = 0;
    let (mut least, mut rounds_since) = (f64::INFINITY, 0);
    loop {
        let gap = total_gap(quadratic, |p, gap| {
            if gap > small {
                active.push(p);
            }
        });
        if gap <= limits.gap || steps >= limits.steps || quadratic.is_halted() {
            return QpOutcome { gap, steps };
        }
        if gap < 0.9 * least {
            (least, rounds_since) = (gap, 0);
        } else if rounds_since == STALE_ROUNDS {
            // Transfers go on, but only rounding moves: this is as far as floating point goes.
            return QpOutcome { gap, steps };
        }
        rounds_since += 1;
        if seen.is_finite() && gap > 0.0 {
            seen_share = (seen / gap).clamp(0.01, 1.0);
        }
        let steps_before = steps;
        for _ in 0..SWEEPS {
            if active.is_empty() || steps >= limits.steps || quadratic.is_halted() {
                break;
            }
            seen = 0.0;
            let mut moved = 0;
            active.shuffle(&mut random);
            active.retain(|&p| {
                quadratic.load(p);
                let (gap, transfers) = improve(quadratic, small, limits.steps_per_visit);
                quadratic.unload();
                seen += gap;
                moved += transfers;
                gap > small && transfers > 0
            });
            steps += moved;
            quadratic.improve_jointly(limits.gap);
            if moved == 0 || seen <= 0.7 * seen_share * limits.gap {
                break;
            }
        }
        active.clear();
        if steps == steps_before {
            // No pair gains anything any more: this is as far as floating point goes.
            return QpOutcome { gap, steps };
        }
    }
}

/// The gap over all blocks at the current point; `visit` sees each block's share.
fn total_gap(quadratic: &mut impl Quadratic, mut visit: impl FnMut(usize, f64)) -> f64 {
    let mut total = 0.0;
    for p in 0..quadratic.blocks() {
        quadratic.load(p);
        let (gap, _) = quadratic.loaded().gap();
        visit(p, gap);
        total += gap;
    }
    total
}

/// Some transfers in the loaded block; returns the block's gap before them and their number.
fn improve(quadratic: &mut impl Quadratic, small: f64, most: usize) -> (f64, u64) {
    let mut first_gap = 0.0;
    for step in 0..most {
        let (gap, to) = quadratic.loaded().gap();
        if step == 0 {
            first_gap = gap;
        }
        // Later steps aim lower, so that a visit leaves the block better than "small".
        let enough = if step == 0 { small } else { 0.1 * small };
        let Some(Transfer { from, amount, whole, .. }) = (gap > enough)
            .then(|| quadratic.loaded().best_transfer(to, |from| quadratic.curvature(from, to)))
            .flatten()
        else {
            return (first_gap, step as u64);
        };
        quadratic.transfer(from, to, amount, whole);
    }
    (first_gap, most as u64)
}
