//! What separates the columns of a file, and how many there are.

use super::super::source::Source;
use crate::error::Result;

/// The first field of a line that begins a document.
pub(super) const DOCUMENT: &str = "-DOCSTART-";

/// How lines are split.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Layout {
    /// Whether columns have tabs between them, else any number of spaces.
    pub(super) tabs: bool,
    pub(super) columns: usize,
}

impl Layout {
    /// The layout that the first token of a file shows: the first line that is not blank, no comment and no beginning of a document.
    pub(super) fn of(source: &mut Source) -> Result<Option<Self>> {
        let lines = source.peek()?.split(|&byte| byte == b'\n').map(String::from_utf8_lossy);
        let mut lines = lines.filter(|line| !line.trim().is_empty() && !line.starts_with(DOCUMENT));
        let first = lines.next();
        let is_comment = first.as_ref().is_some_and(|line| line.starts_with('#'));
        // Where all lines seem to be comments, they are tokens.
        let other = if is_comment { lines.find(|line| !line.starts_with('#')) } else { None };
        Ok(other.or(first).map(|line| Self::of_line(&line)))
    }

    pub(super) fn of_line(line: &str) -> Self {
        let tabs = line.trim_end().contains('\t');
        let layout = Self { tabs, columns: 0 };
        Self { columns: layout.fields(line).count(), ..layout }
    }

    /// The columns of a line.
    #[inline]
    pub(super) fn fields<'a>(&self, line: &'a str) -> impl Iterator<Item = &'a str> {
        let (by_tabs, by_spaces) = match self.tabs {
            true => (Some(line.trim_end_matches(['\t', ' ', '\r']).split('\t')), None),
            false => (None, Some(line.split_ascii_whitespace())),
        };
        by_tabs.into_iter().flatten().chain(by_spaces.into_iter().flatten())
    }

    /// What is between columns, in words.
    pub(super) fn separator(&self) -> &'static str {
        if self.tabs { "tabs" } else { "spaces" }
    }
}
