//! The labels of examples as far as they are known: numbers, and candidates where that is all.

use std::ops::Range;
use std::sync::Arc;

use crate::data::{Completion, Fingerprint, RowCandidates, UNKNOWN_LABEL, refuse};
use crate::error::Result;

/// Data that has no candidates.
pub(super) const WITHOUT_CANDIDATES: &str = "it was read without candidates for its labels";

/// The labels of all examples, one after the other, with candidates for those of each row where there are any.
#[derive(Debug, Clone)]
pub(super) struct GivenLabels {
    labels: Vec<u32>,
    candidates: Option<Arc<RowCandidates>>,
}

impl GivenLabels {
    /// Labels without candidates.
    pub(super) fn new(labels: Vec<u32>) -> Self {
        Self { labels, candidates: None }
    }

    /// These labels of as many rows, which nobody knows.
    pub(super) fn unknown(rows: usize) -> Self {
        Self::new(vec![UNKNOWN_LABEL; rows])
    }

    /// The same labels, of which these are candidates.
    pub(super) fn among(self, candidates: RowCandidates) -> Self {
        Self { candidates: Some(Arc::new(candidates)), ..self }
    }

    /// The same labels without candidates.
    pub(super) fn settled(self) -> Self {
        Self { candidates: None, ..self }
    }

    /// The numbers.
    pub(super) fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The candidates, where there are any.
    pub(super) fn candidates(&self) -> Option<&RowCandidates> {
        self.candidates.as_deref()
    }

    /// One more than the largest number of a label, of candidates too.
    pub(super) fn count(&self) -> usize {
        let known = self.labels.iter().filter(|&&label| label != UNKNOWN_LABEL);
        let known = known.max().map_or(0, |&most| most as usize + 1);
        known.max(self.candidates().map_or(0, RowCandidates::label_count))
    }

    /// The labels at some places, with the candidates of some rows.
    pub(super) fn subset(
        &self,
        places: impl Iterator<Item = usize>,
        rows: impl Iterator<Item = usize>,
    ) -> Self {
        let candidates = self.candidates().map(|candidates| Arc::new(candidates.subset(rows)));
        Self { labels: places.map(|place| self.labels[place]).collect(), candidates }
    }

    /// The memory that they take.
    pub(super) fn bytes(&self) -> usize {
        4 * self.labels.len() + self.candidates().map_or(0, RowCandidates::bytes)
    }

    /// Adds the candidates of some rows to a fingerprint.
    pub(super) fn add_candidates(&self, rows: Range<usize>, sum: &mut Fingerprint) {
        let Some(candidates) = self.candidates() else { return };
        rows.for_each(|row| sum.add_all(candidates.of(row).iter().map(|&label| u64::from(label))));
    }

    /// One of the candidates of each row for its label.
    pub(super) fn completed(&self, how: Completion, labels: usize, seed: u64) -> Result<Self> {
        Ok(Self::new(needed(self.candidates())?.completed(how, labels, seed)?))
    }

    /// Fewer candidates.
    pub(super) fn narrowed(&self, how: Completion, labels: usize, seed: u64) -> Result<Self> {
        let candidates = needed(self.candidates())?.narrowed(how, labels, seed)?;
        Ok(Self::new(candidates.known_labels()).among(candidates))
    }

    /// The rows with one candidate.
    pub(super) fn known_rows(&self) -> Result<Vec<usize>> {
        let candidates = needed(self.candidates())?;
        Ok((0..candidates.len()).filter(|&row| candidates.known(row).is_some()).collect())
    }
}

/// The candidates that are needed.
pub(super) fn needed(candidates: Option<&RowCandidates>) -> Result<&RowCandidates> {
    match candidates {
        Some(candidates) => Ok(candidates),
        None => refuse(WITHOUT_CANDIDATES),
    }
}
