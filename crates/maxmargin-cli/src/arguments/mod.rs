//! The flags that several commands share.

mod candidates;
mod data;
mod flags;
mod given;
mod plotting;
mod problem;
mod running;
mod solving;
mod task;
mod well_formed;

pub use candidates::CandidateArguments;
pub use data::{ColumnArguments, EvaluationArguments, Folds, ReadArguments};
pub use flags::with_flags;
pub use given::Given;
pub use plotting::PlotArguments;
pub use problem::ProblemArguments;
pub use running::RunArguments;
pub use solving::{
    REGULARISATION, RegularizerArguments, SolvingArguments, describe_lambda, not_negative, positive, share,
};
pub use task::{ChosenTask, ReadingOptions, TaskCommand, parse_for_task, reading_flags, with_tasks};
pub use well_formed::WellFormedArguments;
#[cfg(feature = "neural")]
pub use {problem::SearchChoice, running::on_threads};
