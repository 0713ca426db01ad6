//! The label plane of an example of a structure.

use super::{LabelPlane, Scene, Spot, Stratum};
use crate::structure::{Found, Mix, ScoreStratum, Structure};

/// The labels of one example, as points (h, g).
pub(crate) struct StructurePlane<'a, S: Structure> {
    scene: Scene<'a, S>,
    /// The score of the truth.
    score_of_truth: f64,
    /// What is added to every loss.
    base: f64,
    range: (f64, f64),
    /// The step to which losses may be rounded down.
    step: Option<f64>,
    strata: &'a mut Vec<ScoreStratum>,
}

impl<'a, S: Structure> StructurePlane<'a, S> {
    /// `base` is added to every loss, which then lies in `range`.
    pub(crate) fn new(
        scene: Scene<'a, S>,
        base: f64,
        range: (f64, f64),
        step: Option<f64>,
        strata: &'a mut Vec<ScoreStratum>,
    ) -> Self {
        let score_of_truth = scene.structure.score_of(scene.input, scene.scores, scene.truth);
        Self { scene, score_of_truth, base, range, step, strata }
    }

    fn place(&self, found: Found<S::Label>) -> Spot<S::Label> {
        Spot { label: found.label, h: self.h(found.score), g: found.loss + self.base, missed: found.missed }
    }

    fn h(&self, score: f64) -> f64 {
        if score == f64::NEG_INFINITY { score } else { self.scene.scale * (score - self.score_of_truth) }
    }

    /// The mix in terms of scores. With w = 0 all labels have the same score, and only the loss is left.
    fn scaled(&self, mix: Mix) -> Mix {
        match self.scene.scale * mix.score {
            0.0 if mix.loss > 0.0 => Mix { score: 0.0, loss: mix.loss },
            0.0 => Mix::LOSS,
            score => Mix { score, loss: mix.loss },
        }
    }
}

impl<S: Structure> LabelPlane for StructurePlane<'_, S> {
    type Label = S::Label;

    fn truth(&self) -> Spot<S::Label> {
        self.spot(self.scene.truth)
    }

    fn spot(&self, label: &S::Label) -> Spot<S::Label> {
        let Scene { structure, input, truth, scores, .. } = &self.scene;
        self.place(Found {
            label: label.clone(),
            score: structure.score_of(input, scores, label),
            loss: structure.loss(input, truth, label),
            missed: 0.0,
        })
    }

    fn loss_range(&self) -> (f64, f64) {
        self.range
    }

    fn is_fractional(&self) -> bool {
        self.scene.structure.offers().relaxed.is_some()
    }

    fn between(&self, a: &Spot<S::Label>, b: &Spot<S::Label>, share: f64) -> Option<Spot<S::Label>> {
        let label = self.scene.structure.offers().relaxed?.between(&a.label, &b.label, share);
        Some(self.spot(&label))
    }

    fn loss_unit(&self) -> Option<f64> {
        let Scene { structure, input, truth, .. } = &self.scene;
        structure.loss_unit(input, truth).map(f64::abs)
    }

    fn maximize(&mut self, mix: Mix) -> Spot<S::Label> {
        let mix = self.scaled(mix);
        let Scene { structure, input, truth, scores, .. } = &mut self.scene;
        let found = structure.maximize(input, truth, scores, mix);
        self.place(found)
    }

    fn k_best(&mut self, mix: Mix, k: usize) -> Option<Vec<Spot<S::Label>>> {
        let mix = self.scaled(mix);
        let Scene { structure, input, truth, scores, .. } = &mut self.scene;
        let found = structure.offers().k_best?.k_best(input, Some(truth), scores, mix, k);
        Some(found.into_iter().map(|found| self.place(found)).collect())
    }

    fn strata(&mut self, strata: &mut Vec<Stratum>) -> bool {
        let Scene { structure, input, truth, scores, .. } = &mut self.scene;
        let Some(stratified) = structure.offers().stratified else { return false };
        let is_there = stratified.strata(input, truth, scores, self.step, self.strata);
        strata.clear();
        if is_there {
            let of_plane = |stratum: &ScoreStratum| Stratum {
                h: self.h(stratum.score),
                g: stratum.losses.0 + self.base,
                upper: (stratum.losses.1 + self.base).min(self.range.1),
            };
            strata.extend(self.strata.iter().map(of_plane));
        }
        is_there
    }

    fn in_stratum(&mut self, number: usize) -> Spot<S::Label> {
        let Scene { structure, input, scores, .. } = &mut self.scene;
        match structure.offers().stratified {
            Some(stratified) => {
                let label = stratified.stratum_label(input, scores, number);
                self.spot(&label)
            }
            None => self.truth(),
        }
    }
}
