//! Word alignment: parallel text with links between words, made into bipartite graphs to learn matchings from.
//!
//! [`ParallelText`] is a text and its translation, [`read_links`] reads who is linked to whom.

mod links;
mod parallel_text;

pub use links::{SentenceLinks, pharaoh_line, read_links, write_pharaoh};
pub use parallel_text::{LONGEST_SENTENCE, ParallelText, Sentences};
