//! `maxmargin path`: many λ, one after the other, and the best by validation.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::{ArgGroup, Args};
use maxmargin::data::{DataObject, hold_out};
use maxmargin::shown::did_you_mean;
use maxmargin::solver::{Outcome, SolverKind, Stop};
use maxmargin::training::{HeldOut, Ladder, PathStep, Problem, Regularizer, Settings, Trained};
use maxmargin::{Examples, Trainer};
use serde_json::{Value, json};

use crate::arguments::{ChosenTask, Folds, ProblemArguments, SolvingArguments, TaskCommand, positive, share};
use crate::evaluation::Shown;
use crate::files::Files;
use crate::interrupt;
use crate::loading::{load, note_new};
use crate::print::{note, number, say, say_json, short_lower, short_upper, time};
use crate::progress::Progress;
use crate::table::Table;
use crate::training::{Finished, MissedGap, end, show};

/// Train for several λ, keep the model that validates best
///
/// Goes from the largest λ to the smallest, and beyond either end of the list where the best one lies there; without a list it
/// finds values by itself, as `train` does. It starts each run from the one before: bcfw, sdca and n-slack from its planes
/// and their coefficients, the others from its weights (sgd from 0). The model with the best --select figure on the
/// validation data is in --model as soon as it is the best; of equals, the one with the larger λ. --time-limit and
/// --max-passes hold for each λ. Ctrl-C breaks off, prints the table of the values so far and exits with 130.
///
/// To validate on are other files (--validate), other folds (--validate-folds) or a share of the training examples
/// (--hold-out).
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("values").args(["lambdas", "c_sums"])),
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

    /// The figure that decides, by the name that eval prints, for example mean_loss, macro_f1 or jaccard
    ///
    /// Losses and errors are the better the smaller they are, all others the larger. Without it, it is what the task goes by: error,
    /// token_error (chunk_f1 where labels mark chunks), micro_f1 of label sets, aer of matchings; mean_loss where mistakes have costs.
    #[arg(long, value_name = "METRIC", help_heading = "Evaluation")]
    select: Option<String>,

    /// In the end train once more with the best λ, on all training examples: those that were held out too
    #[arg(long, help_heading = "Evaluation")]
    refit: bool,

    /// auto, bmrm, prox-bmrm, p-bmrm, prox-p-bmrm, n-slack, bcfw, sdca, sgd, extragradient or small-qp (see train)
    #[arg(long, value_name = "NAME", default_value = "auto", help_heading = "Solving")]
    solver: SolverKind,

    #[command(flatten)]
    solving: SolvingArguments,

    /// Exit with 3 when the run of the model that is kept ends before its --gap
    #[arg(long, help_heading = "Solving")]
    require_gap: bool,

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
    /// What is to be said of runs that ended before their gap.
    missed: Vec<Option<MissedGap>>,
    table: Table,
}

impl TaskCommand for Path {
    fn run(self, chosen: ChosenTask) -> Result<()> {
        let files = Files::default().read_data("--train", &self.problem.train);
        let files = chosen.add_to(files).read_data("--validate", &self.validate);
        let files = files.write("--model", [&self.model]);
        files.check()?;
        chosen.given.check_solving(&[self.solver], self.problem.surrogate)?;
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
        if self.refit && self.validate_folds.is_some() && self.problem.first.is_some() {
            bail!(
                "--refit: with --validate-folds all examples of the folds are trained on; leave out --first"
            );
        }
        self.solving.on_threads(|threads| self.follow(&chosen, threads))
    }
}

impl Path {
    fn trainer(&self, chosen: &ChosenTask, examples: &Examples) -> Trainer {
        let background = chosen.evaluation.background(&examples.names().labels);
        let settings = self.solving.add_to(self.problem.add_to(Settings::default()));
        Trainer::of(chosen.task.boxed(), Settings { solver: self.solver, background, ..settings })
    }

    fn follow(&self, chosen: &ChosenTask, threads: usize) -> Result<()> {
        let others = self.validate_folds.as_ref().filter(|_| self.validate.is_empty());
        let (examples, others) = load(&self.problem, chosen, others, self.solving.quiet)?;
        let trainer = self.trainer(chosen, &examples);
        let (problem, validation) = self.split(chosen, &trainer, &examples, others)?;
        let background = chosen.evaluation.background(&examples.names().labels);
        let validation = validation.with_background(problem.task(), &background)?;
        let figures = validation.figures(problem.task())?;
        let select = self.select.as_deref().unwrap_or(figures.main());
        if figures.figure(select).is_none() {
            let names: Vec<&str> = figures.figures.iter().map(|(name, _)| *name).collect();
            let meant = did_you_mean(select, names.iter().copied());
            bail!("--select: there is no figure {select}; there are {}{meant}", names.join(", "));
        }
        let listening = interrupt::listen();
        let Followed { lambdas, best, runs, mut missed, table } =
            self.train_all(&trainer, &problem, &validation, select)?;
        let (n, dim, task, held_out) =
            (problem.examples().len(), problem.task().dim(), problem.task().name(), validation.data().len());
        drop((problem, validation));
        let refit = match self.refit && !interrupt::asked() {
            true => Some(self.train_once_more(chosen, examples, lambdas[best])?),
            false => None,
        };
        drop(listening);
        if let Some(note) = many_missed(&missed, &lambdas) {
            crate::print::note(&note);
        }
        let (refit, of_model) = match refit {
            Some((run, missed)) => (Some(run), missed),
            None => (None, missed.swap_remove(best).filter(|_| self.require_gap)),
        };
        let end = || MissedGap::report(of_model, self.require_gap, &self.model);
        if self.json {
            say_json(&json!({
                "task": task,
                "n": n,
                "dim": dim,
                "threads": threads,
                "validated_on": held_out,
                "select": select,
                "best_lambda": lambdas[best],
                "best": runs[best],
                "runs": runs,
                "refit": refit,
                "model": self.model.display().to_string(),
                "signal": interrupt::signal(),
            }))?;
        }
        if self.json || self.solving.quiet {
            return end();
        }
        let (lambda, path) = (number(lambdas[best]), self.model.display());
        let by = select.replace('_', " ");
        let figures = "the figures right of the gap are about the validation data";
        let model = match &refit {
            Some(run) => {
                format!("the model in {path} was trained once more with it, on all {} examples", run["n"])
            }
            None => format!("its model is in {path}"),
        };
        say(&format!("{table}\nbest λ {lambda}, by the {by}; {model} ({figures})\n"))?;
        end()
    }

    /// The problem to train on, and what to validate on.
    fn split(
        &self,
        chosen: &ChosenTask,
        trainer: &Trainer,
        examples: &Examples,
        others: Option<Arc<dyn DataObject>>,
    ) -> Result<(Problem, HeldOut)> {
        if let Some(share) = self.hold_out {
            let (train, others) = hold_out(examples.len(), share, self.solving.seed)?;
            if !self.solving.quiet {
                note(&format!("held out for validation: {} of {} examples", others.len(), examples.len()));
            }
            let problem = trainer.problem(&examples.subset(&train)?)?;
            let others = problem.view(examples.data().subset(&others)?)?;
            let validation = HeldOut::from_training(others, problem.known())?;
            return Ok((problem, validation));
        }
        let problem = trainer.problem(examples)?;
        let validation = match others {
            Some(others) => HeldOut::from_training(problem.view(others)?, problem.known())?,
            None => {
                let options = chosen.read.options_for_more(examples.format());
                let (task, files) = (problem.task().task().for_test_data(), &self.validate);
                let folds = self.validate_folds.as_ref().map(|folds| &folds.0[..]);
                HeldOut::read(problem.known(), task.as_ref(), files, &options, folds)?
            }
        };
        note_new(examples.data(), validation.data(), self.solving.quiet);
        Ok((problem, validation))
    }

    fn train_all(
        &self,
        trainer: &Trainer,
        problem: &Problem,
        validation: &HeldOut,
        select: &str,
    ) -> Result<Followed> {
        let n = problem.examples().len() as f64;
        let mut lambdas = self.lambdas.clone();
        lambdas.extend(self.c_sums.iter().map(|c| 1.0 / (c * n)));

        let mut path = trainer.path(problem)?;
        let mut ladder = if lambdas.is_empty() { path.ladder()? } else { Ladder::of(&lambdas)? };
        let mut runs: Vec<Value> = Vec::new();
        let mut missed = Vec::new();
        let mut table: Option<Table> = None;
        while let Some(lambda) = ladder.next() {
            let name = format!("λ {} (number {})", number(lambda), runs.len() + 1);
            if ladder.is_beyond(runs.len()) && !lambdas.is_empty() && !self.solving.quiet {
                let end =
                    if Some(lambda) < ladder.lambdas().reduce(f64::min) { "smallest" } else { "largest" };
                note(&format!("the best λ is the {end} so far; going on beyond it with {}", number(lambda)));
            }
            let mut progress = Progress::new(path.limits(), self.solving.quiet, &name);
            let step = path.step(lambda, &interrupt::halt(), |event| show(event, &mut progress, |_| ()))?;
            let PathStep { model, weights, solver, settings, outcome, .. } = step;
            let Outcome { report, stop, .. } = outcome;
            end(&progress, stop);
            let evaluation = Shown::new(validation, validation.evaluate(problem.task(), &weights)?);
            let badness = evaluation.evaluation.metrics.badness(select).unwrap_or(f64::INFINITY);
            ladder.add(lambda, badness, 0.0);
            if ladder.best() == Some(runs.len()) {
                model.save(&self.model)?;
            }

            let finished = Finished { problem, solver, settings: &settings, report, stop };
            missed.push(finished.missed_gap(self.solving.gap));
            let mut run = finished.json();
            run["validation"] = evaluation.json(false);
            runs.push(run);
            let mut figures = evaluation.summary();
            if figures.iter().all(|(name, _)| *name != select) {
                let all = evaluation.evaluation.metrics.figures.iter().copied();
                figures.extend(all.filter(|(name, _)| *name == select));
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
            if stop == Stop::Interrupted || interrupt::asked() && (ladder.next().is_some() || self.refit) {
                interrupt::heed();
                note("interrupted; what follows is about the values of λ so far");
                break;
            }
        }
        let (Some(best), Some(table)) = (ladder.best(), table) else { bail!("there is no value of λ") };
        Ok(Followed { lambdas: ladder.lambdas().collect(), best, runs, missed, table })
    }

    /// Trains on all examples of the training files, those to validate on too, and replaces the model.
    fn train_once_more(
        &self,
        chosen: &ChosenTask,
        mut examples: Examples,
        lambda: f64,
    ) -> Result<(Value, Option<MissedGap>)> {
        let mut arguments = self.problem.clone();
        if let (Some(folds), Some(others)) = (&mut arguments.folds, &self.validate_folds) {
            folds.0.extend(&others.0);
            examples = load(&arguments, chosen, None, true)?.0;
        }
        let trainer = self.trainer(chosen, &examples);
        let settings = Settings { regularizer: Regularizer::Lambda(lambda), ..trainer.settings().clone() };
        let training = Trainer::of(chosen.task.boxed(), settings).prepare(&examples)?;
        let mut progress = Progress::new(training.limits(), self.solving.quiet, "all examples");
        let settings = training.settings().clone();
        let trained = training.run(&interrupt::halt(), |event| show(event, &mut progress, |_| ()))?;
        end(&progress, trained.stop);
        let Trained { model, solver, stop, report, problem, .. } = trained;
        model.save(&self.model)?;
        let finished = Finished { problem: &problem, solver, settings: &settings, report, stop };
        Ok((finished.json(), finished.missed_gap(self.solving.gap)))
    }
}

/// A line about the values of λ whose runs ended before their gap.
fn many_missed(missed: &[Option<MissedGap>], lambdas: &[f64]) -> Option<String> {
    let of_run = |(run, lambda): (&Option<MissedGap>, &f64)| {
        run.as_ref().map(|missed| format!("λ {}: {missed}", number(*lambda)))
    };
    let each: Vec<String> = missed.iter().zip(lambdas).filter_map(of_run).collect();
    (!each.is_empty()).then(|| format!("note: {}", each.join("; ")))
}
