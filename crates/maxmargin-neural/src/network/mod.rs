//! Networks: from what is given to the part scores of a structure.

mod arcs;
mod dropout;
mod layers;
mod parameters;
mod parser;
mod scores;
mod tagger;
mod words;

use std::fmt::Debug;

use candle_core::Result;
use maxmargin::tasks::Task;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::arcs::ArcSizes;
pub use self::dropout::{Dropout, Pass};
pub use self::parameters::{Builder, Parameters, Start};
pub use self::parser::{ParserDescription, ParserNetwork};
pub use self::scores::Scores;
pub use self::tagger::{TaggerDescription, TaggerInput, TaggerNetwork, TaggerSizes};
pub use self::words::{EncoderSizes, WordBatch};

/// A network that scores the parts of labels.
pub trait Network: Debug + Send + Sync + Sized + 'static {
    /// The task whose structure takes the scores.
    type Task: Task;

    /// What a file says of the network beside its parameters: its sizes, and the names that it knows.
    type Description: Debug + Clone + Send + Sync + Serialize + DeserializeOwned;

    /// An example as the network sees it.
    type Input: Send + Sync;

    /// The network of a description for so many labels.
    fn new(description: Self::Description, labels: usize, builder: &mut Builder) -> Result<Self>;

    /// What it is made of.
    fn description(&self) -> &Self::Description;

    /// An example as the network sees it.
    fn input(&self, data: &<Self::Task as Task>::Data, example: usize) -> maxmargin::Result<Self::Input>;

    /// How large an example is: batches are made of about as many rows each.
    fn rows(input: &Self::Input) -> usize;

    /// The part scores of a batch.
    fn scores(&self, batch: &[&Self::Input], pass: &mut Pass<'_>) -> Result<Scores>;
}
