//! Which tags may follow each other, begin a sequence and end it.

use super::{TagScheme, tag};
use crate::data::Alphabet;
use crate::data::tags::OUTSIDE;
use crate::error::{Error, Result};
use crate::shown::excerpt;

impl TagScheme {
    /// The scheme of these labels, as far as their names tell: letters for the ends of chunks, or types that chunks never begin with `B`.
    pub fn of_names(labels: &Alphabet) -> Result<Self> {
        let has = |letters: &[&str]| labels.iter().any(|name| letters.contains(&split(name).0));
        let begins = |kind: &str| labels.iter().any(|name| split(name) == ("B", kind));
        let scheme = match (has(&["E", "S"]), has(&["L", "U"])) {
            (true, true) => {
                return Err(Error::parameter("well-formed", "the labels are of no scheme of tags"));
            }
            (true, false) => TagScheme::Bioes,
            (false, true) => TagScheme::Bilou,
            (false, false) => {
                let mut inside = labels.iter().map(split).filter(|(letter, _)| *letter == "I");
                let is_iob1 = inside.any(|(_, kind)| !begins(kind));
                if is_iob1 { TagScheme::Iob1 } else { TagScheme::Iob2 }
            }
        };
        scheme.check_names(labels)?;
        Ok(scheme)
    }

    /// Refuses labels that are no tags of the scheme.
    pub fn check_names(self, labels: &Alphabet) -> Result<()> {
        let is_tag = |name: &&str| {
            let (letter, _) = split(name);
            let mut letters = letter.chars();
            let is_letter = letters.next().is_some_and(|first| self.all_letters().contains(&first));
            *name == OUTSIDE || is_letter && letters.next().is_none()
        };
        match labels.iter().find(|name| !is_tag(name)) {
            None => Ok(()),
            Some(other) => {
                Err(Error::parameter("well-formed", format!("`{}` is no tag of {self}", excerpt(other))))
            }
        }
    }

    /// Refuses labels with which the scheme writes no chunk of some type: these are tags of another scheme.
    pub fn check_types(self, labels: &Alphabet) -> Result<()> {
        let has = |letter: char, kind: &str| labels.get(&tag(letter, kind)).is_some();
        let [first, _, last, alone] = self.letters();
        let is_written = |kind: &str| has(alone, kind) || has(first, kind) && has(last, kind);
        let mut kinds = labels.iter().filter(|name| *name != OUTSIDE).map(|name| split(name).1);
        match kinds.find(|kind| !is_written(kind)) {
            None => Ok(()),
            Some(kind) => {
                let missing = excerpt(&tag(alone, kind)).to_string();
                let problem = format!(
                    "the model knows no `{missing}`, which {self} writes for a chunk of one token; its tags are in another scheme"
                );
                Err(Error::parameter("well-formed", problem))
            }
        }
    }

    /// Whether the scheme writes the second tag behind the first one; none is the beginning or the end of a sequence.
    pub fn has_step(self, from: Option<&str>, to: Option<&str>) -> bool {
        let [(before, left), (after, right)] = [from, to].map(|tag| tag.map_or(("O", ""), split));
        let goes_on = left == right && matches!(before, "B" | "I");
        match self {
            TagScheme::Iob1 => after != "B" || left == right && matches!(before, "B" | "I"),
            TagScheme::Iob2 => after != "I" || goes_on,
            TagScheme::Bioes | TagScheme::Bilou => {
                let is_open = matches!(before, "B" | "I");
                let wants_more = matches!(after, "I" | "E" | "L");
                if is_open { wants_more && left == right } else { !wants_more }
            }
        }
    }
}

/// The letter of a tag, and its type.
fn split(tag: &str) -> (&str, &str) {
    tag.split_once('-').unwrap_or((tag, ""))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{spans, tag};
    use super::*;

    fn tags(scheme: TagScheme) -> Vec<String> {
        let letters = scheme.all_letters().iter();
        let of_kinds = letters.flat_map(|&letter| ["X", "Y"].map(|kind| tag(letter, kind)));
        std::iter::once("O".to_owned()).chain(of_kinds).collect()
    }

    proptest! {
        /// Sequences all of whose steps are allowed are those that the scheme writes itself.
        #[test]
        fn steps_are_those_of_sequences_that_the_scheme_writes(number in 0..4usize, picks in prop::collection::vec(0..100usize, 1..6)) {
            let scheme = TagScheme::ALL[number];
            let all = tags(scheme);
            let sequence: Vec<&str> = picks.iter().map(|&pick| &*all[pick % all.len()]).collect();
            let ends = std::iter::once(None).chain(sequence.iter().copied().map(Some));
            let next = sequence.iter().copied().map(Some).chain([None]);
            let is_allowed = ends.zip(next).all(|(from, to)| scheme.has_step(from, to));
            let chunks = spans(sequence.iter().copied().map(Some));
            let written = scheme.write(sequence.len(), &chunks);
            let again: Vec<String> = written.into_iter().map(|found| found.map_or("O".into(), |(letter, kind)| tag(letter, kind))).collect();
            prop_assert_eq!(is_allowed, again == sequence, "{}: {:?} is written {:?}", scheme, sequence, again);
        }
    }

    #[test]
    fn names_tell_the_scheme() {
        let of = |names: &[&str]| TagScheme::of_names(&names.iter().copied().collect());
        assert_eq!(of(&["O", "B-X", "I-X"]).unwrap(), TagScheme::Iob2);
        assert_eq!(of(&["O", "I-X", "I-Y", "B-Y"]).unwrap(), TagScheme::Iob1);
        assert_eq!(of(&["O", "B-X", "I-X", "E-X", "S-X"]).unwrap(), TagScheme::Bioes);
        assert_eq!(of(&["O", "B-X", "U-X"]).unwrap(), TagScheme::Bilou);
        for names in [&["O", "NOUN"][..], &["E-X", "U-X"], &["BX-Y"]] {
            assert!(of(names).is_err(), "{names:?}");
        }
    }
}
