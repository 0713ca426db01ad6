//! The quadratic program itself, row by row, and Clarabel's answer to it.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus};

use crate::linear::CooVector;
use crate::risk::{Risk, Saddle};
use crate::solver::{Halt, mass};

/// The tolerance that the interior-point solver is asked for. It often ends a little before.
const TOLERANCE: f64 = 1e-9;

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
pub(super) struct Program {
    constraints: Entries,
    bounds: Vec<f64>,
    costs: Vec<f64>,
    /// The row of the first arc of each example.
    pub(super) first_rows: Vec<usize>,
}

impl Program {
    pub(super) fn new(risk: &dyn Risk, saddle: &dyn Saddle) -> Self {
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
        let mut terms = CooVector::default();
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
    pub(super) fn solve(self, lambda: f64, dim: usize, halt: &Halt) -> Option<(Vec<f64>, Vec<f64>, bool)> {
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
