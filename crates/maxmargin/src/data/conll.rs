//! Columns of text, as the CoNLL shared tasks have them: one token a line, its word, tags and label side by side.
//!
//! Columns are separated by tabs, or by spaces where the first token has no tab. A blank line ends a sentence. All tokens of a file
//! have the same number of columns; the label is the last of them unless another one is named, and a file for a model may leave it
//! out. A line whose first column is `-DOCSTART-` begins a document and is no token. A line that begins with `#` before the first token of a
//! sentence, and does not have as many columns as the tokens, is a comment. Attributes are made of columns by templates; without
//! any, each column of a token is one.
//!
//! ```text
//! -DOCSTART- -X- O
//!
//! He PRP B-NP
//! reckons VBZ B-VP
//! ```

mod layout;
mod recognition;

use std::ops::Range;
use std::path::{Path, PathBuf};

use layout::{DOCUMENT, Layout};
use recognition::label_is_first;
pub(crate) use recognition::{Recognised, has_attributes, recognise};

use super::Format;
use super::dataset_builder::DatasetBuilder;
use super::source::{Line, Source};
use super::templates::{
    AttributeSink, Expander, Gazetteer, READY_MADE, TemplateSyntax, Templates, TextColumns, ready_made,
};
use crate::error::{Error, Result};
use crate::shown::{did_you_mean, excerpt};

/// A sentence has at most so many tokens.
const MOST_TOKENS: usize = 1 << 20;
/// An entry of a column has at most so many bytes.
const LONGEST_ENTRY: usize = 1 << 14;
/// A token has at most so many columns.
const MOST_COLUMNS: usize = 1 << 12;
/// A ready-made set is for at most so many columns.
const MOST_TAGGED: usize = 32;
/// Where lines are kept, what stands before a sentence and is no token has at most so many bytes.
const MOST_BETWEEN: usize = 1 << 20;
const LABEL_FIRST: &str = "the first column has tags of chunks such as B-NP, and the last one, where the label is by default, has none; say which is the label with the \
                           option label-column (0 is the first, -1 the last)";
/// So many commands of templates are shown.
const SHOWN_COMMANDS: usize = 3;
/// A file of templates has at most so many bytes.
const LARGEST_TEMPLATES: u64 = 1 << 20;

/// What columns are and how they become attributes, as the user has it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ColumnOptions {
    /// The column of the label by name or number, from 0, below 0 from the end; the last one where there is none.
    pub label_column: Option<String>,
    /// The names of all columns.
    pub names: Vec<String>,
    /// The templates: the name of a ready-made set, or a file.
    pub templates: Option<PathBuf>,
    /// How the file is written.
    pub syntax: TemplateSyntax,
    /// Lists of phrases by name.
    pub gazetteers: Vec<(String, PathBuf)>,
}

impl ColumnOptions {
    /// The file that has the templates, where they are not ready-made.
    pub fn template_file(&self) -> Option<&Path> {
        self.templates.as_deref().filter(|file| !READY_MADE.iter().any(|set| Path::new(set) == *file))
    }

    /// The name of an option that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let Self { label_column, names, templates, syntax, gazetteers } = self;
        let given = [
            (label_column.is_some(), "label-column"),
            (!names.is_empty(), "column-names"),
            (templates.is_some(), "templates"),
            (*syntax != TemplateSyntax::default(), "template-syntax"),
            (!gazetteers.is_empty(), "gazetteer"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
    }

    /// The templates for files with so many columns.
    fn resolve(&self, count: usize) -> Result<Templates> {
        let names = &self.names;
        if !names.is_empty() && names.len() != count {
            let problem = format!("{} names, but the data has {count} columns", names.len());
            return Err(Error::parameter("column-names", problem));
        }
        if let Some(twice) = (1..names.len()).find(|&k| names[..k].contains(&names[k])) {
            let problem = format!("`{}` is there twice", excerpt(&names[twice]));
            return Err(Error::parameter("column-names", problem));
        }
        let label = self.label_column.as_deref().unwrap_or("-1");
        let label = TextColumns::column(count, names, label);
        let label = label.map_err(|problem| Error::parameter("label-column", problem))?;
        if count < 2 {
            let problem = "the data has only one column, which cannot be word and label";
            return Err(Error::parameter("label-column", problem));
        }
        if self.syntax != TemplateSyntax::default() && self.template_file().is_none() {
            let problem = "this says how a file of templates is written, but none is named; name one with the option templates";
            return Err(Error::parameter("template-syntax", problem));
        }
        let read = |(name, file): &(String, PathBuf)| Gazetteer::read(name, file);
        let gazetteers = self.gazetteers.iter().map(read).collect::<Result<Vec<_>>>()?;
        let file = self.template_file().unwrap_or(Path::new("templates"));
        let templates = match (self.template_file(), &self.templates) {
            (Some(file), _) => {
                let meant = |error| match (did_you_mean(&file.to_string_lossy(), READY_MADE), file.exists()) {
                    (meant, false) if !meant.is_empty() => {
                        Error::parameter("templates", format!("{error}{meant}"))
                    }
                    _ => error,
                };
                let (mut bytes, mut source) = (Vec::new(), Source::open(file).map_err(meant)?);
                if source.read_bytes(LARGEST_TEMPLATES + 1, &mut bytes)? > LARGEST_TEMPLATES {
                    return Err(source.error("more than 1 MiB of templates"));
                }
                let text =
                    String::from_utf8(bytes).map_err(|_| source.error("the templates are not UTF-8 text"))?;
                let is_unused = |list: &&Gazetteer| !text.contains(&format!("\"{}\"", list.name));
                if let Some(list) = gazetteers.iter().find(is_unused) {
                    let problem = format!(
                        "no template uses the list `{}`, as %g[0,0,\"{0}\"] does",
                        excerpt(&list.name)
                    );
                    return Err(Error::parameter("gazetteer", problem));
                }
                text
            }
            (None, Some(_)) if count > MOST_TAGGED => {
                let problem = format!(
                    "the ready-made sets are for words with tags, {MOST_TAGGED} columns at most, but the data has {count}; write templates of your own"
                );
                return Err(Error::parameter("templates", problem));
            }
            (None, Some(set)) => {
                let mut text = ready_made(&set.to_string_lossy(), count, label).unwrap_or_default();
                text += &lists(&gazetteers, label);
                text
            }
            (None, None) => plain(count, label, names) + &lists(&gazetteers, label),
        };
        let columns =
            TextColumns { count, label, names: names.clone(), templates, syntax: self.syntax, gazetteers };
        Templates::named(columns, file)
    }
}

/// A template for each column.
fn plain(count: usize, label: usize, names: &[String]) -> String {
    let name =
        |column: usize| names.get(column).map_or_else(|| column.to_string(), |name| name.replace('%', "%%"));
    let columns = (0..count).filter(|&column| column != label);
    columns.map(|column| format!("U{}=%x[0,{column}]\n", name(column))).collect()
}

/// Templates for lists of phrases: of the word and its neighbours, whatever their case.
fn lists(gazetteers: &[Gazetteer], label: usize) -> String {
    let word = usize::from(label == 0);
    let line = |list: &Gazetteer, row: i32| {
        format!("Ulist:{}[{row}]=%G[{row},{word},\"{}\"]\n", list.name.replace('%', "%%"), list.name)
    };
    gazetteers.iter().flat_map(|list| [-1, 0, 1].map(|row| line(list, row))).collect()
}

/// Reads files of columns, all of one kind.
pub(crate) struct Reader {
    options: ColumnOptions,
    expander: Option<Expander>,
    /// The number of the line of each token of the open sentence.
    lines: Vec<usize>,
    /// Where the columns of a line are.
    fields: Vec<Range<usize>>,
    /// Lines that are no tokens, since the last one that is; where lines are kept.
    between: String,
}

impl Reader {
    /// With the options of a user, or with what a model keeps.
    pub(crate) fn new(options: &ColumnOptions, known: Option<&TextColumns>) -> Result<Self> {
        if let (Some(_), Some(given)) = (known, options.given()) {
            return Err(Error::parameter(
                given,
                "the model has columns and templates of its own; leave it out",
            ));
        }
        let expander = known.map(|columns| Templates::new(columns.clone()).map(Expander::new)).transpose()?;
        Ok(Self {
            options: options.clone(),
            expander,
            lines: Vec::new(),
            fields: Vec::new(),
            between: String::new(),
        })
    }

    /// What a person is to be told of the templates when files were read: what they look for and did not find.
    pub(crate) fn note(&self) -> Option<String> {
        let idle: Vec<String> = self.expander.iter().flat_map(Expander::idle_commands).collect();
        (!idle.is_empty()).then(|| {
            let found = idle.iter().take(SHOWN_COMMANDS).map(|command| excerpt(command).to_string());
            let more = if idle.len() > SHOWN_COMMANDS { ", …" } else { "" };
            let found = found.collect::<Vec<_>>().join(", ");
            format!("templates: nothing in the training data is found by {found}{more}; check the expression, the list or the column")
        })
    }

    /// What a model is to keep, when files were read.
    pub(crate) fn into_columns(self) -> Option<TextColumns> {
        self.expander.map(|expander| expander.templates().columns().clone())
    }

    /// Reads a file to its end. After an error what was read before its sentence may be read again.
    pub(crate) fn read(&mut self, source: &mut Source, data: &mut DatasetBuilder<'_>) -> Result<()> {
        let between = self.between.clone();
        self.read_sentences(source, data).inspect_err(|_| self.between = between)
    }

    /// Keeps what there is before the first sentence of a file or batch that has none: beginnings of documents.
    fn read_between(&mut self, source: &mut Source, data: &mut DatasetBuilder<'_>) -> Result<()> {
        if data.lines().is_none() {
            return Ok(());
        }
        let columns = self.expander.as_ref().map(|expander| expander.templates().columns());
        let (count, label) = columns.map_or((0, 0), |columns| (columns.count, columns.label));
        while let Some(line) = source.next_line()? {
            let text = line.text()?;
            if text.trim_ascii().is_empty() {
                keep_blank(&mut self.between);
                continue;
            }
            let layout = Layout::of_line(text);
            layout.split(text, &mut self.fields);
            let given = self.fields.get(label).filter(|_| layout.columns == count);
            keep_document(&mut self.between, &line, text, layout, given)?;
        }
        Ok(())
    }

    fn read_sentences(&mut self, source: &mut Source, data: &mut DatasetBuilder<'_>) -> Result<()> {
        data.set_chains();
        let Some(layout) = Layout::of(source)? else { return self.read_between(source, data) };
        if layout.columns > MOST_COLUMNS {
            return Err(source.error(format!("more than {MOST_COLUMNS} columns")));
        }
        let first = source.peeked().split(|&byte| byte == b'\n').next().unwrap_or_default();
        let is_table = layout.columns == 1 && first.contains(&b',') && Format::is_called_table(source);
        if is_table && !data.needs_labels() {
            let (found, taught) = (Format::Csv, Format::Conll);
            let problem = format!(
                "this file looks like {found}, but the model was trained on columns of text ({taught})"
            );
            return Err(source.error(problem));
        }
        let expander = match &mut self.expander {
            Some(expander) => expander,
            None => {
                if self.options.label_column.is_none()
                    && label_is_first(source.peeked(), source.is_exhausted())
                {
                    return Err(source.error(LABEL_FIRST));
                }
                self.expander.insert(Expander::new(self.options.resolve(layout.columns)?))
            }
        };
        if expander.templates().has_pair_attributes() {
            data.expect_pairs();
        }
        let columns = expander.templates().columns();
        let (count, label) = (columns.count, columns.label);
        // A file to predict may have no labels.
        let label = match layout.columns {
            own if own == count => Some(label),
            own if own + 1 == count && !data.needs_labels() => None,
            own => {
                let problem = format!(
                    "{own} columns (with {} between), but {}",
                    layout.separator(),
                    match data.needs_labels() {
                        true => format!("the files before have {count}"),
                        false => format!(
                            "the model was trained on {count}, the label among them, in {}; give {count}, or {} without it{}",
                            Format::Conll,
                            count - 1,
                            if Format::is_called_table(source) { ", not a table" } else { "" }
                        ),
                    }
                );
                return Err(source.error(problem));
            }
        };
        // What an error has left behind.
        expander.end();
        self.lines.clear();
        let fields = &mut self.fields;
        while let Some(line) = source.next_line()? {
            let text = line.text()?;
            layout.split(text, fields);
            let is_document = || text.starts_with(DOCUMENT) && text[fields[0].clone()] == *DOCUMENT;
            if text.trim_ascii().is_empty() {
                end_sentence(expander, &mut self.lines, line.file, data)?;
                keep_blank(&mut self.between);
                continue;
            }
            if is_document() {
                end_sentence(expander, &mut self.lines, line.file, data)?;
                if data.lines().is_some() {
                    let given = label.and_then(|label| fields.get(label));
                    keep_document(&mut self.between, &line, text, layout, given)?;
                }
                continue;
            }
            if fields.len() != layout.columns {
                if text.starts_with('#') && expander.tokens() == 0 {
                    if data.lines().is_some() {
                        keep(&mut self.between, &line, text, "")?;
                    }
                    continue;
                }
                return Err(wrong_count(&line, &layout, fields.len()));
            }
            if expander.tokens() >= MOST_TOKENS {
                let problem =
                    format!("a sentence of more than {MOST_TOKENS} tokens; blank lines end sentences");
                return Err(line.error(1, problem));
            }
            if let Some(entry) = fields.iter().find(|entry| entry.is_empty() || entry.len() > LONGEST_ENTRY) {
                let problem = match entry.is_empty() {
                    true => {
                        "an empty column: tabs are next to each other; write a sign such as _ for nothing"
                            .to_owned()
                    }
                    false => format!("an entry of more than {LONGEST_ENTRY} bytes"),
                };
                return Err(line.error(entry.start + 1, problem));
            }
            if let Some(lines) = data.lines() {
                lines.push(&self.between, text, layout.sign());
                self.between.clear();
            }
            match label {
                Some(label) => {
                    let entry = fields.remove(label);
                    data.label_or_candidates(&line, entry.start, &text[entry])?;
                }
                None => data.no_label(),
            }
            expander.push(fields.iter().map(|entry| &text[entry.clone()]));
            self.lines.push(line.number);
        }
        let file = source.path().to_owned();
        end_sentence(expander, &mut self.lines, &file, data)?;
        data.set_foreign(!expander.recognised_some());
        Ok(())
    }
}

/// Adds a line that is no token to those that are kept.
fn keep(lines: &mut String, line: &Line<'_>, text: &str, end: &str) -> Result<()> {
    let text = text.trim_end_matches(['\r', '\t', ' ']);
    if lines.len() + text.len() > MOST_BETWEEN {
        let problem =
            format!("more than {MOST_BETWEEN} bytes of comments and {DOCUMENT} lines before a sentence");
        return Err(line.error(1, problem));
    }
    lines.extend([text, end, "\n"]);
    Ok(())
}

/// The same with the beginning of a document, which gets a label like those of tokens, as programs expect that read the answer: the one it
/// has, if there is one.
fn keep_document(
    lines: &mut String,
    line: &Line<'_>,
    text: &str,
    layout: Layout,
    given: Option<&Range<usize>>,
) -> Result<()> {
    let label = given.map_or("O", |entry| &text[entry.clone()]);
    keep(lines, line, text, &format!("{}{label}", layout.sign()))
}

/// The same with blank lines, of which one is kept. The one after a sentence is written in any case.
fn keep_blank(lines: &mut String) {
    if !lines.is_empty() && !lines.ends_with("\n\n") {
        lines.push('\n');
    }
}

/// Ends the open sentence, if there is one.
fn end_sentence(
    expander: &mut Expander,
    lines: &mut Vec<usize>,
    file: &Path,
    data: &mut DatasetBuilder<'_>,
) -> Result<()> {
    if expander.tokens() == 0 {
        return Ok(());
    }
    expander.expand(data).map_err(|(token, problem)| {
        let line = lines.get(token).copied().unwrap_or(0);
        Error::data(crate::error::Place::new(file, line, 0), problem)
    })?;
    lines.clear();
    data.end_example(1.0, None);
    Ok(())
}

#[cold]
fn wrong_count(line: &Line<'_>, layout: &Layout, found: usize) -> Error {
    let problem = format!(
        "{found} columns, but the first token has {} (with {} between); every token has the same number: write a sign such as _ for nothing",
        layout.columns,
        layout.separator(),
    );
    line.error(1, problem)
}

impl AttributeSink for DatasetBuilder<'_> {
    #[inline]
    fn number(&mut self, name: &str) -> Option<u32> {
        self.column_of(name)
    }

    fn number_of_pairs(&mut self, name: &str) -> Option<u32> {
        self.column_of_pairs(name)
    }

    #[inline]
    fn push(&mut self, number: Option<u32>, value: f64) {
        self.known_column(number, value);
    }

    fn segment_keys(&mut self) -> Option<&mut Vec<u64>> {
        DatasetBuilder::segment_keys(self)
    }

    fn end_row(&mut self) {
        DatasetBuilder::end_row(self);
    }
}
