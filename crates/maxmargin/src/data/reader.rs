//! From files to a data set: the two functions that everything else calls.
//!
//! [`read_training`] makes a vocabulary from what it reads; [`read_with`] reads later data with the vocabulary of a
//! model. Both take several files of one format and append them. The format is found out from the first file unless
//! it is named. Each file is opened once, so that it may be a pipe.
//!
//! ```
//! use maxmargin::data::{ReadOptions, read_training, read_with};
//! let folder = tempfile::tempdir()?;
//! let (train, test) = (folder.path().join("train.svm"), folder.path().join("test.svm"));
//! std::fs::write(&train, "yes 1:0.5 3:1\nno 2:1\n")?;
//! std::fs::write(&test, "maybe 1:0.5 4:1\n")?;
//!
//! let (data, vocabulary) = read_training(&[train], &ReadOptions::default())?;
//! assert_eq!(data.len(), 2);
//! assert_eq!(vocabulary.labels.name(data.labels[0]), "yes");
//!
//! let (data, unseen) = read_with(&[test], &ReadOptions::default(), &vocabulary)?;
//! assert_eq!(data.features.row(0).to_pairs(), [(0, 0.5)]);
//! assert_eq!((unseen.labels, unseen.attributes), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::alphabet::Alphabet;
use super::conll::{self, ColumnOptions};
use super::dataset::{Attributes, Dataset, Vocabulary};
use super::dataset_builder::{DatasetBuilder, Unseen};
use super::format::Format;
use super::source::Source;
use super::table::{TableColumns, settle_text_values};
use super::tag_scheme::{RecognisedScheme, TagConversion, TagScheme};
use super::tags;
use super::templates::TextColumns;
use super::{
    OpenLabels, arff, candidates, crfsuite, csv, edges, idx, images, label_names, letters, svmlight,
};
use crate::error::{Error, Place, Result};
use crate::shown::{count, escaped_path, excerpt};
use crate::structure::UNKNOWN_LABEL;

/// How to read files.
///
/// ```
/// use maxmargin::data::{ReadOptions, read_training};
/// let folder = tempfile::tempdir()?;
/// let songs = folder.path().join("songs.csv");
/// std::fs::write(&songs, "tempo,loudness,happy,calm\n120,0.5,1,0\n70,0.1,1,1\n")?;
/// let label_columns = vec!["happy".to_owned(), "calm".to_owned()];
/// let options = ReadOptions { label_sets: true, label_columns, ..ReadOptions::default() };
/// let (data, vocabulary) = read_training(&[songs], &options)?;
/// assert!(vocabulary.labels.iter().eq(["calm", "happy"]));
/// assert_eq!((data.labels_of(0), data.labels_of(1)), (&[1][..], &[0, 1][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The format; found out from the content when it is `None`.
    pub format: Option<Format>,
    /// The format of the data that a model was trained on: what shows no format is taken for that.
    pub usual_format: Option<Format>,
    /// The file with the labels of idx images, or with the names of the columns of a table that are labels; looked for
    /// beside the data when it is `None`.
    pub labels: Option<PathBuf>,
    /// Whether the feature indices of SVMlight's format count from 0 instead of 1.
    pub zero_based: bool,
    /// The same of the data that a model was trained on: files are like it.
    pub model_zero_based: bool,
    /// Whether each row has a set of labels instead of one.
    pub label_sets: bool,
    /// Whether sets may also stand in one column of a table, as lists with `@` between.
    pub label_lists: bool,
    /// The labels that training data may have, where these are given.
    pub allowed_labels: Option<Arc<Alphabet>>,
    /// Labels that have other names than in files: the one there, and what it stands for.
    pub renamed_labels: Option<Arc<FxHashMap<String, String>>>,
    /// Whether a row may have several candidates for its label, `a|b`, and `_` or `?` for any label.
    pub candidates: bool,
    /// The columns of a table (ARFF, CSV) that are labels, by name; found out in other ways when there are none.
    pub label_columns: Vec<String>,
    /// What other columns of a table are for.
    pub table: TableColumns,
    /// The same as a model has it: such columns may be there or not.
    pub model_table: TableColumns,
    /// What to do about values that a table does not have.
    pub missing: Missing,
    /// Labels to leave out of sets when files are read with the vocabulary of a model: it was trained without them on
    /// purpose, so that they are neither features nor unseen.
    pub ignored_labels: Alphabet,
    /// What the columns of text are, and how they become attributes.
    pub columns: ColumnOptions,
    /// The same as a model has it, which was trained on columns of text: files are such columns too.
    pub text_columns: Option<Arc<TextColumns>>,
    /// The scheme in which tags are learnt, where it is not that of the files.
    pub tag_scheme: Option<TagScheme>,
    /// The same as a model has it.
    pub tags: Option<TagConversion>,
    /// Whether labels of sequences may be tags of chunks, whose scheme is found out.
    pub label_tags: bool,
    /// Whether templates of segments are looked at.
    pub segment_keys: bool,
    /// Whether lines of columns are kept, so that answers can be written beside them.
    pub keep_lines: bool,
}

const ATTRIBUTES: &str = "this looks like crfsuite (the label first, then attributes that have = or : in them), which has no columns to make \
                          attributes of; if these are columns, say so with the option format (conll)";

/// What to do about values that a table does not have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Missing {
    /// An error that names the place.
    #[default]
    Refuse,
    /// They become NaN, to be filled in by [`Preprocessing`](super::Preprocessing), which lets none of them pass.
    Keep,
}

impl ReadOptions {
    /// The format of a file: the one that was named, or what its content shows.
    pub fn format_of(&self, source: &mut Source) -> Result<Format> {
        source.peek()?;
        self.format_of_peeked(source)
    }

    /// The same from what was read so far.
    pub(super) fn format_of_peeked(&self, source: &Source) -> Result<Format> {
        match self.format {
            Some(format) => Ok(format),
            None if self.text_columns.is_some() && arff::recognise(source.peeked()) => {
                let (found, taught) = (Format::Arff, Format::Conll);
                let problem =
                    format!("this file is {found}, but the model was trained on columns of text ({taught})");
                Err(source.error(problem))
            }
            None if self.text_columns.is_none()
                && self.columns.label_column.is_none()
                && self.columns.given().is_some()
                && conll::has_attributes(source.peeked(), source.is_exhausted()) =>
            {
                Err(source.error(ATTRIBUTES))
            }
            None if self.text_columns.is_some() || self.columns.given().is_some() => Ok(Format::Conll),
            // Only tables have columns, and CSV shows no mark of its own.
            None if arff::recognise(source.peeked()) => Ok(Format::Arff),
            None if !self.label_columns.is_empty() || self.table.given().is_some() => Ok(Format::Csv),
            None if Format::is_called_table(source) => Ok(Format::Csv),
            None => match (Format::of_peeked(source), self.usual_format) {
                (Err(_) | Ok(Format::Conll), Some(usual)) => Ok(usual),
                (Ok(Format::Crfsuite), Some(Format::Csv)) => Ok(Format::Csv),
                (found, _) => found,
            },
        }
    }
}

/// Reads files to train from: one data set, and the vocabulary that they make. Labels are sorted: by value when all are
/// numbers, else alphabetically.
pub fn read_training(paths: &[PathBuf], options: &ReadOptions) -> Result<(Dataset, Vocabulary)> {
    let (data, vocabulary, _) = read_training_as(paths, options)?;
    Ok((data, vocabulary))
}

/// The same, and the format that the files are in. (To look at a file for its format would be to read it twice, which a pipe
/// does not allow.)
pub fn read_training_as(paths: &[PathBuf], options: &ReadOptions) -> Result<(Dataset, Vocabulary, Format)> {
    let (data, vocabulary, format, _) = read_training_columns(paths, options)?;
    Ok((data, vocabulary, format))
}

/// What to say where labels are names with values, as attributes are.
fn attributes_as_labels(labels: &Alphabet) -> Option<String> {
    let is_attribute = |label: &&str| label.split_once('=').is_some_and(|(name, _)| !name.is_empty());
    let first = labels.iter().find(is_attribute)?;
    let found = labels.iter().filter(is_attribute).count();
    Some(format!(
        "{found} of {} look like attributes, such as `{}`: each line begins with its label, or with a tab where it has none",
        count(labels.len(), "label"),
        excerpt(first)
    ))
}

/// The same, and what is to be kept of how columns were read.
fn read_training_columns(
    paths: &[PathBuf],
    options: &ReadOptions,
) -> Result<(Dataset, Vocabulary, Format, TextReading)> {
    let (first, format) = open_first(paths, options)?;
    let data = DatasetBuilder::growing(format.has_named_attributes());
    let mut data = with_label_options(data, options).with_allowed_labels(options.allowed_labels.clone());
    let columns = read_all(paths, first, format, options, &mut data)?;
    let note = columns.note();
    let columns = columns.into_columns().filter(|_| format == Format::Conll);
    let text_columns = data.take_text_columns();
    let (mut data, vocabulary, _) = data.finish();
    let mut vocabulary = vocabulary.unwrap_or_default();
    check_width(paths, &data, &vocabulary)?;
    let candidates = options.candidates;
    let notes = note.into_iter().collect();
    let mut text =
        TextReading { columns: columns.map(Arc::new), candidates, notes, ..TextReading::default() };
    text.zero_based = options.zero_based || options.model_zero_based && format == Format::Svmlight;
    if format == Format::Crfsuite {
        text.notes.extend(attributes_as_labels(&vocabulary.labels));
    }
    text.notes.extend(match &data.candidates {
        Some(rows) => rows.note(&vocabulary.labels),
        None if options.label_sets => data.open.as_ref().and_then(OpenLabels::note),
        None => candidates::unasked_note(&vocabulary.labels),
    });
    if let (Attributes::Named(names), true) = (&mut vocabulary.attributes, format.is_table()) {
        text.notes.extend(settle_text_values(&mut data, names, &text_columns, options.table.least_count));
        let has_class = !options.label_sets || options.label_lists && options.label_columns.len() == 1;
        let class = options.label_columns.first().filter(|_| has_class).cloned();
        text.table = options.table.or(&options.model_table);
        (text.table.class, text.table.least_count) = (class.or(text.table.class), 0);
    }
    Ok((data, vocabulary, format, text))
}

/// Reads files with the vocabulary of a model. What it does not know is left out and counted.
pub fn read_with(
    paths: &[PathBuf],
    options: &ReadOptions,
    vocabulary: &Vocabulary,
) -> Result<(Dataset, Unseen)> {
    let (first, format) = open_first(paths, options)?;
    check_kind(format, &first, vocabulary)?;
    let mut data = builder(options, vocabulary);
    read_all(paths, first, format, options, &mut data)?;
    let (data, _, unseen) = data.finish();
    Ok((data, unseen))
}

/// What puts rows together that are read with the vocabulary of a model.
fn builder<'v>(options: &'v ReadOptions, vocabulary: &'v Vocabulary) -> DatasetBuilder<'v> {
    with_label_options(DatasetBuilder::fixed(vocabulary), options).without_labels(&options.ignored_labels)
}

/// With what the options say of labels.
fn with_label_options<'v>(data: DatasetBuilder<'v>, options: &ReadOptions) -> DatasetBuilder<'v> {
    data.with_label_sets(options.label_sets)
        .with_label_lists(options.label_lists)
        .with_candidates(options.candidates)
        .with_segment_keys(options.segment_keys)
        .with_lines(options.keep_lines)
        .with_renamed_labels(options.renamed_labels.clone())
}

/// Refuses attributes with numbers where those of the model have names, or the other way round.
pub(super) fn check_kind(format: Format, source: &Source, vocabulary: &Vocabulary) -> Result<()> {
    let (own, other) = match (format.has_named_attributes(), &vocabulary.attributes) {
        (true, Attributes::Named(_)) | (false, Attributes::Numbered(_)) => return Ok(()),
        (true, Attributes::Numbered(_)) => ("names", "numbers"),
        (false, Attributes::Named(_)) => ("numbers", "names"),
    };
    Err(source.error(format!("the attributes of {format} have {own}, but the model's have {other}")))
}

/// The names of a model, and those that files have where their tags are in another scheme.
pub(super) struct NamesOfFiles<'a> {
    model: &'a Vocabulary,
    other: Option<(TagConversion, Vocabulary)>,
}

impl<'a> NamesOfFiles<'a> {
    /// As the options of reading for a model have it.
    pub(super) fn new(options: &ReadOptions, model: &'a Vocabulary) -> Result<Self> {
        let given = options.columns.given().or(options.tag_scheme.map(|_| "tag-scheme"));
        if let Some(given) = given {
            let problem = "this was settled in training, and the model keeps it; leave it out";
            return Err(Error::parameter(given, problem));
        }
        let other = options.tags.map(|tags| {
            let labels = tags.tags_of_files(&model.labels);
            (tags, Vocabulary { labels, attributes: model.attributes.clone() })
        });
        Ok(Self { model, other })
    }

    /// The same where nobody looks at labels: tags that the model has as files have them need no other names.
    pub(super) fn of_stream(options: &ReadOptions, model: &'a Vocabulary) -> Result<Self> {
        let tags = options.tags.filter(|tags| !tags.is_idle());
        Self::new(&ReadOptions { tags, ..options.clone() }, model)
    }

    pub(super) fn of_model(&self) -> &'a Vocabulary {
        self.model
    }

    fn of_files(&self) -> &Vocabulary {
        self.other.as_ref().map_or(self.model, |(_, names)| names)
    }

    /// What was read with the names of files, with those of the model. Tags that are learnt as they are in files are rewritten where these
    /// files have them in `another` scheme.
    fn converted(
        &self,
        (mut data, mut unseen): (Dataset, Unseen),
        another: Option<TagScheme>,
    ) -> Result<(Dataset, Unseen)> {
        let Some((tags, names)) = &self.other else { return Ok((data, unseen)) };
        let labels = match tags.is_idle() && another.is_none() {
            true => {
                let known = self.model.labels.len() as u32;
                data.labels.iter().map(|&label| if label < known { label } else { UNKNOWN_LABEL }).collect()
            }
            false => converted(&data, *tags, &names.labels, &mut self.model.labels.clone(), false)?,
        };
        let is_lost = |(&old, &new): (&u32, &u32)| old != UNKNOWN_LABEL && new == UNKNOWN_LABEL;
        unseen.labels += data.labels.iter().zip(&labels).filter(|&pair| is_lost(pair)).count();
        data.labels = labels;
        Ok((data, unseen))
    }

    /// The scheme of what was read with the names of files, where it is not that of the files that the model was trained on.
    fn another_scheme(&self, data: &Dataset) -> Option<(TagConversion, TagScheme)> {
        let (tags, names) = self.other.as_ref()?;
        other_scheme(*tags, data, &names.labels).map(|found| (*tags, found))
    }
}

/// The scheme of data, where it is not that of the files that a model was trained on.
fn other_scheme(tags: TagConversion, data: &Dataset, names: &Alphabet) -> Option<TagScheme> {
    let known = |&&label: &&u32| (label as usize) < names.len();
    let sequence = |i: usize| data.labels_of(i).iter().filter(known).map(|&label| names.name(label));
    tags.other_scheme((0..data.len()).map(sequence))
}

/// Reads one source with the names of a model, whether there are examples in it or not.
pub(super) fn read_fixed(
    source: &mut Source,
    format: Format,
    options: &ReadOptions,
    columns: &mut conll::Reader,
    names: &NamesOfFiles<'_>,
) -> Result<(Dataset, Unseen)> {
    let mut data = builder(options, names.of_files());
    read_source(source, format, options, columns, &mut data)?;
    if data.examples() == 0 {
        return Ok(Default::default());
    }
    let (data, _, unseen) = data.finish();
    // Labels are not looked at where examples are predicted as they arrive.
    names.converted((data, unseen), None)
}

/// Data as it was read: a table, or the examples of a task.
#[derive(Debug, Clone)]
pub struct Reading<D = Dataset> {
    /// The examples.
    pub data: D,
    /// The names in them.
    pub names: Vocabulary,
    /// The format of the files.
    pub format: Option<String>,
    /// What the names that were fixed before do not have.
    pub unseen: Unseen,
    /// What is to be kept in order to read other files alike.
    pub text: TextReading,
}

/// What a model keeps of how text was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextReading {
    /// How columns become attributes.
    pub columns: Option<Arc<TextColumns>>,
    /// Which scheme the tags are in, and which one they are learnt in.
    pub tags: Option<TagConversion>,
    /// What columns of tables are for.
    pub table: TableColumns,
    /// Whether rows may have several candidates for their label.
    pub candidates: bool,
    /// Whether indices of features count from 0.
    pub zero_based: bool,
    /// What a person is to be told about it.
    pub notes: Vec<String>,
}

impl<D> Reading<D> {
    /// The same with what becomes of the data.
    pub fn try_map<E>(self, change: impl FnOnce(D) -> Result<E>) -> Result<Reading<E>> {
        let Self { data, names, format, unseen, text } = self;
        Ok(Reading { data: change(data)?, names, format, unseen, text })
    }
}

impl Reading {
    /// Reads files: to train from where `known` is none, else with the names that training fixed.
    pub fn of_files(paths: &[PathBuf], options: &ReadOptions, known: Option<&Vocabulary>) -> Result<Self> {
        match known {
            None => {
                let (data, names, format, mut text) = read_training_columns(paths, options)?;
                if text.columns.is_some()
                    && options.text_columns.is_none()
                    && options.columns.templates.is_none()
                {
                    let note = "without templates, the columns of the token itself are its only attributes; \
                                templates chunk, ner or pos make more";
                    text.notes.push(note.to_owned());
                }
                let format = Some(format.name().to_owned());
                Self { data, names, format, unseen: Unseen::default(), text }.in_scheme(options)
            }
            Some(names) => {
                let of_files = NamesOfFiles::new(options, names)?;
                let (data, unseen) = read_with(paths, options, of_files.of_files())?;
                let another = of_files.another_scheme(&data);
                let note = |(tags, found): (TagConversion, TagScheme)| {
                    let TagConversion { files, model } = tags;
                    format!(
                        "the tags are in {found}, those of the training data were in {files}: they are compared as {model}"
                    )
                };
                let has_labels = |data: &Dataset| {
                    (0..data.len()).flat_map(|i| data.labels_of(i)).any(|&label| label != UNKNOWN_LABEL)
                };
                let own =
                    options.tags.filter(|tags| another.is_none() && !tags.is_idle() && has_labels(&data));
                let learnt = |TagConversion { files, model }| {
                    format!(
                        "the tags are in {files}, and are learnt and compared as {model}: mistakes in single tags are counted in these"
                    )
                };
                let notes = another.into_iter().map(note).chain(own.map(learnt)).collect();
                let (data, unseen) = of_files.converted((data, unseen), another.map(|(_, found)| found))?;
                let text = TextReading { notes, ..TextReading::default() };
                Ok(Self { data, names: names.clone(), format: None, unseen, text })
            }
        }
    }

    /// With tags in the scheme that was asked for, or as they are: then their scheme is kept.
    fn in_scheme(mut self, options: &ReadOptions) -> Result<Self> {
        let labels = &self.names.labels;
        let sequence = |i: usize| self.data.labels_of(i).iter().map(|&label| labels.name(label));
        let recognise = || RecognisedScheme::of((0..self.data.len()).map(sequence));
        let tags = match (options.tags, options.tag_scheme) {
            (Some(tags), _) if tags.is_idle() && other_scheme(tags, &self.data, labels).is_none() => {
                self.text.tags = Some(tags);
                return Ok(self);
            }
            (Some(tags), _) => tags,
            (None, None) => {
                let are_tags =
                    options.label_tags && self.data.sequences.is_some() && self.data.candidates.is_none();
                let are_tags = are_tags && tags::are_tags(labels, labels.len());
                if let Some(found) = are_tags.then(recognise).and_then(Result::ok)
                    && !found.is_ambiguous
                {
                    self.text.tags = Some(TagConversion { files: found.scheme, model: found.scheme });
                }
                return Ok(self);
            }
            (None, Some(model)) => {
                let found = recognise()?;
                self.text.notes.extend(found.note().map(|note| format!("tag-scheme: {note}")));
                TagConversion { files: found.scheme, model }
            }
        };
        let mut names = Alphabet::default();
        let labels = converted(&self.data, tags, &self.names.labels, &mut names, true)?;
        let order = names.sorted_order();
        let mut place = vec![0; order.len()];
        (0..).zip(&order).for_each(|(new, &old)| place[old as usize] = new);
        self.data.labels = labels
            .into_iter()
            .map(|label| place.get(label as usize).copied().unwrap_or(UNKNOWN_LABEL))
            .collect();
        self.names.labels = order.iter().map(|&old| names.name(old)).collect();
        self.text.tags = Some(tags);
        Ok(self)
    }
}

/// The labels of sequences in another scheme.
fn converted(
    data: &Dataset,
    tags: TagConversion,
    from: &Alphabet,
    to: &mut Alphabet,
    grow: bool,
) -> Result<Vec<u32>> {
    if data.sequences.is_none() || data.edges.is_some() || data.sets.is_some() {
        return Err(Error::parameter(
            "tag-scheme",
            "schemes are about sequences with one label for each token",
        ));
    }
    Ok(tags.convert((0..data.len()).map(|i| data.labels_of(i)), from, to, grow))
}

/// The files beside a data file that may be read with it without being named: the labels of images, the names of labels.
pub fn files_beside(data: &Path) -> Vec<PathBuf> {
    let mut beside = idx::labels_beside(data);
    beside.extend(label_names::beside(data));
    beside
}

/// Numbered columns may be so many without a question.
const MOST_COLUMNS: usize = 1 << 27;
/// Beyond that there must be a value for each so many.
const COLUMNS_PER_VALUE: usize = 1000;

/// Every column has its weights, whether any row uses it or not. One slip in an index may thus ask for more memory than there
/// is, which the files themselves do not need.
fn check_width(paths: &[PathBuf], data: &Dataset, vocabulary: &Vocabulary) -> Result<()> {
    let columns = vocabulary.attributes.len();
    if columns <= MOST_COLUMNS || columns / COLUMNS_PER_VALUE <= data.features.stored() {
        return Ok(());
    }
    let problem = format!(
        "{columns} features by the largest index or the header, but only {} values; \
         if it is no slip, number the features without gaps",
        data.features.stored()
    );
    Err(Error::data(Place::new(&paths[0], 0, 0), problem))
}

/// Opens the first file and decides on the format.
fn open_first(paths: &[PathBuf], options: &ReadOptions) -> Result<(Source, Format)> {
    let Some(path) = paths.first() else {
        return Err(Error::parameter("data", "at least one file is needed"));
    };
    let mut source = Source::open(path)?;
    let format = options.format_of(&mut source)?;
    check_options(format, options, paths.len())?;
    Ok((source, format))
}

/// Refuses options that files in this format have no use for.
pub(super) fn check_options(format: Format, options: &ReadOptions, files: usize) -> Result<()> {
    if options.labels.is_some() && !format.is_table() {
        let problem = match format {
            Format::Idx if files > 1 => {
                "a file with labels goes with one file of images, not with several".to_owned()
            }
            Format::Idx => return Ok(()),
            _ => format!("idx, arff and csv keep labels or their names apart; {format} has them inside"),
        };
        return Err(Error::parameter("labels", problem));
    }
    if let Some(given) = options.columns.given().filter(|_| format != Format::Conll) {
        return Err(Error::parameter(
            given,
            format!("only conll has columns of text; {format} has attributes"),
        ));
    }
    if options.zero_based && format != Format::Svmlight {
        let problem = format!("only svmlight numbers its features; {format} does not");
        return Err(Error::parameter("zero-based", problem));
    }
    let label_columns = (!options.label_columns.is_empty()).then_some("label-columns");
    if let Some(given) = label_columns.or(options.table.given()).filter(|_| !format.is_table()) {
        let problem = format!("{format} has no columns with names; only arff and csv do");
        return Err(Error::parameter(given, problem));
    }
    let of_csv =
        [("text-columns", !options.table.text.is_empty()), ("rare-values", options.table.least_count > 1)];
    if let Some((given, _)) = of_csv.into_iter().find(|(_, given)| *given && format == Format::Arff) {
        return Err(Error::parameter(given, "arff declares the values of its attributes; this is for csv"));
    }
    Ok(())
}

fn read_all(
    paths: &[PathBuf],
    first: Source,
    format: Format,
    options: &ReadOptions,
    data: &mut DatasetBuilder<'_>,
) -> Result<conll::Reader> {
    let mut columns = conll::Reader::new(&options.columns, options.text_columns.as_deref())?;
    let mut first = Some(first);
    for path in paths {
        let mut source = match first.take() {
            Some(source) => source,
            None => open_same(path, format, options)?,
        };
        let before = data.examples();
        read_source(&mut source, format, options, &mut columns, data)?;
        if data.examples() == before {
            return Err(source.error("the file holds no examples"));
        }
    }
    Ok(columns)
}

/// Reads one source to its end.
fn read_source(
    source: &mut Source,
    format: Format,
    options: &ReadOptions,
    columns: &mut conll::Reader,
    data: &mut DatasetBuilder<'_>,
) -> Result<()> {
    match format {
        Format::Svmlight => svmlight::read(source, options.zero_based || options.model_zero_based, data),
        Format::Crfsuite => crfsuite::read(source, data),
        Format::Conll => columns.read(source, data),
        Format::Letters => letters::read(source, data),
        Format::Idx => {
            let mut labels = open_labels(source.path(), options, data)?;
            idx::read(source, labels.as_mut(), data)
        }
        Format::Images => images::read(source, data),
        Format::Arff => arff::read(source, options, data),
        Format::Csv => csv::read(source, options, data),
        Format::Edges => edges::read(source, data),
    }
}

/// Opens a later file, which must be in the format of the first.
fn open_same(path: &Path, format: Format, options: &ReadOptions) -> Result<Source> {
    let mut source = Source::open(path)?;
    match options.format_of(&mut source)? {
        found if found == format => Ok(source),
        found => Err(source.other_format(found, format)),
    }
}

/// The labels of an image file: as given, else beside it; `None` when there are none and none are needed.
fn open_labels(images: &Path, options: &ReadOptions, data: &DatasetBuilder<'_>) -> Result<Option<Source>> {
    if let Some(labels) = &options.labels {
        return Source::open(labels).map(Some);
    }
    let beside = idx::labels_beside(images);
    if let Some(labels) = beside.iter().find(|path| path.exists()) {
        return Source::open(labels).map(Some);
    }
    if !data.needs_labels() {
        return Ok(None);
    }
    let looked = match beside.is_empty() {
        true => String::new(),
        false => {
            let names: Vec<String> = beside.iter().map(|path| escaped_path(path).to_string()).collect();
            format!(" (looked for {})", names.join(" and "))
        }
    };
    let problem = format!("no labels for these images{looked}; name their file with the option labels");
    Err(Error::data(Place::new(images, 0, 0), problem))
}
