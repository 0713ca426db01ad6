//! Starting from the weights of another model of the same problem.

use std::path::Path;

use anyhow::{Result, bail};
use maxmargin::data::{Attributes, Preprocessing, Vocabulary};
use maxmargin::solver::SolverKind;
use maxmargin::task::TaskKind;
use maxmargin::{Error, Model};

use crate::arguments::ExampleArguments;
use crate::problem::Problem;

/// A model to start from, whose weights belong to the names in the training data.
pub struct WarmStart<'a> {
    path: &'a Path,
    model: Model,
}

impl<'a> WarmStart<'a> {
    /// Loads the model, if it is about the same labels and attributes.
    pub fn load(path: &'a Path, task: TaskKind, vocabulary: &Vocabulary) -> Result<Self> {
        let warm_start = Self { path, model: Model::load(path)? };
        let old = &warm_start.model;
        if old.description.task != task {
            warm_start.differs(&format!("it is for the task {}, not {task}", old.description.task))?;
        }
        if !old.vocabulary.labels.iter().eq(vocabulary.labels.iter()) {
            warm_start.differs("its labels are not those of the training data")?;
        }
        if !same_attributes(&old.vocabulary, vocabulary) {
            warm_start.differs("its attributes are not those of the training data")?;
        }
        Ok(warm_start)
    }

    /// What is done to columns: as for the model, since its weights are about such columns.
    pub fn preprocessing(&self, arguments: &ExampleArguments) -> Result<&Preprocessing> {
        if !arguments.ask_for(&self.model.preprocessing) {
            self.differs(
                "its columns were changed in another way; give the same --missing, --standardize and --center as then",
            )?;
        }
        Ok(&self.model.preprocessing)
    }

    /// The weights, if the problem has the same ones.
    pub fn weights(self, problem: &Problem, kind: SolverKind) -> Result<Vec<f64>> {
        if !kind.starts_anywhere() {
            bail!(
                "--warm-start: {kind} always starts at 0; use --solver prox-bmrm, prox-p-bmrm, p-bmrm or bmrm"
            );
        }
        let (old, new) = (&self.model.options, &problem.options);
        if (old.bias, old.boundary) != (new.bias, new.boundary) {
            self.differs("it has other weights; give the same --no-bias and --no-boundary as then")?;
        }
        let (old, new) = (&old.sets, &new.sets);
        if (old.signed, old.pair_weights) != (new.signed, new.pair_weights) || old.pairs != new.pairs {
            self.differs(
                "it has other weights for pairs; give the same --pairs, --pair-weights and --signed as then",
            )?;
        }
        Ok(self.model.weights)
    }

    fn differs(&self, what: &str) -> Result<(), Error> {
        Err(Error::model(self.path, format!("cannot start from this model: {what}")))
    }
}

fn same_attributes(old: &Vocabulary, new: &Vocabulary) -> bool {
    match (&old.attributes, &new.attributes) {
        (Attributes::Numbered(old), Attributes::Numbered(new)) => old == new,
        (Attributes::Named(old), Attributes::Named(new)) => old.iter().eq(new.iter()),
        _ => false,
    }
}
