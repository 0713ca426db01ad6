//! Labels that a file only counts: MEKA's option `-C n` in the name of a relation.

use std::fmt;

/// `-C n`: the first n columns are labels, or the last when n is negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CountedLabels {
    /// n, which is not 0.
    pub count: i64,
    /// The line that says so, from 1.
    pub line: usize,
}

impl CountedLabels {
    /// The columns that it means, of this many; else what is wrong.
    pub fn columns(self, of: usize) -> Result<Vec<usize>, String> {
        let labels = usize::try_from(self.count.unsigned_abs()).unwrap_or(usize::MAX);
        match (labels <= of, self.count > 0) {
            (false, _) => Err(format!("{self} counts more labels than the {of} attributes")),
            (true, true) => Ok((0..labels).collect()),
            (true, false) => Ok((of - labels..of).collect()),
        }
    }
}

impl fmt::Display for CountedLabels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "-C {} on line {}", self.count, self.line)
    }
}
