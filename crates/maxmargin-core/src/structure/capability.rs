//! What a structure may offer beyond decoding: one small trait each, for the searches that ask for it.
//!
//! The traits are generic over the structure, and not parts of it, so that [`Structure::offers`] can hand them out as trait
//! objects: `Offers { k_best: Some(self), ..Offers::default() }`.

use super::{Candidates, Flow, Found, Mix, Parts, Structure};
use crate::error::Result;

/// What a structure can do beyond decoding; searches, risks and solvers ask for what they need.
pub struct Offers<'a, S: Structure> {
    /// Lists of the best labels: the hull and angular searches are then exact.
    pub k_best: Option<&'a dyn KBest<S>>,
    /// The best label of every loss: the stratified search needs it, and others are quicker with it.
    pub stratified: Option<&'a dyn Stratified<S>>,
    /// Labels as sets. Micro-F1 needs it.
    pub sets: Option<&'a dyn LabelSets<S>>,
    /// Labels between labels, where [`maximize`](Structure::maximize) may find fractional ones.
    pub relaxed: Option<&'a dyn Relaxed<S>>,
    /// How sure each part of the best label is.
    pub max_marginals: Option<&'a dyn MaxMarginals<S>>,
    /// Part scores as a plain array, taken from outside.
    pub parts: Option<&'a dyn Parts<S>>,
    /// Searches among candidates, where training data has several for a label.
    pub candidates: Option<&'a dyn Candidates<S>>,
    /// Labels as flows in a network. Solvers for saddle points need it.
    pub flow: Option<&'a dyn Flow<S::Input, S::Label>>,
}

impl<'a, S> Offers<'a, S>
where
    S: Structure + KBest<S> + Stratified<S> + LabelSets<S> + MaxMarginals<S> + Parts<S>,
{
    /// What structures of exact labels usually offer.
    pub fn usual(structure: &'a S) -> Self {
        Self {
            k_best: Some(structure),
            stratified: Some(structure),
            sets: Some(structure),
            max_marginals: Some(structure),
            parts: Some(structure),
            ..Self::default()
        }
    }
}

impl<S: Structure> Default for Offers<'_, S> {
    fn default() -> Self {
        Self {
            k_best: None,
            stratified: None,
            sets: None,
            relaxed: None,
            max_marginals: None,
            parts: None,
            candidates: None,
            flow: None,
        }
    }
}

/// Lists of the best labels.
pub trait KBest<S: Structure> {
    /// The `k` best labels under a mix of score and loss, best first, all different; fewer when there are fewer.
    /// Without a truth the loss counts as 0. What is [missed](Found::missed) is what labels that were not listed before
    /// may be worth more.
    fn k_best(
        &self,
        x: &S::Input,
        truth: Option<&S::Label>,
        scores: &mut S::Scores,
        mix: Mix,
        k: usize,
    ) -> Vec<Found<S::Label>>;
}

/// The best label of every loss, which solves every surrogate exactly.
pub trait Stratified<S: Structure> {
    /// For each loss the largest score, in the order of [`stratum_label`](Self::stratum_label)'s numbers. Losses must be whole
    /// numbers; with a `step` others are rounded down to multiples of it, and a stratum holds a range of losses. Returns
    /// false where neither is so.
    fn strata(
        &self,
        x: &S::Input,
        truth: &S::Label,
        scores: &mut S::Scores,
        step: Option<f64>,
        strata: &mut Vec<ScoreStratum>,
    ) -> bool;

    /// The best label of a stratum, after [`strata`](Self::strata) with the same scores.
    fn stratum_label(&self, x: &S::Input, scores: &mut S::Scores, number: usize) -> S::Label;
}

/// The labels of one loss, or of a range of losses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreStratum {
    /// The largest score; −∞ where there is no such label.
    pub score: f64,
    /// The smallest and the largest loss.
    pub losses: (f64, f64),
}

/// A linear relaxation in which the most violated label is searched, among fractional labels too. They have features and
/// losses like all others: [`Structure::maximize`] returns vertices of the relaxation, and what lies between two of them is a
/// label as well.
pub trait Relaxed<S: Structure> {
    /// The label so far on the way from one label to another.
    fn between(&self, a: &S::Label, b: &S::Label, share: f64) -> S::Label;
}

/// Labels as sets of (position, label) pairs, those with the background label left out: what Micro-F1 needs.
pub trait LabelSets<S: Structure> {
    /// The same structure with −|y| for a loss. It is a copy, and asked for once per thread.
    fn with_sizes(&self, background: Option<u32>) -> S;

    /// The scores times `scale`, plus |y Δ truth|.
    fn add_set_loss(
        &self,
        truth: &S::Label,
        background: Option<u32>,
        scores: &S::Scores,
        scale: f64,
        out: &mut S::Scores,
    );

    /// |y|.
    fn size(&self, y: &S::Label, background: Option<u32>) -> f64;

    /// |y Δ truth|.
    fn set_loss(&self, truth: &S::Label, y: &S::Label, background: Option<u32>) -> f64;

    /// The least that a label counts in sizes, above 0. None where each counts 1, so that sizes are whole and exact.
    fn least_size(&self) -> Option<f64> {
        None
    }

    /// Refuses a truth that is empty where another label may be empty as well: nothing would tell how bad that is. Where an empty set is one label, there is no
    /// such truth.
    fn check_truth(&self, truth: &S::Label, background: Option<u32>) -> Result<()> {
        let _ = (truth, background);
        Ok(())
    }

    /// The smallest and the largest |y| of an input with this truth, or bounds on them.
    fn sizes(&self, x: &S::Input, truth: &S::Label, background: Option<u32>) -> (f64, f64);
}

/// Labels as values of variables (positions, members of a set, edges), and how sure each value is.
pub trait MaxMarginals<S: Structure> {
    /// The value of each variable in a label.
    fn values(&self, x: &S::Input, y: &S::Label) -> Vec<u32>;

    /// For each variable, how much more the best label scores than the best one with another value there. `best` is what
    /// [`decode`](Structure::decode) found for these scores.
    fn confidences(&self, x: &S::Input, scores: &mut S::Scores, best: &Found<S::Label>) -> Vec<Confidence>;
}

/// How much more the best label scores than the best one that differs from it in one variable: a number in this interval, which
/// is one point where a decoder has proven it. Infinite where there is no other value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence {
    /// It is at least this; below 0 only where the label was not proven to be the best.
    pub at_least: f64,
    /// It is at most this.
    pub at_most: f64,
}

impl Confidence {
    /// Whether it is known, and not only bounded.
    pub fn is_proven(&self) -> bool {
        self.at_least == self.at_most
    }

    /// Of a label that was found, when the best one with another value scores this, or up to `bound`.
    pub fn between<L>(best: &Found<L>, other: f64, bound: f64) -> Self {
        let is_proven = best.missed == 0.0 && other >= bound;
        let at_most = (best.score + best.missed - other).max(0.0);
        // What rounding takes below 0 is nothing where both are proven.
        Self { at_least: if is_proven { at_most } else { best.score - bound.max(other) }, at_most }
    }

    /// The same of an exact decoder.
    pub fn exactly<L>(best: &Found<L>, other: f64) -> Self {
        Self::between(best, other, other)
    }
}

/// |{y} Δ {truth}| of one position, where the background stands for no label.
pub(super) fn position_set_loss(truth: u32, y: u32, background: Option<u32>) -> f64 {
    let size = |label: u32| f64::from(u8::from(Some(label) != background));
    if truth == y { 0.0 } else { size(truth) + size(y) }
}
