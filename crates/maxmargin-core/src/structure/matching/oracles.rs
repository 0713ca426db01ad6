//! The oracles of matchings beyond decoding: the best matching of every loss, the k best, and sets of links.
//!
//! For Micro-F1 a label is the set of its links, and possible links cost nothing: 1 − F1 is then
//! (missed + false) / (|y| + |sure|), which is the alignment error rate of the example.
//!
//! The linear relaxation of matchings is integral (total unimodularity): there are no fractional labels to be had.

use super::{LinkLoss, Links, MatchingOptions, MatchingScores, MatchingStructure};
use crate::inference::StratifiedMatching;
use crate::structure::Graph;
use crate::structure::{
    Confidence, Found, KBest, LabelSets, MaxMarginals, Mix, ScoreStratum, Stratified, Structure,
};

impl KBest<MatchingStructure> for MatchingStructure {
    fn k_best(
        &self,
        x: &Graph,
        truth: Option<&Links>,
        scores: &mut MatchingScores,
        mix: Mix,
        k: usize,
    ) -> Vec<Found<Links>> {
        self.best_lists(x, scores, truth, mix, k)
    }
}

impl MaxMarginals<MatchingStructure> for MatchingStructure {
    fn values(&self, x: &Graph, y: &Links) -> Vec<u32> {
        let mut values = vec![0; x.edges().len()];
        y.on.iter().for_each(|&edge| values[edge as usize] = 1);
        values
    }

    fn confidences(&self, x: &Graph, scores: &mut MatchingScores, best: &Found<Links>) -> Vec<Confidence> {
        let (on, losses) = self.flip_losses(x, scores);
        let on = Links::of(on);
        let (score, found) = (scores.score_of(&on), self.values(x, &on));
        let flipped = self.values(x, &best.label).into_iter().zip(found).zip(losses);
        // Of several best labels another one may be found here: it has the other value where they differ.
        let other = |((of_best, found), loss)| if of_best == found { score - loss } else { score };
        flipped.map(|values| Confidence::exactly(best, other(values))).collect()
    }
}

impl LabelSets<MatchingStructure> for MatchingStructure {
    fn with_sizes(&self, _background: Option<u32>) -> Self {
        Self { options: MatchingOptions { loss: LinkLoss::Size, ..self.options.clone() }, ..self.clone() }
    }

    fn add_set_loss(
        &self,
        truth: &Links,
        _background: Option<u32>,
        scores: &MatchingScores,
        scale: f64,
        out: &mut MatchingScores,
    ) {
        let links = out.begin(scores.links.len());
        let add = |edge: usize, slope: f64| links[edge] = scale * scores.links[edge] + slope;
        LinkLoss::default().each_slope(truth, scores.links.len(), add);
        out.base = scale * scores.base + truth.on.len() as f64;
    }

    fn size(&self, y: &Links, _background: Option<u32>) -> f64 {
        y.on.len() as f64
    }

    fn set_loss(&self, truth: &Links, y: &Links, _background: Option<u32>) -> f64 {
        LinkLoss::default().of(truth, y)
    }

    fn sizes(&self, x: &Graph, _truth: &Links, _background: Option<u32>) -> (f64, f64) {
        (0.0, self.most_links(x) as f64)
    }
}

impl Stratified<MatchingStructure> for MatchingStructure {
    fn strata(
        &self,
        x: &Graph,
        truth: &Links,
        scores: &mut MatchingScores,
        _step: Option<f64>,
        strata: &mut Vec<ScoreStratum>,
    ) -> bool {
        strata.clear();
        let (Some(unit), Some(losses)) = (self.options.loss.unit(), self.count_losses(x, truth)) else {
            return false;
        };
        let mut costs = vec![0; x.edges().len()];
        let set = |edge: usize, slope: f64| costs[edge] = (slope / unit).round() as i32;
        self.options.loss.each_slope(truth, x.edges().len(), set);
        let start = (self.options.loss.of_nothing(truth) / unit).round() as usize;
        let base = scores.base;
        let (graph, gains, table) = scores.graph(x);
        if !table.fill(graph, self.limits(), gains, &costs, start, losses) {
            return false;
        }
        strata.extend(table.values().enumerate().map(|(number, score)| {
            let loss = unit * number as f64;
            ScoreStratum { score: base + score, losses: (loss, loss) }
        }));
        true
    }

    fn stratum_label(&self, _x: &Graph, scores: &mut MatchingScores, number: usize) -> Links {
        Links::of(scores.strata.links(number))
    }
}

impl MatchingStructure {
    /// A bound on the number of links.
    pub(super) fn most_links(&self, x: &Graph) -> usize {
        let (left, right) = self.options.fertility;
        let of_side = |nodes: usize, limit: u32| nodes.saturating_mul(limit as usize);
        x.edges().len().min(of_side(x.lefts(), left)).min(of_side(x.rights(), right))
    }

    /// One more than the largest loss in units; none where there is no unit.
    fn count_losses(&self, x: &Graph, truth: &Links) -> Option<usize> {
        let largest = match self.options.loss {
            LinkLoss::Size => self.most_links(x) as f64,
            LinkLoss::Mistakes { .. } => self.largest_loss(x, truth) / self.options.loss.unit()?,
        };
        Some(largest.round() as usize + 1)
    }

    /// Whether the losses are whole multiples of a unit.
    pub fn has_whole_losses(&self) -> bool {
        self.options.loss.unit().is_some()
    }

    /// Whether the best matching of every loss can be found in a graph.
    pub fn has_strata(&self, x: &Graph, truth: &Links) -> bool {
        let mut scores = MatchingScores::default();
        scores.begin(x.edges().len());
        let Some(losses) = self.count_losses(x, truth) else { return false };
        StratifiedMatching::fits(scores.graph(x).0, self.limits(), losses)
    }
}
