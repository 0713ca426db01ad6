//! Whether a file is columns of text, or CRFsuite's format, where labels come first and attributes follow.
//!
//! Columns are the same number on every line, the last one a label: it has tags such as `B-NP`, or few values that come again and
//! again. In CRFsuite's format the first field is so. Where both are, nobody can tell.

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
    let mut text = String::from_utf8_lossy(start);
    if !is_whole {
        let Some(end) = text.rfind('\n') else { return Recognised::Neither };
        text = text[..end].to_owned().into();
    }
    let lines = || text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with(DOCUMENT));
    let Some(first) = lines().find(|line| !line.starts_with('#')).or(lines().next()) else {
        return Recognised::Neither;
    };
    let layout = Layout::of_line(first);
    let is_comment = |line: &&str| line.starts_with('#') && layout.fields(line).count() != layout.columns;
    let tokens = || lines().filter(|line| !is_comment(line));
    // A file may have a slip, which the reader finds.
    let (all, odd) = tokens().fold((0, 0), |(all, odd), line| {
        (all + 1, odd + usize::from(layout.fields(line).count() != layout.columns))
    });
    if layout.columns < 2 || odd * 100 > all || first.starts_with(['\t', '@']) {
        return Recognised::Neither;
    }
    // After its label, a line of SVMlight's format goes on with a feature.
    let is_svmlight =
        |line: &&str| line.split_ascii_whitespace().nth(1).is_some_and(|field| is_feature(field.as_bytes()));
    if 2 * tokens().filter(is_svmlight).count() >= all {
        return Recognised::Neither;
    }
    // Tables have commas or semicolons in every line, and names with values are attributes.
    if [',', ';'].iter().any(|&sign| tokens().all(|line| line.contains(sign))) {
        return Recognised::Neither;
    }
    let is_attribute = |field: &str| {
        field.contains('=') || field.split_once(':').is_some_and(|(_, v)| v.parse::<f64>().is_ok())
    };
    let fields = || tokens().flat_map(|line| layout.fields(line).skip(1));
    if 2 * fields().filter(|field| is_attribute(field)).count() >= fields().count() {
        return Recognised::Neither;
    }
    // Numbers are rows of a table, whose columns are no words.
    let inputs = || tokens().flat_map(|line| layout.fields(line).take(layout.columns - 1));
    if 2 * inputs().filter(|field| field.parse::<f64>().is_ok()).count() >= inputs().count() {
        return Recognised::Neither;
    }
    let labels = Column::of(tokens().filter_map(|line| layout.fields(line).nth(layout.columns - 1)));
    let words = Column::of(tokens().filter_map(|line| layout.fields(line).next()));
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
