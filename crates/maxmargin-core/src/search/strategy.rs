//! Searches by name, and which of them goes with which surrogate.

use std::fmt;
use std::str::FromStr;

use super::findings::EXACT;
use super::{Answer, LabelPlane, Memory, angular, binary, bisecting, hull, sarawagi, stratified};
use crate::error::{Error, Result};
use crate::shown::did_you_mean;
use crate::surrogate::Surrogate;

/// How near the angular search comes to the best fractional label (SLACK §5 has 0.001).
pub(crate) const FRACTIONAL_PRECISION: f64 = 1e-3;

/// Searches compare heights of labels up to this, relative to the numbers involved.
pub(super) const TOLERANCE: f64 = 1e-11;

/// A way to find the most violated label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// The best of each loss.
    Stratified,
    /// Along the convex hull, and then the labels under its best edge.
    Hull,
    /// The best point of the convex hull: a mix of two labels.
    HullFractional,
    /// With an oracle that is constrained to an angle.
    Angular,
    /// Confines λ, margin error and loss.
    Bisecting,
    /// Halves λ.
    Binary,
    /// Golden section.
    Sarawagi,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Strategy; 7] = [
        Strategy::Stratified,
        Strategy::Hull,
        Strategy::HullFractional,
        Strategy::Angular,
        Strategy::Bisecting,
        Strategy::Binary,
        Strategy::Sarawagi,
    ];

    /// The name on the command line and in model files.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Stratified => "stratified",
            Strategy::Hull => "hull",
            Strategy::HullFractional => "hull-fractional",
            Strategy::Angular => "angular",
            Strategy::Bisecting => "bisecting",
            Strategy::Binary => "binary",
            Strategy::Sarawagi => "sarawagi",
        }
    }

    /// Whether the answer is the best label (or mix), so that the bound equals the value, as long as no more labels have to be
    /// listed than there is time for: with whole losses always, with others mostly for hull and seldom for angular, which among fractional labels
    /// comes within a thousandth of the best.
    pub fn is_exact(self) -> bool {
        !matches!(self, Strategy::Bisecting | Strategy::Binary | Strategy::Sarawagi)
    }

    /// Whether the answer may be a mix of two labels.
    pub fn mixes(self) -> bool {
        self == Strategy::HullFractional
    }

    /// Whether it looks for labels above a known slack, which it does not have without a memory.
    pub fn needs_slack(self) -> bool {
        self == Strategy::Sarawagi
    }

    /// Whether what it finds depends on what it found before.
    pub fn remembers(self) -> bool {
        !matches!(self, Strategy::Stratified | Strategy::Binary)
    }

    /// The share of its value up to which an answer counts as proven.
    pub(super) fn tolerance(self) -> f64 {
        if self == Strategy::Stratified { 0.0 } else { 4.0 * EXACT }
    }

    /// The share of all numbers involved that its arithmetic may miss beside the rounding of single operations: angular tells
    /// heights on the border of fractional labels apart up to this.
    pub(super) fn coarseness(self, is_fractional: bool) -> f64 {
        if self == Strategy::Angular && is_fractional { 16.0 * TOLERANCE } else { 0.0 }
    }

    /// Refuses a search that cannot find the label of a surrogate.
    pub fn check(self, surrogate: Surrogate) -> Result<()> {
        let refuse = |why: String| Err(Error::parameter("search", why));
        match self {
            Strategy::Stratified => Ok(()),
            Strategy::Hull | Strategy::HullFractional if surrogate.is_monotone() => Ok(()),
            Strategy::Hull | Strategy::HullFractional => refuse(format!(
                "{self} needs a surrogate that rises with the loss, and {surrogate} does not; use stratified"
            )),
            _ if surrogate == Surrogate::SLACK => Ok(()),
            _ => {
                refuse(format!("{self} is for slack rescaling only; use stratified or hull with {surrogate}"))
            }
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Strategy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|strategy| strategy.name() == text).ok_or_else(|| {
            let names = [&["auto"], &Self::ALL.map(Self::name)[..]].concat();
            let meant = did_you_mean(text, names.iter().copied());
            Error::parameter(
                "search",
                format!("{text:?} is not a search; there are {}{meant}", names.join(", ")),
            )
        })
    }
}

/// Searches a label plane for the largest ψ.
pub fn search<P: LabelPlane>(
    strategy: Strategy,
    plane: &mut P,
    surrogate: Surrogate,
    memory: &mut Memory<P::Label>,
) -> Answer<P::Label> {
    match strategy {
        Strategy::Stratified => stratified::search(plane, surrogate),
        Strategy::Hull => hull::search(plane, surrogate, memory, false),
        Strategy::HullFractional => hull::search(plane, surrogate, memory, true),
        // Between fractional labels it comes nearer to the best with each query, and reaches it in the limit.
        Strategy::Angular => {
            let epsilon = if plane.is_fractional() { FRACTIONAL_PRECISION } else { 0.0 };
            angular::search(plane, memory, epsilon)
        }
        Strategy::Bisecting => bisecting::search(plane, memory),
        Strategy::Binary => binary::search(plane),
        Strategy::Sarawagi => sarawagi::search(plane, memory),
    }
}
