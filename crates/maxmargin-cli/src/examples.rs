//! What training files hold, before a task is made of it.

use anyhow::{Result, bail};
use maxmargin::data::{
    Alphabet, Attributes, Dataset, Format, Impute, Missing, Preprocessing, ReadOptions, Vocabulary,
    nearly_constant_columns, read_training_as,
};
use maxmargin::task::TaskKind;

use crate::arguments::{Folds, ProblemArguments};
use crate::print::{count, note};
use crate::problem::{Problem, in_folds, note_unlinked};

/// Examples as they were read, and the names in them.
pub struct Examples {
    /// The examples to train on, as the task sees them.
    pub data: Dataset,
    /// Those of other folds of the same files.
    pub others: Option<Dataset>,
    vocabulary: Vocabulary,
    dropped_labels: Alphabet,
    format: Option<Format>,
}

impl Examples {
    /// Reads the training data, and the examples in `others` of the same files.
    pub fn read(arguments: &ProblemArguments, others: Option<&Folds>) -> Result<Self> {
        let options = ReadOptions {
            label_sets: arguments.task == TaskKind::Multilabel,
            missing: match arguments.examples.impute() {
                Impute::None => Missing::Refuse,
                Impute::Mean | Impute::Zero => Missing::Keep,
            },
            ..arguments.read.options()
        };
        let (all, vocabulary, format) = read_training_as(&arguments.train, &options)?;
        let others = others.map(|folds| in_folds(&all, folds)).transpose()?;
        let data = match (&arguments.folds, &others) {
            (Some(folds), _) => in_folds(&all, folds)?,
            (None, Some(_)) => {
                bail!("--folds: say which folds to train on, since others of the same file are held out")
            }
            (None, None) => all,
        };
        let data = arguments.task.view(data)?;
        let others = others.map(|others| arguments.task.view(others)).transpose()?;
        let mut examples =
            Self { data, others, vocabulary, dropped_labels: Alphabet::default(), format: Some(format) };
        if let Some(first) = arguments.examples.first {
            examples.data = examples.data.first(usize::try_from(first).unwrap_or(usize::MAX));
        }
        if let Some(most) = arguments.examples.most_frequent_labels {
            if arguments.task != TaskKind::Multilabel {
                bail!(
                    "--most-frequent-labels is for multilabel: elsewhere an example without its label is none"
                );
            }
            examples.keep_most_frequent_labels(most as usize);
        }
        note_unlinked(&examples.data);
        Ok(examples)
    }

    fn keep_most_frequent_labels(&mut self, most: usize) {
        let keep = self.data.most_frequent_labels(most);
        let (data, kept) = self.data.keep_labels(&self.vocabulary, &keep);
        self.others = self.others.take().map(|others| others.keep_labels(&self.vocabulary, &keep).0);
        let names = self.vocabulary.labels.iter();
        self.dropped_labels = names.filter(|name| kept.labels.get(name).is_none()).collect();
        (self.data, self.vocabulary) = (data, kept);
        note(&format!(
            "kept the {}; {} left out",
            count(self.vocabulary.labels.len(), "most frequent label"),
            match self.dropped_labels.len() {
                1 => "1 other is".to_owned(),
                others => format!("{others} others are"),
            }
        ));
    }

    /// The problem to learn from some of the examples. What is done to columns is fitted to them, unless it is given.
    pub fn problem(
        &self,
        arguments: &ProblemArguments,
        data: &Dataset,
        given: Option<&Preprocessing>,
    ) -> Result<Problem> {
        let preprocessing = match given {
            Some(given) => given.clone(),
            None => arguments.examples.preprocessing(data)?,
        };
        if preprocessing.shift.is_none() {
            self.note_constant_columns(data);
        }
        let data = if preprocessing.is_empty() { data.clone() } else { preprocessing.apply(data)? };
        let options = arguments.task_options(&self.vocabulary.labels, &data)?;
        let search = arguments.search_options(&self.vocabulary.labels)?;
        let problem =
            Problem::new(arguments.task, options, self.vocabulary.clone(), data, self.format, search)?;
        Ok(Problem { preprocessing, dropped_labels: self.dropped_labels.clone(), ..problem })
    }

    /// Says which columns should be centred.
    fn note_constant_columns(&self, data: &Dataset) {
        const MOST_NAMED: usize = 5;
        let columns = nearly_constant_columns(&data.features);
        if columns.is_empty() {
            return;
        }
        let name = |&j: &usize| match &self.vocabulary.attributes {
            Attributes::Named(names) => format!("{:?}", names.name(j as u32)),
            Attributes::Numbered(_) => (j + 1).to_string(),
        };
        let named: Vec<String> = columns.iter().take(MOST_NAMED).map(name).collect();
        let more = if columns.len() > MOST_NAMED { ", …" } else { "" };
        note(&format!(
            "note: {} hardly {} against {} size ({}{more}): sums of such numbers cancel, which makes training slow and the certificate wide; --center or --standardize helps",
            count(columns.len(), "column"),
            if columns.len() == 1 { "varies" } else { "vary" },
            if columns.len() == 1 { "its" } else { "their" },
            named.join(", "),
        ));
    }

    /// The names in the examples.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }
}
