//! One cutting plane of one example, in the short form in which solvers keep it.

use serde::{Deserialize, Serialize};

/// A cutting plane of one example: `H_i(w) ≥ ⟨a, w⟩ + b` for every w.
///
/// Its slope a = factor · (φ(x_i, y) − φ(x_i, y_i)) is not written out: it may have thousands of entries where its label y
/// has a dozen. (For a mix of two labels it is the sum of two such terms.) The [`Oracle`](super::Oracle) that found the plane multiplies and adds it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plane {
    /// The label y, as [`Coded`](crate::structure::Coded) writes it.
    pub(super) code: Box<[u32]>,
    /// The factor of the difference of features.
    pub(super) factor: f64,
    /// A second label with its factor, where the plane belongs to a mix of two.
    pub(super) second: Option<Box<(Box<[u32]>, f64)>>,
    /// The value at w = 0.
    pub b: f64,
}

impl Plane {
    /// The plane of a label, by its code, with the factor of its difference of features and the value at w = 0.
    pub fn new(code: &[u32], factor: f64, b: f64) -> Self {
        Self { code: code.into(), factor, second: None, b }
    }

    /// The same for a mix of two labels: a second one, with a factor of its own.
    pub fn with_second(self, code: &[u32], factor: f64) -> Self {
        Self { second: Some(Box::new((code.into(), factor))), ..self }
    }

    /// The labels, each with its factor.
    pub fn parts(&self) -> impl Iterator<Item = (&[u32], f64)> {
        let second = self.second.as_deref().map(|(code, factor)| (&**code, *factor));
        [(&*self.code, self.factor)].into_iter().chain(second)
    }

    /// The sum of the absolute values of the factors.
    pub fn length(&self) -> f64 {
        self.parts().map(|(_, factor)| factor.abs()).sum()
    }

    /// The length of the label's code.
    pub(crate) fn size(&self) -> usize {
        self.code.len()
    }
}
