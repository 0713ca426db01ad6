//! The largest ψ below a line and between two points: what a query of a λ-oracle proves, and what a hull's edge is worth.
//!
//! Along a line ψ rises and then falls (it is quasi-concave on K₀), so halving by the sign of its derivative finds the
//! top. The bound is rigorous: the top lies in the last interval, and ψ increases with h and with g.

use super::Surrogate;

/// Halvings until an interval is a point.
const HALVINGS: usize = 52;

/// A bound is this much higher than it would be without rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// All points with h + λ·g ≤ height, for g in a range.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    /// λ, finite and not negative.
    pub lambda: f64,
    /// The largest h + λ·g.
    pub height: f64,
    /// The smallest and the largest g.
    pub range: (f64, f64),
    /// Where only the smallest g plus whole multiples of a unit occur, that unit.
    pub unit: Option<f64>,
}

impl Line {
    fn h(&self, g: f64) -> f64 {
        self.height - self.lambda * g
    }
}

impl Surrogate {
    /// An upper bound on ψ below a line, at least 0: what is left to find after a query that answered with `height`.
    ///
    /// ```
    /// use maxmargin_core::surrogate::{Line, Surrogate};
    /// // For slack rescaling this is K²/(4λ), with K = height + 1.
    /// let line = Line { lambda: 0.4, height: 2.0, range: (0.0, 10.0), unit: None };
    /// assert!((Surrogate::SLACK.highest_below(line) - 3.0 * 3.0 / (4.0 * 0.4)).abs() < 1e-12);
    /// // With whole losses only, the top at g = 3.75 is out of reach.
    /// let whole = Surrogate::SLACK.highest_below(Line { unit: Some(1.0), ..line });
    /// assert!((whole - (3.0 - 0.4 * 4.0) * 4.0).abs() < 1e-12);
    /// ```
    pub fn highest_below(self, mut line: Line) -> f64 {
        let (low, high) = line.range;
        line.height += ROUNDING * (line.height.abs() + line.lambda * low.abs().max(high.abs()));
        let at = |g: f64| self.value(line.h(g), g);
        let top = match self {
            Surrogate::MARGIN | Surrogate::MicroF1 => at(low).max(at(high)),
            _ if !self.is_monotone() => f64::INFINITY,
            _ => {
                let (below, above) = self.top_of(line);
                match line.unit {
                    // ψ rises up to the top and falls from there on: only the whole losses beside it count.
                    Some(unit) => {
                        let number = |g: f64| (g - low) / unit;
                        let first = (number(below) - 1e-9).floor().max(0.0);
                        let last = (number(above) + 1e-9).ceil().min(number(high).round());
                        let at = |k: f64| at(low + unit * k);
                        at(first).max(at((first + 1.0).min(last))).max(at(last))
                    }
                    None => self.value(line.h(below), above),
                }
            }
        };
        // Numbers too large to compute with prove nothing.
        if top.is_nan() { f64::INFINITY } else { top.max(0.0) * (1.0 + ROUNDING) }
    }

    /// An interval with the g in it at which ψ is largest on a line.
    fn top_of(self, line: Line) -> (f64, f64) {
        let (low, high) = line.range;
        if self == Surrogate::SLACK {
            let top = ((line.height + 1.0) / (2.0 * line.lambda)).clamp(low, high);
            return (top, top);
        }
        let rises = |g: f64| {
            let (by_h, by_g) = self.gradient(line.h(g), g);
            by_g > line.lambda * by_h
        };
        halve(self.start_of_rise(line), high, rises)
    }

    /// Where along a line the derivative's sign begins to tell: outside K₀ ψ may rise, fall and rise again.
    fn start_of_rise(self, line: Line) -> f64 {
        let (low, high) = line.range;
        match self {
            // The top of h + g^(α−β), from which on it falls; ψ has its top beyond.
            Surrogate::Scaled(scaled) if scaled.beta() > 0.0 && scaled.alpha() > scaled.beta() => {
                let exponent = scaled.alpha() - scaled.beta();
                let top = (exponent / line.lambda).powf(1.0 / (1.0 - exponent));
                match exponent {
                    ..1.0 => top.clamp(low, high),
                    // h + g rises all along the line, or falls.
                    _ if line.lambda < 1.0 => high,
                    _ => low,
                }
            }
            _ => low,
        }
    }

    /// How far to go from `a`, where ψ ≥ 0, towards `b` to where ψ is largest: from 0 to 1.
    pub fn best_between(self, a: (f64, f64), b: (f64, f64)) -> f64 {
        let (dh, dg) = (b.0 - a.0, b.1 - a.1);
        match self {
            Surrogate::MARGIN | Surrogate::MicroF1 => {
                return f64::from(u8::from(self.value(b.0, b.1) > self.value(a.0, a.1)));
            }
            Surrogate::SLACK if dh * dg < 0.0 => {
                return ((dh * a.1 + dg * (a.0 + 1.0)) / (-2.0 * dh * dg)).clamp(0.0, 1.0);
            }
            _ => {}
        }
        let rises = |s: f64| {
            let (h, g) = (a.0 + s * dh, a.1 + s * dg);
            let (by_h, by_g) = self.gradient(h, g);
            self.contains(h, g) && by_h * dh + by_g * dg > 0.0
        };
        let (below, above) = halve(0.0, 1.0, rises);
        match (below, above) {
            (0.0, _) => 0.0,
            (_, 1.0) => 1.0,
            _ => 0.5 * (below + above),
        }
    }
}

/// The interval in which something stops rising.
fn halve(mut below: f64, mut above: f64, rises: impl Fn(f64) -> bool) -> (f64, f64) {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (below + above);
        if rises(middle) {
            below = middle;
        } else {
            above = middle;
        }
    }
    (below, above)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Surrogate> {
        let names =
            ["margin", "slack", "beta=0.25", "beta=0.5", "general=0.5,0", "general=1.5,1", "general=0.3,0.3"];
        let names = names.into_iter().chain([
            "general=2,1",
            "general=3,2",
            "general=2.2,1.2",
            "log",
            "prob",
            "prob-convex",
            "micro-f1",
        ]);
        names.map(|name| name.parse().unwrap()).collect()
    }

    /// Bounds against a fine grid on the line, for every surrogate.
    #[test]
    fn no_point_below_a_line_is_higher() {
        for surrogate in all() {
            let range = if surrogate == Surrogate::MicroF1 { (-9.0, -2.0) } else { (0.0, 7.0) };
            for lambda in [0.0, 0.01, 0.3, 1.0, 2.5, 40.0] {
                for height in [-20.0, -1.0, -0.3, 0.0, 0.7, 3.0, 50.0] {
                    let line = Line { lambda, height, range, unit: None };
                    let bound = surrogate.highest_below(line);
                    let grid = (0..=20_000).map(|i| range.0 + (range.1 - range.0) * f64::from(i) / 20_000.0);
                    let best = grid.map(|g| surrogate.value(line.h(g), g)).fold(0.0, f64::max);
                    assert!(best <= bound, "{surrogate}, {line:?}: {best} above {bound}");
                    assert!(
                        bound <= best + 2e-3 * (1.0 + best),
                        "{surrogate}, {line:?}: {best} far below {bound}"
                    );
                    let whole = surrogate.highest_below(Line { unit: Some(1.0), ..line });
                    let losses = (0..=7).map(|k| range.0 + f64::from(k)).filter(|&g| g <= range.1);
                    let best = losses.map(|g| surrogate.value(line.h(g), g)).fold(0.0, f64::max);
                    assert!(best <= whole, "{surrogate}, {line:?}: {best} above {whole}");
                    assert!(
                        whole <= best + 1e-9 * (1.0 + best),
                        "{surrogate}, {line:?}: {best} far below {whole}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_best_point_of_an_edge() {
        for surrogate in all().into_iter().filter(|&s| s != Surrogate::MicroF1) {
            for (a, b) in [
                ((0.0, 0.0), (-5.0, 8.0)),
                ((3.0, 1.0), (-2.0, 4.0)),
                ((0.5, 5.0), (2.0, 0.0)),
                ((-0.2, 6.0), (1.0, 1.0)),
            ] {
                if !surrogate.contains(a.0, a.1) {
                    continue;
                }
                let at = |s: f64| surrogate.value(a.0 + s * (b.0 - a.0), a.1 + s * (b.1 - a.1));
                let best = (0..=10_000).map(|i| at(f64::from(i) / 10_000.0)).fold(0.0, f64::max);
                let found = at(surrogate.best_between(a, b));
                assert!(
                    found >= best - 1e-9 * (1.0 + best),
                    "{surrogate} from {a:?} to {b:?}: {found} below {best}"
                );
            }
        }
    }
}
