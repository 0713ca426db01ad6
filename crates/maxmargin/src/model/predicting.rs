//! Predictions of a model: from files, from data in memory, and for one example by the names of its attributes.

use std::path::PathBuf;
use std::sync::Arc;

use super::Model;
use crate::data::{Attributes, Dataset, ReadOptions, Reading};
use crate::error::{Error, Result};
use crate::features::{FeatureMatrix, MatrixBuilder};
use crate::tasks::Prediction;

/// What a row has: an attribute by its name, with a value or with 1.
pub trait Attribute {
    /// Its name.
    fn name(&self) -> &str;

    /// Its value.
    fn value(&self) -> f64 {
        1.0
    }
}

impl Attribute for &str {
    fn name(&self) -> &str {
        self
    }
}

impl Attribute for String {
    fn name(&self) -> &str {
        self
    }
}

impl<S: AsRef<str>> Attribute for (S, f64) {
    fn name(&self) -> &str {
        self.0.as_ref()
    }

    fn value(&self) -> f64 {
        self.1
    }
}

impl Model {
    /// Reads data for this model: with its names and its format, labelled or not.
    pub fn read(&self, files: &[PathBuf], options: &ReadOptions) -> Result<Reading> {
        self.known().read(self.task.task().as_ref(), files, options)
    }

    /// Data that was read, as the weights see it: with its columns changed as in training, and in the task's shape.
    pub fn view(&self, data: Dataset) -> Result<Dataset> {
        self.known().view(data)
    }

    /// The `k` best labels of each example, best first. The columns of the data are those that the model knows, as
    /// [`read`](Self::read) has them.
    pub fn predict(&self, data: &Dataset, k: usize) -> Result<Vec<Vec<Prediction>>> {
        self.predict_view(&self.view(data.clone())?, k)
    }

    /// The same for data that was [viewed](Self::view) before.
    pub fn predict_view(&self, data: &Dataset, k: usize) -> Result<Vec<Vec<Prediction>>> {
        if k == 0 {
            return Err(Error::parameter("k", "0 is not allowed; 1 asks for the best label"));
        }
        let mut predictions = self.task.predict(&self.weights, &self.names, data, k)?;
        if let Some(tags) = self.text.tags {
            for prediction in predictions.iter_mut().flatten() {
                prediction.label = tags.back(&prediction.names()).into();
            }
        }
        Ok(predictions)
    }

    /// The best label of one example, whose rows are given by the names of their attributes. Those that the model does not
    /// know are left out. A task without sequences takes one row.
    pub fn predict_one<A: Attribute>(&self, rows: &[impl AsRef<[A]>]) -> Result<Prediction> {
        let Attributes::Named(names) = &self.names.attributes else {
            let problem = "the attributes of this model have numbers; use predict_numbers";
            return Err(Error::parameter("attributes", problem));
        };
        let mut builder = MatrixBuilder::sparse();
        let mut row: Vec<(u32, f64)> = Vec::new();
        for attributes in rows {
            row.clear();
            for attribute in attributes.as_ref() {
                let value = attribute.value();
                if !value.is_finite() {
                    let problem = format!("{} is {value}; values are finite", attribute.name());
                    return Err(Error::parameter("attributes", problem));
                }
                row.extend(names.get(attribute.name()).map(|column| (column, value)));
            }
            row.sort_by_key(|(column, _)| *column);
            for same in row.chunk_by(|a, b| a.0 == b.0) {
                builder.push(same[0].0, same.iter().map(|(_, value)| value).sum());
            }
            builder.end_row();
        }
        self.predict_rows(builder.finish(names.len()))
    }

    /// The best label of one example, whose rows are given by the numbers in their columns.
    pub fn predict_numbers(&self, rows: &[impl AsRef<[f64]>]) -> Result<Prediction> {
        let columns = self.names.attributes.len();
        let mut builder = MatrixBuilder::dense(columns);
        for row in rows.iter().map(AsRef::as_ref) {
            if row.len() != columns || row.iter().any(|value| !value.is_finite()) {
                let problem = format!("a row has {columns} finite numbers");
                return Err(Error::parameter("row", problem));
            }
            (0..).zip(row).for_each(|(column, &value)| builder.push(column, value));
            builder.end_row();
        }
        self.predict_rows(builder.finish(columns))
    }

    fn predict_rows(&self, features: FeatureMatrix) -> Result<Prediction> {
        let (shape, rows) = (self.task.shape(), features.rows());
        if shape.graphs || (!shape.sequences && rows != 1) {
            let problem = format!("{} does not take {rows} rows as one example", self.task.name());
            return Err(Error::parameter("rows", problem));
        }
        let sequences = shape.sequences.then(|| vec![0, rows]);
        let data = Dataset { features: Arc::new(features), sequences, ..Dataset::default() };
        let best = self.predict(&data, 1)?.into_iter().flatten().next();
        best.ok_or_else(|| Error::parameter("rows", "there is no label for this example"))
    }
}
