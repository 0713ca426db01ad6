//! The format of the OCR letters of Taskar, Guestrin and Koller (2003): one letter a line, fields separated by tabs.
//!
//! `id letter next_id word_id position fold pixel pixel …`: letters are numbered, each names the next letter of its
//! word (-1 at the end), its word, its place in the word from 1, and the fold of the word; pixels are 0 or 1. A word is
//! a sequence. An extra tab at the end of a line is accepted. All lines have as many pixels as the first.
//! Below, an arrow is a tab.
//!
//! ```text
//! 1 → o → 2 → 1 → 1 → 0 → 0 → 1 → 1 → 0
//! 2 → n → -1 → 1 → 2 → 0 → 1 → 1 → 0 → 0
//! ```

use super::dataset_builder::DatasetBuilder;
use super::number::whole;
use super::source::{Line, Source};
use crate::error::Result;
use crate::shown::excerpt;

/// The fields before the pixels.
pub(crate) const HEAD: [&str; 6] = ["id", "letter", "next_id", "word_id", "position", "fold"];

/// Reads a file to its end.
pub(crate) fn read(source: &mut Source, data: &mut DatasetBuilder<'_>) -> Result<()> {
    data.set_chains();
    let mut pixels = None;
    let mut open: Option<Letter> = None;
    while let Some(line) = source.next_line()? {
        if line.bytes.is_empty() {
            continue;
        }
        let (fields, start) = split(&line)?;
        let letter = Letter::parse(&line, &fields)?;
        letter.check_place(&line, &fields, open.as_ref())?;
        let text = pixel_text(&line, start)?;
        let found = text.len().div_ceil(2);
        match pixels {
            None => {
                data.set_columns(found).map_err(|problem| line.error(0, problem))?;
                pixels = Some(found);
            }
            Some(expected) if expected != found => {
                let problem = format!("{found} pixels, but the lines before have {expected}");
                return Err(line.error(0, problem));
            }
            Some(_) => {}
        }
        read_pixels(&line, start, text, data)?;
        data.label(line.text_at(fields[1].0, fields[1].1)?);
        data.end_row();
        open = match letter.next {
            Some(_) => Some(letter),
            None => {
                data.end_example(1.0, Some(letter.fold));
                None
            }
        };
    }
    match open {
        None => Ok(()),
        Some(letter) => {
            let next = letter.next.unwrap_or_default();
            Err(source
                .error_on_last_line(0, format!("the file ends inside a word: letter {next} is missing")))
        }
    }
}

/// A field and where it starts in its line.
type PlacedField<'a> = (usize, &'a [u8]);

/// What a line says about its letter's place.
struct Letter {
    id: u64,
    next: Option<u64>,
    word: u64,
    position: u64,
    fold: u32,
}

impl Letter {
    fn parse(line: &Line<'_>, fields: &[PlacedField<'_>; 6]) -> Result<Self> {
        let number = |field: usize| -> Result<u64> {
            let (start, text) = fields[field];
            whole(text).ok_or_else(|| {
                let text = excerpt(text);
                line.error(start + 1, format!("{}: `{text}` is not a whole number", HEAD[field]))
            })
        };
        let next = if fields[2].1 == b"-1" { None } else { Some(number(2)?) };
        let fold = u32::try_from(number(5)?)
            .map_err(|_| line.error(fields[5].0 + 1, format!("fold: at most {}", u32::MAX)))?;
        if fields[1].1.is_empty() {
            return Err(line.error(fields[1].0 + 1, "the letter is missing"));
        }
        Ok(Self { id: number(0)?, next, word: number(3)?, position: number(4)?, fold })
    }

    /// Checks that this letter continues the word before it, or begins one.
    fn check_place(
        &self,
        line: &Line<'_>,
        fields: &[PlacedField<'_>; 6],
        before: Option<&Letter>,
    ) -> Result<()> {
        let refuse = |field: usize, problem: String| {
            Err(line.error(fields[field].0 + 1, format!("{}: {problem}", HEAD[field])))
        };
        match before {
            None if self.position != 1 => {
                refuse(4, format!("a word begins here, so it must be 1, not {}", self.position))
            }
            None => Ok(()),
            Some(before) if before.next != Some(self.id) => {
                let next = before.next.unwrap_or_default();
                refuse(0, format!("the letter before says that {next} follows, not {}", self.id))
            }
            Some(before) if before.word != self.word => refuse(
                3,
                format!("{} inside word {}, which has not ended with next_id -1", self.word, before.word),
            ),
            Some(before) if before.position.checked_add(1) != Some(self.position) => {
                refuse(4, format!("{} comes after {}", self.position, before.position))
            }
            Some(before) if before.fold != self.fold => {
                refuse(5, format!("{} inside a word of fold {}", self.fold, before.fold))
            }
            Some(_) => Ok(()),
        }
    }
}

/// The fields before the pixels, and where the pixels start.
fn split<'a>(line: &Line<'a>) -> Result<([PlacedField<'a>; 6], usize)> {
    let mut fields: [PlacedField<'a>; 6] = [(0, &[]); 6];
    let mut start = 0;
    for (found, field) in fields.iter_mut().enumerate() {
        let Some(length) = memchr::memchr(b'\t', &line.bytes[start..]) else {
            let problem = format!(
                "no field after {}: expected `{}` and pixels, separated by tabs",
                HEAD[found],
                HEAD.join(" ")
            );
            return Err(line.error(line.bytes.len() + 1, problem));
        };
        *field = (start, &line.bytes[start..start + length]);
        start += length + 1;
    }
    Ok((fields, start))
}

/// The part of the line that holds the pixels: a digit each, with tabs between.
fn pixel_text<'a>(line: &Line<'a>, start: usize) -> Result<&'a [u8]> {
    let text = &line.bytes[start..];
    match text.strip_suffix(b"\t").unwrap_or(text) {
        [] => Err(line.error(start + 1, "a letter without pixels")),
        text => Ok(text),
    }
}

/// Adds the pixels to the open row.
fn read_pixels(line: &Line<'_>, start: usize, text: &[u8], data: &mut DatasetBuilder<'_>) -> Result<()> {
    for (pixel, field) in text.chunks(2).enumerate() {
        match field {
            b"1" | b"1\t" => data.column(pixel as u32, 1.0),
            b"0" | b"0\t" => {}
            _ => {
                let problem = format!("pixel {pixel} is not 0 or 1 followed by a tab");
                return Err(line.error(start + 2 * pixel + 1, problem));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::dataset::{Dataset, Vocabulary};
    use super::*;

    fn parse(text: &'static str) -> Result<(Dataset, Vocabulary)> {
        let mut data = DatasetBuilder::growing(false);
        read(&mut Source::from_reader("test", text.as_bytes())?, &mut data)?;
        let (data, vocabulary, _) = data.finish();
        Ok((data, vocabulary.unwrap()))
    }

    #[test]
    fn words_and_folds() {
        let text = "1\to\t2\t1\t1\t3\t0\t1\t1\t0\t\n2\tn\t-1\t1\t2\t3\t0\t0\t0\t0\n7\ta\t-1\t5\t1\t0\t1\t0\t0\t0\r\n";
        let (data, names) = parse(text).unwrap();
        assert_eq!(names.labels.iter().collect::<Vec<_>>(), ["a", "n", "o"]);
        assert_eq!(names.attributes.len(), 4);
        assert_eq!(data.labels, [2, 1, 0]);
        assert_eq!(data.sequences, Some(vec![0, 2, 3]));
        assert_eq!(data.folds, Some(vec![3, 0]));
        assert_eq!(data.features.columns(), 4);
        assert_eq!(data.features.row(0).to_pairs(), [(1, 1.0), (2, 1.0)]);
        assert!(data.features.row(1).is_empty());
    }
}
