//! What sets of nodes offer beyond decoding: the k best, those of every loss, sizes, confidences and part scores.

use super::{NodeSetScores, NodeSetStructure};
use crate::error::{Error, Result};
use crate::features::Rows;
use crate::inference::cells_of_strata;
use crate::structure::{
    Confidence, Found, KBest, LabelSet, LabelSets, MaxMarginals, Mix, PartBlock, Parts, ScoreStratum,
    SetLoss, Stratified,
};

/// Whole costs up to this are counted one by one.
const MOST_WHOLE: f64 = 100.0;

/// The most cells of tables of strata: some hundred megabytes.
const MOST_CELLS: usize = 1 << 23;

impl NodeSetStructure {
    /// The unit of which all losses are multiples.
    pub(super) fn loss_unit_of_nodes(&self) -> Option<f64> {
        let nodes = self.nodes();
        let costs =
            || (0..nodes).flat_map(|node| [true, false].map(|is_true| self.loss.cost(node, nodes, is_true)));
        let first = costs().find(|cost| *cost > 0.0)?;
        match () {
            () if costs().all(|cost| cost == 0.0 || cost == first) => Some(first),
            () => costs().all(|cost| cost.fract() == 0.0 && cost <= MOST_WHOLE).then_some(1.0),
        }
    }

    /// What every node costs that costs anything, where the best set of every loss can be found; else why it cannot.
    pub(super) fn stratum_weight(&self) -> std::result::Result<f64, &'static str> {
        let nodes = self.nodes();
        let costs =
            || (0..nodes).map(|node| [true, false].map(|is_true| self.loss.cost(node, nodes, is_true)));
        let weight = costs().flatten().find(|cost| *cost > 0.0);
        let is_common = |[miss, wrong]: [f64; 2]| miss == wrong && (miss == 0.0 || Some(miss) == weight);
        if !self.is_tree {
            return Err(
                "where nodes have several parents, the best set with a given loss is too hard to find",
            );
        }
        let weight = weight.ok_or("no node costs anything")?;
        if !costs().all(is_common) {
            return Err("nodes have different costs, so that losses cannot be counted");
        }
        let counts = |node: u32| self.loss.cost(node as usize, nodes, false) > 0.0;
        match cells_of_strata(&self.blocks.hierarchy, counts) {
            0..=MOST_CELLS => Ok(weight),
            _ => Err("there are too many nodes for a table with a score of each loss"),
        }
    }

    /// Refuses, with the reason, where the best set of every loss cannot be found.
    pub fn check_strata(&self) -> Result<()> {
        self.stratum_weight().map(|_| ()).map_err(|why| Error::parameter("strata", why))
    }

    /// The loss of Micro-F1. Nobody asks where sets are not offered.
    fn of_sizes(&self) -> SetLoss {
        match &self.loss {
            SetLoss::Hamming { weights, .. } | SetLoss::Size { weights } => {
                SetLoss::Size { weights: weights.clone() }
            }
            SetLoss::Mistakes { .. } => SetLoss::Size { weights: None },
        }
    }
}

impl KBest<NodeSetStructure> for NodeSetStructure {
    fn k_best(
        &self,
        _x: &Rows,
        truth: Option<&LabelSet>,
        scores: &mut NodeSetScores,
        mix: Mix,
        k: usize,
    ) -> Vec<Found<LabelSet>> {
        self.best_sets(scores, truth, mix, k)
    }
}

/// Each node is in or out.
impl MaxMarginals<NodeSetStructure> for NodeSetStructure {
    fn values(&self, _x: &Rows, y: &LabelSet) -> Vec<u32> {
        (0..self.nodes() as u32).map(|node| u32::from(y.on().binary_search(&node).is_ok())).collect()
    }

    fn confidences(&self, _x: &Rows, scores: &mut NodeSetScores, best: &Found<LabelSet>) -> Vec<Confidence> {
        let others = self.best_otherwise(scores, &best.label);
        others.into_iter().map(|other| Confidence::exactly(best, other)).collect()
    }
}

impl Stratified<NodeSetStructure> for NodeSetStructure {
    fn strata(
        &self,
        _x: &Rows,
        truth: &LabelSet,
        scores: &mut NodeSetScores,
        _step: Option<f64>,
        strata: &mut Vec<ScoreStratum>,
    ) -> bool {
        strata.clear();
        let Ok(weight) = self.stratum_weight() else { return false };
        // A size is the number of differences from the empty set.
        let is_size = matches!(self.loss, SetLoss::Size { .. });
        let from = if is_size { &[] } else { truth.on() };
        let nodes = self.nodes();
        let counts: Vec<bool> = (0..nodes).map(|node| self.loss.cost(node, nodes, false) > 0.0).collect();
        let NodeSetScores { base, nodes, strata: tables, .. } = scores;
        tables.count_differences(&self.blocks.hierarchy, nodes, self.rules, &counts, from);
        strata.extend(tables.scores().enumerate().map(|(differences, score)| {
            let loss = weight * differences as f64 * if is_size { -1.0 } else { 1.0 };
            ScoreStratum { score: *base + score, losses: (loss, loss) }
        }));
        true
    }

    fn stratum_label(&self, _x: &Rows, scores: &mut NodeSetScores, number: usize) -> LabelSet {
        LabelSet::of(&scores.strata.set(&self.blocks.hierarchy, number))
    }
}

/// Nodes count as much as they cost: those that cost nothing are in no set.
impl LabelSets<NodeSetStructure> for NodeSetStructure {
    fn with_sizes(&self, _background: Option<u32>) -> Self {
        Self { loss: self.of_sizes(), ..self.clone() }
    }

    fn add_set_loss(
        &self,
        truth: &LabelSet,
        _background: Option<u32>,
        scores: &NodeSetScores,
        scale: f64,
        out: &mut NodeSetScores,
    ) {
        let (sizes, nodes) = (self.of_sizes(), self.nodes());
        let mut on = truth.on().iter().peekable();
        out.nodes.clear();
        out.nodes.extend((0..).zip(&scores.nodes).map(|(node, score)| {
            let size = sizes.cost(node as usize, nodes, false);
            scale * score + if on.next_if_eq(&&node).is_some() { -size } else { size }
        }));
        out.base = scale * scores.base - sizes.of(truth, truth, nodes);
    }

    fn size(&self, y: &LabelSet, _background: Option<u32>) -> f64 {
        -self.of_sizes().of(y, y, self.nodes())
    }

    fn set_loss(&self, truth: &LabelSet, y: &LabelSet, _background: Option<u32>) -> f64 {
        self.of_sizes().into_hamming().of(truth, y, self.nodes())
    }

    fn least_size(&self) -> Option<f64> {
        let (sizes, nodes) = (self.of_sizes(), self.nodes());
        let above_0 = (0..nodes).map(|node| sizes.cost(node, nodes, false)).filter(|size| *size > 0.0);
        match above_0.clone().all(|size| size == 1.0) {
            true => None,
            false => Some(above_0.fold(f64::INFINITY, f64::min)),
        }
    }

    fn sizes(&self, _x: &Rows, _truth: &LabelSet, _background: Option<u32>) -> (f64, f64) {
        let (sizes, nodes) = (self.of_sizes(), self.nodes());
        (0.0, (0..nodes).map(|node| sizes.cost(node, nodes, false)).sum())
    }
}

/// The score of each node.
impl Parts<NodeSetStructure> for NodeSetStructure {
    fn blocks(&self, _x: &Rows) -> Vec<PartBlock> {
        vec![PartBlock::new("nodes", &[self.nodes()])]
    }

    fn scores_from_parts(&self, _x: &Rows, parts: &[f64], scores: &mut NodeSetScores) -> f64 {
        let nodes = scores.begin();
        nodes.clear();
        nodes.extend_from_slice(parts);
        scores.extent()
    }

    fn add_parts(&self, _x: &Rows, y: &LabelSet, factor: f64, gradient: &mut [f64]) {
        y.on().iter().for_each(|&node| gradient[node as usize] += factor);
    }
}
