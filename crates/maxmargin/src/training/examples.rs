//! Examples to learn from, with the names in them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::mismatch;
use crate::data::{Alphabet, DataObject, ReadOptions, Reading, TaskData, TextReading, Vocabulary};
use crate::error::Result;
use crate::tasks::TaskObject;

/// Examples with the names of their labels and attributes.
///
/// ```
/// use maxmargin::data::FeatureMatrix;
/// use maxmargin::Examples;
/// use maxmargin::tasks::RowExamples;
/// let features = FeatureMatrix::from_dense(&[[1.0, 0.0], [0.0, 1.0]]);
/// let examples = Examples::from_numbers(RowExamples::new(features, vec![1, 0])?)?;
/// assert_eq!(examples.names().labels.len(), 2);
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Examples {
    pub(super) data: Arc<dyn DataObject>,
    pub(super) names: Vocabulary,
    pub(super) format: Option<String>,
    pub(super) dropped_labels: Alphabet,
    pub(super) text: TextReading,
}

impl Examples {
    /// Examples whose labels and columns have these names. Whether there are names for all is checked when a task takes them.
    pub fn new(data: impl TaskData, names: Vocabulary) -> Self {
        Self::of(Arc::new(data), names)
    }

    /// The same for examples of a type that is not known.
    pub fn of(data: Arc<dyn DataObject>, names: Vocabulary) -> Self {
        let (dropped_labels, text) = Default::default();
        Self { data, names, format: None, dropped_labels, text }
    }

    /// Examples in memory: labels are called by their numbers, and so are columns.
    pub fn from_numbers(data: impl TaskData) -> Result<Self> {
        let names = data.default_names()?;
        Ok(Self::new(data, names))
    }

    /// Reads a file for a task, in whatever format it shows.
    pub fn read(task: &dyn TaskObject, file: impl AsRef<Path>) -> Result<Self> {
        Self::read_files(task, &[file.as_ref().to_owned()], &ReadOptions::default())
    }

    /// Reads files for a task, which may leave out some of what they hold. Refused where they look like files in another format.
    pub fn read_files(task: &dyn TaskObject, files: &[PathBuf], options: &ReadOptions) -> Result<Self> {
        let Reading { data, names, format, text, .. } = task.read(files, options, None)?;
        mismatch::check_format(files, format.as_deref(), data.as_ref(), &names.labels)?;
        Ok(Self { format, text, ..Self::of(data, names) })
    }

    /// The same as examples of files in this format, whose text was read so.
    pub fn as_read(self, format: Option<&str>, text: TextReading) -> Self {
        Self { format: format.map(str::to_owned), text, ..self }
    }

    /// The examples without what the options of a task leave out, and others of the same files with the same labels.
    pub fn selected(
        self,
        task: &dyn TaskObject,
        others: Option<Arc<dyn DataObject>>,
    ) -> Result<(Self, Option<Arc<dyn DataObject>>)> {
        let Some(chosen) = task.select(self.data.as_ref())? else { return Ok((self, others)) };
        let Vocabulary { labels, attributes } = self.names;
        let (keep, drop): (Vec<u32>, Vec<u32>) =
            (0..labels.len() as u32).partition(|label| chosen.binary_search(label).is_ok());
        let names = |numbers: &[u32]| numbers.iter().map(|&label| labels.name(label)).collect();
        let others = others.map(|others| others.keep_labels(&keep)).transpose()?;
        let examples = Self {
            data: self.data.keep_labels(&keep)?,
            names: Vocabulary { labels: names(&keep), attributes },
            dropped_labels: names(&drop),
            format: self.format,
            text: self.text,
        };
        Ok((examples, others))
    }

    /// The first examples, or all where there are fewer.
    pub fn first(&self, count: usize) -> Result<Self> {
        Ok(self.with_data(self.data.first(count)?))
    }

    /// Others of the same files, with the names that are left here.
    pub fn with_data(&self, data: Arc<dyn DataObject>) -> Self {
        Self { data, ..self.clone() }
    }

    /// The number of examples.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Whether there is no example.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The examples themselves.
    pub fn data(&self) -> &dyn DataObject {
        self.data.as_ref()
    }

    /// The names of labels and attributes.
    pub fn names(&self) -> &Vocabulary {
        &self.names
    }

    /// Labels that were left out of the data.
    pub fn dropped_labels(&self) -> &Alphabet {
        &self.dropped_labels
    }

    /// The format of the files, where the data came from files.
    pub fn format(&self) -> Option<&str> {
        self.format.as_deref()
    }

    /// How text was read, where the data came from files.
    pub fn text(&self) -> &TextReading {
        &self.text
    }

    /// Some of the examples. Refused where one does not exist.
    pub fn subset(&self, examples: &[usize]) -> Result<Self> {
        Ok(self.with_data(self.data.subset(examples)?))
    }

    /// The examples in some folds.
    pub fn in_folds(&self, folds: &[u32]) -> Result<Self> {
        Ok(self.with_data(self.data.in_folds(folds)?))
    }
}
