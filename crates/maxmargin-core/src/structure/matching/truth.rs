//! Truths that have more links than nodes may have.

use super::{ExtraLinks, Links, MatchingStructure};
use crate::error::{Error, Result};
use crate::inference::{BMatching, Bipartite};
use crate::structure::{Edge, Graph};

impl MatchingStructure {
    /// The truth of a graph whose edges have these labels (0 none, 1 sure, 2 possible): checked, or with its extra links
    /// made possible, as the options say.
    pub fn truth(&self, x: &Graph, labels: &[u32]) -> Result<Links> {
        if labels.len() != x.edges().len() {
            let problem = format!("{} labels for {} edges", labels.len(), x.edges().len());
            return Err(Error::parameter("truth", problem));
        }
        let truth = Links::of_labels(labels);
        match (self.check_truth(x, &truth), self.options.extra_links) {
            (Ok(()), _) => Ok(truth),
            (Err(error), ExtraLinks::Refuse) => Err(error),
            (Err(_), ExtraLinks::Free) => Ok(self.allowed_truth(x, &truth)),
        }
    }

    /// Refuses a truth in which a node has more sure links than it may have: no prediction could be right.
    pub fn check_truth(&self, x: &Graph, truth: &Links) -> Result<()> {
        let (left_limit, right_limit) = self.options.fertility;
        let (mut lefts, mut rights) = (vec![0u32; x.lefts()], vec![0u32; x.rights()]);
        for &edge in &truth.on {
            let Some(edge) = x.ends().get(edge as usize) else {
                let problem = format!("edge {edge} is linked, but there are {}", x.edges().len());
                return Err(Error::parameter("truth", problem));
            };
            lefts[edge.left as usize] += 1;
            rights[edge.right as usize] += 1;
        }
        let number = |place: usize, of: fn(&Edge) -> u32| {
            // As the data has it.
            let ends = x.ends().iter().position(|ends| of(ends) as usize == place);
            ends.map_or(place as u32, |edge| of(&x.edges()[edge]))
        };
        let left: fn(&Edge) -> u32 = |edge| edge.left;
        let right: fn(&Edge) -> u32 = |edge| edge.right;
        for (side, links, limit, of) in
            [("left", lefts, left_limit, left), ("right", rights, right_limit, right)]
        {
            if let Some(node) = links.iter().position(|&links| links > limit) {
                let (links, plural, node) =
                    (links[node], if limit == 1 { "" } else { "s" }, number(node, of));
                let problem = format!(
                    "{side} node {node} has {links} sure links, but may have {limit} link{plural} at most (nodes count from 0); allow a larger fertility, or extra links, which become possible ones"
                );
                return Err(Error::parameter("truth", problem));
            }
        }
        Ok(())
    }

    /// The truth with a largest allowed subset of its sure links; the others become possible. The same graph always gives
    /// the same subset. The links are edges of the graph.
    pub(super) fn allowed_truth(&self, x: &Graph, truth: &Links) -> Links {
        let ends = |&edge: &u32| (x.ends()[edge as usize].left, x.ends()[edge as usize].right);
        let (mut graph, mut matching) = (Bipartite::default(), BMatching::default());
        graph.reset(x.lefts(), x.rights(), truth.on.iter().map(ends));
        matching.solve(&graph, &vec![1.0; truth.on.len()], self.limits());
        let on: Vec<u32> = matching.links().into_iter().map(|place| truth.on[place as usize]).collect();
        let extra = truth.on.iter().filter(|edge| on.binary_search(edge).is_err());
        let mut free: Vec<u32> = truth.free.iter().chain(extra).copied().collect();
        free.sort_unstable();
        Links { on, free }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::MatchingOptions;
    use super::*;
    use crate::features::{FeatureMatrix, Rows};

    fn graph(edges: &[(u32, u32)]) -> Graph {
        let features = Arc::new(FeatureMatrix::from_dense(&vec![[1.0]; edges.len()]));
        let edges: Vec<Edge> = edges.iter().map(|&(left, right)| Edge { left, right }).collect();
        Graph::new(Rows::new(&features, 0..edges.len()), edges.into(), 0).unwrap()
    }

    #[test]
    fn too_many_links_name_the_node() {
        let x = graph(&[(0, 0), (1, 0), (1, 2), (0, 1)]);
        let task = MatchingStructure::new(1, MatchingOptions::default()).unwrap();
        let truth = Links::of_labels(&[1, 1, 2, 0]);
        let message = task.check_truth(&x, &truth).unwrap_err().to_string();
        assert!(
            message.contains("right node 0 has 2 sure links") && message.contains("fertility"),
            "{message}"
        );
        let message = task.check_truth(&x, &Links::of_labels(&[0, 1, 1, 0])).unwrap_err().to_string();
        assert!(message.contains("left node 1"), "{message}");
        assert!(task.check_truth(&x, &Links::of(vec![9])).is_err());
        let options = MatchingOptions { fertility: (1, 2), ..MatchingOptions::default() };
        assert!(MatchingStructure::new(1, options).unwrap().check_truth(&x, &truth).is_ok());
    }

    #[test]
    fn the_most_sure_links_stay_sure() {
        // A path of three edges: its ends stay, whatever comes first.
        let x = graph(&[(0, 0), (1, 0), (1, 1), (2, 2)]);
        let task = MatchingStructure::new(1, MatchingOptions::default()).unwrap();
        let truth = task.allowed_truth(&x, &Links::of_labels(&[1, 1, 1, 2]));
        assert_eq!(truth, Links { on: vec![0, 2], free: vec![1, 3] });
        assert!(task.check_truth(&x, &truth).is_ok());
        let options = MatchingOptions { extra_links: ExtraLinks::Free, ..MatchingOptions::default() };
        assert!(task.truth(&x, &[1, 1, 1, 2]).is_err());
        assert_eq!(MatchingStructure::new(1, options).unwrap().truth(&x, &[1, 1, 1, 2]).unwrap(), truth);
        let fine = Links::of_labels(&[1, 0, 1, 1]);
        assert_eq!(task.allowed_truth(&x, &fine), fine);
    }
}
