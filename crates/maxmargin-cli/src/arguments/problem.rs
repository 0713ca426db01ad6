//! What to learn, from what.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use maxmargin::data::Impute;
use maxmargin::search::Strategy;
use maxmargin::surrogate::Surrogate;
use maxmargin::training::{Columns, Settings};

use super::data::Folds;

/// What to learn, from what. The task has flags of its own.
#[derive(Debug, Clone, Args)]
pub struct ProblemArguments {
    /// The training data: one file or several of the same format
    #[arg(long, value_name = "FILE", required = true, num_args = 1.., next_line_help = false)]
    pub train: Vec<PathBuf>,

    /// Train on these folds of the training data only, for example 0 or 1-9 or 0,2,5-7
    ///
    /// Only the letters format has folds.
    #[arg(long, value_name = "LIST")]
    pub folds: Option<Folds>,

    /// Train on the first N examples only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Training data")]
    pub first: Option<u64>,

    /// What to do about missing values of arff and csv tables: refuse them, or put in the column's mean or 0
    ///
    /// `?` in arff; an empty field, `?`, `NA` or `nan` in csv. The model keeps what was put in, and puts it into later data.
    #[arg(long, value_enum, default_value = "refuse", value_name = "HOW", help_heading = "Training data")]
    pub missing: MissingValues,

    /// Subtract the mean of each column and divide by its standard deviation; sparse data is only divided
    ///
    /// Both are those of the training examples. The model keeps them, and does the same to later data. Constant columns are
    /// left alone.
    #[arg(long, visible_alias = "standardise", help_heading = "Training data")]
    pub standardize: bool,

    /// Subtract the mean of each column, of sparse data too
    ///
    /// For numbers that hardly vary against their size, such as times in seconds: sums of them cancel, which makes training slow
    /// and certificates wide. Sparse data becomes dense. Together with --standardize columns are divided as well. The model
    /// keeps the means, and subtracts them from later data.
    #[arg(long, visible_alias = "centre", help_heading = "Training data")]
    pub center: bool,

    /// Take 1 + ln c of each count c, as is usual for words; values are 0 or at least 1
    #[arg(long, help_heading = "Training data")]
    pub log_counts: bool,

    /// Multiply each column by ln((1 + n) / (1 + d)) + 1, where d of the n training rows have it: rare words count more
    ///
    /// With --log-counts and --normalize this is the usual weighting of text. It comes after --log-counts and before --standardize.
    /// The model keeps the factors, and later data is weighed by them.
    #[arg(long, help_heading = "Training data")]
    pub tf_idf: bool,

    /// Divide each row by its Euclidean length, after all else that is done to columns
    #[arg(long, visible_alias = "normalise", help_heading = "Training data")]
    pub normalize: bool,

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
}

/// What to do about missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MissingValues {
    /// An error that names the place
    Refuse,
    /// The mean of the training column
    Mean,
    /// Zero
    Zero,
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

impl ProblemArguments {
    /// What to put where a value is missing.
    fn impute(&self) -> Impute {
        match self.missing {
            MissingValues::Refuse => Impute::None,
            MissingValues::Mean => Impute::Mean,
            MissingValues::Zero => Impute::Zero,
        }
    }

    /// What is to be done to columns.
    pub fn columns(&self) -> Columns {
        Columns {
            impute: self.impute(),
            standardize: self.standardize,
            center: self.center,
            log_counts: self.log_counts,
            tf_idf: self.tf_idf,
            normalize: self.normalize,
        }
    }

    /// Adds what is said here to settings.
    pub fn add_to(&self, settings: Settings) -> Settings {
        Settings {
            surrogate: self.surrogate,
            search: self.search.0,
            loss_step: self.loss_step,
            columns: self.columns(),
            ..settings
        }
    }
}
