//! `maxmargin compare`: the papers' tables, on your data.

mod searches;
mod solvers;

use anyhow::Result;
use clap::{Args, Subcommand};

use self::searches::CompareSearches;
use self::solvers::CompareSolvers;
use crate::arguments::ProblemArguments;
use crate::print::count;
use crate::problem::Problem;

/// Compare methods on your data, as the papers do on theirs
#[derive(Debug, Args)]
pub struct Compare {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Solvers(Box<CompareSolvers>),
    Searches(Box<CompareSearches>),
}

impl Compare {
    /// Runs the command.
    pub fn run(self) -> Result<()> {
        match self.what {
            What::Solvers(command) => command.run(),
            What::Searches(command) => command.run(),
        }
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
    let (examples, labels) = (count(problem.data.len(), "example"), problem.vocabulary.labels.len());
    let (labels, weights) = (count(labels, "label"), count(problem.task.dim(), "weight"));
    format!("{} on {files}: {examples}, {labels}, {weights}", arguments.task)
}
