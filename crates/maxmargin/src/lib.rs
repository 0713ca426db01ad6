//! Max-margin structured output learning with a proof of optimality for every model.
//!
//! ```
//! use maxmargin::tasks::chain::word_images::{Noise, word_images};
//! use maxmargin::{Chain, Examples, Model, Trainer};
//!
//! // Images of words; `Examples::read` gives the same from files.
//! let words = word_images(100, Noise::default(), 1);
//! let train = Examples::new(words.data, words.vocabulary);
//! let model = Trainer::new(Chain::default()).lambda(0.1).gap(1e-3).train(&train)?;
//! println!("F(w) = {:.4}, at least {:.4} for any w", model.certificate().primal, model.certificate().lower_bound);
//!
//! let path = tempfile::tempdir()?.keep().join("words.model");
//! model.save(&path)?;
//! let test = word_images(1, Noise::default(), 2);
//! let best = &Model::load(&path)?.predict(&test.data, 1)?[0][0];
//! println!("read {:?}, it was {:?}", best.names().concat(), test.words[0]);
//! # assert_eq!(best.names().len(), test.words[0].len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is learnt
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
//! # A structure of your own
//!
//! Implement [`Structure`](structure::Structure) and hand it to a [`StructuredRisk`](risk::StructuredRisk): every solver
//! works with it. `examples/own_structure.rs` does so step by step. Add a [`Task`](tasks::Task) for it to the
//! [`registry`](tasks::registry), and [`Trainer`] and [`Model`] work with it.

mod checkpoint;
pub mod data;
mod error;
pub mod metrics;
pub mod model;
mod output;
pub mod tasks;
pub mod tensor_file;
pub mod training;

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
pub use tasks::{Chain, Hierarchy, Matching, Multiclass, Multilabel};
pub use training::{Examples, Trainer};
