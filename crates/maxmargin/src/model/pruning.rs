//! Models without what has no weight. Most attributes of text occur in few examples and end up with none: a model that
//! chunks text loses more than nine tenths of its rows.

use super::Model;
use crate::data::{Attributes, Preprocessing, Vocabulary};
use crate::error::Result;

/// What is left out must be at least this share of all attributes: else it is not worth that the model knows fewer names.
const WORTHWHILE: f64 = 0.5;

impl Model {
    /// The same model without the attributes whose weights are all 0, where they have names and are many. It predicts the
    /// same: what it no longer knows counted for nothing.
    pub fn pruned(self) -> Result<Self> {
        let Attributes::Named(names) = &self.names.attributes else { return Ok(self) };
        let Some(rows) = self.blocks().into_iter().next().filter(|block| !block.is_empty()) else {
            return Ok(self);
        };
        let width = rows.len() / rows.shape[0];
        // A task of another crate may have its weights in another order.
        if !(names.len()..=names.len() + 1).contains(&rows.shape[0]) {
            return Ok(self);
        }
        let is_used = |row: usize| self.weights[row * width..(row + 1) * width].iter().any(|&w| w != 0.0);
        let used: Vec<usize> = (0..names.len()).filter(|&row| is_used(row)).collect();
        if used.len() as f64 > (1.0 - WORTHWHILE) * names.len() as f64 {
            return Ok(self);
        }
        let kept = used.iter().map(|&row| names.name(row as u32)).collect();
        let names_left =
            Vocabulary { labels: self.names.labels.clone(), attributes: Attributes::Named(kept) };
        let mut weights = Vec::with_capacity(used.len() * width + self.weights.len() - names.len() * width);
        used.iter().for_each(|&row| weights.extend_from_slice(&self.weights[row * width..(row + 1) * width]));
        weights.extend_from_slice(&self.weights[names.len() * width..]);
        let of_used = |column: &Option<Vec<f64>>| {
            column.as_ref().map(|column| used.iter().map(|&row| column[row]).collect())
        };
        let Preprocessing { impute, shift, scale } = &self.preprocessing;
        let preprocessing =
            Preprocessing { impute: of_used(impute), shift: of_used(shift), scale: of_used(scale) };
        let task = self.task.task().load(&self.task.save(), &names_left);
        let task = task.map_err(|problem| crate::Error::parameter("model", problem))?;
        if task.dim() != weights.len() {
            return Ok(self);
        }
        Ok(Self { task, names: names_left, preprocessing, weights, ..self })
    }
}

impl Model {
    /// The weights for data with these names: attributes that the model does not know have 0. Refused where it knows none of
    /// them, or its attributes have numbers and are others.
    pub(crate) fn weights_of(&self, names: &Vocabulary) -> Result<Vec<f64>> {
        let differs = || {
            let problem = "the attributes of the model are not those of the data";
            crate::Error::parameter("attributes", problem)
        };
        let columns: Vec<Option<usize>> = match (&self.names.attributes, &names.attributes) {
            (Attributes::Numbered(old), Attributes::Numbered(new)) if old == new => {
                return Ok(self.weights.clone());
            }
            (Attributes::Named(old), Attributes::Named(new)) => {
                old.iter().map(|name| new.get(name).map(|row| row as usize)).collect()
            }
            _ => return Err(differs()),
        };
        if !columns.is_empty() && columns.iter().all(Option::is_none) {
            return Err(differs());
        }
        let blocks = self.blocks();
        let width = blocks.first().map_or(0, |rows| rows.len().checked_div(rows.shape[0]).unwrap_or(0));
        let rest = &self.weights[columns.len() * width..];
        let mut weights = vec![0.0; names.attributes.len() * width];
        for (row, place) in self.weights.chunks_exact(width.max(1)).zip(&columns) {
            if let Some(place) = place {
                weights[place * width..(place + 1) * width].copy_from_slice(row);
            }
        }
        // The constant feature is the last row, and all other blocks follow.
        weights.extend_from_slice(rest);
        Ok(weights)
    }
}
