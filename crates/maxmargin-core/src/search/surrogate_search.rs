//! A surrogate with a search for its most violated label, on any structure that has what the two ask of it.

use super::structure_plane::StructurePlane;
use super::{Answer, Memory, Scene, Search, Strategy, Violation, search};
use crate::error::{Error, Result};
use crate::linear::{round_down, round_up};
use crate::structure::{LabelSets, ScoreStratum, Structure};
use crate::surrogate::Surrogate;

/// A surrogate and the way to its most violated label.
///
/// ```
/// use maxmargin_core::search::{Strategy, SurrogateSearch};
/// use maxmargin_core::surrogate::Surrogate;
///
/// let search = SurrogateSearch::new(Surrogate::SLACK, Strategy::Hull)?;
/// assert!(SurrogateSearch::new(Surrogate::Log, Strategy::Angular).is_err());
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SurrogateSearch {
    surrogate: Surrogate,
    strategy: Strategy,
    /// The step to which losses that are no whole numbers are rounded down by the stratified oracle.
    step: Option<f64>,
    /// Micro-F1: the label that is in no set.
    background: Option<u32>,
}

impl SurrogateSearch {
    /// Refused where the strategy cannot find the surrogate's label.
    pub fn new(surrogate: Surrogate, strategy: Strategy) -> Result<Self> {
        strategy.check(surrogate)?;
        Ok(Self { surrogate, strategy, step: None, background: None })
    }

    /// With a step to which the stratified oracle rounds losses down that are no whole numbers.
    pub fn with_step(self, step: Option<f64>) -> Self {
        Self { step, ..self }
    }

    /// With the label that is in no set, for Micro-F1.
    pub fn with_background(self, background: Option<u32>) -> Self {
        Self { background, ..self }
    }

    /// The surrogate.
    pub fn surrogate(&self) -> Surrogate {
        self.surrogate
    }

    /// The step to which losses are rounded down.
    pub fn step(&self) -> Option<f64> {
        self.step
    }

    /// The label that is in no set.
    pub fn background(&self) -> Option<u32> {
        self.background
    }

    /// The strategy.
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }
}

/// Working memory of one thread, for one search in one structure.
pub struct Workspace<S: Structure> {
    /// Micro-F1: scores with the set loss added.
    scores: S::Scores,
    /// Micro-F1: the structure with sizes for losses, from the first search on. A structure may hold tables of costs and
    /// pairs, which are not to be copied for each example.
    sizes: Option<S>,
    strata: Vec<ScoreStratum>,
}

impl<S: Structure> Default for Workspace<S> {
    fn default() -> Self {
        Self { scores: S::Scores::default(), sizes: None, strata: Vec::new() }
    }
}

impl SurrogateSearch {
    /// Searches one example.
    ///
    /// A structure that [`check`](Search::check) refuses gets the truth for an answer, with an infinite bound.
    pub fn answer<S: Structure>(
        &self,
        scene: Scene<'_, S>,
        memory: &mut Memory<S::Label>,
        workspace: &mut Workspace<S>,
    ) -> Answer<S::Label> {
        let is_refused = self.surrogate == Surrogate::MicroF1 && scene.structure.offers().sets.is_none();
        let answer =
            self.on_plane(scene, workspace, |plane| search(self.strategy, plane, self.surrogate, memory));
        if is_refused { Answer { upper: f64::INFINITY, ..answer } } else { answer }
    }

    /// Works on the label plane of one example. Micro-F1 has its own: h has the set loss in it, and g is minus the sizes.
    pub(crate) fn on_plane<S: Structure, T>(
        &self,
        scene: Scene<'_, S>,
        workspace: &mut Workspace<S>,
        work: impl FnOnce(&mut StructurePlane<'_, S>) -> T,
    ) -> T {
        let Workspace { scores, sizes, strata } = workspace;
        let range = self.loss_range(scene.structure, scene.input, scene.truth);
        let Some(sets) = self.sets(scene.structure) else {
            return work(&mut StructurePlane::new(scene, 0.0, range, self.step, strata));
        };
        let Scene { example, input, truth, scale, noise, .. } = scene;
        sets.add_set_loss(truth, self.background, scene.scores, scale, scores);
        let sizes = &*sizes.get_or_insert_with(|| sets.with_sizes(self.background));
        let scene = Scene { example, structure: sizes, input, truth, scores, scale: 1.0, noise };
        let size = sets.size(truth, self.background);
        work(&mut StructurePlane::new(scene, -size, range, None, strata))
    }

    /// The part of h that is no margin error.
    fn constant<S: Structure>(&self, structure: &S, truth: &S::Label, label: &S::Label) -> f64 {
        self.sets(structure).map_or(0.0, |sets| sets.set_loss(truth, label, self.background))
    }

    /// Labels as sets, where they count as such.
    fn sets<'a, S: Structure>(&self, structure: &'a S) -> Option<&'a dyn LabelSets<S>> {
        structure.offers().sets.filter(|_| self.surrogate == Surrogate::MicroF1)
    }

    /// What rounding of scores, of losses and of the search itself may hide, as a part of H.
    pub(crate) fn rounding<S: Structure>(&self, scene: &Scene<'_, S>) -> f64 {
        let &Scene { structure, input, truth, noise, .. } = scene;
        if !noise.is_known() {
            return f64::INFINITY;
        }
        let range = self.loss_range(structure, input, truth);
        let least = self.least_loss(structure, input, truth);
        let set_loss = if self.surrogate == Surrogate::MicroF1 { -2.0 * range.0 } else { 0.0 };
        let error = 4.0 * noise.error + 2.0 * noise.of_sums(set_loss);
        let extent = 2.0 * noise.extent + set_loss;
        let steepest = self.surrogate.steepest(range, least, extent + error);
        // g^α is largest at one end of the losses above 0.
        let without_error = self.surrogate.largest_without_margin(range, least);
        let operations = self.surrogate.sensitivity() * noise.terms + 32.0;
        let of_search = operations * f64::EPSILON
            + self.strategy.coarseness(structure.offers().relaxed.is_some())
            + self.surrogate.rounding();
        round_up(steepest * error + of_search * (steepest * extent + without_error), 16.0)
    }

    /// At most the smallest loss above 0, where that matters and is known.
    fn least_loss<S: Structure>(&self, structure: &S, input: &S::Input, truth: &S::Label) -> Option<f64> {
        let matters = self.surrogate.is_unbounded() || matches!(self.surrogate, Surrogate::Custom(_));
        let least = matters.then(|| round_down(structure.least_loss(input, truth), 8.0));
        least.filter(|least| *least > 0.0)
    }

    /// The smallest and the largest g.
    fn loss_range<S: Structure>(&self, structure: &S, input: &S::Input, truth: &S::Label) -> (f64, f64) {
        let Some(sets) = self.sets(structure) else {
            return (0.0, structure.largest_loss(input, truth));
        };
        let size = sets.size(truth, self.background);
        let (least, most) = sets.sizes(input, truth, self.background);
        // Only the truth can have no size on either side; the relaxation's vertices have halves.
        let unit = sets.least_size();
        let smallest = unit.unwrap_or(1.0) * if structure.offers().relaxed.is_some() { 0.5 } else { 1.0 };
        let (largest, smallest) = (most + size, (least + size).max(smallest));
        match unit {
            None => (-largest, -smallest),
            // Sizes are sums of no more numbers than this, in any order.
            Some(unit) => {
                let terms = 2.0 * largest / unit + 4.0;
                (-round_up(largest, terms), -round_down(smallest, terms))
            }
        }
    }

    /// The tangent of ψ at an answer.
    pub(crate) fn violation<S: Structure>(
        &self,
        structure: &S,
        truth: &S::Label,
        answer: Answer<S::Label>,
        rounding: f64,
    ) -> Violation<S::Label> {
        let rounding = rounding + self.strategy.tolerance() * answer.value;
        let (h, g) = answer.point();
        let slope = self.surrogate.gradient(h, g).0;
        let mut constant = self.constant(structure, truth, &answer.best.label);
        if let Some((second, share)) = &answer.second {
            constant += share * (self.constant(structure, truth, &second.label) - constant);
        }
        // ψ without margin error, where the tangent is ψ itself: free of w's rounding, so that a label is one plane.
        let offset = match self.surrogate.is_linear() {
            true => self.surrogate.value(constant, g),
            false => self.surrogate.tangent_offset(h, g),
        };
        Violation {
            label: answer.best.label,
            second: answer.second.map(|(spot, share)| (spot.label, share)),
            slope,
            offset,
            value: answer.value,
            upper: answer.upper.max(answer.value),
            rounding,
            queries: answer.queries.len() as u32,
        }
    }
}

impl<S: Structure> Search<S> for SurrogateSearch {
    type Workspace = Workspace<S>;

    fn most_violated(
        &self,
        scene: Scene<'_, S>,
        memory: &mut Memory<S::Label>,
        workspace: &mut Self::Workspace,
    ) -> Violation<S::Label> {
        let (structure, truth) = (scene.structure, scene.truth);
        let rounding = self.rounding(&scene);
        let answer = self.answer(scene, memory, workspace);
        self.violation(structure, truth, answer, rounding)
    }

    fn check(&self, structure: &S) -> Result<()> {
        if self.surrogate == Surrogate::MicroF1 && structure.offers().sets.is_none() {
            let problem =
                "micro-f1 needs labels that are sets, and this structure offers none (Structure::offers)";
            return Err(Error::parameter("surrogate", problem));
        }
        if self.strategy == Strategy::Stratified && structure.offers().stratified.is_none() {
            let problem = format!(
                "stratified needs the best label of every loss, which this structure does not offer (Structure::offers); use {}",
                if self.surrogate.is_monotone() { "hull" } else { "a surrogate that rises with the loss" }
            );
            return Err(Error::parameter("search", problem));
        }
        match self.step.filter(|step| !step.is_finite() || *step <= 0.0) {
            None => Ok(()),
            Some(step) => {
                let problem = format!("{step} is not allowed; losses are rounded to a number above 0");
                Err(Error::parameter("loss step", problem))
            }
        }
    }

    fn check_truth(&self, structure: &S, truth: &S::Label) -> Result<()> {
        self.sets(structure).map_or(Ok(()), |sets| sets.check_truth(truth, self.background))
    }

    fn steepest(&self, structure: &S, input: &S::Input, truth: &S::Label) -> f64 {
        let range = self.loss_range(structure, input, truth);
        match self.surrogate {
            // Only its author knows, and only for margin errors that are known.
            Surrogate::Custom(_) => 1.0,
            surrogate => surrogate.steepest(range, self.least_loss(structure, input, truth), f64::INFINITY),
        }
    }

    fn sensitivity(&self) -> f64 {
        self.surrogate.sensitivity()
    }

    fn remembers(&self) -> bool {
        self.strategy.remembers()
    }

    fn is_convex(&self) -> bool {
        self.surrogate.is_convex()
    }

    fn is_margin(&self) -> bool {
        self.surrogate == Surrogate::MARGIN
    }

    fn name(&self) -> &'static str {
        self.strategy.name()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::features::{FeatureMatrix, Rows};
    use crate::structure::{LabelCost, MulticlassStructure};

    #[test]
    fn micro_f1_copies_the_structure_once_for_all_examples() {
        let x = Arc::new(FeatureMatrix::from_dense(&[[1.0], [-1.0]]));
        let structure = MulticlassStructure::new(1, 3, false, LabelCost::ZeroOne).unwrap();
        let search = SurrogateSearch::new(Surrogate::MicroF1, Strategy::Hull).unwrap();
        let mut workspace = Workspace::default();
        let answer = |i: usize, workspace: &mut Workspace<MulticlassStructure>| {
            let (input, mut scores) = (Rows::new(&x, i..i + 1), Default::default());
            structure.score(&[0.5, -0.25, 0.0], &input, &mut scores);
            let scene = Scene {
                example: i,
                structure: &structure,
                input: &input,
                truth: &0,
                scores: &mut scores,
                scale: 1.0,
                noise: crate::structure::ScoreNoise::UNKNOWN,
            };
            search.answer(scene, &mut Memory::default(), workspace).value
        };
        let fresh = [0, 1].map(|i| answer(i, &mut Workspace::default()));
        assert_eq!([0, 1].map(|i| answer(i, &mut workspace)), fresh);
        // What is kept is what the next search works with: it makes no copy of its own.
        workspace.sizes =
            Some(MulticlassStructure::new(1, 3, false, LabelCost::Size { background: Some(1) }).unwrap());
        assert_ne!([0, 1].map(|i| answer(i, &mut workspace)), fresh);
    }
}
