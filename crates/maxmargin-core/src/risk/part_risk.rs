//! H and its gradient by part scores that come from outside: the side on which neural networks are trained.
//!
//! ```text
//! H_i(s) = max_y ψ(⟨s, p(y) − p(y_i)⟩, L_i(y)),    ∂H_i/∂s = ψ_h · (p(ŷ) − p(y_i))
//! ```
//!
//! where s are the part scores of an input and p(y) counts the parts of a label ([`Parts`]). Examples are searched over all cores,
//! each by itself, so that answers depend neither on the number of threads nor on the batch that an example is in.

use rayon::prelude::*;

use super::Bounds;
use crate::error::{Error, Result};
use crate::linear::largest_size;
use crate::search::{Memory, Scene, Search, Violation};
use crate::structure::{PartBlock, Parts, Structure};

/// A structure under a search, to be asked with part scores.
///
/// ```
/// use maxmargin_core::features::Rows;
/// use maxmargin_core::risk::{PartExample, PartRisk};
/// use maxmargin_core::search::MarginSearch;
/// use maxmargin_core::structure::{ChainStructure, ChainOptions};
///
/// // Two labels and no features: all scores come from outside.
/// let chain = ChainStructure::new(0, 2, ChainOptions { bias: false, boundary: false, ..Default::default() })?;
/// let risk = PartRisk::new(chain, MarginSearch)?;
/// let input = Rows::without_features(3);
/// assert_eq!(risk.blocks(&input)?.iter().map(|block| block.len()).collect::<Vec<_>>(), [6, 4]);
///
/// // Three positions with two labels each, and then the transitions.
/// let parts = [2.0, 0.0, 0.0, 2.0, 0.0, 0.5, /* transitions: */ 0.0, 0.0, 0.0, 0.0];
/// let answers = risk.answers(&[PartExample { input: &input, truth: &vec![0, 1, 1], parts: &parts }])?;
/// // The last margin is too small: 1 is lost with label 0 there, at a score that is lower by 0.5.
/// assert_eq!((&answers[0].label[..], answers[0].bounds.value), (&[0, 1, 0][..], 0.5));
/// assert_eq!(answers[0].gradient[4..6], [1.0, -1.0]);
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PartRisk<S, Q> {
    structure: S,
    search: Q,
}

/// An input with its truth and its part scores.
#[derive(Debug)]
pub struct PartExample<'a, S: Structure> {
    /// What is given; of features nothing is asked.
    pub input: &'a S::Input,
    /// What should be predicted.
    pub truth: &'a S::Label,
    /// The part scores, block after block.
    pub parts: &'a [f64],
}

/// The most violated label of an example under its part scores.
#[derive(Debug, Clone, PartialEq)]
pub struct PartAnswer<L> {
    /// The label ŷ.
    pub label: L,
    /// A second label with its share, where the answer is a mix of two.
    pub second: Option<(L, f64)>,
    /// H: the value found, and what it is at most.
    pub bounds: Bounds,
    /// ∂H by each part score; a subgradient where H has a kink, and where ψ is convex.
    pub gradient: Vec<f64>,
    /// Queries of λ-oracles that this took.
    pub queries: u32,
}

impl<S: Structure, Q: Search<S>> PartRisk<S, Q> {
    /// Refused where the structure takes no part scores, or lacks what the search asks for.
    pub fn new(structure: S, search: Q) -> Result<Self> {
        search.check(&structure)?;
        parts_of(&structure)?;
        Ok(Self { structure, search })
    }

    /// The structure.
    pub fn structure(&self) -> &S {
        &self.structure
    }

    /// The search.
    pub fn search(&self) -> &Q {
        &self.search
    }

    /// The blocks of an input's part scores, which lie one after the other.
    pub fn blocks(&self, input: &S::Input) -> Result<Vec<PartBlock>> {
        Ok(parts_of(&self.structure)?.blocks(input))
    }

    /// An answer for each example, in their order. All are refused where one does not fit.
    pub fn answers(&self, batch: &[PartExample<'_, S>]) -> Result<Vec<PartAnswer<S::Label>>> {
        let work = |workspace: &mut Workspace<S, Q>, (i, example): (usize, &PartExample<'_, S>)| {
            self.answer(i, example, &mut Memory::default(), workspace)
        };
        let answers: Vec<Result<_>> =
            batch.par_iter().enumerate().map_init(Workspace::default, work).collect();
        answers.into_iter().collect()
    }

    /// The same with what the search remembers of each example: it starts where the last one of the example ended.
    pub fn answers_from(
        &self,
        batch: &[PartExample<'_, S>],
        memories: &mut [Memory<S::Label>],
    ) -> Result<Vec<PartAnswer<S::Label>>> {
        if memories.len() != batch.len() {
            let problem = format!("{} memories for {} examples", memories.len(), batch.len());
            return Err(Error::parameter("memories", problem));
        }
        let work =
            |workspace: &mut Workspace<S, Q>,
             (i, (example, memory)): (usize, (&PartExample<'_, S>, &mut Memory<S::Label>))| {
                let known = memory.labels.iter();
                let problem =
                    known.map(|label| self.structure.check(example.input, label)).find(Result::is_err);
                problem.unwrap_or(Ok(())).map_err(|error| error.of_example(i))?;
                self.answer(i, example, memory, workspace)
            };
        let examples = batch.par_iter().zip(memories);
        let answers: Vec<Result<_>> = examples.enumerate().map_init(Workspace::default, work).collect();
        answers.into_iter().collect()
    }

    fn answer(
        &self,
        i: usize,
        &PartExample { input, truth, parts }: &PartExample<'_, S>,
        memory: &mut Memory<S::Label>,
        workspace: &mut Workspace<S, Q>,
    ) -> Result<PartAnswer<S::Label>> {
        let (structure, scores) = (&self.structure, &mut workspace.scores);
        let of_parts = parts_of(structure)?;
        structure.check(input, truth).map_err(|error| error.of_example(i))?;
        check_parts(of_parts, input, parts).map_err(|error| error.of_example(i))?;
        let extent = of_parts.scores_from_parts(input, parts, scores);
        let mut noise = structure.magnitude(input, truth).noise_of_parts(extent);
        noise.error += structure.decoding_error(scores);
        let scene = Scene { example: i, structure, input, truth, scores, scale: 1.0, noise };
        let Violation { label, second, slope, value, upper, rounding, queries, .. } =
            self.search.most_violated(scene, memory, &mut workspace.search);
        let mut gradient = vec![0.0; parts.len()];
        let share = second.as_ref().map_or(0.0, |second| second.1);
        of_parts.add_parts(input, &label, (1.0 - share) * slope, &mut gradient);
        if let Some((second, share)) = &second {
            of_parts.add_parts(input, second, share * slope, &mut gradient);
        }
        of_parts.add_parts(input, truth, -slope, &mut gradient);
        Ok(PartAnswer { label, second, bounds: Bounds::new(value, upper, rounding), gradient, queries })
    }
}

/// Working memory of one thread.
struct Workspace<S: Structure, Q: Search<S>> {
    scores: S::Scores,
    search: Q::Workspace,
}

impl<S: Structure, Q: Search<S>> Default for Workspace<S, Q> {
    fn default() -> Self {
        Self { scores: S::Scores::default(), search: Q::Workspace::default() }
    }
}

fn parts_of<S: Structure>(structure: &S) -> Result<&dyn Parts<S>> {
    structure.offers().parts.ok_or_else(|| {
        let problem = "it takes no part scores from outside (Structure::offers)";
        Error::parameter("structure", problem)
    })
}

fn check_parts<S: Structure>(of_parts: &dyn Parts<S>, input: &S::Input, parts: &[f64]) -> Result<()> {
    let count = of_parts.count(input);
    if parts.len() != count {
        let shapes: Vec<String> = of_parts
            .blocks(input)
            .iter()
            .map(|block| {
                format!(
                    "{} {}",
                    block.name,
                    block.shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ")
                )
            })
            .collect();
        let problem = format!("{} numbers, where {count} should be: {}", parts.len(), shapes.join(", "));
        return Err(Error::parameter("parts", problem));
    }
    if largest_size(parts).is_finite() {
        return Ok(());
    }
    let place = parts.iter().position(|part| !part.is_finite()).unwrap_or_default();
    let problem = format!("number {place} is {}; part scores are finite", parts[place]);
    Err(Error::parameter("parts", problem))
}
