//! Sentences with their translations, made up on the spot: data to try matchings on without a download.
//!
//! Each sentence is some words of a small vocabulary, and its translation has a word for each of them, some left out, some
//! put in that translate nothing, and some in another place. What is known of two words is how often they stand in each
//! other's translations (noisily), how far their places are apart, and whether they begin alike. Some words occur twice in
//! a sentence, and some translations look alike, so that single pairs of words leave doubts. That a word has one
//! translation settles most of them, and that is what a matching knows.
//!
//! The same seed gives the same sentences on every machine, and more sentences only go on where fewer ended.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::data::{Attributes, EDGE_LABELS, ExampleRows, Vocabulary};
use crate::features::MatrixBuilder;
use crate::structure::Edge;
use crate::tasks::GraphExamples;

/// Words and their translations.
const WORDS: [(&str, &str); 24] = [
    ("the", "das"),
    ("the", "der"),
    ("house", "Haus"),
    ("garden", "Garten"),
    ("old", "alt"),
    ("green", "grün"),
    ("small", "klein"),
    ("man", "Mann"),
    ("woman", "Frau"),
    ("child", "Kind"),
    ("sees", "sieht"),
    ("builds", "baut"),
    ("has", "hat"),
    ("buys", "kauft"),
    ("and", "und"),
    ("in", "in"),
    ("behind", "hinter"),
    ("a", "ein"),
    ("a", "eine"),
    ("tree", "Baum"),
    ("bird", "Vogel"),
    ("bread", "Brot"),
    ("today", "heute"),
    ("often", "oft"),
];

/// The fewest and the most words of a sentence.
const LENGTHS: (usize, usize) = (4, 9);
/// How likely a word has no translation, and how likely a word is put in after it.
const LEFT_OUT: f64 = 0.12;
const PUT_IN: f64 = 0.12;
/// How much of the association of two words is noise.
const NOISE: f64 = 0.45;

/// What is known of two words.
const FEATURES: [&str; 5] = ["association", "distance", "same-place", "same-start", "both-frequent"];

/// Sentences, their translations, and which words belong together.
#[derive(Debug, Clone)]
pub struct SentencePairs {
    /// A graph per sentence, with all pairs of its words and those of the translation as edges.
    pub data: GraphExamples,
    /// The labels of edges, and what is known of two words by name.
    pub vocabulary: Vocabulary,
    /// The words of each sentence and of its translation.
    pub words: Vec<(Vec<&'static str>, Vec<&'static str>)>,
}

/// `count` sentences.
///
/// ```
/// use maxmargin::data::{TaskData, sentence_pairs};
/// let pairs = sentence_pairs(10, 1);
/// let (english, german) = &pairs.words[0];
/// println!("{} / {}", english.join(" "), german.join(" "));
/// assert_eq!(pairs.data.labels_of(0).len(), english.len() * german.len());
/// ```
pub fn sentence_pairs(count: usize, seed: u64) -> SentencePairs {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut features = MatrixBuilder::dense(FEATURES.len());
    let (mut labels, mut edges, mut starts, mut words) = (Vec::new(), Vec::new(), vec![0], Vec::new());
    for _ in 0..count {
        let Sentence { left, right, links } = Sentence::new(&mut random);
        for (l, &english) in left.iter().enumerate() {
            for (r, &german) in right.iter().enumerate() {
                edges.push(Edge { left: l as u32, right: r as u32 });
                labels.push(u32::from(links.contains(&(l, r))));
                for value in
                    describe(english, german, place(l, left.len()) - place(r, right.len()), &mut random)
                {
                    features.push(0, value);
                }
                features.end_row();
            }
        }
        starts.push(edges.len());
        words.push((left, right));
    }
    let rows = ExampleRows::grouped(features.finish(FEATURES.len()), starts);
    let data = rows.and_then(|rows| GraphExamples::new(rows, edges, labels));
    SentencePairs {
        data: data.expect("an edge and a label for each pair of words"),
        vocabulary: Vocabulary {
            labels: EDGE_LABELS.into_iter().collect(),
            attributes: Attributes::Named(FEATURES.into_iter().collect()),
        },
        words,
    }
}

/// One sentence with its translation.
struct Sentence {
    left: Vec<&'static str>,
    right: Vec<&'static str>,
    links: Vec<(usize, usize)>,
}

impl Sentence {
    fn new(random: &mut Pcg64Mcg) -> Self {
        let length = random.random_range(LENGTHS.0..=LENGTHS.1);
        let (mut left, mut translated) = (Vec::new(), Vec::new());
        for place in 0..length {
            let (english, german) = WORDS[random.random_range(0..WORDS.len())];
            left.push(english);
            if !random.random_bool(LEFT_OUT) {
                translated.push((Some(place), german));
            }
            if random.random_bool(PUT_IN) {
                translated.push((None, WORDS[random.random_range(0..WORDS.len())].1));
            }
        }
        // Some words change places with those around them.
        let middle = translated.len() / 2;
        if middle > 0 && random.random_bool(0.5) {
            let start = random.random_range(0..=translated.len() - middle);
            translated[start..start + middle].shuffle(random);
        }
        if translated.is_empty() {
            translated.push((None, WORDS[random.random_range(0..WORDS.len())].1));
        }
        let links = (0..).zip(&translated).filter_map(|(r, (l, _))| l.map(|l| (l, r))).collect();
        Self { left, right: translated.into_iter().map(|(_, word)| word).collect(), links }
    }
}

fn place(word: usize, length: usize) -> f64 {
    (word as f64 + 0.5) / length as f64
}

/// What is known of two words, so far apart.
fn describe(english: &str, german: &str, distance: f64, random: &mut Pcg64Mcg) -> [f64; FEATURES.len()] {
    let is_translation = WORDS.contains(&(english, german));
    let noise = random.random_range(0.0..1.0);
    let association = (1.0 - NOISE) * f64::from(u8::from(is_translation)) + NOISE * noise;
    let is_frequent = |word: &str| ["the", "a", "das", "der", "ein", "eine", "and", "und"].contains(&word);
    let first = |word: &str| word.chars().next().map(|letter| letter.to_ascii_lowercase());
    let flag = |is_so: bool| f64::from(u8::from(is_so));
    [
        association,
        distance.abs(),
        flag(distance.abs() < 0.1),
        flag(first(english) == first(german)),
        flag(is_frequent(english) && is_frequent(german)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::TaskData;
    use crate::structure::{Links, MatchingOptions, MatchingStructure};

    #[test]
    fn the_same_seed_gives_the_same_sentences_and_no_word_has_two_translations() {
        let (some, more) = (sentence_pairs(50, 3), sentence_pairs(80, 3));
        assert_eq!(some.words, more.words[..50]);
        let first = more.data.subset(&(0..50).collect::<Vec<_>>()).unwrap();
        assert_eq!(some.data.fingerprint(), first.fingerprint());
        assert_ne!(some.words, sentence_pairs(50, 4).words);
        let task = MatchingStructure::new(FEATURES.len(), MatchingOptions::default()).unwrap();
        for i in 0..more.data.len() {
            let graph = more.data.graph(i);
            assert!(graph.is_complete());
            task.check_truth(&graph, &Links::of_labels(more.data.labels_of(i))).unwrap();
        }
    }
}
