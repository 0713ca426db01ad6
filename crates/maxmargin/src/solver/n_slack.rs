//! The n-slack cutting-plane method: one model per example (Tsochantaridis et al. 2005; MATH.md §5).
//!
//! Each pass asks the oracle for every example at one w, over all cores, and keeps the planes that lie above the model
//! by more than a share of the gap. Then the dual over all kept planes is raised by block-coordinate steps with w held
//! explicitly: planes are sparse, and no Gram matrix larger than one example's is ever made. Planes that stayed without
//! mass are dropped, so memory grows with the planes that matter.

use std::time::Instant;

use rayon::prelude::*;

use super::simplex_qp::{Block, QpLimits, Quadratic, solve};
use super::{Certificate, Progress, Solver};
use crate::linear::norm_squared;
use crate::risk::{Bounds, Plane, Risk};

/// A plane without mass is dropped after this many master problems.
const IDLE_LIMIT: u32 = 5;

/// Examples whose planes are asked for between two visits of the model: bounds the planes held at once.
const WAVE: usize = 4096;

/// Examples that a thread takes at a time.
const CHUNK: usize = 64;

/// The n-slack cutting-plane solver.
pub struct NSlack {
    lambda: f64,
    model: ExplicitQuadratic,
    evaluated: Vec<f64>,
    best: Certificate,
}

impl NSlack {
    /// A solver that starts at 0.
    pub fn new(lambda: f64, risk: &dyn Risk) -> Self {
        let share = 1.0 / risk.len().max(1) as f64;
        let blocks = (0..risk.len()).map(|i| ExampleModel::new(risk.weight(i) * share)).collect();
        let model = ExplicitQuadratic {
            lambda,
            weights: vec![0.0; risk.dim()],
            blocks,
            loaded: 0,
            values: Vec::new(),
            coefficients: Vec::new(),
        };
        Self { lambda, model, evaluated: vec![0.0; risk.dim()], best: Certificate::UNKNOWN }
    }

    /// The number of planes held.
    pub fn planes(&self) -> usize {
        self.model.blocks.iter().map(|block| block.planes.len()).sum()
    }

    /// Asks for every plane at the current w, keeps those that cut, and returns the bounds on R(w).
    fn add_planes(&mut self, risk: &dyn Risk, tolerance: f64) -> Bounds {
        let mut total = Bounds::default();
        let n = risk.len();
        for wave in (0..n).step_by(WAVE) {
            let wave = wave..(wave + WAVE).min(n);
            let model = &self.model;
            let answers: Vec<(Bounds, Option<Plane>)> = wave
                .clone()
                .collect::<Vec<_>>()
                .par_chunks(CHUNK)
                .map_init(
                    || risk.oracle(),
                    |oracle, examples| {
                        let mut plane = Plane::default();
                        let mut answer = |&i: &usize| {
                            let above = model.blocks[i].value(&model.weights) + tolerance;
                            let bounds = oracle.plane(i, (&model.weights).into(), above, &mut plane);
                            (bounds, (bounds.value > above).then(|| plane.clone()))
                        };
                        examples.iter().map(&mut answer).collect::<Vec<_>>()
                    },
                )
                .flatten_iter()
                .collect();
            for (i, (bounds, plane)) in wave.zip(answers) {
                let weight = risk.weight(i) / n as f64;
                total += Bounds { value: weight * bounds.value, upper: weight * bounds.upper };
                if let Some(plane) = plane {
                    self.model.blocks[i].push(plane);
                }
            }
        }
        total
    }
}

impl Solver for NSlack {
    fn name(&self) -> &'static str {
        "n-slack"
    }

    fn step(&mut self, risk: &dyn Risk) -> Progress {
        self.evaluated.copy_from_slice(&self.model.weights);
        let left = self.best.primal - self.best.lower_bound;
        let tolerance = if left.is_finite() { MASTER_SHARE * left.max(0.0) } else { 0.0 };
        let bounds = self.add_planes(risk, tolerance);
        let primal = 0.5 * self.lambda * norm_squared(&self.evaluated) + bounds.upper;
        let start = Instant::now();
        self.best.primal = self.best.primal.min(primal);
        let left = self.best.primal - self.best.lower_bound.max(0.0);
        let limits = QpLimits { gap: MASTER_SHARE * left.max(0.0), steps: u64::MAX, steps_per_visit: 20 };
        solve(&mut self.model, limits);
        self.model.recompute_weights();
        self.best.lower_bound = self.best.lower_bound.max(self.model.dual());
        self.model.drop_idle();
        Progress {
            certificate: Certificate {
                primal,
                lower_bound: self.best.lower_bound,
                oracle_gap: bounds.upper - bounds.value,
            },
            oracle_calls: risk.len() as u64,
            master_seconds: start.elapsed().as_secs_f64(),
        }
    }

    fn weights(&self) -> &[f64] {
        &self.evaluated
    }
}

/// Planes are kept and the dual is solved to this share of the gap that is left.
const MASTER_SHARE: f64 = 0.1;

/// The cutting-plane model of one example. Plane 0 is the zero plane.
struct ExampleModel {
    planes: Vec<Plane>,
    /// Inner products of the planes without the zero plane, `planes.len()` squared.
    products: Vec<f64>,
    idle: Vec<u32>,
    /// The coefficient of the zero plane and of each plane.
    coefficients: Vec<f64>,
}

impl ExampleModel {
    fn new(mass: f64) -> Self {
        Self { planes: Vec::new(), products: Vec::new(), idle: Vec::new(), coefficients: vec![mass] }
    }

    /// max over the planes at w.
    fn value(&self, w: &[f64]) -> f64 {
        self.planes.iter().map(|plane| plane.a.dot(w) + plane.b).fold(0.0, f64::max)
    }

    fn push(&mut self, plane: Plane) {
        let old = self.planes.len();
        let mut products = vec![0.0; (old + 1) * (old + 1)];
        for j in 0..old {
            products[j * (old + 1)..][..old].copy_from_slice(&self.products[j * old..][..old]);
            let product = self.planes[j].a.dot_sparse(&plane.a);
            products[j * (old + 1) + old] = product;
            products[old * (old + 1) + j] = product;
        }
        products[old * (old + 1) + old] = plane.a.norm_squared();
        self.products = products;
        self.planes.push(plane);
        self.idle.push(0);
        self.coefficients.push(0.0);
    }

    fn product(&self, j: usize, k: usize) -> f64 {
        if j == 0 || k == 0 { 0.0 } else { self.products[(j - 1) * self.planes.len() + k - 1] }
    }

    fn drop_idle(&mut self) {
        let old = self.planes.len();
        for j in 0..old {
            self.idle[j] = if self.coefficients[j + 1] != 0.0 { 0 } else { self.idle[j] + 1 };
        }
        let kept: Vec<usize> = (0..old).filter(|&j| self.idle[j] <= IDLE_LIMIT).collect();
        if kept.len() == old {
            return;
        }
        self.products = kept
            .iter()
            .flat_map(|&j| kept.iter().map(move |&k| (j, k)))
            .map(|(j, k)| self.products[j * old + k])
            .collect();
        self.planes = kept.iter().map(|&j| std::mem::take(&mut self.planes[j])).collect();
        self.idle = kept.iter().map(|&j| self.idle[j]).collect();
        self.coefficients = std::iter::once(self.coefficients[0])
            .chain(kept.iter().map(|&j| self.coefficients[j + 1]))
            .collect();
    }
}

/// All examples' models with the weights w = −Aβ/λ held explicitly.
struct ExplicitQuadratic {
    lambda: f64,
    weights: Vec<f64>,
    blocks: Vec<ExampleModel>,
    /// The loaded block: its number, and its planes' values and coefficients.
    loaded: usize,
    values: Vec<f64>,
    coefficients: Vec<f64>,
}

impl ExplicitQuadratic {
    /// Takes away the rounding of many small steps.
    fn recompute_weights(&mut self) {
        self.weights.fill(0.0);
        for block in &self.blocks {
            for (plane, &beta) in block.planes.iter().zip(&block.coefficients[1..]) {
                if beta != 0.0 {
                    plane.a.add_to(-beta / self.lambda, &mut self.weights);
                }
            }
        }
    }

    /// Σ β b − λ/2 ‖w‖², a lower bound on F*.
    fn dual(&self) -> f64 {
        let offsets = |block: &ExampleModel| -> f64 {
            block.planes.iter().zip(&block.coefficients[1..]).map(|(plane, beta)| plane.b * beta).sum()
        };
        self.blocks.iter().map(offsets).sum::<f64>() - 0.5 * self.lambda * norm_squared(&self.weights)
    }

    fn drop_idle(&mut self) {
        self.blocks.iter_mut().for_each(ExampleModel::drop_idle);
    }
}

impl Quadratic for ExplicitQuadratic {
    fn blocks(&self) -> usize {
        self.blocks.len()
    }

    fn load(&mut self, p: usize) {
        let block = &self.blocks[p];
        self.loaded = p;
        self.values.clear();
        self.values.push(0.0);
        self.values.extend(block.planes.iter().map(|plane| plane.a.dot(&self.weights) + plane.b));
        self.coefficients.clear();
        self.coefficients.extend_from_slice(&block.coefficients);
    }

    fn loaded(&self) -> Block<'_> {
        Block { values: &self.values, coefficients: &self.coefficients }
    }

    fn curvature(&self, from: usize, to: usize) -> f64 {
        let block = &self.blocks[self.loaded];
        (block.product(from, from) + block.product(to, to) - 2.0 * block.product(from, to)).max(0.0)
            / self.lambda
    }

    fn transfer(&mut self, from: usize, to: usize, amount: f64, whole: bool) {
        self.coefficients[to] += amount;
        self.coefficients[from] = if whole { 0.0 } else { self.coefficients[from] - amount };
        let block = &self.blocks[self.loaded];
        for (j, value) in self.values.iter_mut().enumerate() {
            *value += amount / self.lambda * (block.product(from, j) - block.product(to, j));
        }
    }

    fn unload(&mut self) {
        let block = &mut self.blocks[self.loaded];
        for ((plane, old), new) in
            block.planes.iter().zip(&mut block.coefficients[1..]).zip(&self.coefficients[1..])
        {
            if old != new {
                plane.a.add_to((*old - new) / self.lambda, &mut self.weights);
                *old = *new;
            }
        }
        block.coefficients[0] = self.coefficients[0];
    }
}
