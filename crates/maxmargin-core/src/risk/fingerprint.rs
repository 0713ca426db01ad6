//! What tells a risk from others of the same shape: a state that was saved of a run on one proves nothing about another.

use super::{Plane, Point, Risk, RiskMemory};
use crate::error::Result;
use crate::fingerprint::Fingerprint;
use crate::linear::{FeatureSum, round_up};

/// A risk that knows its examples shows the planes of this many, beside what it knows of all.
const SHOWN: usize = 256;

/// [`Risk::fingerprint`], whatever the searches remember: they know nothing while it is taken, and then what they knew before.
pub(crate) fn fingerprint(risk: &dyn Risk) -> Result<u64> {
    let known = risk.memory();
    let blank =
        RiskMemory { queries: known.queries, examples: vec![Default::default(); known.examples.len()] };
    risk.remember(blank)?;
    let number = risk.fingerprint();
    risk.remember(known)?;
    Ok(number)
}

/// Examples at equal distances.
pub(super) fn some_of(examples: usize) -> impl Iterator<Item = usize> {
    let shown = examples.min(SHOWN);
    (0..shown).map(move |k| k * examples / shown)
}

/// A number that depends on the shape of a risk, on the weights and magnitudes of all examples, and on the planes of some at a
/// point where scores are about as large as losses.
pub(super) fn of_planes<R: Risk + ?Sized>(risk: &R, examples: impl Iterator<Item = usize>) -> u64 {
    let mut fingerprint = Fingerprint::default();
    fingerprint.add(risk.dim() as u64);
    fingerprint.add(risk.len() as u64);
    let mut largest = f64::MIN_POSITIVE;
    for i in 0..risk.len() {
        let magnitude = risk.magnitude(i);
        fingerprint.add(risk.weight(i).to_bits());
        fingerprint.add(magnitude.norm.to_bits());
        fingerprint.add(magnitude.loss.to_bits());
        if magnitude.loss > 0.0 {
            largest = largest.max(magnitude.norm / magnitude.loss);
        }
    }
    let direction: Vec<f64> = (0..risk.dim() as u64).map(sign_and_size).collect();
    let norm = round_up((risk.dim() as f64).sqrt(), 2.0);
    let at = Point { direction: &direction, scale: 1.0, norm, is_precise: false }.times(1.0 / largest);
    let mut oracle = risk.oracle();
    let mut plane = Plane::default();
    for i in examples {
        oracle.plane(i, at, &mut plane);
        for (code, factor) in plane.parts() {
            fingerprint.add_all(code.iter().map(|&number| u64::from(number)));
            fingerprint.add(factor.to_bits());
        }
        fingerprint.add(plane.b.to_bits());
    }
    fingerprint.number()
}

/// Numbers between −1 and 1 without a pattern.
fn sign_and_size(place: u64) -> f64 {
    let mut number = Fingerprint::default();
    number.add(place);
    (number.number() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Features that go by.
impl FeatureSum for Fingerprint {
    fn add(&mut self, index: usize, value: f64) {
        Fingerprint::add(self, (index as u64).rotate_left(32) ^ value.to_bits());
    }
}
