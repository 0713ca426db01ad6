//! Columns whose numbers hardly vary against their size.
//!
//! Times in seconds, years, large identifiers: what tells examples apart is the last few digits. Sums of such numbers cancel,
//! so that training is slow and its certificate wide. Subtracting the mean takes the cause away.

use crate::features::{FeatureMatrix, RowValues};

/// A column hardly varies when its largest and its smallest number differ by no more than this share of their size.
const HARDLY: f64 = 1e-4;

/// The columns that have a number in every row and hardly vary, but are not constant.
///
/// ```
/// use maxmargin::data::{FeatureMatrix, nearly_constant_columns};
/// let matrix = FeatureMatrix::from_dense(&[[1.7e9, 1.0, 0.5], [1.7e9 + 40.0, 1.0, -0.5]]);
/// assert_eq!(nearly_constant_columns(&matrix), [0]);
/// ```
pub fn nearly_constant_columns(features: &FeatureMatrix) -> Vec<usize> {
    if features.rows() < 2 {
        return Vec::new();
    }
    // Whole numbers up to 255 vary by more than that, or not at all.
    if matches!(features.row(0).values(), RowValues::Ones(_) | RowValues::Bytes(..)) {
        return Vec::new();
    }
    // (column, smallest, largest) of those that still may be such columns: after a few rows mostly none.
    let mut left: Vec<(usize, f64, f64)> = Vec::new();
    features.row(0).for_each(|j, value| left.push((j, value, value)));
    for row in 1..features.rows() {
        if left.is_empty() {
            break;
        }
        let mut values = left.iter_mut().peekable();
        let mut still = Vec::with_capacity(values.len());
        features.row(row).for_each(|j, value| {
            while values.next_if(|column| column.0 < j).is_some() {}
            if let Some((j, low, high)) = values.next_if(|column| column.0 == j) {
                let (low, high) = (low.min(value), high.max(value));
                if high - low <= HARDLY * low.abs().max(high.abs()) {
                    still.push((*j, low, high));
                }
            }
        });
        left = still;
    }
    left.into_iter().filter(|(_, low, high)| low < high).map(|(j, ..)| j).collect()
}
