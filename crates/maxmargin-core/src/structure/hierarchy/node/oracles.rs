//! What labels of one node offer beyond decoding. All of them are looked at in each case.

use super::{NodeLoss, NodeScores, NodeStructure};
use crate::features::Rows;
use crate::inference::{Network, NetworkArc};
use crate::linear::FeatureSum;
use crate::structure::{
    Confidence, Flow, FlowPolytope, Found, KBest, LabelSets, MaxMarginals, Mix, PartBlock, Parts,
    ScoreStratum, Stratified, Structure, position_set_loss,
};

impl NodeStructure {
    /// A bound on what the scores of the nodes of one label add up to, without their signs.
    pub(super) fn extent(&self, nodes: &[f64]) -> f64 {
        let sizes: Vec<f64> = nodes.iter().map(|score| score.abs()).collect();
        let mut sums = Vec::new();
        self.sums(&sizes, &mut sums);
        self.ends.of_labels().iter().map(|&end| sums[end as usize]).fold(0.0, f64::max)
    }
}

impl KBest<NodeStructure> for NodeStructure {
    fn k_best(
        &self,
        _x: &Rows,
        truth: Option<&u32>,
        scores: &mut NodeScores,
        mix: Mix,
        k: usize,
    ) -> Vec<Found<u32>> {
        let mut all: Vec<Found<u32>> = self.listed(scores, truth.copied()).collect();
        let rank = |found: &Found<u32>| mix.rank(found.score, found.loss);
        all.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(std::cmp::Ordering::Equal));
        all.truncate(k);
        all
    }
}

impl MaxMarginals<NodeStructure> for NodeStructure {
    fn values(&self, _x: &Rows, y: &u32) -> Vec<u32> {
        vec![*y]
    }

    fn confidences(&self, _x: &Rows, scores: &mut NodeScores, best: &Found<u32>) -> Vec<Confidence> {
        let others = self.listed(scores, None).filter(|found| found.label != best.label);
        let other = others.fold(f64::NEG_INFINITY, |other, found| other.max(found.score));
        vec![Confidence::exactly(best, other)]
    }
}

impl Stratified<NodeStructure> for NodeStructure {
    /// Each label is a stratum of its own.
    fn strata(
        &self,
        _x: &Rows,
        truth: &u32,
        scores: &mut NodeScores,
        _step: Option<f64>,
        strata: &mut Vec<ScoreStratum>,
    ) -> bool {
        strata.clear();
        strata.extend(
            self.listed(scores, Some(*truth))
                .map(|found| ScoreStratum { score: found.score, losses: (found.loss, found.loss) }),
        );
        true
    }

    fn stratum_label(&self, _x: &Rows, _scores: &mut NodeScores, number: usize) -> u32 {
        self.labels()[number]
    }
}

/// A label is a set of one node, its own; ancestors are not counted.
impl LabelSets<NodeStructure> for NodeStructure {
    fn with_sizes(&self, background: Option<u32>) -> Self {
        let background = background.map(|node| self.end_of(node));
        Self { loss: NodeLoss::Size { background }, tree_losses: None, ..self.clone() }
    }

    fn add_set_loss(
        &self,
        truth: &u32,
        background: Option<u32>,
        scores: &NodeScores,
        scale: f64,
        out: &mut NodeScores,
    ) {
        out.losses_of = None;
        out.totals.clear();
        out.totals.extend(scores.totals.iter().map(|score| scale * score));
        for (&label, &end) in self.labels().iter().zip(self.ends.of_labels()) {
            out.totals[end as usize] += position_set_loss(*truth, label, background);
        }
    }

    fn size(&self, y: &u32, background: Option<u32>) -> f64 {
        f64::from(u8::from(Some(*y) != background))
    }

    fn set_loss(&self, truth: &u32, y: &u32, background: Option<u32>) -> f64 {
        position_set_loss(*truth, *y, background)
    }

    fn sizes(&self, _x: &Rows, _truth: &u32, background: Option<u32>) -> (f64, f64) {
        (if background.is_some() { 0.0 } else { 1.0 }, 1.0)
    }
}

/// The score of each node, and of each leaf of a label's own.
impl Parts<NodeStructure> for NodeStructure {
    fn blocks(&self, _x: &Rows) -> Vec<PartBlock> {
        vec![PartBlock::new("nodes", &[self.blocks.nodes()])]
    }

    fn scores_from_parts(&self, _x: &Rows, parts: &[f64], scores: &mut NodeScores) -> f64 {
        scores.nodes.clear();
        scores.nodes.extend_from_slice(parts);
        self.add_up(scores);
        self.extent(parts)
    }

    fn add_parts(&self, _x: &Rows, y: &u32, factor: f64, gradient: &mut [f64]) {
        self.path(*y).iter().for_each(|&node| gradient[node as usize] += factor);
    }
}

/// One unit of flow from a source to a sink, over an arc for each label, whatever the loss and the graph.
impl Flow<Rows, u32> for NodeStructure {
    fn arcs(&self, _x: &Rows) -> usize {
        self.labels().len()
    }

    fn polytope(&self, x: &Rows, truth: &u32) -> FlowPolytope {
        let mut network = Network::new(vec![1.0, -1.0]);
        for _ in self.labels() {
            network.add(NetworkArc { tail: 0, head: 1, capacity: f64::INFINITY, weight: 1.0 });
        }
        let losses = self.labels().iter().map(|&label| self.loss(x, truth, &label)).collect();
        FlowPolytope::new(network, losses, self.label_flow(x, truth))
    }

    fn label_flow(&self, _x: &Rows, y: &u32) -> Vec<f64> {
        self.labels().iter().map(|label| f64::from(u8::from(label == y))).collect()
    }

    fn arc_scores(&self, w: &[f64], x: &Rows, scores: &mut [f64]) {
        let mut all = NodeScores::default();
        self.score(w, x, &mut all);
        scores
            .iter_mut()
            .zip(self.ends.of_labels())
            .for_each(|(score, &end)| *score = all.totals[end as usize]);
    }

    fn add_arc_features(&self, x: &Rows, arc: usize, sum: &mut dyn FeatureSum) {
        self.add_features(x, &self.labels()[arc], 1.0, sum);
    }

    fn add_flow_features(&self, x: &Rows, z: &[f64], sum: &mut [f64]) {
        // What flows through each node, so that each block is added to once.
        let mut through = vec![0.0; self.blocks.nodes()];
        for (&label, &z) in self.labels().iter().zip(z).filter(|(_, z)| **z != 0.0) {
            self.path(label).iter().for_each(|&node| through[node as usize] += z);
        }
        for (node, &z) in (0..).zip(&through).filter(|(_, z)| **z != 0.0) {
            self.blocks.add_nodes(x, &[node], z, sum);
        }
    }
}
