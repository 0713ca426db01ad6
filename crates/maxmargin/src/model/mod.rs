//! What training leaves behind: weights, names, and the proof that comes with them.
//!
//! A model file is a safetensors file, so that any language reads it without this library. `description` says what is
//! in its metadata and `file` how weights become tensors and back. A file holds nothing that differs between two runs
//! with the same seed: no times, dates, paths or numbers of threads.

mod description;
mod file;

use std::path::Path;

pub use description::Description;

use crate::data::{Alphabet, Preprocessing, Vocabulary};
use crate::error::{Error, Result};
use crate::linear::norm_squared;
use crate::output::OutputFile;
use crate::task::{Task, TaskOptions};

/// A trained model: everything that prediction needs, and where it came from.
///
/// ```
/// use maxmargin::data::{Alphabet, Noise, Preprocessing, word_images};
/// use maxmargin::model::{Description, Model};
/// use maxmargin::solver::Certificate;
/// use maxmargin::task::{TaskKind, TaskOptions};
///
/// let vocabulary = word_images(1, Noise::default(), 1).vocabulary;
/// let description = Description {
///     program_version: "0.1.0".into(),
///     task: TaskKind::Multiclass,
///     lambda: 0.1,
///     surrogate: "margin".into(),
///     search: "exact".into(),
///     solver: "bmrm".into(),
///     seed: 0,
///     certificate: Certificate { primal: 1.0, lower_bound: 0.9995, oracle_gap: 0.0 },
///     passes: 40,
///     examples: 100,
///     format: None,
/// };
/// let weights = vec![0.5; 129 * 26];
/// let model = Model {
///     description,
///     options: TaskOptions::default(),
///     vocabulary,
///     preprocessing: Preprocessing::default(),
///     dropped_labels: Alphabet::default(),
///     weights,
/// };
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("words.model");
/// model.save(&path)?;
/// let loaded = Model::load(&path)?;
/// assert_eq!(loaded.weights, model.weights);
/// assert_eq!(loaded.task()?.dim(), 129 * 26);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Model {
    /// How it was trained, and how good that is proven to be.
    pub description: Description,
    /// Which weights it has, and its loss.
    pub options: TaskOptions,
    /// The names of labels and attributes.
    pub vocabulary: Vocabulary,
    /// What is done to columns before the weights see them.
    pub preprocessing: Preprocessing,
    /// Labels of the training data that training left out of sets: an evaluation ignores them.
    pub dropped_labels: Alphabet,
    /// The weights, in the order of the task's structure.
    pub weights: Vec<f64>,
}

impl Model {
    /// The task, to predict or to train further.
    pub fn task(&self) -> Result<Task> {
        let Vocabulary { labels, attributes } = &self.vocabulary;
        Task::new(self.description.task, attributes.len(), labels.len(), self.options.clone())
    }

    /// The Euclidean norm of the weights.
    pub fn norm(&self) -> f64 {
        norm_squared(&self.weights).sqrt()
    }

    /// The blocks of weights by name, each with its place in [`Model::weights`] and its shape: `unary`
    /// (features × labels, the bias last), for chains `transition` (labels × labels), `first` and `last` (labels), and for label
    /// sets `pair` (pairs × 4, or × 1).
    pub fn blocks(&self) -> Vec<Block> {
        file::blocks(
            self.description.task,
            &self.options,
            self.vocabulary.attributes.len(),
            self.vocabulary.labels.len(),
        )
    }

    /// Saves the model: written beside, then renamed, so that the file is whole or not there.
    pub fn save(&self, path: &Path) -> Result<()> {
        use std::io::Write;
        let bytes = self.to_bytes().map_err(|problem| Error::model(path, problem))?;
        let mut file = OutputFile::create(path)?;
        file.write_all(&bytes).map_err(|e| Error::io("write", path, e))?;
        file.finish()
    }

    /// Loads a model and checks all of it.
    pub fn load(path: &Path) -> Result<Self> {
        Self::read(path)
    }
}

/// Some of the weights, which belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The name of the tensor in a model file.
    pub name: &'static str,
    /// Where it starts in the weights.
    pub start: usize,
    /// Its shape; the last dimension varies fastest.
    pub shape: Vec<usize>,
}

impl Block {
    /// The number of weights.
    pub fn len(&self) -> usize {
        self.shape.iter().copied().fold(1, usize::saturating_mul)
    }

    /// Whether it has no weights.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
