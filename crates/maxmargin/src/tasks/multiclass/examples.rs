//! Examples to classify: one row, one label.

use std::sync::Arc;

use crate::data::{Dataset, ExampleRows, FeatureMatrix, TaskData, UNKNOWN_LABEL, refuse};
use crate::error::Result;

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
}

impl RowExamples {
    /// Rows with these labels. Groups of rows fall apart: each row is an example of its own.
    pub fn new(rows: impl Into<ExampleRows>, labels: Vec<u32>) -> Result<Self> {
        let rows = rows.into().ungrouped();
        rows.check_row_count("labels", labels.len())?;
        Ok(Self { rows, labels })
    }

    /// Rows whose labels nobody knows.
    pub fn unlabelled(rows: impl Into<ExampleRows>) -> Self {
        let rows = rows.into().ungrouped();
        Self { labels: vec![UNKNOWN_LABEL; rows.len()], rows }
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
        Ok(Self { rows, labels: examples.iter().map(|&i| self.labels[i]).collect() })
    }

    fn with_features(&self, features: Arc<FeatureMatrix>) -> Result<Self> {
        Ok(Self { rows: self.rows.clone().with_features(features)?, labels: self.labels.clone() })
    }

    fn bytes(&self) -> usize {
        self.rows.bytes() + 4 * self.labels.len()
    }

    fn fingerprint(&self) -> u64 {
        self.rows.fingerprint(|i| self.labels_of(i), |_, _| ())
    }

    /// Each row of a sequence is an example.
    fn from_table(table: Dataset) -> Result<Self> {
        let (rows, labels) = table.into_single_labels(Self::KIND)?;
        Self::new(rows, labels)
    }

    fn of_one(features: FeatureMatrix) -> Result<Self> {
        match features.rows() {
            1 => Ok(Self::unlabelled(features)),
            rows => refuse(format!("{rows} rows are not one example; each row is one")),
        }
    }
}
