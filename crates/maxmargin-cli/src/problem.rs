//! From files to a task with its data.

use anyhow::{Result, bail};
use maxmargin::Model;
use maxmargin::data::{Alphabet, Dataset, Format, Preprocessing, Vocabulary};
use maxmargin::excerpt;
use maxmargin::model::Description;
use maxmargin::risk::Risk;
use maxmargin::search::SurrogateSearch;
use maxmargin::solver::{Report, SolverSettings};
use maxmargin::surrogate::Surrogate;
use maxmargin::task::{SearchOptions, Task, TaskOptions, TaskSearch};

use crate::arguments::{Folds, ProblemArguments};
use crate::examples::Examples;
use crate::known::Known;
use crate::print::{bytes, count, note};

/// A task and its training data.
pub struct Problem {
    /// The task.
    pub task: Task,
    /// Its options.
    pub options: TaskOptions,
    /// The names in the data.
    pub vocabulary: Vocabulary,
    /// The training examples, as the task sees them.
    pub data: Dataset,
    /// The format of the files, where the data came from files.
    pub format: Option<Format>,
    /// The surrogate, and how its most violated labels are found.
    pub search: TaskSearch,
    /// What was done to columns.
    pub preprocessing: Preprocessing,
    /// Labels that were left out of the data.
    pub dropped_labels: Alphabet,
}

impl Problem {
    /// Reads the training data, and the examples in `others` of the same files.
    pub fn load(arguments: &ProblemArguments, others: Option<&Folds>) -> Result<(Self, Option<Dataset>)> {
        let examples = Examples::read(arguments, others)?;
        let problem = examples.problem(arguments, &examples.data, None)?;
        let others = examples.others.map(|others| problem.known().view(others)).transpose()?;
        Ok((problem, others))
    }

    /// A task with its data.
    pub fn new(
        kind: maxmargin::task::TaskKind,
        options: TaskOptions,
        vocabulary: Vocabulary,
        data: Dataset,
        format: Option<Format>,
        search: SearchOptions,
    ) -> Result<Self> {
        let task = Task::new(kind, vocabulary.attributes.len(), vocabulary.labels.len(), options.clone())?;
        let data = task.view(data)?;
        let search = task.search(&search, &data)?;
        let (preprocessing, dropped_labels) = Default::default();
        Ok(Self { task, options, vocabulary, data, format, search, preprocessing, dropped_labels })
    }

    /// How later data is read.
    pub fn known(&self) -> Known<'_> {
        let Self { task, vocabulary, preprocessing, dropped_labels, format, .. } = self;
        Known { task, vocabulary, preprocessing, dropped_labels, format: *format }
    }

    /// The risk to minimise.
    pub fn risk(&self) -> Result<Box<dyn Risk>> {
        Ok(self.task.risk_with(&self.data, &self.search)?)
    }

    /// The model that a run found.
    pub fn model(
        &self,
        solver: &str,
        settings: &SolverSettings,
        report: &Report,
        weights: Vec<f64>,
    ) -> Model {
        Model {
            description: Description {
                program_version: env!("CARGO_PKG_VERSION").to_owned(),
                task: self.task.kind(),
                lambda: settings.lambda,
                surrogate: self.search.surrogate().to_string(),
                search: self.search.name().to_owned(),
                solver: solver.to_owned(),
                seed: settings.seed,
                certificate: report.certificate,
                passes: report.passes,
                examples: self.data.len(),
                format: self.format,
            },
            options: self.options.clone(),
            vocabulary: self.vocabulary.clone(),
            preprocessing: self.preprocessing.clone(),
            dropped_labels: self.dropped_labels.clone(),
            weights,
        }
    }

    /// The surrogate and its search, for a person.
    pub fn describe_search(&self) -> String {
        let surrogate = match self.search.surrogate() {
            Surrogate::MARGIN => "margin rescaling".to_owned(),
            Surrogate::SLACK => "slack rescaling".to_owned(),
            Surrogate::MicroF1 => {
                let background = self.search.search().and_then(SurrogateSearch::background);
                let name = background.map_or("none", |label| self.vocabulary.labels.name(label));
                let name = excerpt(name);
                format!("surrogate micro-f1 with background {name}")
            }
            surrogate => format!("surrogate {surrogate}"),
        };
        match (self.search.search(), self.search.why()) {
            (None, _) => surrogate,
            (Some(search), None) => format!("{surrogate}, search {}", search.strategy()),
            (Some(search), Some(why)) => format!("{surrogate}, search {} (auto: {why})", search.strategy()),
        }
    }

    /// The sizes, for a person.
    pub fn describe(&self) -> String {
        let examples = count(self.data.len(), "example");
        let rows = match self.data.features.rows() {
            rows if rows == self.data.len() => String::new(),
            rows => {
                let name = if self.data.edges.is_some() { "edge" } else { "row" };
                format!(" of {} in all", count(rows, name))
            }
        };
        let (labels, attributes) = (self.vocabulary.labels.len(), self.vocabulary.attributes.len());
        format!(
            "{examples}{rows}, {}, {}: {}; {} in memory",
            count(labels, "label"),
            count(attributes, "attribute"),
            count(self.task.dim(), "weight"),
            bytes(self.data.bytes())
        )
    }
}

/// The examples in some folds.
pub fn in_folds(data: &Dataset, folds: &Folds) -> Result<Dataset> {
    let Some(examples) = data.in_folds(&folds.0) else {
        bail!("--folds: this data has no folds; only the letters format numbers them")
    };
    if examples.is_empty() {
        let mut there: Vec<u32> = data.folds.clone().unwrap_or_default();
        there.sort_unstable();
        there.dedup();
        let there: Vec<String> = there.iter().take(20).map(u32::to_string).collect();
        bail!("--folds: no example is in these folds; the data has {}", there.join(", "));
    }
    Ok(data.subset(&examples))
}

/// Says how many graphs have no link: more likely their links are missing than that there are none.
pub fn note_unlinked(data: &Dataset) {
    if data.edges.is_none() {
        return;
    }
    let is_unlinked = |&i: &usize| data.labels_of(i).iter().all(|&label| label == 0);
    let unlinked = (0..data.len()).filter(is_unlinked).count();
    if unlinked > 0 {
        note(&format!("{unlinked} of {} have no links at all", count(data.len(), "graph")));
    }
}
