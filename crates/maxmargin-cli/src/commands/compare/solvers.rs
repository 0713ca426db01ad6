//! `maxmargin compare solvers`: Table 2 of BUNDLE (§4). For each λ the passes and the time that each solver needs to the
//! same gap, or the gap that it reaches in the same time, and the speed-up over the first solver.

use anyhow::Result;
use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use maxmargin::solver::{Outcome, Report, SolverKind, SolverSettings, Stop};
use maxmargin::training::{Problem, Settings};
use serde_json::{Value, json};

use super::curves::CurvesFile;
use super::{check_given, title};
use crate::arguments::{
    ChosenTask, PlotArguments, ProblemArguments, SolvingArguments, TaskCommand, positive,
};
use crate::files::Files;
use crate::interrupt;
use crate::loading::load;
use crate::plot::{Curve, Figure, Panel};
use crate::print::{note, number, percent, say, say_json, time};
use crate::progress::Progress;
use crate::table::Table;
use crate::training::solve;
use maxmargin::Trainer;

/// Passes, time and speed-up of solvers for several λ
///
/// Every solver runs for every λ, from the largest to the smallest, to the same --gap. The speed-up is the time of the
/// first solver divided by that of the other. --budget and --max-passes hold for each run; a run that ends before the
/// gap is marked with a star.
#[derive(Debug, Args)]
#[command(
    // Here the time limit is half of the question, and a solver that never reaches the gap must not run for ever.
    mut_arg("time_limit", |limit| limit
        .long("budget")
        .visible_alias("time-limit")
        .default_value("60")
        .help("The seconds that each solver gets for each λ; it ends earlier at --gap, or later with the oracle calls of its pass")),
    after_help = "\
Examples:
  maxmargin compare solvers multiclass --train train-images-idx3-ubyte.gz --no-bias \\
      --lambdas 0.01,0.001,0.0001 --solvers bmrm,prox-bmrm,prox-p-bmrm --reuse --gap 1e-2
  maxmargin compare solvers chain --train letter.data.gz --folds 0 --lambdas 0.016 --gap 1e-6 --budget 10 \\
      --plot letters.svg --plot letters.png"
)]
pub struct CompareSolvers {
    #[command(flatten)]
    problem: ProblemArguments,

    /// The values of λ, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = positive, required = true)]
    lambdas: Vec<f64>,

    /// The solvers, separated by commas; speed-ups are against the first. All that apply when it is not given
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = all_solvers())]
    solvers: Vec<SolverKind>,

    /// Start prox solvers from their solution for the next larger λ instead of from SGD
    ///
    /// The first λ starts from the solution for ten times it; the time for that one is not counted.
    #[arg(long)]
    reuse: bool,

    #[command(flatten)]
    solving: SolvingArguments,

    #[command(flatten)]
    plot: PlotArguments,

    /// Write every pass of every run to this file, which ends in .csv or .jsonl: solver, lambda, passes, seconds, gap and more
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(CurvesFile::new), help_heading = "Output")]
    curves: Option<CurvesFile>,

    /// Print one JSON object instead of the tables
    #[arg(long, help_heading = "Output")]
    json: bool,
}

/// One cell of the table.
struct Cell {
    solver: SolverKind,
    lambda: f64,
    outcome: Outcome,
    /// The reports of all passes.
    passes: Vec<Report>,
}

/// All but `auto`, which is one of the others.
fn all_solvers() -> Vec<SolverKind> {
    SolverKind::ALL.into_iter().filter(|&solver| solver != SolverKind::Auto).collect()
}

impl TaskCommand for CompareSolvers {
    fn run(self, chosen: ChosenTask) -> Result<()> {
        let files = chosen.add_to(Files::default().read_data("--train", &self.problem.train));
        let curves = self.curves.as_ref().map(|curves| &curves.path);
        self.plot.add_to(files).write("--curves", curves).check()?;
        check_given(&chosen, &self.problem)?;
        if !self.solvers.iter().any(|solver| is_prox(*solver)) {
            chosen.given.refuse("reuse", "only prox-bmrm and prox-p-bmrm start from other weights")?;
        }
        self.solving.on_threads(|threads| self.compare(&chosen, threads))
    }
}

impl CompareSolvers {
    fn settings(&self) -> Settings {
        self.solving.add_to(self.problem.add_to(Settings::default()))
    }

    fn compare(&self, chosen: &ChosenTask, threads: usize) -> Result<()> {
        let (examples, _) = load(&self.problem, chosen, None, self.solving.quiet)?;
        let background = chosen.evaluation.background(&examples.names().labels);
        let settings = Settings { background, ..self.settings() };
        let problem = Trainer::of(chosen.task.boxed(), settings).problem(&examples)?;
        chosen.given.check_solving(&self.solvers, self.problem.surrogate)?;
        let mut lambdas = self.lambdas.clone();
        lambdas.sort_by(|a, b| b.total_cmp(a));
        lambdas.dedup();

        let listening = interrupt::listen();
        let mut cells = Vec::new();
        // Where nobody chose, those that do not apply are left out.
        let is_chosen = self.solvers != all_solvers();
        for &solver in &self.solvers {
            if !is_chosen && solver.check(problem.risk()?.as_ref()).is_err() {
                continue;
            }
            self.solve_all(solver, &lambdas, &problem, &mut cells)?;
            if interrupt::asked() {
                interrupt::heed();
                note("interrupted; the tables hold what was done so far");
                break;
            }
        }
        self.plot.draw(title(&self.problem, &problem), |title| self.figure(title, &lambdas, &cells))?;
        if let Some(curves) = &self.curves {
            curves.write(cells.iter().map(|cell| (cell.solver.name(), cell.lambda, &cell.passes[..])))?;
        }
        drop(listening);
        if self.json {
            return say_json(&self.object(&problem, threads, &cells));
        }
        let start = if self.reuse { "the solution for the next larger λ" } else { "SGD" };
        let budget = self.solving.time_limit.map(|seconds| format!(" or for {}", time(seconds)));
        let text = format!(
            "data: {}\nto a gap of {}{}; start of the prox solvers: {start}; threads: {threads}\n\n{}\n{}",
            problem.describe(),
            number(self.solving.gap),
            budget.unwrap_or_default(),
            self.speed_table(&lambdas, &cells),
            detail_table(&cells),
        );
        say(&text)
    }

    fn solve_all(
        &self,
        solver: SolverKind,
        lambdas: &[f64],
        problem: &Problem,
        cells: &mut Vec<Cell>,
    ) -> Result<()> {
        let prox = is_prox(solver);
        let mut start = None;
        if self.reuse && prox {
            let before = self.settings().solver_settings(10.0 * lambdas[0])?;
            start = Some(self.solve(solver, before, problem)?.0.weights);
        }
        for &lambda in lambdas {
            if interrupt::asked() {
                break;
            }
            let settings = SolverSettings { start: start.take(), ..self.settings().solver_settings(lambda)? };
            let (mut outcome, passes) = self.solve(solver, settings, problem)?;
            let weights = std::mem::take(&mut outcome.weights);
            start = (self.reuse && prox).then_some(weights);
            cells.push(Cell { solver, lambda, outcome, passes });
        }
        Ok(())
    }

    /// One run, with the reports of its passes.
    fn solve(
        &self,
        solver: SolverKind,
        settings: SolverSettings,
        problem: &Problem,
    ) -> Result<(Outcome, Vec<Report>)> {
        let limits = self.settings().limits();
        let name = format!("{solver}, λ {}", number(settings.lambda));
        let mut progress = Progress::new(limits, self.solving.quiet, &name);
        let mut passes = Vec::new();
        let keep = |report: &Report| passes.push(*report);
        // A risk of its own for each run: what one remembers of the examples must not speed up the next.
        let risk = problem.risk()?;
        let mut solver = solver.build(risk.as_ref(), &settings)?;
        let outcome = solve(solver.as_mut(), risk.as_ref(), limits, &mut progress, keep)?;
        Ok((outcome, passes))
    }

    /// A row of panels for each λ: the gap against time, and against passes.
    fn figure(&self, title: String, lambdas: &[f64], cells: &[Cell]) -> Figure {
        let panel = |lambda: f64, x: &str, value: fn(&Report) -> f64| Panel {
            title: format!("λ = {}", number(lambda)),
            x: x.to_owned(),
            y: "relative gap".to_owned(),
            curves: (cells.iter().filter(|cell| cell.lambda == lambda))
                .map(|Cell { solver, passes, .. }| Curve {
                    name: solver.name().to_owned(),
                    points: passes.iter().map(|report| (value(report), report.certificate.gap().0)).collect(),
                })
                .collect(),
            level: Some(self.solving.gap),
        };
        let row = |&lambda: &f64| {
            let time = panel(lambda, "time in seconds", |report| report.seconds);
            vec![time, panel(lambda, "passes over the data", |report| report.passes as f64)]
        };
        Figure { title, rows: lambdas.iter().map(row).collect() }
    }

    /// Rows are solvers; each λ has passes, seconds, the gap reached and the speed-up.
    fn speed_table(&self, lambdas: &[f64], cells: &[Cell]) -> Table {
        let columns = lambdas.iter().flat_map(|&lambda| {
            let lambda = number(lambda);
            [format!("λ {lambda}: iter"), "s".to_owned(), "gap".to_owned(), "speed-up".to_owned()]
        });
        let mut table = Table::new(std::iter::once("solver".to_owned()).chain(columns));
        let tried = |solver: &&SolverKind| cells.iter().any(|cell| cell.solver == **solver);
        for &solver in self.solvers.iter().filter(tried) {
            let of_lambda = |&lambda: &f64| match find(cells, solver, lambda) {
                Some(cell) => {
                    let report = &cell.outcome.report;
                    let star = if cell.outcome.stop == Stop::GapReached { "" } else { "*" };
                    let speed_up = speed_up(cells, cell).map(|x| format!("{x:.1}"));
                    [
                        format!("{}{star}", report.passes),
                        format!("{:.2}", report.seconds),
                        report.certificate.gap().to_string(),
                        speed_up.unwrap_or_default(),
                    ]
                }
                None => Default::default(),
            };
            let name = std::iter::once(solver.name().to_owned());
            table.row(name.chain(lambdas.iter().flat_map(of_lambda)));
        }
        table
    }

    fn object(&self, problem: &Problem, threads: usize, cells: &[Cell]) -> Value {
        let run = |cell: &Cell| {
            let report = &cell.outcome.report;
            json!({
                "solver": cell.solver.name(),
                "lambda": cell.lambda,
                "passes": report.passes,
                "oracle_calls": report.oracle_calls,
                "seconds": report.seconds,
                "master_seconds": report.master_seconds,
                "speed_up": speed_up(cells, cell),
                "primal": report.certificate.primal,
                "lower_bound": report.certificate.lower_bound,
                "gap": report.certificate.gap().0,
                "oracle_gap": report.certificate.oracle_gap,
                "stop": cell.outcome.stop.name(),
            })
        };
        json!({
            "task": problem.task().name(),
            "n": problem.examples().len(),
            "dim": problem.task().dim(),
            "gap": self.solving.gap,
            "budget": self.solving.time_limit,
            "groups": self.solving.groups,
            "start": if self.reuse { "reuse" } else { "sgd" },
            "threads": threads,
            "seed": self.solving.seed,
            "signal": interrupt::signal(),
            "plots": self.plot.paths(),
            "curves": self.curves.as_ref().map(|curves| curves.path.display().to_string()),
            "runs": cells.iter().map(run).collect::<Vec<_>>(),
        })
    }
}

fn is_prox(solver: SolverKind) -> bool {
    matches!(solver, SolverKind::ProxBmrm | SolverKind::ProxPBmrm)
}

fn find(cells: &[Cell], solver: SolverKind, lambda: f64) -> Option<&Cell> {
    cells.iter().find(|cell| cell.solver == solver && cell.lambda == lambda)
}

/// The time of the first solver for the same λ, divided by this one's; none where either missed the gap.
fn speed_up(cells: &[Cell], cell: &Cell) -> Option<f64> {
    let first = find(cells, cells.first()?.solver, cell.lambda)?;
    let reached = |cell: &Cell| cell.outcome.stop == Stop::GapReached;
    let seconds = |cell: &Cell| cell.outcome.report.seconds;
    (reached(first) && reached(cell) && seconds(cell) > 0.0).then(|| seconds(first) / seconds(cell))
}

/// A row per run: what it proved, and where its time went.
fn detail_table(cells: &[Cell]) -> Table {
    let mut table =
        Table::new(["solver", "λ", "primal", "lower bound", "gap", "master's share of time", "stop"]);
    for Cell { solver, lambda, outcome, .. } in cells {
        let report = &outcome.report;
        table.row([
            solver.name().to_owned(),
            number(*lambda),
            number(report.certificate.primal),
            number(report.certificate.lower_bound),
            report.certificate.gap().to_string(),
            percent(report.master_seconds / report.seconds.max(f64::MIN_POSITIVE)),
            outcome.stop.name().to_owned(),
        ]);
    }
    table
}
