//! Combinatorial kernels without any learning in them.

mod field;
mod k_best_paths;
mod k_best_viterbi;
mod stratified_viterbi;
mod viterbi;

pub use field::{Field, LabelGraph};
pub use k_best_paths::k_best_paths;
pub use k_best_viterbi::{Lexicographic, k_best_viterbi};
pub use stratified_viterbi::StratifiedTable;
pub use viterbi::viterbi;
