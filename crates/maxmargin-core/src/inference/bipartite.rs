//! Bipartite graphs as lists of edges, with the edges of each node side by side.

/// A bipartite graph. Edges keep the numbers under which they were given.
#[derive(Debug, Clone, Default)]
pub struct Bipartite {
    ends: Vec<(u32, u32)>,
    left_starts: Vec<u32>,
    left_edges: Vec<u32>,
    right_starts: Vec<u32>,
    right_edges: Vec<u32>,
}

impl Bipartite {
    /// Makes this the graph with these edges (left node, right node). The memory stays.
    pub fn reset(&mut self, lefts: usize, rights: usize, edges: impl Iterator<Item = (u32, u32)>) {
        self.ends.clear();
        self.ends.extend(edges);
        group(lefts, self.ends.iter().map(|ends| ends.0), &mut self.left_starts, &mut self.left_edges);
        group(rights, self.ends.iter().map(|ends| ends.1), &mut self.right_starts, &mut self.right_edges);
    }

    /// The number of left nodes.
    pub fn lefts(&self) -> usize {
        self.left_starts.len().saturating_sub(1)
    }

    /// The number of right nodes.
    pub fn rights(&self) -> usize {
        self.right_starts.len().saturating_sub(1)
    }

    /// The number of edges.
    pub fn edges(&self) -> usize {
        self.ends.len()
    }

    /// The left and the right node of an edge.
    pub fn ends(&self, edge: usize) -> (usize, usize) {
        let (left, right) = self.ends[edge];
        (left as usize, right as usize)
    }

    /// The edges of a left node, ascending.
    pub fn of_left(&self, left: usize) -> &[u32] {
        &self.left_edges[self.left_starts[left] as usize..self.left_starts[left + 1] as usize]
    }

    /// The edges of a right node, ascending.
    pub fn of_right(&self, right: usize) -> &[u32] {
        &self.right_edges[self.right_starts[right] as usize..self.right_starts[right + 1] as usize]
    }
}

/// Sorts edges by their node, and says where those of each node start.
fn group(
    nodes: usize,
    of: impl DoubleEndedIterator<Item = u32> + Clone,
    starts: &mut Vec<u32>,
    edges: &mut Vec<u32>,
) {
    starts.clear();
    starts.resize(nodes + 1, 0);
    for node in of.clone() {
        starts[node as usize] += 1;
    }
    let mut end = 0;
    for start in starts.iter_mut() {
        end += *start;
        *start = end;
    }
    edges.clear();
    edges.resize(end as usize, 0);
    // From the last edge to the first, each goes before those of its node that are there.
    for (node, edge) in of.rev().zip((0..end).rev()) {
        let start = &mut starts[node as usize];
        *start -= 1;
        edges[*start as usize] = edge;
    }
}
