//! The layers that networks are built of.

use std::sync::Arc;

use candle_core::{Result, Tensor};

use super::dropout::{Dropout, Pass};
use super::parameters::{Builder, Start, check_sizes};
use crate::ops::{Direction, Recurrence, recurrence};

/// A product with weights, and a constant.
#[derive(Debug, Clone)]
pub struct Linear {
    weights: Tensor,
    bias: Tensor,
}

impl Linear {
    /// A layer of this name.
    pub fn new(
        name: &str,
        inputs: usize,
        outputs: usize,
        start: Start,
        builder: &mut Builder,
    ) -> Result<Self> {
        Ok(Self {
            weights: builder.get(&format!("{name}.weights"), (inputs, outputs), start)?,
            bias: builder.get(&format!("{name}.bias"), outputs, Start::Constant(0.0))?,
        })
    }

    /// Its weights: inputs × outputs.
    pub fn weights(&self) -> &Tensor {
        &self.weights
    }

    /// Its constants.
    pub fn bias(&self) -> &Tensor {
        &self.bias
    }

    /// Its outputs for rows of inputs.
    pub fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        rows.matmul(&self.weights)?.broadcast_add(&self.bias)
    }
}

/// x, or x/10 below 0: a little of the gradient goes through everywhere.
pub fn leaky(x: &Tensor) -> Result<Tensor> {
    // max(x, x/10).
    x.maximum(&(x * 0.1)?)
}

/// A linear layer, bent, with dropout behind it.
#[derive(Debug, Clone)]
pub struct Hidden {
    linear: Linear,
}

impl Hidden {
    /// A layer of this name.
    pub fn new(name: &str, inputs: usize, outputs: usize, builder: &mut Builder) -> Result<Self> {
        let start = Start::product(inputs, outputs);
        Ok(Self { linear: Linear::new(name, inputs, outputs, start, builder)? })
    }

    /// Its outputs for the rows of sequences.
    pub fn forward(
        &self,
        rows: &Tensor,
        lengths: &[usize],
        rate: f64,
        pass: &mut Pass<'_>,
    ) -> Result<Tensor> {
        pass.dropped(&leaky(&self.linear.forward(rows)?)?, lengths, rate)
    }
}

/// An LSTM in each direction: the states of both, side by side.
#[derive(Debug, Clone)]
pub struct BiLstm {
    units: usize,
    /// The weights of inputs for both directions side by side: one product serves both.
    inputs: Linear,
    forward: Tensor,
    backward: Tensor,
}

impl BiLstm {
    /// A layer of this name, with so many units in each direction.
    pub fn new(name: &str, inputs: usize, units: usize, builder: &mut Builder) -> Result<Self> {
        let gates = 4 * units;
        let recurrent = Start::product(units, units);
        Ok(Self {
            units,
            inputs: Linear::new(
                &format!("{name}.inputs"),
                inputs,
                2 * gates,
                Start::product(inputs, units),
                builder,
            )?,
            forward: builder.get(&format!("{name}.forward"), (units, gates), recurrent)?,
            backward: builder.get(&format!("{name}.backward"), (units, gates), recurrent)?,
        })
    }

    /// The projected inputs of rows, for [`states`](Self::states).
    pub fn project(&self, rows: &Tensor) -> Result<Tensor> {
        self.inputs.forward(rows)
    }

    /// The states of both directions for projected inputs. `rate` is that of dropout between steps.
    pub fn states(
        &self,
        projected: &Tensor,
        lengths: &Arc<Vec<usize>>,
        rate: f64,
        pass: &mut Pass<'_>,
    ) -> Result<[Tensor; 2]> {
        let gates = 4 * self.units;
        let mut run = |place: usize, weights: &Tensor, direction: Direction| {
            let mask = pass.shared_mask(lengths.len(), self.units, rate);
            let over = Recurrence { lengths: lengths.clone(), direction, mask };
            recurrence(&projected.narrow(1, place * gates, gates)?, weights, over)
        };
        Ok([run(0, &self.forward, Direction::Forward)?, run(1, &self.backward, Direction::Backward)?])
    }
}

/// Several of them, one over the other.
#[derive(Debug, Clone)]
pub struct Layers(Vec<BiLstm>);

impl Layers {
    /// Layers over so many inputs.
    pub fn new(mut inputs: usize, units: usize, count: usize, builder: &mut Builder) -> Result<Self> {
        check_sizes(&[("units", units), ("layers", count)])?;
        let mut layers = Vec::new();
        for layer in 0..count {
            layers.push(BiLstm::new(&format!("layer{layer}"), inputs, units, builder)?);
            inputs = 2 * units;
        }
        Ok(Self(layers))
    }

    /// The states of the last layer.
    pub fn forward(
        &self,
        inputs: &Tensor,
        lengths: &Arc<Vec<usize>>,
        dropout: &Dropout,
        pass: &mut Pass<'_>,
    ) -> Result<Tensor> {
        let mut states = pass.dropped(inputs, lengths, dropout.inputs)?;
        for layer in &self.0 {
            let [forward, backward] = layer.states(&layer.project(&states)?, lengths, dropout.steps, pass)?;
            states = pass.dropped(&Tensor::cat(&[forward, backward], 1)?, lengths, dropout.layers)?;
        }
        Ok(states)
    }
}
