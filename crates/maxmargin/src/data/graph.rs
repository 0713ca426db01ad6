//! Data whose examples are bipartite graphs.

use std::sync::Arc;

use super::Dataset;
use crate::error::{Error, Result};
use crate::structure::{Edge, Graph, UNKNOWN_LABEL};

/// Nodes are numbered below this: a larger number is more likely a slip than a node.
pub(crate) const MOST_NODES: u32 = 1 << 20;

/// What the labels of edges are called, in the order of their numbers.
pub const EDGE_LABELS: [&str; 3] = ["none", "sure", "possible"];

impl Dataset {
    /// The graph of example `i`, where examples are graphs.
    pub fn graph(&self, i: usize) -> Option<Graph> {
        let edges = self.edges.as_ref()?;
        let rows = self.range(i);
        Graph::new(self.input(i), Arc::clone(edges), rows.start).ok()
    }

    /// Refuses data whose examples are not graphs as a matching task needs them.
    pub fn check_graphs(&self, task: &str) -> Result<()> {
        let refuse = |problem: String| Err(Error::parameter(format!("task {task}"), problem));
        let (Some(edges), Some(_)) = (&self.edges, &self.sequences) else {
            return refuse(
                "the data has no graphs; write them in the format edges, a line `left right label feature:value …` for each edge and a blank line between examples"
                    .to_owned(),
            );
        };
        if edges.len() != self.features.rows() || self.labels.len() != edges.len() || self.sets.is_some() {
            let (rows, labels) = (self.features.rows(), self.labels.len());
            return refuse(format!("{} edges, but {rows} rows and {labels} labels", edges.len()));
        }
        // Links to be predicted are unknown.
        let is_strange = |label: &&u32| **label as usize >= EDGE_LABELS.len() && **label != UNKNOWN_LABEL;
        if let Some(label) = self.labels.iter().find(is_strange) {
            return refuse(format!(
                "{label} is not the label of an edge; it is 0 (none), 1 (sure) or 2 (possible)"
            ));
        }
        let mut seen = Vec::new();
        for i in 0..self.len() {
            seen.clear();
            seen.extend_from_slice(&edges[self.range(i)]);
            seen.sort_unstable();
            if let Some(pair) = seen.windows(2).find(|pair| pair[0] == pair[1]) {
                let Edge { left, right } = pair[0];
                return refuse(format!("example {i} has two edges from {left} to {right}"));
            }
            if let Some(edge) = seen.iter().find(|edge| edge.left.max(edge.right) >= MOST_NODES) {
                let node = edge.left.max(edge.right);
                return refuse(format!(
                    "example {i} has a node {node}; nodes are numbered 0 to {}",
                    MOST_NODES - 1
                ));
            }
        }
        Ok(())
    }
}
