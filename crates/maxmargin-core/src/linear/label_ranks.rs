//! Where a label stands in a long list of them, without a search.
//!
//! A list of which a label is looked up again and again, each time another one, costs a binary search whose steps wait for memory one after the
//! other. Here a list is a bit for each label, with the number of those before every 64 of them: two loads that wait for nothing. That is 16
//! bytes for 64 labels, so only lists that have many of all labels are kept in this form: at most 8 bytes for each that is in one.

/// Lists that have no fewer than one in so many labels are long.
const LONG: usize = 32;

/// The list of a feature that is not long.
const SHORT: u32 = u32::MAX;

/// Some of the labels, as bits.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Word {
    bits: u64,
    /// How many of the list come before.
    before: u32,
}

/// The long ones of some lists of labels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LabelRanks {
    /// Where the words of each list begin, or [`SHORT`], and how many a list has.
    starts: Vec<u32>,
    width: usize,
    words: Vec<Word>,
}

impl LabelRanks {
    /// Of lists that ascend, with labels below a count.
    pub(super) fn new<'a>(label_count: usize, lists: impl Iterator<Item = &'a [u32]>) -> Self {
        let width = label_count.div_ceil(64);
        let mut ranks = Self { starts: Vec::new(), width, words: Vec::new() };
        for list in lists {
            let start = u32::try_from(ranks.words.len()).unwrap_or(SHORT);
            if start == SHORT || list.is_empty() || list.len().saturating_mul(LONG) < label_count {
                ranks.starts.push(SHORT);
                continue;
            }
            ranks.starts.push(start);
            ranks.words.resize(ranks.words.len() + width, Word::default());
            let words = &mut ranks.words[start as usize..];
            list.iter().for_each(|&label| words[label as usize / 64].bits |= 1 << (label % 64));
            let mut before = 0;
            for word in words {
                word.before = before;
                before += word.bits.count_ones();
            }
        }
        ranks
    }

    /// A list, where it is a long one.
    #[inline]
    pub(super) fn of(&self, list: usize) -> Option<LabelRank<'_>> {
        let start = self.starts[list];
        (start != SHORT).then(|| LabelRank(&self.words[start as usize..][..self.width]))
    }
}

/// A list.
#[derive(Debug, Clone, Copy)]
pub(super) struct LabelRank<'a>(&'a [Word]);

impl LabelRank<'_> {
    /// The place of a label in the list; none for those that there are not.
    #[inline]
    pub(super) fn place(self, label: u32) -> Option<usize> {
        let &Word { bits, before } = self.0.get(label as usize / 64)?;
        let bit = 1_u64 << (label % 64);
        (bits & bit != 0).then(|| (before + (bits & (bit - 1)).count_ones()) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_a_search() {
        for label_count in [1, 63, 64, 65, 1000] {
            let lists: Vec<Vec<u32>> = (1..40)
                .map(|step| (0..label_count).filter(|label| label * label % step == 0).collect())
                .collect();
            let ranks = LabelRanks::new(label_count as usize, lists.iter().map(Vec::as_slice));
            for (k, list) in lists.iter().enumerate() {
                let Some(rank) = ranks.of(k) else {
                    assert!(list.len() * LONG < label_count as usize, "a list of {}", list.len());
                    continue;
                };
                for label in 0..label_count + 130 {
                    assert_eq!(
                        rank.place(label),
                        list.binary_search(&label).ok(),
                        "{label} of {label_count}"
                    );
                }
            }
        }
    }
}
