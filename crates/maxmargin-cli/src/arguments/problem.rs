//! What to learn, from what.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use maxmargin::data::Alphabet;
use maxmargin::search::Strategy;
use maxmargin::structure::{CostMatrix, LabelCost};
use maxmargin::surrogate::Surrogate;
use maxmargin::task::{SearchOptions, TaskKind, TaskOptions};

use super::data::{Folds, ReadArguments};

/// What to learn, from what.
#[derive(Debug, Clone, Args)]
pub struct ProblemArguments {
    /// multiclass (one label per example) or chain (one label per position of a sequence)
    ///
    /// A multiclass task takes each position of a sequence as an example of its own.
    #[arg(value_name = "TASK")]
    pub task: TaskKind,

    /// The training data: one file or several of the same format
    #[arg(long, value_name = "FILE", required = true, num_args = 1.., next_line_help = false)]
    pub train: Vec<PathBuf>,

    /// Train on these folds of the training data only, for example 0 or 1-9 or 0,2,5-7
    ///
    /// Only the letters format has folds.
    #[arg(long, value_name = "LIST")]
    pub folds: Option<Folds>,

    #[command(flatten)]
    pub read: ReadArguments,

    /// The task loss: hamming, hamming-mean, zero-one or cost=FILE
    ///
    /// zero-one: 1 for a wrong label (multiclass; the default there). hamming: the number of wrong positions (chains; the
    /// default there). hamming-mean: that number divided by the length. cost=FILE: lines `truth predicted cost`; pairs
    /// that are not named cost 1; in a chain the costs of all positions are added up.
    #[arg(long, value_name = "LOSS", help_heading = "Problem")]
    pub loss: Option<LossChoice>,

    /// Leave out the constant feature
    #[arg(long, help_heading = "Problem")]
    pub no_bias: bool,

    /// Leave out the weights of the first and the last label (chains)
    #[arg(long, help_heading = "Problem")]
    pub no_boundary: bool,

    /// How margin error h and loss g are combined: margin, slack, beta=B, general=A,B, log, prob, prob-convex or micro-f1
    ///
    /// margin: h + g. slack: (h + 1)·g. beta=B: h·g^B + g, 0 ≤ B ≤ 1. general=A,B: h·g^B + g^A. log: g·log(1 + e^h). prob: the
    /// risk under normal noise, which is not convex and has no certificate. prob-convex: its convex extension. micro-f1:
    /// 1 − F1 of the labels as sets, without the --background label.
    #[arg(long, value_name = "NAME", default_value = "margin", help_heading = "Problem")]
    pub surrogate: Surrogate,

    /// How the most violated label is found: auto, stratified, hull, hull-fractional, angular, bisecting, binary or sarawagi
    ///
    /// stratified (with whole costs) and hull are exact, angular for slack with whole costs. bisecting, binary and sarawagi are for slack, and
    /// may miss the label: the certificate says by how much. hull-fractional optimises over mixes of labels, which is
    /// another, larger objective. With margin rescaling auto is one loss-augmented decoding, which is exact.
    #[arg(long, value_name = "NAME", default_value = "auto", help_heading = "Problem")]
    pub search: SearchChoice,

    /// Round costs that are no whole numbers down to multiples of this in the stratified search
    ///
    /// What that may miss is in the certificate.
    #[arg(long, value_name = "X", value_parser = super::positive, help_heading = "Problem")]
    pub loss_step: Option<f64>,

    #[command(flatten)]
    pub evaluation: super::EvaluationArguments,
}

/// The value of `--search`: a strategy, or what is best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchChoice(pub Option<Strategy>);

impl FromStr for SearchChoice {
    type Err = maxmargin::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self(None)),
            name => Ok(Self(Some(name.parse()?))),
        }
    }
}

/// The value of `--loss`.
#[derive(Debug, Clone, PartialEq)]
pub enum LossChoice {
    /// Wrong positions.
    Hamming,
    /// Wrong positions, divided by the length.
    HammingMean,
    /// 1 when anything is wrong.
    ZeroOne,
    /// Costs from a file.
    Cost(PathBuf),
}

impl FromStr for LossChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("cost=")) {
            ("hamming", _) => Ok(Self::Hamming),
            ("hamming-mean", _) => Ok(Self::HammingMean),
            ("zero-one", _) => Ok(Self::ZeroOne),
            (_, Some(file)) if !file.is_empty() => Ok(Self::Cost(file.into())),
            _ => Err("allowed are hamming, hamming-mean, zero-one and cost=FILE".to_owned()),
        }
    }
}

impl ProblemArguments {
    /// The task's options; a cost file needs the names of the labels.
    pub fn task_options(&self, labels: &Alphabet) -> Result<TaskOptions> {
        let chain = self.task == TaskKind::Chain;
        let (cost, mean) = match &self.loss {
            Some(LossChoice::Cost(file)) => {
                (LabelCost::Matrix(Arc::new(CostMatrix::read(file, labels)?)), false)
            }
            Some(LossChoice::ZeroOne) if chain => bail!(
                "--loss zero-one: the 0/1 loss of a whole chain does not split over its positions, so the most violated labels cannot be found by dynamic programming here; use hamming or hamming-mean"
            ),
            Some(LossChoice::HammingMean) => (LabelCost::ZeroOne, chain),
            Some(LossChoice::Hamming | LossChoice::ZeroOne) | None => (LabelCost::ZeroOne, false),
        };
        Ok(TaskOptions { bias: !self.no_bias, boundary: chain && !self.no_boundary, cost, mean })
    }

    /// The surrogate and its search.
    pub fn search_options(&self, labels: &Alphabet) -> Result<SearchOptions> {
        Ok(SearchOptions {
            surrogate: self.surrogate,
            strategy: self.search.0,
            step: self.loss_step,
            background: match self.surrogate {
                Surrogate::MicroF1 => self.evaluation.background(labels)?,
                _ => None,
            },
        })
    }
}
