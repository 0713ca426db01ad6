//! Matchings as flows: what goes in a circle through a left node, a link and a right node.
//!
//! One node stands for all that is outside. From it to each left node, and from each right node to it, leads an arc
//! whose capacity is the fertility of the side. (With a source and a sink instead, and a free arc between them, it is
//! the network of SADDLE.) Arcs 0 to edges − 1 are the edges; those of the left and then the right nodes follow. They
//! only take up slack, but count in distances like edges: features that most links share, such as the bias, couple the
//! links of a node, and steps that move all of them together must be short anyway. (With a weight of 0.1 the
//! extragradient method took half as many steps more, with 10 no fewer.)

use super::{Links, MatchingStructure};
use crate::inference::{Network, NetworkArc};
use crate::linear::FeatureSum;
use crate::structure::Graph;
use crate::structure::{Flow, FlowPolytope};

impl Flow<Graph, Links> for MatchingStructure {
    fn arcs(&self, x: &Graph) -> usize {
        x.edges().len() + x.lefts() + x.rights()
    }

    fn polytope(&self, x: &Graph, truth: &Links) -> FlowPolytope {
        let (lefts, rights) = (x.lefts() as u32, x.rights() as u32);
        let outside = lefts + rights;
        let (left_limit, right_limit) = self.options.fertility;
        // Where a node has one link at most, no edge can carry more.
        let capacity = if left_limit.min(right_limit) == 1 { f64::INFINITY } else { 1.0 };
        let mut network = Network::new(vec![0.0; outside as usize + 1]);
        for edge in x.ends() {
            network.add(NetworkArc { tail: edge.left, head: lefts + edge.right, capacity, weight: 1.0 });
        }
        let mut add_node = |tail, head, limit| {
            let capacity = f64::from(limit);
            network.add(NetworkArc { tail, head, capacity, weight: 1.0 });
        };
        (0..lefts).for_each(|left| add_node(outside, left, left_limit));
        (lefts..outside).for_each(|right| add_node(right, outside, right_limit));
        let mut losses = vec![0.0; self.arcs(x)];
        self.options.loss.each_slope(truth, x.edges().len(), |edge, slope| losses[edge] = slope);
        FlowPolytope::new(network, losses, self.label_flow(x, truth))
    }

    fn label_flow(&self, x: &Graph, y: &Links) -> Vec<f64> {
        let edges = x.ends();
        let mut flow = vec![0.0; self.arcs(x)];
        for &edge in &y.on {
            let Some(ends) = edges.get(edge as usize) else { continue };
            flow[edge as usize] = 1.0;
            flow[edges.len() + ends.left as usize] += 1.0;
            flow[edges.len() + x.lefts() + ends.right as usize] += 1.0;
        }
        flow
    }

    fn arc_scores(&self, w: &[f64], x: &Graph, scores: &mut [f64]) {
        let (links, nodes) = scores.split_at_mut(x.edges().len());
        self.score_links(w, x, links);
        nodes.fill(0.0);
    }

    fn add_arc_features(&self, x: &Graph, arc: usize, sum: &mut dyn FeatureSum) {
        if arc < x.edges().len() {
            self.add_link(x, arc, 1.0, sum);
        }
    }

    fn add_flow_features(&self, x: &Graph, z: &[f64], sum: &mut [f64]) {
        let links = z[..x.edges().len()].iter().enumerate();
        links.filter(|(_, z)| **z != 0.0).for_each(|(edge, &z)| self.add_link(x, edge, z, sum));
    }
}
