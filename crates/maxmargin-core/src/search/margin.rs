//! Margin rescaling needs no search: one query of the λ-oracle at λ = 1 is exact.

use super::{Memory, Scene, Search, Violation};
use crate::structure::{Mix, Structure};
use crate::surrogate::Surrogate;

/// Loss-augmented decoding.
#[derive(Debug, Clone, Copy, Default)]
pub struct MarginSearch;

impl<S: Structure> Search<S> for MarginSearch {
    type Workspace = ();

    fn most_violated(
        &self,
        scene: Scene<'_, S>,
        _memory: &mut Memory<S::Label>,
        _workspace: &mut (),
    ) -> Violation<S::Label> {
        let Scene { structure, input, truth, scores, scale, noise, .. } = scene;
        let found = structure.maximize(input, truth, scores, Mix { score: scale, loss: 1.0 });
        let h = scale * (found.score - structure.score_of(input, scores, truth));
        let value = Surrogate::MARGIN.value(h, found.loss);
        // Rounding may make the oracle prefer a label that is worse than the truth, whose ψ is 0.
        let (label, offset, value) =
            if value < 0.0 { (truth.clone(), 0.0, 0.0) } else { (found.label, found.loss, value) };
        let (upper, rounding) = (value + found.missed, noise.of_margin());
        Violation { label, second: None, slope: 1.0, offset, value, upper, rounding, queries: 1 }
    }

    fn is_margin(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "exact"
    }
}
