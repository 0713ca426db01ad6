//! What a search has seen so far: the best label, and how much more there can be.

use super::{LabelPlane, Spot};
use crate::structure::Mix;
use crate::surrogate::{Line, Surrogate};

/// The most labels that a search lists for one query.
pub(super) const MOST_LISTED: usize = 4096;

/// The most queries of an exact search: more than a hull of labels has vertices, and an end for arithmetic that goes astray.
pub(super) const MOST_QUERIES: usize = 10_000;

/// What the rounding of a bound may come to, as a share of the value.
pub(super) const EXACT: f64 = 1e-12;

/// A query of a λ-oracle and where its answer lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Query {
    /// What was asked for.
    pub mix: Mix,
    /// The answer, if there was one.
    pub answer: Option<(f64, f64)>,
}

/// The end of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer<L> {
    /// The label.
    pub best: Spot<L>,
    /// A second label with its share, where the answer is a mix of two.
    pub second: Option<(Spot<L>, f64)>,
    /// ψ of the answer, at least 0.
    pub value: f64,
    /// No label is worth more than this.
    pub upper: f64,
    /// The queries, in order.
    pub queries: Vec<Query>,
}

impl<L> Answer<L> {
    /// Where the answer lies: between two labels, if it is a mix.
    pub fn point(&self) -> (f64, f64) {
        match &self.second {
            None => self.best.point(),
            Some((second, share)) => mix_points(self.best.point(), second.point(), *share),
        }
    }
}

/// The point so far on the way from `a` to `b`.
pub(super) fn mix_points(a: (f64, f64), b: (f64, f64), share: f64) -> (f64, f64) {
    (a.0 + share * (b.0 - a.0), a.1 + share * (b.1 - a.1))
}

pub(super) struct Findings<L> {
    pub(super) surrogate: Surrogate,
    pub(super) best: Spot<L>,
    pub(super) value: f64,
    pub(super) upper: f64,
    range: (f64, f64),
    /// None where all losses may occur.
    pub(super) unit: Option<f64>,
    queries: Vec<Query>,
}

impl<L: Clone> Findings<L> {
    /// Before the first query: the truth is known.
    pub(super) fn new(plane: &impl LabelPlane<Label = L>, surrogate: Surrogate) -> Self {
        Self {
            surrogate,
            best: plane.truth(),
            value: 0.0,
            upper: f64::INFINITY,
            range: plane.loss_range(),
            unit: plane.loss_unit(),
            queries: Vec::new(),
        }
    }

    /// Takes a label in, if it is better than the best.
    pub(super) fn see(&mut self, spot: &Spot<L>) {
        let value = self.surrogate.value(spot.h, spot.g);
        if value > self.value {
            self.value = value;
            self.best = spot.clone();
        }
    }

    /// Asks the λ-oracle at a finite λ > 0, and learns from its answer that no label lies above the line through it.
    pub(super) fn query(&mut self, plane: &mut impl LabelPlane<Label = L>, mix: Mix) -> Spot<L> {
        let spot = plane.maximize(mix);
        self.asked(mix, Some(spot.point()));
        self.see(&spot);
        self.bound(mix, mix.height(spot.h, spot.g) + spot.missed);
        spot
    }

    /// Counts a query.
    pub(super) fn asked(&mut self, mix: Mix, answer: Option<(f64, f64)>) {
        self.queries.push(Query { mix, answer });
    }

    /// No label has more than this height under a mix.
    pub(super) fn bound(&mut self, mix: Mix, height: f64) {
        let bound = self.highest_below(mix, height);
        self.upper = self.upper.min(bound);
    }

    /// The best label has a tangent, and nothing lies above that by more than so much.
    pub(super) fn settle(&mut self, mix: Mix, above: f64) {
        // Without h the tangent is a bound on the loss: what that proves is known.
        if mix.score > 0.0 {
            let above = self.surrogate.steepest(self.range, self.unit, f64::INFINITY) * above / mix.score;
            self.upper = self.upper.min(self.value + above);
        }
    }

    /// The largest ψ under a height.
    pub(super) fn highest_below(&self, mix: Mix, height: f64) -> f64 {
        if mix.score == 0.0 {
            // Only the loss is bounded, and where it is 0 nothing hurts.
            return if height <= 0.0 && self.surrogate != Surrogate::MicroF1 { 0.0 } else { f64::INFINITY };
        }
        let (lambda, height) = (mix.loss / mix.score, height / mix.score);
        let line = Line { lambda, height, range: self.range, unit: self.unit };
        self.surrogate.highest_below(line)
    }

    /// Whether nothing better than the best label can be left.
    pub(super) fn is_proven(&self) -> bool {
        self.upper <= self.value * (1.0 + EXACT)
    }

    pub(super) fn queries(&self) -> usize {
        self.queries.len()
    }

    pub(super) fn into_answer(self) -> Answer<L> {
        let upper = if self.is_proven() { self.value } else { self.upper };
        Answer { best: self.best, second: None, value: self.value, upper, queries: self.queries }
    }
}
