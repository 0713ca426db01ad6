//! The best set of one input: scores as a field of binary labels, and which kernel maximises it.

use super::{INDICATORS, LabelSet, Multilabel};
use crate::inference::{Field, LabelGraph, RoofDual};
use crate::structure::{Found, Mix};

/// Losses count so much against scores at the end λ = 0, where they only break ties: relative to all scores together.
const TIE: f64 = 1e-13;

/// The scores of one input: ⟨w, φ(x,y)⟩ = base + Σ_i unary_i·y_i + Σ_ij coupling_ij·y_i·y_j.
#[derive(Debug, Clone, Default)]
pub struct MultilabelScores {
    pub(super) base: f64,
    pub(super) unary: Vec<f64>,
    pub(super) coupling: Vec<f64>,
    /// The unary scores with the loss added.
    pub(super) augmented: Vec<f64>,
    /// Whether the max-flow's last problem had these couplings.
    is_known: bool,
    dual: RoofDual,
    halves: Vec<u8>,
}

impl MultilabelScores {
    /// Makes room; returns the unary scores, all 0.
    pub(super) fn begin(&mut self, labels: usize, edges: usize) -> &mut [f64] {
        self.is_known = false;
        self.unary.clear();
        self.unary.resize(labels, 0.0);
        self.coupling.clear();
        self.coupling.reserve(edges);
        &mut self.unary
    }

    /// Adds the weights of all pairs, four for each, to the scores.
    pub(super) fn add_pairs(&mut self, graph: &LabelGraph, weights: &[f64]) {
        for (&(i, j), four) in graph.edges().iter().zip(weights.chunks_exact(INDICATORS)) {
            let [neither, second, first, both] = [four[0], four[1], four[2], four[3]];
            self.base += neither;
            self.unary[i as usize] += first - neither;
            self.unary[j as usize] += second - neither;
            self.coupling.push(both - first - second + neither);
        }
    }

    /// The same times `scale`, with `loss(label)` added to the score of each label.
    pub(super) fn scaled_into(&self, scale: f64, base: f64, loss: impl Fn(usize) -> f64, out: &mut Self) {
        out.begin(self.unary.len(), self.coupling.len());
        out.base = scale * self.base + base;
        let unary = out.unary.iter_mut().zip(&self.unary).enumerate();
        unary.for_each(|(label, (out, score))| *out = scale * score + loss(label));
        out.coupling.extend(self.coupling.iter().map(|score| scale * score));
    }

    /// The score of a set.
    pub(super) fn score_of(&self, graph: &LabelGraph, set: &LabelSet) -> f64 {
        let unary: f64 = set.members().map(|(i, share)| share * self.unary[i]).sum();
        if self.coupling.is_empty() {
            return self.base + unary;
        }
        let mut pairs: f64 = set.pairs().iter().map(|(e, share)| share.get() * self.coupling[*e as usize]).sum();
        for (place, &i) in set.on().iter().enumerate() {
            let others = set.on()[place + 1..].iter().map(|&j| (j as usize, 1.0));
            let parts = set.parts().iter().map(|&(j, share)| (j as usize, share.get()));
            for (j, share) in others.chain(parts) {
                pairs += graph.edge(i as usize, j).map_or(0.0, |edge| share * self.coupling[edge]);
            }
        }
        self.base + unary + pairs
    }

    /// The size of all scores together.
    fn extent(&self) -> f64 {
        self.unary.iter().chain(&self.coupling).map(|score| score.abs()).sum()
    }
}

impl Multilabel {
    /// Adds λ times the loss to the scores, up to a constant, and returns λ. At the ends of the λ-oracle one of the two
    /// only breaks ties.
    pub(super) fn augment(&self, scores: &mut MultilabelScores, truth: Option<&LabelSet>, mix: Mix) -> f64 {
        scores.augmented.clear();
        scores.augmented.extend_from_slice(&scores.unary);
        let Some(truth) = truth else { return 0.0 };
        let labels = self.labels();
        let weights = (0..labels).map(|label| self.options.loss.weight(label, labels)).filter(|w| *w > 0.0);
        let (smallest, largest) =
            weights.fold((f64::INFINITY, 0.0_f64), |(low, high), w| (low.min(w), high.max(w)));
        let lambda = if largest == 0.0 {
            0.0
        } else if mix.score == 0.0 {
            2.0 * (1.0 + scores.extent()) / smallest
        } else if mix.loss == 0.0 {
            match TIE * scores.extent() / (largest * labels as f64) {
                0.0 => 1.0,
                lambda => lambda,
            }
        } else {
            mix.loss / mix.score
        };
        let mut on = truth.on().iter().peekable();
        for (label, score) in scores.augmented.iter_mut().enumerate() {
            let is_true = on.next_if_eq(&&(label as u32)).is_some();
            *score += lambda * self.options.loss.slope(label, labels, is_true);
        }
        lambda
    }

    /// The best vertex of the relaxation under a mix.
    pub(super) fn best_vertex(&self, scores: &mut MultilabelScores, truth: &LabelSet, mix: Mix) -> Found<LabelSet> {
        self.augment(scores, Some(truth), mix);
        let MultilabelScores { augmented, coupling, dual, halves, is_known, .. } = scores;
        let field = Field { graph: &self.graph, unary: augmented, coupling };
        match std::mem::replace(is_known, true) {
            true => dual.solve_again(field, halves),
            false => dual.solve(field, halves),
        };
        let label = LabelSet::of_halves(halves, &self.graph, coupling);
        self.found(scores, Some(truth), label)
    }
}
