//! The network of the task parsing: words in, scores of labelled arcs out.

use candle_core::{Result, Tensor};
use maxmargin::Error;
use maxmargin::tasks::{Parsing, TreeExamples};
use serde::{Deserialize, Serialize};

use super::Network;
use super::arcs::{ArcScorer, ArcSizes};
use super::dropout::{Dropout, Pass};
use super::parameters::Builder;
use super::scores::Scores;
use super::words::{EncoderSizes, WordBatch, WordEncoder};
use crate::lexicon::{EncodedSentence, Lexicon};

/// The names and sizes of a parser.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParserDescription {
    /// The names that it knows.
    pub lexicon: Lexicon,
    /// The sizes of its encoder.
    pub encoder: EncoderSizes,
    /// The sizes of its scores.
    pub arcs: ArcSizes,
    /// How much is left out in training.
    pub dropout: Dropout,
    /// The rows of a table of words that was given, until they are in a file.
    #[serde(skip)]
    pub given: Option<Vec<f32>>,
}

/// A parser.
#[derive(Debug, Clone)]
pub struct ParserNetwork {
    description: ParserDescription,
    encoder: WordEncoder,
    scorer: ArcScorer,
}

impl Network for ParserNetwork {
    type Task = Parsing;
    type Description = ParserDescription;
    type Input = EncodedSentence;

    fn new(mut description: ParserDescription, labels: usize, builder: &mut Builder) -> Result<Self> {
        let ParserDescription { lexicon, encoder: sizes, arcs, .. } = &description;
        let device = &candle_core::Device::Cpu;
        let table = match &description.given {
            Some(rows) => Some(Tensor::from_slice(rows, (lexicon.given.rows(), sizes.given), device)?),
            None => None,
        };
        let given = (sizes.given > 0).then_some((lexicon.given.rows(), table.as_ref()));
        let encoder = WordEncoder::new(sizes, &lexicon.columns(), lexicon.letters.rows(), given, builder)?;
        let scorer = ArcScorer::new(2 * sizes.units, arcs, labels, builder)?;
        description.given = None;
        Ok(Self { description, encoder, scorer })
    }

    fn description(&self) -> &ParserDescription {
        &self.description
    }

    fn input(&self, data: &TreeExamples, example: usize) -> maxmargin::Result<EncodedSentence> {
        let text = data.text(example).ok_or_else(|| {
            Error::parameter("data", "a network reads the words themselves: it needs sentences of a file")
        })?;
        Ok(self.description.lexicon.encode(text))
    }

    fn rows(input: &EncodedSentence) -> usize {
        input.len()
    }

    fn scores(&self, batch: &[&EncodedSentence], pass: &mut Pass<'_>) -> Result<Scores> {
        let ParserDescription { lexicon, dropout, .. } = &self.description;
        let words = WordBatch::of(batch.iter().copied());
        let states = self.encoder.forward(&words, dropout, &lexicon.counts, pass)?;
        self.scorer.forward(&states, &words.lengths, dropout.scores, pass)
    }
}
