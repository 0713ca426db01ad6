//! Matchings: which nodes of a bipartite graph belong together, such as the words of a sentence and of its translation
//! (SADDLE; Taskar, Lacoste-Julien & Klein 2005).
//!
//! φ(x,y) is the sum of the features of all links (and of a constant 1 for each, with a bias); `w[j]` is the weight of
//! feature j, and that of the bias comes last. A node has at most so many links as its side's *fertility* says, 1 unless
//! told otherwise. The loss counts missed and false links; links that are only possible cost nothing either way.
//!
//! Score and loss are sums over links, so that every λ-oracle is an assignment problem: shortest augmenting paths in a
//! table where the graph is dense and nodes have one link, a circulation of least cost elsewhere. Both are exact.

mod circulation;
mod decoding;
mod link_loss;
mod links;
mod oracles;
mod parts;
mod truth;

pub use self::decoding::MatchingScores;
pub use self::link_loss::LinkLoss;
pub use self::links::Links;
use super::shape::{check_ascending, check_features, check_size};
use super::{Found, Magnitude, Mix, Offers, ScoreNoise, Structure, product_by_features};
use crate::error::{Error, Result};
use crate::linear::{FeatureSum, Precise, precise_row_products, round_up};
use crate::structure::Graph;

/// Inner products of all pairs of edges are kept up to so many edges, and so many times as many as the features have
/// values: solvers that keep planes ask for the same ones again and again.
const MOST_EDGES: usize = 100;
const LARGEST_KERNEL: usize = 4;

/// Up to this many weights a difference of features is added up in a dense vector.
const LARGEST_DENSE: usize = 4096;

/// What to do about truths in which a node has more sure links than it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExtraLinks {
    /// An error that names the node.
    #[default]
    Refuse,
    /// A largest allowed subset of the sure links stays sure; the others become possible.
    Free,
}

/// Which weights there are, the loss, and how many links nodes have.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchingOptions {
    /// A constant feature of each link: what it is worth to link at all.
    pub bias: bool,
    /// The task loss.
    pub loss: LinkLoss,
    /// The most links of a left and of a right node.
    pub fertility: (u32, u32),
    /// What to do about truths that have more.
    pub extra_links: ExtraLinks,
}

impl Default for MatchingOptions {
    fn default() -> Self {
        Self { bias: true, loss: LinkLoss::default(), fertility: (1, 1), extra_links: ExtraLinks::Refuse }
    }
}

/// Matchings of bipartite graphs with features on their edges.
///
/// ```
/// use std::sync::Arc;
/// use maxmargin_core::features::{FeatureMatrix, Rows};
/// use maxmargin_core::structure::{Edge, Graph};
/// use maxmargin_core::structure::{Links, MatchingStructure, MatchingOptions, Structure};
///
/// let task = MatchingStructure::new(1, MatchingOptions { bias: false, ..MatchingOptions::default() })?;
/// // Two nodes on each side; each edge has one feature.
/// let features = Arc::new(FeatureMatrix::from_dense(&[[2.0], [3.0], [-1.0], [2.0]]));
/// let edges = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(left, right)| Edge { left, right });
/// let x = Graph::new(Rows::new(&features, 0..4), edges.into(), 0)?;
/// let mut scores = Default::default();
/// task.score(&[1.0], &x, &mut scores);
/// // The best link is not in the best matching.
/// let best = task.decode(&x, &mut scores);
/// assert_eq!((best.label, best.score), (Links::of(vec![0, 3]), 4.0));
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MatchingStructure {
    features: usize,
    options: MatchingOptions,
}

impl MatchingStructure {
    /// A task with this many features (without the bias).
    pub fn new(features: usize, options: MatchingOptions) -> Result<Self> {
        options.loss.check()?;
        let (left, right) = options.fertility;
        if left == 0 || right == 0 {
            let problem = format!("{left},{right} is not allowed; nodes of both sides have at least 1 link");
            return Err(Error::parameter("fertility", problem));
        }
        check_size(features.saturating_add(usize::from(options.bias)), 1, Some(0))?;
        Ok(Self { features, options })
    }

    /// The number of features of an edge, without the bias.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The most links of a left and of a right node.
    pub fn fertility(&self) -> (u32, u32) {
        self.options.fertility
    }

    /// What wrong links cost.
    pub fn link_loss(&self) -> LinkLoss {
        self.options.loss
    }

    /// The task loss, which depends on the two sets of links only.
    pub fn loss_between(&self, truth: &Links, y: &Links) -> f64 {
        self.options.loss.of(truth, y)
    }

    /// Whether each link has a constant feature.
    pub fn has_bias(&self) -> bool {
        self.options.bias
    }

    /// Adds the features of one edge times a factor.
    pub fn add_link<A: FeatureSum + ?Sized>(&self, x: &Graph, edge: usize, factor: f64, sum: &mut A) {
        sum.add_row(x.rows().row(edge), 1, 0, factor);
        if self.options.bias {
            sum.add(self.features, factor);
        }
    }

    /// The operations that follow each other in a decoder: potentials of nodes are changed once for each node at most.
    fn decoding_terms(&self, x: &Graph) -> f64 {
        let (left, right) = self.options.fertility;
        let nodes = x.lefts() as f64 * f64::from(left) + x.rights() as f64 * f64::from(right);
        8.0 * nodes.min(2.0 * x.edges().len() as f64 + 2.0) + 16.0
    }

    /// Computes the score of each edge.
    fn score_links(&self, w: &[f64], x: &Graph, links: &mut [f64]) {
        links.iter_mut().enumerate().for_each(|(edge, score)| *score = self.score_link(w, x, edge));
    }

    fn score_link(&self, w: &[f64], x: &Graph, edge: usize) -> f64 {
        let mut sum = if self.options.bias { w[self.features] } else { 0.0 };
        x.rows().row(edge).for_each(|j, value| sum += value * w[j]);
        sum
    }

    /// The score of each edge.
    pub fn link_scores(scores: &MatchingScores) -> &[f64] {
        &scores.links
    }
}

impl Structure for MatchingStructure {
    type Input = Graph;
    type Label = Links;
    type Scores = MatchingScores;
    /// ⟨φ(e), φ(f)⟩ for edges e ≤ f, row by row of f, the bias included; empty where that would be too much.
    type Kernel = Vec<f64>;

    fn check(&self, x: &Graph, y: &Links) -> Result<()> {
        check_features(x.rows(), self.features)?;
        check_ascending("links", y.on.iter().copied(), x.edges().len())?;
        check_ascending("possible links", y.free.iter().copied(), x.edges().len())?;
        self.check_truth(x, y)
    }

    fn dim(&self) -> usize {
        self.features + usize::from(self.options.bias)
    }

    fn score(&self, w: &[f64], x: &Graph, scores: &mut MatchingScores) {
        self.score_links(w, x, scores.begin(x.edges().len()));
    }

    fn score_precisely(
        &self,
        w: &[f64],
        norm: f64,
        x: &Graph,
        magnitude: &Magnitude,
        scores: &mut MatchingScores,
    ) -> Option<ScoreNoise> {
        let links = scores.begin(x.edges().len());
        let mut largest = 0.0_f64;
        for (edge, score) in links.iter_mut().enumerate() {
            let mut sum = [Precise::default()];
            if self.options.bias {
                sum[0].add(w[self.features]);
            }
            precise_row_products(x.rows().row(edge), w, &mut sum);
            *score = sum[0].get();
            largest = largest.max(score.abs());
        }
        Some(magnitude.precise_noise(norm, largest * (1 + self.most_links(x)) as f64, self.decoding_terms(x)))
    }

    fn magnitude(&self, x: &Graph, truth: &Links) -> Magnitude {
        let (mut longest, mut stored) = (0.0_f64, 0);
        for edge in 0..x.edges().len() {
            let row = x.rows().row(edge);
            longest = longest.max((row.norm_squared() + 1.0).sqrt());
            stored = stored.max(row.len());
        }
        let links = (1 + self.most_links(x)) as f64;
        Magnitude {
            norm: round_up(longest * links, stored as f64 + 8.0),
            terms: stored as f64 + self.decoding_terms(x),
            repeats: links,
            loss: round_up(self.largest_loss(x, truth), 8.0),
            is_exact: true,
        }
    }

    /// A graph has some ten times as many edges as links, and each is a sparse product.
    fn score_for(&self, w: &[f64], x: &Graph, y: &Links, begin: bool, scores: &mut MatchingScores) {
        if begin {
            scores.begin(x.edges().len()).fill(f64::NAN);
        }
        for &edge in &y.on {
            let score = &mut scores.links[edge as usize];
            if score.is_nan() {
                *score = self.score_link(w, x, edge as usize);
            }
        }
    }

    fn variables(&self, x: &Graph) -> usize {
        x.edges().len()
    }

    fn score_of(&self, _x: &Graph, scores: &MatchingScores, y: &Links) -> f64 {
        scores.score_of(y)
    }

    fn decode(&self, x: &Graph, scores: &mut MatchingScores) -> Found<Links> {
        self.best_links(x, scores, None, Mix::SCORE)
    }

    fn loss(&self, _x: &Graph, truth: &Links, y: &Links) -> f64 {
        self.loss_between(truth, y)
    }

    fn largest_loss(&self, x: &Graph, truth: &Links) -> f64 {
        let LinkLoss::Mistakes { miss, false_link } = self.options.loss else { return 0.0 };
        let others = x.edges().len().saturating_sub(truth.on.len() + truth.free.len());
        miss * truth.on.len() as f64 + false_link * others.min(self.most_links(x)) as f64
    }

    fn loss_unit(&self, _x: &Graph, _truth: &Links) -> Option<f64> {
        self.options.loss.unit()
    }

    fn least_loss(&self, _x: &Graph, _truth: &Links) -> f64 {
        self.options.loss.least()
    }

    fn maximize(&self, x: &Graph, truth: &Links, scores: &mut MatchingScores, mix: Mix) -> Found<Links> {
        self.best_links(x, scores, Some(truth), mix)
    }

    fn add_features<A: FeatureSum + ?Sized>(&self, x: &Graph, y: &Links, factor: f64, sum: &mut A) {
        y.on.iter().for_each(|&edge| self.add_link(x, edge as usize, factor, sum));
    }

    fn add_difference<A: FeatureSum + ?Sized>(
        &self,
        x: &Graph,
        y: &Links,
        truth: &Links,
        factor: f64,
        sum: &mut A,
    ) {
        y.for_each_change(truth, |edge, is_on| {
            self.add_link(x, edge, if is_on { factor } else { -factor }, sum);
        });
    }

    fn offers(&self) -> Offers<'_, Self> {
        Offers { flow: Some(self), ..Offers::usual(self) }
    }

    fn kernel(&self, x: &Graph) -> Vec<f64> {
        let (rows, edges) = (x.rows(), x.edges().len());
        let stored: usize = (0..edges).map(|edge| rows.row(edge).len()).sum();
        if edges > MOST_EDGES || edges * (edges + 1) / 2 > LARGEST_KERNEL * stored {
            return Vec::new();
        }
        let bias = f64::from(u8::from(self.options.bias));
        let pairs = (0..edges).flat_map(|f| (0..=f).map(move |e| (e, f)));
        pairs.map(|(e, f)| rows.row(e).dot(&rows.row(f)) + bias).collect()
    }

    fn product(&self, x: &Graph, kernel: &Vec<f64>, truth: &Links, y: &Links, z: &Links) -> f64 {
        let mut sum = 0.0;
        let signed = |is_on: bool| if is_on { 1.0 } else { -1.0 };
        if !kernel.is_empty() {
            y.for_each_change(truth, |e, in_y| {
                z.for_each_change(truth, |f, in_z| {
                    let (low, high) = (e.min(f), e.max(f));
                    sum += signed(in_y) * signed(in_z) * kernel[high * (high + 1) / 2 + low];
                });
            });
            return sum;
        }
        if self.dim() > LARGEST_DENSE {
            return product_by_features(self, x, truth, y, z);
        }
        let mut difference = vec![0.0; self.dim()];
        self.add_difference(x, y, truth, 1.0, &mut difference);
        let bias = if self.options.bias { difference[self.features] } else { 0.0 };
        z.for_each_change(truth, |edge, in_z| {
            let mut product = bias;
            x.rows().row(edge).for_each(|j, value| product += value * difference[j]);
            sum += signed(in_z) * product;
        });
        sum
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::features::{FeatureMatrix, Rows};
    use crate::structure::Edge;

    #[test]
    fn links_scored_for_one_label_after_the_other_are_those_of_all() {
        let rows: Vec<[f64; 2]> =
            (0..9).map(|edge| [0.1 * f64::from(edge), 1.0 / f64::from(edge + 3)]).collect();
        let features = Arc::new(FeatureMatrix::from_dense(&rows));
        let edges: Vec<Edge> = (0..9).map(|edge| Edge { left: edge / 3, right: edge % 3 }).collect();
        let graph = Graph::new(Rows::new(&features, 0..9), edges.into(), 0).unwrap();
        let structure = MatchingStructure::new(2, MatchingOptions::default()).unwrap();
        let (mut all, mut some) = (MatchingScores::default(), MatchingScores::default());
        for w in [[0.7, -1.3, 0.1], [-0.2, 0.9, 0.4]] {
            structure.score(&w, &graph, &mut all);
            for (k, links) in [vec![0, 4, 8], vec![], vec![1, 4], vec![2, 3, 7]].into_iter().enumerate() {
                let label = Links::of(links);
                structure.score_for(&w, &graph, &label, k == 0, &mut some);
                let scores = [&all, &some].map(|scores| structure.score_of(&graph, scores, &label));
                assert_eq!(scores[0], scores[1], "{label:?}");
            }
        }
    }
}
