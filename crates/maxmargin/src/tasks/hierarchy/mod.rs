//! Nodes of a hierarchy for each example: one, or several (THESIS ch. 6).
//!
//! A label is a node of a tree or an acyclic graph with all above it, or several of these. Each node has a block of weights, and the
//! score of a label is the sum over its nodes, so that labels share what their paths share.
//!
//! Labels of one node and of several are learnt by different structures. [`HierarchyTask`] is a task for either [kind](LabelKind),
//! and [`Hierarchy`] takes the one that the data or an option asks for.

mod demo;
mod drawing;
mod examples;
mod front;
mod halves;
mod kinds;
mod metrics;
mod node_scores;
mod options;
mod reading;
mod task;
mod taxonomy;
mod variants;

pub use examples::HierarchyExamples;
pub use front::Hierarchy;
pub use halves::Halves;
use kinds::ScoresOf;
pub use kinds::{LabelKind, Many, One};
pub use metrics::HierarchyMetrics;
pub use options::{HierarchyOptions, LabelCount, LossChoice, Norm, Settled};
pub use task::HierarchyTask;
pub use taxonomy::Taxonomy;
pub use variants::AlphaChoice;

/// The task with one node for a label.
pub type NodeTask = HierarchyTask<One>;
/// The task with a set of nodes for a label.
pub type NodeSetTask = HierarchyTask<Many>;

/// The name of the task.
const NAME: &str = "hierarchy";
const ABOUT: &str = "\
Nodes of a hierarchy for each example: one, or several

A label is a node of a tree or an acyclic graph with all above it, or several of these. Labels in files are nodes; those above them may be \
there or not. Predictions are the most specific nodes, one label per line, with commas between where there are several. Metrics: error and \
accuracy (of whole labels), precision, recall and F1 of nodes with all above them (hierarchical_f1), hamming (the share of nodes that are wrongly \
in or out), Macro-F1 of nodes, the mean loss; of one node the mean number of edges to the true one (tree_distance), of several the areas under \
precision-recall curves (au_prc pools all nodes, the others are means over nodes).";
