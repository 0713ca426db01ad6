//! What one thread does for one example: find out how its coefficients should change at a given w.

use serde::{Deserialize, Serialize};

use super::super::simplex_qp::{Block, Transfer};
use super::anchor::PULL;
use super::example_model::ExampleModel;
use crate::linear::{CommonDirections, CooVector, dot};
use crate::risk::{Bounds, Oracle, Plane, Point, Risk};

/// Transfers of mass in one visit.
const MOST_TRANSFERS: usize = 20;

/// A visit ends when the example's gap over the planes it has is this share of what it was.
const ENOUGH: f64 = 0.1;

/// A plane that is not higher than the others by more than this, relative to its height, is one of them.
const SAME: f64 = 1e-12;

/// Whether the oracle is asked, or only the planes that are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Look {
    /// A new plane is looked for.
    Oracle,
    /// The planes at hand.
    Cached,
}

/// A proposal to change the coefficients of one example.
#[derive(Debug, Default)]
pub(super) struct Visit {
    pub(super) example: usize,
    /// The example's model, borrowed for the visit.
    pub(super) model: ExampleModel,
    /// The gap of the model at the w of the visit: mass · (highest value) − (mean value).
    pub(super) gap: f64,
    /// What the oracle said, if it was asked.
    pub(super) bounds: Bounds,
    /// Whether there is anywhere to go, and the coefficients to go to.
    pub(super) moves: bool,
    pub(super) target: Vec<f64>,
    /// The direction δ to there: Σ_k δ_k a_k with its parts in the common directions, Σ_k δ_k b_k, and the second derivative,
    /// ‖Σ_k δ_k a_k‖² / λ where there are no such parts.
    pub(super) slope: CooVector,
    pub(super) parts: Vec<f64>,
    pub(super) offset: f64,
    pub(super) curvature: f64,
    /// A bound on Σ_k |δ_k| ‖a_k‖, on Σ_k β_k ‖a_k‖ before and after, and on how often one weight is added to.
    pub(super) length: f64,
    pub(super) held: f64,
    pub(super) additions: f64,
}

/// One thread's oracle and working memory.
pub(super) struct Visitor<'a> {
    risk: &'a dyn Risk,
    pub(super) oracle: Box<dyn Oracle + 'a>,
    common: Option<&'a dyn CommonDirections>,
    /// The parts of two planes in the common directions.
    parts: [Vec<f64>; 2],
    plane: Plane,
    products: Vec<f64>,
    /// The value of the zero plane and of each plane of the model that was last looked at.
    values: Vec<f64>,
    changes: Vec<(usize, f64)>,
}

impl<'a> Visitor<'a> {
    pub(super) fn new(risk: &'a dyn Risk) -> Self {
        Self {
            risk,
            oracle: risk.oracle(),
            common: risk.common_directions(),
            parts: Default::default(),
            plane: Plane::default(),
            products: Vec::new(),
            values: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// Looks at an example at w; a plane that the oracle finds above the model becomes part of it.
    pub(super) fn look(&mut self, visit: &mut Visit, at: Point<'_>, look: Look) {
        let Visit { example, model, .. } = visit;
        self.values.clear();
        self.values.push(0.0);
        match look {
            Look::Cached => self.oracle.values(*example, at, &model.planes, &mut self.values),
            Look::Oracle => {
                visit.bounds = self.oracle.plane(*example, at, &mut self.plane);
                self.oracle.values_there(*example, &model.planes, &mut self.values);
                let highest = self.values.iter().copied().fold(0.0, f64::max);
                if visit.bounds.value > highest + SAME * (1.0 + highest) {
                    self.values.push(visit.bounds.value);
                    self.oracle.products(*example, &self.plane, &model.planes, &mut self.products);
                    self.take_off_common_parts(*example, &model.planes);
                    model.push(std::mem::take(&mut self.plane), &self.products);
                }
            }
        }
        visit.gap = Block { values: &self.values, coefficients: &model.coefficients }.gap().0;
    }

    /// Takes θ⟨Pa, Pa'⟩ off the products of the new plane with others and with itself.
    fn take_off_common_parts(&mut self, example: usize, planes: &[Plane]) {
        let Some(common) = self.common else { return };
        let [of_new, of_other] = &mut self.parts;
        let mut find = |planes: &[Plane], k: usize, parts: &mut Vec<f64>| {
            parts.clear();
            parts.resize(common.count(), 0.0);
            self.oracle.add_common_parts(example, planes, &[(k, 1.0)], parts);
        };
        find(std::slice::from_ref(&self.plane), 0, of_new);
        for k in 0..planes.len() {
            find(planes, k, of_other);
            self.products[k] -= PULL * dot(of_new, of_other);
        }
        self.products[planes.len()] -= PULL * dot(of_new, of_new);
    }

    /// Finds better coefficients at the w of the last look, and the direction to them.
    pub(super) fn ascend(&mut self, visit: &mut Visit, lambda: f64) {
        let model = &visit.model;
        visit.target.clone_from(&model.coefficients);
        visit.moves = move_mass(&mut visit.target, &mut self.values, model, lambda, ENOUGH * visit.gap);
        if !visit.moves {
            return;
        }
        let changes = visit.target.iter().zip(&model.coefficients).map(|(new, old)| new - old);
        self.changes.clear();
        self.changes.extend(changes.skip(1).enumerate().filter(|&(_, change)| change != 0.0));
        visit.slope.clear();
        visit.length = self.oracle.add_slopes(visit.example, &model.planes, &self.changes, &mut visit.slope);
        let magnitude = self.risk.magnitude(visit.example);
        visit.held = model.length(magnitude.norm) + visit.length;
        visit.additions = 2.0 * magnitude.repeats * (self.changes.len() + 1) as f64;
        if let Some(common) = self.common {
            visit.parts.clear();
            visit.parts.resize(common.count(), 0.0);
            self.oracle.add_common_parts(visit.example, &model.planes, &self.changes, &mut visit.parts);
        }
        visit.offset = self.changes.iter().map(|&(k, change)| change * model.planes[k].b).sum();
        visit.curvature = 0.0;
        for &(k, change) in &self.changes {
            for &(l, other) in &self.changes {
                visit.curvature += change * other * model.product(k + 1, l + 1) / lambda;
            }
        }
    }
}

/// Raises the dual over one example's coefficients by moving mass between pairs of planes, to the one of highest value
/// from the one where the exact line search gains most, until the gap is `enough`. Says whether anything moved.
fn move_mass(
    coefficients: &mut [f64],
    values: &mut [f64],
    model: &ExampleModel,
    lambda: f64,
    enough: f64,
) -> bool {
    for step in 0..MOST_TRANSFERS {
        let block = Block { values, coefficients };
        let (gap, to) = block.gap();
        let curvature = |from| model.distance_squared(from, to) / lambda;
        let Some(Transfer { from, amount, whole, .. }) =
            (gap > enough).then(|| block.best_transfer(to, curvature)).flatten()
        else {
            return step > 0;
        };
        coefficients[to] += amount;
        coefficients[from] = if whole { 0.0 } else { coefficients[from] - amount };
        for (k, value) in values.iter_mut().enumerate() {
            *value += amount / lambda * (model.product(from, k) - model.product(to, k));
        }
    }
    true
}
