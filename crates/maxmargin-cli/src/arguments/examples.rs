//! Which of the training examples and labels, and what is done to their columns.

use anyhow::Result;
use clap::{Args, ValueEnum};
use maxmargin::data::{Dataset, Impute, Preprocessing};

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

    /// Subtract the mean of each column, of sparse data too
    ///
    /// For numbers that hardly vary against their size, such as times in seconds: sums of them cancel, which makes training slow
    /// and certificates wide. Sparse data becomes dense. Together with --standardize columns are divided as well. The model
    /// keeps the means, and subtracts them from later data.
    #[arg(long, visible_alias = "centre", help_heading = "Training data")]
    pub center: bool,
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

    /// Learns from training data what to do to its columns.
    pub fn preprocessing(&self, data: &Dataset) -> Result<Preprocessing> {
        let impute = self.impute();
        Ok(match (self.center, self.standardize) {
            (true, standardize) => Preprocessing::fit_centred(data, impute, standardize)?,
            // Readers let no missing value pass where none is filled in.
            (false, false) if impute == Impute::None => Preprocessing::default(),
            (false, standardize) => Preprocessing::fit(data, impute, standardize)?,
        })
    }

    /// Whether something that was fitted before does what is asked for here.
    pub fn ask_for(&self, preprocessing: &Preprocessing) -> bool {
        (self.impute() != Impute::None) == preprocessing.impute.is_some()
            && self.standardize == preprocessing.scale.is_some()
            && (self.standardize || self.center == preprocessing.shift.is_some())
    }
}
