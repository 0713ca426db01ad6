//! The flags that several commands share.

mod data;
mod problem;
mod solving;

pub use data::{EvaluationArguments, Folds, ReadArguments};
pub use problem::ProblemArguments;
pub use solving::{RegularizerArguments, SolvingArguments, not_negative, positive};
