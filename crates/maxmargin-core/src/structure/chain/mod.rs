//! Chains: one label per position, scores on positions, on neighbouring pairs (or three in a row), and on both ends.
//!
//! φ(x,y) counts features of each position with its label, pairs of neighbouring labels, and (with boundary weights)
//! the first and the last label. The weights lie one block after another:
//!
//! | block | weights | at |
//! | --- | --- | --- |
//! | pairs, if there are [such features](ChainStructure::with_pair_features) | `features × labels × labels` | `(j · labels + before) · labels + after` |
//! | unary | `features × labels`, or the [pairs that were seen](ChainStructure::with_seen_pairs) | `j · labels + y` |
//! | bias, if any | `labels` | one more feature, always 1 |
//! | transition | `labels × labels` | `before · labels + after` |
//! | first and last, with boundary weights | `labels` each | |
//! | three in a row, in [second order](ChainStructure::with_triples) | `labels × labels × labels`, or those that were seen | `(before · labels + middle) · labels + after` |

mod candidates;
mod oracles;
mod pairs;
mod parts;
mod products;
mod trellis;
mod triples;

use std::sync::Arc;

use self::triples::Triples;
use super::shape::{check_features, check_label, check_labels, check_rows, check_size};
use super::{Found, KBest, LabelCost, Magnitude, Mix, Offers, ScoreNoise, Structure};
use crate::error::Result;
use crate::features::{Row, Rows};
use crate::inference::{EachStep, OutsideTable, StratifiedTable, viterbi};
use crate::linear::{
    FeatureSum, Precise, SeenPairs, add_row_products, largest_size, precise_row_products, round_up,
};

/// The task loss of a chain: the cost of each position, added up or averaged.
#[derive(Debug, Clone, Default)]
pub struct ChainLoss {
    /// What one wrong label costs.
    pub cost: LabelCost,
    /// Whether the sum is divided by the length of the chain.
    pub mean: bool,
}

impl ChainLoss {
    /// What the cost of one position counts in a chain of this length.
    pub(super) fn unit(&self, length: usize) -> f64 {
        if self.mean && length > 0 { 1.0 / length as f64 } else { 1.0 }
    }
}

/// Which weights a chain has, and its loss.
#[derive(Debug, Clone)]
pub struct ChainOptions {
    /// A constant feature at each position.
    pub bias: bool,
    /// Weights for the first and the last label.
    pub boundary: bool,
    /// The task loss.
    pub loss: ChainLoss,
}

impl Default for ChainOptions {
    fn default() -> Self {
        Self { bias: true, boundary: true, loss: ChainLoss::default() }
    }
}

/// A chain, of first order or of [second](Self::with_triples).
///
/// ```
/// use std::sync::Arc;
/// use maxmargin_core::features::{FeatureMatrix, Rows};
/// use maxmargin_core::structure::{ChainStructure, ChainOptions, ChainScores, Structure};
///
/// // One feature, two labels; label 1 likes the feature, and labels like to stay.
/// let task = ChainStructure::new(1, 2, ChainOptions { bias: false, boundary: false, ..Default::default() })?;
/// let w = [0.0, 1.0, /* transitions: */ 1.0, 0.0, 0.0, 1.0];
/// let x = Rows::new(&Arc::new(FeatureMatrix::from_dense(&[[3.0], [0.5], [-0.6]])), 0..3);
/// let mut scores = ChainScores::default();
/// task.score(&w, &x, &mut scores);
/// assert_eq!(task.decode(&x, &mut scores).label, [1, 1, 1]);
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ChainStructure {
    /// Columns with a weight for each pair of labels.
    pairs: usize,
    /// Columns with a weight for each label.
    features: usize,
    labels: usize,
    options: ChainOptions,
    /// The pairs of columns and labels that have weights, of all columns; `None` where all have that may.
    seen: Option<Arc<SeenPairs>>,
    /// Which three labels in a row have weights, if any.
    triples: Option<Triples>,
    /// Found once: hot loops ask for them at every position.
    starts: Starts,
}

/// Where the blocks of weights start.
#[derive(Debug, Clone, Copy, Default)]
struct Starts {
    unary: usize,
    bias: usize,
    transitions: usize,
    first: usize,
    last: usize,
    triples: usize,
}

/// The scores of one chain, with the decoder's working memory.
#[derive(Debug, Clone, Default)]
pub struct ChainScores {
    /// `length × labels`: features, bias and boundary weights.
    unary: Vec<f64>,
    /// `labels × labels`.
    transition: Vec<f64>,
    /// `labels × labels` for each step, where features of pairs make them differ; else empty.
    steps: Vec<f64>,
    /// `labels × labels × labels`, the label in the middle first, where three in a row have scores; else empty.
    triples: Vec<f64>,
    augmented: Vec<f64>,
    pair_values: Vec<f64>,
    best: Vec<f64>,
    strata: StratifiedTable,
    /// Searches among candidates: which labels are candidates, what labels cost, and paths outside.
    allowed: Vec<bool>,
    costs: Vec<f64>,
    outside: OutsideTable<f64>,
}

impl ChainStructure {
    /// A chain with this many features per position (without the bias) and labels.
    pub fn new(features: usize, labels: usize, options: ChainOptions) -> Result<Self> {
        check_labels(labels, &options.loss.cost)?;
        let transitions = labels.checked_add(if options.boundary { 2 } else { 0 });
        let transitions = transitions.and_then(|from| from.checked_mul(labels));
        check_size(features.saturating_add(usize::from(options.bias)), labels, transitions)?;
        let starts = Starts::default();
        Ok(Self { pairs: 0, features, labels, options, seen: None, triples: None, starts }.laid_out())
    }

    /// The same with weights only for some pairs of features and labels, which tell the number of both.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use maxmargin_core::linear::SeenPairs;
    /// use maxmargin_core::structure::{ChainOptions, ChainStructure, Structure};
    ///
    /// // Three features, of which each came with one of two labels.
    /// let seen = Arc::new(SeenPairs::new(2, vec![0, 1, 2, 3], vec![0, 1, 1])?);
    /// let options = ChainOptions { bias: false, boundary: false, ..Default::default() };
    /// assert_eq!(ChainStructure::with_seen_pairs(seen, options)?.dim(), 3 + 2 * 2);
    /// # Ok::<(), maxmargin_core::Error>(())
    /// ```
    pub fn with_seen_pairs(seen: Arc<SeenPairs>, options: ChainOptions) -> Result<Self> {
        let small = Self::new(0, seen.label_count(), options)?;
        let others = small.dim().checked_add(seen.len());
        check_size(0, small.labels, others)?;
        Ok(Self { features: seen.features(), seen: Some(seen), ..small }.laid_out())
    }

    /// The same with the blocks of weights one after another.
    fn laid_out(mut self) -> Self {
        let unary = self.pairs * self.label_pairs();
        let bias = unary + self.unary_weights();
        let transitions = bias + usize::from(self.options.bias) * self.labels;
        let first = transitions + self.label_pairs();
        let boundary = usize::from(self.options.boundary) * self.labels;
        self.starts =
            Starts { unary, bias, transitions, first, last: first + boundary, triples: first + 2 * boundary };
        self
    }

    /// The number of features of a position with a weight for each label, without the bias.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// What one wrong label costs.
    pub fn cost(&self) -> &LabelCost {
        &self.options.loss.cost
    }

    /// Whether the loss is divided by the length.
    pub fn is_mean(&self) -> bool {
        self.options.loss.mean
    }

    /// The task loss, which depends on the two labels only.
    pub fn loss_between(&self, truth: &[u32], y: &[u32]) -> f64 {
        let cost = &self.options.loss.cost;
        let sum: f64 = truth.iter().zip(y).map(|(&truth, &y)| cost.cost(truth, y)).sum();
        sum * self.options.loss.unit(truth.len())
    }

    /// The number of weights of features with labels, without the bias.
    fn unary_weights(&self) -> usize {
        self.seen.as_ref().map_or_else(|| self.features * self.labels, |seen| seen.len())
    }

    /// Scores to which the loss is added, so that decoding them maximises a mix with both in it. What is maximised is
    /// score + (loss factor / score factor) · loss: transitions need no scaling.
    fn augment(&self, truth: &[u32], scores: &mut ChainScores, mix: Mix) {
        let unit = mix.loss / mix.score * self.options.loss.unit(truth.len());
        scores.augmented.clear();
        scores.augmented.extend_from_slice(&scores.unary);
        for (row, &truth) in scores.augmented.chunks_exact_mut(self.labels).zip(truth) {
            self.options.loss.cost.for_each(truth, self.labels, |y, cost| row[y] += unit * cost);
        }
    }

    fn found(&self, scores: &ChainScores, truth: Option<&Vec<u32>>, label: Vec<u32>) -> Found<Vec<u32>> {
        let score = self.path_score(scores, &label);
        let loss = truth.map_or(0.0, |truth| self.loss_between(truth, &label));
        Found::exactly(label, score, loss)
    }

    fn path_score(&self, scores: &ChainScores, y: &[u32]) -> f64 {
        let unary: f64 = scores.unary.chunks_exact(self.labels).zip(y).map(|(row, &y)| row[y as usize]).sum();
        let unary = if self.is_second_order() { unary + self.triples_score(scores, y) } else { unary };
        let place = |pair: &[u32]| pair[0] as usize * self.labels + pair[1] as usize;
        if self.pairs > 0 {
            let steps = scores.steps.chunks_exact(self.label_pairs()).zip(y.windows(2));
            return unary + steps.map(|(step, pair)| step[place(pair)]).sum::<f64>();
        }
        let pairs = y.windows(2).map(|pair| scores.transition[place(pair)]);
        unary + pairs.sum::<f64>()
    }
}

impl Structure for ChainStructure {
    type Input = Rows;
    type Label = Vec<u32>;
    type Scores = ChainScores;
    /// ⟨x_s, x_t⟩ for s ≤ t, row by row of t: the bias included. Then the same of the features of pairs, if there are any.
    type Kernel = Vec<f64>;

    fn check(&self, x: &Rows, y: &Vec<u32>) -> Result<()> {
        check_features(x, self.pairs + self.features)?;
        check_rows(x, y.len())?;
        y.iter().try_for_each(|&label| check_label(label, self.labels))
    }

    fn variables(&self, x: &Rows) -> usize {
        x.len()
    }

    fn dim(&self) -> usize {
        self.starts.triples + self.triple_weights()
    }

    fn score(&self, w: &[f64], x: &Rows, scores: &mut ChainScores) {
        let labels = self.labels;
        scores.transition.clear();
        scores.transition.extend_from_slice(&w[self.starts.transitions..self.starts.first]);
        scores.unary.clear();
        scores.unary.resize(x.len() * labels, 0.0);
        let biases = &w[self.starts.bias..self.starts.transitions];
        for (t, out) in scores.unary.chunks_exact_mut(labels).enumerate() {
            if self.options.bias {
                out.copy_from_slice(biases);
            }
            self.add_unary_products(w, x, t, out);
        }
        if self.options.boundary && !x.is_empty() {
            let add = |out: &mut [f64], w: &[f64]| out.iter_mut().zip(w).for_each(|(out, w)| *out += w);
            let last = (x.len() - 1) * labels;
            add(&mut scores.unary[..labels], &w[self.starts.first..self.starts.last]);
            add(&mut scores.unary[last..], &w[self.starts.last..self.starts.triples]);
        }
        if self.pairs > 0 {
            self.score_steps(w, x, scores);
        }
        self.score_triples(&w[self.starts.triples..], &mut scores.triples);
    }

    fn score_precisely(
        &self,
        w: &[f64],
        norm: f64,
        x: &Rows,
        magnitude: &Magnitude,
        scores: &mut ChainScores,
    ) -> Option<ScoreNoise> {
        let labels = self.labels;
        scores.transition.clear();
        scores.transition.extend_from_slice(&w[self.starts.transitions..self.starts.first]);
        scores.unary.clear();
        let mut extent = largest_size(&scores.transition) * x.len() as f64;
        if self.pairs > 0 {
            self.score_steps_precisely(w, x, scores);
            extent = scores.steps.chunks_exact(self.label_pairs()).map(largest_size).sum();
        }
        self.score_triples(&w[self.starts.triples..], &mut scores.triples);
        extent += largest_size(&scores.triples) * x.len() as f64;
        let mut sums = vec![Precise::default(); labels];
        for t in 0..x.len() {
            sums.fill(Precise::default());
            let mut add = |w: &[f64]| sums.iter_mut().zip(w).for_each(|(sum, &w)| sum.add(w));
            if self.options.bias {
                add(&w[self.starts.bias..self.starts.transitions]);
            }
            if self.options.boundary && t == 0 {
                add(&w[self.starts.first..self.starts.last]);
            }
            if self.options.boundary && t + 1 == x.len() {
                add(&w[self.starts.last..self.starts.triples]);
            }
            match &self.seen {
                None => {
                    let (row, start) = self.unary_row(x, t);
                    precise_row_products(row, &w[start..], &mut sums);
                }
                Some(seen) => seen.precise_row_products(x.row(t), &w[self.starts.unary..], &mut sums),
            }
            scores.unary.extend(sums.iter().map(|sum| sum.get()));
            extent += largest_size(&scores.unary[t * labels..]);
        }
        let per_position = if self.is_second_order() { 6.0 } else { 4.0 };
        Some(magnitude.precise_noise(norm, extent, per_position * (x.len() as f64 + 1.0)))
    }

    fn magnitude(&self, x: &Rows, truth: &Vec<u32>) -> Magnitude {
        let order = if self.is_second_order() { 2 } else { 1 };
        let (mut norm, mut longest) = ((order + 1) as f64 * x.len() as f64 + 2.0, 0);
        for t in 0..x.len() {
            norm += x.row(t).norm_squared().sqrt();
            longest = longest.max(x.row(t).len());
        }
        let cost = &self.options.loss.cost;
        let loss: f64 = truth.iter().map(|&truth| cost.largest(truth, self.labels).max(0.0)).sum();
        let terms = (longest + (2 * order + 2) * x.len() + 8) as f64;
        Magnitude {
            norm: round_up(norm, terms),
            terms,
            repeats: x.len().max(1) as f64,
            loss: round_up(loss * self.options.loss.unit(truth.len()), terms),
            is_exact: self.seen.is_none(),
        }
    }

    fn score_of(&self, _x: &Rows, scores: &ChainScores, y: &Vec<u32>) -> f64 {
        self.path_score(scores, y)
    }

    fn decode(&self, x: &Rows, scores: &mut ChainScores) -> Found<Vec<u32>> {
        if self.walks_pairs(x.len()) {
            let path = self.best_by_pairs(scores, false);
            return self.found(scores, None, path);
        }
        let mut path = Vec::new();
        let ChainScores { unary, transition, steps, best, .. } = scores;
        match self.pairs {
            0 => viterbi(self.labels, unary, &transition[..], best, &mut path),
            _ => viterbi(self.labels, unary, EachStep::new(self.labels, steps), best, &mut path),
        }
        self.found(scores, None, path)
    }

    fn loss(&self, _x: &Rows, truth: &Vec<u32>, y: &Vec<u32>) -> f64 {
        self.loss_between(truth, y)
    }

    fn largest_loss(&self, _x: &Rows, truth: &Vec<u32>) -> f64 {
        let cost = &self.options.loss.cost;
        let sum: f64 = truth.iter().map(|&truth| cost.largest(truth, self.labels)).sum();
        sum * self.options.loss.unit(truth.len())
    }

    fn loss_unit(&self, _x: &Rows, truth: &Vec<u32>) -> Option<f64> {
        self.options.loss.cost.unit(None).map(|unit| unit * self.options.loss.unit(truth.len()))
    }

    fn least_loss(&self, _x: &Rows, truth: &Vec<u32>) -> f64 {
        let least = |&truth: &u32| self.options.loss.cost.least(truth, self.labels);
        truth.iter().map(least).fold(f64::INFINITY, f64::min) * self.options.loss.unit(truth.len())
    }

    fn maximize(&self, x: &Rows, truth: &Vec<u32>, scores: &mut ChainScores, mix: Mix) -> Found<Vec<u32>> {
        if mix.score == 0.0 || mix.loss == 0.0 {
            // An end of the λ-oracle: ties matter.
            return match self.k_best(x, Some(truth), scores, mix, 1).pop() {
                Some(found) => found,
                None => self.found(scores, Some(truth), truth.clone()),
            };
        }
        self.augment(truth, scores, mix);
        if self.walks_pairs(x.len()) {
            let path = self.best_by_pairs(scores, true);
            return self.found(scores, Some(truth), path);
        }
        let mut path = Vec::new();
        let ChainScores { augmented, transition, steps, best, .. } = scores;
        match self.pairs {
            0 => viterbi(self.labels, augmented, &transition[..], best, &mut path),
            _ => viterbi(self.labels, augmented, EachStep::new(self.labels, steps), best, &mut path),
        }
        self.found(scores, Some(truth), path)
    }

    fn add_features<A: FeatureSum + ?Sized>(&self, x: &Rows, y: &Vec<u32>, factor: f64, sum: &mut A) {
        for (t, &label) in y.iter().enumerate() {
            self.add_position(x, t, label as usize, factor, sum);
        }
        for (t, pair) in y.windows(2).enumerate() {
            self.add_step(x, t + 1, [pair[0], pair[1]], factor, sum);
        }
        self.add_triples(y, factor, sum);
    }

    fn add_difference<A: FeatureSum + ?Sized>(
        &self,
        x: &Rows,
        y: &Vec<u32>,
        truth: &Vec<u32>,
        factor: f64,
        sum: &mut A,
    ) {
        for (t, (&y, &truth)) in y.iter().zip(truth).enumerate() {
            if y != truth {
                let row = self.unary_row(x, t);
                self.add_position_of(row, x.len(), t, y as usize, factor, sum);
                self.add_position_of(row, x.len(), t, truth as usize, -factor, sum);
            }
        }
        for (t, (y, truth)) in y.windows(2).zip(truth.windows(2)).enumerate() {
            if y != truth {
                self.add_step(x, t + 1, [y[0], y[1]], factor, sum);
                self.add_step(x, t + 1, [truth[0], truth[1]], -factor, sum);
            }
        }
        if self.is_second_order() {
            for (y, truth) in y.windows(3).zip(truth.windows(3)).filter(|(y, truth)| y != truth) {
                self.add_triple(y, factor, sum);
                self.add_triple(truth, -factor, sum);
            }
        }
    }

    fn offers(&self) -> Offers<'_, Self> {
        match self.is_second_order() {
            true => Offers { candidates: Some(self), ..Offers::usual(self) },
            false => Offers { flow: Some(self), candidates: Some(self), ..Offers::usual(self) },
        }
    }

    fn kernel(&self, x: &Rows) -> Vec<f64> {
        self.products_of(x)
    }

    fn product(&self, x: &Rows, kernel: &Vec<f64>, truth: &Vec<u32>, y: &Vec<u32>, z: &Vec<u32>) -> f64 {
        self.product_of(x, kernel, truth, [y, z])
    }
}

impl ChainStructure {
    /// Adds the products of the features of a position with the weights of each label.
    #[inline(always)]
    fn add_unary_products(&self, w: &[f64], x: &Rows, t: usize, out: &mut [f64]) {
        match &self.seen {
            None => {
                let (row, start) = self.unary_row(x, t);
                add_row_products(row, &w[start..], out);
            }
            Some(seen) => seen.add_row_products(x.row(t), &w[self.starts.unary..], out),
        }
    }

    /// The features of one position with one label, its boundary weights included.
    #[inline(always)]
    fn add_position<A: FeatureSum + ?Sized>(
        &self,
        x: &Rows,
        t: usize,
        label: usize,
        factor: f64,
        sum: &mut A,
    ) {
        self.add_position_of(self.unary_row(x, t), x.len(), t, label, factor, sum);
    }

    /// The same, given the features and where their weights start.
    #[inline(always)]
    fn add_position_of<A: FeatureSum + ?Sized>(
        &self,
        (row, start): (Row<'_>, usize),
        length: usize,
        t: usize,
        label: usize,
        factor: f64,
        sum: &mut A,
    ) {
        match &self.seen {
            None => sum.add_row(row, self.labels, start + label, factor),
            Some(seen) => seen.add_row(row, label as u32, factor, start, sum),
        }
        if self.options.bias {
            sum.add(self.starts.bias + label, factor);
        }
        if self.options.boundary {
            if t == 0 {
                sum.add(self.starts.first + label, factor);
            }
            if t + 1 == length {
                sum.add(self.starts.last + label, factor);
            }
        }
    }
}
