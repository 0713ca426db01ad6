//! Rows of which candidates are known instead of one label, as files and annotators have them.
//!
//! A label column then holds `B-PER|I-PER`, or `_` or `?` where any label may be. A label that is named several times has as many
//! votes: `O|O|B-PER` is what three annotators said. [`Completion`] puts one label in place of each list, which makes ordinary data of it:
//! what learning from candidates is compared with.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::UNKNOWN_LABEL;
use super::alphabet::Alphabet;
use super::example_rows::refuse;
use crate::error::{Error, Result};
use crate::shown::excerpt;
use crate::structure::CandidateSets;

/// What stands between two candidates.
pub(crate) const SEPARATOR: char = '|';

/// Whether an entry of a label column says that any label may be there.
pub(crate) fn is_any(text: &str) -> bool {
    matches!(text, "_" | "?")
}

/// A word about labels that look like lists of others, where nobody said that they are.
pub(crate) fn unasked_note(labels: &Alphabet) -> Option<String> {
    let is_list = |name: &&str| {
        let mut parts = name.split(SEPARATOR);
        name.contains(SEPARATOR) && parts.all(|part| labels.get(part).is_some())
    };
    let mut lists = labels.iter().filter(is_list);
    let (first, others) = (lists.next()?, lists.count());
    let more = if others > 0 { format!(" and {others} more") } else { String::new() };
    Some(format!(
        "the label `{}`{more} is learnt as one of its own, but reads as a list of others; if it says which ones may be right, give the \
         option candidates",
        excerpt(first)
    ))
}

/// The candidates of each row.
///
/// ```
/// use maxmargin::data::{Completion, RowCandidates};
/// // The votes 2, 0, 2; any label; 1 alone.
/// let rows = RowCandidates::new([&[2, 0, 2][..], &[], &[1]]);
/// assert_eq!((rows.len(), rows.known(0), rows.known(2)), (3, None, Some(1)));
/// assert_eq!(rows.completed(Completion::Majority, 3, 0)?, [2, 2, 1]);
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowCandidates {
    /// Where the votes of each row end.
    ends: Vec<usize>,
    votes: Vec<u32>,
}

/// How one label is put in place of the candidates of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// The candidate that is named first.
    First,
    /// A candidate at random, all alike.
    Random,
    /// The candidate that is named most often; the first of equals.
    Majority,
}

impl RowCandidates {
    /// The labels that are named for each row, with repetitions; none for any label.
    pub fn new<'a>(rows: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut all = Self::default();
        rows.into_iter().for_each(|row| all.push(row));
        all
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, votes: &[u32]) {
        self.votes.extend_from_slice(votes);
        self.ends.push(self.votes.len());
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The labels that are named for a row, with repetitions; none where any label may be. Panics when there is no such row.
    pub fn of(&self, row: usize) -> &[u32] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.votes[start..self.ends[row]]
    }

    /// The label of a row with one candidate.
    pub fn known(&self, row: usize) -> Option<u32> {
        let (first, others) = self.of(row).split_first()?;
        others.iter().all(|label| label == first).then_some(*first)
    }

    /// The label of each row; [`UNKNOWN_LABEL`] where there is a choice.
    pub(crate) fn known_labels(&self) -> Vec<u32> {
        (0..self.len()).map(|row| self.known(row).unwrap_or(UNKNOWN_LABEL)).collect()
    }

    /// One more than the largest number of a label.
    pub(crate) fn label_count(&self) -> usize {
        self.votes.iter().max().map_or(0, |&most| most as usize + 1)
    }

    /// The sets of some rows.
    pub fn sets(&self, rows: Range<usize>) -> CandidateSets {
        CandidateSets::new(rows.map(|row| self.of(row)))
    }

    /// Those of some rows, in this order.
    pub(crate) fn subset(&self, rows: impl Iterator<Item = usize>) -> Self {
        Self::new(rows.map(|row| self.of(row)))
    }

    /// With other numbers of labels.
    pub(crate) fn renumber(&mut self, renumbered: &[u32]) {
        self.votes.iter_mut().for_each(|label| *label = renumbered[*label as usize]);
    }

    /// The bytes that they hold in memory.
    pub(crate) fn bytes(&self) -> usize {
        8 * self.ends.len() + 4 * self.votes.len()
    }

    /// A label for each row, of so many labels. Where any may be, first and majority take the one that is named most often in all.
    pub fn completed(&self, how: Completion, labels: usize, seed: u64) -> Result<Vec<u32>> {
        if labels == 0 || labels < self.label_count() {
            return refuse("no row names a label, so that there is nothing to learn");
        }
        let usual = most_often(&self.votes, labels);
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let mut label = |votes: &[u32]| match (how, votes) {
            (Completion::Random, []) => random.random_range(0..labels as u32),
            (_, []) => usual,
            (Completion::First, votes) => votes[0],
            (Completion::Majority, votes) => most_often(votes, labels),
            (Completion::Random, votes) => {
                let is_first = |k: &usize| !votes[..*k].contains(&votes[*k]);
                let distinct: Vec<u32> = (0..votes.len()).filter(is_first).map(|k| votes[k]).collect();
                distinct[random.random_range(0..distinct.len())]
            }
        };
        Ok((0..self.len()).map(|row| label(self.of(row))).collect())
    }

    /// With one candidate in place of several; rows with any label stay as they are.
    pub(crate) fn narrowed(&self, how: Completion, labels: usize, seed: u64) -> Result<Self> {
        let completed = self.completed(how, labels, seed)?;
        let of_row = |row: usize| if self.of(row).is_empty() { &[] } else { &completed[row..=row] };
        Ok(Self::new((0..self.len()).map(of_row)))
    }

    /// Stretches of rows with one candidate each, within these groups.
    pub(crate) fn known_runs(&self, groups: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for group in groups {
            let begin = group.start;
            for row in group.filter(|&row| self.known(row).is_some()) {
                match runs.last_mut() {
                    Some(run) if run.end == row && row > begin => run.end = row + 1,
                    _ => runs.push(row..row + 1),
                }
            }
        }
        runs
    }

    /// Lists that there are none of, or labels that are never the only candidate: perhaps slips.
    pub(crate) fn note(&self, names: &Alphabet) -> Option<String> {
        if let [_, 0, 0] = self.counts() {
            let problem =
                "no label is a list (a|b), _ or ?: the option candidates changes nothing about this data";
            return Some(problem.to_owned());
        }
        let mut is_alone = vec![false; names.len()];
        (0..self.len()).filter_map(|row| self.known(row)).for_each(|label| is_alone[label as usize] = true);
        let never: Vec<String> = (0..names.len())
            .filter(|&label| !is_alone[label])
            .take(5)
            .map(|label| format!("`{}`", excerpt(names.name(label as u32))))
            .collect();
        let problem = "no row has this label as its only candidate, which may be a slip:";
        (!never.is_empty()).then(|| format!("{problem} {}", never.join(", ")))
    }

    /// How many rows have one candidate, several, and any label.
    pub fn counts(&self) -> [usize; 3] {
        let mut counts = [0; 3];
        for row in 0..self.len() {
            let kind = if self.of(row).is_empty() { 2 } else { usize::from(self.known(row).is_none()) };
            counts[kind] += 1;
        }
        counts
    }
}

/// The label that is there most often; the first of equals. The list is not empty, or 0 is the answer.
fn most_often(votes: &[u32], labels: usize) -> u32 {
    let mut counts = vec![0; labels];
    votes.iter().for_each(|&label| counts[label as usize] += 1);
    let better =
        |best: u32, &label: &u32| if counts[label as usize] > counts[best as usize] { label } else { best };
    votes.iter().fold(votes.first().copied().unwrap_or(0), better)
}

impl fmt::Display for Completion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Completion::First => "first",
            Completion::Random => "random",
            Completion::Majority => "majority",
        })
    }
}

impl FromStr for Completion {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let all = [Completion::First, Completion::Random, Completion::Majority];
        all.into_iter().find(|completion| completion.to_string() == text).ok_or_else(|| {
            let problem = format!("{} is not allowed; it is first, random or majority", excerpt(text));
            Error::parameter("completion", problem)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> RowCandidates {
        RowCandidates::new([&[1, 0, 0][..], &[2, 1], &[], &[1], &[1, 1], &[0]])
    }

    #[test]
    fn completions_are_candidates() {
        let rows = rows();
        assert_eq!(rows.completed(Completion::First, 3, 0).unwrap(), [1, 2, 1, 1, 1, 0]);
        assert_eq!(rows.completed(Completion::Majority, 3, 0).unwrap(), [0, 2, 1, 1, 1, 0]);
        let mut seen = [false; 3];
        for seed in 0..20 {
            let labels = rows.completed(Completion::Random, 3, seed).unwrap();
            assert!(rows.sets(0..6).contains(&labels), "{labels:?}");
            assert_eq!(labels, rows.completed(Completion::Random, 3, seed).unwrap());
            seen[labels[2] as usize] = true;
        }
        assert_eq!(seen, [true; 3]);
        assert!(RowCandidates::new([&[][..]]).completed(Completion::First, 0, 0).is_err());
    }

    #[test]
    fn runs_of_known_rows_stay_within_their_groups() {
        let rows = rows();
        assert_eq!(rows.counts(), [3, 2, 1]);
        assert_eq!(rows.known_labels(), [UNKNOWN_LABEL, UNKNOWN_LABEL, UNKNOWN_LABEL, 1, 1, 0]);
        assert_eq!(rows.known_runs([0..6, 6..6].into_iter()).as_slice(), std::slice::from_ref(&(3..6)));
        assert_eq!(rows.known_runs([0..4, 4..4, 4..6].into_iter()), [3..4, 4..6]);
    }
}
