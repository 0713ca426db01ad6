//! The best label inside a product of candidate sets, and outside of it.

use super::{ChainScores, ChainStructure};
use crate::error::Result;
use crate::features::Rows;
use crate::inference::{
    EachStep, Gain, Lexicographic, MaxPlusSteps, OutsideTable, Steps, TripleSteps, best_path_outside,
    k_best_viterbi, viterbi,
};
use crate::structure::{CandidateSets, Candidates, Found, LossFrom, Mix, Side};

impl ChainStructure {
    /// The cost of each label of each position.
    fn write_costs(&self, sets: &CandidateSets, from: LossFrom<'_, Vec<u32>>, costs: &mut Vec<f64>) {
        costs.clear();
        costs.resize(sets.len() * self.labels, 0.0);
        if let LossFrom::Nothing = from {
            return;
        }
        let all = 0..self.labels as u32;
        for (t, row) in costs.chunks_exact_mut(self.labels).enumerate() {
            all.clone().zip(row).for_each(|(y, cost)| *cost = self.cost_at(sets, from, t, y));
        }
    }

    fn cost_at(&self, sets: &CandidateSets, from: LossFrom<'_, Vec<u32>>, t: usize, y: u32) -> f64 {
        let cost = self.cost();
        match from {
            LossFrom::Nothing => 0.0,
            LossFrom::Label(truth) => cost.cost(truth[t], y),
            LossFrom::Nearest => sets.nearest_cost(t, y, |candidate| cost.cost(candidate, y)),
        }
    }

    /// Which states are allowed: labels, or in a chain of second order pairs of them, which number each position once but the first
    /// two, that are in the first pair together.
    fn write_allowed(&self, sets: &CandidateSets, allowed: &mut Vec<bool>) {
        sets.write_mask(self.labels, allowed);
        if !self.walks_pairs(sets.len()) {
            return;
        }
        let of_labels = std::mem::take(allowed);
        for (t, now) in of_labels.chunks_exact(self.labels).enumerate().skip(1) {
            for &is_allowed in now {
                let before = |label: usize| t > 1 || of_labels[label];
                allowed.extend((0..self.labels).map(|label| is_allowed && before(label)));
            }
        }
    }

    fn best_in(
        &self,
        side: Side,
        allowed: &[bool],
        costs: &[f64],
        scores: &mut ChainScores,
        mix: Mix,
    ) -> Option<Vec<u32>> {
        let labels = self.labels;
        let walks_pairs = self.walks_pairs(costs.len() / labels);
        let mut path = Vec::new();
        if mix.score > 0.0 && mix.loss > 0.0 {
            let unit = mix.loss / mix.score * self.options.loss.unit(costs.len() / labels);
            let ChainScores {
                unary, augmented, pair_values, transition, steps, triples, best, outside, ..
            } = scores;
            augmented.clear();
            augmented.extend(unary.iter().zip(costs).map(|(score, cost)| score + unit * cost));
            if walks_pairs {
                self.pair_values(augmented, if self.pairs > 0 { steps } else { transition }, pair_values);
                let triples = TripleSteps::new(labels, triples);
                let states = self.label_pairs();
                return path_in(side, states, pair_values, triples, allowed, (best, outside), &mut path)
                    .then(|| self.labels_of(&path));
            }
            return match self.pairs {
                0 => path_in(side, labels, augmented, &transition[..], allowed, (best, outside), &mut path),
                _ => {
                    let steps = EachStep::new(labels, steps);
                    path_in(side, labels, augmented, steps, allowed, (best, outside), &mut path)
                }
            }
            .then_some(path);
        }
        // At the ends ties matter; see `k_best` for why the length does not.
        let value = |score: f64, cost: f64| {
            let (first, second) = mix.rank(score, cost);
            Lexicographic { first, second }
        };
        let mut unary: Vec<_> =
            scores.unary.iter().zip(costs).map(|(&score, &cost)| value(score, cost)).collect();
        let without_cost =
            |scores: &[f64]| -> Vec<_> { scores.iter().map(|&score| value(score, 0.0)).collect() };
        let steps = without_cost(if self.pairs == 0 { &scores.transition } else { &scores.steps });
        if walks_pairs {
            let (mut values, triples) = (Vec::new(), without_cost(&scores.triples));
            self.pair_values(&unary, &steps, &mut values);
            let triples = TripleSteps::new(labels, &triples);
            let path = tied_path_in(side, self.label_pairs(), &mut values, triples, allowed)?;
            return Some(self.labels_of(&path));
        }
        match self.pairs {
            0 => tied_path_in(side, labels, &mut unary, &steps[..], allowed),
            _ => tied_path_in(side, labels, &mut unary, EachStep::new(labels, &steps), allowed),
        }
    }
}

/// The best path of one side; false where there is none.
fn path_in(
    side: Side,
    states: usize,
    unary: &mut [f64],
    step: impl MaxPlusSteps,
    allowed: &[bool],
    (best, outside): (&mut Vec<f64>, &mut OutsideTable<f64>),
    path: &mut Vec<u32>,
) -> bool {
    match side {
        Side::Inside => {
            forbid(unary, allowed);
            viterbi(states, unary, step, best, path);
            true
        }
        Side::Outside => best_path_outside(states, unary, step, allowed, outside, path),
    }
}

fn tied_path_in(
    side: Side,
    states: usize,
    unary: &mut [Lexicographic],
    step: impl Steps<Lexicographic>,
    allowed: &[bool],
) -> Option<Vec<u32>> {
    match side {
        Side::Inside => {
            forbid(unary, allowed);
            Some(k_best_viterbi(states, unary, step, 1).pop().map_or_else(Vec::new, |(path, _)| path))
        }
        Side::Outside => {
            let (mut table, mut path) = (OutsideTable::default(), Vec::new());
            best_path_outside(states, unary, step, allowed, &mut table, &mut path).then_some(path)
        }
    }
}

fn forbid<V: Gain>(unary: &mut [V], allowed: &[bool]) {
    for (value, _) in unary.iter_mut().zip(allowed).filter(|(_, allowed)| !**allowed) {
        *value = V::ZERO - V::INFINITY;
    }
}

impl Candidates<ChainStructure> for ChainStructure {
    fn check_sets(&self, x: &Rows, sets: &CandidateSets) -> Result<()> {
        sets.check(x.len(), self.labels)
    }

    fn has_outside(&self, sets: &CandidateSets) -> bool {
        sets.excludes_some(self.labels)
    }

    fn is_inside(&self, sets: &CandidateSets, y: &Vec<u32>) -> bool {
        sets.contains(y)
    }

    fn loss_from(&self, _x: &Rows, sets: &CandidateSets, from: LossFrom<'_, Vec<u32>>, y: &Vec<u32>) -> f64 {
        let sum: f64 = y.iter().enumerate().map(|(t, &y)| self.cost_at(sets, from, t, y)).sum();
        sum * self.options.loss.unit(y.len())
    }

    fn best_of(
        &self,
        x: &Rows,
        sets: &CandidateSets,
        side: Side,
        from: LossFrom<'_, Vec<u32>>,
        scores: &mut ChainScores,
        mix: Mix,
    ) -> Option<Found<Vec<u32>>> {
        let (mut allowed, mut costs) =
            (std::mem::take(&mut scores.allowed), std::mem::take(&mut scores.costs));
        self.write_allowed(sets, &mut allowed);
        self.write_costs(sets, from, &mut costs);
        let path = self.best_in(side, &allowed, &costs, scores, mix);
        (scores.allowed, scores.costs) = (allowed, costs);
        let label = path?;
        let (score, loss) = (self.path_score(scores, &label), self.loss_from(x, sets, from, &label));
        Some(Found::exactly(label, score, loss))
    }
}
