//! Schemes against chunks drawn at random, and against each other.

use proptest::prelude::*;

use super::*;
use crate::data::alphabet::Alphabet;

/// A sequence of chunks of two types and tokens outside, as lengths.
fn chunks() -> impl Strategy<Value = Vec<(usize, Option<&'static str>)>> {
    prop::collection::vec((1usize..5, prop::option::of(prop::sample::select(vec!["A", "B-C", ""]))), 0..8)
}

/// The tags of chunks, written by the definition of each scheme alone.
fn write(chunks: &[(usize, Option<&str>)], scheme: TagScheme) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    let mut before = None;
    for &(length, kind) in chunks {
        for k in 0..length {
            let Some(kind) = kind else {
                tags.push("O".into());
                continue;
            };
            let letter = match (scheme, k == 0, k + 1 == length) {
                (TagScheme::Iob1, true, _) if before == Some(kind) => 'B',
                (TagScheme::Iob1, ..) => 'I',
                (TagScheme::Iob2, true, _) => 'B',
                (TagScheme::Iob2, ..) => 'I',
                (TagScheme::Bioes, true, true) => 'S',
                (TagScheme::Bilou, true, true) => 'U',
                (_, true, false) => 'B',
                (_, false, false) => 'I',
                (TagScheme::Bioes, false, true) => 'E',
                (TagScheme::Bilou, false, true) => 'L',
            };
            tags.push(tag(letter, kind));
        }
        before = kind;
    }
    tags
}

fn spans_of(tags: &[String]) -> Vec<(usize, usize, Option<&str>)> {
    spans(tags.iter().map(|tag| Some(tag.as_str())))
        .iter()
        .map(|span| (span.start, span.end, span.kind))
        .collect()
}

proptest! {
    #[test]
    fn all_schemes_say_the_same_and_none_is_lost(chunks in chunks()) {
        let mut expected = Vec::new();
        let mut start = 0;
        for &(length, kind) in &chunks {
            if kind.is_some() {
                expected.push((start, start + length, kind));
            }
            start += length;
        }
        for from in TagScheme::ALL {
            let tags = write(&chunks, from);
            prop_assert_eq!(spans_of(&tags), &expected[..], "{}", from);
            let names: Vec<&str> = tags.iter().map(String::as_str).collect();
            for to in TagScheme::ALL {
                let there = TagConversion { files: to, model: from }.back(&names);
                prop_assert_eq!(&there, &write(&chunks, to), "{} to {}", from, to);
            }
            if !expected.is_empty() {
                let found = RecognisedScheme::of([names.into_iter()].into_iter()).unwrap();
                prop_assert_eq!(found.malformed, 0);
                prop_assert!(found.scheme == from || found.is_ambiguous);
            }
        }
    }

    #[test]
    fn what_is_malformed_has_the_same_chunks_in_every_scheme(
        tags in prop::collection::vec(prop::sample::select(vec!["O", "B-A", "I-A", "E-A", "S-A", "I-B", "L-B", "U"]), 0..12),
    ) {
        let before: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
        for to in TagScheme::ALL {
            let after = TagConversion { files: to, model: TagScheme::Iob1 }.back(&tags);
            prop_assert_eq!(spans_of(&before), spans_of(&after));
        }
    }

    #[test]
    fn labels_are_rewritten_as_tags_are(sequences in prop::collection::vec(chunks(), 1..4)) {
        let conversion = TagConversion { files: TagScheme::Iob1, model: TagScheme::Bioes };
        let (mut from, mut to) = (Alphabet::default(), Alphabet::default());
        let read: Vec<Vec<u32>> = sequences.iter()
            .map(|chunks| write(chunks, TagScheme::Iob1).iter().map(|tag| from.add(tag)).collect())
            .collect();
        let labels = conversion.convert(read.iter().map(Vec::as_slice), &from, &mut to, true);
        let names: Vec<String> = labels.iter().map(|&label| to.name(label).to_owned()).collect();
        let expected: Vec<String> = sequences.iter().flat_map(|chunks| write(chunks, TagScheme::Bioes)).collect();
        prop_assert_eq!(names, expected);
        // With the names of a model only.
        let tags = conversion.tags_of_files(&to);
        prop_assert!(from.iter().all(|name| tags.get(name).is_some() || name == "O"));
    }
}

#[test]
fn schemes_are_told_apart() {
    let of = |text: &str| {
        let sequences = text.split('|').map(|sequence| sequence.split(' '));
        RecognisedScheme::of(sequences).unwrap()
    };
    for (text, scheme, is_ambiguous, malformed) in [
        ("O I-A I-A B-A O", TagScheme::Iob1, false, 0),
        ("I-A O", TagScheme::Iob1, false, 0),
        ("B-A O|B-B", TagScheme::Iob2, false, 0),
        ("O S-A B-A E-A", TagScheme::Bioes, false, 0),
        ("O U-A B-A L-A", TagScheme::Bilou, false, 0),
        ("B-A I-A E-A", TagScheme::Bioes, false, 0),
        ("B-A I-A|B-A|B-A I-A I-A|O I-B", TagScheme::Iob2, false, 1),
    ] {
        assert_eq!(of(text), RecognisedScheme { scheme, is_ambiguous, malformed }, "{text}");
    }
    // An end that is missing, and one too many.
    let mixed = of("B-A I-A|B-A E-A");
    assert!(mixed.malformed > 0 && mixed.note().unwrap().contains("conlleval"), "{mixed:?}");
    let refused = RecognisedScheme::of(["NOUN VERB".split(' ')].into_iter()).unwrap_err().to_string();
    assert!(refused.contains("`NOUN` is no tag"), "{refused}");
    assert!(RecognisedScheme::of(["O O".split(' ')].into_iter()).is_err());
    assert_eq!("bioes".parse::<TagScheme>().unwrap(), TagScheme::Bioes);
    assert!("iob".parse::<TagScheme>().unwrap_err().to_string().contains("iob1, iob2"));
}
