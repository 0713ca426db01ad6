//! Lists of phrases, and where a sentence has them.
//!
//! From the left, the longest phrase that begins at a token is taken, and the next may begin after it. Its tokens are marked `B`,
//! `I` and `E`, or `S` where it has only one.

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::super::alphabet::Alphabet;
use super::super::source::Source;
use super::letters::write_lower;
use crate::error::{Error, Result};
use crate::shown::excerpt;

/// A phrase has at most so many words.
const LONGEST_PHRASE: usize = 64;
/// The text of a list has at most so many bytes: it goes into the header of the model.
const LARGEST_LIST: usize = 32 << 20;

/// A list of phrases with a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gazetteer {
    /// The name by which templates know it.
    pub name: String,
    /// The phrases, with single spaces between words.
    pub phrases: Vec<String>,
}

impl Gazetteer {
    /// Reads a file with a phrase a line. Words have spaces between them, as the tokens of data are apart.
    pub fn read(name: &str, file: &Path) -> Result<Self> {
        if name.is_empty() || name.contains(['"', ']', ',']) {
            let problem = format!("`{}` is no name; it has no quotes, commas or brackets", excerpt(name));
            return Err(Error::parameter("gazetteer", problem));
        }
        let mut source = Source::open(file)?;
        let (mut phrases, mut bytes) = (Vec::new(), 0);
        while let Some(line) = source.next_line()? {
            let words: Vec<&str> = line.text()?.split_whitespace().take(LONGEST_PHRASE + 1).collect();
            if words.len() > LONGEST_PHRASE {
                return Err(line.error(1, format!("a phrase of more than {LONGEST_PHRASE} words")));
            }
            let phrase = words.join(" ");
            bytes += phrase.len();
            if bytes > LARGEST_LIST {
                return Err(line.error(1, format!("a list has at most {} MiB of text", LARGEST_LIST >> 20)));
            }
            if !phrase.is_empty() {
                phrases.push(phrase);
            }
        }
        match phrases.is_empty() {
            true => Err(source.error("the list has no phrases; it has one a line")),
            false => Ok(Self { name: name.to_owned(), phrases }),
        }
    }
}

/// The phrases of a list, word by word.
#[derive(Debug, Clone, Default)]
pub(super) struct PhraseTree {
    words: Alphabet,
    /// From a node and a word to the next node; 0 is the root.
    next: FxHashMap<(u32, u32), u32>,
    /// The nodes where a phrase ends.
    ends: FxHashSet<u32>,
    ignores_case: bool,
}

impl PhraseTree {
    pub(super) fn new(list: &Gazetteer, ignores_case: bool) -> Self {
        let mut tree = Self { ignores_case, ..Self::default() };
        let mut lower = String::new();
        for phrase in &list.phrases {
            let mut node = 0;
            for word in phrase.split_whitespace() {
                let word = lowered(word, ignores_case, &mut lower);
                let (word, new) = (tree.words.add(word), tree.next.len() as u32 + 1);
                node = *tree.next.entry((node, word)).or_insert(new);
            }
            if node > 0 {
                tree.ends.insert(node);
            }
        }
        tree
    }

    fn word(&self, word: &str, lower: &mut String) -> Option<u32> {
        self.words.get(lowered(word, self.ignores_case, lower))
    }

    /// Whether a word is in any of the phrases.
    pub(super) fn has(&self, word: &str) -> bool {
        self.word(word, &mut String::new()).is_some()
    }

    /// How each token is in a phrase, if it is.
    pub(super) fn marks<'a>(&self, tokens: impl Iterator<Item = &'a str>) -> Vec<Option<&'static str>> {
        let mut lower = String::new();
        let words: Vec<Option<u32>> = tokens.map(|token| self.word(token, &mut lower)).collect();
        let mut marks = vec![None; words.len()];
        let mut start = 0;
        while start < words.len() {
            match self.longest(&words[start..]) {
                0 => start += 1,
                1 => {
                    marks[start] = Some("S");
                    start += 1;
                }
                length => {
                    marks[start..start + length].fill(Some("I"));
                    marks[start] = Some("B");
                    marks[start + length - 1] = Some("E");
                    start += length;
                }
            }
        }
        marks
    }

    /// The length of the longest phrase in front.
    fn longest(&self, words: &[Option<u32>]) -> usize {
        let (mut node, mut longest) = (0, 0);
        for (length, word) in (1..).zip(words) {
            let Some(&next) = word.and_then(|word| self.next.get(&(node, word))) else { break };
            node = next;
            if self.ends.contains(&node) {
                longest = length;
            }
        }
        longest
    }
}

fn lowered<'a>(word: &'a str, ignores_case: bool, lower: &'a mut String) -> &'a str {
    if !ignores_case {
        return word;
    }
    lower.clear();
    write_lower(word, lower);
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_phrase_is_taken_from_the_left() {
        let phrases = ["New York", "York", "New York City Council", "San Jose"].map(str::to_owned).to_vec();
        let list = Gazetteer { name: "places".to_owned(), phrases };
        let marks = |tree: &PhraseTree, text: &str| -> String {
            tree.marks(text.split(' ')).into_iter().map(|mark| mark.unwrap_or(".")).collect()
        };
        let tree = PhraseTree::new(&list, false);
        assert_eq!(marks(&tree, "in New York City and York"), ".BE..S");
        assert_eq!(marks(&tree, "New York City Council San"), "BIIE.");
        assert_eq!(marks(&tree, "new york New New York"), "...BE");
        assert_eq!(marks(&PhraseTree::new(&list, true), "NEW york san JOSE"), "BEBE");
        assert!(tree.has("City") && !tree.has("city") && !tree.has("Town"));
    }
}
