//! Hierarchies whose nodes have names: a tree, or a graph in which nodes may have several parents.
//!
//! A [`NodeGraph`] comes from a file (`file`), from the header of an ARFF file (`declared`), or from labels that are paths like
//! `a/b/c` (`paths`). It was checked when it was made: no node is above itself, and in a tree none has two parents; what is wrong is
//! said with the line. The root, which every label has, is no node: it is left out where it is written, and not made where it is not.

mod declared;
mod file;
mod paths;

pub(crate) use declared::parse_declared;
pub use file::{read_hierarchy, read_node_names};
pub use paths::path_parent;

use rustc_hash::FxHashMap;

use super::Alphabet;
use crate::error::{Error, Place, Result};
use crate::inference::{Hierarchy, HierarchyFault};
use crate::shown::excerpt;

/// So many names of a cycle are shown.
const MOST_SHOWN: usize = 10;

/// What a hierarchy may look like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shape {
    /// Each node has one parent, or none.
    #[default]
    Tree,
    /// Nodes may have several parents.
    Dag,
}

/// Nodes by name, and who is above whom.
///
/// ```
/// use maxmargin::data::{NodeGraph, Shape};
/// let edges = [("animal", "cat"), ("animal", "dog")];
/// let graph = NodeGraph::from_edges(edges, Shape::Tree)?;
/// // What is above all others is the root, and no node.
/// assert_eq!((graph.names().len(), graph.root()), (2, Some("animal")));
///
/// let two_parents = [("pet", "cat"), ("animal", "cat"), ("animal", "elk")];
/// assert!(NodeGraph::from_edges(two_parents, Shape::Tree).is_err());
/// assert!(NodeGraph::from_edges(two_parents, Shape::Dag)?.root().is_none());
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct NodeGraph {
    names: Alphabet,
    /// From parents to children, in ascending order, each once.
    edges: Vec<(u32, u32)>,
    root: Option<String>,
    has_paths: bool,
}

impl NodeGraph {
    /// A graph of names: from a parent to a child each.
    pub fn from_edges<'a>(edges: impl IntoIterator<Item = (&'a str, &'a str)>, shape: Shape) -> Result<Self> {
        let mut builder = GraphBuilder::default();
        edges.into_iter().for_each(|(parent, child)| builder.edge(parent, child, 0));
        builder.finish(shape, |_, problem| Error::parameter("hierarchy", problem))
    }

    /// The nodes.
    pub fn names(&self) -> &Alphabet {
        &self.names
    }

    /// What the root is called, where it is written.
    pub fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// Whether nodes are called by their paths, so that their names say who is above them.
    pub fn has_paths(&self) -> bool {
        self.has_paths
    }

    /// From parents to children.
    pub fn edges(&self) -> &[(u32, u32)] {
        &self.edges
    }

    /// The parents of each node.
    pub fn parents(&self) -> Vec<Vec<u32>> {
        let mut parents = vec![Vec::new(); self.names.len()];
        self.edges.iter().for_each(|&(parent, child)| parents[child as usize].push(parent));
        parents
    }

    /// Whether the other one says the same.
    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        self.edges == other.edges && self.root == other.root && self.names.lines() == other.names.lines()
    }
}

/// A graph in the making, with the line of each edge.
#[derive(Default)]
struct GraphBuilder {
    names: Alphabet,
    /// Parent, child, line.
    edges: Vec<(u32, u32, usize)>,
    has_paths: bool,
}

impl GraphBuilder {
    fn edge(&mut self, parent: &str, child: &str, line: usize) {
        let edge = (self.names.add(parent), self.names.add(child), line);
        self.edges.push(edge);
    }

    /// The graph; `error` makes one of a line and what is wrong there.
    fn finish(mut self, shape: Shape, error: impl Fn(usize, String) -> Error) -> Result<NodeGraph> {
        self.edges.sort_unstable();
        self.edges.dedup_by_key(|edge| (edge.0, edge.1));
        let name = |node: u32| excerpt(self.names.name(node));
        let edges: Vec<(u32, u32)> = self.edges.iter().map(|edge| (edge.0, edge.1)).collect();
        // Files may be empty: what needs nodes will say so.
        match Hierarchy::from_edges(self.names.len(), &edges) {
            Ok(_) | Err(HierarchyFault::NoNodes) => {}
            Err(HierarchyFault::Cycle(nodes)) => {
                let line = self.edges.iter().filter(|edge| is_in_cycle(&nodes, edge)).map(|edge| edge.2);
                let mut shown: Vec<String> =
                    nodes.iter().take(MOST_SHOWN).map(|&node| format!("`{}`", name(node))).collect();
                if nodes.len() > MOST_SHOWN {
                    shown.push("…".to_owned());
                }
                shown.extend(nodes.first().map(|&node| format!("`{}`", name(node))));
                let problem = format!("a cycle: {} are above each other", shown.join(" > "));
                return Err(error(line.max().unwrap_or(0), problem));
            }
            Err(fault) => return Err(error(0, fault.to_string())),
        }
        if shape == Shape::Tree
            && let Some((child, [(first, before), (second, line)])) = self.two_parents()
        {
            let first_line = if before > 0 { format!(" (line {before})") } else { String::new() };
            let problem = format!(
                "`{}` is below `{}` and below `{}`{first_line}; in a tree each node has one parent; if nodes may have several, give the option dag",
                name(child),
                name(second),
                name(first),
            );
            return Err(error(line, problem));
        }
        let graph = NodeGraph { names: self.names, edges, root: None, has_paths: self.has_paths };
        Ok(if graph.has_paths { graph } else { graph.without_root() })
    }

    /// A node with two parents, each with its line, the later one last.
    fn two_parents(&self) -> Option<(u32, [(u32, usize); 2])> {
        let mut above: FxHashMap<u32, (u32, usize)> = FxHashMap::default();
        let mut by_line: Vec<&(u32, u32, usize)> = self.edges.iter().collect();
        by_line.sort_by_key(|edge| edge.2);
        by_line.into_iter().find_map(|&(parent, child, line)| {
            let first = above.insert(child, (parent, line))?;
            Some((child, [first, (parent, line)]))
        })
    }
}

/// Whether an edge goes from one node of a cycle to the next.
fn is_in_cycle(nodes: &[u32], edge: &(u32, u32, usize)) -> bool {
    let next = nodes.iter().cycle().skip(1);
    nodes.iter().zip(next).any(|(&parent, &child)| (parent, child) == (edge.0, edge.1))
}

impl NodeGraph {
    /// The same without the one node that is above all others, where there is one.
    fn without_root(self) -> Self {
        let mut is_below = vec![false; self.names.len()];
        self.edges.iter().for_each(|edge| is_below[edge.1 as usize] = true);
        let mut roots = (0..).zip(&is_below).filter(|(_, is_below)| !**is_below).map(|(node, _)| node);
        let (Some(root), None) = (roots.next(), roots.next()) else { return self };
        if self.names.len() == 1 {
            return self;
        }
        let number = |node: u32| if node > root { node - 1 } else { node };
        let edges = self.edges.iter().filter(|edge| edge.0 != root);
        Self {
            edges: edges.map(|&(parent, child)| (number(parent), number(child))).collect(),
            root: Some(self.names.name(root).to_owned()),
            names: (0..)
                .zip(self.names.iter())
                .filter(|&(node, _)| node != root)
                .map(|(_, name)| name)
                .collect(),
            has_paths: self.has_paths,
        }
    }
}

/// Makes errors about lines of a file.
fn in_file(path: &std::path::Path) -> impl Fn(usize, String) -> Error + '_ {
    move |line, problem| Error::data(Place::new(path, line, 0), problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_without_one_top_has_no_root() {
        let graph =
            NodeGraph::from_edges([("a", "b"), ("a", "c"), ("d", "e"), ("a", "b")], Shape::Tree).unwrap();
        assert_eq!((graph.root(), graph.names().len(), graph.edges().len()), (None, 5, 3));
        let graph = NodeGraph::from_edges([("b", "c"), ("a", "b"), ("a", "d")], Shape::Tree).unwrap();
        assert!(graph.names().iter().eq(["b", "c", "d"]));
        assert_eq!((graph.root(), graph.edges()), (Some("a"), &[(0, 1)][..]));
        assert_eq!(graph.parents(), [vec![], vec![0], vec![]]);
    }

    #[test]
    fn cycles_are_named() {
        let cycle = [("r", "a"), ("a", "b"), ("b", "c"), ("c", "a")];
        let message = NodeGraph::from_edges(cycle, Shape::Dag).unwrap_err().to_string();
        assert!(message.contains("`a` > `b` > `c` > `a`"), "{message}");
        let long: Vec<String> = (0..100).map(|node| format!("n{node}")).collect();
        let edges = (0..100).map(|node| (long[node].as_str(), long[(node + 1) % 100].as_str()));
        let message = NodeGraph::from_edges(edges, Shape::Dag).unwrap_err().to_string();
        assert!(message.len() < 300, "{message}");
    }
}
