//! `maxmargin demo`: what the program does, on data that it makes up.

use anyhow::{Result, bail};
use clap::Args;
use maxmargin::tasks::registry;

use crate::arguments::PlotArguments;
use crate::files::Files;
use crate::plot::SegmentedPicture;
use crate::print::say;

/// See what the program does, on built-in data, in seconds
///
/// Each task makes up its data, trains on it, proves how good the weights are, and shows what is gained on new data: the chain
/// reads noisy images of words, letter by letter and as a whole. `maxmargin train --help` lists the tasks.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  maxmargin demo
  maxmargin demo multiclass
  maxmargin demo segmentation --plot plates.svg
  maxmargin demo landmarks --plot faces.png")]
pub struct Demo {
    /// The task
    #[arg(value_name = "TASK", default_value = "chain")]
    task: String,

    #[command(flatten)]
    plot: PlotArguments,
}

impl Demo {
    /// Runs the command.
    pub fn run(self) -> Result<()> {
        self.plot.add_to(Files::default()).check()?;
        let task = registry::find(&self.task)?;
        let images = if self.plot.plot.is_empty() { Vec::new() } else { task.demo_images()? };
        if images.is_empty() && !self.plot.plot.is_empty() {
            bail!("--plot draws images with segments or points in them; the demo of {} has none", self.task);
        }
        let mut broken = None;
        let mut show = |text: &str| {
            // An output that is closed ends the demo; what was wrong with it is for the program to say.
            say(text).map_err(|error| {
                let message = error.to_string();
                broken = Some(error);
                maxmargin::Error::parameter("output", message)
            })
        };
        let shown = task.demo(&mut show);
        match broken {
            Some(error) => Err(error),
            None => {
                shown?;
                let title = format!("maxmargin demo {}", self.task);
                self.plot.draw(title, |title| SegmentedPicture { title, images })?;
                let next = format!("maxmargin train {} --help", self.task);
                say(&format!("Next: `{next}` to learn from data of your own.\n"))
            }
        }
    }
}
