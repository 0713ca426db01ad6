//! What separates the columns of a file, and how many there are.

use std::ops::Range;

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
    pub(super) fn fields<'a>(&self, line: &'a str) -> impl Iterator<Item = &'a str> {
        let mut ranges = Vec::new();
        self.split(line, &mut ranges);
        ranges.into_iter().map(|range| &line[range])
    }

    /// Where the columns of a line are, in bytes.
    #[inline]
    pub(super) fn split(&self, line: &str, ranges: &mut Vec<Range<usize>>) {
        ranges.clear();
        let bytes = line.as_bytes();
        let end = line.trim_end_matches(['\t', ' ', '\r']).len();
        let mut start = 0;
        if self.tabs {
            for tab in memchr::memchr_iter(b'\t', &bytes[..end]) {
                ranges.push(start..tab);
                start = tab + 1;
            }
            ranges.push(start..end);
            return;
        }
        let is_space = |byte: &u8| byte.is_ascii_whitespace();
        while let Some(first) = bytes[start..end].iter().position(|byte| !is_space(byte)) {
            start += first;
            let length = bytes[start..end].iter().position(is_space).unwrap_or(end - start);
            ranges.push(start..start + length);
            start += length;
        }
    }

    /// What is written between columns.
    pub(super) fn sign(&self) -> char {
        if self.tabs { '\t' } else { ' ' }
    }

    /// What is between columns, in words.
    pub(super) fn separator(&self) -> &'static str {
        if self.tabs { "tabs" } else { "spaces" }
    }
}
