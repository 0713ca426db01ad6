//! Reference answers from an interior-point solver. They are not trusted either: each is turned into a feasible point
//! of the primal and of the dual, so that what the tests compare with is a proven bracket.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, ZeroConeT,
};

use maxmargin::surrogate::Surrogate;

use maxmargin::solver::Certificate;
use proptest::prelude::*;

use super::problem::{Problem, dot};
use super::surrogate::Surrogated;

/// Numbers between which the true optimum lies.
#[derive(Debug, Clone, Copy)]
pub struct Bracket {
    pub lower: f64,
    pub upper: f64,
}

impl Bracket {
    /// How much rounding is allowed to matter in comparisons with this bracket.
    pub fn rounding(&self) -> f64 {
        1e-9 * (1.0 + self.upper.abs())
    }

    /// F* lies between the bounds of a certificate, and its primal value is F at the weights returned, up to what the search
    /// may have missed and something slight.
    pub fn check(
        &self,
        certificate: Certificate,
        primal: f64,
        slight: f64,
        case: impl Fn() -> String,
    ) -> Result<(), TestCaseError> {
        let rounding = self.rounding();
        prop_assert!(
            certificate.lower_bound <= self.upper + rounding && self.lower <= certificate.primal + rounding,
            "F* is outside: {}",
            case()
        );
        prop_assert!(
            certificate.primal >= primal - slight
                && certificate.primal - certificate.oracle_gap <= primal + slight,
            "F = {primal} at the weights returned: {}",
            case()
        );
        Ok(())
    }

    /// Its width, relative to the size of the numbers.
    fn width(&self) -> f64 {
        (self.upper - self.lower) / (1.0 + self.upper.abs())
    }
}

fn settings() -> DefaultSettings<f64> {
    DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-11)
        .tol_gap_rel(1e-11)
        .tol_feas(1e-11)
        .build()
        .unwrap()
}

/// A sparse matrix, entry by entry.
#[derive(Default)]
struct Entries {
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Entries {
    fn add(&mut self, row: usize, column: usize, value: f64) {
        if value != 0.0 {
            self.rows.push(row);
            self.columns.push(column);
            self.values.push(value);
        }
    }

    fn finish(self, rows: usize, columns: usize) -> CscMatrix<f64> {
        CscMatrix::new_from_triplets(rows, columns, self.rows, self.columns, self.values)
    }
}

/// F* of a problem under margin rescaling: min λ/2 ‖w‖² + 1/n Σ c_i ξ_i with a constraint ξ_i ≥ ⟨a_iy, w⟩ + L_i(y) for every
/// label y.
pub fn optimum(problem: &Problem, lambda: f64) -> Bracket {
    let planes: Vec<_> = (0..problem.samples.len()).map(|i| problem.planes(i)).collect();
    let (_, bracket) = optimum_of_planes(problem, lambda, &planes);
    assert!(bracket.width() <= 1e-7, "the reference itself failed: {bracket:?}, λ = {lambda}, {problem:#?}");
    bracket
}

/// F* under a surrogate that is convex in the weights: by cutting planes, all tangents of all labels (or of the best mix) at
/// a point in each round, until the bracket is narrow. Where ψ is linear the first round has all planes.
pub fn optimum_under(surrogated: &Surrogated, lambda: f64) -> Bracket {
    let Surrogated { problem, surrogate, .. } = surrogated;
    let labels: Vec<_> = (0..problem.samples.len()).map(|i| surrogated.labels(i)).collect();
    let mut planes: Vec<Vec<_>> = labels.iter().map(|_| vec![(vec![0.0; problem.dim()], 0.0)]).collect();
    let mut bracket = Bracket { lower: f64::NEG_INFINITY, upper: f64::INFINITY };
    let mut w = vec![0.0; problem.dim()];
    for _ in 0..60 {
        for (labels, planes) in labels.iter().zip(&mut planes) {
            // Under margin rescaling no mix is better than both of its labels.
            match surrogated.is_fractional() && *surrogate != Surrogate::MARGIN {
                true => planes.push(surrogated.worst(labels, &w).0.tangent(*surrogate, &w)),
                false => planes.extend(labels.iter().map(|label| label.tangent(*surrogate, &w))),
            }
        }
        let (next, of_planes) = optimum_of_planes(problem, lambda, &planes);
        w = next;
        bracket.lower = bracket.lower.max(of_planes.lower);
        bracket.upper = bracket.upper.min(surrogated.objective(lambda, &w));
        if bracket.width() <= 1e-6 {
            break;
        }
    }
    assert!(
        bracket.width() <= 1e-3,
        "the reference itself failed: {bracket:?}, λ = {lambda}, {surrogated:#?}"
    );
    bracket
}

/// min λ/2 ‖w‖² + 1/n Σ c_i max_k ⟨a_ik, w⟩ + b_ik: where, and how much.
fn optimum_of_planes(problem: &Problem, lambda: f64, planes: &[Vec<(Vec<f64>, f64)>]) -> (Vec<f64>, Bracket) {
    let (dim, n) = (problem.dim(), problem.samples.len());
    let share = |i: usize| problem.samples[i].weight / n as f64;
    let mut quadratic = Entries::default();
    (0..dim).for_each(|j| quadratic.add(j, j, lambda));
    let linear: Vec<f64> = std::iter::repeat_n(0.0, dim).chain((0..n).map(share)).collect();
    let mut constraints = Entries::default();
    let mut right = Vec::new();
    for (i, planes) in planes.iter().enumerate() {
        for (a, b) in planes {
            a.iter().enumerate().for_each(|(j, &a)| constraints.add(right.len(), j, a));
            constraints.add(right.len(), dim + i, -1.0);
            right.push(-b);
        }
    }
    let quadratic = quadratic.finish(dim + n, dim + n);
    let constraints = constraints.finish(right.len(), dim + n);
    let cones = [NonnegativeConeT(right.len())];
    let mut solver =
        DefaultSolver::new(&quadratic, &linear, &constraints, &right, &cones, settings()).unwrap();
    solver.solve();

    let w = solver.solution.x[..dim].to_vec();
    let highest = |planes: &[(Vec<f64>, f64)]| {
        planes.iter().map(|(a, b)| dot(a, &w) + b).fold(f64::NEG_INFINITY, f64::max)
    };
    let risk: f64 = planes.iter().enumerate().map(|(i, planes)| share(i) * highest(planes)).sum();
    let upper = 0.5 * lambda * dot(&w, &w) + risk;
    // Multipliers, made feasible: none negative, and each example's add up to c_i / n.
    let mut multipliers = solver.solution.z.iter().map(|z| z.max(0.0));
    let (mut slope, mut offset) = (vec![0.0; dim], 0.0);
    for (i, planes) in planes.iter().enumerate() {
        let block: Vec<f64> = planes.iter().map(|_| multipliers.next().unwrap()).collect();
        let sum: f64 = block.iter().sum();
        if sum == 0.0 {
            continue;
        }
        for ((a, b), z) in planes.iter().zip(&block) {
            let z = z / sum * share(i);
            offset += z * b;
            slope.iter_mut().zip(a).for_each(|(sum, a)| *sum += z * a);
        }
    }
    let lower = offset - 0.5 / lambda * dot(&slope, &slope);
    (w, Bracket { lower, upper })
}

/// A quadratic over a product of simplices: max ⟨linear, β⟩ − curvature/2 · βᵀ gram β.
#[derive(Debug, Clone)]
pub struct SimplexQp {
    pub gram: Vec<Vec<f64>>,
    pub linear: Vec<f64>,
    pub curvature: f64,
    /// The block of each variable.
    pub block: Vec<usize>,
    pub blocks: usize,
}

impl SimplexQp {
    pub fn gradient(&self, beta: &[f64]) -> Vec<f64> {
        self.gram.iter().zip(&self.linear).map(|(row, c)| c - self.curvature * dot(row, beta)).collect()
    }

    pub fn objective(&self, beta: &[f64]) -> f64 {
        0.5 * (dot(beta, &self.linear) + dot(beta, &self.gradient(beta)))
    }

    /// Σ_p max_j v_j − ⟨β, v⟩ for a feasible β.
    pub fn gap(&self, beta: &[f64]) -> f64 {
        let values = self.gradient(beta);
        let best = |p: usize| {
            let members = values.iter().zip(&self.block).filter(|(_, block)| **block == p);
            members.map(|(v, _)| *v).fold(f64::NEG_INFINITY, f64::max)
        };
        let best: f64 = (0..self.blocks).map(best).filter(|best| best.is_finite()).sum();
        best - dot(beta, &values)
    }

    /// The sums of the coefficients in each block that has variables, and their least.
    pub fn sums(&self, beta: &[f64]) -> Vec<(usize, f64)> {
        let members = |p: usize| beta.iter().zip(&self.block).filter(move |(_, block)| **block == p);
        let blocks = (0..self.blocks).filter(|&p| members(p).count() > 0);
        blocks.map(|p| (p, members(p).map(|(beta, _)| beta).sum())).collect()
    }

    /// The maximum.
    pub fn maximum(&self) -> Bracket {
        let n = self.linear.len();
        // The reference solver fails now and then when numbers are large; the maximiser does not depend on their unit.
        let unit = 1.0 / self.scale();
        let mut quadratic = Entries::default();
        for (i, row) in self.gram.iter().enumerate() {
            // The upper triangle.
            (i..n).for_each(|j| quadratic.add(i, j, unit * self.curvature * row[j]));
        }
        let linear: Vec<f64> = self.linear.iter().map(|c| -unit * c).collect();
        let used: Vec<usize> = (0..self.blocks).filter(|p| self.block.contains(p)).collect();
        let mut constraints = Entries::default();
        for (j, block) in self.block.iter().enumerate() {
            constraints.add(used.iter().position(|p| p == block).unwrap(), j, 1.0);
            constraints.add(used.len() + j, j, -1.0);
        }
        let right: Vec<f64> = (0..used.len() + n).map(|row| f64::from(u8::from(row < used.len()))).collect();
        let cones = [ZeroConeT(used.len()), NonnegativeConeT(n)];
        let quadratic = quadratic.finish(n, n);
        let constraints = constraints.finish(used.len() + n, n);
        let mut solver =
            DefaultSolver::new(&quadratic, &linear, &constraints, &right, &cones, settings()).unwrap();
        solver.solve();
        let beta: Vec<f64> = solver.solution.x.iter().map(|beta| beta.max(0.0)).collect();
        let sums = self.sums(&beta);
        let sum = |block: &usize| sums.iter().find(|(p, _)| p == block).unwrap().1;
        let beta: Vec<f64> = beta.iter().zip(&self.block).map(|(beta, block)| beta / sum(block)).collect();
        let lower = self.objective(&beta);
        let gap = self.gap(&beta);
        assert!(
            gap <= 1e-5 * self.scale(),
            "the reference itself failed: gap {gap:e}, {:?}, {self:?}",
            solver.solution.status
        );
        Bracket { lower, upper: lower + gap }
    }

    /// The size of the numbers, against which rounding is to be judged.
    pub fn scale(&self) -> f64 {
        let gram = self.gram.iter().flatten().fold(0.0, |max: f64, g| max.max(g.abs()));
        let linear = self.linear.iter().fold(0.0, |max: f64, c| max.max(c.abs()));
        1.0 + linear + self.curvature * gram
    }
}
