//! Attributes with a weight for each pair of labels: their columns come before those of all others, however both grow.

use super::DatasetBuilder;
use crate::data::Alphabet;
use crate::features::MatrixBuilder;

/// Where attributes of pairs grow too, columns of labels are counted from here on until both are complete: the former come first.
const BEHIND_PAIRS: u32 = 1 << 31;

impl DatasetBuilder<'_> {
    /// Says that there are attributes with a weight for each pair of labels. To be said before the first row of all.
    pub fn expect_pairs(&mut self) {
        if self.needs_labels() && self.pairs.is_none() {
            self.pairs = Some(Alphabet::default());
        }
    }

    /// The column of such an attribute. Its name begins with a B, so that it is not one of the others.
    pub fn column_of_pairs(&mut self, name: &str) -> Option<u32> {
        if !name.starts_with(['B', 'b']) {
            return self.column_of_pairs(&format!("B{name}"));
        }
        match &mut self.pairs {
            Some(pairs) => Some(pairs.add(name)),
            None => self.column_of(name),
        }
    }

    /// What is added to the columns of other attributes as long as both grow.
    #[inline]
    pub(super) fn behind_pairs(&self) -> u32 {
        if self.pairs.is_some() { BEHIND_PAIRS } else { 0 }
    }
}

/// All names, those of pairs first, with the columns of the others moved behind them.
pub(super) fn before(mut pairs: Alphabet, others: &Alphabet, features: &mut MatrixBuilder) -> Alphabet {
    features.move_columns(BEHIND_PAIRS, pairs.len() as u32);
    others.iter().for_each(|name| _ = pairs.add(name));
    pairs
}
