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

use std::time::Instant;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus};
use serde::{Deserialize, Serialize};

use super::certificate::measure;
use super::saddle_point::dual_point;
use super::{Certificate, Halt, Progress, Solver, SolverState, mass};
use crate::error::{Error, Result};
use crate::inference::FlowProjection;
use crate::linear::Terms;
use crate::risk::{Groups, Risk, Saddle};

/// The tolerance that the interior-point solver is asked for. It often ends a little before.
const TOLERANCE: f64 = 1e-9;

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
/// use maxmargin_core::structure::{Example, LabelCost, Multiclass};
///
/// let x = Arc::new(FeatureMatrix::from_dense(&[[1.0, 0.2], [0.3, 1.0], [0.8, 0.9]]));
/// let example = |(i, truth)| Example { input: Rows::new(&x, i..i + 1), truth, weight: 1.0 };
/// let structure = Multiclass::new(2, 3, true, LabelCost::ZeroOne)?;
/// let risk = StructuredRisk::new(structure, MarginSearch, (0..3).zip([0, 1, 2]).map(example).collect())?;
/// let certificate = SmallQp::new(1.0, &risk).step(&risk).certificate;
/// assert!(certificate.gap().0 < 1e-6);
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
}

/// Entries of a matrix, by row and column.
#[derive(Default)]
struct Entries {
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Entries {
    fn add(&mut self, row: usize, column: usize, value: f64) {
        self.rows.push(row);
        self.columns.push(column);
        self.values.push(value);
    }

    fn finish(self, rows: usize, columns: usize) -> CscMatrix<f64> {
        CscMatrix::new_from_triplets(rows, columns, self.rows, self.columns, self.values)
    }
}

/// The program: min ½ xᵀPx + ⟨costs, x⟩ such that A x ≤ bounds, with x = (w, π and μ of each example).
struct Program {
    constraints: Entries,
    bounds: Vec<f64>,
    costs: Vec<f64>,
    /// The row of the first arc of each example.
    first_rows: Vec<usize>,
}

impl Program {
    fn new(risk: &dyn Risk, saddle: &dyn Saddle) -> Self {
        let mut program = Program {
            constraints: Entries::default(),
            bounds: Vec::new(),
            costs: vec![0.0; risk.dim()],
            first_rows: Vec::with_capacity(risk.len()),
        };
        (0..risk.len()).for_each(|i| program.add_example(i, mass(risk, i), saddle));
        program
    }

    fn add_example(&mut self, i: usize, share: f64, saddle: &dyn Saddle) {
        let polytope = saddle.polytope(i);
        let network = &polytope.network;
        let truth: Vec<f64> = polytope.truth.iter().map(|z| -share * z).collect();
        saddle.add_flow_features(i, &truth, &mut self.costs);
        let first_potential = self.costs.len();
        self.costs.extend(network.supplies().iter().map(|supply| share * supply));
        self.first_rows.push(self.bounds.len());
        let mut terms = Terms::default();
        let mut prices = Vec::new();
        for ((a, arc), loss) in network.arcs().iter().enumerate().zip(&polytope.losses) {
            let row = self.bounds.len();
            terms.clear();
            saddle.add_arc_features(i, a, &mut terms);
            terms.added_up().iter().for_each(|(j, value)| self.constraints.add(row, j, value));
            if arc.tail != arc.head {
                self.constraints.add(row, first_potential + arc.tail as usize, -1.0);
                self.constraints.add(row, first_potential + arc.head as usize, 1.0);
            }
            if arc.capacity.is_finite() {
                self.constraints.add(row, self.costs.len(), -1.0);
                prices.push(self.costs.len());
                self.costs.push(share * arc.capacity);
            }
            self.bounds.push(-loss);
        }
        for price in prices {
            self.constraints.add(self.bounds.len(), price, -1.0);
            self.bounds.push(0.0);
        }
    }

    /// The weights, the multiplier of each row, and whether it was broken off.
    fn solve(self, lambda: f64, dim: usize, halt: &Halt) -> Option<(Vec<f64>, Vec<f64>, bool)> {
        let (rows, columns) = (self.bounds.len(), self.costs.len());
        let mut quadratic = Entries::default();
        (0..dim).for_each(|j| quadratic.add(j, j, lambda));
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: TOLERANCE,
            tol_gap_rel: TOLERANCE,
            tol_feas: TOLERANCE,
            ..DefaultSettings::default()
        };
        let quadratic = quadratic.finish(columns, columns);
        let constraints = self.constraints.finish(rows, columns);
        let cones = [NonnegativeConeT(rows)];
        let mut solver =
            DefaultSolver::new(&quadratic, &self.costs, &constraints, &self.bounds, &cones, settings).ok()?;
        let halt = halt.clone();
        solver.set_termination_callback(move |_| halt.is_due());
        solver.solve();
        let solution = solver.solution;
        let is_halted = solution.status == SolverStatus::CallbackTerminated;
        let is_usable = solution.x.iter().chain(&solution.z).all(|value| value.is_finite());
        (is_usable && solution.x.len() == columns)
            .then(|| (solution.x[..dim].to_vec(), solution.z, is_halted))
    }
}

impl SmallQp {
    /// A solver that has found nothing yet. On a risk that is no saddle point it stays at w = 0.
    pub fn new(lambda: f64, risk: &dyn Risk) -> Self {
        Self { lambda, weights: vec![0.0; risk.dim()], found: None, halt: Halt::default() }
    }

    /// Refuses a problem that an interior-point solver would take too long for. Its factors are dense in the weights,
    /// and in those against the nodes of each example.
    pub(super) fn check_size(risk: &dyn Risk, saddle: &dyn Saddle) -> Result<()> {
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

    /// Solves the program. Returns weights to be tried, a lower bound, and whether it was broken off.
    fn solve(&self, risk: &dyn Risk, saddle: &dyn Saddle) -> (Vec<Vec<f64>>, f64, bool) {
        let program = Program::new(risk, saddle);
        let first_rows = program.first_rows.clone();
        let Some((weights, multipliers, is_halted)) = program.solve(self.lambda, risk.dim(), &self.halt)
        else {
            return (Vec::new(), 0.0, self.halt.is_due());
        };
        let mut projection = FlowProjection::default();
        let flows: Vec<Vec<f64>> = (first_rows.iter().enumerate())
            .map(|(i, &first)| {
                let (polytope, share) = (saddle.polytope(i), mass(risk, i));
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
        let dual = dual_point(risk, saddle, self.lambda, |i| flows[i].as_slice());
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

    fn step(&mut self, risk: &dyn Risk) -> Progress {
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
