//! What tokens are, as numbers by which whole segments are known: see [`KnownSegments`](crate::structure::KnownSegments).

use std::ops::Range;
use std::sync::Arc;

use super::refuse;
use crate::error::Result;
use crate::structure::PositionKeys;

/// A number of each kind for each row, which is 0 where there is none.
#[derive(Debug, Clone, PartialEq)]
pub struct SegmentKeys {
    kinds: usize,
    keys: Arc<[u64]>,
}

impl SegmentKeys {
    /// Those of so many rows. Refused where rows have none, or not equally many.
    pub fn new(keys: Vec<u64>, rows: usize) -> Result<Self> {
        match keys.len().checked_div(rows) {
            Some(kinds) if kinds > 0 && kinds * rows == keys.len() => Ok(Self { kinds, keys: keys.into() }),
            _ => refuse(format!("{} keys of segments for {rows} rows", keys.len())),
        }
    }

    /// How many each row has.
    pub fn kinds(&self) -> usize {
        self.kinds
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.keys.len() / self.kinds
    }

    /// Those of some rows; none where there are not so many.
    pub(crate) fn of(&self, rows: Range<usize>) -> Option<PositionKeys> {
        PositionKeys::new(&self.keys, self.kinds, rows).ok()
    }

    /// Those of other rows, in this order.
    pub(crate) fn subset(&self, rows: impl Iterator<Item = usize>) -> Self {
        let of_row = |row: usize| &self.keys[row * self.kinds..(row + 1) * self.kinds];
        Self { kinds: self.kinds, keys: rows.flat_map(of_row).copied().collect() }
    }

    /// The numbers of some rows, row by row.
    pub(crate) fn of_rows(&self, rows: Range<usize>) -> &[u64] {
        &self.keys[rows.start * self.kinds..rows.end * self.kinds]
    }

    /// The bytes that they hold in memory.
    pub(crate) fn bytes(&self) -> usize {
        8 * self.keys.len()
    }
}
