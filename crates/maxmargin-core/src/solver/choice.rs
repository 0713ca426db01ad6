//! Solvers by name, with what each needs to start.

use std::fmt;
use std::str::FromStr;

use super::{
    Bcfw, BcfwOptions, Bmrm, CustomSolver, Extragradient, NSlack, ProxBmrm, ProxOptions, Sgd, SharedBcfw,
    SmallQp, Solver, SolverFactory,
};
use crate::error::{Error, Result};
use crate::risk::Risk;
use crate::shown::did_you_mean;
use crate::structure::{OracleCost, check_weight};

/// Under a norm of blocks, bundle methods keep the products of each two planes block by block: with a hundred planes, or a thousand where there are
/// groups, some hundred megabytes.
const MOST_BLOCKS: usize = 10_000;
const MOST_BLOCKS_OF_GROUPS: usize = 200;

/// Above this many weights `auto` avoids the bundle methods, which keep hundreds of dense planes.
const LARGEST_DENSE_PLANE: usize = 1_000_000;

/// Up to this λ·n bundles may reach a small gap sooner than block-coordinate steps;
const SMALL: f64 = 3.0;

/// up to this one where calls cost more, of which block-coordinate steps need fewer;
const SMALL_AT_MIDDLE_COST: f64 = 0.3;

/// and they do where labels have at least this many variables for each weight. There the examples say much the same of each
/// weight: planes of sums say it with few numbers, and examples that move one by one undo each other's work.
const VARIABLES_PER_WEIGHT: f64 = 5.0;

/// The numbers that all groups together may add to the master problem in a pass, where `auto` chooses their number: with more
/// of them the master problem takes longer than what its planes save.
const LARGEST_PASS: usize = 1 << 16;

/// The solvers that can be asked for by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SolverKind {
    /// What [`SolverKind::resolve`] picks.
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
    /// Block-coordinate Frank-Wolfe.
    Bcfw,
    /// SDCA.
    Sdca,
    /// Averaged SGD.
    Sgd,
    /// The extragradient method.
    Extragradient,
    /// The small quadratic program.
    SmallQp,
    /// One that was written elsewhere; see [`SolverKind::custom`].
    Custom(CustomSolver),
}

impl SolverKind {
    /// All names, in the order in which they are listed for a user.
    pub const ALL: [SolverKind; 11] = [
        SolverKind::Auto,
        SolverKind::Bmrm,
        SolverKind::ProxBmrm,
        SolverKind::PBmrm,
        SolverKind::ProxPBmrm,
        SolverKind::NSlack,
        SolverKind::Bcfw,
        SolverKind::Sdca,
        SolverKind::Sgd,
        SolverKind::Extragradient,
        SolverKind::SmallQp,
    ];

    /// A kind of your own. It lives as long as the program, so that kinds stay plain values: a `static`, or `Box::leak` where it has
    /// parameters.
    pub fn custom(factory: &'static dyn SolverFactory) -> Self {
        SolverKind::Custom(CustomSolver(factory))
    }

    /// What makes the solvers, where it is a kind from outside.
    pub fn factory(self) -> Option<&'static dyn SolverFactory> {
        if let SolverKind::Custom(custom) = self { Some(custom.0) } else { None }
    }

    /// The solvers themselves: all names but [`SolverKind::Auto`], which stands for one of them.
    pub fn solvers() -> impl Iterator<Item = SolverKind> {
        Self::ALL.into_iter().filter(|&kind| kind != SolverKind::Auto)
    }

    /// The solvers that reach any gap in a reasonable number of passes.
    pub const EXACT: [SolverKind; 6] = [
        SolverKind::Bmrm,
        SolverKind::ProxBmrm,
        SolverKind::PBmrm,
        SolverKind::ProxPBmrm,
        SolverKind::NSlack,
        SolverKind::Bcfw,
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
            SolverKind::Bcfw => "bcfw",
            SolverKind::Sdca => "sdca",
            SolverKind::Sgd => "sgd",
            SolverKind::Extragradient => "extragradient",
            SolverKind::SmallQp => "small-qp",
            SolverKind::Custom(custom) => custom.0.name(),
        }
    }

    /// Whether it can start from given weights.
    pub fn starts_anywhere(self) -> bool {
        match self {
            SolverKind::Custom(custom) => custom.0.starts_anywhere(),
            kind => kind != SolverKind::SmallQp,
        }
    }

    /// Whether it has as many cutting-plane models as it is told to, or may have.
    pub fn has_groups(self) -> bool {
        use SolverKind::{Auto, Custom, PBmrm, ProxPBmrm};
        matches!(self, Auto | PBmrm | ProxPBmrm | Custom(_))
    }

    /// The solver itself: what `auto` stands for in this problem, and why. `docs/solvers/auto.md` has the measurements.
    pub fn resolve(self, risk: &dyn Risk, lambda: f64) -> Choice {
        let choice = |kind, why| Choice { kind, why: Some(why), most_groups: usize::MAX };
        let cost = risk.oracle_cost();
        let small = if cost == OracleCost::Middle { SMALL_AT_MIDDLE_COST } else { SMALL };
        match self {
            SolverKind::Auto if !risk.is_convex() => {
                choice(SolverKind::Sgd, "the only one that needs no convex risk")
            }
            SolverKind::Auto if risk.norm().is_some() => {
                choice(SolverKind::Bcfw, "fastest under a shared norm")
            }
            SolverKind::Auto if risk.dim() > LARGEST_DENSE_PLANE => {
                choice(SolverKind::Bcfw, "with more than a million weights, planes must be kept as labels")
            }
            SolverKind::Auto if cost == OracleCost::High => {
                choice(SolverKind::Bcfw, "fewest oracle calls, which are costly here")
            }
            SolverKind::Auto if lambda * risk.len() as f64 > small => {
                choice(SolverKind::Bcfw, "fastest where λ·n is not small, that is where C-sum is")
            }
            SolverKind::Auto if (risk.variables() as f64) < VARIABLES_PER_WEIGHT * risk.dim() as f64 => {
                choice(SolverKind::Bcfw, "fastest where weights are many beside what they are learnt from")
            }
            SolverKind::Auto => Choice {
                most_groups: (LARGEST_PASS / risk.dim().max(1)).max(1),
                ..choice(SolverKind::ProxPBmrm, "fastest where λ·n is small and weights are few")
            },
            kind => Choice { kind, why: None, most_groups: usize::MAX },
        }
    }

    /// Refuses a solver whose planes would prove nothing, and one that needs flows where there are none, or too many.
    pub fn check(self, risk: &dyn Risk) -> Result<()> {
        if let Some(factory) = self.factory() {
            return factory.check(risk);
        }
        if risk.norm().is_some()
            && !matches!(self, SolverKind::Auto | SolverKind::Bmrm | SolverKind::PBmrm | SolverKind::Bcfw)
        {
            let problem =
                format!("{self} knows the Euclidean norm only; use bcfw, bmrm or p-bmrm for a shared norm");
            return Err(Error::parameter("solver", problem));
        }
        let most_blocks = match self {
            SolverKind::Bmrm => MOST_BLOCKS,
            SolverKind::PBmrm => MOST_BLOCKS_OF_GROUPS,
            _ => usize::MAX,
        };
        if let Some(blocks) = risk.norm().map(|norm| norm.blocks()).filter(|&blocks| blocks > most_blocks) {
            let problem = format!(
                "{self} keeps numbers for each two planes and each of {blocks} blocks, which are too many; use bcfw"
            );
            return Err(Error::parameter("solver", problem));
        }
        if matches!(self, SolverKind::Extragradient | SolverKind::SmallQp) {
            return self.check_saddle(risk);
        }
        if risk.is_convex() || matches!(self, SolverKind::Auto | SolverKind::Sgd) {
            return Ok(());
        }
        let problem = format!(
            "{self} needs a surrogate that is convex in the weights; use sgd, or prob-convex for prob"
        );
        Err(Error::parameter("solver", problem))
    }

    fn check_saddle(self, risk: &dyn Risk) -> Result<()> {
        let Some(saddle) = risk.saddle() else {
            let problem = format!(
                "{self} needs the surrogate margin, and a task whose labels are flows in a network, as those of chains are; use bcfw"
            );
            return Err(Error::parameter("solver", problem));
        };
        match self {
            SolverKind::SmallQp => SmallQp::check_size(risk, saddle.as_ref()),
            _ => Extragradient::check_size(risk, saddle.as_ref()),
        }
    }

    /// A solver of this kind for a risk. Refused where [`check`](Self::check) or [`SolverSettings::check`] refuses it.
    pub fn build(self, risk: &dyn Risk, settings: &SolverSettings) -> Result<Box<dyn Solver>> {
        self.resolve(risk, settings.lambda).build(risk, settings)
    }
}

/// Which solver it is, and why, if `auto` chose it.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// The solver.
    pub kind: SolverKind,
    why: Option<&'static str>,
    /// The most cutting-plane models that the P-variants should have.
    pub(super) most_groups: usize,
}

impl Choice {
    /// The solver for a risk, as [`SolverKind::build`] makes it.
    pub fn build(self, risk: &dyn Risk, settings: &SolverSettings) -> Result<Box<dyn Solver>> {
        settings.check(risk)?;
        let &SolverSettings { lambda, seed, .. } = settings;
        let groups = settings.groups.min(self.most_groups);
        let start = settings.start.clone();
        let from = settings.start.as_deref();
        let prox = ProxOptions { seed, ..ProxOptions::default() };
        Ok(match self.kind {
            SolverKind::Bmrm => Box::new(Bmrm::new(lambda, risk, 1, start)?),
            SolverKind::PBmrm => Box::new(Bmrm::new(lambda, risk, groups, start)?),
            SolverKind::Auto | SolverKind::ProxBmrm => Box::new(ProxBmrm::new(lambda, risk, 1, start, prox)?),
            SolverKind::ProxPBmrm => Box::new(ProxBmrm::new(lambda, risk, groups, start, prox)?),
            SolverKind::NSlack => {
                let solver = NSlack::new(lambda, risk)?;
                Box::new(if let Some(from) = from { solver.starting_at(from, risk)? } else { solver })
            }
            SolverKind::Bcfw if risk.norm().is_some() => {
                let options = BcfwOptions { seed, ..Default::default() };
                Box::new(SharedBcfw::new(lambda, risk, options, from)?)
            }
            SolverKind::Bcfw | SolverKind::Sdca => {
                let is_sdca = self.kind == SolverKind::Sdca;
                let options = BcfwOptions { seed, ..Default::default() };
                let options = if is_sdca { BcfwOptions::sdca(seed) } else { options };
                let solver = Bcfw::new(lambda, risk, options)?;
                Box::new(if let Some(from) = from { solver.starting_at(from, risk)? } else { solver })
            }
            SolverKind::Sgd => {
                let (solver, seen) = (Sgd::new(lambda, risk, seed)?, settings.seen);
                Box::new(if let Some(from) = from { solver.starting_at(from, seen, risk)? } else { solver })
            }
            SolverKind::Extragradient => {
                let solver = Extragradient::new(lambda, risk)?;
                Box::new(if let Some(from) = from { solver.starting_at(from, risk)? } else { solver })
            }
            SolverKind::SmallQp => Box::new(SmallQp::new(lambda, risk)?),
            SolverKind::Custom(custom) => {
                self.kind.check(risk)?;
                let solver = custom.0.build(risk, settings)?;
                solver.check(risk)?;
                if solver.lambda() != lambda {
                    let problem = format!("{} works with {}, not {lambda}", self.kind, solver.lambda());
                    return Err(Error::parameter("lambda", problem));
                }
                solver
            }
        })
    }

    /// The reason in brackets, to be put behind the solver's name; empty if there was no choice.
    pub fn why(&self) -> String {
        self.why.map_or(String::new(), |why| format!(" (auto: {why})"))
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
            let meant = did_you_mean(text, names.iter().copied());
            Error::parameter("solver", format!("{text:?} is not one of {}{meant}", names.join(", ")))
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
    /// How many examples these have seen, each as often as it was: sgd goes on with steps that are as short as after those. As many as
    /// there are now when `None`.
    pub seen: Option<usize>,
}

impl SolverSettings {
    /// λ, and the defaults for the rest.
    pub fn new(lambda: f64) -> Result<Self> {
        // Weights are sums of slopes times 1/λ.
        if !lambda.is_finite() || lambda <= 0.0 || !lambda.recip().is_finite() {
            return Err(Error::parameter(
                "lambda",
                format!("{lambda:?} is not allowed; λ is a number above 0 of which 1/λ is one too"),
            ));
        }
        Ok(Self { lambda, groups: 16, seed: 0, start: None, seen: None })
    }

    /// What every constructor of a solver checks.
    pub(super) fn checked(
        lambda: f64,
        start: Option<&[f64]>,
        kind: SolverKind,
        risk: &dyn Risk,
    ) -> Result<()> {
        Self::new(lambda)?;
        kind.check(risk)?;
        (0..risk.len()).try_for_each(|i| check_weight(i, risk.weight(i)))?;
        start.map_or(Ok(()), |start| check_start(start, risk))
    }

    /// Refuses what does not fit a risk: a λ that is none, no groups, or weights to start from that are not numbers, or not as many.
    pub fn check(&self, risk: &dyn Risk) -> Result<()> {
        Self::new(self.lambda)?;
        if self.groups == 0 {
            return Err(Error::parameter("groups", "0 is not allowed; there is at least one"));
        }
        self.start.as_deref().map_or(Ok(()), |start| check_start(start, risk))
    }
}

pub(super) fn check_start(start: &[f64], risk: &dyn Risk) -> Result<()> {
    if start.len() != risk.dim() {
        let problem = format!("{} numbers to start from, for {} weights", start.len(), risk.dim());
        return Err(Error::parameter("start", problem));
    }
    match start.iter().all(|weight| weight.is_finite()) {
        true => Ok(()),
        false => Err(Error::parameter("start", "weights to start from are finite")),
    }
}
