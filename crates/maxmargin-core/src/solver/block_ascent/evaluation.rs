//! The risk at one point, with the planes that the oracles find there.
//!
//! Every example is asked at the same point, so that it may be broken off anywhere: what is known of an example does not depend on the others,
//! and is added up in one order whenever it came.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::visit::{Look, Visit, Visitor};
use super::{BlockAscent, PART, Workers, inside};
use crate::risk::{Bounds, Point};
use crate::solver::certificate::is_negligible;
use crate::solver::{Halt, mass};

/// Examples whose planes are looked for between two moments of keeping them: bounds the planes held at once.
const WAVE: usize = 4096;

/// An evaluation, and how far it is.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in super::super) struct Evaluation {
    /// The sum over all waves that are over.
    total: Bounds,
    /// Where the next wave begins, and what is known of its examples where it was broken off.
    start: usize,
    wave: Vec<Option<Bounds>>,
    /// How often an oracle was asked.
    asked: usize,
}

impl Evaluation {
    /// How often an oracle was asked: more than once for an example that is looked at again with twice the digits.
    pub(in super::super) fn asked(&self) -> usize {
        self.asked
    }
}

impl BlockAscent {
    /// Asks the oracle for every example at one point, keeps the planes that lie above the models there, and returns
    /// bounds on the risk. Where rounding is not negligible in them against what is `left` of the gap, it is done again
    /// with twice the digits.
    pub(in super::super) fn evaluate(&mut self, workers: &Workers<'_>, at: &[f64], left: f64) -> Bounds {
        let mut evaluation = Evaluation::default();
        self.go_on_evaluating(workers, &mut evaluation, at, left, &Halt::default()).unwrap_or_default()
    }

    /// Goes on with an evaluation at the point where it was begun; none where somebody asks to break off before it is over.
    pub(in super::super) fn go_on_evaluating(
        &mut self,
        workers: &Workers<'_>,
        evaluation: &mut Evaluation,
        at: &[f64],
        left: f64,
        halt: &Halt,
    ) -> Option<Bounds> {
        let at = Point::from(at);
        if !self.is_precise {
            let bounds = self.evaluate_at(workers, evaluation, at, halt)?;
            if is_negligible(bounds.rounding, left) {
                return Some(bounds);
            }
            self.is_precise = true;
            *evaluation = Evaluation { asked: evaluation.asked, ..Evaluation::default() };
        }
        self.evaluate_at(workers, evaluation, at.precisely(), halt)
    }

    fn evaluate_at(
        &mut self,
        workers: &Workers<'_>,
        evaluation: &mut Evaluation,
        at: Point<'_>,
        halt: &Halt,
    ) -> Option<Bounds> {
        let n = self.models.len();
        while evaluation.start < n {
            let size = WAVE.min(n - evaluation.start);
            evaluation.wave.resize(size, None);
            self.look_at_wave(workers, evaluation, at, halt);
            let mut of_wave = Bounds::default();
            for (k, bounds) in evaluation.wave.iter().enumerate() {
                of_wave += bounds.as_ref()?.times(mass(workers.risk, evaluation.start + k));
            }
            evaluation.total += of_wave;
            evaluation.start += size;
            evaluation.wave.clear();
        }
        Some(evaluation.total.raised((n.min(WAVE) + n.div_ceil(WAVE) + 8) as f64))
    }

    /// Asks for those examples of a wave of which nothing is known yet.
    fn look_at_wave(
        &mut self,
        workers: &Workers<'_>,
        evaluation: &mut Evaluation,
        at: Point<'_>,
        halt: &Halt,
    ) {
        let Evaluation { start, ref mut wave, ref mut asked, .. } = *evaluation;
        let unknown: Vec<usize> = (0..wave.len()).filter(|&k| wave[k].is_none()).collect();
        let mut visits = self.take_visits(unknown.len());
        for (visit, &k) in visits.iter_mut().zip(&unknown) {
            let visit = inside(visit);
            visit.example = start + k;
            visit.model = std::mem::take(&mut self.models[start + k]);
        }
        let visitor = || Visitor::new(workers.risk);
        let parts = visits[..unknown.len()].par_chunks_mut(PART);
        let looks: Vec<bool> = parts
            .map_init(visitor, |visitor, visits| {
                let goes_on = !halt.is_asked();
                if goes_on {
                    visits.iter_mut().for_each(|visit| visitor.look(inside(visit), at, Look::Oracle));
                }
                goes_on
            })
            .collect();
        for (number, (visit, &k)) in visits.iter_mut().zip(&unknown).enumerate() {
            let Visit { example, model, gap, bounds, .. } = inside(visit);
            self.models[*example] = std::mem::take(model);
            if looks[number / PART] {
                self.gaps[*example] = *gap;
                wave[k] = Some(*bounds);
                *asked += 1;
            }
        }
        self.visits = visits;
    }
}
