//! What training fixes about data: later files are read and changed as it says.

use anyhow::Result;
use maxmargin::Model;
use maxmargin::data::{Alphabet, Dataset, Format, Missing, Preprocessing, ReadOptions, Vocabulary};
use maxmargin::task::{Task, TaskKind};

/// The names, the columns and the task that training fixed.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// The task.
    pub task: &'a Task,
    /// The names of labels and attributes.
    pub vocabulary: &'a Vocabulary,
    /// What is done to columns.
    pub preprocessing: &'a Preprocessing,
    /// Labels that are ignored.
    pub dropped_labels: &'a Alphabet,
    /// The format of the training data, where it came from files.
    pub format: Option<Format>,
}

impl<'a> Known<'a> {
    /// What a model knows; `task` is its own.
    pub fn of(model: &'a Model, task: &'a Task) -> Self {
        let Model { vocabulary, preprocessing, dropped_labels, description, .. } = model;
        Self { task, vocabulary, preprocessing, dropped_labels, format: description.format }
    }

    /// The options for reading later files.
    pub fn options(&self, options: ReadOptions) -> ReadOptions {
        ReadOptions {
            label_sets: self.task.kind() == TaskKind::Multilabel,
            missing: if self.preprocessing.impute.is_some() { Missing::Keep } else { Missing::Refuse },
            ignored_labels: self.dropped_labels.clone(),
            usual_format: self.format,
            ..options
        }
    }

    /// Data that was read, as the task sees it.
    pub fn view(&self, data: Dataset) -> Result<Dataset> {
        // Readers let no missing value pass where none is filled in.
        let data = if self.preprocessing.is_empty() { data } else { self.preprocessing.apply(&data)? };
        Ok(self.task.view(data)?)
    }
}
