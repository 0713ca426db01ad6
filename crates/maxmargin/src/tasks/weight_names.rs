//! What weights are about, by name: for people who look at them, and for runs that start from them.
//!
//! Mostly these are labels. Where labels of positions only spell what is learnt, as tags spell segments, weights are about something else.

use crate::data::Alphabet;

/// The names of what the weights of a task are about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightNames {
    /// What transitions go between, and what scores have a block of their own: labels, or classes of segments.
    pub states: Vec<String>,
    /// The columns of the block with a row for each attribute: each has a state and a name.
    pub columns: Vec<(usize, String)>,
    /// The rows of blocks, by the block's name, where they are neither: lengths of segments, say.
    pub rows: Vec<(&'static str, Vec<String>)>,
}

impl WeightNames {
    /// Weights are about labels, and attributes have one for each.
    pub fn of_labels(labels: &Alphabet) -> Self {
        let states: Vec<String> = labels.iter().map(str::to_owned).collect();
        let columns = states.iter().cloned().enumerate().collect();
        Self { states, columns, rows: Vec::new() }
    }

    /// The names of a block's rows, where they have any of their own.
    pub fn rows_of(&self, block: &str) -> Option<&[String]> {
        self.rows.iter().find(|(name, _)| *name == block).map(|(_, rows)| &rows[..])
    }
}
