//! The binary search for slack rescaling: the λ of the smallest bound K(λ)²/(4λ), by halving (SLACK §4.1).

use super::findings::Findings;
use super::{Answer, LabelPlane};
use crate::structure::Mix;
use crate::surrogate::Surrogate;

/// The λ between which the search goes on, as powers of e, and how close its ends come.
pub(super) const WIDEST: f64 = 14.0;
const CLOSE: f64 = 1e-3;

pub(super) fn search<P: LabelPlane>(plane: &mut P) -> Answer<P::Label> {
    let mut findings = Findings::new(plane, Surrogate::SLACK);
    let (mut low, mut high) = (-WIDEST, WIDEST);
    let mut ends = (None, None);
    while high - low > CLOSE && !findings.is_proven() {
        let middle = 0.5 * (low + high);
        let lambda = middle.exp();
        let spot = findings.query(plane, Mix { score: 1.0, loss: lambda });
        // The bound's derivative has the sign of λg − H.
        if lambda * spot.g > spot.h + 1.0 {
            high = middle;
            ends.1 = Some(spot.label);
        } else {
            low = middle;
            ends.0 = Some(spot.label);
        }
        if ends.0.is_some() && ends.0 == ends.1 {
            break;
        }
    }
    findings.into_answer()
}
