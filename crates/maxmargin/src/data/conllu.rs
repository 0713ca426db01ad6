//! CoNLL-U, the format of Universal Dependencies: a line of ten columns for each word, and a blank line after each sentence.
//!
//! The columns are ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS and MISC, with tabs between. Lines of comments (`#`), of tokens of several words
//! (`3-4`) and of empty nodes (`8.1`) are kept as they are. HEAD is `_` in all lines of a sentence whose tree is not known.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::number::whole;
use super::source::{Line, Source};
use crate::error::{Error, Place, Result};
use crate::inference::Roots;
use crate::shown::excerpt;
use crate::structure::{DependencyTree, TreeFault};

/// The columns of a line.
const COLUMNS: usize = 10;

/// The most words of a sentence: tables of arcs grow with the square of it. The longest sentences of treebanks have some four hundred.
pub const MOST_WORDS: usize = 1000;

/// A column of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The word.
    Form = 1,
    /// Its tag, as all languages have it.
    Upos = 3,
    /// Its tag, as its language has it.
    Xpos = 4,
    /// Its morphology.
    Feats = 5,
    /// The number of its head.
    Head = 6,
    /// Its relation to the head.
    Deprel = 7,
}

/// A sentence as a file has it.
#[derive(Debug, Clone)]
pub struct ConlluSentence {
    text: Arc<str>,
    /// Where the lines of words are in the text.
    words: Vec<Range<u32>>,
    heads: Option<Vec<u32>>,
}

impl ConlluSentence {
    /// The number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// All its lines, without the blank one.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The heads of its words, where they are known: they are those of a tree.
    pub fn heads(&self) -> Option<&[u32]> {
        self.heads.as_deref()
    }

    /// A column of a word, counted from 0.
    pub fn column(&self, word: usize, column: Column) -> &str {
        let Range { start, end } = self.words[word];
        self.text[start as usize..end as usize].split('\t').nth(column as usize).unwrap_or("_")
    }

    /// The same text with other heads and relations. Words that have none keep what they have.
    pub fn with_tree<'a>(&self, arcs: impl IntoIterator<Item = (u32, &'a str)>) -> String {
        let (mut text, mut written) = (String::with_capacity(self.text.len() + 16), 0);
        for (line, (head, relation)) in self.words.iter().zip(arcs) {
            let (start, end) = (line.start as usize, line.end as usize);
            text.push_str(&self.text[written..start]);
            for (place, column) in self.text[start..end].split('\t').enumerate() {
                if place > 0 {
                    text.push('\t');
                }
                match place {
                    6 => text.push_str(&head.to_string()),
                    7 => text.push_str(relation),
                    _ => text.push_str(column),
                }
            }
            written = end;
        }
        text.push_str(&self.text[written..]);
        text
    }
}

/// A sentence in the making.
#[derive(Default)]
struct Builder {
    text: String,
    words: Vec<Range<u32>>,
    heads: Vec<Option<u32>>,
    /// The number of each word's line.
    lines: Vec<usize>,
}

/// Reads the sentences of files. With `roots` a sentence in which more words are below the root is refused.
///
/// ```
/// use maxmargin::data::{Column, read_conllu};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("two.conllu");
/// std::fs::write(&path, "# text = Cats sleep\n1\tCats\tcat\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\tVBP\t_\t0\troot\t_\t_\n\n")?;
/// let sentences = read_conllu(&[path], None)?;
/// assert_eq!(sentences[0].heads(), Some(&[2, 0][..]));
/// assert_eq!(sentences[0].column(0, Column::Deprel), "nsubj");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_conllu(paths: &[PathBuf], roots: Option<Roots>) -> Result<Vec<ConlluSentence>> {
    let mut sentences = Vec::new();
    for path in paths {
        read_source(&mut Source::open(path)?, roots, &mut sentences)?;
    }
    Ok(sentences)
}

/// The sentences of a text.
pub(crate) fn parse_conllu(name: &str, text: &str) -> Result<Vec<ConlluSentence>> {
    let mut sentences = Vec::new();
    let mut source = Source::from_reader(name, std::io::Cursor::new(text.to_owned()))?;
    read_source(&mut source, None, &mut sentences)?;
    Ok(sentences)
}

/// Reads one source.
fn read_source(source: &mut Source, roots: Option<Roots>, sentences: &mut Vec<ConlluSentence>) -> Result<()> {
    let mut builder = Builder::default();
    let path = source.path().to_owned();
    while let Some(line) = source.next_line()? {
        match line.bytes.trim_ascii().is_empty() {
            true => builder.finish(&path, roots, sentences)?,
            false => builder.add(&line)?,
        }
    }
    builder.finish(&path, roots, sentences)
}

impl Builder {
    fn add(&mut self, line: &Line<'_>) -> Result<()> {
        let text = line.text()?;
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let start = self.text.len();
        self.text.push_str(text);
        let Ok(end) = u32::try_from(self.text.len()) else {
            return Err(line.error(1, "the sentence is too long; a blank line ends a sentence"));
        };
        if text.starts_with('#') {
            return Ok(());
        }
        // One more than there should be is enough to tell.
        let columns: Vec<&str> = text.split('\t').take(COLUMNS + 1).collect();
        let &[id, _, _, _, _, _, head, _, _, _] = &columns[..] else {
            let found = match columns.len() {
                columns if columns > COLUMNS => format!("more than {COLUMNS}"),
                columns => columns.to_string(),
            };
            let problem = format!(
                "{found} columns; a line of CoNLL-U has {COLUMNS} with tabs between: ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC"
            );
            return Err(line.error(1, problem));
        };
        if is_span(id, '-') || is_span(id, '.') {
            return Ok(());
        }
        let number = self.words.len() + 1;
        if whole(id.as_bytes()) != Some(number as u64) {
            let problem = format!(
                "`{}` where word {number} of the sentence should be; words count from 1 without gaps, and a blank line ends a sentence",
                excerpt(id)
            );
            return Err(line.error(1, problem));
        }
        if number > MOST_WORDS {
            let problem =
                format!("more than {MOST_WORDS} words in one sentence; a blank line ends a sentence");
            return Err(line.error(1, problem));
        }
        self.heads.push(self.head(line, head, columns[..6].iter().map(|column| column.len() + 1).sum())?);
        self.words.push(start as u32..end);
        self.lines.push(line.number);
        Ok(())
    }

    /// A head, or `_`, as the words before it have one or not.
    fn head(&self, line: &Line<'_>, head: &str, offset: usize) -> Result<Option<u32>> {
        let number = match head {
            "_" => None,
            _ => match whole(head.as_bytes()).and_then(|number| u32::try_from(number).ok()) {
                Some(number) => Some(number),
                None => {
                    let problem = format!(
                        "`{}` is no head; expected the number of a word, 0 for the root, or _ where no head is known",
                        excerpt(head)
                    );
                    return Err(line.error(offset + 1, problem));
                }
            },
        };
        match self.heads.first().is_none_or(|first| first.is_some() == number.is_some()) {
            true => Ok(number),
            false => {
                let problem =
                    "some words of the sentence have a head and some have _; give all of them one, or none";
                Err(line.error(offset + 1, problem))
            }
        }
    }

    fn finish(
        &mut self,
        path: &Path,
        roots: Option<Roots>,
        sentences: &mut Vec<ConlluSentence>,
    ) -> Result<()> {
        let Self { text, words, heads, lines } = std::mem::take(self);
        // Comments alone are no sentence.
        if words.is_empty() {
            return Ok(());
        }
        let heads: Option<Vec<u32>> = heads.into_iter().collect();
        if let Some(heads) = &heads
            && let Some(fault) = DependencyTree::fault(heads, roots.unwrap_or(Roots::Any))
        {
            return Err(explain(fault, path, &lines, heads));
        }
        sentences.push(ConlluSentence { text: text.into(), words, heads });
        Ok(())
    }
}

/// Whether an ID is that of several words, or of an empty node.
fn is_span(id: &str, between: char) -> bool {
    let is_whole = |part: &str| whole(part.as_bytes()).is_some();
    id.split_once(between).is_some_and(|(first, second)| is_whole(first) && is_whole(second))
}

fn explain(fault: TreeFault, path: &Path, lines: &[usize], heads: &[u32]) -> Error {
    let (word, problem) = match fault {
        TreeFault::OutOfRange(word) => (
            word,
            format!("the head {} is no word of the sentence, which has {}", heads[word - 1], heads.len()),
        ),
        TreeFault::Cycle(word) => {
            (word, format!("word {word} is above itself: its heads lead back to it and not to the root"))
        }
        TreeFault::SecondRoot(word) => (
            word,
            format!(
                "word {word} has the root for a head, and so has one before it; set the option roots to any where sentences have several"
            ),
        ),
    };
    Error::data(Place::new(path, lines[word - 1], 0), problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENTENCE: &str = "# sent_id = 1\n1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n1\tdo\tdo\tAUX\tVB\t_\t3\taux\t_\t_\n2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\tX=1\n3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n3.1\tgone\t_\t_\t_\t_\t_\t_\t1:x\t_";

    fn read(text: &str, roots: Option<Roots>) -> Result<Vec<ConlluSentence>> {
        let mut source = Source::from_reader("words.conllu", std::io::Cursor::new(text.to_owned()))?;
        let mut sentences = Vec::new();
        read_source(&mut source, roots, &mut sentences)?;
        Ok(sentences)
    }

    #[test]
    fn all_that_is_no_arc_is_kept() -> Result<()> {
        let sentences = read(&format!("{SENTENCE}\n\n\n# only a comment\n\n{SENTENCE}"), Some(Roots::One))?;
        assert_eq!(sentences.len(), 2);
        for sentence in &sentences {
            assert_eq!((sentence.len(), sentence.heads()), (3, Some(&[3, 3, 0][..])));
            assert_eq!(sentence.column(1, Column::Form), "n't");
            let same: Vec<(u32, String)> = (0..3)
                .map(|word| {
                    (sentence.heads().unwrap()[word], sentence.column(word, Column::Deprel).to_owned())
                })
                .collect();
            let same = same.iter().map(|(head, relation)| (*head, relation.as_str()));
            assert_eq!(sentence.with_tree(same), SENTENCE);
            let other = sentence.with_tree([(2, "a"), (0, "b"), (2, "c")]);
            assert_eq!(
                other,
                SENTENCE.replace("3\taux", "2\ta").replace("3\tadvmod", "0\tb").replace("0\troot", "2\tc")
            );
        }
        Ok(())
    }

    #[test]
    fn faults_name_their_line() {
        let cases = [
            (SENTENCE.replace("0\troot", "1\troot"), ":3: word 1 is above itself"),
            (SENTENCE.replace("3\taux", "0\taux"), ":5: word 3 has the root for a head"),
            (SENTENCE.replace("3\taux", "4\taux"), ":3: the head 4 is no word of the sentence, which has 3"),
            (SENTENCE.replace("3\taux", "-1\taux"), ":3:18: `-1` is no head"),
            (SENTENCE.replace("3\taux", "_\taux"), ":4:21: some words of the sentence have a head"),
            (SENTENCE.replace("\tX=1", ""), ":4:1: 9 columns"),
            (SENTENCE.replace("\tX=1", "\tX=1\t\t"), ":4:1: more than 10 columns"),
            (SENTENCE.replace("\n3\tgo", "\n4\tgo"), ":5:1: `4` where word 3"),
        ];
        for (text, expected) in cases {
            let error = read(&text, Some(Roots::One)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error} does not say {expected}");
        }
        assert!(read(&SENTENCE.replace("3\taux", "0\taux"), Some(Roots::Any)).is_ok());
        let line = |word: usize| format!("{word}\tx\t_\t_\t_\t_\t0\troot\t_\t_\n");
        let long: String = (1..=MOST_WORDS + 1).map(line).collect();
        assert!(read(&long, None).unwrap_err().to_string().contains("more than 1000 words"));
    }

    #[test]
    fn sentences_without_trees_are_read() -> Result<()> {
        let text = SENTENCE.replace("3\taux", "_\t_").replace("3\tadvmod", "_\t_").replace("0\troot", "_\t_");
        assert_eq!(read(&text, None)?[0].heads(), None);
        Ok(())
    }
}
