//! Best sets of a field without cycles, by dynamic programming from the leaves to the roots.
//!
//! `best[i][y]` is what the subtree of label i can score when i is y. With differences from a true set counted, a table per
//! subtree has a score for each number of differences; joining a child's table to its parent's is a (max, +) convolution, and
//! all joints together cost O(n²), because each pair of labels meets in one joint (Bauer et al. 2014 for other graphs).
//!
//! Trees are joined like subtrees, under a root beyond the labels that is always off. Ties are broken in favour of "off".

use super::{BinaryField, LabelGraph};
use crate::error::{Error, Result};

/// The order in which the labels of a forest are worked off; working memory for a graph.
#[derive(Debug, Clone)]
pub struct Forest {
    /// Parents come before their children.
    order: Vec<u32>,
    /// The parent of each label with the number of the edge; the label itself for a root.
    parents: Vec<(u32, u32)>,
    /// What the subtree of each label scores when it is off and on.
    best: Vec<[f64; 2]>,
    differences: Differences,
}

/// Tables of scores by number of differences.
#[derive(Debug, Clone, Default)]
struct Differences {
    /// For each label and the root beyond them: by number of differences, the best scores of its subtree when it is off and on.
    tables: Vec<Vec<[f64; 2]>>,
    /// For each label, how many differences its subtree has and whether it is on, by the number of differences of its parent's
    /// subtree with all that had joined it by then, and by the value of the parent.
    choices: Vec<Vec<[(u32, bool); 2]>>,
    joined: Vec<[f64; 2]>,
}

impl Differences {
    fn start(&mut self, field: BinaryField<'_>, truth: &[bool]) {
        let labels = field.graph.labels();
        self.tables.resize(labels + 1, Vec::new());
        self.choices.resize(labels, Vec::new());
        for (i, table) in self.tables[..labels].iter_mut().enumerate() {
            let (off, on) = ([0.0, f64::NEG_INFINITY], [f64::NEG_INFINITY, field.unary[i]]);
            table.clear();
            table.extend(if truth[i] { [on, off] } else { [off, on] });
        }
        self.tables[labels].clear();
        self.tables[labels].push([0.0, f64::NEG_INFINITY]);
    }

    fn join(&mut self, parent: usize, child: usize, coupling: f64) {
        let (child_table, parent_table) = (std::mem::take(&mut self.tables[child]), &mut self.tables[parent]);
        let size = parent_table.len() + child_table.len() - 1;
        self.joined.clear();
        self.joined.resize(size, [f64::NEG_INFINITY; 2]);
        let choices = &mut self.choices[child];
        choices.clear();
        // Where no set has that many differences (or scores overflow), a choice that is possible by number.
        let least = |differences: usize| (differences.saturating_sub(parent_table.len() - 1) as u32, false);
        choices.extend((0..size).map(|differences| [least(differences); 2]));
        for (b, &[off, on]) in child_table.iter().enumerate() {
            for (value, on) in [on, on + coupling].into_iter().enumerate() {
                let (best, is_on) = if on > off { (on, true) } else { (off, false) };
                for (a, before) in parent_table.iter().enumerate() {
                    let score = before[value] + best;
                    if score > self.joined[a + b][value] {
                        self.joined[a + b][value] = score;
                        choices[a + b][value] = (b as u32, is_on);
                    }
                }
            }
        }
        std::mem::swap(parent_table, &mut self.joined);
        self.tables[child] = child_table;
    }
}

impl Forest {
    /// Refused for graphs with a cycle.
    pub fn new(graph: &LabelGraph) -> Result<Self> {
        if !graph.is_forest() {
            return Err(Error::parameter("label graph", "there is a cycle, where only a forest will do"));
        }
        let labels = graph.labels();
        let mut order = Vec::with_capacity(labels);
        let mut parents = vec![(u32::MAX, 0); labels];
        for root in 0..labels {
            if parents[root].0 != u32::MAX {
                continue;
            }
            parents[root] = (root as u32, 0);
            let mut next = order.len();
            order.push(root as u32);
            while next < order.len() {
                let label = order[next];
                for &(child, edge) in graph.neighbours(label as usize) {
                    if parents[child as usize].0 == u32::MAX {
                        parents[child as usize] = (label, edge);
                        order.push(child);
                    }
                }
                next += 1;
            }
        }
        Ok(Self { order, parents, best: Vec::new(), differences: Differences::default() })
    }

    /// A best set of a field on this graph in which labels are as they are `fixed` (one entry per label, or none at all), and
    /// its score.
    pub fn maximize(&mut self, field: BinaryField<'_>, fixed: &[Option<bool>]) -> (Vec<bool>, f64) {
        self.best.clear();
        self.best.extend(field.unary.iter().map(|&unary| [0.0, unary]));
        for (best, fixed) in self.best.iter_mut().zip(fixed) {
            if let Some(on) = fixed {
                best[usize::from(!on)] = f64::NEG_INFINITY;
            }
        }
        for &label in self.order.iter().rev() {
            let (parent, edge) = self.parents[label as usize];
            if parent != label {
                let [off, on] = self.best[label as usize];
                let together = on + field.coupling[edge as usize];
                let [parent_off, parent_on] = &mut self.best[parent as usize];
                *parent_off += off.max(on);
                *parent_on += off.max(together);
            }
        }
        let mut set = vec![false; self.order.len()];
        for &label in &self.order {
            let (parent, edge) = self.parents[label as usize];
            let [off, on] = self.best[label as usize];
            let together = parent != label && set[parent as usize];
            set[label as usize] = on + if together { field.coupling[edge as usize] } else { 0.0 } > off;
        }
        let score = field.score(|i| set[i]);
        (set, score)
    }

    /// Fills the tables with the best scores by number of differences from a true set.
    pub fn count_differences(&mut self, field: BinaryField<'_>, truth: &[bool]) {
        self.differences.start(field, truth);
        for &label in self.order.iter().rev() {
            let (parent, edge) = self.parents[label as usize];
            let (parent, coupling) = match parent == label {
                true => (self.order.len(), 0.0),
                false => (parent as usize, field.coupling[edge as usize]),
            };
            self.differences.join(parent, label as usize, coupling);
        }
    }

    /// The best score for each number of differences, from none to all, of the tables that were filled last.
    pub fn scores(&self) -> impl Iterator<Item = f64> + '_ {
        self.differences.tables.last().into_iter().flatten().map(|scores| scores[0])
    }

    /// A best set with a number of differences that there is.
    pub fn set(&self, differences: usize) -> Vec<bool> {
        let mut set = vec![false; self.order.len() + 1];
        let mut left = vec![0; self.order.len() + 1];
        left[self.order.len()] = differences;
        // Those that come first joined last: what their parents have without them is what is left afterwards.
        for &label in &self.order {
            let parent = match self.parents[label as usize].0 {
                parent if parent == label => self.order.len(),
                parent => parent as usize,
            };
            let (of_child, on) =
                self.differences.choices[label as usize][left[parent]][usize::from(set[parent])];
            left[parent] -= of_child as usize;
            left[label as usize] = of_child as usize;
            set[label as usize] = on;
        }
        set.pop();
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_refused() {
        assert!(Forest::new(&LabelGraph::complete(3).unwrap()).is_err());
    }

    #[test]
    fn labels_without_edges_are_a_forest() -> Result<()> {
        let graph = LabelGraph::independent(3);
        let field = BinaryField { graph: &graph, unary: &[1.0, -2.0, 4.0], coupling: &[] };
        let mut forest = Forest::new(&graph)?;
        assert_eq!(forest.maximize(field, &[]), (vec![true, false, true], 5.0));
        forest.count_differences(field, &[true; 3]);
        assert_eq!(forest.scores().collect::<Vec<_>>(), [3.0, 5.0, 4.0, 0.0]);
        assert_eq!(forest.set(2), [false, false, true]);
        let none = LabelGraph::independent(0);
        let mut forest = Forest::new(&none)?;
        forest.count_differences(BinaryField { graph: &none, unary: &[], coupling: &[] }, &[]);
        assert_eq!((forest.scores().collect(), forest.set(0)), (vec![0.0], vec![]));
        Ok(())
    }
}
