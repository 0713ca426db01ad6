//! Files with hierarchies: edges, paths, or the parent of each node.
//!
//! What a file holds is told from its first line that is not empty. Two fields are an edge, `parent child`. One field is a path
//! `a/b/c`, or the name of a node at the top; where it is a whole number, line by line, the file is an array with the number of each
//! node's parent: nodes count from 0 where -1 stands for none, and from 1 where 0 does.
//!
//! ```text
//! root animal          animal/cat          0
//! animal cat           animal/dog          1
//! animal dog           plant               1
//! ```

use std::path::Path;

use super::super::label_lines::{self, LabelLine};
use super::{GraphBuilder, NodeGraph, Shape, in_file};
use crate::data::Alphabet;
use crate::error::Result;
use crate::shown::excerpt;

/// What the lines of a file are.
enum Content {
    Edges,
    Paths,
    /// The parents of nodes, each with its line.
    Parents(Vec<(i64, usize)>),
}

/// Reads a hierarchy from a file.
pub fn read_hierarchy(path: &Path, shape: Shape) -> Result<NodeGraph> {
    let mut builder = GraphBuilder::default();
    let mut content = None;
    label_lines::for_each_line(path, |line| match content.get_or_insert_with(|| content_of(line)) {
        Content::Edges => {
            let [parent, child] = &line.fields[..] else {
                return Err(line.miscounted("`parent child`, two fields", 2));
            };
            builder.edge(parent, child, line.number());
            Ok(())
        }
        Content::Paths => {
            let [node] = &line.fields[..] else {
                return Err(line.error("expected a path like `a/b/c`, one field"));
            };
            builder.path(node, line.number()).map_err(|problem| line.error(problem))
        }
        Content::Parents(parents) => {
            let number = match &line.fields[..] {
                [number] => number.parse::<i64>().ok().filter(|&number| number >= -1),
                _ => None,
            };
            let problem = "expected the number of a node's parent, as on the lines before";
            parents.push((number.ok_or_else(|| line.error(problem))?, line.number()));
            Ok(())
        }
    })?;
    if let Some(Content::Parents(parents)) = content {
        add_parents(&mut builder, &parents, in_file(path))?;
    }
    let graph = builder.finish(shape, in_file(path))?;
    match graph.names.is_empty() {
        true => Err(in_file(path)(
            0,
            "no node; expected lines `parent child`, paths like `a/b/c`, or the number of each node's parent"
                .to_owned(),
        )),
        false => Ok(graph),
    }
}

fn content_of(line: &LabelLine<'_>) -> Content {
    match &line.fields[..] {
        [one] if one.parse::<i64>().is_ok() => Content::Parents(Vec::new()),
        [_] => Content::Paths,
        _ => Content::Edges,
    }
}

/// Adds nodes of which the parents are listed.
fn add_parents(
    builder: &mut GraphBuilder,
    parents: &[(i64, usize)],
    error: impl Fn(usize, String) -> crate::Error,
) -> Result<()> {
    let first = if parents.iter().any(|&(parent, _)| parent == -1) { 0 } else { 1 };
    let last = first + parents.len() as i64 - 1;
    // Above the nodes without a parent is a root, which is no node: the builder takes it away again.
    (first..=last).for_each(|node| _ = builder.names.add(&node.to_string()));
    for (node, &(parent, line)) in (first..).zip(parents) {
        if parent == first - 1 {
            continue;
        }
        if parent > last {
            let problem =
                format!("node {node} is below {parent}, but the nodes of this file are {first} to {last}");
            return Err(error(line, problem));
        }
        builder.edge(&parent.to_string(), &node.to_string(), line);
    }
    Ok(())
}

/// Reads what nodes are called in data: lines `label node`. Refused where a node is not in the hierarchy, or has two labels.
pub fn read_node_names(path: &Path, graph: &NodeGraph) -> Result<Vec<(String, String)>> {
    let mut found: Vec<(String, String)> = Vec::new();
    let (mut labels, mut nodes) = (Alphabet::default(), Alphabet::default());
    label_lines::for_each_line(path, |line| {
        let [label, node] = &line.fields[..] else {
            return Err(line.miscounted("`label node`, two fields", 2));
        };
        if graph.names.get(node).is_none() {
            let problem = format!("`{}` is no node of the hierarchy", excerpt(&**node));
            return Err(line.error(problem));
        }
        if graph.names.get(label).is_some() && label != node {
            let problem = format!("the label `{}` is a node of the hierarchy by itself", excerpt(&**label));
            return Err(line.error(problem));
        }
        if labels.get(label).is_some() || nodes.get(node).is_some() {
            let problem =
                format!("the label `{}` or the node `{}` comes twice", excerpt(&**label), excerpt(&**node));
            return Err(line.error(problem));
        }
        labels.add(label);
        nodes.add(node);
        found.push((label.to_string(), node.to_string()));
        Ok(())
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, shape: Shape) -> Result<NodeGraph> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        read_hierarchy(file.path(), shape)
    }

    #[test]
    fn all_three_kinds_say_the_same() {
        let edges = read("# animals\nroot 1\n1 2\n\n1 3\n", Shape::Tree).unwrap();
        let parents = read("0\n1\n1\n", Shape::Tree).unwrap();
        assert_eq!(edges.root(), Some("root"));
        // Of one top without a name above it nobody can tell that it is no root.
        assert_eq!((parents.root(), parents.names().len()), (Some("1"), 2));
        let parents = read("-1\n0\n0\n-1\n", Shape::Tree).unwrap();
        assert!(parents.names().iter().eq(["0", "1", "2", "3"]));
        assert_eq!(parents.edges(), [(0, 1), (0, 2)]);
        let paths =
            read("animal/cat\nanimal/dog\n\"sea plant\"/\n".trim_end_matches("/\n"), Shape::Tree).unwrap();
        assert_eq!((paths.names().len(), paths.edges().len()), (4, 2));
    }

    #[test]
    fn faults_have_a_line() {
        for (text, shape, part) in [
            ("r a\nr b\na c\nb c\n", Shape::Tree, ":4: `c` is below `b` and below `a` (line 3)"),
            ("r a\na b\nb a\n", Shape::Dag, ":3: a cycle: `a` > `b` > `a`"),
            ("a a\n", Shape::Tree, ":1: a cycle"),
            ("a b\na\n", Shape::Tree, ":2: expected `parent child`"),
            ("a/b\na//c\n", Shape::Tree, ":2: the path `a//c` has an empty part"),
            ("0\n1\n9\n", Shape::Tree, ":3: node 3 is below 9, but the nodes of this file are 1 to 3"),
            ("0\nx\n", Shape::Tree, ":2: expected the number"),
            ("2\n1\n", Shape::Tree, "a cycle"),
            ("# nothing\n", Shape::Tree, "no node"),
        ] {
            let message = read(text, shape).unwrap_err().to_string();
            assert!(message.contains(part), "{text:?} gave {message:?}");
        }
        assert!(read("r a\nr b\na c\nb c\n", Shape::Dag).is_ok());
    }

    #[test]
    fn labels_are_called_by_their_nodes() {
        let graph = NodeGraph::from_edges([("r", "a"), ("r", "b")], Shape::Tree).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        let read = |text: &str| {
            std::fs::write(file.path(), text).unwrap();
            read_node_names(file.path(), &graph)
        };
        assert_eq!(
            read("0 a\n1 b\n").unwrap(),
            [("0".to_owned(), "a".to_owned()), ("1".to_owned(), "b".to_owned())]
        );
        for (text, part) in [
            ("0 c", ":1: `c` is no node"),
            ("0 a\nb a", ":2: the label `b` is a node"),
            ("0 a\n1 a", ":2: the label `1` or the node `a` comes twice"),
            ("0", "two fields"),
        ] {
            let message = read(text).unwrap_err().to_string();
            assert!(message.contains(part), "{text:?} gave {message:?}");
        }
    }
}
