//! Weights with what is added to the scores of labels in predictions.
//!
//! The sum of both is made once somebody asks, and kept with what it was made of: whoever changes one of them makes a new value, without it.

use std::ops::Deref;
use std::sync::OnceLock;

use super::weights::Weights;
use crate::tasks::FittedObject;

/// Trained weights, and shifts of labels where there are any.
#[derive(Debug, Clone)]
pub(super) struct DecidingWeights {
    weights: Weights,
    shifts: Option<Vec<f64>>,
    /// The weights with the shifts.
    shifted: OnceLock<Vec<f64>>,
}

impl DecidingWeights {
    pub fn new(weights: Weights, shifts: Option<Vec<f64>>) -> Self {
        Self { weights, shifts, shifted: OnceLock::new() }
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

    /// The weights with the shifts, as the task that they are of adds them.
    pub fn all(&self, task: &dyn FittedObject) -> &[f64] {
        let Some(shifts) = &self.shifts else { return self.weights.dense() };
        self.shifted.get_or_init(|| {
            let mut weights = self.weights.dense().to_vec();
            task.shift_labels(shifts, &mut weights);
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
