//! Chains of second order: weights for three labels in a row, beside those of two.
//!
//! Such a chain is one of first order whose states are pairs of neighbouring labels, with as many positions as the chain has steps. So all
//! kernels are those of chains, with [steps between pairs that fit together](TripleSteps). The value of a pair is what its later
//! label, the step, and (of the first pair) the earlier label are worth.

use std::sync::Arc;

use super::products::agreement;
use super::{ChainScores, ChainStructure};
use crate::error::{Error, Result};
use crate::inference::{
    Lexicographic, TripleSteps, for_each_max_marginal, k_best_paths, k_best_viterbi, viterbi,
};
use crate::linear::FeatureSum;
use crate::structure::Structure;
use crate::structure::shape::check_size;

/// Which three labels in a row have a weight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Triples {
    All,
    /// Those with these numbers, `(before · labels + middle) · labels + after`, in order.
    Seen(Arc<Vec<u32>>),
}

impl ChainStructure {
    /// The same chain with weights for three labels in a row: for all, or for those that are listed.
    ///
    /// ```
    /// use maxmargin_core::structure::{ChainOptions, ChainStructure, Structure};
    ///
    /// let options = ChainOptions { bias: false, boundary: false, ..Default::default() };
    /// let chain = ChainStructure::new(1, 2, options)?;
    /// assert_eq!(chain.clone().with_triples(None)?.dim(), chain.dim() + 8);
    /// assert_eq!(chain.clone().with_triples(Some(&[[0, 1, 0]]))?.dim(), chain.dim() + 1);
    /// assert!(chain.with_triples(Some(&[[0, 2, 0]])).is_err());
    /// # Ok::<(), maxmargin_core::Error>(())
    /// ```
    pub fn with_triples(self, seen: Option<&[[u32; 3]]>) -> Result<Self> {
        let labels = self.labels;
        let all = labels.checked_mul(labels).and_then(|pairs| pairs.checked_mul(labels));
        let count = all.and_then(|all| all.checked_add(self.dim()));
        check_size(0, labels, count)?;
        let triples = match seen {
            None => Triples::All,
            Some(seen) => {
                if let Some(wrong) = seen.iter().flatten().find(|&&label| label as usize >= labels) {
                    let problem = format!("label {wrong} of {labels}; labels are counted from 0");
                    return Err(Error::parameter("labels in a row", problem));
                }
                let mut numbers: Vec<u32> = seen.iter().map(|&triple| self.triple(triple) as u32).collect();
                numbers.sort_unstable();
                numbers.dedup();
                Triples::Seen(Arc::new(numbers))
            }
        };
        Ok(Self { triples: Some(triples), ..self }.laid_out())
    }

    /// Whether three labels in a row have weights.
    pub fn is_second_order(&self) -> bool {
        self.triples.is_some()
    }

    /// The three labels in a row that have weights, in the order of these; none in a chain of first order.
    pub fn triples(&self) -> Vec<[u32; 3]> {
        let labels = self.labels as u32;
        let apart = |number: u32| [number / labels / labels, number / labels % labels, number % labels];
        match &self.triples {
            None => Vec::new(),
            Some(Triples::All) => (0..labels * labels * labels).map(apart).collect(),
            Some(Triples::Seen(numbers)) => numbers.iter().map(|&number| apart(number)).collect(),
        }
    }

    /// The number of three labels in a row, among all.
    fn triple(&self, [before, middle, after]: [u32; 3]) -> usize {
        (before as usize * self.labels + middle as usize) * self.labels + after as usize
    }

    /// Whether the kernels of pairs are the ones to use: a chain of one position has no pair.
    pub(super) fn walks_pairs(&self, length: usize) -> bool {
        self.triples.is_some() && length > 1
    }

    pub(super) fn triple_weights(&self) -> usize {
        match &self.triples {
            None => 0,
            Some(Triples::All) => self.label_pairs() * self.labels,
            Some(Triples::Seen(numbers)) => numbers.len(),
        }
    }

    /// Takes the scores of three labels in a row from values in the order of their weights, or for each of them.
    pub(super) fn score_triples(&self, weights: &[f64], triples: &mut Vec<f64>) {
        triples.clear();
        let Some(which) = &self.triples else { return };
        let labels = self.labels;
        triples.resize(labels * labels * labels, 0.0);
        match which {
            Triples::All => {
                for (pair, row) in weights.chunks_exact(labels).enumerate() {
                    let (before, middle) = (pair / labels, pair % labels);
                    triples[(middle * labels + before) * labels..][..labels].copy_from_slice(row);
                }
            }
            Triples::Seen(numbers) => {
                for (&number, &weight) in numbers.iter().zip(weights) {
                    let (pair, after) = (number as usize / labels, number as usize % labels);
                    let (before, middle) = (pair / labels, pair % labels);
                    triples[(middle * labels + before) * labels + after] = weight;
                }
            }
        }
    }

    /// What three labels in a row add to the score of a label.
    pub(super) fn triples_score(&self, scores: &ChainScores, y: &[u32]) -> f64 {
        let place = |y: &[u32]| self.triple([y[1], y[0], y[2]]);
        y.windows(3).map(|y| scores.triples[place(y)]).sum()
    }

    /// Adds the features of all three labels in a row.
    pub(super) fn add_triples<A: FeatureSum + ?Sized>(&self, y: &[u32], factor: f64, sum: &mut A) {
        if self.triples.is_some() {
            y.windows(3).for_each(|y| self.add_triple(y, factor, sum));
        }
    }

    /// Adds the features of three labels in a row.
    pub(super) fn add_triple<A: FeatureSum + ?Sized>(&self, y: &[u32], factor: f64, sum: &mut A) {
        if let Some(place) = self.triple_place(y) {
            sum.add(self.starts.triples + place, factor);
        }
    }

    /// Where the weight of three labels in a row is among the others, if it has one.
    pub(super) fn triple_place(&self, y: &[u32]) -> Option<usize> {
        let number = self.triple([y[0], y[1], y[2]]);
        match self.triples.as_ref()? {
            Triples::All => Some(number),
            Triples::Seen(numbers) => numbers.binary_search(&(number as u32)).ok(),
        }
    }

    /// What three labels in a row add to the inner product of two labels' differences from the truth.
    pub(super) fn triples_product(&self, truth: &[u32], labels: [&[u32]; 2]) -> f64 {
        let changes = labels.map(|label| {
            let windows = label.windows(3).zip(truth.windows(3));
            windows.filter(|(y, truth)| y != truth).collect::<Vec<_>>()
        });
        // Those without a weight have names of their own, so that they are like nothing, themselves included.
        let name =
            |y: &[u32], other: usize| self.triple_place(y).map_or((other, true), |place| (place, false));
        let [y_changes, z_changes] = changes;
        let mut sum = 0.0;
        for (y, y_truth) in &y_changes {
            for (z, z_truth) in &z_changes {
                sum += agreement(name(y, 1), name(y_truth, 2), name(z, 3), name(z_truth, 4));
            }
        }
        sum
    }

    /// The values of all pairs of neighbouring labels, given those of labels and of steps.
    pub(super) fn pair_values<T: Copy + std::ops::Add<Output = T>>(
        &self,
        unary: &[T],
        step: &[T],
        out: &mut Vec<T>,
    ) {
        let (labels, size) = (self.labels, self.label_pairs());
        out.clear();
        for (t, now) in unary.chunks_exact(labels).enumerate().skip(1) {
            let step = if self.pairs > 0 { &step[(t - 1) * size..t * size] } else { step };
            for (after, &value) in now.iter().enumerate() {
                let column = step[after..].iter().step_by(labels);
                match t {
                    1 => out.extend(column.zip(&unary[..labels]).map(|(&step, &first)| first + step + value)),
                    _ => out.extend(column.map(|&step| step + value)),
                }
            }
        }
    }

    /// The values of pairs, of the scores as they are or with a loss added to them, and the steps between them.
    fn prepare<'a>(&self, scores: &'a mut ChainScores, is_augmented: bool) -> Walk<'a> {
        let ChainScores { unary, transition, steps, triples, augmented, pair_values, best, .. } = scores;
        let unary = if is_augmented { augmented } else { unary };
        self.pair_values(unary, if self.pairs > 0 { steps } else { transition }, pair_values);
        Walk { values: pair_values, steps: TripleSteps::new(self.labels, triples), best }
    }

    /// The labels of a path through pairs.
    pub(super) fn labels_of(&self, path: &[u32]) -> Vec<u32> {
        let labels = self.labels as u32;
        let first = path.iter().take(1).map(|pair| pair % labels);
        first.chain(path.iter().map(|pair| pair / labels)).collect()
    }

    pub(super) fn best_by_pairs(&self, scores: &mut ChainScores, is_augmented: bool) -> Vec<u32> {
        let Walk { values, steps, best } = self.prepare(scores, is_augmented);
        let mut path = Vec::new();
        viterbi(self.label_pairs(), values, steps, best, &mut path);
        self.labels_of(&path)
    }

    pub(super) fn k_best_by_pairs(&self, scores: &mut ChainScores, k: usize) -> Vec<Vec<u32>> {
        let Walk { values, steps, best } = self.prepare(scores, true);
        let paths = k_best_paths(self.label_pairs(), values, steps, best, k);
        paths.iter().map(|path| self.labels_of(path)).collect()
    }

    /// The k best of values that are compared in two stages.
    pub(super) fn k_best_of_ranks(
        &self,
        unary: &[Lexicographic],
        step: &[Lexicographic],
        triples: &[Lexicographic],
        k: usize,
    ) -> Vec<Vec<u32>> {
        let mut values = Vec::new();
        self.pair_values(unary, step, &mut values);
        let paths = k_best_viterbi(self.label_pairs(), &values, TripleSteps::new(self.labels, triples), k);
        paths.iter().map(|(path, _)| self.labels_of(path)).collect()
    }

    /// For each position the value of the best label that has another one there.
    pub(super) fn best_elsewhere_by_pairs(&self, scores: &mut ChainScores, y: &[u32]) -> Vec<f64> {
        let Walk { values, steps, .. } = self.prepare(scores, false);
        let mut best = vec![f64::NEG_INFINITY; y.len()];
        for_each_max_marginal(self.label_pairs(), values, steps, |t, pair, value| {
            if pair / self.labels != y[t + 1] as usize {
                best[t + 1] = best[t + 1].max(value);
            }
            if t == 0 && pair % self.labels != y[0] as usize {
                best[0] = best[0].max(value);
            }
        });
        best
    }

    /// Fills the table of all losses, given the whole cost of each label at each position.
    pub(super) fn fill_strata_by_pairs(&self, scores: &mut ChainScores, costs: &[u32]) {
        let labels = self.labels;
        let mut of_pairs = Vec::with_capacity((costs.len() - labels) * labels);
        for (t, costs_now) in costs.chunks_exact(labels).enumerate().skip(1) {
            for &cost in costs_now {
                let first = |before: usize| if t == 1 { costs[before] } else { 0 };
                of_pairs.extend((0..labels).map(|before| first(before) + cost));
            }
        }
        let mut table = std::mem::take(&mut scores.strata);
        let Walk { values, steps, .. } = self.prepare(scores, false);
        table.fill(self.label_pairs(), values, steps, of_pairs);
        scores.strata = table;
    }

    pub(super) fn stratum_by_pairs(&self, scores: &ChainScores, number: usize) -> Vec<u32> {
        self.labels_of(&scores.strata.path(number, TripleSteps::new(self.labels, &scores.triples)))
    }
}

/// What the kernels of pairs work on.
struct Walk<'a> {
    values: &'a [f64],
    steps: TripleSteps<'a>,
    best: &'a mut Vec<f64>,
}
