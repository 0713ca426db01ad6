//! Rows of a feature matrix as examples: which rows are an example, what it weighs, in which fold it is.
//!
//! The parts go together by construction: groups follow each other and cover all rows, and weights and folds are one for each
//! example. Types of task data that are made of rows keep these, and say beside them what the labels are.

use std::ops::Range;
use std::sync::Arc;

use super::{FeatureMatrix, Fingerprint, Rows};
use crate::error::{Error, Result};
use crate::structure::check_weight;

/// Rows, and how they make examples.
///
/// ```
/// use maxmargin::data::{ExampleRows, FeatureMatrix};
/// let features = FeatureMatrix::from_dense(&[[1.0], [2.0], [3.0]]);
/// let rows = ExampleRows::grouped(features, vec![0, 2, 3])?.with_weights(vec![1.0, 0.5])?;
/// assert_eq!((rows.len(), rows.range(0), rows.weight(1)), (2, 0..2, 0.5));
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ExampleRows {
    features: Arc<FeatureMatrix>,
    /// Where the rows of each example start, and the end; none where each row is one.
    starts: Option<Vec<usize>>,
    weights: Option<Vec<f64>>,
    folds: Option<Vec<u32>>,
    ids: Option<Vec<Arc<str>>>,
    /// Where each row is an example of its own: those that were the first of a group.
    firsts: Vec<usize>,
}

impl From<Arc<FeatureMatrix>> for ExampleRows {
    /// Each row is an example.
    fn from(features: Arc<FeatureMatrix>) -> Self {
        Self { features, ..Self::default() }
    }
}

impl From<FeatureMatrix> for ExampleRows {
    /// Each row is an example.
    fn from(features: FeatureMatrix) -> Self {
        Arc::new(features).into()
    }
}

impl ExampleRows {
    /// Examples of several rows: where the rows of each start, and the end.
    pub fn grouped(features: impl Into<Arc<FeatureMatrix>>, starts: Vec<usize>) -> Result<Self> {
        let features = features.into();
        let rows = features.rows();
        if !are_starts(&starts, rows) {
            return refuse(format!(
                "sequences must start at row 0, one after the other, and the last end is the number of rows, {rows}"
            ));
        }
        Ok(Self { starts: Some(starts), ..Self::from(features) })
    }

    /// With the weight c_i of each example: finite and not negative.
    pub fn with_weights(self, weights: Vec<f64>) -> Result<Self> {
        self.check_count("weights", weights.len())?;
        weights.iter().enumerate().try_for_each(|(i, &weight)| check_weight(i, weight))?;
        Ok(Self { weights: Some(weights), ..self })
    }

    /// With the fold of each example.
    pub fn with_folds(self, folds: Vec<u32>) -> Result<Self> {
        self.check_count("folds", folds.len())?;
        Ok(Self { folds: Some(folds), ..self })
    }

    /// With what each example is called.
    pub fn with_ids(self, ids: Vec<Arc<str>>) -> Result<Self> {
        self.check_count("names of examples", ids.len())?;
        Ok(Self { ids: Some(ids), ..self })
    }

    /// The same examples with other features.
    pub fn with_features(self, features: Arc<FeatureMatrix>) -> Result<Self> {
        match features.rows() == self.features.rows() {
            true => Ok(Self { features, ..self }),
            false => refuse(format!("{} rows instead of {}", features.rows(), self.features.rows())),
        }
    }

    /// Refuses what is not one for each example.
    pub(crate) fn check_count(&self, what: &str, count: usize) -> Result<()> {
        match count == self.len() {
            true => Ok(()),
            false => refuse(format!("{count} {what} for {} examples", self.len())),
        }
    }

    /// Refuses what is not one for each row.
    pub(crate) fn check_row_count(&self, what: &str, count: usize) -> Result<()> {
        match count == self.features.rows() {
            true => Ok(()),
            false => refuse(format!("{count} {what} for {} rows", self.features.rows())),
        }
    }

    /// The number of examples.
    pub fn len(&self) -> usize {
        self.starts.as_ref().map_or(self.features.rows(), |starts| starts.len() - 1)
    }

    /// Whether there is no example.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether examples have any number of rows, else each row is one.
    pub fn is_grouped(&self) -> bool {
        self.starts.is_some()
    }

    /// The features of all rows.
    pub fn features(&self) -> &Arc<FeatureMatrix> {
        &self.features
    }

    /// The rows of an example. Panics when it does not exist.
    pub fn range(&self, example: usize) -> Range<usize> {
        self.starts.as_ref().map_or(example..example + 1, |starts| starts[example]..starts[example + 1])
    }

    /// The features of an example. Panics when it does not exist.
    pub fn input(&self, example: usize) -> Rows {
        Rows::new(&self.features, self.range(example))
    }

    /// The weight of an example. Panics when it does not exist.
    pub fn weight(&self, example: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[example])
    }

    /// The weights of all examples, where they are not all 1.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The fold of each example.
    pub fn folds(&self) -> Option<&[u32]> {
        self.folds.as_deref()
    }

    /// What an example is called, where somebody said so.
    pub fn id(&self, example: usize) -> Option<&str> {
        self.ids.as_ref().map(|ids| &*ids[example])
    }

    /// Whether an example was the first one of a group, where each row is one.
    pub fn starts_group(&self, example: usize) -> bool {
        self.firsts.binary_search(&example).is_ok()
    }

    /// The same rows, each an example of its own, with the weight, the fold and the name of the example that it was in.
    pub fn ungrouped(mut self) -> Self {
        let Some(starts) = self.starts.take() else { return self };
        fn repeated<T: Clone>(of: Option<Vec<T>>, starts: &[usize]) -> Option<Vec<T>> {
            let groups = starts.windows(2).map(|group| group[1] - group[0]);
            Some(
                of?.into_iter()
                    .zip(groups)
                    .flat_map(|(value, rows)| std::iter::repeat_n(value, rows))
                    .collect(),
            )
        }
        let (weights, folds) = (repeated(self.weights, &starts), repeated(self.folds, &starts));
        let ids = repeated(self.ids, &starts);
        Self { features: self.features, starts: None, weights, folds, ids, firsts: starts }
    }

    /// Some of the examples, in the order in which they are given. Refused where one does not exist.
    pub fn subset(&self, examples: &[usize]) -> Result<Self> {
        if let Some(example) = examples.iter().find(|&&example| example >= self.len()) {
            let problem = format!("there is no example {example} of {}", self.len());
            return Err(Error::parameter("examples", problem));
        }
        let lengths = examples.iter().map(|&i| self.range(i).len());
        let firsts = examples.iter().enumerate().filter(|(_, i)| self.firsts.binary_search(i).is_ok());
        Ok(Self {
            features: Arc::new(self.features.select(examples.iter().flat_map(|&i| self.range(i)))),
            starts: self.is_grouped().then(|| starts(lengths)),
            weights: chosen(&self.weights, examples),
            folds: chosen(&self.folds, examples),
            ids: chosen(&self.ids, examples),
            firsts: firsts.map(|(new, _)| new).collect(),
        })
    }

    /// The fingerprint of rows with these labels, and with what else each example is.
    pub fn fingerprint<'a>(
        &self,
        labels: impl Fn(usize) -> &'a [u32],
        mut more: impl FnMut(usize, &mut Fingerprint),
    ) -> u64 {
        let mut fingerprint = Fingerprint::default();
        fingerprint.add(self.features.columns() as u64);
        fingerprint.add(self.len() as u64);
        for i in 0..self.len() {
            fingerprint.add_rows(&self.input(i));
            fingerprint.add_all(labels(i).iter().map(|&label| u64::from(label)));
            fingerprint.add(self.weight(i).to_bits());
            more(i, &mut fingerprint);
        }
        fingerprint.number()
    }

    /// The bytes that they hold in memory.
    pub fn bytes(&self) -> usize {
        self.features.bytes()
            + 8 * self.starts.as_ref().map_or(0, Vec::len)
            + 8 * self.weights.as_ref().map_or(0, Vec::len)
            + 4 * self.folds.as_ref().map_or(0, Vec::len)
            + self.ids.iter().flatten().map(|id| 32 + id.len()).sum::<usize>()
    }
}

/// The values of some examples.
pub(crate) fn chosen<T: Clone>(values: &Option<Vec<T>>, examples: &[usize]) -> Option<Vec<T>> {
    values.as_ref().map(|values| examples.iter().map(|&i| values[i].clone()).collect())
}

/// Where groups of these sizes start, one after the other, and the end.
pub(crate) fn starts(sizes: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut end = 0;
    let ends = sizes.map(|size| {
        end += size;
        end
    });
    std::iter::once(0).chain(ends).collect()
}

/// Whether groups start here, one after the other, and end there.
pub(crate) fn are_starts(starts: &[usize], end: usize) -> bool {
    starts.first() == Some(&0) && starts.is_sorted() && starts.last() == Some(&end)
}

/// The error of examples that are not what they should be.
pub(crate) fn refuse<T>(problem: impl Into<String>) -> Result<T> {
    Err(Error::parameter("examples", problem))
}

#[cfg(test)]
mod tests {
    use super::super::MatrixBuilder;
    use super::*;

    /// Three groups of 2, 1 and 2 rows, sparse or dense.
    fn rows(value: f64, sparse: bool) -> ExampleRows {
        let mut builder = if sparse { MatrixBuilder::sparse() } else { MatrixBuilder::dense(2) };
        for row in 0..5 {
            builder.push(0, value);
            if !sparse || row != 2 {
                builder.push(1, value);
            }
            builder.end_row();
        }
        let rows = ExampleRows::grouped(builder.finish(2), vec![0, 2, 3, 5]).unwrap();
        rows.with_weights(vec![1.0, 2.0, 3.0]).unwrap().with_folds(vec![7, 8, 9]).unwrap()
    }

    #[test]
    fn a_subset_holds_the_chosen_examples_in_order() {
        for value in [1.0, 7.0, 0.5, 0.1] {
            for sparse in [true, false] {
                let all = rows(value, sparse);
                let some = all.subset(&[2, 1]).unwrap();
                assert_eq!((some.range(0), some.range(1), some.len()), (0..2, 2..3, 2));
                assert_eq!((some.weights(), some.folds()), (Some(&[3.0, 2.0][..]), Some(&[9, 8][..])));
                assert_eq!((some.features.rows(), some.features.columns()), (3, 2));
                for (row, from) in [3, 4, 2].into_iter().enumerate() {
                    assert_eq!(some.features.row(row).to_pairs(), all.features.row(from).to_pairs());
                }
                assert!(all.subset(&[]).unwrap().is_empty());
                assert!(all.subset(&[3]).is_err());
            }
        }
    }

    #[test]
    fn single_rows_keep_the_weight_and_the_fold_of_their_group() {
        let single = rows(1.0, true).ungrouped();
        assert_eq!(single.weights(), Some(&[1.0, 1.0, 2.0, 3.0, 3.0][..]));
        assert_eq!(single.folds(), Some(&[7, 7, 8, 9, 9][..]));
        let first = |rows: &ExampleRows| (0..rows.len()).map(|i| rows.starts_group(i)).collect::<Vec<_>>();
        assert_eq!(first(&single), [true, false, true, true, false]);
        assert_eq!(first(&single.subset(&[1, 3, 4, 0]).unwrap()), [false, true, false, true]);
    }
}
