//! The risk of a structure under a search: where examples become planes.

use std::ops::Range;

use super::{Bounds, Oracle, Plane, Point, Risk};
use crate::linear::SparseSum;
use crate::search::{Search, Violation};
use crate::structure::{Example, Structure};

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
}

impl<S: Structure, Q: Search<S>> StructuredRisk<S, Q> {
    /// The risk of these examples.
    pub fn new(structure: S, search: Q, examples: Vec<Example<S>>) -> Self {
        Self { structure, search, examples }
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
        Box::new(StructuredOracle { risk: self, scores: S::Scores::default(), sum: None })
    }
}

struct StructuredOracle<'a, S: Structure, Q> {
    risk: &'a StructuredRisk<S, Q>,
    scores: S::Scores,
    /// Made when the first sparse plane is asked for: it has the size of w.
    sum: Option<SparseSum>,
}

impl<S: Structure, Q: Search<S>> StructuredOracle<'_, S, Q> {
    fn most_violated(&mut self, example: &Example<S>, at: Point<'_>) -> Violation<S::Label> {
        let StructuredRisk { structure, search, .. } = self.risk;
        structure.score(at.direction, &example.input, &mut self.scores);
        search.most_violated(structure, &example.input, &example.truth, &mut self.scores, at.scale)
    }
}

impl<S: Structure, Q: Search<S>> Oracle for StructuredOracle<'_, S, Q>
where
    Example<S>: Sync,
{
    fn plane(&mut self, i: usize, at: Point<'_>, above: f64, plane: &mut Plane) -> Bounds {
        let risk = self.risk;
        let Example { input, truth, .. } = &risk.examples[i];
        let found = self.most_violated(&risk.examples[i], at);
        if found.value <= above {
            return Bounds { value: found.value, upper: found.upper };
        }
        let sum = self.sum.get_or_insert_with(|| SparseSum::new(risk.structure.dim()));
        risk.structure.add_difference(input, &found.label, truth, found.slope, sum);
        sum.drain_into(&mut plane.a);
        plane.b = found.offset;
        Bounds { value: found.value, upper: found.upper }
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
