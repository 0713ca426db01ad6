//! `maxmargin train`: from data to a model with a proof.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use maxmargin::Error;
use maxmargin::solver::{RunState, Solver, SolverKind, Stop};
use maxmargin::surrogate::Surrogate;

use crate::arguments::{Folds, ProblemArguments, RegularizerArguments, SolvingArguments, not_negative};
use crate::checkpoints::Checkpoints;
use crate::describe::{columns, label_sets, links};
use crate::evaluation::HeldOut;
use crate::examples::Examples;
use crate::interrupt;
use crate::print::{note, say, say_json};
use crate::progress::Progress;
use crate::training::{Log, Trained, go_on};
use crate::warm_start::WarmStart;

/// Train a model and prove how good it is
///
/// Minimises F(w) = λ/2 ‖w‖² + 1/n Σ H_i(w) until the relative gap between F(w) and a proven lower bound is at most --gap.
/// Ctrl-C breaks off, saves the model so far (and the checkpoint, if there is one) and exits with 130.
///
/// A label is a class (multiclass), a class for each position of a sequence (chain), a set of labels with weights for
/// pairs of labels (multilabel) or a set of links between the nodes of a bipartite graph (matching).
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
    regularizer: RegularizerArguments,

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

    /// Start from the weights of another model of the same task, labels and attributes
    ///
    /// Columns are filled in and standardised as for that model, not anew.
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
    /// (with another --gap bcfw and sdca may take another way to the optimum).
    #[arg(long, requires = "checkpoint", help_heading = "Solving")]
    resume: bool,

    /// Write a JSON object per pass to this file: passes, primal, primal_now (null where a pass did not measure it), lower_bound, gap, oracle_gap,
    /// oracle_calls, queries, seconds, master_seconds
    ///
    /// When it cannot be written any more, training goes on and the model is saved; the exit code is then 2.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    log: Option<PathBuf>,

    /// Print one JSON object instead of the summary
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl Train {
    /// Runs the command.
    pub fn run(self) -> Result<()> {
        (self.problem.files().read_data("--test", &self.test))
            .read_before("--warm-start", self.warm_start.as_ref(), "--model")
            .write("--model", [&self.model])
            .write("--log", &self.log)
            .write_in("--checkpoint", self.checkpoint.as_ref())
            .check()?;
        let is_tested = !self.test.is_empty() || self.test_folds.is_some();
        let ProblemArguments { evaluation, surrogate, .. } = &self.problem;
        if evaluation.names_background() && !is_tested && *surrogate != Surrogate::MicroF1 {
            bail!(
                "--background: only --surrogate micro-f1 and an evaluation with --test or --test-folds look at it"
            );
        }
        self.solving.on_threads(|threads| self.train(threads))
    }

    fn train(&self, threads: usize) -> Result<()> {
        let others = self.test_folds.as_ref().filter(|_| self.test.is_empty());
        let examples = Examples::read(&self.problem, others)?;
        let warm_start = match &self.warm_start {
            Some(path) => Some(WarmStart::load(path, self.problem.task, examples.vocabulary())?),
            None => None,
        };
        let given = match &warm_start {
            Some(warm_start) => Some(warm_start.preprocessing(&self.problem.examples)?),
            None => None,
        };
        let problem = examples.problem(&self.problem, &examples.data, given)?;
        let others = examples.others.map(|others| problem.known().view(others)).transpose()?;
        let (task, vocabulary) = (&problem.task, &problem.vocabulary);
        let test = match others {
            Some(data) => Some(HeldOut::from_training(data, vocabulary)),
            None if self.test.is_empty() => None,
            None => {
                let options = self.problem.read.options_for_more(problem.format);
                Some(HeldOut::read(&self.test, options, self.test_folds.as_ref(), problem.known())?)
            }
        };
        let test =
            test.map(|test| test.with_background(task.kind(), &self.problem.evaluation)).transpose()?;
        let regularizer = self.regularizer.resolve(problem.data.len());
        let mut settings = self.solving.settings(regularizer.lambda)?;
        let risk = problem.risk()?;
        self.solver.check(risk.as_ref())?;
        let mut choice = self.solver.resolve(risk.as_ref(), settings.lambda);
        if let Some(warm_start) = warm_start {
            choice = choice.from_given_weights(risk.as_ref());
            settings.start = Some(warm_start.weights(&problem, choice.kind)?);
        }
        let mut checkpoints = match &self.checkpoint {
            Some(directory) => {
                let every = Duration::from_secs_f64(self.checkpoint_every);
                Some(Checkpoints::open(directory, every, self.resume, &problem, choice.kind, &settings)?)
            }
            None => None,
        };
        let (mut state, mut solver) =
            match checkpoints.as_ref().map(|saved| saved.load(risk.as_ref())).transpose()?.flatten() {
                Some(saved) => saved,
                None => (RunState::new(risk.dim()), choice.build(risk.as_ref(), &settings)),
            };
        let mut log = match &self.log {
            Some(path) if state.report.passes > 0 => Some(Log::go_on(path, state.report.passes)?),
            Some(path) => Some(Log::create(path)?),
            None => None,
        };

        let limits = self.solving.limits_for(risk.as_ref());
        let mut progress = Progress::new(limits, self.solving.quiet, "");
        let observe = |state: &RunState, solver: &dyn Solver| {
            if let Some(log) = &mut log {
                log.write(&state.report);
            }
            if let Some(checkpoints) = &mut checkpoints {
                checkpoints.save_if_due(state, solver, risk.as_ref());
            }
        };
        let listening = interrupt::listen();
        let stop = go_on(solver.as_mut(), risk.as_ref(), limits, &mut progress, &mut state, observe);
        // The model is worth more than the checkpoint: if the disk is full, the error comes after it is written.
        let last_checkpoint =
            checkpoints.as_ref().map(|checkpoints| checkpoints.save(&state, solver.as_ref(), risk.as_ref()));
        let name = solver.name();
        // A solver may hold several times what the model needs to be written.
        drop((solver, risk));
        let mut trained = Trained { solver: name, outcome: state.into_outcome(stop) };
        let weights = std::mem::take(&mut trained.outcome.weights);
        let model = problem.model(trained.solver, &settings, &trained.outcome.report, weights);
        model.save(&self.model)?;
        drop(listening);
        if trained.outcome.stop == Stop::Interrupted {
            let resume = if self.checkpoint.is_some() { "; go on with --resume" } else { "" };
            note(&format!("interrupted; the model so far is in {}{resume}", self.model.display()));
        }

        let evaluation = test
            .as_ref()
            .map(|test| test.evaluate(task, &model.weights, vocabulary.labels.len()))
            .transpose()?;
        if self.json {
            let mut object = trained.json(&problem, &settings);
            object["model"] = self.model.display().to_string().into();
            object["threads"] = threads.into();
            if let Some(evaluation) = &evaluation {
                object["test"] = evaluation.json(false);
            }
            say_json(&object)?;
        }
        let failures = (last_checkpoint.and_then(Result::err), log.and_then(Log::failure));
        if self.json || self.solving.quiet {
            return self.report_failures(failures);
        }
        let weights = if self.problem.no_bias { ", no bias" } else { "" };
        let boundary = if self.problem.no_boundary { ", no boundary weights" } else { "" };
        let sets = label_sets(task).or_else(|| links(task)).map_or(String::new(), |sets| format!(", {sets}"));
        let columns = columns(&problem.preprocessing);
        let columns = columns.map_or(String::new(), |columns| format!("columns      {columns}\n"));
        let mut text = format!(
            "data         {}\n{columns}problem      {task}, {search}, loss {loss}{weights}{boundary}{sets}\nλ            {λ}\nsolver       {solver}{why}\ncertificate  {certificate}\nstop         {work}\nmodel        {path}\n",
            problem.describe(),
            task = self.problem.task,
            search = problem.describe_search(),
            loss = model.loss_name(),
            λ = regularizer.describe(),
            solver = trained.solver,
            why = choice.why(),
            certificate = trained.certificate(&problem),
            work = trained.work(),
            path = self.model.display(),
        );
        if let Some(evaluation) = &evaluation {
            text += &format!("test         {}\n", evaluation.line());
            for line in evaluation.notes() {
                text += &format!("             {line}\n");
            }
        }
        say(&text)?;
        self.report_failures(failures)
    }

    /// An error when a checkpoint or the log could not be written, though the model is there.
    fn report_failures(&self, (checkpoint, log): (Option<Error>, Option<(Error, usize)>)) -> Result<()> {
        let log = log.map(|(error, passes)| format!("{error} (the log ends after pass {passes})"));
        let failures: Vec<String> =
            checkpoint.map(|error| error.to_string()).into_iter().chain(log).collect();
        if failures.is_empty() {
            return Ok(());
        }
        bail!("{}; the model itself is saved in {}", failures.join("; "), self.model.display())
    }
}
