//! Links between the words of sentence pairs, in two formats told by their content, and a writer for one of them.
//!
//! **WPT** (shared tasks of 2003 and 2005): a link a line, `sentence left right S` or `… P`. Sentences have the numbers of
//! the text's file, positions count from 1, S is a sure link and P a possible one; without a letter it is sure. Position 0
//! is the empty word NULL: such links say that a word has no partner, which no link says too, and they are ignored.
//! Sentences that are not mentioned have no links.
//!
//! **Pharaoh**: a sentence pair a line, `0-0 1-2 3p4`. Positions count from 0, `-` makes a sure link and `p` a possible one.
//! A line may be empty.
//!
//! The same link twice is read as once. A link that is both sure and possible is an error: the file does not know what it
//! means.

use std::collections::hash_map::Entry;
use std::io::Write;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::ParallelText;
use maxmargin::OutputFile;
use maxmargin::data::number::{leading_whole, whole};
use maxmargin::data::{Line, Source};
use maxmargin::shown::excerpt;
use maxmargin::structure::Edge;
use maxmargin::{Error, Result};

/// The links of a sentence pair.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SentenceLinks {
    /// Links that must be found, in ascending order.
    pub sure: Vec<Edge>,
    /// Links that may be found or left, in ascending order; none of them is sure.
    pub possible: Vec<Edge>,
}

impl SentenceLinks {
    /// Links that are all sure, in any order.
    pub fn sure(mut links: Vec<Edge>) -> Self {
        links.sort_unstable();
        links.dedup();
        Self { sure: links, possible: Vec::new() }
    }

    /// Whether these two words are linked, surely or possibly.
    pub fn contains(&self, link: Edge) -> bool {
        self.sure.binary_search(&link).is_ok() || self.possible.binary_search(&link).is_ok()
    }

    fn add(&mut self, found: Found) {
        match found.sure {
            true => self.sure.push(found.link),
            false => self.possible.push(found.link),
        }
    }

    /// Sorts what was added. Returns a link that is both sure and possible, if there is one.
    fn finish(&mut self) -> Option<Edge> {
        for links in [&mut self.sure, &mut self.possible] {
            links.sort_unstable();
            links.dedup();
        }
        self.possible.iter().copied().find(|link| self.sure.binary_search(link).is_ok())
    }
}

/// The fields that a line of WPT links has at most.
const MOST_FIELDS: usize = 4;

/// A link as it is written in a file.
struct Found {
    link: Edge,
    sure: bool,
}

/// Reads the links of a text's sentence pairs, in either format: one entry per pair.
///
/// ```
/// use maxmargin_align::{ParallelText, read_links};
/// let text = ParallelText::from_pairs([("the house", "la maison"), ("yes", "oui")]);
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("links");
/// std::fs::write(&path, "1 1 1 P\n1 2 2 S\n2 1 1\n")?;
/// let links = read_links(&path, &text)?;
/// assert_eq!((links[0].sure.len(), links[0].possible.len(), links[1].sure.len()), (1, 1, 1));
/// std::fs::write(&path, "0p0 1-1\n0-0\n")?;
/// assert_eq!(read_links(&path, &text)?, links);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_links(path: &Path, text: &ParallelText) -> Result<Vec<SentenceLinks>> {
    let mut source = Source::open(path)?;
    let first = source.peek()?.split(u8::is_ascii_whitespace).find(|word| !word.is_empty());
    match first.is_some_and(|word| whole(word).is_some()) {
        true => read_wpt(&mut source, text),
        false => read_pharaoh(&mut source, text),
    }
}

fn read_wpt(source: &mut Source, text: &ParallelText) -> Result<Vec<SentenceLinks>> {
    let pairs = text.by_number();
    let mut links = vec![SentenceLinks::default(); text.len()];
    let mut seen: FxHashMap<(usize, Edge), (bool, usize)> = FxHashMap::default();
    while let Some(line) = source.next_line()? {
        // One more than a line may have is enough to tell.
        let fields: Vec<(usize, &[u8])> = words(line.bytes).take(MOST_FIELDS + 1).collect();
        let (sentence, left, right, mark) = match fields[..] {
            [] => continue,
            [sentence, left, right] => (sentence, left, right, None),
            [sentence, left, right, mark] => (sentence, left, right, Some(mark)),
            _ => {
                let found = match fields.len() {
                    fields if fields > MOST_FIELDS => format!("more than {MOST_FIELDS}"),
                    fields => fields.to_string(),
                };
                let problem = format!("{found} fields; expected `sentence left right S|P`");
                return Err(line.error(1, problem));
            }
        };
        let sure = match mark {
            None | Some((_, b"S" | b"s")) => true,
            Some((_, b"P" | b"p")) => false,
            Some((at, mark)) => {
                let mark = excerpt(mark);
                let problem = format!("`{mark}` is no kind of link; write S for sure or P for possible");
                return Err(line.error(at + 1, problem));
            }
        };
        let number = wpt_number(&line, sentence, "the number of a sentence")?;
        let Some(&pair) = pairs.get(&number) else {
            let problem =
                format!("sentence {number} is not in the text; give the text that these links are of");
            return Err(line.error(sentence.0 + 1, problem));
        };
        let (lefts, rights) = text.sizes(pair);
        let left = wpt_position(&line, left, lefts, "left")?;
        let right = wpt_position(&line, right, rights, "right")?;
        let (Some(left), Some(right)) = (left, right) else { continue };
        let link = Edge { left, right };
        match seen.entry((pair, link)) {
            Entry::Vacant(place) => _ = place.insert((sure, line.number)),
            Entry::Occupied(before) => {
                let (was_sure, before) = *before.get();
                if was_sure != sure {
                    let problem =
                        format!("this link is both S and P, see line {before}; keep one of the two lines");
                    return Err(line.error(1, problem));
                }
                continue;
            }
        }
        links[pair].add(Found { link, sure });
    }
    links.iter_mut().for_each(|links| _ = links.finish());
    Ok(links)
}

fn wpt_number(line: &Line<'_>, (at, field): (usize, &[u8]), what: &str) -> Result<u64> {
    whole(field).ok_or_else(|| {
        let field = excerpt(field);
        line.error(at + 1, format!("`{field}` is not {what}; expected `sentence left right S|P`"))
    })
}

/// A position counted from 0; `None` for the empty word.
fn wpt_position(line: &Line<'_>, field: (usize, &[u8]), words: usize, side: &str) -> Result<Option<u32>> {
    let position = wpt_number(line, field, "the position of a word")?;
    if position > words as u64 {
        let problem =
            format!("word {position} on the {side}, where the sentence has {words}; positions count from 1");
        return Err(line.error(field.0 + 1, problem));
    }
    Ok(position.checked_sub(1).map(|position| position as u32))
}

fn read_pharaoh(source: &mut Source, text: &ParallelText) -> Result<Vec<SentenceLinks>> {
    let mut links: Vec<SentenceLinks> = Vec::with_capacity(text.len());
    while let Some(line) = source.next_line()? {
        let pair = links.len();
        if pair == text.len() {
            let problem =
                format!("more lines than the text has sentence pairs ({pair}); expected a line a pair");
            return Err(line.error(1, problem));
        }
        let mut of_pair = SentenceLinks::default();
        for (at, word) in words(line.bytes) {
            of_pair.add(pharaoh_link(&line, at, word, text.sizes(pair))?);
        }
        if let Some(Edge { left, right }) = of_pair.finish() {
            let problem = format!("both {left}-{right} and {left}p{right}; keep one of the two");
            return Err(line.error(1, problem));
        }
        links.push(of_pair);
    }
    if links.len() != text.len() {
        let problem = format!(
            "{} lines, but the text has {} sentence pairs; expected a line of links for each, empty where there are none",
            links.len(),
            text.len()
        );
        return Err(source.error(problem));
    }
    Ok(links)
}

fn pharaoh_link(line: &Line<'_>, at: usize, word: &[u8], (lefts, rights): (usize, usize)) -> Result<Found> {
    let parse = || {
        let (left, length) = leading_whole(word)?;
        let sure = match word.get(length)? {
            b'-' => true,
            b'p' => false,
            _ => return None,
        };
        Some((left, sure, length + 1, whole(&word[length + 1..])?))
    };
    let Some((left, sure, second, right)) = parse() else {
        let word = excerpt(word);
        let problem =
            format!("`{word}` is no link; expected `left-right` (sure) or `leftpright` (possible), from 0");
        return Err(line.error(at + 1, problem));
    };
    for (position, words, side, offset) in [(left, lefts, "left", 0), (right, rights, "right", second)] {
        if position >= words as u64 {
            let problem = format!(
                "word {position} on the {side}, where the sentence has {words}; positions count from 0"
            );
            return Err(line.error(at + offset + 1, problem));
        }
    }
    Ok(Found { link: Edge { left: left as u32, right: right as u32 }, sure })
}

/// The words of a line, and where they start.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    line.split(u8::is_ascii_whitespace).filter_map(move |word| {
        let start = at;
        at += word.len() + 1;
        (!word.is_empty()).then_some((start, word))
    })
}

/// Writes links in Pharaoh's format, a sentence pair a line.
pub fn write_pharaoh(path: &Path, links: &[SentenceLinks]) -> Result<()> {
    let mut file = OutputFile::create(path)?;
    let mut text = String::new();
    for links in links {
        text.clear();
        pharaoh_line(links, &mut text);
        file.write_all(text.as_bytes()).map_err(|error| Error::io("write", path, error))?;
    }
    file.finish()
}

/// Appends the links of a sentence pair as a line of Pharaoh's format.
pub fn pharaoh_line(links: &SentenceLinks, to: &mut String) {
    let marked = links.sure.iter().map(|link| (link, '-'));
    let mut all: Vec<(&Edge, char)> = marked.chain(links.possible.iter().map(|link| (link, 'p'))).collect();
    all.sort_unstable();
    for (at, (link, mark)) in all.into_iter().enumerate() {
        if at > 0 {
            to.push(' ');
        }
        to.push_str(&format!("{}{mark}{}", link.left, link.right));
    }
    to.push('\n');
}
