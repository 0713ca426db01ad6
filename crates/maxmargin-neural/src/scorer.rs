//! A network in the place of a model's weights.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use candle_core::{DType, Device, Tensor};
use maxmargin::tasks::{PartScorer, Task};
use maxmargin::tensor_file::said;
use maxmargin::{Error, Result};

use crate::network::{Network, Parameters, Pass};

/// What an error of tensors says, without where in the program it was.
pub(crate) fn words_of(error: &candle_core::Error) -> String {
    let text = error.to_string();
    said(&text.lines().next().unwrap_or_default())
}

/// What goes wrong inside a network.
pub(crate) fn of_network(error: candle_core::Error) -> Error {
    Error::parameter("network", words_of(&error))
}

/// A network with its parameters.
pub struct NetworkScorer<N> {
    pub(crate) network: N,
    pub(crate) parameters: Parameters,
}

impl<N: Network> NetworkScorer<N> {
    /// A network with the parameters that were made for it.
    pub fn new(network: N, parameters: Parameters) -> Self {
        Self { network, parameters }
    }

    /// How many numbers it has learnt.
    pub fn count(&self) -> usize {
        self.parameters.count()
    }
}

impl<N> fmt::Debug for NetworkScorer<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a network with {} parameters", self.parameters.count())
    }
}

impl<N: Network> PartScorer<N::Task> for NetworkScorer<N> {
    fn part_scores(&self, data: &<N::Task as Task>::Data, examples: Range<usize>) -> Result<Vec<Vec<f64>>> {
        let inputs = examples.map(|i| self.network.input(data, i)).collect::<Result<Vec<_>>>()?;
        let batch: Vec<&N::Input> = inputs.iter().collect();
        let scores = self.network.scores(&batch, &mut Pass::Predict);
        scores.and_then(|scores| scores.parts()).map_err(of_network)
    }

    fn describe(&self) -> String {
        format!("{self:?}")
    }
}

/// A row of numbers as a tensor.
pub(crate) fn tensor(values: &[f32], shape: &[usize]) -> candle_core::Result<Tensor> {
    Tensor::from_slice(values, shape, &Device::Cpu)?.to_dtype(DType::F32)
}

/// The scorer that several share.
pub(crate) type Shared<N> = Arc<NetworkScorer<N>>;
