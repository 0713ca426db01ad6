//! Surrogate losses ψ(h, g): how a margin error and a task loss become one number to minimise (THESIS ch. 3).
//!
//! h is linear in the weights (the margin error m, plus a constant of the label for Micro-F1), g depends on the label
//! only. Where ψ is convex in h, so is the risk in the weights, and every label is a cutting plane: the certificate
//! holds. Where ψ is quasi-concave and increasing on K₀ = {ψ ≥ 0}, the best label can be found through λ-oracles.

mod custom;
mod line;
mod log;
mod micro_f1;
mod prob;
mod scaled;

use std::fmt;
use std::str::FromStr;

pub use self::custom::{CustomSurrogate, SurrogateFunction};
pub use self::line::Line;
pub use self::scaled::Scaled;
use crate::error::{Error, Result};
use crate::shown::did_you_mean;

/// What the rounding of a slope of a tangent may come to, as a share of it, with functions that are right up to a few units
/// in the last place.
const SLOPE_ROUNDING: f64 = 64.0 * f64::EPSILON;

/// A surrogate loss.
///
/// ```
/// use maxmargin_core::surrogate::Surrogate;
/// let slack: Surrogate = "slack".parse()?;
/// assert_eq!(slack.value(0.5, 2.0), 3.0);
/// assert!("beta=1.5".parse::<Surrogate>().is_err());
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Surrogate {
    /// h·g^β + g^α: margin rescaling (1, 0), slack rescaling (1, 1), β-scaling (1, β), and what lies between.
    Scaled(Scaled),
    /// g·log(1 + e^h).
    Log,
    /// 2g·Φ(h; 0, σ² = 2g/π): the risk under normal noise. Not convex in h: no certificate.
    Prob,
    /// The same for h ≤ 0, and its tangent g + √g·h for h > 0.
    ProbConvex,
    /// h/(−g) with h = |y Δ y_i| + m and g = −|y| − |y_i|: at m = 0 this is 1 − F1.
    MicroF1,
    /// One that was written elsewhere; see [`Surrogate::custom`].
    Custom(CustomSurrogate),
}

impl Surrogate {
    /// h + g.
    pub const MARGIN: Surrogate = Surrogate::Scaled(Scaled::MARGIN);
    /// (h + 1)·g.
    pub const SLACK: Surrogate = Surrogate::Scaled(Scaled::SLACK);

    /// A surrogate of your own. It lives as long as the program, so that surrogates stay plain values that can be copied: a `static`,
    /// or `Box::leak` where it has parameters. Refused where it is not 0 at the truth, or makes no numbers.
    pub fn custom(function: &'static dyn SurrogateFunction) -> Result<Self> {
        let (at_truth, there) = (function.value(0.0, 0.0), function.gradient(0.0, 1.0));
        let rounding = function.rounding();
        if at_truth != 0.0 {
            let problem =
                format!("{} is {at_truth} at the truth (h = 0, g = 0); it must be 0", function.name());
            return Err(Error::parameter("surrogate", problem));
        }
        if !function.value(0.0, 1.0).is_finite()
            || there.0.is_nan()
            || there.1.is_nan()
            || !(0.0..1.0).contains(&rounding)
        {
            let problem = format!("{} has a value, a slope or a rounding that is no number", function.name());
            return Err(Error::parameter("surrogate", problem));
        }
        Ok(Surrogate::Custom(CustomSurrogate(function)))
    }

    /// ψ(h, g); 0 at the truth.
    #[inline]
    pub fn value(self, h: f64, g: f64) -> f64 {
        match self {
            Surrogate::Scaled(scaled) => scaled.value(h, g),
            Surrogate::Log => log::value(h, g),
            Surrogate::Prob => prob::value(h, g),
            Surrogate::ProbConvex => prob::convex_value(h, g),
            Surrogate::MicroF1 => micro_f1::value(h, g),
            Surrogate::Custom(custom) => custom.0.value(h, g),
        }
    }

    /// (∂ψ/∂h, ∂ψ/∂g).
    pub fn gradient(self, h: f64, g: f64) -> (f64, f64) {
        match self {
            Surrogate::Scaled(scaled) => scaled.gradient(h, g),
            Surrogate::Log => log::gradient(h, g),
            Surrogate::Prob => prob::gradient(h, g),
            Surrogate::ProbConvex => prob::convex_gradient(h, g),
            Surrogate::MicroF1 => micro_f1::gradient(h, g),
            Surrogate::Custom(custom) => custom.0.gradient(h, g),
        }
    }

    /// The largest ∂ψ/∂h for losses in a range of which those above 0 are at least `least`, where that is known, and for |h| up to
    /// `largest_h`.
    pub fn steepest(self, (low, high): (f64, f64), least: Option<f64>, largest_h: f64) -> f64 {
        match self {
            Surrogate::Custom(custom) => custom.0.steepest((low, high), least, largest_h),
            // Without any loss ψ is 0, whatever h is.
            _ if self.is_unbounded() && high <= 0.0 => 0.0,
            _ if self.is_unbounded() => match least.filter(|least| *least > 0.0) {
                Some(least) => self.gradient(0.0, least.min(high)).0,
                None => f64::INFINITY,
            },
            Surrogate::Log => high.max(0.0),
            Surrogate::Prob | Surrogate::ProbConvex => high.max(0.0).sqrt(),
            _ => self.gradient(0.0, low).0.max(self.gradient(0.0, high).0),
        }
    }

    /// The largest ψ without margin error, for losses in the same range.
    pub(crate) fn largest_without_margin(self, range: (f64, f64), unit: Option<f64>) -> f64 {
        match self {
            Surrogate::Custom(custom) => custom.0.largest_without_margin(range, unit),
            _ => self.value(0.0, range.1).max(self.value(0.0, unit.unwrap_or(0.0))),
        }
    }

    /// What values may be wrong by beyond a few roundings, as a share of the numbers involved.
    pub(crate) fn rounding(self) -> f64 {
        match self {
            Surrogate::Custom(custom) => custom.0.rounding(),
            _ => 0.0,
        }
    }

    /// A lower bound on what the tangent at h is worth where the margin error is 0: ψ − ψ_h·h without cancellation, less
    /// what the rounding of the slope may account for. With a slope a little too large, all of the plane is scaled down
    /// instead: solvers allow for that.
    pub fn tangent_offset(self, h: f64, g: f64) -> f64 {
        if let Surrogate::Custom(custom) = self {
            return custom.0.tangent_offset(h, g);
        }
        let slope = self.gradient(h, g).0;
        let (offset, size) = match self {
            Surrogate::Log => (log::tangent_offset(h, g), 1.0),
            Surrogate::Prob | Surrogate::ProbConvex if h <= 0.0 => prob::tangent_offset(h, g),
            Surrogate::ProbConvex => return g.max(0.0),
            _ => (self.value(h, g) - slope * h, 1.0),
        };
        let allowance = SLOPE_ROUNDING * (size * slope * (h.abs() + g.max(0.0).sqrt()) + offset.abs());
        (offset - allowance).max(0.0)
    }

    /// Whether (h, g) is in the domain K₀ = {ψ ≥ 0}.
    pub fn contains(self, h: f64, g: f64) -> bool {
        self.value(h, g) >= 0.0
    }

    /// Whether the risk is convex in the weights, so that a certificate exists.
    pub fn is_convex(self) -> bool {
        match self {
            Surrogate::Custom(custom) => custom.0.is_convex(),
            _ => self != Surrogate::Prob,
        }
    }

    /// Whether ψ is linear in h: then a label is the same plane at every w.
    pub fn is_linear(self) -> bool {
        match self {
            Surrogate::Custom(custom) => custom.0.is_linear(),
            _ => matches!(self, Surrogate::Scaled(_) | Surrogate::MicroF1),
        }
    }

    /// Whether ψ increases with g on K₀ and has no jump at g = 0, as λ-oracles with λ ≥ 0 need.
    pub fn is_monotone(self) -> bool {
        match self {
            Surrogate::Scaled(scaled) => scaled.beta() >= 0.0 && scaled.alpha() != 0.0,
            Surrogate::Custom(custom) => custom.0.rises_and_falls(),
            _ => true,
        }
    }

    /// Whether ψ grows without bound as the loss goes to 0: only with a least loss is it a number.
    pub fn is_unbounded(self) -> bool {
        matches!(self, Surrogate::Scaled(scaled) if scaled.beta() < 0.0)
    }

    /// How many times the share by which a loss is wrong ψ may be wrong, as a share of its two parts.
    pub(crate) fn sensitivity(self) -> f64 {
        match self {
            Surrogate::Scaled(scaled) => scaled.alpha().abs().max(scaled.beta().abs()).max(1.0),
            _ => 1.0,
        }
    }

    /// Whether g must be the number of wrong positions.
    pub fn needs_hamming(self) -> bool {
        matches!(self, Surrogate::Prob | Surrogate::ProbConvex)
    }

    /// What there is to choose from.
    pub const NAMES: &str = "margin, slack, beta=B, general=A,B, log, prob, prob-convex, micro-f1";
}

impl fmt::Display for Surrogate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            &Surrogate::MARGIN => f.write_str("margin"),
            &Surrogate::SLACK => f.write_str("slack"),
            Surrogate::Scaled(scaled) if scaled.alpha() == 1.0 => write!(f, "beta={}", scaled.beta()),
            Surrogate::Scaled(scaled) => write!(f, "general={},{}", scaled.alpha(), scaled.beta()),
            Surrogate::Log => f.write_str("log"),
            Surrogate::Prob => f.write_str("prob"),
            Surrogate::ProbConvex => f.write_str("prob-convex"),
            Surrogate::MicroF1 => f.write_str("micro-f1"),
            Surrogate::Custom(custom) => f.write_str(custom.0.name()),
        }
    }
}

impl FromStr for Surrogate {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refuse = |problem: String| Error::parameter("surrogate", problem);
        let number = |text: &str| {
            text.trim().parse::<f64>().map_err(|_| {
                refuse(format!("{text:?} is not a number; write for example beta=0.5 or general=1,0.5"))
            })
        };
        Ok(match (text, text.split_once('=')) {
            ("margin", _) => Surrogate::MARGIN,
            ("slack", _) => Surrogate::SLACK,
            ("log", _) => Surrogate::Log,
            ("prob", _) => Surrogate::Prob,
            ("prob-convex", _) => Surrogate::ProbConvex,
            ("micro-f1", _) => Surrogate::MicroF1,
            (_, Some(("beta", beta))) => Surrogate::Scaled(Scaled::beta_scaling(number(beta)?)?),
            (_, Some(("general", pair))) => {
                let (alpha, beta) = pair.split_once(',').ok_or_else(|| {
                    refuse(format!("{pair:?} should be two numbers, for example general=1,0.5"))
                })?;
                Surrogate::Scaled(Scaled::new(number(alpha)?, number(beta)?)?)
            }
            _ => {
                let meant = did_you_mean(text, Self::NAMES.split(", "));
                return Err(refuse(format!("{text:?} is not a surrogate; there are {}{meant}", Self::NAMES)));
            }
        })
    }
}
