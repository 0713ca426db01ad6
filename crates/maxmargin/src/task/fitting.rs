//! Whether data goes with a task: the one place where all that takes data for a task asks.
//!
//! Weights are found by the numbers of columns and labels, so that data with other numbers of them would read weights that
//! belong to something else.

use super::{Task, TaskKind};
use crate::data::{Dataset, UNKNOWN_LABEL};
use crate::error::{Error, Result};

impl Task {
    /// The number of columns that data for this task has.
    pub fn features(&self) -> usize {
        match self {
            Task::Multiclass(structure) => structure.features(),
            Task::Chain(structure) => structure.features(),
            Task::Multilabel(structure) => structure.features(),
            Task::Matching(structure) => structure.features(),
        }
    }

    /// The number of labels; three of edges where links are predicted.
    pub fn labels(&self) -> usize {
        match self {
            Task::Multiclass(structure) => structure.labels(),
            Task::Chain(structure) => structure.labels(),
            Task::Multilabel(structure) => structure.graph().labels(),
            Task::Matching(_) => crate::data::EDGE_LABELS.len(),
        }
    }

    /// Refuses inputs that are not for this task, whatever their labels.
    pub(super) fn check_inputs(&self, data: &Dataset) -> Result<()> {
        data.check_inputs()?;
        let kind = self.kind();
        let found = match kind {
            TaskKind::Multiclass | TaskKind::Multilabel if data.sequences.is_some() => Some("sequences"),
            TaskKind::Chain if data.sequences.is_none() => Some("no sequences"),
            TaskKind::Chain if data.edges.is_some() => Some("graphs"),
            _ => None,
        };
        if let Some(found) = found {
            let problem = format!("the data has {found}, which is not how {kind} sees it; see Task::view");
            return Err(Error::parameter(format!("task {kind}"), problem));
        }
        if kind == TaskKind::Matching {
            data.check_graphs()?;
        }
        let (columns, features) = (data.features.columns(), self.features());
        match columns == features || data.features.rows() == 0 {
            true => Ok(()),
            false => {
                let problem = format!("the data has {columns} columns, but the task was made for {features}");
                Err(Error::parameter(format!("task {kind}"), problem))
            }
        }
    }

    /// Refuses labelled data that is not for this task.
    pub(super) fn check(&self, data: &Dataset) -> Result<()> {
        self.check_inputs(data)?;
        data.check_labels()?;
        data.check_weights()?;
        let kind = self.kind();
        if data.sets.is_some() != (kind == TaskKind::Multilabel) {
            let found = if data.sets.is_some() { "sets of labels" } else { "one label for each row" };
            let problem = format!("the data has {found}, which is not how {kind} sees it; see Task::view");
            return Err(Error::parameter(format!("task {kind}"), problem));
        }
        let labels = self.labels();
        match data.labels.iter().find(|&&label| label as usize >= labels && label != UNKNOWN_LABEL) {
            None => Ok(()),
            Some(label) => {
                let problem =
                    format!("the data has label {label}, but the task was made for {labels}, from 0 on");
                Err(Error::parameter(format!("task {kind}"), problem))
            }
        }
    }

    /// Refuses weights that are not those of this task.
    pub(super) fn check_weights(&self, weights: &[f64]) -> Result<()> {
        match weights.len() == self.dim() {
            true => Ok(()),
            false => {
                let problem = format!("{} weights, but the task has {}", weights.len(), self.dim());
                Err(Error::parameter(format!("task {}", self.kind()), problem))
            }
        }
    }

    /// Refuses a truth and a prediction that are not about the same example of this task.
    pub(super) fn check_labels(&self, truth: &[u32], predicted: &[u32]) -> Result<()> {
        let (kind, labels) = (self.kind(), self.labels());
        let refuse = |problem: String| Err(Error::parameter(format!("task {kind}"), problem));
        let rows = match kind {
            TaskKind::Multiclass => Some(1),
            TaskKind::Chain => Some(predicted.len()),
            TaskKind::Multilabel | TaskKind::Matching => None,
        };
        if rows.is_some_and(|rows| truth.len() != rows || predicted.len() != rows) {
            return refuse(format!("{} true labels and {} predicted ones", truth.len(), predicted.len()));
        }
        let is_strange = |&&label: &&u32| label as usize >= labels;
        if let Some(label) = truth.iter().find(|&&label| label != UNKNOWN_LABEL && is_strange(&&label)) {
            return refuse(format!("the true label {label}, but there are {labels}, from 0 on"));
        }
        // Links are predicted by the numbers of their edges.
        let most = if kind == TaskKind::Matching { truth.len() } else { labels };
        if let Some(label) = predicted.iter().find(|&&label| label as usize >= most) {
            return refuse(format!("{label} is predicted, but there are {most}, from 0 on"));
        }
        let ascends = |labels: &[u32]| labels.windows(2).all(|pair| pair[0] < pair[1]);
        let known = &truth[..truth.iter().position(|&label| label == UNKNOWN_LABEL).unwrap_or(truth.len())];
        match kind {
            TaskKind::Multilabel if !ascends(known) || !ascends(predicted) => {
                refuse("the labels of a set must ascend, each once".to_owned())
            }
            TaskKind::Matching if !ascends(predicted) => refuse("links must ascend, each once".to_owned()),
            _ => Ok(()),
        }
    }
}
