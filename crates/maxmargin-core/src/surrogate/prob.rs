//! ProbLoss: twice the risk of a label under normal noise in each of its g wrong positions (THESIS 3.3.2).
//!
//! ψ = 2g·Φ(h; 0, σ² = 2g/π) = g·erfc(−h √π / (2 √g)). At h = 0 it is g, with slope √g. It is not convex for h > 0;
//! its convex extension goes on along the tangent g + √g·h.

use std::f64::consts::PI;

use libm::erfc;

pub(super) fn value(h: f64, g: f64) -> f64 {
    if g <= 0.0 { 0.0 } else { g * erfc(-argument(h, g)) }
}

pub(super) fn gradient(h: f64, g: f64) -> (f64, f64) {
    if g <= 0.0 {
        // The limits at the truth.
        return (0.0, if h >= 0.0 { 2.0 } else { 0.0 });
    }
    let z = argument(h, g);
    let density = (-z * z).exp();
    (g.sqrt() * density, erfc(-z) - h / (2.0 * g.sqrt()) * density)
}

/// ψ − ψ_h·h for h ≤ 0, where both terms count upwards, and by how much more than others the slope's rounding counts: the
/// exponential multiplies that of its argument.
pub(super) fn tangent_offset(h: f64, g: f64) -> (f64, f64) {
    if g <= 0.0 {
        return (0.0, 1.0);
    }
    let z = argument(h, g);
    (value(h, g) + gradient(h, g).0 * h.abs(), 1.0 + z * z)
}

pub(super) fn convex_value(h: f64, g: f64) -> f64 {
    if h <= 0.0 || g <= 0.0 { value(h, g) } else { g + g.sqrt() * h }
}

pub(super) fn convex_gradient(h: f64, g: f64) -> (f64, f64) {
    if h <= 0.0 || g <= 0.0 { gradient(h, g) } else { (g.sqrt(), 1.0 + h / (2.0 * g.sqrt())) }
}

/// z with Φ(h; 0, 2g/π) = erfc(−z)/2.
fn argument(h: f64, g: f64) -> f64 {
    // Not the root of π/g, which is infinite for the smallest g.
    h * (PI.sqrt() / 2.0 / g.sqrt())
}
