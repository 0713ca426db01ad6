//! Multiclass classification: one label per input, one weight vector per label.
//!
//! φ(x,y) is x (and a constant 1, with a bias) in the block of label y: the multiclass SVM of Crammer and Singer.
//! Weights lie feature by feature: `w[j · labels + y]`; the bias, if any, is the last feature.

mod candidates;
mod oracles;

use super::{Found, LabelCost, Magnitude, Mix, Offers, ScoreNoise, Structure};
use crate::error::Result;
use crate::features::Rows;
use crate::linear::{FeatureSum, Precise, add_row_products, precise_row_products, round_up};
use crate::structure::shape::{check_features, check_label, check_labels, check_rows, check_size};

/// Multiclass with 0/1 loss or a cost matrix.
///
/// ```
/// use std::sync::Arc;
/// use maxmargin_core::features::{FeatureMatrix, Rows};
/// use maxmargin_core::structure::{LabelCost, MulticlassStructure, Structure};
///
/// let task = MulticlassStructure::new(2, 3, false, LabelCost::ZeroOne)?;
/// let x = Rows::new(&Arc::new(FeatureMatrix::from_dense(&[[1.0, 2.0]])), 0..1);
/// let mut scores = Vec::new();
/// task.score(&[0.0, 1.0, 0.0, /* feature 2: */ 0.0, 0.0, 2.0], &x, &mut scores);
/// assert_eq!(scores, [0.0, 1.0, 4.0]);
/// assert_eq!(task.decode(&x, &mut scores).label, 2);
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MulticlassStructure {
    features: usize,
    labels: usize,
    bias: bool,
    cost: LabelCost,
}

impl MulticlassStructure {
    /// A task with this many features (without the bias) and labels.
    pub fn new(features: usize, labels: usize, bias: bool, cost: LabelCost) -> Result<Self> {
        check_labels(labels, &cost)?;
        check_size(features.saturating_add(usize::from(bias)), labels, Some(0))?;
        Ok(Self { features, labels, bias, cost })
    }

    /// The number of features, without the bias.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// What a wrong label costs.
    pub fn cost(&self) -> &LabelCost {
        &self.cost
    }

    fn best(&self, scores: &[f64], truth: Option<u32>, mix: Mix) -> Found<u32> {
        let mut best = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        let mut found = Found::exactly(0, scores[0], 0.0);
        let mut consider = |label: usize, loss: f64| {
            let rank = mix.rank(scores[label], loss);
            if rank > best {
                best = rank;
                found = Found::exactly(label as u32, scores[label], loss);
            }
        };
        match truth {
            Some(truth) => self.cost.for_each(truth, self.labels, consider),
            None => (0..self.labels).for_each(|label| consider(label, 0.0)),
        }
        found
    }
}

impl Structure for MulticlassStructure {
    type Input = Rows;
    type Label = u32;
    type Scores = Vec<f64>;
    /// ‖x‖², the bias included.
    type Kernel = f64;

    fn check(&self, x: &Rows, y: &u32) -> Result<()> {
        check_features(x, self.features)?;
        check_rows(x, 1)?;
        check_label(*y, self.labels)
    }

    fn dim(&self) -> usize {
        (self.features + usize::from(self.bias)) * self.labels
    }

    fn score(&self, w: &[f64], x: &Rows, scores: &mut Vec<f64>) {
        scores.clear();
        if self.bias {
            scores.extend_from_slice(&w[self.features * self.labels..]);
        } else {
            scores.resize(self.labels, 0.0);
        }
        add_row_products(x.row(0), w, scores);
    }

    fn score_precisely(
        &self,
        w: &[f64],
        norm: f64,
        x: &Rows,
        magnitude: &Magnitude,
        scores: &mut Vec<f64>,
    ) -> Option<ScoreNoise> {
        let mut sums = vec![Precise::default(); self.labels];
        if self.bias {
            sums.iter_mut().zip(&w[self.features * self.labels..]).for_each(|(sum, &w)| sum.add(w));
        }
        precise_row_products(x.row(0), w, &mut sums);
        scores.clear();
        scores.extend(sums.iter().map(|sum| sum.get()));
        // The score is one number, rounded once; what plain sums take for their terms is in the sum itself.
        let largest = scores.iter().fold(0.0, |largest: f64, score| largest.max(score.abs()));
        Some(magnitude.precise_noise(norm, largest, 2.0))
    }

    fn magnitude(&self, x: &Rows, truth: &u32) -> Magnitude {
        let row = x.row(0);
        Magnitude {
            norm: round_up((row.norm_squared() + 1.0).sqrt(), row.len() as f64),
            terms: row.len() as f64 + 4.0,
            repeats: 1.0,
            loss: self.cost.largest(*truth, self.labels).max(0.0),
            is_exact: true,
        }
    }

    fn score_of(&self, _x: &Rows, scores: &Vec<f64>, y: &u32) -> f64 {
        scores[*y as usize]
    }

    fn decode(&self, _x: &Rows, scores: &mut Vec<f64>) -> Found<u32> {
        self.best(scores, None, Mix::SCORE)
    }

    fn loss(&self, _x: &Rows, truth: &u32, y: &u32) -> f64 {
        self.cost.cost(*truth, *y)
    }

    fn largest_loss(&self, _x: &Rows, truth: &u32) -> f64 {
        self.cost.largest(*truth, self.labels)
    }

    fn loss_unit(&self, _x: &Rows, _truth: &u32) -> Option<f64> {
        self.cost.unit(None)
    }

    fn least_loss(&self, _x: &Rows, truth: &u32) -> f64 {
        self.cost.least(*truth, self.labels)
    }

    fn maximize(&self, _x: &Rows, truth: &u32, scores: &mut Vec<f64>, mix: Mix) -> Found<u32> {
        self.best(scores, Some(*truth), mix)
    }

    fn add_features<A: FeatureSum + ?Sized>(&self, x: &Rows, y: &u32, factor: f64, sum: &mut A) {
        let y = *y as usize;
        sum.add_row(x.row(0), self.labels, y, factor);
        if self.bias {
            sum.add(self.features * self.labels + y, factor);
        }
    }

    fn add_difference<A: FeatureSum + ?Sized>(
        &self,
        x: &Rows,
        y: &u32,
        truth: &u32,
        factor: f64,
        sum: &mut A,
    ) {
        if y != truth {
            self.add_features(x, y, factor, sum);
            self.add_features(x, truth, -factor, sum);
        }
    }

    fn offers(&self) -> Offers<'_, Self> {
        Offers { flow: Some(self), candidates: Some(self), ..Offers::usual(self) }
    }

    fn kernel(&self, x: &Rows) -> f64 {
        let row = x.row(0);
        row.dot(&row) + f64::from(u8::from(self.bias))
    }

    fn product(&self, _x: &Rows, kernel: &f64, truth: &u32, y: &u32, z: &u32) -> f64 {
        if y == truth || z == truth { 0.0 } else { kernel * if y == z { 2.0 } else { 1.0 } }
    }
}
