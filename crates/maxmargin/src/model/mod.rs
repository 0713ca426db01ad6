//! What training leaves behind: weights, names, and the proof that comes with them.
//!
//! A model file is a safetensors file, so that any language reads it without this library. `description` says what is
//! in its metadata, `file` how a model becomes tensors and back, and `tensors` how numbers and names do. A file holds nothing that differs between two runs
//! with the same seed: no times, dates, paths or numbers of threads.

mod deciding;
mod description;
mod file;
mod network;
mod predicting;
mod pruning;
mod tensors;
mod weights;
mod well_formed;

use std::path::Path;
use std::sync::Arc;

use deciding::DecidingWeights;
pub use description::Description;
pub use network::{NETWORK_KEY, NetworkReader, read_networks_with};
pub use predicting::Attribute;
use weights::Weights;

use crate::data::{Alphabet, Preprocessing, TextReading, Vocabulary};
use crate::error::{Error, Result};
use crate::linear::norm_squared;
use crate::output::OutputFile;
use crate::solver::Certificate;
use crate::tasks::{Fitted, FittedObject, PartScorer, Task};

/// What errors call a model that is in no file.
const IN_MEMORY: &str = "model in memory";

/// A trained model: everything that prediction needs, and where it came from.
///
/// ```
/// use maxmargin::tasks::chain::word_images::{Noise, word_images};
/// use maxmargin::{Chain, Examples, Model, Trainer};
///
/// let words = word_images(50, Noise::default(), 1);
/// let model = Trainer::new(Chain::default()).lambda(0.1).train(&Examples::new(words.data, words.vocabulary))?;
/// println!("gap {}", model.certificate().gap());
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("words.model");
/// model.save(&path)?;
/// let loaded = Model::load(&path)?;
/// assert_eq!(loaded.weights(), model.weights());
/// assert_eq!(loaded.task().name(), "chain");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Model {
    description: Description,
    task: Box<dyn FittedObject>,
    names: Vocabulary,
    preprocessing: Preprocessing,
    dropped_labels: Alphabet,
    text: TextReading,
    weights: DecidingWeights,
    single_precision: bool,
}

impl Clone for Model {
    fn clone(&self) -> Self {
        Self {
            description: self.description.clone(),
            task: self.task.boxed(),
            names: self.names.clone(),
            preprocessing: self.preprocessing.clone(),
            dropped_labels: self.dropped_labels.clone(),
            text: self.text.clone(),
            weights: self.weights.clone(),
            single_precision: self.single_precision,
        }
    }
}

impl Model {
    /// A model from its parts. Refused where they do not go together.
    pub fn new(
        description: Description,
        task: Box<dyn FittedObject>,
        names: Vocabulary,
        weights: Vec<f64>,
    ) -> Result<Self> {
        let (found, dim) = (weights.len(), task.dim());
        if found != dim {
            return Err(Error::parameter("model", format!("{found} weights, but the task has {dim}")));
        }
        let in_blocks: usize = task.blocks().iter().map(Block::len).sum();
        if in_blocks != found {
            return Err(Error::parameter(
                "model",
                format!("{in_blocks} weights in blocks, of {found} in all"),
            ));
        }
        let weights = Weights::new(weights, task.as_ref());
        Self::with_weights(description, task, names, weights)
    }

    /// The same with as many weights as the task has.
    fn with_weights(
        description: Description,
        task: Box<dyn FittedObject>,
        names: Vocabulary,
        weights: Weights,
    ) -> Result<Self> {
        let refuse = |problem: String| Err(Error::parameter("model", problem));
        if !weights.are_finite() {
            return refuse("weights are finite, but one is not".to_owned());
        }
        if (names.attributes.len(), names.labels.len()) != (task.features(), task.labels()) {
            return refuse(format!(
                "{} names of attributes and {} of labels, but the task has {} and {}",
                names.attributes.len(),
                names.labels.len(),
                task.features(),
                task.labels()
            ));
        }
        Ok(Self {
            description,
            task,
            names,
            preprocessing: Default::default(),
            dropped_labels: Default::default(),
            text: Default::default(),
            weights: DecidingWeights::new(weights, None),
            single_precision: false,
        })
    }

    /// With what is done to columns before the weights see them.
    pub fn with_preprocessing(self, preprocessing: Preprocessing) -> Result<Self> {
        for vector in preprocessing.vectors().into_iter().flatten() {
            if vector.len() != self.names.attributes.len() || vector.iter().any(|x| !x.is_finite()) {
                let problem = "columns have a finite number each";
                return Err(Error::parameter("preprocessing", problem));
            }
        }
        Ok(Self { preprocessing, ..self })
    }

    /// With labels of the training data that training left out of sets: an evaluation ignores them.
    pub fn with_dropped_labels(self, dropped_labels: Alphabet) -> Self {
        Self { dropped_labels, ..self }
    }

    /// With how its text was read, so that other files are read alike.
    pub fn with_text(self, text: TextReading) -> Self {
        Self { text, ..self }
    }

    /// With a number that is added to the score of each label being in a set, in predictions: see
    /// [`Trainer::tune_threshold`](crate::Trainer::tune_threshold). The weights, and the certificate about them, stay as they are.
    pub fn with_label_shifts(self, shifts: Vec<f64>) -> Result<Self> {
        let refuse = |problem: &str| Err(Error::parameter("label shifts", problem));
        if !self.task.has_label_shifts() {
            return refuse("only label sets with a constant feature have them");
        }
        if shifts.len() != self.task.labels() || shifts.iter().any(|shift| !shift.is_finite()) {
            return refuse("there is a finite number for each label");
        }
        Ok(Self { weights: self.weights.with_shifts(shifts), ..self })
    }

    /// The same model, whose predictions are made with part scores from elsewhere in the place of its weights: see
    /// [`Fitted::with_scorer`]. Its file does not hold them. Refused where the model is of another task.
    pub fn with_scorer<T: Task>(self, scorer: Arc<dyn PartScorer<T>>) -> Result<Self> {
        let Some(task) = self.task_as::<T>() else {
            let problem = format!("scores for {}, but the model is of {}", T::NAME, self.task.name());
            return Err(Error::parameter("scorer", problem));
        };
        Ok(Self { task: Box::new(task.clone().with_scorer(scorer)?), ..self })
    }

    /// The same model without them: what is left is what its file of weights holds. None where the model is of another task.
    pub fn without_scorer<T: Task>(&self) -> Option<Self> {
        let task = Box::new(self.task_as::<T>()?.without_scorer());
        Some(Self { task, ..self.clone() })
    }

    /// To be saved with weights of single precision. They are rounded here, and `certificate` is the proof for the rounded
    /// ones: see [`Trainer::single_precision`](crate::Trainer::single_precision).
    pub(crate) fn in_single_precision(mut self, certificate: Certificate) -> Self {
        self.description.certificate = certificate;
        Self { single_precision: true, weights: self.weights.rounded(), ..self }
    }

    /// How it was trained, and how good that is proven to be.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The proof: bounds on the least value of the objective.
    pub fn certificate(&self) -> Certificate {
        self.description.certificate
    }

    /// The task.
    pub fn task(&self) -> &dyn FittedObject {
        self.task.as_ref()
    }

    /// The task by its type; none where it is another one.
    pub fn task_as<T: Task>(&self) -> Option<&Fitted<T>> {
        self.task.as_any().downcast_ref()
    }

    /// The names of labels and attributes.
    pub fn names(&self) -> &Vocabulary {
        &self.names
    }

    /// What is done to columns before the weights see them.
    pub fn preprocessing(&self) -> &Preprocessing {
        &self.preprocessing
    }

    /// Labels of the training data that training left out of sets.
    pub fn dropped_labels(&self) -> &Alphabet {
        &self.dropped_labels
    }

    /// How its text was read.
    pub fn text(&self) -> &TextReading {
        &self.text
    }

    /// The weights, in the order of the task's structure. A model that holds only those that are not 0 makes all of them the
    /// first time.
    pub fn weights(&self) -> &[f64] {
        self.weights.dense()
    }

    /// What is added to the score of each label being in a set, in predictions.
    pub fn label_shifts(&self) -> Option<&[f64]> {
        self.weights.shifts().map(Vec::as_slice)
    }

    /// The weights with which predictions are made: those with the [shifts](Self::label_shifts).
    pub fn deciding_weights(&self) -> &[f64] {
        self.weights.all(self.task.as_ref())
    }

    /// The Euclidean norm of the weights.
    pub fn norm(&self) -> f64 {
        norm_squared(self.weights()).sqrt()
    }

    /// The blocks of weights by name, each with its place in [`Model::weights`] and its shape.
    pub fn blocks(&self) -> Vec<Block> {
        self.task.blocks()
    }

    /// Saves the model: written beside, then renamed, so that the file is whole or not there.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        use std::io::Write;
        let path = path.as_ref();
        let bytes = self.to_checked_bytes().map_err(|problem| Error::model(path, problem))?;
        let mut file = OutputFile::create(path)?;
        file.write_all(&bytes).map_err(|e| Error::io("write", path, e))?;
        file.finish()
    }

    /// The content of the file that [`save`](Self::save) writes, for those who keep models elsewhere.
    ///
    /// ```
    /// use maxmargin::tasks::RowExamples;
    /// use maxmargin::{Examples, Model, Multiclass, Trainer, data::FeatureMatrix};
    /// let features = FeatureMatrix::from_dense(&[[1.0, 0.0], [0.0, 1.0]]);
    /// let examples = Examples::from_numbers(RowExamples::new(features, vec![0, 1])?)?;
    /// let model = Trainer::new(Multiclass::default()).lambda(0.01).train(&examples)?;
    /// let bytes = model.to_bytes()?;
    /// assert_eq!(Model::from_bytes(bytes.clone())?.weights(), model.weights());
    /// assert!(Model::from_bytes(bytes[1..].to_vec()).is_err());
    /// # Ok::<(), maxmargin::Error>(())
    /// ```
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.to_checked_bytes().map_err(|problem| Error::model(Path::new(IN_MEMORY), problem))
    }

    /// The model that [`to_bytes`](Self::to_bytes) made bytes of. All of it is checked.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        Self::from_content(Path::new(IN_MEMORY), bytes)
    }

    /// The same where a model with a network is an error: for what reads such models, and finds the one of weights inside.
    pub fn of_weights(bytes: Vec<u8>) -> Result<Self> {
        Self::from_plain_content(Path::new(IN_MEMORY), bytes)
    }

    /// Loads a model of any task in the [registry](crate::tasks::registry) and checks all of it.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::from_file(path.as_ref())
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
    /// The blocks of these names and shapes, one after the other.
    pub(crate) fn in_order(shapes: Vec<(&'static str, Vec<usize>)>) -> Vec<Block> {
        let mut start = 0;
        let place = |(name, shape)| {
            let block = Block { name, start, shape };
            start = start.saturating_add(block.len());
            block
        };
        shapes.into_iter().map(place).collect()
    }

    /// The number of weights.
    pub fn len(&self) -> usize {
        self.shape.iter().copied().fold(1, usize::saturating_mul)
    }

    /// Whether it has no weights.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
