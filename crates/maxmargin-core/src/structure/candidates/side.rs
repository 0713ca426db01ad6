//! One side of the candidates as a structure of its own.
//!
//! The labels of an example are those inside its candidates, or those outside and the completion ȳ, which stands where the truth stands
//! otherwise. H ≥ 0 then holds on both sides, as ȳ itself costs nothing (the ζ constraints of CANDIDATE (5) have ȳ among them for that).

use std::fmt;
use std::sync::Arc;

use super::{CandidateSets, Candidates, LossFrom, Side};
use crate::error::{Error, Result};
use crate::linear::{BlockNorm, CommonDirections, FeatureSum};
use crate::structure::{Found, Magnitude, Mix, OracleCost, ScoreNoise, Structure};

/// From where the losses of a risk are counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CandidateLoss {
    /// Δ(ȳ, ·): from the completion, as in CANDIDATE (3).
    #[default]
    Completion,
    /// Δ_min(·, Y): from the nearest candidate, as in CANDIDATE (4).
    Nearest,
}

/// An input with its candidates, of which one side is looked at.
pub struct CandidateInput<S: Structure> {
    /// What is given.
    pub input: Arc<S::Input>,
    /// What is known of the label.
    pub sets: Arc<CandidateSets>,
    /// Which labels there are.
    pub side: Side,
}

impl<S: Structure> Clone for CandidateInput<S> {
    fn clone(&self) -> Self {
        Self { input: Arc::clone(&self.input), sets: Arc::clone(&self.sets), side: self.side }
    }
}

impl<S: Structure> fmt::Debug for CandidateInput<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CandidateInput")
            .field("sets", &self.sets)
            .field("side", &self.side)
            .finish_non_exhaustive()
    }
}

/// A structure whose labels are those of one [side](Side), with the completion for a truth.
#[derive(Debug, Clone)]
pub struct CandidateStructure<S> {
    inner: S,
    loss: CandidateLoss,
}

impl<S: Structure> CandidateStructure<S> {
    /// Refused where a structure has no searches among [`Candidates`].
    pub fn new(inner: S, loss: CandidateLoss) -> Result<Self> {
        match inner.offers().candidates {
            Some(_) => Ok(Self { inner, loss }),
            None => {
                let problem = "this structure cannot search among candidates; chains, multiclass, nodes of a hierarchy, and label sets \
                    with a forest of pairs or few labels can";
                Err(Error::parameter("candidates", problem))
            }
        }
    }

    /// The structure of all labels.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// From where losses are counted.
    pub fn loss_kind(&self) -> CandidateLoss {
        self.loss
    }

    /// The searches.
    pub(crate) fn candidates(&self) -> &dyn Candidates<S> {
        self.inner.offers().candidates.expect("the constructor has seen to it")
    }

    fn loss_from<'a>(&self, completion: &'a S::Label) -> LossFrom<'a, S::Label> {
        match self.loss {
            CandidateLoss::Completion => LossFrom::Label(completion),
            CandidateLoss::Nearest => LossFrom::Nearest,
        }
    }
}

impl<S: Structure> Structure for CandidateStructure<S> {
    type Input = CandidateInput<S>;
    type Label = S::Label;
    type Scores = S::Scores;
    type Kernel = S::Kernel;

    fn dim(&self) -> usize {
        self.inner.dim()
    }

    fn check(&self, x: &Self::Input, y: &S::Label) -> Result<()> {
        self.inner.check(&x.input, y)?;
        self.candidates().check_sets(&x.input, &x.sets)
    }

    fn oracle_cost(&self) -> OracleCost {
        self.inner.oracle_cost()
    }

    fn variables(&self, x: &Self::Input) -> usize {
        self.inner.variables(&x.input)
    }

    fn norm(&self) -> Option<&dyn BlockNorm> {
        self.inner.norm()
    }

    fn scaled(&self, alpha: &[f64]) -> Option<Self> {
        Some(Self { inner: self.inner.scaled(alpha)?, loss: self.loss })
    }

    fn common_directions(&self) -> Option<&dyn CommonDirections> {
        self.inner.common_directions()
    }

    fn add_common_parts(&self, y: &S::Label, truth: &S::Label, factor: f64, parts: &mut [f64]) {
        self.inner.add_common_parts(y, truth, factor, parts);
    }

    fn score(&self, w: &[f64], x: &Self::Input, scores: &mut S::Scores) {
        self.inner.score(w, &x.input, scores);
    }

    fn score_precisely(
        &self,
        w: &[f64],
        norm: f64,
        x: &Self::Input,
        magnitude: &Magnitude,
        scores: &mut S::Scores,
    ) -> Option<ScoreNoise> {
        self.inner.score_precisely(w, norm, &x.input, magnitude, scores)
    }

    fn decoding_error(&self, scores: &S::Scores) -> f64 {
        self.inner.decoding_error(scores)
    }

    fn magnitude(&self, x: &Self::Input, truth: &S::Label) -> Magnitude {
        // The nearest candidate is not farther away than the completion, so that its losses are no larger.
        self.inner.magnitude(&x.input, truth)
    }

    fn score_for(&self, w: &[f64], x: &Self::Input, y: &S::Label, begin: bool, scores: &mut S::Scores) {
        self.inner.score_for(w, &x.input, y, begin, scores);
    }

    fn score_of(&self, x: &Self::Input, scores: &S::Scores, y: &S::Label) -> f64 {
        self.inner.score_of(&x.input, scores, y)
    }

    /// The best label of this side; of all labels where there is none outside.
    fn decode(&self, x: &Self::Input, scores: &mut S::Scores) -> Found<S::Label> {
        let CandidateInput { input, sets, side } = x;
        let found = self.candidates().best_of(input, sets, *side, LossFrom::Nothing, scores, Mix::SCORE);
        found.unwrap_or_else(|| self.inner.decode(input, scores))
    }

    fn loss(&self, x: &Self::Input, truth: &S::Label, y: &S::Label) -> f64 {
        self.candidates().loss_from(&x.input, &x.sets, self.loss_from(truth), y)
    }

    fn loss_unit(&self, x: &Self::Input, truth: &S::Label) -> Option<f64> {
        self.inner.loss_unit(&x.input, truth)
    }

    fn maximize(
        &self,
        x: &Self::Input,
        truth: &S::Label,
        scores: &mut S::Scores,
        mix: Mix,
    ) -> Found<S::Label> {
        let CandidateInput { input, sets, side } = x;
        let found = self.candidates().best_of(input, sets, *side, self.loss_from(truth), scores, mix);
        let itself = || Found::exactly(truth.clone(), self.inner.score_of(input, scores, truth), 0.0);
        match (found, side) {
            (Some(found), Side::Inside) => found,
            (None, _) => itself(),
            (Some(found), Side::Outside) => {
                let itself = itself();
                let rank = |found: &Found<S::Label>| mix.rank(found.score, found.loss);
                if rank(&itself) > rank(&found) { itself } else { found }
            }
        }
    }

    fn add_features<A: FeatureSum + ?Sized>(&self, x: &Self::Input, y: &S::Label, factor: f64, sum: &mut A) {
        self.inner.add_features(&x.input, y, factor, sum);
    }

    fn add_difference<A: FeatureSum + ?Sized>(
        &self,
        x: &Self::Input,
        y: &S::Label,
        truth: &S::Label,
        factor: f64,
        sum: &mut A,
    ) {
        self.inner.add_difference(&x.input, y, truth, factor, sum);
    }

    fn kernel(&self, x: &Self::Input) -> S::Kernel {
        self.inner.kernel(&x.input)
    }

    fn product(
        &self,
        x: &Self::Input,
        kernel: &S::Kernel,
        truth: &S::Label,
        y: &S::Label,
        z: &S::Label,
    ) -> f64 {
        self.inner.product(&x.input, kernel, truth, y, z)
    }
}
