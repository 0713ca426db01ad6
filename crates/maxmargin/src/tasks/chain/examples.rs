//! Sequences: any number of rows, and a label for each.

use std::sync::Arc;

use crate::data::{Dataset, ExampleRows, FeatureMatrix, TaskData, UNKNOWN_LABEL, refuse};
use crate::error::Result;
use crate::tasks::RowExamples;

/// Sequences of rows with a label for each row.
///
/// ```
/// use maxmargin::data::{ExampleRows, FeatureMatrix, TaskData};
/// use maxmargin::tasks::SequenceExamples;
/// let features = FeatureMatrix::from_dense(&[[1.0], [2.0], [3.0]]);
/// let examples = SequenceExamples::new(ExampleRows::grouped(features, vec![0, 2, 3])?, vec![0, 1, 2])?;
/// assert_eq!((examples.labels_of(0), examples.labels_of(1)), (&[0, 1][..], &[2][..]));
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SequenceExamples {
    rows: ExampleRows,
    labels: Vec<u32>,
    pair_columns: usize,
}

impl SequenceExamples {
    /// Groups of rows, with a label for each row.
    pub fn new(rows: ExampleRows, labels: Vec<u32>) -> Result<Self> {
        if !rows.is_grouped() {
            return refuse(
                "the data has no sequences; svmlight files mark them with qid:N on each line, CRFsuite files with blank lines",
            );
        }
        rows.check_row_count("labels", labels.len())?;
        Ok(Self { rows, labels, pair_columns: 0 })
    }

    /// The same, where the first columns are about the step from the row before: a chain learns a weight for each of them and each pair
    /// of neighbouring labels.
    ///
    /// ```
    /// use maxmargin::data::{ExampleRows, FeatureMatrix};
    /// use maxmargin::tasks::SequenceExamples;
    /// use maxmargin::{Chain, Examples, Trainer};
    /// // The label changes where the column is 1.
    /// let steps = FeatureMatrix::from_dense(&[[0.0], [1.0], [0.0], [1.0], [1.0]]);
    /// let rows = ExampleRows::grouped(steps, vec![0, 5])?;
    /// let examples = SequenceExamples::new(rows, vec![0, 1, 1, 0, 1])?.with_pair_columns(1)?;
    /// let examples = Examples::from_numbers(examples)?;
    /// let model = Trainer::new(Chain::default()).lambda(0.01).train(&examples)?;
    /// assert_eq!(model.blocks()[0].shape, [1, 2, 2]);
    /// assert_eq!(model.predict(examples.data(), 1)?[0][0].names(), ["0", "1", "1", "0", "1"]);
    /// # Ok::<(), maxmargin::Error>(())
    /// ```
    pub fn with_pair_columns(self, pair_columns: usize) -> Result<Self> {
        match pair_columns <= self.rows.features().columns() {
            true => Ok(Self { pair_columns, ..self }),
            false => {
                let columns = self.rows.features().columns();
                refuse(format!("{pair_columns} columns of pairs, but there are {columns}"))
            }
        }
    }

    /// How many of the columns, the first ones, have a weight for each pair of labels.
    pub fn pair_columns(&self) -> usize {
        self.pair_columns
    }

    /// The rows.
    pub fn rows(&self) -> &ExampleRows {
        &self.rows
    }

    /// The same rows, each an example of its own.
    pub fn into_rows(self) -> Result<RowExamples> {
        RowExamples::new(self.rows, self.labels)
    }
}

impl TaskData for SequenceExamples {
    const KIND: &'static str = "sequences of rows with a label for each row";

    fn as_rows(&self) -> Option<&ExampleRows> {
        Some(&self.rows)
    }

    fn labels(&self) -> &[u32] {
        &self.labels
    }

    fn labels_of(&self, example: usize) -> &[u32] {
        &self.labels[self.rows.range(example)]
    }

    fn subset(&self, examples: &[usize]) -> Result<Self> {
        let rows = self.rows.subset(examples)?;
        let labels = examples.iter().flat_map(|&i| self.labels_of(i)).copied().collect();
        Ok(Self { rows, labels, pair_columns: self.pair_columns })
    }

    fn with_features(&self, features: Arc<FeatureMatrix>) -> Result<Self> {
        Ok(Self { rows: self.rows.clone().with_features(features)?, ..self.clone() })
    }

    fn bytes(&self) -> usize {
        self.rows.bytes() + 4 * self.labels.len()
    }

    fn fingerprint(&self) -> u64 {
        self.rows.fingerprint(|i| self.labels_of(i), |_, _| ())
    }

    fn from_table(mut table: Dataset) -> Result<Self> {
        let pair_columns = std::mem::take(&mut table.pair_columns);
        let (rows, labels) = table.into_single_labels(Self::KIND)?;
        Self::new(rows, labels)?.with_pair_columns(pair_columns)
    }

    fn of_one(features: FeatureMatrix) -> Result<Self> {
        let rows = features.rows();
        Self::new(ExampleRows::grouped(features, vec![0, rows])?, vec![UNKNOWN_LABEL; rows])
    }
}
