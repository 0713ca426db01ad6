//! The extragradient method (Taskar, Lacoste-Julien, Jordan 2006; SADDLE): two players, weights and flows, look a step
//! ahead.
//!
//! It solves min_w max_z Φ(w, z) of [`saddle_point`](super::saddle_point) for structures whose labels are flows. A step
//! looks at where both players would go, and then goes from where they are in the direction that is right there:
//!
//! ```text
//! w' = (w − τ a(z))  / (1 + τλ),    z_i' = nearest flow to z_i + σ (F_iᵀw  + losses_i)
//! w ← (w − τ a(z')) / (1 + τλ),    z_i ← nearest flow to z_i + σ (F_iᵀw' + losses_i)
//! ```
//!
//! Three things make it fast. Φ is strongly convex in w, so τ may shrink and σ grow with the steps (as Chambolle and
//! Pock 2011 do), and the mean of all w' and z', weighted by σ, has a gap that falls with the square of their number.
//! The product τσ follows the curvature that a step meets. And when the gap has fallen to a third, the method starts
//! again from the mean.
//!
//! Invariant: the mean of flows is a flow, so the lower bound is D(mean of z'), see [`saddle_point`](super::saddle_point).

use serde::{Deserialize, Serialize};
use std::time::Instant;

use super::certificate::measure;
use super::choice::check_start;
use super::saddle_point::{add_difference, dual_point, over_examples};
use super::{Certificate, MadeFor, Progress, Solver, SolverKind, SolverSettings, SolverState, mass};
use crate::error::{Error, Result};
use crate::inference::FlowProjection;
use crate::linear::{dot, norm_squared};
use crate::risk::{Groups, Risk, Saddle};

/// The most arcs of all examples together: about four gigabytes.
const MOST_ARCS: usize = 50_000_000;

/// The memory of one arc: its network, its loss, and five flows.
const BYTES_PER_ARC: usize = 80;

/// Steps in one pass: the gap is measured after them.
const STEPS: usize = 10;

/// Trials of one step, each shorter than the one before.
const MOST_TRIALS: usize = 30;

/// By how much the length of steps may grow at a time.
const GROWTH: f64 = 1.1;

/// Steps are no longer than this, and no shorter than its inverse: without features nothing else would stop them.
const LONGEST: f64 = 1e100;

/// The share of the longest possible step that the next one should have.
const CAUTION: f64 = 0.9;

/// The method starts again when the gap has fallen to this share of that of the last start,
const GOOD_FALL: f64 = 0.3;

/// or to this share, and has begun to rise.
const SOME_FALL: f64 = 0.8;

/// The player of one example.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Player {
    flow: Vec<f64>,
    /// The mean of all flows ahead since the last start.
    mean: Vec<f64>,
    /// The potentials of the last projection, for σ = 1.
    potentials: Vec<f64>,
    /// The flow one step ahead, and the next flow.
    #[serde(skip)]
    ahead: Vec<f64>,
    #[serde(skip)]
    next: Vec<f64>,
}

/// The extragradient method.
///
/// ```
/// use std::sync::Arc;
/// use maxmargin_core::features::{FeatureMatrix, Rows};
/// use maxmargin_core::risk::StructuredRisk;
/// use maxmargin_core::search::MarginSearch;
/// use maxmargin_core::solver::{Extragradient, Solver};
/// use maxmargin_core::structure::{Example, LabelCost, MulticlassStructure};
///
/// let x = Arc::new(FeatureMatrix::from_dense(&[[1.0, 0.2], [0.3, 1.0], [0.8, 0.9]]));
/// let example = |(i, truth)| Example { input: Rows::new(&x, i..i + 1), truth, weight: 1.0 };
/// let structure = MulticlassStructure::new(2, 3, true, LabelCost::ZeroOne)?;
/// let risk = StructuredRisk::new(structure, MarginSearch, (0..3).zip([0, 1, 2]).map(example).collect())?;
/// let mut solver = Extragradient::new(1.0, &risk)?;
/// let first = solver.step(&risk).certificate;
/// let second = solver.step(&risk).certificate;
/// assert!(first.lower_bound <= second.lower_bound && second.lower_bound <= first.primal);
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Serialize, Deserialize)]
pub struct Extragradient {
    lambda: f64,
    players: Vec<Player>,
    /// w.
    current: Vec<f64>,
    /// a(z) of the flows.
    slope: Vec<f64>,
    /// The mean of all weights ahead since the last start, and the sum of their σ.
    mean: Vec<f64>,
    total: f64,
    /// √(τσ) and √(τ/σ).
    length: f64,
    balance: f64,
    /// The best bounds so far.
    best: Certificate,
    /// The weights of the last certificate.
    evaluated: Vec<f64>,
    /// The gap of the last start, and of the last pass.
    start_gap: f64,
    last_gap: f64,
    /// Whether sums that cancel are taken with twice the digits.
    is_precise: bool,
    pub(super) made_for: MadeFor,
}

/// The working memory of one block of examples.
#[derive(Default)]
struct BlockWorkspace {
    projection: FlowProjection,
    point: Vec<f64>,
    difference: Vec<f64>,
}

/// Which flows of the players are to move.
#[derive(Clone, Copy, PartialEq)]
enum Move {
    /// The flows ahead.
    Ahead,
    /// The next flows.
    Next,
}

impl Extragradient {
    /// A solver that starts at w = 0 and the truth.
    pub fn new(lambda: f64, risk: &dyn Risk) -> Result<Self> {
        SolverSettings::checked(lambda, None, SolverKind::Extragradient, risk)?;
        let zero = vec![0.0; risk.dim()];
        Ok(Self {
            lambda,
            players: vec![Player::default(); risk.len()],
            current: zero.clone(),
            slope: zero.clone(),
            mean: zero.clone(),
            total: 0.0,
            length: 1.0,
            balance: 1.0 / lambda,
            best: Certificate::UNKNOWN,
            evaluated: zero,
            start_gap: f64::INFINITY,
            last_gap: f64::INFINITY,
            is_precise: false,
            made_for: MadeFor::new(risk),
        })
    }

    /// From given weights, and the truth.
    pub fn starting_at(mut self, start: &[f64], risk: &dyn Risk) -> Result<Self> {
        check_start(start, risk)?;
        for point in [&mut self.current, &mut self.mean, &mut self.evaluated] {
            point.copy_from_slice(start);
        }
        Ok(self)
    }

    /// Refuses a problem whose flows would take too much memory.
    pub(super) fn check_size(risk: &dyn Risk, saddle: &dyn Saddle) -> Result<()> {
        let arcs: usize = (0..risk.len()).map(|i| saddle.arcs(i)).sum();
        if arcs <= MOST_ARCS {
            return Ok(());
        }
        let problem = format!(
            "extragradient keeps a flow for each example, here on {arcs} arcs in all: {:.1} GB; up to {MOST_ARCS} arcs are allowed; use bcfw, or fewer examples",
            (arcs * BYTES_PER_ARC) as f64 / 1e9
        );
        Err(Error::parameter("solver", problem))
    }

    /// Gives players that have nothing yet the truth, and all of them room.
    fn prepare(&mut self, saddle: &dyn Saddle) {
        for (i, player) in self.players.iter_mut().enumerate() {
            let polytope = saddle.polytope(i);
            if player.potentials.is_empty() {
                player.flow.clone_from(&polytope.truth);
                player.mean.clone_from(&polytope.truth);
                player.potentials = vec![0.0; polytope.network.nodes()];
            }
            player.ahead.resize(player.flow.len(), 0.0);
            player.next.resize(player.flow.len(), 0.0);
        }
    }

    /// Moves all flows by σ in the direction that is right for w. Returns a(z) of where they are now, and Σ ρ_i times
    /// the squared distance of that from where they were (ahead: from the flow; next: from the flow ahead).
    fn move_flows(
        &mut self,
        risk: &dyn Risk,
        saddle: &dyn Saddle,
        w: &[f64],
        sigma: f64,
        which: Move,
    ) -> (Vec<f64>, f64) {
        let (slope, [moved]) =
            over_examples(risk, &mut self.players, |i, player, workspace: &mut BlockWorkspace, sum| {
                let (polytope, share) = (saddle.polytope(i), mass(risk, i));
                let arcs = polytope.network.arcs();
                workspace.point.clear();
                workspace.point.resize(arcs.len(), 0.0);
                saddle.arc_scores(i, w, &mut workspace.point);
                let places = arcs.iter().zip(&polytope.losses).zip(&player.flow);
                for (point, ((arc, loss), z)) in workspace.point.iter_mut().zip(places) {
                    *point = z + sigma * (*point + loss) / arc.weight;
                }
                let (from, to) = match which {
                    Move::Ahead => (&player.flow, &mut player.ahead),
                    Move::Next => (&player.ahead, &mut player.next),
                };
                player.potentials.iter_mut().for_each(|potential| *potential *= sigma);
                workspace.projection.project(&polytope.network, &workspace.point, &mut player.potentials, to);
                player.potentials.iter_mut().for_each(|potential| *potential /= sigma);
                add_difference(saddle, (i, share), to, &mut workspace.difference, sum);
                let places = arcs.iter().zip(to.iter().zip(from));
                [share * places.map(|(arc, (to, from))| arc.weight * (to - from) * (to - from)).sum::<f64>()]
            });
        (slope, moved)
    }

    /// One step, as long as the curvature on its way allows.
    fn advance(&mut self, risk: &dyn Risk, saddle: &dyn Saddle) {
        for trial in 1..=MOST_TRIALS {
            let (tau, sigma) = (self.length * self.balance, self.length / self.balance);
            let shrink = 1.0 / (1.0 + tau * self.lambda);
            let toward = |w: &[f64], slope: &[f64]| -> Vec<f64> {
                w.iter().zip(slope).map(|(w, slope)| shrink * (w - tau * slope)).collect()
            };
            let here = std::mem::take(&mut self.current);
            let ahead = toward(&here, &self.slope);
            let (slope_ahead, moved) = self.move_flows(risk, saddle, &here, sigma, Move::Ahead);
            let next = toward(&here, &slope_ahead);
            let (slope_next, corrected) = self.move_flows(risk, saddle, &ahead, sigma, Move::Next);

            // The look ahead is worth something if what it got wrong is no more than the way: with u = (w, z) and the
            // operator G, ⟨G(u') − G(u), u' − u_next⟩ ≤ ½ ‖u' − u‖² + ½ ‖u' − u_next‖², in the lengths τ and σ.
            let (to_ahead, to_next) = (difference(&ahead, &here), difference(&ahead, &next));
            let wrong = dot(&difference(&slope_ahead, &self.slope), &to_next)
                - dot(&to_ahead, &difference(&slope_ahead, &slope_next));
            let way = 0.5 / tau * (norm_squared(&to_ahead) + norm_squared(&to_next))
                + 0.5 / sigma * (moved + corrected);
            let longest = if wrong > 0.0 { self.length * way / wrong } else { f64::INFINITY };
            if self.length > longest && trial < MOST_TRIALS {
                self.current = here;
                self.length = (CAUTION * longest).max(1.0 / LONGEST);
                continue;
            }
            self.current = next;
            self.slope = slope_next;
            self.take_mean(&ahead, sigma);
            self.balance /= (1.0 + self.lambda * tau).sqrt();
            self.length = (GROWTH * self.length).min(CAUTION * longest).clamp(1.0 / LONGEST, LONGEST);
            return;
        }
    }

    /// Takes what is ahead into the means, and makes the next flows those of the players.
    fn take_mean(&mut self, weights_ahead: &[f64], sigma: f64) {
        self.total += sigma;
        let share = sigma / self.total;
        let mix = |mean: &mut [f64], ahead: &[f64]| {
            mean.iter_mut().zip(ahead).for_each(|(mean, ahead)| *mean += share * (ahead - *mean));
        };
        mix(&mut self.mean, weights_ahead);
        for player in &mut self.players {
            mix(&mut player.mean, &player.ahead);
            std::mem::swap(&mut player.flow, &mut player.next);
        }
    }

    /// Starts again from the means, where a(z) is `slope`.
    fn start_again(&mut self, slope: Vec<f64>) {
        self.players.iter_mut().for_each(|player| player.flow.clone_from(&player.mean));
        self.current.clone_from(&self.mean);
        self.slope = slope;
        self.total = 0.0;
        self.balance = 1.0 / (self.lambda * self.length);
    }
}

fn difference(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x - y).collect()
}

impl Solver for Extragradient {
    fn name(&self) -> &'static str {
        "extragradient"
    }

    fn lambda(&self) -> f64 {
        self.lambda
    }

    fn made_for(&self) -> Option<&MadeFor> {
        Some(&self.made_for)
    }

    fn one_pass(&mut self, risk: &dyn Risk) -> Progress {
        let start = Instant::now();
        let mut slope = Vec::new();
        // The truth costs nothing, so no risk is below 0.
        let mut lower_bound = 0.0;
        if let Some(saddle) = risk.saddle() {
            self.prepare(&*saddle);
            (0..STEPS).for_each(|_| self.advance(risk, &*saddle));
            let dual = dual_point(risk, &*saddle, self.lambda, |i| self.players[i].mean.as_slice());
            lower_bound = dual.lower_bound.max(0.0);
            slope = dual.slope;
            self.evaluated.clone_from(&self.mean);
        }
        let master_seconds = start.elapsed().as_secs_f64();
        let groups = Groups::new(risk.len(), 1);
        let (here, _) =
            measure(risk, &self.evaluated, &groups, self.lambda, &self.best, &mut self.is_precise);
        let gap = here.primal - lower_bound;
        self.best.lower_bound = self.best.lower_bound.max(lower_bound);
        let fell =
            gap <= GOOD_FALL * self.start_gap || (gap <= SOME_FALL * self.start_gap && gap > self.last_gap);
        self.last_gap = gap;
        if fell && !slope.is_empty() {
            self.start_gap = gap;
            self.start_again(slope);
        }
        Progress {
            certificate: Certificate { lower_bound: self.best.lower_bound, ..here },
            oracle_calls: risk.len() as u64,
            master_seconds,
        }
    }

    fn weights(&self) -> &[f64] {
        &self.evaluated
    }

    /// Flows stay flows, and their slope does not depend on λ.
    fn set_lambda(&mut self, lambda: f64) -> bool {
        if SolverSettings::new(lambda).is_err() {
            return false;
        }
        self.lambda = lambda;
        self.total = 0.0;
        self.balance = 1.0 / (lambda * self.length);
        self.best = Certificate::UNKNOWN;
        (self.start_gap, self.last_gap) = (f64::INFINITY, f64::INFINITY);
        true
    }

    fn state(&self) -> Option<SolverState<'_>> {
        Some(SolverState::Extragradient(self))
    }
}
