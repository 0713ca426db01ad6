//! Which pairs of attributes and labels have weights: all, or those that training examples have together.
//!
//! With many labels most pairs never occur. Without weights of theirs memory grows with what was seen, and the problem is a smaller one: an
//! attribute cannot speak against a label that it never came with.

use std::sync::Arc;

use super::Stored;
use super::option::{TaskOption, choice};
use crate::error::{Error, Result};
use crate::features::Row;
use crate::linear::SeenPairs;

/// The tensors of a model file, and the field with their sizes.
const STARTS: &str = "pair_starts";
const LABELS: &str = "pair_nodes";
const SIZES: &str = "pairs";

/// The option.
pub(super) const WEIGHTS: TaskOption =
    TaskOption::value("weights", "WHICH", "Which pairs of attributes and labels have weights: all or seen")
        .default("all")
        .more(
            "seen: those that a training example has together. With many labels most pairs are never seen, and memory grows with those \
             that are. The problem is then a smaller one: an attribute cannot speak against a label that it never came with.",
        );

/// Which pairs of attributes and labels have weights.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WeightChoice {
    /// All.
    #[default]
    All,
    /// Those that a training example has together.
    Seen,
}

/// What is asked for, and the pairs once training data was seen.
#[derive(Debug, Clone, Default)]
pub struct SeenWeights {
    /// Which pairs are to have weights.
    pub choice: WeightChoice,
    pairs: Option<Arc<SeenPairs>>,
}

impl SeenWeights {
    /// The tensors that a model may have.
    pub(super) const TENSORS: [&'static str; 2] = [STARTS, LABELS];

    /// Sets the option.
    pub(super) fn set(&mut self, option: &str, values: &[String]) -> Result<()> {
        self.choice = choice(option, values, &[("all", WeightChoice::All), ("seen", WeightChoice::Seen)])?;
        Ok(())
    }

    /// With the pairs of training data, whose rows `rows` calls what it is given with, each with its labels.
    pub(super) fn resolved(
        &self,
        columns: usize,
        labels: usize,
        rows: impl Fn(&mut dyn FnMut(Row<'_>, &[u32])),
    ) -> Result<Self> {
        // Pairs of fewer attributes save nothing.
        let pairs = match self.choice == WeightChoice::Seen && columns > 1 {
            true => Some(Arc::new(SeenPairs::collect(columns, labels, rows)?)),
            false => None,
        };
        Ok(Self { pairs, ..*self })
    }

    /// The pairs that have weights, where not all have.
    pub fn pairs(&self) -> Option<&Arc<SeenPairs>> {
        self.pairs.as_ref()
    }

    /// The same for so many attributes. Refused where the pairs are of another number.
    pub(super) fn pairs_of(&self, columns: usize) -> Result<Option<Arc<SeenPairs>>> {
        match self.pairs.as_ref().filter(|pairs| pairs.features() != columns) {
            None => Ok(self.pairs.clone()),
            Some(pairs) => {
                let problem = format!("pairs of {} attributes, but there are {columns}", pairs.features());
                Err(Error::parameter("weights", problem))
            }
        }
    }

    /// Adds them to what is stored.
    pub(super) fn save(&self, stored: Stored) -> Stored {
        let Some(pairs) = &self.pairs else { return stored };
        let mut stored = stored.with(SIZES, vec![pairs.features(), pairs.len()]);
        let starts: Vec<f64> = pairs.starts().iter().map(|&start| start as f64).collect();
        stored.add_tensor(STARTS, vec![starts.len()], starts);
        let labels: Vec<f64> = pairs.labels().iter().map(|&label| f64::from(label)).collect();
        stored.add_tensor(LABELS, vec![labels.len()], labels);
        stored
    }

    /// What a model of so many labels has.
    pub(super) fn load(stored: &Stored, labels: usize) -> std::result::Result<Self, String> {
        let Some([columns, count]) = stored.field::<Option<[usize; 2]>>(SIZES)? else {
            return Ok(Self::default());
        };
        let starts = stored.tensor(STARTS, &[columns.saturating_add(1)])?;
        let of_pairs = stored.tensor(LABELS, &[count])?;
        let starts = starts.iter().map(|&start| start as usize).collect();
        let of_pairs = of_pairs.iter().map(|&label| label as u32).collect();
        let pairs = SeenPairs::new(labels, starts, of_pairs).map_err(|e| e.to_string())?;
        Ok(Self { choice: WeightChoice::Seen, pairs: Some(Arc::new(pairs)) })
    }
}
