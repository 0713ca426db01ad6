//! Columns whose numbers are of very different sizes: the regulariser then weighs them very differently.

use super::super::FeatureMatrix;

/// Sizes that differ by less are not worth a word.
const FAR: f64 = 100.0;

/// Sizes are those of no more rows than this, evenly drawn: for a word of warning they are known well enough.
const ROWS: usize = 2000;

/// Two columns of sizes far apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FarScales {
    /// A column of the largest numbers, and their size.
    pub largest: (usize, f64),
    /// A column of the smallest numbers, and their size.
    pub smallest: (usize, f64),
}

/// The columns of the largest and of the smallest numbers, where these are far apart. The size of a column is the root of the mean
/// square of its numbers that are not 0, so that a column of zeros and ones has the size 1 however rare the ones are. Of many rows some
/// are looked at.
///
/// ```
/// use maxmargin::data::{FeatureMatrix, far_scales};
/// let raw = FeatureMatrix::from_dense(&[[41_000.0, 0.5], [52_000.0, -0.25]]);
/// let far = far_scales(&raw).unwrap();
/// assert_eq!((far.largest.0, far.smallest.0), (0, 1));
/// assert_eq!(far_scales(&FeatureMatrix::from_dense(&[[4.1, 0.5], [5.2, -0.25]])), None);
/// ```
pub fn far_scales(features: &FeatureMatrix) -> Option<FarScales> {
    let mut sums = vec![(0.0, 0usize); features.columns()];
    for row in (0..features.rows()).step_by(features.rows().div_ceil(ROWS).max(1)) {
        features.row(row).for_each(|j, value| {
            // What is missing is NaN here.
            if value != 0.0 && value.is_finite() {
                sums[j].0 += value * value;
                sums[j].1 += 1;
            }
        });
    }
    let sizes = sums.into_iter().enumerate().filter(|(_, (_, count))| *count > 0);
    let sizes: Vec<(usize, f64)> =
        sizes.map(|(j, (sum, count)): (usize, (f64, usize))| (j, (sum / count as f64).sqrt())).collect();
    let largest = sizes.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
    let smallest = sizes.iter().copied().reduce(|a, b| if b.1 < a.1 { b } else { a })?;
    (largest.1 > FAR * smallest.1).then_some(FarScales { largest, smallest })
}
