//! Columns of a table that are neither labels nor numbers: those that are left out, weights and names of rows, text.

use serde::{Deserialize, Serialize};

use super::super::dataset_builder::DatasetBuilder;
use super::super::reader::ReadOptions;
use super::super::source::Source;
use super::{Column, Kind, Role};
use crate::error::{Error, Place, Result};
use crate::shown::{did_you_mean, excerpt};

/// What some columns of tables are for, by their names. A model keeps it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableColumns {
    /// Columns that are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
    /// The column with the weight of each row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<String>,
    /// The column with the name of each row, which is passed on to predictions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Columns of csv whose values are names even where they look like numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub text: Vec<String>,
    /// The column with the class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Values of text columns that fewer rows of the training data have are one feature.
    #[serde(skip)]
    pub least_count: usize,
}

impl TableColumns {
    /// The first option that is given.
    pub fn given(&self) -> Option<&'static str> {
        self.named().map(|(option, _)| option).next().or((self.least_count > 1).then_some("rare-values"))
    }

    /// What is said here, and what `other` says of what nothing is said about here.
    pub(crate) fn or(&self, other: &Self) -> Self {
        let or =
            |own: &Vec<String>, other: &Vec<String>| if own.is_empty() { other.clone() } else { own.clone() };
        Self {
            ignored: or(&self.ignored, &other.ignored),
            weight: self.weight.clone().or_else(|| other.weight.clone()),
            id: self.id.clone().or_else(|| other.id.clone()),
            text: or(&self.text, &other.text),
            class: self.class.clone().or_else(|| other.class.clone()),
            least_count: self.least_count,
        }
    }

    /// Whether a column may hold anything, for its cells are no features.
    pub(crate) fn takes_anything(&self, column: &str) -> bool {
        self.id.as_deref() == Some(column) || self.ignored.iter().any(|name| name == column)
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The columns that options name, and what becomes of their cells; none where they still are features.
    fn named(&self) -> impl Iterator<Item = (&'static str, (&String, Option<Role>))> {
        let ignored = self.ignored.iter().map(|name| ("ignore-columns", (name, Some(Role::Ignored))));
        let weight = self.weight.iter().map(|name| ("weight-column", (name, Some(Role::Weight))));
        let id = self.id.iter().map(|name| ("id-column", (name, Some(Role::Id))));
        let text = self.text.iter().map(|name| ("text-columns", (name, None)));
        ignored.chain(weight).chain(id).chain(text)
    }
}

/// The roles of columns that are neither labels nor features. What the user names must be there; what a model keeps need not.
pub(super) fn roles(
    source: &Source,
    columns: &[Column],
    labels: &[usize],
    options: &ReadOptions,
) -> Result<Vec<Option<Role>>> {
    let mut roles: Vec<Option<(Role, &'static str)>> = columns.iter().map(|_| None).collect();
    let numbers: rustc_hash::FxHashMap<&str, usize> =
        columns.iter().enumerate().map(|(j, column)| (column.name.as_str(), j)).collect();
    for (option, (name, role)) in options.table.named() {
        let Some(&j) = numbers.get(name.as_str()) else {
            let meant = did_you_mean(name, columns.iter().map(|column| column.name.as_str()));
            let problem =
                format!("no column is called `{}`, which the option {option} names{meant}", excerpt(name));
            return Err(source.error(problem));
        };
        let other = match &roles[j] {
            Some((_, other)) if *other != option => Some(format!("the option {other} names it as well")),
            _ if labels.binary_search(&j).is_ok() => Some("it is a label".to_owned()),
            _ => None,
        };
        if let Some(other) = other {
            let (line, at) = columns[j].place;
            let problem = format!("the option {option} names `{}`, but {other}", excerpt(name));
            return Err(Error::data(Place::new(source.path(), line, at), problem));
        }
        roles[j] = role.map(|role| (role, option));
    }
    for (option, (name, role)) in options.model_table.named() {
        if let (Some(&j), Some(role)) = (numbers.get(name.as_str()), role)
            && roles[j].is_none()
            && labels.binary_search(&j).is_err()
            && !(option == "id-column" && options.table.id.is_some())
            && !(option == "weight-column" && options.table.weight.is_some())
        {
            roles[j] = Some((role, option));
        }
    }
    Ok(roles.into_iter().map(|role| role.map(|(role, _)| role)).collect())
}

/// Says of which columns the values are names: those that are known by their values, or else those that `looks_like_text`.
pub(crate) fn find_text(
    columns: &mut [Column],
    options: &ReadOptions,
    data: &DatasetBuilder<'_>,
    looks_like_text: impl FnOnce() -> Result<Vec<bool>>,
) -> Result<()> {
    let is_first = data.needs_labels() && data.examples() == 0;
    let is_text = match (is_first, data.column_names()) {
        (false, Some(known)) => known_by_values(columns, known.iter()),
        _ => looks_like_text()?,
    };
    let forced = |column: &Column| {
        let named = [&options.table.text, &options.model_table.text];
        is_first && named.iter().any(|names| names.contains(&column.name))
    };
    for (column, is_text) in columns.iter_mut().zip(is_text) {
        if is_text || forced(column) {
            column.kind = Kind::Text;
        }
    }
    Ok(())
}

/// Whether features are called `column=value` of a column, and none like the column itself.
fn known_by_values<'a>(columns: &[Column], known: impl Iterator<Item = &'a str>) -> Vec<bool> {
    let numbers: rustc_hash::FxHashMap<&str, usize> =
        columns.iter().enumerate().map(|(j, column)| (column.name.as_str(), j)).collect();
    // Lengths first: names may be long and full of `=`.
    let lengths: rustc_hash::FxHashSet<usize> = columns.iter().map(|column| column.name.len()).collect();
    let (mut by_value, mut itself) = (vec![false; columns.len()], vec![false; columns.len()]);
    for name in known {
        if let Some(&j) = numbers.get(name) {
            itself[j] = true;
            continue;
        }
        let ends = name.match_indices('=').map(|(at, _)| at).filter(|at| lengths.contains(at));
        ends.filter_map(|at| numbers.get(&name[..at])).for_each(|&j| by_value[j] = true);
    }
    by_value.into_iter().zip(itself).map(|(value, itself)| value && !itself).collect()
}
