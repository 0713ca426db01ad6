//! Sequences: any number of rows, and a label for each.

use std::ops::Range;
use std::sync::Arc;

use crate::data::{
    Completion, Dataset, ExampleRows, FeatureMatrix, KeptLines, RowCandidates, SegmentKeys, TaskData,
    UNKNOWN_LABEL, refuse, starts,
};
use crate::error::Result;
use crate::tasks::RowExamples;
use crate::tasks::given_labels::{GivenLabels, needed};

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
    labels: GivenLabels,
    pair_columns: usize,
    segment_keys: Option<SegmentKeys>,
    lines: Option<KeptLines>,
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
        Ok(Self { rows, labels: GivenLabels::new(labels), pair_columns: 0, segment_keys: None, lines: None })
    }

    /// Groups of rows, with candidates for the label of each row.
    pub fn with_candidates(rows: ExampleRows, candidates: RowCandidates) -> Result<Self> {
        let examples = Self::new(rows, candidates.known_labels())?;
        Ok(Self { labels: examples.labels.clone().among(candidates), ..examples })
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

    /// The same with what rows are, by which segments of them are known.
    pub fn with_segment_keys(self, keys: SegmentKeys) -> Result<Self> {
        self.rows.check_row_count("keys of segments", keys.rows())?;
        Ok(Self { segment_keys: Some(keys), ..self })
    }

    /// What rows are, by which segments of them are known.
    pub fn segment_keys(&self) -> Option<&SegmentKeys> {
        self.segment_keys.as_ref()
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
        RowExamples::new(self.rows, self.labels.labels().to_vec())
    }
}

impl TaskData for SequenceExamples {
    const KIND: &'static str = "sequences of rows with a label for each row";

    fn as_rows(&self) -> Option<&ExampleRows> {
        Some(&self.rows)
    }

    fn labels(&self) -> &[u32] {
        self.labels.labels()
    }

    fn labels_of(&self, example: usize) -> &[u32] {
        &self.labels()[self.rows.range(example)]
    }

    fn subset(&self, examples: &[usize]) -> Result<Self> {
        let rows = self.rows.subset(examples)?;
        let of_examples = || examples.iter().flat_map(|&i| self.rows.range(i));
        let labels = self.labels.subset(of_examples(), of_examples());
        let segment_keys = self.segment_keys.as_ref().map(|keys| keys.subset(of_examples()));
        let lines = self.lines.as_ref().map(|lines| lines.subset(of_examples()));
        Ok(Self { rows, labels, pair_columns: self.pair_columns, segment_keys, lines })
    }

    fn with_features(&self, features: Arc<FeatureMatrix>) -> Result<Self> {
        Ok(Self { rows: self.rows.clone().with_features(features)?, ..self.clone() })
    }

    fn bytes(&self) -> usize {
        let keys = self.segment_keys.as_ref().map_or(0, SegmentKeys::bytes);
        let lines = self.lines.as_ref().map_or(0, KeptLines::bytes);
        self.rows.bytes() + self.labels.bytes() + keys + lines
    }

    /// The lines of a file with the tags in a column of their own.
    fn in_place(&self, example: usize, label: &serde_json::Value) -> Option<String> {
        let tags: Vec<&str> =
            label.as_array()?.iter().map(serde_json::Value::as_str).collect::<Option<_>>()?;
        self.lines.as_ref()?.with_column(self.rows.range(example), tags.into_iter())
    }

    fn fingerprint(&self) -> u64 {
        let keys_of = |i| self.segment_keys.as_ref().map(|keys| keys.of_rows(self.rows.range(i)));
        self.rows.fingerprint(
            |i| self.labels_of(i),
            |i, sum| {
                self.labels.add_candidates(self.rows.range(i), sum);
                keys_of(i).into_iter().flatten().for_each(|&key| sum.add(key));
            },
        )
    }

    fn candidates(&self) -> Option<&RowCandidates> {
        self.labels.candidates()
    }

    fn label_count(&self) -> usize {
        self.labels.count()
    }

    fn completed(&self, how: Completion, labels: usize, seed: u64) -> Result<Self> {
        Ok(Self { labels: self.labels.completed(how, labels, seed)?, ..self.clone() })
    }

    fn narrowed(&self, how: Completion, labels: usize, seed: u64) -> Result<Self> {
        Ok(Self { labels: self.labels.narrowed(how, labels, seed)?, ..self.clone() })
    }

    /// Stretches of known rows are sequences of their own.
    fn known_parts(&self) -> Result<Self> {
        let runs = needed(self.candidates())?.known_runs((0..self.rows.len()).map(|i| self.rows.range(i)));
        let known: Vec<usize> = runs.iter().cloned().flatten().collect();
        let single = ExampleRows::from(Arc::clone(self.rows.features())).subset(&known)?;
        let mut example = 0;
        let weights = runs.iter().map(|run| {
            while self.rows.range(example).end <= run.start {
                example += 1;
            }
            self.rows.weight(example)
        });
        let weights = weights.collect();
        let rows = ExampleRows::grouped(Arc::clone(single.features()), starts(runs.iter().map(Range::len)))?;
        let places = || known.iter().copied();
        let labels = self.labels.subset(places(), places()).settled();
        let segment_keys = self.segment_keys.as_ref().map(|keys| keys.subset(places()));
        let rows = rows.with_weights(weights)?;
        Ok(Self { rows, labels, segment_keys, lines: None, ..self.clone() })
    }

    fn from_table(mut table: Dataset) -> Result<Self> {
        let pair_columns = std::mem::take(&mut table.pair_columns);
        let segment_keys = table.segment_keys.take();
        let lines = table.lines.take();
        let candidates = table.candidates.take();
        let (rows, labels) = table.into_single_labels(Self::KIND)?;
        let examples = match candidates {
            Some(candidates) => Self::with_candidates(rows, candidates)?,
            None => Self::new(rows, labels)?,
        };
        let mut examples = examples.with_pair_columns(pair_columns)?;
        examples.lines = lines.filter(|lines| lines.rows() == examples.labels().len());
        match segment_keys {
            Some(keys) => examples.with_segment_keys(keys),
            None => Ok(examples),
        }
    }

    fn of_one(features: FeatureMatrix) -> Result<Self> {
        let rows = features.rows();
        Self::new(ExampleRows::grouped(features, vec![0, rows])?, vec![UNKNOWN_LABEL; rows])
    }
}
