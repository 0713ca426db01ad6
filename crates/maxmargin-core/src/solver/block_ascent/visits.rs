//! A round of visits, batch by batch.
//!
//! It may be broken off between two batches: the coefficients are feasible there and the weights are theirs. What is left is kept, and
//! made later at the same batches, so that the end is the same to the last bit as without a break.

use std::sync::{Mutex, PoisonError, RwLock};

use serde::{Deserialize, Serialize};

use super::team::Team;
use super::visit::{Look, Visit, Visitor};
use super::{BlockAscent, IDLE_LIMIT, PassTotals, Workers, open};
use crate::risk::Point;
use crate::solver::Halt;

/// The batch grows when its visits go this far on average, and shrinks when they go less far than that: where
/// steps are short, visits of one batch undo each other's work.
const LONG_STEP: f64 = 0.95;
const SHORT_STEP: f64 = 0.88;

/// The sizes between which the batch moves.
const SMALLEST_BATCH: usize = 4;
const LARGEST_BATCH: usize = 64;

/// Visits that are to be made, and how far they are.
#[derive(Debug, Serialize, Deserialize)]
pub(in super::super) struct Visits {
    look: Look,
    examples: Vec<usize>,
    done: usize,
    totals: PassTotals,
}

impl Visits {
    /// One of each of these examples, which must all be different, in this order.
    pub(in super::super) fn new(examples: Vec<usize>, look: Look) -> Self {
        Self { look, examples, done: 0, totals: PassTotals::default() }
    }

    /// What they have come to so far.
    pub(in super::super) fn totals(&self) -> PassTotals {
        self.totals
    }
}

impl BlockAscent {
    /// Visits examples, which must all be different, batch by batch.
    pub(in super::super) fn visit(
        &mut self,
        workers: &mut Workers<'_>,
        examples: Vec<usize>,
        look: Look,
    ) -> PassTotals {
        let mut visits = Visits::new(examples, look);
        self.go_on_visiting(workers, &mut visits, &Halt::default());
        visits.totals
    }

    /// Makes the visits that are left, or those until somebody asks to break off; says whether all are made.
    pub(in super::super) fn go_on_visiting(
        &mut self,
        workers: &mut Workers<'_>,
        round: &mut Visits,
        halt: &Halt,
    ) -> bool {
        let Some((leader, helpers)) = workers.visitors.split_first_mut() else { return true };
        let Visits { look, ref examples, ref mut done, ref mut totals } = *round;
        let (lambda, batch) = (self.lambda, self.batch);
        let visits = self.take_visits(batch);
        // The weights are read while a batch is worked on and written in between: nobody waits for this lock either.
        let weights = RwLock::new(std::mem::take(&mut self.weights));
        let work = |visitor: &mut Visitor<'_>, k: usize| {
            let weights = weights.read().unwrap_or_else(PoisonError::into_inner);
            let visit = &mut *open(&visits[k]);
            if look == Look::Oracle {
                visit.model.drop_idle(IDLE_LIMIT);
            }
            visitor.look(visit, Point::unmeasured(&weights, 1.0), look);
            visitor.ascend(visit, lambda);
        };
        let most_helpers = helpers.len();
        let grain = (batch / (4 * (1 + most_helpers))).max(1);
        let common = workers.risk.common_directions();
        let team = Team::default();
        // Helpers come and go: each takes a visitor that nobody has.
        let free: Mutex<Vec<&mut Visitor<'_>>> = Mutex::new(helpers.iter_mut().collect());
        let help = || {
            let visitor = open(&free).pop();
            if let Some(visitor) = visitor {
                team.help(|k| work(visitor, k));
                open(&free).push(visitor);
            }
            team.go();
        };
        let mut batch_order = Vec::with_capacity(batch);
        rayon::scope(|scope| {
            let _closing = team.closing();
            for examples in examples[*done..].chunks(batch) {
                if halt.is_asked() {
                    return;
                }
                // Visits are taken from the end: the longest first, so that nobody waits long for the last.
                batch_order.clear();
                batch_order.extend_from_slice(examples);
                batch_order.sort_by_key(|&i| self.models[i].size());
                for (visit, &i) in visits.iter().zip(&batch_order) {
                    let mut visit = open(visit);
                    visit.example = i;
                    visit.model = std::mem::take(&mut self.models[i]);
                }
                team.call(most_helpers, examples.len(), grain, || scope.spawn(|_| help()));
                team.lead(examples.len(), grain, |k| work(leader, k));
                if team.has_failed() {
                    // The scope passes the helper's panic on.
                    return;
                }
                let mut weights = weights.write().unwrap_or_else(PoisonError::into_inner);
                for visit in &visits[..examples.len()] {
                    self.apply(&mut open(visit), look, &mut weights, totals);
                }
                self.anchor.settle(common, examples.len(), &mut weights, &mut self.drift);
                *done += examples.len();
            }
        });
        self.weights = weights.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.visits = visits;
        let is_over = *done == examples.len();
        if is_over {
            self.anchor.follow(common, &mut self.weights, &mut self.drift);
            self.adapt_batch(totals);
        }
        is_over
    }

    fn adapt_batch(&mut self, totals: &PassTotals) {
        let step = totals.steps / totals.moves.max(1) as f64;
        if totals.moves > 0 && step > LONG_STEP {
            self.batch = (2 * self.batch).min(LARGEST_BATCH);
        } else if totals.moves > 0 && step < SHORT_STEP {
            self.batch = (self.batch / 2).max(SMALLEST_BATCH);
        }
    }

    /// Follows the direction that a visit found as far as it is worth, and takes the model back.
    fn apply(&mut self, visit: &mut Visit, look: Look, weights: &mut [f64], totals: &mut PassTotals) {
        totals.gap += visit.gap;
        totals.visits += 1;
        if visit.moves {
            let slope = visit.offset + visit.slope.dot(weights) + self.anchor.pending(&visit.parts);
            let step = match slope {
                slope if slope <= 0.0 => 0.0,
                slope if slope >= visit.curvature => 1.0,
                slope => slope / visit.curvature,
            };
            if step > 0.0 {
                visit.slope.add_to(-step / self.lambda, weights);
                self.anchor.moved(-step / self.lambda, &visit.parts);
                visit.model.go_towards(&visit.target, step);
                self.drift.moved(
                    step * visit.length / self.lambda,
                    visit.additions,
                    visit.held / self.lambda,
                );
                totals.gain += step * (slope - 0.5 * step * visit.curvature);
            }
            totals.steps += step;
            totals.moves += 1;
        }
        if look == Look::Oracle {
            self.gaps[visit.example] = visit.gap;
        }
        self.models[visit.example] = std::mem::take(&mut visit.model);
    }
}
