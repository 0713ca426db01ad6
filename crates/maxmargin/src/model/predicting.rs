//! Predictions of a model: from files, from data in memory, and for one example by the names of its attributes.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;

use super::Model;
use crate::data::{Attributes, DataObject, ReadOptions, Reading, Vocabulary};
use crate::error::{Error, Result};
use crate::features::{FeatureMatrix, MatrixBuilder};
use crate::tasks::{FittedObject, Prediction};

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

/// How a task predicts with weights and names.
type Predict = fn(
    &(dyn FittedObject + 'static),
    &[f64],
    &Vocabulary,
    &dyn DataObject,
    usize,
) -> Result<Vec<Vec<Prediction>>>;

/// As many weights as the rows of a long sentence have.
const MOST_KEPT: usize = 1 << 17;

thread_local! {
    /// The weights that were gathered for the last examples, if they were few: their memory serves the next ones.
    static GATHERED: Cell<Vec<f64>> = const { Cell::new(Vec::new()) };
}

impl Model {
    /// Reads data for this model: with its names and its format, labelled or not.
    pub fn read(&self, files: &[PathBuf], options: &ReadOptions) -> Result<Reading<Arc<dyn DataObject>>> {
        self.known().read(self.task.task().as_ref(), files, options)
    }

    /// Data that was read, as the weights see it: with its columns changed as in training.
    pub fn view(&self, data: Arc<dyn DataObject>) -> Result<Arc<dyn DataObject>> {
        self.known().view(data)
    }

    /// The `k` best labels of each example, best first. The columns of the data are those that the model knows, as
    /// [`read`](Self::read) has them.
    pub fn predict(&self, data: &dyn DataObject, k: usize) -> Result<Vec<Vec<Prediction>>> {
        let changed = self.preprocessing.changed(data)?;
        self.predict_view(changed.as_deref().unwrap_or(data), k)
    }

    /// The same for data that was [viewed](Self::view) before.
    pub fn predict_view(&self, data: &dyn DataObject, k: usize) -> Result<Vec<Vec<Prediction>>> {
        self.predictions(data, k, FittedObject::predict)
    }

    /// The same with the [certainty](Prediction::certainty) of the best label and of its parts. Where tags are learnt in another
    /// scheme than that of files, it is about those that were learnt.
    ///
    /// ```
    /// use maxmargin::tasks::RowExamples;
    /// use maxmargin::{Examples, Multiclass, Trainer, data::FeatureMatrix};
    ///
    /// let features = FeatureMatrix::from_dense(&[[1.0, 0.0], [0.0, 1.0]]);
    /// let examples = Examples::from_numbers(RowExamples::new(features, vec![0, 1])?)?;
    /// let model = Trainer::new(Multiclass::default()).lambda(0.01).train(&examples)?;
    /// let best = &model.predict_surely(examples.data(), 2)?[0];
    /// let certainty = best[0].certainty.as_ref().unwrap();
    /// assert!((certainty.margin.at_least - (best[0].score - best[1].score)).abs() < 1e-9);
    /// # Ok::<(), maxmargin::Error>(())
    /// ```
    pub fn predict_surely(&self, data: &dyn DataObject, k: usize) -> Result<Vec<Vec<Prediction>>> {
        let changed = self.preprocessing.changed(data)?;
        self.predictions(changed.as_deref().unwrap_or(data), k, FittedObject::predict_surely)
    }

    fn predictions(&self, data: &dyn DataObject, k: usize, predict: Predict) -> Result<Vec<Vec<Prediction>>> {
        if k == 0 {
            return Err(Error::parameter("k", "0 is not allowed; 1 asks for the best label"));
        }
        // A few examples of text need few rows of weights. For many all weights are made, which is faster from then on.
        let mut weights = GATHERED.take();
        if self.task.scorer().is_none()
            && let Some(features) = data.features()
            && features.columns() == self.task.features()
            && let Some(features) = self.weights.gathered(features, &mut weights)
        {
            let task = self.task.with_features(features.columns(), 0)?;
            let data = data.with_features(Arc::new(features))?;
            self.weights.decide(task.as_ref(), &mut weights);
            let predictions = predict(task.as_ref(), &weights, &self.names, data.as_ref(), k)
                .map(|found| self.weights.without_barred(&weights, found));
            GATHERED.set(if weights.len() <= MOST_KEPT { weights } else { Vec::new() });
            return Ok(self.in_schemes_of_files(predictions?));
        }
        let weights = self.deciding_weights();
        let predictions = predict(self.task.as_ref(), weights, &self.names, data, k)?;
        Ok(self.in_schemes_of_files(self.weights.without_barred(weights, predictions)))
    }

    /// Predictions with the tags that files have, where others were learnt.
    fn in_schemes_of_files(&self, mut predictions: Vec<Vec<Prediction>>) -> Vec<Vec<Prediction>> {
        if let Some(tags) = self.text.tags.filter(|tags| !tags.is_idle()) {
            for prediction in predictions.iter_mut().flatten() {
                prediction.label = tags.back(&prediction.names()).into();
            }
        }
        predictions
    }

    /// The best label of one example, whose rows are given by the names of their attributes. Those that the model does not
    /// know are left out. A task without sequences takes one row.
    pub fn predict_one<A: Attribute>(&self, rows: &[impl AsRef<[A]>]) -> Result<Prediction> {
        let Attributes::Named(names) = &self.names.attributes else {
            let problem = "the attributes of this model have numbers; use predict_numbers";
            return Err(Error::parameter("attributes", problem));
        };
        let mut builder = MatrixBuilder::sparse();
        let mut guesses = Vec::new();
        for attributes in rows.iter().map(AsRef::as_ref) {
            if let Some(attribute) = attributes.iter().find(|attribute| !attribute.value().is_finite()) {
                let problem = format!("{} is {}; values are finite", attribute.name(), attribute.value());
                return Err(Error::parameter("attributes", problem));
            }
            let push = |i: usize, column| builder.push(column, attributes[i].value());
            names.get_each(attributes.iter().map(Attribute::name), push, &mut guesses);
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
        let best = self.predict(self.task.one_example(features)?.as_ref(), 1)?.into_iter().flatten().next();
        best.ok_or_else(|| Error::parameter("rows", "there is no label for this example"))
    }
}
