//! Random networks, and the flow nearest to a point by an interior-point solver.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT,
};
use maxmargin_core::inference::{Network, NetworkArc};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A network with a point near its flows or far from them.
#[derive(Debug, Clone)]
pub struct Aim {
    pub network: Network,
    pub point: Vec<f64>,
}

/// The kinds of random networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Any nodes and arcs, with supplies that some flow has.
    Any,
    /// Links between two sides, each node with its capacity, through one node outside.
    Matching,
    /// One path from left to right.
    Trellis,
}

impl Aim {
    /// A random network; `size` is the number of nodes on a side, or of the states of a trellis.
    pub fn random(shape: Shape, size: usize, spread: f64, seed: u64) -> Aim {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let network = match shape {
            Shape::Any => any(size, &mut random),
            Shape::Matching => matching(size, &mut random),
            Shape::Trellis => trellis(size, &mut random),
        };
        let point = network.arcs().iter().map(|_| spread * random.random_range(-1.0..1.0)).collect();
        Aim { network, point }
    }

    /// ½ Σ weight · (z − x)².
    pub fn distance(&self, flow: &[f64]) -> f64 {
        let terms = self.network.arcs().iter().zip(flow.iter().zip(&self.point));
        terms.map(|(arc, (z, x))| 0.5 * arc.weight * (z - x) * (z - x)).sum()
    }

    /// The nearest flow, good to about eight digits.
    pub fn reference(&self) -> Vec<f64> {
        let (arcs, nodes) = (self.network.arcs(), self.network.nodes());
        let limited: Vec<usize> = (0..arcs.len()).filter(|&a| arcs[a].capacity.is_finite()).collect();
        let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let mut add = |row: usize, column: usize, value: f64| {
            rows.push(row);
            columns.push(column);
            values.push(value);
        };
        for (a, arc) in arcs.iter().enumerate().filter(|(_, arc)| arc.tail != arc.head) {
            add(arc.tail as usize, a, 1.0);
            add(arc.head as usize, a, -1.0);
        }
        (0..arcs.len()).for_each(|a| add(nodes + a, a, -1.0));
        limited.iter().enumerate().for_each(|(k, &a)| add(nodes + arcs.len() + k, a, 1.0));
        let height = nodes + arcs.len() + limited.len();
        let constraints = CscMatrix::new_from_triplets(height, arcs.len(), rows, columns, values);
        let zeros = arcs.iter().map(|_| 0.0);
        let right: Vec<f64> = (self.network.supplies().iter().copied())
            .chain(zeros)
            .chain(limited.iter().map(|&a| arcs[a].capacity))
            .collect();
        let all: Vec<usize> = (0..arcs.len()).collect();
        let weights = arcs.iter().map(|arc| arc.weight).collect();
        let quadratic = CscMatrix::new_from_triplets(arcs.len(), arcs.len(), all.clone(), all, weights);
        let linear: Vec<f64> = arcs.iter().zip(&self.point).map(|(arc, x)| -arc.weight * x).collect();
        let cones = [ZeroConeT(nodes), NonnegativeConeT(arcs.len() + limited.len())];
        let settings = DefaultSettingsBuilder::default()
            .verbose(false)
            .tol_gap_abs(1e-12)
            .tol_gap_rel(1e-12)
            .tol_feas(1e-12)
            .build()
            .unwrap();
        let mut solver =
            DefaultSolver::new(&quadratic, &linear, &constraints, &right, &cones, settings).unwrap();
        solver.solve();
        let status = solver.solution.status;
        let good = [SolverStatus::Solved, SolverStatus::AlmostSolved, SolverStatus::InsufficientProgress];
        assert!(good.contains(&status), "the reference itself failed: {status:?}");
        solver.solution.x.clone()
    }
}

/// Some nodes, arcs between any two of them, and the supplies of a random flow.
fn any(size: usize, random: &mut Pcg64Mcg) -> Network {
    let nodes = size.max(2);
    let arc = |random: &mut Pcg64Mcg| NetworkArc {
        tail: random.random_range(0..nodes as u32),
        head: random.random_range(0..nodes as u32),
        capacity: [1.0, 2.5, f64::INFINITY][random.random_range(0..3)],
        weight: [1.0, 0.25, 3.0][random.random_range(0..3)],
    };
    let arcs: Vec<NetworkArc> = (0..random.random_range(1..4 * nodes)).map(|_| arc(random)).collect();
    let mut supplies = vec![0.0; nodes];
    for arc in &arcs {
        // Often at a bound, so that there may be only one flow.
        let share = [0.0, 1.0, 0.5][random.random_range(0..3)];
        let flow = share * arc.capacity.min(4.0);
        supplies[arc.tail as usize] += flow;
        supplies[arc.head as usize] -= flow;
    }
    Network::with_arcs(supplies, arcs).unwrap()
}

fn matching(size: usize, random: &mut Pcg64Mcg) -> Network {
    let (left, right) = (size as u32, random.random_range(1..=size as u32));
    let outside = left + right;
    let mut arcs = Vec::new();
    let weight = [1.0, 0.1, 0.01][random.random_range(0..3)];
    let fertility = f64::from(random.random_range(1..3));
    (0..left).for_each(|l| arcs.push(NetworkArc { tail: outside, head: l, capacity: fertility, weight }));
    for r in left..outside {
        arcs.push(NetworkArc { tail: r, head: outside, capacity: 1.0, weight });
    }
    let density = [1.0, 0.4][random.random_range(0..2)];
    for (tail, head) in (0..left).flat_map(|l| (left..outside).map(move |r| (l, r))) {
        if random.random_bool(density) {
            arcs.push(NetworkArc { tail, head, capacity: 1.0, weight: 1.0 });
        }
    }
    Network::with_arcs(vec![0.0; outside as usize + 1], arcs).unwrap()
}

fn trellis(size: usize, random: &mut Pcg64Mcg) -> Network {
    let (labels, length) = (size as u32, random.random_range(1..5u32));
    let sink = 1 + labels * (length - 1);
    let supplies = (0..=sink).map(|v| f64::from(v == 0) - f64::from(v == sink)).collect();
    let mut arcs = Vec::new();
    let node = |t: u32, y: u32| if t + 1 == length { sink } else { 1 + t * labels + y };
    let mut add = |tail, head| arcs.push(NetworkArc { tail, head, capacity: f64::INFINITY, weight: 1.0 });
    for t in 0..length {
        for before in 0..if t == 0 { 1 } else { labels } {
            let tail = if t == 0 { 0 } else { node(t - 1, before) };
            (0..labels).for_each(|y| add(tail, node(t, y)));
        }
    }
    Network::with_arcs(supplies, arcs).unwrap()
}
