//! Bipartite graphs with features on their edges: the examples of a matching task.

use std::sync::Arc;

use super::dataset::{Dataset, UNKNOWN_LABEL};
use super::features::Rows;
use crate::error::{Error, Result};

/// Nodes are numbered below this: working memory grows with the largest number, whether or not the others occur.
pub(crate) const MOST_NODES: u32 = 1 << 20;

/// What the labels of edges are called, in the order of their numbers.
pub(crate) const EDGE_LABELS: [&str; 3] = ["none", "sure", "possible"];

/// Two nodes that may be linked, by their numbers within the example, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The left node.
    pub left: u32,
    /// The right node.
    pub right: u32,
}

/// A bipartite graph with a row of features for each edge. Cheap to clone.
///
/// ```
/// use std::sync::Arc;
/// use maxmargin::data::{Edge, FeatureMatrix, Graph, Rows};
/// let features = Arc::new(FeatureMatrix::from_dense(&[[0.5], [1.0]]));
/// let edges = [Edge { left: 0, right: 0 }, Edge { left: 0, right: 2 }];
/// let graph = Graph::new(Rows::new(&features, 0..2), edges.into(), 0);
/// assert_eq!((graph.lefts(), graph.rights(), graph.edges().len()), (1, 3, 2));
/// ```
#[derive(Debug, Clone)]
pub struct Graph {
    rows: Rows,
    /// Those of all examples; these begin at `start`.
    edges: Arc<[Edge]>,
    start: usize,
    lefts: u32,
    rights: u32,
    is_complete: bool,
}

impl Graph {
    /// A graph with one edge for each row: those from `start` on. Panics when there are fewer.
    pub fn new(rows: Rows, edges: Arc<[Edge]>, start: usize) -> Self {
        let here = &edges[start..start + rows.len()];
        let lefts = here.iter().map(|edge| edge.left.saturating_add(1)).max().unwrap_or(0);
        let rights = here.iter().map(|edge| edge.right.saturating_add(1)).max().unwrap_or(0);
        let nodes = (0..lefts).flat_map(|left| (0..rights).map(move |right| Edge { left, right }));
        let is_complete =
            here.len() as u64 == u64::from(lefts) * u64::from(rights) && here.iter().copied().eq(nodes);
        Self { rows, edges, start, lefts, rights, is_complete }
    }

    /// The features, a row for each edge.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The edges.
    pub fn edges(&self) -> &[Edge] {
        &self.edges[self.start..self.start + self.rows.len()]
    }

    /// One more than the largest number of a left node.
    pub fn lefts(&self) -> usize {
        self.lefts as usize
    }

    /// One more than the largest number of a right node.
    pub fn rights(&self) -> usize {
        self.rights as usize
    }

    /// Whether all nodes are joined, with the edges sorted by left and then by right node.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

impl Dataset {
    /// The graph of example `i`, where examples are graphs.
    pub fn graph(&self, i: usize) -> Option<Graph> {
        let edges = self.edges.as_ref()?;
        let rows = self.range(i);
        (rows.end <= edges.len()).then(|| Graph::new(self.input(i), Arc::clone(edges), rows.start))
    }

    /// Refuses data whose examples are not graphs as a matching task needs them.
    pub(crate) fn check_graphs(&self) -> Result<()> {
        let refuse = |problem: String| Err(Error::parameter("task matching", problem));
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
