//! Thresholds of label sets, tuned on examples that are held out.
//!
//! A shift is added to the score of each label being in a set, through its constant feature, so that predictions are still the best
//! sets, and found in the same way. It is no part of the weights that were learnt: the certificate is about those.
//!
//! How sure a label is to be in or out tells which shift of its own would change that, with all others chosen anew. So the shift with
//! the best F1 is read off the sorted numbers (SCut, Yang 2001): of each label for Macro-F1, of all together for Micro-F1. Where labels
//! have pairs, shifts of several labels act on each other; a step counts only if the metric itself is better, and is made again.

use std::ops::ControlFlow;
use std::str::FromStr;

use super::{HeldOut, Problem, Regularizer, Settings, Trainer};
use crate::data::{TaskData, hold_out};
use crate::error::{Error, Result};
use crate::shown::{did_you_mean, excerpt};
use crate::solver::Halt;
use crate::tasks::{FittedObject, LabelSetExamples, Multilabel, Prediction, Task};

/// The share of the examples that is held out.
const SHARE: f64 = 0.2;
/// At most so many steps.
const MOST_STEPS: usize = 10;
/// Shares of a step to try.
const SHARES: [f64; 3] = [1.0, 0.5, 0.25];
/// A label that fewer held-out examples have keeps its threshold: they tell too little.
const FEWEST: usize = 3;

/// What thresholds are tuned for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThresholdMetric {
    /// One shift for all labels, for Micro-F1.
    MicroF1,
    /// A shift for each label, for Macro-F1.
    MacroF1,
}

impl ThresholdMetric {
    /// Its name among the figures of an evaluation.
    pub fn name(self) -> &'static str {
        match self {
            Self::MicroF1 => "micro_f1",
            Self::MacroF1 => "macro_f1",
        }
    }
}

impl FromStr for ThresholdMetric {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = [Self::MicroF1, Self::MacroF1].into_iter().find(|metric| metric.name() == name);
        known.ok_or_else(|| {
            let meant = did_you_mean(name, [Self::MicroF1, Self::MacroF1].map(Self::name));
            let problem = format!("`{}` is not one of micro_f1, macro_f1{meant}", excerpt(name));
            Error::parameter("tune-threshold", problem)
        })
    }
}

/// Shifts that were found, and what they are worth.
#[derive(Debug, Clone, PartialEq)]
pub struct TunedThresholds {
    /// What was tuned for.
    pub metric: ThresholdMetric,
    /// What is added to the score of each label being in a set.
    pub shifts: Vec<f64>,
    /// The number of examples that were held out.
    pub held_out: usize,
    /// The metric on them without shifts and with them.
    pub values: (f64, f64),
}

impl TunedThresholds {
    /// Refuses tasks that have no thresholds.
    pub(super) fn check(task: &dyn FittedObject) -> Result<()> {
        if task.has_label_shifts() {
            return Ok(());
        }
        let problem = match task.name() {
            Multilabel::NAME => {
                "thresholds shift the weights of a constant feature; leave out the option no-bias".to_owned()
            }
            other => {
                format!("{other} has no thresholds; only the task {} has, leave it out", Multilabel::NAME)
            }
        };
        Err(Error::parameter("tune-threshold", problem))
    }

    /// Trains on most of the examples of a problem with some settings, at this λ, and tunes on the others. None where that was
    /// broken off: shifts of half a run are worth nothing.
    pub(super) fn of(
        problem: &Problem,
        settings: &Settings,
        metric: ThresholdMetric,
        lambda: f64,
        halt: &Halt,
    ) -> Result<Option<Self>> {
        let (task, examples) = (problem.task(), problem.examples());
        let (train, others) = hold_out(examples.len(), SHARE, settings.seed)
            .map_err(|_| Error::parameter("tune-threshold", "there are too few examples to hold some out"))?;
        let settings = Settings {
            regularizer: Regularizer::Lambda(lambda),
            // Columns are changed already.
            columns: Default::default(),
            tune_threshold: None,
            single_precision: false,
            ..settings.clone()
        };
        let training = Trainer::of(task.task(), settings).prepare(&examples.subset(&train)?)?;
        let model = training.run(halt, |_| ControlFlow::Continue(()))?.model;
        if halt.is_asked() {
            return Ok(None);
        }
        let weights = model.weights_of(examples.names(), task.pair_attributes())?;
        let others = examples.subset(&others)?;
        let held_out = HeldOut::from_training(others.data.clone(), problem.known())?;
        let Some(sets) = others.data().of_type::<LabelSetExamples>() else {
            return Err(Error::parameter("tune-threshold", "only sets of labels have thresholds"));
        };
        let shifted = |shifts: &[f64]| {
            let mut weights = weights.clone();
            task.shift_labels(shifts, &mut weights);
            weights
        };
        let value = |shifts: &[f64]| -> Result<f64> {
            let metrics = held_out.evaluate(task, &shifted(shifts))?.metrics;
            Ok(metrics.figure(metric.name()).unwrap_or(0.0))
        };
        let labels = examples.names().labels.len();
        let mut shifts = vec![0.0; labels];
        let before = value(&shifts)?;
        let mut best = before;
        for _ in 0..MOST_STEPS {
            let predictions = task.predict_surely(&shifted(&shifts), examples.names(), sets, 1)?;
            let mut margins: Vec<Vec<(f64, bool)>> = vec![Vec::new(); labels];
            for (i, prediction) in predictions.iter().map(|list| list.first()).enumerate() {
                let signed = prediction.into_iter().flat_map(signed_margins);
                for (name, margin) in signed {
                    let Some(label) = examples.names().labels.get(name) else { continue };
                    margins[label as usize].push((margin, sets.labels_of(i).contains(&label)));
                }
            }
            let step: Vec<f64> = match metric {
                ThresholdMetric::MacroF1 => margins.into_iter().map(best_shift).collect(),
                ThresholdMetric::MicroF1 => vec![best_shift(margins.concat()); labels],
            };
            let mut found = None;
            for share in SHARES {
                let next: Vec<f64> =
                    shifts.iter().zip(&step).map(|(shift, step)| shift + share * step).collect();
                let value = value(&next)?;
                if value > best {
                    (best, found) = (value, Some(next));
                }
            }
            match found {
                Some(next) => shifts = next,
                None => break,
            }
        }
        Ok(Some(Self { metric, shifts, held_out: others.len(), values: (before, best) }))
    }
}

/// How much more the best set with each label scores than the best one without it.
fn signed_margins(prediction: &Prediction) -> impl Iterator<Item = (&str, f64)> {
    let certainty = prediction.certainty.as_ref();
    let parts = certainty.into_iter().flat_map(|certainty| &certainty.parts);
    let others = certainty.into_iter().flat_map(|certainty| &certainty.others);
    let inside = prediction.names().into_iter().zip(parts).map(|(name, sure)| (name, sure.at_least));
    inside.chain(others.filter_map(|(name, sure)| Some((name.as_str()?, -sure.at_least))))
}

/// What to add to all margins for the best F1 of those above 0; the smallest such number.
fn best_shift(mut margins: Vec<(f64, bool)>) -> f64 {
    let truth = margins.iter().filter(|(_, is_true)| *is_true).count();
    if truth < FEWEST {
        return 0.0;
    }
    margins.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut right, mut best) = (0, (0.0, 0.0));
    for (place, &(margin, is_true)) in margins.iter().enumerate() {
        right += usize::from(is_true);
        // The border is in the middle of a gap; below all of them, as far as the whole range is wide.
        let shift = match margins.get(place + 1) {
            Some(next) if next.0 == margin => continue,
            Some(next) => -(margin + next.0) / 2.0,
            None => (1e-3 * (margins[0].0 - margin)).max(1e-6) - margin,
        };
        // A gap around 0 needs no shift.
        let next = margins.get(place + 1).map_or(f64::NEG_INFINITY, |next| next.0);
        let shift = if margin > 0.0 && next <= 0.0 { 0.0 } else { shift };
        let f1 = 2.0 * right as f64 / (place + 1 + truth) as f64;
        if f1 > best.0 || f1 == best.0 && f64::abs(shift) < f64::abs(best.1) {
            best = (f1, shift);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_separate_best() {
        let shift = |margins: &[(f64, bool)]| best_shift(margins.to_vec());
        let (yes, no) = (true, false);
        assert_eq!(shift(&[(3.0, yes), (2.0, yes), (1.0, yes), (-1.0, no)]), 0.0);
        assert_eq!(shift(&[(3.0, yes), (-2.0, yes), (-1.0, yes), (-4.0, no)]), 3.0);
        assert_eq!(shift(&[(3.0, no), (5.0, yes), (6.0, yes), (7.0, yes)]), -4.0);
        // All of them, and too few to tell.
        assert!((2.0..2.1).contains(&shift(&[(1.0, yes), (-2.0, yes), (-1.0, yes)])));
        assert_eq!(shift(&[(-1.0, yes), (-2.0, yes), (1.0, no)]), 0.0);
        // What is equal stays together.
        assert_eq!(shift(&[(-1.0, yes), (-1.0, no), (-1.0, yes), (-1.0, yes), (-3.0, no)]), 2.0);
    }
}
