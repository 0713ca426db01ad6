//! The candidates of one example: a set of labels for each of its parts.

use crate::error::{Error, Result};
use crate::structure::shape::check_label;

/// A set of labels for each position; labels of the whole are their product Y = Y_1 ⊗ … ⊗ Y_M.
///
/// ```
/// use maxmargin_core::structure::CandidateSets;
/// let sets = CandidateSets::new([&[2, 0][..], &[], &[1]]);
/// assert!(sets.contains(&[0, 7, 1]) && !sets.contains(&[1, 0, 1]));
/// assert!(sets.excludes_some(3) && sets.leaves_choice());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CandidateSets {
    /// Where the labels of each position end.
    ends: Vec<u32>,
    labels: Vec<u32>,
}

impl CandidateSets {
    /// The sets of all positions. An empty one stands for all labels; labels that are named twice count once.
    pub fn new<'a>(sets: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut all = Self::default();
        for set in sets {
            let start = all.labels.len();
            for label in set {
                if !all.labels[start..].contains(label) {
                    all.labels.push(*label);
                }
            }
            all.ends.push(all.labels.len() as u32);
        }
        all
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The labels of a position in the order in which they were named; empty where all labels are candidates.
    ///
    /// # Panics
    ///
    /// When there is no such position.
    pub fn of(&self, position: usize) -> &[u32] {
        let start = if position == 0 { 0 } else { self.ends[position - 1] };
        &self.labels[start as usize..self.ends[position] as usize]
    }

    /// Whether a label is a candidate at a position.
    pub fn allows(&self, position: usize, label: u32) -> bool {
        let set = self.of(position);
        set.is_empty() || set.contains(&label)
    }

    /// Whether all labels of all positions are candidates, and there are as many as positions.
    pub fn contains(&self, labels: &[u32]) -> bool {
        labels.len() == self.len() && labels.iter().enumerate().all(|(t, &label)| self.allows(t, label))
    }

    /// What a label costs at a position, counted from the nearest candidate there; `cost` is that of taking the label for a candidate.
    pub(crate) fn nearest_cost(&self, position: usize, label: u32, cost: impl Fn(u32) -> f64) -> f64 {
        match self.allows(position, label) {
            true => 0.0,
            false => self.of(position).iter().map(|&candidate| cost(candidate)).fold(f64::INFINITY, f64::min),
        }
    }

    /// Whether one of so many labels is no candidate somewhere: there is something outside.
    pub fn excludes_some(&self, labels: usize) -> bool {
        (0..self.len()).any(|t| (1..labels).contains(&self.of(t).len()))
    }

    /// Whether there is more than one label inside.
    pub fn leaves_choice(&self) -> bool {
        (0..self.len()).any(|t| self.of(t).len() != 1)
    }

    /// Refuses sets of another number of positions, and labels that there are not.
    pub(crate) fn check(&self, positions: usize, labels: usize) -> Result<()> {
        if self.len() != positions {
            let problem = format!("sets of candidates for {} positions of {positions}", self.len());
            return Err(Error::parameter("candidates", problem));
        }
        self.labels.iter().try_for_each(|&label| check_label(label, labels))
    }

    /// For each position and each of so many labels whether it is a candidate.
    pub(crate) fn write_mask(&self, labels: usize, mask: &mut Vec<bool>) {
        mask.clear();
        for t in 0..self.len() {
            let set = self.of(t);
            let start = mask.len();
            mask.resize(start + labels, set.is_empty());
            set.iter().for_each(|&label| mask[start + label as usize] = true);
        }
    }
}
