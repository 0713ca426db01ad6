//! Data: from files to feature matrices, labels and names.

mod alphabet;
mod dataset;
mod features;
pub mod word_images;

pub use alphabet::Alphabet;
pub use dataset::{Attributes, Dataset, UNKNOWN_LABEL, Vocabulary};
pub use features::{FeatureMatrix, MatrixBuilder, Row, RowValues, Rows};
pub use word_images::{Noise, WordImages, word_images};
