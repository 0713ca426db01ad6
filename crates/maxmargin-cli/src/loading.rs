//! Training data as a command wants it, and what is to be said about it.

use std::sync::Arc;

use anyhow::{Result, bail};
use maxmargin::data::{
    Attributes, DataObject, Format, Impute, Missing, ReadOptions, far_scales, nearly_constant_columns,
};
use maxmargin::{Examples, Model};

use crate::arguments::{ChosenTask, Folds, ProblemArguments, with_flags};
use crate::print::{count, note, number};

/// Reads the training data, and the examples in `others` of the same files.
pub fn load(
    arguments: &ProblemArguments,
    chosen: &ChosenTask,
    others: Option<&Folds>,
) -> Result<(Examples, Option<Arc<dyn DataObject>>)> {
    load_from(arguments, chosen, others, None)
}

/// The same where training starts from a model: columns of tables are for what they were for then, unless flags say otherwise.
pub fn load_from(
    arguments: &ProblemArguments,
    chosen: &ChosenTask,
    others: Option<&Folds>,
    model: Option<&Model>,
) -> Result<(Examples, Option<Arc<dyn DataObject>>)> {
    let missing = if arguments.impute() == Impute::None { Missing::Refuse } else { Missing::Keep };
    let model_table = model.map(|model| model.text().table.clone()).unwrap_or_default();
    let usual_format = model.and_then(|model| model.description().format.as_ref()?.parse().ok());
    let options = ReadOptions { missing, model_table, usual_format, ..chosen.read.options() };
    let task = chosen.task.as_ref();
    let all = Examples::read_files(task, &arguments.train, &options)?;
    for line in &all.text().notes {
        note(&with_flags(&format!("note: {line}"), |_| true));
    }
    let others = others.map(|folds| all.data().in_folds(&folds.0)).transpose()?;
    let examples = match (&arguments.folds, &others) {
        (Some(folds), _) => all.in_folds(&folds.0)?,
        (None, Some(_)) => {
            bail!("--folds: say which folds to train on, since others of the same file are held out")
        }
        (None, None) => all,
    };
    let examples = match arguments.first {
        Some(first) => examples.first(usize::try_from(first).unwrap_or(usize::MAX))?,
        None => examples,
    };
    let (examples, others) = examples.selected(task, others)?;
    if !examples.dropped_labels().is_empty() {
        note(&format!(
            "kept the {}; {} left out",
            count(examples.names().labels.len(), "most frequent label"),
            match examples.dropped_labels().len() {
                1 => "1 other is".to_owned(),
                others => format!("{others} others are"),
            }
        ));
    }
    note_all(examples.data());
    if !arguments.center && !arguments.standardize {
        note_constant_columns(&examples);
    }
    if !arguments.standardize && !arguments.normalize && !arguments.tf_idf {
        note_far_scales(&examples);
    }
    Ok((examples, others))
}

/// Says what a person should know about data.
pub fn note_all(data: &dyn DataObject) {
    data.notes().iter().for_each(|line| note(line));
}

/// Says that columns of a table should be standardised.
fn note_far_scales(examples: &Examples) {
    let is_table = |format: &str| format.parse().is_ok_and(Format::is_table);
    if !examples.format().is_some_and(is_table) {
        return;
    }
    if let Some(far) = examples.data().features().and_then(|features| far_scales(features)) {
        let [large, small] = [far.largest, far.smallest]
            .map(|(j, size)| format!("{} (about {})", name(examples, j), number(size)));
        note(&format!(
            "note: columns have numbers of very different sizes, such as {large} and {small}, so that λ holds some back more than others; --standardize helps"
        ));
    }
}

/// The name of a column, or its number from 1.
fn name(examples: &Examples, column: usize) -> String {
    match &examples.names().attributes {
        Attributes::Named(names) => format!("{:?}", names.name(column as u32)),
        Attributes::Numbered(_) => (column + 1).to_string(),
    }
}

/// Says which columns should be centred.
fn note_constant_columns(examples: &Examples) {
    const MOST_NAMED: usize = 5;
    let columns = examples.data().features().map_or(Vec::new(), |features| nearly_constant_columns(features));
    if columns.is_empty() {
        return;
    }
    let named: Vec<String> = columns.iter().take(MOST_NAMED).map(|&j| name(examples, j)).collect();
    let more = if columns.len() > MOST_NAMED { ", …" } else { "" };
    note(&format!(
        "note: {} hardly {} against {} size ({}{more}): sums of such numbers cancel, which makes training slow and the certificate wide; --center or --standardize helps",
        count(columns.len(), "column"),
        if columns.len() == 1 { "varies" } else { "vary" },
        if columns.len() == 1 { "its" } else { "their" },
        named.join(", "),
    ));
}
