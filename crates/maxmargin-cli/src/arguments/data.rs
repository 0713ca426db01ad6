//! How to read files.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Result;
use clap::Args;
use maxmargin::data::tag_scheme::TagScheme;
use maxmargin::data::templates::TemplateSyntax;
use maxmargin::data::{ColumnOptions, Format, ReadOptions, TableColumns, parse_folds, parse_names};
use maxmargin::training::Background;

use crate::files::Files;

/// How to read files.
// A heading for each flag: `next_help_heading` would go on to the flags of the command that follow.
#[derive(Debug, Clone, Default, Args)]
pub struct ReadArguments {
    /// The format of all data files: svmlight, crfsuite, conll, letters, idx, images, arff, csv or
    /// edges
    ///
    /// svmlight: `label index:value …`, with qid:N on each line for sequences, or `label,label …` for label sets. crfsuite:
    /// `label TAB attribute[:value] …`, a blank line after each sequence. conll: `word tag … label`, columns of text, a blank line
    /// after each sentence. letters: the OCR data of words, with folds. idx:
    /// MNIST's images. images: a list of PGM or PNG files, each with its segments. arff: Weka's tables, with labels as in Mulan or MEKA. csv: tables with a header line. edges:
    /// `left right label feature[:value] …`, an edge of a graph a line, a blank line after each graph. Found out from the
    /// content when it is not given, and csv from the ends .csv and .tsv of names or from options about columns. Each may be packed with gzip.
    #[arg(long, value_name = "FORMAT", help_heading = "Reading")]
    pub format: Option<Format>,

    /// The labels of idx images, or the names of the columns of arff and csv tables that are labels
    ///
    /// idx: looked for beside the images by its usual name when it is not given. It goes with the training images (or the
    /// only data file of a command); the labels of other images are always looked for beside them. arff and csv: Mulan's
    /// XML, or a name a line; for data.arff, data.xml beside it is found by itself. Either goes before a count of labels in the
    /// file (-C n), and an error tells where the XML that was found by itself and the count differ.
    #[arg(long, value_name = "FILE", help_heading = "Reading")]
    pub labels: Option<PathBuf>,

    /// The feature indices of svmlight files count from 0 instead of 1
    #[arg(long, help_heading = "Reading")]
    pub zero_based: bool,

    /// The label columns of arff and csv tables, with commas between
    ///
    /// For label sets they hold 0 or 1. Where rows have one label, this is one column, which names the class; the model keeps its
    /// name. Data to predict need not have them. A name with a comma stands in double quotes, here and in other lists.
    #[arg(long, value_name = "NAME,…", help_heading = "Reading")]
    pub label_columns: Vec<Names>,

    /// Columns of tables that are left out, with commas between
    #[arg(long, value_name = "NAME,…", help_heading = "Reading")]
    pub ignore_columns: Vec<Names>,

    /// The column of a table with the weight of each row
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    pub weight_column: Option<String>,

    /// The column of a table with the name of each row: no feature, but written before its prediction
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    pub id_column: Option<String>,

    /// Columns of csv whose values are names though they look like numbers, with commas between
    ///
    /// Columns of text become a feature `column=value` for each value. A column is text where most values in the first rows are no
    /// numbers, or where it is named here.
    #[arg(long, value_name = "NAME,…", help_heading = "Reading")]
    pub text_columns: Vec<Names>,

    /// Take all values of a text column that fewer than N rows have for one, `column=(other)`, and later values that are new
    #[arg(long, value_name = "N", help_heading = "Reading")]
    pub rare_values: Option<usize>,

    #[command(flatten)]
    pub columns: ColumnArguments,

    /// Learn tags in this scheme: iob1, iob2, bioes or bilou. Predictions are in that of the files
    ///
    /// Tags are such as B-NP, I-NP and O, in columns of text or any other format with sequences. Their own scheme is found out.
    #[arg(long, value_name = "SCHEME", help_heading = "Columns of text")]
    pub tag_scheme: Option<TagScheme>,
}

/// What columns of text are.
#[derive(Debug, Clone, Default, Args)]
pub struct ColumnArguments {
    /// How columns of text become attributes: chunk, ner, pos, or a file of templates as CRF++ and Wapiti write them
    ///
    /// The ready-made sets take the first column for the word and the others for tags: the words in a window of five, lower case,
    /// prefixes and suffixes, shapes, tags and pairs of them. The model keeps the templates, and later files are columns as well.
    #[arg(long, value_name = "SET|FILE", help_heading = "Columns of text")]
    pub templates: Option<PathBuf>,

    /// How the file of templates is written: crf++ (marks like _B-1) or wapiti (marks like _x-1)
    #[arg(long, value_name = "NAME", default_value = "crf++", help_heading = "Columns of text")]
    pub template_syntax: TemplateSyntax,

    /// The column of the label: its name, or its number from 0, or from -1 backwards; the last one when it is not given
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true, help_heading = "Columns of text")]
    pub label_column: Option<String>,

    /// The names of all columns, with commas between
    #[arg(long, value_name = "NAME,…", help_heading = "Columns of text")]
    pub column_names: Vec<Names>,

    /// A list of phrases, one a line, that templates know as NAME; may be given several times
    #[arg(long, value_name = "NAME=FILE", value_parser = named_file, help_heading = "Columns of text")]
    pub gazetteer: Vec<(String, PathBuf)>,
}

impl ColumnArguments {
    /// For the reader.
    pub fn options(&self) -> ColumnOptions {
        ColumnOptions {
            label_column: self.label_column.clone(),
            names: all(&self.column_names),
            templates: self.templates.clone(),
            syntax: self.template_syntax,
            gazetteers: self.gazetteer.clone(),
        }
    }

    /// Adds the files that are read.
    pub fn add_to(&self, files: Files) -> Files {
        let lists: Vec<&PathBuf> = self.gazetteer.iter().map(|(_, file)| file).collect();
        let files = files.read("--gazetteer", lists);
        match self.options().template_file() {
            Some(file) => files.read("--templates", [&file.to_owned()]),
            None => files,
        }
    }
}

/// A list of names.
#[derive(Debug, Clone)]
pub struct Names(Vec<String>);

impl FromStr for Names {
    type Err = maxmargin::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_names(text).map(Names)
    }
}

/// All names of lists.
fn all(lists: &[Names]) -> Vec<String> {
    lists.iter().flat_map(|Names(names)| names.clone()).collect()
}

/// A name and a file.
fn named_file(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok((name.to_owned(), file.into())),
        _ => Err("a name and a file are expected, such as cities=cities.txt".to_owned()),
    }
}

impl ReadArguments {
    /// For the files that `--labels` goes with.
    pub fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.format,
            labels: self.labels.clone(),
            zero_based: self.zero_based,
            label_columns: all(&self.label_columns),
            table: self.table(),
            columns: self.columns.options(),
            tag_scheme: self.tag_scheme,
            ..ReadOptions::default()
        }
    }

    fn table(&self) -> TableColumns {
        TableColumns {
            ignored: all(&self.ignore_columns),
            weight: self.weight_column.clone(),
            id: self.id_column.clone(),
            text: all(&self.text_columns),
            least_count: self.rare_values.unwrap_or_default(),
            class: None,
        }
    }

    /// For files of a model that has just been trained with these options. Names of label columns go with all of them, the labels of images do not.
    /// `format` is that of the files that they went with.
    pub fn options_for_more(&self, format: Option<&str>) -> ReadOptions {
        let labels = self.labels.clone().filter(|_| format != Some(Format::Idx.name()));
        // What columns of text are, and the scheme of their tags, the training data has fixed; other columns need not be there.
        let (columns, table) = Default::default();
        ReadOptions { labels, columns, table, tag_scheme: None, ..self.options() }
    }

    /// Adds the files that are read beside the data.
    pub fn add_to(&self, files: Files) -> Files {
        self.columns.add_to(files.read("--labels", &self.labels))
    }
}

/// A list of folds.
#[derive(Debug, Clone)]
pub struct Folds(pub Vec<u32>);

impl FromStr for Folds {
    type Err = maxmargin::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_folds(text).map(Folds)
    }
}

/// What to count in an evaluation.
#[derive(Debug, Clone, Default, Args)]
pub struct EvaluationArguments {
    /// The label that stands for "nothing here", which F1 leaves out: O if there is one; none for none
    ///
    /// With a background, micro_precision, micro_recall and micro_f1 are those of all other labels together. macro_f1 is
    /// without the background too. An O among single letters like A to Z is taken for a letter unless it is named here. A
    /// label that is called none goes before none.
    #[arg(long, value_name = "LABEL", help_heading = "Evaluation")]
    background: Option<String>,
}

/// The value of `--background` for none.
const NO_BACKGROUND: &str = "none";

impl EvaluationArguments {
    /// Whether a background was asked for.
    pub fn names_background(&self) -> bool {
        self.background.is_some()
    }

    /// The background that was asked for, where these are the labels.
    pub fn background(&self, labels: &maxmargin::data::Alphabet) -> Background {
        match self.background.as_deref() {
            None => Background::Usual,
            Some(NO_BACKGROUND) if labels.get(NO_BACKGROUND).is_none() => Background::None,
            Some(name) => Background::Named(name.to_owned()),
        }
    }
}
