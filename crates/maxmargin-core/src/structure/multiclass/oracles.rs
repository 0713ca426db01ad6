//! What a multiclass task offers beyond decoding. All labels are looked at in each case: there are not many.

use super::MulticlassStructure;
use crate::features::Rows;
use crate::inference::{Network, NetworkArc};
use crate::linear::{FeatureSum, add_row_products, largest_size};
use crate::structure::{
    Confidence, Flow, FlowPolytope, Found, KBest, LabelCost, LabelSets, MaxMarginals, Mix, PartBlock, Parts,
    ScoreStratum, Stratified, Structure, position_set_loss,
};

impl MaxMarginals<MulticlassStructure> for MulticlassStructure {
    fn values(&self, _x: &Rows, y: &u32) -> Vec<u32> {
        vec![*y]
    }

    fn confidences(&self, _x: &Rows, scores: &mut Vec<f64>, best: &Found<u32>) -> Vec<Confidence> {
        let others = (0..).zip(&*scores).filter(|(label, _)| *label != best.label);
        let other = others.fold(f64::NEG_INFINITY, |other, (_, score)| other.max(*score));
        vec![Confidence::exactly(best, other)]
    }
}

/// One unit of flow from a source to a sink, over an arc for each label.
impl Flow<Rows, u32> for MulticlassStructure {
    fn arcs(&self, _x: &Rows) -> usize {
        self.labels
    }

    fn polytope(&self, x: &Rows, truth: &u32) -> FlowPolytope {
        let mut network = Network::new(vec![1.0, -1.0]);
        let mut losses = Vec::with_capacity(self.labels);
        self.cost.for_each(*truth, self.labels, |_, cost| {
            network.add(NetworkArc { tail: 0, head: 1, capacity: f64::INFINITY, weight: 1.0 });
            losses.push(cost);
        });
        FlowPolytope::new(network, losses, self.label_flow(x, truth))
    }

    fn label_flow(&self, _x: &Rows, y: &u32) -> Vec<f64> {
        (0..self.labels).map(|label| f64::from(u8::from(label == *y as usize))).collect()
    }

    fn arc_scores(&self, w: &[f64], x: &Rows, scores: &mut [f64]) {
        match self.bias {
            true => scores.copy_from_slice(&w[self.features * self.labels..]),
            false => scores.fill(0.0),
        }
        add_row_products(x.row(0), w, scores);
    }

    fn add_arc_features(&self, x: &Rows, arc: usize, sum: &mut dyn FeatureSum) {
        self.add_features(x, &(arc as u32), 1.0, sum);
    }

    fn add_flow_features(&self, x: &Rows, z: &[f64], sum: &mut [f64]) {
        for (label, &z) in (0..).zip(z).filter(|(_, z)| **z != 0.0) {
            self.add_features(x, &label, z, sum);
        }
    }
}

impl Stratified<MulticlassStructure> for MulticlassStructure {
    /// Each label is a stratum of its own.
    fn strata(
        &self,
        _x: &Rows,
        truth: &u32,
        scores: &mut Vec<f64>,
        _step: Option<f64>,
        strata: &mut Vec<ScoreStratum>,
    ) -> bool {
        strata.clear();
        self.cost.for_each(*truth, self.labels, |y, cost| {
            strata.push(ScoreStratum { score: scores[y], losses: (cost, cost) });
        });
        true
    }

    fn stratum_label(&self, _x: &Rows, _scores: &mut Vec<f64>, number: usize) -> u32 {
        number as u32
    }
}

impl LabelSets<MulticlassStructure> for MulticlassStructure {
    fn with_sizes(&self, background: Option<u32>) -> Self {
        Self { cost: LabelCost::Size { background }, ..self.clone() }
    }

    fn add_set_loss(
        &self,
        truth: &u32,
        background: Option<u32>,
        scores: &Vec<f64>,
        scale: f64,
        out: &mut Vec<f64>,
    ) {
        out.clear();
        let with_loss =
            |(y, score): (usize, &f64)| scale * score + position_set_loss(*truth, y as u32, background);
        out.extend(scores.iter().enumerate().map(with_loss));
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

impl KBest<MulticlassStructure> for MulticlassStructure {
    fn k_best(
        &self,
        _x: &Rows,
        truth: Option<&u32>,
        scores: &mut Vec<f64>,
        mix: Mix,
        k: usize,
    ) -> Vec<Found<u32>> {
        let mut all: Vec<Found<u32>> = (0..self.labels as u32)
            .map(|label| {
                let loss = truth.map_or(0.0, |truth| self.cost.cost(*truth, label));
                Found::exactly(label, scores[label as usize], loss)
            })
            .collect();
        let rank = |found: &Found<u32>| mix.rank(found.score, found.loss);
        all.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(std::cmp::Ordering::Equal));
        all.truncate(k);
        all
    }
}

/// The score of each label.
impl Parts<MulticlassStructure> for MulticlassStructure {
    fn blocks(&self, _x: &Rows) -> Vec<PartBlock> {
        vec![PartBlock::new("labels", &[self.labels])]
    }

    fn scores_from_parts(&self, _x: &Rows, parts: &[f64], scores: &mut Vec<f64>) -> f64 {
        scores.clear();
        scores.extend_from_slice(parts);
        largest_size(parts)
    }

    fn add_parts(&self, _x: &Rows, y: &u32, factor: f64, gradient: &mut [f64]) {
        gradient[*y as usize] += factor;
    }
}
