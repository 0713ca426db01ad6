//! Searches: which label hurts most, and how much may have been missed.
//!
//! A search turns a structure's λ-oracle into the label that maximises a surrogate ψ(h(y), g(y)), where h is the margin
//! error and g the task loss. It knows nothing of features or weights: it sees scores. Its answer carries an upper
//! bound on the maximum, so that an inexact search widens a certificate instead of faking it.

mod margin;

pub use margin::MarginSearch;

use crate::structure::Structure;

/// The most violated label of one example, as a tangent of ψ in h.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation<L> {
    /// The label ŷ.
    pub label: L,
    /// ψ_h at ŷ: the factor of φ(x,ŷ) − φ(x,truth) in the plane. It is the same for every w when ψ is linear in h.
    pub slope: f64,
    /// What the plane is worth at w = 0: ψ − slope · h.
    pub offset: f64,
    /// ψ at ŷ: a lower bound on H_i(w).
    pub value: f64,
    /// An upper bound on H_i(w); equal to `value` when the search was exact.
    pub upper: f64,
}

/// A way to find the label that maximises a surrogate.
pub trait Search<S: Structure>: Sync {
    /// The most violated label for scores that stand for ⟨w, φ⟩ when multiplied by `scale`.
    fn most_violated(
        &self,
        structure: &S,
        input: &S::Input,
        truth: &S::Label,
        scores: &mut S::Scores,
        scale: f64,
    ) -> Violation<S::Label>;

    /// The name on the command line and in model files.
    fn name(&self) -> &'static str;
}
