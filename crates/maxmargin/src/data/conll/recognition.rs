//! Whether a file is columns of text, or CRFsuite's format, where labels come first and attributes follow.
//!
//! Columns are the same number on every line, the last one a label: it has tags such as `B-NP`, or few values that come again and
//! again. In CRFsuite's format the first field is so. Where both are, nobody can tell.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use super::super::svmlight::is_feature;
use super::super::tags::Tag;
use super::layout::{DOCUMENT, Layout};

/// What the beginning of a file looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Recognised {
    Columns,
    /// Columns, or the attributes of CRFsuite.
    Either,
    Neither,
}

/// Looks at the beginning of a file, whose last line may be cut off.
pub(crate) fn recognise(start: &[u8], is_whole: bool) -> Recognised {
    let Some((text, layout)) = beginning(start, is_whole) else { return Recognised::Neither };
    let lines = || tokens(&text);
    let is_comment = |line: &&str| line.starts_with('#') && layout.fields(line).count() != layout.columns;
    let rows = || lines().filter(|line| !is_comment(line));
    // A file may have a slip, which the reader finds.
    let (all, odd) = rows().fold((0, 0), |(all, odd), line| {
        (all + 1, odd + usize::from(layout.fields(line).count() != layout.columns))
    });
    let has_sign = |line: &str| line.starts_with(['\t', '@']);
    if layout.columns < 2 || odd * 100 > all || rows().next().is_some_and(has_sign) {
        return Recognised::Neither;
    }
    // After its label, a line of SVMlight's format goes on with a feature.
    let is_svmlight =
        |line: &&str| line.split_ascii_whitespace().nth(1).is_some_and(|field| is_feature(field.as_bytes()));
    if 2 * rows().filter(is_svmlight).count() >= all {
        return Recognised::Neither;
    }
    // Tables have commas or semicolons in every line, and names with values are attributes.
    if [',', ';'].iter().any(|&sign| rows().all(|line| line.contains(sign))) {
        return Recognised::Neither;
    }
    let fields = || rows().flat_map(|line| layout.fields(line).skip(1));
    if 2 * fields().filter(|field| is_attribute(field)).count() >= fields().count() {
        return Recognised::Neither;
    }
    // Numbers are rows of a table, whose columns are no words.
    let inputs = || rows().flat_map(|line| layout.fields(line).take(layout.columns - 1));
    if 2 * inputs().filter(|field| field.parse::<f64>().is_ok()).count() >= inputs().count() {
        return Recognised::Neither;
    }
    let labels = Column::of(rows().filter_map(|line| layout.fields(line).nth(layout.columns - 1)));
    let words = Column::of(rows().filter_map(|line| layout.fields(line).next()));
    let shows = |one: &Column, other: &Column| {
        one.are_tags && !other.are_tags || one.repeats && !other.repeats && one.are_tags == other.are_tags
    };
    match layout.tabs {
        false if labels.are_tags || labels.repeats => Recognised::Columns,
        false => Recognised::Neither,
        true if shows(&labels, &words) => Recognised::Columns,
        true if shows(&words, &labels) => Recognised::Neither,
        true => Recognised::Either,
    }
}

/// Whether lines are those of CRFsuite: fields with tabs between, of which those behind the first one, and the last of each line, are mostly attributes.
pub(crate) fn has_attributes(start: &[u8], is_whole: bool) -> bool {
    let Some((text, layout)) = beginning(start, is_whole).filter(|(_, layout)| layout.tabs) else {
        return false;
    };
    let lines = || tokens(&text).filter(|line| line.contains('\t'));
    let of_lines = || lines().map(|line| layout.fields(line).skip(1));
    let fields = || of_lines().flatten();
    let mostly = |attributes: usize, all: usize| all > 0 && 2 * attributes >= all;
    mostly(fields().filter(|field| is_attribute(field)).count(), fields().count())
        && mostly(
            of_lines().filter_map(Iterator::last).filter(|field| is_attribute(field)).count(),
            lines().count(),
        )
}

/// Whether the first column has tags of chunks, and the last one, where labels are, has none.
pub(crate) fn label_is_first(start: &[u8], is_whole: bool) -> bool {
    let Some((text, layout)) = beginning(start, is_whole) else { return false };
    let lines = || tokens(&text).filter(|line| layout.fields(line).count() == layout.columns);
    let column = |k: usize| Column::of(lines().filter_map(|line| layout.fields(line).nth(k)));
    layout.columns > 1 && column(0).are_tags && !column(layout.columns - 1).are_tags
}

/// The whole lines at the beginning of a file, and how the first token is laid out.
fn beginning(start: &[u8], is_whole: bool) -> Option<(Cow<'_, str>, Layout)> {
    let mut text = String::from_utf8_lossy(start);
    if !is_whole {
        text = text[..text.rfind('\n')?].to_owned().into();
    }
    let first = tokens(&text).find(|line| !line.starts_with('#')).or(tokens(&text).next())?;
    let layout = Layout::of_line(first);
    Some((text, layout))
}

/// Lines that are no blank and begin no document.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with(DOCUMENT))
}

/// Whether a field is a name with a value.
fn is_attribute(field: &str) -> bool {
    field.contains('=') || field.split_once(':').is_some_and(|(_, value)| value.parse::<f64>().is_ok())
}

/// What the entries of a column are like.
struct Column {
    are_tags: bool,
    repeats: bool,
}

impl Column {
    fn of<'a>(entries: impl Iterator<Item = &'a str>) -> Self {
        let (mut values, mut count) = (FxHashSet::default(), 0);
        entries.for_each(|entry| {
            values.insert(entry);
            count += 1;
        });
        let are_tags = values.iter().all(|value| Tag::of(value).is_some())
            && values.iter().any(|value| value.starts_with("B-") || value.starts_with("I-") || *value == "O");
        Self { are_tags, repeats: 2 * values.len() <= count }
    }
}
