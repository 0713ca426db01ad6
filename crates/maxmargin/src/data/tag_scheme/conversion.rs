//! From one scheme to another and back.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{RecognisedScheme, Span, TagScheme, spans, tag};
use crate::data::alphabet::Alphabet;
use crate::data::tags::{OUTSIDE, Tag};
use crate::structure::UNKNOWN_LABEL;

/// Data has its tags in one scheme, and a model learns them in another, or in the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TagConversion {
    /// The scheme of the files.
    pub files: TagScheme,
    /// The scheme of the model.
    pub model: TagScheme,
}

impl TagConversion {
    /// Whether the model learns tags as they are in the files that it was trained on.
    pub fn is_idle(self) -> bool {
        self.files == self.model
    }

    /// The scheme of other files, given their sequences of names, where it certainly is not that of the files the model was trained on.
    pub(crate) fn other_scheme<'a, S>(self, sequences: impl Iterator<Item = S>) -> Option<TagScheme>
    where
        S: Iterator<Item = &'a str>,
    {
        let found = RecognisedScheme::of(sequences).ok()?;
        (!found.is_ambiguous && found.scheme != self.files).then_some(found.scheme)
    }

    /// Rewrites the labels of sequences, and adds their names to `to` where it may `grow`; those that it lacks become unknown. A label
    /// without a name, or that is no tag, becomes unknown.
    pub(crate) fn convert<'s>(
        self,
        sequences: impl Iterator<Item = &'s [u32]>,
        from: &Alphabet,
        to: &mut Alphabet,
        grow: bool,
    ) -> Vec<u32> {
        let mut labels = Vec::new();
        let mut known: FxHashMap<(char, &str), u32> = FxHashMap::default();
        let mut number = |name: &str| match grow {
            true => to.add(name),
            false => to.get(name).unwrap_or(UNKNOWN_LABEL),
        };
        for sequence in sequences {
            let name = |&label: &u32| ((label as usize) < from.len()).then(|| from.name(label));
            let found = spans(sequence.iter().map(name));
            for tag_of in self.model.write(sequence.len(), &found) {
                labels.push(match tag_of {
                    None => number(OUTSIDE),
                    Some((letter, kind)) => {
                        *known.entry((letter, kind)).or_insert_with(|| number(&tag(letter, kind)))
                    }
                });
            }
            let start = labels.len() - sequence.len();
            for span in found.iter().filter(|span| span.kind.is_none()) {
                labels[start + span.start..start + span.end].fill(UNKNOWN_LABEL);
            }
        }
        labels
    }

    /// All tags that files may have, whatever their scheme, for the types that a model knows; those of the model first, with its numbers.
    pub(crate) fn tags_of_files(self, labels: &Alphabet) -> Alphabet {
        let mut tags = labels.clone();
        tags.add(OUTSIDE);
        for name in labels.iter() {
            if let Some(Tag::Chunk { kind, .. }) = Tag::of(name) {
                let letters = TagScheme::ALL.into_iter().flat_map(TagScheme::all_letters);
                letters.for_each(|&letter| _ = tags.add(&tag(letter, kind)));
            }
        }
        tags
    }

    /// Tags that a model has predicted, as files have them.
    pub(crate) fn back(self, tags: &[&str]) -> Vec<String> {
        let found: Vec<Span<'_>> = spans(tags.iter().copied().map(Some));
        let written = self.files.write(tags.len(), &found);
        let name = |tag_of: Option<(char, &str)>| {
            tag_of.map_or(OUTSIDE.to_owned(), |(letter, kind)| tag(letter, kind))
        };
        written.into_iter().map(name).collect()
    }
}
