//! The oracles of label sets beyond decoding: the best set of every loss, the k best, fractional sets, and sizes.

use super::decoding::SetDecoder;
use super::{LabelSet, MultilabelOptions, MultilabelScores, MultilabelStructure, SetLoss};
use crate::features::Rows;
use crate::structure::{
    Confidence, Found, KBest, LabelSets, MaxMarginals, Mix, Relaxed, ScoreStratum, Stratified,
};

impl Relaxed<MultilabelStructure> for MultilabelStructure {
    fn between(&self, a: &LabelSet, b: &LabelSet, share: f64) -> LabelSet {
        a.between(b, share, &self.graph)
    }
}

impl LabelSets<MultilabelStructure> for MultilabelStructure {
    fn with_sizes(&self, _background: Option<u32>) -> Self {
        Self { options: MultilabelOptions { loss: self.of_sizes(), ..self.options.clone() }, ..self.clone() }
    }

    fn add_set_loss(
        &self,
        truth: &LabelSet,
        _background: Option<u32>,
        scores: &MultilabelScores,
        scale: f64,
        out: &mut MultilabelScores,
    ) {
        let sizes = self.of_sizes();
        let loss = |label: usize| {
            let size = sizes.cost(label, self.labels(), false);
            if truth.share(label as u32) == 1.0 { -size } else { size }
        };
        scores.scaled_into(scale, -sizes.of(truth, truth, self.labels()), loss, out);
    }

    fn size(&self, y: &LabelSet, _background: Option<u32>) -> f64 {
        -self.of_sizes().of(y, y, self.labels())
    }

    fn set_loss(&self, truth: &LabelSet, y: &LabelSet, _background: Option<u32>) -> f64 {
        self.of_sizes().into_hamming().of(truth, y, self.labels())
    }

    fn least_size(&self) -> Option<f64> {
        let (least, most) = self.of_sizes().extremes(self.labels());
        ((least, most) != (1.0, 1.0)).then_some(least)
    }

    fn sizes(&self, _x: &Rows, _truth: &LabelSet, _background: Option<u32>) -> (f64, f64) {
        let sizes = self.of_sizes();
        (0.0, (0..self.labels()).map(|label| sizes.cost(label, self.labels(), false)).sum())
    }
}

impl KBest<MultilabelStructure> for MultilabelStructure {
    fn k_best(
        &self,
        _x: &Rows,
        truth: Option<&LabelSet>,
        scores: &mut MultilabelScores,
        mix: Mix,
        k: usize,
    ) -> Vec<Found<LabelSet>> {
        self.best_sets(scores, truth, mix, k)
    }
}

impl MaxMarginals<MultilabelStructure> for MultilabelStructure {
    fn values(&self, _x: &Rows, y: &LabelSet) -> Vec<u32> {
        (0..self.labels() as u32).map(|label| u32::from(y.share(label) == 1.0)).collect()
    }

    fn confidences(
        &self,
        _x: &Rows,
        scores: &mut MultilabelScores,
        best: &Found<LabelSet>,
    ) -> Vec<Confidence> {
        self.best_otherwise(scores, &best.label, |other, bound| Confidence::between(best, other, bound))
    }
}

impl Stratified<MultilabelStructure> for MultilabelStructure {
    fn strata(
        &self,
        _x: &Rows,
        truth: &LabelSet,
        scores: &mut MultilabelScores,
        _step: Option<f64>,
        strata: &mut Vec<ScoreStratum>,
    ) -> bool {
        strata.clear();
        let Some(weight) = self.stratum_weight() else { return false };
        // A size is the number of differences from the empty set.
        let is_size = matches!(self.set_loss(), SetLoss::Size { .. });
        let from = if is_size { &LabelSet::default() } else { truth };
        self.count_differences(scores, from);
        strata.extend(scores.best_by_differences().enumerate().map(|(differences, score)| {
            let loss = weight * differences as f64 * if is_size { -1.0 } else { 1.0 };
            ScoreStratum { score, losses: (loss, loss) }
        }));
        true
    }

    fn stratum_label(&self, _x: &Rows, scores: &mut MultilabelScores, number: usize) -> LabelSet {
        scores.set_with_differences(number)
    }
}

impl MultilabelStructure {
    /// The loss of Micro-F1. Nobody asks where sets are not offered.
    fn of_sizes(&self) -> SetLoss {
        self.options.loss.of_sizes().unwrap_or(SetLoss::Size { weights: None })
    }

    /// What all labels cost, where the best set of every loss can be found.
    fn stratum_weight(&self) -> Option<f64> {
        let weight = self.options.loss.common_weight(self.labels())?;
        let lists = !matches!(self.decoder, SetDecoder::Searched);
        (lists && weight > 0.0 && !self.is_relaxed()).then_some(weight)
    }

    /// Whether the best set of every loss can be found.
    pub fn has_strata(&self) -> bool {
        self.stratum_weight().is_some()
    }
}
