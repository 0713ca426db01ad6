//! Means and standard deviations of columns, with missing values and values that are not stored.

use super::{Impute, for_each};
use crate::features::FeatureMatrix;

/// By column.
pub(super) struct ColumnStatistics {
    /// What goes where a value is missing.
    pub filled_in: Vec<f64>,
    /// The mean of the column after filling in; 0 for a constant column.
    pub mean: Vec<f64>,
    /// The standard deviation after filling in; 1 for a constant column.
    pub deviation: Vec<f64>,
}

impl ColumnStatistics {
    /// Two passes over the matrix, so that a small deviation of large values is exact.
    pub fn of(features: &FeatureMatrix, impute: Impute) -> Self {
        let rows = features.rows();
        let mut columns: Vec<Column> = vec![Column::default(); features.columns()];
        for_each(features, |j, value| columns[j].see(value));
        columns.iter_mut().for_each(|column| column.see_zeros(rows));
        // Sums of x / max |x|: they cannot overflow.
        let mut sums = vec![0.0; columns.len()];
        for_each(features, |j, value| {
            if !value.is_nan() {
                sums[j] += value / columns[j].unit();
            }
        });
        let known_mean = |j: usize| {
            let known = rows - columns[j].missing;
            match &columns[j] {
                _ if known == 0 => 0.0,
                // The mean of equal values is one of them, whatever rounding says.
                Column { smallest, largest, .. } if smallest == largest => *smallest,
                column => sums[j] / known as f64 * column.unit(),
            }
        };
        let filled_in: Vec<f64> = match impute {
            Impute::Mean => (0..columns.len()).map(known_mean).collect(),
            Impute::None | Impute::Zero => vec![0.0; columns.len()],
        };
        let mut mean: Vec<f64> = (0..columns.len())
            .map(|j| {
                let missing = columns[j].missing as f64;
                (sums[j] + missing * (filled_in[j] / columns[j].unit())) / rows.max(1) as f64
                    * columns[j].unit()
            })
            .collect();
        let square = |j: usize, value: f64| ((value - mean[j]) / columns[j].unit()).powi(2);
        let mut squares: Vec<f64> = (0..columns.len())
            .map(|j| {
                let zeros = rows - columns[j].stored;
                zeros as f64 * square(j, 0.0) + columns[j].missing as f64 * square(j, filled_in[j])
            })
            .collect();
        for_each(features, |j, value| {
            if !value.is_nan() {
                squares[j] += square(j, value);
            }
        });
        let mut deviation = vec![1.0; columns.len()];
        for (j, column) in columns.iter().enumerate() {
            let found = (squares[j] / rows.max(1) as f64).sqrt() * column.unit();
            match column.is_constant(filled_in[j]) || found == 0.0 {
                true => mean[j] = 0.0,
                false => deviation[j] = found,
            }
        }
        Self { filled_in, mean, deviation }
    }
}

/// What one look at a column tells.
#[derive(Clone)]
struct Column {
    stored: usize,
    missing: usize,
    smallest: f64,
    largest: f64,
}

impl Default for Column {
    fn default() -> Self {
        Self { stored: 0, missing: 0, smallest: f64::INFINITY, largest: f64::NEG_INFINITY }
    }
}

impl Column {
    fn see(&mut self, value: f64) {
        self.stored += 1;
        if value.is_nan() {
            self.missing += 1;
        } else {
            self.smallest = self.smallest.min(value);
            self.largest = self.largest.max(value);
        }
    }

    /// Sees the zeros that are not stored.
    fn see_zeros(&mut self, rows: usize) {
        if self.stored < rows {
            self.smallest = self.smallest.min(0.0);
            self.largest = self.largest.max(0.0);
        }
    }

    /// The largest absolute value, or 1 when there is none to divide by.
    fn unit(&self) -> f64 {
        match self.smallest.abs().max(self.largest.abs()) {
            unit if unit.is_finite() && unit > 0.0 => unit,
            _ => 1.0,
        }
    }

    /// Whether all values are equal once the missing ones are filled in.
    fn is_constant(&self, filled_in: f64) -> bool {
        let no_value = self.smallest > self.largest;
        let filled_alike = self.missing == 0 || filled_in == self.smallest;
        no_value || (self.smallest == self.largest && filled_alike)
    }
}
