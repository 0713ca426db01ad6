//! The risk as solvers see it: a sum of convex functions (but for ProbLoss), known through cutting planes only.
//!
//! R(w) = 1/n Σ_i c_i H_i(w). An [`Oracle`] answers, for an example and a point w, with a plane
//! `H_i(w') ≥ ⟨a, w'⟩ + b` for all w', tight at w up to what the search may have missed, and with an upper bound on
//! H_i(w). No solver ever sees a label. By contract H_i ≥ 0 everywhere (the truth itself costs nothing), so the zero plane
//! is always valid.

mod evaluation;
mod plane;
mod saddle;
mod structured;

pub use evaluation::{Evaluation, GroupPlane, Groups, evaluate};
pub use plane::Plane;
pub use saddle::Saddle;
pub use structured::StructuredRisk;

use std::ops::{AddAssign, Range};

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::linear::{CommonDirections, FeatureSum};

/// A point w = scale · direction: solvers that shrink their weights at each step change a number, not a vector.
#[derive(Debug, Clone, Copy)]
pub struct Point<'a> {
    /// The direction.
    pub direction: &'a [f64],
    /// The factor, at least 0.
    pub scale: f64,
}

impl<'a> From<&'a [f64]> for Point<'a> {
    fn from(direction: &'a [f64]) -> Self {
        Self { direction, scale: 1.0 }
    }
}

impl<'a> From<&'a Vec<f64>> for Point<'a> {
    fn from(direction: &'a Vec<f64>) -> Self {
        direction.as_slice().into()
    }
}

/// What an oracle says of H at one point: for one example, or summed over several with their weights.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Bounds {
    /// The value of the plane: H is at least this.
    pub value: f64,
    /// H is at most this.
    pub upper: f64,
}

impl AddAssign for Bounds {
    fn add_assign(&mut self, other: Self) {
        self.value += other.value;
        self.upper += other.upper;
    }
}

/// A sum of convex functions of w.
pub trait Risk: Sync {
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
    /// Whether an oracle costs much more than arithmetic with its planes, so that calls are to be saved.
    fn is_costly(&self) -> bool {
        false
    }
    /// The risk as a maximum over polytopes, where it is one: for margin rescaling of structures whose labels are flows.
    fn saddle(&self) -> Option<Box<dyn Saddle + '_>> {
        None
    }
    /// Directions that the slopes of all examples share, where those dominate.
    fn common_directions(&self) -> Option<&dyn CommonDirections> {
        None
    }
    /// How often the oracles have asked their structure so far: a search may ask many times for one plane.
    fn queries(&self) -> u64;
    /// What the searches remember of the examples, for a checkpoint.
    fn memory(&self) -> RiskMemory;
    /// Goes on with what another risk of the same examples remembered.
    fn remember(&self, memory: RiskMemory) -> Result<()>;
}

/// What a risk knows from before: the number of queries, and the memory of each example's search.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RiskMemory {
    queries: u64,
    /// λ and labels as [`Coded`](crate::structure::Coded) writes them; empty where searches remember nothing.
    examples: Vec<(f64, Vec<Vec<u32>>)>,
}

/// Answers with cutting planes, and does the arithmetic with those that a solver keeps.
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

    /// Adds `Σ_k factor_k · a_k` for planes of example i.
    fn add_slopes(&mut self, i: usize, planes: &[Plane], factors: &[(usize, f64)], sum: &mut dyn FeatureSum);

    /// Adds `Σ_k factor_k ⟨q, a_k⟩` for each common direction q and planes of example i.
    fn add_common_parts(&mut self, i: usize, planes: &[Plane], factors: &[(usize, f64)], parts: &mut [f64]) {
        let _ = (i, planes, factors, parts);
    }

    /// Adds the slopes c_i · a_i of the planes of some examples to `slope` and returns Σ c_i · b_i with Σ c_i · bounds.
    fn add_planes(&mut self, examples: Range<usize>, at: Point<'_>, slope: &mut [f64]) -> (f64, Bounds);
}
