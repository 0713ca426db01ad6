//! How to read files.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Result, bail};
use clap::Args;
use maxmargin::data::{Alphabet, Format, ReadOptions, background_label, parse_folds};

/// How to read files.
// A heading for each flag: `next_help_heading` would go on to the flags of the command that follow.
#[derive(Debug, Clone, Args)]
pub struct ReadArguments {
    /// The format of all data files: svmlight, crfsuite, letters or idx
    ///
    /// svmlight: `label index:value …`, with qid:N on each line for sequences. crfsuite: `label TAB attribute[:value] …`,
    /// a blank line after each sequence. letters: the OCR data of words, with folds. idx: MNIST's images. Found out
    /// from the content when it is not given. Each may be packed with gzip.
    #[arg(long, value_name = "FORMAT", help_heading = "Reading")]
    pub format: Option<Format>,

    /// The labels of idx images
    ///
    /// Looked for beside the images by its usual name when it is not given. It goes with the training images (or the
    /// only data file of a command); the labels of other images are always looked for beside them.
    #[arg(long, value_name = "FILE", help_heading = "Reading")]
    pub labels: Option<PathBuf>,

    /// The feature indices of svmlight files count from 0 instead of 1
    #[arg(long, help_heading = "Reading")]
    pub zero_based: bool,
}

impl ReadArguments {
    /// For the files that `--labels` goes with.
    pub fn options(&self) -> ReadOptions {
        ReadOptions { format: self.format, labels: self.labels.clone(), zero_based: self.zero_based }
    }

    /// For other files of the same kind.
    pub fn options_for_more(&self) -> ReadOptions {
        ReadOptions { labels: None, ..self.options() }
    }
}

/// A list of folds.
#[derive(Debug, Clone)]
pub struct Folds(pub Vec<u32>);

impl FromStr for Folds {
    type Err = maxmargin::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_folds(text).map(Folds)
    }
}

/// What to count in an evaluation.
#[derive(Debug, Clone, Args)]
pub struct EvaluationArguments {
    /// The label that stands for "nothing here", which F1 leaves out: O if there is one; none for none
    ///
    /// With a background, micro_precision, micro_recall and micro_f1 are those of all other labels together. macro_f1 is
    /// without the background too. An O among single letters like A to Z is taken for a letter unless it is named here. A
    /// label that is called none goes before none.
    #[arg(long, value_name = "LABEL", help_heading = "Evaluation")]
    background: Option<String>,
}

/// The value of `--background` for none.
const NO_BACKGROUND: &str = "none";

impl EvaluationArguments {
    /// Whether a background was asked for.
    pub fn names_background(&self) -> bool {
        self.background.is_some()
    }

    /// The background among these labels: the one that was named, or the usual one.
    pub fn background(&self, labels: &Alphabet) -> Result<Option<u32>> {
        let Some(name) = &self.background else { return Ok(background_label(labels)) };
        let background = labels.get(name);
        if background.is_none() && name != NO_BACKGROUND {
            let names: Vec<&str> = labels.iter().take(20).collect();
            let more = if labels.len() > names.len() { ", …" } else { "" };
            bail!(
                "--background: no label is called {name}; there are {}{more}, and {NO_BACKGROUND} for no background",
                names.join(", ")
            );
        }
        Ok(background)
    }
}
