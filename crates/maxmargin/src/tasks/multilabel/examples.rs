//! Rows with sets of labels.

use std::cmp::Reverse;
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::data::{
    Completion, Dataset, ExampleRows, FeatureMatrix, OpenLabels, TaskData, UNKNOWN_LABEL, are_starts, refuse,
    starts,
};
use crate::error::Result;
use crate::structure::CandidateSets;
use crate::tasks::given_labels::WITHOUT_CANDIDATES;

/// Rows with a set of labels each.
///
/// ```
/// use maxmargin::data::{FeatureMatrix, TaskData};
/// use maxmargin::tasks::LabelSetExamples;
/// let features = FeatureMatrix::from_dense(&[[1.0], [2.0], [3.0]]);
/// let examples = LabelSetExamples::from_sets(features, &[vec![0, 2], vec![], vec![1]])?;
/// assert_eq!(examples.labels_of(0), [0, 2]);
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LabelSetExamples {
    rows: ExampleRows,
    /// Where the labels of each row start, and the end.
    sets: Vec<usize>,
    /// Those of a row ascend; unknown ones come last.
    labels: Vec<u32>,
    /// The labels of each row of which nobody knows whether it has them, where there may be any.
    open: Option<OpenLabels>,
}

impl LabelSetExamples {
    /// Rows with these labels, those of each in ascending order (unknown ones last); `sets` has where they start, and the
    /// end. Groups of rows fall apart: each row is an example of its own.
    pub fn new(rows: impl Into<ExampleRows>, sets: Vec<usize>, labels: Vec<u32>) -> Result<Self> {
        let rows = rows.into().ungrouped();
        if sets.len() != rows.len() + 1 || !are_starts(&sets, labels.len()) {
            return refuse(format!(
                "the label sets of {} rows must start at label 0, one after the other, and the last end is the number of labels, {}",
                rows.len(),
                labels.len()
            ));
        }
        let ascends =
            |pair: &[u32]| pair[0] < pair[1] || pair[0] == UNKNOWN_LABEL && pair[1] == UNKNOWN_LABEL;
        let mut each = sets.windows(2).map(|set| &labels[set[0]..set[1]]);
        match each.position(|set| !set.windows(2).all(ascends)) {
            None => Ok(Self { rows, sets, labels, open: None }),
            Some(row) => refuse(format!("the labels of row {} must ascend, each once", row + 1)),
        }
    }

    /// The same from a list for each row.
    pub fn from_sets(rows: impl Into<ExampleRows>, sets: &[impl AsRef<[u32]>]) -> Result<Self> {
        let sizes = sets.iter().map(|set| set.as_ref().len());
        Self::new(rows, starts(sizes), sets.iter().flat_map(AsRef::as_ref).copied().collect())
    }

    /// With labels of which nobody knows whether rows have them. Refused where they are not of as many rows, or labels of a row are open.
    pub fn with_open_labels(self, open: OpenLabels) -> Result<Self> {
        self.rows.check_row_count("open labels", open.len())?;
        let is_both = |row: &usize| {
            self.labels_of(*row).iter().any(|&label| open.is_open(*row, label, self.labels_of(*row)))
        };
        match (0..open.len()).find(is_both) {
            None => Ok(Self { open: Some(open), ..self }),
            Some(row) => refuse(format!("a label of row {} is open as well", row + 1)),
        }
    }

    /// The rows.
    pub fn rows(&self) -> &ExampleRows {
        &self.rows
    }

    /// The `count` labels that occur most often, the most frequent first; of equally frequent ones, the smaller number
    /// first. There are fewer when fewer occur.
    pub fn most_frequent_labels(&self, count: usize) -> Vec<u32> {
        let mut labels: Vec<u32> =
            self.labels.iter().copied().filter(|&label| label != UNKNOWN_LABEL).collect();
        labels.sort_unstable();
        let mut frequent: Vec<(usize, u32)> =
            labels.chunk_by(|a, b| a == b).map(|same| (same.len(), same[0])).collect();
        frequent.sort_by_key(|&(times, label)| (Reverse(times), label));
        frequent.into_iter().take(count).map(|(_, label)| label).collect()
    }

    /// The same rows, with the labels of each that `number` gives a new number.
    fn renumbered(&self, number: impl Fn(&u32) -> Option<u32>) -> Self {
        let size = |set: &[usize]| self.labels[set[0]..set[1]].iter().filter_map(&number).count();
        Self {
            rows: self.rows.clone(),
            sets: starts(self.sets.windows(2).map(size)),
            labels: self.labels.iter().filter_map(&number).collect(),
            open: self.open.as_ref().map(|open| open.renumbered(|label| number(&label))),
        }
    }

    fn open(&self) -> Result<&OpenLabels> {
        match &self.open {
            Some(open) => Ok(open),
            None => refuse(WITHOUT_CANDIDATES),
        }
    }
}

impl TaskData for LabelSetExamples {
    const KIND: &'static str = "rows with a set of labels each";

    fn as_rows(&self) -> Option<&ExampleRows> {
        Some(&self.rows)
    }

    fn labels(&self) -> &[u32] {
        &self.labels
    }

    fn labels_of(&self, example: usize) -> &[u32] {
        &self.labels[self.sets[example]..self.sets[example + 1]]
    }

    fn open_rows(&self) -> Option<usize> {
        self.open.as_ref().map(OpenLabels::rows_with_some)
    }

    fn candidate_sets(&self, example: usize, labels: usize) -> Option<CandidateSets> {
        Some(self.open.as_ref()?.sets(example, labels, self.labels_of(example)))
    }

    /// Open labels are in where most of the rows have them that are known to have them or not; at random, each with probability ½.
    fn completed(&self, how: Completion, labels: usize, seed: u64) -> Result<Self> {
        let open = self.open()?;
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let (mut has, mut is_known) = (vec![0_usize; labels], vec![0_usize; labels]);
        for row in 0..self.rows.len() {
            let own = self.labels_of(row);
            let own_known = own.iter().filter(|&&label| (label as usize) < labels);
            own_known.for_each(|&label| has[label as usize] += 1);
            let known = (0..labels as u32).filter(|&label| !open.is_open(row, label, own));
            known.for_each(|label| is_known[label as usize] += 1);
        }
        let mut is_in = |label: u32| match how {
            Completion::Random => random.random(),
            Completion::First | Completion::Majority => 2 * has[label as usize] > is_known[label as usize],
        };
        let mut sets: Vec<Vec<u32>> = Vec::with_capacity(self.rows.len());
        for row in 0..self.rows.len() {
            let own = self.labels_of(row);
            let mut set = own.to_vec();
            set.extend((0..labels as u32).filter(|&label| open.is_open(row, label, own) && is_in(label)));
            set.sort_unstable();
            sets.push(set);
        }
        Self::from_sets(self.rows.clone(), &sets)
    }

    /// What is open stays so.
    fn narrowed(&self, _: Completion, _: usize, _: u64) -> Result<Self> {
        self.open().map(|_| self.clone())
    }

    /// The rows without open labels.
    fn known_parts(&self) -> Result<Self> {
        let open = self.open()?;
        let known: Vec<usize> = (0..open.len()).filter(|&row| !open.has_some(row)).collect();
        Ok(Self { open: None, ..TaskData::subset(self, &known)? })
    }

    fn label_count(&self) -> usize {
        let known = self.labels.iter().filter(|&&label| label != UNKNOWN_LABEL);
        let known = known.max().map_or(0, |&most| most as usize + 1);
        known.max(self.open.as_ref().map_or(0, OpenLabels::label_count))
    }

    /// Whatever was unknown to files: an example without labels has the empty set.
    fn missing_truth(&self, _: bool) -> Option<&'static str> {
        let nothing = "no example has a label that the model knows; an evaluation needs the true labels";
        self.has_unknown_labels_only().then_some(nothing)
    }

    /// Sets lose all other labels, unknown ones included.
    fn keep_labels(&self, keep: &[u32]) -> Result<Self> {
        let mut keep = keep.to_vec();
        keep.sort_unstable();
        keep.dedup();
        Ok(self.renumbered(|label| keep.binary_search(label).ok().map(|number| number as u32)))
    }

    fn subset(&self, examples: &[usize]) -> Result<Self> {
        let rows = self.rows.subset(examples)?;
        let sets = starts(examples.iter().map(|&i| self.labels_of(i).len()));
        let labels = examples.iter().flat_map(|&i| self.labels_of(i)).copied().collect();
        let open = self.open.as_ref().map(|open| open.subset(examples));
        Ok(Self { rows, sets, labels, open })
    }

    fn with_features(&self, features: Arc<FeatureMatrix>) -> Result<Self> {
        Ok(Self { rows: self.rows.clone().with_features(features)?, ..self.clone() })
    }

    fn bytes(&self) -> usize {
        let open = self.open.as_ref().map_or(0, OpenLabels::bytes);
        self.rows.bytes() + 4 * self.labels.len() + 8 * self.sets.len() + open
    }

    fn fingerprint(&self) -> u64 {
        self.rows.fingerprint(
            |i| self.labels_of(i),
            |i, sum| self.open.iter().for_each(|open| sum.add_all(open.numbers(i))),
        )
    }

    /// Each row of a sequence is an example, and a single label is a set.
    fn from_table(mut table: Dataset) -> Result<Self> {
        table.refuse_kinds(&["graphs"], Self::KIND)?;
        let rows = table.take_rows()?;
        let open = table.open.take();
        match table.sets.take() {
            Some(sets) => {
                let examples = Self::new(rows, sets, table.labels)?;
                match open {
                    Some(open) => examples.with_open_labels(open),
                    None => Ok(examples),
                }
            }
            None => {
                let labels = table.take_labels(&rows);
                rows.check_row_count("labels", labels.len())?;
                Self::new(rows, (0..=labels.len()).collect(), labels)
            }
        }
    }

    fn of_one(features: FeatureMatrix) -> Result<Self> {
        match features.rows() {
            1 => Self::from_sets(features, &[[UNKNOWN_LABEL]]),
            rows => refuse(format!("{rows} rows are not one example; each row is one")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data() -> LabelSetExamples {
        let features = FeatureMatrix::from_dense(&[[1.0], [2.0], [3.0]]);
        LabelSetExamples::from_sets(features, &[vec![0, 1, 3, UNKNOWN_LABEL], vec![], vec![3]]).unwrap()
    }

    #[test]
    fn sets_lose_other_labels() {
        assert_eq!(
            (data().most_frequent_labels(2), data().most_frequent_labels(9)),
            (vec![3, 0], vec![3, 0, 1])
        );
        let kept = data().keep_labels(&[3, 1, 3, 99]).unwrap();
        assert_eq!((kept.labels, kept.sets), (vec![0, 1, 1], vec![0, 2, 2, 3]));
    }

    #[test]
    fn a_subset_keeps_label_sets() {
        let some = data().subset(&[2, 1, 0]).unwrap();
        assert_eq!((some.labels, some.sets), (vec![3, 0, 1, 3, UNKNOWN_LABEL], vec![0, 1, 1, 5]));
    }
}
