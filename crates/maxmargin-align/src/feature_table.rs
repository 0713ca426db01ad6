//! Features that a user made: lines `sentence left right name:value name …`.
//!
//! Sentences and positions are those of WPT links: sentences by their number, positions from 1. A feature without a value is
//! 1. A word pair may have several lines. Names are prefixed with `table:`, so that they meet no built-in ones.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::ParallelText;
use super::features::Sink;
use super::features::TABLE_PREFIX;
use super::links::words;
use maxmargin::Result;
use maxmargin::data::Alphabet;
use maxmargin::data::number::{finite, whole};
use maxmargin::data::{Line, Source};
use maxmargin::shown::excerpt;
use maxmargin::structure::Edge;

/// Features of word pairs, as read from a file.
#[derive(Debug, Clone, Default)]
pub struct FeatureTable {
    names: Alphabet,
    values: FxHashMap<(usize, Edge), Vec<(u32, f64)>>,
}

impl FeatureTable {
    /// Reads the features of a text's word pairs.
    ///
    /// ```
    /// use maxmargin_align::{FeatureTable, ParallelText};
    /// let text = ParallelText::from_pairs([("the house", "la maison")]);
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("features");
    /// std::fs::write(&path, "1 2 2 in-dictionary similarity:0.7\n")?;
    /// assert_eq!(FeatureTable::read(&path, &text)?.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(path: &Path, text: &ParallelText) -> Result<Self> {
        let pairs = text.by_number();
        let mut table = Self::default();
        let mut source = Source::open(path)?;
        while let Some(line) = source.next_line()? {
            let mut fields = words(line.bytes);
            let (Some(sentence), left, right) = (fields.next(), fields.next(), fields.next()) else {
                continue;
            };
            let number = number(&line, Some(sentence), "the number of a sentence")?;
            let Some(&pair) = pairs.get(&number) else {
                let problem =
                    format!("sentence {number} is not in the text; give the text that these features are of");
                return Err(line.error(sentence.0 + 1, problem));
            };
            let sizes = text.sizes(pair);
            let left = position(&line, left, sizes.0, "left")?;
            let right = position(&line, right, sizes.1, "right")?;
            let values = table.values.entry((pair, Edge { left, right })).or_default();
            for (at, feature) in fields {
                let (name, value) = match feature.iter().rposition(|&byte| byte == b':') {
                    None => (feature, 1.0),
                    Some(colon) => (&feature[..colon], finite(&line, at + colon + 1, &feature[colon + 1..])?),
                };
                if value.abs() > f64::from(f32::MAX) {
                    let problem = format!(
                        "{value:e} is too large for a feature of words, whose size is at most {:e}",
                        f32::MAX
                    );
                    return Err(line.error(at + name.len() + 2, problem));
                }
                if name.is_empty() {
                    return Err(line.error(at + 1, "a value without a name; expected `name:value`"));
                }
                let name = format!("{TABLE_PREFIX}{}", line.text_at(at, name)?);
                values.push((table.names.add(&name), value));
            }
        }
        Ok(table)
    }

    /// The number of word pairs that have features.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no word pair has features.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub(super) fn add(&self, pair: usize, edge: Edge, to: &mut impl Sink) {
        for &(name, value) in self.values.get(&(pair, edge)).into_iter().flatten() {
            to.add(self.names.name(name), value);
        }
    }
}

fn number(line: &Line<'_>, field: Option<(usize, &[u8])>, what: &str) -> Result<u64> {
    let (at, field) = field.unwrap_or((line.bytes.len(), b""));
    whole(field).ok_or_else(|| {
        let field = excerpt(field);
        line.error(at + 1, format!("`{field}` is not {what}; expected `sentence left right name:value …`"))
    })
}

fn position(line: &Line<'_>, field: Option<(usize, &[u8])>, words: usize, side: &str) -> Result<u32> {
    let position = number(line, field, "the position of a word")?;
    if position == 0 || position > words as u64 {
        let column = field.map_or(0, |(at, _)| at + 1);
        let problem =
            format!("word {position} on the {side}, where the sentence has {words}; positions count from 1");
        return Err(line.error(column, problem));
    }
    Ok((position - 1) as u32)
}
