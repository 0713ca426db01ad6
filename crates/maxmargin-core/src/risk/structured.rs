//! The risk of a structure under a search: where examples become planes.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::fingerprint::{of_planes, some_of};
use super::saddle::FlowSaddle;
use super::{Bounds, Oracle, Plane, Point, Risk, RiskId, RiskMemory, Saddle, SummedPlanes};
use crate::error::{Error, Result};
use crate::fingerprint::Fingerprint;
use crate::linear::{BlockNorm, CommonDirections, FeatureSum, round_up};
use crate::search::{Memory, Scene, Search, Violation};
use crate::structure::{Coded, Example, FlowPolytope, Magnitude, OracleCost, Structure, check_weight};

/// The examples of a task, seen through a search.
///
/// ```
/// use std::sync::Arc;
/// use maxmargin_core::features::{FeatureMatrix, Rows};
/// use maxmargin_core::risk::{Groups, StructuredRisk, evaluate};
/// use maxmargin_core::search::MarginSearch;
/// use maxmargin_core::structure::{Example, LabelCost, MulticlassStructure};
///
/// let x = Arc::new(FeatureMatrix::from_dense(&[[1.0], [-1.0]]));
/// let example = |i: usize, truth| Example { input: Rows::new(&x, i..i + 1), truth, weight: 1.0 };
/// let structure = MulticlassStructure::new(1, 2, false, LabelCost::ZeroOne)?;
/// let risk = StructuredRisk::new(structure, MarginSearch, vec![example(0, 1), example(1, 0)])?;
///
/// // With w = 0 each example costs 1; the margin is wide enough at (−0.5, 0.5).
/// let at = |w: &[f64]| evaluate(&risk, w.into(), &Groups::new(2, 1)).map(|evaluation| evaluation.risk.value);
/// assert_eq!((at(&[0.0, 0.0])?, at(&[-0.5, 0.5])?), (1.0, 0.0));
/// assert!(at(&[0.0]).is_err());
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
pub struct StructuredRisk<S: Structure, Q> {
    id: RiskId,
    structure: S,
    search: Arc<Q>,
    examples: Arc<[Example<S>]>,
    magnitudes: Vec<Magnitude>,
    /// Made when the first product with a plane of the example is asked for.
    kernels: Vec<OnceLock<S::Kernel>>,
    /// Made when a solver asks for the first of them.
    polytopes: Vec<OnceLock<FlowPolytope>>,
    longest_arcs: Vec<OnceLock<f64>>,
    /// What the search remembers of each example; empty where it remembers nothing. One example is searched by one thread
    /// at a time, so that nobody ever waits for these locks.
    memories: Vec<Mutex<Memory<S::Label>>>,
    queries: AtomicU64,
    convex: bool,
}

impl<S: Structure, Q: Search<S>> StructuredRisk<S, Q> {
    /// The risk of these examples. Refused where the search asks for what the structure does not have, where an input or a truth
    /// does not fit the structure, where a weight is negative or not finite or a truth costs something, as planes are no lower
    /// bounds then, where sums could be infinite, and where there are more weights than 32 bits can count.
    pub fn new(structure: S, search: Q, examples: Vec<Example<S>>) -> Result<Self> {
        Self::sharing(structure, Arc::new(search), examples.into())
    }

    fn sharing(structure: S, search: Arc<Q>, examples: Arc<[Example<S>]>) -> Result<Self> {
        search.check(&structure)?;
        if u32::try_from(structure.dim()).is_err() {
            let problem = format!("{} weights; there can be 2³² at most", structure.dim());
            return Err(Error::parameter("structure", problem));
        }
        for (i, Example { input, truth, weight }) in examples.iter().enumerate() {
            check_weight(i, *weight)?;
            structure.check(input, truth).map_err(|error| error.of_example(i))?;
            search.check_truth(&structure, truth).map_err(|error| error.of_example(i))?;
            let loss = structure.loss(input, truth, truth);
            if loss != 0.0 {
                let problem = format!("the truth itself has a loss of {loss}, where it must be 0");
                return Err(Error::parameter("loss", problem).of_example(i));
            }
        }
        let kernels = examples.iter().map(|_| OnceLock::new()).collect();
        let polytopes = examples.iter().map(|_| OnceLock::new()).collect();
        let longest_arcs = examples.iter().map(|_| OnceLock::new()).collect();
        let search_is_convex = search.is_convex();
        let remembered = if search.remembers() { examples.len() } else { 0 };
        let memories = (0..remembered).map(|_| Mutex::default()).collect();
        let magnitude = |example: &Example<S>| structure.magnitude(&example.input, &example.truth);
        let magnitudes: Vec<Magnitude> = examples.iter().map(magnitude).collect();
        let steepest = |example: &Example<S>| search.steepest(&structure, &example.input, &example.truth);
        check_magnitudes(&magnitudes, &examples, steepest)?;
        Ok(Self {
            id: RiskId::new(),
            structure,
            search,
            examples,
            magnitudes,
            kernels,
            polytopes,
            longest_arcs,
            memories,
            queries: AtomicU64::new(0),
            convex: search_is_convex,
        })
    }

    /// The same for a surrogate that is not convex in the weights: no certificate exists.
    pub fn not_convex(self) -> Self {
        Self { convex: false, ..self }
    }

    /// The structure.
    pub fn structure(&self) -> &S {
        &self.structure
    }

    /// The search.
    pub fn search(&self) -> &Q {
        &self.search
    }

    /// The examples.
    pub fn examples(&self) -> &[Example<S>] {
        &self.examples
    }
}

impl<S: Structure, Q: Search<S>> Risk for StructuredRisk<S, Q>
where
    Example<S>: Send + Sync,
{
    fn id(&self) -> RiskId {
        self.id
    }

    fn dim(&self) -> usize {
        self.structure.dim()
    }

    fn len(&self) -> usize {
        self.examples.len()
    }

    fn weight(&self, i: usize) -> f64 {
        self.examples[i].weight
    }

    fn magnitude(&self, i: usize) -> Magnitude {
        self.magnitudes[i]
    }

    fn roundings(&self, i: usize) -> f64 {
        self.search.sensitivity() * self.magnitudes[i].terms
    }

    fn oracle(&self) -> Box<dyn Oracle + '_> {
        Box::new(StructuredOracle {
            risk: self,
            scores: S::Scores::default(),
            scale: 1.0,
            label: S::Label::default(),
            reference: S::Label::default(),
            code: Vec::new(),
            workspace: Q::Workspace::default(),
            queries: 0,
        })
    }

    fn is_convex(&self) -> bool {
        self.convex
    }

    fn variables(&self) -> usize {
        self.examples.iter().map(|example| self.structure.variables(&example.input)).sum()
    }

    fn truth_numbers(&self) -> usize {
        let mut code = Vec::new();
        let numbers = |example: &Example<S>| {
            code.clear();
            example.truth.encode(&mut code);
            code.len()
        };
        self.examples.iter().map(numbers).sum()
    }

    fn oracle_cost(&self) -> OracleCost {
        match self.structure.oracle_cost() {
            // The calls that block steps save are outweighed by the passes that they take with other surrogates.
            OracleCost::Middle if !self.search.is_margin() => OracleCost::Low,
            cost => cost,
        }
    }

    fn saddle(&self) -> Option<Box<dyn Saddle + '_>> {
        let flow = self.structure.offers().flow.filter(|_| self.search.is_margin())?;
        let Self { examples, polytopes, longest_arcs, .. } = self;
        Some(Box::new(FlowSaddle { flow, examples, polytopes, longest_arcs }))
    }

    fn norm(&self) -> Option<&dyn BlockNorm> {
        self.structure.norm()
    }

    fn scaled(&self, alpha: &[f64]) -> Option<Box<dyn Risk + '_>> {
        let structure = self.structure.scaled(alpha)?;
        let scaled = Self::sharing(structure, Arc::clone(&self.search), Arc::clone(&self.examples)).ok()?;
        Some(Box::new(Self { convex: self.convex, ..scaled }))
    }

    fn common_directions(&self) -> Option<&dyn CommonDirections> {
        self.structure.common_directions()
    }

    fn queries(&self) -> u64 {
        self.queries.load(Ordering::Relaxed)
    }

    /// All truths with their features, and the planes of some examples for loss and search.
    fn fingerprint(&self) -> u64 {
        let mut fingerprint = Fingerprint::default();
        let mut code = Vec::new();
        for Example { input, truth, .. } in &*self.examples {
            code.clear();
            truth.encode(&mut code);
            fingerprint.add_all(code.iter().map(|&number| u64::from(number)));
            self.structure.add_features(input, truth, 1.0, &mut fingerprint);
        }
        fingerprint.add(of_planes(self, some_of(self.examples.len())));
        fingerprint.number()
    }

    fn memory(&self) -> RiskMemory {
        let inside =
            |memory: &Mutex<Memory<S::Label>>| memory.lock().unwrap_or_else(PoisonError::into_inner).code();
        RiskMemory { queries: self.queries(), examples: self.memories.iter().map(inside).collect() }
    }

    fn remember(&self, memory: RiskMemory) -> Result<()> {
        if memory.examples.len() != self.memories.len() {
            return Err(Error::parameter("checkpoint", "made for other data or another search"));
        }
        // All is read before anything changes.
        let mut memories = Vec::with_capacity(memory.examples.len());
        for (i, (code, example)) in memory.examples.into_iter().zip(&*self.examples).enumerate() {
            let refuse = || Error::parameter("checkpoint", "a label that is none").of_example(i);
            let known: Memory<S::Label> =
                Memory::from_code(code).filter(|known| known.lambda >= 0.0).ok_or_else(refuse)?;
            for label in &known.labels {
                self.structure.check(&example.input, label).map_err(|error| error.of_example(i))?;
            }
            memories.push(known);
        }
        self.queries.store(memory.queries, Ordering::Relaxed);
        for (place, known) in self.memories.iter().zip(memories) {
            *place.lock().unwrap_or_else(PoisonError::into_inner) = known;
        }
        Ok(())
    }
}

/// Refuses numbers whose sums could be infinite: no certificate survives that.
fn check_magnitudes<S: Structure>(
    magnitudes: &[Magnitude],
    examples: &[Example<S>],
    steepest: impl Fn(&Example<S>) -> f64,
) -> Result<()> {
    let (mut lengths, mut losses) = (0.0, 0.0);
    for (i, (magnitude, example)) in magnitudes.iter().zip(examples).enumerate() {
        let steepest = steepest(example);
        if !steepest.is_finite() {
            let problem = format!(
                "example {}: a loss is too large for the surrogate's exponents, or with a negative one too small, or not known to be above some number; use smaller exponents, or other costs",
                i + 1
            );
            return Err(Error::parameter("surrogate", problem));
        }
        lengths += example.weight * magnitude.norm * (1.0 + magnitude.loss).max(steepest);
        losses += example.weight * magnitude.loss;
        let total: f64 = lengths * lengths + losses * losses;
        if !magnitude.is_finite() || !total.is_finite() {
            let problem = format!(
                "example {}: features, costs or weights are so large that sums of them overflow; scale them down, or standardise columns",
                i + 1
            );
            return Err(Error::parameter("data", problem));
        }
    }
    Ok(())
}

struct StructuredOracle<'a, S: Structure, Q: Search<S>> {
    risk: &'a StructuredRisk<S, Q>,
    scores: S::Scores,
    /// The factor by which the scores must be multiplied.
    scale: f64,
    /// Labels read back from planes, and the code of one to come.
    label: S::Label,
    reference: S::Label,
    code: Vec<u32>,
    workspace: Q::Workspace,
    /// Queries that the risk does not know of yet.
    queries: u64,
}

impl<S: Structure, Q: Search<S>> Drop for StructuredOracle<'_, S, Q> {
    fn drop(&mut self) {
        self.risk.queries.fetch_add(self.queries, Ordering::Relaxed);
    }
}

impl<S: Structure, Q: Search<S>> StructuredOracle<'_, S, Q> {
    /// Appends the values of planes under weights, or under the scores that are there.
    fn values_of(&mut self, i: usize, w: Option<&[f64]>, planes: &[Plane], values: &mut Vec<f64>) {
        let StructuredRisk { structure, examples, .. } = self.risk;
        let Example { input, truth, .. } = &examples[i];
        if let Some(w) = w {
            structure.score_for(w, input, truth, true, &mut self.scores);
        }
        let of_truth = structure.score_of(input, &self.scores, truth);
        for plane in planes {
            let mut value = plane.b;
            for (code, factor) in plane.parts() {
                self.label.decode(code);
                if let Some(w) = w {
                    structure.score_for(w, input, &self.label, false, &mut self.scores);
                }
                let score = structure.score_of(input, &self.scores, &self.label);
                value += factor * self.scale * (score - of_truth);
            }
            values.push(value);
        }
    }

    fn most_violated(&mut self, i: usize, at: Point<'_>) -> Violation<S::Label> {
        let StructuredRisk { structure, search, examples, magnitudes, memories, .. } = self.risk;
        let (Example { input, truth, .. }, magnitude) = (&examples[i], &magnitudes[i]);
        let (w, scores) = (at.direction, &mut self.scores);
        // Scores are multiplied by the scale at the end: the noise of plain sums may be taken at ‖w‖ at once.
        let is_precise = at.is_precise && at.scale == 1.0;
        let precise = is_precise.then(|| structure.score_precisely(w, at.norm, input, magnitude, scores));
        let mut noise = precise.flatten().unwrap_or_else(|| {
            structure.score(w, input, scores);
            magnitude.noise(at.norm)
        });
        if noise.is_known() {
            noise.error += at.scale * structure.decoding_error(scores);
        }
        self.scale = at.scale;
        let scene = Scene { example: i, structure, input, truth, scores, scale: at.scale, noise };
        let found = match memories.get(i) {
            Some(memory) => {
                let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
                search.most_violated(scene, &mut memory, &mut self.workspace)
            }
            None => search.most_violated(scene, &mut Memory::default(), &mut self.workspace),
        };
        self.queries += u64::from(found.queries);
        found
    }
}

impl<S: Structure, Q: Search<S>> Oracle for StructuredOracle<'_, S, Q>
where
    Example<S>: Send + Sync,
{
    fn plane(&mut self, i: usize, at: Point<'_>, plane: &mut Plane) -> Bounds {
        let Violation { label, second, slope, offset, value, upper, rounding, .. } =
            self.most_violated(i, at);
        self.code.clear();
        label.encode(&mut self.code);
        if *plane.code != *self.code {
            plane.code = self.code.as_slice().into();
        }
        let share = second.as_ref().map_or(0.0, |&(_, share)| share);
        plane.second = second.map(|(label, share)| {
            self.code.clear();
            label.encode(&mut self.code);
            Box::new((self.code.as_slice().into(), share * slope))
        });
        (plane.factor, plane.b) = ((1.0 - share) * slope, offset);
        Bounds::new(value, upper, rounding)
    }

    fn values_there(&mut self, i: usize, planes: &[Plane], values: &mut Vec<f64>) {
        self.values_of(i, None, planes, values);
    }

    fn values(&mut self, i: usize, at: Point<'_>, planes: &[Plane], values: &mut Vec<f64>) {
        self.scale = at.scale;
        self.values_of(i, Some(at.direction), planes, values);
    }

    fn products(&mut self, i: usize, plane: &Plane, others: &[Plane], products: &mut Vec<f64>) {
        let StructuredRisk { structure, examples, kernels, .. } = self.risk;
        let Example { input, truth, .. } = &examples[i];
        let kernel = kernels[i].get_or_init(|| structure.kernel(input));
        products.clear();
        products.resize(others.len() + 1, 0.0);
        for (code, factor) in plane.parts() {
            self.reference.decode(code);
            for (other, sum) in others.iter().chain([plane]).zip(&mut *products) {
                for (code, other_factor) in other.parts() {
                    self.label.decode(code);
                    let product = structure.product(input, kernel, truth, &self.reference, &self.label);
                    *sum += factor * other_factor * product;
                }
            }
        }
    }

    fn add_slopes(
        &mut self,
        i: usize,
        planes: &[Plane],
        factors: &[(usize, f64)],
        sum: &mut dyn FeatureSum,
    ) -> f64 {
        let StructuredRisk { structure, examples, magnitudes, .. } = self.risk;
        let Example { input, truth, .. } = &examples[i];
        let lengths = factors.iter().map(|&(k, factor)| factor.abs() * planes[k].length());
        // Twice for a label and the truth, and twice again for those that are written from another label.
        let length = round_up(4.0 * magnitudes[i].norm * lengths.sum::<f64>(), 8.0 + factors.len() as f64);
        // Σ_k f_k (φ(y_k) − φ(truth)) is shorter when written from the label with the largest factor: labels of one example
        // differ from each other in few parts, and when mass moves between two of them nothing is left for the truth.
        let factor = |&(k, factor): &(usize, f64)| factor * planes[k].factor;
        if factors.iter().any(|&(k, _)| planes[k].second.is_some()) {
            for &(k, change) in factors {
                for (code, factor) in planes[k].parts() {
                    self.label.decode(code);
                    structure.add_difference(input, &self.label, truth, change * factor, sum);
                }
            }
            return length;
        }
        let total: f64 = factors.iter().map(factor).sum();
        let largest = factors.iter().max_by(|a, b| factor(a).abs().total_cmp(&factor(b).abs()));
        let Some(largest) = largest.filter(|largest| factor(largest).abs() > total.abs()) else {
            for change in factors {
                self.label.decode(&planes[change.0].code);
                structure.add_difference(input, &self.label, truth, factor(change), sum);
            }
            return length;
        };
        self.reference.decode(&planes[largest.0].code);
        for change in factors.iter().filter(|change| change.0 != largest.0) {
            self.label.decode(&planes[change.0].code);
            structure.add_difference(input, &self.label, &self.reference, factor(change), sum);
        }
        if total.abs() > f64::EPSILON * factor(largest).abs() {
            structure.add_difference(input, &self.reference, truth, total, sum);
        }
        length
    }

    fn add_common_parts(&mut self, i: usize, planes: &[Plane], factors: &[(usize, f64)], parts: &mut [f64]) {
        let StructuredRisk { structure, examples, .. } = self.risk;
        for &(k, change) in factors {
            for (code, factor) in planes[k].parts() {
                self.label.decode(code);
                structure.add_common_parts(&self.label, &examples[i].truth, change * factor, parts);
            }
        }
    }

    fn add_planes(
        &mut self,
        examples: Range<usize>,
        at: Point<'_>,
        slope: &mut dyn FeatureSum,
    ) -> SummedPlanes {
        let risk = self.risk;
        let mut total = SummedPlanes::default();
        for i in examples {
            let found = self.most_violated(i, at);
            let (Example { input, truth, weight }, magnitude) = (&risk.examples[i], &risk.magnitudes[i]);
            let factor = weight * found.slope;
            let mut add = |label: &S::Label, share: f64| {
                risk.structure.add_difference(input, label, truth, share * factor, slope);
            };
            match &found.second {
                None => add(&found.label, 1.0),
                Some((second, share)) => {
                    add(&found.label, 1.0 - share);
                    add(second, *share);
                }
            }
            let length = 2.0 * magnitude.norm * factor.abs();
            let bounds = Bounds::new(found.value, found.upper, found.rounding);
            total += SummedPlanes {
                offset: weight * found.offset,
                bounds: bounds.times(*weight),
                length,
                additions: 4.0 * magnitude.repeats,
                rounded: if magnitude.is_exact { 0.0 } else { 8.0 * f64::EPSILON * length },
                roundings: risk.roundings(i),
            };
        }
        total
    }
}
