//! Data that is not what it was taken for: in another format, or not that of the model. What follows from it would be worthless, and
//! would look like a result.

use std::path::PathBuf;

use super::Known;
use crate::data::{Alphabet, Attributes, DataObject, UNKNOWN_LABEL, Unseen};
use crate::error::{Error, Place, Result};
use crate::shown::{count, excerpt};

/// So few rows may well have a label each.
const FEW_ROWS: usize = 10;
/// All but one of so many are nearly all.
const NEARLY: usize = 10;
/// One label in so many may have the name of an attribute by chance.
const CHANCE: usize = 20;
/// So many names are shown.
const SHOWN: usize = 3;

/// Refuses training data without attributes, and such where each of many rows has a label that no other has.
pub(super) fn check_format(
    files: &[PathBuf],
    format: Option<&str>,
    data: &dyn DataObject,
    labels: &Alphabet,
) -> Result<()> {
    let (part, parts) = data.parts();
    let problem = if data.attributes() == 0 {
        format!("there are no attributes to learn from, only {}", count(labels.len(), "label"))
    } else if parts >= FEW_ROWS
        && NEARLY * labels.len() > (NEARLY - 1) * parts
        && data.labels().len() == parts
    {
        let nearly = if labels.len() == parts { "" } else { "nearly " };
        format!("{nearly}each of {parts} {part}s has a label of its own, such as {}", some(labels.iter()))
    } else {
        return Ok(());
    };
    let read = format.map_or("", |_| ", read as ");
    let format = format.unwrap_or_default();
    let remedy = "if it is in another format, name that with the option format";
    Err(at(files, format!("{problem}{read}{format}; {remedy}")))
}

/// What was seen of the attributes of data that is read for a model.
#[derive(Default)]
pub(super) struct AttributesSeen {
    shares_some: bool,
    /// Whether all that is shared was found at the ends of sentences, or is a shape or a test.
    is_foreign: bool,
    parts: usize,
    /// Values of attributes that the model does not know.
    strangers: usize,
    /// Whether any label is known.
    has_labels: bool,
    /// The line of the first attribute of the model where a label belongs.
    attribute_as_label: Option<usize>,
    /// How many rows have one there.
    attributes_as_labels: usize,
}

impl AttributesSeen {
    /// Counts some data.
    pub fn add(&mut self, data: &dyn DataObject, unseen: Unseen) {
        self.shares_some |= data.features().is_none_or(|features| features.stored() > 0);
        // What was recognised once stays so.
        self.is_foreign = unseen.is_foreign;
        self.parts += data.parts().1;
        self.strangers += unseen.attributes;
        self.has_labels |= data.labels().iter().any(|&label| label != UNKNOWN_LABEL);
        let line = (unseen.attributes_as_labels > 0).then_some(unseen.first_attribute_as_label);
        self.attribute_as_label = self.attribute_as_label.or(line);
        self.attributes_as_labels += unseen.attributes_as_labels;
    }

    /// Refuses data of which a model knows no attribute at all.
    pub fn check(&self, files: &[PathBuf], known: Known<'_>) -> Result<()> {
        let attributes = &known.names.attributes;
        // Numbered columns that are not mentioned are 0, and a row may be 0 throughout.
        let is_bare = self.strangers == 0 && (self.parts == 0 || !matches!(attributes, Attributes::Named(_)));
        let is_chance = self.has_labels && self.attributes_as_labels * CHANCE < self.parts;
        if let (Some(line), false) = (self.attribute_as_label, is_chance) {
            return Err(no_tab(files, line));
        }
        // A few words may well be new ones.
        let is_foreign = self.is_foreign && self.parts >= FEW_ROWS;
        match (is_bare || attributes.is_empty(), self.shares_some) {
            (false, true) if is_foreign => Err(only_marks(files, self.parts)),
            (false, false) => Err(no_attribute(files, attributes, self.strangers)),
            _ => Ok(()),
        }
    }
}

fn no_tab(files: &[PathBuf], line: usize) -> Error {
    let problem = "here, and elsewhere in this data, an attribute of the model stands where the label belongs, and no label that the model knows; \
                   a line without a label begins with a tab";
    // With several files nobody knows which one it was.
    let line = if files.len() == 1 { line } else { 0 };
    Error::data(Place::new(files.first().cloned().unwrap_or_default(), line, usize::from(line > 0)), problem)
}

fn only_marks(files: &[PathBuf], tokens: usize) -> Error {
    let problem = format!(
        "the model knows none of the entries of this data: of {} it knows at most the ends of sentences, shapes and the like; \
         this is data of another model, or its columns are in another order than in the training data",
        count(tokens, "token")
    );
    at(files, problem)
}

fn no_attribute(files: &[PathBuf], attributes: &Attributes, strangers: usize) -> Error {
    let names = match attributes {
        Attributes::Named(names) => format!("attributes such as {}", some(names.iter())),
        Attributes::Numbered(columns) => format!("the attributes 1 to {columns}"),
    };
    let seen = match strangers {
        0 => "there are none".to_owned(),
        _ => format!("all {} are of others", count(strangers, "value")),
    };
    let problem = format!(
        "the model knows no attribute of this data: {seen}, and it has {names}; \
         this is data of another model, or in another format than the training data"
    );
    at(files, problem)
}

/// Refuses labelled data with none of the labels of a model. `labels` are the model's and then those that only the data has.
pub(super) fn check_labels(
    files: &[PathBuf],
    known: Known<'_>,
    data: &dyn DataObject,
    labels: &Alphabet,
) -> Result<()> {
    let own = known.names.labels.len();
    let is_known = |&label: &u32| (label as usize) < own;
    if labels.len() == own || data.labels().iter().any(is_known) {
        return Ok(());
    }
    let problem = format!(
        "the model knows no label of this data: there are {}, and it has {}; \
         this is data of another model, or in another format than the training data",
        some(labels.iter().skip(own)),
        some(labels.iter().take(own)),
    );
    Err(at(files, problem))
}

/// The first names of many.
fn some<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<String> = names.take(SHOWN + 1).map(|name| excerpt(name).to_string()).collect();
    if names.len() > SHOWN {
        names[SHOWN] = "…".to_owned();
    }
    names.join(", ")
}

fn at(files: &[PathBuf], problem: String) -> Error {
    Error::data(Place::new(files.first().cloned().unwrap_or_default(), 0, 0), problem)
}
