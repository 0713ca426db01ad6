//! How much of a path each node is: rules for the weights α of nodes (THESIS 6.3).

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::inference::Hierarchy;
use crate::shown::excerpt;

/// A rule for α.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum AlphaRule {
    /// The least Σ α_n^ρ with Σ α = 1 on the way to each leaf (6.5).
    Rho(f64),
}

impl Default for AlphaRule {
    fn default() -> Self {
        AlphaRule::Rho(2.0)
    }
}

impl AlphaRule {
    /// What an option for it does, in a line.
    pub(super) const HELP: &'static str = "How nhsvm scales nodes: rho=R";
    /// More about it.
    pub(super) const MORE: &'static str =
        "rho=R, a number above 1: the least sum of α to the power R, with α that add up to 1 on the way to each leaf. The smaller R, the more \
         do nodes at the top take of it.";

    /// The rule of this name.
    pub fn parse(rule: &str) -> Result<Self> {
        let rho = rule.strip_prefix("rho=").and_then(|rho| rho.parse().ok());
        match rho {
            Some(rho) if rho > 1.0 && f64::is_finite(rho) => Ok(AlphaRule::Rho(rho)),
            _ => {
                let problem = format!("\"{}\" is no rule; allowed is rho=R with a number R above 1", excerpt(rule));
                Err(Error::parameter("alpha", problem))
            }
        }
    }

    /// α_n of each node.
    pub fn weights(&self, hierarchy: &Hierarchy) -> Result<Vec<f64>> {
        let AlphaRule::Rho(rho) = *self;
        if !hierarchy.is_tree() {
            return Err(Error::parameter("alpha", "only trees so far"));
        }
        let nodes = hierarchy.nodes();
        let (mut effort, mut keeps) = (vec![1.0; nodes], vec![1.0; nodes]);
        for &node in hierarchy.order().iter().rev() {
            let below: f64 = hierarchy.children(node).iter().map(|&child| effort[child as usize]).sum();
            if below > 0.0 {
                let ratio = below.powf(1.0 / (rho - 1.0));
                let share: f64 = ratio / (1.0 + ratio);
                keeps[node as usize] = share;
                effort[node as usize] = share.powf(rho) + (1.0 - share).powf(rho) * below;
            }
        }
        let (mut left, mut alpha) = (vec![1.0; nodes], vec![0.0; nodes]);
        for &node in hierarchy.order() {
            let from = hierarchy.parents(node).first().map_or(1.0, |&parent| left[parent as usize]);
            alpha[node as usize] = from * keeps[node as usize];
            left[node as usize] = from * (1.0 - keeps[node as usize]);
        }
        Ok(alpha)
    }
}

impl std::fmt::Display for AlphaRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AlphaRule::Rho(rho) => write!(f, "rho={rho}"),
        }
    }
}

impl From<AlphaRule> for String {
    fn from(rule: AlphaRule) -> Self {
        rule.to_string()
    }
}

impl TryFrom<String> for AlphaRule {
    type Error = String;

    fn try_from(rule: String) -> std::result::Result<Self, String> {
        Self::parse(&rule).map_err(|error| error.to_string())
    }
}
