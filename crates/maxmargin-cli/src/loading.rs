//! Training data as a command wants it, and what is to be said about it.

use std::sync::Arc;

use anyhow::{Result, bail};
use maxmargin::data::{
    Attributes, DataObject, FeatureMatrix, Format, Impute, Missing, ReadOptions, far_scales,
    nearly_constant_columns,
};
use maxmargin::training::Columns;
use maxmargin::{Examples, Model};

use crate::arguments::{ChosenTask, Folds, ProblemArguments, with_flags};
use crate::print::{count, note, number};

/// Reads the training data, and the examples in `others` of the same files.
pub fn load(
    arguments: &ProblemArguments,
    chosen: &ChosenTask,
    others: Option<&Folds>,
    quiet: bool,
) -> Result<(Examples, Option<Arc<dyn DataObject>>)> {
    load_from(arguments, chosen, others, None, false, quiet)
}

/// The same where labels may be candidates, and where training starts from a model: what columns are for, and how text and missing values are read, is as it was then, unless
/// flags say otherwise.
pub fn load_from(
    arguments: &ProblemArguments,
    chosen: &ChosenTask,
    others: Option<&Folds>,
    model: Option<&Model>,
    candidates: bool,
    quiet: bool,
) -> Result<(Examples, Option<Arc<dyn DataObject>>)> {
    let columns = Columns::of_start(arguments.columns(), model);
    let options = ReadOptions {
        missing: if columns.impute == Impute::None { Missing::Refuse } else { Missing::Keep },
        candidates,
        ..chosen.read.options()
    };
    let options = model.map_or(options.clone(), |model| model.options_of_more_training(&options));
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
    if !quiet {
        note_all(examples.data());
    }
    if !columns.center && !columns.standardize {
        note_constant_columns(&examples);
    }
    if !columns.standardize && !columns.normalize && !columns.tf_idf {
        note_far_scales(&examples);
    }
    Ok((examples, others))
}

/// Says what a person should know about data.
pub fn note_all(data: &dyn DataObject) {
    data.notes().iter().for_each(|line| note(line));
}

/// Says what a person should know about other data, and was not told of the training data.
pub fn note_new(training: &dyn DataObject, other: &dyn DataObject, quiet: bool) {
    let said = training.notes();
    // Labels that only the other data has are strange nodes of the same hierarchy.
    let is_said = |line: &String| said.contains(line) || line.starts_with("hierarchy: ");
    other.notes().iter().filter(|line| !quiet && !is_said(line)).for_each(|line| note(line));
}

/// Sizes of columns that are further apart than this are worth a word wherever they come from; in tables less is.
const VERY_FAR: f64 = 1e4;

/// Says that columns should be standardised.
fn note_far_scales(examples: &Examples) {
    let format = examples.format().and_then(|format| format.parse::<Format>().ok());
    let is_table = format.is_some_and(Format::is_table);
    let Some(features) = examples.data().features() else { return };
    if let Some(far) = far_scales(features)
        && (is_table || far.largest.1 > VERY_FAR * far.smallest.1)
    {
        let [large, small] = [far.largest, far.smallest]
            .map(|(j, size)| format!("{} (about {})", name(examples, j), number(size)));
        let codes = match format == Some(Format::Csv) && is_whole(features, far.largest.0) {
            true => {
                "; if the large ones are codes, such as those of towns, --text-columns takes them for names"
            }
            false => "",
        };
        note(&format!(
            "note: columns have numbers of very different sizes, such as {large} and {small}, so that λ holds some back more than others; --standardize helps{codes}"
        ));
    }
}

/// Whether all numbers of a column are whole.
fn is_whole(features: &FeatureMatrix, column: usize) -> bool {
    (0..features.rows()).all(|row| {
        let mut is_whole = true;
        features.row(row).for_each(|j, value| is_whole &= j != column || value.fract() == 0.0);
        is_whole
    })
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
