//! Feature templates: from columns of text to attributes.
//!
//! A [`TextColumns`] says what the columns of a file are and which templates to apply. It is plain text and numbers, so that a model
//! keeps it and later files need no other word. [`Templates`] is the same, read and checked, and an [`Expander`] writes the
//! attributes of sentences.

mod expansion;
mod gazetteer;
mod letters;
mod parsing;
mod pattern;
mod ready_made;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

pub use expansion::{AttributeSink, Expander, Weighted};
pub use gazetteer::Gazetteer;
use parsing::Parsed;
pub use ready_made::READY_MADE;
pub(super) use ready_made::ready_made;
use serde::{Deserialize, Serialize};

use super::source::Source;
use crate::error::{Error, Result};
use crate::shown::excerpt;

/// How template files are written: whose marks stand for tokens outside of a sentence, and where comments begin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TemplateSyntax {
    /// `_B-1` and `_B+1`; a line that begins with `#` is a comment.
    #[default]
    #[serde(rename = "crf++")]
    CrfPlusPlus,
    /// `_x-1` and `_x+1`, from the fifth on `_x-#` and `_x+#`; a comment begins at any `#`.
    #[serde(rename = "wapiti")]
    Wapiti,
}

impl TemplateSyntax {
    /// What stands for the token so many places before the first one (below 0) or after the last one.
    fn mark(self, distance: i32) -> String {
        match self {
            TemplateSyntax::CrfPlusPlus => format!("_B{distance:+}"),
            TemplateSyntax::Wapiti if distance.abs() > 4 => {
                format!("_x{}#", if distance < 0 { '-' } else { '+' })
            }
            TemplateSyntax::Wapiti => format!("_x{distance:+}"),
        }
    }
}

impl fmt::Display for TemplateSyntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            TemplateSyntax::CrfPlusPlus => "crf++",
            TemplateSyntax::Wapiti => "wapiti",
        })
    }
}

impl FromStr for TemplateSyntax {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let all = [TemplateSyntax::CrfPlusPlus, TemplateSyntax::Wapiti];
        all.into_iter().find(|syntax| syntax.to_string() == name).ok_or_else(|| {
            Error::parameter("template-syntax", format!("`{}` is not one of crf++, wapiti", excerpt(name)))
        })
    }
}

/// What the columns of text files are, and how they become attributes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TextColumns {
    /// The number of columns, with that of the label.
    pub count: usize,
    /// The column of the label, from 0.
    pub label: usize,
    /// The names of the columns; none where they go by their numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The templates, a line each.
    pub templates: String,
    /// How the templates are written.
    #[serde(default)]
    pub syntax: TemplateSyntax,
    /// The lists of phrases that they use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gazetteers: Vec<Gazetteer>,
}

impl TextColumns {
    /// The column of this name or number, from 0; below 0 from the end.
    pub(super) fn column(count: usize, names: &[String], column: &str) -> std::result::Result<usize, String> {
        if let Some(place) = names.iter().position(|name| name == column) {
            return Ok(place);
        }
        match column.parse::<i64>() {
            Ok(number) if (0..count as i64).contains(&number) => Ok(number as usize),
            Ok(number) if number < 0 && -number <= count as i64 => Ok((count as i64 + number) as usize),
            Ok(_) => {
                Err(format!("there is no column {column}: they are numbered from 0 to {}", count.max(1) - 1))
            }
            Err(_) if names.is_empty() => Err(format!(
                "column `{}`: columns have names only where they are given (column-names)",
                excerpt(column)
            )),
            Err(_) => Err(format!(
                "no column is called `{}`; there are {}",
                excerpt(column),
                excerpt(&names.join(", "))
            )),
        }
    }

    /// The column of this name or number, counted without that of the label.
    fn feature_column(&self, column: &str) -> std::result::Result<usize, String> {
        match Self::column(self.count, &self.names, column)? {
            place if place == self.label => {
                Err(format!("column {column} is the label, which is to be predicted"))
            }
            place => Ok(place - usize::from(place > self.label)),
        }
    }
}

/// Templates, read and checked.
///
/// ```
/// use maxmargin::data::templates::{AttributeSink, Expander, Templates, TextColumns};
///
/// let templates = "U01:%x[-1,0]/%x[0,0]\nU02:%x[0,1]\n".to_owned();
/// let columns = TextColumns { count: 3, label: 2, templates, ..TextColumns::default() };
/// let mut expander = Expander::new(Templates::new(columns)?);
/// expander.push(["The", "DT"]);
/// expander.push(["cat", "NN"]);
///
/// #[derive(Default)]
/// struct Names(Vec<String>, Vec<u32>);
/// impl AttributeSink for Names {
///     fn number(&mut self, name: &str) -> Option<u32> {
///         self.0.push(name.to_owned());
///         Some(self.0.len() as u32 - 1)
///     }
///     fn push(&mut self, number: Option<u32>, _: f64) {
///         self.1.extend(number);
///     }
///     fn end_row(&mut self) {}
/// }
/// let mut names = Names::default();
/// expander.expand(&mut names).unwrap();
/// assert_eq!(names.0, ["U01:_B-1/The", "U02:DT", "U01:The/cat", "U02:NN"]);
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Templates {
    columns: TextColumns,
    parsed: Parsed,
}

impl Templates {
    /// Reads the templates of some columns.
    pub fn new(columns: TextColumns) -> Result<Self> {
        Self::named(columns, Path::new("templates"))
    }

    /// The same, under the name that errors shall give the file.
    pub fn named(columns: TextColumns, file: &Path) -> Result<Self> {
        if columns.label >= columns.count {
            let problem = format!("there is no column {} of {}", columns.label, columns.count);
            return Err(Error::parameter("label-column", problem));
        }
        let mut source = Source::from_reader(file, std::io::Cursor::new(columns.templates.clone()))?;
        let mut parsed = Parsed::default();
        while let Some(line) = source.next_line()? {
            parsed.add(&line, &columns)?;
        }
        match parsed.unigrams.is_empty() && parsed.bigrams.is_empty() {
            true => Err(source.error("there are no templates that make attributes, such as U00:%x[0,0]")),
            false => Ok(Self { columns, parsed }),
        }
    }

    /// What they were read from.
    pub fn columns(&self) -> &TextColumns {
        &self.columns
    }

    /// The number of templates of segments: of what each token of a segment is, so that the segment is known by it.
    pub fn segment_templates(&self) -> usize {
        self.parsed.segments.len()
    }

    /// Whether some attributes have a weight for each pair of neighbouring labels.
    pub fn has_pair_attributes(&self) -> bool {
        !self.parsed.bigrams.is_empty()
    }
}

#[cfg(test)]
mod tests;
