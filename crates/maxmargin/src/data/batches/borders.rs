//! Where an example ends in the text of a format.

use super::super::csv::RecordEnds;
use super::super::format::Format;
use super::super::images;
use super::super::reader::ReadOptions;
use super::super::source::Source;
use super::super::svmlight;
use crate::error::Result;

/// How the text of a format is cut into examples.
pub(super) enum Borders {
    /// After a blank line.
    BlankLine,
    /// After a letter that no other follows.
    Letters,
    /// After each line, or where the number of a sequence changes.
    Svmlight,
    /// After each line.
    Line,
    /// After each record; the header goes before each batch.
    Csv { ends: Box<RecordEnds>, header: Vec<u8> },
}

impl Borders {
    /// Those of a file that was just opened. None where it has to be read as a whole.
    pub fn of(format: Format, source: &Source, options: &ReadOptions) -> Option<Self> {
        match format {
            Format::Crfsuite | Format::Conll | Format::Edges => Some(Self::BlankLine),
            Format::Letters => Some(Self::Letters),
            Format::Images if !images::is_picture(source.peeked()) => Some(Self::Line),
            // A header promises a number of rows.
            Format::Svmlight if options.label_sets && svmlight::has_header(source.peeked()) => None,
            Format::Svmlight => Some(Self::Svmlight),
            // The file with the names of labels is read once.
            Format::Csv if options.labels.is_none() => {
                Some(Self::Csv { ends: Box::new(RecordEnds::new(source.peeked())), header: Vec::new() })
            }
            Format::Csv | Format::Idx | Format::Images | Format::Arff => None,
        }
    }

    /// The next batch, as a source of its own.
    pub fn next_batch(&mut self, source: &mut Source) -> Result<Option<Source>> {
        match self {
            Self::BlankLine => source.next_batch(after_blank_line, &[]),
            Self::Letters => source.next_batch(after_word, &[]),
            Self::Line => source.next_batch(after_any_line, &[]),
            Self::Svmlight => source.next_batch(svmlight::after_sequence, &[]),
            Self::Csv { ends, header } => {
                if header.is_empty() {
                    // No name has a line break.
                    let Some(first) = source.next_batch(after_header, &[])? else { return Ok(None) };
                    *header = first.peeked().to_vec();
                    if source.peeked().is_empty() {
                        return Ok(Some(first));
                    }
                }
                source.next_batch(|bytes, from| ends.last(bytes, from), header)
            }
        }
    }
}

impl Borders {
    /// The examples of a batch, of which nothing was read yet, that end before this line of the whole.
    pub fn before_line(&mut self, batch: &Source, line: usize) -> Option<Source> {
        match self {
            Self::BlankLine => batch.before_line(line, 0, after_blank_line),
            Self::Letters => batch.before_line(line, 0, after_word),
            Self::Line => batch.before_line(line, 0, after_any_line),
            Self::Svmlight => batch.before_line(line, 0, svmlight::after_sequence),
            Self::Csv { ends, header } => {
                batch.before_line(line, header.len(), |bytes, from| ends.last(bytes, from))
            }
        }
    }
}

fn after_any_line(bytes: &[u8], from: usize) -> Option<usize> {
    after_line(bytes, from, |_| true)
}

/// The end of the last complete line for which this holds, if it is behind `from`.
fn after_line(bytes: &[u8], from: usize, holds: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let mut end = memchr::memrchr(b'\n', bytes)?;
    while end >= from {
        let start = memchr::memrchr(b'\n', &bytes[..end]);
        if holds(&bytes[start.map_or(0, |start| start + 1)..end]) {
            return Some(end + 1);
        }
        end = start?;
    }
    None
}

fn after_blank_line(bytes: &[u8], from: usize) -> Option<usize> {
    after_line(bytes, from, |line| line.trim_ascii().is_empty())
}

/// After the first line with something in it.
fn after_header(bytes: &[u8], _: usize) -> Option<usize> {
    let start = bytes.len() - bytes.trim_ascii_start().len();
    memchr::memchr(b'\n', &bytes[start..]).map(|end| start + end + 1)
}

fn after_word(bytes: &[u8], from: usize) -> Option<usize> {
    after_line(bytes, from, |line| line.split(|&byte| byte == b'\t').nth(2) == Some(b"-1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_where_examples_end() {
        for (cut, text, end) in [
            (after_blank_line as fn(&[u8], usize) -> Option<usize>, "a\nb\n\nc\n", Some(5)),
            (after_blank_line, "a\r\n \r\n\r\nc", Some(8)),
            (after_blank_line, "a\nb\n ", None),
            (after_word, "1\to\t2\t1\t1\n2\tn\t-1\t1\t2\n3\ta\t-1", Some(21)),
            (after_word, "1\to\t2\t-1\t-1\n", None),
            (svmlight::after_sequence, "a 1:1\n# so\nb 2:1\nc", Some(17)),
            (svmlight::after_sequence, "a qid:1 1:1\nb qid:1 2:1\n\n", None),
            (svmlight::after_sequence, "a qid:1 1:1\nb cost:2 qid:2 2:1\n# so\n\nc qid:2 3:1\n", Some(12)),
        ] {
            assert_eq!(cut(text.as_bytes(), 0), end, "{text:?}");
            // What was looked at before is not looked at again.
            assert_eq!(cut(text.as_bytes(), text.len()), None, "{text:?}");
        }
    }
}
