//! Dropout: in training some numbers are left out, so that none is relied on.

use std::sync::Arc;

use candle_core::{DType, Device, Result, Tensor};
use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

/// How much is left out in training.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dropout {
    /// Of what the first layer sees.
    pub inputs: f64,
    /// Of the inputs of each LSTM.
    pub layers: f64,
    /// Of the states between the steps of an LSTM.
    pub steps: f64,
    /// Of the layers between LSTMs and scores.
    pub scores: f64,
    /// A name that occurs n times is taken for an unknown one with probability x/(x + n).
    pub names: f64,
}

impl Default for Dropout {
    fn default() -> Self {
        Self { inputs: 0.33, layers: 0.33, steps: 0.33, scores: 0.33, names: 0.25 }
    }
}

/// What a forward pass is for.
pub enum Pass<'a> {
    /// Training: these are the random numbers.
    Train(&'a mut Pcg64Mcg),
    /// Predictions: nothing is left out.
    Predict,
}

impl Pass<'_> {
    /// For each sequence and column 0 where it is left out and 1/(1 − rate) elsewhere; none where nothing is left out.
    pub fn mask(&mut self, sequences: usize, columns: usize, rate: f64) -> Option<Vec<f32>> {
        let Pass::Train(random) = self else { return None };
        (rate > 0.0).then(|| {
            let kept = (1.0 / (1.0 - rate)) as f32;
            let mut draw = || if random.random::<f64>() < rate { 0.0 } else { kept };
            (0..sequences * columns).map(|_| draw()).collect()
        })
    }

    /// The same in memory that a recurrence can share.
    pub fn shared_mask(&mut self, sequences: usize, columns: usize, rate: f64) -> Option<Arc<Vec<f32>>> {
        self.mask(sequences, columns, rate).map(Arc::new)
    }

    /// Rows without some columns: the same ones in all rows of a sequence.
    pub fn dropped(&mut self, rows: &Tensor, lengths: &[usize], rate: f64) -> Result<Tensor> {
        let columns = rows.dim(1)?;
        let Some(mask) = self.mask(lengths.len(), columns, rate) else { return Ok(rows.clone()) };
        let mut all = Vec::with_capacity(rows.elem_count());
        for (mask, &length) in mask.chunks_exact(columns.max(1)).zip(lengths) {
            (0..length).for_each(|_| all.extend_from_slice(mask));
        }
        let all = Tensor::from_vec(all, rows.shape(), &Device::Cpu)?;
        rows * if rows.dtype() == DType::F32 { all } else { all.to_dtype(rows.dtype())? }
    }
}
