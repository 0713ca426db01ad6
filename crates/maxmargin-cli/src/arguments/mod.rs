//! The flags that several commands share.

mod data;
mod examples;
mod problem;
mod sentences;
mod solving;

pub use data::{EvaluationArguments, Folds, ReadArguments};
pub use examples::ExampleArguments;
pub use problem::ProblemArguments;
pub use sentences::SentenceArguments;
pub use solving::{RegularizerArguments, SolvingArguments, not_negative, positive, share};
