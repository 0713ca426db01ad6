//! Short notes about topics, made up on the spot: data to try label sets on without a download.
//!
//! A note is a bag of words with a set of topics, as a library or a newspaper files what it prints. Topics go together: a
//! note about football is about sport too, and one about a recipe is never about an election. A note has few words, most of
//! them say little, and many belong to topics that have nothing to do with each other: a pitch may be about football or
//! about music, a bank about money or about a river. So a classifier of single topics often finds half of a set, or halves
//! of two. Which topics go together settles it, and that is what pairs of labels learn.
//!
//! The same seed gives the same notes on every machine, and more notes only go on where fewer ended.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::data::{Alphabet, Attributes, Vocabulary};
use crate::features::MatrixBuilder;
use crate::tasks::LabelSetExamples;

/// The topics and the words that go with each. A word that stands with several topics does not tell them apart.
const TOPICS: [(&str, &[&str]); 12] = [
    ("ballet", &["stage", "step", "dance", "pitch", "light", "company"]),
    ("concert", &["band", "pitch", "stage", "record", "hall", "play"]),
    ("culture", &["audience", "ticket", "play", "light", "season", "record"]),
    ("economy", &["bank", "interest", "growth", "season", "share", "company"]),
    ("election", &["vote", "party", "race", "run", "poll", "share"]),
    ("food", &["salt", "season", "roast", "light", "oven", "share"]),
    ("football", &["goal", "pitch", "season", "cross", "play", "bench"]),
    ("nature", &["bank", "river", "cross", "light", "growth", "fly"]),
    ("politics", &["bench", "party", "interest", "hall", "house", "cross"]),
    ("running", &["race", "run", "step", "record", "mile", "light"]),
    ("sport", &["coach", "race", "record", "ticket", "team", "run"]),
    ("travel", &["ticket", "coach", "fly", "cross", "mile", "party"]),
];

/// Words that say nothing about a topic.
const COMMON: [&str; 8] = ["day", "new", "people", "time", "town", "week", "word", "year"];

/// Which topics a note may have, and how often.
const SETS: [(&[&str], u32); 12] = [
    (&["football", "sport"], 4),
    (&["running", "sport"], 3),
    (&["nature", "running", "sport", "travel"], 2),
    (&["concert", "culture"], 4),
    (&["ballet", "culture"], 3),
    (&["election", "politics"], 4),
    (&["economy", "politics"], 3),
    (&["economy"], 2),
    (&["food"], 2),
    (&["food", "travel"], 2),
    (&["nature", "travel"], 3),
    (&[], 1),
];

/// The fewest and the most words of a note.
const LENGTHS: (u32, u32) = (5, 9);
/// How likely a word says nothing, or belongs to any topic whatever.
const NOISE: (f64, f64) = (0.25, 0.15);

/// Notes and their topics.
#[derive(Debug, Clone)]
pub struct TopicNotes {
    /// A row per note, with how often it has each word, and the set of its topics.
    pub data: LabelSetExamples,
    /// The topics and the words by name.
    pub vocabulary: Vocabulary,
}

/// `count` notes.
///
/// ```
/// use maxmargin::data::{TaskData, topic_notes};
/// let notes = topic_notes(100, 1);
/// assert_eq!((notes.data.rows().len(), notes.vocabulary.labels.len()), (100, 12));
/// let topics: Vec<&str> = notes.data.labels_of(0).iter().map(|&y| notes.vocabulary.labels.name(y)).collect();
/// println!("{} is about {}", notes.text(0), topics.join(" and "));
/// ```
pub fn topic_notes(count: usize, seed: u64) -> TopicNotes {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let labels: Alphabet = TOPICS.iter().map(|(topic, _)| *topic).collect();
    let words: Alphabet =
        COMMON.iter().copied().chain(TOPICS.iter().flat_map(|(_, words)| *words).copied()).collect();
    let total: u32 = SETS.iter().map(|(_, times)| times).sum();

    let mut features = MatrixBuilder::sparse();
    let (mut all, mut starts) = (Vec::new(), vec![0]);
    for _ in 0..count {
        let mut place = random.random_range(0..total);
        let mut set: &[&str] = &[];
        for (topics, times) in SETS {
            if place < times {
                set = topics;
                break;
            }
            place -= times;
        }
        let mut counts = vec![0u32; words.len()];
        for _ in 0..random.random_range(LENGTHS.0..=LENGTHS.1) {
            let word = word(set, &mut random);
            counts[words.get(word).map_or(0, |word| word as usize)] += 1;
        }
        let known = (0u32..).zip(counts).filter(|(_, count)| *count > 0);
        known.for_each(|(word, count)| features.push(word, f64::from(count)));
        features.end_row();
        all.extend(set.iter().filter_map(|topic| labels.get(topic)));
        starts.push(all.len());
    }
    let data = LabelSetExamples::new(features.finish(words.len()), starts, all);
    TopicNotes {
        data: data.expect("a set in ascending order for each note"),
        vocabulary: Vocabulary { labels, attributes: Attributes::Named(words) },
    }
}

/// A word of a note about these topics.
fn word(topics: &[&str], random: &mut Pcg64Mcg) -> &'static str {
    let (nothing, anything) = NOISE;
    let kind: f64 = random.random();
    if kind < nothing {
        return one_of(&COMMON, random);
    }
    let (_, words) = match topics {
        [] => *one_of_topics(&TOPICS, random),
        _ if kind < nothing + anything => *one_of_topics(&TOPICS, random),
        topics => {
            let topic = topics[random.random_range(0..topics.len() as u32) as usize];
            TOPICS.iter().find(|(name, _)| *name == topic).copied().unwrap_or(TOPICS[0])
        }
    };
    one_of(words, random)
}

fn one_of(words: &[&'static str], random: &mut Pcg64Mcg) -> &'static str {
    words[random.random_range(0..words.len() as u32) as usize]
}

type Topic = (&'static str, &'static [&'static str]);

fn one_of_topics<'a>(topics: &'a [Topic], random: &mut Pcg64Mcg) -> &'a Topic {
    &topics[random.random_range(0..topics.len() as u32) as usize]
}

impl TopicNotes {
    /// The words of a note, in alphabetical order of the vocabulary.
    pub fn text(&self, note: usize) -> String {
        let mut words = Vec::new();
        self.data.rows().features().row(note).for_each(|word, count| {
            if let Attributes::Named(names) = &self.vocabulary.attributes {
                words.extend(std::iter::repeat_n(names.name(word as u32), count as usize));
            }
        });
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::TaskData;

    #[test]
    fn notes_are_the_same_every_time_and_have_the_sets_that_are_listed() {
        let (some, more) = (topic_notes(50, 3), topic_notes(80, 3));
        assert_eq!(
            some.data.fingerprint(),
            more.data.subset(&(0..50).collect::<Vec<_>>()).unwrap().fingerprint()
        );
        assert_ne!(some.data.fingerprint(), topic_notes(50, 4).data.fingerprint());
        let labels = &more.vocabulary.labels;
        assert_eq!(labels.len(), TOPICS.len());
        for note in 0..80 {
            let set: Vec<&str> = more.data.labels_of(note).iter().map(|&y| labels.name(y)).collect();
            assert!(SETS.iter().any(|(topics, _)| *topics == set), "{set:?}");
            let length = more.text(note).split(' ').count() as u32;
            assert!((LENGTHS.0..=LENGTHS.1).contains(&length), "{:?}", more.text(note));
        }
    }

    #[test]
    fn topics_and_sets_are_spelt_alike_and_sorted() {
        assert!(TOPICS.is_sorted_by_key(|(topic, _)| *topic));
        for (topics, _) in SETS {
            assert!(topics.is_sorted());
            assert!(topics.iter().all(|topic| TOPICS.iter().any(|(name, _)| name == topic)), "{topics:?}");
        }
    }
}
