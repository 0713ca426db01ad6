//! The stratified search: the best of every loss (Bauer et al. 2014). Exact for every ψ that increases with h.

use super::findings::Findings;
use super::{Answer, LabelPlane, Stratum};
use crate::structure::Mix;
use crate::surrogate::Surrogate;

pub(super) fn search<P: LabelPlane>(plane: &mut P, surrogate: Surrogate) -> Answer<P::Label> {
    let mut strata: Vec<Stratum> = Vec::new();
    let mut findings = Findings::new(plane, surrogate);
    if !plane.strata(&mut strata) {
        // Losses that are not whole numbers: nothing is known but the truth.
        return findings.into_answer();
    }
    let (mut best, mut upper) = ((0.0, None), 0.0_f64);
    for (number, stratum) in strata.iter().enumerate() {
        let value = surrogate.value(stratum.h, stratum.g);
        if value > best.0 {
            best = (value, Some(number));
        }
        // Between the ends of a range of losses ψ may be any size, unless it rises with the loss.
        let highest = match surrogate.is_monotone() || stratum.upper == stratum.g {
            true => surrogate.value(stratum.h, stratum.upper),
            false => f64::INFINITY,
        };
        // Numbers too large to compute with prove nothing.
        upper = if highest.is_nan() { f64::INFINITY } else { upper.max(highest) };
    }
    if let Some(number) = best.1 {
        findings.see(&plane.in_stratum(number));
    }
    findings.asked(Mix::AUGMENTED, Some(findings.best.point()));
    // Without rounded losses the best stratum is all there is.
    findings.upper = if upper > best.0 { upper } else { findings.value };
    findings.into_answer()
}
