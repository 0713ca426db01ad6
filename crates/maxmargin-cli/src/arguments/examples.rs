//! Which of the training examples and labels, and what is done to their columns.

use clap::{Args, ValueEnum};
use maxmargin::data::{Impute, Preprocessing};

/// Which of the training examples and labels, and what is done to their columns.
#[derive(Debug, Clone, Args)]
pub struct ExampleArguments {
    /// Train on the first N examples only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Training data")]
    pub first: Option<u64>,

    /// Keep only the K labels that most training examples have (multilabel)
    ///
    /// The others are left out of all sets, and the model keeps their names: an evaluation ignores them too.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Training data")]
    pub most_frequent_labels: Option<u32>,

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

impl ExampleArguments {
    /// What to put where a value is missing.
    pub fn impute(&self) -> Impute {
        match self.missing {
            MissingValues::Refuse => Impute::None,
            MissingValues::Mean => Impute::Mean,
            MissingValues::Zero => Impute::Zero,
        }
    }

    /// Whether something that was fitted before does what is asked for here.
    pub fn ask_for(&self, preprocessing: &Preprocessing) -> bool {
        (self.impute() != Impute::None) == preprocessing.impute.is_some()
            && self.standardize == preprocessing.scale.is_some()
    }
}
