//! A set of nodes for a label, with the ancestors of each: paths from the roots that may share their first nodes.
//!
//! [`SetRules`] say whether paths end at leaves only and whether the empty set is a label. The loss is one of sets: with costs of 1 the
//! nodes in the symmetric difference (6.2), with costs of 1 for leaves and 0 for others the leaves in it (6.21).
//!
//! The best set is found by dynamic programming in a tree, and as a maximum-weight closure in other graphs; both are exact. Where nodes
//! have several parents and paths end at leaves, it is NP-hard to find (6.22): branch and bound on closures says what it may have missed.

mod decoding;
mod oracles;

use std::sync::Arc;

pub use self::decoding::NodeSetScores;
use self::decoding::TIE;
use super::blocks::NodeBlocks;
use crate::error::{Error, Result};
use crate::features::Rows;
use crate::inference::{Hierarchy, SetRules};
use crate::linear::{BlockNorm, FeatureSum, SeenPairs, round_up};
use crate::structure::shape::check_ascending;
use crate::structure::{
    Found, LabelSet, LabelSets, Magnitude, Mix, Offers, OracleCost, ScoreNoise, SetLoss, Stratified,
    Structure,
};

/// Which labels there are, the loss, and how the blocks of weights are scaled.
#[derive(Debug, Clone)]
pub struct NodeSetOptions {
    /// A constant feature.
    pub bias: bool,
    /// α of each node; 1 without.
    pub alpha: Option<Arc<[f64]>>,
    /// Which sets are labels.
    pub rules: SetRules,
    /// The task loss, with a cost for each node.
    pub loss: SetLoss,
}

impl Default for NodeSetOptions {
    fn default() -> Self {
        Self { bias: true, alpha: None, rules: SetRules::default(), loss: SetLoss::default() }
    }
}

/// Classification into sets of nodes of a hierarchy.
///
/// ```
/// use std::sync::Arc;
/// use maxmargin_core::features::{FeatureMatrix, Rows};
/// use maxmargin_core::inference::Hierarchy;
/// use maxmargin_core::structure::{LabelSet, NodeSetOptions, NodeSetStructure, Structure};
///
/// let hierarchy = Arc::new(Hierarchy::from_edges(4, &[(0, 2), (1, 2), (1, 3)])?);
/// let task = NodeSetStructure::new(1, hierarchy, NodeSetOptions { bias: false, ..NodeSetOptions::default() })?;
/// let x = Rows::new(&Arc::new(FeatureMatrix::from_dense(&[[1.0]])), 0..1);
/// let mut scores = Default::default();
/// task.score(&[-1.0, -2.0, 2.0, 2.0], &x, &mut scores);
/// let best = task.decode(&x, &mut scores);
/// assert_eq!((best.label, best.score), (LabelSet::of(&[0, 1, 2, 3]), 1.0));
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct NodeSetStructure {
    blocks: NodeBlocks,
    is_tree: bool,
    rules: SetRules,
    loss: SetLoss,
    /// The sum of all squared scales.
    largest_square: f64,
    /// Whether the best set of every loss can be found.
    has_strata: bool,
}

impl NodeSetStructure {
    /// A task with so many features (without the bias).
    pub fn new(features: usize, hierarchy: Arc<Hierarchy>, options: NodeSetOptions) -> Result<Self> {
        let blocks = NodeBlocks::new(features, hierarchy, options.bias, options.alpha.as_deref())?;
        Self::with_blocks(blocks, options)
    }

    /// The same with weights only for some pairs of features and nodes, which tell the number of features.
    pub fn with_pairs(
        pairs: Arc<SeenPairs>,
        hierarchy: Arc<Hierarchy>,
        options: NodeSetOptions,
    ) -> Result<Self> {
        let blocks = NodeBlocks::with_pairs(pairs, hierarchy, options.bias, options.alpha.as_deref())?;
        Self::with_blocks(blocks, options)
    }

    fn with_blocks(blocks: NodeBlocks, options: NodeSetOptions) -> Result<Self> {
        let NodeSetOptions { rules, loss, .. } = options;
        let hierarchy = &blocks.hierarchy;
        loss.check(hierarchy.nodes())?;
        let is_tree = hierarchy.is_tree();
        let largest_square = blocks.squares(0..blocks.nodes() as u32);
        let structure = Self { blocks, is_tree, rules, loss, largest_square, has_strata: false };
        Ok(Self { has_strata: structure.check_strata().is_ok(), ..structure })
    }

    /// The same with the shared norm (THESIS 6.6) in the place of the Euclidean one: min_α Σ ‖W_n‖²/α_n, where the α on the way to each leaf add
    /// up to 1. Refused where α are given.
    pub fn with_shared_norm(mut self) -> Result<Self> {
        self.blocks = self.blocks.with_shared_norm()?;
        Ok(self)
    }

    /// Σ of the squared weights of each node.
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

    /// The hierarchy.
    pub fn hierarchy(&self) -> &Arc<Hierarchy> {
        &self.blocks.hierarchy
    }

    /// Which sets are labels.
    pub fn rules(&self) -> SetRules {
        self.rules
    }

    /// The loss, with a cost for each node.
    pub fn set_loss(&self) -> &SetLoss {
        &self.loss
    }

    /// The task loss, which depends on the two sets only.
    pub fn loss_between(&self, truth: &LabelSet, y: &LabelSet) -> f64 {
        self.loss.of(truth, y, self.nodes())
    }

    fn nodes(&self) -> usize {
        self.blocks.nodes()
    }

    /// Whether the best set is too hard to find for anything but branch and bound: paths end at leaves, and nodes have several parents.
    pub fn is_hard(&self) -> bool {
        self.rules.needs_child && !self.is_tree
    }

    /// The operations that follow each other in a decoder.
    fn decoding_terms(&self) -> f64 {
        4.0 * self.nodes() as f64 + 64.0
    }

    /// Whether every label but the empty one has a size above 0, so that labels of no size are alike.
    fn has_sizes(&self) -> bool {
        let (is_tree_of_leaves, nodes) = (self.rules.needs_child, self.nodes());
        let counts = |node: u32| self.loss.cost(node as usize, nodes, false) > 0.0;
        let costs_alike = !matches!(self.loss, SetLoss::Mistakes { .. });
        let mut counted =
            (0..nodes as u32).filter(|&node| !is_tree_of_leaves || self.hierarchy().is_leaf(node));
        costs_alike && counted.all(counts)
    }
}

impl Structure for NodeSetStructure {
    type Input = Rows;
    /// Nodes with all their ancestors.
    type Label = LabelSet;
    type Scores = NodeSetScores;
    /// ‖x‖², the bias included.
    type Kernel = f64;

    fn check(&self, x: &Rows, y: &LabelSet) -> Result<()> {
        self.blocks.check_input(x)?;
        check_ascending("nodes", y.on().iter().copied(), self.nodes())?;
        let (hierarchy, set) = (self.hierarchy(), y.on());
        let refuse = |problem: String| Err(Error::parameter("label", problem));
        if !y.is_whole() {
            return refuse("a fractional set of nodes".into());
        }
        if set.is_empty() && self.rules.never_empty {
            return refuse("an empty set, where none is a label".into());
        }
        if !hierarchy.is_closed(set) {
            return refuse(format!("the set {set:?} lacks a parent of its nodes"));
        }
        let end = hierarchy.ends(set).into_iter().find(|&node| !hierarchy.is_leaf(node));
        match end.filter(|_| self.rules.needs_child) {
            None => Ok(()),
            Some(end) => refuse(format!("a path ends at node {end}, which has children")),
        }
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

    fn variables(&self, _x: &Rows) -> usize {
        self.nodes()
    }

    fn oracle_cost(&self) -> OracleCost {
        if self.is_hard() { OracleCost::High } else { OracleCost::Low }
    }

    fn decoding_error(&self, scores: &NodeSetScores) -> f64 {
        if self.is_hard() { 2.0 * TIE * scores.extent() } else { 0.0 }
    }

    fn score(&self, w: &[f64], x: &Rows, scores: &mut NodeSetScores) {
        self.blocks.score(w, x, scores.begin());
    }

    /// Most sets have few of many nodes.
    fn score_for(&self, w: &[f64], x: &Rows, y: &LabelSet, begin: bool, scores: &mut NodeSetScores) {
        if begin {
            scores.base = 0.0;
            scores.nodes.resize(self.nodes(), 0.0);
            scores.known.begin(self.nodes());
        }
        let NodeSetScores { nodes, known, .. } = scores;
        let missing = known.add(y.on());
        match self.blocks.is_cheaper_alone(x, missing.len()) {
            true => self.blocks.score_some(w, x, missing, nodes),
            false if missing.is_empty() => {}
            false => {
                self.blocks.score(w, x, nodes);
                known.add_all();
            }
        }
    }

    fn score_precisely(
        &self,
        w: &[f64],
        norm: f64,
        x: &Rows,
        magnitude: &Magnitude,
        scores: &mut NodeSetScores,
    ) -> Option<ScoreNoise> {
        self.blocks.score_precisely(w, x, scores.begin());
        Some(magnitude.precise_noise(norm, scores.extent(), self.decoding_terms()))
    }

    fn magnitude(&self, x: &Rows, truth: &LabelSet) -> Magnitude {
        let row = x.row(0);
        let terms = row.len() as f64 + self.decoding_terms();
        let norm = (self.largest_square * (row.norm_squared() + 1.0)).sqrt();
        Magnitude {
            norm: round_up(norm, terms),
            terms,
            repeats: 1.0,
            loss: round_up(self.largest_loss(x, truth).max(0.0), terms),
            is_exact: self.blocks.is_exact(),
        }
    }

    fn score_of(&self, _x: &Rows, scores: &NodeSetScores, y: &LabelSet) -> f64 {
        scores.score_of(y)
    }

    fn decode(&self, _x: &Rows, scores: &mut NodeSetScores) -> Found<LabelSet> {
        self.best_set(scores, None, Mix::SCORE)
    }

    fn loss(&self, _x: &Rows, truth: &LabelSet, y: &LabelSet) -> f64 {
        self.loss_between(truth, y)
    }

    fn largest_loss(&self, _x: &Rows, truth: &LabelSet) -> f64 {
        self.loss.largest(truth, self.nodes())
    }

    fn loss_unit(&self, _x: &Rows, _truth: &LabelSet) -> Option<f64> {
        self.loss_unit_of_nodes()
    }

    fn least_loss(&self, _x: &Rows, truth: &LabelSet) -> f64 {
        self.loss.least(truth, self.nodes())
    }

    fn maximize(&self, _x: &Rows, truth: &LabelSet, scores: &mut NodeSetScores, mix: Mix) -> Found<LabelSet> {
        self.best_set(scores, Some(truth), mix)
    }

    fn add_features<A: FeatureSum + ?Sized>(&self, x: &Rows, y: &LabelSet, factor: f64, sum: &mut A) {
        self.blocks.add_nodes(x, y.on(), factor, sum);
    }

    fn add_difference<A: FeatureSum + ?Sized>(
        &self,
        x: &Rows,
        y: &LabelSet,
        truth: &LabelSet,
        factor: f64,
        sum: &mut A,
    ) {
        self.blocks.add_difference(x, (y.on(), truth.on()), factor, sum);
    }

    fn offers(&self) -> Offers<'_, Self> {
        let sets = self.has_sizes().then_some(self as &dyn LabelSets<Self>);
        let stratified = self.has_strata.then_some(self as &dyn Stratified<Self>);
        let usual = Offers { sets, stratified, ..Offers::usual(self) };
        match self.is_hard() {
            // With nodes fixed branch and bound may not even tell whether there is a set.
            true => Offers { k_best: None, max_marginals: None, ..usual },
            false => usual,
        }
    }

    fn kernel(&self, x: &Rows) -> f64 {
        self.blocks.kernel(x)
    }

    fn product(&self, x: &Rows, kernel: &f64, truth: &LabelSet, y: &LabelSet, z: &LabelSet) -> f64 {
        self.blocks.product(x, *kernel, truth.on(), y.on(), z.on())
    }
}
