//! Weights with what is added to the scores of labels in predictions, and what is barred there.
//!
//! The sum of both is made once somebody asks, and kept with what it was made of: whoever changes one of them makes a new value, without it.

use std::ops::Deref;
use std::sync::OnceLock;

use super::weights::Weights;
use super::well_formed::{bar, drop_barred, price};
use crate::tasks::{FittedObject, Prediction};

/// Trained weights, and shifts of labels where there are any.
#[derive(Debug, Clone)]
pub(super) struct DecidingWeights {
    weights: Weights,
    shifts: Option<Vec<f64>>,
    /// Weights of steps that are not to be taken, counted from the end.
    barred: Vec<usize>,
    /// The weights with the shifts and the bars.
    shifted: OnceLock<Vec<f64>>,
}

impl DecidingWeights {
    pub fn new(weights: Weights, shifts: Option<Vec<f64>>) -> Self {
        Self { weights, shifts, barred: Vec::new(), shifted: OnceLock::new() }
    }

    /// The same weights, of which these are barred: they are counted from the end, behind the first block.
    pub fn with_barred(self, barred: Vec<usize>) -> Self {
        Self { barred, ..Self::new(self.weights, self.shifts) }
    }

    /// Adds shifts and bars to weights of some of the attributes.
    pub fn decide(&self, task: &dyn FittedObject, weights: &mut [f64]) {
        if let Some(shifts) = &self.shifts {
            task.shift_labels(shifts, weights);
        }
        bar(&self.barred, weights);
    }

    /// Predictions by weights with bars, without those that take a barred step, unless there is no other.
    pub fn without_barred(
        &self,
        weights: &[f64],
        mut predictions: Vec<Vec<Prediction>>,
    ) -> Vec<Vec<Prediction>> {
        if let Some(price) = price(&self.barred, weights) {
            predictions.iter_mut().for_each(|list| drop_barred(list, price));
        }
        predictions
    }

    pub fn shifts(&self) -> Option<&Vec<f64>> {
        self.shifts.as_ref()
    }

    /// The same weights with other shifts.
    pub fn with_shifts(self, shifts: Vec<f64>) -> Self {
        Self::new(self.weights, Some(shifts))
    }

    /// The weights rounded to single precision.
    pub fn rounded(self) -> Self {
        Self::new(self.weights.rounded(), self.shifts)
    }

    /// The weights with the shifts and the bars, as the task that they are of adds them.
    pub fn all(&self, task: &dyn FittedObject) -> &[f64] {
        if self.shifts.is_none() && self.barred.is_empty() {
            return self.weights.dense();
        }
        self.shifted.get_or_init(|| {
            let mut weights = self.weights.dense().to_vec();
            self.decide(task, &mut weights);
            weights
        })
    }
}

impl Deref for DecidingWeights {
    type Target = Weights;

    fn deref(&self) -> &Weights {
        &self.weights
    }
}
