//! The rows of one example.

use std::ops::Range;
use std::sync::Arc;

use super::{FeatureMatrix, Row};
use crate::error::{Error, Result};

/// Some consecutive rows of a shared matrix: the input of one example. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Rows {
    matrix: Arc<FeatureMatrix>,
    start: u32,
    end: u32,
}

impl Rows {
    /// Those of these rows that the matrix has. Where one that lacks is a mistake, [`Rows::try_new`] says so.
    pub fn new(matrix: &Arc<FeatureMatrix>, rows: Range<usize>) -> Self {
        // Rows are counted in 32 bits.
        let end = rows.end.min(matrix.rows()).min(u32::MAX as usize);
        let start = rows.start.min(end);
        Self { matrix: Arc::clone(matrix), start: start as u32, end: end as u32 }
    }

    /// These rows of the matrix; an error when they are not all there.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use maxmargin_core::features::{FeatureMatrix, Rows};
    /// let matrix = Arc::new(FeatureMatrix::from_dense(&[[1.0], [2.0]]));
    /// assert_eq!(Rows::try_new(&matrix, 1..2)?.row(0).to_pairs(), [(0, 2.0)]);
    /// assert!(Rows::try_new(&matrix, 1..3).is_err());
    /// # Ok::<(), maxmargin_core::Error>(())
    /// ```
    pub fn try_new(matrix: &Arc<FeatureMatrix>, rows: Range<usize>) -> Result<Self> {
        let found = Self::new(matrix, rows.clone());
        match rows.start <= rows.end && rows == (found.start as usize..found.end as usize) {
            true => Ok(found),
            false => {
                let problem =
                    format!("{} to {} of a matrix that has {}", rows.start, rows.end, matrix.rows());
                Err(Error::parameter("rows", problem))
            }
        }
    }

    /// So many rows without features, as of a sequence of which only the length is known: for scores from outside.
    pub fn without_features(rows: u32) -> Self {
        Self { matrix: Arc::new(FeatureMatrix::without_columns(rows as usize)), start: 0, end: rows }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// The row number `position` of these.
    ///
    /// # Panics
    ///
    /// When there are not so many, as a slice does.
    #[inline]
    pub fn row(&self, position: usize) -> Row<'_> {
        // Beyond them there may be rows of other examples. All of them are rows of the matrix.
        assert!(position < self.len(), "a row of the example");
        self.matrix.row_within(self.start as usize + position)
    }

    /// The number of columns of the matrix.
    pub fn columns(&self) -> usize {
        self.matrix.columns()
    }
}
