//! What it costs to take one label for another: 1, or an entry of a matrix that the user gives.

use std::sync::Arc;

use crate::error::{Error, Result};

/// The label of a row whose label is missing or was never seen in training. It equals no label of any model, so it
/// always counts as wrong in an evaluation.
pub const UNKNOWN_LABEL: u32 = u32::MAX;

/// So many labels have a cost for each pair of them in half a gigabyte.
const MOST_WEIGHED: usize = 8192;

/// The cost of predicting one label where another is true.
#[derive(Debug, Clone, Default)]
pub enum LabelCost {
    /// 1 for every mistake.
    #[default]
    ZeroOne,
    /// An entry of a cost matrix.
    Matrix(Arc<CostMatrix>),
    /// −1 for every label but the background, whatever the truth: the size of a label as a set, for Micro-F1.
    Size {
        /// The label that is in no set.
        background: Option<u32>,
    },
}

impl LabelCost {
    /// The cost of `predicted` where `truth` is right; 1 where the truth is unknown.
    ///
    /// # Panics
    ///
    /// When a cost matrix has no such label, as a slice does.
    #[inline]
    pub fn cost(&self, truth: u32, predicted: u32) -> f64 {
        match self {
            LabelCost::ZeroOne => f64::from(u8::from(truth != predicted)),
            LabelCost::Matrix(_) if truth == UNKNOWN_LABEL => 1.0,
            LabelCost::Matrix(matrix) => matrix.row(truth)[predicted as usize],
            LabelCost::Size { background } => -f64::from(u8::from(Some(predicted) != *background)),
        }
    }

    /// Calls `visit(label, cost)` for each of `labels` labels.
    #[inline]
    pub(super) fn for_each(&self, truth: u32, labels: usize, mut visit: impl FnMut(usize, f64)) {
        match self {
            LabelCost::ZeroOne => {
                (0..labels).for_each(|y| visit(y, f64::from(u8::from(y != truth as usize))));
            }
            LabelCost::Matrix(matrix) => {
                matrix.row(truth).iter().enumerate().for_each(|(y, &cost)| visit(y, cost));
            }
            LabelCost::Size { .. } => (0..labels).for_each(|y| visit(y, self.cost(truth, y as u32))),
        }
    }

    /// The largest cost where `truth` is right.
    pub(super) fn largest(&self, truth: u32, labels: usize) -> f64 {
        match self {
            LabelCost::ZeroOne => 1.0,
            _ => (0..labels as u32).map(|y| self.cost(truth, y)).fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// The smallest cost above 0 where `truth` is right; infinite where nothing costs anything.
    pub(super) fn least(&self, truth: u32, labels: usize) -> f64 {
        match self {
            LabelCost::ZeroOne | LabelCost::Size { .. } => 1.0,
            LabelCost::Matrix(_) => {
                let costs = (0..labels as u32).map(|y| self.cost(truth, y));
                costs.filter(|cost| *cost > 0.0).fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// The largest cost of any mistake.
    pub fn largest_of_all(&self) -> f64 {
        match self {
            LabelCost::ZeroOne | LabelCost::Size { .. } => 1.0,
            LabelCost::Matrix(matrix) => matrix.as_slice().iter().copied().fold(0.0, f64::max),
        }
    }

    /// Whether costs are whole numbers, or are to be rounded down to multiples of a step.
    pub fn is_whole(&self, step: Option<f64>) -> bool {
        self.unit(step).is_some()
    }

    /// The unit of which all costs are whole multiples: ±1 where they are whole numbers themselves, or the given step,
    /// to which they are rounded down.
    pub(super) fn unit(&self, step: Option<f64>) -> Option<f64> {
        match self {
            LabelCost::ZeroOne => Some(1.0),
            LabelCost::Size { .. } => Some(-1.0),
            LabelCost::Matrix(matrix) if matrix.is_whole() => Some(1.0),
            LabelCost::Matrix(_) => step,
        }
    }
}

/// Whole costs up to this are counted one by one.
const MOST_WHOLE: f64 = 100.0;

/// A square matrix of costs: a row per true label, a column per predicted one, zeros on the diagonal.
#[derive(Debug, Clone, PartialEq)]
pub struct CostMatrix {
    labels: usize,
    costs: Vec<f64>,
}

impl CostMatrix {
    /// A matrix from its rows: square, finite, not negative, 0 on the diagonal.
    pub fn new(labels: usize, costs: Vec<f64>) -> Result<Self> {
        let wrong = |problem: String| Err(Error::parameter("cost matrix", problem));
        if labels.checked_mul(labels) != Some(costs.len()) {
            return wrong(format!(
                "{} entries for {labels} labels; {labels} times {labels} are needed",
                costs.len()
            ));
        }
        for truth in 0..labels {
            for predicted in 0..labels {
                let cost = costs[truth * labels + predicted];
                if !cost.is_finite() || cost < 0.0 || (truth == predicted && cost != 0.0) {
                    return wrong(format!(
                        "the cost of predicting label {predicted} for label {truth} is {cost}; costs are finite, not negative, and 0 where the labels are equal"
                    ));
                }
            }
        }
        Ok(Self { labels, costs })
    }

    /// A matrix in which a mistake costs what the true label weighs.
    pub fn by_truth(weights: &[f64]) -> Result<Self> {
        let labels = weights.len();
        if labels > MOST_WEIGHED {
            let problem = format!(
                "{labels} labels have {labels}² pairs, too many to have a cost each; at most {MOST_WEIGHED} can be weighed by their truth"
            );
            return Err(Error::parameter("loss", problem));
        }
        let row = |(truth, &weight): (usize, &f64)| {
            (0..labels).map(move |predicted| if predicted == truth { 0.0 } else { weight })
        };
        Self::new(labels, weights.iter().enumerate().flat_map(row).collect())
    }

    /// The number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// The costs of all predictions where `truth` is right.
    ///
    /// # Panics
    ///
    /// When there is no such label, as a slice does.
    pub fn row(&self, truth: u32) -> &[f64] {
        let start = truth as usize * self.labels;
        &self.costs[start..start + self.labels]
    }

    /// Whether all costs are whole numbers, and not so large that one could not count up to them.
    pub fn is_whole(&self) -> bool {
        self.costs.iter().all(|cost| cost.fract() == 0.0 && *cost <= MOST_WHOLE)
    }

    /// All costs, row by row.
    pub fn as_slice(&self) -> &[f64] {
        &self.costs
    }
}
