//! The fields of a record, and what separates them.

use std::borrow::Cow;
use std::slice;

use super::super::source::Line;
use super::records::is_blank;
use crate::error::Result;

/// The separator that a header has most of; a comma if it has none. The header begins the text, after empty lines.
pub(in super::super) fn separator(text: &[u8]) -> u8 {
    let mut quoted = false;
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0)];
    for &byte in text.trim_ascii_start() {
        quoted ^= byte == b'"';
        if byte == b'\n' && !quoted {
            break;
        }
        if !quoted && let Some((_, count)) = counts.iter_mut().find(|(separator, _)| *separator == byte) {
            *count += 1;
        }
    }
    // Of equal counts the last is the maximum.
    counts.into_iter().rev().max_by_key(|&(_, count)| count).map_or(b',', |(separator, _)| separator)
}

/// A field without its quotes, and where it begins, its quote included.
pub(in super::super) struct Field<'a> {
    pub start: usize,
    pub text: Cow<'a, [u8]>,
}

/// The fields of a record, one after the other.
pub(in super::super) struct Fields<'l, 'a> {
    line: &'l Line<'a>,
    separator: u8,
    ends: slice::Iter<'l, usize>,
    /// Where the next field begins, with the blanks before it.
    next: usize,
}

impl<'l, 'a> Fields<'l, 'a> {
    /// The fields that end at these places, each before a separator but the last.
    pub fn new(line: &'l Line<'a>, ends: &'l [usize], separator: u8) -> Self {
        Self { line, separator, ends: ends.iter(), next: 0 }
    }

    /// The text of a field that begins with a quote.
    #[cold]
    fn quoted(&self, start: usize, field: &'a [u8]) -> Result<Field<'a>> {
        let Some(end) = closing_quote(field) else {
            return Err(self.line.error_at(start, "this quote has no end"));
        };
        let after = field[end + 1..].iter().position(|&byte| !is_blank(byte, self.separator));
        if let Some(blanks) = after {
            let place = start + end + 1 + blanks;
            return Err(self.line.error(place + 1, "more text after a closing quote"));
        }
        Ok(Field { start, text: halve_quotes(&field[1..end]) })
    }
}

impl<'a> Iterator for Fields<'_, 'a> {
    type Item = Result<Field<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        // The carriage return that may end a line belongs to no field.
        let end = (*self.ends.next()?).min(self.line.bytes.len());
        let start = std::mem::replace(&mut self.next, end + 1);
        let bytes = &self.line.bytes[start..end];
        let blanks = bytes.iter().position(|&byte| !is_blank(byte, self.separator)).unwrap_or(bytes.len());
        let (start, bytes) = (start + blanks, &bytes[blanks..]);
        if bytes.first() == Some(&b'"') {
            return Some(self.quoted(start, bytes));
        }
        let kept = bytes.iter().rposition(|&byte| !is_blank(byte, self.separator)).map_or(0, |last| last + 1);
        Some(Ok(Field { start, text: Cow::Borrowed(&bytes[..kept]) }))
    }
}

/// The quote that closes the first one: the next that is not one of two in a row.
pub(in super::super) fn closing_quote(field: &[u8]) -> Option<usize> {
    let mut quotes = memchr::memchr_iter(b'"', field).skip(1).peekable();
    while let Some(quote) = quotes.next() {
        if quotes.next_if_eq(&(quote + 1)).is_none() {
            return Some(quote);
        }
    }
    None
}

/// One quote for each two in a row.
fn halve_quotes(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'"', text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut is_first = false;
    let kept = text.iter().copied().filter(|&byte| {
        is_first = byte == b'"' && !is_first;
        byte != b'"' || is_first
    });
    Cow::Owned(kept.collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::source::Source;
    use super::super::records::Records;
    use super::*;

    /// All fields of all records that are not blank.
    fn records(text: &str, separator: u8) -> Result<Vec<Vec<String>>> {
        let mut source = Source::from_reader("test", std::io::Cursor::new(text.to_owned()))?;
        let mut records = Records::new(separator, 100);
        let mut found = Vec::new();
        while let Some(record) = records.next(&mut source)? {
            let fields = record.fields().map(|field| Ok(String::from_utf8_lossy(&field?.text).into_owned()));
            if !record.is_blank() {
                found.push(fields.collect::<Result<_>>()?);
            }
        }
        Ok(found)
    }

    #[test]
    fn fields_of_all_kinds() {
        for (text, separator, expected) in [
            ("a, b c ,,\"d,\"\"e\"\"\" ,", b',', &["a", "b c", "", "d,\"e\"", ""][..]),
            ("a\t\t b", b'\t', &["a", "", "b"]),
            ("\"\"\"\";\"\"", b';', &["\"", ""]),
            (" \"a;b\" ; 5\" ;  ", b';', &["a;b", "5\"", ""]),
            ("\"a\"; ", b';', &["a", ""]),
            ("a;b;", b';', &["a", "b", ""]),
            ("\u{feff}a;b", b';', &["a", "b"]),
        ] {
            for end in ["", "\n", "\r\n"] {
                let text = format!("{text}{end}");
                assert_eq!(records(&text, separator).unwrap(), [expected], "{text:?}");
            }
        }
        assert!(records("\n \r\n\t\n", b';').unwrap().is_empty());
        assert!(records("\"a\"b,c", b',').is_err());
        assert!(records("a,\"b", b',').is_err());
    }

    #[test]
    fn line_breaks_in_quotes_belong_to_the_field() {
        let text = "1;\"a\r\nb\n\n\"\"c\";2\r\n\"\n\";3;\n\n4;\"5\";6";
        let expected = [["1", "a\r\nb\n\n\"c", "2"], ["\n", "3", ""], ["4", "5", "6"]];
        assert_eq!(records(text, b';').unwrap(), expected);
    }

    #[test]
    fn a_byte_order_mark_is_text_unless_it_begins_the_file() {
        assert_eq!(records("\u{feff}\u{feff}a\n\u{feff}b", b',').unwrap(), [["\u{feff}a"], ["\u{feff}b"]]);
    }

    #[test]
    fn a_quote_without_end_is_named_where_it_opens() {
        for (text, place) in [
            ("a,b\n1,\"2\n3,4\n", "test:2:3: "),
            ("a,b\n\"1\n\", \"2\n3,4", "test:3:4: "),
            ("a,b\n\"", "test:2:1: "),
            ("a,b\n\"1\"\"", "test:2:1: "),
        ] {
            let message = records(text, b',').unwrap_err().to_string();
            assert!(message.starts_with(&format!("{place}this quote has no end")), "{text:?}: {message}");
        }
    }

    #[test]
    fn no_more_fields_are_read_than_may_be() {
        for text in [";".repeat(1 << 20), format!("\"\"{}", ";".repeat(1 << 20))] {
            let mut source = Source::from_reader("test", std::io::Cursor::new(text)).unwrap();
            let mut records = Records::new(b';', 70);
            assert_eq!(records.next(&mut source).unwrap().unwrap().fields().count(), 70);
        }
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
            ("\r\na;b\n1,2,3\n", b';'),
            ("\"a\n,\";b\n", b';'),
        ] {
            assert_eq!(separator(header.as_bytes()), expected, "{header}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            written in prop::collection::vec(prop::collection::vec("[ab;\"\r\n\t é]{0,6}|[a-c5]{1,3}", 3), 1..6),
            crlf: bool,
            ended: bool,
        ) {
            let field = |field: &String| match field.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
                true => field.clone(),
                false => format!("\"{}\"", field.replace('"', "\"\"")),
            };
            let line = |fields: &Vec<String>| fields.iter().map(field).collect::<Vec<_>>().join(" ; ");
            let end = if crlf { "\r\n" } else { "\n" };
            let text = written.iter().map(line).collect::<Vec<_>>().join(end) + if ended { end } else { "" };
            prop_assert_eq!(records(&text, b';').unwrap(), written);
        }

        #[test]
        fn anything_is_read_or_refused(text in "([ab;\"\r\n\t ]|\"\"|;\"){0,20}") {
            _ = records(&text, b';');
        }
    }
}
