//! Promise: the linear relaxation of matchings is tight. An interior-point solver that knows nothing of whole numbers finds
//! the same links, each wholly in or out, for any limits on the links of a node.

use crate::inference::{BMatching, Bipartite, LinkLimits};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// max ⟨gains, z⟩ over 0 ≤ z ≤ 1 with at most so many links at each node.
fn relaxed(edges: &[(u32, u32)], nodes: (usize, usize), limits: LinkLimits, gains: &[f64]) -> Vec<f64> {
    let n = edges.len();
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let mut add = |row: usize, column: usize, value: f64| {
        rows.push(row);
        columns.push(column);
        values.push(value);
    };
    for (e, &(left, right)) in edges.iter().enumerate() {
        add(e, e, -1.0);
        add(n + e, e, 1.0);
        add(2 * n + left as usize, e, 1.0);
        add(2 * n + nodes.0 + right as usize, e, 1.0);
    }
    let height = 2 * n + nodes.0 + nodes.1;
    let constraints = CscMatrix::new_from_triplets(height, n, rows, columns, values);
    let right: Vec<f64> = (std::iter::repeat_n(0.0, n))
        .chain(std::iter::repeat_n(1.0, n))
        .chain(std::iter::repeat_n(f64::from(limits.left), nodes.0))
        .chain(std::iter::repeat_n(f64::from(limits.right), nodes.1))
        .collect();
    let costs: Vec<f64> = gains.iter().map(|gain| -gain).collect();
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-10)
        .tol_gap_rel(1e-10)
        .tol_feas(1e-10)
        .build()
        .unwrap();
    let cones = [NonnegativeConeT(height)];
    let mut solver =
        DefaultSolver::new(&CscMatrix::zeros((n, n)), &costs, &constraints, &right, &cones, settings)
            .unwrap();
    solver.solve();
    assert!(matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved));
    solver.solution.x.clone()
}

#[test]
fn the_relaxation_has_whole_optima() {
    let random = &mut Pcg64Mcg::seed_from_u64(8);
    for round in 0..300 {
        let nodes = (random.random_range(1..8_usize), random.random_range(1..8_usize));
        let all = (0..nodes.0 as u32).flat_map(|left| (0..nodes.1 as u32).map(move |right| (left, right)));
        let edges: Vec<(u32, u32)> = all.filter(|_| random.random_bool(0.8)).collect();
        if edges.is_empty() {
            continue;
        }
        let limits = match round % 2 {
            0 => LinkLimits { left: 1, right: 1 },
            _ => LinkLimits { left: random.random_range(1..4), right: random.random_range(1..4) },
        };
        // No two sets of links are worth the same, so that the best one is the only optimum.
        let gains: Vec<f64> = edges.iter().map(|_| random.random_range(-0.5..1.0)).collect();
        let z = relaxed(&edges, nodes, limits, &gains);
        let (mut graph, mut matching) = (Bipartite::default(), BMatching::default());
        graph.reset(nodes.0, nodes.1, edges.iter().copied());
        matching.solve(&graph, &gains, limits);
        let links = matching.links();
        let best: f64 = links.iter().map(|&edge| gains[edge as usize]).sum();
        let value: f64 = z.iter().zip(&gains).map(|(z, gain)| z * gain).sum();
        assert!((best - value).abs() < 1e-7, "round {round}: {best} as links, {value} relaxed");
        for (e, &z) in z.iter().enumerate() {
            let linked = f64::from(u8::from(links.contains(&(e as u32))));
            assert!((z - linked).abs() < 1e-4, "round {round}: {z} of edge {:?}", edges[e]);
        }
    }
}
