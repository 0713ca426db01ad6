//! Binary fields: labels that are on or off, with a score for each and for each pair that is on together.
//!
//! score(y) = Σ_i unary_i·y_i + Σ_e coupling_e·y_i·y_j over the edges e = (i,j) of a graph of labels. Every score with four
//! numbers per pair can be written like this, up to a constant.

use crate::error::{Error, Result};

/// Which pairs of labels have a score.
///
/// ```
/// use maxmargin_core::inference::LabelGraph;
/// let graph = LabelGraph::new(4, vec![(0, 1), (3, 1)])?;
/// assert_eq!(graph.edge(1, 3), Some(1));
/// assert_eq!(graph.edge(0, 3), None);
/// assert!(graph.is_forest() && !LabelGraph::complete(3)?.is_forest());
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelGraph {
    labels: usize,
    /// The smaller label first, sorted.
    edges: Vec<(u32, u32)>,
    /// Where the neighbours of each label start, and the end; empty where no label has any.
    starts: Vec<usize>,
    /// The neighbours of the first label with the numbers of the edges to them, in ascending order, then of the second …
    neighbours: Vec<(u32, u32)>,
}

impl LabelGraph {
    /// A graph with these edges. Refused where an edge is a loop, comes twice, or names a label that does not exist, and where there are 2³² labels or
    /// edges, or more.
    pub fn new(labels: usize, edges: Vec<(u32, u32)>) -> Result<Self> {
        if edges.is_empty() {
            return Ok(Self::independent(labels));
        }
        if u32::try_from(labels.max(edges.len())).is_err() {
            return Err(Error::parameter("label graph", "it has 2³² labels or edges, or more"));
        }
        let mut edges: Vec<(u32, u32)> = edges.into_iter().map(|(i, j)| (i.min(j), i.max(j))).collect();
        edges.sort_unstable();
        for (place, &(i, j)) in edges.iter().enumerate() {
            let problem = match () {
                () if j as usize >= labels => {
                    format!("the pair ({i}, {j}) names a label beyond the {labels} there are")
                }
                () if i == j => format!("label {i} is paired with itself"),
                () if place > 0 && edges[place - 1] == (i, j) => format!("the pair ({i}, {j}) comes twice"),
                () => continue,
            };
            return Err(Error::parameter("label graph", problem));
        }
        let mut starts = vec![0; labels + 1];
        for &(i, j) in &edges {
            starts[i as usize + 1] += 1;
            starts[j as usize + 1] += 1;
        }
        for label in 0..labels {
            starts[label + 1] += starts[label];
        }
        let mut free = starts.clone();
        let mut neighbours = vec![(0, 0); 2 * edges.len()];
        // Edges are sorted by their smaller label, so that a first run lists the smaller neighbours of each label in
        // ascending order, and a second one the larger neighbours.
        for (e, &(i, j)) in edges.iter().enumerate() {
            neighbours[free[j as usize]] = (i, e as u32);
            free[j as usize] += 1;
        }
        for (e, &(i, j)) in edges.iter().enumerate() {
            neighbours[free[i as usize]] = (j, e as u32);
            free[i as usize] += 1;
        }
        Ok(Self { labels, edges, starts, neighbours })
    }

    /// All pairs. Refused where these are 2³² or more.
    pub fn complete(labels: usize) -> Result<Self> {
        if u32::try_from(all_pairs(labels)).is_err() {
            let problem = format!("the pairs of {labels} labels are 2³² or more");
            return Err(Error::parameter("label graph", problem));
        }
        let pairs = (0..labels as u32).flat_map(|i| (i + 1..labels as u32).map(move |j| (i, j)));
        Self::new(labels, pairs.collect())
    }

    /// No pair: labels are independent.
    pub fn independent(labels: usize) -> Self {
        Self { labels, edges: Vec::new(), starts: Vec::new(), neighbours: Vec::new() }
    }

    /// The number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// The pairs, the smaller label first, in ascending order.
    pub fn edges(&self) -> &[(u32, u32)] {
        &self.edges
    }

    /// The neighbours of a label in ascending order, each with the number of the edge. A label that there is not has none.
    pub fn neighbours(&self, label: usize) -> &[(u32, u32)] {
        match self.starts.get(label..).and_then(|rest| rest.first_chunk()) {
            Some(&[start, end]) => &self.neighbours[start..end],
            None => &[],
        }
    }

    /// Whether all pairs are there.
    pub fn is_complete(&self) -> bool {
        self.edges.len() == all_pairs(self.labels)
    }

    /// The number of the edge between two labels, if there is one.
    pub fn edge(&self, i: usize, j: usize) -> Option<usize> {
        if i == j || i.max(j) >= self.labels {
            return None;
        }
        if self.is_complete() {
            let (i, j) = (i.min(j), i.max(j));
            return Some(i * (2 * self.labels - i - 1) / 2 + j - i - 1);
        }
        let neighbours = self.neighbours(i);
        let place = neighbours.binary_search_by_key(&(j as u32), |neighbour| neighbour.0).ok()?;
        Some(neighbours[place].1 as usize)
    }

    /// Whether there is no cycle, so that decoding is dynamic programming.
    pub fn is_forest(&self) -> bool {
        if self.edges.is_empty() {
            return true;
        }
        let mut root: Vec<usize> = (0..self.labels).collect();
        fn find(root: &mut [usize], mut label: usize) -> usize {
            while root[label] != label {
                root[label] = root[root[label]];
                label = root[label];
            }
            label
        }
        self.edges.iter().all(|&(i, j)| {
            let (i, j) = (find(&mut root, i as usize), find(&mut root, j as usize));
            root[i] = j;
            i != j
        })
    }
}

/// The scores of one input's labels and pairs.
#[derive(Debug, Clone, Copy)]
pub struct BinaryField<'a> {
    /// The pairs.
    pub graph: &'a LabelGraph,
    /// The score of each label that is on.
    pub unary: &'a [f64],
    /// For each edge the score of both labels together.
    pub coupling: &'a [f64],
}

impl BinaryField<'_> {
    /// The score of a set of labels.
    pub fn score(&self, is_on: impl Fn(usize) -> bool) -> f64 {
        let unary: f64 = (0..self.graph.labels()).filter(|&i| is_on(i)).map(|i| self.unary[i]).sum();
        let pairs = self.graph.edges().iter().zip(self.coupling);
        let on = pairs.filter(|((i, j), _)| is_on(*i as usize) && is_on(*j as usize));
        unary + on.map(|(_, coupling)| coupling).sum::<f64>()
    }
}

/// How many pairs so many labels make; the largest number where it is larger.
fn all_pairs(labels: usize) -> usize {
    let (even, odd) =
        if labels.is_multiple_of(2) { (labels, labels.saturating_sub(1)) } else { (labels - 1, labels) };
    (even / 2).saturating_mul(odd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_numbered_alike_everywhere() {
        let all = LabelGraph::complete(6).unwrap();
        for (e, &(i, j)) in all.edges().iter().enumerate() {
            assert_eq!(
                (all.edge(i as usize, j as usize), all.edge(j as usize, i as usize)),
                (Some(e), Some(e))
            );
            assert!(all.neighbours(i as usize).contains(&(j, e as u32)));
        }
        for label in 0..6 {
            assert!(all.neighbours(label).is_sorted());
        }
        assert_eq!(all.edge(2, 2), None);
    }

    #[test]
    fn what_is_no_graph_is_refused() {
        for (edges, part) in
            [(vec![(0, 3)], "beyond"), (vec![(1, 1)], "itself"), (vec![(0, 1), (1, 0)], "twice")]
        {
            assert!(LabelGraph::new(3, edges).unwrap_err().to_string().contains(part));
        }
    }
}
