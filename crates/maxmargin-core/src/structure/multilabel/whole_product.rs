//! Inner products of whole sets of labels, from the few labels that are in one of them.
//!
//! Seen from the true set, another one differs in few labels, and in no pair of others. All that is counted here is whole, so
//! that the results are exact, and the same as those of the sums over all labels that fractional sets need.

use super::{LabelSet, MultilabelStructure, PairWeights};

const TRUTH: u8 = 1;
const Y: u8 = 2;
const Z: u8 = 4;

/// The labels that are in one of three sets, in ascending order, with the sets that have them.
struct Members<'a>([(&'a [u32], u8); 3]);

impl Iterator for Members<'_> {
    type Item = (usize, u8);

    fn next(&mut self) -> Option<(usize, u8)> {
        let label = *self.0.iter().filter_map(|(rest, _)| rest.first()).min()?;
        let mut sets = 0;
        for (rest, set) in &mut self.0 {
            if rest.first() == Some(&label) {
                *rest = &rest[1..];
                sets |= *set;
            }
        }
        Some((label as usize, sets))
    }
}

fn differs(sets: u8, a: u8, b: u8) -> bool {
    (sets & a == 0) != (sets & b == 0)
}

fn pairs_of(labels: i64) -> i64 {
    labels * (labels - 1) / 2
}

impl MultilabelStructure {
    /// Σ (y_l − t_l)(z_l − t_l) over labels l, and the inner product of the indicators of pairs, both seen from the truth t.
    pub(super) fn whole_products(&self, truth: &LabelSet, y: &LabelSet, z: &LabelSet) -> (f64, f64) {
        let members = || Members([(truth.on(), TRUTH), (y.on(), Y), (z.on(), Z)]);
        // Where both differ from the truth they are alike.
        let unary = members().filter(|&(_, sets)| differs(sets, Y, TRUTH) && differs(sets, Z, TRUTH)).count();
        let pairs = match self.graph.edges().is_empty() {
            true => 0,
            false if self.graph.is_complete() => self.product_over_all_pairs(members),
            false => self.product_over_changed_pairs(members),
        };
        (unary as f64, pairs as f64)
    }

    /// Two sets have the same indicator in the pairs of labels in which they agree; with one weight per pair, in the pairs that
    /// are in both.
    fn product_over_all_pairs<'a>(&self, members: impl Fn() -> Members<'a>) -> i64 {
        let product = |a: u8, b: u8| {
            let count = |is: &dyn Fn(u8) -> bool| members().filter(|&(_, sets)| is(sets)).count() as i64;
            pairs_of(match self.options.pair_weights {
                PairWeights::Four => self.labels() as i64 - count(&|sets| differs(sets, a, b)),
                PairWeights::Both => count(&|sets| sets & a != 0 && sets & b != 0),
            })
        };
        product(Y, Z) - product(Y, TRUTH) - product(Z, TRUTH) + product(TRUTH, TRUTH)
    }

    /// Only pairs with a label in which y differs from the truth add anything.
    fn product_over_changed_pairs<'a>(&self, members: impl Fn() -> Members<'a>) -> i64 {
        let mut sets_of = vec![0; self.labels()];
        members().for_each(|(label, sets)| sets_of[label] = sets);
        let is_four = self.options.pair_weights == PairWeights::Four;
        let mut product = 0;
        for (label, sets) in members().filter(|&(_, sets)| differs(sets, Y, TRUTH)) {
            for &(other, _) in self.graph.neighbours(label) {
                let other = other as usize;
                let others = sets_of[other];
                // A pair of two such labels belongs to the smaller one.
                if other < label && differs(others, Y, TRUTH) {
                    continue;
                }
                let state = |set: u8| (sets & set != 0, others & set != 0);
                let is_equal = |a: u8, b: u8| match is_four {
                    true => i64::from(state(a) == state(b)),
                    false => i64::from(state(a) == (true, true) && state(b) == (true, true)),
                };
                product += is_equal(Y, Z) - is_equal(Y, TRUTH) - is_equal(Z, TRUTH) + is_equal(TRUTH, TRUTH);
            }
        }
        product
    }
}
