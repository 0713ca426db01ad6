//! Data with only some of its labels, such as the most frequent ones.

use std::cmp::Reverse;

use super::dataset::{Dataset, Vocabulary, starts};
use crate::structure::UNKNOWN_LABEL;

impl Dataset {
    /// The `count` labels that occur most often, the most frequent first; of equally frequent ones, the smaller number
    /// first. There are fewer when fewer occur.
    ///
    /// ```
    /// use maxmargin::data::Dataset;
    /// let data = Dataset { labels: vec![3, 1, 1, 0, 3, 2], ..Dataset::default() };
    /// assert_eq!(data.most_frequent_labels(3), [1, 3, 0]);
    /// ```
    pub fn most_frequent_labels(&self, count: usize) -> Vec<u32> {
        let mut labels: Vec<u32> =
            self.labels.iter().copied().filter(|&label| label != UNKNOWN_LABEL).collect();
        labels.sort_unstable();
        let mut frequent: Vec<(usize, u32)> =
            labels.chunk_by(|a, b| a == b).map(|same| (same.len(), same[0])).collect();
        frequent.sort_by_key(|&(times, label)| (Reverse(times), label));
        frequent.into_iter().take(count).map(|(_, label)| label).collect()
    }

    /// The same examples with only some labels, which keep their order but get new numbers, and the vocabulary to go with
    /// them. Sets lose all other labels, unknown ones included; a row with one label that is not kept has
    /// [`UNKNOWN_LABEL`] instead.
    pub fn keep_labels(&self, vocabulary: &Vocabulary, keep: &[u32]) -> (Dataset, Vocabulary) {
        let mut keep: Vec<u32> =
            keep.iter().copied().filter(|&label| (label as usize) < vocabulary.labels.len()).collect();
        keep.sort_unstable();
        keep.dedup();
        let number = |label: &u32| keep.binary_search(label).ok().map(|number| number as u32);
        let mut kept = self.clone();
        match &self.sets {
            None => kept.labels.iter_mut().for_each(|label| *label = number(label).unwrap_or(UNKNOWN_LABEL)),
            Some(sets) => {
                kept.labels = self.labels.iter().filter_map(number).collect();
                let size = |set: &[usize]| self.labels[set[0]..set[1]].iter().filter_map(number).count();
                kept.sets = Some(starts(sets.windows(2).map(size)));
            }
        }
        let labels = keep.iter().map(|&label| vocabulary.labels.name(label)).collect();
        (kept, Vocabulary { labels, attributes: vocabulary.attributes.clone() })
    }

    /// The first `count` examples, or all when there are fewer.
    pub fn first(&self, count: usize) -> Dataset {
        let examples: Vec<usize> = (0..count.min(self.len())).collect();
        self.subset(&examples)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Attributes, FeatureMatrix};
    use super::*;

    fn data(labels: Vec<u32>, sets: Option<Vec<usize>>) -> (Dataset, Vocabulary) {
        let features = Arc::new(FeatureMatrix::from_dense(&[[1.0], [2.0], [3.0]]));
        let labels_of = ["a", "b", "c", "d"].into_iter().collect();
        let vocabulary = Vocabulary { labels: labels_of, attributes: Attributes::Numbered(1) };
        (Dataset { features, labels, sets, ..Dataset::default() }, vocabulary)
    }

    #[test]
    fn sets_lose_other_labels() {
        let (data, names) = data(vec![0, 1, 3, UNKNOWN_LABEL, 2, 3], Some(vec![0, 4, 5, 6]));
        assert_eq!(data.most_frequent_labels(2), [3, 0]);
        let (kept, names) = data.keep_labels(&names, &[3, 1, 3, 99]);
        assert!(names.labels.iter().eq(["b", "d"]));
        assert_eq!((kept.labels, kept.sets), (vec![0, 1, 1], Some(vec![0, 2, 2, 3])));
    }

    #[test]
    fn single_labels_become_unknown() {
        let (data, names) = data(vec![2, 0, 2], None);
        let (kept, names) = data.keep_labels(&names, &data.most_frequent_labels(1));
        assert!(names.labels.iter().eq(["c"]));
        assert_eq!(kept.labels, [0, UNKNOWN_LABEL, 0]);
    }

    #[test]
    fn the_first_ones() {
        let (data, _) = data(vec![2, 0, 2], None);
        assert_eq!((data.first(2).labels, data.first(9).len(), data.first(0).len()), (vec![2, 0], 3, 0));
    }
}
