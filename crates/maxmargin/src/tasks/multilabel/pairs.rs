//! Which pairs of labels have weights, as a user says it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::LabelSetExamples;
use crate::data::{Alphabet, TaskData, read_pairs};
use crate::error::{Error, Result};
use crate::inference::{LabelGraph, chow_liu};
use crate::shown::excerpt;

/// With more labels than this not all pairs can have weights: there would be 50 million of them.
const MOST_FOR_ALL_PAIRS: usize = 10_000;

/// Which pairs of labels have weights.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Pairs {
    /// None: one SVM per label.
    None,
    /// All.
    #[default]
    All,
    /// These.
    Listed(Vec<(u32, u32)>),
    /// Those of a Chow-Liu tree: labels that tell most about each other, without a cycle.
    Tree,
    /// Those that a file lists: lines `label label`.
    File(PathBuf),
}

impl Pairs {
    /// The pairs of a Chow-Liu tree.
    pub fn tree(data: &LabelSetExamples, labels: usize) -> Result<Self> {
        let sets = (0..data.len()).map(|i| (data.labels_of(i), data.weight(i)));
        Ok(Pairs::Listed(chow_liu(labels, sets)?))
    }

    /// With the tree found or the file read.
    pub(super) fn resolve(&self, names: &Alphabet, data: &LabelSetExamples) -> Result<Self> {
        match self {
            Pairs::Tree => Self::tree(data, names.len()),
            Pairs::File(file) => Ok(Pairs::Listed(read_pairs(file, names)?)),
            others => Ok(others.clone()),
        }
    }

    /// The pairs as a graph of labels.
    pub(super) fn graph(&self, labels: usize) -> Result<LabelGraph> {
        match self {
            Pairs::None => Ok(LabelGraph::independent(labels)),
            Pairs::All if labels > MOST_FOR_ALL_PAIRS => Err(Error::parameter(
                "pairs",
                format!(
                    "all pairs of {labels} labels are too many (up to {MOST_FOR_ALL_PAIRS} labels can have them); use the pairs of a tree or none, or only the most frequent labels"
                ),
            )),
            Pairs::All => Ok(LabelGraph::complete(labels)?),
            Pairs::Listed(pairs) => Ok(LabelGraph::new(labels, pairs.clone())?),
            Pairs::Tree | Pairs::File(_) => {
                Err(Error::parameter("pairs", "a tree or a file of pairs needs data: resolve the task first"))
            }
        }
    }

    /// How many there are.
    pub(super) fn count(&self, labels: usize) -> usize {
        match self {
            Pairs::All => labels.saturating_mul(labels.saturating_sub(1)) / 2,
            Pairs::Listed(pairs) => pairs.len(),
            Pairs::None | Pairs::Tree | Pairs::File(_) => 0,
        }
    }
}

/// Pairs in a model file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StoredPairs {
    /// `none`, `all` or `listed`.
    pairs: String,
    /// In the order of their weights.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    listed: Vec<(u32, u32)>,
}

impl From<&Pairs> for StoredPairs {
    fn from(pairs: &Pairs) -> Self {
        let (pairs, listed) = match pairs {
            Pairs::None | Pairs::Tree | Pairs::File(_) => ("none", Vec::new()),
            Pairs::All => ("all", Vec::new()),
            Pairs::Listed(pairs) => ("listed", in_order(pairs)),
        };
        Self { pairs: pairs.to_owned(), listed }
    }
}

impl StoredPairs {
    pub fn pairs(self) -> std::result::Result<Pairs, String> {
        match self.pairs.as_str() {
            "none" => Ok(Pairs::None),
            "all" => Ok(Pairs::All),
            "listed" if self.listed != in_order(&self.listed) => {
                Err("the pairs are not in ascending order, as their weights are".to_owned())
            }
            "listed" => Ok(Pairs::Listed(self.listed)),
            other => Err(format!("the pairs \"{}\" are not known to this version", excerpt(other))),
        }
    }
}

/// Pairs as their weights are ordered: the smaller label first, ascending.
fn in_order(pairs: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut pairs: Vec<_> = pairs.iter().map(|&(i, j)| (i.min(j), i.max(j))).collect();
    pairs.sort_unstable();
    pairs
}
