//! One run: watched, interrupted, saved and resumed.

use std::ops::ControlFlow;

use super::candidates::Alternation;
use super::checkpoints::Checkpoints;
use super::{CheckpointPlan, Examples, LambdaChoice, Problem, TunedThresholds, Turn};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::risk::Risk;
use crate::solver::{
    Certificate, Choice, Halt, Limits, Report, RunState, Solver, SolverSettings, Stop, resume_until,
};

/// What the program itself takes, and what readers leave behind.
const PROGRAM: usize = 12 << 20;

/// What a run tells while it goes on.
#[derive(Debug)]
pub enum Event<'a> {
    /// A pass is over; whether it was the last one.
    Pass(&'a Report, bool),
    /// A checkpoint could not be written after this pass. The run goes on with the old one.
    NoCheckpoint(usize, Error),
    /// A turn of learning from candidates is over.
    Turn(&'a Turn),
}

/// A run that is prepared, or was broken off.
pub struct Training {
    pub(super) problem: Problem,
    pub(super) risk: Box<dyn Risk>,
    pub(super) solver: Box<dyn Solver>,
    pub(super) state: RunState,
    pub(super) choice: Choice,
    pub(super) settings: SolverSettings,
    pub(super) limits: Limits,
    pub(super) lambda_choice: Option<LambdaChoice>,
    pub(super) alternation: Option<Alternation>,
    pub(super) checkpoints: Option<Checkpoints>,
    pub(super) single_precision: bool,
    pub(super) thresholds: Option<TunedThresholds>,
}

/// A finished run.
#[derive(Debug)]
pub struct Trained {
    /// What was found.
    pub model: Model,
    /// The name of the solver that ran.
    pub solver: &'static str,
    /// Why it ended.
    pub stop: Stop,
    /// How far it came.
    pub report: Report,
    /// The problem that was solved.
    pub problem: Problem,
    /// What went wrong with the last checkpoint. The model is whole all the same.
    pub checkpoint_failure: Option<Error>,
    /// The turns of learning from candidates.
    pub turns: Vec<Turn>,
}

/// The memory of a process with these examples, and a solver that takes so much.
pub(super) fn memory_with(examples: &Examples, solver: usize) -> usize {
    let names = examples.names();
    let names = names.labels.bytes() + names.attributes.bytes();
    // What data is gathered in while it is read is larger than the data.
    let data = examples.data().bytes();
    PROGRAM.saturating_add(data).saturating_add(data / 3).saturating_add(names).saturating_add(solver)
}

impl Training {
    /// What is solved.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The solver, and why it was chosen.
    pub fn choice(&self) -> Choice {
        self.choice
    }

    /// What the solver was told.
    pub fn settings(&self) -> &SolverSettings {
        &self.settings
    }

    /// How λ was chosen, where it was not said.
    pub fn lambda_choice(&self) -> Option<&LambdaChoice> {
        self.lambda_choice.as_ref()
    }

    /// When the run ends.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The thresholds that were tuned before it.
    pub fn thresholds(&self) -> Option<&TunedThresholds> {
        self.thresholds.as_ref()
    }

    /// How far it is: above 0 passes where a checkpoint is gone on with.
    pub fn report(&self) -> Report {
        let report = self.state.report();
        self.alternation.as_ref().map_or(*report, |turns| turns.total(report))
    }

    /// An estimate of the memory that the whole process will take at most, in bytes: data, names and solver. `None` where nothing is
    /// known of the solver.
    pub fn memory(&self) -> Option<usize> {
        let solver = self.choice.memory(self.risk.as_ref(), &self.settings, &self.limits)?;
        Some(memory_with(self.problem.examples(), solver))
    }

    /// Keeps a checkpoint, and goes on with the one that is there where the plan says so.
    pub(super) fn with_checkpoint(mut self, plan: &CheckpointPlan) -> Result<Self> {
        let mut identity = super::identity::identity(&self.problem, self.choice.kind, &self.settings);
        identity.extend(self.alternation.iter().flat_map(Alternation::identity));
        let checkpoints = Checkpoints::open(plan, identity)?;
        if let Some(saved) = checkpoints.saved()? {
            if let Some(turns) = &mut self.alternation {
                let risk = turns.go_on(&saved.beside)?.ok_or_else(|| checkpoints.damaged())?;
                self.risk = risk.unwrap_or(self.risk);
            }
            let loaded = checkpoints.load(&saved, self.choice.kind, self.risk.as_ref())?;
            (self.state, self.solver) = loaded;
        }
        self.checkpoints = Some(checkpoints);
        Ok(self)
    }

    /// Runs until a limit is reached, `halt` is due or `observe` breaks.
    pub fn run(
        mut self,
        halt: &Halt,
        mut observe: impl FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<Trained> {
        let stop = loop {
            let (risk, alternation) = (self.risk.as_ref(), self.alternation.as_ref());
            let limits = alternation.map_or(self.limits, |turns| turns.left(self.limits));
            let mut checkpoints = self.checkpoints.as_mut();
            // From here on to the end of the turn. A checkpoint that is written after that is one of before it: to complete examples once more
            // gives the same completions.
            if let (Some(checkpoints), Some(turns)) = (&mut checkpoints, alternation) {
                checkpoints.set_beside(turns.saved()?);
            }
            let mut is_broken_off = false;
            let observe_pass = |event: Event<'_>| {
                let flow = match (event, alternation) {
                    (Event::Pass(report, is_last), Some(turns)) => {
                        observe(Event::Pass(&turns.total(report), is_last))
                    }
                    (event, _) => observe(event),
                };
                is_broken_off |= flow.is_break();
                flow
            };
            let solver = self.solver.as_mut();
            let stop = follow(solver, risk, limits, halt, &mut self.state, checkpoints, observe_pass)?;
            is_broken_off |= halt.is_asked();
            match ends_turn(stop) && alternation.is_some() {
                // The turn is over, but not the run.
                true if is_broken_off => break Stop::Interrupted,
                true if self.next_turn(&mut observe)? => {}
                _ => break stop,
            }
        };
        let risk = self.risk.as_ref();
        // The model is worth more than the checkpoint: if the disk is full, the error comes after it is made.
        let checkpoint_failure = self
            .checkpoints
            .as_ref()
            .and_then(|checkpoints| checkpoints.save(&self.state, self.solver.as_ref(), risk).err());
        let solver = self.solver.name();
        drop(self.solver);
        let outcome = self.state.into_outcome(stop);
        let lambda = self.settings.lambda;
        let rounded = self.single_precision.then(|| -> Result<Certificate> {
            let rounded: Vec<f64> = outcome.weights.iter().map(|&weight| f64::from(weight as f32)).collect();
            let lower_bound = outcome.report.certificate.lower_bound;
            Ok(Certificate::of_weights(risk, lambda, &rounded, lower_bound)?)
        });
        let rounded = rounded.transpose()?;
        // A solver may hold several times what the model needs to be written, and so may a risk.
        drop(self.risk);
        let mut report = outcome.report;
        let turns = self.alternation.map_or(Vec::new(), |turns| {
            report = turns.total(&report);
            turns.into_done()
        });
        let mut model = self.problem.model(solver, &self.settings, &report, outcome.weights)?;
        if let Some(certificate) = rounded {
            model = model.in_single_precision(certificate);
            report.certificate = certificate;
        }
        if let Some(thresholds) = self.thresholds {
            model = model.with_label_shifts(thresholds.shifts)?;
        }
        Ok(Trained { model, solver, stop, report, problem: self.problem, checkpoint_failure, turns })
    }

    /// Learning from candidates: ends a turn, and begins another one where completions changed.
    fn next_turn(&mut self, observe: &mut impl FnMut(Event<'_>) -> ControlFlow<()>) -> Result<bool> {
        let Some(turns) = &mut self.alternation else { return Ok(false) };
        let weights = self.state.weights();
        let next = turns.next(&weights, self.state.report())?;
        let told = turns.done().last().map(|turn| observe(Event::Turn(turn)));
        let Some(risk) = next.filter(|_| told != Some(ControlFlow::Break(()))) else { return Ok(false) };
        self.settings.start = Some(weights);
        self.solver = self.choice.build(risk.as_ref(), &self.settings)?;
        self.state = RunState::new(risk.as_ref());
        self.risk = risk;
        Ok(true)
    }
}

/// Whether a turn of learning from candidates has come as far as it can.
fn ends_turn(stop: Stop) -> bool {
    matches!(stop, Stop::GapReached | Stop::Stalled | Stop::Crawling)
}

/// Runs a solver, telling what happens.
pub(super) fn follow(
    solver: &mut dyn Solver,
    risk: &dyn Risk,
    limits: Limits,
    halt: &Halt,
    state: &mut RunState,
    mut checkpoints: Option<&mut Checkpoints>,
    mut observe: impl FnMut(Event<'_>) -> ControlFlow<()>,
) -> Result<Stop> {
    let stop = resume_until(solver, risk, limits, halt, state, |state, solver| {
        let asked = if halt.is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let is_last = state.stop(&limits, asked).is_some();
        let mut flow = observe(Event::Pass(state.report(), is_last));
        if let Some(checkpoints) = checkpoints.as_deref_mut()
            && let Err(error) = checkpoints.save_if_due(state, solver, risk)
        {
            let told = observe(Event::NoCheckpoint(state.report().passes, error));
            flow = if told.is_break() { told } else { flow };
        }
        if asked.is_break() { asked } else { flow }
    });
    Ok(stop?)
}
