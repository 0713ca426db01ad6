//! Labels of a table that is read for a model: it names them, and knows which columns are its features.
//!
//! No file may talk a model out of a feature, or out of a label whose column is there. What is neither a label nor a
//! feature of the model may be a label that it never saw, if somebody says so.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::super::dataset::{Attributes, Vocabulary};
use super::super::super::dataset_builder::DatasetBuilder;
use super::super::super::source::Source;
use super::super::roles::one_hot_names;
use super::{Claim, Column, CountedLabels, Kind, Witness, checked};
use crate::error::Result;
use crate::shown::excerpt;

/// The columns that a model has as labels, and those beside them that the file itself counts.
pub(super) fn choose(
    source: &Source,
    columns: &[Column],
    counted: Option<CountedLabels>,
    vocabulary: &Vocabulary,
    data: &DatasetBuilder<'_>,
) -> Result<Vec<usize>> {
    // A count that contradicts the model was right for columns in another order.
    let counted = counted.and_then(|counted| counted.columns(columns.len()).ok()).unwrap_or_default();
    let is_possible = !counted.iter().any(|&j| uses(vocabulary, &columns[j]));
    if !data.label_sets() {
        // The names of a model's labels are those of classes; no column has them.
        return Ok(if is_possible { counted } else { Vec::new() });
    }
    let mut names = labels(vocabulary);
    // The model was trained without these; a file may have them or not.
    let ignored = columns.iter().map(|column| &column.name).filter(|name| data.is_ignored(name));
    names.extend(ignored.cloned());
    let mut claim = Claim::by_name(Witness::Model, columns, &names);
    if data.label_lists() {
        // Nodes that are above labels of files need not be labels of files.
        claim.absent.clear();
    }
    let named = checked(source, columns, claim, data)?;
    let agrees = is_possible && !named.is_empty() && named.iter().all(|j| counted.binary_search(j).is_ok());
    Ok(if agrees { counted } else { named })
}

/// Refuses labels that go against a model.
pub(super) fn check(
    source: &Source,
    columns: &[Column],
    claim: &Claim,
    vocabulary: &Vocabulary,
    data: &DatasetBuilder<'_>,
) -> Result<()> {
    if let Some(column) = claim.columns.iter().map(|&j| &columns[j]).find(|c| uses(vocabulary, c)) {
        let name = excerpt(&column.name);
        return Err(source.error(format!(
            "{} names `{name}` as a label, but the model has it as a feature; name the labels with the option label-columns, as in training",
            claim.by
        )));
    }
    if !data.label_sets() || data.label_lists() || matches!(claim.by, Witness::Model) {
        return Ok(());
    }
    let numbers: FxHashMap<&str, usize> =
        columns.iter().enumerate().map(|(j, column)| (column.name.as_str(), j)).collect();
    let absent: FxHashSet<&String> = claim.absent.iter().collect();
    let names = labels(vocabulary);
    // Where no label is there, none is missing. Those that are named but not there are for the caller to refuse.
    let is_left_out = |name: &&String| match numbers.get(name.as_str()) {
        Some(j) => claim.columns.binary_search(j).is_err(),
        None => !claim.columns.is_empty() && !absent.contains(name),
    };
    match names.iter().find(is_left_out) {
        None => Ok(()),
        Some(label) => Err(source.error(format!(
            "{} does not name `{}`, a label of the model: without its column it would count as absent",
            claim.by,
            excerpt(label)
        ))),
    }
}

/// What a model knows as labels, but not as features.
fn labels(vocabulary: &Vocabulary) -> Vec<String> {
    let names = vocabulary.labels.iter().filter(|name| !is_feature(vocabulary, name));
    names.map(str::to_owned).collect()
}

/// Whether a model has a column as a feature, or its values as features.
pub(super) fn uses(vocabulary: &Vocabulary, column: &Column) -> bool {
    // Of a table that is read for a model, only columns whose values it knows are text.
    matches!(column.kind, Kind::Text)
        || is_feature(vocabulary, &column.name)
        || one_hot_names(column).iter().flatten().any(|name| is_feature(vocabulary, name))
}

fn is_feature(vocabulary: &Vocabulary, name: &str) -> bool {
    match &vocabulary.attributes {
        Attributes::Named(names) => names.get(name).is_some(),
        Attributes::Numbered(_) => false,
    }
}
