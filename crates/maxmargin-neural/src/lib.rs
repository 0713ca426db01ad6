//! Networks whose scores are trained with any surrogate and search of [`maxmargin`].
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
pub use lexicon::{Lexicon, TagColumn};
pub use network::{
    ArcSizes, Builder, Dropout, EncoderSizes, Network, Parameters, ParserDescription, ParserNetwork, Pass,
    Scores, Start, TaggerDescription, TaggerNetwork, TaggerSizes,
};
pub use objective::{BatchAnswer, Objective};
pub use scorer::NetworkScorer;
pub use settings::{NetworkSettings, TASKS, save, train_task};
pub use training::{EpochReport, Observer, Phase, Trained, TrainingOptions, train};
pub use vectors::WordVectors;
