//! What each column of a table is for, and where its values go.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::dataset_builder::DatasetBuilder;
use super::super::source::{Line, Source};
use super::{Column, Kind};
use crate::error::{Error, Place, Result};
use crate::shown::excerpt;

/// The names of all features may not take more memory than this: `name=value` repeats the name for each value.
const MOST_NAME_BYTES: usize = 1 << 28;

/// What becomes of the cells of a column. Feature columns that a model does not know are `None`.
pub(crate) enum Role {
    /// A number goes into this column of the matrix.
    Number(Option<u32>),
    /// Each nominal value has a column of the matrix, which gets a 1.
    OneHot(Vec<Option<u32>>),
    /// The cell says whether the row has this label.
    Label(u32),
    /// The cell is the row's only label.
    Class,
    /// The cell has all labels of the row.
    LabelList,
    /// Each text has a column of the matrix, which gets a 1.
    Text,
    /// The cell is what the row weighs.
    Weight,
    /// The cell is what the row is called.
    Id,
    /// Nothing becomes of it.
    Ignored,
}

impl Role {
    /// Whether cells go into the matrix.
    pub fn is_feature(&self) -> bool {
        matches!(self, Role::Number(_) | Role::OneHot(_) | Role::Text)
    }
}

/// The roles of all columns.
pub(super) fn roles(
    source: &Source,
    columns: &[Column],
    labels: &[usize],
    special: Vec<Option<Role>>,
    data: &mut DatasetBuilder<'_>,
) -> Result<Vec<Role>> {
    let refuse = |column: &Column, problem: String| {
        let (line, at) = column.place;
        Err(Error::data(Place::new(source.path(), line, at), problem))
    };
    let others = special.iter().flatten().count();
    if labels.len() + others == columns.len() {
        return Err(source.error(match others {
            0 => "all columns hold labels, so no column is left for features",
            _ => "all columns hold labels or are for something else, so no column is left for features",
        }));
    }
    let mut is_label = vec![false; columns.len()];
    labels.iter().for_each(|&j| is_label[j] = true);
    let later_file = data.needs_labels() && data.examples() > 0;
    let (mut roles, mut seen, mut bytes) = (Vec::new(), FxHashMap::default(), 0);
    for ((column, is_label), special) in columns.iter().zip(is_label).zip(special) {
        if let Some((line, _)) = seen.insert(column.name.as_str(), column.place) {
            let name = excerpt(&column.name);
            let problem = format!("a second column `{name}`; the first is declared on line {line}");
            return refuse(column, problem);
        }
        let is_list = is_label && data.label_lists() && labels.len() == 1;
        if is_label
            && !is_list
            && let Err(problem) = check_label(column, data.label_sets())
        {
            return refuse(column, problem);
        }
        if let (true, Kind::Hierarchy(graph)) = (is_list, &column.kind)
            && let Err(problem) = data.set_hierarchy(graph)
        {
            return refuse(column, problem.to_owned());
        }
        if is_label
            && !is_list
            && later_file
            && let Err(problem) = check_later_label(column, data)
        {
            return refuse(column, problem);
        }
        if let Some(special) = special {
            roles.push(special);
            continue;
        }
        roles.push(match (is_label, one_hot_names(column)) {
            (true, _) if is_list => Role::LabelList,
            (true, _) if data.label_sets() => Role::Label(data.number_of_label(&column.name)),
            (true, _) => {
                if let Kind::Nominal(values) = &column.kind {
                    values.iter().for_each(|value| data.know_label(value));
                }
                Role::Class
            }
            (false, _) if matches!(column.kind, Kind::Text) => {
                data.know_text_column(&column.name);
                Role::Text
            }
            (false, names) => {
                let known = data.column_names();
                let mut all = names.iter().flatten().chain(names.is_none().then_some(&column.name));
                if later_file
                    && let Some(new) = all.find(|name| known.and_then(|known| known.get(name)).is_none())
                {
                    return refuse(
                        column,
                        format!("the column `{}` is not in the files before this one", excerpt(new)),
                    );
                }
                bytes += names.as_ref().map_or(0, |names| names.iter().map(String::len).sum());
                if bytes > MOST_NAME_BYTES {
                    let problem = format!(
                        "too many nominal values: `name=value` would take more than {MOST_NAME_BYTES} bytes"
                    );
                    return refuse(column, problem);
                }
                match names {
                    None => Role::Number(data.column_of(&column.name)),
                    Some(names) => Role::OneHot(names.iter().map(|name| data.column_of(name)).collect()),
                }
            }
        });
    }
    if later_file && data.label_sets() && !data.label_lists() {
        check_labels_there(source, columns, &roles, data)?;
    }
    if data.fixed_vocabulary().is_some()
        && let Some((j, problem)) = other_kind(columns, &roles, data)
    {
        return refuse(&columns[j], problem);
    }
    if let Err((j, problem)) = check_text_names(columns, &roles) {
        return refuse(&columns[j], problem);
    }
    // The feature `a=b` of a nominal column `a` must not be another column as well.
    for (column, role) in columns.iter().zip(&roles) {
        if let (Role::OneHot(_), Some(names)) = (role, one_hot_names(column))
            && let Some(name) = names.iter().find(|name| seen.contains_key(name.as_str()))
        {
            return refuse(
                column,
                format!("its feature `{}` has the name of another column; rename one", excerpt(name)),
            );
        }
    }
    Ok(roles)
}

/// Checks that no feature can be a value of two text columns, as `a=b=c` of `a` and of `a=b`.
fn check_text_names(columns: &[Column], roles: &[Role]) -> std::result::Result<(), (usize, String)> {
    let text = || columns.iter().zip(roles).enumerate().filter(|(_, (_, role))| matches!(role, Role::Text));
    let names: FxHashSet<&str> = text().map(|(_, (column, _))| column.name.as_str()).collect();
    let lengths: FxHashSet<usize> = names.iter().map(|name| name.len()).collect();
    for (j, (Column { name, .. }, _)) in text() {
        let mut ends = name.match_indices('=').map(|(at, _)| at).filter(|at| lengths.contains(at));
        if let Some(at) = ends.find(|&at| names.contains(&name[..at])) {
            let (name, other) = (excerpt(name), excerpt(&name[..at]));
            return Err((
                j,
                format!("values of `{name}` could be taken for values of `{other}`; rename one"),
            ));
        }
    }
    Ok(())
}

/// Checks that a column can hold what labels are.
fn check_label(column: &Column, label_sets: bool) -> std::result::Result<(), String> {
    let Column { name, kind, .. } = column;
    match kind {
        Kind::Nominal(values) if label_sets => match values.iter().find(|value| truth(value).is_none()) {
            None => Ok(()),
            Some(value) => Err(format!(
                "the label `{}` can be `{}`, but a label of a set is there (1) or not (0)",
                excerpt(name),
                excerpt(value)
            )),
        },
        Kind::Number if !label_sets => {
            let name = excerpt(name);
            Err(format!("the class `{name}` is declared as a number; declare its values, like {{a,b,c}}"))
        }
        _ => Ok(()),
    }
}

/// Checks that a label of a second file was one in the first.
fn check_later_label(column: &Column, data: &DatasetBuilder<'_>) -> std::result::Result<(), String> {
    let name = &column.name;
    let is_feature = |name: &String| data.column_names().is_some_and(|known| known.get(name).is_some());
    let is_text = matches!(column.kind, Kind::Text);
    if is_text || is_feature(name) || one_hot_names(column).iter().flatten().any(is_feature) {
        return Err(format!("`{name}` is a label here, but a feature in the files before this one"));
    }
    match data.label_sets() && !data.knows_label(name) {
        true => Err(format!("the label `{name}` is not in the files before this one")),
        false => Ok(()),
    }
}

/// Checks that a second file has all labels of the first: without its column a label would count as absent.
fn check_labels_there(
    source: &Source,
    columns: &[Column],
    roles: &[Role],
    data: &DatasetBuilder<'_>,
) -> Result<()> {
    let labels = columns.iter().zip(roles).filter(|(_, role)| matches!(role, Role::Label(_)));
    let here: FxHashSet<&str> = labels.map(|(column, _)| column.name.as_str()).collect();
    match data.label_names().find(|name| !here.contains(name)) {
        None => Ok(()),
        Some(name) => {
            Err(source
                .error(format!("the files before this one have a label `{name}`, which is missing here")))
        }
    }
}

/// A column that a model has as a number and the file as names of values, or the other way round: its features would be
/// lost. Also what to say about it.
fn other_kind(columns: &[Column], roles: &[Role], data: &DatasetBuilder<'_>) -> Option<(usize, String)> {
    let known = data.column_names()?;
    let (mut numbers, mut strange) = (FxHashSet::default(), FxHashMap::default());
    for (j, (column, role)) in columns.iter().zip(roles).enumerate() {
        let name = column.name.as_str();
        match role {
            Role::OneHot(_) if known.get(name).is_some() => {
                let problem = format!("`{name}` has names of values here, but the model has it as a number");
                return Some((j, problem));
            }
            Role::Number(Some(_)) => _ = numbers.insert(name),
            Role::Number(None) => _ = strange.insert(name, j),
            _ => {}
        }
    }
    if strange.is_empty() {
        return None;
    }
    // Lengths first: names may be long and full of `=`.
    let lengths: FxHashSet<usize> = strange.keys().map(|name| name.len()).collect();
    let column_of = |name: &str| {
        let mut ends = name.match_indices('=').map(|(at, _)| at).filter(|at| lengths.contains(at));
        ends.find_map(|at| strange.get(&name[..at]).copied())
    };
    let of_values = known.iter().filter(|name| !numbers.contains(name));
    let (j, value) = of_values.filter_map(|name| Some((column_of(name)?, name))).next()?;
    let name = &columns[j].name;
    Some((j, format!("`{name}` is a number here, but the model has features of its values, like `{value}`")))
}

/// The features of a nominal column, unless it counts as a number.
pub(super) fn one_hot_names(column: &Column) -> Option<Vec<String>> {
    match &column.kind {
        Kind::Nominal(values) if !values.iter().all(|value| value == "0" || value == "1") => {
            // Only as many as fit: the limit on their bytes is checked by the caller.
            let most = MOST_NAME_BYTES / (column.name.len() + 1) + 1;
            Some(values.iter().take(most + 1).map(|value| format!("{}={value}", column.name)).collect())
        }
        _ => None,
    }
}

/// Whether a label with this value is there.
pub(crate) fn truth(value: &str) -> Option<bool> {
    match value {
        "1" => Some(true),
        "0" => Some(false),
        _ if value.eq_ignore_ascii_case("true") => Some(true),
        _ if value.eq_ignore_ascii_case("false") => Some(false),
        _ => match value.parse::<f64>() {
            Ok(1.0) => Some(true),
            Ok(0.0) => Some(false),
            _ => None,
        },
    }
}

/// Checks that a table with dense rows has all columns that are known: a column that is not there is not 0.
pub(super) fn check_all_there(
    line: &Line<'_>,
    columns: &[Column],
    roles: &[Role],
    data: &DatasetBuilder<'_>,
) -> Result<()> {
    let Some(known) = data.column_names() else { return Ok(()) };
    let (mut numbers, mut nominal) = (FxHashSet::default(), FxHashSet::default());
    for (column, role) in columns.iter().zip(roles) {
        match role {
            Role::Number(_) => _ = numbers.insert(column.name.as_str()),
            Role::OneHot(_) | Role::Text => _ = nominal.insert(column.name.as_str()),
            _ => {}
        }
    }
    // A nominal column need not declare every value that others do. Lengths first: names may be long and full of `=`.
    let lengths: FxHashSet<usize> = nominal.iter().map(|name| name.len()).collect();
    let is_value = |name: &str| {
        name.match_indices('=').any(|(at, _)| lengths.contains(&at) && nominal.contains(&name[..at]))
    };
    match known.iter().find(|&name| !numbers.contains(name) && !is_value(name)) {
        None => Ok(()),
        Some(name) => {
            let before = if data.needs_labels() {
                "the files before this one have"
            } else {
                "the model was trained with"
            };
            Err(line.error(0, format!("{before} a column `{}`, which is missing here", excerpt(name))))
        }
    }
}
