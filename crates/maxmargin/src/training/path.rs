//! Many λ, one after the other, each from where the last one ended.

use std::ops::ControlFlow;
use std::time::Duration;

use super::candidates::Alternation;
use super::run::follow;
use super::{Event, Ladder, Problem, Regularizer, Settings, Trained, Trainer};
use crate::error::Result;
use crate::linear::norm_squared;
use crate::model::Model;
use crate::risk::{Groups, Point, Risk, evaluate};
use crate::solver::{Choice, Halt, Limits, Outcome, RunState, Solver, SolverKind, SolverSettings};

/// The first λ where nobody names any, as a share of that which leaves half of the risk: the best one is a hundredth of it or
/// less on all data that was looked at, mostly a thousandth.
const FIRST_SHARE: f64 = 0.1;

/// Runs on one problem for several λ, which should fall. The same solver goes on where it can, with all it knows; else a
/// new one starts from the weights. Learning from candidates takes its turns anew with each λ: where they end depends on where they start.
pub struct Path<'a> {
    problem: &'a Problem,
    settings: Settings,
    risk: Box<dyn Risk>,
    weights: Option<Vec<f64>>,
    kept: Option<(SolverKind, Box<dyn Solver>)>,
}

/// What came of one λ.
#[derive(Debug)]
pub struct PathStep {
    /// What was found.
    pub model: Model,
    /// The weights of the problem, of which the model may have left out those that are 0.
    pub weights: Vec<f64>,
    /// The name of the solver that ran.
    pub solver: &'static str,
    /// The solver, and why it was chosen.
    pub choice: Choice,
    /// What the solver was told.
    pub settings: SolverSettings,
    /// How the run ended; without its weights.
    pub outcome: Outcome,
}

impl<'a> Path<'a> {
    pub(super) fn new(problem: &'a Problem, settings: Settings) -> Result<Self> {
        let risk = match Alternation::new(problem, &settings)? {
            Some((_, risk)) => risk,
            None => problem.risk()?,
        };
        settings.solver.check(risk.as_ref())?;
        Ok(Self { problem, settings, risk, weights: None, kept: None })
    }

    /// Values of λ for this problem, where nobody names any.
    pub fn ladder(&self) -> Result<Ladder> {
        Ok(Ladder::down_from(self.first_lambda()?))
    }

    /// The λ with which a [ladder](Self::ladder) begins. With g the slope of the risk at w = 0, its plane there says that
    /// F* ≥ R(0) − ‖g‖²/2λ: above λ = ‖g‖²/R(0) at least half of the risk stays whatever the weights. It is a little below.
    pub(super) fn first_lambda(&self) -> Result<f64> {
        let (risk, origin) = (self.risk.as_ref(), vec![0.0; self.risk.dim()]);
        let at_origin = evaluate(risk, Point::from(&origin[..]), &Groups::new(risk.len(), 1))?;
        let slope: f64 = at_origin.planes.iter().map(|plane| norm_squared(&plane.slope)).sum();
        let first = FIRST_SHARE * slope / at_origin.risk.value;
        let is_one = first.is_finite() && first > 0.0 && first.recip().is_finite();
        Ok(if is_one { first } else { 1.0 })
    }

    /// Ends the next runs within so much time.
    pub(super) fn end_within(&mut self, time: Duration) {
        self.settings.time_limit = Some(time);
    }

    /// When each run ends.
    pub fn limits(&self) -> Limits {
        self.settings.limits_for(self.risk.as_ref())
    }

    /// The next λ.
    pub fn step(
        &mut self,
        lambda: f64,
        halt: &Halt,
        observe: impl FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<PathStep> {
        if self.settings.turns().is_some() {
            return self.step_by_turns(lambda, halt, observe);
        }
        let (risk, limits) = (self.risk.as_ref(), self.limits());
        let mut settings = self.settings.solver_settings(lambda)?;
        settings.start = self.weights.take();
        let choice = self.settings.solver.resolve(risk, lambda);
        let going_on = self
            .kept
            .take()
            .filter(|(before, _)| *before == choice.kind)
            .and_then(|(_, mut solver)| solver.set_lambda(lambda).then_some(solver));
        let mut solver = match going_on {
            Some(solver) => solver,
            None => choice.build(risk, &settings)?,
        };
        let mut state = RunState::new(risk);
        let stop = follow(solver.as_mut(), risk, limits, halt, &mut state, None, observe)?;
        let mut outcome = state.into_outcome(stop);
        let weights = std::mem::take(&mut outcome.weights);
        let model = self.problem.model(solver.name(), &settings, &outcome.report, weights.clone())?;
        let name = solver.name();
        self.weights = Some(weights.clone());
        self.kept = Some((choice.kind, solver));
        Ok(PathStep { model, weights, solver: name, choice, settings, outcome })
    }

    fn step_by_turns(
        &self,
        lambda: f64,
        halt: &Halt,
        observe: impl FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<PathStep> {
        let regularizer = Regularizer::Lambda(lambda);
        let settings = Settings { regularizer, tune_threshold: None, ..self.settings.clone() };
        let task = self.problem.task();
        let training = Trainer::of(task.task(), settings).prepare_problem(self.problem.again())?;
        let (choice, settings) = (training.choice(), training.settings().clone());
        let Trained { model, solver, stop, report, .. } = training.run(halt, observe)?;
        let weights = model.weights_of(self.problem.examples().names(), task.pair_attributes())?;
        let outcome = Outcome { weights: Vec::new(), report, stop };
        Ok(PathStep { model, weights, solver, choice, settings, outcome })
    }
}
