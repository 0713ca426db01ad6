//! From files to a data set: the two functions that everything else calls.
//!
//! [`read_training`] makes a vocabulary from what it reads; [`read_with`] reads later data with the vocabulary of a
//! model. Both take several files of one format and append them. The format is found out from the first file unless
//! it is named.
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

use super::dataset::{Attributes, Dataset, Vocabulary};
use super::format::Format;
use super::gather::{Gathering, Unseen};
use super::source::Source;
use super::{crfsuite, idx, letters, svmlight};
use crate::error::{Error, Place, Result};

/// How to read files.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The format; found out from the content when it is `None`.
    pub format: Option<Format>,
    /// The file with the labels of idx images; looked for beside the images when it is `None`.
    pub labels: Option<PathBuf>,
    /// Whether the feature indices of SVMlight's format count from 0 instead of 1.
    pub zero_based: bool,
}

/// Reads files to train from: one data set, and the vocabulary that they make. Labels are sorted: by value when all are
/// numbers, else alphabetically.
pub fn read_training(paths: &[PathBuf], options: &ReadOptions) -> Result<(Dataset, Vocabulary)> {
    let (first, format) = open_first(paths, options)?;
    let mut data = Gathering::growing(format.has_named_attributes());
    read_all(paths, first, format, options, &mut data)?;
    let (data, vocabulary, _) = data.finish();
    Ok((data, vocabulary.unwrap_or_default()))
}

/// Reads files with the vocabulary of a model. What it does not know is left out and counted.
pub fn read_with(
    paths: &[PathBuf],
    options: &ReadOptions,
    vocabulary: &Vocabulary,
) -> Result<(Dataset, Unseen)> {
    let (first, format) = open_first(paths, options)?;
    match (format.has_named_attributes(), &vocabulary.attributes) {
        (true, Attributes::Named(_)) | (false, Attributes::Numbered(_)) => {}
        (true, Attributes::Numbered(_)) => {
            return Err(
                first.error(format!("the attributes of {format} have names, but the model's have numbers"))
            );
        }
        (false, Attributes::Named(_)) => {
            return Err(
                first.error(format!("the attributes of {format} have numbers, but the model's have names"))
            );
        }
    }
    let mut data = Gathering::fixed(vocabulary);
    read_all(paths, first, format, options, &mut data)?;
    let (data, _, unseen) = data.finish();
    Ok((data, unseen))
}

/// Opens the first file and decides on the format.
fn open_first(paths: &[PathBuf], options: &ReadOptions) -> Result<(Source, Format)> {
    let Some(path) = paths.first() else {
        return Err(Error::parameter("data", "at least one file is needed"));
    };
    if options.labels.is_some() && paths.len() > 1 {
        return Err(Error::parameter(
            "labels",
            "a file with labels goes with one file of images, not with several",
        ));
    }
    let mut source = Source::open(path)?;
    let format = match options.format {
        Some(format) => format,
        None => Format::detect(&mut source)?,
    };
    if options.labels.is_some() && format != Format::Idx {
        return Err(Error::parameter(
            "labels",
            format!("only idx keeps its labels apart; {format} has them inside"),
        ));
    }
    Ok((source, format))
}

fn read_all(
    paths: &[PathBuf],
    first: Source,
    format: Format,
    options: &ReadOptions,
    data: &mut Gathering<'_>,
) -> Result<()> {
    let mut first = Some(first);
    for path in paths {
        let mut source = match first.take() {
            Some(source) => source,
            None => open_same(path, format, options)?,
        };
        let before = data.examples();
        match format {
            Format::Svmlight => svmlight::read(&mut source, options.zero_based, data)?,
            Format::Crfsuite => crfsuite::read(&mut source, data)?,
            Format::Letters => letters::read(&mut source, data)?,
            Format::Idx => {
                let mut labels = open_labels(path, options, data)?;
                idx::read(&mut source, labels.as_mut(), data)?;
            }
        }
        if data.examples() == before {
            return Err(source.error("the file holds no examples"));
        }
    }
    Ok(())
}

/// Opens a later file, which must be in the format of the first.
fn open_same(path: &Path, format: Format, options: &ReadOptions) -> Result<Source> {
    let mut source = Source::open(path)?;
    if options.format.is_none() {
        let found = Format::detect(&mut source)?;
        if found != format {
            return Err(source.error(format!("this file looks like {found}, but the first one is {format}")));
        }
    }
    Ok(source)
}

/// The labels of an image file: as given, else beside it; `None` when there are none and none are needed.
fn open_labels(images: &Path, options: &ReadOptions, data: &Gathering<'_>) -> Result<Option<Source>> {
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
            let names: Vec<String> = beside.iter().map(|path| path.display().to_string()).collect();
            format!(" (looked for {})", names.join(" and "))
        }
    };
    let problem = format!("no labels for these images{looked}; name their file with --labels");
    Err(Error::data(Place::new(images, 0, 0), problem))
}
