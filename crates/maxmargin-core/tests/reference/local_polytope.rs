//! The relaxation of a binary field as a linear program for a general solver, with linear constraints of any kind on top.
//!
//! max Σ unary_i·μ_i + Σ coupling_e·μ_e over the local polytope 0 ≤ μ_ij ≤ min(μ_i, μ_j), μ_ij ≥ μ_i + μ_j − 1, and rows
//! a·μ ≤ b. Without rows `RoofDual` finds the same value, much faster. Here an interior point method
//! (Clarabel) does the work, so that values are good to about eight digits.
//!
//! A referee for tests: in this crate and in `maxmargin` they read this file.
//!
//! A pair that no row names takes its best value by itself: only the bounds on the side to which it is drawn are kept.

// Each test reads a part of this only.
#![allow(dead_code)]

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus};

use maxmargin_core::inference::LabelGraph;

/// What came of it, or what is wrong, in words.
type Result<T> = std::result::Result<T, String>;

/// A linear constraint Σ nodes + Σ pairs ≤ bound; each entry is a number of a label or an edge with its coefficient.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PolytopeRow {
    /// Labels with their coefficients.
    pub nodes: Vec<(u32, f64)>,
    /// Edges with their coefficients.
    pub pairs: Vec<(u32, f64)>,
    /// The right side.
    pub bound: f64,
}

/// A point of the local polytope.
#[derive(Debug, Clone, PartialEq)]
pub struct PolytopePoint {
    /// μ_i for each label.
    pub nodes: Vec<f64>,
    /// μ_ij for each edge.
    pub pairs: Vec<f64>,
    /// Its score.
    pub score: f64,
}

/// The constraint matrix, entry by entry.
#[derive(Default)]
struct Constraints {
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
    bounds: Vec<f64>,
}

impl Constraints {
    fn add(&mut self, entries: &[(usize, f64)], bound: f64) {
        for &(column, value) in entries {
            self.rows.push(self.bounds.len());
            self.columns.push(column);
            self.values.push(value);
        }
        self.bounds.push(bound);
    }
}

/// The scores of labels, and of edges of a graph.
#[derive(Clone, Copy)]
struct Field<'a> {
    graph: &'a LabelGraph,
    unary: &'a [f64],
    coupling: &'a [f64],
}

/// An optimum of the relaxation under these rows. Refused where a row names what does not exist, or where there is no point.
pub fn maximize_relaxed(
    graph: &LabelGraph,
    unary: &[f64],
    coupling: &[f64],
    rows: &[PolytopeRow],
) -> Result<PolytopePoint> {
    let field = Field { graph, unary, coupling };
    let (labels, edges) = (field.graph.labels(), field.graph.edges());
    let mut named = vec![false; edges.len()];
    for row in rows {
        for &(edge, _) in &row.pairs {
            *named.get_mut(edge as usize).ok_or_else(|| format!("there is no edge {edge}"))? = true;
        }
        if let Some((label, _)) = row.nodes.iter().find(|(label, _)| *label as usize >= labels) {
            return Err(format!("there is no label {label}"));
        }
    }
    if labels == 0 {
        return Ok(PolytopePoint { nodes: Vec::new(), pairs: Vec::new(), score: 0.0 });
    }
    let constraints = constraints(field, rows, &named);
    let solution = solve(field, constraints)?;
    let nodes: Vec<f64> = solution[..labels].iter().map(|mu| mu.clamp(0.0, 1.0)).collect();
    let pair = |(e, &(i, j)): (usize, &(u32, u32))| {
        let (i, j) = (nodes[i as usize], nodes[j as usize]);
        // Rounding must not put the least above the most.
        let most = i.min(j);
        let least = (i + j - 1.0).clamp(0.0, most);
        match () {
            () if named[e] => solution[labels + e].clamp(least, most),
            () if field.coupling[e] > 0.0 => most,
            () => least,
        }
    };
    let pairs: Vec<f64> = edges.iter().enumerate().map(pair).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let score = dot(field.unary, &nodes) + dot(field.coupling, &pairs);
    Ok(PolytopePoint { nodes, pairs, score })
}

fn constraints(field: Field<'_>, rows: &[PolytopeRow], named: &[bool]) -> Constraints {
    let labels = field.graph.labels();
    let mut constraints = Constraints::default();
    for i in 0..labels {
        constraints.add(&[(i, -1.0)], 0.0);
        constraints.add(&[(i, 1.0)], 1.0);
    }
    for (e, &(i, j)) in field.graph.edges().iter().enumerate() {
        let (i, j, pair) = (i as usize, j as usize, labels + e);
        if named[e] || field.coupling[e] > 0.0 {
            constraints.add(&[(pair, 1.0), (i, -1.0)], 0.0);
            constraints.add(&[(pair, 1.0), (j, -1.0)], 0.0);
        }
        if named[e] || field.coupling[e] <= 0.0 {
            constraints.add(&[(pair, -1.0)], 0.0);
            constraints.add(&[(pair, -1.0), (i, 1.0), (j, 1.0)], 1.0);
        }
    }
    for row in rows {
        let nodes = row.nodes.iter().map(|&(label, a)| (label as usize, a));
        let pairs = row.pairs.iter().map(|&(edge, a)| (labels + edge as usize, a));
        let entries: Vec<_> = nodes.chain(pairs).collect();
        constraints.add(&entries, row.bound);
    }
    constraints
}

fn solve(field: Field<'_>, constraints: Constraints) -> Result<Vec<f64>> {
    let columns = field.graph.labels() + field.coupling.len();
    let Constraints { rows, columns: of, values, bounds } = constraints;
    let matrix = CscMatrix::new_from_triplets(bounds.len(), columns, rows, of, values);
    // The solver's tolerances are absolute where numbers are small: the largest coefficient becomes 1.
    let scores = || field.unary.iter().chain(field.coupling);
    let largest = scores().fold(0.0f64, |largest, score| largest.max(score.abs()));
    let scale = if largest > 0.0 { largest } else { 1.0 };
    let costs: Vec<f64> = scores().map(|score| -score / scale).collect();
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-10,
        tol_gap_rel: 1e-10,
        tol_feas: 1e-10,
        ..DefaultSettings::default()
    };
    let cones = [NonnegativeConeT(bounds.len())];
    let nothing = CscMatrix::zeros((columns, columns));
    let mut solver = DefaultSolver::new(&nothing, &costs, &matrix, &bounds, &cones, settings)
        .map_err(|error| error.to_string())?;
    solver.solve();
    match solver.solution.status {
        SolverStatus::Solved | SolverStatus::AlmostSolved | SolverStatus::InsufficientProgress => {
            Ok(solver.solution.x)
        }
        SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => {
            Err("no labels satisfy all constraints".into())
        }
        status => Err(format!("the solver gave up: {status:?}")),
    }
}
