//! Names of words, tags and letters as numbers: rows of the tables of an encoder.

use std::collections::HashMap;
use std::sync::Arc;

use maxmargin::data::{Column, ConlluSentence};
use serde::{Deserialize, Serialize};

use crate::network::WordBatch;

/// The row of names that are not known.
pub const UNKNOWN: u32 = 0;
/// The row of the root, which stands before each sentence.
const ROOT: u32 = 1;
/// Rows before those of names.
pub(crate) const SPECIAL: usize = 2;

/// So many letters of a word are looked at: the first ones and the last ones.
const LONGEST: usize = 24;

/// A column of CoNLL-U that is looked at beside the word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TagColumn {
    /// The tag that all languages have.
    Upos,
    /// The tag of the language.
    Xpos,
    /// Morphology.
    Feats,
}

impl TagColumn {
    /// The column by its name.
    pub fn named(name: &str) -> Option<Self> {
        [("upos", Self::Upos), ("xpos", Self::Xpos), ("feats", Self::Feats)]
            .into_iter()
            .find_map(|(own, column)| (own == name).then_some(column))
    }

    fn column(self) -> Column {
        match self {
            Self::Upos => Column::Upos,
            Self::Xpos => Column::Xpos,
            Self::Feats => Column::Feats,
        }
    }
}

/// Names that are known, in the order of their rows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<String>", into = "Vec<String>")]
pub struct Names {
    names: Vec<String>,
    rows: HashMap<String, u32>,
}

impl From<Vec<String>> for Names {
    fn from(names: Vec<String>) -> Self {
        let rows = names.iter().cloned().zip(SPECIAL as u32..).collect();
        Self { names, rows }
    }
}

impl From<Names> for Vec<String> {
    fn from(names: Names) -> Self {
        names.names
    }
}

impl Names {
    /// Those that occur often enough, in the order of their first occurrence, and how often each row occurs.
    fn counted<'a>(all: impl Iterator<Item = &'a str>, least: u32) -> (Self, Vec<u32>) {
        let (mut order, mut counts) = (Vec::new(), HashMap::<&str, u32>::new());
        for name in all {
            let count = counts.entry(name).or_insert_with(|| {
                order.push(name);
                0
            });
            *count += 1;
        }
        order.retain(|name| counts[name] >= least);
        let of_rows = [0; SPECIAL].into_iter().chain(order.iter().map(|name| counts[name])).collect();
        (order.into_iter().map(str::to_owned).collect::<Vec<_>>().into(), of_rows)
    }

    /// How many rows a table of them has.
    pub fn rows(&self) -> usize {
        self.names.len() + SPECIAL
    }

    fn row(&self, name: &str) -> u32 {
        self.rows.get(name).copied().unwrap_or(UNKNOWN)
    }
}

/// All names that an encoder knows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lexicon {
    /// Words in small letters.
    pub words: Names,
    /// How often each row of words occurs in training.
    pub counts: Vec<u32>,
    /// The columns of tags, each with its names.
    pub tags: Vec<(TagColumn, Names)>,
    /// Letters.
    pub letters: Names,
    /// The words of a table that was given.
    pub given: Names,
}

/// A sentence in numbers: the root first.
#[derive(Debug, Clone, Default)]
pub struct EncodedSentence {
    columns: Vec<Vec<u32>>,
    given: Vec<u32>,
    /// The letters of each word.
    letters: Vec<Arc<[u32]>>,
}

impl Lexicon {
    /// The names of sentences, words that occur less often than `least` times left out.
    pub fn of(sentences: &[&ConlluSentence], columns: &[TagColumn], least: u32) -> Self {
        let forms = |fold: bool| {
            let of = move |text: &ConlluSentence| {
                (0..text.len()).map(|word| text.column(word, Column::Form).to_owned()).collect::<Vec<_>>()
            };
            let all = sentences.iter().flat_map(|text| of(text));
            all.map(|form| if fold { form.to_lowercase() } else { form }).collect::<Vec<String>>()
        };
        let (words, counts) = Names::counted(forms(true).iter().map(String::as_str), least);
        let tags = columns.iter().map(|&column| {
            let of =
                |text| (0..ConlluSentence::len(text)).map(move |word| text.column(word, column.column()));
            (column, Names::counted(sentences.iter().flat_map(|text| of(text)), 1).0)
        });
        let forms = forms(false);
        let letters =
            forms.iter().flat_map(|form| form.char_indices().map(|(at, c)| &form[at..at + c.len_utf8()]));
        let letters = Names::counted(letters, 2).0;
        Self { words, counts, tags: tags.collect(), letters, given: Names::default() }
    }

    /// The rows of each table: those of words, and of the columns of tags.
    pub fn columns(&self) -> Vec<usize> {
        [self.words.rows()].into_iter().chain(self.tags.iter().map(|(_, names)| names.rows())).collect()
    }

    /// A sentence in numbers.
    pub fn encode(&self, text: &ConlluSentence) -> EncodedSentence {
        let words = || (0..text.len()).map(|word| text.column(word, Column::Form));
        let rooted =
            |rows: &mut dyn Iterator<Item = u32>| [ROOT].into_iter().chain(rows).collect::<Vec<u32>>();
        let folded = |names: &Names| rooted(&mut words().map(|form| names.row(&form.to_lowercase())));
        let mut columns = vec![folded(&self.words)];
        for (column, names) in &self.tags {
            let rows = &mut (0..text.len()).map(|word| names.row(text.column(word, column.column())));
            columns.push(rooted(rows));
        }
        let letters = |form: &str| {
            let all: Vec<u32> = form.chars().map(|c| self.letters.row(c.encode_utf8(&mut [0; 4]))).collect();
            match all.len() {
                0 => Arc::from([UNKNOWN]),
                1..=LONGEST => Arc::from(all),
                length => [&all[..LONGEST / 2], &all[length - LONGEST / 2..]].concat().into(),
            }
        };
        let root: Arc<[u32]> = Arc::from([ROOT]);
        EncodedSentence {
            columns,
            given: folded(&self.given),
            letters: [root].into_iter().chain(words().map(letters)).collect(),
        }
    }
}

impl EncodedSentence {
    /// The number of rows, that of the root included.
    pub fn len(&self) -> usize {
        self.letters.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }
}

impl WordBatch {
    /// Some sentences.
    pub fn of<'a>(sentences: impl Iterator<Item = &'a EncodedSentence>) -> Self {
        let (mut batch, mut lengths, mut counts) = (WordBatch::default(), Vec::new(), Vec::new());
        let mut known: HashMap<&[u32], u32> = HashMap::new();
        for sentence in sentences {
            lengths.push(sentence.len());
            batch.columns.resize(sentence.columns.len(), Vec::new());
            batch.columns.iter_mut().zip(&sentence.columns).for_each(|(all, own)| all.extend_from_slice(own));
            batch.given.extend_from_slice(&sentence.given);
            for letters in &sentence.letters {
                let next = known.len() as u32;
                let number = *known.entry(letters).or_insert_with(|| {
                    counts.push(letters.len());
                    batch.letters.extend_from_slice(letters);
                    next
                });
                batch.spellings.push(number);
            }
        }
        (batch.lengths, batch.letter_counts) = (Arc::new(lengths), Arc::new(counts));
        batch
    }
}
