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
    /// The labels that are missed and those that are wrongly in, each with a cost of its own.
    Mistakes {
        /// What each label costs that is out, and should be in.
        miss: Arc<[f64]>,
        /// What each label costs that is in, and should be out.
        wrong: Arc<[f64]>,
        /// Whether the sum is divided by the number of labels.
        mean: bool,
    },
    /// −|y| whatever the truth, for Micro-F1.
    Size {
        /// How much each label counts; 1 without weights.
        weights: Option<Arc<[f64]>>,
    },
}

impl Default for SetLoss {
    fn default() -> Self {
        SetLoss::Hamming { weights: None, mean: false }
    }
}

impl SetLoss {
    /// Refuses weights that are no costs, or not one for each label.
    pub(in crate::structure) fn check(&self, labels: usize) -> Result<()> {
        for weights in self.lists().into_iter().flatten() {
            if weights.len() != labels {
                let problem = format!("there are weights for {} labels, but {labels} labels", weights.len());
                return Err(Error::parameter("label weights", problem));
            }
            if let Some(weight) = weights.iter().find(|weight| !weight.is_finite() || **weight < 0.0) {
                let problem = format!("{weight} is not allowed; a label costs 0 or a finite number above it");
                return Err(Error::parameter("label weights", problem));
            }
        }
        Ok(())
    }

    /// What is given for each label, of one that should be in and of one that should not.
    fn lists(&self) -> [Option<&Arc<[f64]>>; 2] {
        match self {
            SetLoss::Hamming { weights, .. } | SetLoss::Size { weights } => [weights.as_ref(); 2],
            SetLoss::Mistakes { miss, wrong, .. } => [Some(miss), Some(wrong)],
        }
    }

    /// The loss of sizes with the same weights: none where a label has two, or weighs nothing, so that sets of several sizes
    /// could not be told apart.
    pub(in crate::structure) fn of_sizes(&self) -> Option<Self> {
        match self {
            SetLoss::Hamming { weights, .. } | SetLoss::Size { weights } => weights
                .iter()
                .all(|weights| weights.iter().all(|weight| *weight > 0.0))
                .then(|| SetLoss::Size { weights: weights.clone() }),
            SetLoss::Mistakes { .. } => None,
        }
    }

    /// The labels by which sets differ, each with its size.
    pub(in crate::structure) fn into_hamming(self) -> Self {
        match self {
            SetLoss::Size { weights } => SetLoss::Hamming { weights, mean: false },
            others => others,
        }
    }

    /// The loss of one set where another is true (which is whole).
    pub(in crate::structure) fn of(&self, truth: &LabelSet, y: &LabelSet, labels: usize) -> f64 {
        if let SetLoss::Size { weights: None } = self {
            return -y.size();
        }
        let is_size = matches!(self, SetLoss::Size { .. });
        // What is wrongly in, and what is missing of all that should be in: nothing that would cancel.
        let is_wrong = |label: usize| is_size || truth.on().binary_search(&(label as u32)).is_err();
        let wrong: f64 = y
            .members()
            .filter(|(label, _)| is_wrong(*label))
            .map(|(label, share)| self.cost(label, labels, false) * share)
            .sum();
        if is_size {
            return -wrong;
        }
        let missing = |&label: &u32| self.cost(label as usize, labels, true) * (1.0 - y.share(label));
        wrong + truth.on().iter().map(missing).sum::<f64>()
    }

    /// What one label costs that is missed, or that is wrongly in.
    pub(in crate::structure) fn cost(&self, label: usize, labels: usize, is_true: bool) -> f64 {
        let mean = match self {
            SetLoss::Hamming { mean, .. } | SetLoss::Mistakes { mean, .. } => *mean,
            SetLoss::Size { .. } => false,
        };
        let [miss, wrong] = self.lists();
        let unit = if mean { 1.0 / labels as f64 } else { 1.0 };
        unit * if is_true { miss } else { wrong }.map_or(1.0, |weights| weights[label])
    }

    /// The change of the loss when a label goes in.
    pub(in crate::structure) fn slope(&self, label: usize, labels: usize, is_true: bool) -> f64 {
        let cost = self.cost(label, labels, is_true);
        if is_true || matches!(self, SetLoss::Size { .. }) { -cost } else { cost }
    }

    /// The largest loss of any truth.
    pub(in crate::structure) fn largest_of_all(&self, labels: usize) -> f64 {
        let largest = |label| self.cost(label, labels, true).max(self.cost(label, labels, false));
        if let SetLoss::Size { .. } = self { 0.0 } else { (0..labels).map(largest).sum() }
    }

    /// The largest loss where this is true.
    pub(in crate::structure) fn largest(&self, truth: &LabelSet, labels: usize) -> f64 {
        match self {
            SetLoss::Size { .. } => 0.0,
            SetLoss::Hamming { .. } => self.largest_of_all(labels),
            SetLoss::Mistakes { .. } => self.costs_of(truth, labels).sum(),
        }
    }

    /// The smallest loss above 0 where this is true; infinite where no label costs anything.
    pub(in crate::structure) fn least(&self, truth: &LabelSet, labels: usize) -> f64 {
        self.costs_of(truth, labels).filter(|cost| *cost > 0.0).fold(f64::INFINITY, f64::min)
    }

    /// What each label costs that is not as in this set.
    fn costs_of(&self, truth: &LabelSet, labels: usize) -> impl Iterator<Item = f64> {
        let mut on = truth.on().iter().peekable();
        (0..labels).map(move |label| {
            let is_true = on.next_if_eq(&&(label as u32)).is_some();
            self.cost(label, labels, is_true)
        })
    }

    /// The smallest cost of any label above 0, and the largest.
    pub(super) fn extremes(&self, labels: usize) -> (f64, f64) {
        let costs =
            (0..labels).flat_map(|label| [true, false].map(|is_true| self.cost(label, labels, is_true)));
        costs
            .filter(|cost| *cost > 0.0)
            .fold((f64::INFINITY, 0.0_f64), |(low, high), cost| (low.min(cost), high.max(cost)))
    }

    /// What all labels cost, where that is the same for all.
    pub(in crate::structure) fn common_weight(&self, labels: usize) -> Option<f64> {
        let first = self.cost(0, labels, true);
        let is_common =
            |label| [true, false].iter().all(|&is_true| self.cost(label, labels, is_true) == first);
        (0..labels).all(is_common).then_some(first)
    }
}
