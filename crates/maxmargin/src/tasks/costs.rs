//! What wrong labels cost, as a user says it: all the same, or by a file.

use std::path::PathBuf;
use std::sync::Arc;

use super::Stored;
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
}

impl Costs {
    /// With the file read.
    pub(super) fn resolve(&self, labels: &Alphabet) -> Result<Self> {
        Ok(match self {
            Costs::File(file) => Costs::Matrix(Arc::new(read_costs(file, labels)?)),
            others => others.clone(),
        })
    }

    /// As structures have them. A file that was not read counts as equal costs.
    pub(super) fn label_cost(&self) -> LabelCost {
        match self {
            Costs::Matrix(matrix) => LabelCost::Matrix(Arc::clone(matrix)),
            Costs::Equal | Costs::File(_) => LabelCost::ZeroOne,
        }
    }

    /// The file that is to be read.
    pub(super) fn files(&self) -> Vec<(&'static str, PathBuf)> {
        match self {
            Costs::File(file) => vec![("loss", file.clone())],
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
