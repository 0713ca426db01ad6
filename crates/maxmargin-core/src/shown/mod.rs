//! Text from outside, as a person may be shown it.
//!
//! Labels, names and pieces of files end up in messages and tables. A terminal obeys control characters, and bidirectional
//! overrides reorder what is read, so a file could repaint the screen or make one name look like another. A file can also
//! hold a word of a hundred million letters. So everything that a person reads goes through one of two wrappers: [`escaped`]
//! shows all of a text with such characters written out, and [`excerpt`] only its beginning. What machines read (predictions,
//! JSON) is left as it is. Numbers for people are in `numbers`.

mod numbers;
mod suggestion;

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

pub use numbers::{bytes, count, lower, number, percent, short_lower, short_upper, time, upper};
pub use suggestion::did_you_mean;

/// The characters that an [`excerpt`] shows at most.
pub const EXCERPT: usize = 60;

/// All of a text, with characters that a terminal would obey written out.
///
/// ```
/// use maxmargin_core::shown::escaped;
/// assert_eq!(escaped("B-é\tred\u{1b}[31m").to_string(), "B-é\\tred\\u{1b}[31m");
/// ```
pub fn escaped<'a>(text: impl Into<Cow<'a, str>>) -> Escaped<'a> {
    Escaped(text.into())
}

/// The name of a file, with characters that a terminal would obey written out.
pub fn escaped_path(path: &Path) -> Escaped<'_> {
    Escaped(path.to_string_lossy())
}

/// The beginning of a text that may be long and need not be UTF-8, escaped: at most [`EXCERPT`] characters as
/// they are shown, then `…`.
///
/// ```
/// use maxmargin_core::shown::excerpt;
/// assert_eq!(excerpt("B-NP").to_string(), "B-NP");
/// assert_eq!(excerpt(b"\xff\0").to_string(), "\u{fffd}\\u{0}");
/// assert_eq!(excerpt(&"x".repeat(1_000_000)).to_string(), "x".repeat(60) + "…");
/// ```
pub fn excerpt(text: &(impl AsRef<[u8]> + ?Sized)) -> Excerpt<'_> {
    Excerpt { text: text.as_ref(), most: EXCERPT }
}

/// See [`escaped`].
#[derive(Debug, Clone)]
pub struct Escaped<'a>(Cow<'a, str>);

/// See [`excerpt`].
#[derive(Debug, Clone, Copy)]
pub struct Excerpt<'a> {
    text: &'a [u8],
    most: usize,
}

impl Excerpt<'_> {
    /// The same with another number of characters at most.
    pub fn at_most(self, most: usize) -> Self {
        Self { most, ..self }
    }
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.contains(is_obeyed) {
            true => f.pad(&self.0.chars().fold(String::new(), push_escaped)),
            false => f.pad(&self.0),
        }
    }
}

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A character takes at most four bytes; what is beyond is not looked at. Should a character be cut in two there, it
        // comes after those that are shown.
        let bytes = &self.text[..self.text.len().min(4 * (self.most + 1))];
        let (mut shown, mut length) = (String::new(), 0);
        for character in String::from_utf8_lossy(bytes).chars() {
            length += if is_obeyed(character) { character.escape_default().count() } else { 1 };
            if length > self.most {
                shown.push('…');
                break;
            }
            shown = push_escaped(shown, character);
        }
        f.pad(&shown)
    }
}

fn push_escaped(mut text: String, character: char) -> String {
    match is_obeyed(character) {
        true => text.extend(character.escape_default()),
        false => text.push(character),
    }
    text
}

/// Whether a terminal or an editor does something else with a character than to show it: controls (C0, C1, DEL), marks and
/// overrides of direction, separators of lines and paragraphs, the byte order mark, invisible tags.
fn is_obeyed(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_obeyed_is_left() {
        for character in (0..=0x10_ffff).filter_map(char::from_u32).filter(|&c| is_obeyed(c)) {
            let text = format!("a{character}b");
            let expected = format!("a{}b", character.escape_default());
            assert_eq!(
                (escaped(&text).to_string(), excerpt(&text).to_string()),
                (expected.clone(), expected)
            );
        }
        for text in ["", "B-NP", "naïve – 日本語 🙂 می\u{200c}خواهم", "a \\ b", "\u{fffd}"] {
            assert_eq!((escaped(text).to_string(), excerpt(text).to_string()), (text.into(), text.into()));
        }
    }

    #[test]
    fn excerpts_are_short_whatever_they_are_of() {
        for letter in ["x", "é", "日", "🙂"] {
            assert_eq!(excerpt(&letter.repeat(EXCERPT)).to_string(), letter.repeat(EXCERPT));
            assert_eq!(excerpt(&letter.repeat(EXCERPT + 1)).to_string(), letter.repeat(EXCERPT) + "…");
            assert_eq!(excerpt(&letter.repeat(9)).at_most(3).to_string(), letter.repeat(3) + "…");
        }
        // What is written out takes its room.
        assert_eq!(excerpt(&"\u{1b}".repeat(1000)).to_string(), "\\u{1b}".repeat(EXCERPT / 6) + "…");
        assert_eq!(excerpt(&[0xff; 1000]).to_string(), "\u{fffd}".repeat(EXCERPT) + "…");
        assert_eq!(format!("[{:<4}] [{:>4}]", excerpt("ab"), escaped("ü")), "[ab  ] [   ü]");
    }
}
