//! Products of matrices that lie in plain arrays, row by row.

use candle_core::{Result, bail};
use gemm::Parallelism;

use super::Real;

/// A matrix of `rows × columns` in an array, or its transpose.
#[derive(Clone, Copy)]
pub struct Matrix<'a, T> {
    values: &'a [T],
    rows: usize,
    columns: usize,
    /// How far apart neighbouring rows and neighbouring columns are.
    strides: (isize, isize),
}

impl<'a, T> Matrix<'a, T> {
    /// The matrix with so many columns.
    pub fn new(values: &'a [T], rows: usize, columns: usize) -> Result<Self> {
        if Some(values.len()) != rows.checked_mul(columns) {
            bail!("{} numbers for a matrix of {rows} × {columns}", values.len());
        }
        Ok(Self { values, rows, columns, strides: (columns as isize, 1) })
    }

    /// The same, rows for columns.
    pub fn transposed(self) -> Self {
        let Self { values, rows, columns, strides: (row, column) } = self;
        Self { values, rows: columns, columns: rows, strides: (column, row) }
    }
}

/// `out` becomes a·b, or out + a·b.
pub fn multiply<T: Real>(a: Matrix<'_, T>, b: Matrix<'_, T>, out: &mut [T], is_added: bool) -> Result<()> {
    if a.columns != b.rows || Some(out.len()) != a.rows.checked_mul(b.columns) {
        bail!("{} × {} times {} × {} into {} numbers", a.rows, a.columns, b.rows, b.columns, out.len());
    }
    if out.is_empty() {
        return Ok(());
    }
    // Measured: of a training step eight tenths are products, and these many small ones take half as long as through tensors of their own.
    // SAFETY: `Matrix::new` has checked that both operands hold rows × columns numbers and the strides are theirs; the sizes fit one another
    // and `out` holds their product, row by row (above); it is borrowed for writing and overlaps neither. T is f32 or f64, which gemm knows.
    unsafe {
        gemm::gemm(
            a.rows,
            b.columns,
            a.columns,
            out.as_mut_ptr(),
            1,
            b.columns as isize,
            is_added,
            a.values.as_ptr(),
            a.strides.1,
            a.strides.0,
            b.values.as_ptr(),
            b.strides.1,
            b.strides.0,
            T::one(),
            T::one(),
            false,
            false,
            false,
            Parallelism::None,
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_definition() -> Result<()> {
        let (m, k, n) = (3, 4, 5);
        let a: Vec<f64> = (0..m * k).map(|i| (i as f64).sin()).collect();
        let b: Vec<f64> = (0..n * k).map(|i| (i as f64).cos()).collect();
        let mut out = vec![1.0; m * n];
        multiply(Matrix::new(&a, m, k)?, Matrix::new(&b, n, k)?.transposed(), &mut out, true)?;
        for i in 0..m {
            for j in 0..n {
                let expected: f64 = 1.0 + (0..k).map(|l| a[i * k + l] * b[j * k + l]).sum::<f64>();
                assert!((out[i * n + j] - expected).abs() < 1e-12);
            }
        }
        assert!(multiply(Matrix::new(&a, m, k)?, Matrix::new(&b, n, k)?, &mut out, false).is_err());
        assert!(Matrix::new(&a, m, k + 1).is_err());
        multiply(Matrix::new(&a[..0], 0, k)?, Matrix::new(&b, k, n)?, &mut [], false)
    }
}
