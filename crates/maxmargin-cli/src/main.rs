//! The program `maxmargin`: it reads arguments, shows progress and prints. What it does is in the library.
//!
//! Each command has a file in `commands`; what several share is in `arguments` (flags, and those of tasks by the registry),
//! `loading` (training data), `files` (what is read and written), `training` (one solve, watched), `progress`, `evaluation`,
//! `print` and `plot`. `help` decides how much of it is shown.

mod answers;
mod arguments;
mod commands;
mod evaluation;
mod files;
mod help;
mod interrupt;
mod lambda_choice;
mod loading;
mod memory;
mod plot;
mod print;
mod progress;
mod table;
mod time_left;
mod training;

use std::io;
use std::process::ExitCode;

use anyhow::Result;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command as Tree, CommandFactory, FromArgMatches, Parser, Subcommand};

use self::arguments::{ReadingOptions, parse_for_task, reading_flags, with_flags, with_tasks};
use self::commands::compare::{self, CompareModels, CompareSearches, CompareSolvers};
use self::commands::path::Path;
use self::commands::train::Train;
use self::training::MissedGap;

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

Exit codes: 0 when all went well, 2 when an argument, a file or its content is at fault, 3 when a run ended before its gap and
--require-gap was given, 130 when Ctrl-C (SIGINT) and 143
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
    Expand(commands::expand::Expand),
    Associate(commands::associate::Associate),
    Grid(commands::grid::Grid),
    Demo(commands::demo::Demo),
    Completions(commands::completions::Completions),
    Man(commands::man::Man),
}

/// The tree of commands: those that are about a task have a subcommand for each. Most runs need the flags of one of them only: the others
/// have theirs where the tree is to be whole.
fn tree(is_whole: bool) -> Tree {
    let tree = Arguments::command();
    let tree = tree.mut_subcommand("predict", reading_flags).mut_subcommand("eval", reading_flags);
    // In the order of use.
    let others = ["predict", "eval", "inspect", "expand", "associate", "grid", "demo", "completions", "man"];
    let tree = others.iter().enumerate().fold(tree, |tree, (place, name)| {
        tree.mut_subcommand(name, |command| command.display_order(10 + place))
    });
    let tree = tree
        .subcommand(with_tasks::<Train>("train", is_whole).display_order(1))
        .subcommand(with_tasks::<Path>("path", is_whole).display_order(11))
        .subcommand(compare::command(is_whole).display_order(12));
    #[cfg(feature = "neural")]
    let tree = tree.subcommand(
        with_tasks::<commands::train_network::TrainNetwork>("train-network", is_whole).display_order(2),
    );
    help::short(tree)
}

fn main() -> ExitCode {
    interrupt::prepare();
    #[cfg(feature = "neural")]
    maxmargin_neural::model_file::register();
    finish(match maxmargin_align::register() {
        Ok(()) => run(),
        Err(error) => Err(error.into()),
    })
}

fn run() -> Result<()> {
    let matches = tree(false).try_get_matches().unwrap_or_else(|error| explain(&error));
    let compared = |(what, matches): (&str, &ArgMatches)| match what {
        "solvers" => parse_for_task::<CompareSolvers>(matches),
        "models" => CompareModels::from_arg_matches(matches)?.run(&ReadingOptions::of(matches)),
        _ => parse_for_task::<CompareSearches>(matches),
    };
    let result = match matches.subcommand() {
        Some(("train", own)) => parse_for_task::<Train>(own),
        #[cfg(feature = "neural")]
        Some(("train-network", own)) => parse_for_task::<commands::train_network::TrainNetwork>(own),
        Some(("path", own)) => parse_for_task::<Path>(own),
        Some(("compare", own)) => own.subcommand().map_or(Ok(()), compared),
        Some((_, own)) => {
            // Other commands may have flags of the same names.
            let reading = || ReadingOptions::of(own);
            match Arguments::from_arg_matches(&matches)?.command {
                Command::Predict(command) => command.run(&reading()),
                Command::Eval(command) => command.run(&reading()),
                Command::Inspect(command) => command.run(),
                Command::Expand(command) => command.run(),
                Command::Associate(command) => command.run(),
                Command::Grid(command) => command.run(),
                Command::Demo(command) => command.run(),
                Command::Completions(command) => command.run(tree(true)),
                Command::Man(command) => command.run(tree(true)),
            }
        }
        None => Ok(()),
    };
    result.map_err(|error| with_flag(error, &tree(true), &matches))
}

/// Says what is wrong with the arguments, and which task has a flag that this one has not.
fn explain(error: &clap::Error) -> ! {
    if !matches!(error.kind(), ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand) {
        error.exit();
    }
    let tree = tree(true);
    let named = |kind| match error.get(kind) {
        Some(ContextValue::String(name)) => name.clone(),
        _ => String::new(),
    };
    let flag = named(ContextKind::InvalidArg);
    let has_it = |task: &&Tree| task.get_arguments().any(|own| own.get_long() == flag.strip_prefix("--"));
    let tasks = || tree.find_subcommand("train").into_iter().flat_map(Tree::get_subcommands);
    let with_flag: Vec<&str> = tasks().filter(has_it).map(Tree::get_name).collect();
    let mut text = error.render().to_string();
    let command = std::env::args().nth(1).unwrap_or_default();
    match error.kind() {
        ErrorKind::UnknownArgument if command == "train" && with_flag.len() == tasks().count() => {
            text += &format!(
                "\nThe task comes before its flags: maxmargin train TASK {flag} …, as in `maxmargin train chain`.\n"
            );
        }
        ErrorKind::UnknownArgument if with_flag.len() == tasks().count() => {
            let takes_lambdas =
                tree.find_subcommand(&command).is_some_and(|own| has_flag_below(own, "lambdas"));
            let lambdas = takes_lambdas && ["--lambda", "--c-mean", "--c-sum"].contains(&flag.as_str());
            let remedy = if lambdas { "; values of λ are given by --lambdas here" } else { "" };
            text += &format!("\n{flag} is a flag of `maxmargin train`, not of this command{remedy}.\n");
        }
        ErrorKind::UnknownArgument if !with_flag.is_empty() => {
            let have = if with_flag.len() == 1 { "the task" } else { "the tasks" };
            let it = if with_flag.len() == 1 { "has it" } else { "have it" };
            text += &format!("\n{flag} is not a flag here: {have} {} {it}.\n", with_flag.join(", "));
        }
        ErrorKind::UnknownArgument if command == "predict" && flag == "--data" => {
            text += "\nWhat is to be predicted is given by --input.\n";
        }
        ErrorKind::UnknownArgument if command == "eval" && flag == "--input" => {
            text += "\nWhat is to be evaluated is given by --data.\n";
        }
        // A command is no task.
        ErrorKind::InvalidSubcommand if Some(&command) != Some(&named(ContextKind::InvalidSubcommand)) => {
            let names: Vec<&str> = tasks().map(Tree::get_name).collect();
            text += &format!("\nThe tasks are {}.\n", names.join(", "));
        }
        _ => error.exit(),
    }
    print::note(text.trim_end());
    std::process::exit(error.exit_code())
}

/// An error of the library with the names of flags: of the parameter that it is about, and of options that it advises.
fn with_flag(error: anyhow::Error, tree: &Tree, matches: &ArgMatches) -> anyhow::Error {
    let mut commands = vec![tree];
    let mut here = matches;
    while let Some((name, matches)) = here.subcommand()
        && let Some(command) = commands.last().and_then(|command| command.find_subcommand(name))
    {
        commands.push(command);
        here = matches;
    }
    let is_here = |flag: &str| commands.iter().any(|own| has_flag(own, flag));
    // What is advised may be a flag of training where something else is done.
    let is_anywhere = |flag: &str| is_here(flag) || has_flag_below(tree, flag);
    let message = match error.downcast_ref() {
        Some(maxmargin::Error::Parameter { name, problem }) if is_here(&name.replace([' ', '_'], "-")) => {
            format!("--{}: {problem}", name.replace([' ', '_'], "-"))
        }
        Some(_) => error.to_string(),
        None => return error,
    };
    anyhow::anyhow!(with_flags(&message, is_anywhere))
}

fn has_flag(command: &Tree, flag: &str) -> bool {
    command.get_arguments().any(|own| own.get_long() == Some(flag))
}

fn has_flag_below(command: &Tree, flag: &str) -> bool {
    has_flag(command, flag) || command.get_subcommands().any(|command| has_flag_below(command, flag))
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
    ExitCode::from(if error.is::<MissedGap>() { 3 } else { 2 })
}
