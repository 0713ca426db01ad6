//! From files to rows with nodes of a hierarchy.
//!
//! Training data makes the nodes: those that occur, and what is above them by a file, by the header of the data or by labels that are
//! paths. Later data is read with these. A label that is none of them is unknown, and what is above it may be known all the same.

use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{HierarchyExamples, HierarchyOptions, Taxonomy};
use crate::data::{
    Dataset, NodeGraph, ReadOptions, Reading, Shape, Vocabulary, read_hierarchy, read_node_names,
};
use crate::error::{Error, Result};

/// What options say of names.
#[derive(Default)]
pub(super) struct NamedNodes {
    graph: Option<NodeGraph>,
    renamed: FxHashMap<String, String>,
}

impl HierarchyOptions {
    /// What is read beside data, which a task that was fitted no longer needs.
    pub(super) fn named_nodes(&self) -> Result<NamedNodes> {
        if let Some(taxonomy) = &self.settled.taxonomy {
            return Ok(NamedNodes { graph: None, renamed: taxonomy.renamed().clone() });
        }
        let graph = self.file.as_ref().map(|file| read_hierarchy(file, self.shape)).transpose()?;
        let renamed = match (&graph, &self.node_names) {
            (_, None) => FxHashMap::default(),
            (Some(graph), Some(file)) => read_node_names(file, graph)?.into_iter().collect(),
            (None, Some(_)) => {
                let problem = "it says which nodes of a hierarchy labels stand for; give that with the option hierarchy";
                return Err(Error::parameter("node-names", problem));
            }
        };
        Ok(NamedNodes { graph, renamed })
    }

    /// The options of reading tables.
    pub(super) fn table_options(&self, options: &ReadOptions, nodes: &NamedNodes) -> ReadOptions {
        let allowed = nodes.graph.as_ref().map(|graph| Arc::new(graph.names().clone()));
        ReadOptions {
            // Candidates are of one node.
            label_sets: !options.candidates,
            label_lists: !options.candidates,
            allowed_labels: allowed,
            renamed_labels: (!nodes.renamed.is_empty()).then(|| Arc::new(nodes.renamed.clone())),
            ..options.clone()
        }
    }

    pub(super) fn read(
        &self,
        files: &[PathBuf],
        options: &ReadOptions,
        known: Option<&Vocabulary>,
    ) -> Result<Reading<HierarchyExamples>> {
        let nodes = self.named_nodes()?;
        let reading = Reading::of_files(files, &self.table_options(options, &nodes), known)?;
        match (known, &self.settled.taxonomy) {
            (Some(names), _) => {
                let examples = |table| self.examples(table, names, &nodes);
                reading.try_map(examples)
            }
            (None, None) => self.of_training(reading, nodes),
            // For the names in it only: what a model does not know.
            (None, Some(taxonomy)) => {
                let labels = taxonomy.closed(&reading.names.labels, reading.data.hierarchy.as_deref());
                let names = Vocabulary { labels, ..reading.names };
                let data = |mut table: Dataset| Ok(HierarchyExamples::unlabelled(table.take_rows()?));
                Reading { names, ..reading }.try_map(data)
            }
        }
    }

    /// Examples of a table that was read with names.
    pub(super) fn examples(
        &self,
        table: Dataset,
        names: &Vocabulary,
        nodes: &NamedNodes,
    ) -> Result<HierarchyExamples> {
        let declared = table.hierarchy.clone();
        let taxonomy = match &self.settled.taxonomy {
            Some(taxonomy) => taxonomy.with_names(&names.labels, declared.as_deref())?,
            None => {
                let graph = match nodes.graph.as_ref().or(declared.as_deref()) {
                    Some(graph) => graph,
                    None => &NodeGraph::from_paths(names.labels.iter())?,
                };
                Arc::new(Taxonomy::of_names(graph, &names.labels, FxHashMap::default())?)
            }
        };
        HierarchyExamples::of_table(table, taxonomy)
    }

    /// Examples of training data, whose labels become nodes.
    fn of_training(&self, reading: Reading, nodes: NamedNodes) -> Result<Reading<HierarchyExamples>> {
        let Reading { data, names, .. } = &reading;
        if data.hierarchy.is_some() && nodes.graph.is_some() {
            let problem = "the data declares its hierarchy itself; leave this out";
            return Err(Error::parameter("hierarchy", problem));
        }
        if self.shape == Shape::Dag && nodes.graph.is_none() {
            let problem = match data.hierarchy.is_some() {
                true => "the data declares its hierarchy itself, with as many parents as it likes",
                false => "labels that are paths have one parent each",
            };
            let problem = format!("{problem}; this goes with a file (the option hierarchy), leave it out");
            return Err(Error::parameter("dag", problem));
        }
        let paths;
        let graph = match nodes.graph.as_ref().or(data.hierarchy.as_deref()) {
            Some(graph) => graph,
            None if !names.labels.iter().any(|name| name.contains('/')) => {
                let problem = "the labels are no paths like a/b/c, and the data declares no hierarchy; name a file with lines `parent child`";
                return Err(Error::parameter("hierarchy", problem));
            }
            None => {
                paths = NodeGraph::from_paths(names.labels.iter())?;
                &paths
            }
        };
        let (taxonomy, number, labels) = Taxonomy::of_training(graph, &names.labels, nodes.renamed)?;
        let names = Vocabulary { labels, attributes: names.attributes.clone() };
        let taxonomy = Arc::new(taxonomy);
        let reading = Reading { names, ..reading };
        reading.try_map(|table| HierarchyExamples::of_renumbered_table(table, &number, taxonomy))
    }
}
