//! Tables: files whose header names their columns (ARFF and CSV), and what each column is for.
//!
//! A [`Column`] is what a header declares; its [`Role`] says what becomes of its cells. Numbers are features, and so are
//! nominal columns whose values are 0 and 1; other nominal columns become a feature `name=value` for each of their values, and so do
//! columns of text, whose values nobody declares.
//! Label columns hold 0 or 1 where rows have sets of labels, or the class where they have one label; `choice` decides
//! which these are. Columns are known by name: a later file may order them in another way.
//!
//! Where rows are sparse, a column that a row leaves out has its first declared value, as Weka has it, so nominal columns
//! whose first value is not 0 fill rows up. Their number is bounded by the size of the file.

mod choice;
mod roles;
mod special;
mod values;

pub(crate) use choice::{CountedLabels, LabelChoice, choose_labels};
pub(crate) use roles::truth;
use roles::{Role, roles};
pub use special::TableColumns;
pub(crate) use special::find_text;
pub(crate) use values::settle as settle_text_values;
use values::{MISSING, OTHER};

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::NodeGraph;
use super::alphabet::Alphabet;
use super::dataset_builder::DatasetBuilder;
use super::number::{finite_cell, weight};
use super::reader::{Missing, ReadOptions};
use super::source::{Line, Source};
use crate::error::Result;
use crate::shown::excerpt;

/// How many values that no text stands for a file may add up to, for each of its bytes and beside them.
const FILLED_PER_BYTE: usize = 16;
const FILLED_BESIDE: usize = 1 << 20;

/// A table has at most so many columns, two million: each takes some hundred bytes beside its values.
pub(crate) const MOST_COLUMNS: usize = 1 << 21;

/// Of each value that is declared instead, an error shows at most so many characters.
const MOST_OF_A_VALUE: usize = 20;

/// A column as its file declares it.
pub(crate) struct Column {
    pub name: String,
    pub kind: Kind,
    /// Where it is declared: line and column, from 1.
    pub place: (usize, usize),
}

impl Column {
    /// Adds a column to those that are declared before it on this line or earlier ones, unless there are too many.
    pub fn add_to(self, columns: &mut Vec<Column>, line: &Line<'_>) -> Result<()> {
        if columns.len() == MOST_COLUMNS {
            let problem = format!("more than {MOST_COLUMNS} columns; write data that is so wide as svmlight");
            return Err(line.error(self.place.1, problem));
        }
        columns.push(self);
        Ok(())
    }
}

/// What the cells of a column may hold.
pub(crate) enum Kind {
    Number,
    /// One of these values.
    Nominal(Alphabet),
    /// Nothing is declared: numbers, or the class.
    Any,
    /// Nothing is declared, and values are names.
    Text,
    /// Lists of these classes.
    Hierarchy(Arc<NodeGraph>),
}

/// A table whose columns have their roles.
pub(crate) struct Table {
    pub columns: Vec<Column>,
    roles: Vec<Role>,
    /// The columns whose value is not 0 where a sparse row leaves them out.
    pub filled_up: Vec<usize>,
    features: usize,
    has_labels: bool,
    missing: Missing,
    /// Whether a label of the open row is not known.
    unknown: bool,
    /// What the open row weighs by a column.
    weight: f64,
    /// The name of the feature that a text is.
    feature: String,
    /// The names of columns that such a feature could have.
    clashing: FxHashSet<String>,
    filled: usize,
    may_be_filled: usize,
}

impl Table {
    /// Gives columns their roles; `labels` are the columns with labels, if there are any.
    pub fn new(
        source: &Source,
        columns: Vec<Column>,
        labels: &[usize],
        options: &ReadOptions,
        data: &mut DatasetBuilder<'_>,
    ) -> Result<Self> {
        let special = special::roles(source, &columns, labels, options)?;
        let roles = roles(source, &columns, labels, special, data)?;
        let is_filled = |j: &usize| match &columns[*j].kind {
            Kind::Number | Kind::Any | Kind::Text | Kind::Hierarchy(_) => false,
            Kind::Nominal(values) => match &roles[*j] {
                Role::Class | Role::LabelList | Role::OneHot(_) | Role::Id | Role::Weight => true,
                Role::Ignored | Role::Text => false,
                Role::Number(_) | Role::Label(_) => values.iter().next().and_then(truth) != Some(false),
            },
        };
        let filled_up = (0..columns.len()).filter(is_filled).collect();
        let features = roles.iter().filter(|role| role.is_feature()).count();
        let missing = options.missing;
        let clashing = columns.iter().map(|column| &column.name).filter(|name| name.contains('=')).cloned();
        let clashing = clashing.collect();
        Ok(Self {
            columns,
            roles,
            filled_up,
            features,
            has_labels: !labels.is_empty(),
            missing,
            unknown: false,
            weight: 1.0,
            feature: String::new(),
            clashing,
            filled: 0,
            may_be_filled: FILLED_BESIDE,
        })
    }

    /// Says whether the rows that follow are dense, which must fit what was read before.
    pub fn begin_rows(&self, line: &Line<'_>, dense: bool, data: &mut DatasetBuilder<'_>) -> Result<()> {
        if dense {
            roles::check_all_there(line, &self.columns, &self.roles, data)?;
            // The values of text are not known yet.
            if !data.needs_labels() || !self.roles.iter().any(|role| matches!(role, Role::Text)) {
                data.set_dense(self.features);
            }
        } else if data.is_dense() {
            return Err(line.error(1, "this file has sparse rows, but the files before it have dense ones"));
        }
        Ok(())
    }

    /// Allows what a line of text may be filled up with.
    pub fn count_line(&mut self, line: &Line<'_>) {
        self.may_be_filled = self.may_be_filled.saturating_add(FILLED_PER_BYTE * (line.bytes.len() + 1));
    }

    /// Whether the cells of column `j` are what they are: none of their values stands for a missing one.
    pub fn is_literal(&self, j: usize) -> bool {
        matches!(self.roles[j], Role::Class | Role::LabelList | Role::Id | Role::Ignored)
    }

    /// Adds the cell of column `j` to the open row; its text begins `at` bytes into the line.
    pub fn cell(
        &mut self,
        line: &Line<'_>,
        at: usize,
        j: usize,
        text: &[u8],
        data: &mut DatasetBuilder<'_>,
    ) -> Result<()> {
        match &self.roles[j] {
            Role::Number(None) if self.is_undeclared(j) => data.known_column(None, 0.0),
            Role::Number(column) => {
                let value = match (&self.columns[j].kind, text) {
                    (_, b"0") => 0.0,
                    (_, b"1") => 1.0,
                    (Kind::Nominal(values), _) => return Err(self.undeclared(line, at, j, text, values)),
                    (_, _) => finite_cell(line, at, text, &self.columns[j].name)?,
                };
                data.known_column(*column, value);
            }
            Role::Text => {
                let value = match self.checked_text(line, at, j, text) {
                    Ok(value) => value,
                    Err(error) if data.needs_labels() => return Err(error),
                    // No model knows it.
                    Err(_) => OTHER,
                };
                self.text_value(line, at, j, value, data)?;
            }
            Role::Id => data.id(self.checked_text(line, at, j, text)?),
            Role::Weight => self.weight = weight(line, at, text)?,
            Role::Ignored => {}
            Role::OneHot(columns) => {
                let value = self.nominal(line, at, j, text)?;
                data.known_column(columns[value as usize], 1.0);
            }
            Role::Label(label) => {
                if let Kind::Nominal(_) = self.columns[j].kind {
                    self.nominal(line, at, j, text)?;
                }
                match std::str::from_utf8(text).ok().and_then(truth) {
                    Some(true) => data.add_numbered_label(*label),
                    Some(false) => {}
                    None => {
                        let (text, name) = (excerpt(text), excerpt(&self.columns[j].name));
                        let remedy = match data.label_lists() {
                            true => {
                                ", as columns of several labels have; levels of a hierarchy go into one column, as a path a/b/c"
                            }
                            false => "",
                        };
                        let problem = format!("the label `{name}` is `{text}`: expected 0 or 1{remedy}");
                        return Err(line.error(at + 1, problem));
                    }
                }
            }
            Role::LabelList => {
                if let Kind::Nominal(_) = self.columns[j].kind {
                    self.nominal(line, at, j, text)?;
                }
                label_list(line, at, text, data)?;
            }
            Role::Class => {
                if let Kind::Nominal(_) = self.columns[j].kind {
                    self.nominal(line, at, j, text)?;
                }
                match std::str::from_utf8(text) {
                    Ok(name) if !name.contains(['\n', '\r']) => data.label_or_candidates(line, at, name)?,
                    _ => return Err(line.error(at + 1, "a class is UTF-8 text without line breaks")),
                }
            }
        }
        Ok(())
    }

    /// Adds a cell whose value is missing.
    pub fn missing_cell(
        &mut self,
        line: &Line<'_>,
        at: usize,
        j: usize,
        data: &mut DatasetBuilder<'_>,
    ) -> Result<()> {
        let name = excerpt(&self.columns[j].name);
        match &self.roles[j] {
            Role::Label(label) if data.has_open_labels() => _ = data.add_open_number(*label),
            Role::Label(_) | Role::LabelList | Role::Class if data.needs_labels() => {
                return Err(line.error(at + 1, format!("the label `{name}` is missing in this row")));
            }
            Role::Label(_) | Role::LabelList => self.unknown = true,
            Role::Class => data.no_label(),
            Role::Ignored => {}
            Role::Id => data.id(""),
            Role::Weight if data.needs_labels() => {
                return Err(line.error(at + 1, format!("the weight `{name}` is missing in this row")));
            }
            Role::Weight => {}
            Role::Number(None) if self.is_undeclared(j) => data.known_column(None, 0.0),
            Role::Number(_) | Role::OneHot(_) | Role::Text if self.missing == Missing::Refuse => {
                let problem = format!(
                    "the value of `{name}` is missing; to put in the column's mean or 0, give the option missing=mean or the option missing=zero in training"
                );
                return Err(line.error(at + 1, problem));
            }
            Role::Number(column) => data.known_column(*column, f64::NAN),
            // There is no end of values of which each could be a little there: to be missing is one of them.
            Role::Text => self.text_value(line, at, j, MISSING, data)?,
            Role::OneHot(columns) => {
                columns.iter().for_each(|&column| data.known_column(column, f64::NAN));
                self.filled += columns.len();
                self.check_filled(line, at)?;
            }
        }
        Ok(())
    }

    /// The feature that a value of a text column is.
    fn text_value(
        &mut self,
        line: &Line<'_>,
        at: usize,
        j: usize,
        value: &str,
        data: &mut DatasetBuilder<'_>,
    ) -> Result<()> {
        let name = &self.columns[j].name;
        let mut column_of = |value: &str| {
            self.feature.clear();
            self.feature.extend([name.as_str(), "=", value]);
            data.column_of(&self.feature)
        };
        let column = column_of(value).or_else(|| column_of(OTHER));
        if !self.clashing.is_empty() && self.clashing.contains(&self.feature) {
            let feature = excerpt(&self.feature);
            let problem = format!("its feature `{feature}` has the name of another column; rename one");
            return Err(line.error(at + 1, problem));
        }
        data.known_column(column, 1.0);
        Ok(())
    }

    /// The text of a cell.
    fn checked_text<'t>(&self, line: &Line<'_>, at: usize, j: usize, text: &'t [u8]) -> Result<&'t str> {
        match std::str::from_utf8(text) {
            Ok(text) if !text.contains(['\n', '\r']) => Ok(text),
            _ => {
                let name = excerpt(&self.columns[j].name);
                Err(line.error(at + 1, format!("a value of `{name}` that is not UTF-8 text without line breaks; leave the column out by the option ignore-columns, or mend it")))
            }
        }
    }

    /// Whether nothing is declared of a column, so that one which the model does not know may hold anything, such as remarks.
    fn is_undeclared(&self, j: usize) -> bool {
        matches!(self.columns[j].kind, Kind::Any)
    }

    /// Adds the value that column `j` has where a sparse row leaves it out.
    pub fn left_out_cell(&mut self, line: &Line<'_>, j: usize, data: &mut DatasetBuilder<'_>) -> Result<()> {
        self.filled += 1;
        self.check_filled(line, 0)?;
        let Kind::Nominal(values) = &self.columns[j].kind else { return Ok(()) };
        let first = values.iter().next().unwrap_or_default().to_owned();
        self.cell(line, 0, j, first.as_bytes(), data)
    }

    fn check_filled(&self, line: &Line<'_>, at: usize) -> Result<()> {
        match self.filled <= self.may_be_filled {
            true => Ok(()),
            false => Err(line.error(
                at + 1,
                "short rows of long nominal columns: they would fill the memory; declare 0 as the first value of columns that are mostly left out",
            )),
        }
    }

    /// Ends the open row, which is an example of its own.
    pub fn end_row(&mut self, weight: f64, data: &mut DatasetBuilder<'_>) {
        let unknown = std::mem::take(&mut self.unknown);
        match (self.has_labels, data.label_sets()) {
            (false, _) => data.no_label(),
            (true, true) if unknown => data.no_label(),
            (true, true) => data.end_label_set(),
            // The class has ended it.
            (true, false) => {}
        }
        data.end_row();
        data.end_example(weight * std::mem::replace(&mut self.weight, 1.0), None);
    }

    /// The weight of a row, which begins `at` bytes into the line.
    pub fn weight(line: &Line<'_>, at: usize, text: &[u8]) -> Result<f64> {
        weight(line, at, text)
    }

    /// The number of a nominal value.
    fn nominal(&self, line: &Line<'_>, at: usize, j: usize, text: &[u8]) -> Result<u32> {
        let Kind::Nominal(values) = &self.columns[j].kind else { return Ok(0) };
        let known = std::str::from_utf8(text).ok().and_then(|text| values.get(text));
        known.ok_or_else(|| self.undeclared(line, at, j, text, values))
    }

    #[cold]
    fn undeclared(
        &self,
        line: &Line<'_>,
        at: usize,
        j: usize,
        text: &[u8],
        values: &Alphabet,
    ) -> crate::Error {
        let (name, text) = (excerpt(&self.columns[j].name), excerpt(text));
        let mut declared: Vec<String> =
            values.iter().take(10).map(|value| excerpt(value).at_most(MOST_OF_A_VALUE).to_string()).collect();
        if declared.len() < values.len() {
            declared.push("…".to_owned());
        }
        let problem = format!("`{text}` is no value of `{name}`, which has {{{}}}", declared.join(","));
        line.error(at + 1, problem)
    }
}

/// Adds the labels of a list like `a/b@c`, which begins `at` bytes into the line, to the set of the open row. What is a label as a whole,
/// by the hierarchy or the model, is no list.
fn label_list(line: &Line<'_>, at: usize, text: &[u8], data: &mut DatasetBuilder<'_>) -> Result<()> {
    let list = match std::str::from_utf8(text) {
        Ok(list) if !list.contains(['\n', '\r']) => list,
        _ => return Err(line.error(at + 1, "labels are UTF-8 text without line breaks")),
    };
    let is_one = data.is_label_before_rows(list.trim());
    let names = list.split(if is_one { '\n' } else { '@' });
    for name in names.map(str::trim) {
        if name.is_empty() {
            let problem = format!("a label is missing in `{}`: single @ go between labels", excerpt(list));
            return Err(line.error(at + 1, problem));
        }
        data.check_label(line, at, name)?;
        if !data.add_label(name) {
            return Err(line.error(at + 1, format!("the label `{}` comes twice in one row", excerpt(name))));
        }
    }
    Ok(())
}
