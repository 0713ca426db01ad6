//! One cutting plane of one example, in the short form in which solvers keep it.

use serde::{Deserialize, Serialize};

/// A cutting plane of one example: `H_i(w) ≥ ⟨a, w⟩ + b` for every w.
///
/// Its slope a = factor · (φ(x_i, y) − φ(x_i, y_i)) is not written out: it may have thousands of entries where its label y
/// has a dozen. The [`Oracle`](super::Oracle) that found the plane multiplies and adds it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plane {
    /// The label y, as [`Coded`](crate::structure::Coded) writes it.
    pub(super) code: Box<[u32]>,
    /// The factor of the difference of features.
    pub(super) factor: f64,
    /// The value at w = 0.
    pub b: f64,
}

impl Plane {
    /// The length of the label's code.
    pub(crate) fn size(&self) -> usize {
        self.code.len()
    }
}
