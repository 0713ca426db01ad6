//! Parallel text: sentence n on the left translates sentence n on the right.
//!
//! Two formats, told by the first line. Both hold one tokenised sentence a line, with spaces between the words, packed with
//! gzip or not:
//!
//! - plain text: line n of one file translates line n of the other. Sentences are numbered from 1;
//! - the format of the shared tasks of WPT 2003 and 2005: `<s snum=0001> words … </s>`, where both files have the same
//!   numbers in the same order.
//!
//! A sentence without words is refused, on either side: nothing can be linked to it, and mostly it says that the files
//! have got out of step.

use std::path::Path;

use rustc_hash::FxHashMap;

use maxmargin::data::Alphabet;
use maxmargin::data::number::whole;
use maxmargin::data::{Line, Source};
use maxmargin::shown::{escaped_path, excerpt};
use maxmargin::{Error, Place, Result};

/// Sentences as numbers of words.
#[derive(Debug, Clone)]
pub struct Sentences {
    words: Alphabet,
    tokens: Vec<u32>,
    starts: Vec<usize>,
}

impl Default for Sentences {
    fn default() -> Self {
        Self { words: Alphabet::default(), tokens: Vec::new(), starts: vec![0] }
    }
}

impl Sentences {
    /// The number of sentences.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no sentence.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The words that occur, by their numbers.
    pub fn words(&self) -> &Alphabet {
        &self.words
    }

    /// The words of all sentences, as numbers.
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// The words of a sentence, as numbers. Panics when there is no such sentence.
    pub fn sentence(&self, number: usize) -> &[u32] {
        &self.tokens[self.starts[number]..self.starts[number + 1]]
    }

    /// The words of a sentence. Panics when there is no such sentence.
    pub fn text(&self, number: usize) -> Vec<&str> {
        self.sentence(number).iter().map(|&word| self.words.name(word)).collect()
    }

    /// Adds a sentence.
    pub fn push<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) {
        for word in words {
            self.tokens.push(self.words.add(word));
        }
        self.starts.push(self.tokens.len());
    }
}

/// Two texts, sentence by sentence a translation of each other.
///
/// ```
/// use maxmargin_align::ParallelText;
/// let text = ParallelText::from_pairs([("the house", "la maison"), ("a flower", "une fleur")]);
/// assert_eq!(text.len(), 2);
/// assert_eq!(text.right.text(1), ["une", "fleur"]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct ParallelText {
    /// The sentences on the left: English, when links are written English word first.
    pub left: Sentences,
    /// The sentences on the right.
    pub right: Sentences,
    /// The number by which files of links know each sentence.
    numbers: Vec<u64>,
}

impl ParallelText {
    /// Reads two files. See the module's page for their formats.
    pub fn read(left: &Path, right: &Path) -> Result<Self> {
        Self::read_on(Source::open(left)?, right)
    }

    /// The same from a left file that was opened to see its format: a pipe could not be opened again.
    pub(super) fn read_on(left_source: Source, right: &Path) -> Result<Self> {
        let left = &left_source.path().to_owned();
        let (left_text, left_numbers) = read_side(left_source)?;
        let (right_text, right_numbers) = read_side(Source::open(right)?)?;
        if left_text.len() != right_text.len() {
            let problem = format!(
                "{} sentences, but {} has {}; line n of one must translate line n of the other",
                right_text.len(),
                escaped_path(left),
                left_text.len(),
            );
            return Err(Error::data(Place::new(right, 0, 0), problem));
        }
        if left_text.is_empty() {
            return Err(Error::data(Place::new(left, 0, 0), "the file is empty; expected a sentence a line"));
        }
        let differs = left_numbers.iter().zip(&right_numbers).position(|(left, right)| left != right);
        if let Some(at) = differs {
            let problem = format!(
                "sentence {}, but sentence {} on this line of {}; both files must have the same sentences in the \
                 same order",
                right_numbers[at],
                left_numbers[at],
                escaped_path(left)
            );
            return Err(Error::data(Place::new(right, at + 1, 1), problem));
        }
        Ok(Self { left: left_text, right: right_text, numbers: left_numbers })
    }

    /// Text from memory: pairs of sentences, with spaces between their words.
    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut text = Self::default();
        for (left, right) in pairs {
            text.push(left.split_whitespace(), right.split_whitespace());
        }
        text
    }

    /// Adds a pair of sentences, with the next number.
    pub fn push<'a>(
        &mut self,
        left: impl IntoIterator<Item = &'a str>,
        right: impl IntoIterator<Item = &'a str>,
    ) {
        self.left.push(left);
        self.right.push(right);
        self.numbers.push(self.numbers.last().map_or(1, |last| last.saturating_add(1)));
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.left.len()
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// The numbers of words of a pair, left and right.
    pub fn sizes(&self, pair: usize) -> (usize, usize) {
        (self.left.sentence(pair).len(), self.right.sentence(pair).len())
    }

    /// The number by which files of links know a pair: its line, or what the files say.
    pub fn number(&self, pair: usize) -> u64 {
        self.numbers[pair]
    }

    /// The pairs by their numbers.
    pub(super) fn by_number(&self) -> FxHashMap<u64, usize> {
        self.numbers.iter().enumerate().map(|(pair, &number)| (number, pair)).collect()
    }
}

/// The sentences of a file, and their numbers.
fn read_side(mut source: Source) -> Result<(Sentences, Vec<u64>)> {
    let marked = source.peek()?.trim_ascii_start().starts_with(b"<s ");
    let mut sentences = Sentences::default();
    let mut numbers = Vec::new();
    let mut lines: FxHashMap<u64, usize> = FxHashMap::default();
    while let Some(line) = source.next_line()? {
        let (number, text) = match marked {
            true => unwrap_sentence(&line)?,
            false => (line.number as u64, line.text()?),
        };
        if marked && let Some(before) = lines.insert(number, line.number) {
            let problem = format!("sentence {number} is on line {before} already; give each its own number");
            return Err(line.error(1, problem));
        }
        sentences.push(text.split_ascii_whitespace());
        if sentences.sentence(sentences.len() - 1).is_empty() {
            let problem = "a sentence without words; remove this line from both files, or put its words back";
            return Err(line.error(1, problem));
        }
        numbers.push(number);
    }
    Ok((sentences, numbers))
}

/// The number and the words of `<s snum=0001> words … </s>`.
fn unwrap_sentence<'a>(line: &Line<'a>) -> Result<(u64, &'a str)> {
    let text = line.text()?;
    let bad = |column: usize, what: &str| {
        line.error(column, format!("{what}; expected `<s snum=0001> words … </s>`, as on the first line"))
    };
    let body = text.trim_ascii_start();
    let start = text.len() - body.len();
    let Some(after) = body.strip_prefix("<s ") else { return Err(bad(start + 1, "no `<s snum=…>` here")) };
    let Some((mark, after)) = after.split_once('>') else {
        return Err(bad(start + 1, "`<s` without its `>`"));
    };
    let number = mark.trim().strip_prefix("snum=").map(|number| number.trim_matches('"'));
    let Some(number) = number.and_then(|number| whole(number.as_bytes())) else {
        return Err(bad(start + 4, &format!("`{}` is no number of a sentence", excerpt(mark.trim()))));
    };
    match after.trim_ascii_end().strip_suffix("</s>") {
        Some(words) => Ok((number, words)),
        None => Err(bad(text.trim_ascii_end().len().max(1), "no `</s>` at the end")),
    }
}
