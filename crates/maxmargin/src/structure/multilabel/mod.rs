//! Multi-label classification: a set of labels per input, with weights for pairs of labels (Finley & Joachims 2008).
//!
//! φ(x,y) has x (and a constant 1, with a bias) in the block of each label that is in the set, and for each pair of labels
//! in a graph four indicators: neither, the second only, the first only, both. Weights lie feature by feature as in a
//! multiclass task, `w[j · labels + l]`, then four per pair. Without pairs this is one SVM per label.
//!
//! The best set is found by dynamic programming where the graph is a forest, by enumeration for few labels, and else by
//! branch and bound. For training there is also the linear relaxation, whose labels are fractional: a max-flow each.

mod decoding;
mod label_set;
mod oracles;
mod set_loss;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use self::decoding::MultilabelScores;
use self::decoding::Way;
pub use self::label_set::{LabelSet, Share};
pub use self::set_loss::SetLoss;
use super::{Found, Mix, Structure};
use crate::data::Rows;
use crate::error::{Error, Result};
use crate::inference::LabelGraph;
use crate::linear::{FeatureSum, add_row_products};

/// Which weights a pair of labels has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairWeights {
    /// Four: neither, the second only, the first only, both. A label that is out is as much a part of a pair as one that is
    /// in, so that flipping one label changes all its pairs.
    #[default]
    Four,
    /// One: both. A set has features for the pairs of labels in it only, which makes all arithmetic sparse, and training
    /// many times faster.
    Both,
}

impl PairWeights {
    /// The number of weights.
    pub fn count(self) -> usize {
        match self {
            PairWeights::Four => 4,
            PairWeights::Both => 1,
        }
    }

    /// What a pair's weights add to the score of both labels together, beside what each adds by itself.
    pub fn coupling(self, weights: &[f64]) -> f64 {
        match self {
            PairWeights::Four => weights[3] - weights[2] - weights[1] + weights[0],
            PairWeights::Both => weights[0],
        }
    }
}

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
/// use maxmargin::data::{FeatureMatrix, Rows};
/// use maxmargin::inference::LabelGraph;
/// use maxmargin::structure::{LabelSet, Multilabel, MultilabelOptions, Structure};
///
/// let options = MultilabelOptions { bias: false, ..MultilabelOptions::default() };
/// let task = Multilabel::new(1, LabelGraph::complete(2), options)?;
/// let x = Rows::new(&Arc::new(FeatureMatrix::from_dense(&[[1.0]])), 0..1);
/// // The first label is likely by itself, and brings the second one along.
/// let w = [1.0, -0.5, /* neither, second, first, both: */ 0.0, 0.0, 0.0, 2.0];
/// let mut scores = Default::default();
/// task.score(&w, &x, &mut scores);
/// let best = task.decode(&x, &mut scores);
/// assert_eq!((best.label, best.score), (LabelSet::of(&[0, 1]), 2.5));
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Multilabel {
    features: usize,
    graph: Arc<LabelGraph>,
    options: MultilabelOptions,
    way: Way,
}

impl Multilabel {
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
        super::multiclass::check_size(
            features + options.pair_weights.count() * graph.edges().len().div_ceil(labels),
            labels,
        )?;
        Ok(Self { features, way: Way::new(&graph), graph: Arc::new(graph), options })
    }

    /// The pairs of labels that have weights.
    pub fn graph(&self) -> &LabelGraph {
        &self.graph
    }

    /// Whether the most violated label is searched among fractional ones too. On a forest the relaxation has none.
    pub fn is_relaxed(&self) -> bool {
        self.options.inference == Inference::Relaxed && !matches!(self.way, Way::Forest(_))
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

    /// What a label costs that is to be in the set and that this task does not know.
    pub(crate) fn cost_of_unknown(&self) -> f64 {
        match self.options.loss {
            SetLoss::Hamming { mean: true, .. } => 1.0 / self.labels() as f64,
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
        let loss = truth.map_or(0.0, |truth| self.loss(truth, &label));
        Found { score: scores.score_of(&self.graph, &label), loss, label, missed: 0.0 }
    }

    /// The row of one label, and its bias.
    fn add_label<A: FeatureSum + ?Sized>(&self, x: &Rows, label: usize, factor: f64, sum: &mut A) {
        sum.add_row(x.row(0), self.labels(), label, factor);
        if self.options.bias {
            sum.add(self.features * self.labels() + label, factor);
        }
    }

    /// Adds `factor` times the four indicators of an edge, or the last one only.
    fn add_pair<A: FeatureSum + ?Sized>(&self, edge: usize, indicators: [f64; 4], factor: f64, sum: &mut A) {
        let count = self.options.pair_weights.count();
        let start = self.pairs_start() + count * edge;
        for (k, &indicator) in indicators[4 - count..].iter().enumerate() {
            if indicator != 0.0 {
                sum.add(start + k, factor * indicator);
            }
        }
    }

    /// Adds `factor · (φ(x,y) − φ(x,truth))` for pairs that have one weight: those of two labels that are in either set.
    fn add_pairs_in_sets<A: FeatureSum + ?Sized>(
        &self,
        (y, here): (&LabelSet, &[f64]),
        (truth, there): (&LabelSet, &[f64]),
        factor: f64,
        sum: &mut A,
    ) {
        let in_either: Vec<usize> =
            (0..self.labels()).filter(|&label| here[label] > 0.0 || there[label] > 0.0).collect();
        for (place, &i) in in_either.iter().enumerate() {
            for &j in &in_either[place + 1..] {
                let Some(edge) = self.graph.edge(i, j) else { continue };
                let pair = |set: &LabelSet, shares: &[f64]| set.pair(edge as u32, shares[i], shares[j]);
                let difference = pair(y, here) - pair(truth, there);
                if difference != 0.0 {
                    sum.add(self.pairs_start() + edge, factor * difference);
                }
            }
        }
    }
}

/// The four indicators of a pair, given μ_i, μ_j and μ_ij.
fn indicators(i: f64, j: f64, both: f64) -> [f64; 4] {
    [1.0 - i - j + both, j - both, i - both, both]
}

impl Structure for Multilabel {
    type Input = Rows;
    type Label = LabelSet;
    type Scores = MultilabelScores;
    /// ‖x‖², the bias included.
    type Kernel = f64;

    fn dim(&self) -> usize {
        self.pairs_start() + self.options.pair_weights.count() * self.graph.edges().len()
    }

    fn is_costly(&self) -> bool {
        matches!(self.way, Way::Searched)
    }

    fn score(&self, w: &[f64], x: &Rows, scores: &mut MultilabelScores) {
        let labels = self.labels();
        let unary = scores.begin(labels, self.graph.edges().len());
        if self.options.bias {
            unary.copy_from_slice(&w[self.features * labels..self.pairs_start()]);
        }
        add_row_products(x.row(0), w, unary);
        let mut base = 0.0;
        if self.options.signed {
            for score in unary.iter_mut() {
                base -= *score;
                *score *= 2.0;
            }
        }
        scores.base = base;
        scores.add_pairs(&self.graph, self.options.pair_weights, &w[self.pairs_start()..]);
    }

    fn score_of(&self, _x: &Rows, scores: &MultilabelScores, y: &LabelSet) -> f64 {
        scores.score_of(&self.graph, y)
    }

    fn decode(&self, _x: &Rows, scores: &mut MultilabelScores) -> Found<LabelSet> {
        self.best_set(scores, None, Mix::SCORE)
    }

    fn loss(&self, truth: &LabelSet, y: &LabelSet) -> f64 {
        self.options.loss.of(truth, y, self.labels())
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
        for (e, &(i, j)) in self.graph.edges().iter().enumerate() {
            let (i, j) = (shares[i as usize], shares[j as usize]);
            self.add_pair(e, indicators(i, j, y.pair(e as u32, i, j)), factor, sum);
        }
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
            if self.options.pair_weights == PairWeights::Both {
                continue;
            }
            // A pair of equal whole labels is equal; any other belongs to its smaller label that is not so.
            let is_equal = |l: usize| here[l] == there[l] && (here[l] == 0.0 || here[l] == 1.0);
            if is_equal(label) {
                continue;
            }
            for &(other, e) in self.graph.neighbours(label) {
                let other = other as usize;
                if other < label && !is_equal(other) {
                    continue;
                }
                let (i, j) = (label.min(other), label.max(other));
                let y = indicators(here[i], here[j], y.pair(e, here[i], here[j]));
                let truth = indicators(there[i], there[j], truth.pair(e, there[i], there[j]));
                let difference = [y[0] - truth[0], y[1] - truth[1], y[2] - truth[2], y[3] - truth[3]];
                self.add_pair(e as usize, difference, factor, sum);
            }
        }
        if self.options.pair_weights == PairWeights::Both && !self.graph.edges().is_empty() {
            self.add_pairs_in_sets((y, here), (truth, there), factor, sum);
        }
    }

    fn kernel(&self, x: &Rows) -> f64 {
        let row = x.row(0);
        row.dot(&row) + f64::from(u8::from(self.options.bias))
    }

    fn product(&self, _x: &Rows, kernel: &f64, truth: &LabelSet, y: &LabelSet, z: &LabelSet) -> f64 {
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
        let agreement = |a: (&LabelSet, &[f64]), b: (&LabelSet, &[f64])| self.pair_product(a, b);
        let (y, z, truth) = ((y, &*y_shares), (z, &*z_shares), (truth, &*truth_shares));
        let pairs = match self.graph.edges().is_empty() {
            true => 0.0,
            false => agreement(y, z) - agreement(y, truth) - agreement(z, truth) + agreement(truth, truth),
        };
        self.unit() * self.unit() * unary * kernel + pairs
    }
}

impl Multilabel {
    /// Σ over edges of the inner product of two sets' indicators.
    ///
    /// Where μ_ij = μ_i·μ_j on both sides, that of one edge is e_i·e_j with e = μ·μ' + (1−μ)(1−μ'). A pair of fractional labels
    /// departs by δ = μ_ij − μ_i·μ_j, which adds δ(1,−1,−1,1) to its indicators, and so δ·(2μ'_i−1)(2μ'_j−1) + 4δδ' to the
    /// product. All but the few μ_ij that are not 0 are sums of products x_i·x_j over the edges. With one weight per pair
    /// it is the same with e = μ·μ', and δ·μ'_i·μ'_j + δδ'.
    fn pair_product(&self, (a, a_shares): (&LabelSet, &[f64]), (b, b_shares): (&LabelSet, &[f64])) -> f64 {
        let is_four = self.options.pair_weights == PairWeights::Four;
        let outside = |i: usize| if is_four { (1.0 - a_shares[i]) * (1.0 - b_shares[i]) } else { 0.0 };
        let agreement = |i: usize| a_shares[i] * b_shares[i] + outside(i);
        let mut sum = self.sum_of_products(0..self.labels(), agreement);
        let sign = |share: f64| if is_four { 2.0 * share - 1.0 } else { share };
        let squares = if is_four { 4.0 } else { 1.0 };
        sum -= self.sum_of_products(a.fractional(), |i| a_shares[i] * sign(b_shares[i]));
        sum -= self.sum_of_products(b.fractional(), |i| b_shares[i] * sign(a_shares[i]));
        let is_fractional = |share: f64| share > 0.0 && share < 1.0;
        let both = a.fractional().filter(|&i| is_fractional(b_shares[i]));
        sum += squares * self.sum_of_products(both, |i| a_shares[i] * b_shares[i]);
        // What is left has a factor μ_ij.
        let mut with = |set: &LabelSet, other: &LabelSet, shares: &[f64], half: f64| {
            for &(edge, share) in set.pairs() {
                let (i, j) = self.graph.edges()[edge as usize];
                let (i, j) = (shares[i as usize], shares[j as usize]);
                let mut factor = sign(i) * sign(j);
                if is_fractional(i) && is_fractional(j) {
                    factor += squares * (half * other.pair(edge, i, j) - i * j);
                }
                sum += share.get() * factor;
            }
        };
        // Once for each of the two, and the product of both μ_ij shared between them.
        with(a, b, b_shares, 0.5);
        with(b, a, a_shares, 0.5);
        sum
    }

    /// Σ x_i·x_j over the edges between some labels, given in ascending order. For all pairs it is ((Σx)² − Σx²)/2.
    fn sum_of_products(&self, labels: impl Iterator<Item = usize> + Clone, x: impl Fn(usize) -> f64) -> f64 {
        if self.graph.is_complete() {
            let add = |(sum, squares): (f64, f64), x: f64| (sum + x, squares + x * x);
            let (sum, squares) = labels.map(x).fold((0.0, 0.0), add);
            return 0.5 * (sum * sum - squares);
        }
        let mut total = 0.0;
        let mut rest = labels;
        while let Some(i) = rest.next() {
            let (here, mut later) = (x(i), rest.clone().peekable());
            for &(j, _) in self.graph.neighbours(i).iter().filter(|(j, _)| *j as usize > i) {
                while later.next_if(|&label| label < j as usize).is_some() {}
                if later.peek() == Some(&(j as usize)) {
                    total += here * x(j as usize);
                }
            }
        }
        total
    }
}
