//! How the examples of a task are made of rows, and whether data is so.

use super::dataset::Dataset;
use crate::error::{Error, Result};
use crate::structure::UNKNOWN_LABEL;

/// How examples are made of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Whether an example is a sequence of rows, else each row is one.
    pub sequences: bool,
    /// Whether a row has a set of labels, else one label.
    pub sets: bool,
    /// Whether an example is a bipartite graph, with a row for each edge.
    pub graphs: bool,
}

impl Shape {
    /// One row with one label.
    pub const ROWS: Shape = Shape { sequences: false, sets: false, graphs: false };
    /// A sequence of rows, each with a label.
    pub const SEQUENCES: Shape = Shape { sequences: true, ..Shape::ROWS };
    /// One row with a set of labels.
    pub const SETS: Shape = Shape { sets: true, ..Shape::ROWS };
    /// A bipartite graph with a row for each edge.
    pub const GRAPHS: Shape = Shape { sequences: true, graphs: true, sets: false };

    /// Data as a task of this shape sees it: where examples are single rows, each position of a sequence is one, and where
    /// labels are sets, a single label is one. Refuses what cannot be seen so.
    pub fn view(self, data: Dataset, task: &str) -> Result<Dataset> {
        data.check_inputs()?;
        // Data to predict may have none.
        let has_labels = !data.labels.is_empty() || data.sets.is_some();
        if has_labels {
            data.check_labels()?;
        }
        if self.graphs {
            data.check_graphs(task)?;
            return Ok(data);
        }
        let refuse = |problem: &str| Err(Error::parameter(format!("task {task}"), problem));
        if data.edges.is_some() {
            return refuse("the examples of the data are graphs, which this task is not about");
        }
        if data.sets.is_some() && !self.sets {
            return refuse("the data has a set of labels per row, but this task has one label");
        }
        if self.sequences {
            return match data.sequences {
                Some(_) => Ok(data),
                None => refuse(
                    "the data has no sequences; svmlight files mark them with qid:N on each line, CRFsuite files with blank lines",
                ),
            };
        }
        let mut data = if data.sequences.is_some() { data.tokens() } else { data };
        if self.sets {
            if !has_labels {
                data.labels = vec![UNKNOWN_LABEL; data.features.rows()];
            }
            let sets = data.sets.unwrap_or_else(|| (0..=data.labels.len()).collect());
            data.sets = Some(sets);
        }
        Ok(data)
    }

    /// Refuses inputs that are not of this shape, whatever their labels.
    pub(crate) fn check_inputs(self, data: &Dataset, task: &str) -> Result<()> {
        data.check_inputs()?;
        let found = match (data.sequences.is_some(), data.edges.is_some()) {
            (true, _) if !self.sequences => Some("sequences"),
            (false, _) if self.sequences && !self.graphs => Some("no sequences"),
            (_, true) if !self.graphs => Some("graphs"),
            _ => None,
        };
        if let Some(found) = found {
            let problem = format!("the data has {found}, which is not how {task} sees it; see Shape::view");
            return Err(Error::parameter(format!("task {task}"), problem));
        }
        if self.graphs { data.check_graphs(task) } else { Ok(()) }
    }

    /// Refuses labels that are not of this shape.
    pub(crate) fn check_labels(self, data: &Dataset, task: &str) -> Result<()> {
        data.check_labels()?;
        match data.sets.is_some() == self.sets {
            true => Ok(()),
            false => {
                let found = if data.sets.is_some() { "sets of labels" } else { "one label for each row" };
                let problem =
                    format!("the data has {found}, which is not how {task} sees it; see Shape::view");
                Err(Error::parameter(format!("task {task}"), problem))
            }
        }
    }
}
