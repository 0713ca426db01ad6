//! What every reader returns: features row by row, labels, and how rows group into examples.

use std::ops::Range;
use std::sync::Arc;

use super::alphabet::Alphabet;
use super::features::{FeatureMatrix, Rows};

/// The label of a row whose label is missing or was never seen in training. It equals no label of any model, so it
/// always counts as wrong in an evaluation.
pub const UNKNOWN_LABEL: u32 = u32::MAX;

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
}

/// Examples as read from files.
#[derive(Debug, Clone, Default)]
pub struct Dataset {
    /// One row per token (chains) or example (multiclass).
    pub features: Arc<FeatureMatrix>,
    /// One label per row; [`UNKNOWN_LABEL`] where the file has none or one that the vocabulary does not know.
    pub labels: Vec<u32>,
    /// Where each sequence starts, and the end; `None` when each row is an example of its own.
    pub sequences: Option<Vec<usize>>,
    /// The weight c_i of each example; `None` when all are 1.
    pub weights: Option<Vec<f64>>,
    /// The fold of each example, where the format has folds.
    pub folds: Option<Vec<u32>>,
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

    /// The input of example `i`.
    pub fn input(&self, i: usize) -> Rows {
        Rows::new(&self.features, self.range(i))
    }

    /// The labels of example `i`.
    pub fn labels_of(&self, i: usize) -> &[u32] {
        &self.labels[self.range(i)]
    }

    /// The weight of example `i`.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[i])
    }

    /// The examples whose fold is in `folds`. Every example when the data has no folds is *not* the answer: the caller
    /// asks for folds only where there are some.
    pub fn in_folds(&self, folds: &[u32]) -> Option<Vec<usize>> {
        let of = self.folds.as_ref()?;
        Some((0..self.len()).filter(|&i| folds.contains(&of[i])).collect())
    }

    /// The bytes that the examples hold in memory.
    pub fn bytes(&self) -> usize {
        self.features.bytes()
            + 4 * self.labels.len()
            + 8 * self.sequences.as_ref().map_or(0, Vec::len)
            + 8 * self.weights.as_ref().map_or(0, Vec::len)
            + 4 * self.folds.as_ref().map_or(0, Vec::len)
    }
}
