//! The Micro-F1 surrogate h/(−g), with h = |y Δ y_i| + m and g = −|y| − |y_i| (THESIS 3.3.3).
//!
//! Quasi-linear: its level sets are rays, so its best point is always a vertex of the hull. Two empty sets agree.

pub(super) fn value(h: f64, g: f64) -> f64 {
    if g >= 0.0 { 0.0 } else { h / -g }
}

pub(super) fn gradient(h: f64, g: f64) -> (f64, f64) {
    // Better than two empty sets is whatever has h > 0.
    if g >= 0.0 { (1.0, 0.0) } else { (1.0 / -g, h / (g * g)) }
}
