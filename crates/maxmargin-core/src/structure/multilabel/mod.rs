//! Multi-label classification: a set of labels per input, with weights for pairs of labels (Finley & Joachims 2008).
//!
//! φ(x,y) has x (and a constant 1, with a bias) in the block of each label that is in the set, and for each pair of labels
//! in a graph four indicators or one ([`PairWeights`]). Weights lie feature by feature as in a multiclass task,
//! `w[j · labels + l]`, then pair by pair. Without pairs this is one SVM per label.
//!
//! The best set is found by dynamic programming where the graph is a forest, by enumeration for few labels, and else by
//! branch and bound. For training there is also the linear relaxation, whose labels are fractional: a max-flow each.

mod candidates;
mod decoding;
mod flips;
mod label_set;
mod oracles;
mod pairs;
mod parts;
mod set_loss;
mod whole_product;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use self::decoding::MultilabelScores;
use self::decoding::SetDecoder;
pub use self::label_set::{LabelSet, Share};
pub use self::pairs::PairWeights;
pub use self::set_loss::SetLoss;
use super::shape::{check_ascending, check_features, check_rows, check_size};
use super::{
    Candidates, Found, LabelSets, Magnitude, Mix, Offers, OracleCost, Relaxed, ScoreNoise, Structure,
};
use crate::error::{Error, Result};
use crate::features::Rows;
use crate::inference::LabelGraph;
use crate::linear::{
    CommonDirections, FeatureSum, Precise, add_row_products, precise_row_products, round_up,
};

/// A search by relaxations proves its result up to 1e-12 of all numbers together that it has to decide about. Those are scores
/// of pairs, and what labels are worth by themselves, losses included: no more than their pairs, or they would be decided.
/// This is the part of each of the four numbers that a bound allows for.
const RELAXATION_ERROR: f64 = 0.5e-12;

/// Over which labels the most violated one is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inference {
    /// Over sets of labels.
    #[default]
    Exact,
    /// Over the linear relaxation, which has fractional sets as well: quick, and an upper bound.
    Relaxed,
}

/// Which weights there are, the loss, and how labels are searched.
#[derive(Debug, Clone)]
pub struct MultilabelOptions {
    /// A constant feature.
    pub bias: bool,
    /// The weights of each pair.
    pub pair_weights: PairWeights,
    /// Whether a label that is not in the set has −x in its block instead of nothing.
    pub signed: bool,
    /// The task loss.
    pub loss: SetLoss,
    /// Over which labels the most violated one is searched.
    pub inference: Inference,
}

impl Default for MultilabelOptions {
    fn default() -> Self {
        Self {
            bias: true,
            pair_weights: PairWeights::Four,
            signed: false,
            loss: SetLoss::default(),
            inference: Inference::Exact,
        }
    }
}

/// Multi-label classification with pairs.
///
/// ```
/// use std::sync::Arc;
/// use maxmargin_core::features::{FeatureMatrix, Rows};
/// use maxmargin_core::inference::LabelGraph;
/// use maxmargin_core::structure::{LabelSet, MultilabelStructure, MultilabelOptions, Structure};
///
/// let options = MultilabelOptions { bias: false, ..MultilabelOptions::default() };
/// let task = MultilabelStructure::new(1, LabelGraph::complete(2)?, options)?;
/// let x = Rows::new(&Arc::new(FeatureMatrix::from_dense(&[[1.0]])), 0..1);
/// // The first label is likely by itself, and brings the second one along.
/// let w = [1.0, -0.5, /* neither, second, first, both: */ 0.0, 0.0, 0.0, 2.0];
/// let mut scores = Default::default();
/// task.score(&w, &x, &mut scores);
/// let best = task.decode(&x, &mut scores);
/// assert_eq!((best.label, best.score), (LabelSet::of(&[0, 1]), 2.5));
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MultilabelStructure {
    features: usize,
    graph: Arc<LabelGraph>,
    options: MultilabelOptions,
    decoder: SetDecoder,
}

impl MultilabelStructure {
    /// A task with this many features (without the bias), and the pairs of labels that have weights.
    pub fn new(features: usize, graph: LabelGraph, options: MultilabelOptions) -> Result<Self> {
        let labels = graph.labels();
        if labels == 0 {
            return Err(Error::parameter(
                "labels",
                "the training data has no label; there is nothing to learn",
            ));
        }
        options.loss.check(labels)?;
        let pairs = graph.edges().len().checked_mul(options.pair_weights.count());
        check_size(features.saturating_add(usize::from(options.bias)), labels, pairs)?;
        Ok(Self { features, decoder: SetDecoder::new(&graph), graph: Arc::new(graph), options })
    }

    /// The number of features, without the bias.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The pairs of labels that have weights.
    pub fn graph(&self) -> &LabelGraph {
        &self.graph
    }

    /// Whether the most violated label is searched among fractional ones too. On a forest the relaxation has none.
    pub fn is_relaxed(&self) -> bool {
        self.options.inference == Inference::Relaxed && !matches!(self.decoder, SetDecoder::Forest(_))
    }

    /// Whether a label that is not in the set has −x in its block.
    pub fn is_signed(&self) -> bool {
        self.options.signed
    }

    /// The weights of each pair.
    pub fn pair_weights(&self) -> PairWeights {
        self.options.pair_weights
    }

    /// The loss.
    pub fn set_loss(&self) -> &SetLoss {
        &self.options.loss
    }

    /// The task loss, which depends on the two sets only.
    pub fn loss_between(&self, truth: &LabelSet, y: &LabelSet) -> f64 {
        self.options.loss.of(truth, y, self.labels())
    }

    /// The largest loss of all examples.
    pub fn largest_loss_of_all(&self) -> f64 {
        self.options.loss.largest_of_all(self.labels())
    }

    /// What a label costs that is to be in the set and that this task does not know.
    pub fn cost_of_unknown(&self) -> f64 {
        let labels = self.labels();
        let cost = |label| self.options.loss.cost(label, labels, true);
        match &self.options.loss {
            // What all others cost, where that is one number.
            SetLoss::Mistakes { .. } if (1..labels).all(|label| cost(label) == cost(0)) => cost(0),
            SetLoss::Hamming { mean: true, .. } | SetLoss::Mistakes { mean: true, .. } => 1.0 / labels as f64,
            _ => 1.0,
        }
    }

    fn labels(&self) -> usize {
        self.graph.labels()
    }

    fn pairs_start(&self) -> usize {
        (self.features + usize::from(self.options.bias)) * self.labels()
    }

    /// What one label's part of the features is worth when it moves from out to in.
    fn unit(&self) -> f64 {
        if self.options.signed { 2.0 } else { 1.0 }
    }

    fn found(&self, scores: &MultilabelScores, truth: Option<&LabelSet>, label: LabelSet) -> Found<LabelSet> {
        let loss = truth.map_or(0.0, |truth| self.loss_between(truth, &label));
        Found { score: scores.score_of(&self.graph, &label), loss, label, missed: 0.0 }
    }

    /// Makes the scores of sets of those of labels, which are in their places, and of those of pairs.
    fn finish_scores(&self, pairs: &[f64], scores: &mut MultilabelScores) {
        let mut base = 0.0;
        if self.options.signed {
            for score in scores.unary.iter_mut() {
                base -= *score;
                *score *= 2.0;
            }
        }
        scores.base = base;
        scores.add_pairs(&self.graph, self.options.pair_weights, pairs);
    }

    /// The operations that follow each other in a decoder.
    fn decoding_terms(&self) -> f64 {
        (2 * (self.labels() + self.graph.edges().len())) as f64 + 16.0
    }

    /// The row of one label, and its bias.
    fn add_label<A: FeatureSum + ?Sized>(&self, x: &Rows, label: usize, factor: f64, sum: &mut A) {
        sum.add_row(x.row(0), self.labels(), label, factor);
        if self.options.bias {
            sum.add(self.features * self.labels() + label, factor);
        }
    }
}

impl Structure for MultilabelStructure {
    type Input = Rows;
    type Label = LabelSet;
    type Scores = MultilabelScores;
    /// ‖x‖², the bias included.
    type Kernel = f64;

    fn check(&self, x: &Rows, y: &LabelSet) -> Result<()> {
        check_features(x, self.features)?;
        check_rows(x, 1)?;
        check_ascending("labels", y.on().iter().copied(), self.labels())?;
        check_ascending("fractional labels", y.parts().iter().map(|part| part.0), self.labels())?;
        check_ascending("pairs", y.pairs().iter().map(|pair| pair.0), self.graph.edges().len())?;
        match y.parts().iter().chain(y.pairs()).all(|part| part.1.is_proper()) {
            true if y.is_whole() || self.is_relaxed() => Ok(()),
            true => Err(Error::parameter("label", "a fractional set, where inference is exact")),
            false => Err(Error::parameter("label", "a share of a set lies between 0 and 1")),
        }
    }

    fn dim(&self) -> usize {
        self.pairs_start() + self.options.pair_weights.count() * self.graph.edges().len()
    }

    fn variables(&self, _x: &Rows) -> usize {
        self.labels()
    }

    fn oracle_cost(&self) -> OracleCost {
        match self.decoder {
            SetDecoder::Forest(_) => OracleCost::Low,
            SetDecoder::Listed => OracleCost::Middle,
            SetDecoder::Searched => OracleCost::High,
        }
    }

    fn common_directions(&self) -> Option<&dyn CommonDirections> {
        self.has_common_flips().then_some(self)
    }

    fn add_common_parts(&self, y: &LabelSet, truth: &LabelSet, factor: f64, parts: &mut [f64]) {
        let mut flips = vec![0.0; self.labels()];
        self.add_flips(y, factor, &mut flips);
        self.add_flips(truth, -factor, &mut flips);
        self.orthonormalize(&mut flips);
        parts.iter_mut().zip(flips).for_each(|(part, flip)| *part += flip);
    }

    fn score(&self, w: &[f64], x: &Rows, scores: &mut MultilabelScores) {
        let labels = self.labels();
        let unary = scores.begin(labels, self.graph.edges().len());
        if self.options.bias {
            unary.copy_from_slice(&w[self.features * labels..self.pairs_start()]);
        }
        add_row_products(x.row(0), w, unary);
        self.finish_scores(&w[self.pairs_start()..], scores);
    }

    fn score_precisely(
        &self,
        w: &[f64],
        norm: f64,
        x: &Rows,
        magnitude: &Magnitude,
        scores: &mut MultilabelScores,
    ) -> Option<ScoreNoise> {
        let labels = self.labels();
        let mut unary = vec![Precise::default(); labels];
        if self.options.bias {
            let biases = &w[self.features * labels..self.pairs_start()];
            unary.iter_mut().zip(biases).for_each(|(sum, &w)| sum.add(w));
        }
        precise_row_products(x.row(0), w, &mut unary);
        let mut base = Precise::default();
        if self.options.signed {
            // Twice the score when a label is in, and its score less when it is not: nothing but doubling.
            for sum in &mut unary {
                let score = *sum;
                base.subtract(score);
                sum.add_sum(score);
            }
        }
        scores.begin(labels, self.graph.edges().len());
        scores.take_precise_pairs(
            &self.graph,
            self.options.pair_weights,
            &w[self.pairs_start()..],
            base,
            unary,
        );
        Some(magnitude.precise_noise(norm, scores.extent() + scores.base.abs(), self.decoding_terms()))
    }

    fn decoding_error(&self, scores: &MultilabelScores) -> f64 {
        match self.is_relaxed() || matches!(self.decoder, SetDecoder::Searched) {
            true => RELAXATION_ERROR * scores.extent().max(2.0 * scores.extent_of_pairs()),
            false => 0.0,
        }
    }

    fn magnitude(&self, x: &Rows, _truth: &LabelSet) -> Magnitude {
        let (labels, edges) = (self.labels() as f64, self.graph.edges().len() as f64);
        let row = x.row(0);
        let unary = 3.0 * (labels * (row.norm_squared() + 1.0)).sqrt();
        // Each of a pair's four weights is added and subtracted a few times on the way to its coupling and to both labels.
        let pairs = 16.0 * edges.sqrt();
        let terms = row.len() as f64 + self.decoding_terms();
        Magnitude {
            norm: round_up(unary + pairs, row.len() as f64 + 16.0),
            terms,
            repeats: 1.0,
            loss: round_up(self.largest_loss_of_all(), labels),
            is_exact: !self.is_relaxed(),
        }
    }

    fn score_of(&self, _x: &Rows, scores: &MultilabelScores, y: &LabelSet) -> f64 {
        scores.score_of(&self.graph, y)
    }

    fn decode(&self, _x: &Rows, scores: &mut MultilabelScores) -> Found<LabelSet> {
        self.best_set(scores, None, Mix::SCORE)
    }

    fn loss(&self, _x: &Rows, truth: &LabelSet, y: &LabelSet) -> f64 {
        self.loss_between(truth, y)
    }

    fn largest_loss(&self, _x: &Rows, truth: &LabelSet) -> f64 {
        self.options.loss.largest(truth, self.labels())
    }

    fn loss_unit(&self, _x: &Rows, _truth: &LabelSet) -> Option<f64> {
        // Fractional sets have all losses.
        self.options.loss.common_weight(self.labels()).filter(|_| !self.is_relaxed())
    }

    fn least_loss(&self, _x: &Rows, truth: &LabelSet) -> f64 {
        if self.is_relaxed() { 0.0 } else { self.options.loss.least(truth, self.labels()) }
    }

    fn maximize(
        &self,
        _x: &Rows,
        truth: &LabelSet,
        scores: &mut MultilabelScores,
        mix: Mix,
    ) -> Found<LabelSet> {
        match self.is_relaxed() {
            true => self.best_vertex(scores, truth, mix),
            false => self.best_set(scores, Some(truth), mix),
        }
    }

    fn add_features<A: FeatureSum + ?Sized>(&self, x: &Rows, y: &LabelSet, factor: f64, sum: &mut A) {
        let mut shares = vec![0.0; self.labels()];
        y.fill(&mut shares);
        for (label, &share) in shares.iter().enumerate() {
            let value = if self.options.signed { 2.0 * share - 1.0 } else { share };
            if value != 0.0 {
                self.add_label(x, label, factor * value, sum);
            }
        }
        self.add_pairs((y, &shares), factor, sum);
    }

    fn add_difference<A: FeatureSum + ?Sized>(
        &self,
        x: &Rows,
        y: &LabelSet,
        truth: &LabelSet,
        factor: f64,
        sum: &mut A,
    ) {
        let labels = self.labels();
        let mut shares = vec![0.0; 2 * labels];
        let (here, there) = shares.split_at_mut(labels);
        y.fill(here);
        truth.fill(there);
        for label in 0..labels {
            let difference = here[label] - there[label];
            if difference != 0.0 {
                self.add_label(x, label, factor * self.unit() * difference, sum);
            }
        }
        self.add_difference_of_pairs((y, here), (truth, there), factor, sum);
    }

    fn offers(&self) -> Offers<'_, Self> {
        let relaxed = self.is_relaxed().then_some(self as &dyn Relaxed<Self>);
        let sets = self.options.loss.of_sizes().is_some().then_some(self as &dyn LabelSets<Self>);
        let candidates = self.has_candidates().then_some(self as &dyn Candidates<Self>);
        Offers { relaxed, sets, candidates, ..Offers::usual(self) }
    }

    fn kernel(&self, x: &Rows) -> f64 {
        let row = x.row(0);
        row.dot(&row) + f64::from(u8::from(self.options.bias))
    }

    fn product(&self, _x: &Rows, kernel: &f64, truth: &LabelSet, y: &LabelSet, z: &LabelSet) -> f64 {
        if truth.is_whole() && y.is_whole() && z.is_whole() {
            let (unary, pairs) = self.whole_products(truth, y, z);
            return self.unit() * self.unit() * unary * kernel + pairs;
        }
        let labels = self.labels();
        let mut shares = vec![0.0; 3 * labels];
        let (y_shares, rest) = shares.split_at_mut(labels);
        let (z_shares, truth_shares) = rest.split_at_mut(labels);
        y.fill(y_shares);
        z.fill(z_shares);
        truth.fill(truth_shares);
        let unary: f64 = y_shares
            .iter()
            .zip(&*z_shares)
            .zip(&*truth_shares)
            .map(|((y, z), truth)| (y - truth) * (z - truth))
            .sum();
        let (y, z, truth) = ((y, &*y_shares), (z, &*z_shares), (truth, &*truth_shares));
        self.unit() * self.unit() * unary * kernel + self.product_of_pairs(truth, y, z)
    }
}
