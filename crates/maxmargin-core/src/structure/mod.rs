//! Structures: what an input is, what its labels are, and how to find the best one.
//!
//! A structure knows its features φ, its task loss L, and how to maximise `score · a + loss · b` over all labels. It
//! knows nothing of surrogates (how losses and margins are combined) nor of solvers (how weights are found). Scores are
//! computed once per example and weight vector and can then be queried for many mixes.
//!
//! To add one, implement [`Structure`]; `examples/own_structure.rs` is worked through in the documentation. That is enough for
//! all surrogates but Micro-F1. What else a structure can do it says in [`Structure::offers`]:
//! [`KBest`] and [`Stratified`] make searches exact, [`LabelSets`] is for Micro-F1, [`Relaxed`] says that labels may be
//! fractional, [`Candidates`] is for training data with several candidates for a label, and [`Flow`] is for the solvers that work on a polytope of flows instead of labels.

mod candidates;
mod capability;
mod chain;
mod coded;
mod flow;
mod graph;
mod hierarchy;
mod label_cost;
mod landmarks;
mod magnitude;
mod matching;
mod multiclass;
mod multilabel;
mod parsing;
mod parts;
mod segmentation;
mod shape;

use std::fmt::Debug;
use std::hash::Hash;

pub use candidates::{
    CandidateInput, CandidateLoss, CandidateSets, CandidateStructure, Candidates, LossFrom, Side,
};
pub use capability::{Confidence, KBest, LabelSets, MaxMarginals, Offers, Relaxed, ScoreStratum, Stratified};
pub use chain::{ChainLoss, ChainOptions, ChainScores, ChainStructure};
pub use coded::Coded;
pub use flow::{Flow, FlowPolytope};
pub use graph::{Edge, Graph};
pub use hierarchy::{
    NodeLoss, NodeOptions, NodeScores, NodeSetOptions, NodeSetScores, NodeSetStructure, NodeStructure, alpha,
};
pub use label_cost::{CostMatrix, LabelCost, UNKNOWN_LABEL};
pub use landmarks::{
    CodeLevel, CodePyramid, Deformation, GradientCells, GradientField, LandmarkInput, LandmarkOptions,
    LandmarkScores, LandmarkStructure, PartEdge, Template, Window,
};
pub use magnitude::{Magnitude, ScoreNoise};
pub use matching::{ExtraLinks, LinkLoss, Links, MatchingOptions, MatchingScores, MatchingStructure};
pub use multiclass::MulticlassStructure;
pub use multilabel::{
    Inference, LabelSet, MultilabelOptions, MultilabelScores, MultilabelStructure, PairWeights, SetLoss,
    Share,
};
pub use parsing::{
    ArcLoss, DependencyTree, ParsingOptions, ParsingScores, ParsingStructure, Sentence, Token, TreeFault,
    TreeKind,
};
pub use parts::{PartBlock, Parts};
pub use segmentation::{
    KnownSegments, Mark, PositionKeys, SegmentInput, SegmentLoss, SegmentationOptions, SegmentationScores,
    SegmentationStructure, Widths,
};

use self::capability::position_set_loss;
use crate::error::{Error, Result};
use crate::linear::{BlockNorm, CommonDirections, CooVector, FeatureSum};

/// What a λ-oracle maximises: `score · ⟨w, φ(x,y)⟩ + loss · L(y)`, both factors ≥ 0 and not both 0.
///
/// With `loss` = 0 (λ = 0) ties in the score are broken by the larger loss; with `score` = 0 (λ = ∞) ties in the loss
/// are broken by the larger score. The answer is then a vertex of the label plane's hull, not a point inside an edge.
///
/// ```
/// use maxmargin_core::structure::Mix;
/// assert!(Mix::AUGMENTED.rank(1.0, 2.0) > Mix::AUGMENTED.rank(2.0, 0.0));
/// assert!(Mix::SCORE.rank(1.0, 2.0) > Mix::SCORE.rank(1.0, 0.0), "the loss breaks the tie");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mix {
    /// The factor of the score.
    pub score: f64,
    /// The factor of the loss.
    pub loss: f64,
}

impl Mix {
    /// Score and loss in equal parts: loss-augmented decoding.
    pub const AUGMENTED: Mix = Mix { score: 1.0, loss: 1.0 };
    /// The score alone: decoding, with ties broken by the loss.
    pub const SCORE: Mix = Mix { score: 1.0, loss: 0.0 };
    /// The loss alone, with ties broken by the score.
    pub const LOSS: Mix = Mix { score: 0.0, loss: 1.0 };

    /// The value of a label under this mix.
    pub fn height(self, score: f64, loss: f64) -> f64 {
        self.score * score + self.loss * loss
    }

    /// The mix under which two labels (score, loss) have the same value, of which `b` has the larger loss.
    pub fn level(a: (f64, f64), b: (f64, f64)) -> Mix {
        Mix { score: 1.0, loss: (a.0 - b.0) / (b.1 - a.1) }
    }

    /// The value of a label under this mix, and what breaks a tie: to be compared in this order.
    pub fn rank(self, score: f64, loss: f64) -> (f64, f64) {
        if self.score == 0.0 { (self.loss * loss, score) } else { (self.height(score, loss), loss) }
    }
}

/// A label that an oracle found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<L> {
    /// The label.
    pub label: L,
    /// Its score ⟨w, φ(x,y)⟩.
    pub score: f64,
    /// Its task loss against the truth (0 when there is none).
    pub loss: f64,
    /// How much more than this label the best one may be worth under the mix that was asked for: 0 where the oracle is
    /// exact.
    pub missed: f64,
}

impl<L> Found<L> {
    /// What an exact oracle found.
    pub fn exactly(label: L, score: f64, loss: f64) -> Self {
        Self { label, score, loss, missed: 0.0 }
    }
}

/// What finding a label costs beside going through the features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OracleCost {
    /// About as much.
    Low,
    /// Several times as much, as where all sets of some labels are listed: solvers that need fewer calls gain by it.
    Middle,
    /// So much more that calls are to be saved above all.
    High,
}

/// A task: inputs, labels, features, loss and exact decoding.
///
/// Searches, risks and solvers find what they need beyond this in what it [offers](Self::offers).
///
/// # Panics
///
/// Methods are called in inner loops. Those that take an input or a label may panic for what [`check`](Self::check) refuses, and
/// those that take weights for another number of them than [`dim`](Self::dim): risks, solvers and models ask first.
pub trait Structure: Send + Sync + Sized {
    /// What is given.
    type Input: Sync + Send;
    /// What is predicted.
    type Label: Coded + Clone + Eq + Hash + Debug + Send + Sync;
    /// The scores of one input's parts under one weight vector, with the working memory of the decoder.
    type Scores: Default + Send;
    /// Inner products of one input's parts, from which [`product`](Self::product) is quick; `()` where there are none.
    type Kernel: Default + Send + Sync;

    /// The number of weights.
    fn dim(&self) -> usize;

    /// Refuses an input that does not fit the structure, and a label that is none of the input's: what the other methods are
    /// then given was checked here once. Without it they must cope with everything that can be put into an [`Example`].
    fn check(&self, x: &Self::Input, y: &Self::Label) -> Result<()> {
        let _ = (x, y);
        Ok(())
    }

    /// What finding a label costs beside going through the features.
    fn oracle_cost(&self) -> OracleCost {
        OracleCost::Low
    }

    /// How many variables a label of this input has: positions, members of a set, links. Beside the number of weights, the
    /// variables of all examples say how much there is to learn each weight from.
    fn variables(&self, x: &Self::Input) -> usize {
        let _ = x;
        1
    }

    /// The norm of the weights that is to be small, where it is another than the Euclidean one.
    fn norm(&self) -> Option<&dyn BlockNorm> {
        None
    }

    /// The same structure with features scaled by √α_n in each block of its [norm](Self::norm), and the Euclidean norm for it.
    fn scaled(&self, alpha: &[f64]) -> Option<Self> {
        let _ = alpha;
        None
    }

    /// Directions along which the features of labels differ in the same way for all inputs, where they dominate.
    fn common_directions(&self) -> Option<&dyn CommonDirections> {
        None
    }

    /// Adds `factor · ⟨q_k, φ(x,y) − φ(x,truth)⟩` for each common direction q_k.
    fn add_common_parts(&self, y: &Self::Label, truth: &Self::Label, factor: f64, parts: &mut [f64]) {
        let _ = (y, truth, factor, parts);
    }

    /// Computes the scores of all parts of `x` under the weights `w`.
    fn score(&self, w: &[f64], x: &Self::Input, scores: &mut Self::Scores);

    /// The same with about twice the digits inside, where plain sums would cancel: returns what may still be wrong with the
    /// scores. `norm` is at least ‖w‖. A structure that has no such sums does nothing and returns `None`.
    fn score_precisely(
        &self,
        w: &[f64],
        norm: f64,
        x: &Self::Input,
        magnitude: &Magnitude,
        scores: &mut Self::Scores,
    ) -> Option<ScoreNoise> {
        let _ = (w, norm, x, magnitude, scores);
        None
    }

    /// What a decoder may miss of these scores by its own tolerances, beyond the rounding of [`Magnitude::terms`] operations.
    fn decoding_error(&self, scores: &Self::Scores) -> f64 {
        let _ = scores;
        0.0
    }

    /// How large the features and losses of an example are. Certificates rest on it: each number must be at least what it
    /// stands for, and may be larger.
    fn magnitude(&self, x: &Self::Input, truth: &Self::Label) -> Magnitude;

    /// Sees to it that the scores have what [`score_of`](Self::score_of) needs for one label. With `begin` they are of another
    /// input or of other weights so far. Worth writing where a label has few of the parts that can be scored.
    fn score_for(&self, w: &[f64], x: &Self::Input, y: &Self::Label, begin: bool, scores: &mut Self::Scores) {
        let _ = y;
        if begin {
            self.score(w, x, scores);
        }
    }

    /// ⟨w, φ(x,y)⟩ from the scores.
    fn score_of(&self, x: &Self::Input, scores: &Self::Scores, y: &Self::Label) -> f64;

    /// The label with the highest score.
    fn decode(&self, x: &Self::Input, scores: &mut Self::Scores) -> Found<Self::Label>;

    /// The task loss L of predicting `y`: at least 0, and 0 for the truth itself.
    fn loss(&self, x: &Self::Input, truth: &Self::Label, y: &Self::Label) -> f64;

    /// The largest loss that a label can have, or a bound on it: upper bounds of searches rest on it. Asked for in each search;
    /// worth writing where there is a smaller bound than [`Magnitude::loss`], or where that takes long.
    fn largest_loss(&self, x: &Self::Input, truth: &Self::Label) -> f64 {
        self.magnitude(x, truth).loss
    }

    /// Where all losses are whole multiples of a unit, that unit, which may be negative. Searches prove more with it.
    fn loss_unit(&self, x: &Self::Input, truth: &Self::Label) -> Option<f64> {
        let _ = (x, truth);
        None
    }

    /// The smallest loss above 0 that a label can have, or a bound below it; 0 where none is known. Surrogates that grow without
    /// bound towards a loss of 0 need one.
    fn least_loss(&self, x: &Self::Input, truth: &Self::Label) -> f64 {
        self.loss_unit(x, truth).map_or(0.0, f64::abs)
    }

    /// The label that maximises a mix of score and loss, ties broken as [`Mix`] says.
    fn maximize(
        &self,
        x: &Self::Input,
        truth: &Self::Label,
        scores: &mut Self::Scores,
        mix: Mix,
    ) -> Found<Self::Label>;

    /// Adds `factor · φ(x,y)` to `sum`.
    fn add_features<A: FeatureSum + ?Sized>(
        &self,
        x: &Self::Input,
        y: &Self::Label,
        factor: f64,
        sum: &mut A,
    );

    /// Adds `factor · (φ(x,y) − φ(x,truth))` to `sum`. Worth writing where the two share most of their parts. Planes of one
    /// example are added up from one of their labels, so `truth` may be any label.
    fn add_difference<A: FeatureSum + ?Sized>(
        &self,
        x: &Self::Input,
        y: &Self::Label,
        truth: &Self::Label,
        factor: f64,
        sum: &mut A,
    ) {
        self.add_features(x, y, factor, sum);
        self.add_features(x, truth, -factor, sum);
    }

    /// What it can do beyond decoding.
    fn offers(&self) -> Offers<'_, Self> {
        Offers::default()
    }

    /// What [`product`](Self::product) needs to know of an input; asked for once per input.
    fn kernel(&self, x: &Self::Input) -> Self::Kernel {
        let _ = x;
        Self::Kernel::default()
    }

    /// ⟨φ(x,y) − φ(x,truth), φ(x,z) − φ(x,truth)⟩. Worth writing where it can be had without going through features.
    fn product(
        &self,
        x: &Self::Input,
        kernel: &Self::Kernel,
        truth: &Self::Label,
        y: &Self::Label,
        z: &Self::Label,
    ) -> f64 {
        let _ = kernel;
        product_by_features(self, x, truth, y, z)
    }
}

/// [`Structure::product`] the long way.
fn product_by_features<S: Structure>(
    structure: &S,
    x: &S::Input,
    truth: &S::Label,
    y: &S::Label,
    z: &S::Label,
) -> f64 {
    let difference = |label: &S::Label| {
        let mut terms = CooVector::default();
        structure.add_difference(x, label, truth, 1.0, &mut terms);
        terms.added_up()
    };
    difference(y).product(&difference(z))
}

/// Sorts numbers, each of which then comes once.
fn ascend(numbers: &mut Vec<u32>) {
    if !numbers.is_sorted_by(|a, b| a < b) {
        numbers.sort_unstable();
        numbers.dedup();
    }
}

/// An input with its true label and its weight in the risk.
#[derive(Debug, Clone)]
pub struct Example<S: Structure> {
    /// What is given.
    pub input: S::Input,
    /// What should be predicted.
    pub truth: S::Label,
    /// The weight c_i: a weight of 2 counts like two copies.
    pub weight: f64,
}

/// Refuses a weight of an example that is negative or not finite: its plane would be no lower bound.
pub fn check_weight(example: usize, weight: f64) -> Result<()> {
    match weight.is_finite() && weight >= 0.0 {
        true => Ok(()),
        false => {
            let problem = format!(
                "example {} has the weight {weight}; weights are finite and not negative",
                example + 1
            );
            Err(Error::parameter("weights", problem))
        }
    }
}
