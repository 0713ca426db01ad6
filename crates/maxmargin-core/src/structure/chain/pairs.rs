//! Features of pairs: columns of an input that have a weight for each pair of neighbouring labels, not for each label.
//!
//! They are the first columns of an input, and their weights come first: so both parts of a row find their weights by the numbers of
//! its columns. They count for the step into their row; in the first row they count for nothing. With them the scores of steps
//! differ from position to position. A chain without any has one matrix of transitions, and never comes here.

use super::products::agreement;
use super::{ChainScores, ChainStructure};
use crate::error::{Error, Result};
use crate::features::{Row, Rows};
use crate::linear::{FeatureSum, Precise, add_row_products, precise_row_products};

impl ChainStructure {
    /// The same chain for inputs with so many further columns before all others, each of which has a weight for each pair of
    /// neighbouring labels: they say something about the step into their row. Where [weights are of some pairs
    /// only](Self::with_seen_pairs), they are the first of the columns that these are of, and have no weights with single labels.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use maxmargin_core::features::{FeatureMatrix, Rows};
    /// use maxmargin_core::structure::{ChainStructure, ChainOptions, ChainScores, Structure};
    ///
    /// let options = ChainOptions { bias: false, boundary: false, ..Default::default() };
    /// let task = ChainStructure::new(0, 2, options)?.with_pair_features(1)?;
    /// // Where the feature is, labels change from 0 to 1; elsewhere they like to stay.
    /// let w = [0.0, 3.0, 0.0, 0.0, /* transitions: */ 1.0, 0.0, 0.0, 1.0];
    /// let x = Rows::new(&Arc::new(FeatureMatrix::from_dense(&[[0.0], [0.0], [1.0]])), 0..3);
    /// let mut scores = ChainScores::default();
    /// task.score(&w, &x, &mut scores);
    /// assert_eq!(task.decode(&x, &mut scores).label, [0, 0, 1]);
    /// # Ok::<(), maxmargin_core::Error>(())
    /// ```
    pub fn with_pair_features(self, pairs: usize) -> Result<Self> {
        let of_pairs = self.labels.checked_mul(self.labels).and_then(|pair| pair.checked_mul(pairs));
        let count = of_pairs.and_then(|weights| {
            let others = self.unary_weights() + self.labels * (self.labels + 3);
            weights.checked_add(others)
        });
        let fits =
            |count: usize| u32::try_from(count).is_ok() && Vec::<f64>::new().try_reserve_exact(count).is_ok();
        if !count.is_some_and(fits) {
            let problem = format!(
                "{pairs} features times {} pairs of labels are more weights than there is room for; take features with fewer values",
                self.labels.saturating_mul(self.labels)
            );
            return Err(Error::parameter("features of pairs", problem));
        }
        let Some(seen) = &self.seen else { return Ok(Self { pairs, ..self }.laid_out()) };
        match seen.starts().get(pairs) {
            Some(0) => Ok(Self { pairs, features: seen.features() - pairs, ..self }.laid_out()),
            _ => {
                let problem =
                    format!("the first {pairs} columns are none, or have weights with single labels");
                Err(Error::parameter("features of pairs", problem))
            }
        }
    }

    /// The number of columns with a weight for each pair of labels: the first ones of an input.
    pub fn pair_features(&self) -> usize {
        self.pairs
    }

    /// The number of pairs of labels.
    pub(super) fn label_pairs(&self) -> usize {
        self.labels * self.labels
    }

    /// The features of a position with a weight for each label, and where in all weights those of column 0 would be.
    #[inline(always)]
    pub(super) fn unary_row<'a>(&self, x: &'a Rows, t: usize) -> (Row<'a>, usize) {
        if self.seen.is_some() {
            // Numbers of all columns tell which pairs were seen.
            return (x.row(t), self.starts.unary);
        }
        if self.pairs == 0 {
            return (x.row(t), 0);
        }
        let (_, row) = x.row(t).split_at(self.pairs);
        // The columns of a dense row are counted from the first that it has.
        let columns_before = if row.indices.is_some() { self.pairs * self.labels } else { 0 };
        (row, self.starts.unary - columns_before)
    }

    /// The features of the step into a position that is not the first one.
    pub(super) fn pair_row<'a>(&self, x: &'a Rows, t: usize) -> Row<'a> {
        x.row(t).split_at(self.pairs).0
    }

    /// The scores of all steps of an input.
    pub(super) fn score_steps(&self, w: &[f64], x: &Rows, scores: &mut ChainScores) {
        scores.steps.clear();
        for t in 1..x.len() {
            let start = scores.steps.len();
            scores.steps.extend_from_slice(&scores.transition);
            add_row_products(self.pair_row(x, t), w, &mut scores.steps[start..]);
        }
    }

    /// The same with about twice the digits inside.
    pub(super) fn score_steps_precisely(&self, w: &[f64], x: &Rows, scores: &mut ChainScores) {
        scores.steps.clear();
        let mut sums = vec![Precise::default(); self.label_pairs()];
        for t in 1..x.len() {
            sums.fill(Precise::default());
            sums.iter_mut().zip(&scores.transition).for_each(|(sum, &weight)| sum.add(weight));
            precise_row_products(self.pair_row(x, t), w, &mut sums);
            scores.steps.extend(sums.iter().map(|sum| sum.get()));
        }
    }

    /// Adds the features of the step into a position between two labels: those of the transition too.
    #[inline]
    pub(super) fn add_step<A: FeatureSum + ?Sized>(
        &self,
        x: &Rows,
        t: usize,
        pair: [u32; 2],
        factor: f64,
        sum: &mut A,
    ) {
        let pair = pair[0] as usize * self.labels + pair[1] as usize;
        sum.add(self.starts.transitions + pair, factor);
        if self.pairs > 0 {
            sum.add_row(self.pair_row(x, t), self.label_pairs(), pair, factor);
        }
    }
}

/// What features of pairs add to the inner product of two labels' differences from the truth, given their own products. Those of a step are
/// in the row that it leads to.
pub(super) fn product(kernel: &[f64], truth: &[u32], labels: [&[u32]; 2]) -> f64 {
    let pair = |label: &[u32], t: usize| (label[t - 1], label[t]);
    let [y_steps, z_steps] = labels
        .map(|label| (1..truth.len()).filter(|&t| pair(label, t) != pair(truth, t)).collect::<Vec<usize>>());
    let mut sum = 0.0;
    for &s in &y_steps {
        for &t in &z_steps {
            let (low, high) = (s.min(t), s.max(t));
            let [y, z] = labels;
            sum += agreement(pair(y, s), pair(truth, s), pair(z, t), pair(truth, t))
                * kernel[high * (high + 1) / 2 + low];
        }
    }
    sum
}
