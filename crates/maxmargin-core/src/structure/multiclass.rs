//! Multiclass classification: one label per input, one weight vector per label.
//!
//! φ(x,y) is x (and a constant 1, with a bias) in the block of label y: the multiclass SVM of Crammer and Singer.
//! Weights lie feature by feature: `w[j · labels + y]`; the bias, if any, is the last feature.

use super::{
    Flow, FlowPolytope, Found, KBest, LabelCost, LabelSets, Magnitude, Mix, Relaxed, ScoreNoise,
    ScoreStratum, Stratified, Structure, position_set_loss,
};
use crate::error::{Error, Result};
use crate::features::Rows;
use crate::inference::{Network, NetworkArc};
use crate::linear::{FeatureSum, Precise, add_row_products, precise_row_products, round_up};

/// Multiclass with 0/1 loss or a cost matrix.
///
/// ```
/// use std::sync::Arc;
/// use maxmargin_core::features::{FeatureMatrix, Rows};
/// use maxmargin_core::structure::{LabelCost, Multiclass, Structure};
///
/// let task = Multiclass::new(2, 3, false, LabelCost::ZeroOne)?;
/// let x = Rows::new(&Arc::new(FeatureMatrix::from_dense(&[[1.0, 2.0]])), 0..1);
/// let mut scores = Vec::new();
/// task.score(&[0.0, 1.0, 0.0, /* feature 2: */ 0.0, 0.0, 2.0], &x, &mut scores);
/// assert_eq!(scores, [0.0, 1.0, 4.0]);
/// assert_eq!(task.decode(&x, &mut scores).label, 2);
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Multiclass {
    features: usize,
    labels: usize,
    bias: bool,
    cost: LabelCost,
}

impl Multiclass {
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

/// At least two labels, and a cost matrix that fits them.
pub(super) fn check_labels(labels: usize, cost: &LabelCost) -> Result<()> {
    if labels < 2 {
        return Err(Error::parameter(
            "labels",
            format!("the training data has {labels} label(s); there is nothing to learn with fewer than two"),
        ));
    }
    match cost {
        LabelCost::Matrix(matrix) if matrix.labels() != labels => Err(Error::parameter(
            "cost matrix",
            format!("made for {} labels, but there are {labels}", matrix.labels()),
        )),
        _ => Ok(()),
    }
}

/// Refuses a task with too many weights, as their places are kept in 32 bits: those of `features` for each label, and
/// `others`, such as transitions; `None` where these are too many to be counted.
pub(super) fn check_size(features: usize, labels: usize, others: Option<usize>) -> Result<()> {
    let weights = features.checked_mul(labels).and_then(|unary| unary.checked_add(others?));
    let others = if others == Some(0) { "" } else { " and what goes with pairs of labels" };
    match weights.filter(|&weights| u32::try_from(weights).is_ok()) {
        Some(weights) => {
            // A first look at the memory, so that a slip in an index ends in a message.
            let room = Vec::<f64>::new().try_reserve_exact(weights);
            room.map_err(|_| {
                let problem = format!("no memory for {features} features times {labels} labels{others}");
                Error::parameter("data", problem)
            })
        }
        None => Err(Error::parameter(
            "data",
            format!(
                "{features} features times {labels} labels{others} are more than 2³² weights; hash or select features"
            ),
        )),
    }
}

impl Structure for Multiclass {
    type Input = Rows;
    type Label = u32;
    type Scores = Vec<f64>;
    /// ‖x‖², the bias included.
    type Kernel = f64;

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

    fn loss(&self, truth: &u32, y: &u32) -> f64 {
        self.cost.cost(*truth, *y)
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

    fn as_flow(&self) -> Option<&dyn Flow<Rows, u32>> {
        Some(self)
    }

    fn kernel(&self, x: &Rows) -> f64 {
        let row = x.row(0);
        row.dot(&row) + f64::from(u8::from(self.bias))
    }

    fn product(&self, _x: &Rows, kernel: &f64, truth: &u32, y: &u32, z: &u32) -> f64 {
        if y == truth || z == truth { 0.0 } else { kernel * if y == z { 2.0 } else { 1.0 } }
    }
}

/// One unit of flow from a source to a sink, over an arc for each label.
impl Flow<Rows, u32> for Multiclass {
    fn arcs(&self, _x: &Rows) -> usize {
        self.labels
    }

    fn polytope(&self, x: &Rows, truth: &u32) -> FlowPolytope {
        let mut network = Network::new(vec![1.0, -1.0]);
        let mut losses = Vec::with_capacity(self.labels);
        self.cost.for_each(*truth, self.labels, |_, cost| {
            network.add(NetworkArc { tail: 0, head: 1, capacity: f64::INFINITY, weight: 1.0 });
            losses.push(cost);
        });
        FlowPolytope::new(network, losses, self.label_flow(x, truth))
    }

    fn label_flow(&self, _x: &Rows, y: &u32) -> Vec<f64> {
        (0..self.labels).map(|label| f64::from(u8::from(label == *y as usize))).collect()
    }

    fn arc_scores(&self, w: &[f64], x: &Rows, scores: &mut [f64]) {
        match self.bias {
            true => scores.copy_from_slice(&w[self.features * self.labels..]),
            false => scores.fill(0.0),
        }
        add_row_products(x.row(0), w, scores);
    }

    fn add_arc_features(&self, x: &Rows, arc: usize, sum: &mut dyn FeatureSum) {
        self.add_features(x, &(arc as u32), 1.0, sum);
    }

    fn add_flow_features(&self, x: &Rows, z: &[f64], sum: &mut [f64]) {
        for (label, &z) in (0..).zip(z).filter(|(_, z)| **z != 0.0) {
            self.add_features(x, &label, z, sum);
        }
    }
}

impl Stratified for Multiclass {
    fn largest_loss(&self, _x: &Rows, truth: &u32) -> f64 {
        self.cost.largest(*truth, self.labels)
    }

    fn loss_unit(&self, _truth: &u32) -> Option<f64> {
        self.cost.unit(None)
    }

    fn least_loss(&self, truth: &u32) -> f64 {
        self.cost.least(*truth, self.labels)
    }

    /// Each label is a stratum of its own.
    fn strata(
        &self,
        _x: &Rows,
        truth: &u32,
        scores: &mut Vec<f64>,
        _step: Option<f64>,
        strata: &mut Vec<ScoreStratum>,
    ) -> bool {
        strata.clear();
        self.cost.for_each(*truth, self.labels, |y, cost| {
            strata.push(ScoreStratum { score: scores[y], losses: (cost, cost) });
        });
        true
    }

    fn stratum_label(&self, _x: &Rows, _scores: &mut Vec<f64>, number: usize) -> u32 {
        number as u32
    }
}

impl LabelSets for Multiclass {
    fn with_sizes(&self, background: Option<u32>) -> Self {
        Self { cost: LabelCost::Size { background }, ..self.clone() }
    }

    fn add_set_loss(
        &self,
        truth: &u32,
        background: Option<u32>,
        scores: &Vec<f64>,
        scale: f64,
        out: &mut Vec<f64>,
    ) {
        out.clear();
        let with_loss =
            |(y, score): (usize, &f64)| scale * score + position_set_loss(*truth, y as u32, background);
        out.extend(scores.iter().enumerate().map(with_loss));
    }

    fn size(&self, y: &u32, background: Option<u32>) -> f64 {
        f64::from(u8::from(Some(*y) != background))
    }

    fn set_loss(&self, truth: &u32, y: &u32, background: Option<u32>) -> f64 {
        position_set_loss(*truth, *y, background)
    }

    fn sizes(&self, _x: &Rows, _truth: &u32, background: Option<u32>) -> (f64, f64) {
        (if background.is_some() { 0.0 } else { 1.0 }, 1.0)
    }
}

impl Relaxed for Multiclass {}

impl KBest for Multiclass {
    fn k_best(
        &self,
        _x: &Rows,
        truth: Option<&u32>,
        scores: &mut Vec<f64>,
        mix: Mix,
        k: usize,
    ) -> Vec<Found<u32>> {
        let mut all: Vec<Found<u32>> = (0..self.labels as u32)
            .map(|label| {
                let loss = truth.map_or(0.0, |truth| self.cost.cost(*truth, label));
                Found::exactly(label, scores[label as usize], loss)
            })
            .collect();
        let rank = |found: &Found<u32>| mix.rank(found.score, found.loss);
        all.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(std::cmp::Ordering::Equal));
        all.truncate(k);
        all
    }
}
