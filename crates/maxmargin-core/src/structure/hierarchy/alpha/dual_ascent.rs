//! min Σ α^ρ under sums that lie between 1 and a limit, on any graph, by ascent in the dual (Hildreth 1957 for ρ = 2).
//!
//! With a multiplier for each row of Aα ∈ [low, high], those of leaves (sums of ancestors) and, where weights are directed, those of
//! edges (α_child − α_parent ≥ 0),
//!
//! ```text
//! α_n = ((Aᵀμ)_n⁺ / ρ)^{1/(ρ−1)}        dual = Σ_rows (low·μ⁺ − high·μ⁻) − (ρ−1) Σ_n α_n^ρ
//! ```
//!
//! is concave in μ. One multiplier after the other takes the value at which its row is kept, all else fixed. That is quick where rows have
//! little to do with each other; where it is not, an interior-point solver finds weights and multipliers, if it is linked in (the feature
//! `interior-point`). Either way the dual value of the multipliers is a lower bound, and weights are taken that it proves to be best, or
//! none.

use crate::error::{Error, Result};
use crate::inference::Hierarchy;

/// The most passes over all rows: few where the interior-point solver is there for the rest, else so many as take a minute or two.
const FEW_PASSES: usize = 40;
const MOST_PASSES: usize = 20_000;
const MOST_WORK: usize = 200_000_000;

/// Larger graphs take the interior-point solver too long: for 12,000 nodes half a minute, and much more for each node that is added.
const MOST_NODES: usize = 20_000;

/// How far the sum of powers may be above its least, as a share; and how far sums may leave their bounds.
const TOLERANCE: f64 = 1e-6;

/// The same for what ends the ascent early.
const PRECISE: f64 = 1e-8;

/// The steps for one multiplier.
const STEPS: usize = 60;

pub(super) fn weights(hierarchy: &Hierarchy, rho: f64, is_directed: bool, limit: f64) -> Result<Vec<f64>> {
    let mut program = Program::new(hierarchy, rho, is_directed, limit);
    let is_left = cfg!(feature = "interior-point") && hierarchy.nodes() <= MOST_NODES;
    let most_passes = match is_left {
        true => FEW_PASSES,
        false => (MOST_WORK / program.nodes.len().max(1)).clamp(FEW_PASSES, MOST_PASSES),
    };
    for pass in 0..most_passes {
        program.pass();
        if pass % 8 == 7 && program.gap() <= PRECISE {
            return Ok(program.weights);
        }
    }
    #[cfg(feature = "interior-point")]
    if is_left && program.gap() > TOLERANCE {
        super::interior_point::solve(hierarchy.nodes(), &mut program);
    }
    let gap = program.gap();
    if gap <= TOLERANCE {
        return Ok(program.weights);
    }
    let problem = format!(
        "the weights of {} nodes are proven to be best up to {gap:.1e} only; use another rho or limit, or maxmin",
        hierarchy.nodes()
    );
    Err(Error::parameter("alpha", problem))
}

/// A row of the constraints: nodes that are added up, those from `taken` on with a minus.
pub(super) struct Row {
    start: usize,
    taken: usize,
    end: usize,
    pub low: f64,
    pub high: f64,
}

pub(super) struct Program {
    pub rho: f64,
    pub rows: Vec<Row>,
    nodes: Vec<u32>,
    pub multipliers: Vec<f64>,
    /// (Aᵀμ)_n.
    prices: Vec<f64>,
    pub weights: Vec<f64>,
}

impl Program {
    fn new(hierarchy: &Hierarchy, rho: f64, is_directed: bool, limit: f64) -> Self {
        let mut program = Self {
            rho,
            rows: Vec::new(),
            nodes: Vec::new(),
            multipliers: Vec::new(),
            prices: vec![0.0; hierarchy.nodes()],
            weights: vec![0.0; hierarchy.nodes()],
        };
        for &leaf in hierarchy.leaves() {
            program.add_row(hierarchy.ancestors(leaf), &[], (1.0, limit));
        }
        let edges = hierarchy
            .order()
            .iter()
            .flat_map(|&node| hierarchy.parents(node).iter().map(move |&parent| (node, parent)));
        for (child, parent) in edges.filter(|_| is_directed) {
            program.add_row(&[child], &[parent], (0.0, f64::INFINITY));
        }
        program.multipliers = vec![0.0; program.rows.len()];
        program
    }

    /// The nodes of a row, with their signs.
    #[cfg(feature = "interior-point")]
    pub fn terms(&self, row: &Row) -> impl Iterator<Item = (usize, f64)> {
        let taken = row.taken;
        let sign = move |place: usize| if place < taken { 1.0 } else { -1.0 };
        (row.start..)
            .zip(&self.nodes[row.start..row.end])
            .map(move |(place, &node)| (node as usize, sign(place)))
    }

    /// Takes multipliers and weights from elsewhere.
    #[cfg(feature = "interior-point")]
    pub fn take(&mut self, multipliers: Vec<f64>, weights: Vec<f64>) {
        self.multipliers = multipliers;
        self.prices.fill(0.0);
        for (row, &multiplier) in self.rows.iter().zip(&self.multipliers) {
            for place in row.start..row.end {
                let node = self.nodes[place] as usize;
                self.prices[node] += if place < row.taken { multiplier } else { -multiplier };
            }
        }
        self.weights = weights;
    }

    fn add_row(&mut self, added: &[u32], taken: &[u32], (low, high): (f64, f64)) {
        let start = self.nodes.len();
        self.nodes.extend_from_slice(added);
        self.nodes.extend_from_slice(taken);
        self.rows.push(Row { start, taken: start + added.len(), end: self.nodes.len(), low, high });
    }

    /// The weight that a price leads to.
    fn weight(&self, price: f64) -> f64 {
        match price > 0.0 {
            true if self.rho == 2.0 => 0.5 * price,
            true => (price / self.rho).powf(1.0 / (self.rho - 1.0)),
            false => 0.0,
        }
    }

    /// The sum of a row when its multiplier changes by this much, and its slope.
    fn sum(&self, row: &Row, change: f64) -> (f64, f64) {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (place, &node) in (row.start..).zip(&self.nodes[row.start..row.end]) {
            let sign = if place < row.taken { 1.0 } else { -1.0 };
            let price = self.prices[node as usize] + sign * change;
            let weight = self.weight(price);
            sum += sign * weight;
            slope += if price > 0.0 { weight / ((self.rho - 1.0) * price) } else { 0.0 };
        }
        (sum, slope)
    }

    fn pass(&mut self) {
        for number in 0..self.rows.len() {
            let row = &self.rows[number];
            let before = self.multipliers[number];
            let sum = self.sum(row, 0.0).0;
            // The multiplier is positive where the lower bound holds it, negative where the upper one does, and 0 between.
            let target = match () {
                () if sum < row.low => row.low,
                () if sum > row.high => row.high,
                () if before > 0.0 && sum > row.low => row.low,
                () if before < 0.0 && sum < row.high => row.high,
                () => continue,
            };
            let mut change = self.solve(row, target);
            // Where it changes its sign, the bound lets go of it.
            if before != 0.0 && (before + change) * before < 0.0 {
                change = -before;
            }
            self.multipliers[number] = before + change;
            for place in row.start..row.end {
                let node = self.nodes[place] as usize;
                self.prices[node] += if place < row.taken { change } else { -change };
            }
        }
        for node in 0..self.prices.len() {
            self.weights[node] = self.weight(self.prices[node]);
        }
    }

    /// The change of a multiplier that makes the sum of its row this, which rises with it: Newton's steps inside an interval.
    fn solve(&self, row: &Row, target: f64) -> f64 {
        let rises = self.sum(row, 0.0).0 < target;
        let (mut near, mut far) = (0.0, if rises { 1e-3 } else { -1e-3 });
        for _ in 0..200 {
            if (self.sum(row, far).0 < target) != rises {
                break;
            }
            (near, far) = (far, 4.0 * far);
        }
        let mut change = 0.5 * (near + far);
        for _ in 0..STEPS {
            let (sum, slope) = self.sum(row, change);
            if (sum < target) == rises {
                near = change;
            } else {
                far = change;
            }
            let newton = change - (sum - target) / slope;
            let (low, high) = (f64::min(near, far), f64::max(near, far));
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if (next - change).abs() <= 1e-16 * (change.abs() + 1e-300) || sum == target {
                break;
            }
            change = next;
        }
        change
    }

    /// How far the sum of powers is above what the multipliers prove, and rows are out of their bounds, as a share.
    fn gap(&self) -> f64 {
        let power = |weight: f64| weight.powf(self.rho);
        let primal: f64 = self.weights.iter().map(|&weight| power(weight)).sum();
        let priced: f64 = self.prices.iter().map(|&price| power(self.weight(price))).sum();
        let mut dual = -(self.rho - 1.0) * priced;
        let mut outside = 0.0_f64;
        for (row, &multiplier) in self.rows.iter().zip(&self.multipliers) {
            let sign = |place: usize| if place < row.taken { 1.0 } else { -1.0 };
            let nodes = (row.start..).zip(&self.nodes[row.start..row.end]);
            let sum: f64 = nodes.map(|(place, &node)| sign(place) * self.weights[node as usize]).sum();
            outside = outside.max(row.low - sum).max(sum - row.high);
            dual += match multiplier {
                _ if multiplier > 0.0 => multiplier * row.low,
                _ if multiplier < 0.0 => multiplier * row.high,
                _ => 0.0,
            };
        }
        let gap = ((primal - dual).abs() / primal.max(f64::MIN_POSITIVE)).max(outside);
        if gap.is_nan() { f64::INFINITY } else { gap }
    }
}
