//! The oracles of a chain beyond decoding: the best label of every loss, the k best, labels as sets, and max-marginals.

use super::{ChainLoss, ChainOptions, ChainScores, ChainStructure};
use crate::features::Rows;
use crate::inference::{EachStep, Lexicographic, best_elsewhere, k_best_paths, k_best_viterbi};
use crate::structure::{
    Confidence, Found, KBest, LabelCost, LabelSets, MaxMarginals, Mix, ScoreStratum, Stratified,
    position_set_loss,
};

/// How far below a multiple of its step a cost may be and still count as that multiple.
const ROUNDING: f64 = 1e-9;

/// The most values in a table of all losses: 256 MB, for each thread.
const LARGEST_TABLE: f64 = (1u64 << 25) as f64;

impl ChainStructure {
    /// Whether the table of all losses of a chain of this length is too large to be made.
    pub fn has_too_many_losses(&self, length: usize, step: Option<f64>) -> bool {
        let cost = self.cost();
        let Some(unit) = cost.unit(step) else { return true };
        let losses = 1.0 + length as f64 * cost.largest_of_all() / unit.abs();
        let states = if self.is_second_order() { self.label_pairs() } else { self.labels };
        losses * (length * states) as f64 > LARGEST_TABLE
    }
}

impl MaxMarginals<ChainStructure> for ChainStructure {
    fn values(&self, _x: &Rows, y: &Vec<u32>) -> Vec<u32> {
        y.clone()
    }

    fn confidences(&self, x: &Rows, scores: &mut ChainScores, best: &Found<Vec<u32>>) -> Vec<Confidence> {
        let ChainScores { unary, transition, steps, .. } = scores;
        let others = match self.pairs {
            _ if self.walks_pairs(x.len()) => self.best_elsewhere_by_pairs(scores, &best.label),
            0 => best_elsewhere(self.labels, unary, &transition[..], &best.label),
            _ => best_elsewhere(self.labels, unary, EachStep::new(self.labels, steps), &best.label),
        };
        others.into_iter().map(|other| Confidence::exactly(best, other)).collect()
    }
}

impl Stratified<ChainStructure> for ChainStructure {
    fn strata(
        &self,
        _x: &Rows,
        truth: &Vec<u32>,
        scores: &mut ChainScores,
        step: Option<f64>,
        strata: &mut Vec<ScoreStratum>,
    ) -> bool {
        let cost = &self.options.loss.cost;
        let Some(unit) = cost.unit(step).filter(|_| !self.has_too_many_losses(truth.len(), step)) else {
            return false;
        };
        let labels = 0..self.labels as u32;
        let whole = |truth: u32, y: u32| (cost.cost(truth, y) / unit + ROUNDING).floor() as u32;
        let costs = truth.iter().flat_map(|&truth| labels.clone().map(move |y| whole(truth, y)));
        if self.walks_pairs(truth.len()) {
            self.fill_strata_by_pairs(scores, &costs.collect::<Vec<u32>>());
        } else {
            let ChainScores { unary, transition, steps, strata: table, .. } = &mut *scores;
            match self.pairs {
                0 => table.fill(self.labels, unary, &transition[..], costs),
                _ => table.fill(self.labels, unary, EachStep::new(self.labels, steps), costs),
            }
        }
        let per_loss = self.options.loss.unit(truth.len());
        // What rounding down may hide.
        let hidden_at = |truth: u32, y: u32| (cost.cost(truth, y) - unit * f64::from(whole(truth, y))).abs();
        let hidden: f64 = match cost.unit(None) {
            Some(_) => 0.0,
            None => truth
                .iter()
                .map(|&truth| labels.clone().map(|y| hidden_at(truth, y)).fold(0.0, f64::max))
                .sum(),
        };
        strata.clear();
        strata.extend(scores.strata.values().enumerate().map(|(k, score)| {
            let loss = unit * k as f64;
            ScoreStratum { score, losses: (loss * per_loss, (loss + hidden) * per_loss) }
        }));
        true
    }

    fn stratum_label(&self, x: &Rows, scores: &mut ChainScores, number: usize) -> Vec<u32> {
        match self.pairs {
            _ if self.walks_pairs(x.len()) => self.stratum_by_pairs(scores, number),
            0 => scores.strata.path(number, &scores.transition[..]),
            _ => scores.strata.path(number, EachStep::new(self.labels, &scores.steps)),
        }
    }
}

impl LabelSets<ChainStructure> for ChainStructure {
    fn with_sizes(&self, background: Option<u32>) -> Self {
        let loss = ChainLoss { cost: LabelCost::Size { background }, mean: false };
        Self { options: ChainOptions { loss, ..self.options.clone() }, ..self.clone() }
    }

    fn add_set_loss(
        &self,
        truth: &Vec<u32>,
        background: Option<u32>,
        scores: &ChainScores,
        scale: f64,
        out: &mut ChainScores,
    ) {
        let scaled = |scores: &[f64], out: &mut Vec<f64>| {
            out.clear();
            out.extend(scores.iter().map(|score| scale * score));
        };
        scaled(&scores.transition, &mut out.transition);
        scaled(&scores.steps, &mut out.steps);
        scaled(&scores.triples, &mut out.triples);
        scaled(&scores.unary, &mut out.unary);
        for (row, &truth) in out.unary.chunks_exact_mut(self.labels).zip(truth) {
            for (y, score) in row.iter_mut().enumerate() {
                *score += position_set_loss(truth, y as u32, background);
            }
        }
    }

    fn size(&self, y: &Vec<u32>, background: Option<u32>) -> f64 {
        y.iter().filter(|&&label| Some(label) != background).count() as f64
    }

    fn set_loss(&self, truth: &Vec<u32>, y: &Vec<u32>, background: Option<u32>) -> f64 {
        truth.iter().zip(y).map(|(&truth, &y)| position_set_loss(truth, y, background)).sum()
    }

    fn sizes(&self, _x: &Rows, truth: &Vec<u32>, background: Option<u32>) -> (f64, f64) {
        let most = truth.len() as f64;
        (if background.is_some() { 0.0 } else { most }, most)
    }
}

impl KBest<ChainStructure> for ChainStructure {
    fn k_best(
        &self,
        x: &Rows,
        truth: Option<&Vec<u32>>,
        scores: &mut ChainScores,
        mix: Mix,
        k: usize,
    ) -> Vec<Found<Vec<u32>>> {
        if let Some(truth) = truth
            && mix.score > 0.0
            && mix.loss > 0.0
        {
            self.augment(truth, scores, mix);
            if self.walks_pairs(x.len()) {
                let paths = self.k_best_by_pairs(scores, k);
                return paths.into_iter().map(|label| self.found(scores, Some(truth), label)).collect();
            }
            let ChainScores { augmented, transition, steps, best, .. } = scores;
            let paths = match self.pairs {
                0 => k_best_paths(self.labels, augmented, &transition[..], best, k),
                _ => k_best_paths(self.labels, augmented, EachStep::new(self.labels, steps), best, k),
            };
            return paths.into_iter().map(|label| self.found(scores, Some(truth), label)).collect();
        }
        // At the ends of the λ-oracle dividing by the length changes no order, but would make sums of whole costs
        // inexact and so hide ties.
        let value = |score: f64, cost: f64| {
            let (first, second) = mix.rank(score, cost);
            Lexicographic { first, second }
        };
        let mut unary: Vec<Lexicographic> = scores.unary.iter().map(|&score| value(score, 0.0)).collect();
        if let Some(truth) = truth {
            let rows = unary.chunks_exact_mut(self.labels).zip(scores.unary.chunks_exact(self.labels));
            for ((row, scores), &truth) in rows.zip(truth) {
                self.options
                    .loss
                    .cost
                    .for_each(truth, self.labels, |y, cost| row[y] = value(scores[y], cost));
            }
        }
        let steps = if self.pairs == 0 { &scores.transition } else { &scores.steps };
        let without_cost = |scores: &[f64]| -> Vec<Lexicographic> {
            scores.iter().map(|&score| value(score, 0.0)).collect()
        };
        let steps = without_cost(steps);
        if self.walks_pairs(x.len()) {
            let paths = self.k_best_of_ranks(&unary, &steps, &without_cost(&scores.triples), k);
            return paths.into_iter().map(|label| self.found(scores, truth, label)).collect();
        }
        let paths = match self.pairs {
            0 => k_best_viterbi(self.labels, &unary, &steps[..], k),
            _ => k_best_viterbi(self.labels, &unary, EachStep::new(self.labels, &steps), k),
        };
        paths.into_iter().map(|(label, _)| self.found(scores, truth, label)).collect()
    }
}
