//! What the names of labels say by the conventions of the CoNLL shared tasks: which tokens are outside of everything, and
//! where chunks begin and end.
//!
//! `O` is outside. `B-NP` begins a chunk of the type NP and `I-NP` is inside of one. Finer schemes also mark its end with
//! `E-NP` or `L-NP`, and a chunk of one token with `S-NP` or `U-NP` (IOBES, BILOU). The type may be missing: `B`, `I`.

use super::Alphabet;

/// The name of the label that stands for "nothing here".
pub(crate) const OUTSIDE: &str = "O";

/// A label that says where chunks are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Tag<'a> {
    /// In no chunk.
    Outside,
    /// In a chunk of this type, and whether it is certainly the first or the last token of it.
    Chunk { kind: &'a str, begins: bool, ends: bool },
}

impl<'a> Tag<'a> {
    /// The tag that a label is, if it is one.
    pub(crate) fn of(label: &'a str) -> Option<Self> {
        let (prefix, kind) = label.split_once('-').unwrap_or((label, ""));
        let (begins, ends) = match prefix {
            "B" => (true, false),
            "I" => (false, false),
            "E" | "L" => (false, true),
            "S" | "U" => (true, true),
            _ => return (label == OUTSIDE).then_some(Tag::Outside),
        };
        Some(Tag::Chunk { kind, begins, ends })
    }
}

/// Whether the first `known` labels are all tags and mark chunks.
///
/// `O`, `B-…` or `I-…` must be among them, since labels called S and E may be anything.
pub(crate) fn are_tags(labels: &Alphabet, known: usize) -> bool {
    let names = || labels.iter().take(known);
    names().all(|name| Tag::of(name).is_some())
        && names().any(|name| name != OUTSIDE)
        && names().any(|name| name == OUTSIDE || name.starts_with("B-") || name.starts_with("I-"))
}

/// The label that stands for "nothing here": `O`, if there is one.
///
/// Labels of tokens are then the set of all (position, label) without it, and predictions are good when they find much of
/// that set. Among single letters that are no tags, as in A to Z, an `O` is a letter like the others.
///
/// ```
/// use maxmargin::data::{Alphabet, background_label};
/// let labels = |names: &[&str]| names.iter().copied().collect::<Alphabet>();
/// assert_eq!(background_label(&labels(&["B-PER", "O"])), Some(1));
/// assert_eq!(background_label(&labels(&["B", "I", "O"])), Some(2));
/// assert_eq!(background_label(&labels(&["cat", "dog"])), None);
/// assert_eq!(background_label(&labels(&["A", "E", "I", "O", "U"])), None);
/// ```
pub fn background_label(labels: &Alphabet) -> Option<u32> {
    let letters = labels.iter().all(|name| name.chars().count() == 1);
    let tags = || labels.iter().all(|name| Tag::of(name).is_some());
    labels.get(OUTSIDE).filter(|_| !letters || tags())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are(names: &[&str]) -> bool {
        are_tags(&names.iter().copied().collect(), names.len())
    }

    #[test]
    fn names_are_tags_or_not() {
        assert_eq!(Tag::of("O"), Some(Tag::Outside));
        assert_eq!(Tag::of("B-A-C"), Some(Tag::Chunk { kind: "A-C", begins: true, ends: false }));
        assert_eq!(Tag::of("U-LOC"), Some(Tag::Chunk { kind: "LOC", begins: true, ends: true }));
        assert_eq!(Tag::of("E"), Some(Tag::Chunk { kind: "", begins: false, ends: true }));
        for name in ["", "O-", "NOUN", "b-NP", "-NP", "BB-NP"] {
            assert_eq!(Tag::of(name), None, "{name}");
        }
    }

    #[test]
    fn only_labels_that_are_all_tags_mark_chunks() {
        for tags in [&["O", "B-NP", "I-NP"][..], &["I-NP", "B-VP"], &["S-LOC", "O"], &["B", "I", "O"]] {
            assert!(are(tags), "{tags:?}");
        }
        for others in [&[][..], &["O"], &["O", "NOUN"], &["B", "S"], &["S-Bahn", "U-Bahn"], &["O", "A", "I"]]
        {
            assert!(!are(others), "{others:?}");
        }
    }
}
