//! What training fixes about data: later files are read and changed as it says.

use std::path::PathBuf;
use std::sync::Arc;

use super::Problem;
use super::mismatch::AttributesSeen;
use crate::data::{
    Alphabet, DataObject, Missing, Preprocessing, ReadOptions, Reading, TextReading, Vocabulary,
};
use crate::error::Result;
use crate::model::Model;
use crate::tasks::{ExampleBatches, FittedObject, TaskObject};

/// The names, the columns and the task that training fixed.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The task.
    pub task: &'a dyn FittedObject,
    /// The names of labels and attributes.
    pub names: &'a Vocabulary,
    /// What is done to columns.
    pub preprocessing: &'a Preprocessing,
    /// Labels that are ignored.
    pub dropped_labels: &'a Alphabet,
    /// The format of the training data, where it came from files.
    pub format: Option<&'a str>,
    /// How text was read.
    pub text: &'a TextReading,
}

impl<'a> Known<'a> {
    /// Reads files. `task` has the options of reading that go with them. Refused where nothing in them is known.
    pub fn read(
        &self,
        task: &dyn TaskObject,
        files: &[PathBuf],
        options: &ReadOptions,
    ) -> Result<Reading<Arc<dyn DataObject>>> {
        let reading = task.read(files, &self.options(options), Some(self.names))?;
        let mut seen = AttributesSeen::default();
        seen.add(reading.data.as_ref(), reading.unseen);
        seen.check(files, *self)?;
        Ok(reading)
    }

    /// The same as it arrives: whole examples, in batches. No examples are no batches. That nothing was known is said at the end.
    pub fn read_batches(
        &self,
        task: &dyn TaskObject,
        files: &[PathBuf],
        options: &ReadOptions,
    ) -> Result<ExampleBatches<'a>> {
        let mut batches = task.read_batches(files, &self.options(options), self.names)?;
        let (known, files, mut seen) = (*self, files.to_vec(), Some(AttributesSeen::default()));
        Ok(Box::new(std::iter::from_fn(move || match batches.next() {
            Some(batch) => Some(batch.inspect(|batch| {
                seen.iter_mut().for_each(|seen| seen.add(batch.data.as_ref(), batch.unseen));
            })),
            None => seen.take()?.check(&files, known).err().map(Err),
        })))
    }

    /// The options with what training fixed.
    pub(crate) fn options(&self, options: &ReadOptions) -> ReadOptions {
        ReadOptions {
            missing: if self.preprocessing.impute.is_some() { Missing::Keep } else { Missing::Refuse },
            ignored_labels: self.dropped_labels.clone(),
            usual_format: self.format.and_then(|format| format.parse().ok()),
            text_columns: self.text.columns.clone(),
            tags: self.text.tags,
            model_table: self.text.table.clone(),
            candidates: self.text.candidates,
            model_zero_based: self.text.zero_based,
            ..options.clone()
        }
    }

    /// Data that was read, as the weights see it: with its columns changed as in training.
    pub fn view(&self, data: Arc<dyn DataObject>) -> Result<Arc<dyn DataObject>> {
        // Readers let no missing value pass where none is filled in.
        Ok(self.preprocessing.changed(data.as_ref())?.unwrap_or(data))
    }
}

impl Model {
    /// Options of reading for more training, which starts from the model: what they do not say is as it was then.
    pub fn options_of_more_training(&self, options: &ReadOptions) -> ReadOptions {
        let text = self.text();
        let takes_columns = options.columns.given().is_none()
            && options
                .format
                .is_none_or(|format| Some(format.name()) == self.description().format.as_deref());
        ReadOptions {
            model_table: text.table.clone(),
            usual_format: self.description().format.as_ref().and_then(|format| format.parse().ok()),
            text_columns: text.columns.clone().filter(|_| takes_columns),
            model_zero_based: text.zero_based,
            tags: text.tags.filter(|tags| options.tag_scheme.is_none() && !tags.is_idle()),
            ..options.clone()
        }
    }

    /// What the model knows of data.
    pub fn known(&self) -> Known<'_> {
        Known {
            task: self.task(),
            names: self.names(),
            preprocessing: self.preprocessing(),
            dropped_labels: self.dropped_labels(),
            format: self.description().format.as_deref(),
            text: self.text(),
        }
    }
}

impl Problem {
    /// What the training data fixes.
    pub fn known(&self) -> Known<'_> {
        let examples = self.examples();
        Known {
            task: self.task(),
            names: examples.names(),
            preprocessing: self.preprocessing(),
            dropped_labels: examples.dropped_labels(),
            format: examples.format(),
            text: examples.text(),
        }
    }
}
