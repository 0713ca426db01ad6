//! A block of weights for each node of a hierarchy: what labels of one node and of several share.

use std::sync::Arc;

use super::alpha::shared::{best_alpha, largest_sum};
use crate::error::{Error, Result};
use crate::features::Rows;
use crate::inference::Hierarchy;
use crate::linear::{
    BlockNorm, FeatureSum, Precise, SeenPairs, add_row_products, precise_row_products, round_up,
};
use crate::structure::shape::{check_features, check_rows, check_size};

/// What a weight costs that is looked up for itself, in weights that are read one after the other.
const SCATTERED: usize = 16;

/// The blocks, and by what each is scaled.
#[derive(Debug, Clone)]
pub(super) struct NodeBlocks {
    pub hierarchy: Arc<Hierarchy>,
    pub features: usize,
    pub bias: bool,
    /// √α_n; `None` where all are 1.
    scales: Option<Arc<[f64]>>,
    /// The pairs of features and nodes that have weights; `None` where all have.
    seen: Option<Arc<SeenPairs>>,
    /// Whether the norm of the weights is the shared one.
    is_shared: bool,
}

impl NodeBlocks {
    pub fn new(
        features: usize,
        hierarchy: Arc<Hierarchy>,
        bias: bool,
        alpha: Option<&[f64]>,
    ) -> Result<Self> {
        check_size(features.saturating_add(usize::from(bias)), hierarchy.nodes(), Some(0))?;
        let scales = scales(&hierarchy, alpha)?;
        Ok(Self { hierarchy, features, bias, scales, seen: None, is_shared: false })
    }

    /// The same with weights for some pairs of features and nodes only.
    pub fn with_pairs(
        pairs: Arc<SeenPairs>,
        hierarchy: Arc<Hierarchy>,
        bias: bool,
        alpha: Option<&[f64]>,
    ) -> Result<Self> {
        let nodes = hierarchy.nodes();
        if pairs.label_count() != nodes {
            let problem = format!("features with {} nodes, but there are {nodes}", pairs.label_count());
            return Err(Error::parameter("pairs", problem));
        }
        check_size(usize::from(bias), nodes, Some(pairs.len()))?;
        let scales = scales(&hierarchy, alpha)?;
        Ok(Self { features: pairs.features(), hierarchy, bias, scales, seen: Some(pairs), is_shared: false })
    }

    /// The same with the shared norm. Refused where blocks are scaled.
    pub fn with_shared_norm(self) -> Result<Self> {
        match self.scales {
            None => Ok(Self { is_shared: true, ..self }),
            Some(_) => Err(Error::parameter("alpha", "the shared norm finds its own weights of nodes")),
        }
    }

    /// The same with blocks scaled and the Euclidean norm, where it is the shared one and these are α: no more than 1.
    pub fn scaled(&self, alpha: &[f64]) -> Option<Self> {
        let are_alpha = alpha.iter().all(|alpha| *alpha <= 1.0);
        let scales = scales(&self.hierarchy, Some(alpha)).ok().filter(|_| self.is_shared && are_alpha)?;
        Some(Self { scales, is_shared: false, ..self.clone() })
    }

    pub fn norm(&self) -> Option<&dyn BlockNorm> {
        self.is_shared.then_some(self)
    }

    pub fn check_input(&self, x: &Rows) -> Result<()> {
        check_features(x, self.features)?;
        check_rows(x, 1)
    }

    pub fn nodes(&self) -> usize {
        self.hierarchy.nodes()
    }

    pub fn dim(&self) -> usize {
        self.biases_start() + usize::from(self.bias) * self.nodes()
    }

    /// Where the weights of the constant feature are, behind all others.
    fn biases_start(&self) -> usize {
        self.seen.as_ref().map_or_else(|| self.features * self.nodes(), |seen| seen.len())
    }

    /// √α_n.
    pub fn scale(&self, node: u32) -> f64 {
        self.scales.as_ref().map_or(1.0, |scales| scales[node as usize])
    }

    /// The square of what a block is scaled by: α_n, up to rounding.
    pub fn square(&self, node: u32) -> f64 {
        self.scale(node) * self.scale(node)
    }

    /// Whether features are handed on as they are.
    pub fn is_exact(&self) -> bool {
        self.scales.is_none() && self.seen.is_none()
    }

    /// Σ of squared scales over some nodes: times ‖x‖², the squared norm of their features.
    pub fn squares(&self, nodes: impl Iterator<Item = u32>) -> f64 {
        nodes.map(|node| self.square(node)).sum()
    }

    /// Σ of the squared weights of each node.
    pub fn node_squares(&self, weights: &[f64]) -> Vec<f64> {
        assert_eq!(weights.len(), self.dim(), "a number for each weight");
        let mut squares = vec![0.0; self.nodes()];
        self.add_products(weights, weights, &mut squares);
        squares
    }

    /// √α_n ⟨W_n, x⟩ for each node.
    pub fn score(&self, w: &[f64], x: &Rows, scores: &mut Vec<f64>) {
        scores.clear();
        match self.bias {
            true => scores.extend_from_slice(&w[self.biases_start()..]),
            false => scores.resize(self.nodes(), 0.0),
        }
        match &self.seen {
            None => add_row_products(x.row(0), w, scores),
            Some(seen) => seen.add_row_products(x.row(0), w, scores),
        }
        self.scale_all(scores);
    }

    /// Whether the scores of so many nodes by themselves cost less than those of all.
    pub fn is_cheaper_alone(&self, x: &Rows, nodes: usize) -> bool {
        let row = x.row(0);
        let of_all = match &self.seen {
            None => row.len().saturating_mul(self.nodes()),
            Some(seen) => seen.row_terms(row),
        };
        nodes.saturating_mul(row.len()).saturating_mul(SCATTERED) < of_all
    }

    /// √α_n ⟨W_n, x⟩ for some nodes, which ascend; they are written to their places, and the others stay.
    pub fn score_some(&self, w: &[f64], x: &Rows, nodes: &[u32], scores: &mut [f64]) {
        let (row, all) = (x.row(0), self.nodes());
        let biases = self.bias.then(|| &w[self.biases_start()..]);
        for &node in nodes {
            scores[node as usize] = biases.map_or(0.0, |biases| biases[node as usize]);
        }
        match &self.seen {
            None => row.for_each(|j, value| {
                let weights = &w[j * all..(j + 1) * all];
                nodes.iter().for_each(|&node| scores[node as usize] += value * weights[node as usize]);
            }),
            Some(seen) => seen.for_each_common(row, nodes, |k, place, value| {
                scores[nodes[k] as usize] += value * w[place];
            }),
        }
        nodes.iter().for_each(|&node| scores[node as usize] *= self.scale(node));
    }

    /// The same with about twice the digits, up to the last two roundings.
    pub fn score_precisely(&self, w: &[f64], x: &Rows, scores: &mut Vec<f64>) {
        let mut sums = vec![Precise::default(); self.nodes()];
        if self.bias {
            let biases = &w[self.biases_start()..];
            sums.iter_mut().zip(biases).for_each(|(sum, &w)| sum.add(w));
        }
        match &self.seen {
            None => precise_row_products(x.row(0), w, &mut sums),
            Some(seen) => seen.precise_row_products(x.row(0), w, &mut sums),
        }
        scores.clear();
        scores.extend(sums.iter().map(|sum| sum.get()));
        self.scale_all(scores);
    }

    fn scale_all(&self, scores: &mut [f64]) {
        if let Some(scales) = &self.scales {
            scores.iter_mut().zip(&**scales).for_each(|(score, scale)| *score *= scale);
        }
    }

    /// Adds `factor` times the features of some nodes, which ascend.
    pub fn add_nodes<A: FeatureSum + ?Sized>(&self, x: &Rows, nodes: &[u32], factor: f64, sum: &mut A) {
        self.add_difference(x, (nodes, &[]), factor, sum);
    }

    /// Adds `factor` times the features of the nodes that are in `y` less of those that are in `z` only; both ascend.
    pub fn add_difference<A: FeatureSum + ?Sized>(
        &self,
        x: &Rows,
        (y, z): (&[u32], &[u32]),
        factor: f64,
        sum: &mut A,
    ) {
        let differ = members([y, z, &[]]).filter(|(_, [in_y, in_z, _])| in_y != in_z);
        let scaled =
            differ.map(|(node, [in_y, ..])| (node, if in_y { factor } else { -factor } * self.scale(node)));
        let scaled = scaled.filter(|(_, factor)| *factor != 0.0);
        let Some(seen) = &self.seen else {
            return scaled.for_each(|(node, factor)| {
                sum.add_row(x.row(0), self.nodes(), node as usize, factor);
                self.add_bias(node, factor, sum);
            });
        };
        let (nodes, factors): (Vec<u32>, Vec<f64>) = scaled.unzip();
        seen.for_each_common(x.row(0), &nodes, |k, place, value| sum.add(place, factors[k] * value));
        nodes.iter().zip(factors).for_each(|(&node, factor)| self.add_bias(node, factor, sum));
    }

    fn add_bias<A: FeatureSum + ?Sized>(&self, node: u32, factor: f64, sum: &mut A) {
        if self.bias {
            sum.add(self.biases_start() + node as usize, factor);
        }
    }

    /// ‖x‖², the bias included.
    pub fn kernel(&self, x: &Rows) -> f64 {
        let row = x.row(0);
        row.dot(&row) + f64::from(u8::from(self.bias))
    }

    /// ⟨φ(y) − φ(truth), φ(z) − φ(truth)⟩ of whole sets.
    pub fn product(&self, x: &Rows, kernel: f64, truth: &[u32], y: &[u32], z: &[u32]) -> f64 {
        // Where both differ from the truth they are alike.
        let differ = members([truth, y, z]).filter(|&(_, [t, y, z])| y != t && z != t).map(|(node, _)| node);
        match &self.seen {
            None => kernel * self.squares(differ),
            Some(seen) => {
                let nodes: Vec<u32> = differ.collect();
                let mut sum = if self.bias { self.squares(nodes.iter().copied()) } else { 0.0 };
                seen.for_each_common(x.row(0), &nodes, |k, _, value| {
                    sum += self.square(nodes[k]) * value * value;
                });
                sum
            }
        }
    }
}

/// Nodes whose scores are known.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownNodes {
    /// In which round each became known; rounds count from 1.
    rounds: Vec<u32>,
    round: u32,
    added: Vec<u32>,
}

impl KnownNodes {
    /// Forgets all.
    pub fn begin(&mut self, nodes: usize) {
        self.round = self.round.wrapping_add(1);
        if self.rounds.len() != nodes || self.round == 0 {
            self.rounds.clear();
            self.rounds.resize(nodes, 0);
            self.round = 1;
        }
    }

    /// Adds nodes; those that were not known.
    pub fn add(&mut self, nodes: &[u32]) -> &[u32] {
        self.added.clear();
        for &node in nodes {
            if std::mem::replace(&mut self.rounds[node as usize], self.round) != self.round {
                self.added.push(node);
            }
        }
        &self.added
    }

    /// Adds all.
    pub fn add_all(&mut self) {
        self.rounds.fill(self.round);
    }
}

impl BlockNorm for NodeBlocks {
    fn blocks(&self) -> usize {
        self.nodes()
    }

    fn add_products(&self, x: &[f64], y: &[f64], sums: &mut [f64]) {
        let (nodes, biases) = (self.nodes(), self.biases_start());
        let mut add_rows = |x: &[f64], y: &[f64]| {
            for (x, y) in x.chunks_exact(nodes).zip(y.chunks_exact(nodes)) {
                sums.iter_mut().zip(x.iter().zip(y)).for_each(|(sum, (x, y))| *sum += x * y);
            }
        };
        match &self.seen {
            None => add_rows(x, y),
            Some(seen) => {
                add_rows(&x[biases..], &y[biases..]);
                let terms = seen.labels().iter().zip(x.iter().zip(y));
                terms.for_each(|(&node, (x, y))| sums[node as usize] += x * y);
            }
        }
    }

    fn scale(&self, factors: &[f64], x: &mut [f64]) {
        let nodes = self.nodes();
        let from = match &self.seen {
            None => 0,
            Some(seen) => {
                x.iter_mut().zip(seen.labels()).for_each(|(x, &node)| *x *= factors[node as usize]);
                seen.len()
            }
        };
        let rows = x[from..].chunks_exact_mut(nodes);
        rows.for_each(|row| row.iter_mut().zip(factors).for_each(|(x, factor)| *x *= factor));
    }

    fn best(&self, squares: &[f64]) -> (Vec<f64>, f64) {
        match best_alpha(&self.hierarchy, squares) {
            Ok(best) => (best.weights, round_up(best.norm, 16.0 * self.nodes() as f64)),
            // What is no number has no bound.
            Err(_) => (vec![0.0; squares.len()], f64::INFINITY),
        }
    }

    fn largest(&self, values: &[f64]) -> f64 {
        largest_sum(&self.hierarchy, values).map_or(f64::INFINITY, |sum| sum.high)
    }
}

/// √α, where one is not 1.
fn scales(hierarchy: &Hierarchy, alpha: Option<&[f64]>) -> Result<Option<Arc<[f64]>>> {
    if let Some(alpha) = alpha {
        check_weights("alpha", alpha, hierarchy.nodes())?;
    }
    let scales = alpha.filter(|alpha| alpha.iter().any(|alpha| *alpha != 1.0));
    Ok(scales.map(|alpha| alpha.iter().map(|alpha| alpha.sqrt()).collect()))
}

/// The nodes that are in one of three ascending lists, ascending, with the lists that have them.
pub(super) fn members(mut lists: [&[u32]; 3]) -> impl Iterator<Item = (u32, [bool; 3])> {
    std::iter::from_fn(move || {
        let node = *lists.iter().filter_map(|rest| rest.first()).min()?;
        let has = lists.each_mut().map(|rest| {
            let is_here = rest.first() == Some(&node);
            *rest = &rest[usize::from(is_here)..];
            is_here
        });
        Some((node, has))
    })
}

/// Refuses weights of nodes that are none, or not one for each node.
pub(super) fn check_weights(what: &str, weights: &[f64], nodes: usize) -> Result<()> {
    if weights.len() != nodes {
        let problem = format!("{} numbers for {nodes} nodes", weights.len());
        return Err(Error::parameter(what, problem));
    }
    match weights.iter().position(|weight| !weight.is_finite() || *weight < 0.0) {
        None => Ok(()),
        Some(node) => {
            let problem =
                format!("{} for node {node}; it must be 0 or a finite number above it", weights[node]);
            Err(Error::parameter(what, problem))
        }
    }
}
