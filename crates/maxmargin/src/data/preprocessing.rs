//! What happens to columns after they are read: missing values are filled in, counts are weighed, columns are standardised, and
//! rows are brought to one length.
//!
//! [`Preprocessing::fit`] learns from training data what to fill in, subtract and divide by, and [`Preprocessing::fit_counts`] what
//! words are worth; [`Preprocessing::apply`] does it to that data and to any later one, row by row. A model keeps the vectors, so that
//! prediction sees features as training did. Missing values are NaN in the matrix; none passes `apply`.
//!
//! Dense data is centred and divided by its standard deviation, column by column. Sparse data is only divided, so that it
//! stays sparse; its standard deviation counts the zeros that are not stored. A column that is constant is left alone: it
//! has nothing to standardise, and dividing by rounding errors would blow it up. [`nearly_constant_columns`] names those that
//! should be centred: numbers that hardly vary against their size, such as times in seconds.

mod constant_columns;
mod counts;
mod scales;
mod statistics;

use std::sync::Arc;

pub use constant_columns::nearly_constant_columns;
pub use scales::{FarScales, far_scales};
use serde::{Deserialize, Serialize};
use statistics::ColumnStatistics;

use super::DataObject;
use crate::error::{Error, Result};
use crate::features::{FeatureMatrix, MatrixBuilder, Row};

/// Centring makes sparse data dense; it may not make more values than this of it (2 GiB of them).
const MOST_FILLED_UP: usize = 1 << 28;

/// What to put where a value is missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Impute {
    /// Nothing: a missing value is an error.
    #[default]
    None,
    /// The mean of the training column.
    Mean,
    /// Zero.
    Zero,
}

/// What to do to each column: fill in `impute` where a value is missing, take the logarithm of counts, multiply by `idf`, then
/// `(value − shift) / scale`. At the end each row may be divided by its length.
///
/// ```
/// use maxmargin::data::{FeatureMatrix, Impute, Preprocessing};
/// let features = FeatureMatrix::from_dense(&[[1.0, 5.0], [3.0, f64::NAN], [f64::NAN, 5.0]]);
/// assert!(Preprocessing::fit(&features, Impute::None, false).is_err());
/// let preprocessing = Preprocessing::fit(&features, Impute::Mean, false)?;
/// let filled = preprocessing.apply(&features)?;
/// assert_eq!(filled.row(1).to_pairs(), [(0, 3.0), (1, 5.0)]);
/// assert_eq!(filled.row(2).to_pairs(), [(0, 2.0), (1, 5.0)]);
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Preprocessing {
    /// What to put where a value is missing, by column; without it a missing value is an error.
    pub impute: Option<Vec<f64>>,
    /// Whether a count c becomes 1 + ln c.
    #[serde(default)]
    pub log_counts: bool,
    /// What to multiply by, by column: the more, the fewer rows have it.
    #[serde(default)]
    pub idf: Option<Vec<f64>>,
    /// What to subtract, by column. It makes data dense.
    pub shift: Option<Vec<f64>>,
    /// What to divide by afterwards, by column.
    pub scale: Option<Vec<f64>>,
    /// Whether each row is divided by its Euclidean length in the end.
    #[serde(default)]
    pub normalize: bool,
}

/// The vectors with a number for each column, by the names that they have in a model file.
pub(crate) const VECTORS: [&str; 4] = ["impute", "idf", "shift", "scale"];

impl Preprocessing {
    /// Learns from training data what to do to columns. Sparse data is not centred.
    pub fn fit(features: &FeatureMatrix, impute: Impute, standardise: bool) -> Result<Self> {
        Self::fit_columns(features, impute, standardise && !features.is_sparse(), standardise)
    }

    /// The same with all columns centred, whether or not they are divided by their standard deviation. Sparse data
    /// becomes dense.
    pub fn fit_centred(features: &FeatureMatrix, impute: Impute, standardise: bool) -> Result<Self> {
        Self::fit_columns(features, impute, true, standardise)
    }

    fn fit_columns(features: &FeatureMatrix, impute: Impute, centre: bool, divide: bool) -> Result<Self> {
        if impute == Impute::None {
            check_none_missing(features)?;
        }
        let statistics = match (impute, centre || divide) {
            (Impute::None | Impute::Zero, false) => None,
            _ => Some(ColumnStatistics::of(features, impute)),
        };
        let filled_in = match (&statistics, impute) {
            (_, Impute::None) => None,
            (Some(statistics), Impute::Mean) => Some(statistics.filled_in.clone()),
            _ => Some(vec![0.0; features.columns()]),
        };
        let mut preprocessing = Self { impute: filled_in, ..Self::default() };
        if let Some(ColumnStatistics { mean, deviation, .. }) = statistics {
            preprocessing.shift = centre.then_some(mean);
            preprocessing.scale = divide.then_some(deviation);
        }
        Ok(preprocessing)
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The vectors, in the order of [`VECTORS`].
    pub(crate) fn vectors(&self) -> [Option<&Vec<f64>>; 4] {
        [&self.impute, &self.idf, &self.shift, &self.scale].map(Option::as_ref)
    }

    /// The same with other vectors, in the order of [`VECTORS`].
    pub(crate) fn with_vectors(&self, [impute, idf, shift, scale]: [Option<Vec<f64>>; 4]) -> Self {
        Self { impute, idf, shift, scale, ..*self }
    }

    /// The examples with their columns filled in and standardised; none where there is nothing to do.
    pub fn changed(&self, data: &dyn DataObject) -> Result<Option<Arc<dyn DataObject>>> {
        match self.is_empty() {
            true => Ok(None),
            false => data.with_features(Arc::new(self.apply(columns_of(data)?)?)).map(Some),
        }
    }

    /// The columns filled in and standardised. Refuses what would not be a finite number.
    pub fn apply(&self, features: &FeatureMatrix) -> Result<FeatureMatrix> {
        for vector in self.vectors().into_iter().flatten() {
            if vector.len() != features.columns() {
                let problem =
                    format!("made for {} columns, but the data has {}", vector.len(), features.columns());
                return Err(Error::parameter("preprocessing", problem));
            }
        }
        if self.is_empty() {
            check_none_missing(features)?;
            return Ok(features.clone());
        }
        match (features.is_sparse(), &self.shift) {
            (true, None) => self.sparse(features),
            (sparse, _) => self.dense(features, sparse),
        }
    }

    /// What becomes of a value.
    fn value(&self, row: usize, column: usize, value: f64) -> Result<f64> {
        let of = |vector: &Option<Vec<f64>>| vector.as_ref().map(|vector| vector[column]);
        let known = match value.is_nan() {
            true => of(&self.impute).ok_or_else(|| missing(row, column))?,
            false => value,
        };
        let counted = if self.log_counts { counts::logarithm(row, column, known)? } else { known };
        let counted = counted * of(&self.idf).unwrap_or(1.0);
        let value = (counted - of(&self.shift).unwrap_or(0.0)) / of(&self.scale).unwrap_or(1.0);
        match value.is_finite() {
            true => Ok(value),
            false => {
                let problem = format!(
                    "example {}: {known} in column {} is too far out to be standardised",
                    row + 1,
                    column + 1
                );
                Err(Error::parameter("standardise", problem))
            }
        }
    }

    fn sparse(&self, features: &FeatureMatrix) -> Result<FeatureMatrix> {
        let mut builder = MatrixBuilder::sparse();
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        for row in 0..features.rows() {
            columns.clear();
            values.clear();
            try_each(features.row(row), |column, value| {
                columns.push(column as u32);
                values.push(self.value(row, column, value)?);
                Ok(())
            })?;
            self.finish_row(&mut values);
            let stored = columns.iter().zip(&values).filter(|(_, value)| **value != 0.0);
            stored.for_each(|(&column, &value)| builder.push(column, value));
            builder.end_row();
        }
        Ok(builder.finish(features.columns()))
    }

    fn finish_row(&self, values: &mut [f64]) {
        if self.normalize {
            counts::normalize(values);
        }
    }

    fn dense(&self, features: &FeatureMatrix, sparse: bool) -> Result<FeatureMatrix> {
        let (rows, columns) = (features.rows(), features.columns());
        if sparse && rows.saturating_mul(columns) > MOST_FILLED_UP {
            let problem = format!(
                "centred columns are dense, and this data is sparse: {rows} rows of {columns} columns would fill the memory; give fewer rows at a time, or do not centre"
            );
            return Err(Error::parameter("standardise", problem));
        }
        let mut builder = MatrixBuilder::dense(columns);
        let mut values = vec![0.0; columns];
        for row in 0..rows {
            values.fill(0.0);
            features.row(row).for_each(|column, value| values[column] = value);
            for (column, value) in values.iter_mut().enumerate() {
                *value = self.value(row, column, *value)?;
            }
            self.finish_row(&mut values);
            // A negative zero would not fit into the narrowest types.
            values.iter().for_each(|value| builder.push(0, value + 0.0));
            builder.end_row();
        }
        Ok(builder.finish(columns))
    }
}

/// The matrix whose columns are to be changed.
pub(crate) fn columns_of(data: &dyn DataObject) -> Result<&FeatureMatrix> {
    let none = || Error::parameter("columns", format!("{} have none that could be changed", data.kind()));
    data.features().map(Arc::as_ref).ok_or_else(none)
}

/// Visits the stored values of all rows.
fn for_each(features: &FeatureMatrix, mut visit: impl FnMut(usize, f64)) {
    (0..features.rows()).for_each(|row| features.row(row).for_each(&mut visit));
}

/// Visits the values of a row until one is refused.
fn try_each(row: Row<'_>, mut visit: impl FnMut(usize, f64) -> Result<()>) -> Result<()> {
    let mut result = Ok(());
    row.for_each(|column, value| {
        if result.is_ok() {
            result = visit(column, value);
        }
    });
    result
}

fn check_none_missing(features: &FeatureMatrix) -> Result<()> {
    for row in 0..features.rows() {
        try_each(features.row(row), |column, value| match value.is_nan() {
            true => Err(missing(row, column)),
            false => Ok(()),
        })?;
    }
    Ok(())
}

#[cold]
fn missing(row: usize, column: usize) -> Error {
    let problem = format!(
        "row {} has no value in column {}; train with the option missing=mean or the option missing=zero to fill such values in",
        row + 1,
        column + 1
    );
    Error::parameter("missing", problem)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(super) fn sparse(rows: &[Vec<f64>]) -> FeatureMatrix {
        let mut builder = MatrixBuilder::sparse();
        for row in rows {
            row.iter().enumerate().filter(|(_, v)| **v != 0.0).for_each(|(j, &v)| builder.push(j as u32, v));
            builder.end_row();
        }
        builder.finish(rows.first().map_or(0, Vec::len))
    }

    pub(super) fn table(features: &FeatureMatrix) -> Vec<Vec<f64>> {
        let row = |i: usize| {
            let mut values = vec![0.0; features.columns()];
            features.row(i).for_each(|j, value| values[j] = value);
            values
        };
        (0..features.rows()).map(row).collect()
    }

    /// Mean and standard deviation, as the textbook has them.
    fn moments(values: &[f64]) -> (f64, f64) {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        (mean, (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt())
    }

    fn cell() -> impl Strategy<Value = f64> {
        prop_oneof![3 => -10.0..10.0, 1 => Just(0.0), 1 => Just(f64::NAN), 1 => Just(0.1)]
    }

    proptest! {
        #[test]
        fn columns_come_out_filled_and_standardised(rows in prop::collection::vec(prop::collection::vec(cell(), 3), 1..12), mean: bool) {
            let impute = if mean { Impute::Mean } else { Impute::Zero };
            let (dense, sparse) = (FeatureMatrix::from_dense(&rows), sparse(&rows));
            let plain = Preprocessing::fit(&dense, impute, false).unwrap();
            let filled = table(&plain.apply(&dense).unwrap());
            prop_assert_eq!(&filled, &table(&plain.apply(&sparse).unwrap()));
            for j in 0..3 {
                let known: Vec<f64> = rows.iter().map(|row| row[j]).filter(|v| !v.is_nan()).collect();
                let expected = if mean && !known.is_empty() { moments(&known).0 } else { 0.0 };
                for (row, filled) in rows.iter().zip(&filled) {
                    match row[j].is_nan() {
                        true => prop_assert!((filled[j] - expected).abs() < 1e-12),
                        false => prop_assert_eq!(filled[j], row[j]),
                    }
                }
            }
            let column = |table: &[Vec<f64>], j: usize| -> Vec<f64> { table.iter().map(|row| row[j]).collect() };
            let standard = Preprocessing::fit(&dense, impute, true).unwrap();
            let centred = table(&standard.apply(&dense).unwrap());
            let divided = Preprocessing::fit(&sparse, impute, true).unwrap();
            prop_assert!(divided.shift.is_none());
            for (a, b) in divided.scale.iter().flatten().zip(standard.scale.iter().flatten()) {
                prop_assert!((a - b).abs() <= 1e-12 * b);
            }
            let divided = divided.apply(&sparse).unwrap();
            prop_assert!(divided.is_sparse());
            let divided = table(&divided);
            for j in 0..3 {
                let (before, after) = (column(&filled, j), column(&centred, j));
                if before.iter().all(|v| *v == before[0]) {
                    prop_assert_eq!(&before, &after);
                    prop_assert_eq!(&before, &column(&divided, j));
                } else if moments(&before).1 > 1e-9 {
                    let (mean, deviation) = moments(&after);
                    prop_assert!(mean.abs() < 1e-6 && (deviation - 1.0).abs() < 1e-6, "{after:?}");
                    prop_assert!((moments(&column(&divided, j)).1 - 1.0).abs() < 1e-6);
                }
            }
        }
    }

    #[test]
    fn huge_and_constant_columns_stay_finite() {
        let rows = [[1e300, 0.1, 1e-320], [-1e300, 0.1, 0.0], [1e300, 0.1, 0.0]];
        let data = FeatureMatrix::from_dense(&rows);
        let all = Preprocessing::fit(&data, Impute::None, true).unwrap();
        let table = table(&all.apply(&data).unwrap());
        assert!((table[1][0] + 2f64.sqrt()).abs() < 1e-9);
        assert!(table.iter().all(|row| row[1] == 0.1 && row.iter().all(|v| v.is_finite())), "{table:?}");
    }

    #[test]
    fn nothing_but_finite_numbers_passes() {
        let broken = FeatureMatrix::from_dense(&[[1.0, f64::NAN]]);
        for preprocessing in [
            Preprocessing::default(),
            Preprocessing { scale: Some(vec![1.0, 1.0]), ..Preprocessing::default() },
            Preprocessing {
                scale: Some(vec![0.0, 1.0]),
                impute: Some(vec![0.0, 0.0]),
                ..Preprocessing::default()
            },
            Preprocessing { impute: Some(vec![0.0]), ..Preprocessing::default() },
        ] {
            assert!(preprocessing.apply(&broken).is_err());
        }
        let message = Preprocessing::fit(&broken, Impute::None, false).unwrap_err().to_string();
        assert!(message.contains("row 1 has no value in column 2") && message.contains("missing=mean"));
        let wide = Preprocessing { shift: Some(vec![1.0; 1 << 20]), ..Preprocessing::default() };
        let mut builder = MatrixBuilder::sparse();
        (0..1000).for_each(|_| builder.end_row());
        let message = wide.apply(&builder.finish(1 << 20)).unwrap_err().to_string();
        assert!(message.contains("would fill the memory"));
    }

    #[test]
    fn it_survives_a_file() {
        let data = FeatureMatrix::from_dense(&[[1.0, 0.3], [3.0, 0.1]]);
        let fitted = Preprocessing::fit(&data, Impute::Mean, true).unwrap();
        let text = serde_json::to_string(&fitted).unwrap();
        assert_eq!(serde_json::from_str::<Preprocessing>(&text).unwrap(), fitted);
    }
}
