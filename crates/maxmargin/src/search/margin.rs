//! Margin rescaling needs no search: one query of the λ-oracle at λ = 1 is exact.

use super::{Search, Violation};
use crate::structure::{Mix, Structure};
use crate::surrogate::MarginRescaling;

/// Loss-augmented decoding.
#[derive(Debug, Clone, Copy, Default)]
pub struct MarginSearch;

impl<S: Structure> Search<S> for MarginSearch {
    fn most_violated(
        &self,
        structure: &S,
        input: &S::Input,
        truth: &S::Label,
        scores: &mut S::Scores,
        scale: f64,
    ) -> Violation<S::Label> {
        let found = structure.maximize(input, truth, scores, Mix { score: scale, loss: 1.0 });
        let h = scale * (found.score - structure.score_of(input, scores, truth));
        let value = MarginRescaling.value(h, found.loss);
        if value < 0.0 {
            // Rounding made the oracle prefer a label that is worse than the truth, whose ψ is 0.
            return Violation { label: truth.clone(), slope: 1.0, offset: 0.0, value: 0.0, upper: 0.0 };
        }
        Violation { label: found.label, slope: 1.0, offset: found.loss, value, upper: value }
    }

    fn name(&self) -> &'static str {
        "exact"
    }
}
