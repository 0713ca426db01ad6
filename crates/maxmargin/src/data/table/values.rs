//! The values of text columns after all rows are read: how many there are, and what becomes of rare ones.
//!
//! Each value is a feature `column=value`. Values that too few rows have may be put together as `column=(other)`; then a value that
//! the training data does not have counts as another one too, and is not left out.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::super::alphabet::Alphabet;
use super::super::dataset::Dataset;
use crate::features::MatrixBuilder;
use crate::shown::{count, excerpt};

/// Stands for all values that are rare or not known.
pub(crate) const OTHER: &str = "(other)";
/// Stands for a value that is missing.
pub(crate) const MISSING: &str = "?";

/// So many columns are told about.
const MOST_TOLD: usize = 8;
/// With fewer rows than this it says nothing that all values differ.
const FEW_ROWS: usize = 20;

/// What is known of one text column.
#[derive(Clone, Default)]
struct Values {
    different: usize,
    once: usize,
    rare: usize,
}

/// Puts rare values of text columns together, those in fewer than `least` rows, and says what there is.
pub(crate) fn settle(
    data: &mut Dataset,
    names: &mut Alphabet,
    columns: &[String],
    least: usize,
) -> Vec<String> {
    if columns.is_empty() {
        return Vec::new();
    }
    let owners = owners(names, columns);
    let mut rows = vec![0usize; names.len()];
    for row in 0..data.features.rows() {
        data.features.row(row).for_each(|j, _| rows[j] += 1);
    }
    let mut values = vec![Values::default(); columns.len()];
    for (&rows, owner) in rows.iter().zip(&owners) {
        if let Some(values) = owner.map(|owner| &mut values[owner]) {
            values.different += 1;
            values.once += usize::from(rows == 1);
            values.rare += usize::from(rows < least);
        }
    }
    if values.iter().any(|values| values.rare > 0) {
        put_together(data, names, |j| owners[j].filter(|_| rows[j] < least).map(|owner| &columns[owner]));
    }
    notes(columns, &values, data.features.rows(), least)
}

/// The text column of each feature, where it is a value of one.
fn owners(names: &Alphabet, columns: &[String]) -> Vec<Option<usize>> {
    let numbers: FxHashMap<&str, usize> = columns.iter().map(String::as_str).zip(0..).collect();
    let owner = |name: &str| {
        let mut ends = name.match_indices('=').map(|(at, _)| at);
        ends.find_map(|at| numbers.get(&name[..at]).copied())
    };
    names.iter().map(owner).collect()
}

/// Gives features the place of their column's `(other)`, where `other` names the column.
fn put_together<'c>(data: &mut Dataset, names: &mut Alphabet, other: impl Fn(usize) -> Option<&'c String>) {
    let mut kept = Alphabet::default();
    let places: Vec<u32> = (0..names.len())
        .map(|j| match other(j) {
            Some(column) => kept.add(&format!("{column}={OTHER}")),
            None => kept.add(names.name(j as u32)),
        })
        .collect();
    let mut builder = MatrixBuilder::sparse();
    for row in 0..data.features.rows() {
        data.features.row(row).for_each(|j, value| builder.push(places[j], value));
        builder.end_row();
    }
    data.features = Arc::new(builder.finish(kept.len()));
    *names = kept;
}

fn notes(columns: &[String], values: &[Values], rows: usize, least: usize) -> Vec<String> {
    let told = |(column, values): (&String, &Values)| {
        let rare = match (values.rare, values.once) {
            (0, 0) => String::new(),
            (0, once) => format!(", {once} of them in one row only"),
            (rare, _) => format!(", {rare} of them in fewer than {least} rows, taken as one"),
        };
        format!("`{}` ({}{rare})", excerpt(column), count(values.different, "value"))
    };
    let mut list: Vec<String> = columns.iter().zip(values).take(MOST_TOLD).map(told).collect();
    if columns.len() > MOST_TOLD {
        list.push("…".to_owned());
    }
    let mut notes = vec![format!("text columns, with a feature for each value: {}", list.join(", "))];
    let is_name = |values: &Values| values.different == rows && rows >= FEW_ROWS && least <= 1;
    if let Some((column, _)) = columns.iter().zip(values).find(|(_, values)| is_name(values)) {
        notes.push(format!(
            "the column `{}` has another value in every row, from which nothing is learnt about others; leave it out by the option \
             ignore-columns, or pass it on to predictions by the option id-column",
            excerpt(column)
        ));
    }
    notes
}
