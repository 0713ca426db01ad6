//! The encoder of sentences: what is known of each word becomes a row of numbers, in the light of the words around it.
//!
//! A table of embeddings for each column that is looked at (the word itself, its tags), the states of a small LSTM over its letters (Ballesteros, Dyer and Smith
//! 2015), and several layers of LSTMs over the sentence (Kiperwasser and Goldberg 2016).

use std::sync::Arc;

use candle_core::{Device, Result, Tensor};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::dropout::{Dropout, Pass};
use super::layers::{BiLstm, Layers, Linear};
use super::parameters::{Builder, Start, check_sizes};
use crate::lexicon::UNKNOWN;

/// The sizes of an encoder.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncoderSizes {
    /// Numbers for a word.
    pub word: usize,
    /// Numbers for each tag.
    pub tag: usize,
    /// Numbers for a letter; 0 where letters are not looked at.
    pub letter: usize,
    /// Units of the LSTM over letters, in each direction.
    pub spelling: usize,
    /// Units of the LSTMs over sentences, in each direction.
    pub units: usize,
    /// How many of these LSTMs lie one over the other.
    pub layers: usize,
    /// Numbers for a word in a table that was given; 0 where none was.
    pub given: usize,
}

impl Default for EncoderSizes {
    fn default() -> Self {
        Self { word: 100, tag: 50, letter: 32, spelling: 50, units: 200, layers: 2, given: 0 }
    }
}

/// The words of a batch of sentences, one behind the other.
#[derive(Debug, Clone, Default)]
pub struct WordBatch {
    /// How many words each sentence has.
    pub lengths: Arc<Vec<usize>>,
    /// For each column the numbers of all words; the first column is the word itself.
    pub columns: Vec<Vec<u32>>,
    /// Where a table of words was given: their rows there.
    pub given: Vec<u32>,
    /// The different spellings of the batch: letters one behind the other.
    pub letters: Vec<u32>,
    /// How many letters each spelling has.
    pub letter_counts: Arc<Vec<usize>>,
    /// The spelling of each word.
    pub spellings: Vec<u32>,
}

/// Letters to numbers: the last states of an LSTM in each direction.
#[derive(Debug, Clone)]
struct Spelling {
    letters: Tensor,
    lstm: BiLstm,
}

impl Spelling {
    fn forward(&self, batch: &WordBatch, pass: &mut Pass<'_>) -> Result<Tensor> {
        let rows = |numbers: &[u32]| Tensor::from_slice(numbers, numbers.len(), &Device::Cpu);
        // There are fewer letters than places of letters: they are projected first.
        let projected = self.lstm.project(&self.letters)?.index_select(&rows(&batch.letters)?, 0)?;
        let [forward, backward] = self.lstm.states(&projected, &batch.letter_counts, 0.0, pass)?;
        let (mut firsts, mut lasts, mut end) = (Vec::new(), Vec::new(), 0);
        for &count in &*batch.letter_counts {
            firsts.push(end);
            end += count as u32;
            lasts.push(end - 1);
        }
        let select = |ends: &[u32]| -> Result<Tensor> {
            let own: Vec<u32> = batch.spellings.iter().map(|&spelling| ends[spelling as usize]).collect();
            rows(&own)
        };
        Tensor::cat(
            &[forward.index_select(&select(&lasts)?, 0)?, backward.index_select(&select(&firsts)?, 0)?],
            1,
        )
    }
}

/// The encoder.
#[derive(Debug, Clone)]
pub struct WordEncoder {
    tables: Vec<Tensor>,
    given: Option<(Tensor, Linear)>,
    spelling: Option<Spelling>,
    layers: Layers,
}

impl WordEncoder {
    /// An encoder for columns with so many names each (the first one is that of words), and so many letters. `given` says how many rows a table of
    /// words has that stays as it is, with the table where it is not in a file.
    pub fn new(
        sizes: &EncoderSizes,
        columns: &[usize],
        letters: usize,
        given: Option<(usize, Option<&Tensor>)>,
        builder: &mut Builder,
    ) -> Result<Self> {
        let &EncoderSizes { word, tag, letter, spelling, given: of_given, .. } = sizes;
        check_sizes(&[("word", word), ("tag", tag), ("letter", letter.max(1)), ("given", of_given.max(1))])?;
        check_sizes(&[("spelling", spelling)])?;
        let (mut tables, mut inputs) = (Vec::new(), 0);
        for (place, &names) in columns.iter().enumerate() {
            let size = if place == 0 { sizes.word } else { sizes.tag };
            let start = Start::Uniform((3.0 / size.max(1) as f64).sqrt());
            tables.push(builder.get(&format!("column{place}"), (names, size), start)?);
            inputs += size;
        }
        let given = match given {
            Some((names, table)) => {
                let table = builder.fixed("given.table", (names, sizes.given), table)?;
                let start = Start::product(sizes.given, sizes.word);
                inputs += sizes.word;
                Some((table, Linear::new("given", sizes.given, sizes.word, start, builder)?))
            }
            None => None,
        };
        let spelling = match sizes.letter {
            0 => None,
            size => {
                inputs += 2 * sizes.spelling;
                let start = Start::Uniform((3.0 / size as f64).sqrt());
                Some(Spelling {
                    letters: builder.get("letters", (letters, size), start)?,
                    lstm: BiLstm::new("spelling", size, sizes.spelling, builder)?,
                })
            }
        };
        let layers = Layers::new(inputs, sizes.units, sizes.layers, builder)?;
        Ok(Self { tables, given, spelling, layers })
    }

    /// A row for each word of a batch. `counts` says how often each word occurs in training.
    pub fn forward(
        &self,
        batch: &WordBatch,
        dropout: &Dropout,
        counts: &[u32],
        pass: &mut Pass<'_>,
    ) -> Result<Tensor> {
        let lengths = &batch.lengths;
        let rows = |numbers: Vec<u32>| Tensor::from_vec(numbers.clone(), numbers.len(), &Device::Cpu);
        let mut inputs = Vec::new();
        for (place, (table, numbers)) in self.tables.iter().zip(&batch.columns).enumerate() {
            let mut numbers = numbers.clone();
            if let (0, Pass::Train(random)) = (place, &mut *pass) {
                for number in &mut numbers {
                    let count = f64::from(counts.get(*number as usize).copied().unwrap_or(0));
                    let rate = dropout.names / (dropout.names + count);
                    if count > 0.0 && random.random::<f64>() < rate {
                        *number = UNKNOWN;
                    }
                }
            }
            inputs.push(table.index_select(&rows(numbers)?, 0)?);
        }
        if let Some((table, linear)) = &self.given {
            inputs.push(linear.forward(&table.index_select(&rows(batch.given.clone())?, 0)?)?);
        }
        if let Some(spelling) = &self.spelling {
            inputs.push(spelling.forward(batch, pass)?);
        }
        self.layers.forward(&Tensor::cat(&inputs, 1)?, lengths, dropout, pass)
    }
}
