//! The loss-scaled log loss g·log(1 + e^h).

pub(super) fn value(h: f64, g: f64) -> f64 {
    if g <= 0.0 { 0.0 } else { g * softplus(h) }
}

pub(super) fn gradient(h: f64, g: f64) -> (f64, f64) {
    (g.max(0.0) * logistic(h), softplus(h))
}

/// g·(log(1 + e^h) − h·σ(h)): the same for h and −h.
pub(super) fn tangent_offset(h: f64, g: f64) -> f64 {
    let h = h.abs();
    g.max(0.0) * (softplus(-h) + h * logistic(-h))
}

/// log(1 + e^h) at both tails: h for large h, e^h for small.
fn softplus(h: f64) -> f64 {
    h.max(0.0) + (-h.abs()).exp().ln_1p()
}

fn logistic(h: f64) -> f64 {
    let e = (-h.abs()).exp();
    if h >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}
