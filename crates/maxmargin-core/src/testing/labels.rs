//! What can be said of labels without weights: codes, losses, and how large all numbers are.

use std::collections::HashSet;

use super::{Listed, wrong};
use crate::error::Result;
use crate::linear::{CooVector, FeatureSum};
use crate::structure::{Coded, Structure};

/// Sums of absolute values, and how often each entry was added to.
#[derive(Default)]
struct Sizes {
    terms: CooVector,
}

impl FeatureSum for Sizes {
    fn add(&mut self, index: usize, value: f64) {
        self.terms.add(index, value.abs());
    }
}

impl Sizes {
    fn norm(&self) -> f64 {
        let sums = self.terms.added_up();
        sums.product(&sums).sqrt()
    }

    fn repeats(&self) -> usize {
        let mut places: Vec<usize> = self.terms.iter().map(|(place, _)| place).collect();
        places.sort_unstable();
        places.chunk_by(|a, b| a == b).map(<[usize]>::len).max().unwrap_or(0)
    }
}

impl<S: Structure> Listed<'_, S> {
    pub(super) fn check_labels(&self) -> Result<()> {
        self.check_codes()?;
        self.check_losses()?;
        self.check_magnitude()
    }

    fn check_codes(&self) -> Result<()> {
        let (mut labels, mut codes) = (HashSet::new(), HashSet::new());
        for label in self.labels.iter().chain([self.truth]) {
            if let Err(error) = self.structure.check(self.input, label) {
                return wrong(format!("check refuses the label {label:?}: {error}"));
            }
            let mut code = Vec::new();
            label.encode(&mut code);
            let mut back = S::Label::default();
            if !back.decode(&code) || back != *label {
                return wrong(format!(
                    "the label {label:?} has the code {code:?}, which is read as {back:?}"
                ));
            }
            // From another label too: decode must leave nothing of what was there.
            let mut other = self.truth.clone();
            if !other.decode(&code) || other != *label {
                return wrong(format!(
                    "the code {code:?} of {label:?} is read as {other:?} over {:?}",
                    self.truth
                ));
            }
            if labels.insert(label.clone()) != codes.insert(code.clone()) {
                return wrong(format!("the label {label:?} shares its code {code:?} with another label"));
            }
        }
        Ok(())
    }

    fn check_losses(&self) -> Result<()> {
        let Self { structure, input, truth, .. } = self;
        let of_truth = structure.loss(input, truth, truth);
        if of_truth != 0.0 {
            return wrong(format!("the truth {truth:?} has the loss {of_truth}"));
        }
        let (largest, unit) = (structure.largest_loss(input, truth), structure.loss_unit(input, truth));
        for label in &self.labels {
            let loss = structure.loss(input, truth, label);
            let is_bounded = loss <= largest * (1.0 + 1e-12) && loss <= self.magnitude.loss;
            if !(loss >= 0.0 && is_bounded) {
                let bounds = format!("largest_loss {largest}, magnitude {}", self.magnitude.loss);
                return wrong(format!("the loss of {label:?} against {truth:?} is {loss}, with {bounds}"));
            }
            if let Some(unit) = unit {
                let number = loss / unit;
                if (number - number.round()).abs() > 1e-9 * (1.0 + number.abs()) {
                    return wrong(format!("the loss {loss} of {label:?} is no multiple of the unit {unit}"));
                }
            }
        }
        Ok(())
    }

    fn check_magnitude(&self) -> Result<()> {
        let Self { structure, input, magnitude, .. } = self;
        if !magnitude.is_finite() {
            return wrong(format!("{magnitude:?} is not finite"));
        }
        for label in &self.labels {
            let mut sizes = Sizes::default();
            structure.add_features(input, label, 1.0, &mut sizes);
            if sizes.norm() > magnitude.norm {
                let problem = format!("the absolute features of {label:?} have the norm {}", sizes.norm());
                return wrong(format!("{problem}, more than {} of magnitude", magnitude.norm));
            }
            if sizes.repeats() as f64 > magnitude.repeats {
                let problem = format!("one weight occurs {} times in {label:?}", sizes.repeats());
                return wrong(format!("{problem}, more than {} of magnitude", magnitude.repeats));
            }
        }
        Ok(())
    }
}
