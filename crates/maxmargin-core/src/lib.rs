//! The engine of maxmargin: it knows inputs, labels and weights as numbers, and neither files nor names.
//!
//! Three layers, and none knows the others' business:
//!
//! - a [`structure`] knows what inputs and labels are, their features φ and the task loss L, and finds the best label;
//! - a [`search`] finds the label that hurts most under a [`surrogate`], with a bound on what it may have missed;
//! - a [`solver`] finds the weights w. It sees the [`risk`] through cutting planes only.
//!
//! [`features`] holds rows of numbers, [`linear`] computes with them, and [`inference`] has the algorithms on graphs with
//! which structures find labels. [`comparison`] tries all searches in one run. The crate `maxmargin` adds what surrounds it: data, tasks by name, training and models.

pub mod comparison;
mod error;
pub mod features;
mod fingerprint;
pub mod inference;
pub mod linear;
pub mod risk;
#[cfg(test)]
mod samples;
pub mod search;
pub mod shown;
pub mod solver;
pub mod structure;
pub mod surrogate;
pub mod testing;

pub use error::{Error, Result};
pub use fingerprint::{Fingerprint, fingerprint_of_bytes};

// Files that tests of several crates share speak of this one by its name.
#[cfg(test)]
extern crate self as maxmargin_core;
