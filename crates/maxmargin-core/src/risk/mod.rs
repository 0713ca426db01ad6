//! The risk as solvers see it: a sum of convex functions (but for ProbLoss), known through cutting planes only.
//!
//! R(w) = 1/n Σ_i c_i H_i(w). An [`Oracle`] answers, for an example and a point w, with a plane
//! `H_i(w') ≥ ⟨a, w'⟩ + b` for all w', tight at w up to what the search may have missed, and with an upper bound on
//! H_i(w). No solver ever sees a label. By contract H_i ≥ 0 everywhere (the truth itself costs nothing), so the zero plane
//! is always valid.

mod candidates;
mod evaluation;
mod fingerprint;
mod part_risk;
mod plane;
mod saddle;
mod structured;

pub use candidates::{CandidateExample, CandidateOptions, CandidateProblem};
pub(crate) use evaluation::evaluate_fitting;
pub use evaluation::{Evaluation, GroupPlane, Groups, evaluate};
pub(crate) use fingerprint::fingerprint;
pub use part_risk::{PartAnswer, PartExample, PartRisk};
pub use plane::Plane;
pub use saddle::Saddle;
pub use structured::StructuredRisk;

use std::ops::{AddAssign, Range};
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::linear::{
    BlockNorm, CommonDirections, FeatureSum, large_norm_squared, norm_squared_roundings, round_up,
};
use crate::structure::{Magnitude, OracleCost};

/// A point w = scale · direction: solvers that shrink their weights at each step change a number, not a vector.
///
/// A bound on ‖w‖ comes with it, without which no upper bound is finite: rounding is known relative to ‖w‖ only.
#[derive(Debug, Clone, Copy)]
pub struct Point<'a> {
    pub(crate) direction: &'a [f64],
    pub(crate) scale: f64,
    pub(crate) norm: f64,
    pub(crate) is_precise: bool,
}

impl<'a> Point<'a> {
    /// The direction.
    pub fn direction(&self) -> &'a [f64] {
        self.direction
    }

    /// The factor.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// At least ‖w‖; infinite where nobody asks for upper bounds.
    pub fn norm(&self) -> f64 {
        self.norm
    }

    /// Whether scores are computed with twice the digits.
    pub fn is_precise(&self) -> bool {
        self.is_precise
    }

    /// A point whose norm is not known. Upper bounds there are infinite.
    pub fn unmeasured(direction: &'a [f64], scale: f64) -> Self {
        Self { direction, scale, norm: f64::INFINITY, is_precise: false }
    }

    /// The point so many times as far from 0; 0 itself where the factor is negative or no number.
    pub fn times(self, factor: f64) -> Self {
        let factor = factor.max(0.0);
        Self { scale: factor * self.scale, norm: round_up(factor * self.norm, 2.0), ..self }
    }

    /// The same point, with scores of twice the digits.
    pub fn precisely(self) -> Self {
        Self { is_precise: true, ..self }
    }
}

/// At least ‖w‖, whatever rounding does.
pub fn norm_bound(weights: &[f64]) -> f64 {
    let square = round_up(large_norm_squared(weights), norm_squared_roundings(weights.len()));
    // Squares of the smallest numbers are lost; none is larger than this.
    round_up((square + weights.len() as f64 * f64::MIN_POSITIVE).sqrt(), 2.0)
}

impl<'a> From<&'a [f64]> for Point<'a> {
    fn from(direction: &'a [f64]) -> Self {
        Self { direction, scale: 1.0, norm: norm_bound(direction), is_precise: false }
    }
}

impl<'a> From<&'a Vec<f64>> for Point<'a> {
    fn from(direction: &'a Vec<f64>) -> Self {
        direction.as_slice().into()
    }
}

/// What an oracle says of H at one point: for one example, or summed over several with their weights.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// The value of the plane: H is at least this, but for rounding.
    pub value: f64,
    /// H is at most this.
    pub upper: f64,
    /// The part of the upper bound that allows for rounding.
    pub rounding: f64,
    /// The part of the upper bound for which an inexact search accounts.
    pub missed: f64,
}

impl Bounds {
    /// What a search found, an upper bound but for rounding, and what rounding comes to.
    pub fn new(value: f64, upper: f64, rounding: f64) -> Self {
        Self { value, upper: upper.max(value) + rounding, rounding, missed: (upper - value).max(0.0) }
    }

    /// The same times a number ≥ 0.
    pub fn times(self, factor: f64) -> Self {
        let Self { value, upper, rounding, missed } = self;
        Self {
            value: factor * value,
            upper: factor * upper,
            rounding: factor * rounding,
            missed: factor * missed,
        }
    }

    /// With the upper bound raised by what so many operations on the way to it may have rounded off.
    pub fn raised(self, operations: f64) -> Self {
        let upper = round_up(self.upper, operations);
        Self { upper, rounding: self.rounding + (upper - self.upper), ..self }
    }
}

impl AddAssign for Bounds {
    fn add_assign(&mut self, other: Self) {
        self.value += other.value;
        self.upper += other.upper;
        self.rounding += other.rounding;
        self.missed += other.missed;
    }
}

/// Which risk it is: no two in a process have the same. What a solver knows of one proves nothing about another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RiskId(u64);

impl RiskId {
    /// One that no other risk has.
    #[expect(clippy::new_without_default, reason = "no two are equal")]
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A sum of convex functions of w.
///
/// Certificates rest on what a risk says of itself: weights that are finite and not negative, planes that hold, and bounds.
pub trait Risk: Sync {
    /// Which risk it is: made when the risk is, and the same ever after.
    fn id(&self) -> RiskId;
    /// The number of weights.
    fn dim(&self) -> usize;
    /// The number n of examples.
    fn len(&self) -> usize;
    /// Whether there is no example.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The weight c_i.
    fn weight(&self, i: usize) -> f64;
    /// How large the numbers of an example are.
    fn magnitude(&self, i: usize) -> Magnitude;
    /// At least as many roundings as there are, beside a few, in the factor of a plane's slope and in its offset: those of
    /// the loss. Planes hold when they are scaled down by so many.
    fn roundings(&self, i: usize) -> f64 {
        self.magnitude(i).terms
    }
    /// A new oracle with working memory of its own; one per thread.
    fn oracle(&self) -> Box<dyn Oracle + '_>;
    /// Whether the functions are convex. Where they are not, planes bound nothing, and there is no certificate.
    fn is_convex(&self) -> bool {
        true
    }
    /// How many variables the labels of all examples have: positions, members of sets, links.
    fn variables(&self) -> usize {
        self.len()
    }
    /// How many numbers the codes of the true labels of all examples have. Sets have fewer members than there may be.
    fn truth_numbers(&self) -> usize {
        self.variables()
    }
    /// What an oracle's call costs beside arithmetic with its planes.
    fn oracle_cost(&self) -> OracleCost {
        OracleCost::Low
    }
    /// The risk as a maximum over polytopes, where it is one: for margin rescaling of structures whose labels are flows.
    fn saddle(&self) -> Option<Box<dyn Saddle + '_>> {
        None
    }
    /// The norm of the weights, where it is another than the Euclidean one.
    fn norm(&self) -> Option<&dyn BlockNorm> {
        None
    }
    /// The same risk with features scaled by √α_n in each block of its [norm](Self::norm), where it has one. An α of 0 takes a block away.
    fn scaled(&self, alpha: &[f64]) -> Option<Box<dyn Risk + '_>> {
        let _ = alpha;
        None
    }
    /// Directions that the slopes of all examples share, where those dominate.
    fn common_directions(&self) -> Option<&dyn CommonDirections> {
        None
    }
    /// How often the oracles have asked their structure so far: a search may ask many times for one plane.
    fn queries(&self) -> u64;
    /// A number that tells it from other risks of the same shape, the same whenever the same risk is made: from the planes of all
    /// examples at one point. A risk that knows its examples can say it faster.
    fn fingerprint(&self) -> u64 {
        fingerprint::of_planes(self, 0..self.len())
    }
    /// What the searches remember of the examples, for a checkpoint.
    fn memory(&self) -> RiskMemory;
    /// Goes on with what another risk of the same examples remembered.
    fn remember(&self, memory: RiskMemory) -> Result<()>;
}

/// What a risk knows from before: the number of queries, and the memory of each example's search.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RiskMemory {
    /// How often the oracles have asked their structure.
    pub queries: u64,
    /// λ and labels as [`Coded`](crate::structure::Coded) writes them; empty where searches remember nothing.
    pub examples: Vec<(f64, Vec<Vec<u32>>)>,
}

/// Answers with cutting planes, and does the arithmetic with those that a solver keeps.
///
/// # Panics
///
/// Its methods are the innermost loop, and may panic for an example beyond [`Risk::len`], for a point with another number of weights
/// than [`Risk::dim`], and for planes that are not of this example and risk.
pub trait Oracle: Send {
    /// The plane of example i at a point, and bounds on H_i there (both without the weight c_i).
    fn plane(&mut self, i: usize, at: Point<'_>, plane: &mut Plane) -> Bounds;

    /// Appends the values ⟨a, w⟩ + b of other planes of example i at the point where [`plane`](Self::plane) was last asked for it:
    /// its scores are still there.
    fn values_there(&mut self, i: usize, planes: &[Plane], values: &mut Vec<f64>);

    /// Appends the values ⟨a, w⟩ + b of planes of example i.
    fn values(&mut self, i: usize, at: Point<'_>, planes: &[Plane], values: &mut Vec<f64>);

    /// The inner products of the slope of a plane of example i with those of others, and then with itself.
    fn products(&mut self, i: usize, plane: &Plane, others: &[Plane], products: &mut Vec<f64>);

    /// Adds `Σ_k factor_k · a_k` for planes of example i. Returns a bound on Σ_k |factor_k| ‖a_k‖, of the absolute values of all
    /// that is added: what its rounding is relative to.
    fn add_slopes(
        &mut self,
        i: usize,
        planes: &[Plane],
        factors: &[(usize, f64)],
        sum: &mut dyn FeatureSum,
    ) -> f64;

    /// Adds `Σ_k factor_k ⟨q, a_k⟩` for each common direction q and planes of example i.
    fn add_common_parts(&mut self, i: usize, planes: &[Plane], factors: &[(usize, f64)], parts: &mut [f64]) {
        let _ = (i, planes, factors, parts);
    }

    /// Adds the slopes c_i · a_i of the planes of some examples to `slope`, and returns what else they come to.
    fn add_planes(
        &mut self,
        examples: Range<usize>,
        at: Point<'_>,
        slope: &mut dyn FeatureSum,
    ) -> SummedPlanes;
}

/// What the planes of some examples come to, each with its weight, beside the sum of their slopes.
#[derive(Debug, Clone, Copy, Default)]
pub struct SummedPlanes {
    /// Σ c_i b_i.
    pub offset: f64,
    /// Σ c_i · bounds.
    pub bounds: Bounds,
    /// A bound on Σ c_i ‖a_i‖, of the absolute values of all that was added.
    pub length: f64,
    /// How often one entry of the sum of slopes can have been added to.
    pub additions: f64,
    /// A bound on what the slopes were rounded by before they were added.
    pub rounded: f64,
    /// The most [roundings](Risk::roundings) of an example.
    pub roundings: f64,
}

impl AddAssign for SummedPlanes {
    fn add_assign(&mut self, other: Self) {
        self.offset += other.offset;
        self.bounds += other.bounds;
        self.length += other.length;
        self.additions += other.additions;
        self.rounded += other.rounded;
        self.roundings = self.roundings.max(other.roundings);
    }
}
