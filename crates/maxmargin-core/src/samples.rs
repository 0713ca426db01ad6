//! Small problems for the tests of this crate: noisy copies of a few prototypes.

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::features::{FeatureMatrix, Rows};
use crate::risk::StructuredRisk;
use crate::search::MarginSearch;
use crate::structure::{ChainOptions, ChainStructure, Example, LabelCost, MulticlassStructure};

const LABELS: u32 = 5;
const COLUMNS: usize = 12;

/// Labels, and a row of features for each.
fn noisy_rows(count: usize) -> (Arc<FeatureMatrix>, Vec<u32>) {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let prototypes: Vec<[f64; COLUMNS]> =
        (0..LABELS).map(|_| std::array::from_fn(|_| random.random_range(0.0..1.0))).collect();
    let labels: Vec<u32> = (0..count).map(|_| random.random_range(0..LABELS)).collect();
    let mut row = |&label: &u32| prototypes[label as usize].map(|x| x + random.random_range(-0.8..0.8));
    let rows: Vec<[f64; COLUMNS]> = labels.iter().map(&mut row).collect();
    (Arc::new(FeatureMatrix::from_dense(&rows)), labels)
}

/// Chains of five positions.
pub(crate) fn chains(count: usize) -> StructuredRisk<ChainStructure, MarginSearch> {
    const LENGTH: usize = 5;
    let (features, labels) = noisy_rows(LENGTH * count);
    let example = |i: usize| {
        let range = LENGTH * i..LENGTH * (i + 1);
        Example { input: Rows::new(&features, range.clone()), truth: labels[range].to_vec(), weight: 1.0 }
    };
    let structure = ChainStructure::new(COLUMNS, LABELS as usize, ChainOptions::default()).unwrap();
    StructuredRisk::new(structure, MarginSearch, (0..count).map(example).collect()).unwrap()
}

/// Single rows.
#[cfg(feature = "interior-point")]
pub(crate) fn rows(count: usize) -> StructuredRisk<MulticlassStructure, MarginSearch> {
    let (features, labels) = noisy_rows(count);
    let example = |i: usize| Example { input: Rows::new(&features, i..i + 1), truth: labels[i], weight: 1.0 };
    let structure = MulticlassStructure::new(COLUMNS, LABELS as usize, true, LabelCost::ZeroOne).unwrap();
    StructuredRisk::new(structure, MarginSearch, (0..count).map(example).collect()).unwrap()
}
