//! The oracles of label sets beyond decoding: the best set of every loss, the k best, fractional sets, and sizes.

use super::{LabelSet, Multilabel, MultilabelOptions, MultilabelScores, SetLoss};
use crate::data::Rows;
use crate::structure::{Found, KBest, LabelSets, Mix, Relaxed, ScoreStratum, Stratified, Structure};

impl Relaxed for Multilabel {
    fn is_relaxed(&self) -> bool {
        self.is_relaxed()
    }

    fn between(&self, a: &LabelSet, b: &LabelSet, share: f64) -> Option<LabelSet> {
        Some(a.between(b, share, &self.graph))
    }
}

impl LabelSets for Multilabel {
    fn with_sizes(&self, _background: Option<u32>) -> Self {
        Self { options: MultilabelOptions { loss: SetLoss::Size, ..self.options.clone() }, ..self.clone() }
    }

    fn add_set_loss(
        &self,
        truth: &LabelSet,
        _background: Option<u32>,
        scores: &MultilabelScores,
        scale: f64,
        out: &mut MultilabelScores,
    ) {
        let loss = |label: usize| if truth.share(label as u32) == 1.0 { -1.0 } else { 1.0 };
        scores.scaled_into(scale, truth.size(), loss, out);
    }

    fn size(&self, y: &LabelSet, _background: Option<u32>) -> f64 {
        y.size()
    }

    fn set_loss(&self, truth: &LabelSet, y: &LabelSet, _background: Option<u32>) -> f64 {
        SetLoss::default().of(truth, y, self.labels())
    }

    fn sizes(&self, _truth: &LabelSet, _background: Option<u32>) -> (f64, f64) {
        (0.0, self.labels() as f64)
    }
}

// TEMPORARY
impl KBest for Multilabel {
    fn k_best(&self, _x: &Rows, truth: Option<&LabelSet>, scores: &mut MultilabelScores, mix: Mix, _k: usize) -> Vec<Found<LabelSet>> {
        vec![self.best_set(scores, truth, mix)]
    }
}

impl Stratified for Multilabel {
    fn largest_loss(&self, _truth: &LabelSet) -> f64 {
        self.options.loss.largest(self.labels())
    }

    fn loss_unit(&self, _truth: &LabelSet) -> Option<f64> {
        if self.is_relaxed() {
            return None;
        }
        self.options.loss.common_weight(self.labels())
    }

    fn strata(&self, _x: &Rows, _truth: &LabelSet, _scores: &mut MultilabelScores, _step: Option<f64>, strata: &mut Vec<ScoreStratum>) -> bool {
        strata.clear();
        false
    }

    fn stratum_label(&self, _x: &Rows, _scores: &mut MultilabelScores, _number: usize) -> LabelSet {
        LabelSet::default()
    }
}

/// Up to so many labels all sets are listed.
pub const ENUMERATED: usize = 20;

impl Multilabel {
    pub(crate) fn has_strata(&self) -> bool {
        false
    }

    pub(super) fn best_set(&self, scores: &mut MultilabelScores, truth: Option<&LabelSet>, mix: Mix) -> Found<LabelSet> {
        let v = self.best_vertex(scores, truth.unwrap_or(&LabelSet::default()), mix);
        self.found(scores, truth, LabelSet::of(v.label.on()))
    }
}
