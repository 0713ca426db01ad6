//! Hierarchies without rounding: F of weights of nodes, under the Euclidean norm with blocks scaled by √α, and under the shared norm.
//!
//! α is what its bits are. Roots of α and of losses are cut to [`ROOT_BITS`] bits, and values are widened by more than that can matter.

use maxmargin::inference::Hierarchy;
use maxmargin::structure::NodeLoss;
use maxmargin::surrogate::Surrogate;

use super::dyadic::{Dyadic, Side};
use super::interval::Interval;
use super::objective::{Enclosure, ExactLabel, ExactProblem};
use super::optimum::optimum;
use super::rational::Rational;

const ROOT_BITS: u64 = 640;
/// Values are widened by this power of two, of 1 + |value|.
const WIDENED: i64 = -240;
/// Rounds in plain arithmetic towards the multipliers of leaves that prove most.
const ROUNDS: usize = 3000;

/// A problem in which each label is a set of nodes that has with each node those above it.
#[derive(Debug, Clone)]
pub struct NodeProblem {
    pub hierarchy: Hierarchy,
    pub bias: bool,
    /// α of each node; 1 without.
    pub alpha: Option<Vec<f64>>,
    pub loss: NodeLoss,
    pub surrogate: Surrogate,
    pub lambda: f64,
    pub labels: Vec<Vec<u32>>,
    pub rows: Vec<Vec<f64>>,
    /// The true label of each row, by its place.
    pub truths: Vec<usize>,
    pub weights: Vec<f64>,
}

impl NodeProblem {
    pub fn nodes(&self) -> usize {
        self.hierarchy.nodes()
    }

    /// All labels written out, with blocks scaled by the roots of these.
    fn exact(&self, alpha: Option<&[Dyadic]>) -> ExactProblem {
        let n = Rational::whole(self.rows.len() as i64);
        let scales: Vec<Dyadic> = (0..self.nodes())
            .map(|node| alpha.map_or(Dyadic::one(), |alpha| alpha[node].root(ROOT_BITS, Side::Down)))
            .collect();
        let shares = self.weights.iter().map(|&weight| &Rational::from(weight) / &n).collect();
        let labels = (0..self.rows.len()).map(|i| self.labels_of(i, &scales)).collect();
        ExactProblem::of(self.surrogate, self.lambda, shares, labels)
    }

    fn labels_of(&self, i: usize, scales: &[Dyadic]) -> Vec<ExactLabel> {
        let (truth, nodes) = (&self.labels[self.truths[i]], self.nodes());
        let features: Vec<Dyadic> =
            self.rows[i].iter().copied().chain(self.bias.then_some(1.0)).map(Dyadic::from).collect();
        let label = |y: &Vec<u32>| {
            let mut slope = vec![Dyadic::zero(); features.len() * nodes];
            for node in 0..nodes {
                let [is_in, was_in] = [y, truth].map(|set| set.contains(&(node as u32)));
                if is_in != was_in {
                    for (j, x) in features.iter().enumerate() {
                        let value = x * &scales[node];
                        slope[j * nodes + node] = if is_in { value } else { -&value };
                    }
                }
            }
            ExactLabel { slope, constant: Dyadic::zero(), g: self.loss_of(truth, y) }
        };
        self.labels.iter().map(label).collect()
    }

    fn loss_of(&self, truth: &[u32], y: &[u32]) -> Rational {
        let differ = |node: &u32| truth.contains(node) != y.contains(node);
        let sum = |costs: &Option<std::sync::Arc<[f64]>>| {
            let cost = |node: u32| costs.as_ref().map_or(1.0, |costs| costs[node as usize]);
            let differing = (0..self.nodes() as u32).filter(differ);
            differing.fold(Dyadic::zero(), |sum, node| &sum + &cost(node).into())
        };
        match &self.loss {
            NodeLoss::ZeroOne => Rational::whole(i64::from(truth != y)),
            NodeLoss::Difference { costs } => sum(costs).into(),
            NodeLoss::Distance { weights } => sum(weights).root(ROOT_BITS, Side::Down).into(),
            NodeLoss::Size { .. } => unreachable!("no loss of a problem"),
        }
    }

    /// The problem under the Euclidean norm.
    pub fn scaled(&self) -> ExactProblem {
        let alpha =
            self.alpha.as_ref().map(|alpha| alpha.iter().map(|&a| Dyadic::from(a)).collect::<Vec<_>>());
        self.exact(alpha.as_deref())
    }

    /// The problem whose risk is that of weights without scaling.
    pub fn unscaled(&self) -> ExactProblem {
        self.exact(None)
    }

    /// λ/2 · min_α Σ ‖U_n‖²/α_n + R(U).
    pub fn shared_at(&self, unscaled: &ExactProblem, weights: &[f64]) -> Enclosure {
        let w: Vec<Dyadic> = weights.iter().map(|&weight| Dyadic::from(weight)).collect();
        let half = Rational::from(Dyadic::from(self.lambda).scaled(-1));
        widened(&self.shared_norm(&self.squares(&w)).scaled(&half).add(&unscaled.risk_at(&w)))
    }

    fn squares(&self, w: &[Dyadic]) -> Vec<Dyadic> {
        let nodes = self.nodes();
        let of_node = |node: usize| {
            let own = w.iter().skip(node).step_by(nodes);
            own.fold(Dyadic::zero(), |sum, w| &sum + &(w * w))
        };
        (0..nodes).map(of_node).collect()
    }

    /// The shared norm of blocks with these squares: in closed form on trees, else between what a dual point and an α prove.
    fn shared_norm(&self, squares: &[Dyadic]) -> Enclosure {
        if self.hierarchy.is_tree() {
            let roots = self.hierarchy.roots().iter();
            return roots
                .map(|&root| self.norm_below(root, squares))
                .fold(Interval::whole(0), |a, b| &a + &b)
                .into();
        }
        let multipliers = self.multipliers(squares);
        let (alpha, below) = self.alpha_of(&multipliers, squares);
        // (Σ √(q c))² for a point of the simplex of leaves.
        let terms = squares.iter().zip(&below).map(|(q, c)| Interval::point(&(q * c)).root());
        let dual = terms.fold(Interval::whole(0), |a, b| &a + &b);
        let total = multipliers.iter().fold(Dyadic::zero(), |sum, m| &sum + m);
        let least = &(&dual * &dual) / &Interval::point(&total);
        Enclosure { low: least.low.into(), high: norm_with(squares, &alpha) }
    }

    /// N = (√q + √Σ_children N)².
    fn norm_below(&self, node: u32, squares: &[Dyadic]) -> Interval {
        let children = self.hierarchy.children(node).iter().map(|&child| self.norm_below(child, squares));
        let below = children.fold(Interval::whole(0), |a, b| &a + &b);
        let root = &Interval::point(&squares[node as usize]).root() + &below.root();
        &root * &root
    }

    /// Multipliers of leaves for which Σ √(q c) is large, by the updates of its dual; none is 0.
    fn multipliers(&self, squares: &[Dyadic]) -> Vec<Dyadic> {
        let largest = squares.iter().max().filter(|largest| largest.is_positive());
        let Some(largest) = largest else {
            return vec![Dyadic::one(); self.hierarchy.leaves().len()];
        };
        let q: Vec<f64> = squares.iter().map(|q| q.divided(largest, 64, Side::Down).to_f64()).collect();
        let leaves = self.hierarchy.leaves();
        let mut mu = vec![1.0 / leaves.len() as f64; leaves.len()];
        for _ in 0..ROUNDS {
            let mut below = vec![0.0; self.nodes()];
            for (&leaf, mu) in leaves.iter().zip(&mu) {
                self.hierarchy.ancestors(leaf).iter().for_each(|&node| below[node as usize] += mu);
            }
            for (&leaf, mu) in leaves.iter().zip(&mut mu) {
                let ways = self.hierarchy.ancestors(leaf).iter().map(|&node| node as usize);
                let slope: f64 = ways.map(|node| (q[node] / below[node]).sqrt()).sum();
                *mu = (*mu * slope * slope).max(1e-60);
            }
            let sum: f64 = mu.iter().sum();
            mu.iter_mut().for_each(|mu| *mu /= sum);
        }
        mu.into_iter().map(Dyadic::from).collect()
    }

    /// α = √(q/c) scaled into the set, and c, for multipliers of leaves.
    fn alpha_of(&self, multipliers: &[Dyadic], squares: &[Dyadic]) -> (Vec<Dyadic>, Vec<Dyadic>) {
        let mut below = vec![Dyadic::zero(); self.nodes()];
        for (&leaf, mu) in self.hierarchy.leaves().iter().zip(multipliers) {
            for &node in self.hierarchy.ancestors(leaf) {
                below[node as usize] = &below[node as usize] + mu;
            }
        }
        let ratio = |(q, c): (&Dyadic, &Dyadic)| q.divided(c, 256, Side::Down).root(256, Side::Down);
        let ratios: Vec<Dyadic> = squares.iter().zip(&below).map(ratio).collect();
        (self.inside(&ratios), below)
    }

    /// Numbers scaled so that they add up to no more than 1 on the way to each leaf.
    fn inside(&self, numbers: &[Dyadic]) -> Vec<Dyadic> {
        let sum = |leaf: &u32| {
            let path = self.hierarchy.ancestors(*leaf).iter();
            path.fold(Dyadic::zero(), |sum, &node| &sum + &numbers[node as usize])
        };
        let largest = self.hierarchy.leaves().iter().map(sum).max().expect("a leaf");
        match largest.is_positive() {
            true => numbers.iter().map(|number| number.divided(&largest, 256, Side::Down)).collect(),
            false => numbers.to_vec(),
        }
    }

    /// F* under the shared norm is at most this: the optimum for the α that are best for some weights, made a little larger where they are 0.
    pub fn shared_upper_bound(&self, weights: &[f64]) -> Rational {
        let w: Vec<Dyadic> = weights.iter().map(|&weight| Dyadic::from(weight)).collect();
        let squares = self.squares(&w);
        let largest = squares.iter().max().filter(|largest| largest.is_positive()).cloned();
        let largest = largest.unwrap_or_else(Dyadic::one);
        let squares: Vec<Dyadic> =
            squares.iter().map(|q| (q + &largest.scaled(-60)).rounded(256, Side::Down)).collect();
        let (alpha, _) = self.alpha_of(&self.multipliers(&squares), &squares);
        widened(&optimum(&self.exact(Some(&alpha))).value).high
    }
}

/// Σ q/α; blocks without weights count nothing.
fn norm_with(squares: &[Dyadic], alpha: &[Dyadic]) -> Rational {
    let terms = squares.iter().zip(alpha).filter(|(q, _)| q.is_positive());
    terms.fold(Rational::zero(), |sum, (q, alpha)| {
        let term = q.divided(alpha, 300, Side::Up);
        &sum + &term.into()
    })
}

/// With what roots that are cut off may be wrong by.
pub fn widened(value: &Enclosure) -> Enclosure {
    let size = &Rational::one() + &value.high.clone().max(-&value.low);
    let by = &size * &Rational::from(Dyadic::power_of_two(WIDENED));
    Enclosure { low: &value.low - &by, high: &value.high + &by }
}
