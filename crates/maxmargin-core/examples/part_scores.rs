//! Scores from outside, and what they cost: a batch of 1,000 chains whose part scores somebody else computed, against one pass
//! of the linear risk over the same chains.
//!
//! ```text
//! cargo run --release -p maxmargin-core --example part_scores
//! ```

use std::sync::Arc;
use std::time::Instant;

use maxmargin_core::features::{FeatureMatrix, Rows};
use maxmargin_core::risk::{Groups, PartExample, PartRisk, Risk, StructuredRisk, evaluate};
use maxmargin_core::search::{Memory, Search, Strategy, SurrogateSearch};
use maxmargin_core::structure::{ChainOptions, ChainStructure, Example};
use maxmargin_core::surrogate::Surrogate;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const CHAINS: usize = 1000;
const LENGTH: usize = 8;
const LABELS: usize = 26;
const FEATURES: usize = 128;
const ROUNDS: usize = 20;

/// The shortest of some times, in milliseconds.
fn milliseconds(mut work: impl FnMut()) -> f64 {
    let time = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..ROUNDS).map(|_| time(&mut work)).fold(f64::INFINITY, f64::min) * 1e3
}

fn compare<Q: Search<ChainStructure> + Clone>(name: &str, search: Q) -> maxmargin_core::Result<()> {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    // Pictures of letters, black or white, as in the handwritten words on which chains are often tried.
    let rows: Vec<Vec<f64>> = (0..CHAINS * LENGTH)
        .map(|_| (0..FEATURES).map(|_| f64::from(u8::from(random.random_range(0..5) == 0))).collect())
        .collect();
    let features = Arc::new(FeatureMatrix::from_dense(&rows).sparse_if_worthwhile());
    let truths: Vec<Vec<u32>> =
        (0..CHAINS).map(|_| (0..LENGTH).map(|_| random.random_range(0..LABELS as u32)).collect()).collect();
    let example = |i: usize| Example {
        input: Rows::new(&features, i * LENGTH..(i + 1) * LENGTH),
        truth: truths[i].clone(),
        weight: 1.0,
    };
    let chain = ChainStructure::new(FEATURES, LABELS, ChainOptions::default())?;
    let risk = StructuredRisk::new(chain, search.clone(), (0..CHAINS).map(example).collect())?;
    let w: Vec<f64> = (0..risk.dim()).map(|_| random.random_range(-0.1..0.1)).collect();
    let pass = milliseconds(|| drop(evaluate(&risk, (&w).into(), &Groups::new(CHAINS, 1))));

    let structure = ChainStructure::new(0, LABELS, ChainOptions { bias: false, ..ChainOptions::default() })?;
    let parts = PartRisk::new(structure, search)?;
    let input = Rows::without_features(LENGTH as u32);
    let count: usize = parts.blocks(&input)?.iter().map(|block| block.len()).sum();
    let scores: Vec<f64> = (0..CHAINS * count).map(|_| random.random_range(-0.5..0.5)).collect();
    let example = |(truth, parts)| PartExample { input: &input, truth, parts };
    let batch: Vec<_> = truths.iter().zip(scores.chunks_exact(count)).map(example).collect();
    // Like the risk, the batch goes on from what its searches found before.
    let mut memories = vec![Memory::default(); CHAINS];
    let mut value = 0.0;
    let batch_time = milliseconds(|| {
        value = parts
            .answers_from(&batch, &mut memories)
            .map_or(f64::NAN, |answers| answers.iter().map(|a| a.bounds.value).sum());
    });
    println!(
        "{name}: {batch_time:.2} ms for the batch (mean H {:.3}), {pass:.2} ms for a pass of the risk, ratio {:.2}",
        value / CHAINS as f64,
        batch_time / pass
    );
    Ok(())
}

fn main() -> maxmargin_core::Result<()> {
    compare("margin rescaling", maxmargin_core::search::MarginSearch)?;
    compare("slack rescaling", SurrogateSearch::new(Surrogate::SLACK, Strategy::Hull)?)?;
    compare("log", SurrogateSearch::new(Surrogate::Log, Strategy::Stratified)?)
}
