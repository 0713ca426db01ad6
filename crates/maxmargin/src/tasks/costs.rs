//! What wrong labels cost, as a user says it: all the same, or by a file.

use std::path::PathBuf;
use std::sync::Arc;

use super::{LabelWeights, Stored};
use crate::data::{Alphabet, read_costs};
use crate::error::Result;
use crate::structure::{CostMatrix, LabelCost};

/// The tensor of a model file that holds costs.
const TENSOR: &str = "cost";

/// What it costs to take one label for another.
#[derive(Debug, Clone, Default)]
pub enum Costs {
    /// 1 for every mistake.
    #[default]
    Equal,
    /// An entry of a matrix.
    Matrix(Arc<CostMatrix>),
    /// What a file says: lines `truth predicted cost`.
    File(PathBuf),
    /// What the true label weighs, whatever is taken for it.
    ByTruth(LabelWeights),
}

impl Costs {
    /// What `cost=FILE`, `weights=FILE` and `balanced` say.
    pub(super) fn parse(loss: &str) -> Option<Self> {
        match loss.strip_prefix("cost=") {
            None => LabelWeights::parse(loss).map(Costs::ByTruth),
            Some(file) => (!file.is_empty()).then(|| Costs::File(file.into())),
        }
    }

    /// With files read and labels counted: `found` are those of the data.
    pub(super) fn resolve(&self, labels: &Alphabet, found: &[u32]) -> Result<Self> {
        Ok(match self {
            Costs::File(file) => Costs::Matrix(Arc::new(read_costs(file, labels)?)),
            Costs::ByTruth(weights) => match weights.of_classes(labels, found)? {
                Some(weights) => Costs::Matrix(Arc::new(CostMatrix::by_truth(&weights)?)),
                None => Costs::Equal,
            },
            others => others.clone(),
        })
    }

    /// As structures have them. A file that was not read counts as equal costs.
    pub(super) fn label_cost(&self) -> LabelCost {
        match self {
            Costs::Matrix(matrix) => LabelCost::Matrix(Arc::clone(matrix)),
            Costs::Equal | Costs::File(_) | Costs::ByTruth(_) => LabelCost::ZeroOne,
        }
    }

    /// The file that is to be read.
    pub(super) fn files(&self) -> Vec<(&'static str, PathBuf)> {
        match self {
            Costs::File(file) => vec![("loss", file.clone())],
            Costs::ByTruth(weights) => weights.file("loss").into_iter().collect(),
            _ => Vec::new(),
        }
    }

    pub(super) fn are_equal(&self) -> bool {
        matches!(self, Costs::Equal)
    }

    pub(super) fn save(&self, stored: &mut Stored) {
        if let Costs::Matrix(matrix) = self {
            stored.add_tensor(TENSOR, vec![matrix.labels(), matrix.labels()], matrix.as_slice().to_vec());
        }
    }

    pub(super) fn load(stored: &Stored, labels: usize) -> std::result::Result<Self, String> {
        let costs = stored.tensor(TENSOR, &[labels, labels])?.to_vec();
        let matrix = CostMatrix::new(labels, costs).map_err(|e| e.to_string())?;
        Ok(Costs::Matrix(Arc::new(matrix)))
    }
}
