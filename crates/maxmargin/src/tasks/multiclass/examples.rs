//! Examples to classify: one row, one label.

use std::sync::Arc;

use crate::data::{Completion, Dataset, ExampleRows, FeatureMatrix, RowCandidates, TaskData, refuse};
use crate::error::Result;
use crate::tasks::given_labels::GivenLabels;

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
    labels: GivenLabels,
}

impl RowExamples {
    /// Rows with these labels. Groups of rows fall apart: each row is an example of its own.
    pub fn new(rows: impl Into<ExampleRows>, labels: Vec<u32>) -> Result<Self> {
        let rows = rows.into().ungrouped();
        rows.check_row_count("labels", labels.len())?;
        Ok(Self { rows, labels: GivenLabels::new(labels) })
    }

    /// Rows with candidates for their labels.
    pub fn with_candidates(rows: impl Into<ExampleRows>, candidates: RowCandidates) -> Result<Self> {
        let Self { rows, labels } = Self::new(rows, candidates.known_labels())?;
        Ok(Self { rows, labels: labels.among(candidates) })
    }

    /// Rows whose labels nobody knows.
    pub fn unlabelled(rows: impl Into<ExampleRows>) -> Self {
        let rows = rows.into().ungrouped();
        Self { labels: GivenLabels::unknown(rows.len()), rows }
    }

    /// The rows.
    pub fn rows(&self) -> &ExampleRows {
        &self.rows
    }

    /// The label of an example. Panics when it does not exist.
    pub fn label(&self, example: usize) -> u32 {
        self.labels()[example]
    }
}

impl TaskData for RowExamples {
    const KIND: &'static str = "rows with a label each";

    fn as_rows(&self) -> Option<&ExampleRows> {
        Some(&self.rows)
    }

    fn labels(&self) -> &[u32] {
        self.labels.labels()
    }

    fn labels_of(&self, example: usize) -> &[u32] {
        &self.labels()[example..=example]
    }

    fn subset(&self, examples: &[usize]) -> Result<Self> {
        let rows = self.rows.subset(examples)?;
        let labels = self.labels.subset(examples.iter().copied(), examples.iter().copied());
        Ok(Self { rows, labels })
    }

    fn with_features(&self, features: Arc<FeatureMatrix>) -> Result<Self> {
        Ok(Self { rows: self.rows.clone().with_features(features)?, ..self.clone() })
    }

    fn bytes(&self) -> usize {
        self.rows.bytes() + self.labels.bytes()
    }

    fn fingerprint(&self) -> u64 {
        self.rows.fingerprint(|i| self.labels_of(i), |i, sum| self.labels.add_candidates(i..i + 1, sum))
    }

    fn candidates(&self) -> Option<&RowCandidates> {
        self.labels.candidates()
    }

    fn label_count(&self) -> usize {
        self.labels.count()
    }

    fn completed(&self, how: Completion, labels: usize, seed: u64) -> Result<Self> {
        Ok(Self { rows: self.rows.clone(), labels: self.labels.completed(how, labels, seed)? })
    }

    fn narrowed(&self, how: Completion, labels: usize, seed: u64) -> Result<Self> {
        Ok(Self { rows: self.rows.clone(), labels: self.labels.narrowed(how, labels, seed)? })
    }

    fn known_parts(&self) -> Result<Self> {
        let Self { rows, labels } = self.subset(&self.labels.known_rows()?)?;
        Ok(Self { rows, labels: labels.settled() })
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
