//! Bipartite graphs, with a row and a label for each edge.

use std::sync::Arc;

use crate::data::{
    Attributes, Dataset, EDGE_LABELS, ExampleRows, FeatureMatrix, MOST_NODES, TaskData, UNKNOWN_LABEL,
    Vocabulary, chosen, refuse,
};
use crate::error::Result;
use crate::shown::count;
use crate::structure::{Edge, Graph};

/// Bipartite graphs. The label of an edge is 0 if it is not to be linked, 1 if it surely is, and 2 where linking it is
/// possible: neither right nor wrong.
///
/// ```
/// use maxmargin::data::{Edge, ExampleRows, FeatureMatrix};
/// use maxmargin::tasks::GraphExamples;
/// let rows = ExampleRows::grouped(FeatureMatrix::from_dense(&[[0.9], [0.1]]), vec![0, 2])?;
/// let edges = [Edge { left: 0, right: 0 }, Edge { left: 0, right: 1 }];
/// let examples = GraphExamples::new(rows.clone(), edges, vec![1, 0])?;
/// assert_eq!(examples.graph(0).edges().len(), 2);
/// assert!(GraphExamples::new(rows, [edges[0]; 2], vec![1, 0]).is_err());
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GraphExamples {
    rows: ExampleRows,
    edges: Arc<[Edge]>,
    labels: Vec<u32>,
    unreachable: Option<Vec<u32>>,
}

impl GraphExamples {
    /// Groups of rows, with an edge and its label for each row.
    pub fn new(rows: ExampleRows, edges: impl Into<Arc<[Edge]>>, labels: Vec<u32>) -> Result<Self> {
        let edges = edges.into();
        if !rows.is_grouped() {
            return refuse("the rows are not grouped into graphs");
        }
        rows.check_row_count("edges", edges.len())?;
        rows.check_row_count("labels", labels.len())?;
        // Links to be predicted are unknown.
        let is_strange = |label: &&u32| **label as usize >= EDGE_LABELS.len() && **label != UNKNOWN_LABEL;
        if let Some(label) = labels.iter().find(is_strange) {
            return refuse(format!(
                "{label} is not the label of an edge; it is 0 (none), 1 (sure) or 2 (possible)"
            ));
        }
        let mut seen = Vec::new();
        for i in 0..rows.len() {
            seen.clear();
            seen.extend_from_slice(&edges[rows.range(i)]);
            seen.sort_unstable();
            if let Some(pair) = seen.windows(2).find(|pair| pair[0] == pair[1]) {
                let Edge { left, right } = pair[0];
                return refuse(format!("example {i} has two edges from {left} to {right}"));
            }
            let node = seen.iter().map(|edge| edge.left.max(edge.right)).max();
            if let Some(node) = node.filter(|&node| node >= MOST_NODES) {
                let most = MOST_NODES - 1;
                return refuse(format!("example {i} has a node {node}; nodes are numbered 0 to {most}"));
            }
        }
        Ok(Self { rows, edges, labels, unreachable: None })
    }

    /// With the number of sure links of each example that have no edge, so that no prediction can have them. They count as
    /// missed in an evaluation. (Possible links without an edge count nowhere.)
    pub fn with_unreachable(self, counts: Vec<u32>) -> Result<Self> {
        self.rows.check_count("numbers of unreachable links", counts.len())?;
        Ok(Self { unreachable: Some(counts), ..self })
    }

    /// The rows.
    pub fn rows(&self) -> &ExampleRows {
        &self.rows
    }

    /// The edges of all graphs, one after the other.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The graph of an example. Panics when it does not exist.
    pub fn graph(&self, example: usize) -> Graph {
        let start = self.rows.range(example).start;
        let graph = Graph::new(self.rows.input(example), Arc::clone(&self.edges), start);
        graph.expect("there is an edge for each row")
    }

    /// The numbers of sure links without an edge, where they were counted.
    pub fn unreachable(&self) -> Option<&[u32]> {
        self.unreachable.as_deref()
    }

    /// The number of sure links of an example that have no edge.
    pub fn unreachable_links(&self, example: usize) -> u32 {
        self.unreachable.as_ref().map_or(0, |counts| counts[example])
    }
}

impl TaskData for GraphExamples {
    const KIND: &'static str = "bipartite graphs with a row and a label for each edge";

    fn as_rows(&self) -> Option<&ExampleRows> {
        Some(&self.rows)
    }

    fn labels(&self) -> &[u32] {
        &self.labels
    }

    fn labels_of(&self, example: usize) -> &[u32] {
        &self.labels[self.rows.range(example)]
    }

    fn missing_truth(&self, _: bool) -> Option<&'static str> {
        let nothing = "an evaluation needs the true links; name their file (links)";
        self.has_unknown_labels_only().then_some(nothing)
    }

    fn default_names(&self) -> Result<Vocabulary> {
        let labels = EDGE_LABELS.into_iter().collect();
        Ok(Vocabulary { labels, attributes: Attributes::Numbered(self.attributes()) })
    }

    fn subset(&self, examples: &[usize]) -> Result<Self> {
        let rows = self.rows.subset(examples)?;
        Ok(Self {
            rows,
            edges: examples.iter().flat_map(|&i| &self.edges[self.rows.range(i)]).copied().collect(),
            labels: examples.iter().flat_map(|&i| self.labels_of(i)).copied().collect(),
            unreachable: chosen(&self.unreachable, examples),
        })
    }

    fn with_features(&self, features: Arc<FeatureMatrix>) -> Result<Self> {
        Ok(Self { rows: self.rows.clone().with_features(features)?, ..self.clone() })
    }

    fn bytes(&self) -> usize {
        self.rows.bytes() + 12 * self.labels.len() + 4 * self.unreachable.as_ref().map_or(0, Vec::len)
    }

    fn fingerprint(&self) -> u64 {
        let ends = |edge: &Edge| (u64::from(edge.left) << 32) | u64::from(edge.right);
        self.rows.fingerprint(
            |i| self.labels_of(i),
            |i, fingerprint| fingerprint.add_all(self.edges[self.rows.range(i)].iter().map(ends)),
        )
    }

    fn parts(&self) -> (&'static str, usize) {
        ("edge", self.edges.len())
    }

    /// More likely the links of a graph are missing than that there are none.
    fn notes(&self) -> Vec<String> {
        let is_unlinked = |&i: &usize| self.labels_of(i).iter().all(|&label| label == 0);
        match (0..self.len()).filter(is_unlinked).count() {
            0 => Vec::new(),
            unlinked => vec![format!("{unlinked} of {} have no links at all", count(self.len(), "graph"))],
        }
    }

    /// A graph is a line.
    fn has_blocks(&self) -> bool {
        false
    }

    fn from_table(mut table: Dataset) -> Result<Self> {
        let (Some(edges), Some(_), None) = (table.edges.take(), &table.sequences, &table.sets) else {
            return refuse(
                "the data has no graphs; write them in the format edges, a line `left right label feature:value …` for each edge and a blank line between examples",
            );
        };
        let unreachable = table.unreachable.take();
        let rows = table.take_rows()?;
        let labels = table.take_labels(&rows);
        let graphs = Self::new(rows, edges, labels)?;
        match unreachable {
            Some(counts) => graphs.with_unreachable(counts),
            None => Ok(graphs),
        }
    }
}
