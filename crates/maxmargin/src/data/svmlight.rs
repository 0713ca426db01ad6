//! The format of SVMlight and LIBSVM: `label index:value index:value … # comment`.
//!
//! Indices count from 1 (from 0 with `zero_based`) and increase along a line; what is not mentioned is 0. The label is
//! any text without spaces; `+1` is read as `1`. Blank lines and lines with only a comment are skipped.
//!
//! Between label and features may stand `qid:N`, as in SVM-HMM: consecutive lines with one number are the tokens of one
//! sequence, and either all lines have it or none. `cost:W` gives an example's weight; in a sequence the first token
//! says it, and later ones may repeat it.
//!
//! ```text
//! NOUN qid:1 cost:0.5 3:1 8:0.25   # the first token of a sequence that counts half
//! VERB qid:1 2:1 8:0.75
//! NOUN qid:2 3:1
//! ```
//!
//! Where rows have sets of labels they stand between commas, and there are no sequences; `label_sets` has the details.

mod label_sets;

use std::path::Path;

use label_sets::Promise;
use rustc_hash::FxHashSet;

use super::dataset_builder::DatasetBuilder;
use super::number::{finite, leading_whole, short_decimal, weight, whole};
use super::source::{Line, Source};
use crate::error::Result;
use crate::shown::excerpt;

/// Reads a file to its end.
pub(crate) fn read(source: &mut Source, zero_based: bool, data: &mut DatasetBuilder<'_>) -> Result<()> {
    let mut reader = Reader { data, zero_based, promise: None, open: None, finished: FxHashSet::default() };
    let mut rows = 0;
    while let Some(line) = source.next_line()? {
        rows += u64::from(reader.line(&line, rows)?);
    }
    reader.end_sequence();
    match reader.promise {
        Some(promise) => promise.check_end(source, rows),
        None => Ok(()),
    }
}

struct Reader<'d, 'v> {
    data: &'d mut DatasetBuilder<'v>,
    zero_based: bool,
    /// What the header of an extreme-classification file says.
    promise: Option<Promise>,
    open: Option<Sequence>,
    /// The numbers of the sequences that came to their end in this file.
    finished: FxHashSet<u64>,
}

/// The sequence whose tokens are being read.
struct Sequence {
    qid: u64,
    cost: Option<f64>,
}

impl Reader<'_, '_> {
    /// Reads a line that comes after so many rows; whether it holds one.
    fn line(&mut self, line: &Line<'_>, rows: u64) -> Result<bool> {
        let bytes = line.bytes;
        let start = skip_blanks(bytes, 0);
        if matches!(bytes.get(start), None | Some(b'#')) {
            return Ok(false);
        }
        if self.data.label_sets() {
            return self.line_with_set(line, start, rows);
        }
        let mut end = token_end(bytes, start);
        // A file to predict may have no labels.
        let is_labelled = self.data.needs_labels() || !is_feature(&bytes[start..end]);
        let label = match is_labelled {
            true => label(line, start, &bytes[start..end])?,
            false => {
                end = start;
                ""
            }
        };
        if label_sets::is_list_of_numbers(label) {
            let problem = format!(
                "`{}` is a list of labels, but here each row has one label; rows with several are for a task whose labels are sets",
                excerpt(label)
            );
            return Err(line.error(start + 1, problem));
        }
        let (qid, cost) = self.features(line, end)?;
        self.place(line, qid, cost)?;
        match is_labelled {
            true => self.data.label_or_candidates(line, start, label)?,
            false => self.data.no_label(),
        }
        self.data.end_row();
        if qid.is_none() {
            self.data.end_example(cost.unwrap_or(1.0), None);
        }
        Ok(true)
    }

    /// The same where rows have sets of labels.
    fn line_with_set(&mut self, line: &Line<'_>, start: usize, rows: u64) -> Result<bool> {
        if rows == 0 && self.promise.is_none() {
            self.promise = Promise::parse(line)?;
            if let Some(promise) = &self.promise {
                self.zero_based = true;
                self.data.expect_columns(promise.features);
                return Ok(false);
            }
        }
        if let Some(promise) = &self.promise {
            promise.check_row(line, rows)?;
        }
        let end = token_end(line.bytes, start);
        let token = &line.bytes[start..end];
        let after_labels = match is_feature(token) {
            true => start,
            false => {
                label_sets::read_labels(line, start, token, self.promise.as_ref(), self.data)?;
                end
            }
        };
        self.data.end_label_set();
        let (_, cost) = self.features(line, after_labels)?;
        self.data.end_row();
        self.data.end_example(cost.unwrap_or(1.0), None);
        Ok(true)
    }

    /// Reads what follows the label; returns the sequence number and the weight, where there are some.
    fn features(&mut self, line: &Line<'_>, mut at: usize) -> Result<(Option<u64>, Option<f64>)> {
        let bytes = line.bytes;
        let (mut qid, mut cost) = (None, None);
        let mut previous: Option<u32> = None;
        loop {
            at = skip_blanks(bytes, at);
            let start = at;
            match bytes.get(start) {
                None | Some(b'#') => return Ok((qid, cost)),
                Some(_) => {}
            }
            let index = match leading_whole(&bytes[start..]) {
                Some((index, length)) if bytes.get(start + length) == Some(&b':') => {
                    at = start + length + 1;
                    index
                }
                _ => {
                    at = token_end(bytes, start);
                    self.word(line, start, &bytes[start..at], &mut qid, &mut cost)?;
                    continue;
                }
            };
            let column = self.column(line, start, index)?;
            if previous.is_some_and(|previous| column <= previous) {
                return Err(self.out_of_order(line, start, index, previous));
            }
            previous = Some(column);
            let value = match short_decimal(&bytes[at..]) {
                Some((value, length)) if is_end(bytes, at + length) => {
                    at += length;
                    value
                }
                _ => {
                    let end = token_end(bytes, at);
                    let value = finite(line, at, &bytes[at..end])?;
                    at = end;
                    value
                }
            };
            self.data.column(column, value);
        }
    }

    /// A token that is not a feature: `qid:N`, `cost:W` or a mistake.
    #[cold]
    fn word(
        &self,
        line: &Line<'_>,
        start: usize,
        token: &[u8],
        qid: &mut Option<u64>,
        cost: &mut Option<f64>,
    ) -> Result<()> {
        let column = start + 1;
        if token.starts_with(b"qid:") && self.data.label_sets() {
            let problem = "`qid:` makes sequences, but rows with sets of labels make none; remove it";
            return Err(line.error(column, problem));
        }
        if let Some(number) = token.strip_prefix(b"qid:") {
            let Some(number) = whole(number) else {
                return Err(line.error(column + 4, "after `qid:` goes the whole number of a sequence"));
            };
            if qid.replace(number).is_some() {
                return Err(line.error(column, "a second `qid:` on one line"));
            }
        } else if let Some(number) = token.strip_prefix(b"cost:") {
            if cost.replace(weight(line, start + 5, number)?).is_some() {
                return Err(line.error(column, "a second `cost:` on one line"));
            }
        } else {
            let token = excerpt(token);
            let header = match self.data.examples() == 0 && matches!(Promise::parse(line), Ok(Some(_))) {
                true => {
                    " (the header of an extreme-classification file? Its rows are for a task whose labels are sets)"
                }
                false => "",
            };
            let problem =
                format!("`{token}` is no feature: expected index:value with a whole number as index{header}");
            return Err(line.error(column, problem));
        }
        Ok(())
    }

    #[inline]
    fn column(&self, line: &Line<'_>, start: usize, index: u64) -> Result<u32> {
        let first = u64::from(!self.zero_based);
        if index < first {
            let problem = "feature index 0, but indices count from 1; if they count from 0, say so with the option zero-based";
            return Err(line.error(start + 1, problem));
        }
        if let Some(promise) = &self.promise {
            promise.check_feature(line, start, index)?;
        }
        // The number of columns must fit as well.
        match u32::try_from(index - first) {
            Ok(column) if column < u32::MAX => Ok(column),
            _ => Err(line.error(start + 1, format!("feature index {index} is above {}", u32::MAX - 1))),
        }
    }

    #[cold]
    fn out_of_order(&self, line: &Line<'_>, start: usize, index: u64, previous: Option<u32>) -> crate::Error {
        let previous = previous.map_or(0, |column| u64::from(column) + u64::from(!self.zero_based));
        let problem = match index == previous {
            true => format!("feature index {index} comes twice on one line"),
            false => {
                format!("feature index {index} comes after {previous}: indices must increase along a line")
            }
        };
        line.error(start + 1, problem)
    }

    /// Decides which sequence a row belongs to; ends the one before where another begins.
    fn place(&mut self, line: &Line<'_>, qid: Option<u64>, cost: Option<f64>) -> Result<()> {
        let first = self.data.examples() == 0 && self.open.is_none();
        let Some(qid) = qid else {
            return match self.data.chains() {
                false => Ok(()),
                true => Err(line.error(1, "no `qid:` on this line, but there is one on those before it")),
            };
        };
        if first {
            self.data.set_chains();
        } else if !self.data.chains() {
            return Err(line.error(1, format!("`qid:{qid}` on this line, but no qid on those before it")));
        }
        if let Some(open) = &self.open
            && open.qid == qid
        {
            let agrees = cost.is_none() || cost == open.cost;
            return match agrees {
                true => Ok(()),
                false => Err(line.error(
                    1,
                    format!("`cost:` differs within the sequence qid:{qid}: its first line gives it for all"),
                )),
            };
        }
        self.end_sequence();
        if self.finished.contains(&qid) {
            let problem =
                format!("qid:{qid} returns after another sequence began: its lines must be consecutive");
            return Err(line.error(1, problem));
        }
        self.open = Some(Sequence { qid, cost });
        Ok(())
    }

    fn end_sequence(&mut self) {
        if let Some(Sequence { qid, cost }) = self.open.take() {
            self.finished.insert(qid);
            self.data.end_example(cost.unwrap_or(1.0), None);
        }
    }
}

/// Whether a file that begins so has the header of extreme classification.
pub(super) fn has_header(start: &[u8]) -> bool {
    let mut lines = start.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !matches!(line.first(), None | Some(b'#')));
    let is_header =
        |bytes| matches!(Promise::parse(&Line { file: Path::new(""), number: 1, bytes }), Ok(Some(_)));
    first.is_some_and(is_header)
}

/// Where the last row ends that belongs to no sequence, or the last sequence after which another one begins, if that can be seen
/// from lines behind `from`.
pub(super) fn after_sequence(bytes: &[u8], from: usize) -> Option<usize> {
    let mut end = memchr::memrchr(b'\n', bytes)?;
    let mut later: Option<(&[u8], usize)> = None;
    loop {
        let start = memchr::memrchr(b'\n', &bytes[..end]).map_or(0, |start| start + 1);
        let mut tokens =
            bytes[start..end].split(|byte| byte.is_ascii_whitespace()).filter(|token| !token.is_empty());
        let first = tokens.next();
        if let Some(first) = first.filter(|first| !first.starts_with(b"#")) {
            let mut words = std::iter::once(first).chain(tokens).enumerate();
            let may_be_before = |place: usize, token: &[u8]| place == 0 || token.starts_with(b"cost:");
            let sequence =
                words.find(|(place, token)| token.starts_with(b"qid:") || !may_be_before(*place, token));
            match (sequence.filter(|(_, token)| token.starts_with(b"qid:")), later) {
                (None, _) => return Some(end + 1).filter(|end| *end > from),
                (Some((_, qid)), Some((other, border))) if qid != other => return Some(border),
                (Some(_), _) if end < from => return None,
                (Some((_, qid)), _) => later = Some((qid, start)),
            }
        }
        end = start.checked_sub(1)?;
    }
}

/// The label at the start of a line.
fn label<'a>(line: &Line<'a>, start: usize, token: &'a [u8]) -> Result<&'a str> {
    let text = line.text_at(start, token)?;
    if text.contains(':') {
        let problem = format!(
            "the label is missing: the line begins with `{}`; write a label before it",
            excerpt(text)
        );
        return Err(line.error(start + 1, problem));
    }
    Ok(without_plus(text))
}

/// `+1` is `1`.
fn without_plus(label: &str) -> &str {
    match label.strip_prefix('+') {
        Some(number) if number.starts_with(|first: char| first.is_ascii_digit()) => number,
        _ => label,
    }
}

/// Whether a token can follow the label.
pub(crate) fn is_feature(token: &[u8]) -> bool {
    let numbered = leading_whole(token).is_some_and(|(_, length)| token.get(length) == Some(&b':'));
    numbered || token.starts_with(b"qid:") || token.starts_with(b"cost:")
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn is_end(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_none_or(|&byte| is_blank(byte) || byte == b'#')
}

fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|&byte| is_blank(byte)) {
        at += 1;
    }
    at
}

fn token_end(bytes: &[u8], mut at: usize) -> usize {
    while !is_end(bytes, at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::super::dataset::{Dataset, Vocabulary};
    use super::*;

    fn parse(text: &'static str, zero_based: bool) -> Result<(Dataset, Vocabulary)> {
        let mut data = DatasetBuilder::growing(false);
        read(&mut Source::from_reader("test", text.as_bytes())?, zero_based, &mut data)?;
        let (data, vocabulary, _) = data.finish();
        Ok((data, vocabulary.unwrap()))
    }

    #[test]
    fn rows_labels_and_comments() {
        let (data, names) = parse("# head\n+1 1:0.5\t3:2# tail\n\n-1 # 9:9\n1  2:-1e-3 \n", false).unwrap();
        assert_eq!(names.labels.iter().collect::<Vec<_>>(), ["-1", "1"]);
        assert_eq!(data.labels, [1, 0, 1]);
        assert_eq!(data.features.columns(), 3);
        assert_eq!(data.features.row(0).to_pairs(), [(0, 0.5), (2, 2.0)]);
        assert!(data.features.row(1).is_empty());
        assert_eq!(data.features.row(2).to_pairs(), [(1, -0.001)]);
    }

    #[test]
    fn zeros_count_as_columns_but_are_not_stored() {
        let (data, names) = parse("a 0:1 5:0\n", true).unwrap();
        assert_eq!(names.attributes.len(), 6);
        assert_eq!(data.features.row(0).to_pairs(), [(0, 1.0)]);
    }

    #[test]
    fn consecutive_lines_with_one_qid_are_a_sequence() {
        let (data, _) =
            parse("a qid:7 cost:2 1:1\nb qid:7 1:1\na qid:7 cost:2\nb qid:3 1:1\n", false).unwrap();
        assert_eq!(data.sequences, Some(vec![0, 3, 4]));
        assert_eq!(data.weights, Some(vec![2.0, 1.0]));
        assert_eq!(data.labels, [0, 1, 0, 1]);
    }
}
