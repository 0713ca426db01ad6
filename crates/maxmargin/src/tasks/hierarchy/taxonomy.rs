//! A hierarchy whose nodes are the labels of a task, and what else is known of its names.
//!
//! Nodes are those that training data has, and all above them: nothing can be learnt of others. Those that are declared but never
//! occur are kept by name all the same, so that an evaluation knows what is above a label that the model has never seen.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::EngineError;
use crate::data::{Alphabet, NodeGraph, path_parent};
use crate::error::{Error, Result};
use crate::inference::Hierarchy;
use crate::shown::excerpt;

/// The nodes of a task, numbered like its labels.
///
/// ```
/// use maxmargin::inference::Hierarchy;
/// use maxmargin::tasks::hierarchy::Taxonomy;
/// let taxonomy = Taxonomy::from(Hierarchy::forest(&[None, Some(0), Some(0)])?);
/// assert_eq!(taxonomy.hierarchy().nodes(), 3);
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Taxonomy {
    hierarchy: Arc<Hierarchy>,
    others: OtherNames,
}

/// What is known of names beside the nodes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct OtherNames {
    /// Whether nodes are called by their paths, so that a name says what is above it.
    paths: bool,
    /// Nodes that no training data has, each with its parents.
    #[serde(default, skip_serializing_if = "FxHashMap::is_empty")]
    unseen: FxHashMap<String, Vec<String>>,
    /// Labels that are called otherwise in files: what stands there, and its node.
    #[serde(default, skip_serializing_if = "FxHashMap::is_empty")]
    renamed: FxHashMap<String, String>,
    /// What the root is called, where it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root: Option<String>,
}

/// The form in which a model file has it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StoredTaxonomy {
    #[serde(flatten)]
    hierarchy: Hierarchy,
    #[serde(flatten)]
    others: OtherNames,
}

impl From<Hierarchy> for Taxonomy {
    fn from(hierarchy: Hierarchy) -> Self {
        Arc::new(hierarchy).into()
    }
}

impl From<Arc<Hierarchy>> for Taxonomy {
    fn from(hierarchy: Arc<Hierarchy>) -> Self {
        Self { hierarchy, others: OtherNames::default() }
    }
}

impl From<StoredTaxonomy> for Taxonomy {
    fn from(StoredTaxonomy { hierarchy, others }: StoredTaxonomy) -> Self {
        Self { hierarchy: hierarchy.into(), others }
    }
}

impl From<&Taxonomy> for StoredTaxonomy {
    fn from(taxonomy: &Taxonomy) -> Self {
        Self { hierarchy: Hierarchy::clone(&taxonomy.hierarchy), others: taxonomy.others.clone() }
    }
}

impl Taxonomy {
    /// The nodes of training data whose labels have these names, with all above them; also what each label is now, and the names
    /// of the nodes, which are sorted.
    pub(super) fn of_training(
        graph: &NodeGraph,
        labels: &Alphabet,
        renamed: FxHashMap<String, String>,
    ) -> Result<(Self, Vec<u32>, Alphabet)> {
        let known = |name: &str| {
            graph.names().get(name).ok_or_else(|| {
                let remedy = match graph.root() == Some(name) {
                    true => "the root of the hierarchy, which says nothing; leave it out",
                    false => "no node of the hierarchy",
                };
                Error::parameter("hierarchy", format!("the label `{}` is {remedy}", excerpt(name)))
            })
        };
        let labels: Vec<u32> = labels.iter().map(known).collect::<Result<_>>()?;
        let parents = graph.parents();
        let mut is_node = vec![false; parents.len()];
        let mut open = labels.clone();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut is_node[node as usize], true) {
                open.extend(&parents[node as usize]);
            }
        }
        let all: Alphabet = graph
            .names()
            .iter()
            .zip(&is_node)
            .filter(|(_, is_node)| **is_node)
            .map(|(name, _)| name)
            .collect();
        let names: Alphabet = all.sorted_order().into_iter().map(|node| all.name(node)).collect();
        let number: Vec<Option<u32>> = graph.names().iter().map(|name| names.get(name)).collect();
        let numbered =
            |nodes: &[u32]| nodes.iter().filter_map(|&node| number[node as usize]).collect::<Vec<u32>>();
        let mut lists = vec![Vec::new(); names.len()];
        let mut unseen = FxHashMap::default();
        for (node, above) in parents.iter().enumerate() {
            match number[node] {
                Some(new) => lists[new as usize] = numbered(above),
                None if graph.has_paths() => {}
                None => {
                    let above = above.iter().map(|&parent| graph.names().name(parent).to_owned());
                    unseen.insert(graph.names().name(node as u32).to_owned(), above.collect());
                }
            }
        }
        let root = graph.root().map(str::to_owned);
        let others = OtherNames { paths: graph.has_paths(), unseen, renamed, root };
        Ok((Self { hierarchy: made(&lists)?, others }, numbered(&labels), names))
    }

    /// The hierarchy of names that training fixed, as a graph has it.
    pub(super) fn of_names(
        graph: &NodeGraph,
        names: &Alphabet,
        renamed: FxHashMap<String, String>,
    ) -> Result<Self> {
        let others = OtherNames { paths: graph.has_paths(), renamed, ..OtherNames::default() };
        let parents: Vec<Vec<u32>> =
            names.iter().map(|name| numbers(names, others.above(name, Some(graph)))).collect();
        Ok(Self { hierarchy: made(&parents)?, others })
    }

    /// Who is above whom.
    pub fn hierarchy(&self) -> &Arc<Hierarchy> {
        &self.hierarchy
    }

    /// What the root is called, where files write it.
    pub fn root(&self) -> Option<&str> {
        self.others.root.as_deref()
    }

    /// Labels that are called otherwise in files.
    pub(super) fn renamed(&self) -> &FxHashMap<String, String> {
        &self.others.renamed
    }

    /// The same with more nodes, for data with labels that the task does not have: `names` are those of the nodes, and then those of
    /// others. What is above these is known where a path says so, where it was declared in training, or where `declared` has it.
    pub(super) fn with_names(
        self: &Arc<Self>,
        names: &Alphabet,
        declared: Option<&NodeGraph>,
    ) -> Result<Arc<Self>> {
        let nodes = self.hierarchy.nodes();
        if names.len() <= nodes {
            return Ok(Arc::clone(self));
        }
        let known = (0..nodes as u32).map(|node| self.hierarchy.parents(node).to_vec());
        let others = names.iter().skip(nodes).map(|name| numbers(names, self.others.above(name, declared)));
        let parents: Vec<Vec<u32>> = known.chain(others).collect();
        Ok(Arc::new(Self { hierarchy: made(&parents)?, others: self.others.clone() }))
    }

    /// Names with all that is above them, as far as it is known.
    pub(super) fn closed(&self, names: &Alphabet, declared: Option<&NodeGraph>) -> Alphabet {
        let mut closed = names.clone();
        let mut next = 0;
        while next < closed.len() {
            let above = self.others.above(closed.name(next as u32), declared);
            above.iter().for_each(|name| _ = closed.add(name));
            next += 1;
        }
        closed.sorted_order().into_iter().map(|node| closed.name(node)).collect()
    }
}

impl OtherNames {
    /// What is right above a name.
    fn above(&self, name: &str, declared: Option<&NodeGraph>) -> Vec<String> {
        if let Some(parent) = path_parent(name).filter(|_| self.paths) {
            return vec![parent.to_owned()];
        }
        if let Some(above) = self.unseen.get(name) {
            return above.clone();
        }
        let parents = |graph: &NodeGraph| {
            let node = graph.names().get(name)?;
            let above = graph.edges().iter().filter(|edge| edge.1 == node);
            Some(above.map(|edge| graph.names().name(edge.0).to_owned()).collect())
        };
        declared.and_then(parents).unwrap_or_default()
    }
}

/// The numbers of those names that have one.
fn numbers(names: &Alphabet, of: Vec<String>) -> Vec<u32> {
    of.iter().filter_map(|name| names.get(name)).collect()
}

fn made(parents: &[Vec<u32>]) -> Result<Arc<Hierarchy>> {
    Ok(Arc::new(Hierarchy::from_parents(parents).map_err(EngineError::from)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Shape;

    fn alphabet(names: &[&str]) -> Alphabet {
        names.iter().copied().collect()
    }

    #[test]
    fn nodes_are_those_that_occur_and_all_above() {
        let edges = [("root", "b"), ("b", "c"), ("b", "d"), ("root", "e"), ("e", "f"), ("c", "g")];
        let graph = NodeGraph::from_edges(edges, Shape::Tree).unwrap();
        let (taxonomy, labels, names) =
            Taxonomy::of_training(&graph, &alphabet(&["d", "c", "b"]), FxHashMap::default()).unwrap();
        assert!(names.iter().eq(["b", "c", "d"]));
        assert_eq!(labels, [2, 1, 0]);
        assert_eq!(taxonomy.hierarchy().parents(1), [0]);
        // What was never seen is known by name.
        let taxonomy = Arc::new(taxonomy);
        let more = taxonomy.with_names(&alphabet(&["b", "c", "d", "g", "z", "f"]), None).unwrap();
        assert_eq!([3, 4, 5].map(|node| more.hierarchy().parents(node).to_vec()), [vec![1], vec![], vec![]]);
        assert!(taxonomy.closed(&alphabet(&["g"]), None).iter().eq(["c", "g"]));
        let message = Taxonomy::of_training(&graph, &alphabet(&["root"]), FxHashMap::default()).unwrap_err();
        assert!(message.to_string().contains("the root of the hierarchy"), "{message}");

        let stored = serde_json::to_string(&StoredTaxonomy::from(&*taxonomy)).unwrap();
        let loaded: StoredTaxonomy = serde_json::from_str(&stored).unwrap();
        assert_eq!(Taxonomy::from(loaded), *taxonomy);
    }

    #[test]
    fn paths_say_what_is_above() {
        let graph = NodeGraph::from_paths(["a/b/c", "d"]).unwrap();
        let (taxonomy, _, names) =
            Taxonomy::of_training(&graph, &alphabet(&["a/b/c", "d"]), FxHashMap::default()).unwrap();
        assert!(names.iter().eq(["a", "a/b", "a/b/c", "d"]));
        let closed = taxonomy.closed(&alphabet(&["a/x/y"]), None);
        assert!(closed.iter().eq(["a", "a/x", "a/x/y"]));
    }
}
