//! Sums of rows of a table: what a linear layer makes of inputs most of which are 0.

use std::sync::Arc;

use candle_core::{CpuStorage, CustomOp1, DType, Layout, Result, Shape, Tensor, bail};

use super::Real;
use super::real::contiguous;

/// Which rows of a table are added up, each with a factor.
#[derive(Debug, Clone, Default)]
pub struct Bags {
    /// How many rows each sum has.
    pub counts: Vec<usize>,
    /// The rows, one sum after the other.
    pub rows: Vec<u32>,
    /// Their factors.
    pub factors: Vec<f32>,
}

/// A row for each sum.
pub fn row_sums(table: &Tensor, bags: Arc<Bags>) -> Result<Tensor> {
    let (rows, columns) = table.dims2()?;
    let total = bags.counts.iter().sum::<usize>();
    if total != bags.rows.len() || total != bags.factors.len() {
        bail!("{total} rows to add up, but {} rows and {} factors", bags.rows.len(), bags.factors.len());
    }
    if let Some(row) = bags.rows.iter().find(|&&row| row as usize >= rows) {
        bail!("there is no row {row}; there are {rows}");
    }
    table.contiguous()?.apply_op1(RowSums { columns, bags })
}

struct RowSums {
    columns: usize,
    bags: Arc<Bags>,
}

impl RowSums {
    /// Tells each sum with a row and its factor.
    fn for_each<T: Real>(&self, mut tell: impl FnMut(usize, usize, T)) {
        let Bags { counts, rows, factors } = &*self.bags;
        let mut terms = rows.iter().zip(factors);
        for (sum, &count) in counts.iter().enumerate() {
            for (&row, &factor) in terms.by_ref().take(count) {
                tell(sum, row as usize, T::from_f64(factor.into()));
            }
        }
    }

    fn forward<T: Real>(&self, table: &[T]) -> Vec<T> {
        let columns = self.columns;
        let mut out = vec![T::zero(); self.bags.counts.len() * columns];
        self.for_each(|sum, row, factor: T| {
            let out = &mut out[sum * columns..(sum + 1) * columns];
            let row = &table[row * columns..(row + 1) * columns];
            out.iter_mut().zip(row).for_each(|(out, &value)| *out += factor * value);
        });
        out
    }

    fn backward<T: Real>(&self, table: &Tensor, gradient: &Tensor) -> Result<Tensor> {
        let columns = self.columns;
        let gradient = gradient.flatten_all()?.to_vec1::<T>()?;
        let mut out = vec![T::zero(); table.elem_count()];
        self.for_each(|sum, row, factor: T| {
            let out = &mut out[row * columns..(row + 1) * columns];
            let of_sum = &gradient[sum * columns..(sum + 1) * columns];
            out.iter_mut().zip(of_sum).for_each(|(out, &value)| *out += factor * value);
        });
        Tensor::from_vec(out, table.shape(), table.device())
    }
}

impl CustomOp1 for RowSums {
    fn name(&self) -> &'static str {
        "row-sums"
    }

    fn cpu_fwd(&self, table: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let shape = Shape::from((self.bags.counts.len(), self.columns));
        Ok(match table {
            CpuStorage::F32(_) => (CpuStorage::F32(self.forward(contiguous(table, layout)?)), shape),
            CpuStorage::F64(_) => (CpuStorage::F64(self.forward(contiguous(table, layout)?)), shape),
            _ => bail!("sums are over f32 or f64"),
        })
    }

    fn bwd(&self, table: &Tensor, _: &Tensor, gradient: &Tensor) -> Result<Option<Tensor>> {
        Ok(Some(match gradient.dtype() {
            DType::F32 => self.backward::<f32>(table, gradient)?,
            _ => self.backward::<f64>(table, gradient)?,
        }))
    }
}
