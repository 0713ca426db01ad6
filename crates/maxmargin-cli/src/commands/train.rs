//! `maxmargin train`: from data to a model with a proof.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use maxmargin::solver::{Report, SolverKind, Stop};
use maxmargin::surrogate::Surrogate;
use maxmargin::training::{
    CheckpointPlan, HeldOut, Regularizer, Settings, ThresholdMetric, Trained, TunedThresholds,
    describe_columns,
};
use maxmargin::{Error, Model, Trainer};
use serde_json::{Value, json};

use crate::arguments::{
    CandidateArguments, ChosenTask, Folds, ProblemArguments, REGULARISATION, RegularizerArguments,
    SolvingArguments, TaskCommand, describe_lambda, not_negative,
};
use crate::evaluation::Shown;
use crate::files::Files;
use crate::interrupt;
use crate::lambda_choice::{self, ChoiceProgress};
use crate::loading::{load_from, note_new};
use crate::memory;
use crate::print::{bytes, count, note, percent, say, say_json};
use crate::progress::Progress;
use crate::training::{Finished, Log, MissedGap, describe_turns, end, show, turn_json};

/// Train a model and prove how good it is
///
/// Minimises F(w) = λ/2 ‖w‖² + 1/n Σ H_i(w) until the relative gap between F(w) and a proven lower bound is at most --gap.
/// Without λ or C, λ is chosen by itself on examples that are held out, and then all examples are trained on: docs/lambda.md.
/// Ctrl-C breaks off, saves the model so far (and the checkpoint, if there is one) and exits with 130.
///
/// Each task has flags of its own: `maxmargin train TASK --help` shows them all.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  maxmargin train multiclass --train train-images-idx3-ubyte.gz --model mnist.model --c-sum 0.01
  maxmargin train chain --train letter.data.gz --folds 1-9 --test-folds 0 --model letters.model --lambda 0.001
  maxmargin train chain --train chunks.crfsuite --model chunks.model --c-sum 0.1 --gap 1e-2 --log run.jsonl --json
  maxmargin train multilabel --train yeast-train.arff.gz --test yeast-test.arff.gz --model yeast.model --lambda 0.01
  maxmargin train matching --train train.edges --test test.edges --model words.model --lambda 0.01 --loss miss=1,false=3")]
pub struct Train {
    #[command(flatten)]
    problem: ProblemArguments,

    /// Where to save the model: a safetensors file, replaced as a whole when training is done
    #[arg(long, value_name = "FILE")]
    model: PathBuf,

    /// Data to evaluate the model on afterwards
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "Evaluation")]
    test: Vec<PathBuf>,

    /// Evaluate on these folds: of the --test data if there is any, else of the training data
    #[arg(long, value_name = "LIST", help_heading = "Evaluation")]
    test_folds: Option<Folds>,

    #[command(flatten)]
    candidates: CandidateArguments,

    #[command(flatten)]
    regularizer: RegularizerArguments,

    /// Choose λ in K folds: each example is held out once
    ///
    /// Without λ or C a fifth of the examples is held out (below 1000 examples: 2 to 5 folds), models for falling values of λ are trained
    /// on the others, and the one that validates best by the task's own figure decides. Then all examples are trained on.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(2..), conflicts_with = "regularizer", help_heading = REGULARISATION)]
    cv: Option<u16>,

    /// auto, bmrm, prox-bmrm, p-bmrm, prox-p-bmrm, n-slack, bcfw, sdca, sgd, extragradient or small-qp
    ///
    /// bmrm: the bundle method, one cutting plane a pass. prox-bmrm: with a prox-term, from a start by SGD. p-bmrm and
    /// prox-p-bmrm: the same with --groups cutting planes a pass. n-slack: a plane for each example. bcfw:
    /// block-coordinate Frank-Wolfe with cached planes and gap sampling. sdca: the same without cache and sampling. sgd:
    /// averaged stochastic subgradient steps, quick but with a weak proof. extragradient and small-qp: for saddle points, with the
    /// surrogate margin and the tasks matching, chain and multiclass; small-qp for small problems only. auto picks by λ·n and by the number of
    /// weights beside what they are learnt from, and the summary says why.
    #[arg(long, value_name = "NAME", default_value = "auto", help_heading = "Solving")]
    solver: SolverKind,

    #[command(flatten)]
    solving: SolvingArguments,

    /// Start from the weights of another model of the same task, where the names of labels and attributes agree
    ///
    /// For any solver but small-qp. Columns are filled in and standardised as for that model, not anew, those of tables are for what they
    /// were for then (--ignore-columns, --id-column and the like), and columns of text become attributes by the same templates, with
    /// tags in the same scheme, unless it is said anew. To change columns in another way (--standardize and the like) is an error.
    #[arg(long, value_name = "MODEL", help_heading = "Solving")]
    warm_start: Option<PathBuf>,

    /// Keep a checkpoint in this directory: the complete state of the run, replaced as a whole
    ///
    /// Whatever ends the run, a power cut too, costs at most the work since the last checkpoint.
    #[arg(long, value_name = "DIR", help_heading = "Solving")]
    checkpoint: Option<PathBuf>,

    /// Seconds between two checkpoints; 0 for one after each pass
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, allow_negative_numbers = true, value_parser = not_negative, requires = "checkpoint", help_heading = "Solving")]
    checkpoint_every: f64,

    /// Go on from the checkpoint in --checkpoint, to the same model as without a break; from the start if there is none
    ///
    /// Data and settings must be as before. --gap, --max-passes and --time-limit may differ: then a run goes on further
    /// (with another --gap bcfw and sdca may take another way to the optimum). The time limit counts from now on: what was used before
    /// the break is not taken off.
    #[arg(long, requires = "checkpoint", help_heading = "Solving")]
    resume: bool,

    /// Exit with 3 when the run ends before its --gap; the model is saved all the same
    #[arg(long, help_heading = "Solving")]
    require_gap: bool,

    /// Label sets: shift the scores of labels so that this metric is best on held-out examples: micro_f1 or macro_f1
    ///
    /// A fifth of the examples is held out from a first run with the same λ, and tells the shifts: one for all labels (micro_f1) or one for each
    /// (macro_f1). Then all examples are trained on. The model keeps the shifts apart from its weights, which the certificate is about.
    #[arg(long, value_name = "METRIC", help_heading = "Problem")]
    tune_threshold: Option<ThresholdMetric>,

    /// Keep weights in single precision, which halves the model: the certificate is that of the rounded weights
    #[arg(long, help_heading = "Output")]
    f32: bool,

    /// Write a JSON object per pass to this file: passes, primal, primal_now (null where a pass did not measure it), lower_bound, gap, oracle_gap,
    /// oracle_calls, queries, seconds, master_seconds; and estimated_gap, which is no proof (null where every pass measures the gap)
    ///
    /// When it cannot be written any more, training goes on and the model is saved; the exit code is then 2.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    log: Option<PathBuf>,

    /// Print one JSON object instead of the summary
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl TaskCommand for Train {
    fn run(self, chosen: ChosenTask) -> Result<()> {
        let files = Files::default().read_data("--train", &self.problem.train);
        (chosen.add_to(files).read_data("--test", &self.test))
            .read_before("--warm-start", self.warm_start.as_ref(), "--model")
            .write("--model", [&self.model])
            .write("--log", &self.log)
            .write_in("--checkpoint", self.checkpoint.as_ref())
            .check()?;
        let is_tested = !self.test.is_empty() || self.test_folds.is_some();
        if chosen.evaluation.names_background() && !is_tested && self.problem.surrogate != Surrogate::MicroF1
        {
            bail!(
                "--background: only --surrogate micro-f1 and an evaluation with --test or --test-folds look at it"
            );
        }
        self.solving.on_threads(|threads| self.train(&chosen, threads))
    }
}

impl Train {
    fn trainer(&self, chosen: &ChosenTask, settings: Settings, start: Option<Model>) -> Trainer {
        let mut trainer = Trainer::of(chosen.task.boxed(), settings);
        if let Some(model) = start {
            trainer = trainer.warm_start(model);
        }
        if let Some(directory) = &self.checkpoint {
            let every = Duration::from_secs_f64(self.checkpoint_every);
            trainer = trainer.checkpoint(CheckpointPlan {
                directory: directory.clone(),
                every,
                resume: self.resume,
            });
        }
        trainer
    }

    fn train(&self, chosen: &ChosenTask, threads: usize) -> Result<()> {
        let others = self.test_folds.as_ref().filter(|_| self.test.is_empty());
        let start = self.warm_start.as_ref().map(Model::load).transpose()?;
        let candidates = self.candidates.get()?;
        let (examples, others) = load_from(
            &self.problem,
            chosen,
            others,
            start.as_ref(),
            candidates.is_some(),
            self.solving.quiet,
        )?;
        let background = chosen.evaluation.background(&examples.names().labels);
        let settings = Settings {
            regularizer: self.regularizer.choice_or(Regularizer::Chosen { folds: self.cv.map(usize::from) }),
            solver: self.solver,
            background: background.clone(),
            single_precision: self.f32,
            candidates,
            tune_threshold: self.tune_threshold,
            ..self.solving.add_to(self.problem.add_to(Settings::default()))
        };
        let is_chosen = matches!(settings.regularizer, Regularizer::Chosen { .. });
        let trainer = self.trainer(chosen, settings, start);
        let problem = trainer.problem(&examples)?;
        // To choose λ takes long, so flags without effect are refused before, under the λ for which most solvers are taken. Where more is left
        // open than λ there is no risk yet; what else is wrong with it is said below.
        if is_chosen
            && chosen.given.any_of_solving()
            && let Ok(risk) = problem.risk()
        {
            let solver = self.solver.resolve(risk.as_ref(), f64::MIN_POSITIVE).kind;
            chosen.given.check_solving(&[solver], self.problem.surrogate)?;
        }
        let test = match others {
            Some(data) => Some(HeldOut::from_training(problem.view(data)?, problem.known())?),
            None if self.test.is_empty() => None,
            None => {
                let options = chosen.read.options_for_more(examples.format());
                let folds = self.test_folds.as_ref().map(|folds| &folds.0[..]);
                let task = problem.task().task().for_test_data();
                let test = HeldOut::read(problem.known(), task.as_ref(), &self.test, &options, folds)?;
                note_new(examples.data(), test.data(), self.solving.quiet);
                Some(test)
            }
        };
        let test = test.map(|test| test.with_background(problem.task(), &background)).transpose()?;
        drop(examples);
        let announce = |memory: Option<usize>| {
            if let Some(memory) = memory.filter(|_| !self.solving.quiet) {
                note(&format!("about {} of memory will be needed", bytes(memory)));
            }
        };
        let before_choice = if is_chosen { trainer.memory_of_choice(&problem) } else { None };
        announce(before_choice);
        let listening = interrupt::listen();
        let mut choosing = ChoiceProgress::new(self.solving.quiet);
        let training = trainer.prepare_watched(problem, &interrupt::halt(), |event| choosing.take(event))?;
        let examples = training.problem().examples().len();
        let lambda_choice = training.lambda_choice().cloned();
        if let Some(choice) = lambda_choice.as_ref().filter(|_| !self.solving.quiet) {
            note(&lambda_choice::table(choice, examples));
        }
        let limit = trainer.settings().time_limit;
        let cut = lambda_choice.as_ref().and_then(|choice| lambda_choice::cut_note(choice, limit));
        let is_standardized = training.problem().preprocessing().scale.is_some();
        let tie = lambda_choice.as_ref().and_then(|choice| lambda_choice::tie_note(choice, is_standardized));
        let tie = tie.filter(|_| !self.solving.quiet);
        cut.into_iter().chain(tie).for_each(|line| note(&line));
        match chosen.given.check_solving(&[training.choice().kind], self.problem.surrogate) {
            // Not knowing λ, nobody could know before.
            Err(idle) if lambda_choice.is_some() => note(&format!("note: {idle}")),
            checked => checked?,
        }
        let thresholds = training.thresholds().cloned();
        let begun = training.report().passes;
        if self.resume {
            note(&match begun {
                0 => "there is no checkpoint yet; training starts from the beginning".to_owned(),
                passes => format!("going on after {}", count(passes, "pass")),
            });
        }
        let memory = before_choice.or_else(|| training.memory());
        if before_choice.is_none() {
            announce(memory);
        }
        let mut log = match &self.log {
            Some(path) if begun > 0 => Some(Log::go_on(path, begun)?),
            Some(path) => Some(Log::create(path)?),
            None => None,
        };
        let mut progress = Progress::new(training.limits(), self.solving.quiet, "");
        let (choice, settings) = (training.choice(), training.settings().clone());
        let trained = training.run(&interrupt::halt(), |event| {
            let write = |report: &Report| {
                if let Some(log) = &mut log {
                    log.write(report);
                }
            };
            show(event, &mut progress, write)
        })?;
        end(&progress, trained.stop);
        let Trained { model, solver, stop, report, problem, checkpoint_failure, turns } = trained;
        model.save(&self.model)?;
        drop(listening);
        if stop == Stop::Interrupted {
            let resume = if self.checkpoint.is_some() { "; go on with --resume" } else { "" };
            note(&format!("interrupted; the model so far is in {}{resume}", self.model.display()));
        }

        let finished = Finished { problem: &problem, solver, settings: &settings, report, stop };
        let missed = finished.missed_gap(self.solving.gap);
        let evaluation = match &test {
            Some(test) => Some(Shown::new(test, test.evaluate_model(&problem, &model)?)),
            None => None,
        };
        if self.json {
            let mut object = finished.json();
            object["model"] = self.model.display().to_string().into();
            object["threads"] = threads.into();
            object["lambda_choice"] =
                lambda_choice.as_ref().map_or(Value::Null, |choice| lambda_choice::json(choice, examples));
            object["memory_estimate"] = memory.into();
            object["memory_peak"] = memory::peak().into();
            if let Some(candidates) = &candidates {
                object["candidates"] = json!({
                    "method": candidates.method.to_string(), "turns": turns.iter().map(turn_json).collect::<Vec<_>>(),
                });
            }
            if let Some(TunedThresholds { metric, shifts, held_out, values: (before, after) }) = &thresholds {
                object["thresholds"] = json!({
                    "metric": metric.name(), "shifts": shifts, "held_out": held_out, "before": before, "after": after,
                });
            }
            if let Some(evaluation) = &evaluation {
                object["test"] = evaluation.json(false);
            }
            say_json(&object)?;
        }
        let failures = (checkpoint_failure, log.and_then(Log::failure));
        if self.json {
            return self.report_failures(failures, missed);
        }
        let tested = evaluation.as_ref().map_or(String::new(), |evaluation| {
            let notes = evaluation.notes().into_iter().map(|line| format!("             {line}\n"));
            format!("test         {}\n{}", evaluation.line(), notes.collect::<String>())
        });
        if self.solving.quiet {
            if !tested.is_empty() {
                // Who asks for a test wants its result.
                say(&tested)?;
            }
            return self.report_failures(failures, missed);
        }
        let columns = describe_columns(problem.preprocessing());
        let columns = columns.map_or(String::new(), |columns| format!("columns      {columns}\n"));
        let mut text = format!(
            "data         {}\n{columns}problem      {task}, {search}, loss {loss}, {options}\nλ            {λ}{chosen}\nsolver       {solver}{why}\ncertificate  {certificate}\nstop         {work}\nmodel        {path}\n",
            problem.describe(),
            task = problem.task().name(),
            search = problem.describe_search(),
            loss = problem.task().loss_name(),
            options = problem.task().describe(),
            λ = describe_lambda(settings.lambda, examples),
            chosen = lambda_choice
                .as_ref()
                .map_or(String::new(), |choice| format!(": {}", lambda_choice::why(choice))),
            why = choice.why(),
            certificate = finished.certificate(),
            work = finished.work(),
            path = self.model.display(),
        );
        if let Some(line) = candidates.and_then(|candidates| describe_turns(candidates.method, &turns, stop))
        {
            text += &format!("candidates   {line}\n");
        }
        if let Some(TunedThresholds { metric, held_out, values: (before, after), .. }) = thresholds {
            text += &format!(
                "thresholds   {} on {} held out: {} before, {} after\n",
                metric.name(),
                count(held_out, "example"),
                percent(before),
                percent(after)
            );
        }
        text += &tested;
        say(&text)?;
        self.report_failures(failures, missed)
    }

    /// An error when a checkpoint or the log could not be written, though the model is there; and a word about a gap that was missed.
    fn report_failures(
        &self,
        (checkpoint, log): (Option<Error>, Option<(Error, usize)>),
        missed: Option<MissedGap>,
    ) -> Result<()> {
        let log = log.map(|(error, passes)| format!("{error} (the log ends after pass {passes})"));
        let failures: Vec<String> =
            checkpoint.map(|error| error.to_string()).into_iter().chain(log).collect();
        if failures.is_empty() {
            return MissedGap::report(missed, self.require_gap, &self.model);
        }
        bail!("{}; the model itself is saved in {}", failures.join("; "), self.model.display())
    }
}
