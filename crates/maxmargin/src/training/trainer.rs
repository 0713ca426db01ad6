//! The trainer: a task with settings, ready for examples.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::candidates::Alternation;
use super::identity::{is_of_task, lambda_of};
use super::lambda_choice::{Open, choose};
use super::run::memory_with;
use super::{
    Candidates, CheckpointPlan, ChoiceEvent, Columns, Examples, LambdaChoice, Path, Problem, Regularizer,
    Settings, ThresholdMetric, Training, TunedThresholds, warm_start,
};
use crate::data::{Format, Impute};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::search::Strategy;
use crate::solver::{Halt, RunState, SolverKind};
use crate::surrogate::Surrogate;
use crate::tasks::TaskObject;

/// Trains models of a task.
///
/// ```
/// use maxmargin::data::FeatureMatrix;
/// use maxmargin::tasks::RowExamples;
/// use maxmargin::{Examples, Multiclass, Trainer};
///
/// let features = FeatureMatrix::from_dense(&[[1.0, 0.1], [0.2, 1.0], [0.9, 0.0]]);
/// let examples = Examples::from_numbers(RowExamples::new(features, vec![0, 1, 0])?)?;
/// let model = Trainer::new(Multiclass::default()).lambda(0.01).gap(1e-6).train(&examples)?;
/// assert!(model.certificate().gap().0 <= 1e-6);
/// assert_eq!(model.predict_numbers(&[[0.8, 0.2]])?.names(), ["0"]);
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug)]
pub struct Trainer {
    task: Box<dyn TaskObject>,
    settings: Settings,
    warm_start: Option<Model>,
    seen: Option<usize>,
    checkpoint: Option<CheckpointPlan>,
}

impl Trainer {
    /// A trainer with default settings: margin rescaling, λ by validation, to a gap of 0.01.
    pub fn new(task: impl TaskObject + 'static) -> Self {
        Self::of(Box::new(task), Settings::default())
    }

    /// A trainer of a task that is known by its name only.
    pub fn of(task: Box<dyn TaskObject>, settings: Settings) -> Self {
        Self { task, settings, warm_start: None, seen: None, checkpoint: None }
    }

    fn with(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    /// With λ of the objective λ/2 ‖w‖² + 1/n Σ H_i(w).
    pub fn lambda(self, lambda: f64) -> Self {
        self.with(|settings| settings.regularizer = Regularizer::Lambda(lambda))
    }

    /// With C of ½ ‖w‖² + C · Σ H_i(w).
    pub fn c_sum(self, c: f64) -> Self {
        self.with(|settings| settings.regularizer = Regularizer::CSum(c))
    }

    /// With C of ½ ‖w‖² + C · 1/n Σ H_i(w).
    pub fn c_mean(self, c: f64) -> Self {
        self.with(|settings| settings.regularizer = Regularizer::CMean(c))
    }

    /// With λ chosen in so many folds. Without it, and without λ, the number of examples says how.
    pub fn cross_validation(self, folds: usize) -> Self {
        self.with(|settings| settings.regularizer = Regularizer::Chosen { folds: Some(folds) })
    }

    /// To this relative gap.
    pub fn gap(self, gap: f64) -> Self {
        self.with(|settings| settings.gap = gap)
    }

    /// With another surrogate than margin rescaling.
    pub fn surrogate(self, surrogate: Surrogate) -> Self {
        self.with(|settings| settings.surrogate = surrogate)
    }

    /// With this search for the most violated label.
    pub fn search(self, search: Strategy) -> Self {
        self.with(|settings| settings.search = Some(search))
    }

    /// With this solver.
    pub fn solver(self, solver: SolverKind) -> Self {
        self.with(|settings| settings.solver = solver)
    }

    /// With this seed of everything random.
    pub fn seed(self, seed: u64) -> Self {
        self.with(|settings| settings.seed = seed)
    }

    /// With so many passes at most.
    pub fn max_passes(self, passes: usize) -> Self {
        self.with(|settings| settings.max_passes = Some(passes))
    }

    /// With so much time at most.
    pub fn time_limit(self, limit: Duration) -> Self {
        self.with(|settings| settings.time_limit = Some(limit))
    }

    /// With weights of single precision, which halves the model's file. The certificate is that of the rounded weights.
    pub fn single_precision(self) -> Self {
        self.with(|settings| settings.single_precision = true)
    }

    /// With thresholds of label sets that are tuned for this metric, on examples that are held out from a first training run.
    pub fn tune_threshold(self, metric: ThresholdMetric) -> Self {
        self.with(|settings| settings.tune_threshold = Some(metric))
    }

    /// From the weights of another model of the same task, where the names of labels and attributes agree. Columns are changed as for
    /// that model.
    pub fn warm_start(mut self, model: Model) -> Self {
        self.warm_start = Some(model);
        self
    }

    /// Where the model to start from has seen so many examples: sgd goes on with steps that are as short as after those. So a pass over each
    /// of several batches, one model after the other, is what a pass over all of them would be. The certificate is about the last batch.
    /// The model's [`examples`](crate::model::Description::examples) are all that were seen, each as often as it was. Above 0 it is refused without a
    /// model to start from; solvers whose steps do not shorten have no use for it.
    ///
    /// ```
    /// use maxmargin::data::FeatureMatrix;
    /// use maxmargin::solver::SolverKind;
    /// use maxmargin::tasks::{Multiclass, RowExamples};
    /// use maxmargin::{Examples, Trainer};
    ///
    /// let batch = |x: f64| {
    ///     let features = FeatureMatrix::from_dense(&[[x, 0.1], [0.2, x]]);
    ///     Examples::from_numbers(RowExamples::new(features, vec![0, 1])?)
    /// };
    /// let trainer = || Trainer::new(Multiclass::default()).lambda(0.1).solver(SolverKind::Sgd).max_passes(1);
    /// let mut model = trainer().train(&batch(1.0)?)?;
    /// for seen in [2, 4, 6] {
    ///     model = trainer().warm_start(model).seen(seen).train(&batch(0.9)?)?;
    /// }
    /// assert_eq!(model.predict_numbers(&[[0.8, 0.2]])?.names(), ["0"]);
    /// # Ok::<(), maxmargin::Error>(())
    /// ```
    pub fn seen(mut self, examples: usize) -> Self {
        self.seen = Some(examples);
        self
    }

    /// With a checkpoint: the complete state of the run, replaced as a whole.
    pub fn checkpoint(mut self, plan: CheckpointPlan) -> Self {
        self.checkpoint = Some(plan);
        self
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The task.
    pub fn task(&self) -> &dyn TaskObject {
        self.task.as_ref()
    }

    /// From candidate labels, which the examples have.
    pub fn candidates(self, candidates: Candidates) -> Self {
        self.with(|settings| settings.candidates = Some(candidates))
    }

    /// The model that examples make.
    pub fn train(&self, examples: &Examples) -> Result<Model> {
        let training = self.prepare(examples)?;
        Ok(training.run(&Halt::default(), |_| ControlFlow::Continue(()))?.model)
    }

    /// The problem that examples make.
    pub fn problem(&self, examples: &Examples) -> Result<Problem> {
        let is_table = |format: &str| format.parse::<Format>().is_ok_and(Format::is_table);
        if let Some(format) = examples.format().filter(|format| !is_table(format))
            && self.settings.columns.impute != Impute::None
        {
            let problem = format!(
                "only tables (arff, csv) have missing values, but the data is {format}; leave it out"
            );
            return Err(Error::parameter("missing", problem));
        }
        let given = self.warm_start.as_ref();
        let columns = Columns::of_start(self.settings.columns, given);
        if let Some(model) = given
            && !columns.are_those_of(model.preprocessing())
        {
            let problem = "cannot start from this model: its columns were changed in another way; leave out what changes them (missing, log-counts, tf-idf, standardize, center, normalize), and it is as then";
            return Err(Error::parameter("warm start", problem));
        }
        // Weights are about columns as they were then.
        let given = given.filter(|model| !model.preprocessing().is_empty());
        let fit = || columns.fit(examples.data());
        let given = given.map(|model| model.preprocessing_for(examples.names(), fit)).transpose()?;
        let completed = self
            .settings
            .candidates
            .map(|candidates| examples.without_candidates(candidates, self.settings.seed))
            .transpose()?;
        Problem::new(
            self.task.as_ref(),
            completed.as_ref().unwrap_or(examples),
            &self.settings,
            given.as_ref(),
        )
    }

    /// A run on some examples, ready to start.
    pub fn prepare(&self, examples: &Examples) -> Result<Training> {
        self.prepare_problem(self.problem(examples)?)
    }

    /// A run on a problem, ready to start.
    pub fn prepare_problem(&self, problem: Problem) -> Result<Training> {
        self.prepare_watched(problem, &Halt::default(), |_| ())
    }

    /// An estimate of the memory that the whole process will take at most where λ is chosen, in bytes: [`Training::memory`], which is known
    /// afterwards, with the data that is held out. `None` where nothing is known of the solver.
    pub fn memory_of_choice(&self, problem: &Problem) -> Option<usize> {
        let risk = problem.risk().ok()?;
        // As if no example counted more than any other: λ matters for the kind of solver only.
        let lambda = 1.0 / risk.len().max(1) as f64;
        let settings = self.settings.solver_settings(lambda).ok()?;
        let choice = self.settings.solver.resolve(risk.as_ref(), lambda);
        let solver = choice.memory(risk.as_ref(), &settings, &self.settings.limits_for(risk.as_ref()))?;
        let held_out = problem.examples().data().bytes();
        Some(memory_with(problem.examples(), solver).saturating_add(held_out))
    }

    /// The same where somebody watches how λ is chosen, and may end that early.
    pub fn prepare_watched(
        &self,
        problem: Problem,
        halt: &Halt,
        observe: impl FnMut(ChoiceEvent<'_>),
    ) -> Result<Training> {
        let mut problem = problem;
        let variants = self.task.variants(problem.examples().data())?;
        if let Some((_, first)) = variants.first() {
            problem.set_task(first.fit(problem.examples().names(), problem.examples().data())?)?;
        }
        // First, since without examples there is no λ either.
        let alternation = Alternation::new(&problem, &self.settings)?;
        let (mut alternation, mut risk) = match alternation {
            Some((alternation, risk)) => (Some(alternation), risk),
            None => (None, problem.risk()?),
        };
        self.settings.solver.check(risk.as_ref())?;
        if self.settings.tune_threshold.is_some() {
            TunedThresholds::check(problem.task())?;
        }
        let begun = Instant::now();
        let (lambda, lambda_choice) = self.decide(&mut problem, &variants, halt, observe)?;
        if !variants.is_empty() {
            (alternation, risk) = match Alternation::new(&problem, &self.settings)? {
                Some((alternation, risk)) => (Some(alternation), risk),
                None => (None, problem.risk()?),
            };
        }
        let mut settings = self.settings.solver_settings(lambda)?;
        let choice = self.settings.solver.resolve(risk.as_ref(), lambda);
        if self.seen.is_some_and(|seen| seen > 0) && self.warm_start.is_none() {
            let problem = "there is no model to start from that could have seen examples";
            return Err(Error::parameter("seen", problem));
        }
        if let Some(model) = &self.warm_start {
            if !choice.kind.starts_anywhere() {
                let problem = format!("{} always starts at 0; use another solver, such as auto", choice.kind);
                return Err(Error::parameter("warm start", problem));
            }
            settings.start = Some(warm_start::weights(model, &problem)?);
        }
        settings.seen = self.seen;
        if alternation.is_some() && !choice.kind.starts_anywhere() {
            let problem = format!("{} always starts at 0; use another solver, such as auto", choice.kind);
            return Err(Error::parameter("candidates", problem));
        }
        let left = |limit: Duration| limit.saturating_sub(begun.elapsed());
        let thresholds = match self.settings.tune_threshold {
            Some(metric) => {
                // The run that follows gets as much.
                let time_limit = self.settings.time_limit.map(|limit| left(limit) / 2);
                let settings = Settings { time_limit, ..self.settings.clone() };
                TunedThresholds::of(&problem, &settings, metric, lambda, halt)?
            }
            None => None,
        };
        let mut limits = self.settings.limits_for(risk.as_ref());
        if lambda_choice.is_some() || thresholds.is_some() {
            limits.time_limit = limits.time_limit.map(left);
        }
        let training = Training {
            state: RunState::new(risk.as_ref()),
            solver: choice.build(risk.as_ref(), &settings)?,
            limits,
            lambda_choice,
            problem,
            risk,
            choice,
            settings,
            alternation,
            checkpoints: None,
            single_precision: self.settings.single_precision,
            thresholds,
        };
        match &self.checkpoint {
            Some(plan) => training.with_checkpoint(plan),
            None => Ok(training),
        }
    }

    /// λ, and how it was chosen where that was not said; and with it the task, where there are several. A run that goes on from a checkpoint
    /// goes on with what was chosen then.
    fn decide(
        &self,
        problem: &mut Problem,
        variants: &[(String, Box<dyn TaskObject>)],
        halt: &Halt,
        observe: impl FnMut(ChoiceEvent<'_>),
    ) -> Result<(f64, Option<LambdaChoice>)> {
        let (lambda, folds) = match self.settings.regularizer {
            Regularizer::Chosen { folds } => (None, folds),
            said => (Some(said.lambda(problem.examples().len()).unwrap_or(f64::NAN)), None),
        };
        if let (Some(lambda), []) = (lambda, variants) {
            return Ok((lambda, None));
        }
        if let Some(earlier) = self.checkpoint.as_ref().map(CheckpointPlan::earlier).transpose()?.flatten() {
            for (_, task) in variants {
                let fitted = task.fit(problem.examples().names(), problem.examples().data())?;
                if is_of_task(&earlier, fitted.as_ref()) {
                    problem.set_task(fitted)?;
                    break;
                }
            }
            return Ok((lambda.or(lambda_of(&earlier)).unwrap_or(f64::NAN), None));
        }
        let choice = choose(problem, &self.settings, &Open { lambda, folds, variants }, halt, observe)?;
        Ok((choice.lambda, Some(choice)))
    }

    /// Runs for several λ on one problem, one after the other.
    pub fn path<'a>(&self, problem: &'a Problem) -> Result<Path<'a>> {
        Path::new(problem, self.settings.clone())
    }
}
