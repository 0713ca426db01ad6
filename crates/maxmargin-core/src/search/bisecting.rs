//! The bisecting search for slack rescaling (SLACK Alg. 1): λ, H and g are all confined, from any λ on.
//!
//! A label found at λ leaves for the best one only h between H and λg, and g between g and H/λ. While one end of λ is
//! open it is doubled or halved; then the geometric middle is taken.

use super::findings::Findings;
use super::{Answer, LabelPlane, Memory};
use crate::structure::Mix;
use crate::surrogate::Surrogate;

/// The most queries: λ closes in on a value at which two labels are equal, and may never reach it.
const MOST_QUERIES: usize = 60;

/// How close the two ends of λ come, as a ratio.
const CLOSE: f64 = 1.0 + 1e-3;

/// An interval.
#[derive(Clone, Copy)]
struct Range(f64, f64);

impl Range {
    fn meet(&mut self, a: f64, b: f64) {
        self.0 = self.0.max(a.min(b));
        self.1 = self.1.min(a.max(b));
    }

    fn is_empty(&self) -> bool {
        self.0 > self.1
    }
}

pub(super) fn search<P: LabelPlane>(plane: &mut P, memory: &mut Memory<P::Label>) -> Answer<P::Label> {
    let mut findings = Findings::new(plane, Surrogate::SLACK);
    let (mut heights, mut losses) =
        (Range(f64::NEG_INFINITY, f64::INFINITY), Range(f64::NEG_INFINITY, f64::INFINITY));
    let (mut low, mut high) = (0.0_f64, f64::INFINITY);
    let mut ends = (None, None);
    let mut lambda = if memory.lambda > 0.0 && memory.lambda.is_finite() { memory.lambda } else { 1.0 };
    while findings.queries() < MOST_QUERIES && high > low * CLOSE {
        let spot = findings.query(plane, Mix { score: 1.0, loss: lambda });
        memory.lambda = lambda;
        let big_h = spot.h + 1.0;
        heights.meet(big_h, lambda * spot.g);
        losses.meet(spot.g, big_h / lambda);
        if heights.is_empty() || losses.is_empty() || findings.is_proven() {
            break;
        }
        if spot.g <= big_h / lambda {
            low = lambda;
            ends.0 = Some(spot.label);
        } else {
            high = lambda;
            ends.1 = Some(spot.label);
        }
        if ends.0.is_some() && ends.0 == ends.1 {
            break;
        }
        lambda = match (low, high) {
            (low, f64::INFINITY) => 2.0 * low,
            (0.0, high) => 0.5 * high,
            (low, high) => (low * high).sqrt(),
        };
    }
    findings.into_answer()
}
