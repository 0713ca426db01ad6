//! Promise: the weights of every rule for α are those of a generic cone solver, on random trees and graphs.

use crate::hierarchies::random_hierarchy;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, PowerConeT, SecondOrderConeT, SolverStatus,
    SupportedConeT, ZeroConeT,
};
use maxmargin_core::inference::Hierarchy;
use maxmargin_core::structure::alpha::AlphaRule;
use maxmargin_core::structure::alpha::shared::{best_alpha, largest_sum};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A cone program: min ⟨costs, x⟩ such that the rows lie in their cones, in the order in which they were added.
#[derive(Default)]
struct Cones {
    entries: Vec<(usize, usize, f64)>,
    bounds: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

impl Cones {
    /// bound − Σ value·x is 0, at least 0, or the next number of a cone.
    fn add(&mut self, terms: &[(usize, f64)], bound: f64) {
        let row = self.bounds.len();
        self.entries.extend(terms.iter().map(|&(column, value)| (row, column, value)));
        self.bounds.push(bound);
    }

    fn at_most(&mut self, terms: &[(usize, f64)], bound: f64) {
        self.add(terms, bound);
        self.cones.push(NonnegativeConeT(1));
    }

    fn at_least(&mut self, terms: &[(usize, f64)], bound: f64) {
        let turned: Vec<(usize, f64)> = terms.iter().map(|&(column, value)| (column, -value)).collect();
        self.at_most(&turned, -bound);
    }

    fn equals(&mut self, terms: &[(usize, f64)], bound: f64) {
        self.add(terms, bound);
        self.cones.push(ZeroConeT(1));
    }

    fn minimize(self, costs: &[f64]) -> Vec<f64> {
        let columns = costs.len();
        let (rows, entries) = (self.bounds.len(), &self.entries);
        let matrix = CscMatrix::new_from_triplets(
            rows,
            columns,
            entries.iter().map(|entry| entry.0).collect(),
            entries.iter().map(|entry| entry.1).collect(),
            entries.iter().map(|entry| entry.2).collect(),
        );
        let settings = DefaultSettings { verbose: false, ..DefaultSettings::default() };
        let nothing = CscMatrix::zeros((columns, columns));
        let mut solver =
            DefaultSolver::new(&nothing, costs, &matrix, &self.bounds, &self.cones, settings).unwrap();
        solver.solve();
        let status = solver.solution.status;
        assert!(matches!(status, SolverStatus::Solved | SolverStatus::AlmostSolved), "{status:?}");
        solver.solution.x
    }
}

/// The constraints of all rules on the first columns of a program.
fn constrained(hierarchy: &Hierarchy, is_directed: bool, limit: f64) -> Cones {
    let mut cones = Cones::default();
    for &leaf in hierarchy.leaves() {
        let sum: Vec<(usize, f64)> =
            hierarchy.ancestors(leaf).iter().map(|&node| (node as usize, 1.0)).collect();
        match limit {
            1.0 => cones.equals(&sum, 1.0),
            _ => {
                cones.at_least(&sum, 1.0);
                cones.at_most(&sum, limit);
            }
        }
    }
    for node in 0..hierarchy.nodes() {
        cones.at_least(&[(node, 1.0)], 0.0);
        for &parent in hierarchy.parents(node as u32).iter().filter(|_| is_directed) {
            cones.at_least(&[(node, 1.0), (parent as usize, -1.0)], 0.0);
        }
    }
    cones
}

fn least_powers(hierarchy: &Hierarchy, rho: f64, is_directed: bool, limit: f64) -> Vec<f64> {
    let nodes = hierarchy.nodes();
    let mut cones = constrained(hierarchy, is_directed, limit);
    for node in 0..nodes {
        // |α| ≤ t^{1/ρ} · 1^{1−1/ρ}.
        cones.add(&[(nodes + node, -1.0)], 0.0);
        cones.add(&[], 1.0);
        cones.add(&[(node, -1.0)], 0.0);
        cones.cones.push(PowerConeT(1.0 / rho));
    }
    let costs: Vec<f64> = (0..2 * nodes).map(|column| f64::from(u8::from(column >= nodes))).collect();
    cones.minimize(&costs)[..nodes].to_vec()
}

fn check_constraints(hierarchy: &Hierarchy, alpha: &[f64], is_directed: bool, limit: f64) {
    for &leaf in hierarchy.leaves() {
        let sum: f64 = hierarchy.ancestors(leaf).iter().map(|&node| alpha[node as usize]).sum();
        assert!(
            (1.0 - 1e-6..=limit + 1e-6).contains(&sum),
            "leaf {leaf}: {sum} of {alpha:?} in {hierarchy:?}"
        );
    }
    for node in 0..hierarchy.nodes() {
        assert!(alpha[node] >= 0.0);
        for &parent in hierarchy.parents(node as u32).iter().filter(|_| is_directed) {
            assert!(alpha[node] >= alpha[parent as usize] - 1e-7, "{parent} above {node}: {alpha:?}");
        }
    }
}

#[test]
fn least_sums_of_powers() {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    for round in 0..120 {
        let hierarchy = random_hierarchy(&mut random, 12, round % 2 == 0);
        let is_tree = hierarchy.is_tree();
        let rho = [2.0, 1.5, 3.0, random.random_range(1.2..4.0)][round / 2 % 4];
        let is_directed = round % 3 == 0;
        let limit = if is_tree { 1.0 } else { [1.5, 1.0, 1.1][round % 5 % 3] };
        let rule = AlphaRule::Power { rho, is_directed };
        let alpha =
            rule.weights(&hierarchy, limit).unwrap_or_else(|e| panic!("round {round}: {e} {hierarchy:?}"));
        check_constraints(&hierarchy, &alpha, is_directed, limit);
        let expected = least_powers(&hierarchy, rho, is_directed, limit);
        let cost = |alpha: &[f64]| alpha.iter().map(|alpha| alpha.max(0.0).powf(rho)).sum::<f64>();
        let (found, least) = (cost(&alpha), cost(&expected));
        assert!(
            (found - least).abs() < 1e-5 * least,
            "round {round}, {rule}: {found} and {least}\n{alpha:?}\n{expected:?}"
        );
        for (a, b) in alpha.iter().zip(&expected) {
            assert!((a - b).abs() < 2e-3, "round {round}, {rule}, limit {limit}: {alpha:?}\n{expected:?}");
        }
    }
}

#[test]
fn largest_of_smallest_weights() {
    let mut random = Pcg64Mcg::seed_from_u64(2);
    for round in 0..80 {
        let hierarchy = random_hierarchy(&mut random, 12, round % 2 == 0);
        let is_tree = hierarchy.is_tree();
        let nodes = hierarchy.nodes();
        let limit = if is_tree || round % 5 == 0 { 1.0 } else { 1.5 };
        let alpha = AlphaRule::MaxMin.weights(&hierarchy, limit).unwrap();
        check_constraints(&hierarchy, &alpha, true, limit);
        let mut cones = constrained(&hierarchy, true, limit);
        (0..nodes).for_each(|node| cones.at_least(&[(node, 1.0), (nodes, -1.0)], 0.0));
        let mut costs = vec![0.0; nodes + 1];
        costs[nodes] = -1.0;
        let expected = cones.minimize(&costs)[nodes];
        let found = alpha.iter().copied().fold(f64::INFINITY, f64::min);
        assert!((found - expected).abs() < 1e-6, "round {round}: {found} and {expected}");
    }
}

/// A random tree without duplicates, each inner node having two children at least, and the same with each inner node several times, one below
/// the other; and of each node of the latter which one it stands for.
fn tree_with_copies(random: &mut Pcg64Mcg) -> (Hierarchy, Hierarchy, Vec<usize>) {
    loop {
        let nodes = random.random_range(3..=12);
        let above = |child: usize, random: &mut Pcg64Mcg| match random.random_range(0..10) {
            0 => None,
            _ => (child > 0).then(|| random.random_range(0..child as u32)),
        };
        let parents: Vec<Option<u32>> = (0..nodes).map(|child| above(child, random)).collect();
        let children = |node: usize| parents.iter().filter(|parent| **parent == Some(node as u32)).count();
        if (0..nodes).any(|node| children(node) == 1) || (0..nodes).all(|node| children(node) == 0) {
            continue;
        }
        let (mut copied, mut originals, mut last) = (Vec::new(), Vec::new(), vec![0; nodes]);
        for node in 0..nodes {
            let mut parent = parents[node].map(|parent| last[parent as usize]);
            for _ in 0..if children(node) > 0 { random.random_range(1..=4) } else { 1 } {
                copied.push(parent);
                originals.push(node);
                parent = Some(copied.len() as u32 - 1);
            }
            last[node] = copied.len() as u32 - 1;
        }
        return (Hierarchy::forest(&parents).unwrap(), Hierarchy::forest(&copied).unwrap(), originals);
    }
}

/// Theorem 1 on random trees: by how much the summed α of copies differ from those without copies.
#[test]
fn summed_weights_of_copies_approach_those_of_the_minimal_tree() {
    let mut random = Pcg64Mcg::seed_from_u64(5);
    let trees: Vec<_> = (0..60).map(|_| tree_with_copies(&mut random)).collect();
    let moved = |rho: f64| -> Vec<f64> {
        let rule = AlphaRule::Power { rho, is_directed: false };
        let of_tree = |(minimal, copied, originals): &(Hierarchy, Hierarchy, Vec<usize>)| {
            let mut rest = rule.weights(minimal, 1.0).unwrap();
            let together = rule.weights(copied, 1.0).unwrap();
            originals.iter().zip(&together).for_each(|(&node, alpha)| rest[node] -= alpha);
            rest.iter().fold(0.0_f64, |most, rest| most.max(rest.abs()))
        };
        trees.iter().map(of_tree).collect()
    };
    let largest = |moved: &[f64]| moved.iter().copied().fold(0.0, f64::max);
    let mean = |moved: &[f64]| moved.iter().sum::<f64>() / moved.len() as f64;
    let mut before = f64::INFINITY;
    // What is left at each ρ, at most.
    for (rho, allowed) in [(2.0, 0.5), (1.5, 0.4), (1.2, 0.1), (1.1, 5e-3), (1.05, 1e-5), (1.02, 1e-12)] {
        let here = moved(rho);
        assert!(largest(&here) < allowed && mean(&here) < before, "ρ = {rho}: {here:?}");
        before = mean(&here);
    }
    assert!(mean(&moved(2.0)) > 0.05);
    // But then nearly nothing is left for leaves below the top.
    let starved = AlphaRule::Power { rho: 1.1, is_directed: false };
    let mut parents = vec![None];
    parents.extend(vec![Some(0); 8]);
    let alpha = starved.weights(&Hierarchy::forest(&parents).unwrap(), 1.0).unwrap();
    assert!(alpha[0] > 1.0 - 2e-9 && alpha[8] < 1e-9 && alpha[8] > 0.0, "{alpha:?}");
}

/// Theorem 1 of chapter 6: as ρ falls to 1, duplicated nodes weigh together what the one they stand for weighs, so that
/// they change nothing.
#[test]
fn duplicated_nodes_change_less_and_less() {
    // 0 has the leaves 1 and 2; the node 3 between 0 and 4, a copy of 0 with respect to leaves, is there or not.
    let minimal = Hierarchy::forest(&[None, Some(0), Some(0)]).unwrap();
    let copied = Hierarchy::forest(&[None, Some(3), Some(3), Some(0)]).unwrap();
    let moved = |rho: f64| {
        let rule = AlphaRule::Power { rho, is_directed: false };
        let (alone, together) = (rule.weights(&minimal, 1.0).unwrap(), rule.weights(&copied, 1.0).unwrap());
        (alone[0] - (together[0] + together[3])).abs()
    };
    assert!(
        moved(2.0) > 0.1 && moved(1.5) < moved(2.0) && moved(1.1) < 2e-3,
        "{:?}",
        [2.0, 1.5, 1.1].map(moved)
    );
}

/// The polytope A of the shared norm, on the first columns of a program.
fn shared_polytope(hierarchy: &Hierarchy) -> Cones {
    let mut cones = Cones::default();
    for &leaf in hierarchy.leaves() {
        let sum: Vec<(usize, f64)> =
            hierarchy.ancestors(leaf).iter().map(|&node| (node as usize, 1.0)).collect();
        cones.at_most(&sum, 1.0);
    }
    (0..hierarchy.nodes()).for_each(|node| cones.at_least(&[(node, 1.0)], 0.0));
    cones
}

fn is_inside(hierarchy: &Hierarchy, alpha: &[f64]) -> bool {
    let sum = |leaf: &u32| hierarchy.ancestors(*leaf).iter().map(|&node| alpha[node as usize]).sum::<f64>();
    alpha.iter().all(|alpha| *alpha >= 0.0) && hierarchy.leaves().iter().all(|leaf| sum(leaf) <= 1.0 + 1e-12)
}

#[test]
fn weights_of_the_shared_norm() {
    let mut random = Pcg64Mcg::seed_from_u64(3);
    for round in 0..150 {
        let hierarchy = random_hierarchy(&mut random, 12, round % 2 == 0);
        let nodes = hierarchy.nodes();
        let mut square = || match random.random_range(0..4) {
            0 if round % 3 == 0 => 0.0,
            1 => random.random_range(0.0..1.0f64).powi(6),
            _ => random.random_range(0.0..2.0),
        };
        let squares: Vec<f64> = (0..nodes).map(|_| square()).collect();
        let found = best_alpha(&hierarchy, &squares).unwrap();
        assert!(is_inside(&hierarchy, &found.weights), "round {round}: {found:?}");
        let parts = squares.iter().zip(&found.weights).filter(|(q, _)| **q > 0.0);
        let norm: f64 = parts.map(|(q, alpha)| q / alpha).sum();
        assert!((norm - found.norm).abs() <= 1e-9 * norm, "round {round}: {norm}, {found:?}");
        assert!(found.norm - found.least <= 1e-7 * norm, "round {round}: {found:?}");
        let mut cones = shared_polytope(&hierarchy);
        for (node, q) in squares.iter().enumerate() {
            // t·α ≥ q: ‖(t − α, 2√q)‖ ≤ t + α.
            cones.add(&[(nodes + node, -1.0), (node, -1.0)], 0.0);
            cones.add(&[(nodes + node, -1.0), (node, 1.0)], 0.0);
            cones.add(&[], 2.0 * q.sqrt());
            cones.cones.push(SecondOrderConeT(3));
        }
        let costs: Vec<f64> = (0..2 * nodes).map(|column| f64::from(u8::from(column >= nodes))).collect();
        let expected: f64 = cones.minimize(&costs)[nodes..].iter().sum();
        assert!((expected - norm).abs() < 1e-5 * (1.0 + norm), "round {round}: {norm} and {expected}");
    }
}

#[test]
fn largest_sums_of_the_shared_norm() {
    let mut random = Pcg64Mcg::seed_from_u64(4);
    let mut widest = 0.0_f64;
    for round in 0..150 {
        let hierarchy = random_hierarchy(&mut random, 12, round % 3 == 0);
        let nodes = hierarchy.nodes();
        let mut value = || match random.random_range(0..3) {
            0 if round % 2 == 0 => 0.0,
            _ => random.random_range(0.0..2.0f64).powi(2),
        };
        let values: Vec<f64> = (0..nodes).map(|_| value()).collect();
        let found = largest_sum(&hierarchy, &values).unwrap();
        let costs: Vec<f64> = values.iter().map(|value| -value).collect();
        let best = shared_polytope(&hierarchy).minimize(&costs);
        let expected: f64 = best.iter().zip(&values).map(|(alpha, value)| alpha * value).sum();
        let allowed = 1e-6 * (1.0 + expected);
        assert!(
            found.low <= expected + allowed && expected <= found.high + allowed,
            "round {round}: {found:?}, {expected}"
        );
        widest = widest.max((found.high - found.low) / found.high.max(1e-9));
    }
    assert!(widest < 0.01, "{widest}");
}

/// The least Σ t over U, α and t with t_n α_n ≥ ‖U_n‖², where the blocks on the way to each leaf add up to given rows: the shared norm of
/// these rows (6.19), squared; and ‖U_n‖² of each node.
fn shared_norm(hierarchy: &Hierarchy, rows: &[Vec<f64>]) -> (f64, Vec<f64>) {
    let (nodes, columns) = (hierarchy.nodes(), rows[0].len());
    let entry = |node: usize, column: usize| 2 * nodes + node * columns + column;
    let mut cones = shared_polytope(hierarchy);
    for (&leaf, row) in hierarchy.leaves().iter().zip(rows) {
        for (column, &value) in row.iter().enumerate() {
            let path = hierarchy.ancestors(leaf).iter();
            cones.equals(&path.map(|&node| (entry(node as usize, column), 1.0)).collect::<Vec<_>>(), value);
        }
    }
    for node in 0..nodes {
        cones.add(&[(nodes + node, -1.0), (node, -1.0)], 0.0);
        cones.add(&[(nodes + node, -1.0), (node, 1.0)], 0.0);
        (0..columns).for_each(|column| cones.add(&[(entry(node, column), -2.0)], 0.0));
        cones.cones.push(SecondOrderConeT(2 + columns));
    }
    let columns_of_all = 2 * nodes + nodes * columns;
    let is_bound = |column: usize| (nodes..2 * nodes).contains(&column);
    let costs: Vec<f64> = (0..columns_of_all).map(|column| f64::from(u8::from(is_bound(column)))).collect();
    let best = cones.minimize(&costs);
    let square = |node| (0..columns).map(|column| best[entry(node, column)].powi(2)).sum::<f64>();
    (best[nodes..2 * nodes].iter().sum(), (0..nodes).map(square).collect())
}

/// Table 6.1 for the norm that shares along a hierarchy, with the weights that are found here.
#[test]
fn cases_of_the_shared_norm() {
    let tree = Hierarchy::forest(&[None, Some(0), Some(0), Some(2), Some(2)]).unwrap();
    let apart = Hierarchy::forest(&[None, Some(0), None, Some(2), None]).unwrap();
    let square = |rows: &[Vec<f64>]| rows.iter().flatten().map(|x| x * x).sum::<f64>();
    let check = |name: &str, hierarchy: &Hierarchy, rows: &[Vec<f64>], expected: f64| {
        let (norm, squares) = shared_norm(hierarchy, rows);
        let found = best_alpha(hierarchy, &squares).unwrap().norm;
        assert!((norm - expected).abs() < 1e-5 * expected, "{name}: {norm} and not {expected}");
        assert!((found - expected).abs() < 1e-4 * expected, "{name}: {found} and not {expected}");
    };
    let u = vec![1.0, -2.0, 0.5];
    check("full sharing", &tree, &vec![u.clone(); 3], square(std::slice::from_ref(&u)));
    let rows = [vec![1.0, 0.5, 0.0], vec![-2.0, 1.0, 1.0], vec![0.3, 0.0, -1.0]];
    check("no sharing", &apart, &rows, square(&rows));
    let disjoint = [vec![1.5, 0.0, 0.0], vec![0.0, -2.0, 0.0], vec![0.0, 0.0, 0.7]];
    check("disjoint features", &tree, &disjoint, square(&disjoint));
    // Rows that are multiples of one another: the norm that shares along a tree, which has one scale for all below a node, is above
    // max a_l² ‖u‖², what it would be without a tree, and below the Frobenius norm.
    let scaled: Vec<Vec<f64>> = [1.0, 0.5, 2.0].iter().map(|a| u.iter().map(|u| a * u).collect()).collect();
    let (norm, _) = shared_norm(&tree, &scaled);
    let (least, most) = (4.0 * square(&[u]), square(&scaled));
    assert!(norm > least && norm < most, "{norm} between {least} and {most}");
}
