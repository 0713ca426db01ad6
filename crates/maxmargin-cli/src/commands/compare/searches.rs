//! `maxmargin compare searches`: Table 1 of SLACK and Table 5.1 of THESIS. What each search for the most violated label
//! finds, and what it costs, on the (example, w) that come up while one of them drives a run.

use anyhow::{Result, bail};
use clap::Args;
use maxmargin::Trainer;
use maxmargin::comparison::{Portrait, SearchComparison, SearchStatistics, Subject, Totals};
use maxmargin::solver::{SolverKind, Stop};
use maxmargin::tasks::ComparisonOptions;
use maxmargin::training::{Problem, Regularizer, Settings};
use serde_json::{Value, json};

use super::{check_given, title};
use crate::arguments::{
    ChosenTask, PlotArguments, ProblemArguments, RegularizerArguments, SolvingArguments, TaskCommand,
};
use crate::files::Files;
use crate::interrupt;
use crate::loading::load;
use crate::plot::PlanePicture;
use crate::print::{count, note, number, percent, say, say_json, time};
use crate::progress::Progress;
use crate::table::Table;
use crate::training::{Finished, solve};

/// What the searches for the most violated label find, and what they cost
///
/// One search (--search) drives a run of one solver. On every --every-th example all searches that apply to the surrogate
/// are tried, at each call, with the same weights: warm, from what each one remembers of the example, and cold, from
/// nothing. The run itself is as without the others.
#[derive(Debug, Args)]
#[command(
    mut_arg("time_limit", |limit| limit
        .long("budget")
        .visible_alias("time-limit")
        .default_value("60")
        .help("The seconds that the run gets; it ends earlier at --gap, or later with the oracle calls of its pass")),
    after_help = "\
Columns: success, searches that found a new cutting plane (worth more than all labels found for the example before);
missed, searches that did not reach the best value that any of them found; value/best, the mean of that ratio.

Examples:
  maxmargin compare searches chain --train letter.data.gz --folds 0 --lambda 0.01 --surrogate slack
  maxmargin compare searches chain --train letter.data.gz --folds 0 --surrogate prob-convex --every 1 \\
      --solver bmrm --plot plane.svg --plot plane.png"
)]
pub struct CompareSearches {
    #[command(flatten)]
    problem: ProblemArguments,

    #[command(flatten)]
    regularizer: RegularizerArguments,

    /// The solver of the run
    #[arg(long, value_name = "NAME", default_value_t = SolverKind::Auto, help_heading = "Solving")]
    solver: SolverKind,

    /// Try all searches on every K-th example only
    #[arg(long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..), help_heading = "SearchComparison")]
    every: u32,

    #[command(flatten)]
    solving: SolvingArguments,

    #[command(flatten)]
    plot: PlotArguments,

    /// The example to draw, from 0; one where the searches differ most if it is not given
    #[arg(long, value_name = "N", requires = "plot", help_heading = "Output")]
    example: Option<usize>,

    /// Print one JSON object instead of the table
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl TaskCommand for CompareSearches {
    fn run(self, chosen: ChosenTask) -> Result<()> {
        let files = chosen.add_to(Files::default().read_data("--train", &self.problem.train));
        self.plot.add_to(files).check()?;
        check_given(&chosen, &self.problem)?;
        self.solving.on_threads(|threads| self.compare(&chosen, threads))
    }
}

impl CompareSearches {
    fn compare(&self, chosen: &ChosenTask, threads: usize) -> Result<()> {
        let (examples, _) = load(&self.problem, chosen, None, self.solving.quiet)?;
        let background = chosen.evaluation.background(&examples.names().labels);
        let regularizer = self.regularizer.choice_or(Regularizer::CSum(1.0));
        let settings = self.solving.add_to(self.problem.add_to(Settings::default()));
        let trainer = Trainer::of(chosen.task.boxed(), Settings { background, regularizer, ..settings });
        let problem = trainer.problem(&examples)?;
        let data = problem.examples().data();
        let settings =
            trainer.settings().solver_settings(regularizer.lambda(data.len()).unwrap_or(f64::NAN))?;
        let options = ComparisonOptions { every: self.every as usize, subject: self.subject() };
        let (risk, comparison) = problem.task().compared_risk(data, problem.search_options(), &options)?;
        let choice = self.solver.resolve(risk.as_ref(), settings.lambda);
        chosen.given.check_solving(&[choice.kind], self.problem.surrogate)?;
        let mut solver = choice.build(risk.as_ref(), &settings)?;
        let limits = trainer.settings().limits_for(risk.as_ref());
        let mut progress = Progress::new(limits, self.solving.quiet, "");
        let listening = interrupt::listen();
        let outcome = solve(solver.as_mut(), risk.as_ref(), limits, &mut progress, |_| ())?;
        let (report, stop) = (outcome.report, outcome.stop);
        let finished =
            Finished { problem: &problem, solver: solver.name(), settings: &settings, report, stop };
        if stop == Stop::Interrupted {
            note("interrupted; the table holds what was done so far");
        }
        let statistics = comparison.statistics();
        let portrait = comparison.portrait();
        self.draw(&problem, portrait.as_ref())?;
        drop(listening);
        if self.json {
            let mut object = finished.json();
            object["search"] = comparison.driving().name().into();
            object["threads"] = threads.into();
            object["every"] = self.every.into();
            object["followed"] = comparison.followed().into();
            object["plots"] = self.plot.paths().into();
            object["drawn"] =
                portrait.map(|seen| json!({ "example": seen.example, "call": seen.call })).into();
            object["searches"] = statistics.iter().map(object_of).collect();
            return say_json(&object);
        }
        let text = format!(
            "data: {}\nrun: {}, λ {}, solver {}{}, driven by {}; {}\ncompared: {}; threads: {threads}\n\n{}{}",
            problem.describe(),
            problem.search().surrogate(),
            number(settings.lambda),
            finished.solver,
            choice.why(),
            comparison.driving(),
            finished.work(),
            scope(comparison.as_ref(), &statistics, problem.examples().len()),
            table(&statistics),
            remarks(&statistics),
        );
        say(&text)
    }

    fn subject(&self) -> Subject {
        match self.example {
            _ if self.plot.plot.is_empty() => Subject::Nobody,
            Some(number) => Subject::Example(number),
            None => Subject::MostTelling,
        }
    }

    fn draw(&self, problem: &Problem, portrait: Option<&Portrait>) -> Result<()> {
        if self.plot.plot.is_empty() {
            return Ok(());
        }
        let Some(portrait) = portrait else {
            bail!("--plot: the run ended before it came to an example that could be drawn");
        };
        let title = format!(
            "{}; example {}, its call {}",
            title(&self.problem, problem),
            portrait.example,
            portrait.call
        );
        self.plot.draw(title, |title| PlanePicture { title, portrait: portrait.clone() })
    }
}

/// On how much the figures rest.
fn scope(comparison: &dyn SearchComparison, statistics: &[SearchStatistics], examples: usize) -> String {
    let searches = statistics.first().map_or(0, |each| each.warm.searches) as usize;
    let followed = comparison.followed();
    format!("{} of {examples}, {}", count(followed, "example"), count(searches, "oracle call"))
}

fn table(statistics: &[SearchStatistics]) -> Table {
    let mut table = Table::new([
        "search",
        "success",
        "missed warm",
        "cold",
        "value/best",
        "queries warm",
        "cold",
        "ms warm",
        "cold",
        "bounds broken",
    ]);
    for each @ SearchStatistics { strategy, warm, cold, .. } in statistics {
        let star = if each.mixes { "*" } else { "" };
        table.row([
            strategy.name().to_owned(),
            success(each, warm).map_or("–".to_owned(), percent),
            format!("{}{star}", percent(warm.miss_rate())),
            format!("{}{star}", percent(cold.miss_rate())),
            format!("{:.6}{star}", warm.mean_ratio()),
            format!("{:.2}", warm.mean_queries()),
            format!("{:.2}", cold.mean_queries()),
            format!("{:.4}", 1e3 * warm.mean_seconds()),
            format!("{:.4}", 1e3 * cold.mean_seconds()),
            (warm.broken_bounds + cold.broken_bounds).to_string(),
        ]);
    }
    table
}

/// What a reader must know to read the table.
fn remarks(statistics: &[SearchStatistics]) -> String {
    let mut text = String::new();
    if statistics.iter().any(|each| each.mixes) {
        text += "\n* over mixes of labels, which are worth more than labels: measured against the best mix\n";
    }
    let seconds: f64 = statistics.iter().map(|each| each.warm.seconds + each.cold.seconds).sum();
    text += &format!(
        "\nsuccess and value/best are of warm searches; all searches together took {}\n",
        time(seconds)
    );
    if statistics.iter().any(|each| each.warm.broken_bounds + each.cold.broken_bounds > 0) {
        text += "bounds were broken: this is an error in the program, please report it\n";
    }
    text
}

/// A mix is nearly always worth more than the labels found before, which says nothing.
fn success(each: &SearchStatistics, totals: &Totals) -> Option<f64> {
    (!each.mixes).then(|| totals.success_rate())
}

fn object_of(each: &SearchStatistics) -> Value {
    let totals = |totals: &Totals| {
        json!({
            "searches": totals.searches,
            "success_rate": success(each, totals),
            "miss_rate": totals.miss_rate(),
            "mean_ratio": totals.mean_ratio(),
            "queries": totals.mean_queries(),
            "seconds": totals.mean_seconds(),
            "bounds_broken": totals.broken_bounds,
        })
    };
    json!({
        "search": each.strategy.name(),
        "over": if each.mixes { "mixes" } else { "labels" },
        "exact": each.strategy.is_exact(),
        "warm": totals(&each.warm),
        "cold": totals(&each.cold),
    })
}
