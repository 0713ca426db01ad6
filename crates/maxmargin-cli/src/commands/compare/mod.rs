//! `maxmargin compare`: the papers' tables, on your data.

mod curves;
mod models;
mod searches;
mod solvers;

use anyhow::Result;
use clap::{Args, Command};
use maxmargin::surrogate::Surrogate;
use maxmargin::training::Problem;

pub use self::models::CompareModels;
pub use self::searches::CompareSearches;
pub use self::solvers::CompareSolvers;
use crate::arguments::{ChosenTask, ProblemArguments, reading_flags, with_tasks};
use crate::print::count;

/// The command with its subcommands.
pub fn command(is_whole: bool) -> Command {
    Command::new("compare")
        .about("Compare methods on your data, as the papers do on theirs")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(with_tasks::<CompareSolvers>("solvers", is_whole))
        .subcommand(with_tasks::<CompareSearches>("searches", is_whole))
        .subcommand(reading_flags(CompareModels::augment_args(Command::new("models"))))
}

/// Refuses flags that a comparison does not look at.
fn check_given(chosen: &ChosenTask, arguments: &ProblemArguments) -> Result<()> {
    match arguments.surrogate {
        Surrogate::MicroF1 => Ok(()),
        _ => chosen.given.refuse("background", "only --surrogate micro-f1 looks at it here"),
    }
}

/// The task, the names of the files without their folders, and the sizes.
fn title(arguments: &ProblemArguments, problem: &Problem) -> String {
    let names = arguments.train.iter().filter_map(|path| path.file_name());
    let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
    let files = match &names[..] {
        [first, _, _, ..] => format!("{first} and {} more files", names.len() - 1),
        names => names.join(", "),
    };
    let (examples, labels) =
        (count(problem.examples().len(), "example"), problem.examples().names().labels.len());
    let (labels, weights) = (count(labels, "label"), count(problem.task().dim(), "weight"));
    format!("{} on {files}: {examples}, {labels}, {weights}", problem.task().name())
}
