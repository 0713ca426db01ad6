//! Models without what has no weight, and weights for other attributes than a model has. Many attributes of text occur in few
//! examples and end up with none.

use super::weights::rows_of;
use super::{DecidingWeights, Model, Weights};
use crate::data::{Attributes, Preprocessing, Vocabulary};
use crate::error::{Error, Result};

/// What is left out must be at least this share of all attributes: else it is not worth that the model knows fewer names.
const WORTHWHILE: f64 = 0.25;

impl Model {
    /// The same model without the attributes whose weights are all 0, where they have names and are many. It predicts the
    /// same: what it no longer knows counted for nothing.
    pub fn pruned(self) -> Result<Self> {
        // What a network knows of names is its own.
        if self.task.scorer().is_some() {
            return Ok(self);
        }
        let Attributes::Named(names) = &self.names.attributes else { return Ok(self) };
        // What is left out would count for nothing in the length of a row.
        if !self.has_rows_of_attributes() || self.preprocessing.normalize {
            return Ok(self);
        }
        let used: Vec<usize> =
            (0..names.len()).filter(|&attribute| self.weights.is_used(attribute)).collect();
        if used.len() as f64 > (1.0 - WORTHWHILE) * names.len() as f64 {
            return Ok(self);
        }
        let kept = used.iter().map(|&row| names.name(row as u32)).collect();
        let pairs = used.partition_point(|&attribute| attribute < self.task.pair_attributes());
        let places = used.iter().copied().enumerate().map(|(to, row)| (row, to));
        let weights = self.rows_for(used.len(), pairs, places);
        let of_used =
            |column: Option<&Vec<f64>>| column.map(|column| used.iter().map(|&row| column[row]).collect());
        let preprocessing = self.preprocessing.with_vectors(self.preprocessing.vectors().map(of_used));
        let task = self.task.with_features(used.len(), pairs)?;
        if task.dim() != weights.len() {
            return Ok(self);
        }
        let weights =
            DecidingWeights::new(Weights::new(weights, task.as_ref()), self.weights.shifts().cloned());
        let names = Vocabulary { labels: self.names.labels, attributes: Attributes::Named(kept) };
        Ok(Self { task, names, preprocessing, weights, ..self })
    }

    /// What is done to columns of data with these names: what the model does to those that it knows, and what was fitted to the
    /// data for others.
    pub(crate) fn preprocessing_for(
        &self,
        names: &Vocabulary,
        fit: impl FnOnce() -> Result<Preprocessing>,
    ) -> Result<Preprocessing> {
        let (Attributes::Named(old), Attributes::Named(new)) = (&self.names.attributes, &names.attributes)
        else {
            return Ok(self.preprocessing.clone());
        };
        if old.iter().eq(new.iter()) {
            return Ok(self.preprocessing.clone());
        }
        let places: Vec<(usize, usize)> =
            (0..).zip(old.iter()).filter_map(|(row, name)| Some((row, new.get(name)? as usize))).collect();
        let fitted = fit()?;
        // What is filled in, multiplied by, subtracted and divided by where nothing is to be changed.
        let neutral = [0.0, 1.0, 0.0, 1.0];
        let (known, fitted) = (self.preprocessing.vectors(), fitted.vectors());
        let vectors = std::array::from_fn(|i| {
            known[i].map(|known| {
                let mut vector = fitted[i].cloned().unwrap_or_else(|| vec![neutral[i]; new.len()]);
                places.iter().for_each(|&(row, place)| vector[place] = known[row]);
                vector
            })
        });
        Ok(self.preprocessing.with_vectors(vectors))
    }

    /// The weights for data with these names: attributes that the model does not know have 0. Refused where it knows none of
    /// them, or its attributes have numbers and are others. So many of the attributes have weights of pairs.
    pub(crate) fn weights_of(&self, names: &Vocabulary, pairs: usize) -> Result<Vec<f64>> {
        let differs = || {
            let problem = "the attributes of the model are not those of the data";
            Error::parameter("attributes", problem)
        };
        let places: Vec<(usize, usize)> = match (&self.names.attributes, &names.attributes) {
            (Attributes::Numbered(old), Attributes::Numbered(new)) if old == new => {
                return Ok(self.weights().to_vec());
            }
            (Attributes::Named(old), Attributes::Named(new)) => {
                let known = |(row, name)| new.get(name).map(|place| (row, place as usize));
                old.iter().enumerate().filter_map(known).collect()
            }
            _ => return Err(differs()),
        };
        if !self.names.attributes.is_empty() && places.is_empty() {
            return Err(differs());
        }
        if !self.has_rows_of_attributes() {
            let is_same = self.names.attributes.len() == names.attributes.len()
                && places.iter().enumerate().all(|(i, &place)| place == (i, i))
                && places.len() == names.attributes.len();
            return if is_same { Ok(self.weights().to_vec()) } else { Err(differs()) };
        }
        let own = self.task.pair_attributes();
        if places.iter().any(|&(old, new)| (old < own) != (new < pairs)) {
            return Err(differs());
        }
        Ok(self.rows_for(names.attributes.len(), pairs, places.into_iter()))
    }

    /// Whether the first block has a row for each attribute, and at most one more: a task of another crate may have its
    /// weights in another order.
    fn has_rows_of_attributes(&self) -> bool {
        let rows = self.attribute_rows();
        (rows..=rows + 1).contains(&self.weights.rows()) && self.weights.width() > 0
    }

    /// The rows of all attributes.
    fn attribute_rows(&self) -> usize {
        self.weights.rows_of(self.names.attributes.len()).start
    }

    /// All weights for this many attributes, so many of pairs among them, given the old and the new place of each that is kept.
    fn rows_for(
        &self,
        attributes: usize,
        pairs: usize,
        places: impl Iterator<Item = (usize, usize)>,
    ) -> Vec<f64> {
        let (width, old) = (self.weights.width(), self.attribute_rows());
        let new = rows_of(attributes, pairs, width).start;
        // The constant feature is the last row, and all other blocks follow.
        let constant = self.weights.rows() - old;
        let mut weights = vec![0.0; (new + constant) * width];
        let constant = (0..constant).map(|row| (old + row, new + row));
        places
            .flat_map(|(from, to)| self.weights.rows_of(from).zip(rows_of(to, pairs, width)))
            .chain(constant)
            .for_each(|(row, place)| self.weights.copy_row(row, &mut weights[place * width..]));
        weights.extend_from_slice(self.weights.rest());
        weights
    }
}
