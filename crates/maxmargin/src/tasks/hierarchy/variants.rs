//! Norms and rules for α among which held-out examples choose (THESIS 6.5 and 6.8: "we choose between them using a hold-out set").

use std::fmt;
use std::str::FromStr;

use super::kinds::LabelKind;
use super::options::{HierarchyOptions, Norm};
use crate::error::{Error, Result};
use crate::inference::Hierarchy;
use crate::shown::{did_you_mean, excerpt};
use crate::structure::alpha::AlphaRule;

/// Where nodes have several parents, rules for powers are tried up to so many nodes: beyond, their weights take longer than training.
const MOST_NODES: usize = 20_000;

/// How the weights of nodes are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AlphaChoice {
    /// By this rule.
    Rule(AlphaRule),
    /// By the rule that is best for held-out examples, or without any, as flat labels or with all α alike.
    Auto,
}

impl Default for AlphaChoice {
    fn default() -> Self {
        AlphaChoice::Rule(AlphaRule::default())
    }
}

impl AlphaChoice {
    /// The rule that is meant; where it is not chosen yet, the first one.
    pub(super) fn rule(self) -> AlphaRule {
        match self {
            AlphaChoice::Rule(rule) => rule,
            AlphaChoice::Auto => AlphaRule::default(),
        }
    }
}

impl fmt::Display for AlphaChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AlphaChoice::Rule(rule) => rule.fmt(f),
            AlphaChoice::Auto => f.write_str("auto"),
        }
    }
}

impl FromStr for AlphaChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text == "auto" {
            return Ok(AlphaChoice::Auto);
        }
        text.parse().map(AlphaChoice::Rule).map_err(|_| {
            let meant = did_you_mean(text, ["rho=R", "rho=R,directed", "maxmin", "auto"]);
            let problem = format!(
                "\"{}\" is no rule; use rho=R with R above 1, rho=R,directed, maxmin, or auto, which chooses on held-out examples{meant}",
                excerpt(text)
            );
            Error::parameter("alpha", problem)
        })
    }
}

impl HierarchyOptions {
    /// Whether held-out examples are to choose the rule.
    pub(super) fn is_undecided(&self) -> bool {
        self.norm == Norm::Nhsvm && self.alpha == AlphaChoice::Auto
    }

    /// Refuses `auto` where there is nothing to choose: α are scaled with one norm only.
    pub(super) fn check_auto(&self) -> Result<()> {
        if self.alpha != AlphaChoice::Auto || self.norm == Norm::Nhsvm {
            return Ok(());
        }
        let problem = format!(
            "auto chooses how nhsvm scales nodes, but the norm is {}; say the option norm=nhsvm, or name a rule",
            self.norm.name()
        );
        Err(Error::parameter("alpha", problem))
    }

    /// What is chosen among, by name: the rules of (6.6) and (6.7), all α alike (HSVM), and flat labels, as far as they go with the labels and
    /// the loss that was asked for.
    pub(super) fn variants<K: LabelKind>(&self, hierarchy: &Hierarchy) -> Vec<(String, Self)> {
        if !self.is_undecided() {
            return Vec::new();
        }
        let power = |rho, is_directed| AlphaRule::Power { rho, is_directed };
        let has_powers = hierarchy.is_tree() || hierarchy.nodes() <= MOST_NODES;
        let rules = [power(2.0, false), AlphaRule::MaxMin, power(2.0, true), power(1.5, false)]
            .into_iter()
            .filter(|rule| has_powers || *rule == AlphaRule::MaxMin)
            .map(|rule| (rule.to_string(), Norm::Nhsvm, rule));
        let others =
            [Norm::Hsvm, Norm::Flat].map(|norm| (norm.name().to_owned(), norm, AlphaRule::default()));
        let with = |(name, norm, rule): (String, Norm, AlphaRule)| {
            (name, Self { norm, alpha: AlphaChoice::Rule(rule), ..self.clone() })
        };
        let is_possible = |options: &Self| K::loss(options).is_ok() && K::has_own_leaves(options).is_ok();
        rules.chain(others).map(with).filter(|(_, options)| is_possible(options)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::kinds::{Many, One};
    use super::super::options::LossChoice;
    use super::*;

    #[test]
    fn what_there_is_to_choose() -> Result<()> {
        let tree = Hierarchy::forest(&[None, Some(0), Some(0)])?;
        let auto =
            HierarchyOptions { norm: Norm::Nhsvm, alpha: "auto".parse()?, ..HierarchyOptions::default() };
        let names = |variants: Vec<(String, HierarchyOptions)>| {
            variants.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        let all = ["rho=2", "maxmin", "rho=2,directed", "rho=1.5", "hsvm", "flat"];
        assert_eq!(names(auto.variants::<One>(&tree)), all);
        // Flat sets are another task, and flat labels have no distances.
        assert_eq!(names(auto.variants::<Many>(&tree)), all[..5]);
        let normalized = HierarchyOptions { loss: LossChoice::Normalized, ..auto.clone() };
        assert_eq!(names(normalized.variants::<One>(&tree)), all[..5]);
        assert!(auto.variants::<One>(&tree).iter().all(|(_, options)| !options.is_undecided()));
        // Many nodes with several parents.
        let mut parents: Vec<Vec<u32>> = (0..=MOST_NODES as u32).map(|_| Vec::new()).collect();
        parents[2] = vec![0, 1];
        assert_eq!(
            names(auto.variants::<One>(&Hierarchy::from_parents(&parents)?)),
            ["maxmin", "hsvm", "flat"]
        );
        let named = HierarchyOptions { alpha: AlphaChoice::default(), ..auto.clone() };
        assert!(named.variants::<One>(&tree).is_empty() && named.check_auto().is_ok());
        let shared = HierarchyOptions { norm: Norm::Ssvm, ..auto };
        assert!(shared.check_auto().unwrap_err().to_string().contains("the norm is ssvm"));
        assert!("automatic".parse::<AlphaChoice>().unwrap_err().to_string().contains("no rule"));
        Ok(())
    }
}
