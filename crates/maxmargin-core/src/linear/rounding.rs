//! What floating-point arithmetic may get wrong, and sums that get less wrong.
//!
//! A certificate is a claim about real numbers. Whatever ends up in one is therefore computed together with a bound on its
//! rounding: an operation is right up to half an [`f64::EPSILON`] of its result, and a sum of m products of which the
//! absolute values add up to S is right up to m · EPSILON · S. Where terms cancel, S is far larger than the sum, and the
//! sum is taken again with [`PreciseSum`] or [`Precise`], of about twice the digits.

use super::FeatureSum;
use super::feature_sum::{last_place, place};
use crate::features::{Row, RowValues};

/// A number that is at least `x` times 1 + `operations` roundings, for x ≥ 0.
#[inline]
pub fn round_up(x: f64, operations: f64) -> f64 {
    x * (1.0 + (operations + 4.0) * f64::EPSILON)
}

/// A number that is at most `x` less as many roundings, for x ≥ 0.
#[inline]
pub fn round_down(x: f64, operations: f64) -> f64 {
    x * (1.0 - (operations + 4.0) * f64::EPSILON).max(0.0)
}

/// a + b, and what its rounding lost.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// a · b, and what its rounding lost.
#[inline(always)]
pub(super) fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, a.mul_add(b, -product))
}

/// A sum with the rounding of its additions added up beside it (Ogita, Rump, Oishi 2005).
///
/// After m additions it is right up to one rounding of itself and (m · EPSILON)² times the sum of all absolute values.
///
/// ```
/// use maxmargin_core::linear::Precise;
/// let mut sum = Precise::default();
/// [1e16, 1.0, -1e16].into_iter().for_each(|x| sum.add(x));
/// assert_eq!(sum.get(), 1.0);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Precise {
    high: f64,
    low: f64,
}

impl Precise {
    /// Adds a number.
    #[inline(always)]
    pub fn add(&mut self, x: f64) {
        let (high, lost) = two_sum(self.high, x);
        self.high = high;
        self.low += lost;
    }

    /// Adds a product, which is not rounded first.
    #[inline(always)]
    pub fn add_product(&mut self, x: f64, y: f64) {
        let (product, lost) = two_product(x, y);
        self.add(product);
        self.low += lost;
    }

    /// Adds the product of a number that is given as two, of which the second is small, with another.
    #[inline(always)]
    pub(super) fn add_scaled_product(&mut self, (high, low): (f64, f64), y: f64) {
        self.add_product(high, y);
        self.low += low * y;
    }

    /// Adds another such sum.
    pub fn add_sum(&mut self, other: Precise) {
        self.add(other.high);
        self.low += other.low;
    }

    /// Takes another such sum away.
    pub fn subtract(&mut self, other: Precise) {
        self.add_sum(Precise { high: -other.high, low: -other.low });
    }

    /// The sum, rounded.
    #[inline]
    pub fn get(self) -> f64 {
        self.high + self.low
    }
}

/// The share of Σ |terms| by which a [`Precise`] sum of so many terms may be wrong, beside one rounding of itself.
pub fn precise_share(terms: f64) -> f64 {
    let share = (terms + 4.0) * f64::EPSILON;
    share * share
}

/// A dense sum of features with about twice the digits of an `f64`.
#[derive(Debug, Clone, Default)]
pub struct PreciseSum {
    entries: Vec<Precise>,
}

impl PreciseSum {
    /// Zeros.
    pub fn zeros(n: usize) -> Self {
        Self { entries: vec![Precise::default(); n] }
    }

    /// The sum, each entry rounded once.
    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        self.entries.iter().map(|entry| entry.get())
    }

    /// Adds another such sum.
    pub fn add_sum(&mut self, other: &Self) {
        for (entry, other) in self.entries.iter_mut().zip(&other.entries) {
            entry.add_sum(*other);
        }
    }

    /// Adds `factor · x`.
    pub fn add_scaled(&mut self, factor: f64, x: &[f64]) {
        self.entries.iter_mut().zip(x).for_each(|(entry, &x)| entry.add_product(factor, x));
    }
}

impl PreciseSum {
    #[cold]
    fn spoil(&mut self) {
        self.entries.iter_mut().take(1).for_each(|first| first.add(f64::NAN));
    }
}

impl FeatureSum for PreciseSum {
    fn add(&mut self, index: usize, value: f64) {
        match self.entries.get_mut(index) {
            Some(entry) => entry.add(value),
            None => self.spoil(),
        }
    }

    fn add_row(&mut self, row: Row<'_>, labels: usize, label: usize, factor: f64) {
        let scale = if let RowValues::Bytes(_, scale) = row.values { scale } else { 1.0 };
        // What a byte stands for is byte · scale, not rounded: the two factors are multiplied first.
        let (high, low) = two_product(factor, scale);
        if last_place(row, labels, label).is_none() {
            return self.spoil();
        }
        row.for_each_unscaled(|j, value| match self.entries.get_mut(place(j, labels, label)) {
            Some(entry) => entry.add_scaled_product((high, low), value),
            None => self.spoil(),
        });
    }
}

/// `out[k] = start[k] + Σ_j row_j · weights[j · out.len() + k]`, right up to one rounding and [`precise_share`]; there are as many weights
/// as the row's columns ask for.
pub fn precise_row_products(row: Row<'_>, weights: &[f64], out: &mut [Precise]) {
    let labels = out.len();
    let scale = if let RowValues::Bytes(_, scale) = row.values { scale } else { 1.0 };
    row.for_each_unscaled(|j, value| {
        let (high, low) = two_product(value, scale);
        for (out, &weight) in out.iter_mut().zip(&weights[j * labels..(j + 1) * labels]) {
            out.add_scaled_product((high, low), weight);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::FeatureMatrix;

    #[test]
    fn what_cancels_is_not_lost() {
        let matrix = FeatureMatrix::from_dense(&[[1e12 + 0.5, -1e12, 3.0]]);
        let weights = [1.0, 1.0, 1e-7];
        let mut out = [Precise::default()];
        precise_row_products(matrix.row(0), &weights, &mut out);
        assert_eq!(out[0].get(), 0.5 + 3.0 * 1e-7);
        let mut sum = PreciseSum::zeros(3);
        sum.add_row(matrix.row(0), 1, 0, 0.1);
        sum.add_row(matrix.row(0), 1, 0, -0.1);
        sum.add(1, 2.5);
        assert_eq!(sum.iter().collect::<Vec<_>>(), [0.0, 2.5, 0.0]);
    }

    #[test]
    fn bytes_are_multiplied_by_their_scale_without_rounding() {
        let matrix = FeatureMatrix::from_bytes(vec![3, 5], 2, 0.1).unwrap();
        let mut sum = PreciseSum::zeros(2);
        sum.add_row(matrix.row(0), 1, 0, 1.0);
        sum.add_row(matrix.row(0), 1, 0, -1.0);
        assert_eq!(sum.iter().collect::<Vec<_>>(), [0.0, 0.0]);
    }
}
