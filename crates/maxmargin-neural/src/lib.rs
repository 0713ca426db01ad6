//! Networks in the place of weights, trained with any surrogate and search of [`maxmargin`].
//!
//! A structure asks for scores of the parts of a label, and does not care where they come from. Here they come from networks on CPUs: BiLSTM
//! encoders with biaffine arcs for trees ([`ParserNetwork`]), and with scores of positions for chains ([`TaggerNetwork`]). A search finds the most violated label under the
//! network's scores, [`PartRisk`](maxmargin::risk::PartRisk) says what H changes with, and [`Scores::pulled_back`] takes that back into the network (THESIS 5.3.4).
//!
//! ```
//! use maxmargin::surrogate::Surrogate;
//! use maxmargin::tasks::{Parsing, parsing::grammar::sentences};
//! use maxmargin::{Examples, Model};
//! use maxmargin_neural::{EncoderSizes, NetworkSettings, Phase, TrainingOptions, model_file, save, train_task};
//!
//! let data = sentences(60, 1)?;
//! let examples = Examples::new(data.data, data.names);
//! // A network that is small enough for an example.
//! let encoder = EncoderSizes { word: 12, tag: 4, letter: 0, units: 12, layers: 1, ..EncoderSizes::default() };
//! let settings = NetworkSettings { encoder, ..NetworkSettings::default() };
//! let phase = Phase { surrogate: Surrogate::MARGIN, strategy: None, epochs: 3, rate: 0.01 };
//! let options = TrainingOptions { phases: vec![phase], batch: 100, ..TrainingOptions::default() };
//! let model = train_task(&Parsing::default(), &examples, None, &settings, None, &options, &mut ())?;
//!
//! // It is a model like any other, but for its file, which `Model::load` reads once this crate is registered.
//! let folder = tempfile::tempdir().unwrap();
//! save(&model, &folder.path().join("parser.model"))?;
//! model_file::register();
//! let loaded = Model::load(folder.path().join("parser.model"))?;
//! assert_eq!(loaded.predict(examples.data(), 1)?, model.predict(examples.data(), 1)?);
//! # Ok::<(), maxmargin::Error>(())
//! ```
//!
//! [`ops`] has the operations that are written by hand, since they are what takes the time. [`Network`] is what a network of your own implements to be trained by
//! [`train_model`]; one that has a loop of its own needs [`Scores`] only: `examples/own_network.rs`.

mod adam;
mod batches;
mod checkpoint;
mod front;
mod lexicon;
pub mod model_file;
mod network;
mod objective;
pub mod ops;
mod scorer;
mod settings;
mod training;
mod vectors;

pub use adam::AdamOptions;
pub use front::{train_model, train_more};
pub use lexicon::{EncodedSentence, Lexicon, Names, TagColumn};
pub use network::{
    ArcSizes, Builder, Dropout, EncoderSizes, Network, Parameters, ParserDescription, ParserNetwork, Pass,
    Scores, Start, TaggerDescription, TaggerInput, TaggerNetwork, TaggerSizes, WordBatch,
};
pub use objective::{BatchAnswer, Objective};
pub use scorer::NetworkScorer;
pub use settings::{NetworkSettings, TASKS, save, train_task};
pub use training::{EpochReport, Observer, Phase, Trained, TrainingOptions, train};
pub use vectors::WordVectors;
