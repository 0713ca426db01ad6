//! Scores of labelled arcs from the states of words: biaffine, as Dozat and Manning (2017) have them.
//!
//! ```text
//! arc(h, w) = ⟨a_h, U b_w + u⟩,    relation(h, w, r) = ⟨(a'_h, 1), U_r b'_w + u_r⟩
//! ```
//!
//! with four small layers a, b, a', b' over the states. The first row of each sentence is the root, which is a head and no word.

use std::sync::Arc;

use candle_core::{Device, Result, Tensor};
use serde::{Deserialize, Serialize};

use super::dropout::Pass;
use super::layers::{Hidden, Linear};
use super::parameters::{Builder, Start, check_sizes};
use super::scores::Scores;
use crate::ops::pair_products;

/// The sizes of the layers between states and scores of arcs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArcSizes {
    /// For arcs.
    pub arc: usize,
    /// For their relations.
    pub relation: usize,
}

impl Default for ArcSizes {
    fn default() -> Self {
        Self { arc: 200, relation: 64 }
    }
}

/// Scores of arcs.
#[derive(Debug, Clone)]
pub struct ArcScorer {
    heads: Hidden,
    words: Hidden,
    pairs: Linear,
    relation_heads: Hidden,
    relation_words: Hidden,
    relation_pairs: Linear,
    relations: usize,
}

impl ArcScorer {
    /// For states of this size.
    pub fn new(states: usize, sizes: &ArcSizes, relations: usize, builder: &mut Builder) -> Result<Self> {
        let &ArcSizes { arc, relation } = sizes;
        check_sizes(&[("arc", arc), ("relation", relation), ("relations", relations)])?;
        let columns = relation + 1;
        let start = Start::product(relation, columns);
        Ok(Self {
            heads: Hidden::new("arc.heads", states, arc, builder)?,
            words: Hidden::new("arc.words", states, arc, builder)?,
            pairs: Linear::new("arc.pairs", arc, arc, Start::product(arc, arc), builder)?,
            relation_heads: Hidden::new("relation.heads", states, relation, builder)?,
            relation_words: Hidden::new("relation.words", states, relation, builder)?,
            relation_pairs: Linear::new("relation.pairs", relation, relations * columns, start, builder)?,
            relations,
        })
    }

    /// The scores of all arcs. Each sentence has a row more than words.
    pub fn forward(
        &self,
        states: &Tensor,
        lengths: &[usize],
        rate: f64,
        pass: &mut Pass<'_>,
    ) -> Result<Scores> {
        // The rows of words, and how many heads and words each sentence has.
        let (mut rows, mut first, mut words) = (Vec::new(), 0, Vec::new());
        for &length in lengths {
            rows.extend(first as u32 + 1..(first + length) as u32);
            first += length;
            words.push(length - 1);
        }
        let rows = Tensor::from_slice(&rows, rows.len(), &Device::Cpu)?;
        let of_words = states.index_select(&rows, 0)?;
        let heads = self.heads.forward(states, lengths, rate, pass)?;
        let deps = self.words.forward(&of_words, &words, rate, pass)?;
        let sizes: Vec<(usize, usize)> = words.iter().map(|&words| (words + 1, words)).collect();
        let arcs = pair_products(&heads, &self.pairs.forward(&deps)?, Arc::new(sizes))?;

        let heads = self.relation_heads.forward(states, lengths, rate, pass)?;
        let ones = Tensor::ones((heads.dim(0)?, 1), heads.dtype(), &Device::Cpu)?;
        let heads = Tensor::cat(&[heads, ones], 1)?;
        let deps = self.relation_words.forward(&of_words, &words, rate, pass)?;
        let pairs = self.relation_pairs.forward(&deps)?;
        let pairs = pairs.reshape((pairs.dim(0)? * self.relations, heads.dim(1)?))?;
        let sizes = words.iter().map(|&words| (words + 1, words * self.relations));
        let relations = pair_products(&heads, &pairs, Arc::new(sizes.collect()))?;

        let arcs_of: Vec<usize> = words.iter().map(|&words| (words + 1) * words).collect();
        let relations_of: Vec<usize> = arcs_of.iter().map(|arcs| arcs * self.relations).collect();
        Ok(Scores::default().with(arcs, arcs_of).with(relations, relations_of))
    }
}
