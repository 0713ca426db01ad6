//! Which columns of a table hold labels.
//!
//! In this order: the columns that `--label-columns` names; the names in the file of `--labels`; those that the file counts
//! itself (MEKA's `-C n`); a column `class` where rows have one label; Mulan's XML beside the data; the columns that have
//! the names of a model's labels. Columns are found by name, and all of them must be there; only data to predict may have none.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::super::dataset::{Attributes, Vocabulary};
use super::super::gather::Gathering;
use super::super::label_names;
use super::super::reader::ReadOptions;
use super::super::source::Source;
use super::{Column, Kind};
use crate::error::Result;
use crate::shown::{escaped_path, excerpt};

/// What a format knows about its labels.
pub(crate) struct LabelChoice<'a> {
    pub options: &'a ReadOptions,
    /// The columns that the file itself counts as labels.
    pub counted: Option<Vec<usize>>,
    /// Whether the format keeps the names of labels in a file beside the data, or in a column `class`.
    pub has_conventions: bool,
}

/// The columns that hold labels; none when the data has none and needs none.
pub(crate) fn choose_labels(
    source: &Source,
    columns: &[Column],
    choice: LabelChoice<'_>,
    data: &Gathering<'_>,
) -> Result<Vec<usize>> {
    let label_sets = data.label_sets();
    let labels = chosen(source, columns, choice, data)?;
    match labels.as_slice() {
        [] if data.needs_labels() => Err(source.error(match label_sets {
            true => "which columns are labels? Name them with --label-columns, or a file with their names (Mulan's XML, or a name a line) with --labels",
            false => "which column is the label? Name it with --label-columns",
        })),
        [first, second, ..] if !label_sets => Err(source.error(format!(
            "{} columns are labels (`{}`, `{}`{}), but here each row has one label; rows with several are for the task multilabel",
            labels.len(),
            excerpt(&columns[*first].name),
            excerpt(&columns[*second].name),
            if labels.len() > 2 { ", …" } else { "" },
        ))),
        _ => Ok(labels),
    }
}

fn chosen(
    source: &Source,
    columns: &[Column],
    choice: LabelChoice<'_>,
    data: &Gathering<'_>,
) -> Result<Vec<usize>> {
    let LabelChoice { options, counted, has_conventions } = choice;
    if !options.label_columns.is_empty() {
        return by_name(source, columns, &options.label_columns, Path::new("--label-columns"), data);
    }
    if let Some(file) = &options.labels {
        return by_name(source, columns, &label_names::read(file)?, file, data);
    }
    if let Some(counted) = counted {
        return Ok(counted);
    }
    if has_conventions {
        let is_class = |column: &Column| {
            column.name.eq_ignore_ascii_case("class") && matches!(column.kind, Kind::Nominal(_))
        };
        if !data.label_sets()
            && let Some(class) = columns.iter().position(is_class)
        {
            return Ok(vec![class]);
        }
        if let Some(file) = label_names::beside(source.path()).iter().find(|path| path.exists()) {
            return by_name(source, columns, &label_names::read(file)?, file, data);
        }
    }
    match data.fixed_vocabulary() {
        Some(vocabulary) if data.label_sets() => {
            let mut names = labels_of_model(vocabulary);
            // The model was trained without these; a file may have them or not.
            let ignored = columns.iter().map(|column| &column.name).filter(|name| data.is_ignored(name));
            names.extend(ignored.cloned());
            by_name(source, columns, &names, Path::new("the model"), data)
        }
        _ => Ok(Vec::new()),
    }
}

/// The columns with these names, which `from` gave.
fn by_name(
    source: &Source,
    columns: &[Column],
    names: &[String],
    from: &Path,
    data: &Gathering<'_>,
) -> Result<Vec<usize>> {
    let numbers: FxHashMap<&str, usize> =
        columns.iter().enumerate().map(|(j, c)| (c.name.as_str(), j)).collect();
    let mut found: Vec<usize> = names.iter().filter_map(|name| numbers.get(name.as_str()).copied()).collect();
    found.sort_unstable();
    found.dedup();
    if let Some(vocabulary) = data.fixed_vocabulary().filter(|_| data.label_sets() && !found.is_empty()) {
        let named = |label: &String| names.contains(label);
        if let Some(label) = labels_of_model(vocabulary).into_iter().find(|label| !named(label)) {
            let problem = format!(
                "{} does not name `{}`, a label of the model: without its column it would count as absent",
                escaped_path(from),
                excerpt(&label)
            );
            return Err(source.error(problem));
        }
    }
    let absent = names.iter().find(|name| !numbers.contains_key(name.as_str()));
    match absent {
        Some(name) if !found.is_empty() || data.needs_labels() => Err(source.error(format!(
            "no column is called `{}`, which {} names as a label",
            excerpt(name),
            escaped_path(from)
        ))),
        _ => Ok(found),
    }
}

/// What a model knows as labels, but not as features.
fn labels_of_model(vocabulary: &Vocabulary) -> Vec<String> {
    let is_feature = |name: &str| match &vocabulary.attributes {
        Attributes::Named(names) => names.get(name).is_some(),
        Attributes::Numbered(_) => false,
    };
    vocabulary.labels.iter().filter(|name| !is_feature(name)).map(str::to_owned).collect()
}
