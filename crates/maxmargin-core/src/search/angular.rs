//! The angular search for slack rescaling (SLACK Alg. 2): exact, with an oracle that is constrained to an angle.
//!
//! With H = h + 1, Φ = H·g is to be maximised over labels with H, g > 0. A label z that the oracle finds in an angle at
//! λ proves that Φ ≤ K²/(4λ) there, K = H + λg, and that only slopes between ∂z = g/H and its mirror image ∂z′ = 1/(λ²∂z)
//! can be better. They are split at 1/λ, and both parts wait in a queue, the one of the highest bound first. The best label
//! found anywhere narrows them further than z alone does.
//!
//! Corrected against print: a label on the ray 1/λ closes its angle and not the search, and angles are half open so
//! that they leave out just the label that was seen.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::constrained_oracle::Constrained;
use super::findings::{Findings, MOST_QUERIES};
use super::{Answer, GaveUp, LabelPlane, Memory, Spot};
use crate::structure::Mix;
use crate::surrogate::Surrogate;

/// Slopes g/(h + 1) between two ends, each of which may belong to the angle or not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Angle {
    /// The smallest slope, and whether it is left out.
    pub low: (f64, bool),
    /// The largest slope, and whether it is left out.
    pub high: (f64, bool),
}

impl Angle {
    /// All labels with H, g > 0.
    pub const ALL: Angle = Angle { low: (0.0, true), high: (f64::INFINITY, true) };

    /// Whether a label lies in the angle.
    pub fn contains(&self, h: f64, g: f64) -> bool {
        let big_h = h + 1.0;
        if big_h <= 0.0 || g <= 0.0 {
            return false;
        }
        let slope = g / big_h;
        (slope > self.low.0 || (slope == self.low.0 && !self.low.1))
            && (slope < self.high.0 || (slope == self.high.0 && !self.high.1))
    }
}

/// Slopes lie between this and its inverse, so that the middle of two is a number.
const SMALLEST_SLOPE: f64 = 1e-150;

/// What the rounding of a slope may come to, as a share of it.
const ROUNDING: f64 = 1e-9;

struct Waiting {
    bound: f64,
    angle: Angle,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound).then(self.angle.low.0.total_cmp(&other.angle.low.0))
    }
}

/// Searches until Φ of the best label is at least (1 − `epsilon`) of what can be left.
pub(super) fn search<P: LabelPlane>(
    plane: &mut P,
    memory: &mut Memory<P::Label>,
    epsilon: f64,
) -> Answer<P::Label> {
    let mut findings = Findings::new(plane, Surrogate::SLACK);
    memory.labels.iter().for_each(|label| findings.see(&plane.spot(label)));
    let mut oracle = Constrained::new(plane);
    let first = match &mut oracle {
        Constrained::Border(known) => first_angles(plane, known, &mut findings),
        _ => vec![Waiting { bound: f64::INFINITY, angle: Angle::ALL }],
    };
    let mut lambda = match findings.best.point() {
        (h, g) if g > 0.0 => (h + 1.0) / g,
        _ => oracle.first_lambda(),
    };
    let mut queue = BinaryHeap::from(first);
    findings.upper = 0.0;
    while let Some(Waiting { bound, angle }) = queue.pop() {
        if bound * (1.0 - epsilon) <= findings.value || findings.queries() >= MOST_QUERIES {
            // Angles that were given up may leave more than what still waits.
            findings.upper = findings.upper.max(bound);
            break;
        }
        if angle != Angle::ALL {
            lambda = 1.0 / (angle.low.0 * angle.high.0).sqrt();
        }
        let mix = Mix { score: 1.0, loss: lambda };
        // H + λg of a label that is better than the best.
        let floor = 2.0 * (lambda * findings.value).sqrt() - 1.0;
        let spot = match oracle.ask(plane, &angle, mix, floor) {
            Ok(Some(spot)) => spot,
            Ok(None) => {
                findings.asked(mix, None);
                continue;
            }
            Err(GaveUp { height, seen }) => {
                findings.asked(mix, None);
                seen.iter().for_each(|spot| findings.see(spot));
                findings.upper = findings.upper.max(bound.min(findings.highest_below(mix, height)));
                continue;
            }
        };
        findings.asked(mix, Some(spot.point()));
        findings.see(&spot);
        let height = mix.height(spot.h, spot.g) + spot.missed;
        let bound = bound.min(findings.highest_below(mix, height));
        let rest = meet(&angle, &better_than(findings.value, lambda, 1.0 + height));
        for angle in split(&spot, lambda, &rest) {
            queue.push(Waiting { bound, angle });
        }
    }
    memory.lambda = lambda;
    if findings.value > 0.0 {
        memory.keep(&findings.best.label);
    }
    findings.into_answer()
}

/// The parts of an angle in which a label can be better than the one found.
fn split<L>(spot: &Spot<L>, lambda: f64, angle: &Angle) -> Vec<Angle> {
    let slope = spot.g / (spot.h + 1.0);
    let (ray, mirror) = (1.0 / lambda, 1.0 / (lambda * lambda * slope));
    let parts = match slope.total_cmp(&ray) {
        Ordering::Equal => return Vec::new(),
        Ordering::Greater => [
            Angle { low: (ray, false), high: (slope, true) },
            Angle { low: (mirror, false), high: (ray, true) },
        ],
        Ordering::Less => [
            Angle { low: (ray, true), high: (mirror, false) },
            Angle { low: (slope, true), high: (ray, false) },
        ],
    };
    parts.iter().map(|part| meet(part, angle)).filter(|part| !is_empty(part)).collect()
}

/// What two angles have in common.
fn meet(a: &Angle, b: &Angle) -> Angle {
    let low = if a.low.0 == b.low.0 {
        (a.low.0, a.low.1 || b.low.1)
    } else if a.low.0 > b.low.0 {
        a.low
    } else {
        b.low
    };
    let high = if a.high.0 == b.high.0 {
        (a.high.0, a.high.1 || b.high.1)
    } else if a.high.0 < b.high.0 {
        a.high
    } else {
        b.high
    };
    Angle { low, high }
}

fn is_empty(angle: &Angle) -> bool {
    angle.low.0 > angle.high.0 || (angle.low.0 == angle.high.0 && (angle.low.1 || angle.high.1))
}

/// The slopes g/H that H·g ≥ Φ and H + λg ≤ K leave: outside no label is better than one worth Φ. A little wider, for
/// rounding, and with ends between 0 and ∞.
fn better_than(value: f64, lambda: f64, height: f64) -> Angle {
    // The two H add up to K and multiply to λΦ; the smaller one from the larger, so that nothing cancels.
    let large = 0.5 * height + (0.25 * height * height - lambda * value).max(0.0).sqrt();
    let small = lambda * value / large;
    let (low, high) = (small / (lambda * large), large / (lambda * small));
    let low = (low * (1.0 - ROUNDING)).max(SMALLEST_SLOPE);
    let high = (high * (1.0 + ROUNDING)).min(1.0 / SMALLEST_SLOPE);
    Angle { low: (low, false), high: (high, false) }
}

/// Where labels are fractional: sees the ends of the border and the best point between them, asks at its λ, and so leaves
/// two angles with ends between 0 and ∞.
fn first_angles<P: LabelPlane>(
    plane: &mut P,
    known: &mut Vec<Spot<P::Label>>,
    findings: &mut Findings<P::Label>,
) -> Vec<Waiting> {
    let ends = [Mix::SCORE, Mix::LOSS].map(|mix| {
        let end = plane.maximize(mix);
        findings.asked(mix, Some(end.point()));
        findings.see(&end);
        end
    });
    let share = findings.surrogate.best_between(ends[0].point(), ends[1].point());
    if let Some(middle) = plane.between(&ends[0], &ends[1], share) {
        findings.see(&middle);
    }
    if findings.value <= 0.0 {
        return Vec::new();
    }
    let lambda = (findings.best.h + 1.0) / findings.best.g;
    let mix = Mix { score: 1.0, loss: lambda };
    let top = findings.query(plane, mix);
    let height = top.h + 1.0 + lambda * top.g;
    known.extend(ends);
    known.push(top);
    let Angle { low, high } = better_than(findings.value, lambda, height);
    let ray = 1.0 / lambda;
    let angles = [Angle { low: (ray, false), high }, Angle { low, high: (ray, true) }];
    angles.into_iter().map(|angle| Waiting { bound: findings.upper, angle }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Points;

    /// A plane whose constrained oracle answers from a list.
    struct Scripted(Vec<Result<Option<Spot<u32>>, GaveUp<u32>>>);

    fn spot(label: u32, big_h: f64, g: f64) -> Spot<u32> {
        Spot { label, h: big_h - 1.0, g, missed: 0.0 }
    }

    impl LabelPlane for Scripted {
        type Label = u32;

        fn truth(&self) -> Spot<u32> {
            spot(0, 1.0, 0.0)
        }

        fn spot(&self, &label: &u32) -> Spot<u32> {
            spot(label, 1.1, 0.5)
        }

        fn loss_range(&self) -> (f64, f64) {
            (0.0, 1.0)
        }

        fn maximize(&mut self, _mix: Mix) -> Spot<u32> {
            self.truth()
        }

        fn constrained(
            &mut self,
            _: &Angle,
            _: Mix,
            _: f64,
            _: usize,
        ) -> Result<Option<Spot<u32>>, GaveUp<u32>> {
            if self.0.is_empty() { Ok(None) } else { self.0.remove(0) }
        }
    }

    #[test]
    fn an_angle_that_was_given_up_keeps_its_bound() {
        // The remembered label is worth 0.55. The second angle is given up, and what waits after the third is worth less.
        let answers = vec![
            Ok(Some(spot(1, 2.4, 0.2))),
            Err(GaveUp { height: 5.0, seen: vec![] }),
            Ok(Some(spot(2, 0.5, 0.1))),
        ];
        let mut memory = Memory { lambda: 1.0, labels: vec![7] };
        let answer = search(&mut Scripted(answers), &mut memory, 0.0);
        assert_eq!(answer.best.label, 7);
        assert!(answer.upper > 0.56, "{answer:?}");
    }

    #[test]
    fn a_remembered_label_next_to_nothing_hides_no_other() {
        // The first λ is H/g of the remembered label, and all other slopes lie far from there.
        for big_h in [1e-9, 1e-15, 2.3e-16] {
            for stratified in [true, false] {
                let mut points = Points::new(vec![(0.0, 0.0), (big_h - 1.0, 3.0), (1.0, 2.0), (2.0, 1.0)]);
                points.stratified = stratified;
                let mut memory = Memory { lambda: 1.0, labels: vec![1] };
                let answer = search(&mut points, &mut memory, 0.0);
                assert_eq!((answer.best.label, answer.upper), (2, 4.0), "{big_h}: {answer:?}");
            }
        }
    }
}
