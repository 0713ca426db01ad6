//! Operations on batches of sequences of different lengths, with their gradients, as candle's own operations are.
//!
//! Rows of all sequences of a batch lie one behind the other, without padding.

mod pairs;
mod product;
mod real;
mod recurrence;
mod row_sums;

pub use pairs::pair_products;
pub use real::Real;
pub use recurrence::{Direction, Recurrence, recurrence};
pub use row_sums::{Bags, row_sums};
