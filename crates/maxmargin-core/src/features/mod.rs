//! The inputs: a matrix with one row per token or example, as small as its values allow.
//!
//! Rows are sparse (column numbers and values) or dense (values only). Values are held as nothing at all when they are
//! all 1, as bytes with a common scale, as `f32` where that is exact, else as `f64`: the builder starts with the smallest
//! and widens when a value asks for it. Every number that a file held is therefore represented exactly.
//!
//! What is in memory already, such as the arrays of NumPy and SciPy, need not be copied: see [`FeatureMatrix::from_csr`],
//! [`FeatureMatrix::from_row_major`] and [`Shared`].

mod array;
mod builder;
mod matrix;
mod parts;
mod row;
mod rows;

pub use array::{Number, Shared};
pub use builder::MatrixBuilder;
pub use matrix::FeatureMatrix;
use matrix::Values;
pub use parts::{Index, IndexArray, Value, ValueArray};
pub use row::{Row, RowValues};
pub use rows::Rows;
