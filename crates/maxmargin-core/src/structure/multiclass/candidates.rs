//! The best label among candidates, and among all others.

use super::MulticlassStructure;
use crate::error::Result;
use crate::features::Rows;
use crate::structure::candidates::best_listed;
use crate::structure::{CandidateSets, Candidates, Found, LossFrom, Mix, Side};

impl Candidates<MulticlassStructure> for MulticlassStructure {
    fn check_sets(&self, _x: &Rows, sets: &CandidateSets) -> Result<()> {
        sets.check(1, self.labels)
    }

    fn has_outside(&self, sets: &CandidateSets) -> bool {
        sets.excludes_some(self.labels)
    }

    fn is_inside(&self, sets: &CandidateSets, y: &u32) -> bool {
        sets.allows(0, *y)
    }

    fn loss_from(&self, _x: &Rows, sets: &CandidateSets, from: LossFrom<'_, u32>, y: &u32) -> f64 {
        match from {
            LossFrom::Nothing => 0.0,
            LossFrom::Label(truth) => self.cost.cost(*truth, *y),
            LossFrom::Nearest => sets.nearest_cost(0, *y, |candidate| self.cost.cost(candidate, *y)),
        }
    }

    fn best_of(
        &self,
        x: &Rows,
        sets: &CandidateSets,
        side: Side,
        from: LossFrom<'_, u32>,
        scores: &mut Vec<f64>,
        mix: Mix,
    ) -> Option<Found<u32>> {
        let labels = (0..self.labels as u32).filter(|&y| sets.allows(0, y) == (side == Side::Inside));
        best_listed(
            labels.map(|y| Found::exactly(y, scores[y as usize], self.loss_from(x, sets, from, &y))),
            mix,
        )
    }
}
