//! Whether the parts of a data set go together. Readers see to it; data that a program makes itself is checked before a task
//! takes it.

use super::dataset::Dataset;
use crate::error::{Error, Result};
use crate::structure::UNKNOWN_LABEL;
use crate::structure::check_weight;

impl Dataset {
    /// Refuses inputs that do not go together: sequences, folds and edges that are not those of the rows.
    pub(crate) fn check_inputs(&self) -> Result<()> {
        let rows = self.features.rows();
        if let Some(starts) = &self.sequences
            && !(starts.is_empty() && rows == 0)
            && !are_starts(starts, rows)
        {
            return refuse(format!(
                "sequences must start at row 0, one after the other, and the last end is the number of rows, {rows}"
            ));
        }
        if let Some(edges) = &self.edges
            && edges.len() != rows
        {
            return refuse(format!("{} edges for {rows} rows", edges.len()));
        }
        let counts = [
            ("weights", self.weights.as_ref().map(Vec::len)),
            ("folds", self.folds.as_ref().map(Vec::len)),
            ("numbers of unreachable links", self.unreachable.as_ref().map(Vec::len)),
        ];
        match counts.into_iter().find(|(_, count)| count.is_some_and(|count| count != self.len())) {
            Some((what, count)) => {
                refuse(format!("{} {what} for {} examples", count.unwrap_or_default(), self.len()))
            }
            None => Ok(()),
        }
    }

    /// Refuses labels that do not go with the rows.
    pub(crate) fn check_labels(&self) -> Result<()> {
        let rows = self.features.rows();
        let Some(starts) = &self.sets else {
            return match self.labels.len() == rows {
                true => Ok(()),
                false => refuse(format!("{} labels for {rows} rows", self.labels.len())),
            };
        };
        if starts.len() != rows + 1 || !are_starts(starts, self.labels.len()) {
            return refuse(format!(
                "the label sets of {rows} rows must start at label 0, one after the other, and the last end is the number of labels, {}",
                self.labels.len()
            ));
        }
        let ascends =
            |pair: &[u32]| pair[0] < pair[1] || pair[0] == UNKNOWN_LABEL && pair[1] == UNKNOWN_LABEL;
        let mut sets = starts.windows(2).map(|set| &self.labels[set[0]..set[1]]);
        match sets.position(|set| !set.windows(2).all(ascends)) {
            None => Ok(()),
            Some(row) => refuse(format!("the labels of row {} must ascend, each once", row + 1)),
        }
    }

    /// Refuses weights that no certificate could count with.
    pub(crate) fn check_weights(&self) -> Result<()> {
        let weights = self.weights.iter().flatten().enumerate();
        Ok(weights.into_iter().try_for_each(|(i, &weight)| check_weight(i, weight))?)
    }
}

/// Whether groups start here, one after the other, and end there.
fn are_starts(starts: &[usize], end: usize) -> bool {
    starts.first() == Some(&0) && starts.is_sorted() && starts.last() == Some(&end)
}

fn refuse(problem: String) -> Result<()> {
    Err(Error::parameter("data", problem))
}
