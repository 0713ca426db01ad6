//! `maxmargin grid`: the links between two sentences as a picture.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use maxmargin_align::{AlignmentPicture, ParallelText, SentenceLinks, read_links};

use crate::files::Files;
use crate::plot::{FigureFile, GridPicture, Picture};
use crate::print::say;

/// Show the links between the words of a sentence pair
///
/// A row for each word of the text, a column for each word of its translation. On the terminal ● is a link that was
/// predicted and is sure, ■ predicted and possible, × predicted and wrong, ○ sure but missed, □ possible and left out.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  maxmargin grid --text test.en test.fr --links test.wa --sentence 12
  maxmargin grid --text test.en test.fr --links test.wa --predicted test.talp --sentence 12 --output grid.svg")]
pub struct Grid {
    /// A text and its translation, one sentence a line
    #[arg(long, value_names = ["LEFT", "RIGHT"], num_args = 2, required = true)]
    text: Vec<PathBuf>,

    /// The true links
    #[arg(long, value_name = "FILE", required_unless_present = "predicted")]
    links: Option<PathBuf>,

    /// Predicted links, as `maxmargin predict` writes them
    #[arg(long, value_name = "FILE")]
    predicted: Option<PathBuf>,

    /// Which sentence pair: its number in the files, or its line, from 1, where sentences have no numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    sentence: u64,

    /// Draw a figure, SVG, PNG or PDF by the ending of the name, instead of showing text
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Grid {
    /// Runs the command.
    pub fn run(self) -> Result<()> {
        (Files::default().read("--text", &self.text).read("--links", &self.links))
            .read("--predicted", &self.predicted)
            .write("--output", &self.output)
            .check()?;
        let [left, right] = &self.text[..] else {
            bail!("--text takes two files, a text and its translation")
        };
        let text = ParallelText::read(left, right)?;
        let Some(pair) = (0..text.len()).find(|&pair| text.number(pair) == self.sentence) else {
            bail!("--sentence: there is no sentence {} in {}", self.sentence, left.display())
        };
        let links = |path: &Option<PathBuf>| -> Result<SentenceLinks> {
            let Some(path) = path else { return Ok(SentenceLinks::default()) };
            Ok(read_links(path, &text)?.swap_remove(pair))
        };
        let (gold, predicted) = (links(&self.links)?, links(&self.predicted)?);
        let (left, right) = (text.left.text(pair), text.right.text(pair));
        let predicted = [&predicted.sure[..], &predicted.possible[..]].concat();
        let picture = AlignmentPicture::new(&left, &right, &gold, &predicted);
        match &self.output {
            None => say(&picture.text()),
            Some(path) => {
                let file = FigureFile::new(path.clone()).map_err(|e| anyhow::anyhow!("--output: {e}"))?;
                GridPicture(picture).save(&file, None)
            }
        }
    }
}
