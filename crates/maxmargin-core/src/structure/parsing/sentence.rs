//! A sentence as its features see it: a few numbers for each word, which stand for its text.

use std::sync::Arc;

/// What is known of a word, as hashes of its text: features are hashes of these numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Token {
    /// The word itself.
    pub word: u32,
    /// Its tag, the finest there is.
    pub tag: u32,
    /// A coarser tag.
    pub coarse: u32,
    /// What many words share, such as their last letters.
    pub ending: u32,
    /// Its morphology.
    pub form: u32,
}

impl Token {
    /// The same number for all that is known: for what is no word.
    const fn of(number: u32) -> Self {
        Self { word: number, tag: number, coarse: number, ending: number, form: number }
    }
}

/// What stands above all words, before the first one and behind the last one.
const ROOT: Token = Token::of(1);
const BEFORE: Token = Token::of(2);
const BEHIND: Token = Token::of(3);

/// The words of a sentence, numbered from 1. Copies share them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// The root, then the words.
    tokens: Arc<[Token]>,
}

impl Sentence {
    /// A sentence of these words.
    pub fn new(words: impl IntoIterator<Item = Token>) -> Self {
        Self { tokens: std::iter::once(ROOT).chain(words).collect() }
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.tokens.len() - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The words.
    pub fn words(&self) -> &[Token] {
        &self.tokens[1..]
    }

    /// What is at a place, 0 being the root.
    pub(super) fn token(&self, place: usize) -> &Token {
        &self.tokens[place]
    }

    /// What is so far from a place: behind it, or before it where the number is negative. The root stands alone.
    pub(super) fn near(&self, place: usize, offset: isize) -> &Token {
        let outside = if offset < 0 { &BEFORE } else { &BEHIND };
        let inside = place.checked_add_signed(offset).filter(|&at| place > 0 && at > 0);
        inside.and_then(|at| self.tokens.get(at)).unwrap_or(outside)
    }
}
