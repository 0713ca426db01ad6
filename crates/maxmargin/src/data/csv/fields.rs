//! The fields of a line.

use std::borrow::Cow;

use super::super::source::Line;
use crate::error::Result;

/// The separator that a header has most of; a comma if it has none.
pub(super) fn separator(header: &[u8]) -> u8 {
    let mut quoted = false;
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0)];
    for &byte in header {
        quoted ^= byte == b'"';
        if !quoted && let Some((_, count)) = counts.iter_mut().find(|(separator, _)| *separator == byte) {
            *count += 1;
        }
    }
    // Of equal counts the last is the maximum.
    counts.into_iter().rev().max_by_key(|&(_, count)| count).map_or(b',', |(separator, _)| separator)
}

/// A field without its quotes, and where it begins, its quote included.
pub(super) struct Field<'a> {
    pub start: usize,
    pub text: Cow<'a, [u8]>,
}

/// The fields of a line, one after the other.
pub(super) struct Fields<'l, 'a> {
    line: &'l Line<'a>,
    separator: u8,
    /// Where the next field begins; `None` after the last one.
    next: Option<usize>,
}

impl<'l, 'a> Fields<'l, 'a> {
    pub fn new(line: &'l Line<'a>, separator: u8) -> Self {
        Self { line, separator, next: Some(0) }
    }

    fn is_blank(&self, byte: u8) -> bool {
        byte != self.separator && (byte == b' ' || byte == b'\t')
    }

    /// The text of the field whose quote is at `start`, and what comes after its closing quote.
    fn quoted(&self, start: usize) -> Result<(Cow<'a, [u8]>, usize)> {
        let bytes = self.line.bytes;
        let mut text = Cow::Borrowed(&bytes[start + 1..start + 1]);
        let mut at = start + 1;
        loop {
            let Some(length) = memchr::memchr(b'"', &bytes[at..]) else {
                return Err(self.line.error(start + 1, "this quote has no end on its line"));
            };
            let part = &bytes[at..at + length];
            at += length + 1;
            if text.is_empty() {
                text = Cow::Borrowed(part);
            } else {
                text.to_mut().extend_from_slice(part);
            }
            if bytes.get(at) != Some(&b'"') {
                return Ok((text, at));
            }
            text.to_mut().push(b'"');
            at += 1;
        }
    }
}

impl<'a> Iterator for Fields<'_, 'a> {
    type Item = Result<Field<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.line.bytes;
        let mut start = self.next.take()?;
        while bytes.get(start).is_some_and(|&byte| self.is_blank(byte)) {
            start += 1;
        }
        let (text, mut end) = match bytes.get(start) {
            Some(b'"') => match self.quoted(start) {
                Ok(found) => found,
                Err(error) => return Some(Err(error)),
            },
            _ => {
                let length = memchr::memchr(self.separator, &bytes[start..]).unwrap_or(bytes.len() - start);
                let text = &bytes[start..start + length];
                let kept = text.iter().rposition(|&byte| !self.is_blank(byte)).map_or(0, |last| last + 1);
                (Cow::Borrowed(&text[..kept]), start + length)
            }
        };
        while bytes.get(end).is_some_and(|&byte| self.is_blank(byte)) {
            end += 1;
        }
        match bytes.get(end) {
            None => {}
            Some(&byte) if byte == self.separator => self.next = Some(end + 1),
            Some(_) => return Some(Err(self.line.error(end + 1, "more text after a closing quote"))),
        }
        Some(Ok(Field { start, text }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str, separator: u8) -> Result<Vec<String>> {
        let line = Line { file: "test".as_ref(), number: 1, bytes: text.as_bytes() };
        Fields::new(&line, separator)
            .map(|field| Ok(String::from_utf8_lossy(&field?.text).into_owned()))
            .collect()
    }

    #[test]
    fn fields_of_all_kinds() {
        assert_eq!(fields("a, b c ,,\"d,\"\"e\"\"\" ,", b',').unwrap(), ["a", "b c", "", "d,\"e\"", ""]);
        assert_eq!(fields("a\t\t b", b'\t').unwrap(), ["a", "", "b"]);
        assert_eq!(fields("\"\"\"\";\"\"", b';').unwrap(), ["\"", ""]);
        assert_eq!(fields("", b';').unwrap(), [""]);
        assert!(fields("\"a\"b,c", b',').is_err());
        assert!(fields("a,\"b", b',').is_err());
    }

    #[test]
    fn the_header_shows_the_separator() {
        for (header, expected) in [
            ("a,b;c,d", b','),
            ("a;b", b';'),
            ("a\tb", b'\t'),
            ("\"a,b,c\";d", b';'),
            ("a", b','),
            ("a,b;c", b','),
        ] {
            assert_eq!(separator(header.as_bytes()), expected, "{header}");
        }
    }
}
