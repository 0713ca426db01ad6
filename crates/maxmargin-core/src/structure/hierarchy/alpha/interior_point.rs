//! The program of [`dual_ascent`](super::dual_ascent) as one of cones, and Clarabel's answer to it.
//!
//! For ρ = 2 it is a quadratic program; else each power is a cone of its own: (t, 1, α) with α ≤ t^{1/ρ}.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, PowerConeT, SupportedConeT, ZeroConeT,
};

use super::dual_ascent::Program;

/// The tolerance that the interior-point solver is asked for. It often ends a little before.
const TOLERANCE: f64 = 1e-9;

/// It may take so many seconds. Graphs of some ten thousand nodes may be too large; what it then has is judged like all else.
const MOST_SECONDS: f64 = 120.0;

#[derive(Default)]
struct Rows {
    entries: (Vec<usize>, Vec<usize>, Vec<f64>),
    bounds: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

impl Rows {
    /// bound − ⟨terms, x⟩ is in the cone that follows.
    fn add(&mut self, terms: impl Iterator<Item = (usize, f64)>, bound: f64) {
        for (column, value) in terms {
            self.entries.0.push(self.bounds.len());
            self.entries.1.push(column);
            self.entries.2.push(value);
        }
        self.bounds.push(bound);
    }
}

/// Solves the program, as far as Clarabel can; the caller judges what comes of it.
pub(super) fn solve(nodes: usize, program: &mut Program) {
    let is_quadratic = program.rho == 2.0;
    let columns = if is_quadratic { nodes } else { 2 * nodes };
    let mut rows = Rows::default();
    for row in program.rows.iter().filter(|row| row.low == row.high) {
        rows.add(program.terms(row), row.low);
    }
    rows.cones.push(ZeroConeT(rows.bounds.len()));
    let equal = rows.bounds.len();
    let turned = |(node, sign): (usize, f64)| (node, -sign);
    for row in program.rows.iter().filter(|row| row.low < row.high) {
        rows.add(program.terms(row).map(turned), -row.low);
        if row.high.is_finite() {
            rows.add(program.terms(row), row.high);
        }
    }
    (0..nodes).for_each(|node| rows.add([(node, -1.0)].into_iter(), 0.0));
    rows.cones.push(NonnegativeConeT(rows.bounds.len() - equal));
    if !is_quadratic {
        for node in 0..nodes {
            rows.add([(nodes + node, -1.0)].into_iter(), 0.0);
            rows.add(std::iter::empty(), 1.0);
            rows.add([(node, -1.0)].into_iter(), 0.0);
            rows.cones.push(PowerConeT(1.0 / program.rho));
        }
    }
    let costs: Vec<f64> = (0..columns).map(|column| f64::from(u8::from(column >= nodes))).collect();
    let squares: Vec<usize> = if is_quadratic { (0..nodes).collect() } else { Vec::new() };
    let quadratic = CscMatrix::new_from_triplets(
        columns,
        columns,
        squares.clone(),
        squares.clone(),
        vec![2.0; squares.len()],
    );
    let (row_numbers, column_numbers, values) = rows.entries;
    let matrix =
        CscMatrix::new_from_triplets(rows.bounds.len(), columns, row_numbers, column_numbers, values);
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: TOLERANCE,
        tol_gap_rel: TOLERANCE,
        tol_feas: TOLERANCE,
        time_limit: MOST_SECONDS,
        ..DefaultSettings::default()
    };
    let solver = DefaultSolver::new(&quadratic, &costs, &matrix, &rows.bounds, &rows.cones, settings);
    let Ok(mut solver) = solver else { return };
    solver.solve();
    let (x, z) = (&solver.solution.x, &solver.solution.z);
    if x.len() != columns || z.len() != rows.bounds.len() {
        return;
    }
    let (mut of_equal, mut of_others) = (z[..equal].iter(), z[equal..].iter());
    let mut next = |row: &super::dual_ascent::Row| {
        if row.low == row.high {
            return -of_equal.next().copied().unwrap_or(0.0);
        }
        let low = of_others.next().copied().unwrap_or(0.0);
        low - if row.high.is_finite() { of_others.next().copied().unwrap_or(0.0) } else { 0.0 }
    };
    let multipliers = program.rows.iter().map(&mut next).collect();
    let weights = x[..nodes].iter().map(|weight| weight.max(0.0)).collect();
    program.take(multipliers, weights);
}
