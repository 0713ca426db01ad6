//! Examples to learn from, with the names in them.

use std::path::{Path, PathBuf};

use crate::data::{Alphabet, Attributes, Dataset, ReadOptions, Reading, TextReading, Vocabulary};
use crate::error::{Error, Result};
use crate::tasks::TaskObject;

/// Examples with the names of their labels and attributes.
///
/// ```
/// use std::sync::Arc;
/// use maxmargin::data::{Dataset, FeatureMatrix};
/// use maxmargin::Examples;
/// let features = Arc::new(FeatureMatrix::from_dense(&[[1.0, 0.0], [0.0, 1.0]]));
/// let examples = Examples::from_numbers(Dataset { features, labels: vec![1, 0], ..Dataset::default() });
/// assert_eq!(examples.names().labels.len(), 2);
/// ```
#[derive(Debug, Clone)]
pub struct Examples {
    pub(super) data: Dataset,
    pub(super) names: Vocabulary,
    pub(super) format: Option<String>,
    pub(super) dropped_labels: Alphabet,
    pub(super) text: TextReading,
}

impl Examples {
    /// Examples whose labels and columns have these names. Whether all goes together is checked when a task takes them.
    pub fn new(data: Dataset, names: Vocabulary) -> Self {
        let (dropped_labels, text) = Default::default();
        Self { data, names, format: None, dropped_labels, text }
    }

    /// Examples in memory: labels are called by their numbers, and so are columns.
    pub fn from_numbers(data: Dataset) -> Self {
        let known = data.labels.iter().filter(|&&label| label != crate::structure::UNKNOWN_LABEL);
        let labels = known.max().map_or(0, |most| *most as usize + 1);
        let labels = (0..labels).map(|label| label.to_string()).collect::<Vec<_>>();
        let labels = labels.iter().map(String::as_str).collect();
        let attributes = Attributes::Numbered(data.features.columns());
        Self::new(data, Vocabulary { labels, attributes })
    }

    /// Reads a file for a task, in whatever format it shows.
    pub fn read(task: &dyn TaskObject, file: impl AsRef<Path>) -> Result<Self> {
        Self::read_files(task, &[file.as_ref().to_owned()], &ReadOptions::default())
    }

    /// Reads files for a task, which may leave out some of what they hold.
    pub fn read_files(task: &dyn TaskObject, files: &[PathBuf], options: &ReadOptions) -> Result<Self> {
        let Reading { data, names, format, text, .. } = task.read(files, options, None)?;
        Ok(Self { format, text, ..Self::new(data, names) })
    }

    /// The examples as a task sees them, without what its options leave out, and others of the same files with the same
    /// labels.
    pub fn selected(self, task: &dyn TaskObject, others: Option<Dataset>) -> Result<(Self, Option<Dataset>)> {
        let all = self.names.clone();
        let (data, names, dropped_labels) = task.select(task.view(self.data)?, self.names)?;
        let others = others.map(|others| task.view(others)).transpose()?;
        let keep: Vec<u32> = names.labels.iter().filter_map(|name| all.labels.get(name)).collect();
        let others = match dropped_labels.len() {
            0 => others,
            _ => others.map(|others| others.keep_labels(&all, &keep).0),
        };
        Ok((Self { data, names, dropped_labels, format: self.format, text: self.text }, others))
    }

    /// The first examples, or all where there are fewer.
    pub fn first(&self, count: usize) -> Self {
        self.with_data(self.data.first(count))
    }

    /// Others of the same files, with the names that are left here.
    pub fn with_data(&self, data: Dataset) -> Self {
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
    pub fn data(&self) -> &Dataset {
        &self.data
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
        match examples.iter().find(|&&example| example >= self.len()) {
            None => Ok(self.with_data(self.data.subset(examples))),
            Some(example) => {
                Err(Error::parameter("examples", format!("there is no example {example} of {}", self.len())))
            }
        }
    }

    /// The examples in some folds.
    pub fn in_folds(&self, folds: &[u32]) -> Result<Self> {
        Ok(self.with_data(in_folds(&self.data, folds)?))
    }
}

/// The examples in some folds.
pub fn in_folds(data: &Dataset, folds: &[u32]) -> Result<Dataset> {
    let Some(examples) = data.in_folds(folds) else {
        let problem = "this data has no folds; only the letters format numbers them";
        return Err(Error::parameter("folds", problem));
    };
    if examples.is_empty() {
        let mut there: Vec<u32> = data.folds.clone().unwrap_or_default();
        there.sort_unstable();
        there.dedup();
        let there: Vec<String> = there.iter().take(20).map(u32::to_string).collect();
        let problem = format!("no example is in these folds; the data has {}", there.join(", "));
        return Err(Error::parameter("folds", problem));
    }
    Ok(data.subset(&examples))
}
