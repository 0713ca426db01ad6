//! The best node among candidates, and among all others that are labels.

use super::{NodeScores, NodeStructure};
use crate::error::{Error, Result};
use crate::features::Rows;
use crate::structure::candidates::best_listed;
use crate::structure::{CandidateSets, Candidates, Found, LossFrom, Mix, Side};

impl NodeStructure {
    /// The nodes that are candidates: all labels where none is named.
    fn candidates_of<'a>(&'a self, sets: &'a CandidateSets) -> &'a [u32] {
        if sets.of(0).is_empty() { self.labels() } else { sets.of(0) }
    }
}

impl Candidates<NodeStructure> for NodeStructure {
    fn check_sets(&self, _x: &Rows, sets: &CandidateSets) -> Result<()> {
        sets.check(1, self.hierarchy().nodes())?;
        match sets.of(0).iter().find(|&&node| !self.ends.has(node)) {
            Some(node) => Err(Error::parameter("candidates", format!("node {node} is none of the labels"))),
            None => Ok(()),
        }
    }

    fn has_outside(&self, sets: &CandidateSets) -> bool {
        sets.excludes_some(self.labels().len())
    }

    fn is_inside(&self, sets: &CandidateSets, y: &u32) -> bool {
        self.candidates_of(sets).contains(y)
    }

    fn loss_from(&self, _x: &Rows, sets: &CandidateSets, from: LossFrom<'_, u32>, y: &u32) -> f64 {
        match from {
            LossFrom::Nothing => 0.0,
            LossFrom::Label(truth) => self.loss_between(*truth, *y),
            LossFrom::Nearest => sets.nearest_cost(0, *y, |candidate| self.loss_between(candidate, *y)),
        }
    }

    fn best_of(
        &self,
        x: &Rows,
        sets: &CandidateSets,
        side: Side,
        from: LossFrom<'_, u32>,
        scores: &mut NodeScores,
        mix: Mix,
    ) -> Option<Found<u32>> {
        // The losses of all labels from one are there at once, and are remembered.
        let truth = match from {
            LossFrom::Label(truth) => Some(*truth),
            LossFrom::Nothing | LossFrom::Nearest => None,
        };
        let nearest = |found: Found<u32>| match from {
            LossFrom::Nearest => Found { loss: self.loss_from(x, sets, from, &found.label), ..found },
            LossFrom::Nothing | LossFrom::Label(_) => found,
        };
        let is_inside = |found: &Found<u32>| self.is_inside(sets, &found.label) == (side == Side::Inside);
        best_listed(self.listed(scores, truth).filter(is_inside).map(nearest), mix)
    }
}
