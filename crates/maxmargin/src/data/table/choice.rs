//! Which columns of a table hold labels.
//!
//! What the user names comes first: the columns of `--label-columns`, or the names in the file of `--labels`. Else the data
//! says so itself: Mulan's XML beside it; a column `class` where rows have one label; MEKA's count in the relation's name
//! (`-C n`), which is the first to be out of date when columns are moved or removed. Where two of these differ, nobody can
//! know which is right, and that is an error.
//!
//! A model knows better than any of them what it was trained on (`model_labels`): columns with the names of its labels are
//! labels, and those of its features are none. Columns are found by name, and all of them must be there; only data to
//! predict may have none.

mod counted;
mod model_labels;

use std::fmt;
use std::path::PathBuf;

use rustc_hash::FxHashMap;

pub(crate) use self::counted::CountedLabels;
use super::super::dataset_builder::DatasetBuilder;
use super::super::label_names;
use super::super::reader::ReadOptions;
use super::super::source::Source;
use super::{Column, Kind};
use crate::error::Result;
use crate::shown::{did_you_mean, escaped_path, excerpt};

/// So many names of columns are told in an error.
const FEW: usize = 3;

/// What a format knows about its labels.
pub(crate) struct LabelChoice<'a> {
    pub options: &'a ReadOptions,
    /// How many labels the file itself counts.
    pub counted: Option<CountedLabels>,
    /// Whether the format keeps the names of labels in a file beside the data, or in a column `class`.
    pub has_conventions: bool,
}

/// What some columns are called labels by.
enum Witness {
    LabelColumns,
    LabelsFile(PathBuf),
    FileBeside(PathBuf),
    ClassColumn(String),
    Counted(CountedLabels),
    Model,
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Witness::LabelColumns => f.write_str("the option label-columns"),
            Witness::LabelsFile(path) | Witness::FileBeside(path) => write!(f, "{}", escaped_path(path)),
            Witness::ClassColumn(name) => write!(f, "the attribute called `{}`", excerpt(name)),
            Witness::Counted(counted) => write!(f, "{counted}"),
            Witness::Model => f.write_str("the model"),
        }
    }
}

/// Columns of labels, and who says so.
struct Claim {
    by: Witness,
    /// In ascending order.
    columns: Vec<usize>,
    /// Those that are named but not there.
    absent: Vec<String>,
}

impl Claim {
    /// The columns with these names.
    fn by_name(by: Witness, columns: &[Column], names: &[String]) -> Self {
        let numbers: FxHashMap<&str, usize> =
            columns.iter().enumerate().map(|(j, c)| (c.name.as_str(), j)).collect();
        let (mut found, mut absent) = (Vec::new(), Vec::new());
        for name in names {
            match numbers.get(name.as_str()) {
                Some(&j) => found.push(j),
                None => absent.push(name.clone()),
            }
        }
        found.sort_unstable();
        found.dedup();
        Self { by, columns: found, absent }
    }
}

/// The columns that hold labels; none when the data has none and needs none.
pub(crate) fn choose_labels(
    source: &Source,
    columns: &[Column],
    choice: LabelChoice<'_>,
    data: &DatasetBuilder<'_>,
) -> Result<Vec<usize>> {
    let label_sets = data.label_sets();
    let labels = match asked_for(columns, choice.options)? {
        Some(claim) => checked(source, columns, claim, data)?,
        None => found(source, columns, choice, data)?,
    };
    match labels.as_slice() {
        [] if data.needs_labels() => Err(source.error(match label_sets {
            true => "which columns are labels? Name them with the option label-columns, or a file with their names (Mulan's XML, or a name a line) with the option labels",
            false => "which column is the label? Name it with the option label-columns",
        })),
        [first, second, ..] if !label_sets => Err(source.error(format!(
            "{} columns are labels (`{}`, `{}`{}), but here each row has one label; rows with several are for a task whose labels are sets",
            labels.len(),
            excerpt(&columns[*first].name),
            excerpt(&columns[*second].name),
            if labels.len() > 2 { ", …" } else { "" },
        ))),
        _ => Ok(labels),
    }
}

/// What the user names.
fn asked_for(columns: &[Column], options: &ReadOptions) -> Result<Option<Claim>> {
    if !options.label_columns.is_empty() {
        return Ok(Some(Claim::by_name(Witness::LabelColumns, columns, &options.label_columns)));
    }
    let Some(file) = &options.labels else {
        let class = options.model_table.class.iter().cloned().collect::<Vec<_>>();
        let class = Claim::by_name(Witness::Model, columns, &class);
        return Ok(
            ((!options.label_sets || options.label_lists) && !class.columns.is_empty()).then_some(class)
        );
    };
    let names = label_names::read(file)?;
    Ok(Some(Claim::by_name(Witness::LabelsFile(file.clone()), columns, &names)))
}

/// The columns that the data itself or a model calls labels.
fn found(
    source: &Source,
    columns: &[Column],
    choice: LabelChoice<'_>,
    data: &DatasetBuilder<'_>,
) -> Result<Vec<usize>> {
    let conventional = match choice.has_conventions {
        true => conventional(source, columns, data)?,
        false => None,
    };
    // A file beside the data that names none of its columns is about other data, if anybody else knows the labels.
    let is_known = data.fixed_vocabulary().is_some() || choice.counted.is_some();
    let conventional = conventional.filter(|claim| !is_known || !claim.columns.is_empty());
    if let Some(vocabulary) = data.fixed_vocabulary() {
        return match conventional {
            Some(claim) => checked(source, columns, claim, data),
            None => model_labels::choose(source, columns, choice.counted, vocabulary, data),
        };
    }
    let Some(counted) = choice.counted else {
        return conventional.map_or(Ok(Vec::new()), |claim| checked(source, columns, claim, data));
    };
    let range = counted.columns(columns.len());
    match (conventional, range) {
        (None, Ok(range)) => Ok(range),
        (None, Err(problem)) => Err(source.error(problem)),
        (Some(claim), Ok(range)) if claim.columns == range => checked(source, columns, claim, data),
        (Some(claim), range) => {
            let counted = Claim {
                by: Witness::Counted(counted),
                columns: range.unwrap_or_default(),
                absent: Vec::new(),
            };
            Err(source.error(disagreement(columns, &claim, &counted)))
        }
    }
}

/// What conventions of Mulan and Weka say: the XML beside the data, or a nominal column `class` where rows have one label.
fn conventional(source: &Source, columns: &[Column], data: &DatasetBuilder<'_>) -> Result<Option<Claim>> {
    let class = match data.label_sets() && !data.label_lists() {
        true => None,
        false => class_column(columns, data),
    };
    let class = class.map(|j| Claim {
        by: Witness::ClassColumn(columns[j].name.clone()),
        columns: vec![j],
        absent: Vec::new(),
    });
    let beside = label_names::beside(source.path());
    let Some(file) = beside.into_iter().find(|path| path.exists()) else { return Ok(class) };
    let named = Claim::by_name(Witness::FileBeside(file.clone()), columns, &label_names::read(&file)?);
    match class {
        None => Ok(Some(named)),
        // The labels of sets; they say nothing about the one label of each row.
        Some(class) if named.columns.len() != 1 => Ok(Some(class)),
        Some(class) if named.columns == class.columns => Ok(Some(named)),
        Some(class) => Err(source.error(disagreement(columns, &named, &class))),
    }
}

/// The column that Weka takes for the class, unless a model has it as a feature.
fn class_column(columns: &[Column], data: &DatasetBuilder<'_>) -> Option<usize> {
    let is_class = |column: &Column| {
        let is_named_so =
            column.name.eq_ignore_ascii_case("class") && matches!(column.kind, Kind::Nominal(_));
        (is_named_so || matches!(column.kind, Kind::Hierarchy(_)))
            && !data.fixed_vocabulary().is_some_and(|vocabulary| model_labels::uses(vocabulary, column))
    };
    columns.iter().position(is_class)
}

/// The columns that somebody names, if they go with the model, and either all of them are there or none need be.
fn checked(
    source: &Source,
    columns: &[Column],
    claim: Claim,
    data: &DatasetBuilder<'_>,
) -> Result<Vec<usize>> {
    if let Some(vocabulary) = data.fixed_vocabulary() {
        model_labels::check(source, columns, &claim, vocabulary, data)?;
    }
    match claim.absent.first() {
        Some(name) if !claim.columns.is_empty() || data.needs_labels() => Err(source.error(format!(
            "no column is called `{}`, which {} names as a label{}",
            excerpt(name),
            claim.by,
            did_you_mean(name, columns.iter().map(|column| column.name.as_str())),
        ))),
        _ => Ok(claim.columns),
    }
}

/// What is wrong when two say different things about labels.
fn disagreement(columns: &[Column], one: &Claim, other: &Claim) -> String {
    format!(
        "which columns are labels? {} says {}, but {} says {}; name them with the option label-columns or the option labels, or mend the one that is out of date",
        one.by,
        listed(columns, one, other),
        other.by,
        listed(columns, other, one),
    )
}

/// The labels of a claim, those first that another one does not have.
fn listed(columns: &[Column], claim: &Claim, other: &Claim) -> String {
    let (shared, own): (Vec<usize>, Vec<usize>) =
        claim.columns.iter().partition(|j| other.columns.binary_search(j).is_ok());
    let here = own.into_iter().chain(shared).map(|j| columns[j].name.as_str());
    let names: Vec<String> = here.chain(claim.absent.iter().map(String::as_str)).map(quoted).collect();
    match names.len() {
        0 => "more of them than there are columns".to_owned(),
        all if all <= FEW => names.join(", "),
        all => format!("{}, … ({all} in all)", names[..FEW].join(", ")),
    }
}

fn quoted(name: &str) -> String {
    format!("`{}`", excerpt(name))
}
