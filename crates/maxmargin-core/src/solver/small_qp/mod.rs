//! The small quadratic program (SADDLE): the maximum over flows replaced by its dual, and all handed to an
//! interior-point solver.
//!
//! By linear programming duality, with a potential π_v for each node and a price μ_a ≥ 0 for each limited arc,
//!
//! ```text
//! H_i(w) = min  Σ_v supply_v π_v + Σ_a capacity_a μ_a + constant_i − ⟨w, F_i truth_i⟩
//!          such that  π_tail − π_head + μ_a ≥ ⟨w, F_a⟩ + loss_a  for each arc a
//! ```
//!
//! so that F is minimised over w, all π and all μ at once: a quadratic program with a row for each arc instead of one
//! for each label. Clarabel solves it. Its multipliers of the rows are flows; they are projected, because those of an
//! interior-point solver are only nearly feasible, and then prove a lower bound as those of the extragradient method
//! do. So the certificate does not depend on what the solver promises.
//!
//! Clarabel is there with the cargo feature `interior-point` only. Without it there is no such solver, and the error says so.

#[cfg(feature = "interior-point")]
mod program;

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::certificate::measure;
use super::{Certificate, Halt, MadeFor, Progress, Solver, SolverKind, SolverSettings, SolverState};
use crate::error::{Error, Result};
use crate::risk::{Groups, Risk, Saddle};

/// The most multiplications in one factorisation: some minutes for the whole.
const MOST_WORK: f64 = 1e11;

/// Bytes for an arc: its row with some features, its multiplier and slack, and their copies in the solver.
const BYTES_PER_ARC: f64 = 1000.0;

/// The most memory for the factors, in bytes.
const MOST_MEMORY: f64 = 2e9;

/// The small quadratic program, solved in one pass. More passes change nothing.
///
/// ```
/// use std::sync::Arc;
/// use maxmargin_core::features::{FeatureMatrix, Rows};
/// use maxmargin_core::risk::StructuredRisk;
/// use maxmargin_core::search::MarginSearch;
/// use maxmargin_core::solver::{SmallQp, Solver};
/// use maxmargin_core::structure::{Example, LabelCost, MulticlassStructure};
///
/// let x = Arc::new(FeatureMatrix::from_dense(&[[1.0, 0.2], [0.3, 1.0], [0.8, 0.9]]));
/// let example = |(i, truth)| Example { input: Rows::new(&x, i..i + 1), truth, weight: 1.0 };
/// let structure = MulticlassStructure::new(2, 3, true, LabelCost::ZeroOne)?;
/// let risk = StructuredRisk::new(structure, MarginSearch, (0..3).zip([0, 1, 2]).map(example).collect())?;
/// // An error without the feature `interior-point`.
/// if let Ok(mut solver) = SmallQp::new(1.0, &risk) {
///     assert!(solver.step(&risk).certificate.gap().0 < 1e-6);
/// }
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Serialize, Deserialize)]
pub struct SmallQp {
    lambda: f64,
    weights: Vec<f64>,
    /// What the one pass found, once it was not broken off.
    found: Option<Certificate>,
    #[serde(skip)]
    halt: Halt,
    pub(super) made_for: MadeFor,
}

impl SmallQp {
    /// A solver that has found nothing yet.
    pub fn new(lambda: f64, risk: &dyn Risk) -> Result<Self> {
        SolverSettings::checked(lambda, None, SolverKind::SmallQp, risk)?;
        let (weights, made_for) = (vec![0.0; risk.dim()], MadeFor::new(risk));
        Ok(Self { lambda, weights, found: None, halt: Halt::default(), made_for })
    }

    /// Refuses all problems where there is no interior-point solver, and those that it would take too long for. Its factors are dense in the weights,
    /// and in those against the nodes of each example.
    pub(super) fn check_size(risk: &dyn Risk, saddle: &dyn Saddle) -> Result<()> {
        if cfg!(not(feature = "interior-point")) {
            let problem = "small-qp was left out of this build; it needs the cargo feature interior-point of maxmargin-core";
            return Err(Error::parameter("solver", problem));
        }
        let (dim, too_many) = (risk.dim() as f64, (MOST_MEMORY / BYTES_PER_ARC) as usize);
        let arcs: usize = (0..risk.len()).map(|i| saddle.arcs(i)).sum();
        let (mut memory, mut work) = (4.0 * dim * dim + BYTES_PER_ARC * arcs as f64, dim * dim * dim / 3.0);
        // The networks are made here, and needed later; but not where there are too many of them anyway.
        for i in (0..risk.len()).take_while(|_| arcs <= too_many) {
            let nodes = saddle.polytope(i).network.nodes() as f64;
            memory += 8.0 * nodes * (dim + 0.5 * nodes);
            work += nodes * (dim + nodes) * (dim + nodes);
        }
        if memory <= MOST_MEMORY && work <= MOST_WORK {
            return Ok(());
        }
        let problem = format!(
            "small-qp would need about {:.1} GB and {:.0e} multiplications for each of some twenty factorisations, with {dim} weights and {arcs} arcs; up to {:.0} GB and {MOST_WORK:.0e} are allowed; use extragradient or bcfw",
            memory / 1e9,
            work,
            MOST_MEMORY / 1e9
        );
        Err(Error::parameter("solver", problem))
    }

    #[cfg(not(feature = "interior-point"))]
    fn solve(&self, _risk: &dyn Risk, _saddle: &dyn Saddle) -> (Vec<Vec<f64>>, f64, bool) {
        (Vec::new(), 0.0, false)
    }

    /// Solves the program. Returns weights to be tried, a lower bound, and whether it was broken off.
    #[cfg(feature = "interior-point")]
    fn solve(&self, risk: &dyn Risk, saddle: &dyn Saddle) -> (Vec<Vec<f64>>, f64, bool) {
        let program = program::Program::new(risk, saddle);
        let first_rows = program.first_rows.clone();
        let Some((weights, multipliers, is_halted)) = program.solve(self.lambda, risk.dim(), &self.halt)
        else {
            return (Vec::new(), 0.0, self.halt.is_due());
        };
        let mut projection = crate::inference::FlowProjection::default();
        let flows: Vec<Vec<f64>> = (first_rows.iter().enumerate())
            .map(|(i, &first)| {
                let (polytope, share) = (saddle.polytope(i), super::mass(risk, i));
                if share == 0.0 {
                    return polytope.truth.clone();
                }
                let network = &polytope.network;
                let multipliers = &multipliers[first..first + network.arcs().len()];
                let near: Vec<f64> = multipliers.iter().map(|multiplier| multiplier / share).collect();
                let mut flow = vec![0.0; near.len()];
                projection.project(network, &near, &mut vec![0.0; network.nodes()], &mut flow);
                flow
            })
            .collect();
        let dual = super::saddle_point::dual_point(risk, saddle, self.lambda, |i| flows[i].as_slice());
        let lower_bound = dual.lower_bound;
        (vec![weights, dual.weights(self.lambda)], lower_bound, is_halted)
    }
}

impl Solver for SmallQp {
    fn name(&self) -> &'static str {
        "small-qp"
    }

    fn heed(&mut self, halt: Halt) {
        self.halt = halt;
    }

    fn finish_pass(&mut self, risk: &dyn Risk) -> Option<Progress> {
        self.found.is_none().then(|| self.step(risk))
    }

    fn lambda(&self) -> f64 {
        self.lambda
    }

    fn made_for(&self) -> Option<&MadeFor> {
        Some(&self.made_for)
    }

    fn one_pass(&mut self, risk: &dyn Risk) -> Progress {
        if let Some(certificate) = self.found {
            return Progress { certificate, oracle_calls: 0, master_seconds: 0.0 };
        }
        let start = Instant::now();
        let saddle = risk.saddle();
        let (mut tries, lower_bound, is_halted) = match &saddle {
            Some(saddle) => self.solve(risk, saddle.as_ref()),
            None => (Vec::new(), 0.0, false),
        };
        let master_seconds = start.elapsed().as_secs_f64();
        // What the solver found may be useless; 0 never is.
        tries.push(vec![0.0; risk.dim()]);
        let oracle_calls = (tries.len() * risk.len()) as u64;
        // The truth costs nothing, so no risk is below 0.
        let mut best = Certificate { lower_bound: lower_bound.max(0.0), ..Certificate::UNKNOWN };
        // There is no other pass in which more digits could be asked for.
        let (groups, mut is_precise) = (Groups::new(risk.len(), 1), true);
        for weights in tries {
            let (here, _) = measure(risk, &weights, &groups, self.lambda, &best, &mut is_precise);
            if here.primal < best.primal {
                best = Certificate { lower_bound: best.lower_bound, ..here };
                self.weights = weights;
            }
        }
        self.found = (!is_halted).then_some(best);
        Progress { certificate: best, oracle_calls, master_seconds }
    }

    fn weights(&self) -> &[f64] {
        &self.weights
    }

    fn state(&self) -> Option<SolverState<'_>> {
        Some(SolverState::SmallQp(self))
    }
}
