//! Which nodes are labels, and where the path of each ends: at the node, or at a leaf of its own below it.
//!
//! Labels are numbers of the hierarchy's nodes. Leaves of labels' own are known here and to the blocks of weights only: they are nodes of a graph
//! that goes on after those of the hierarchy, so that a node has the same number in both.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::inference::Hierarchy;

/// The place of a node that is no label.
const NO_LABEL: u32 = u32::MAX;

/// The labels of a hierarchy, and where their paths end.
#[derive(Debug, Clone)]
pub(super) struct LabelEnds {
    pub hierarchy: Arc<Hierarchy>,
    /// The nodes that are labels, ascending, and the place of each node among them, or none.
    labels: Arc<[u32]>,
    places: Arc<[u32]>,
    /// The end of each label; shared with the labels where all end at their nodes.
    ends: Arc<[u32]>,
}

impl LabelEnds {
    /// With labels, or the leaves for these; and the graph that has the leaves of labels' own, where labels inside are to have some.
    pub fn new(
        hierarchy: Arc<Hierarchy>,
        labels: Option<&[u32]>,
        own_leaves: bool,
    ) -> Result<(Self, Arc<Hierarchy>)> {
        let nodes = hierarchy.nodes();
        let mut labels = labels.unwrap_or(hierarchy.leaves()).to_vec();
        crate::structure::ascend(&mut labels);
        if let Some(last) = labels.last().filter(|last| **last as usize >= nodes) {
            let problem = format!("node {last} is to be a label; nodes are numbered 0 to {}", nodes - 1);
            return Err(Error::parameter("labels", problem));
        }
        if labels.len() < 2 {
            let problem =
                format!("{} node(s) for labels; nothing is to learn with fewer than two", labels.len());
            return Err(Error::parameter("labels", problem));
        }
        let mut places = vec![NO_LABEL; nodes];
        for (place, &label) in (0..).zip(&labels) {
            places[label as usize] = place;
        }
        let (labels, places): (Arc<[u32]>, _) = (labels.into(), places.into());
        let inside: Vec<u32> = match own_leaves {
            true => labels.iter().copied().filter(|&label| !hierarchy.is_leaf(label)).collect(),
            false => Vec::new(),
        };
        if inside.is_empty() {
            let graph = Arc::clone(&hierarchy);
            return Ok((Self { hierarchy, places, ends: Arc::clone(&labels), labels }, graph));
        }
        let graph = Arc::new(hierarchy.with_leaves_below(&inside)?);
        let mut own = nodes as u32..;
        let end = |&label: &u32| match hierarchy.is_leaf(label) {
            true => Some(label),
            false => own.next(),
        };
        let ends = labels.iter().filter_map(end).collect();
        Ok((Self { hierarchy, labels, places, ends }, graph))
    }

    /// The nodes that are labels, ascending.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// Where the paths of the labels end.
    pub fn of_labels(&self) -> &[u32] {
        &self.ends
    }

    /// Where the path of a label ends; that of a node that is no label ends there.
    #[inline]
    pub fn of(&self, label: u32) -> u32 {
        match self.places[label as usize] {
            NO_LABEL => label,
            place => self.ends[place as usize],
        }
    }

    /// Whether a node is a label.
    pub fn has(&self, node: u32) -> bool {
        self.places.get(node as usize).is_some_and(|&place| place != NO_LABEL)
    }

    /// Refuses what is no label.
    pub fn check(&self, label: u32) -> Result<()> {
        let problem = match (self.has(label), label as usize >= self.places.len()) {
            (true, _) => return Ok(()),
            (false, false) => format!("node {label} is none of the labels"),
            (false, true) => {
                format!("there is no node {label}; they are numbered 0 to {}", self.places.len() - 1)
            }
        };
        Err(Error::parameter("label", problem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_inside_have_leaves_of_their_own() -> Result<()> {
        // 0 above 1 and 2; 2 above 3; 4 alone.
        let tree = Arc::new(Hierarchy::forest(&[None, Some(0), Some(0), Some(2), None])?);
        let (ends, graph) = LabelEnds::new(Arc::clone(&tree), Some(&[4, 0, 3, 2]), true)?;
        assert_eq!((ends.labels(), ends.of_labels()), (&[0, 2, 3, 4][..], &[5, 6, 3, 4][..]));
        assert_eq!((graph.ancestors(5), graph.ancestors(6)), (&[0, 5][..], &[0, 2, 6][..]));
        assert_eq!([0, 1, 2, 3].map(|node| ends.of(node)), [5, 1, 6, 3]);
        assert!(ends.check(1).unwrap_err().to_string().contains("none of the labels"));
        // A leaf of a label's own is no label.
        assert!(ends.check(5).unwrap_err().to_string().contains("no node 5"));
        let (ends, graph) = LabelEnds::new(Arc::clone(&tree), Some(&[0, 1]), false)?;
        assert_eq!((ends.of_labels(), graph.nodes()), (&[0, 1][..], 5));
        let (_, graph) = LabelEnds::new(tree, None, true)?;
        assert_eq!(graph.nodes(), 5);
        Ok(())
    }
}
