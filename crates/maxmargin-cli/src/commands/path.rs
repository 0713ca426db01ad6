//! `maxmargin path`: many λ, one after the other, and the best by validation.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{ArgGroup, Args};
use maxmargin::data::hold_out;
use maxmargin::metrics::Metrics;
use maxmargin::solver::{Outcome, Solver, SolverKind, Stop};
use serde_json::{Value, json};

use crate::arguments::{Folds, ProblemArguments, SolvingArguments, positive, share};
use crate::evaluation::{Evaluation, HeldOut};
use crate::examples::Examples;
use crate::interrupt;
use crate::print::{note, number, say, say_json, short_lower, short_upper, time};
use crate::problem::Problem;
use crate::progress::Progress;
use crate::table::Table;
use crate::training::solve;

/// Train for several λ, keep the model that validates best
///
/// Goes from the largest λ to the smallest and starts each run from the one before: bcfw, sdca and n-slack from its planes
/// and their coefficients, the others from its weights (sgd from 0). The model with the best --select figure on the
/// validation data is in --model as soon as it is the best; of equals, the one with the larger λ. --time-limit and
/// --max-passes hold for each λ. Ctrl-C breaks off, prints the table of the values so far and exits with 130.
///
/// To validate on are other files (--validate), other folds (--validate-folds) or a share of the training examples
/// (--hold-out).
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("values").required(true).args(["lambdas", "c_sums"])),
    group(ArgGroup::new("validation").required(true).multiple(true).args(["validate", "validate_folds", "hold_out"])),
    after_help = "\
Examples:
  maxmargin path chain --train letter.data.gz --folds 0-7 --validate-folds 8 --lambdas 0.1,0.01,0.001 --model best.model
  maxmargin path multilabel --train yeast-train.arff.gz --hold-out 0.2 --select micro_f1 --refit \\
      --lambdas 1,0.1,0.01,0.001 --model best.model")]
pub struct Path {
    #[command(flatten)]
    problem: ProblemArguments,

    /// Where to save the best model
    #[arg(long, value_name = "FILE")]
    model: PathBuf,

    /// The values of λ, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = positive)]
    lambdas: Vec<f64>,

    /// The values of C-sum instead: λ = 1/(C·n)
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = positive)]
    c_sums: Vec<f64>,

    /// The validation data
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "Evaluation")]
    validate: Vec<PathBuf>,

    /// Validate on these folds: of the --validate data if there is any, else of the training data
    #[arg(long, value_name = "LIST", help_heading = "Evaluation")]
    validate_folds: Option<Folds>,

    /// Validate on this share of the training examples, drawn with --seed, and train on the others
    #[arg(long, value_name = "SHARE", value_parser = share, conflicts_with_all = ["validate", "validate_folds"], help_heading = "Evaluation")]
    hold_out: Option<f64>,

    /// The figure that decides, by the name that eval prints: mean_loss, or for example micro_f1 or jaccard
    ///
    /// Losses and errors are the better the smaller they are, all others the larger.
    #[arg(long, value_name = "METRIC", default_value = "mean_loss", help_heading = "Evaluation")]
    select: String,

    /// In the end train once more with the best λ, on all training examples: those that were held out too
    #[arg(long, help_heading = "Evaluation")]
    refit: bool,

    /// auto, bmrm, prox-bmrm, p-bmrm, prox-p-bmrm, n-slack, bcfw, sdca, sgd, extragradient or small-qp (see train)
    #[arg(long, value_name = "NAME", default_value = "auto", help_heading = "Solving")]
    solver: SolverKind,

    #[command(flatten)]
    solving: SolvingArguments,

    /// Print one JSON object instead of the table
    #[arg(long, help_heading = "Output")]
    json: bool,
}

/// What came of all values of λ.
struct Followed {
    /// In the order in which they were tried.
    lambdas: Vec<f64>,
    /// The place of the best one.
    best: usize,
    runs: Vec<Value>,
    table: Table,
}

impl Path {
    /// Runs the command.
    pub fn run(self) -> Result<()> {
        let files = self.problem.files().read_data("--validate", &self.validate);
        let files = files.write("--model", [&self.model]);
        files.check()?;
        if self.refit {
            files.check_read_again(&["--loss", "--pairs"])?;
        }
        if self.refit && self.validate_folds.is_some() {
            files.check_read_again(&["--train", "--labels"])?;
        }
        if self.refit && !self.validate.is_empty() {
            bail!(
                "--refit: with --validate FILE no training example is held out, and the best model was trained on all of them"
            );
        }
        // The first examples of both folds together would not be those that were trained on.
        if self.refit && self.validate_folds.is_some() && self.problem.examples.first.is_some() {
            bail!(
                "--refit: with --validate-folds all examples of the folds are trained on; leave out --first"
            );
        }
        self.solving.on_threads(|threads| self.follow(threads))
    }

    fn follow(&self, threads: usize) -> Result<()> {
        let others = self.validate_folds.as_ref().filter(|_| self.validate.is_empty());
        let mut examples = Examples::read(&self.problem, others)?;
        let (problem, validation) = self.split(&mut examples)?;
        let validation = validation.with_background(problem.task.kind(), &self.problem.evaluation)?;
        let names = validation.figure_names(&problem.task, problem.vocabulary.labels.len());
        if !names.contains(&self.select.as_str()) {
            bail!("--select: there is no figure {}; there are {}", self.select, names.join(", "));
        }
        let listening = interrupt::listen();
        let Followed { lambdas, best, runs, table } = self.train_all(&problem, &validation)?;
        let (n, dim, task, held_out) =
            (problem.data.len(), problem.task.dim(), problem.task.kind(), validation.data.len());
        drop((problem, validation));
        let refit = match self.refit && !interrupt::asked() {
            true => Some(self.train_once_more(examples, lambdas[best])?),
            false => None,
        };
        drop(listening);
        if self.json {
            return say_json(&json!({
                "task": task.name(),
                "n": n,
                "dim": dim,
                "threads": threads,
                "validated_on": held_out,
                "select": self.select,
                "best_lambda": lambdas[best],
                "best": runs[best],
                "runs": runs,
                "refit": refit,
                "model": self.model.display().to_string(),
                "signal": interrupt::signal(),
            }));
        }
        if self.solving.quiet {
            return Ok(());
        }
        let (lambda, path) = (number(lambdas[best]), self.model.display());
        let by = self.select.replace('_', " ");
        let figures = "the figures right of the gap are about the validation data";
        let model = match &refit {
            Some(run) => {
                format!("the model in {path} was trained once more with it, on all {} examples", run["n"])
            }
            None => format!("its model is in {path}"),
        };
        say(&format!("{table}\nbest λ {lambda}, by the {by}; {model} ({figures})\n"))
    }

    /// The problem to train on, and what to validate on.
    fn split(&self, examples: &mut Examples) -> Result<(Problem, HeldOut)> {
        let arguments = &self.problem;
        if let Some(share) = self.hold_out {
            let (train, others) = hold_out(examples.data.len(), share, self.solving.seed)?;
            if !self.solving.quiet {
                note(&format!(
                    "held out for validation: {} of {} examples",
                    others.len(),
                    examples.data.len()
                ));
            }
            let problem = examples.problem(arguments, &examples.data.subset(&train), None)?;
            let others = problem.known().view(examples.data.subset(&others))?;
            let validation = HeldOut::from_training(others, &problem.vocabulary);
            return Ok((problem, validation));
        }
        let problem = examples.problem(arguments, &examples.data, None)?;
        let validation = match examples.others.take() {
            Some(others) => HeldOut::from_training(problem.known().view(others)?, &problem.vocabulary),
            None => {
                let options = arguments.read.options_for_more(problem.format);
                HeldOut::read(&self.validate, options, self.validate_folds.as_ref(), problem.known())?
            }
        };
        Ok((problem, validation))
    }

    fn train_all(&self, problem: &Problem, validation: &HeldOut) -> Result<Followed> {
        let (task, known) = (&problem.task, problem.vocabulary.labels.len());
        let n = problem.data.len() as f64;
        let mut lambdas = self.lambdas.clone();
        lambdas.extend(self.c_sums.iter().map(|c| 1.0 / (c * n)));
        lambdas.sort_by(|a, b| b.total_cmp(a));
        lambdas.dedup();

        let risk = problem.risk()?;
        self.solver.check(risk.as_ref())?;
        let limits = self.solving.limits_for(risk.as_ref());
        let mut start = None;
        let mut kept: Option<(SolverKind, Box<dyn Solver>)> = None;
        // How bad the best one is, and its place.
        let mut best: Option<(f64, usize)> = None;
        let mut runs: Vec<Value> = Vec::new();
        let mut table: Option<Table> = None;
        for (i, &lambda) in lambdas.iter().enumerate() {
            let mut settings = self.solving.settings(lambda)?;
            settings.start = start.take();
            let name = format!("λ {} ({} of {})", number(lambda), i + 1, lambdas.len());
            let mut progress = Progress::new(limits, self.solving.quiet, &name);
            // The same solver goes on where it can, with all it knows; else a new one starts from the weights.
            let choice = self.solver.resolve(risk.as_ref(), lambda);
            let going_on = kept
                .take()
                .filter(|(before, _)| *before == choice.kind)
                .and_then(|(_, mut solver)| solver.set_lambda(lambda).then_some(solver));
            let mut solver = going_on.unwrap_or_else(|| choice.build(risk.as_ref(), &settings));
            let mut trained = solve(solver.as_mut(), risk.as_ref(), limits, &mut progress, |_| ());
            let Outcome { report, ref mut weights, stop } = trained.outcome;
            let weights = std::mem::take(weights);
            let model = problem.model(trained.solver, &settings, &report, weights);
            let evaluation = validation.evaluate(task, &model.weights, known)?;
            let badness = self.badness(&evaluation);
            if best.is_none_or(|(least, _)| badness < least) {
                model.save(&self.model)?;
                best = Some((badness, i));
            }

            let mut run = trained.json(problem, &settings);
            run["validation"] = evaluation.json(false);
            runs.push(run);
            let mut figures = evaluation.summary();
            if figures.iter().all(|(name, _)| *name != self.select) {
                let all = evaluation.metrics.figures().into_iter();
                figures.extend(all.filter(|(name, _)| *name == self.select));
            }
            let table = table.get_or_insert_with(|| {
                let fixed = ["λ", "C-sum", "passes", "time", "primal", "lower bound", "gap"];
                Table::new(fixed.into_iter().chain(figures.iter().map(|(name, _)| *name)))
            });
            let fixed = [
                number(lambda),
                number(1.0 / (lambda * n)),
                report.passes.to_string(),
                time(report.seconds),
                short_upper(report.certificate.primal),
                short_lower(report.certificate.lower_bound),
                report.certificate.gap().to_string(),
            ];
            table.row(fixed.into_iter().chain(figures.iter().map(|(_, value)| number(*value))));
            start = Some(model.weights);
            kept = Some((choice.kind, solver));
            if stop == Stop::Interrupted || interrupt::asked() && (i + 1 < lambdas.len() || self.refit) {
                interrupt::heed();
                note("interrupted; what follows is about the values of λ so far");
                break;
            }
        }
        let (Some((_, best)), Some(table)) = (best, table) else { bail!("there is no value of λ") };
        Ok(Followed { lambdas, best, runs, table })
    }

    /// The figure that decides, or its negative: the less the better.
    fn badness(&self, evaluation: &Evaluation<'_>) -> f64 {
        let figures = evaluation.metrics.figures();
        let found = figures.into_iter().find(|(name, _)| *name == self.select);
        let value = found.map_or(f64::INFINITY, |(_, value)| value);
        if Metrics::is_smaller_better(&self.select) { value } else { -value }
    }

    /// Trains on all examples of the training files, those to validate on too, and replaces the model.
    fn train_once_more(&self, mut examples: Examples, lambda: f64) -> Result<Value> {
        let mut arguments = self.problem.clone();
        if let (Some(folds), Some(others)) = (&mut arguments.folds, &self.validate_folds) {
            folds.0.extend(&others.0);
            examples = Examples::read(&arguments, None)?;
        }
        let problem = examples.problem(&arguments, &examples.data, None)?;
        let settings = self.solving.settings(lambda)?;
        let risk = problem.risk()?;
        let limits = self.solving.limits_for(risk.as_ref());
        let mut progress = Progress::new(limits, self.solving.quiet, "all examples");
        let mut solver = self.solver.resolve(risk.as_ref(), lambda).build(risk.as_ref(), &settings);
        let mut trained = solve(solver.as_mut(), risk.as_ref(), limits, &mut progress, |_| ());
        let weights = std::mem::take(&mut trained.outcome.weights);
        problem.model(trained.solver, &settings, &trained.outcome.report, weights).save(&self.model)?;
        Ok(trained.json(&problem, &settings))
    }
}
