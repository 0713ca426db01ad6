//! What may be chosen about trees: which there are, what wrong ones cost, and of what order their scores are.

use super::ArcLoss;
use crate::error::{Error, Result};
use crate::inference::Roots;

/// How few and how many bits a table of weights may have.
const BITS: std::ops::RangeInclusive<u32> = 8..=30;

/// Which trees there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TreeKind {
    /// Those without crossing arcs.
    #[default]
    Projective,
    /// All.
    Any,
}

/// Which trees are found, and what wrong ones cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParsingOptions {
    /// Which trees there are.
    pub trees: TreeKind,
    /// How many words may be below the root.
    pub roots: Roots,
    /// The task loss.
    pub loss: ArcLoss,
    /// Arcs have 2 to this power weights, and relations about as many.
    pub hash_bits: u32,
    /// Whether neighbours below one head have features too: the second order, of projective trees only.
    pub siblings: bool,
}

impl Default for ParsingOptions {
    fn default() -> Self {
        Self {
            trees: TreeKind::Projective,
            roots: Roots::One,
            loss: ArcLoss::ARCS,
            hash_bits: 22,
            siblings: false,
        }
    }
}

impl ParsingOptions {
    /// Refuses what does not go together.
    pub(super) fn check(&self) -> Result<()> {
        self.loss.check()?;
        if !BITS.contains(&self.hash_bits) {
            let problem =
                format!("{} is not allowed; {} to {} are", self.hash_bits, BITS.start(), BITS.end());
            return Err(Error::parameter("hash-bits", problem));
        }
        if self.siblings && self.trees == TreeKind::Any {
            let problem = "neighbours below one head need projective trees: the best of all trees is then NP-hard to find (McDonald and Pereira 2006)";
            return Err(Error::parameter("siblings", problem));
        }
        Ok(())
    }
}
