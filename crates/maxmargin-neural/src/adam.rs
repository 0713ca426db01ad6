//! Adam (Kingma and Ba 2015), with weight decay beside it (Loshchilov and Hutter 2019) and gradients of bounded length.

use candle_core::backprop::GradStore;
use candle_core::{Device, Result, Tensor};

use crate::network::Parameters;

/// How steps are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamOptions {
    /// How slowly the mean gradient changes.
    pub first: f64,
    /// How slowly the mean square changes.
    pub second: f64,
    /// Each step takes away so much of every parameter, times the rate.
    pub decay: f64,
    /// A longer gradient is made as short as this.
    pub longest: f64,
}

impl Default for AdamOptions {
    fn default() -> Self {
        Self { first: 0.9, second: 0.95, decay: 0.0, longest: 5.0 }
    }
}

/// The means of gradients and of their squares, for each parameter.
#[derive(Debug, Clone, Default)]
pub struct Adam {
    pub(crate) steps: u64,
    pub(crate) means: Vec<Vec<f32>>,
    pub(crate) squares: Vec<Vec<f32>>,
}

impl Adam {
    /// Before the first step.
    pub fn new(parameters: &Parameters) -> Self {
        let zeros = || parameters.iter().map(|(_, var)| vec![0.0; var.elem_count()]).collect();
        Self { steps: 0, means: zeros(), squares: zeros() }
    }

    /// One step. Parameters without a gradient stay where they are.
    pub fn step(
        &mut self,
        parameters: &Parameters,
        gradients: &GradStore,
        rate: f64,
        options: &AdamOptions,
    ) -> Result<()> {
        let mut all = Vec::with_capacity(self.means.len());
        let mut square = 0.0;
        for (_, var) in parameters.iter() {
            let gradient = match gradients.get(var) {
                Some(gradient) => Some(gradient.flatten_all()?.to_vec1::<f32>()?),
                None => None,
            };
            square += gradient.iter().flatten().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>();
            all.push(gradient);
        }
        let length = square.sqrt();
        if !length.is_finite() {
            candle_core::bail!("the gradient is not finite; a smaller rate may help");
        }
        let factor = if length > options.longest { options.longest / length } else { 1.0 } as f32;
        self.steps += 1;
        let correction = |rate: f64| 1.0 - rate.powf(self.steps as f64);
        let step = (rate / correction(options.first)) as f32;
        let of_square = (1.0 / correction(options.second)) as f32;
        let (first, second) = (options.first as f32, options.second as f32);
        let kept = (1.0 - rate * options.decay) as f32;
        let states = self.means.iter_mut().zip(&mut self.squares);
        for (((_, var), gradient), (means, squares)) in parameters.iter().zip(&all).zip(states) {
            let Some(gradient) = gradient else { continue };
            let mut values = var.flatten_all()?.to_vec1::<f32>()?;
            let numbers = values.iter_mut().zip(gradient).zip(means.iter_mut().zip(squares));
            for ((value, &gradient), (mean, square)) in numbers {
                let gradient = gradient * factor;
                *mean = first * *mean + (1.0 - first) * gradient;
                *square = second * *square + (1.0 - second) * gradient * gradient;
                *value = kept * *value - step * *mean / ((*square * of_square).sqrt() + 1e-8);
            }
            var.set(&Tensor::from_vec(values, var.shape(), &Device::Cpu)?)?;
        }
        Ok(())
    }
}
