//! Sentence pairs as a data format: two files of text, with what else is known of their words in other files.
//!
//! What a model was trained with has to be there again when it predicts. So [`sentence_pairs_with`] looks at the names of
//! its features, and says which file is missing.

use std::path::PathBuf;

use super::features::FeatureGroup;
use super::graphs::AlignmentSource;
use super::{FeatureTable, ParallelText, SentenceLinks, read_links};
use crate::association::Associations;
use maxmargin::data::{Attributes, Vocabulary};
use maxmargin::tasks::GraphExamples;
use maxmargin::{Error, Place, Result};

/// What goes with two files of text.
#[derive(Debug, Clone, Default)]
pub struct SentenceOptions {
    /// The true links.
    pub links: Option<PathBuf>,
    /// Associations, and perhaps second ones that were estimated otherwise.
    pub associations: Vec<PathBuf>,
    /// The links of another aligner.
    pub external: Option<PathBuf>,
    /// A table of features.
    pub table: Option<PathBuf>,
    /// The groups of features to train with; all that can be had where none is named.
    pub groups: Vec<FeatureGroup>,
}

/// The contents of all files.
struct Files {
    text: ParallelText,
    links: Option<Vec<SentenceLinks>>,
    associations: Vec<Associations>,
    external: Option<Vec<SentenceLinks>>,
    table: Option<FeatureTable>,
}

impl Files {
    fn read(paths: &[PathBuf], options: &SentenceOptions) -> Result<Self> {
        let [left, right] = paths else {
            let problem =
                format!("sentence pairs are two files, the text and its translation, not {}", paths.len());
            return Err(at_start(paths, problem));
        };
        if options.associations.len() > 2 {
            return Err(Error::parameter(
                "associations",
                "one file, or two that were estimated in different ways",
            ));
        }
        let text = ParallelText::read(left, right)?;
        let links = |path: &Option<PathBuf>| path.as_deref().map(|path| read_links(path, &text)).transpose();
        Ok(Self {
            links: links(&options.links)?,
            associations: options
                .associations
                .iter()
                .map(|path| Associations::load(path))
                .collect::<Result<_>>()?,
            external: links(&options.external)?,
            table: options.table.as_deref().map(|path| FeatureTable::read(path, &text)).transpose()?,
            text,
        })
    }

    fn source(&self) -> AlignmentSource<'_> {
        AlignmentSource {
            associations: self.associations.first(),
            second: self.associations.get(1),
            external: self.external.as_deref(),
            table: self.table.as_ref(),
            ..AlignmentSource::new(&self.text)
        }
    }
}

/// Reads sentence pairs to train from.
pub(crate) fn sentence_pairs(
    paths: &[PathBuf],
    options: &SentenceOptions,
) -> Result<(GraphExamples, Vocabulary)> {
    let files = Files::read(paths, options)?;
    let source = files.source();
    let Some(links) = &files.links else {
        return Err(at_start(paths, "sentence pairs to learn from need links; name their file"));
    };
    let groups = if options.groups.is_empty() { source.groups() } else { options.groups.clone() };
    source.training_set(links, &groups)
}

/// Reads sentence pairs with the vocabulary of a model.
pub(crate) fn sentence_pairs_with(
    paths: &[PathBuf],
    options: &SentenceOptions,
    vocabulary: &Vocabulary,
) -> Result<GraphExamples> {
    let files = Files::read(paths, options)?;
    let source = files.source();
    let here = source.groups();
    let groups = groups_of(vocabulary);
    if groups.is_empty() {
        let problem = "the model knows no feature of word pairs: it was not trained on sentence pairs; give it data as in training";
        return Err(at_start(paths, problem));
    }
    for &group in &groups {
        if !here.contains(&group) {
            let problem =
                format!("the model was trained with features of the group {group}; {}", remedy(group));
            return Err(at_start(paths, problem));
        }
    }
    source.test_set(files.links.as_deref(), &groups, vocabulary)
}

/// The groups whose features a model knows.
fn groups_of(vocabulary: &Vocabulary) -> Vec<FeatureGroup> {
    let Attributes::Named(names) = &vocabulary.attributes else { return Vec::new() };
    let knows = |group: &FeatureGroup| names.iter().any(|name| group.has(name));
    FeatureGroup::ALL.into_iter().filter(knows).collect()
}

fn remedy(group: FeatureGroup) -> &'static str {
    match group {
        FeatureGroup::External => "name the other aligner's links for this text",
        FeatureGroup::Second => "name both files of associations, as in training",
        FeatureGroup::Table => "name the table of this text",
        _ => "name the file of associations, as in training",
    }
}

/// An error about these files as a whole.
fn at_start(paths: &[PathBuf], problem: impl Into<String>) -> Error {
    match paths.first() {
        Some(path) => Error::data(Place::new(path, 0, 0), problem),
        None => Error::parameter("data", problem),
    }
}
