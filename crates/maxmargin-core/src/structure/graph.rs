//! Bipartite graphs with features on their edges: the examples of a matching task.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::features::{FeatureMatrix, Rows};

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
/// Nodes without edges are none of its nodes, so that work and memory grow with the edges, whatever the numbers of nodes are.
///
/// ```
/// use std::sync::Arc;
/// use maxmargin_core::features::{FeatureMatrix, Rows};
/// use maxmargin_core::structure::{Edge, Graph};
/// let features = Arc::new(FeatureMatrix::from_dense(&[[0.5], [1.0]]));
/// let edges = [Edge { left: 0, right: 7 }, Edge { left: 0, right: 500_000 }];
/// let graph = Graph::new(Rows::new(&features, 0..2), edges.into(), 0)?;
/// assert_eq!((graph.lefts(), graph.rights(), graph.edges()[1].right), (1, 2, 500_000));
/// assert_eq!(graph.ends()[1], Edge { left: 0, right: 1 });
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Graph {
    rows: Rows,
    /// Those of all examples; these begin at `start`.
    edges: Arc<[Edge]>,
    start: usize,
    /// The edges of this graph with its nodes numbered without gaps; `None` where they are so already.
    renumbered: Option<Arc<[Edge]>>,
    lefts: u32,
    rights: u32,
    is_complete: bool,
}

impl Graph {
    /// A graph with one edge for each row: those from `start` on, if there are so many.
    pub fn new(rows: Rows, edges: Arc<[Edge]>, start: usize) -> Result<Self> {
        let Some(here) = edges.get(start..).and_then(|edges| edges.get(..rows.len())) else {
            let problem = format!(
                "{} rows, but {} edges from number {start} on",
                rows.len(),
                edges.len().saturating_sub(start)
            );
            return Err(Error::parameter("edges", problem));
        };
        let left_nodes = Nodes::of(here.iter().map(|edge| edge.left));
        let right_nodes = Nodes::of(here.iter().map(|edge| edge.right));
        let renumbered = (left_nodes.have_gaps() || right_nodes.have_gaps()).then(|| {
            let ends = |edge: &Edge| Edge {
                left: left_nodes.place(edge.left),
                right: right_nodes.place(edge.right),
            };
            here.iter().map(ends).collect::<Arc<[Edge]>>()
        });
        let (lefts, rights) = (left_nodes.count(), right_nodes.count());
        let ends = renumbered.as_deref().unwrap_or(here);
        let nodes = (0..lefts).flat_map(|left| (0..rights).map(move |right| Edge { left, right }));
        let is_complete =
            ends.len() as u64 == u64::from(lefts) * u64::from(rights) && ends.iter().copied().eq(nodes);
        Ok(Self { rows, edges, start, renumbered, lefts, rights, is_complete })
    }

    /// A graph without edges, whose rows have so many columns as these.
    pub fn empty(features: &Arc<FeatureMatrix>) -> Self {
        let (rows, edges) = (Rows::new(features, 0..0), Arc::from([]));
        Self { rows, edges, start: 0, renumbered: None, lefts: 0, rights: 0, is_complete: true }
    }

    /// A graph of which only the edges are known: for scores from outside.
    pub fn without_features(edges: &[Edge]) -> Result<Self> {
        let rows =
            u32::try_from(edges.len()).map_err(|_| Error::parameter("edges", "more than 2³² edges"))?;
        Self::new(Rows::without_features(rows), edges.into(), 0)
    }

    /// The features, a row for each edge.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The edges, with the numbers that nodes have in the data.
    pub fn edges(&self) -> &[Edge] {
        &self.edges[self.start..self.start + self.rows.len()]
    }

    /// The edges, with nodes numbered from 0 without gaps, in the order of their numbers in the data.
    pub fn ends(&self) -> &[Edge] {
        self.renumbered.as_deref().unwrap_or_else(|| self.edges())
    }

    /// The number of left nodes that have edges.
    pub fn lefts(&self) -> usize {
        self.lefts as usize
    }

    /// The number of right nodes that have edges.
    pub fn rights(&self) -> usize {
        self.rights as usize
    }

    /// Whether all nodes are joined, with the edges sorted by left and then by right node.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

/// The nodes of one side that have edges.
enum Nodes {
    /// All numbers below this.
    All(u32),
    /// These, ascending.
    Some(Vec<u32>),
}

impl Nodes {
    fn of(numbers: impl ExactSizeIterator<Item = u32> + Clone) -> Self {
        let end = numbers.clone().map(|number| number as usize + 1).max().unwrap_or(0);
        // More numbers than edges: some have none. Else a table of them is no larger than the list of edges.
        if end <= numbers.len() {
            let mut is_there = vec![false; end];
            numbers.clone().for_each(|number| is_there[number as usize] = true);
            if is_there.iter().all(|&there| there) {
                return Nodes::All(end as u32);
            }
        }
        let mut nodes: Vec<u32> = numbers.collect();
        nodes.sort_unstable();
        nodes.dedup();
        Nodes::Some(nodes)
    }

    fn have_gaps(&self) -> bool {
        matches!(self, Nodes::Some(_))
    }

    fn count(&self) -> u32 {
        match self {
            Nodes::All(count) => *count,
            Nodes::Some(nodes) => nodes.len() as u32,
        }
    }

    /// The place of a node among them.
    fn place(&self, number: u32) -> u32 {
        match self {
            Nodes::All(_) => number,
            Nodes::Some(nodes) => nodes.binary_search(&number).unwrap_or_else(|place| place) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(u32, u32)]) -> Graph {
        let features = Arc::new(FeatureMatrix::from_dense(&vec![[1.0]; edges.len()]));
        let edges = edges.iter().map(|&(left, right)| Edge { left, right });
        Graph::new(Rows::new(&features, 0..edges.len()), edges.collect(), 0).unwrap()
    }

    #[test]
    fn nodes_without_edges_are_none() {
        let dense = graph(&[(0, 0), (0, 1), (1, 0), (1, 1)]);
        assert!(dense.renumbered.is_none() && dense.is_complete());
        for (edges, is_complete) in [
            ([(3, 0), (3, 9), (7, 0), (7, 9)], true),
            ([(u32::MAX, 5), (0, 1), (0, 5), (u32::MAX, 1)], false),
            // A gap below the number of edges.
            ([(0, 0), (2, 2), (2, 0), (0, 2)], false),
        ] {
            let sparse = graph(&edges);
            assert_eq!((sparse.lefts(), sparse.rights(), sparse.is_complete()), (2, 2, is_complete));
            for (end, edge) in sparse.ends().iter().zip(edges) {
                let places = [
                    edges.iter().map(|e| e.0).min() != Some(edge.0),
                    edges.iter().map(|e| e.1).min() != Some(edge.1),
                ];
                assert_eq!((end.left, end.right), (u32::from(places[0]), u32::from(places[1])));
            }
            assert_eq!(sparse.edges()[0], Edge { left: edges[0].0, right: edges[0].1 });
        }
        let empty = graph(&[]);
        assert_eq!((empty.lefts(), empty.rights(), empty.ends().len()), (0, 0, 0));
    }
}
