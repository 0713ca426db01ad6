//! Many λ, one after the other, each from where the last one ended.

use std::ops::ControlFlow;

use super::run::follow;
use super::{Event, Problem, Settings};
use crate::error::Result;
use crate::model::Model;
use crate::risk::Risk;
use crate::solver::{Choice, Halt, Limits, Outcome, RunState, Solver, SolverKind, SolverSettings};

/// Runs on one problem for several λ, which should fall. The same solver goes on where it can, with all it knows; else a
/// new one starts from the weights.
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
        let risk = problem.risk()?;
        settings.solver.check(risk.as_ref())?;
        Ok(Self { problem, settings, risk, weights: None, kept: None })
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
}
