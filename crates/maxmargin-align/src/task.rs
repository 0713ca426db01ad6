//! The task `alignment`: which words of a sentence and its translation belong together.
//!
//! It learns matchings; what it adds is its data. Two files of text make the graphs, and what else is known of words comes
//! from files that options name.

use std::path::PathBuf;

use maxmargin::data::{ReadOptions, Reading, TextReading, Unseen, Vocabulary};
use maxmargin::metrics::Metrics;
use maxmargin::search::Strategy;
use maxmargin::structure::{self, Graph, Links};
use maxmargin::surrogate::Surrogate;
use maxmargin::tasks::{ComparisonOf, GraphExamples, Matching, OptionGroup, Stored, Task, TaskOption};
use maxmargin::{Error, Result};
use serde_json::{Map, Value};

use crate::reading::{sentence_pairs, sentence_pairs_with};
use crate::{FeatureGroup, SentenceOptions};

/// The format that models of sentence pairs name.
const FORMAT: &str = "sentences";

/// The task: links between words.
#[derive(Debug, Clone, Default)]
pub struct Alignment {
    /// How many links words may have, and what wrong ones cost.
    pub matching: Matching,
    /// The true links; a second file for the test data.
    pub links: Vec<PathBuf>,
    /// What was found out about words; a second file where it was estimated in another way too.
    pub associations: Vec<PathBuf>,
    /// The links of another aligner; a second file for the test data.
    pub external_links: Vec<PathBuf>,
    /// Features of word pairs; a second file for the test data.
    pub feature_table: Vec<PathBuf>,
    /// The groups of features to train with; all that can be had where none is named.
    pub features: Vec<FeatureGroup>,
}

impl Alignment {
    fn sources(&self) -> SentenceOptions {
        SentenceOptions {
            links: self.links.first().cloned(),
            associations: self.associations.clone(),
            external: self.external_links.first().cloned(),
            table: self.feature_table.first().cloned(),
            groups: self.features.clone(),
        }
    }
}

fn file(name: &'static str, help: &'static str) -> TaskOption {
    let option = TaskOption::value(name, "FILE", help).about(OptionGroup::Reading);
    TaskOption { most_values: 2, ..option }
}

impl Task for Alignment {
    type Data = GraphExamples;
    type Structure = structure::MatchingStructure;

    const NAME: &'static str = "alignment";
    const ABOUT: &'static str = "\
Which words of a sentence and its translation belong together

Data is two files of text, one sentence a line: the text and its translation, in this order. A label is a set \
of links between words, found as a whole; see the task matching for limits, losses, predictions and metrics.";
    const READS_TABLES: bool = false;

    fn options() -> Vec<TaskOption> {
        let mut options = Matching::options();
        options.extend([
            file("links", "The true links between the words of sentence pairs; a second file for the test data").more(
                "Lines `sentence left right S|P` that count from 1 (shared tasks on word alignment), or a line `i-j …` for \
                 each sentence pair that counts from 0, with `ipj` for possible links (Pharaoh).",
            ),
            file(
                "associations",
                "What `maxmargin associate` has found out about words; a second file where it was estimated in another way too",
            ),
            file("external-links", "The links of another aligner, as a feature; a second file for the test data"),
            file(
                "feature-table",
                "Features of word pairs, lines `sentence left right name[:value] …`; a second file for the test data",
            ),
            TaskOption {
                has_commas: true,
                most_values: usize::MAX,
                ..TaskOption::value(
                    "features",
                    "GROUP,…",
                    "The groups of features to train with: all that can be had unless named",
                )
                .about(OptionGroup::Reading)
                .more(
                    "position, spelling, lexical: from the text itself. dice, model1, hmm, context, frequency: from \
                     the option associations. second: from a second file of them. external: from the option external-links. \
                     table: from the option feature-table.",
                )
            },
        ]);
        options
    }

    fn set(&mut self, option: &str, values: &[String]) -> Result<()> {
        let files = || values.iter().map(PathBuf::from).collect();
        match option {
            "links" => self.links = files(),
            "associations" => self.associations = files(),
            "external-links" => self.external_links = files(),
            "feature-table" => self.feature_table = files(),
            "features" => self.features = values.iter().map(|name| name.parse()).collect::<Result<_>>()?,
            _ => return self.matching.set(option, values),
        }
        Ok(())
    }

    fn files(&self) -> Vec<(&'static str, PathBuf)> {
        let named = [
            ("links", &self.links),
            ("associations", &self.associations),
            ("external-links", &self.external_links),
            ("feature-table", &self.feature_table),
        ];
        named
            .into_iter()
            .flat_map(|(name, files)| files.iter().map(move |file| (name, file.clone())))
            .collect()
    }

    fn for_test_data(&self) -> Self {
        let second = |files: &Vec<PathBuf>| files.get(1).cloned().into_iter().collect();
        Self {
            links: second(&self.links),
            external_links: second(&self.external_links),
            feature_table: second(&self.feature_table),
            ..self.clone()
        }
    }

    fn claims(task: &str, format: Option<&str>) -> bool {
        // Models of sentence pairs were of the task matching once.
        task == Self::NAME || task == Matching::NAME && format == Some(FORMAT)
    }

    fn read(
        &self,
        files: &[PathBuf],
        options: &ReadOptions,
        known: Option<&Vocabulary>,
    ) -> Result<Reading<GraphExamples>> {
        if let Some(format) = options.format {
            let problem =
                format!("sentence pairs are text, not {format}; files of edges are for the task matching");
            return Err(Error::parameter("format", problem));
        }
        let (sources, format) = (self.sources(), Some(FORMAT.to_owned()));
        let (data, names) = match known {
            None => sentence_pairs(files, &sources)?,
            Some(names) => (sentence_pairs_with(files, &sources, names)?, names.clone()),
        };
        Ok(Reading { data, names, format, unseen: Unseen::default(), text: TextReading::default() })
    }

    fn resolve(&self, _: &Vocabulary, _: &GraphExamples) -> Result<Self> {
        Ok(self.clone())
    }

    fn structure(&self, features: usize, labels: usize) -> Result<Self::Structure> {
        self.matching.structure(features, labels)
    }

    fn check_names(&self, names: &Vocabulary) -> Result<()> {
        self.matching.check_names(names)
    }

    fn input(data: &GraphExamples, example: usize) -> Graph {
        Matching::input(data, example)
    }

    fn truth(structure: &Self::Structure, data: &GraphExamples, example: usize) -> Result<Links> {
        Matching::truth(structure, data, example)
    }

    fn counts_mistakes(&self) -> bool {
        self.matching.counts_mistakes()
    }

    fn has_whole_losses(structure: &Self::Structure, surrogate: Surrogate) -> bool {
        Matching::has_whole_losses(structure, surrogate)
    }

    fn has_too_many_losses(
        structure: &Self::Structure,
        surrogate: Surrogate,
        data: &GraphExamples,
        step: Option<f64>,
    ) -> bool {
        Matching::has_too_many_losses(structure, surrogate, data, step)
    }

    const STRATIFIED_NEEDS: [&'static str; 2] = Matching::STRATIFIED_NEEDS;

    fn best_search(
        structure: &Self::Structure,
        surrogate: Surrogate,
        data: &GraphExamples,
    ) -> (Strategy, &'static str) {
        Matching::best_search(structure, surrogate, data)
    }

    fn blocks(&self, features: usize, labels: usize) -> Vec<(&'static str, Vec<usize>)> {
        self.matching.blocks(features, labels)
    }

    fn save(&self) -> Stored {
        self.matching.save()
    }

    fn load(stored: &Stored, labels: usize) -> std::result::Result<Self, String> {
        Ok(Self { matching: Matching::load(stored, labels)?, ..Self::default() })
    }

    fn loss_name(&self) -> &'static str {
        self.matching.loss_name()
    }

    fn describe(structure: &Self::Structure, task: &Self) -> String {
        Matching::describe(structure, &task.matching)
    }

    fn facts(structure: &Self::Structure, task: &Self) -> Map<String, Value> {
        Matching::facts(structure, &task.matching)
    }

    fn name(structure: &Self::Structure, names: &Vocabulary, input: &Graph, label: &Links) -> Value {
        Matching::name(structure, names, input, label)
    }

    fn member(names: &Vocabulary, input: &Graph, variable: usize) -> Option<Value> {
        Matching::member(names, input, variable)
    }

    fn is_right(data: &GraphExamples, example: usize, variable: usize, value: u32) -> Option<bool> {
        Matching::is_right(data, example, variable, value)
    }

    fn write(label: &Value) -> String {
        Matching::write(label)
    }

    fn metrics(structure: &Self::Structure, comparison: ComparisonOf<'_, Self>) -> Metrics {
        Matching::metrics(structure, comparison)
    }
}
