//! The labels of rows in the making: one each, or a set each.
//!
//! A name is looked up where labels are numbered (a growing alphabet, or the fixed one of a model); what comes here are
//! numbers, and for the sets the names that a model does not know: a set may hold several of them, each is
//! [`UNKNOWN_LABEL`], and none may come twice on a line.

use super::super::alphabet::Alphabet;
use crate::structure::UNKNOWN_LABEL;

/// The labels of the rows so far.
#[derive(Default)]
pub(super) struct RowLabels {
    labels: Vec<u32>,
    /// Where the set of each row starts, and the end; `None` when each row has one label.
    sets: Option<Vec<usize>>,
    /// The names that a fixed vocabulary lacks, so that a repeated one is noticed.
    strangers: Alphabet,
    /// The row, counted from 1, that had a label last: by the label's number, and by the stranger's.
    last_row: Vec<usize>,
    last_row_of_stranger: Vec<usize>,
}

impl RowLabels {
    /// Makes each row have a set of labels. To be called before the first row.
    pub fn make_sets(&mut self) {
        self.sets = Some(vec![0]);
    }

    pub fn are_sets(&self) -> bool {
        self.sets.is_some()
    }

    /// The number of rows that have their label or set.
    pub fn rows(&self) -> usize {
        self.sets.as_ref().map_or(self.labels.len(), |starts| starts.len() - 1)
    }

    /// Adds a label to the open row; false when its set has it already.
    pub fn add(&mut self, label: u32) -> bool {
        let row = self.rows() + 1;
        self.labels.push(label);
        self.sets.is_none() || label == UNKNOWN_LABEL || mark(&mut self.last_row, label, row)
    }

    /// Notes that the open row names a label, which is not added to its set; false when it named it before.
    pub fn name(&mut self, label: u32) -> bool {
        let row = self.rows() + 1;
        mark(&mut self.last_row, label, row)
    }

    /// The label that was added last, where it is known.
    pub fn last(&self) -> Option<u32> {
        self.labels.last().copied().filter(|&label| label != UNKNOWN_LABEL)
    }

    /// Adds a label that the vocabulary lacks to the set of the open row; false when the set has it already.
    pub fn add_stranger(&mut self, name: &str) -> bool {
        let row = self.rows() + 1;
        let number = self.strangers.add(name);
        self.labels.push(UNKNOWN_LABEL);
        mark(&mut self.last_row_of_stranger, number, row)
    }

    /// Ends the set of the open row. Without sets a row ends with its label.
    pub fn end_set(&mut self) {
        if let Some(starts) = &mut self.sets {
            starts.push(self.labels.len());
        }
    }

    /// The labels renumbered, sorted within each set, and where the sets start.
    pub fn finish(self, renumbered: Option<&[u32]>) -> (Vec<u32>, Option<Vec<usize>>) {
        let Self { mut labels, mut sets, .. } = self;
        if let Some(renumbered) = renumbered {
            for label in labels.iter_mut().filter(|label| **label != UNKNOWN_LABEL) {
                *label = renumbered[*label as usize];
            }
        }
        if let Some(starts) = &mut sets {
            // An unknown label is the largest number, so it comes last.
            starts.windows(2).for_each(|set| labels[set[0]..set[1]].sort_unstable());
            starts.shrink_to_fit();
        }
        labels.shrink_to_fit();
        (labels, sets)
    }
}

/// Notes that a row has a label; false when it was noted before.
fn mark(last_row: &mut Vec<usize>, label: u32, row: usize) -> bool {
    let label = label as usize;
    if label >= last_row.len() {
        last_row.resize(label + 1, 0);
    }
    std::mem::replace(&mut last_row[label], row) != row
}
