//! Surrogate losses ψ(h, g): how a margin error and a task loss become one number to minimise.

mod margin;

pub use margin::MarginRescaling;
