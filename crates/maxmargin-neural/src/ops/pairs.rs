//! The products of all pairs of rows, sequence by sequence: `out = A Bᵀ` for the rows A and B of each sequence, one behind the other.
//!
//! This is what scores of arcs are made of: a row of A for each head, one or several of B for each word. What a search says of such scores is nothing
//! for nearly all pairs: two labels of n words have 2n arcs of n² at most. The backward pass visits the others only.

use std::sync::Arc;

use candle_core::{CpuStorage, CustomOp2, Layout, Result, Shape, Tensor, bail};

use super::Real;
use super::product::{Matrix, multiply};
use super::real::contiguous;

/// All products, in one row: `a` and `b` have as many columns, and `sizes` says how many rows of each a sequence has.
pub fn pair_products(a: &Tensor, b: &Tensor, sizes: Arc<Vec<(usize, usize)>>) -> Result<Tensor> {
    let ((rows, columns), (other_rows, other_columns)) = (a.dims2()?, b.dims2()?);
    let expected = sizes.iter().fold((0, 0), |sum, size| (sum.0 + size.0, sum.1 + size.1));
    if expected != (rows, other_rows) || columns != other_columns {
        bail!("{rows} × {columns} and {other_rows} × {other_columns} numbers for {expected:?} rows");
    }
    a.contiguous()?.apply_op2(&b.contiguous()?, PairProducts { columns, sizes })
}

struct PairProducts {
    columns: usize,
    sizes: Arc<Vec<(usize, usize)>>,
}

impl PairProducts {
    fn forward<T: Real>(&self, mut a: &[T], mut b: &[T]) -> Result<Vec<T>> {
        let columns = self.columns;
        let mut out = vec![T::zero(); self.sizes.iter().map(|(a, b)| a * b).sum()];
        let mut rest = &mut out[..];
        for &(rows, others) in &*self.sizes {
            let (of_a, of_b, of_out);
            (of_a, a) = a.split_at(rows * columns);
            (of_b, b) = b.split_at(others * columns);
            (of_out, rest) = rest.split_at_mut(rows * others);
            multiply(
                Matrix::new(of_a, rows, columns)?,
                Matrix::new(of_b, others, columns)?.transposed(),
                of_out,
                false,
            )?;
        }
        Ok(out)
    }

    fn backward<T: Real>(&self, a: &[T], b: &[T], gradient: &[T]) -> (Vec<T>, Vec<T>) {
        let columns = self.columns;
        let (mut of_a, mut of_b) = (vec![T::zero(); a.len()], vec![T::zero(); b.len()]);
        let (mut first, mut other_first, mut place) = (0, 0, 0);
        for &(rows, others) in &*self.sizes {
            for (pair, &factor) in gradient[place..place + rows * others].iter().enumerate() {
                if factor == T::zero() {
                    continue;
                }
                let row = (first + pair / others) * columns..(first + pair / others + 1) * columns;
                let other =
                    (other_first + pair % others) * columns..(other_first + pair % others + 1) * columns;
                let (sum, values) = (&mut of_a[row.clone()], &b[other.clone()]);
                sum.iter_mut().zip(values).for_each(|(sum, &value)| *sum += factor * value);
                let (sum, values) = (&mut of_b[other], &a[row]);
                sum.iter_mut().zip(values).for_each(|(sum, &value)| *sum += factor * value);
            }
            (first, other_first, place) = (first + rows, other_first + others, place + rows * others);
        }
        (of_a, of_b)
    }

    fn gradients<T: Real>(
        &self,
        a: &Tensor,
        b: &Tensor,
        gradient: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let flat = |tensor: &Tensor| tensor.flatten_all()?.to_vec1::<T>();
        let (of_a, of_b) = self.backward(&flat(a)?, &flat(b)?, &flat(gradient)?);
        let of_a = Tensor::from_vec(of_a, a.shape(), a.device())?;
        Ok((Some(of_a), Some(Tensor::from_vec(of_b, b.shape(), b.device())?)))
    }
}

impl CustomOp2 for PairProducts {
    fn name(&self) -> &'static str {
        "pair-products"
    }

    fn cpu_fwd(
        &self,
        a: &CpuStorage,
        layout: &Layout,
        b: &CpuStorage,
        layout_of_b: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let storage = match a {
            CpuStorage::F32(_) => {
                CpuStorage::F32(self.forward(contiguous(a, layout)?, contiguous(b, layout_of_b)?)?)
            }
            CpuStorage::F64(_) => {
                CpuStorage::F64(self.forward(contiguous(a, layout)?, contiguous(b, layout_of_b)?)?)
            }
            _ => bail!("products are over f32 or f64"),
        };
        Ok((storage, Shape::from(self.sizes.iter().map(|(a, b)| a * b).sum::<usize>())))
    }

    fn bwd(
        &self,
        a: &Tensor,
        b: &Tensor,
        _: &Tensor,
        gradient: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        match gradient.dtype() {
            candle_core::DType::F32 => self.gradients::<f32>(a, b, gradient),
            _ => self.gradients::<f64>(a, b, gradient),
        }
    }
}
