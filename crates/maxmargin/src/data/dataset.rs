//! What every reader of tables returns: features row by row, labels, and how rows group into examples.

use std::ops::Range;
use std::sync::Arc;

use super::alphabet::Alphabet;
use super::example_rows::refuse;
use super::{
    Edge, ExampleRows, FeatureMatrix, KeptLines, NodeGraph, OpenLabels, RowCandidates, Rows, SegmentKeys,
    UNKNOWN_LABEL,
};
use crate::error::{Error, Result};

/// The names of labels and attributes: built while reading training data, fixed while reading anything later.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// The label names.
    pub labels: Alphabet,
    /// The columns of the feature matrix.
    pub attributes: Attributes,
}

/// What the columns of a feature matrix are called.
#[derive(Debug, Clone)]
pub enum Attributes {
    /// By number only: this many columns.
    Numbered(usize),
    /// By name: column `j` is the attribute with number `j`.
    Named(Alphabet),
}

impl Default for Attributes {
    fn default() -> Self {
        Attributes::Numbered(0)
    }
}

impl Attributes {
    /// The number of columns.
    pub fn len(&self) -> usize {
        match self {
            Attributes::Numbered(columns) => *columns,
            Attributes::Named(names) => names.len(),
        }
    }

    /// Whether there is no column.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes that names hold in memory.
    pub fn bytes(&self) -> usize {
        match self {
            Attributes::Numbered(_) => 0,
            Attributes::Named(names) => names.bytes(),
        }
    }
}

/// Rows as files have them, with what files may or may not hold. A task makes its examples of it: see
/// [`TaskData::from_table`](super::TaskData::from_table), which checks that all goes together.
#[derive(Debug, Clone, Default)]
pub struct Dataset {
    /// One row per token (chains), edge (graphs) or example.
    pub features: Arc<FeatureMatrix>,
    /// How many of the columns, the first ones, are about the step from the row before: chains have a weight for each of them and each
    /// pair of labels.
    pub pair_columns: usize,
    /// What rows are, by which segments of them are known; where templates say so, and somebody asks.
    pub segment_keys: Option<SegmentKeys>,
    /// The lines of the file that rows are, where somebody asks.
    pub lines: Option<KeptLines>,
    /// One label per row, or with `sets` those of the first row, in ascending order, then those of the second, and so on.
    /// [`UNKNOWN_LABEL`](super::UNKNOWN_LABEL) where the file has none or one that the vocabulary does not know; a set has it last, once for
    /// each label that is not known. Empty where there are no labels at all.
    pub labels: Vec<u32>,
    /// Where the labels of each row start, and the end, when each row has a set of them; `None` when each has one label.
    pub sets: Option<Vec<usize>>,
    /// The candidates of each row, where files were read for them. Rows with several have [`UNKNOWN_LABEL`](super::UNKNOWN_LABEL) for a label.
    pub candidates: Option<RowCandidates>,
    /// The labels that are open, where rows have sets and files were read for them.
    pub open: Option<OpenLabels>,
    /// Where each sequence starts, and the end; `None` when each row is an example of its own.
    pub sequences: Option<Vec<usize>>,
    /// The weight c_i of each example; `None` when all are 1.
    pub weights: Option<Vec<f64>>,
    /// The fold of each example, where the format has folds.
    pub folds: Option<Vec<u32>>,
    /// What each example is called, where the file says so.
    pub ids: Option<Vec<Arc<str>>>,
    /// Where examples are bipartite graphs, the edge that each row is about. Its label is 0 if it is not to be linked, 1 if
    /// it surely is, and 2 where linking it is possible: neither right nor wrong.
    pub edges: Option<Arc<[Edge]>>,
    /// The number of sure links of each example that have no edge, so that no prediction can have them; `None` when there
    /// are none.
    pub unreachable: Option<Vec<u32>>,
    /// The hierarchy of the labels, where files declare one.
    pub hierarchy: Option<Arc<NodeGraph>>,
}

impl Dataset {
    /// The number of examples (sequences, or rows when there are no sequences).
    pub fn len(&self) -> usize {
        match &self.sequences {
            Some(starts) => starts.len().saturating_sub(1),
            None => self.features.rows(),
        }
    }

    /// Whether there is no example.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows of example `i`.
    pub fn range(&self, i: usize) -> Range<usize> {
        match &self.sequences {
            Some(starts) => starts[i]..starts[i + 1],
            None => i..i + 1,
        }
    }

    /// The features of example `i`.
    pub fn input(&self, i: usize) -> Rows {
        Rows::new(&self.features, self.range(i))
    }

    /// The labels of example `i`.
    pub fn labels_of(&self, i: usize) -> &[u32] {
        let rows = self.range(i);
        let first = |row: usize| self.sets.as_ref().map_or(row, |starts| starts[row]);
        &self.labels[first(rows.start)..first(rows.end)]
    }

    /// The weight of example `i`.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[i])
    }

    /// What the examples are.
    fn kind(&self) -> &'static str {
        match self {
            Self { edges: Some(_), .. } | Self { unreachable: Some(_), .. } => "graphs",
            Self { sets: Some(_), .. } => "rows with sets of labels",
            Self { sequences: Some(_), .. } => "sequences",
            _ => "single rows",
        }
    }

    /// Takes the rows out, with what goes with them.
    pub(crate) fn take_rows(&mut self) -> Result<ExampleRows> {
        if self.pair_columns > 0 {
            let problem = "templates that begin with B or * and hold a command make attributes of pairs of neighbouring labels, which \
                           only the task chain has; leave them out";
            return Err(Error::parameter("templates", problem));
        }
        let features = std::mem::take(&mut self.features);
        let mut rows = match self.sequences.take() {
            None => ExampleRows::from(features),
            Some(starts) if starts.is_empty() => ExampleRows::grouped(features, vec![0])?,
            Some(starts) => ExampleRows::grouped(features, starts)?,
        };
        if let Some(weights) = self.weights.take() {
            rows = rows.with_weights(weights)?;
        }
        if let Some(folds) = self.folds.take() {
            rows = rows.with_folds(folds)?;
        }
        if let Some(ids) = self.ids.take() {
            rows = rows.with_ids(ids)?;
        }
        Ok(rows)
    }

    /// The rows with one label each, for examples of this kind.
    pub(crate) fn into_single_labels(mut self, needed: &str) -> Result<(ExampleRows, Vec<u32>)> {
        self.refuse_kinds(&["graphs", "rows with sets of labels"], needed)?;
        let rows = self.take_rows()?;
        let labels = self.take_labels(&rows);
        Ok((rows, labels))
    }

    /// Refuses examples that are of one of these kinds.
    pub(crate) fn refuse_kinds(&self, refused: &[&str], needed: &str) -> Result<()> {
        match self.kind() {
            found if refused.contains(&found) => {
                refuse(format!("the examples of the data are {found}, but {needed} are needed"))
            }
            _ => Ok(()),
        }
    }

    /// Takes the labels out, one for each row; unknown ones where there are none.
    pub(crate) fn take_labels(&mut self, rows: &ExampleRows) -> Vec<u32> {
        match self.labels.is_empty() {
            true => vec![UNKNOWN_LABEL; rows.features().rows()],
            false => std::mem::take(&mut self.labels),
        }
    }
}
