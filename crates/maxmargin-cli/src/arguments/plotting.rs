//! Where to draw, how large, and under which title.

use anyhow::Result;
use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};

use crate::files::Files;
use crate::plot::{FigureFile, Picture};

/// Where to draw, how large, and under which title.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub struct PlotArguments {
    /// Draw a figure to this file, which ends in .svg, .png or .pdf; may be given more than once
    ///
    /// Solvers: the gap against time and passes. Searches: the label plane of an example, with the ways of all searches. eval:
    /// precision over confidence, with --confidence-bins; without it, the hierarchy with the mistakes of each node. inspect: the
    /// hierarchy. demo segmentation: plates with their segments. predict and demo, landmarks: the first pictures with their points.
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(FigureFile::new))]
    pub plot: Vec<FigureFile>,

    /// The width and height of figures, such as 800x600; PNG has twice as many pixels each way
    #[arg(long, value_name = "WxH", value_parser = size, requires = "plot")]
    plot_size: Option<(u32, u32)>,

    /// The title of figures; the task, the data and its sizes when it is not given
    #[arg(long, value_name = "TEXT", requires = "plot")]
    plot_title: Option<String>,
}

/// `800x600`.
fn size(text: &str) -> Result<(u32, u32), String> {
    let number = |text: &str| text.trim().parse().ok().filter(|size| (1..=10_000).contains(size));
    let sizes = text.split_once(['x', '×']).map(|(width, height)| (number(width), number(height)));
    match sizes {
        Some((Some(width), Some(height))) => Ok((width, height)),
        _ => Err("a width and a height up to 10000 are expected, such as 800x600".to_owned()),
    }
}

impl PlotArguments {
    /// Adds the files that are written.
    pub fn add_to(&self, files: Files) -> Files {
        files.write("--plot", self.plot.iter().map(|figure| &figure.path))
    }

    /// Draws what `picture` makes of a title, which is `usual` where none was given.
    pub fn draw<P: Picture>(&self, usual: String, picture: impl FnOnce(String) -> P) -> Result<()> {
        if self.plot.is_empty() {
            return Ok(());
        }
        let picture = picture(self.plot_title.clone().unwrap_or(usual));
        self.plot.iter().try_for_each(|file| picture.save(file, self.plot_size))
    }

    /// The files, for JSON.
    pub fn paths(&self) -> Vec<String> {
        self.plot.iter().map(|file| file.path.display().to_string()).collect()
    }
}
