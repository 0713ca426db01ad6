//! A network of your own under a surrogate of ours: tensors make part scores, a search says what H changes with, and the tensors' own gradients do the rest.
//!
//! ```text
//! cargo run --release -p maxmargin-neural --example own_network
//! ```
//!
//! The labels of a chain say whether the numbers at a position have the same sign: no linear function of them tells.

use candle_core::{DType, Device, Tensor};
use maxmargin::features::Rows;
use maxmargin::risk::{PartExample, PartRisk};
use maxmargin::search::{Strategy, SurrogateSearch};
use maxmargin::structure::{ChainOptions, ChainStructure};
use maxmargin::surrogate::Surrogate;
use maxmargin_neural::{Builder, Scores, Start};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const CHAINS: usize = 200;
const LENGTH: usize = 6;
const LABELS: usize = 2;
const HIDDEN: usize = 16;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let numbers: Vec<f32> = (0..CHAINS * LENGTH * 2).map(|_| random.random_range(-1.0..1.0_f32)).collect();
    let truths: Vec<Vec<u32>> = numbers
        .chunks(2 * LENGTH)
        .map(|chain| chain.chunks(2).map(|pair| u32::from(pair[0] * pair[1] > 0.0)).collect())
        .collect();
    let inputs = Tensor::from_vec(numbers, (CHAINS * LENGTH, 2), &Device::Cpu)?;

    // The structure has no features: all its scores come from outside. Slack rescaling, by the hull search.
    let options = ChainOptions { bias: false, boundary: false, ..ChainOptions::default() };
    let chain = ChainStructure::new(0, LABELS, options)?;
    let risk = PartRisk::new(chain, SurrogateSearch::new(Surrogate::SLACK, Strategy::Hull)?)?;
    let shape = Rows::without_features(LENGTH as u32);

    let mut builder = Builder::random(1, DType::F32);
    let hidden = builder.get("hidden", (2, HIDDEN), Start::product(2, HIDDEN))?;
    let shift = builder.get("shift", HIDDEN, Start::Uniform(0.5))?;
    let labels = builder.get("labels", (HIDDEN, LABELS), Start::product(HIDDEN, LABELS))?;
    let transitions = builder.get("transitions", (LABELS, LABELS), Start::Constant(0.0))?;
    let parameters = builder.finish()?;

    for step in 0..=400 {
        let positions = inputs.matmul(&hidden)?.broadcast_add(&shift)?.tanh()?.matmul(&labels)?;
        let scores =
            Scores::default().with(positions, [LENGTH * LABELS; CHAINS]).with_shared(transitions.clone());
        let parts = scores.parts()?;
        let batch: Vec<_> = truths
            .iter()
            .zip(&parts)
            .map(|(truth, parts)| PartExample { input: &shape, truth, parts })
            .collect();
        let answers = risk.answers(&batch)?;
        let mean = answers.iter().map(|answer| answer.bounds.value).sum::<f64>() / CHAINS as f64;
        let gradients: Vec<Vec<f64>> = answers.into_iter().map(|answer| answer.gradient).collect();
        let gradients = (scores.pulled_back(&gradients)? / CHAINS as f64)?.backward()?;
        for (_, parameter) in parameters.iter() {
            if let Some(gradient) = gradients.get(parameter) {
                parameter.set(&(parameter.as_tensor() - (gradient * 0.3)?)?)?;
            }
        }
        if step % 100 == 0 {
            println!("step {step}: mean H {mean:.3}");
        }
    }
    Ok(())
}
