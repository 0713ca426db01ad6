//! How much to regularise, how to solve, and when to stop.

use std::time::Duration;

use anyhow::Result;
use clap::Args;
use maxmargin::training::{Regularizer, Settings};

use super::running::on_threads;
use crate::print::number;

/// The heading of all that says how much to regularise.
pub const REGULARISATION: &str = "Regularisation (one of them; train chooses λ by itself when none is given)";

/// The three ways to say how much to regularise.
#[derive(Debug, Clone, Args)]
#[group(id = "regularizer", multiple = false)]
pub struct RegularizerArguments {
    /// λ of the objective λ/2 ‖w‖² + 1/n Σ H_i(w)
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = positive, help_heading = REGULARISATION)]
    pub lambda: Option<f64>,

    /// C of ½ ‖w‖² + C · 1/n Σ H_i(w): λ = 1/C
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = positive, help_heading = REGULARISATION)]
    pub c_mean: Option<f64>,

    /// C of ½ ‖w‖² + C · Σ H_i(w): λ = 1/(C·n)
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = positive, help_heading = REGULARISATION)]
    pub c_sum: Option<f64>,
}

impl RegularizerArguments {
    /// Which of them was given; what is said for none of them otherwise.
    pub fn choice_or(&self, otherwise: Regularizer) -> Regularizer {
        match (self.lambda, self.c_mean, self.c_sum) {
            (Some(lambda), ..) => Regularizer::Lambda(lambda),
            (_, Some(c), _) => Regularizer::CMean(c),
            (.., Some(c)) => Regularizer::CSum(c),
            _ => otherwise,
        }
    }
}

/// What λ means for this many examples, for a person.
pub fn describe_lambda(lambda: f64, examples: usize) -> String {
    let (mean, sum) = (number(1.0 / lambda), number(1.0 / (lambda * examples as f64)));
    format!("{} (C-mean {mean}, C-sum {sum})", number(lambda))
}

/// How to solve, and when to stop.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Solving")]
pub struct SolvingArguments {
    /// The number P of cutting-plane models of p-bmrm and prox-p-bmrm
    #[arg(long, value_name = "P", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..))]
    pub groups: u16,

    /// Stop at this relative gap (primal − lower bound) / primal
    #[arg(long, value_name = "X", default_value_t = 1e-2, allow_negative_numbers = true, value_parser = positive)]
    pub gap: f64,

    /// Stop after this many passes over the data; 100 where there is no certificate and no other limit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_passes: Option<u64>,

    /// Stop after this many seconds, the choice of λ included
    ///
    /// A pass that has begun is ended, its master problem is not.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = positive)]
    pub time_limit: Option<f64>,

    /// Threads; all cores when it is not given. The model is the same, bit for bit, for any number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,

    /// The seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Show no progress and no summary: only errors, notes and what was asked for (tables, the object of --json)
    #[arg(long, short)]
    pub quiet: bool,
}

impl SolvingArguments {
    /// Adds what is said here to settings.
    pub fn add_to(&self, settings: Settings) -> Settings {
        Settings {
            groups: self.groups.into(),
            seed: self.seed,
            gap: self.gap,
            max_passes: self.max_passes.map(|passes| passes as usize),
            time_limit: self.time_limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            ..settings
        }
    }

    /// Runs `work` on as many threads as were asked for, and tells it the number.
    pub fn on_threads<T: Send>(&self, work: impl FnOnce(usize) -> Result<T> + Send) -> Result<T> {
        on_threads(self.threads, work)
    }
}

/// A number above 0.
pub fn positive(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(value) if value > 0.0 && f64::is_finite(value) => Ok(value),
        _ => Err("a finite number above 0 is expected".to_owned()),
    }
}

/// A number between 0 and 1.
pub fn share(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(value) if value > 0.0 && value < 1.0 => Ok(value),
        _ => Err("a share between 0 and 1 is expected, such as 0.2".to_owned()),
    }
}

/// A number that is 0 or more.
pub fn not_negative(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(value) if (0.0..1e12).contains(&value) => Ok(value),
        _ => Err("a number of seconds, 0 or more, is expected".to_owned()),
    }
}
