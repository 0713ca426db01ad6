//! The words of an ARFF line: bare or in quotes.

use std::borrow::Cow;

use super::super::source::Line;
use crate::error::Result;

/// A place in a line that moves on.
pub(super) struct Words<'l, 'a> {
    pub line: &'l Line<'a>,
    pub at: usize,
}

/// A bare or quoted word, without its quotes and escapes.
pub(super) struct Word<'a> {
    /// Where it begins, its quote included.
    pub start: usize,
    pub text: Cow<'a, [u8]>,
    pub quoted: bool,
}

impl<'a> Words<'_, 'a> {
    pub fn peek(&self) -> Option<u8> {
        self.line.bytes.get(self.at).copied()
    }

    pub fn skip_blanks(&mut self) {
        while self.peek().is_some_and(is_blank) {
            self.at += 1;
        }
    }

    /// Takes this byte if it comes next.
    pub fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// Whether nothing but a comment follows.
    pub fn is_end(&self) -> bool {
        matches!(self.peek(), None | Some(b'%'))
    }

    /// Takes the word that begins here; a bare one goes on until a byte that `ends` it, and may be empty.
    pub fn word(&mut self, ends: impl Fn(u8) -> bool) -> Result<Word<'a>> {
        let start = self.at;
        let bytes = self.line.bytes;
        if let Some(quote @ (b'\'' | b'"')) = self.peek() {
            return self.quoted(quote);
        }
        while self.at < bytes.len() && !ends(bytes[self.at]) {
            self.at += 1;
        }
        Ok(Word { start, text: Cow::Borrowed(&bytes[start..self.at]), quoted: false })
    }

    fn quoted(&mut self, quote: u8) -> Result<Word<'a>> {
        let start = self.at;
        let bytes = self.line.bytes;
        let mut at = start + 1;
        while at < bytes.len() && bytes[at] != quote {
            // Whatever follows a backslash does not end the word.
            at += if bytes[at] == b'\\' { 2 } else { 1 };
        }
        if at >= bytes.len() {
            return Err(self.line.error(start + 1, "this quote has no end on its line"));
        }
        self.at = at + 1;
        Ok(Word { start, text: unescaped(&bytes[start + 1..at]), quoted: true })
    }

    /// The rest of the line.
    pub fn rest(&self) -> &'a [u8] {
        &self.line.bytes[self.at..]
    }
}

/// Replaces what backslashes stand for.
fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.contains(&b'\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        let escaped = text.get(at).copied().filter(|_| byte == b'\\');
        at += usize::from(escaped.is_some());
        match escaped {
            None => plain.push(byte),
            Some(b'n') => plain.push(b'\n'),
            Some(b'r') => plain.push(b'\r'),
            Some(b't') => plain.push(b'\t'),
            Some(b'u') => match text.get(at..at + 4).and_then(unicode) {
                Some(character) => {
                    plain.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                    at += 4;
                }
                None => plain.push(b'u'),
            },
            Some(other) => plain.push(other),
        }
    }
    Cow::Owned(plain)
}

fn unicode(digits: &[u8]) -> Option<char> {
    let digits =
        std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_escapes() {
        for (text, expected, rest) in [
            (r"bare, x", "bare", ", x"),
            (r"'a b',x", "a b", ",x"),
            (r#""it's" "#, "it's", " "),
            (r"'it\'s \\ \t\% \u00fc \uxyz'", "it's \\ \t% ü uxyz", ""),
            (r"'\\'", "\\", ""),
            ("", "", ""),
        ] {
            let line = Line { file: "test".as_ref(), number: 1, bytes: text.as_bytes() };
            let mut words = Words { line: &line, at: 0 };
            let word = words.word(|byte| byte == b',').unwrap();
            assert_eq!(String::from_utf8_lossy(&word.text), expected);
            assert_eq!(String::from_utf8_lossy(words.rest()), rest);
        }
        for text in ["'a", r"'a\'", "'\\"] {
            let line = Line { file: "test".as_ref(), number: 1, bytes: text.as_bytes() };
            assert!(Words { line: &line, at: 0 }.word(is_blank).is_err(), "{text}");
        }
    }
}
