//! The nodes of a hierarchy in the order in which they are drawn: as indented lines of text, or by whoever makes pictures.

use std::collections::HashMap;
use std::fmt;

use crate::metrics::Retrieval;
use crate::shown::excerpt;

/// Names are cut off here.
const WIDTH: usize = 44;

/// Nodes below each other, each once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DrawnTree {
    /// The nodes, each after the one above it.
    pub nodes: Vec<DrawnNode>,
    /// How many more there are.
    pub left_out: usize,
}

/// What is known of a node.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DrawnNode {
    /// Its name.
    pub name: String,
    /// Whether it is no node by itself, but a leaf that the node above it has of its own as a label.
    pub is_own_leaf: bool,
    /// How many are above it, on the way on which it is drawn.
    pub depth: usize,
    /// α: how much of a path it is.
    pub alpha: f64,
    /// How long its weights are, as they are added to scores.
    pub norm: f64,
    /// How many training examples have it.
    pub support: u32,
    /// The names of its other parents.
    pub also_below: Vec<String>,
    /// How often it was there, predicted, and both, in data that was looked at.
    pub counts: Option<Retrieval>,
}

impl DrawnNode {
    /// How often it was there and not predicted, and the other way round.
    pub fn mistakes(&self) -> Option<[usize; 2]> {
        self.counts
            .as_ref()
            .map(|counts| [counts.truth, counts.predicted].map(|count| count.saturating_sub(counts.right)))
    }
}

impl DrawnTree {
    /// With what became of each node in some data, by its name. Nodes that are not named were neither there nor predicted.
    pub fn with_counts(mut self, counts: &[(String, Retrieval)]) -> Self {
        let by_name: HashMap<&str, &Retrieval> =
            counts.iter().map(|(name, counts)| (name.as_str(), counts)).collect();
        for node in self.nodes.iter_mut().filter(|node| !node.is_own_leaf) {
            node.counts = Some(by_name.get(node.name.as_str()).copied().copied().unwrap_or_default());
        }
        self
    }
}

impl fmt::Display for DrawnTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_counts = self.nodes.iter().any(|node| node.counts.is_some());
        write!(f, "{:<WIDTH$}{:>10}{:>10}{:>10}", "node", "α", "norm", "examples")?;
        writeln!(f, "{}", if has_counts { "    missed     wrong" } else { "" })?;
        for node in &self.nodes {
            let name =
                format!("{}{}", "  ".repeat(node.depth.min(12)), excerpt(&node.name).at_most(WIDTH - 26));
            write!(f, "{name:<WIDTH$}{:>10.4}{:>10.4}{:>10}", node.alpha, node.norm, node.support)?;
            if let Some([missed, wrong]) = node.mistakes() {
                write!(f, "{missed:>10}{wrong:>10}")?;
            }
            if !node.also_below.is_empty() {
                let names: Vec<String> =
                    node.also_below.iter().take(3).map(|name| excerpt(name).to_string()).collect();
                let more = if node.also_below.len() > 3 { ", …" } else { "" };
                write!(f, "  also below {}{more}", names.join(", "))?;
            }
            writeln!(f)?;
        }
        match self.left_out {
            0 => Ok(()),
            more => writeln!(f, "… {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_stand_beside_nodes() {
        let node = |name: &str, depth| DrawnNode {
            name: name.to_owned(),
            depth,
            alpha: 0.5,
            ..DrawnNode::default()
        };
        let tree = DrawnTree { nodes: vec![node("animal", 0), node("cat", 1)], left_out: 3 };
        let text = tree.to_string();
        assert!(
            text.contains("\n  cat ") && text.ends_with("… 3 more\n") && !text.contains("missed"),
            "{text}"
        );
        let counts = Retrieval { truth: 9, predicted: 5, right: 4 };
        let tree = tree.with_counts(&[("cat".to_owned(), counts)]);
        assert_eq!(
            tree.nodes.iter().map(DrawnNode::mistakes).collect::<Vec<_>>(),
            [Some([0, 0]), Some([5, 1])]
        );
        assert!(tree.to_string().contains("         5         1\n"), "{tree}");
    }
}
