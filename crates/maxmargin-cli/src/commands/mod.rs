//! One file per command.

pub mod associate;
pub mod compare;
pub mod completions;
pub mod demo;
pub mod eval;
pub mod expand;
pub mod grid;
pub mod inspect;
pub mod man;
pub mod path;
pub mod predict;
pub mod train;
#[cfg(feature = "neural")]
pub mod train_network;
