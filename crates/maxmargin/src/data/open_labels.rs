//! Rows with sets of labels of which some are open: nobody said whether they are in.
//!
//! A table has `?` in the column of such a label. A list of labels has a question mark behind it, `2,5?`, or one alone, `2,?`: then all labels that the row
//! does not name are open.

use super::UNKNOWN_LABEL;
use crate::structure::CandidateSets;

/// Stands for all labels that a row does not name.
const OTHERS: u32 = UNKNOWN_LABEL;

/// The labels of each row that are open.
///
/// ```
/// use maxmargin::data::OpenLabels;
/// let mut open = OpenLabels::default();
/// open.push(&[2], false); // Of the first row label 2 is open,
/// open.push(&[], true); // of the second all that it does not have,
/// open.push(&[], false); // of the third none.
/// assert_eq!((open.len(), open.rows_with_some()), (3, 2));
/// let is_open: Vec<bool> = (0..4).map(|label| open.is_open(1, label, &[0])).collect();
/// assert_eq!(is_open, [false, true, true, true]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenLabels {
    /// Where those of each row end.
    ends: Vec<usize>,
    labels: Vec<u32>,
}

impl OpenLabels {
    /// Adds a row: these labels are open, and perhaps all others that it does not have.
    pub fn push(&mut self, labels: &[u32], others: bool) {
        self.labels.extend_from_slice(labels);
        self.labels.extend(others.then_some(OTHERS));
        self.ends.push(self.labels.len());
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn of(&self, row: usize) -> &[u32] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.labels[start..self.ends[row]]
    }

    /// Whether a row has an open label. Panics when there is no such row, as a slice does.
    pub fn has_some(&self, row: usize) -> bool {
        !self.of(row).is_empty()
    }

    /// How many rows have an open label.
    pub fn rows_with_some(&self) -> usize {
        (0..self.len()).filter(|&row| self.has_some(row)).count()
    }

    /// Whether a label of a row, which has these others for certain, is open. Panics when there is no such row.
    pub fn is_open(&self, row: usize, label: u32, has: &[u32]) -> bool {
        let open = self.of(row);
        open.contains(&label) || open.contains(&OTHERS) && !has.contains(&label)
    }

    /// What is known of each of so many labels of a row that has these for certain: out (0), in (1), or nothing.
    pub(crate) fn sets(&self, row: usize, labels: usize, has: &[u32]) -> CandidateSets {
        let of_label = |label: u32| -> &[u32] {
            match (self.is_open(row, label, has), has.contains(&label)) {
                (true, _) => &[],
                (false, true) => &[1],
                (false, false) => &[0],
            }
        };
        CandidateSets::new((0..labels as u32).map(of_label))
    }

    /// Those of some rows, in this order.
    pub(crate) fn subset(&self, rows: &[usize]) -> Self {
        let mut some = Self::default();
        rows.iter().for_each(|&row| some.push(self.of(row), false));
        some
    }

    /// With other numbers of labels, or without them.
    pub(crate) fn renumbered(&self, number: impl Fn(u32) -> Option<u32>) -> Self {
        let mut all = Self::default();
        for row in 0..self.len() {
            let new = |&label: &u32| if label == OTHERS { Some(OTHERS) } else { number(label) };
            let labels: Vec<u32> = self.of(row).iter().filter_map(new).collect();
            all.push(&labels, false);
        }
        all
    }

    /// One more than the largest number of a label.
    pub(crate) fn label_count(&self) -> usize {
        let named = self.labels.iter().filter(|&&label| label != OTHERS);
        named.max().map_or(0, |&most| most as usize + 1)
    }

    /// What tells the rows from others, one by one.
    pub(crate) fn numbers(&self, row: usize) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.of(row).iter().map(|&label| u64::from(label))
    }

    /// The bytes that they hold in memory.
    pub(crate) fn bytes(&self) -> usize {
        8 * self.ends.len() + 4 * self.labels.len()
    }

    /// That there are none.
    pub(crate) fn note(&self) -> Option<String> {
        let problem =
            "no label is open (?): the option candidates changes nothing about this data".to_owned();
        (self.rows_with_some() == 0).then_some(problem)
    }
}
