//! A task with its data, ready to be learnt.

use std::sync::Arc;

use super::{Examples, Settings};
use crate::data::{DataObject, Preprocessing};
use crate::error::Result;
use crate::model::{Description, Model};
use crate::risk::Risk;
use crate::search::SurrogateSearch;
use crate::shown::{bytes, count, excerpt};
use crate::solver::{Report, SolverSettings};
use crate::surrogate::Surrogate;
use crate::tasks::{FittedObject, SearchOptions, TaskObject, TaskSearch};

/// A task and its training data.
#[derive(Debug)]
pub struct Problem {
    task: Box<dyn FittedObject>,
    /// As the weights see them.
    examples: Examples,
    search: TaskSearch,
    search_options: SearchOptions,
    preprocessing: Preprocessing,
}

impl Problem {
    /// Makes a task fit for some examples. What is done to columns is fitted to them, unless it is given.
    pub fn new(
        task: &dyn TaskObject,
        examples: &Examples,
        settings: &Settings,
        given: Option<&Preprocessing>,
    ) -> Result<Self> {
        let preprocessing = match given {
            Some(given) => given.clone(),
            None => settings.columns.fit(examples.data())?,
        };
        let changed = preprocessing.changed(examples.data())?;
        let examples = examples.with_data(changed.unwrap_or_else(|| Arc::clone(&examples.data)));
        let fitted = task.fit(&examples.names, examples.data())?;
        let search_options = SearchOptions {
            surrogate: settings.surrogate,
            strategy: settings.search,
            step: settings.loss_step,
            background: match settings.surrogate {
                Surrogate::MicroF1 if task.has_background() => {
                    settings.background.of(&examples.names.labels)?
                }
                _ => None,
            },
        };
        let search = fitted.search(&search_options, examples.data())?;
        Ok(Self { task: fitted, examples, search, search_options, preprocessing })
    }

    /// Puts another task for the same examples in place of this one.
    pub(super) fn set_task(&mut self, task: Box<dyn FittedObject>) -> Result<()> {
        self.search = task.search(&self.search_options, self.examples.data())?;
        self.task = task;
        Ok(())
    }

    /// The same problem with some of its examples.
    pub fn subset(&self, examples: &[usize]) -> Result<Self> {
        Ok(self.with_examples(self.examples.subset(examples)?))
    }

    /// The same problem once more.
    pub(super) fn again(&self) -> Self {
        self.with_examples(self.examples.clone())
    }

    fn with_examples(&self, examples: Examples) -> Self {
        Self {
            task: self.task.boxed(),
            examples,
            search: self.search.clone(),
            search_options: self.search_options,
            preprocessing: self.preprocessing.clone(),
        }
    }

    /// The task.
    pub fn task(&self) -> &dyn FittedObject {
        self.task.as_ref()
    }

    /// The examples, as the weights see them.
    pub fn examples(&self) -> &Examples {
        &self.examples
    }

    /// The surrogate, and how its most violated labels are found.
    pub fn search(&self) -> &TaskSearch {
        &self.search
    }

    /// What was asked for of the search.
    pub fn search_options(&self) -> &SearchOptions {
        &self.search_options
    }

    /// What is done to columns.
    pub fn preprocessing(&self) -> &Preprocessing {
        &self.preprocessing
    }

    /// Other examples that were read with these, as the weights see them.
    pub fn view(&self, data: Arc<dyn DataObject>) -> Result<Arc<dyn DataObject>> {
        self.known().view(data)
    }

    /// The risk to minimise.
    pub fn risk(&self) -> Result<Box<dyn Risk>> {
        self.task.risk(self.examples.data(), &self.search)
    }

    /// The model that a run found.
    pub fn model(
        &self,
        solver: &str,
        settings: &SolverSettings,
        report: &Report,
        weights: Vec<f64>,
    ) -> Result<Model> {
        let description = Description {
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            lambda: settings.lambda,
            surrogate: self.search.surrogate().to_string(),
            search: self.search.name().to_owned(),
            solver: solver.to_owned(),
            seed: settings.seed,
            certificate: report.certificate,
            passes: report.passes,
            examples: settings
                .seen
                .map_or(self.examples.len(), |seen| seen + self.examples.len() * report.passes),
            attributes: self.examples.names.attributes.len(),
            format: self.examples.format.clone(),
        };
        let model = Model::new(description, self.task.boxed(), self.examples.names.clone(), weights)?;
        let model = model.with_preprocessing(self.preprocessing.clone())?;
        model
            .with_dropped_labels(self.examples.dropped_labels.clone())
            .with_text(self.examples.text.clone())
            .pruned()
    }

    /// The surrogate and its search, for a person.
    pub fn describe_search(&self) -> String {
        let surrogate = match self.search.surrogate() {
            Surrogate::MARGIN => "margin rescaling".to_owned(),
            Surrogate::SLACK => "slack rescaling".to_owned(),
            Surrogate::MicroF1 if self.task.has_background() => {
                let background = self.search.search().and_then(SurrogateSearch::background);
                let name = background.map_or("none", |label| self.examples.names.labels.name(label));
                format!("surrogate micro-f1 with background {}", excerpt(name))
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
        let data = self.examples.data();
        format!(
            "{}, {}, {}: {}; {} in memory",
            data.describe(),
            count(self.examples.names.labels.len(), "label"),
            count(self.examples.names.attributes.len(), "attribute"),
            count(self.task.dim(), "weight"),
            bytes(data.bytes())
        )
    }
}
