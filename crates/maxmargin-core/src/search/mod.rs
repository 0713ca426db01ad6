//! Searches: which label hurts most, and how much may have been missed (SLACK §4, THESIS ch. 4–5).
//!
//! A search turns a structure's λ-oracle into the label that maximises a surrogate ψ(h(y), g(y)), where h is the margin
//! error and g the task loss. It knows nothing of features or weights: it sees a [`LabelPlane`], the labels of one example
//! as points (h, g). Its answer carries an upper bound on the maximum, so that an inexact search widens a certificate
//! instead of faking it.
//!
//! | search | for | finds |
//! | --- | --- | --- |
//! | [`MarginSearch`] | margin rescaling | the best label, by one query |
//! | stratified | every ψ, where losses are whole numbers | the best label |
//! | hull | every ψ that increases with h and g | the best label, or the best mix of two |
//! | angular | slack rescaling | the best label |
//! | bisecting, binary, sarawagi | slack rescaling | a label, and a bound on the best |
//!
//! The stratified search asks for a [`Stratified`](crate::structure::Stratified) structure, and Micro-F1 for
//! [`LabelSets`](crate::structure::LabelSets). All others work with the plain λ-oracle; hull and angular then find a label and a
//! bound on the best, and the best label itself where the structure has [`KBest`](crate::structure::KBest) or strata.

mod angular;
mod binary;
mod bisecting;
mod constrained_oracle;
mod findings;
mod hull;
mod label_plane;
mod margin;
mod memory;
mod sarawagi;
mod strategy;
mod stratified;
mod structure_plane;
mod surrogate_search;

pub use self::angular::Angle;
pub use self::findings::{Answer, Query};
pub use self::label_plane::{GaveUp, LabelPlane, Points, Spot, Stratum};
pub use self::margin::MarginSearch;
pub use self::memory::Memory;
pub(crate) use self::strategy::FRACTIONAL_PRECISION;
pub use self::strategy::{Strategy, search};
pub use self::surrogate_search::{SurrogateSearch, Workspace};

use crate::error::Result;
use crate::structure::{ScoreNoise, Structure};

/// The most violated label of one example, as a tangent of ψ in h.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation<L> {
    /// The label ŷ.
    pub label: L,
    /// A second label with its share, where the answer is a mix of two.
    pub second: Option<(L, f64)>,
    /// ψ_h at ŷ: the factor of φ(x,ŷ) − φ(x,truth) in the plane. It is the same for every w when ψ is linear in h.
    pub slope: f64,
    /// What the plane is worth at w = 0: ψ − slope · m, with m the margin error.
    pub offset: f64,
    /// ψ at ŷ: a lower bound on H_i(w), but for rounding.
    pub value: f64,
    /// An upper bound on H_i(w), but for rounding; equal to `value` when the search was exact.
    pub upper: f64,
    /// What rounding may hide beyond the upper bound: of the scores, and of the search.
    pub rounding: f64,
    /// Queries of λ-oracles that this took.
    pub queries: u32,
}

/// One example as a search sees it.
pub struct Scene<'a, S: Structure> {
    /// The number of the example.
    pub example: usize,
    /// The structure.
    pub structure: &'a S,
    /// What is given.
    pub input: &'a S::Input,
    /// What should be predicted.
    pub truth: &'a S::Label,
    /// Scores that stand for ⟨w, φ⟩ when multiplied by `scale`.
    pub scores: &'a mut S::Scores,
    /// The factor of the scores.
    pub scale: f64,
    /// What may be wrong with the scores times their factor.
    pub noise: ScoreNoise,
}

/// A way to find the label that maximises a surrogate.
pub trait Search<S: Structure>: Send + Sync {
    /// Working memory of one thread.
    type Workspace: Default + Send;

    /// The most violated label. `memory` is what the search knows of this example from before.
    fn most_violated(
        &self,
        scene: Scene<'_, S>,
        memory: &mut Memory<S::Label>,
        workspace: &mut Self::Workspace,
    ) -> Violation<S::Label>;

    /// Refuses a structure that lacks what this search asks of it.
    fn check(&self, structure: &S) -> Result<()> {
        let _ = structure;
        Ok(())
    }

    /// Refuses a truth for which this search would find no bounds.
    fn check_truth(&self, structure: &S, truth: &S::Label) -> Result<()> {
        let _ = (structure, truth);
        Ok(())
    }

    /// The largest ψ_h of all labels of an example, whatever the weights; infinite where ψ has no bound.
    fn steepest(&self, structure: &S, input: &S::Input, truth: &S::Label) -> f64 {
        let _ = (structure, input, truth);
        1.0
    }

    /// How many times the share by which a loss is wrong the slope and the offset of a plane may be wrong.
    fn sensitivity(&self) -> f64 {
        1.0
    }

    /// Whether anything is kept in an example's memory.
    fn remembers(&self) -> bool {
        false
    }

    /// Whether what it maximises is convex in the weights. Where it is not, its answers bound nothing, and there is no certificate.
    fn is_convex(&self) -> bool {
        true
    }

    /// Whether it searches for the label of margin rescaling, exactly or not.
    fn is_margin(&self) -> bool {
        false
    }

    /// The name on the command line and in model files.
    fn name(&self) -> &'static str;
}
