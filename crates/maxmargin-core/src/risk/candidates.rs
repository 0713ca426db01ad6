//! Learning from candidate labels: the objective of CANDIDATE (3) and (4), one completion at a time.
//!
//! ```text
//! J(w, ȳ) = λ/2 ‖w‖² + 1/n Σ_i c_i (c₁ H_in,i(w) + c₂ H_out,i(w))
//! H_in  = max over y ∈ Y_i          of  Δ(ȳ_i, y) + ⟨w, φ(x_i,y) − φ(x_i,ȳ_i)⟩
//! H_out = max over y ∉ Y_i, and ȳ_i of  Δ(ȳ_i, y) + ⟨w, φ(x_i,y) − φ(x_i,ȳ_i)⟩
//! ```
//!
//! For a fixed completion ȳ that is a risk of 2n functions like any other, convex and certified: [`CandidateProblem::risk`]. Where none of
//! them is left out, two groups of a bundle method are the two slacks of CANDIDATE (5). A certificate is about that ȳ: over completions too J is not convex,
//! and nobody knows its least value.
//!
//! [`CandidateProblem::complete`] is the other half of the alternation. The best-scoring candidate may raise J, since Δ(ȳ, ·) moves with ȳ; so an
//! example keeps its completion unless the new one lowers its own two terms, and J never rises.

use std::sync::Arc;

use rayon::prelude::*;

use super::StructuredRisk;
use crate::error::{Error, Result};
use crate::search::MarginSearch;
use crate::structure::{
    CandidateInput, CandidateLoss, CandidateSets, CandidateStructure, Example, LossFrom, Mix, Side,
    Structure, check_weight,
};

/// By how much the terms of an example must fall, relative to what they are, for its completion to change: more than rounding does.
const LEAST_FALL: f64 = 1e-9;

/// An input of whose label candidates are known.
pub struct CandidateExample<S: Structure> {
    /// What is given.
    pub input: Arc<S::Input>,
    /// What is known of its label.
    pub sets: Arc<CandidateSets>,
    /// The weight c_i.
    pub weight: f64,
}

impl<S: Structure> Clone for CandidateExample<S> {
    fn clone(&self) -> Self {
        Self { input: Arc::clone(&self.input), sets: Arc::clone(&self.sets), weight: self.weight }
    }
}

/// What the two sides count, and from where losses are counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CandidateOptions {
    /// c₁, the weight of labels inside.
    pub inside: f64,
    /// c₂, the weight of labels outside.
    pub outside: f64,
    /// From where losses are counted.
    pub loss: CandidateLoss,
}

impl CandidateOptions {
    /// CLLP: CANDIDATE (3) with c₁ = c₂ = 1.
    pub const CLLP: Self = Self { inside: 1.0, outside: 1.0, loss: CandidateLoss::Completion };
    /// Maximum margin sets: CANDIDATE (4), with Δ_min(y, Y_i) where Δ_min(y, 𝒴/Y_i) is printed, which is 0 for every y.
    pub const MMS: Self = Self { inside: 0.0, outside: 1.0, loss: CandidateLoss::Nearest };
}

/// Examples with candidates, to be learnt from.
///
/// ```
/// use std::sync::Arc;
/// use maxmargin_core::features::{FeatureMatrix, Rows};
/// use maxmargin_core::risk::{CandidateExample, CandidateOptions, CandidateProblem};
/// use maxmargin_core::structure::{CandidateSets, LabelCost, MulticlassStructure};
///
/// let x = Arc::new(FeatureMatrix::from_dense(&[[1.0], [-1.0]]));
/// let example = |i: usize, candidates: &[u32]| CandidateExample {
///     input: Arc::new(Rows::new(&x, i..i + 1)),
///     sets: Arc::new(CandidateSets::new([candidates])),
///     weight: 1.0,
/// };
/// let structure = MulticlassStructure::new(1, 3, false, LabelCost::ZeroOne)?;
/// let examples = vec![example(0, &[1]), example(1, &[0, 1])];
/// let problem = CandidateProblem::new(structure, examples, CandidateOptions::CLLP)?;
/// let mut completion = vec![1, 1];
/// // These weights say that the second example has the label 0.
/// assert_eq!(problem.complete(&[-1.0, 1.0, 0.0], &mut completion)?, 1);
/// assert_eq!(completion, [1, 0]);
/// assert!(problem.risk(&[1, 2]).is_err(), "2 is no candidate");
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
pub struct CandidateProblem<S: Structure> {
    structure: CandidateStructure<S>,
    examples: Vec<CandidateExample<S>>,
    options: CandidateOptions,
}

impl<S: Structure + Clone> CandidateProblem<S> {
    /// Refused where the structure has no searches among candidates, where sets do not fit their inputs or weights are negative or not
    /// finite, and where nothing says anything about labels.
    pub fn new(structure: S, examples: Vec<CandidateExample<S>>, options: CandidateOptions) -> Result<Self> {
        let structure = CandidateStructure::new(structure, options.loss)?;
        for (side, weight) in [("inside", options.inside), ("outside", options.outside)] {
            if !(weight.is_finite() && weight >= 0.0) {
                let problem = format!("{weight} is not allowed; it is finite and not negative");
                return Err(Error::parameter(side, problem));
            }
        }
        for (i, example) in examples.iter().enumerate() {
            check_weight(i, example.weight)?;
            let checked = structure.candidates().check_sets(&example.input, &example.sets);
            checked.map_err(|error| error.of_example(i))?;
        }
        let problem = Self { structure, examples, options };
        if !problem.examples.is_empty() && problem.parts().next().is_none() {
            let problem = "nothing is known: every label is a candidate everywhere";
            return Err(Error::parameter("candidates", problem));
        }
        Ok(problem)
    }

    /// The structure of all labels.
    pub fn structure(&self) -> &S {
        self.structure.inner()
    }

    /// The examples.
    pub fn examples(&self) -> &[CandidateExample<S>] {
        &self.examples
    }

    /// What counts.
    pub fn options(&self) -> CandidateOptions {
        self.options
    }

    /// The functions of the risk that can be anything but 0, by side and example: the sides one after the other, so that two groups are
    /// two slacks.
    fn parts(&self) -> impl Iterator<Item = (Side, usize)> + '_ {
        let counts = move |side: Side, i: usize| {
            let sets = &self.examples[i].sets;
            match side {
                Side::Inside => self.options.inside > 0.0 && sets.leaves_choice(),
                Side::Outside => self.options.outside > 0.0 && self.structure.candidates().has_outside(sets),
            }
        };
        [Side::Inside, Side::Outside]
            .into_iter()
            .flat_map(move |side| (0..self.examples.len()).map(move |i| (side, i)))
            .filter(move |&(side, i)| counts(side, i))
    }

    fn check_completion(&self, completion: &[S::Label]) -> Result<()> {
        if completion.len() != self.examples.len() {
            let problem = format!("{} labels for {} examples", completion.len(), self.examples.len());
            return Err(Error::parameter("completion", problem));
        }
        for (i, (example, label)) in self.examples.iter().zip(completion).enumerate() {
            self.structure.inner().check(&example.input, label).map_err(|error| error.of_example(i))?;
            if !self.structure.candidates().is_inside(&example.sets, label) {
                let problem = "a label that is not among the candidates";
                return Err(Error::parameter("completion", problem).of_example(i));
            }
        }
        Ok(())
    }

    /// The risk under a completion, which is convex. Refused where a label is no candidate.
    ///
    /// It has a function for each side of each example, but for those that are 0 whatever the weights: no choice inside, or nothing
    /// outside. They are weighed such that the mean over them is 1/n Σ c_i (c₁ H_in + c₂ H_out) for n examples.
    pub fn risk(
        &self,
        completion: &[S::Label],
    ) -> Result<StructuredRisk<CandidateStructure<S>, MarginSearch>> {
        self.check_completion(completion)?;
        let share = self.parts().count() as f64 / self.examples.len().max(1) as f64;
        let part = |(side, i): (Side, usize)| {
            let CandidateExample { input, sets, weight } = &self.examples[i];
            let input = CandidateInput { input: Arc::clone(input), sets: Arc::clone(sets), side };
            let weight = share * weight * self.weight_of(side);
            Example { input, truth: completion[i].clone(), weight }
        };
        StructuredRisk::new(self.structure.clone(), MarginSearch, self.parts().map(part).collect())
    }

    fn weight_of(&self, side: Side) -> f64 {
        match side {
            Side::Inside => self.options.inside,
            Side::Outside => self.options.outside,
        }
    }

    /// Puts the best-scoring candidates in place of those labels of a completion whose terms fall by it. Returns how many changed.
    pub fn complete(&self, weights: &[f64], completion: &mut [S::Label]) -> Result<usize> {
        self.check_completion(completion)?;
        if weights.len() != self.structure.dim() {
            let problem = format!("{} numbers for {} weights", weights.len(), self.structure.dim());
            return Err(Error::parameter("weights", problem));
        }
        let better = |scores: &mut S::Scores, (example, old): (&CandidateExample<S>, &S::Label)| {
            if !example.sets.leaves_choice() {
                return None;
            }
            self.structure.inner().score(weights, &example.input, scores);
            let best = self.best_candidate(example, scores)?;
            if best == *old {
                return None;
            }
            let [before, after] = [old, &best].map(|completion| self.terms(example, completion, scores));
            (after < before - LEAST_FALL * before.abs()).then_some(best)
        };
        let changed: Vec<Option<S::Label>> =
            self.examples.par_iter().zip(&*completion).map_init(S::Scores::default, better).collect();
        let mut count = 0;
        for (label, changed) in completion.iter_mut().zip(changed) {
            if let Some(changed) = changed {
                *label = changed;
                count += 1;
            }
        }
        Ok(count)
    }

    /// The best-scoring candidate of each example, whatever it does to the objective: where to start from.
    pub fn best_candidates(&self, weights: &[f64]) -> Result<Vec<S::Label>> {
        if weights.len() != self.structure.dim() {
            let problem = format!("{} numbers for {} weights", weights.len(), self.structure.dim());
            return Err(Error::parameter("weights", problem));
        }
        let best = |scores: &mut S::Scores, example: &CandidateExample<S>| {
            self.structure.inner().score(weights, &example.input, scores);
            self.best_candidate(example, scores).unwrap_or_default()
        };
        Ok(self.examples.par_iter().map_init(S::Scores::default, best).collect())
    }

    fn best_candidate(&self, example: &CandidateExample<S>, scores: &mut S::Scores) -> Option<S::Label> {
        let CandidateExample { input, sets, .. } = example;
        let searches = self.structure.candidates();
        let found = searches.best_of(input, sets, Side::Inside, LossFrom::Nothing, scores, Mix::SCORE);
        found.map(|found| found.label)
    }

    /// c₁ H_in + c₂ H_out of one example under a completion.
    fn terms(&self, example: &CandidateExample<S>, completion: &S::Label, scores: &mut S::Scores) -> f64 {
        let CandidateExample { input, sets, .. } = example;
        let mut sum = 0.0;
        for side in [Side::Inside, Side::Outside].into_iter().filter(|&side| self.weight_of(side) > 0.0) {
            let of_side = CandidateInput { input: Arc::clone(input), sets: Arc::clone(sets), side };
            let found = self.structure.maximize(&of_side, completion, scores, Mix::AUGMENTED);
            let margin = found.score - self.structure.score_of(&of_side, scores, completion);
            sum += self.weight_of(side) * (margin + found.loss).max(0.0);
        }
        sum
    }
}
