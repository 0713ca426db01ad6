//! Candidate labels: what is known of an example is a set of labels for each of its parts (CANDIDATE).
//!
//! [`Candidates`] is what a structure offers for it: the best label inside the product of the sets, and the best one outside.
//! [`CandidateStructure`] makes an ordinary structure of each of the two, so that searches, risks and solvers need not know.

mod sets;
mod side;

pub use sets::CandidateSets;
pub use side::{CandidateInput, CandidateLoss, CandidateStructure};

use super::{Found, Mix, Structure};
use crate::error::Result;

/// Which labels are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Those all of whose parts are candidates.
    Inside,
    /// Those with at least one part that is none.
    Outside,
}

/// From where losses are counted.
#[derive(Debug)]
pub enum LossFrom<'a, L> {
    /// From nowhere: all are 0.
    Nothing,
    /// From one label, Δ(ȳ, ·).
    Label(&'a L),
    /// From the nearest candidate, min over y ∈ Y of Δ(y, ·).
    Nearest,
}

impl<L> Clone for LossFrom<'_, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L> Copy for LossFrom<'_, L> {}

/// Searches that are restricted to candidates, or to all other labels.
pub trait Candidates<S: Structure> {
    /// Refuses sets that do not fit the input.
    fn check_sets(&self, x: &S::Input, sets: &CandidateSets) -> Result<()>;

    /// Whether there are labels outside.
    fn has_outside(&self, sets: &CandidateSets) -> bool;

    /// Whether a label is inside.
    fn is_inside(&self, sets: &CandidateSets, y: &S::Label) -> bool;

    /// The loss of a label.
    fn loss_from(
        &self,
        x: &S::Input,
        sets: &CandidateSets,
        from: LossFrom<'_, S::Label>,
        y: &S::Label,
    ) -> f64;

    /// The label of one side that maximises a mix of score and loss, ties broken as [`Mix`] says. None where there is none outside.
    fn best_of(
        &self,
        x: &S::Input,
        sets: &CandidateSets,
        side: Side,
        from: LossFrom<'_, S::Label>,
        scores: &mut S::Scores,
        mix: Mix,
    ) -> Option<Found<S::Label>>;
}

/// The best of labels that are listed one by one; the first of equals.
pub(in crate::structure) fn best_listed<L>(
    found: impl Iterator<Item = Found<L>>,
    mix: Mix,
) -> Option<Found<L>> {
    let rank = |found: &Found<L>| mix.rank(found.score, found.loss);
    found.reduce(|best, found| if rank(&found) > rank(&best) { found } else { best })
}
