//! What a structure may offer beyond decoding: one small trait each, for the searches that ask for it.
//!
//! The traits are generic over the structure, and not parts of it, so that [`Structure::offers`] can hand them out as trait
//! objects: `Offers { k_best: Some(self), ..Offers::default() }`.

use super::{Flow, Found, Mix, Parts, Structure};

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
    /// Part scores as a plain array, taken from outside.
    pub parts: Option<&'a dyn Parts<S>>,
    /// Labels as flows in a network. Solvers for saddle points need it.
    pub flow: Option<&'a dyn Flow<S::Input, S::Label>>,
}

impl<'a, S: Structure + KBest<S> + Stratified<S> + LabelSets<S> + Parts<S>> Offers<'a, S> {
    /// What structures of exact labels usually offer.
    pub fn usual(structure: &'a S) -> Self {
        Self {
            k_best: Some(structure),
            stratified: Some(structure),
            sets: Some(structure),
            parts: Some(structure),
            ..Self::default()
        }
    }
}

impl<S: Structure> Default for Offers<'_, S> {
    fn default() -> Self {
        Self { k_best: None, stratified: None, sets: None, relaxed: None, parts: None, flow: None }
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

    /// The smallest and the largest |y| of an input with this truth, or bounds on them.
    fn sizes(&self, x: &S::Input, truth: &S::Label, background: Option<u32>) -> (f64, f64);
}

/// |{y} Δ {truth}| of one position, where the background stands for no label.
pub(super) fn position_set_loss(truth: u32, y: u32, background: Option<u32>) -> f64 {
    let size = |label: u32| f64::from(u8::from(Some(label) != background));
    if truth == y { 0.0 } else { size(truth) + size(y) }
}
