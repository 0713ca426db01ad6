//! Block-coordinate ascent on the dual: one block of coefficients per example, the weights held explicitly.
//!
//! The dual has one simplex per example, of mass c_i/n, over the planes kept for it and the zero plane; w = −Σ β a / λ. A
//! *visit* of an example asks its oracle for a plane (or only looks at those it has) and moves mass between its planes by
//! exact line searches: pairwise Frank-Wolfe steps, which are drop steps when all mass of a plane goes.
//!
//! Visits come in small batches. All visits of a batch are worked out at one w, over all cores; then they are applied
//! one after the other, each with an exact line search along its direction at the w of that moment, so the dual never
//! falls. Where the slopes of all examples have long parts in common, an [anchor] holds the weights there. Batches depend on the data and the seed only, so the result is the same for any number of threads.

mod anchor;
mod drift;
mod evaluation;
mod example_model;
mod joint;
mod team;
mod visit;
mod visits;

use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::anchor::Anchor;
use self::drift::Drift;
pub(super) use self::evaluation::Evaluation;
use self::example_model::ExampleModel;
pub(super) use self::visit::Look;
use self::visit::{Visit, Visitor};
pub(super) use self::visits::Visits;
use super::certificate::{is_negligible, lower_bound_of};
use super::mass;
use crate::linear::{
    BlockNorm, LargeVector, Precise, PreciseSum, block_squares, precise_share, round_down, round_up,
};
use crate::risk::{Oracle, Risk, norm_bound};

/// A plane is forgotten when it has had no mass in more than this many visits in a row that asked the oracle.
const IDLE_LIMIT: u32 = 6;

/// Examples that a thread takes at a time when all are looked at.
const PART: usize = 32;

/// The first size of a batch.
const FIRST_BATCH: usize = 8;

/// The dual: planes and coefficients of each example, and the weights that follow from them.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct BlockAscent {
    lambda: f64,
    weights: LargeVector,
    /// What holds the weights along the directions that all examples share.
    anchor: Anchor,
    models: Vec<ExampleModel>,
    /// The gap of each example when its oracle was last asked.
    gaps: Vec<f64>,
    /// Examples that are visited at one w.
    batch: usize,
    /// What visits have cost since a joint climb was last not worth its cost.
    cost_since_climb: f64,
    /// Whether the last joint climb was.
    climbs: bool,
    /// How far rounding may have taken the weights from the coefficients.
    drift: Drift,
    /// Whether sums that cancel are taken with twice the digits: from the first time on that rounding was not negligible.
    is_precise: bool,
    /// The most roundings of a loss.
    terms: f64,
    /// The visits of a batch; more than are in use. Each is worked on by one thread at a time: no lock is ever waited for.
    #[serde(skip)]
    visits: Vec<Mutex<Visit>>,
}

/// What visits of several examples came to.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct PassTotals {
    /// The sum of the gaps that were seen, each when its turn came.
    pub(super) gap: f64,
    /// What the dual gained.
    pub(super) gain: f64,
    /// The number of visits, and of those that wanted to move.
    pub(super) visits: usize,
    moves: usize,
    /// The sum of the step lengths, 1 being the whole way.
    steps: f64,
}

/// The oracles and the working memory of all threads that may work on one pass.
pub(super) struct Workers<'a> {
    risk: &'a dyn Risk,
    visitors: Vec<Visitor<'a>>,
}

impl<'a> Workers<'a> {
    pub(super) fn new(risk: &'a dyn Risk) -> Self {
        let visitors = (0..rayon::current_num_threads()).map(|_| Visitor::new(risk)).collect();
        Self { risk, visitors }
    }
}

/// What lies inside a lock. A thread that panics while it holds one takes the whole pass with it.
fn open<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The same without the lock, for whoever has it all.
fn inside<T>(lock: &mut Mutex<T>) -> &mut T {
    lock.get_mut().unwrap_or_else(PoisonError::into_inner)
}

impl BlockAscent {
    /// All mass on the zero planes: w = 0.
    pub(super) fn new(lambda: f64, risk: &dyn Risk) -> Self {
        Self {
            lambda,
            weights: LargeVector::zeros(risk.dim()),
            anchor: Anchor::new(risk.common_directions()),
            models: (0..risk.len()).map(|i| ExampleModel::new(mass(risk, i))).collect(),
            gaps: vec![f64::INFINITY; risk.len()],
            batch: FIRST_BATCH,
            cost_since_climb: 0.0,
            climbs: false,
            drift: Drift::default(),
            is_precise: false,
            terms: (0..risk.len()).map(|i| risk.roundings(i)).fold(0.0, f64::max),
            visits: Vec::new(),
        }
    }

    pub(super) fn lambda(&self) -> f64 {
        self.lambda
    }

    /// Goes on with another λ from the same coefficients: w = −Σ β a / λ changes by a factor.
    pub(super) fn set_lambda(&mut self, lambda: f64) {
        let factor = self.lambda / lambda;
        self.weights.iter_mut().for_each(|w| *w *= factor);
        self.anchor.scale(factor);
        self.drift.scaled(factor);
        self.drift.pulled(0.0, self.anchor.extent(), 2.0);
        self.forget_gaps();
        self.lambda = lambda;
    }

    pub(super) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The gap of each example when its oracle was last asked; infinite before.
    pub(super) fn gaps(&self) -> &[f64] {
        &self.gaps
    }

    /// Forgets these gaps, so that all examples are visited.
    pub(super) fn forget_gaps(&mut self) {
        self.gaps.fill(f64::INFINITY);
    }

    /// Whether an example has planes besides the zero plane.
    pub(super) fn has_planes(&self, example: usize) -> bool {
        !self.models[example].planes.is_empty()
    }

    /// Visits for a batch, with what they have allocated before.
    fn take_visits(&mut self, batch: usize) -> Vec<Mutex<Visit>> {
        let mut visits = std::mem::take(&mut self.visits);
        if visits.len() < batch {
            visits.resize_with(batch, Mutex::default);
        }
        visits
    }

    /// Forgets planes that have had no mass for long, where no visit with the oracle does.
    pub(super) fn drop_idle(&mut self) {
        self.models.iter_mut().for_each(|model| model.drop_idle(IDLE_LIMIT));
    }

    /// Computes the weights anew from the coefficients, which takes away the rounding of many small steps.
    pub(super) fn recompute_weights(&mut self, workers: &mut Workers<'_>) {
        match self.is_precise {
            false => self.sum_plainly(workers),
            true => self.sum_precisely(workers),
        }
        self.anchor.attach(workers.risk.common_directions(), &mut self.weights, &mut self.drift);
    }

    fn sum_plainly(&mut self, workers: &mut Workers<'_>) {
        let mut weights = std::mem::take(&mut self.weights);
        weights.fill(0.0);
        let mut drift = Drift::default();
        self.for_each_slope(workers, |oracle, i, model, factors, additions| {
            let length = oracle.add_slopes(i, &model.planes, factors, &mut weights);
            drift.moved(length, additions, 0.0);
        });
        self.drift = Drift::restart(drift.distance(), norm_bound(&weights));
        self.weights = weights;
    }

    fn sum_precisely(&mut self, workers: &mut Workers<'_>) {
        let mut sum = PreciseSum::zeros(self.weights.len());
        let (mut length, mut additions, mut rounded) = (0.0, 0.0, 0.0);
        let risk = workers.risk;
        self.for_each_slope(workers, |oracle, i, model, factors, most| {
            let of_example = oracle.add_slopes(i, &model.planes, factors, &mut sum);
            length += of_example;
            additions += most;
            rounded += if risk.magnitude(i).is_exact { 0.0 } else { 8.0 * f64::EPSILON * of_example };
        });
        self.weights.iter_mut().zip(sum.iter()).for_each(|(w, sum)| *w = sum);
        let norm = norm_bound(&self.weights);
        let lost = round_up(precise_share(additions) * length + rounded, additions);
        self.drift = Drift::restart(f64::EPSILON * norm + lost, norm);
    }

    /// Makes all coefficients feasible again, and calls `add` with the factors −β/λ of each example's planes and how often one
    /// weight can occur in them.
    fn for_each_slope(
        &mut self,
        workers: &mut Workers<'_>,
        mut add: impl FnMut(&mut dyn Oracle, usize, &ExampleModel, &[(usize, f64)], f64),
    ) {
        let risk = workers.risk;
        let oracle = workers.visitors[0].oracle.as_mut();
        let mut factors = Vec::new();
        for (i, model) in self.models.iter_mut().enumerate() {
            model.normalize();
            factors.clear();
            let with_mass = model.coefficients[1..].iter().enumerate().filter(|&(_, &beta)| beta != 0.0);
            factors.extend(with_mass.map(|(k, beta)| (k, -beta / self.lambda)));
            if !factors.is_empty() {
                let additions = 2.0 * risk.magnitude(i).repeats * (factors.len() + 1) as f64;
                add(oracle, i, model, &factors, additions);
            }
        }
    }

    /// Takes the same coefficients for planes of another risk, whose labels are those of before but whose features are others: products and
    /// weights are computed anew.
    pub(super) fn refit(&mut self, workers: &mut Workers<'_>) {
        let risk = workers.risk;
        let oracle = || (risk.oracle(), Vec::new());
        self.models.par_iter_mut().enumerate().for_each_init(oracle, |(oracle, products), (i, model)| {
            model.refit(|plane, before| {
                products.clear();
                oracle.products(i, plane, before, products);
                products.clone()
            });
        });
        self.recompute_weights(workers);
    }

    /// A lower bound on F* under another norm than the Euclidean one, where the workers are those of the risk itself: what is kept here may be of one
    /// whose features are scaled. Σ β b − 1/(2λ) max_α Σ α_n ‖(Σ β a)_n‖², less what rounding may have added.
    pub(super) fn lower_bound_under(
        &mut self,
        norm: &dyn BlockNorm,
        workers: &mut Workers<'_>,
        gap: f64,
    ) -> f64 {
        let kept = (std::mem::take(&mut self.weights), self.drift);
        self.weights = LargeVector::zeros(workers.risk.dim());
        let mut bound = 0.0;
        for is_precise in [self.is_precise, true] {
            match is_precise {
                false => self.sum_plainly(workers),
                true => self.sum_precisely(workers),
            }
            // √ max_α Σ α_n ‖·‖² is a norm, and no more than the Euclidean one, as no α is above 1.
            let largest = round_up(norm.largest(&block_squares(norm, &self.weights)).sqrt(), 2.0);
            let distance = self.drift.distance();
            let (offsets, load) = self.offsets_and_load();
            bound = lower_bound_of(offsets, largest + distance, self.lambda, load);
            if is_precise || is_negligible(self.lambda * distance * (largest + distance), gap) {
                break;
            }
            self.is_precise = true;
        }
        (self.weights, self.drift) = kept;
        bound
    }

    /// A lower bound on F*: Σ β b − λ/2 ‖w‖², less what the rounding of all changes and sums may have added to it. Where
    /// that is not negligible against `gap`, the weights are computed anew first, and with twice the digits if need be.
    pub(super) fn lower_bound(&mut self, workers: &mut Workers<'_>, gap: f64) -> f64 {
        let mut dual = self.dual(workers.risk);
        if gap == f64::INFINITY {
            // Whoever has no gap yet, or breaks off, changes nothing by asking.
            return dual.bound;
        }
        self.drift.measured(dual.norm);
        if !is_negligible(dual.allowance, gap) && self.drift.is_worth_mending() {
            self.recompute_weights(workers);
            dual = self.dual(workers.risk);
        }
        if !is_negligible(dual.allowance, gap) && !self.is_precise {
            self.is_precise = true;
            self.recompute_weights(workers);
            dual = self.dual(workers.risk);
        }
        dual.bound
    }

    /// What the coefficients prove.
    fn dual(&self, risk: &dyn Risk) -> Dual {
        let (offsets, load) = self.offsets_and_load();
        let (norm, rounded) = self.anchor.free_norm(risk.common_directions(), &self.weights);
        let distance = self.drift.distance() + rounded;
        Dual {
            // No example may give its planes more than its mass: all coefficients are scaled down.
            bound: lower_bound_of(offsets, norm + distance, self.lambda, load),
            allowance: self.lambda * distance * (norm + distance),
            norm: if self.anchor.is_absent() { norm } else { norm_bound(&self.weights) },
        }
    }

    /// No more than Σ β b, and no less than the largest share of an example's mass that its planes have.
    fn offsets_and_load(&self) -> (f64, f64) {
        let mut offsets = Precise::default();
        let (mut load, mut most) = (1.0_f64, 0);
        for model in &self.models {
            let (offset, of_model) = model.offset_and_load();
            offsets.add(offset);
            load = load.max(of_model);
            most = most.max(model.planes.len());
        }
        let operations = most as f64 + self.terms;
        (round_down(offsets.get(), operations), round_up(load, operations + 16.0))
    }
}

/// The value of the dual.
struct Dual {
    /// A lower bound on F*.
    bound: f64,
    /// The part by which it is lower for the sake of rounding in the weights.
    allowance: f64,
    /// A bound on ‖w‖.
    norm: f64,
}
