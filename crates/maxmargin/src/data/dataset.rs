//! What every reader returns: features row by row, labels, and how rows group into examples.

use std::ops::Range;
use std::sync::Arc;

use super::alphabet::Alphabet;
use super::{Edge, FeatureMatrix, Rows};

/// The names of labels and attributes: built while reading training data, fixed while reading anything later.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// The label names.
    pub labels: Alphabet,
    /// The columns of the feature matrix.
    pub attributes: Attributes,
}

/// What the columns of a feature matrix are called.
#[derive(Debug, Clone)]
pub enum Attributes {
    /// By number only: this many columns.
    Numbered(usize),
    /// By name: column `j` is the attribute with number `j`.
    Named(Alphabet),
}

impl Default for Attributes {
    fn default() -> Self {
        Attributes::Numbered(0)
    }
}

impl Attributes {
    /// The number of columns.
    pub fn len(&self) -> usize {
        match self {
            Attributes::Numbered(columns) => *columns,
            Attributes::Named(names) => names.len(),
        }
    }

    /// Whether there is no column.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Examples as read from files.
#[derive(Debug, Clone, Default)]
pub struct Dataset {
    /// One row per token (chains) or example (multiclass).
    pub features: Arc<FeatureMatrix>,
    /// One label per row, or with `sets` those of the first row, in ascending order, then those of the second, and so on.
    /// [`UNKNOWN_LABEL`](super::UNKNOWN_LABEL) where the file has none or one that the vocabulary does not know; a set has it last, once for
    /// each label that is not known.
    pub labels: Vec<u32>,
    /// Where the labels of each row start, and the end, when each row has a set of them; `None` when each has one label.
    pub sets: Option<Vec<usize>>,
    /// Where each sequence starts, and the end; `None` when each row is an example of its own.
    pub sequences: Option<Vec<usize>>,
    /// The weight c_i of each example; `None` when all are 1.
    pub weights: Option<Vec<f64>>,
    /// The fold of each example, where the format has folds.
    pub folds: Option<Vec<u32>>,
    /// Where examples are bipartite graphs, the edge that each row is about. Its label is 0 if it is not to be linked, 1 if
    /// it surely is, and 2 where linking it is possible: neither right nor wrong.
    pub edges: Option<Arc<[Edge]>>,
    /// The number of sure links of each example that have no edge, so that no prediction can have them; `None` when there
    /// are none. They count as missed in an evaluation. (Possible links without an edge count nowhere.)
    pub unreachable: Option<Vec<u32>>,
}

impl Dataset {
    /// The number of examples (sequences, or rows when there are no sequences).
    pub fn len(&self) -> usize {
        match &self.sequences {
            Some(starts) => starts.len().saturating_sub(1),
            None => self.features.rows(),
        }
    }

    /// Whether there is no example.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows of example `i`.
    pub fn range(&self, i: usize) -> Range<usize> {
        match &self.sequences {
            Some(starts) => starts[i]..starts[i + 1],
            None => i..i + 1,
        }
    }

    /// The input of example `i`.
    pub fn input(&self, i: usize) -> Rows {
        Rows::new(&self.features, self.range(i))
    }

    /// The labels of example `i`.
    pub fn labels_of(&self, i: usize) -> &[u32] {
        let rows = self.range(i);
        &self.labels[self.first_label(rows.start)..self.first_label(rows.end)]
    }

    /// The place in [`labels`](Self::labels) where those of a row begin.
    fn first_label(&self, row: usize) -> usize {
        self.sets.as_ref().map_or(row, |starts| starts[row])
    }

    /// The number of sure links of example `i` that have no edge.
    pub fn unreachable_links(&self, i: usize) -> u32 {
        self.unreachable.as_ref().map_or(0, |counts| counts[i])
    }

    /// The weight of example `i`.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[i])
    }

    /// The examples whose fold is in `folds`. Every example when the data has no folds is *not* the answer: the caller
    /// asks for folds only where there are some.
    pub fn in_folds(&self, folds: &[u32]) -> Option<Vec<usize>> {
        let of = self.folds.as_ref()?;
        Some((0..self.len()).filter(|&i| folds.contains(&of[i])).collect())
    }

    /// Some of the examples, in the order in which they are given. Panics when one does not exist.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use maxmargin::data::{Dataset, FeatureMatrix};
    /// let features = Arc::new(FeatureMatrix::from_dense(&[[1.0], [2.0], [3.0]]));
    /// let data = Dataset { features, labels: vec![0, 1, 2], sequences: Some(vec![0, 2, 3]), ..Dataset::default() };
    /// let last = data.subset(&[1]);
    /// assert_eq!((last.len(), last.labels_of(0)), (1, &[2][..]));
    /// ```
    pub fn subset(&self, examples: &[usize]) -> Dataset {
        let rows = examples.iter().flat_map(|&i| self.range(i));
        let lengths = examples.iter().map(|&i| self.range(i).len());
        let sizes = rows.clone().map(|row| self.first_label(row + 1) - self.first_label(row));
        Dataset {
            features: Arc::new(self.features.select(rows)),
            labels: examples.iter().flat_map(|&i| self.labels_of(i)).copied().collect(),
            sets: self.sets.is_some().then(|| starts(sizes)),
            sequences: self.sequences.is_some().then(|| starts(lengths)),
            weights: self.weights.as_ref().map(|weights| examples.iter().map(|&i| weights[i]).collect()),
            folds: self.folds.as_ref().map(|folds| examples.iter().map(|&i| folds[i]).collect()),
            edges: self
                .edges
                .as_ref()
                .map(|edges| examples.iter().flat_map(|&i| edges[self.range(i)].iter().copied()).collect()),
            unreachable: self
                .unreachable
                .as_ref()
                .map(|counts| examples.iter().map(|&i| counts[i]).collect()),
        }
    }

    /// The same rows, each an example of its own, with the weight and the fold of the sequence that it was in. The
    /// features are shared.
    pub fn tokens(&self) -> Dataset {
        fn repeat<T: Copy>(data: &Dataset, of: &Option<Vec<T>>) -> Option<Vec<T>> {
            let of = of.as_ref()?;
            let repeated =
                of.iter().enumerate().flat_map(|(i, &value)| std::iter::repeat_n(value, data.range(i).len()));
            Some(repeated.collect())
        }
        Dataset {
            features: Arc::clone(&self.features),
            labels: self.labels.clone(),
            sets: self.sets.clone(),
            sequences: None,
            weights: repeat(self, &self.weights),
            folds: repeat(self, &self.folds),
            // A graph is not the sum of its edges.
            edges: None,
            unreachable: None,
        }
    }

    /// The bytes that the examples hold in memory.
    pub fn bytes(&self) -> usize {
        self.features.bytes()
            + 4 * self.labels.len()
            + 8 * self.sets.as_ref().map_or(0, Vec::len)
            + 8 * self.sequences.as_ref().map_or(0, Vec::len)
            + 8 * self.weights.as_ref().map_or(0, Vec::len)
            + 4 * self.folds.as_ref().map_or(0, Vec::len)
            + 8 * self.edges.as_ref().map_or(0, |edges| edges.len())
            + 4 * self.unreachable.as_ref().map_or(0, Vec::len)
    }
}

/// Where groups of these sizes start, one after the other, and the end.
pub(super) fn starts(sizes: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut end = 0;
    let ends = sizes.map(|size| {
        end += size;
        end
    });
    std::iter::once(0).chain(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::super::MatrixBuilder;
    use super::*;

    /// Three sequences of 2, 1 and 2 rows, sparse or dense.
    fn data(value: f64, sparse: bool) -> Dataset {
        let mut builder = if sparse { MatrixBuilder::sparse() } else { MatrixBuilder::dense(2) };
        for row in 0..5 {
            builder.push(0, value);
            if !sparse || row != 2 {
                builder.push(1, value);
            }
            builder.end_row();
        }
        Dataset {
            features: Arc::new(builder.finish(2)),
            labels: vec![0, 1, 2, 3, 4],
            sets: None,
            sequences: Some(vec![0, 2, 3, 5]),
            weights: Some(vec![1.0, 2.0, 3.0]),
            folds: Some(vec![7, 8, 9]),
            edges: Some((0..5).map(|right| Edge { left: 0, right }).collect()),
            unreachable: Some(vec![0, 1, 2]),
        }
    }

    #[test]
    fn a_subset_holds_the_chosen_examples_in_order() {
        for value in [1.0, 7.0, 0.5, 0.1] {
            for sparse in [true, false] {
                let all = data(value, sparse);
                let some = all.subset(&[2, 1]);
                assert_eq!(some.sequences, Some(vec![0, 2, 3]));
                assert_eq!(some.labels, [3, 4, 2]);
                assert_eq!(some.weights, Some(vec![3.0, 2.0]));
                assert_eq!(some.folds, Some(vec![9, 8]));
                assert_eq!(some.edges, Some([3, 4, 2].map(|right| Edge { left: 0, right }).into()));
                assert_eq!(some.unreachable, Some(vec![2, 1]));
                assert_eq!(some.features.rows(), 3);
                assert_eq!(some.features.columns(), 2);
                for (row, from) in [3, 4, 2].into_iter().enumerate() {
                    assert_eq!(some.features.row(row).to_pairs(), all.features.row(from).to_pairs());
                }
                assert!(all.subset(&[]).is_empty());
            }
        }
    }

    #[test]
    fn a_subset_keeps_label_sets() {
        let features = Arc::new(FeatureMatrix::from_dense(&[[1.0], [2.0], [3.0]]));
        let sets = Some(vec![0, 2, 2, 3]);
        let all = Dataset { features, labels: vec![0, 4, 1], sets, ..Dataset::default() };
        assert_eq!((all.labels_of(0), all.labels_of(1), all.labels_of(2)), (&[0, 4][..], &[][..], &[1][..]));
        let some = all.subset(&[2, 1, 0]);
        assert_eq!((some.labels.as_slice(), some.sets), (&[1, 0, 4][..], Some(vec![0, 1, 1, 3])));
    }

    #[test]
    fn tokens_keep_the_weight_and_the_fold_of_their_sequence() {
        let tokens = data(1.0, true).tokens();
        assert_eq!(tokens.len(), 5);
        assert_eq!(tokens.weights, Some(vec![1.0, 1.0, 2.0, 3.0, 3.0]));
        assert_eq!(tokens.folds, Some(vec![7, 7, 8, 9, 9]));
        let rows = tokens.subset(&[4]);
        assert_eq!((rows.len(), &rows.labels[..], rows.sequences), (1, &[4][..], None));
    }
}
