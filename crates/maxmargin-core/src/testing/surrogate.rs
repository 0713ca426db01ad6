//! What a surrogate from outside says of itself, on a grid of margin errors and losses.

use crate::error::{Error, Result};
use crate::surrogate::{Line, Surrogate};

/// Steps of finite differences.
const STEP: f64 = 1e-6;

/// Looks for a counter-example to what a surrogate says of itself: gradient, convexity, linearity, steepest slope, the tangent's
/// offset, and (where λ-oracles are to find its label) bounds below lines. Losses are 0 to `largest_loss`, margin errors up to
/// `largest_h` in size.
///
/// ```
/// use maxmargin_core::surrogate::Surrogate;
/// use maxmargin_core::testing::check_surrogate;
/// check_surrogate(Surrogate::Log, 5.0, 10.0)?;
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
pub fn check_surrogate(surrogate: Surrogate, largest_loss: f64, largest_h: f64) -> Result<()> {
    let range = (0.0, largest_loss);
    let losses: Vec<f64> = (0..=16).map(|k| largest_loss * f64::from(k) / 16.0).collect();
    let heights: Vec<f64> = (-32..=32).map(|k| largest_h * f64::from(k) / 32.0).collect();
    let unit = largest_loss / 16.0;
    let wrong = |what: String| Err(Error::parameter("surrogate", format!("{surrogate}: {what}")));
    let close = |a: f64, b: f64, size: f64| (a - b).abs() <= 1e-4 * (1.0 + size + a.abs() + b.abs());
    if surrogate.value(0.0, 0.0) != 0.0 {
        return wrong(format!("it is {} at the truth", surrogate.value(0.0, 0.0)));
    }
    for &g in &losses {
        for &h in &heights {
            let (value, slope) = (surrogate.value(h, g), surrogate.gradient(h, g).0);
            if !value.is_finite() || slope.is_nan() || slope < 0.0 {
                return wrong(format!("at h = {h}, g = {g} its value is {value} and its slope {slope}"));
            }
            let step = STEP * largest_h;
            let [before, after] = [h - step, h + step].map(|h| surrogate.value(h, g));
            let sides = [(value - before) / step, (after - value) / step];
            // At a kink any slope between those of both sides will do.
            let is_between = close(
                slope,
                slope.clamp(sides[0].min(sides[1]), sides[0].max(sides[1])),
                value / step * 1e-9,
            );
            if !is_between {
                return wrong(format!(
                    "its slope by h at h = {h}, g = {g} is {slope}, and differences say {sides:?}"
                ));
            }
            let steepest = surrogate.steepest(range, (g > 0.0).then_some(unit), largest_h);
            if slope > steepest * (1.0 + 1e-12) && g > 0.0 {
                return wrong(format!(
                    "its slope at h = {h}, g = {g} is {slope}, more than the steepest {steepest}"
                ));
            }
            if surrogate.is_convex() {
                let offset = if surrogate.is_linear() {
                    surrogate.value(0.0, g)
                } else {
                    surrogate.tangent_offset(h, g)
                };
                for &there in &heights {
                    let (tangent, other) = (slope * there + offset, surrogate.value(there, g));
                    if tangent > other + 1e-9 * (1.0 + other.abs() + (slope * there).abs()) {
                        let problem = format!("the tangent at h = {h}, g = {g} is {tangent} at h = {there}");
                        return wrong(format!(
                            "{problem}, above {other}: it is not convex, or its tangent_offset too large"
                        ));
                    }
                }
            }
        }
    }
    if surrogate.is_monotone() {
        check_lines(surrogate, range, largest_h).or_else(wrong)?;
    }
    Ok(())
}

/// ψ rises with g where it is not negative, and no point below a line is higher than the bound of the line.
fn check_lines(surrogate: Surrogate, range: (f64, f64), largest_h: f64) -> std::result::Result<(), String> {
    let losses = || (0..=2000).map(|k| range.1 * f64::from(k) / 2000.0);
    for height in (-8..=8).map(|k| largest_h * f64::from(k) / 8.0) {
        let values: Vec<f64> = losses().map(|g| surrogate.value(height, g)).collect();
        let falls =
            values.windows(2).position(|pair| pair[0] >= 0.0 && pair[1] < pair[0] - 1e-9 * (1.0 + pair[0]));
        if let Some(place) = falls.filter(|&place| place > 0) {
            return Err(format!(
                "at h = {height} it falls with g after g = {}",
                range.1 * place as f64 / 2000.0
            ));
        }
        for lambda in [0.0, 0.01, 0.1, 0.5, 1.0, 3.0, 20.0] {
            let line = Line { lambda, height, range, unit: None };
            let bound = surrogate.highest_below(line);
            let best = losses().map(|g| surrogate.value(height - lambda * g, g)).fold(0.0, f64::max);
            if best > bound * (1.0 + 1e-12) {
                return Err(format!(
                    "below h + {lambda} g = {height} it reaches {best}, and its bound is {bound}: it does not rise and then fall"
                ));
            }
        }
    }
    Ok(())
}
