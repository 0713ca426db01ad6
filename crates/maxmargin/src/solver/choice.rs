//! Solvers by name, with what each needs to start.

use std::fmt;
use std::str::FromStr;

use super::{Bmrm, NSlack, ProxBmrm, ProxOptions, Sgd, Solver};
use crate::error::{Error, Result};
use crate::risk::Risk;

/// The solvers that can be asked for by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SolverKind {
    /// What is fastest for most problems: at present Prox-P-BMRM.
    Auto,
    /// BMRM.
    Bmrm,
    /// Prox-BMRM.
    ProxBmrm,
    /// P-BMRM.
    PBmrm,
    /// Prox-P-BMRM.
    ProxPBmrm,
    /// The n-slack cutting plane.
    NSlack,
    /// Averaged SGD.
    Sgd,
}

impl SolverKind {
    /// All names, in the order in which they are listed for a user.
    pub const ALL: [SolverKind; 7] = [
        SolverKind::Auto,
        SolverKind::Bmrm,
        SolverKind::ProxBmrm,
        SolverKind::PBmrm,
        SolverKind::ProxPBmrm,
        SolverKind::NSlack,
        SolverKind::Sgd,
    ];

    /// The solvers that reach any gap.
    pub const EXACT: [SolverKind; 5] = [
        SolverKind::Bmrm,
        SolverKind::ProxBmrm,
        SolverKind::PBmrm,
        SolverKind::ProxPBmrm,
        SolverKind::NSlack,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            SolverKind::Auto => "auto",
            SolverKind::Bmrm => "bmrm",
            SolverKind::ProxBmrm => "prox-bmrm",
            SolverKind::PBmrm => "p-bmrm",
            SolverKind::ProxPBmrm => "prox-p-bmrm",
            SolverKind::NSlack => "n-slack",
            SolverKind::Sgd => "sgd",
        }
    }

    /// A solver of this kind for a risk.
    pub fn build(self, risk: &dyn Risk, settings: &SolverSettings) -> Box<dyn Solver> {
        let &SolverSettings { lambda, groups, seed, .. } = settings;
        let start = settings.start.clone();
        let prox = ProxOptions { seed, ..ProxOptions::default() };
        match self {
            SolverKind::Bmrm => Box::new(Bmrm::new(lambda, risk, 1, start)),
            SolverKind::PBmrm => Box::new(Bmrm::new(lambda, risk, groups, start)),
            SolverKind::ProxBmrm => Box::new(ProxBmrm::new(lambda, risk, 1, start, prox)),
            SolverKind::Auto | SolverKind::ProxPBmrm => {
                Box::new(ProxBmrm::new(lambda, risk, groups, start, prox))
            }
            SolverKind::NSlack => Box::new(NSlack::new(lambda, risk)),
            SolverKind::Sgd => Box::new(Sgd::new(lambda, risk, seed)),
        }
    }
}

impl fmt::Display for SolverKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SolverKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|kind| kind.name()).collect();
            Error::parameter("solver", format!("{text:?} is not one of {}", names.join(", ")))
        })
    }
}

/// What a solver needs to know besides the risk.
#[derive(Debug, Clone)]
pub struct SolverSettings {
    /// λ.
    pub lambda: f64,
    /// P, the number of cutting-plane models of the P-variants.
    pub groups: usize,
    /// The seed of everything random.
    pub seed: u64,
    /// Weights to start from, for the solvers that can use them.
    pub start: Option<Vec<f64>>,
}

impl SolverSettings {
    /// λ, and the defaults for the rest.
    pub fn new(lambda: f64) -> Result<Self> {
        if !lambda.is_finite() || lambda <= 0.0 {
            return Err(Error::parameter(
                "lambda",
                format!("{lambda} is not allowed; λ is a number above 0"),
            ));
        }
        Ok(Self { lambda, groups: 16, seed: 0, start: None })
    }
}
