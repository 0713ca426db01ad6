//! The program `maxmargin`: it reads arguments, shows progress and prints. What it does is in the library.
//!
//! Each command has a file in `commands`; what several share is in `arguments` (flags, and those of tasks by the registry),
//! `loading` (training data), `files` (what is read and written), `training` (one solve, watched), `progress`, `evaluation`,
//! `print` and `plot`.

mod arguments;
mod commands;
mod evaluation;
mod files;
mod interrupt;
mod loading;
mod plot;
mod print;
mod progress;
mod table;
mod training;

use std::io;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Command as Tree, CommandFactory, FromArgMatches, Parser, Subcommand};

use self::arguments::{ReadingOptions, parse_for_task, reading_flags, with_tasks};
use self::commands::compare::{self, CompareSearches, CompareSolvers};
use self::commands::path::Path;
use self::commands::train::Train;

/// Max-margin structured output learning, with a proof of optimality for every model.
///
/// Trains structural support vector machines by minimising λ/2 ‖w‖² + 1/n Σ H_i(w), where H_i is the worst margin
/// violation of example i, and proves with each model how close it is to the least value possible.
#[derive(Debug, Parser)]
#[command(
    name = "maxmargin",
    version,
    max_term_width = 110,
    after_help = "\
Examples:
  maxmargin demo                                      see it work on built-in data, in seconds
  maxmargin train chain --train words.txt --model words.model
  maxmargin eval --model words.model --data test.txt
  maxmargin predict --model words.model --input new.txt > labels.txt

Exit codes: 0 when all went well, 2 when an argument, a file or its content is at fault, 130 when Ctrl-C (SIGINT) and 143
when SIGTERM broke a run off: what it found until then is saved."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Predict(commands::predict::Predict),
    Eval(commands::eval::Eval),
    Inspect(commands::inspect::Inspect),
    Associate(commands::associate::Associate),
    Grid(commands::grid::Grid),
    Demo(commands::demo::Demo),
}

/// The tree of commands: those that are about a task have a subcommand for each.
fn tree() -> Tree {
    let tree = Arguments::command();
    let tree = tree.mut_subcommand("predict", reading_flags).mut_subcommand("eval", reading_flags);
    // In the order of use.
    let others = ["predict", "eval", "inspect", "associate", "grid", "demo"];
    let tree = others.iter().enumerate().fold(tree, |tree, (place, name)| {
        tree.mut_subcommand(name, |command| command.display_order(10 + place))
    });
    tree.subcommand(with_tasks::<Train>("train").display_order(1))
        .subcommand(with_tasks::<Path>("path").display_order(11))
        .subcommand(compare::command().display_order(12))
}

fn main() -> ExitCode {
    interrupt::prepare();
    let tree = match maxmargin_align::register() {
        Ok(()) => tree(),
        Err(error) => return finish(Err(error.into())),
    };
    finish(run(&tree))
}

fn run(tree: &Tree) -> Result<()> {
    let matches = tree.clone().get_matches();
    let compared = |(what, matches): (&str, &clap::ArgMatches)| match what {
        "solvers" => parse_for_task::<CompareSolvers>(matches),
        _ => parse_for_task::<CompareSearches>(matches),
    };
    let (result, matches) = match matches.subcommand() {
        Some(("train", matches)) => (parse_for_task::<Train>(matches), matches),
        Some(("path", matches)) => (parse_for_task::<Path>(matches), matches),
        Some(("compare", matches)) => (matches.subcommand().map_or(Ok(()), compared), matches),
        Some((_, own)) => {
            let reading = ReadingOptions::of(own);
            let result = match Arguments::from_arg_matches(&matches)?.command {
                Command::Predict(command) => command.run(&reading),
                Command::Eval(command) => command.run(&reading),
                Command::Inspect(command) => command.run(),
                Command::Associate(command) => command.run(),
                Command::Grid(command) => command.run(),
                Command::Demo(command) => command.run(),
            };
            (result, own)
        }
        None => (Ok(()), &matches),
    };
    result.map_err(|error| with_flag(error, matches))
}

/// An error of the library about a parameter that is a flag here, with the flag's name.
fn with_flag(error: anyhow::Error, matches: &clap::ArgMatches) -> anyhow::Error {
    let Some(maxmargin::Error::Parameter { name, problem }) = error.downcast_ref() else { return error };
    let innermost = std::iter::successors(Some(matches), |matches| Some(matches.subcommand()?.1)).last();
    let id = name.replace([' ', '-'], "_");
    let is_flag = |id: &str| innermost.is_some_and(|matches| matches.try_contains_id(id).is_ok());
    let flag = id.replace('_', "-");
    if is_flag(&id) || is_flag(&flag) {
        return anyhow::anyhow!("--{flag}: {problem}");
    }
    error
}

/// The exit code, after the message if there is one. Nobody reading any more is no error.
fn finish(result: Result<()>) -> ExitCode {
    let Err(error) = result else {
        return interrupt::exit_code().map_or(ExitCode::SUCCESS, ExitCode::from);
    };
    let broken_pipe = |cause: &io::Error| cause.kind() == io::ErrorKind::BrokenPipe;
    if error.downcast_ref::<io::Error>().is_some_and(broken_pipe) {
        return ExitCode::SUCCESS;
    }
    print::note(&format!("error: {error}"));
    ExitCode::from(2)
}
