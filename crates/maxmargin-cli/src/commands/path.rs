//! `maxmargin path`: many λ, one after the other, and the best by validation.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{ArgGroup, Args};
use maxmargin::solver::{Outcome, Solver, SolverKind, Stop};
use serde_json::{Value, json};

use crate::arguments::{Folds, ProblemArguments, SolvingArguments, positive};
use crate::evaluation::HeldOut;
use crate::interrupt;
use crate::print::{note, number, say, say_json, time};
use crate::problem::{Problem, check_output};
use crate::progress::Progress;
use crate::table::Table;
use crate::training::solve;

/// Train for several λ, keep the model that validates best
///
/// Goes from the largest λ to the smallest and starts each run from the one before: bcfw, sdca and n-slack from its planes
/// and their coefficients, the others from its weights (sgd from 0). The model with the
/// least mean loss on the validation data is in --model as soon as it is the best; of equals, the one with the larger λ.
/// --time-limit and --max-passes hold for each λ.
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("values").required(true).args(["lambdas", "c_sums"])),
    group(ArgGroup::new("validation").required(true).multiple(true).args(["validate", "validate_folds"])),
    after_help = "\
Example:
  maxmargin path chain --train letter.data.gz --folds 0-7 --validate-folds 8 --lambdas 0.1,0.01,0.001 --model best.model")]
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

    /// auto, bmrm, prox-bmrm, p-bmrm, prox-p-bmrm, n-slack, bcfw, sdca or sgd (see train)
    #[arg(long, value_name = "NAME", default_value = "auto", help_heading = "Solving")]
    solver: SolverKind,

    #[command(flatten)]
    solving: SolvingArguments,

    /// Print one JSON object instead of the table
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl Path {
    /// Runs the command.
    pub fn run(self) -> Result<()> {
        check_output(&self.model, &[&self.problem.train, &self.validate])?;
        self.solving.on_threads(|threads| self.follow(threads))
    }

    fn follow(&self, threads: usize) -> Result<()> {
        let others = self.validate_folds.as_ref().filter(|_| self.validate.is_empty());
        let (problem, others) = Problem::load(&self.problem, others)?;
        let (task, vocabulary) = (&problem.task, &problem.vocabulary);
        let validation = match others {
            Some(data) => HeldOut::from_training(data, vocabulary),
            None => {
                let options = self.problem.read.options_for_more();
                HeldOut::read(&self.validate, &options, self.validate_folds.as_ref(), task, vocabulary)?
            }
        };
        let validation = validation.with_background(&self.problem.evaluation)?;
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
        let mut best: Option<(f64, usize)> = None;
        let mut runs: Vec<Value> = Vec::new();
        let mut table: Option<Table> = None;
        for (i, &lambda) in lambdas.iter().enumerate() {
            let mut settings = self.solving.settings(lambda)?;
            settings.start = start.take();
            let name = format!("λ {} ({} of {})", number(lambda), i + 1, lambdas.len());
            let mut progress = Progress::new(limits, self.solving.quiet, &name);
            // The same solver goes on where it can, with all it knows; else a new one starts from the weights.
            let kind = self.solver.resolve(risk.as_ref(), lambda).kind;
            let going_on = kept
                .take()
                .filter(|(before, _)| *before == kind)
                .and_then(|(_, mut solver)| solver.set_lambda(lambda).then_some(solver));
            let mut solver = going_on.unwrap_or_else(|| kind.build(risk.as_ref(), &settings));
            let mut trained = solve(solver.as_mut(), risk.as_ref(), limits, &mut progress, |_| Ok(()))?;
            let Outcome { report, ref mut weights, stop } = trained.outcome;
            let weights = std::mem::take(weights);
            let model = problem.model(trained.solver, &settings, &report, weights);
            let evaluation = validation.evaluate(task, &model.weights, vocabulary.labels.len());
            let loss = evaluation.metrics.mean_loss();
            if best.is_none_or(|(least, _)| loss < least) {
                model.save(&self.model)?;
                best = Some((loss, i));
            }

            let mut run = trained.json(&problem, &settings);
            run["validation"] = evaluation.json(false);
            runs.push(run);
            let figures = evaluation.summary();
            let table = table.get_or_insert_with(|| {
                let fixed = ["λ", "C-sum", "passes", "time", "primal", "lower bound", "gap"];
                Table::new(fixed.into_iter().chain(figures.iter().map(|(name, _)| *name)))
            });
            let fixed = [
                number(lambda),
                number(1.0 / (lambda * n)),
                report.passes.to_string(),
                time(report.seconds),
                number(report.certificate.primal),
                number(report.certificate.lower_bound),
                report.certificate.gap().to_string(),
            ];
            table.row(fixed.into_iter().chain(figures.iter().map(|(_, value)| number(*value))));
            start = Some(model.weights);
            kept = Some((kind, solver));
            if stop == Stop::Interrupted || interrupt::asked() {
                note("interrupted; what follows is about the values of λ so far");
                break;
            }
        }
        let (Some((_, best)), Some(table)) = (best, table) else { bail!("there is no value of λ") };
        if self.json {
            return say_json(&json!({
                "task": task.kind().name(),
                "n": problem.data.len(),
                "dim": task.dim(),
                "threads": threads,
                "best_lambda": lambdas[best],
                "best": runs[best],
                "runs": runs,
                "model": self.model.display().to_string(),
            }));
        }
        if self.solving.quiet {
            return Ok(());
        }
        let (lambda, path) = (number(lambdas[best]), self.model.display());
        let figures = "the figures right of the gap are about the validation data";
        say(&format!("{table}\nbest λ {lambda}, by the mean loss; its model is in {path} ({figures})\n"))
    }
}
