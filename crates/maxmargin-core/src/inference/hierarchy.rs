//! Hierarchies: nodes with parents, a forest or a directed acyclic graph (THESIS ch. 6).
//!
//! Labels of a hierarchy are sets of nodes that have with each node all its ancestors; they are lists in ascending order. A
//! [`Hierarchy`] was checked when it was made: all who have one may trust that parents exist, come once and are not below their
//! children. Lists of neighbours and ancestors lie in one array each.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// All ancestors of all nodes together are kept up to this number: half a gigabyte.
const MOST_ANCESTORS: usize = 1 << 27;

/// A forest or a directed acyclic graph: nodes 0, 1, 2, … with the parents of each. The lists of a number that is no node are empty.
///
/// ```
/// use maxmargin_core::inference::Hierarchy;
/// //   0
/// //  / \
/// // 1   2
/// //  \ / \
/// //   3   4
/// let hierarchy = Hierarchy::from_edges(5, &[(0, 1), (0, 2), (1, 3), (2, 3), (2, 4)])?;
/// assert!(!hierarchy.is_tree());
/// assert_eq!((hierarchy.leaves(), hierarchy.ancestors(3)), (&[3, 4][..], &[0, 1, 2, 3][..]));
/// assert!(hierarchy.is_closed(&[0, 2, 4]) && !hierarchy.is_closed(&[0, 2, 3]));
/// assert_eq!(hierarchy.ends(&[0, 1, 2, 4]), [1, 4]);
///
/// let cycle = Hierarchy::from_edges(3, &[(0, 1), (1, 2), (2, 1)]).unwrap_err();
/// assert_eq!(cycle.to_string(), "node 1 is above itself: 1 > 2 > 1");
/// # Ok::<(), maxmargin_core::inference::HierarchyFault>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ParentLists", into = "ParentLists")]
pub struct Hierarchy {
    parents: Lists,
    children: Lists,
    ancestors: Lists,
    order: Vec<u32>,
    roots: Vec<u32>,
    leaves: Vec<u32>,
    depths: Vec<u32>,
}

/// What is wrong with a list of parents. Nodes are numbers; who knows them by name can say so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HierarchyFault {
    /// There is no node at all.
    NoNodes,
    /// There are more nodes or edges than 32 bits count.
    TooLarge,
    /// A node or its parent is none of the nodes.
    OutOfRange {
        /// The parent.
        parent: u32,
        /// The child.
        child: u32,
        /// How many nodes there are.
        nodes: usize,
    },
    /// An edge comes twice.
    Twice {
        /// The parent.
        parent: u32,
        /// The child.
        child: u32,
    },
    /// These nodes are above each other, each above the next and the last above the first.
    Cycle(Vec<u32>),
    /// So deep that the ancestors of all nodes cannot be kept.
    TooDeep,
}

impl fmt::Display for HierarchyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNodes => write!(f, "it has no nodes"),
            Self::TooLarge => write!(f, "it has 2³² nodes or edges, or more"),
            Self::OutOfRange { parent, child, nodes } => {
                let last = nodes.saturating_sub(1);
                write!(f, "the edge from node {parent} to node {child}, but nodes are numbered 0 to {last}")
            }
            Self::Twice { parent, child } => {
                write!(f, "the edge from node {parent} to node {child} comes twice")
            }
            Self::Cycle(nodes) => {
                let first = nodes.first().copied().unwrap_or(0);
                write!(f, "node {first} is above itself: ")?;
                nodes.iter().take(20).try_for_each(|node| write!(f, "{node} > "))?;
                write!(f, "{}{first}", if nodes.len() > 20 { "… > " } else { "" })
            }
            Self::TooDeep => {
                write!(
                    f,
                    "its nodes have more than {MOST_ANCESTORS} ancestors together; cut off what is deep"
                )
            }
        }
    }
}

impl std::error::Error for HierarchyFault {}

impl From<HierarchyFault> for Error {
    fn from(fault: HierarchyFault) -> Self {
        Error::parameter("hierarchy", fault.to_string())
    }
}

impl Hierarchy {
    /// A hierarchy with edges from parents to children.
    pub fn from_edges(nodes: usize, edges: &[(u32, u32)]) -> Result<Self, HierarchyFault> {
        if u32::try_from(nodes.max(edges.len())).is_err() {
            return Err(HierarchyFault::TooLarge);
        }
        if nodes == 0 {
            return Err(HierarchyFault::NoNodes);
        }
        if let Some(&(parent, child)) = edges.iter().find(|edge| edge.0.max(edge.1) as usize >= nodes) {
            return Err(HierarchyFault::OutOfRange { parent, child, nodes });
        }
        let parents = Lists::of(nodes, edges.iter().map(|&(parent, child)| (child, parent)));
        for child in 0..nodes {
            if let Some(pair) = parents.get(child).windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(HierarchyFault::Twice { parent: pair[0], child: child as u32 });
            }
        }
        let children = Lists::of(nodes, edges.iter().copied());
        let order = topological(&parents, &children)?;
        let mut depths = vec![0; nodes];
        for &node in &order {
            let above = parents.get(node as usize).iter().map(|&parent| depths[parent as usize] + 1);
            depths[node as usize] = above.max().unwrap_or(0);
        }
        let ancestors = all_ancestors(&parents, &order)?;
        let without = |lists: &Lists| -> Vec<u32> {
            (0..nodes as u32).filter(|&node| lists.get(node as usize).is_empty()).collect()
        };
        let (roots, leaves) = (without(&parents), without(&children));
        Ok(Self { parents, children, ancestors, order, roots, leaves, depths })
    }

    /// A hierarchy from the list of each node's parents.
    pub fn from_parents<P: AsRef<[u32]>>(parents: &[P]) -> Result<Self, HierarchyFault> {
        if u32::try_from(parents.len()).is_err() {
            return Err(HierarchyFault::TooLarge);
        }
        let edges = (0..).zip(parents);
        let edges = edges.flat_map(|(child, list)| list.as_ref().iter().map(move |&parent| (parent, child)));
        Self::from_edges(parents.len(), &edges.collect::<Vec<_>>())
    }

    /// A forest from the parent of each node; roots have none.
    pub fn forest(parents: &[Option<u32>]) -> Result<Self, HierarchyFault> {
        let lists: Vec<&[u32]> = parents.iter().map(|parent| parent.as_slice()).collect();
        Self::from_parents(&lists)
    }

    /// The same with one more leaf below each of some nodes; the new ones come after all others, in the order of their parents.
    ///
    /// ```
    /// use maxmargin_core::inference::Hierarchy;
    /// let tree = Hierarchy::forest(&[None, Some(0), Some(0)])?.with_leaves_below(&[0])?;
    /// assert_eq!((tree.leaves(), tree.ancestors(3)), (&[1, 2, 3][..], &[0, 3][..]));
    /// # Ok::<(), maxmargin_core::inference::HierarchyFault>(())
    /// ```
    pub fn with_leaves_below(&self, nodes: &[u32]) -> Result<Self, HierarchyFault> {
        let parents = (0..self.nodes()).map(|node| self.parents.get(node));
        let lists: Vec<&[u32]> = parents.chain(nodes.iter().map(std::slice::from_ref)).collect();
        Self::from_parents(&lists)
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.order.len()
    }

    /// The number of edges.
    pub fn edges(&self) -> usize {
        self.parents.entries.len()
    }

    /// The parents of a node, ascending.
    pub fn parents(&self, node: u32) -> &[u32] {
        self.parents.get(node as usize)
    }

    /// The children of a node, ascending.
    pub fn children(&self, node: u32) -> &[u32] {
        self.children.get(node as usize)
    }

    /// Ā(n): a node with all its ancestors, ascending.
    pub fn ancestors(&self, node: u32) -> &[u32] {
        self.ancestors.get(node as usize)
    }

    /// All nodes, parents before their children.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The nodes without parents, ascending.
    pub fn roots(&self) -> &[u32] {
        &self.roots
    }

    /// The nodes without children, ascending.
    pub fn leaves(&self) -> &[u32] {
        &self.leaves
    }

    /// Whether this is a node without children.
    pub fn is_leaf(&self, node: u32) -> bool {
        (node as usize) < self.nodes() && self.children(node).is_empty()
    }

    /// Whether no node has two parents: a tree, or several.
    pub fn is_tree(&self) -> bool {
        (0..self.nodes()).all(|node| self.parents.get(node).len() <= 1)
    }

    /// The number of edges on the longest way from a root to a node; 0 where there is no such node.
    pub fn depth(&self, node: u32) -> usize {
        self.depths.get(node as usize).map_or(0, |&depth| depth as usize)
    }

    /// Whether these, in ascending order, are nodes and have with each node its ancestors.
    pub fn is_closed(&self, nodes: &[u32]) -> bool {
        let has = |node: &u32| nodes.binary_search(node).is_ok();
        nodes.iter().all(|&node| (node as usize) < self.nodes() && self.parents(node).iter().all(has))
    }

    /// These nodes with all their ancestors, ascending; without numbers that are those of no node.
    pub fn closure(&self, nodes: &[u32]) -> Vec<u32> {
        let mut closure: Vec<u32> = nodes.iter().flat_map(|&node| self.ancestors(node)).copied().collect();
        closure.sort_unstable();
        closure.dedup();
        closure
    }

    /// Of nodes in ascending order those that have none of their children there: where the paths of a label end.
    pub fn ends(&self, nodes: &[u32]) -> Vec<u32> {
        let has_child =
            |node: u32| self.children(node).iter().any(|child| nodes.binary_search(child).is_ok());
        nodes.iter().copied().filter(|&node| !has_child(node)).collect()
    }
}

/// The form in which a hierarchy is kept in files.
#[derive(Serialize, Deserialize)]
struct ParentLists {
    parents: Vec<Vec<u32>>,
}

impl TryFrom<ParentLists> for Hierarchy {
    type Error = HierarchyFault;

    fn try_from(lists: ParentLists) -> Result<Self, HierarchyFault> {
        Self::from_parents(&lists.parents)
    }
}

impl From<Hierarchy> for ParentLists {
    fn from(hierarchy: Hierarchy) -> Self {
        let parents = (0..hierarchy.nodes()).map(|node| hierarchy.parents.get(node).to_vec());
        Self { parents: parents.collect() }
    }
}

/// A list of nodes for each node, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Lists {
    starts: Vec<usize>,
    entries: Vec<u32>,
}

impl Lists {
    /// Lists from pairs of a node and an entry of its list, which then ascends.
    fn of(nodes: usize, pairs: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut sorted: Vec<(u32, u32)> = pairs.collect();
        sorted.sort_unstable();
        let mut starts = vec![0; nodes + 1];
        sorted.iter().for_each(|pair| starts[pair.0 as usize + 1] += 1);
        (0..nodes).for_each(|node| starts[node + 1] += starts[node]);
        Self { starts, entries: sorted.into_iter().map(|pair| pair.1).collect() }
    }

    /// The list of a node; empty where there is no such node.
    #[inline]
    fn get(&self, node: usize) -> &[u32] {
        match self.starts.get(node..).and_then(|rest| rest.first_chunk()) {
            Some(&[start, end]) => &self.entries[start..end],
            None => &[],
        }
    }
}

/// All nodes, parents first, or a cycle.
fn topological(parents: &Lists, children: &Lists) -> Result<Vec<u32>, HierarchyFault> {
    let nodes = parents.starts.len() - 1;
    let mut missing: Vec<usize> = (0..nodes).map(|node| parents.get(node).len()).collect();
    let mut order: Vec<u32> = (0..nodes as u32).filter(|&node| missing[node as usize] == 0).collect();
    let mut next = 0;
    while next < order.len() {
        for &child in children.get(order[next] as usize) {
            missing[child as usize] -= 1;
            if missing[child as usize] == 0 {
                order.push(child);
            }
        }
        next += 1;
    }
    match missing.iter().position(|&missing| missing > 0) {
        None => Ok(order),
        Some(node) => Err(HierarchyFault::Cycle(cycle_above(parents, &missing, node))),
    }
}

/// A cycle among nodes that lack parents in the order: each has a parent that lacks one too, so going up must come back.
fn cycle_above(parents: &Lists, missing: &[usize], mut node: usize) -> Vec<u32> {
    let mut place = vec![usize::MAX; missing.len()];
    let mut way = Vec::new();
    while place[node] == usize::MAX {
        place[node] = way.len();
        way.push(node as u32);
        let up = parents.get(node).iter().find(|&&parent| missing[parent as usize] > 0);
        node = up.map_or(node, |&parent| parent as usize);
    }
    let mut cycle = way.split_off(place[node]);
    cycle.reverse();
    // From the smallest on, so that the message does not depend on where the search began.
    let least = (0..cycle.len()).min_by_key(|&at| cycle[at]).unwrap_or(0);
    cycle.rotate_left(least);
    cycle
}

/// For each node itself and all above it.
fn all_ancestors(parents: &Lists, order: &[u32]) -> Result<Lists, HierarchyFault> {
    let mut spans = vec![(0, 0); order.len()];
    let mut found: Vec<u32> = Vec::new();
    let mut seen = vec![u32::MAX; order.len()];
    for &node in order {
        let start = found.len();
        found.push(node);
        for &parent in parents.get(node as usize) {
            let (from, to): (usize, usize) = spans[parent as usize];
            for place in from..to {
                let ancestor = found[place];
                if seen[ancestor as usize] != node {
                    seen[ancestor as usize] = node;
                    found.push(ancestor);
                }
            }
            if found.len() > MOST_ANCESTORS {
                return Err(HierarchyFault::TooDeep);
            }
        }
        found[start..].sort_unstable();
        spans[node as usize] = (start, found.len());
    }
    let mut starts = Vec::with_capacity(order.len() + 1);
    starts.push(0);
    let mut entries = Vec::with_capacity(found.len());
    for (start, end) in spans {
        entries.extend_from_slice(&found[start..end]);
        starts.push(entries.len());
    }
    Ok(Lists { starts, entries })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forest_knows_its_nodes() -> Result<(), HierarchyFault> {
        // Numbers need not go down: 3 is the root of 0 and 2, 4 stands alone, 1 is below 2.
        let forest = Hierarchy::forest(&[Some(3), Some(2), Some(3), None, None])?;
        assert!(forest.is_tree());
        assert_eq!((forest.nodes(), forest.edges()), (5, 3));
        assert_eq!((forest.roots(), forest.leaves()), (&[3, 4][..], &[0, 1, 4][..]));
        assert_eq!((forest.children(3), forest.parents(1)), (&[0, 2][..], &[2][..]));
        assert_eq!((forest.ancestors(1), forest.depth(1), forest.depth(4)), (&[1, 2, 3][..], 2, 0));
        assert_eq!(forest.closure(&[1, 4]), [1, 2, 3, 4]);
        assert_eq!(forest.ends(&[1, 2, 3, 4]), [1, 4]);
        for &node in forest.order() {
            let place = |node: u32| forest.order().iter().position(|&other| other == node);
            assert!(forest.parents(node).iter().all(|&parent| place(parent) < place(node)));
        }
        Ok(())
    }

    #[test]
    fn depths_are_of_longest_ways() -> Result<(), HierarchyFault> {
        let graph = Hierarchy::from_parents(&[vec![], vec![0], vec![0, 1], vec![2, 0]])?;
        assert_eq!([0, 1, 2, 3].map(|node| graph.depth(node)), [0, 1, 2, 3]);
        assert!(!graph.is_tree() && graph.is_closed(&[0, 1, 2]) && !graph.is_closed(&[0, 2]));
        Ok(())
    }

    #[test]
    fn faults_name_their_nodes() {
        let fault = |nodes, edges: &[(u32, u32)]| Hierarchy::from_edges(nodes, edges).unwrap_err();
        assert_eq!(fault(0, &[]), HierarchyFault::NoNodes);
        assert_eq!(fault(2, &[(0, 1), (2, 1)]), HierarchyFault::OutOfRange { parent: 2, child: 1, nodes: 2 });
        assert_eq!(fault(2, &[(0, 1), (0, 1)]), HierarchyFault::Twice { parent: 0, child: 1 });
        assert_eq!(fault(2, &[(1, 1)]), HierarchyFault::Cycle(vec![1]));
        assert_eq!(fault(6, &[(0, 5), (5, 3), (3, 2), (2, 5), (2, 4)]), HierarchyFault::Cycle(vec![2, 5, 3]));
        let long: Vec<(u32, u32)> = (0..100).map(|node| (node, (node + 1) % 100)).collect();
        assert!(fault(100, &long).to_string().ends_with("18 > 19 > … > 0"));
        let deep: Vec<(u32, u32)> = (0..40_000).map(|node| (node, node + 1)).collect();
        assert_eq!(fault(40_001, &deep), HierarchyFault::TooDeep);
    }

    #[test]
    fn what_is_read_back_was_checked() -> Result<(), Box<dyn std::error::Error>> {
        let graph = Hierarchy::from_parents(&[vec![], vec![0], vec![0, 1]])?;
        let bytes = postcard::to_stdvec(&graph)?;
        assert_eq!(postcard::from_bytes::<Hierarchy>(&bytes)?, graph);
        let cycle = postcard::to_stdvec(&ParentLists { parents: vec![vec![1], vec![0]] })?;
        assert!(postcard::from_bytes::<Hierarchy>(&cycle).is_err());
        Ok(())
    }
}
