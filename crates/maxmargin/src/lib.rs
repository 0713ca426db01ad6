//! Max-margin structured output learning with a proof of optimality for every model.

pub mod data;
mod error;

pub use error::{Error, Place, Result};
