//! The risk of a structure under a search: where examples become planes.

use std::ops::Range;
use std::sync::OnceLock;

use super::{Bounds, Oracle, Plane, Point, Risk};
use crate::linear::FeatureSum;
use crate::search::{Search, Violation};
use crate::structure::{Coded, Example, Structure};

/// The examples of a task, seen through a search.
///
/// ```
/// use std::sync::Arc;
/// use maxmargin::data::{FeatureMatrix, Rows};
/// use maxmargin::risk::{Groups, StructuredRisk, evaluate};
/// use maxmargin::search::MarginSearch;
/// use maxmargin::structure::{Example, LabelCost, Multiclass};
///
/// let x = Arc::new(FeatureMatrix::from_dense(&[[1.0], [-1.0]]));
/// let example = |i: usize, truth| Example { input: Rows::new(&x, i..i + 1), truth, weight: 1.0 };
/// let structure = Multiclass::new(1, 2, false, LabelCost::ZeroOne)?;
/// let risk = StructuredRisk::new(structure, MarginSearch, vec![example(0, 1), example(1, 0)]);
///
/// // With w = 0 each example costs 1; the margin is wide enough at (−0.5, 0.5).
/// let at = |w: &[f64]| evaluate(&risk, w.into(), &Groups::new(2, 1)).risk.upper;
/// assert_eq!((at(&[0.0, 0.0]), at(&[-0.5, 0.5])), (1.0, 0.0));
/// # Ok::<(), maxmargin::Error>(())
/// ```
pub struct StructuredRisk<S: Structure, Q> {
    structure: S,
    search: Q,
    examples: Vec<Example<S>>,
    /// Made when the first product with a plane of the example is asked for.
    kernels: Vec<OnceLock<S::Kernel>>,
}

impl<S: Structure, Q: Search<S>> StructuredRisk<S, Q> {
    /// The risk of these examples.
    pub fn new(structure: S, search: Q, examples: Vec<Example<S>>) -> Self {
        let kernels = examples.iter().map(|_| OnceLock::new()).collect();
        Self { structure, search, examples, kernels }
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
    Example<S>: Sync,
{
    fn dim(&self) -> usize {
        self.structure.dim()
    }

    fn len(&self) -> usize {
        self.examples.len()
    }

    fn weight(&self, i: usize) -> f64 {
        self.examples[i].weight
    }

    fn oracle(&self) -> Box<dyn Oracle + '_> {
        Box::new(StructuredOracle {
            risk: self,
            scores: S::Scores::default(),
            scale: 1.0,
            label: S::Label::default(),
            reference: S::Label::default(),
            code: Vec::new(),
        })
    }
}

struct StructuredOracle<'a, S: Structure, Q> {
    risk: &'a StructuredRisk<S, Q>,
    scores: S::Scores,
    /// The factor by which the scores must be multiplied.
    scale: f64,
    /// Labels read back from planes, and the code of one to come.
    label: S::Label,
    reference: S::Label,
    code: Vec<u32>,
}

impl<S: Structure, Q: Search<S>> StructuredOracle<'_, S, Q> {
    fn most_violated(&mut self, example: &Example<S>, at: Point<'_>) -> Violation<S::Label> {
        let StructuredRisk { structure, search, .. } = self.risk;
        structure.score(at.direction, &example.input, &mut self.scores);
        self.scale = at.scale;
        search.most_violated(structure, &example.input, &example.truth, &mut self.scores, at.scale)
    }
}

impl<S: Structure, Q: Search<S>> Oracle for StructuredOracle<'_, S, Q>
where
    Example<S>: Sync,
{
    fn plane(&mut self, i: usize, at: Point<'_>, plane: &mut Plane) -> Bounds {
        let found = self.most_violated(&self.risk.examples[i], at);
        self.code.clear();
        found.label.encode(&mut self.code);
        if *plane.code != *self.code {
            plane.code = self.code.as_slice().into();
        }
        (plane.factor, plane.b) = (found.slope, found.offset);
        Bounds { value: found.value, upper: found.upper }
    }

    fn values_there(&mut self, i: usize, planes: &[Plane], values: &mut Vec<f64>) {
        let StructuredRisk { structure, examples, .. } = self.risk;
        let Example { input, truth, .. } = &examples[i];
        let of_truth = structure.score_of(input, &self.scores, truth);
        for plane in planes {
            self.label.decode(&plane.code);
            let score = structure.score_of(input, &self.scores, &self.label);
            values.push(plane.factor * self.scale * (score - of_truth) + plane.b);
        }
    }

    fn values(&mut self, i: usize, at: Point<'_>, planes: &[Plane], values: &mut Vec<f64>) {
        self.risk.structure.score(at.direction, &self.risk.examples[i].input, &mut self.scores);
        self.scale = at.scale;
        self.values_there(i, planes, values);
    }

    fn products(&mut self, i: usize, plane: &Plane, others: &[Plane], products: &mut Vec<f64>) {
        let StructuredRisk { structure, examples, kernels, .. } = self.risk;
        let Example { input, truth, .. } = &examples[i];
        let kernel = kernels[i].get_or_init(|| structure.kernel(input));
        self.reference.decode(&plane.code);
        products.clear();
        for other in others.iter().chain([plane]) {
            self.label.decode(&other.code);
            let product = structure.product(input, kernel, truth, &self.reference, &self.label);
            products.push(plane.factor * other.factor * product);
        }
    }

    fn add_slopes(&mut self, i: usize, planes: &[Plane], factors: &[(usize, f64)], sum: &mut dyn FeatureSum) {
        let StructuredRisk { structure, examples, .. } = self.risk;
        let Example { input, truth, .. } = &examples[i];
        // Σ_k f_k (φ(y_k) − φ(truth)) is shorter when written from the label with the largest factor: labels of one example
        // differ from each other in few parts, and when mass moves between two of them nothing is left for the truth.
        let factor = |&(k, factor): &(usize, f64)| factor * planes[k].factor;
        let total: f64 = factors.iter().map(factor).sum();
        let largest = factors.iter().max_by(|a, b| factor(a).abs().total_cmp(&factor(b).abs()));
        let Some(largest) = largest.filter(|largest| factor(largest).abs() > total.abs()) else {
            for change in factors {
                self.label.decode(&planes[change.0].code);
                structure.add_difference(input, &self.label, truth, factor(change), sum);
            }
            return;
        };
        self.reference.decode(&planes[largest.0].code);
        for change in factors.iter().filter(|change| change.0 != largest.0) {
            self.label.decode(&planes[change.0].code);
            structure.add_difference(input, &self.label, &self.reference, factor(change), sum);
        }
        if total.abs() > f64::EPSILON * factor(largest).abs() {
            structure.add_difference(input, &self.reference, truth, total, sum);
        }
    }

    fn add_planes(&mut self, examples: Range<usize>, at: Point<'_>, slope: &mut [f64]) -> (f64, Bounds) {
        let risk = self.risk;
        let mut offset = 0.0;
        let mut bounds = Bounds::default();
        for example in &risk.examples[examples] {
            let found = self.most_violated(example, at);
            let weight = example.weight;
            let factor = weight * found.slope;
            risk.structure.add_difference(&example.input, &found.label, &example.truth, factor, slope);
            offset += weight * found.offset;
            bounds += Bounds { value: weight * found.value, upper: weight * found.upper };
        }
        (offset, bounds)
    }
}
