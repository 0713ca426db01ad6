//! Max-margin structured output learning with a proof of optimality for every model.
//!
//! A structural support vector machine has weights w that minimise
//!
//! ```text
//! F(w) = λ/2 ‖w‖² + 1/n Σ_i c_i H_i(w),    H_i(w) = max_y ⟨w, φ(x_i,y) − φ(x_i,y_i)⟩ + L_i(y)
//! ```
//!
//! over n examples with weights c_i, or the same with another [`surrogate`] of margin and loss. Three layers share the work,
//! and none knows the others' business:
//!
//! - a [`structure`] knows what inputs and labels are, their features φ and the task loss L, and finds the best label;
//! - a [`search`] finds the label that hurts most, with a bound on what it may have missed;
//! - a [`solver`] finds w. It sees the [`risk`] through cutting planes only.
//!
//! Each run ends with a [`Certificate`](solver::Certificate): F(w), and a value below which no weights whatever get.
//!
//! # From data to predictions
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use maxmargin::data::{Noise, word_images};
//! use maxmargin::solver::{Limits, SolverKind, SolverSettings, run};
//! use maxmargin::task::{Task, TaskKind, TaskOptions};
//!
//! // Images of words; `data::read_training` gives the same two things from files.
//! let train = word_images(100, Noise::default(), 1);
//! let (features, labels) = (train.vocabulary.attributes.len(), train.vocabulary.labels.len());
//!
//! let task = Task::new(TaskKind::Chain, features, labels, TaskOptions::default())?;
//! let risk = task.risk(&train.data)?;
//! let mut solver = SolverKind::Auto.build(risk.as_ref(), &SolverSettings::new(0.1)?);
//! let outcome = run(solver.as_mut(), risk.as_ref(), Limits::default(), |_| ControlFlow::Continue(()));
//! let proof = outcome.report.certificate;
//! println!("F(w) = {:.4}, at least {:.4} for any w", proof.primal, proof.lower_bound);
//! assert!(proof.gap().0 <= 1e-3);
//!
//! let test = word_images(1, Noise::default(), 2);
//! let best = &task.predict(&outcome.weights, &test.data, 1)?[0][0];
//! let read: String = best.labels.iter().map(|&y| train.vocabulary.labels.name(y)).collect();
//! println!("read {read:?}, it was {:?}", test.words[0]);
//! # assert_eq!(read.len(), test.words[0].len());
//! # Ok::<(), maxmargin::Error>(())
//! ```
//!
//! # A structure of your own
//!
//! Implement [`Structure`](structure::Structure) and hand it to a [`StructuredRisk`](risk::StructuredRisk): every solver
//! works with it. `examples/own_structure.rs` does so step by step.

pub mod association;
mod checkpoint;
pub mod data;
mod error;
pub mod metrics;
pub mod model;
mod output;
pub mod task;
mod tensor_file;

pub use checkpoint::{CheckpointDir, Identity};
pub use error::{Error, Place, Result};
/// What the engine's own functions, and structures that others write, fail with.
pub use maxmargin_core::Error as EngineError;
pub use maxmargin_core::shown::{EXCERPT, Escaped, Excerpt, escaped, escaped_path, excerpt};
pub use maxmargin_core::{
    comparison, features, inference, linear, risk, search, shown, solver, structure, surrogate, testing,
};
pub use model::Model;
pub use output::OutputFile;
