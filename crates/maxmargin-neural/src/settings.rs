//! Networks for tasks that are known by name only: what a program needs.

use maxmargin::data::TaskData;
use maxmargin::tasks::{Chain, Fitted, FittedObject, Parsing, SequenceExamples, TaskObject, TreeExamples};
use maxmargin::training::{Examples, HeldOut};
use maxmargin::{Error, Model, Result};

use crate::front::{train_model, train_more};
use crate::lexicon::{Lexicon, TagColumn};
use crate::model_file;
use crate::network::{
    ArcSizes, Dropout, EncoderSizes, ParserDescription, ParserNetwork, TaggerDescription, TaggerNetwork,
    TaggerSizes,
};
use crate::training::{Observer, TrainingOptions};
use crate::vectors::WordVectors;

/// Bits of weights that nobody looks at: the fewest.
const HASH_BITS: u32 = 8;

/// The tasks that there are networks for.
pub const TASKS: [&str; 2] = ["parsing", "chain"];

/// What networks are made of, whatever the task.
#[derive(Debug, Clone)]
pub struct NetworkSettings {
    /// Of words, where sentences are read.
    pub encoder: EncoderSizes,
    /// Of arcs.
    pub arcs: ArcSizes,
    /// Of attributes and labels, where chains are read.
    pub tagger: TaggerSizes,
    /// The columns of tags that a parser looks at.
    pub tags: Vec<TagColumn>,
    /// Words and attributes that occur less often in training are taken for unknown ones.
    pub least: u32,
    /// How much is left out in training.
    pub dropout: Dropout,
    /// A table of words.
    pub vectors: Option<WordVectors>,
}

impl Default for NetworkSettings {
    fn default() -> Self {
        Self {
            encoder: EncoderSizes::default(),
            arcs: ArcSizes::default(),
            tagger: TaggerSizes::default(),
            tags: vec![TagColumn::Upos, TagColumn::Xpos],
            least: 2,
            dropout: Dropout::default(),
            vectors: None,
        }
    }
}

impl NetworkSettings {
    /// The description of a parser for some sentences.
    pub fn parser(&self, data: &TreeExamples) -> Result<ParserDescription> {
        let texts: Vec<_> = (0..data.len()).filter_map(|i| data.text(i)).collect();
        let mut lexicon = Lexicon::of(&texts, &self.tags, self.least);
        let mut encoder = EncoderSizes { given: 0, ..self.encoder };
        if let Some(vectors) = &self.vectors {
            lexicon.given = vectors.names.clone();
            encoder.given = vectors.size;
        }
        let given = self.vectors.as_ref().map(|vectors| vectors.rows.clone());
        Ok(ParserDescription { lexicon, encoder, arcs: self.arcs, dropout: self.dropout, given })
    }

    /// The description of a tagger for some chains.
    pub fn tagger(&self, data: &SequenceExamples, task: &Chain) -> Result<TaggerDescription> {
        if self.vectors.is_some() {
            let problem = "a table of words goes with parsing; a chain has attributes";
            return Err(Error::parameter("vectors", problem));
        }
        Ok(TaggerDescription::of(data, task, self.tagger, self.dropout, self.least))
    }
}

/// Trains a network for a task, from random parameters or further from those of a model.
pub fn train_task(
    task: &dyn TaskObject,
    examples: &Examples,
    held_out: Option<&HeldOut>,
    settings: &NetworkSettings,
    start: Option<&Model>,
    options: &TrainingOptions,
    observer: &mut dyn Observer,
) -> Result<Model> {
    let fitted = task.fit(examples.names(), examples.data())?;
    if let Some(task) = own::<Parsing>(fitted.as_ref()) {
        let task = Parsing { hash_bits: HASH_BITS, ..task };
        return match start {
            Some(start) => train_more::<ParserNetwork>(task, start, examples, held_out, options, observer),
            None => {
                let describe = |data: &TreeExamples| settings.parser(data);
                train_model::<ParserNetwork>(task, describe, examples, held_out, options, observer)
            }
        };
    }
    if let Some(task) = own::<Chain>(fitted.as_ref()) {
        // All pairs of attributes and labels have weights, so that none are to be listed.
        let task = Chain { weights: Default::default(), ..task };
        return match start {
            Some(start) => train_more::<TaggerNetwork>(task, start, examples, held_out, options, observer),
            None => {
                let describe = |data: &SequenceExamples| settings.tagger(data, &task);
                train_model::<TaggerNetwork>(task.clone(), describe, examples, held_out, options, observer)
            }
        };
    }
    let problem =
        format!("there is no network for {}; there are some for {}", task.name(), TASKS.join(" and "));
    Err(Error::parameter("task", problem))
}

fn own<T: maxmargin::tasks::Task>(fitted: &dyn FittedObject) -> Option<T> {
    Some(fitted.as_any().downcast_ref::<Fitted<T>>()?.task().clone())
}

/// Saves a model whose network is of a kind that this crate has.
pub fn save(model: &Model, path: &std::path::Path) -> Result<()> {
    match model.task().name() {
        "chain" => model_file::save::<TaggerNetwork>(model, path),
        _ => model_file::save::<ParserNetwork>(model, path),
    }
}
