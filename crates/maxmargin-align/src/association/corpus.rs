//! The text that associations are estimated from: words in lower case as numbers, and every pair of words that occurs.
//!
//! Expectation-maximisation visits each pair of words of each sentence pair in every pass, in two directions. A *cell* is
//! such a visit, and holds the number of its pair of words in the tables, so that a pass looks nothing up. Pairs are
//! numbered left word by left word: those of one left word lie together. A cell takes four bytes.

use crate::{ParallelText, Sentences};
use maxmargin::data::Alphabet;
use maxmargin::{Error, Result};

/// Sentences longer than this do not take part: their words have too many partners to tell anything.
pub(super) const LONGEST_USED: usize = 100;

/// One language.
#[derive(Debug, Default)]
pub(super) struct Side {
    pub words: Alphabet,
    pub tokens: Vec<u32>,
    pub starts: Vec<usize>,
    /// In how many sentences each word occurs.
    pub sentences: Vec<u32>,
}

impl Side {
    pub fn sentence(&self, number: usize) -> &[u32] {
        &self.tokens[self.starts[number]..self.starts[number + 1]]
    }

    fn count(&mut self) {
        let mut last = vec![u32::MAX; self.words.len()];
        self.sentences = vec![0; self.words.len()];
        for sentence in 0..self.starts.len() - 1 {
            for &word in &self.tokens[self.starts[sentence]..self.starts[sentence + 1]] {
                if std::mem::replace(&mut last[word as usize], sentence as u32) != sentence as u32 {
                    self.sentences[word as usize] += 1;
                }
            }
        }
    }
}

/// Sentence pairs with the numbers of all pairs of words in them.
#[derive(Debug, Default)]
pub(super) struct Corpus {
    pub left: Side,
    pub right: Side,
    /// The number of the pair of words (i, j) of sentence pair s is `cells[cell_starts[s] + i · right words + j]`.
    pub cells: Vec<u32>,
    pub cell_starts: Vec<usize>,
    pub pairs: Pairs,
}

/// The pairs of words that occur together.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Where the pairs of each left word start, and the end.
    pub starts: Vec<usize>,
    /// The right word of each pair.
    pub right: Vec<u32>,
    /// In how many sentence pairs both occur.
    pub sentences: Vec<u32>,
}

impl Corpus {
    /// Joins texts, leaving out sentences that are too long.
    pub fn new(texts: &[&ParallelText], letters: Option<usize>) -> Result<Self> {
        let mut corpus = Self::default();
        corpus.left.starts.push(0);
        corpus.right.starts.push(0);
        corpus.cell_starts.push(0);
        let mut cells = 0;
        for text in texts {
            let folded = [
                fold_all(&text.left, letters, &mut corpus.left),
                fold_all(&text.right, letters, &mut corpus.right),
            ];
            for pair in 0..text.len() {
                let sides = [text.left.sentence(pair), text.right.sentence(pair)];
                if sides.iter().any(|side| side.is_empty() || side.len() > LONGEST_USED) {
                    continue;
                }
                for ((to, tokens), folded) in
                    [&mut corpus.left, &mut corpus.right].into_iter().zip(sides).zip(&folded)
                {
                    to.tokens.extend(tokens.iter().map(|&word| folded[word as usize]));
                    to.starts.push(to.tokens.len());
                }
                cells += sides[0].len() * sides[1].len();
                corpus.cell_starts.push(cells);
            }
        }
        if corpus.len() == 0 {
            let problem =
                format!("no pair of sentences with at most {LONGEST_USED} words each to estimate from");
            return Err(Error::parameter("text", problem));
        }
        if corpus.len() >= u32::MAX as usize {
            return Err(Error::parameter("text", "too many sentences; take a part of them"));
        }
        corpus.left.count();
        corpus.right.count();
        corpus.number_pairs()?;
        Ok(corpus)
    }

    /// The number of sentence pairs.
    pub fn len(&self) -> usize {
        self.cell_starts.len() - 1
    }

    /// Numbers the pairs of one left word after the other, with a mark on each right word that it was seen with.
    fn number_pairs(&mut self) -> Result<()> {
        let occurrences = Occurrences::of(&self.left);
        let rights = self.right.words.len();
        let mut number_of = vec![0u32; rights];
        let mut seen_by = vec![u32::MAX; rights];
        let mut seen_in = vec![u32::MAX; rights];
        self.cells = vec![0; self.cell_starts[self.len()]];
        self.pairs.starts.push(0);
        for word in 0..self.left.words.len() as u32 {
            // A sentence is new to every word.
            let mut last_sentence = u32::MAX;
            for &(sentence, position) in occurrences.of_word(word) {
                let first_here = std::mem::replace(&mut last_sentence, sentence) != sentence;
                let right = self.right.sentence(sentence as usize);
                let start = self.cell_starts[sentence as usize] + position as usize * right.len();
                let cells = &mut self.cells[start..start + right.len()];
                for (cell, &partner) in cells.iter_mut().zip(right) {
                    let at = partner as usize;
                    if seen_by[at] != word {
                        seen_by[at] = word;
                        seen_in[at] = u32::MAX;
                        number_of[at] = self.pairs.right.len() as u32;
                        self.pairs.right.push(partner);
                        self.pairs.sentences.push(0);
                    }
                    if first_here && seen_in[at] != sentence {
                        seen_in[at] = sentence;
                        self.pairs.sentences[number_of[at] as usize] += 1;
                    }
                    *cell = number_of[at];
                }
            }
            if self.pairs.right.len() >= u32::MAX as usize - LONGEST_USED * LONGEST_USED {
                return Err(Error::parameter(
                    "text",
                    "too many different pairs of words; take a part of the text",
                ));
            }
            self.pairs.starts.push(self.pairs.right.len());
        }
        Ok(())
    }
}

/// A word as the tables know it: in lower case, and cut to its first letters where that is asked for. Numbers are not cut.
pub(super) fn fold(word: &str, letters: Option<usize>) -> String {
    let lower = word.to_lowercase();
    match letters {
        Some(letters) if lower.chars().any(char::is_alphabetic) => lower.chars().take(letters).collect(),
        _ => lower,
    }
}

/// The number of each word of a text, folded.
fn fold_all(text: &Sentences, letters: Option<usize>, to: &mut Side) -> Vec<u32> {
    text.words().iter().map(|word| to.words.add(&fold(word, letters))).collect()
}

/// Where each word stands: sentence and position.
struct Occurrences {
    starts: Vec<usize>,
    places: Vec<(u32, u32)>,
}

impl Occurrences {
    fn of(side: &Side) -> Self {
        let mut starts = vec![0; side.words.len() + 1];
        for &word in &side.tokens {
            starts[word as usize + 1] += 1;
        }
        for word in 1..starts.len() {
            starts[word] += starts[word - 1];
        }
        let mut next = starts.clone();
        let mut places = vec![(0, 0); side.tokens.len()];
        for sentence in 0..side.starts.len() - 1 {
            for (position, &word) in side.sentence(sentence).iter().enumerate() {
                places[next[word as usize]] = (sentence as u32, position as u32);
                next[word as usize] += 1;
            }
        }
        Self { starts, places }
    }

    fn of_word(&self, word: u32) -> &[(u32, u32)] {
        &self.places[self.starts[word as usize]..self.starts[word as usize + 1]]
    }
}
