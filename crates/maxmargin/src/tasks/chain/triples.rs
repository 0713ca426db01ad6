//! Weights for three labels in a row: chains of second order.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::data::{Alphabet, UNKNOWN_LABEL};
use crate::error::Result;
use crate::structure::ChainStructure;
use crate::tasks::{Stored, TaskOption};

/// The field of a model file that says how many three labels in a row have weights, and the tensor with them.
const COUNT: &str = "triples";
const LABELS: &str = "triple_labels";

pub(super) const ORDER: TaskOption =
    TaskOption::value("order", "ORDER", "How many labels before it a label depends on: 1 or 2")
        .default("1")
        .more(
            "2: three labels in a row have weights too, all of them or, with `--weights seen`, those that a training example has. A pass \
             takes as many times longer as there are labels where it was the search that took the time.",
        );

/// Which three labels in a row have weights.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Triples {
    /// None: a chain of first order.
    #[default]
    None,
    /// All.
    All,
    /// These.
    Seen(Arc<Vec<[u32; 3]>>),
}

impl Triples {
    /// Those of training data, where those that were seen are asked for.
    pub(super) fn resolved<'a>(&self, is_seen: bool, sequences: impl Iterator<Item = &'a [u32]>) -> Self {
        if *self == Self::None || !is_seen {
            return self.clone();
        }
        let mut seen = BTreeSet::new();
        for labels in sequences {
            let known = labels.windows(3).filter(|labels| !labels.contains(&UNKNOWN_LABEL));
            seen.extend(known.map(|labels| [labels[0], labels[1], labels[2]]));
        }
        Self::Seen(Arc::new(seen.into_iter().collect()))
    }

    /// The chain with them.
    pub(super) fn added_to(&self, chain: ChainStructure) -> Result<ChainStructure> {
        Ok(match self {
            Self::None => chain,
            Self::All => chain.with_triples(None)?,
            Self::Seen(seen) => chain.with_triples(Some(seen))?,
        })
    }

    /// The block of their weights.
    pub(super) fn block(&self, labels: usize) -> Option<(&'static str, Vec<usize>)> {
        match self {
            Self::None => None,
            Self::All => Some(("triple", vec![labels, labels, labels])),
            Self::Seen(seen) => Some(("seen triple", vec![1, seen.len()])),
        }
    }

    /// Their weights that are not 0, which are the last ones of these, with names.
    pub(super) fn named(&self, names: &Alphabet, weights: &[f64]) -> Vec<([String; 3], f64)> {
        let labels = names.len();
        let count = self.block(labels).map_or(0, |(_, shape)| shape.iter().product());
        let labels_of = |i: usize| match self {
            Self::Seen(seen) => seen[i],
            _ => [i / (labels * labels), i / labels % labels, i % labels].map(|y| y as u32),
        };
        let own = weights[weights.len().saturating_sub(count)..].iter().enumerate();
        own.filter(|&(_, &weight)| weight != 0.0)
            .map(|(i, &weight)| (labels_of(i).map(|y| names.name(y).to_owned()), weight))
            .collect()
    }

    /// Adds them to what is stored, and to the names of what is stored beside weights.
    pub(super) fn save(&self, stored: Stored, tensors: &mut Vec<&'static str>) -> Stored {
        match self {
            Self::None => stored,
            Self::All => stored.with("order", 2),
            Self::Seen(seen) => {
                tensors.push(LABELS);
                let mut stored = stored.with("order", 2).with(COUNT, seen.len());
                let labels = seen.iter().flatten().map(|&label| f64::from(label)).collect();
                stored.add_tensor(LABELS, vec![seen.len(), 3], labels);
                stored
            }
        }
    }

    /// What a model has.
    pub(super) fn load(stored: &Stored) -> std::result::Result<Self, String> {
        let order = stored.field::<Option<u32>>("order")?.unwrap_or(1);
        let count = stored.field::<Option<usize>>(COUNT)?;
        match (order, count) {
            (1, _) => Ok(Self::None),
            (2, None) => Ok(Self::All),
            (2, Some(count)) => {
                let labels = stored.tensor(LABELS, &[count, 3])?;
                let seen: Vec<[u32; 3]> = labels
                    .chunks_exact(3)
                    .map(|labels| [labels[0] as u32, labels[1] as u32, labels[2] as u32])
                    .collect();
                match seen.is_sorted_by(|a, b| a < b) {
                    true => Ok(Self::Seen(Arc::new(seen))),
                    false => Err("its three labels in a row are not in order".to_owned()),
                }
            }
            (order, _) => Err(format!("it is of order {order}; this version knows 1 and 2")),
        }
    }
}
