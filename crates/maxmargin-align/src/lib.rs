//! Word alignment: parallel text with links between words, made into bipartite graphs to learn matchings from.
//!
//! [`ParallelText`] is a text and its translation, [`read_links`] reads who is linked to whom, and [`AlignmentSource`] makes
//! a data set of both: an example for each sentence pair, an edge for each pair of words, features in
//! [groups](FeatureGroup). [`association`] has what can be learnt from text without links. [`AlignmentPicture`] shows what was
//! predicted. [`Alignment`] is the task; [`register`] adds it to those that can be asked for by name.

pub mod association;
mod edges_file;
mod feature_table;
mod features;
mod graphs;
mod links;
mod parallel_text;
mod picture;
mod reading;
mod task;

pub use edges_file::write_edges;
pub use feature_table::FeatureTable;
pub use features::FeatureGroup;
pub use graphs::AlignmentSource;
pub use links::{SentenceLinks, pharaoh_line, read_links, write_pharaoh};
pub use parallel_text::{ParallelText, Sentences};
pub use picture::{AlignmentPicture, Gold, Mark};
pub use reading::SentenceOptions;
pub use task::Alignment;

/// Adds the task `alignment` to the registry. May be called more than once.
pub fn register() -> maxmargin::Result<()> {
    maxmargin::tasks::registry::add::<Alignment>()
}
