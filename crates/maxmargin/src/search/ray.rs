//! The λ-oracle constrained to an angle, where labels are fractional.
//!
//! The labels then fill a convex region of the label plane. Its best point in an angle is the oracle's own answer, or
//! lies where a ray of the angle cuts the upper right of its border: on the edge between two vertices that plain queries
//! find. (In the language of linear programs: the multiplier of the constraint is found by max-flows.) What an angle has
//! left of the border or below it is worth less than the border's ends, which the angular search has seen.

use super::angular::Angle;
use super::{LabelPlane, Spot};
use crate::structure::Mix;

/// A vertex is above an edge if it is so by more than this, relative to the numbers involved.
const TOLERANCE: f64 = 1e-11;

/// The most vertices that are looked for on the way to one edge.
const MOST_VERTICES: usize = 200;

/// The slope g/H of a label, H = h + 1.
fn slope<L>(spot: &Spot<L>) -> f64 {
    let big_h = spot.h + 1.0;
    if big_h > 0.0 { spot.g / big_h } else { f64::INFINITY }
}

/// The best label in an angle with ends between 0 and ∞, or none where the border is not in it. `known` are vertices of the
/// upper right border, among them its ends.
pub(super) fn constrained<P: LabelPlane>(
    plane: &mut P,
    known: &mut Vec<Spot<P::Label>>,
    angle: &Angle,
    mix: Mix,
) -> Option<Spot<P::Label>> {
    let best = plane.maximize(mix);
    known.push(best.clone());
    let ray = match slope(&best) {
        slope if slope > angle.high.0 => angle.high.0,
        slope if slope < angle.low.0 => angle.low.0,
        _ => return Some(best),
    };
    let below = known.iter().filter(|spot| slope(spot) <= ray).max_by(|a, b| slope(a).total_cmp(&slope(b)));
    let above = known.iter().filter(|spot| slope(spot) > ray).min_by(|a, b| slope(a).total_cmp(&slope(b)));
    let (mut below, mut above) = (below?.clone(), above?.clone());
    for _ in 0..MOST_VERTICES {
        if above.g <= below.g || above.h >= below.h {
            break;
        }
        let edge = Mix::level(below.point(), above.point());
        let vertex = plane.maximize(edge);
        let height = |spot: &Spot<P::Label>| edge.height(spot.h, spot.g);
        let rounding = TOLERANCE * (1.0 + edge.height(below.h.abs(), below.g));
        if height(&vertex) <= height(&below) + rounding {
            break;
        }
        known.push(vertex.clone());
        if slope(&vertex) > ray {
            above = vertex;
        } else {
            below = vertex;
        }
    }
    // g = ray · H on the way from one to the other.
    let (big_h, rise, fall) = (below.h + 1.0, above.g - below.g, above.h - below.h);
    let share = (ray * big_h - below.g) / (rise - ray * fall);
    match share > 0.0 && share.is_finite() {
        true => plane.between(&below, &above, share.min(1.0)),
        false => Some(below),
    }
}
