//! The best set that agrees with what is known of labels, and the best that does not.
//!
//! The parts of a set are its labels, each of them out (0) or in (1): a candidate set of one says what is known, and both, or none that is
//! named, that it is open. A set outside has at least one known label that is wrong. Where sets are listed, that is one look at all of them; in a forest each
//! known label is fixed to what it is not, in turn, unless the best of all sets is outside anyway.

use super::decoding::SetDecoder;
use super::{LabelSet, MultilabelScores, MultilabelStructure};
use crate::error::Result;
use crate::features::Rows;
use crate::structure::{CandidateSets, Candidates, Found, LossFrom, Mix, Side};

/// What is known of a label.
fn known(sets: &CandidateSets, label: usize) -> Option<bool> {
    match sets.of(label) {
        [value] => Some(*value == 1),
        _ => None,
    }
}

impl MultilabelStructure {
    /// Whether the best sets of both sides are found for certain.
    pub(super) fn has_candidates(&self) -> bool {
        !self.is_relaxed() && !matches!(self.decoder, SetDecoder::Searched)
    }
}

impl Candidates<MultilabelStructure> for MultilabelStructure {
    fn check_sets(&self, _x: &Rows, sets: &CandidateSets) -> Result<()> {
        sets.check(self.labels(), 2)
    }

    fn has_outside(&self, sets: &CandidateSets) -> bool {
        sets.excludes_some(2)
    }

    fn is_inside(&self, sets: &CandidateSets, y: &LabelSet) -> bool {
        (0..self.labels())
            .all(|label| known(sets, label).is_none_or(|on| y.share(label as u32) == f64::from(u8::from(on))))
    }

    fn loss_from(&self, _x: &Rows, sets: &CandidateSets, from: LossFrom<'_, LabelSet>, y: &LabelSet) -> f64 {
        match from {
            LossFrom::Nothing => 0.0,
            LossFrom::Label(truth) => self.loss_between(truth, y),
            // What is open is as it is in y.
            LossFrom::Nearest => {
                let on = |label: &u32| known(sets, *label as usize).unwrap_or_else(|| y.share(*label) == 1.0);
                let nearest: Vec<u32> = (0..self.labels() as u32).filter(on).collect();
                self.loss_between(&LabelSet::of(&nearest), y)
            }
        }
    }

    fn best_of(
        &self,
        x: &Rows,
        sets: &CandidateSets,
        side: Side,
        from: LossFrom<'_, LabelSet>,
        scores: &mut MultilabelScores,
        mix: Mix,
    ) -> Option<Found<LabelSet>> {
        let fixed: Vec<Option<bool>> = (0..self.labels()).map(|label| known(sets, label)).collect();
        match from {
            LossFrom::Nothing => self.augment_by(scores, mix, |_| None),
            LossFrom::Label(truth) => {
                self.augment_by(scores, mix, |label| Some(truth.share(label as u32) == 1.0))
            }
            LossFrom::Nearest => self.augment_by(scores, mix, |label| fixed[label]),
        };
        let label = self.best_of_side(scores, &fixed, side)?;
        let (score, loss) = (scores.score_of(&self.graph, &label), self.loss_from(x, sets, from, &label));
        Some(Found::exactly(label, score, loss))
    }
}
