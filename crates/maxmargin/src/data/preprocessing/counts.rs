//! Counts of words as they are weighed in retrieval: logarithms, inverse document frequencies, rows of length 1.
//!
//! All three together make (1 + ln c) · (ln((1 + n) / (1 + d)) + 1) of a word that a row has c times and d of the n training rows
//! have, divided by the length of the row (G. Salton, C. Buckley. Term-weighting approaches in automatic text retrieval. 1988; with
//! ones added as if one more row had every word, so that nothing is divided by 0).

use super::{Impute, Preprocessing, for_each};
use crate::error::{Error, Result};
use crate::features::FeatureMatrix;

impl Preprocessing {
    /// Learns from training data what its counts are worth: logarithms of them, or idf, or both.
    ///
    /// ```
    /// use maxmargin::data::{FeatureMatrix, Impute, Preprocessing};
    /// let features = FeatureMatrix::from_dense(&[[1.0, 2.0], [1.0, 0.0], [3.0, 0.0]]);
    /// let tf_idf = Preprocessing::fit_counts(&features, Impute::None, false, true)?;
    /// // Every row has the first word, one of three the second.
    /// assert_eq!(tf_idf.idf, Some(vec![1.0, 1.0 + (4.0f64 / 2.0).ln()]));
    /// # Ok::<(), maxmargin::Error>(())
    /// ```
    pub fn fit_counts(
        features: &FeatureMatrix,
        impute: Impute,
        log_counts: bool,
        tf_idf: bool,
    ) -> Result<Self> {
        let mut fitted = Self { log_counts, ..Self::fit(features, impute, false)? };
        if tf_idf {
            let filled_in = fitted.impute.as_deref();
            let mut having = vec![0usize; features.columns()];
            for_each(features, |column, value| {
                let is_there = match value.is_nan() {
                    true => filled_in.is_some_and(|values| values[column] != 0.0),
                    false => value != 0.0,
                };
                having[column] += usize::from(is_there);
            });
            let rows = 1.0 + features.rows() as f64;
            let idf = |having: usize| (rows / (1.0 + having as f64)).ln() + 1.0;
            fitted.idf = Some(having.into_iter().map(idf).collect());
        }
        Ok(fitted)
    }
}

/// 1 + ln of a count; 0 stays 0.
pub(super) fn logarithm(row: usize, column: usize, count: f64) -> Result<f64> {
    match count {
        0.0 => Ok(0.0),
        1.0.. => Ok(1.0 + count.ln()),
        _ => {
            let problem = format!(
                "row {}: {count} in column {} is no count, which is 0 or at least 1; leave out the option log-counts",
                row + 1,
                column + 1
            );
            Err(Error::parameter("log-counts", problem))
        }
    }
}

/// Divides a row by its Euclidean length, unless that is 0.
pub(super) fn normalize(values: &mut [f64]) {
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    if largest == 0.0 {
        return;
    }
    // Sums of squares of numbers up to 1 neither overflow nor vanish.
    values.iter_mut().for_each(|value| *value /= largest);
    let length = values.iter().map(|value| value * value).sum::<f64>().sqrt();
    values.iter_mut().for_each(|value| *value /= length);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{sparse, table};
    use super::*;

    proptest! {
        #[test]
        fn counts_are_weighed_as_the_formula_says(
            rows in prop::collection::vec(prop::collection::vec(0u32..4, 3), 1..8),
            log_counts: bool,
            tf_idf: bool,
            normalize: bool,
        ) {
            let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.iter().map(|&c| f64::from(c)).collect()).collect();
            let weigh = |features: &FeatureMatrix| {
                let fitted = Preprocessing::fit_counts(features, Impute::None, log_counts, tf_idf).unwrap();
                table(&Preprocessing { normalize, ..fitted }.apply(features).unwrap())
            };
            let found = weigh(&FeatureMatrix::from_dense(&rows));
            prop_assert_eq!(&found, &weigh(&sparse(&rows)));
            let n = rows.len() as f64;
            for (row, found) in rows.iter().zip(&found) {
                let mut expected: Vec<f64> = (0..3).map(|j| {
                    let having = rows.iter().filter(|row| row[j] > 0.0).count() as f64;
                    let count = if row[j] > 0.0 && log_counts { 1.0 + row[j].ln() } else { row[j] };
                    count * if tf_idf { ((1.0 + n) / (1.0 + having)).ln() + 1.0 } else { 1.0 }
                }).collect();
                let length = expected.iter().map(|v| v * v).sum::<f64>().sqrt();
                if normalize && length > 0.0 {
                    expected.iter_mut().for_each(|v| *v /= length);
                }
                for (found, expected) in found.iter().zip(&expected) {
                    prop_assert!((found - expected).abs() < 1e-14, "{} {}", found, expected);
                }
            }
        }
    }

    #[test]
    fn what_is_no_count_is_refused_and_no_row_vanishes() {
        for value in [-1.0, 0.5] {
            let features = FeatureMatrix::from_dense(&[[1.0, 1.0], [0.0, value]]);
            let counts = Preprocessing { log_counts: true, ..Preprocessing::default() };
            let message = counts.apply(&features).unwrap_err().to_string();
            assert!(message.contains("row 2") && message.contains("column 2"), "{message}");
        }
        for size in [1e-310, 1e300, 1e308] {
            let mut row = [size, -size];
            normalize(&mut row);
            assert!((row[0] - 0.5f64.sqrt()).abs() < 1e-15 && row[1] == -row[0], "{row:?}");
        }
    }

    #[test]
    fn a_missing_count_is_filled_in_first() {
        let features = FeatureMatrix::from_dense(&[[2.0, 4.0], [f64::NAN, 0.0], [0.0, 0.0]]);
        for (impute, having) in [(Impute::Mean, 2.0), (Impute::Zero, 1.0)] {
            let fitted = Preprocessing::fit_counts(&features, impute, true, true).unwrap();
            let idf = [(4.0f64 / (1.0 + having)).ln() + 1.0, 2.0f64.ln() + 1.0];
            assert_eq!(fitted.idf.as_deref(), Some(&idf[..]));
            let expected = if impute == Impute::Mean { idf[0] } else { 0.0 };
            assert_eq!(table(&fitted.apply(&features).unwrap())[1], [expected, 0.0]);
        }
    }
}
