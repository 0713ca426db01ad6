//! What mistakes about each label cost: by a file, by how rare labels are, or by what kind of mistake it is.
//!
//! `balanced` makes all labels count alike, however many there are of each: a label of which n_k of n examples are weighs n / (K·n_k)
//! where there are K of them. Where a label is in or out, n_k examples have it, and n − n_k do not: to miss it costs n / (2·n_k), and
//! n / (2·(n − n_k)) where it is wrongly in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::data::{Alphabet, UNKNOWN_LABEL, read_label_costs, read_label_weights};
use crate::error::{Error, Result};
use crate::shown::{did_you_mean, excerpt};

/// What labels cost.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum LabelWeights {
    /// 1 each.
    #[default]
    Equal,
    /// A number for each.
    Listed(Arc<[f64]>),
    /// Two numbers for each, where labels are in or out.
    Mistakes {
        /// What it costs to miss a label.
        miss: Arc<[f64]>,
        /// What it costs when a label is wrongly in.
        wrong: Arc<[f64]>,
    },
    /// The same two numbers for all.
    Kinds {
        /// What it costs to miss a label.
        miss: f64,
        /// What it costs when a label is wrongly in.
        wrong: f64,
    },
    /// What a file says: lines `label weight`, or `label miss false` where labels are in or out.
    File(PathBuf),
    /// The rarer, the dearer.
    Balanced,
}

impl LabelWeights {
    /// What `weights=FILE` and `balanced` say.
    pub(super) fn parse(text: &str) -> Option<Self> {
        match text.strip_prefix("weights=") {
            None => (text == "balanced").then_some(Self::Balanced),
            Some(file) => (!file.is_empty()).then(|| Self::File(file.into())),
        }
    }

    /// What `FILE` and `balanced` say. Refused where there is no such file and a slip is likely.
    pub(super) fn named(option: &str, text: &str) -> Result<Self> {
        let meant = did_you_mean(text, ["balanced"]);
        match text {
            "balanced" => Ok(Self::Balanced),
            file if !meant.is_empty() && !Path::new(file).exists() => {
                Err(Error::parameter(option, format!("there is no file `{}`{meant}", excerpt(file))))
            }
            file => Ok(Self::File(file.into())),
        }
    }

    /// The file that is to be read, and the option that names it.
    pub(super) fn file(&self, option: &'static str) -> Option<(&'static str, PathBuf)> {
        match self {
            Self::File(file) => Some((option, file.clone())),
            _ => None,
        }
    }

    /// A number for each label, where each example or position has one; none where all are 1. `found` are those of the data.
    pub(super) fn of_classes(&self, labels: &Alphabet, found: &[u32]) -> Result<Option<Arc<[f64]>>> {
        Ok(Some(match self {
            Self::Equal | Self::Mistakes { .. } | Self::Kinds { .. } => return Ok(None),
            Self::Listed(weights) => Arc::clone(weights),
            Self::File(file) => read_label_weights(file, labels)?.into(),
            Self::Balanced => {
                let all = found.iter().filter(|&&label| label != UNKNOWN_LABEL).count();
                let counts = counts(labels.len(), found);
                counts.into_iter().map(|count| balance(all, labels.len(), count)).collect()
            }
        }))
    }

    /// With nothing left to be read or counted, where labels are in or out. `found` are those of so many examples.
    pub(super) fn of_sets(&self, labels: &Alphabet, examples: usize, found: &[u32]) -> Result<Self> {
        let count = labels.len();
        let (miss, wrong): (Vec<f64>, Vec<f64>) = match self {
            Self::Kinds { miss, wrong } => (vec![*miss; count], vec![*wrong; count]),
            Self::File(file) => read_label_costs(file, labels)?,
            Self::Balanced => {
                let costs = |having| (balance(examples, 2, having), balance(examples, 2, examples - having));
                counts(count, found).into_iter().map(costs).unzip()
            }
            others => return Ok(others.clone()),
        };
        Ok(match miss == wrong {
            true => Self::Listed(miss.into()),
            false => Self::Mistakes { miss: miss.into(), wrong: wrong.into() },
        })
    }
}

/// How many there are of each label.
fn counts(labels: usize, found: &[u32]) -> Vec<usize> {
    let mut counts = vec![0; labels];
    found.iter().filter_map(|&label| counts.get_mut(label as usize).map(|count| *count += 1)).for_each(drop);
    counts
}

/// What one of so many kinds weighs that `count` of `all` are of; 1 where there is none.
fn balance(all: usize, kinds: usize, count: usize) -> f64 {
    if count == 0 { 1.0 } else { all as f64 / (kinds * count) as f64 }
}

/// The two costs of `miss=X,false=Y`; none where it is something else.
pub(super) fn miss_and_false(loss: &str) -> Result<Option<(f64, f64)>> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite() && *x > 0.0);
    match loss.strip_prefix("miss=").and_then(|rest| rest.split_once(",false=")) {
        None => Ok(None),
        Some((miss, wrong)) => match (number(miss), number(wrong)) {
            (Some(miss), Some(wrong)) => Ok(Some((miss, wrong))),
            _ => Err(Error::parameter("loss", "miss=X,false=Y needs two finite numbers above 0")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_labels_weigh_more() {
        let labels: Alphabet = ["a", "b", "c"].into_iter().collect();
        let found = [0, 0, 1, 0, UNKNOWN_LABEL];
        let weights = LabelWeights::Balanced.of_classes(&labels, &found).unwrap().unwrap();
        assert_eq!(&*weights, [4.0 / 9.0, 4.0 / 3.0, 1.0]);
        // Four examples, of which three have the first label and one the second.
        let LabelWeights::Mistakes { miss, wrong } =
            LabelWeights::Balanced.of_sets(&labels, 4, &found).unwrap()
        else {
            panic!("misses and others cost different things")
        };
        assert_eq!((&*miss, &*wrong), (&[2.0 / 3.0, 2.0, 1.0][..], &[2.0, 2.0 / 3.0, 0.5][..]));
        let alike = LabelWeights::Kinds { miss: 2.0, wrong: 2.0 }.of_sets(&labels, 4, &found).unwrap();
        assert_eq!(alike, LabelWeights::Listed([2.0; 3].into()));
    }
}
