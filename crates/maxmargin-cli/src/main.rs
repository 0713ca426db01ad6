//! The program `maxmargin`: it reads arguments, shows progress and prints. What it does is in the library.
//!
//! Each command has a file in `commands`; what several share is in `arguments` (flags), `examples` and `problem` (data and
//! task), `known` (how later data is read), `files` (what is read and written), `training` (one solve, watched), `progress`, `evaluation`, `describe`, `print`
//! and `plot`.

mod arguments;
mod checkpoints;
mod commands;
mod describe;
mod evaluation;
mod examples;
mod files;
mod interrupt;
mod known;
mod plot;
mod print;
mod problem;
mod progress;
mod table;
mod training;
mod warm_start;

use std::io;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

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
    Train(commands::train::Train),
    Predict(commands::predict::Predict),
    Eval(commands::eval::Eval),
    Path(commands::path::Path),
    Compare(commands::compare::Compare),
    Inspect(commands::inspect::Inspect),
    Associate(commands::associate::Associate),
    Grid(commands::grid::Grid),
    Demo(commands::demo::Demo),
}

fn main() -> ExitCode {
    interrupt::prepare();
    let result = match Arguments::parse().command {
        Command::Train(command) => command.run(),
        Command::Predict(command) => command.run(),
        Command::Eval(command) => command.run(),
        Command::Path(command) => command.run(),
        Command::Compare(command) => command.run(),
        Command::Inspect(command) => command.run(),
        Command::Associate(command) => command.run(),
        Command::Grid(command) => command.run(),
        Command::Demo(command) => command.run(),
    };
    finish(result)
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
