//! From examples to a model: the trainer, and what surrounds a run.
//!
//! [`Examples`] are data with names, [`Problem`] is a task with its data, [`Trainer`] has the settings and starts runs.
//! [`Training`] is a run that is prepared: it can be watched, interrupted, saved and resumed, and ends with a [`Model`].
//! [`Path`] trains for several λ, each from where the last one ended; a [`Ladder`] says which, and a [`LambdaChoice`] is what a
//! trainer without λ makes of it. [`HeldOut`] says how good a model is on other data.

mod candidates;
mod checkpoints;
mod examples;
mod held_out;
mod identity;
mod known;
mod ladder;
mod lambda_choice;
mod mismatch;
mod model_comparison;
mod path;
mod problem;
mod run;
mod settings;
mod thresholds;
mod trainer;
mod warm_start;

pub use candidates::{CandidateMethod, CandidateStart, Candidates, Stage, Turn};
pub use checkpoints::CheckpointPlan;
pub use examples::Examples;
pub use held_out::{Evaluation, HeldOut};
pub use identity::describe_columns;
pub use known::Known;
pub use ladder::Ladder;
pub use lambda_choice::{ChoiceEvent, LambdaChoice, TriedLambda};
pub use model_comparison::{ComparedFigure, ModelComparison};
pub use path::{Path, PathStep};
pub use problem::Problem;
pub use run::{Event, Trained, Training};
pub use settings::{Background, Columns, Regularizer, Settings};
pub use thresholds::{ThresholdMetric, TunedThresholds};
pub use trainer::Trainer;

#[allow(unused_imports)]
use crate::model::Model;
