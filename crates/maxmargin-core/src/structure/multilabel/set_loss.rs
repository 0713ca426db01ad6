//! The task losses of label sets.

use std::sync::Arc;

use super::LabelSet;
use crate::error::{Error, Result};

/// What a wrong set of labels costs.
#[derive(Debug, Clone, PartialEq)]
pub enum SetLoss {
    /// The labels that are wrongly in or out, each with its weight.
    Hamming {
        /// What each label costs; 1 without weights.
        weights: Option<Arc<[f64]>>,
        /// Whether the sum is divided by the number of labels.
        mean: bool,
    },
    /// −|y| whatever the truth, for Micro-F1.
    Size,
}

impl Default for SetLoss {
    fn default() -> Self {
        SetLoss::Hamming { weights: None, mean: false }
    }
}

impl SetLoss {
    /// Refuses weights that are no costs, or not one for each label.
    pub(super) fn check(&self, labels: usize) -> Result<()> {
        let SetLoss::Hamming { weights: Some(weights), .. } = self else { return Ok(()) };
        if weights.len() != labels {
            let problem = format!("there are weights for {} labels, but {labels} labels", weights.len());
            return Err(Error::parameter("label weights", problem));
        }
        match weights.iter().find(|weight| !weight.is_finite() || **weight < 0.0) {
            Some(weight) => {
                let problem = format!("{weight} is not allowed; a label costs 0 or a finite number above it");
                Err(Error::parameter("label weights", problem))
            }
            None => Ok(()),
        }
    }

    /// The loss of one set where another is true (which is whole).
    pub(super) fn of(&self, truth: &LabelSet, y: &LabelSet, labels: usize) -> f64 {
        match self {
            SetLoss::Size => -y.size(),
            SetLoss::Hamming { .. } => {
                // What is wrongly in, and what is missing of all that should be in: nothing that would cancel.
                let wrong: f64 = y
                    .members()
                    .filter(|(label, _)| truth.on().binary_search(&(*label as u32)).is_err())
                    .map(|(label, share)| self.weight(label, labels) * share)
                    .sum();
                let missing = |&label: &u32| self.weight(label as usize, labels) * (1.0 - y.share(label));
                wrong + truth.on().iter().map(missing).sum::<f64>()
            }
        }
    }

    /// What one label costs.
    pub(super) fn weight(&self, label: usize, labels: usize) -> f64 {
        match self {
            SetLoss::Size => 1.0,
            SetLoss::Hamming { weights, mean } => {
                let unit = if *mean { 1.0 / labels as f64 } else { 1.0 };
                unit * weights.as_ref().map_or(1.0, |weights| weights[label])
            }
        }
    }

    /// The change of the loss when a label goes in.
    pub(super) fn slope(&self, label: usize, labels: usize, is_true: bool) -> f64 {
        match (self, is_true) {
            (SetLoss::Size, _) | (_, true) => -self.weight(label, labels),
            (_, false) => self.weight(label, labels),
        }
    }

    /// The largest loss.
    pub(super) fn largest(&self, labels: usize) -> f64 {
        match self {
            SetLoss::Size => 0.0,
            SetLoss::Hamming { .. } => (0..labels).map(|label| self.weight(label, labels)).sum(),
        }
    }

    /// The smallest loss above 0; infinite where no label costs anything.
    pub(super) fn least(&self, labels: usize) -> f64 {
        let weights = (0..labels).map(|label| self.weight(label, labels));
        weights.filter(|weight| *weight > 0.0).fold(f64::INFINITY, f64::min)
    }

    /// What all labels cost, where that is the same for all.
    pub(super) fn common_weight(&self, labels: usize) -> Option<f64> {
        let first = self.weight(0, labels);
        (1..labels).all(|label| self.weight(label, labels) == first).then_some(first)
    }
}
