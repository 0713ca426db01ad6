//! The attribute format of CRFsuite: one token a line, `label TAB attribute[:value] TAB attribute …`.
//!
//! A blank line ends a sequence. An attribute is any text; a number after its last colon is its value, which is 1
//! otherwise. A colon that belongs to the name is written `\:`, and a backslash `\\`; a backslash before anything else
//! stands for itself. The values of an attribute that a token repeats are added up. A line `@weight:0.5` (or
//! `@weight TAB 0.5`) within a sequence gives its weight; the declaration may also stand before a label. Below, an arrow is a tab.
//!
//! ```text
//! @weight:0.5
//! B-NP → w[0]=London → pos[0]=JJ → length:0.6
//! I-NP → w[0]=shares → pos[0]=NNS → length:0.6
//!
//! O → w[0]=\: → pos[0]=\:
//! ```

use super::dataset_builder::DatasetBuilder;
use super::number::{finite, weight};
use super::source::{Line, Source};
use crate::error::Result;
use crate::shown::excerpt;

/// Reads a file to its end.
pub(crate) fn read(source: &mut Source, data: &mut DatasetBuilder<'_>) -> Result<()> {
    data.set_chains();
    let mut sequence = Sequence::default();
    let mut scratch = String::new();
    while let Some(line) = source.next_line()? {
        if line.bytes.iter().all(|&byte| byte == b' ') {
            sequence.end(&line, data)?;
        } else {
            token(&line, &mut sequence, &mut scratch, data)?;
        }
    }
    if sequence.tokens == 0 && sequence.weight.is_some() {
        return Err(source.error_on_last_line(1, NO_TOKENS));
    }
    sequence.close(data);
    Ok(())
}

const NO_TOKENS: &str = "a sequence has a weight but no tokens";

/// The attributes of a line, repeated ones counted each time, are at most so many (16 million).
pub(super) const MOST_ATTRIBUTES: usize = 1 << 24;

/// Refuses a line that goes on after this many attributes.
pub(super) fn check_attributes(line: &Line<'_>, start: usize, before: usize) -> Result<()> {
    match before < MOST_ATTRIBUTES {
        true => Ok(()),
        false => {
            Err(line
                .error(start + 1, format!("more than {MOST_ATTRIBUTES} attributes on one line; break it up")))
        }
    }
}

/// The sequence whose tokens are being read.
#[derive(Default)]
struct Sequence {
    tokens: usize,
    weight: Option<f64>,
}

impl Sequence {
    /// At a blank line. Several of them in a row are as good as one.
    fn end(&mut self, line: &Line<'_>, data: &mut DatasetBuilder<'_>) -> Result<()> {
        if self.tokens == 0 && self.weight.is_some() {
            return Err(line.error(1, NO_TOKENS));
        }
        self.close(data);
        Ok(())
    }

    fn close(&mut self, data: &mut DatasetBuilder<'_>) {
        if self.tokens > 0 {
            data.end_example(self.weight.unwrap_or(1.0), None);
        }
        *self = Self::default();
    }

    fn declare(&mut self, line: &Line<'_>, at: usize, number: &str) -> Result<()> {
        if self.weight.replace(weight(line, at, number.as_bytes())?).is_some() {
            return Err(line.error(at + 1, "a second weight for one sequence"));
        }
        Ok(())
    }
}

/// One field of a line.
pub(super) struct AttributeField<'a> {
    /// Where it starts in the line.
    start: usize,
    pub(super) text: &'a str,
    /// Where its last colon without a backslash is, from `start`.
    pub(super) colon: Option<usize>,
    escaped: bool,
}

impl<'a> AttributeField<'a> {
    /// The field that starts here, up to a tab or the end of the line.
    #[inline]
    pub(super) fn at(line: &'a str, start: usize) -> Self {
        let bytes = line.as_bytes();
        let (mut colon, mut escaped) = (None, false);
        let mut at = start;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'\t' => break,
                b':' => colon = Some(at - start),
                b'\\' => {
                    escaped = true;
                    if matches!(bytes.get(at + 1), Some(b':' | b'\\')) {
                        at += 1;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        Self { start, text: &line[start..at], colon, escaped }
    }

    /// Where the next field starts, if there is one.
    fn next(&self, line: &str) -> Option<usize> {
        let end = self.start + self.text.len();
        (end < line.len()).then_some(end + 1)
    }

    /// A part of the field without its backslashes.
    #[inline]
    pub(super) fn name<'s>(&self, part: &'a str, scratch: &'s mut String) -> &'s str
    where
        'a: 's,
    {
        if !self.escaped {
            return part;
        }
        scratch.clear();
        let mut characters = part.chars().peekable();
        while let Some(character) = characters.next() {
            let escaped =
                if character == '\\' { characters.next_if(|next| ":\\".contains(*next)) } else { None };
            scratch.push(escaped.unwrap_or(character));
        }
        scratch
    }
}

/// One line that is not blank: a token, a declaration or both.
fn token(
    line: &Line<'_>,
    sequence: &mut Sequence,
    scratch: &mut String,
    data: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let text = line.text()?;
    let mut field = AttributeField::at(text, 0);
    if field.text.starts_with('@') {
        match declaration(line, text, &field, sequence)? {
            Some(label) => field = label,
            None => return Ok(()),
        }
    }
    match field.text.is_empty() {
        false => {
            look_at_label(line, &field, scratch, data);
            data.label_or_candidates(line, field.start, field.name(field.text, scratch))?;
        }
        // A file to predict may have no labels.
        true if !data.needs_labels() => data.no_label(),
        true => {
            let problem = "the label is missing: a line is label TAB attribute TAB attribute …";
            return Err(line.error(field.start + 1, problem));
        }
    }
    // Repeated attributes add up; their sum is finite when the sum of all values is.
    let (mut size, mut attributes) = (0.0, 0);
    while let Some(start) = field.next(text) {
        check_attributes(line, start, attributes)?;
        attributes += 1;
        field = AttributeField::at(text, start);
        // An empty field, mostly after a tab at the end of the line, says nothing.
        if field.text.is_empty() {
            continue;
        }
        let (name, value) = match field.colon {
            None => (field.text, 1.0),
            Some(colon) => (&field.text[..colon], attribute_value(line, &field, colon)?),
        };
        if name.is_empty() {
            return Err(
                line.error(start + 1, "an attribute without a name; a colon in a name is written `\\:`")
            );
        }
        size += value.abs();
        data.attribute(field.name(name, scratch), value);
    }
    if size == f64::INFINITY {
        return Err(line.error(1, "the values on this line are too large to add up"));
    }
    data.end_row();
    sequence.tokens += 1;
    Ok(())
}

/// Counts an attribute of the model in the place of the label, which it would be taken for without a word.
fn look_at_label(
    line: &Line<'_>,
    field: &AttributeField<'_>,
    scratch: &mut String,
    data: &mut DatasetBuilder<'_>,
) {
    if data.needs_labels() || data.is_label_before_rows(field.name(field.text, scratch)) {
        return;
    }
    let mut is_attribute = |name| data.is_known_attribute(field.name(name, scratch));
    if is_attribute(field.text) || field.colon.is_some_and(|colon| is_attribute(&field.text[..colon])) {
        data.add_attribute_as_label(line.number);
    }
}

/// The number after a field's colon.
pub(super) fn attribute_value(line: &Line<'_>, field: &AttributeField<'_>, colon: usize) -> Result<f64> {
    let value = &field.text.as_bytes()[colon + 1..];
    if super::number::float(value).is_none() {
        let problem = format!(
            "`{}` is not the value of an attribute; a colon that belongs to the name is written `\\:` (if these are columns, name the format conll)",
            excerpt(&field.text[colon + 1..])
        );
        return Err(line.error(field.start + colon + 2, problem));
    }
    finite(line, field.start + colon + 1, value)
}

/// `@weight:W`, alone or before a label, or `@weight TAB W` alone. Returns the label's field, if one follows.
fn declaration<'a>(
    line: &Line<'_>,
    text: &'a str,
    field: &AttributeField<'a>,
    sequence: &mut Sequence,
) -> Result<Option<AttributeField<'a>>> {
    let next = field.next(text).map(|start| AttributeField::at(text, start));
    match (field.text.strip_prefix("@weight"), &next) {
        (Some(""), Some(number)) if number.next(text).is_none() => {
            sequence.declare(line, number.start, number.text)?;
            Ok(None)
        }
        (Some(number), _) if number.starts_with(':') => {
            sequence.declare(line, "@weight:".len(), &number[1..])?;
            Ok(next.filter(|label| !label.text.is_empty() || label.next(text).is_some()))
        }
        _ => {
            let problem = format!(
                "`{}`: the only declaration is `@weight:W`, a sequence's weight",
                excerpt(field.text)
            );
            Err(line.error(1, problem))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dataset::{Attributes, Dataset, Vocabulary};
    use super::*;

    fn parse(text: &'static str) -> Result<(Dataset, Vocabulary)> {
        let mut data = DatasetBuilder::growing(true);
        read(&mut Source::from_reader("test", text.as_bytes())?, &mut data)?;
        let (data, vocabulary, _) = data.finish();
        Ok((data, vocabulary.unwrap()))
    }

    fn attributes(vocabulary: &Vocabulary) -> Vec<&str> {
        match &vocabulary.attributes {
            Attributes::Named(names) => names.iter().collect(),
            Attributes::Numbered(_) => panic!("the format names its attributes"),
        }
    }

    #[test]
    fn sequences_weights_and_values() {
        let text = "\n@weight:0.5\nB\ta\tb:2\t\nI\tb:0.25\n\n\nB\n\n@weight\t3\nB\ta\n\n@weight:2\tI\ta";
        let (data, names) = parse(text).unwrap();
        assert_eq!(attributes(&names), ["a", "b"]);
        assert_eq!(data.labels, [0, 1, 0, 0, 1]);
        assert_eq!(data.sequences, Some(vec![0, 2, 3, 4, 5]));
        assert_eq!(data.weights, Some(vec![0.5, 1.0, 3.0, 2.0]));
        assert_eq!(data.features.row(0).to_pairs(), [(0, 1.0), (1, 2.0)]);
        assert_eq!(data.features.row(1).to_pairs(), [(1, 0.25)]);
        assert!(data.features.row(2).is_empty());
    }

    #[test]
    fn backslashes_keep_colons_in_names() {
        let (data, names) = parse("\\:\tw=\\:\tw=a\\:b:0.5\tw=\\\\:3\tw=a:b:2\tw=\\n\n").unwrap();
        assert_eq!(attributes(&names), ["w=:", "w=a:b", "w=\\", "w=\\n"]);
        assert_eq!(names.labels.name(0), ":");
        // `w=a\:b:0.5` and `w=a:b:2` are one attribute.
        assert_eq!(data.features.row(0).to_pairs(), [(0, 1.0), (1, 2.5), (2, 3.0), (3, 1.0)]);
    }

    #[test]
    fn a_file_without_labels_begins_its_lines_with_tabs() {
        let (_, names) = parse("B\tw=a\tlength\nI\tw=b\tI\n").unwrap();
        let read = |text: &'static str| {
            let mut data = DatasetBuilder::fixed(&names);
            let result = read(&mut Source::from_reader("test", text.as_bytes())?, &mut data);
            result.map(|()| data.finish().2)
        };
        let found = read("Q\tw=a\n\nlength:0.5\tw=b\nlength\n").unwrap();
        assert_eq!((found.labels, found.attributes_as_labels, found.first_attribute_as_label), (3, 2, 3));
        assert_eq!(read("\tw=a\n\tw=b\n").unwrap().labels, 0);
        // The model may know a label that is called like an attribute.
        assert_eq!(read("I\tw=a\nQ\tw=b\n").unwrap().attributes_as_labels, 0);
    }

    #[test]
    fn repeated_attributes_add_up() {
        let (data, _) = parse("x\tb\ta\tb\tb:0.5\n").unwrap();
        assert_eq!(data.features.row(0).to_pairs(), [(0, 2.5), (1, 1.0)]);
        assert!(parse("x\ta:1e308\ta:1e308\n").is_err());
    }
}
