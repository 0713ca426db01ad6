//! Weights α of nodes that make up for an unbalanced hierarchy (THESIS 6.5).
//!
//! The weights on the way to each leaf add up to 1 (6.4): Σ_{n∈Ā(l)} α_n = 1, so that labels have features of one length however deep
//! they lie. Where nodes have several parents that forces most weights to 0, and the sums may lie between 1 and a limit T instead
//! (6.8). Of all such weights an [`AlphaRule`] takes
//!
//! | rule | | on trees | elsewhere |
//! | --- | --- | --- | --- |
//! | `rho=R` | min Σ α^ρ (6.6) | closed form | dual ascent, interior points |
//! | `rho=R,directed` | the same with α_child ≥ α_parent | one number per node by bisection | dual ascent, interior points |
//! | `maxmin` | max min α with α_child ≥ α_parent (6.7) | progressive filling | progressive filling |
//!
//! (6.7) has many solutions; progressive filling finds the one whose second smallest weight is largest too, and so on.
//!
//! Weights that depend on the data, those of the shared norm (6.17), are in [`shared`].

mod directed_tree;
mod dual_ascent;
#[cfg(feature = "interior-point")]
mod interior_point;
mod leaf_multipliers;
mod max_min;
mod power_tree;
pub mod shared;

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::inference::Hierarchy;

/// The most that weights on the way to a leaf add up to where nodes have several parents (THESIS 6.8).
pub const USUAL_LIMIT: f64 = 1.5;

/// Which weights of nodes are taken, of those that add up to 1 on the way to each leaf.
///
/// ```
/// use maxmargin_core::inference::Hierarchy;
/// use maxmargin_core::structure::alpha::AlphaRule;
/// // A root with a leaf and a node that has two leaves.
/// let tree = Hierarchy::forest(&[None, Some(0), Some(0), Some(2), Some(2)])?;
/// let alpha = "rho=2".parse::<AlphaRule>()?.weights(&tree, 1.0)?;
/// assert!((alpha[0] - 0.625).abs() < 1e-12 && (alpha[0] + alpha[2] + alpha[4] - 1.0).abs() < 1e-12);
/// let alpha = AlphaRule::MaxMin.weights(&tree, 1.0)?;
/// assert_eq!(alpha[1], 1.0 - alpha[0]);
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AlphaRule {
    /// The least Σ α^ρ.
    Power {
        /// ρ > 1. Near 1 the roots take nearly all.
        rho: f64,
        /// Whether no node weighs less than its parents.
        is_directed: bool,
    },
    /// The largest of smallest weights, where no node weighs less than its parents.
    MaxMin,
}

impl Default for AlphaRule {
    fn default() -> Self {
        AlphaRule::Power { rho: 2.0, is_directed: false }
    }
}

impl AlphaRule {
    /// The weight of each node. On the way to a leaf they add up to 1 in a tree, and elsewhere to no less than 1 and no more than
    /// `limit`.
    ///
    /// An error where a parameter is out of range, and where weights cannot be proven to be best up to a millionth.
    pub fn weights(self, hierarchy: &Hierarchy, limit: f64) -> Result<Vec<f64>> {
        if !(limit >= 1.0 && limit.is_finite()) {
            return Err(Error::parameter(
                "limit",
                format!("{limit}; sums of alpha lie between 1 and a finite limit"),
            ));
        }
        let is_tree = hierarchy.is_tree();
        match self {
            AlphaRule::MaxMin => Ok(max_min::weights(hierarchy, if is_tree { 1.0 } else { limit })),
            AlphaRule::Power { rho, .. } if !(rho > 1.0 && rho.is_finite()) => {
                Err(Error::parameter("rho", format!("{rho}; it must be a number above 1")))
            }
            AlphaRule::Power { rho, is_directed: false } if is_tree => {
                Ok(power_tree::weights(hierarchy, rho))
            }
            AlphaRule::Power { rho, is_directed: true } if is_tree => {
                Ok(directed_tree::weights(hierarchy, rho))
            }
            AlphaRule::Power { rho, is_directed } => dual_ascent::weights(hierarchy, rho, is_directed, limit),
        }
    }
}

impl fmt::Display for AlphaRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AlphaRule::Power { rho, is_directed: false } => write!(f, "rho={rho}"),
            AlphaRule::Power { rho, is_directed: true } => write!(f, "rho={rho},directed"),
            AlphaRule::MaxMin => write!(f, "maxmin"),
        }
    }
}

impl FromStr for AlphaRule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refuse = || {
            let problem = format!("{text:?} is no rule; use rho=R with R above 1, rho=R,directed or maxmin");
            Error::parameter("alpha", problem)
        };
        if text == "maxmin" {
            return Ok(AlphaRule::MaxMin);
        }
        let (rho, is_directed) = match text.strip_suffix(",directed") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let rho = rho.strip_prefix("rho=").and_then(|rho| rho.parse::<f64>().ok());
        let rho = rho.filter(|rho| *rho > 1.0 && rho.is_finite()).ok_or_else(refuse)?;
        Ok(AlphaRule::Power { rho, is_directed })
    }
}

/// A number for each node from those of its children, from the leaves up.
fn from_below<T: Clone>(hierarchy: &Hierarchy, filling: T, mut of: impl FnMut(u32, &[T]) -> T) -> Vec<T> {
    let mut values = vec![filling; hierarchy.nodes()];
    for &node in hierarchy.order().iter().rev() {
        values[node as usize] = of(node, &values);
    }
    values
}

/// The weights of a tree in which each node keeps a share of what reaches it, and passes on the rest to each of its children.
fn passed_down(hierarchy: &Hierarchy, kept: impl Fn(u32) -> (f64, f64)) -> Vec<f64> {
    let (mut weights, mut left) = (vec![0.0; hierarchy.nodes()], vec![1.0; hierarchy.nodes()]);
    for &node in hierarchy.order() {
        let reaches = hierarchy.parents(node).first().map_or(1.0, |&parent| left[parent as usize]);
        let (share, rest) = kept(node);
        weights[node as usize] = reaches * share;
        left[node as usize] = reaches * rest;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_names() -> Result<()> {
        for name in ["rho=2", "rho=1.5,directed", "maxmin"] {
            assert_eq!(name.parse::<AlphaRule>()?.to_string(), name);
        }
        for name in ["rho=1", "rho=NaN", "rho=", "2", "maxmin,directed", "rho=2, directed", "rho=inf"] {
            assert!(name.parse::<AlphaRule>().unwrap_err().to_string().contains("no rule"), "{name}");
        }
        let tree = Hierarchy::forest(&[None, Some(0)])?;
        assert!(AlphaRule::MaxMin.weights(&tree, 0.5).is_err());
        assert!(AlphaRule::Power { rho: 1.0, is_directed: true }.weights(&tree, 1.0).is_err());
        Ok(())
    }
}
