//! All coefficients that have mass move at once.
//!
//! Visits change one example at a time. Where examples share their features and λ is small, each undoes a part of what
//! the last one did, and the dual crawls. Among the planes that have mass the dual is a concave quadratic without
//! constraints (but for one sum per example): conjugate gradients climb it, with no matrix but the planes themselves.
//! A step that would leave the simplices either ends where the first plane has lost its mass, or goes towards its
//! projection, which takes the mass of many planes at once: whichever gains more. The dual never falls. Visits choose the
//! planes; this gives them their coefficients.

use rayon::prelude::*;

use super::{BlockAscent, PART, PassTotals, Workers};
use crate::linear::{LargeVector, dot, large_norm_squared};
use crate::risk::Point;

/// The most steps of a climb.
const MOST_STEPS: usize = 20;

/// What a step costs at most, in visits of every example on the way.
const STEP_COST: f64 = 3.0;

/// Visits may cost this share more for the sake of climbs that turn out not to be worth it.
const WASTE: f64 = 0.1;

/// A climb ends when a step gains less than this share of all it has gained.
const LEAST_SHARE: f64 = 1e-3;

/// Weights that a thread changes at a time.
const WEIGHTS: usize = 1 << 16;

/// The examples whose mass is shared, with all their coefficients one after the other.
struct Face {
    examples: Vec<usize>,
    /// Where each example's coefficients begin, and where the last one's end.
    starts: Vec<usize>,
    coefficients: Vec<f64>,
}

impl Face {
    fn new(ascent: &BlockAscent) -> Self {
        let mut face = Self { examples: Vec::new(), starts: vec![0], coefficients: Vec::new() };
        for (i, model) in ascent.models.iter().enumerate() {
            if model.coefficients.iter().filter(|&&beta| beta > 0.0).nth(1).is_some() {
                face.examples.push(i);
                face.coefficients.extend_from_slice(&model.coefficients);
                face.starts.push(face.coefficients.len());
            }
        }
        face
    }

    fn ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.starts.windows(2).map(|ends| ends[0]..ends[1])
    }

    /// The gradient along the face: values less their mean over each example's planes with mass, and 0 for the others.
    fn gradient(&self, values: &[f64]) -> Vec<f64> {
        let mut gradient = vec![0.0; values.len()];
        for range in self.ranges() {
            let on = |k: &usize| self.coefficients[*k] > 0.0;
            let (sum, count) =
                range.clone().filter(on).fold((0.0, 0.0), |(s, c), k| (s + values[k], c + 1.0));
            range.filter(on).for_each(|k| gradient[k] = values[k] - sum / count);
        }
        gradient
    }

    /// How far a direction can be followed, and which plane then has no mass left.
    fn longest_step(&self, direction: &[f64]) -> (f64, usize) {
        let mut longest = (f64::INFINITY, 0);
        for (k, (&beta, &d)) in self.coefficients.iter().zip(direction).enumerate() {
            if d < 0.0 && beta < -d * longest.0 {
                longest = (beta / -d, k);
            }
        }
        longest
    }

    /// The way to what a step along a direction becomes when the mass beyond the border is taken from the others.
    fn projected(&self, direction: &[f64], step: f64) -> Vec<f64> {
        let moved = |k: usize| (self.coefficients[k] + step * direction[k]).max(0.0);
        let mut way = vec![0.0; direction.len()];
        for range in self.ranges() {
            let mass: f64 = self.coefficients[range.clone()].iter().sum();
            let kept: f64 = range.clone().map(moved).sum();
            range.for_each(|k| way[k] = moved(k) * (mass / kept) - self.coefficients[k]);
        }
        way
    }
}

/// The dual along a direction: its slope there and its second derivative, and Σ_k direction_k a_k.
struct LineSearch {
    direction: Vec<f64>,
    slopes: LargeVector,
    rise: f64,
    curvature: f64,
}

impl LineSearch {
    fn peak(&self) -> f64 {
        self.rise / self.curvature
    }

    fn gain(&self, step: f64) -> f64 {
        step * (self.rise - 0.5 * step * self.curvature)
    }
}

/// A line with the step to take on it.
struct ConjugateStep {
    line: LineSearch,
    step: f64,
    /// The plane that loses all its mass.
    emptied: Option<usize>,
    /// Whether no border was in the way: then the next direction is conjugate to this one.
    free: bool,
}

impl BlockAscent {
    /// Climbs where that is worth its cost, compared with what other visits have gained lately for theirs, or where so much
    /// has been spent on those that it is time to try. Says whether it was worth it.
    pub(in super::super) fn climb_if_due(&mut self, workers: &mut Workers<'_>, gain: f64, cost: f64) -> bool {
        if !self.anchor.is_absent() {
            // What examples share is held by the anchor; what they do not share is climbed block by block.
            return false;
        }
        self.cost_since_climb += cost;
        let most = STEP_COST * (MOST_STEPS * self.models.len()) as f64;
        if !self.climbs && most > WASTE * self.cost_since_climb {
            return false;
        }
        let climb = self.climb(workers);
        self.climbs = climb.gain > 0.0 && climb.gain * cost >= gain * climb.visits as f64;
        if !self.climbs {
            self.cost_since_climb = 0.0;
        }
        self.climbs
    }

    /// Climbs step by step.
    fn climb(&mut self, workers: &mut Workers<'_>) -> PassTotals {
        let mut face = Face::new(self);
        let mut totals = PassTotals { visits: face.examples.len(), ..PassTotals::default() };
        let mut values = self.face_values(workers, &face);
        let mut gradient = face.gradient(&values);
        let mut slopes = LargeVector::zeros(self.weights.len());
        let mut direction = gradient.clone();
        for _ in 0..MOST_STEPS {
            let line = self.line_search(workers, &face, &values, direction, slopes, &mut totals);
            let Some(ConjugateStep { line, step, emptied, free }) =
                self.conjugate_step(workers, &face, &values, line, &mut totals)
            else {
                break;
            };
            for (beta, d) in face.coefficients.iter_mut().zip(&line.direction) {
                *beta = (*beta + step * d).max(0.0);
            }
            if let Some(k) = emptied {
                face.coefficients[k] = 0.0;
            }
            subtract(&mut self.weights, step / self.lambda, &line.slopes);
            totals.gain += line.gain(step);
            if line.gain(step) <= LEAST_SHARE * totals.gain {
                break;
            }
            values = self.face_values(workers, &face);
            totals.visits += face.examples.len();
            let before = dot(&gradient, &gradient);
            gradient = face.gradient(&values);
            let turn = if free { dot(&gradient, &gradient) / before } else { 0.0 };
            (direction, slopes) = (line.direction, line.slopes);
            direction.iter_mut().zip(&gradient).for_each(|(d, g)| *d = g + turn * *d);
        }
        for (&i, range) in face.examples.iter().zip(face.ranges()) {
            self.models[i].coefficients.copy_from_slice(&face.coefficients[range]);
        }
        // Long steps along nearly flat directions would make mass of what rounding leaves.
        self.recompute_weights(workers);
        totals
    }

    /// How far to go on a line, or on another where it leaves the simplices; none where there is nothing to gain.
    fn conjugate_step(
        &self,
        workers: &mut Workers<'_>,
        face: &Face,
        values: &[f64],
        line: LineSearch,
        totals: &mut PassTotals,
    ) -> Option<ConjugateStep> {
        let peak = line.peak();
        if !(peak.is_finite() && peak > 0.0) {
            return None;
        }
        let (limit, blocking) = face.longest_step(&line.direction);
        if peak < limit {
            return Some(ConjugateStep { line, step: peak, emptied: None, free: true });
        }
        let way = face.projected(&line.direction, peak);
        let no_slopes = LargeVector::zeros(self.weights.len());
        let projected = self.line_search(workers, face, values, way, no_slopes, totals);
        let far = projected.peak().min(1.0);
        let mut conjugate_step = ConjugateStep { line, step: limit, emptied: Some(blocking), free: false };
        if far > 0.0 && projected.gain(far) > conjugate_step.line.gain(limit) {
            conjugate_step = ConjugateStep { line: projected, step: far, emptied: None, free: false };
        }
        Some(conjugate_step)
    }

    fn line_search(
        &self,
        workers: &mut Workers<'_>,
        face: &Face,
        values: &[f64],
        direction: Vec<f64>,
        mut slopes: LargeVector,
        totals: &mut PassTotals,
    ) -> LineSearch {
        totals.visits += face.examples.len();
        self.sum_slopes(workers, face, &direction, &mut slopes);
        let rise = dot(&direction, values);
        let curvature = large_norm_squared(&slopes) / self.lambda;
        LineSearch { direction, slopes, rise, curvature }
    }

    /// The values of all planes of the face.
    fn face_values(&self, workers: &Workers<'_>, face: &Face) -> Vec<f64> {
        let parts = face.examples.par_chunks(PART).map_init(
            || workers.risk.oracle(),
            |oracle, examples| {
                let mut values = Vec::new();
                for &i in examples {
                    values.push(0.0);
                    oracle.values(
                        i,
                        Point::unmeasured(&self.weights, 1.0),
                        &self.models[i].planes,
                        &mut values,
                    );
                }
                values
            },
        );
        parts.collect::<Vec<_>>().concat()
    }

    /// Σ_k direction_k a_k.
    fn sum_slopes(&self, workers: &mut Workers<'_>, face: &Face, direction: &[f64], slope: &mut LargeVector) {
        let oracle = &mut workers.visitors[0].oracle;
        let mut factors = Vec::new();
        slope.fill(0.0);
        for (&i, range) in face.examples.iter().zip(face.ranges()) {
            factors.clear();
            factors.extend(direction[range].iter().copied().skip(1).enumerate().filter(|&(_, d)| d != 0.0));
            oracle.add_slopes(i, &self.models[i].planes, &factors, slope);
        }
    }
}

/// point −= factor · slope.
fn subtract(point: &mut [f64], factor: f64, slope: &[f64]) {
    let parts = point.par_chunks_mut(WEIGHTS).zip(slope.par_chunks(WEIGHTS));
    parts.for_each(|(point, slope)| point.iter_mut().zip(slope).for_each(|(p, s)| *p -= factor * s));
}
