//! Labels from a hierarchy: nodes of a tree or an acyclic graph, each with all its ancestors (THESIS ch. 6).
//!
//! φ(x,y) has √α_n · x (and √α_n, with a bias) in the block of each node n of y, so that γ(x,y) = Σ_{n∈y} √α_n ⟨W_n, x⟩ (6.10).
//! With α = 1 this is the hierarchical SVM (6.2); with α from the structure of the hierarchy ([`alpha`]) the normalised one. In terms of
//! U_n = √α_n W_n the norm is Σ ‖U_n‖²/α_n (6.11). Weights lie feature by feature: `w[j · nodes + n]`.
//!
//! A [`NodeStructure`] has one node for a label, a [`NodeSetStructure`] a set of them.

pub mod alpha;
mod blocks;
mod node;
mod node_set;

pub use self::node::{NodeLoss, NodeOptions, NodeScores, NodeStructure};
pub use self::node_set::{NodeSetOptions, NodeSetScores, NodeSetStructure};
