//! Max-margin structured output learning with a proof of optimality for every model.

pub mod data;
mod error;
pub mod inference;
pub mod linear;
pub mod metrics;
pub mod model;
mod output;
pub mod risk;
pub mod search;
pub mod solver;
pub mod structure;
pub mod surrogate;
pub mod task;

pub use error::{Error, Place, Result};
pub use model::Model;
pub use output::OutputFile;
