//! `maxmargin demo`: what the program does, on data that it makes up.

use anyhow::Result;
use clap::Args;
use maxmargin::tasks::registry;

use crate::print::say;

/// See what the program does, on built-in data, in seconds
///
/// Each task makes up its data, trains on it, proves how good the weights are, and shows what is gained on new data: the chain
/// reads noisy images of words, letter by letter and as a whole. `maxmargin train --help` lists the tasks.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  maxmargin demo
  maxmargin demo multiclass")]
pub struct Demo {
    /// The task
    #[arg(value_name = "TASK", default_value = "chain")]
    task: String,
}

impl Demo {
    /// Runs the command.
    pub fn run(self) -> Result<()> {
        let mut broken = None;
        let mut show = |text: &str| {
            // An output that is closed ends the demo; what was wrong with it is for the program to say.
            say(text).map_err(|error| {
                let message = error.to_string();
                broken = Some(error);
                maxmargin::Error::parameter("output", message)
            })
        };
        let shown = registry::find(&self.task)?.demo(&mut show);
        match broken {
            Some(error) => Err(error),
            None => {
                shown?;
                let next = format!("maxmargin train {} --help", self.task);
                say(&format!("Next: `{next}` to learn from data of your own.\n"))
            }
        }
    }
}
