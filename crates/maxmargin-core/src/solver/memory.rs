//! How much memory a solver will take at most, more or less: what a person wants to know before a long run.

use super::{Choice, Limits, SolverKind, SolverSettings};
use crate::risk::Risk;

/// The planes that block ascent keeps of an example on average, and what each takes beside its label.
const PLANES: usize = 8;
const PLANE: usize = 100;

/// The passes after which bundle methods have mostly ended: each adds its planes.
const PASSES: usize = 40;

impl Choice {
    /// The bytes that the solver itself will take at most, as an estimate: weights, averages and planes. `None` where nothing is known.
    pub fn memory(&self, risk: &dyn Risk, settings: &SolverSettings, limits: &Limits) -> Option<usize> {
        let vector = size_of::<f64>().saturating_mul(risk.dim());
        // At w = 0 only the loss counts, and the worst set has nearly all that it may have. Soon it is about as large as the true one.
        let numbers = risk.truth_numbers().saturating_mul(PLANES - 1).saturating_add(risk.variables());
        let of_labels = size_of::<u32>().saturating_mul(numbers);
        let of_examples = of_labels.saturating_add(PLANES * PLANE * risk.len());
        let passes = limits.max_passes.min(PASSES);
        let (vectors, planes) = match self.kind {
            SolverKind::Bcfw | SolverKind::Sdca => (2, of_examples),
            SolverKind::NSlack => (3, of_examples),
            SolverKind::Sgd => (7, 0),
            SolverKind::Bmrm | SolverKind::ProxBmrm | SolverKind::Auto => (4 + passes, 0),
            SolverKind::PBmrm | SolverKind::ProxPBmrm => {
                let groups = settings.groups.min(self.most_groups).min(risk.len());
                (4 + groups.saturating_mul(passes), 0)
            }
            SolverKind::Extragradient | SolverKind::SmallQp | SolverKind::Custom(_) => return None,
        };
        Some(vector.saturating_mul(vectors).saturating_add(planes))
    }
}
