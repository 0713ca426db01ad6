//! One node for a label: a leaf, or any node of those that are allowed, with its ancestors.
//!
//! All labels are listed in each search, as in a multiclass task. On a tree their scores are sums from one walk down, O(M); on other
//! graphs they are O(Σ |Ā(n)|). So each surrogate has its exact search: each label is a stratum of its own. The variant of
//! the normalised SVM that divides the margin of each label by its distance from the truth (6.13) is [`NodeLoss::Distance`] under the surrogate
//! h/g + 1, which is `general=0,-1`.
//!
//! A label that has others below it may have a [leaf of its own](NodeOptions::own_leaves): weights that no other label has. Labels are the nodes of
//! the hierarchy all the same; the leaf is in their paths only.

mod candidates;
mod ends;
mod loss;
mod oracles;
mod tree_losses;

use std::sync::Arc;

use self::ends::LabelEnds;
pub use self::loss::NodeLoss;
use self::tree_losses::TreeLosses;
use super::blocks::{KnownNodes, NodeBlocks};
use crate::error::Result;
use crate::features::Rows;
use crate::inference::Hierarchy;
use crate::linear::{BlockNorm, FeatureSum, SeenPairs, round_up};
use crate::structure::{Found, Magnitude, Mix, Offers, ScoreNoise, Structure};

/// Which labels there are, the loss, and how the blocks of weights are scaled.
#[derive(Debug, Clone)]
pub struct NodeOptions {
    /// A constant feature.
    pub bias: bool,
    /// α of each node, and then of each leaf of a label's own; 1 without.
    pub alpha: Option<Arc<[f64]>>,
    /// The nodes that are labels; the leaves without.
    pub labels: Option<Vec<u32>>,
    /// Whether labels that have others below them have a leaf of their own, with weights that no other label has. Without it the
    /// path of such a label is a part of others: where α add up to 1 on the way to each leaf, they add up to less on the way to such a
    /// label, and may leave it nothing.
    pub own_leaves: bool,
    /// The task loss. Lists of what nodes cost go on with leaves of labels' own; where there is no list these cost nothing.
    pub loss: NodeLoss,
}

impl Default for NodeOptions {
    fn default() -> Self {
        Self { bias: true, alpha: None, labels: None, own_leaves: false, loss: NodeLoss::ZeroOne }
    }
}

/// Classification into the nodes of a hierarchy.
///
/// ```
/// use std::sync::Arc;
/// use maxmargin_core::features::{FeatureMatrix, Rows};
/// use maxmargin_core::inference::Hierarchy;
/// use maxmargin_core::structure::{NodeOptions, NodeStructure, Structure};
///
/// // Two groups, 0 and 1, the second with two leaves.
/// let hierarchy = Arc::new(Hierarchy::forest(&[None, None, Some(1), Some(1)])?);
/// let task = NodeStructure::new(1, hierarchy, NodeOptions { bias: false, ..NodeOptions::default() })?;
/// let x = Rows::new(&Arc::new(FeatureMatrix::from_dense(&[[1.0]])), 0..1);
/// let mut scores = Default::default();
/// task.score(&[1.5, 1.0, 0.25, 0.75], &x, &mut scores);
/// let best = task.decode(&x, &mut scores);
/// assert_eq!((best.label, best.score), (3, 1.75));
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct NodeStructure {
    /// Of a graph that has the leaves of labels' own too.
    blocks: NodeBlocks,
    is_tree: bool,
    ends: LabelEnds,
    loss: NodeLoss,
    /// In a tree, the nodes below others with their parents, parents first.
    walk: Arc<[(u32, u32)]>,
    /// Where all losses of a truth are found at once.
    tree_losses: Option<Arc<TreeLosses>>,
    /// The most nodes that a label has, the largest sum of their squared scales, and of what they cost.
    longest: usize,
    largest_square: f64,
    largest_reach: f64,
}

/// The scores of one input: of all nodes by themselves, and of labels.
#[derive(Debug, Clone, Default)]
pub struct NodeScores {
    nodes: Vec<f64>,
    /// With all ancestors: for every node of a tree, for labels on other graphs.
    totals: Vec<f64>,
    /// What each label costs where this one is true.
    losses: Vec<f64>,
    losses_of: Option<u32>,
    by_node: Vec<[f64; 2]>,
    /// Whether only those nodes have scores that are known.
    is_partial: bool,
    known: KnownNodes,
}

impl NodeScores {
    /// The score of each node by itself, and then of each leaf of a label's own.
    pub fn nodes(&self) -> &[f64] {
        &self.nodes
    }
}

impl NodeStructure {
    /// A task with so many features (without the bias).
    pub fn new(features: usize, hierarchy: Arc<Hierarchy>, options: NodeOptions) -> Result<Self> {
        let (ends, graph) = LabelEnds::new(hierarchy, options.labels.as_deref(), options.own_leaves)?;
        let blocks = NodeBlocks::new(features, graph, options.bias, options.alpha.as_deref())?;
        Self::with_blocks(blocks, ends, options.loss)
    }

    /// The same with weights only for some pairs of features and nodes, which tell the number of features.
    pub fn with_pairs(
        pairs: Arc<SeenPairs>,
        hierarchy: Arc<Hierarchy>,
        options: NodeOptions,
    ) -> Result<Self> {
        let (ends, graph) = LabelEnds::new(hierarchy, options.labels.as_deref(), options.own_leaves)?;
        let blocks = NodeBlocks::with_pairs(pairs, graph, options.bias, options.alpha.as_deref())?;
        Self::with_blocks(blocks, ends, options.loss)
    }

    fn with_blocks(blocks: NodeBlocks, ends: LabelEnds, loss: NodeLoss) -> Result<Self> {
        let graph = &blocks.hierarchy;
        let loss = loss.without_cost_of(ends.hierarchy.nodes(), graph.nodes());
        loss.check(graph.nodes())?;
        let paths = || ends.of_labels().iter().map(|&end| graph.ancestors(end));
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let longest = paths().map(<[u32]>::len).max().unwrap_or(0);
        let largest_square = largest(&mut paths().map(|path| blocks.squares(path.iter().copied())));
        let largest_reach = largest(&mut ends.of_labels().iter().map(|&end| loss.reach(graph, end)));
        let is_tree = graph.is_tree();
        let below = |&node: &u32| graph.parents(node).first().map(|&parent| (node, parent));
        let walk = graph.order().iter().filter_map(below).collect();
        let tree_losses = TreeLosses::new(graph, ends.of_labels(), &loss).map(Arc::new);
        Ok(Self { is_tree, walk, tree_losses, ends, loss, longest, largest_square, largest_reach, blocks })
    }

    /// The same with the shared norm (THESIS 6.6) in the place of the Euclidean one: min_α Σ ‖W_n‖²/α_n, where the α on the way to each leaf add
    /// up to 1. Refused where α are given.
    pub fn with_shared_norm(mut self) -> Result<Self> {
        self.blocks = self.blocks.with_shared_norm()?;
        Ok(self)
    }

    /// Σ of the squared weights of each node, and then of each leaf of a label's own.
    ///
    /// # Panics
    ///
    /// When there are more or fewer weights than [`dim`](Structure::dim).
    pub fn node_squares(&self, weights: &[f64]) -> Vec<f64> {
        self.blocks.node_squares(weights)
    }

    /// The number of features, without the bias.
    pub fn features(&self) -> usize {
        self.blocks.features
    }

    /// The hierarchy, without leaves of labels' own.
    pub fn hierarchy(&self) -> &Arc<Hierarchy> {
        &self.ends.hierarchy
    }

    /// The nodes that are labels, ascending.
    pub fn labels(&self) -> &[u32] {
        self.ends.labels()
    }

    /// Where the path of a label ends: at its node, or at a leaf of its own, which is numbered after all nodes of the hierarchy.
    ///
    /// # Panics
    ///
    /// When there is no such node.
    pub fn end_of(&self, label: u32) -> u32 {
        self.ends.of(label)
    }

    /// What a wrong node costs.
    pub fn node_loss(&self) -> &NodeLoss {
        &self.loss
    }

    /// The task loss, which depends on the two nodes only.
    pub fn loss_between(&self, truth: u32, y: u32) -> f64 {
        self.loss.of(&self.blocks.hierarchy, self.end_of(truth), self.end_of(y))
    }

    fn path(&self, label: u32) -> &[u32] {
        self.blocks.hierarchy.ancestors(self.end_of(label))
    }

    /// Makes the scores of labels of those of nodes.
    fn add_up(&self, scores: &mut NodeScores) {
        scores.losses_of = None;
        self.sums(&scores.nodes, &mut scores.totals);
    }

    /// Sums of numbers of nodes on the way to each label.
    fn sums(&self, numbers: &[f64], sums: &mut Vec<f64>) {
        let hierarchy = &self.blocks.hierarchy;
        sums.clear();
        if !self.is_tree {
            sums.resize(numbers.len(), 0.0);
            for &end in self.ends.of_labels() {
                let path = hierarchy.ancestors(end).iter();
                sums[end as usize] = path.map(|&node| numbers[node as usize]).sum();
            }
            return;
        }
        sums.extend_from_slice(numbers);
        for &(node, parent) in &*self.walk {
            sums[node as usize] += sums[parent as usize];
        }
    }

    /// Sees to it that the losses of a truth are there; a search asks for them again and again.
    fn know_losses(&self, truth: u32, scores: &mut NodeScores) {
        if scores.losses_of != Some(truth) {
            let NodeScores { losses, by_node, .. } = scores;
            let (graph, end, ends) = (&self.blocks.hierarchy, self.end_of(truth), self.ends.of_labels());
            match &self.tree_losses {
                Some(all) => all.of_all(graph, &self.loss, end, losses),
                None => self.loss.of_all(graph, self.is_tree, end, ends, by_node, losses),
            }
            scores.losses_of = Some(truth);
        }
    }

    /// Each label with its score and its loss.
    fn listed<'a>(
        &'a self,
        scores: &'a mut NodeScores,
        truth: Option<u32>,
    ) -> impl Iterator<Item = Found<u32>> + 'a {
        if let Some(truth) = truth {
            self.know_losses(truth, scores);
        }
        let scores = &*scores;
        let labels = self.labels().iter().zip(self.ends.of_labels());
        labels.enumerate().map(move |(place, (&label, &end))| {
            let loss = if truth.is_some() { scores.losses[place] } else { 0.0 };
            Found::exactly(label, scores.totals[end as usize], loss)
        })
    }

    fn best(&self, scores: &mut NodeScores, truth: Option<u32>, mix: Mix) -> Found<u32> {
        let mut best = Found::exactly(self.labels()[0], f64::NEG_INFINITY, 0.0);
        let mut rank = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for found in self.listed(scores, truth) {
            let here = mix.rank(found.score, found.loss);
            if here > rank || best.score == f64::NEG_INFINITY {
                (best, rank) = (found, here);
            }
        }
        best
    }

    /// The operations that follow each other on the way from scores of nodes to that of a label.
    fn decoding_terms(&self) -> f64 {
        self.longest as f64 + 4.0
    }
}

impl Structure for NodeStructure {
    type Input = Rows;
    /// A node.
    type Label = u32;
    type Scores = NodeScores;
    /// ‖x‖², the bias included.
    type Kernel = f64;

    fn check(&self, x: &Rows, y: &u32) -> Result<()> {
        self.blocks.check_input(x)?;
        self.ends.check(*y)
    }

    fn dim(&self) -> usize {
        self.blocks.dim()
    }

    fn norm(&self) -> Option<&dyn BlockNorm> {
        self.blocks.norm()
    }

    fn scaled(&self, alpha: &[f64]) -> Option<Self> {
        let blocks = self.blocks.scaled(alpha)?;
        Some(Self { blocks, ..self.clone() })
    }

    fn score(&self, w: &[f64], x: &Rows, scores: &mut NodeScores) {
        self.blocks.score(w, x, &mut scores.nodes);
        self.add_up(scores);
    }

    /// A path has few of many nodes.
    fn score_for(&self, w: &[f64], x: &Rows, y: &u32, begin: bool, scores: &mut NodeScores) {
        if begin {
            scores.losses_of = None;
            scores.is_partial = self.blocks.is_cheaper_alone(x, 4 * self.longest);
            match scores.is_partial {
                true => scores.known.begin(self.blocks.nodes()),
                false => self.score(w, x, scores),
            }
        }
        if scores.is_partial {
            let NodeScores { nodes, totals, known, .. } = scores;
            nodes.resize(self.blocks.nodes(), 0.0);
            totals.resize(self.blocks.nodes(), 0.0);
            self.blocks.score_some(w, x, known.add(self.path(*y)), nodes);
            totals[self.end_of(*y) as usize] = self.path(*y).iter().map(|&node| nodes[node as usize]).sum();
        }
    }

    fn score_precisely(
        &self,
        w: &[f64],
        norm: f64,
        x: &Rows,
        magnitude: &Magnitude,
        scores: &mut NodeScores,
    ) -> Option<ScoreNoise> {
        self.blocks.score_precisely(w, x, &mut scores.nodes);
        self.add_up(scores);
        Some(magnitude.precise_noise(norm, self.extent(&scores.nodes), self.decoding_terms()))
    }

    fn magnitude(&self, x: &Rows, truth: &u32) -> Magnitude {
        let row = x.row(0);
        let terms = row.len() as f64 + self.decoding_terms();
        let norm = (self.largest_square * (row.norm_squared() + 1.0)).sqrt();
        Magnitude {
            norm: round_up(norm, 2.0 * terms),
            terms,
            repeats: 1.0,
            loss: round_up(self.largest_loss(x, truth).max(0.0), 2.0 * self.decoding_terms()),
            is_exact: self.blocks.is_exact(),
        }
    }

    fn score_of(&self, _x: &Rows, scores: &NodeScores, y: &u32) -> f64 {
        scores.totals[self.end_of(*y) as usize]
    }

    fn decode(&self, _x: &Rows, scores: &mut NodeScores) -> Found<u32> {
        self.best(scores, None, Mix::SCORE)
    }

    fn loss(&self, _x: &Rows, truth: &u32, y: &u32) -> f64 {
        self.loss_between(*truth, *y)
    }

    fn largest_loss(&self, _x: &Rows, truth: &u32) -> f64 {
        let of_truth = self.loss.reach(&self.blocks.hierarchy, self.end_of(*truth));
        self.loss.largest(of_truth, self.largest_reach)
    }

    fn loss_unit(&self, _x: &Rows, _truth: &u32) -> Option<f64> {
        self.loss.unit()
    }

    fn least_loss(&self, _x: &Rows, _truth: &u32) -> f64 {
        self.loss.least(self.blocks.nodes())
    }

    fn maximize(&self, _x: &Rows, truth: &u32, scores: &mut NodeScores, mix: Mix) -> Found<u32> {
        self.best(scores, Some(*truth), mix)
    }

    fn add_features<A: FeatureSum + ?Sized>(&self, x: &Rows, y: &u32, factor: f64, sum: &mut A) {
        self.blocks.add_nodes(x, self.path(*y), factor, sum);
    }

    fn add_difference<A: FeatureSum + ?Sized>(
        &self,
        x: &Rows,
        y: &u32,
        truth: &u32,
        factor: f64,
        sum: &mut A,
    ) {
        self.blocks.add_difference(x, (self.path(*y), self.path(*truth)), factor, sum);
    }

    fn offers(&self) -> Offers<'_, Self> {
        Offers { flow: Some(self), candidates: Some(self), ..Offers::usual(self) }
    }

    fn kernel(&self, x: &Rows) -> f64 {
        self.blocks.kernel(x)
    }

    fn product(&self, x: &Rows, kernel: &f64, truth: &u32, y: &u32, z: &u32) -> f64 {
        self.blocks.product(x, *kernel, self.path(*truth), self.path(*y), self.path(*z))
    }
}
