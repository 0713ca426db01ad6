//! Labels that are paths: `a/b/c` is the child of `a/b`, which is the child of `a`.

use super::{GraphBuilder, NodeGraph};
use crate::error::Error;
use crate::shown::excerpt;

/// Paths have at most so many parts: each prefix is a name of its own, and all together take as many times the memory.
const MOST_PARTS: usize = 64;

/// The path of the parent; none at the top.
///
/// ```
/// use maxmargin::data::path_parent;
/// assert_eq!((path_parent("a/b/c"), path_parent("a")), (Some("a/b"), None));
/// ```
pub fn path_parent(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(parent, _)| parent)
}

/// What is wrong with a path.
fn check(path: &str) -> Result<(), String> {
    let mut parts = path.split('/');
    if parts.clone().take(MOST_PARTS + 1).count() > MOST_PARTS {
        return Err(format!("the path `{}` has more than {MOST_PARTS} parts", excerpt(path)));
    }
    match parts.any(str::is_empty) {
        true => {
            Err(format!("the path `{}` has an empty part; single slashes go between names", excerpt(path)))
        }
        false => Ok(()),
    }
}

impl GraphBuilder {
    /// Adds a path with all that is above it. The error is what is wrong with it.
    pub(super) fn path(&mut self, path: &str, line: usize) -> Result<(), String> {
        check(path)?;
        self.has_paths = true;
        let (mut below, mut is_new) = (path, self.names.get(path).is_none());
        self.names.add(path);
        while is_new && let Some(parent) = path_parent(below) {
            is_new = self.names.get(parent).is_none();
            self.edge(parent, below, line);
            below = parent;
        }
        Ok(())
    }
}

impl NodeGraph {
    /// The tree of labels that are paths. Refused where one is none.
    pub fn from_paths<'a>(paths: impl IntoIterator<Item = &'a str>) -> crate::error::Result<Self> {
        let mut builder = GraphBuilder { has_paths: true, ..GraphBuilder::default() };
        let error = |problem| Error::parameter("a label of the data", problem);
        paths.into_iter().try_for_each(|path| builder.path(path, 0).map_err(error))?;
        builder.finish(super::Shape::Tree, |_, problem| error(problem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_nodes() {
        let graph = NodeGraph::from_paths(["a/b/c", "d", "a/b", "a/e", "a/b/c"]).unwrap();
        let mut edges: Vec<(&str, &str)> =
            graph.edges().iter().map(|&(a, b)| (graph.names().name(a), graph.names().name(b))).collect();
        edges.sort_unstable();
        assert_eq!(edges, [("a", "a/b"), ("a", "a/e"), ("a/b", "a/b/c")]);
        assert_eq!((graph.names().len(), graph.root(), graph.has_paths()), (5, None, true));
        // One top is a node all the same: a path does not write the root.
        assert!(NodeGraph::from_paths(["a/b", "a"]).unwrap().names().get("a").is_some());
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for path in ["", "/a", "a/", "a//b", &"a/".repeat(100)] {
            assert!(NodeGraph::from_paths([path]).is_err(), "{path}");
        }
    }
}
