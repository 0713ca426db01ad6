//! Schemes in which tags say where chunks are: IOB1, IOB2, BIOES, BILOU.
//!
//! All of them say the same of chunks that do not overlap: `O` is outside, and `B`, `I`, `E` (or `L`) and `S` (or `U`) mark the first token, one inside,
//! the last one, and one alone. IOB2 has only `B` and `I`. IOB1 begins a chunk with `I` too, unless a chunk of the same type ends
//! just before. So a sequence of tags is read as the [`spans`] that it marks, whatever its scheme, and written in another one. What no
//! scheme would write is read as conlleval reads it: a chunk begins wherever a tag does not go on with the one before.

mod conversion;
mod recognition;
mod steps;

use std::fmt;
use std::str::FromStr;

pub use conversion::TagConversion;
pub use recognition::RecognisedScheme;
use serde::{Deserialize, Serialize};

use super::tags::Tag;
use crate::error::{Error, Result};
use crate::shown::{did_you_mean, excerpt};

/// A way to write chunks as tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TagScheme {
    /// `I`, and `B` only where a chunk of the same type ends just before.
    Iob1,
    /// `B` for the first token, `I` for all others.
    Iob2,
    /// `B`, `I`, `E` for the last token, `S` for one alone.
    Bioes,
    /// The same with `L` and `U`.
    Bilou,
}

impl TagScheme {
    /// All schemes.
    pub const ALL: [TagScheme; 4] = [TagScheme::Iob1, TagScheme::Iob2, TagScheme::Bioes, TagScheme::Bilou];

    /// The name by which a user asks for it.
    pub fn name(self) -> &'static str {
        match self {
            TagScheme::Iob1 => "iob1",
            TagScheme::Iob2 => "iob2",
            TagScheme::Bioes => "bioes",
            TagScheme::Bilou => "bilou",
        }
    }

    /// The letters that begin its tags: of the first token of several, of those inside, of the last one, of one alone.
    fn letters(self) -> [char; 4] {
        match self {
            TagScheme::Iob1 => ['I', 'I', 'I', 'I'],
            TagScheme::Iob2 => ['B', 'I', 'I', 'B'],
            TagScheme::Bioes => ['B', 'I', 'E', 'S'],
            TagScheme::Bilou => ['B', 'I', 'L', 'U'],
        }
    }

    /// All letters that may begin a tag.
    fn all_letters(self) -> &'static [char] {
        match self {
            TagScheme::Iob1 | TagScheme::Iob2 => &['B', 'I'],
            TagScheme::Bioes => &['B', 'I', 'E', 'S'],
            TagScheme::Bilou => &['B', 'I', 'L', 'U'],
        }
    }

    /// The letter of each token of a sequence that has these spans, and its type; none outside.
    fn write<'a>(self, length: usize, spans: &[Span<'a>]) -> Vec<Option<(char, &'a str)>> {
        let mut tags = vec![None; length];
        let [first, inside, last, alone] = self.letters();
        let mut before: Option<Span<'a>> = None;
        for &span in spans {
            let Some(kind) = span.kind else { continue };
            for (place, tag) in tags[span.start..span.end].iter_mut().enumerate() {
                let letter = match (place == 0, span.start + place + 1 == span.end) {
                    (true, true) => alone,
                    (true, false) => first,
                    (false, true) => last,
                    (false, false) => inside,
                };
                *tag = Some((letter, kind));
            }
            let touches = before.is_some_and(|before| before.end == span.start && before.kind == span.kind);
            if self == TagScheme::Iob1 && touches {
                tags[span.start] = Some(('B', kind));
            }
            before = Some(span);
        }
        tags
    }
}

/// A letter and a type as a tag.
fn tag(letter: char, kind: &str) -> String {
    if kind.is_empty() { letter.to_string() } else { format!("{letter}-{kind}") }
}

impl fmt::Display for TagScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for TagScheme {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|scheme| scheme.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            let meant = did_you_mean(name, Self::ALL.map(Self::name));
            Error::parameter("tag-scheme", format!("`{}` is not one of {names}{meant}", excerpt(name)))
        })
    }
}

/// Tokens that belong together: from `start` up to `end`, without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span<'a> {
    /// The first token.
    pub start: usize,
    /// The token after the last.
    pub end: usize,
    /// The type; none where a label is no tag, or not known: it is a span of its own.
    pub kind: Option<&'a str>,
}

/// The chunks that tags mark, as conlleval counts them.
///
/// A chunk begins at a tag that says so (`B-`, `S-`), and at any other that follows another type or no chunk. It ends after a tag that
/// says so (`E-`, `S-`), before the next chunk, before an `O` and at the end.
///
/// ```
/// use maxmargin::data::tag_scheme::spans;
/// let found = spans(["B-NP", "I-NP", "I-VP", "O"].map(Some));
/// assert_eq!((found[0].end, found[1].start, found[1].kind), (2, 2, Some("VP")));
/// ```
pub fn spans<'a>(tags: impl IntoIterator<Item = Option<&'a str>>) -> Vec<Span<'a>> {
    let mut spans: Vec<Span<'a>> = Vec::new();
    // The type of the chunk that the next token may go on with.
    let mut open = None;
    for (start, label) in tags.into_iter().enumerate() {
        open = match label.and_then(Tag::of) {
            Some(Tag::Outside) => None,
            Some(Tag::Chunk { kind, begins, ends }) => {
                match spans.last_mut() {
                    Some(span) if open == Some(kind) && !begins => span.end = start + 1,
                    _ => spans.push(Span { start, end: start + 1, kind: Some(kind) }),
                }
                (!ends).then_some(kind)
            }
            None => {
                spans.push(Span { start, end: start + 1, kind: None });
                None
            }
        };
    }
    spans
}

#[cfg(test)]
mod tests;
