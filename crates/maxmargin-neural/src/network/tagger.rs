//! The network of the task chain: attributes of positions in, scores of labels out.
//!
//! Each attribute that a reader makes (words, prefixes, suffixes and tags by templates, or numbers such as pixels) has a row of a table, and what is known of
//! a position is the sum of its rows. Above it are layers of LSTMs, as for sentences. Neighbouring labels have a table of scores that all chains share.

use std::sync::Arc;

use candle_core::{Result, Tensor};
use maxmargin::Error;
use maxmargin::tasks::{Chain, SequenceExamples};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::Network;
use super::dropout::{Dropout, Pass};
use super::layers::{Hidden, Layers, Linear};
use super::parameters::{Builder, Start, check_sizes};
use super::scores::Scores;
use crate::ops::{Bags, row_sums};

/// The sizes of a tagger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaggerSizes {
    /// Numbers for each attribute.
    pub attribute: usize,
    /// Units of the LSTMs, in each direction.
    pub units: usize,
    /// How many of them lie one over the other.
    pub layers: usize,
    /// Units between the LSTMs and the scores.
    pub hidden: usize,
}

impl Default for TaggerSizes {
    fn default() -> Self {
        Self { attribute: 100, units: 100, layers: 1, hidden: 100 }
    }
}

/// The attributes and sizes of a tagger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaggerDescription {
    /// The attributes that have rows, by their numbers, ascending; how often each occurs in training.
    pub attributes: Vec<(u32, u32)>,
    /// Whether the first and the last label have scores of their own.
    pub boundary: bool,
    /// The sizes.
    pub sizes: TaggerSizes,
    /// How much is left out in training.
    pub dropout: Dropout,
}

impl TaggerDescription {
    /// Of data: attributes that occur less often than `least` times have no row.
    pub fn of(
        data: &SequenceExamples,
        task: &Chain,
        sizes: TaggerSizes,
        dropout: Dropout,
        least: u32,
    ) -> Self {
        let features = data.rows().features();
        let mut counts = vec![0; features.columns()];
        for row in 0..features.rows() {
            features.row(row).for_each(|column, _| counts[column] += 1);
        }
        let kept = (0..).zip(counts).filter(|&(_, count)| count >= least.max(1));
        Self { attributes: kept.collect(), boundary: task.boundary, sizes, dropout }
    }
}

/// A chain as a tagger sees it: attributes by their rows.
#[derive(Debug, Clone, Default)]
pub struct TaggerInput {
    bags: Bags,
}

/// A tagger.
#[derive(Debug, Clone)]
pub struct TaggerNetwork {
    description: TaggerDescription,
    table: Linear,
    layers: Layers,
    hidden: Hidden,
    positions: Linear,
    transitions: Tensor,
    ends: Option<[Tensor; 2]>,
    labels: usize,
}

impl Network for TaggerNetwork {
    type Task = Chain;
    type Description = TaggerDescription;
    type Input = TaggerInput;

    fn new(description: TaggerDescription, labels: usize, builder: &mut Builder) -> Result<Self> {
        let TaggerSizes { attribute, units, layers, hidden } = description.sizes;
        check_sizes(&[("attribute", attribute), ("hidden", hidden), ("labels", labels)])?;
        let start = Start::Uniform((1.0 / attribute.max(1) as f64).sqrt());
        let zero = Start::Constant(0.0);
        let ends = match description.boundary {
            true => Some([builder.get("first", labels, zero)?, builder.get("last", labels, zero)?]),
            false => None,
        };
        Ok(Self {
            table: Linear::new("attributes", description.attributes.len(), attribute, start, builder)?,
            layers: Layers::new(attribute, units, layers, builder)?,
            hidden: Hidden::new("hidden", 2 * units, hidden, builder)?,
            positions: Linear::new("positions", hidden, labels, Start::product(hidden, labels), builder)?,
            transitions: builder.get("transitions", (labels, labels), zero)?,
            ends,
            labels,
            description,
        })
    }

    fn description(&self) -> &TaggerDescription {
        &self.description
    }

    fn input(&self, data: &SequenceExamples, example: usize) -> maxmargin::Result<TaggerInput> {
        if data.pair_columns() > 0 {
            let problem =
                "attributes of pairs of labels have no place in this network; use templates without B";
            return Err(Error::parameter("data", problem));
        }
        let (features, mut bags) = (data.rows().features(), Bags::default());
        for row in data.rows().range(example) {
            let before = bags.rows.len();
            features.row(row).for_each(|column, value| {
                let place =
                    self.description.attributes.binary_search_by_key(&(column as u32), |known| known.0);
                if let Ok(place) = place {
                    bags.rows.push(place as u32);
                    bags.factors.push(value as f32);
                }
            });
            bags.counts.push(bags.rows.len() - before);
        }
        Ok(TaggerInput { bags })
    }

    fn rows(input: &TaggerInput) -> usize {
        input.bags.counts.len()
    }

    fn scores(&self, batch: &[&TaggerInput], pass: &mut Pass<'_>) -> Result<Scores> {
        let Self { description: TaggerDescription { attributes, dropout, .. }, .. } = self;
        let mut bags = Bags::default();
        for TaggerInput { bags: own } in batch {
            bags.counts.extend_from_slice(&own.counts);
            bags.rows.extend_from_slice(&own.rows);
            bags.factors.extend_from_slice(&own.factors);
        }
        if let Pass::Train(random) = pass {
            for (row, factor) in bags.rows.iter().zip(&mut bags.factors) {
                let count = f64::from(attributes[*row as usize].1);
                if random.random::<f64>() < dropout.names / (dropout.names + count) {
                    *factor = 0.0;
                }
            }
        }
        let lengths: Vec<usize> = batch.iter().map(|input| input.bags.counts.len()).collect();
        let lengths = Arc::new(lengths);
        let inputs = row_sums(self.table.weights(), Arc::new(bags))?.broadcast_add(self.table.bias())?;
        let states = self.layers.forward(&inputs, &lengths, dropout, pass)?;
        let hidden = self.hidden.forward(&states, &lengths, dropout.scores, pass)?;
        let sizes: Vec<usize> = lengths.iter().map(|length| length * self.labels).collect();
        let scores = Scores::default().with(self.positions.forward(&hidden)?, sizes);
        let scores = scores.with_shared(self.transitions.clone());
        Ok(match &self.ends {
            Some([first, last]) => scores.with_shared(first.clone()).with_shared(last.clone()),
            None => scores,
        })
    }
}
