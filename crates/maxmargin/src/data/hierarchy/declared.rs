//! What CLUS declares of hierarchical classes in the header of an ARFF file: `@attribute class hierarchical a,a/b,a/b/c`.
//!
//! The list has each node of a tree as its path; the root is not written. Where nodes may have several parents, it has each edge as
//! `parent/child` instead, from a root that is called `root`; labels are then names of nodes, not paths. A list is of edges where each
//! entry has one slash and some begin with `root/`.
//!
//! C. Vens, J. Struyf, L. Schietgat, S. Džeroski, H. Blockeel. Decision trees for hierarchical multi-label classification. 2008.

use super::{GraphBuilder, NodeGraph, Shape};
use crate::error::Error;

/// The hierarchy of such a list. `error` makes an error of what is wrong with an entry, by its number from 1, or with all (0).
pub(crate) fn parse_declared(
    list: &str,
    error: impl Fn(usize, String) -> Error,
) -> crate::error::Result<NodeGraph> {
    let entries = || list.split(',').map(str::trim);
    let has_edges = entries().all(|entry| entry.matches('/').take(2).count() == 1)
        && entries().any(|entry| entry.starts_with("root/"));
    let mut builder = GraphBuilder::default();
    for (number, entry) in (1..).zip(entries()) {
        match entry.split_once('/').filter(|_| has_edges) {
            Some(("", _) | (_, "")) => return Err(error(number, "an edge is `parent/child`".to_owned())),
            Some((parent, child)) => builder.edge(parent, child, number),
            None => builder.path(entry, number).map_err(|problem| error(number, problem))?,
        }
    }
    builder.finish(if has_edges { Shape::Dag } else { Shape::Tree }, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(list: &str) -> crate::error::Result<NodeGraph> {
        parse_declared(list, |entry, problem| Error::parameter(format!("entry {entry}"), problem))
    }

    #[test]
    fn trees_are_paths_and_graphs_are_edges() {
        let tree = parse("000/00,000,001/01, 001").unwrap();
        assert!(tree.has_paths());
        assert_eq!((tree.names().len(), tree.edges().len()), (4, 2));
        let graph = parse("root/a,root/b,a/c,b/c,c/d").unwrap();
        assert_eq!((graph.root(), graph.has_paths(), graph.names().len()), (Some("root"), false, 4));
        assert_eq!(graph.edges().len(), 3);
        // Paths of two parts without a root are paths.
        assert!(parse("a/b,a/c").unwrap().has_paths());
    }

    #[test]
    fn faults_name_the_entry() {
        for (list, part) in [
            ("a,a//b", "entry 2"),
            ("a,,b", "entry 2"),
            ("root/a,a/b,b/a", "entry 3: a cycle"),
            ("root/a,a/", "entry 2: an edge"),
        ] {
            let message = parse(list).unwrap_err().to_string();
            assert!(message.contains(part), "{list} gave {message}");
        }
    }
}
