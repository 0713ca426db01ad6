//! The tests of this crate, one file a promise.

mod common;

mod gradients_are_true;
mod runs_go_on;
mod spoiled_models_are_refused;
mod toys_are_learnt;
