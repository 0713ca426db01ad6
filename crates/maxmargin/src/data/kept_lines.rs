//! The lines of a file of columns, kept so that an answer can be written beside them.

use std::sync::Arc;

/// The text of each row: its line, and before it those lines that are no tokens (comments, beginnings of documents).
#[derive(Debug, Clone, Default)]
pub struct KeptLines {
    text: Arc<str>,
    /// Where the text of each row ends. What comes before its own line ends with a line break.
    ends: Arc<[usize]>,
    separator: char,
}

/// Kept lines in the making.
#[derive(Debug, Clone)]
pub(crate) struct LineKeeper {
    text: String,
    ends: Vec<usize>,
    separator: char,
}

impl Default for LineKeeper {
    fn default() -> Self {
        Self { text: String::new(), ends: Vec::new(), separator: ' ' }
    }
}

impl LineKeeper {
    /// Adds the line of a row and what stands before it, each line of which has its line break.
    pub(crate) fn push(&mut self, before: &str, line: &str, separator: char) {
        self.text += before;
        self.text += line.trim_end_matches(['\r', '\t', ' ']);
        self.ends.push(self.text.len());
        self.separator = separator;
    }

    /// What was kept, of so many rows; none where these are not all.
    pub(crate) fn finish(self, rows: usize) -> Option<KeptLines> {
        let Self { text, ends, separator } = self;
        (ends.len() == rows).then(|| KeptLines { text: text.into(), ends: ends.into(), separator })
    }
}

impl KeptLines {
    /// The text of some rows, each with another column at the end of its line. None where there are not as many columns, or rows.
    pub(crate) fn with_column<'a>(
        &self,
        rows: impl ExactSizeIterator<Item = usize>,
        column: impl ExactSizeIterator<Item = &'a str>,
    ) -> Option<String> {
        if rows.len() != column.len() {
            return None;
        }
        let mut text = String::new();
        for (place, (row, entry)) in rows.zip(column).enumerate() {
            if place > 0 {
                text.push('\n');
            }
            text += self.of_row(row)?;
            text.push(self.separator);
            text += entry;
        }
        Some(text)
    }

    fn of_row(&self, row: usize) -> Option<&str> {
        let start = row.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(start..*self.ends.get(row)?)
    }

    /// Those of other rows, in this order.
    pub(crate) fn subset(&self, rows: impl Iterator<Item = usize>) -> Self {
        let mut kept = LineKeeper::default();
        let mut count = 0;
        for text in rows.map(|row| self.of_row(row).unwrap_or_default()) {
            kept.push("", text, self.separator);
            count += 1;
        }
        kept.finish(count).unwrap_or_default()
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.ends.len()
    }

    /// The bytes that they hold in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len() + size_of_val(&*self.ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_added_to_each_line() {
        let mut kept = LineKeeper::default();
        kept.push("# first\n", "He PRP B-NP \r", ' ');
        kept.push("", "runs VBZ B-VP", ' ');
        let kept = kept.finish(2).unwrap();
        let all = kept.with_column(0..2, ["B-NP", "O"].into_iter()).unwrap();
        assert_eq!(all, "# first\nHe PRP B-NP B-NP\nruns VBZ B-VP O");
        let second = kept.subset([1].into_iter());
        assert_eq!(second.with_column(0..1, ["O"].into_iter()).unwrap(), "runs VBZ B-VP O");
        assert_eq!(kept.with_column(0..2, ["O"].into_iter()), None);
        assert_eq!(kept.with_column(1..3, ["O", "O"].into_iter()), None);
    }
}
