//! Examples to classify: one row, one label.

use std::sync::Arc;

use crate::data::{
    Completion, Dataset, ExampleRows, FeatureMatrix, RowCandidates, TaskData, UNKNOWN_LABEL, refuse,
};
use crate::error::Result;
use crate::tasks::candidates::{add_candidates, label_count, of_candidates};

/// Rows with a label each.
///
/// ```
/// use maxmargin::data::FeatureMatrix;
/// use maxmargin::tasks::RowExamples;
/// let features = FeatureMatrix::from_dense(&[[1.0, 0.0], [0.0, 1.0]]);
/// let examples = RowExamples::new(features.clone(), vec![1, 0])?;
/// assert_eq!(examples.label(0), 1);
/// assert!(RowExamples::new(features, vec![1]).is_err());
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct RowExamples {
    rows: ExampleRows,
    labels: Vec<u32>,
    candidates: Option<Arc<RowCandidates>>,
}

impl RowExamples {
    /// Rows with these labels. Groups of rows fall apart: each row is an example of its own.
    pub fn new(rows: impl Into<ExampleRows>, labels: Vec<u32>) -> Result<Self> {
        let rows = rows.into().ungrouped();
        rows.check_row_count("labels", labels.len())?;
        Ok(Self { rows, labels, candidates: None })
    }

    /// Rows with candidates for their labels.
    pub fn with_candidates(rows: impl Into<ExampleRows>, candidates: RowCandidates) -> Result<Self> {
        let examples = Self::new(rows, candidates.known_labels())?;
        Ok(Self { candidates: Some(Arc::new(candidates)), ..examples })
    }

    /// Rows whose labels nobody knows.
    pub fn unlabelled(rows: impl Into<ExampleRows>) -> Self {
        let rows = rows.into().ungrouped();
        Self { labels: vec![UNKNOWN_LABEL; rows.len()], rows, candidates: None }
    }

    /// The rows.
    pub fn rows(&self) -> &ExampleRows {
        &self.rows
    }

    /// The label of an example. Panics when it does not exist.
    pub fn label(&self, example: usize) -> u32 {
        self.labels[example]
    }
}

impl TaskData for RowExamples {
    const KIND: &'static str = "rows with a label each";

    fn as_rows(&self) -> Option<&ExampleRows> {
        Some(&self.rows)
    }

    fn labels(&self) -> &[u32] {
        &self.labels
    }

    fn labels_of(&self, example: usize) -> &[u32] {
        &self.labels[example..=example]
    }

    fn subset(&self, examples: &[usize]) -> Result<Self> {
        let rows = self.rows.subset(examples)?;
        let labels = examples.iter().map(|&i| self.labels[i]).collect();
        let candidates = self.candidates.as_ref().map(|rows| Arc::new(rows.subset(examples.iter().copied())));
        Ok(Self { rows, labels, candidates })
    }

    fn with_features(&self, features: Arc<FeatureMatrix>) -> Result<Self> {
        Ok(Self { rows: self.rows.clone().with_features(features)?, ..self.clone() })
    }

    fn bytes(&self) -> usize {
        self.rows.bytes() + 4 * self.labels.len() + self.candidates.as_ref().map_or(0, |rows| rows.bytes())
    }

    fn fingerprint(&self) -> u64 {
        let candidates = self.candidates.as_deref();
        self.rows.fingerprint(|i| self.labels_of(i), |i, sum| add_candidates(candidates, i..i + 1, sum))
    }

    fn candidates(&self) -> Option<&RowCandidates> {
        self.candidates.as_deref()
    }

    fn label_count(&self) -> usize {
        label_count(&self.labels, self.candidates.as_deref())
    }

    fn completed(&self, how: Completion, labels: usize, seed: u64) -> Result<Self> {
        let labels = of_candidates(self.candidates.as_deref())?.completed(how, labels, seed)?;
        Ok(Self { labels, candidates: None, ..self.clone() })
    }

    fn narrowed(&self, how: Completion, labels: usize, seed: u64) -> Result<Self> {
        let candidates = of_candidates(self.candidates.as_deref())?.narrowed(how, labels, seed)?;
        Ok(Self { labels: candidates.known_labels(), candidates: Some(Arc::new(candidates)), ..self.clone() })
    }

    fn known_parts(&self) -> Result<Self> {
        let candidates = of_candidates(self.candidates.as_deref())?;
        let known: Vec<usize> = (0..self.len()).filter(|&i| candidates.known(i).is_some()).collect();
        Ok(Self { candidates: None, ..self.subset(&known)? })
    }

    /// Each row of a sequence is an example.
    fn from_table(mut table: Dataset) -> Result<Self> {
        let candidates = table.candidates.take();
        let (rows, labels) = table.into_single_labels(Self::KIND)?;
        match candidates {
            Some(candidates) => Self::with_candidates(rows, candidates),
            None => Self::new(rows, labels),
        }
    }

    fn of_one(features: FeatureMatrix) -> Result<Self> {
        match features.rows() {
            1 => Ok(Self::unlabelled(features)),
            rows => refuse(format!("{rows} rows are not one example; each row is one")),
        }
    }
}
