//! Promise: under Micro-F1 with label weights, the upper bound of a search is one, also where labels count little: sizes are then
//! far below 1, and the surrogate is steep.

use std::sync::Arc;

use maxmargin_core::features::{FeatureMatrix, Rows};
use maxmargin_core::inference::LabelGraph;
use maxmargin_core::risk::{Plane, Risk, StructuredRisk};
use maxmargin_core::search::{Strategy, SurrogateSearch};
use maxmargin_core::structure::{
    Example, LabelSet, MultilabelOptions, MultilabelStructure, SetLoss, Structure,
};
use maxmargin_core::surrogate::Surrogate;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const LABELS: usize = 3;

fn sets() -> impl Iterator<Item = LabelSet> {
    (0u32..1 << LABELS).map(|bits| {
        LabelSet::of(&(0..LABELS as u32).filter(|label| bits >> label & 1 == 1).collect::<Vec<u32>>())
    })
}

#[test]
fn no_label_costs_more_than_the_bound() {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    for round in 0..400 {
        let scale = [0.1, 1e-3, 1.0, 30.0][round % 4];
        let sizes: Arc<[f64]> = (0..LABELS).map(|_| scale * random.random_range(0.5..3.0)).collect();
        let size = |set: &LabelSet| set.on().iter().map(|&label| sizes[label as usize]).sum::<f64>();
        let loss = SetLoss::Hamming { weights: Some(Arc::clone(&sizes)), mean: false };
        let options = MultilabelOptions { loss, ..MultilabelOptions::default() };
        let structure = MultilabelStructure::new(1, LabelGraph::complete(LABELS).unwrap(), options).unwrap();
        let x = Rows::new(&Arc::new(FeatureMatrix::from_dense(&[[1.0]])), 0..1);
        let w: Vec<f64> = (0..structure.dim()).map(|_| scale * random.random_range(-1.0..1.0)).collect();
        let mut scores = Default::default();
        structure.score(&w, &x, &mut scores);
        for truth in sets() {
            let psi = |y: &LabelSet| {
                let wrong: f64 = (0..LABELS)
                    .filter(|&label| truth.share(label as u32) != y.share(label as u32))
                    .map(|label| sizes[label])
                    .sum();
                let mut score = vec![0.0; structure.dim()];
                structure.add_features(&x, y, 1.0, &mut score);
                structure.add_features(&x, &truth, -1.0, &mut score);
                let margin: f64 = score.iter().zip(&w).map(|(phi, w)| phi * w).sum();
                (wrong + margin) / (size(y) + size(&truth))
            };
            let largest = sets().filter(|y| *y != truth).map(|y| psi(&y)).fold(0.0, f64::max);
            let search = SurrogateSearch::new(Surrogate::MicroF1, Strategy::Hull).unwrap();
            let example = Example { input: x.clone(), truth: truth.clone(), weight: 1.0 };
            let risk = StructuredRisk::new(structure.clone(), search, vec![example]).unwrap();
            let mut plane = Plane::default();
            let bounds = risk.oracle().plane(0, (&w[..]).into(), &mut plane);
            let close = 1e-12 * (1.0 + largest);
            assert!(bounds.upper >= largest - close, "{truth:?}, sizes {sizes:?}: {bounds:?}, but {largest}");
            assert!(bounds.value <= largest + close, "{truth:?}, sizes {sizes:?}: {bounds:?}, but {largest}");
        }
    }
}
