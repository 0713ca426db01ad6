//! What an ARFF file says before its rows: the relation's name and the attributes.

use std::sync::Arc;

use super::super::alphabet::Alphabet;
use super::super::hierarchy::{NodeGraph, parse_declared};
use super::super::source::{Line, Source};
use super::super::table::{Column, CountedLabels, Kind};
use super::words::{Word, Words, is_blank};
use crate::error::Result;
use crate::shown::excerpt;

/// The attributes, and how many of them the relation's name counts as labels.
pub(super) struct Header {
    pub columns: Vec<Column>,
    pub counted_labels: Option<CountedLabels>,
}

/// A word that begins a declaration, in any case.
pub(super) struct Keyword(&'static [u8]);

pub(super) const RELATION: Keyword = Keyword(b"@relation");
pub(super) const ATTRIBUTE: Keyword = Keyword(b"@attribute");
const DATA: Keyword = Keyword(b"@data");
const HIERARCHICAL: Keyword = Keyword(b"hierarchical");

impl Keyword {
    /// Whether a line begins with it.
    pub fn begins(&self, line: &[u8]) -> bool {
        let (word, rest) = line.split_at(self.0.len().min(line.len()));
        let ended = rest.first().is_none_or(|&byte| is_blank(byte) || b"\r%'\"".contains(&byte));
        word.eq_ignore_ascii_case(self.0) && ended
    }
}

/// Reads up to the line with `@data`. Of columns that may hold anything the types do not matter. Classes may be `hierarchical` for
/// those who learn such.
pub(super) fn read(
    source: &mut Source,
    takes_anything: impl Fn(&str) -> bool,
    hierarchical: bool,
) -> Result<Header> {
    let mut columns = Vec::new();
    let mut counted_labels = None;
    let mut ended = false;
    while let Some(line) = source.next_line()? {
        let mut words = Words { line: &line, at: 0 };
        words.skip_blanks();
        if words.is_end() {
            continue;
        }
        let rest = words.rest();
        if RELATION.begins(rest) {
            words.at += RELATION.0.len();
            counted_labels = label_count(&mut words)?.map(|count| CountedLabels { count, line: line.number });
        } else if ATTRIBUTE.begins(rest) {
            words.at += ATTRIBUTE.0.len();
            attribute(&mut words, &takes_anything, hierarchical)?.add_to(&mut columns, &line)?;
        } else if DATA.begins(rest) {
            ended = true;
            break;
        } else {
            return Err(line.error(words.at + 1, "expected @relation, @attribute or @data"));
        }
    }
    if !ended {
        return Err(source.error_on_last_line(0, "the file ends before @data, so it has no rows"));
    }
    if columns.is_empty() {
        return Err(source.error_on_last_line(0, "no @attribute before @data"));
    }
    Ok(Header { columns, counted_labels })
}

/// MEKA's option in a relation's name: `-C n`.
fn label_count(words: &mut Words<'_, '_>) -> Result<Option<i64>> {
    words.skip_blanks();
    let name = match words.peek() {
        Some(b'\'' | b'"') => words.word(is_blank)?.text,
        _ => words.rest().into(),
    };
    let mut parts = name.split(|&byte| is_blank(byte)).filter(|part| !part.is_empty());
    // Weka's filters leave options of their own in the name: one without a number is not MEKA's.
    while let Some(part) = parts.next() {
        if part.eq_ignore_ascii_case(b"-C") {
            let count = parts.next().and_then(|count| std::str::from_utf8(count).ok()?.parse().ok());
            return Ok(count.filter(|&count| count != 0));
        }
    }
    Ok(None)
}

/// What follows `@attribute`: a name and a type.
fn attribute(
    words: &mut Words<'_, '_>,
    takes_anything: impl Fn(&str) -> bool,
    hierarchical: bool,
) -> Result<Column> {
    let line = words.line;
    words.skip_blanks();
    let name = words.word(|byte| is_blank(byte) || byte == b'{')?;
    let place = (line.number, name.start + 1);
    let name = text(line, name)?;
    if name.is_empty() {
        return Err(
            line.error(place.1, "an attribute needs a name and a type, like `@attribute tempo numeric`")
        );
    }
    words.skip_blanks();
    let kind = match words.take(b'{') {
        true => Kind::Nominal(nominal(words)?),
        false if takes_anything(&name) => {
            // Such as a date with its pattern.
            words.at = line.bytes.len();
            Kind::Any
        }
        false if hierarchical && HIERARCHICAL.begins(words.rest()) => Kind::Hierarchy(classes(words)?),
        false => number(words, &name)?,
    };
    words.skip_blanks();
    match words.is_end() {
        true => Ok(Column { name, kind, place }),
        false => Err(line.error(words.at + 1, format!("more text after the type of `{}`", excerpt(&name)))),
    }
}

/// The classes that follow `hierarchical`, as CLUS has them.
fn classes(words: &mut Words<'_, '_>) -> Result<Arc<NodeGraph>> {
    let line = words.line;
    words.at += HIERARCHICAL.0.len();
    words.skip_blanks();
    let start = words.at;
    let word = words.word(|byte| is_blank(byte) || byte == b'%')?;
    let list = text(line, word)?;
    let graph = parse_declared(&list, |entry, problem| {
        let before: usize = list.split(',').take(entry.saturating_sub(1)).map(|entry| entry.len() + 1).sum();
        line.error(start + before + 1, problem)
    })?;
    Ok(Arc::new(graph))
}

fn number(words: &mut Words<'_, '_>, name: &str) -> Result<Kind> {
    let line = words.line;
    let word = words.word(|byte| is_blank(byte) || byte == b'%')?;
    let is = |names: &[&str]| names.iter().any(|name| word.text.eq_ignore_ascii_case(name.as_bytes()));
    if is(&["numeric", "real", "integer"]) {
        return Ok(Kind::Number);
    }
    let (name, found) = (excerpt(name), excerpt(&word.text));
    let problem = if word.text.is_empty() {
        format!("the type of `{name}` is missing: numeric, or its values in braces")
    } else if is(&["string"]) {
        format!(
            "`{name}` is of type string, which is no feature; turn it into word counts (Weka's StringToWordVector does), or leave it out by the option ignore-columns"
        )
    } else if is(&["hierarchical"]) {
        format!(
            "`{name}` is of type hierarchical, which the task hierarchy learns; else leave it out by the option ignore-columns"
        )
    } else if is(&["date", "relational"]) {
        format!(
            "`{name}` is of type {found}, which is no feature; write it as numbers, or leave it out by the option ignore-columns"
        )
    } else {
        format!(
            "`{found}` is not the type of an attribute: numeric, real, integer, or values in braces like {{0,1}}"
        )
    };
    Err(line.error(word.start + 1, problem))
}

/// The values of a nominal attribute, after the brace.
fn nominal(words: &mut Words<'_, '_>) -> Result<Alphabet> {
    let line = words.line;
    let open = words.at;
    let mut values = Alphabet::default();
    words.skip_blanks();
    if words.take(b'}') {
        return Ok(values);
    }
    loop {
        words.skip_blanks();
        let mut word = words.word(|byte| byte == b',' || byte == b'}')?;
        let start = word.start;
        if !word.quoted {
            word.text = word.text.trim_ascii_end().to_vec().into();
            if word.text.is_empty() {
                return Err(line.error(start + 1, "a value is missing between commas"));
            }
        }
        let value = text(line, word)?;
        if values.get(&value).is_some() {
            return Err(line.error(start + 1, format!("the value `{}` is declared twice", excerpt(&value))));
        }
        values.add(&value);
        words.skip_blanks();
        if words.take(b'}') {
            return Ok(values);
        }
        if !words.take(b',') {
            return Err(line.error(open, "the values that begin here have no closing brace on this line"));
        }
    }
}

/// A name or value as text; a model file has names one a line.
fn text(line: &Line<'_>, word: Word<'_>) -> Result<String> {
    let start = word.start;
    match String::from_utf8(word.text.into_owned()) {
        Ok(text) if text.contains(['\n', '\r']) => {
            Err(line.error(start + 1, "a line break in a name or a value; rename it"))
        }
        Ok(text) => Ok(text),
        Err(_) => {
            Err(line.error(start + 1, "this is not UTF-8 text; convert the file, for example with iconv"))
        }
    }
}
