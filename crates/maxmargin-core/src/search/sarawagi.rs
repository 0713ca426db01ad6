//! The search of Sarawagi and Gupta (2008) for slack rescaling: golden section on F(λ) = K(λ) − 2√(ξλ), the baseline.
//!
//! A label with Φ > ξ exists only if F > 0 everywhere; ξ is the slack that the labels known so far leave, so the
//! search is at home in cutting-plane methods.

use super::binary::WIDEST;
use super::findings::Findings;
use super::{Answer, LabelPlane, Memory};
use crate::structure::Mix;
use crate::surrogate::Surrogate;

/// The inverse of the golden ratio.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// How close the ends of λ come, as powers of e.
const CLOSE: f64 = 1e-2;

pub(super) fn search<P: LabelPlane>(plane: &mut P, memory: &mut Memory<P::Label>) -> Answer<P::Label> {
    let mut findings = Findings::new(plane, Surrogate::SLACK);
    memory.labels.iter().for_each(|label| findings.see(&plane.spot(label)));
    let slack = findings.value;
    let mut ask = |at: f64, findings: &mut Findings<P::Label>| {
        let lambda = at.exp();
        let spot = findings.query(plane, Mix { score: 1.0, loss: lambda });
        spot.h + 1.0 + lambda * spot.g - 2.0 * (slack * lambda).sqrt()
    };
    let (mut low, mut high) = (-WIDEST, WIDEST);
    let (mut left, mut right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut at_left, mut at_right) = (ask(left, &mut findings), ask(right, &mut findings));
    // Where F is negative there is nothing to find.
    while high - low > CLOSE && at_left > 0.0 && at_right > 0.0 {
        if at_left <= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - GOLDEN * (high - low);
            at_left = ask(left, &mut findings);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + GOLDEN * (high - low);
            at_right = ask(right, &mut findings);
        }
    }
    memory.lambda = (0.5 * (low + high)).exp();
    if findings.value > 0.0 {
        memory.keep(&findings.best.label);
    }
    findings.into_answer()
}
