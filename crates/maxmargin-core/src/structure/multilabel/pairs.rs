//! The features of pairs of labels: their sums, differences and products.
//!
//! A pair (i,j) has an indicator for each way in which its labels can be in or out. For a fractional set they are the
//! marginals that μ_i, μ_j and μ_ij leave, and linear in them.

use serde::{Deserialize, Serialize};

use super::{LabelSet, MultilabelStructure};
use crate::linear::FeatureSum;

/// A set with its μ_i written out.
pub(super) type Filled<'a> = (&'a LabelSet, &'a [f64]);

/// Which weights a pair of labels has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairWeights {
    /// Four: neither, the second only, the first only, both. A label that is out is as much a part of a pair as one that is
    /// in, so that flipping one label changes all its pairs.
    #[default]
    Four,
    /// One: both. A set has features for the pairs of labels in it only, which makes all arithmetic sparse.
    Both,
}

impl PairWeights {
    /// The number of weights.
    pub fn count(self) -> usize {
        match self {
            PairWeights::Four => 4,
            PairWeights::Both => 1,
        }
    }

    /// What a pair's weights add to the score of both labels together, beside what each adds by itself.
    pub fn coupling(self, weights: &[f64]) -> f64 {
        match self {
            PairWeights::Four => weights[3] - weights[2] - weights[1] + weights[0],
            PairWeights::Both => weights[0],
        }
    }
}

/// The four indicators of a pair, given μ_i, μ_j and μ_ij.
fn indicators(i: f64, j: f64, both: f64) -> [f64; 4] {
    [1.0 - i - j + both, j - both, i - both, both]
}

fn is_fractional(share: f64) -> bool {
    share > 0.0 && share < 1.0
}

impl MultilabelStructure {
    /// Adds `factor · φ` of all pairs.
    pub(super) fn add_pairs<A: FeatureSum + ?Sized>(
        &self,
        (y, shares): Filled<'_>,
        factor: f64,
        sum: &mut A,
    ) {
        let start = self.pairs_start();
        self.each_pair_indicator((y, shares), |place, indicator| sum.add(start + place, factor * indicator));
    }

    /// Tells the indicators of all pairs that are not 0, each with its place among those of all pairs.
    pub(super) fn each_pair_indicator(&self, (y, shares): Filled<'_>, mut tell: impl FnMut(usize, f64)) {
        let count = self.options.pair_weights.count();
        for (e, &(i, j)) in self.graph.edges().iter().enumerate() {
            let (i, j) = (shares[i as usize], shares[j as usize]);
            let indicators = indicators(i, j, y.pair(e as u32, i, j));
            for (k, &indicator) in indicators[4 - count..].iter().enumerate() {
                if indicator != 0.0 {
                    tell(count * e + k, indicator);
                }
            }
        }
    }

    /// Adds `factor · (φ(x,y) − φ(x,truth))` of all pairs.
    pub(super) fn add_difference_of_pairs<A: FeatureSum + ?Sized>(
        &self,
        y: Filled<'_>,
        truth: Filled<'_>,
        factor: f64,
        sum: &mut A,
    ) {
        match self.options.pair_weights {
            _ if self.graph.edges().is_empty() => {}
            PairWeights::Four => self.add_pairs_of_changes(y, truth, factor, sum),
            PairWeights::Both => self.add_pairs_in_sets(y, truth, factor, sum),
        }
    }

    /// Adds `factor` times the four indicators of an edge, or the last one only.
    fn add_pair<A: FeatureSum + ?Sized>(&self, edge: usize, indicators: [f64; 4], factor: f64, sum: &mut A) {
        let count = self.options.pair_weights.count();
        let start = self.pairs_start() + count * edge;
        for (k, &indicator) in indicators[4 - count..].iter().enumerate() {
            if indicator != 0.0 {
                sum.add(start + k, factor * indicator);
            }
        }
    }

    /// The pairs of each label that differs.
    fn add_pairs_of_changes<A: FeatureSum + ?Sized>(
        &self,
        (y, here): Filled<'_>,
        (truth, there): Filled<'_>,
        factor: f64,
        sum: &mut A,
    ) {
        // A pair of equal whole labels is equal; any other belongs to its smaller label that is not so.
        let is_equal = |l: usize| here[l] == there[l] && !is_fractional(here[l]);
        for label in (0..self.labels()).filter(|&label| !is_equal(label)) {
            for &(other, e) in self.graph.neighbours(label) {
                let other = other as usize;
                if other < label && !is_equal(other) {
                    continue;
                }
                let (i, j) = (label.min(other), label.max(other));
                let y = indicators(here[i], here[j], y.pair(e, here[i], here[j]));
                let truth = indicators(there[i], there[j], truth.pair(e, there[i], there[j]));
                self.add_pair(e as usize, std::array::from_fn(|k| y[k] - truth[k]), factor, sum);
            }
        }
    }

    /// The pairs of two labels that are in either set: no others have a feature where a pair has one weight.
    fn add_pairs_in_sets<A: FeatureSum + ?Sized>(
        &self,
        (y, here): Filled<'_>,
        (truth, there): Filled<'_>,
        factor: f64,
        sum: &mut A,
    ) {
        let in_either: Vec<usize> =
            (0..self.labels()).filter(|&label| here[label] > 0.0 || there[label] > 0.0).collect();
        for (place, &i) in in_either.iter().enumerate() {
            for &j in &in_either[place + 1..] {
                let Some(edge) = self.graph.edge(i, j) else { continue };
                let pair = |set: &LabelSet, shares: &[f64]| set.pair(edge as u32, shares[i], shares[j]);
                let difference = pair(y, here) - pair(truth, there);
                if difference != 0.0 {
                    sum.add(self.pairs_start() + edge, factor * difference);
                }
            }
        }
    }

    /// ⟨φ(x,y) − φ(x,truth), φ(x,z) − φ(x,truth)⟩ of all pairs.
    pub(super) fn product_of_pairs(&self, truth: Filled<'_>, y: Filled<'_>, z: Filled<'_>) -> f64 {
        if self.graph.edges().is_empty() {
            return 0.0;
        }
        let product = |a: Filled<'_>, b: Filled<'_>| self.pair_product(a, b);
        product(y, z) - product(y, truth) - product(z, truth) + product(truth, truth)
    }

    /// Σ over edges of the inner product of two sets' indicators.
    ///
    /// Where μ_ij = μ_i·μ_j on both sides, that of one edge is e_i·e_j with e = μ·μ' + (1−μ)(1−μ'). A pair of fractional labels
    /// departs by δ = μ_ij − μ_i·μ_j, which adds δ(1,−1,−1,1) to its indicators, and so δ·(2μ'_i−1)(2μ'_j−1) + 4δδ' to the
    /// product. All but the few μ_ij that are not 0 are sums of products x_i·x_j over the edges. With one weight per pair
    /// it is the same with e = μ·μ', and δ·μ'_i·μ'_j + δδ'.
    fn pair_product(&self, (a, a_shares): Filled<'_>, (b, b_shares): Filled<'_>) -> f64 {
        let is_four = self.options.pair_weights == PairWeights::Four;
        let outside = |i: usize| if is_four { (1.0 - a_shares[i]) * (1.0 - b_shares[i]) } else { 0.0 };
        let agreement = |i: usize| a_shares[i] * b_shares[i] + outside(i);
        let mut sum = self.sum_of_products(0..self.labels(), agreement);
        let sign = |share: f64| if is_four { 2.0 * share - 1.0 } else { share };
        let squares = if is_four { 4.0 } else { 1.0 };
        sum -= self.sum_of_products(a.fractional(), |i| a_shares[i] * sign(b_shares[i]));
        sum -= self.sum_of_products(b.fractional(), |i| b_shares[i] * sign(a_shares[i]));
        let both = a.fractional().filter(|&i| is_fractional(b_shares[i]));
        sum += squares * self.sum_of_products(both, |i| a_shares[i] * b_shares[i]);
        // What is left has a factor μ_ij.
        let mut with = |set: &LabelSet, other: &LabelSet, shares: &[f64], half: f64| {
            for &(edge, share) in set.pairs() {
                let (i, j) = self.graph.edges()[edge as usize];
                let (i, j) = (shares[i as usize], shares[j as usize]);
                let mut factor = sign(i) * sign(j);
                if is_fractional(i) && is_fractional(j) {
                    factor += squares * (half * other.pair(edge, i, j) - i * j);
                }
                sum += share.get() * factor;
            }
        };
        // Once for each of the two, and the product of both μ_ij shared between them.
        with(a, b, b_shares, 0.5);
        with(b, a, a_shares, 0.5);
        sum
    }

    /// Σ x_i·x_j over the edges between some labels, given in ascending order. For all pairs it is ((Σx)² − Σx²)/2.
    fn sum_of_products(&self, labels: impl Iterator<Item = usize> + Clone, x: impl Fn(usize) -> f64) -> f64 {
        if self.graph.is_complete() {
            let add = |(sum, squares): (f64, f64), x: f64| (sum + x, squares + x * x);
            let (sum, squares) = labels.map(x).fold((0.0, 0.0), add);
            return 0.5 * (sum * sum - squares);
        }
        let mut total = 0.0;
        let mut rest = labels;
        while let Some(i) = rest.next() {
            let (here, mut later) = (x(i), rest.clone().peekable());
            for &(j, _) in self.graph.neighbours(i).iter().filter(|(j, _)| *j as usize > i) {
                while later.next_if(|&label| label < j as usize).is_some() {}
                if later.peek() == Some(&(j as usize)) {
                    total += here * x(j as usize);
                }
            }
        }
        total
    }
}
