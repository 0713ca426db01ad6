//! What a model file says about itself: one JSON object in the metadata, under one key.

use serde::{Deserialize, Serialize};

use crate::data::{Alphabet, Format};
use crate::shown::excerpt;
use crate::solver::Certificate;
use crate::structure::{ExtraLinks, Inference, LabelCost, PairWeights};
use crate::task::{LinkOptions, Pairs, SetOptions, TaskKind, TaskOptions};

/// The version of the file format that this library writes, and the newest that it reads.
pub(super) const FORMAT_VERSION: u32 = 1;

/// How a model was trained.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// The version of the program that trained it.
    pub program_version: String,
    /// The task.
    pub task: TaskKind,
    /// λ.
    pub lambda: f64,
    /// The surrogate loss.
    pub surrogate: String,
    /// The search for the most violated label.
    pub search: String,
    /// The solver.
    pub solver: String,
    /// The seed of everything random.
    pub seed: u64,
    /// The proof: bounds on the least value of the objective.
    pub certificate: Certificate,
    /// The passes over the examples.
    pub passes: usize,
    /// The number of examples.
    pub examples: usize,
    /// The format of the training data, where it came from files.
    pub format: Option<Format>,
}

/// The JSON object. Field by field what a reader in another language sees.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Header {
    pub format_version: u32,
    pub program_version: String,
    pub task: String,
    pub labels: Vec<String>,
    pub attributes: HeaderAttributes,
    pub bias: bool,
    pub boundary: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sets: Option<HeaderSets>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<HeaderLinks>,
    pub loss: String,
    pub lambda: f64,
    pub surrogate: String,
    pub search: String,
    pub solver: String,
    pub seed: u64,
    pub certificate: HeaderCertificate,
    pub passes: usize,
    pub n: usize,
    pub dim: usize,
    pub data_format: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct HeaderAttributes {
    pub named: bool,
    pub count: usize,
}

/// What only label sets have.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct HeaderSets {
    /// `none`, `all` or `listed`.
    pub pairs: String,
    /// In the order of their weights.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listed: Vec<(u32, u32)>,
    #[serde(default)]
    pub pair_weights: PairWeights,
    pub signed: bool,
    pub inference: Inference,
    /// The names of labels that training left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped_labels: Vec<String>,
}

impl HeaderSets {
    pub fn of(options: &SetOptions, dropped: &Alphabet) -> Self {
        let (pairs, listed) = match &options.pairs {
            Pairs::None => ("none", Vec::new()),
            Pairs::All => ("all", Vec::new()),
            Pairs::Listed(pairs) => ("listed", in_order(pairs)),
        };
        Self {
            pairs: pairs.to_owned(),
            listed,
            pair_weights: options.pair_weights,
            signed: options.signed,
            inference: options.inference,
            dropped_labels: dropped.iter().map(str::to_owned).collect(),
        }
    }

    /// The options, without weights, which are a tensor.
    pub fn options(&self) -> Result<SetOptions, String> {
        let pairs = match self.pairs.as_str() {
            "none" => Pairs::None,
            "all" => Pairs::All,
            "listed" if self.listed != in_order(&self.listed) => {
                return Err("the pairs are not in ascending order, as their weights are".to_owned());
            }
            "listed" => Pairs::Listed(self.listed.clone()),
            other => {
                return Err(format!("the pairs \"{}\" are not known to this version", excerpt(other)));
            }
        };
        Ok(SetOptions {
            pairs,
            pair_weights: self.pair_weights,
            signed: self.signed,
            inference: self.inference,
            weights: None,
        })
    }
}

/// What only matchings have.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct HeaderLinks {
    /// What a missed and a false link cost.
    pub miss: f64,
    #[serde(rename = "false")]
    pub false_link: f64,
    /// The most links of a left and of a right node.
    pub fertility: (u32, u32),
    /// Whether sure links beyond that became possible in training.
    pub free_extra_links: bool,
}

impl HeaderLinks {
    pub fn of(options: &LinkOptions) -> Self {
        let &LinkOptions { miss, false_link, fertility, extra_links } = options;
        Self { miss, false_link, fertility, free_extra_links: extra_links == ExtraLinks::Free }
    }

    pub fn options(&self) -> LinkOptions {
        let &Self { miss, false_link, fertility, free_extra_links } = self;
        let extra_links = if free_extra_links { ExtraLinks::Free } else { ExtraLinks::Refuse };
        LinkOptions { miss, false_link, fertility, extra_links }
    }
}

/// Pairs as their weights are ordered: the smaller label first, ascending.
fn in_order(pairs: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut pairs: Vec<_> = pairs.iter().map(|&(i, j)| (i.min(j), i.max(j))).collect();
    pairs.sort_unstable();
    pairs
}

/// JSON has no infinities: a bound that is not known is null.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct HeaderCertificate {
    pub primal: Option<f64>,
    pub lower_bound: Option<f64>,
    pub gap: Option<f64>,
    pub oracle_gap: f64,
}

impl From<Certificate> for HeaderCertificate {
    fn from(certificate: Certificate) -> Self {
        let known = |value: f64| value.is_finite().then_some(value);
        Self {
            primal: known(certificate.primal),
            lower_bound: known(certificate.lower_bound),
            gap: known(certificate.gap().0),
            oracle_gap: certificate.oracle_gap,
        }
    }
}

impl From<HeaderCertificate> for Certificate {
    fn from(header: HeaderCertificate) -> Self {
        Self {
            primal: header.primal.unwrap_or(f64::INFINITY),
            lower_bound: header.lower_bound.unwrap_or(f64::NEG_INFINITY),
            oracle_gap: header.oracle_gap,
        }
    }
}

/// The loss as it is called on the command line; `cost` and `cost-mean` come with a matrix, `weighted` with weights.
pub(super) fn loss_name(task: TaskKind, options: &TaskOptions) -> &'static str {
    match (task, &options.cost, options.mean) {
        (TaskKind::Matching, ..) => "links",
        (TaskKind::Multilabel, _, mean) => match (&options.sets.weights, mean) {
            (None, false) => "hamming",
            (None, true) => "hamming-mean",
            (Some(_), false) => "weighted",
            (Some(_), true) => "weighted-mean",
        },
        (TaskKind::Multiclass, LabelCost::ZeroOne, _) => "zero-one",
        (TaskKind::Chain, LabelCost::ZeroOne, false) => "hamming",
        (TaskKind::Chain, LabelCost::ZeroOne, true) => "hamming-mean",
        (TaskKind::Chain, LabelCost::Matrix(_), true) => "cost-mean",
        (_, LabelCost::Matrix(_), _) => "cost",
        (_, LabelCost::Size { .. }, _) => "size",
    }
}

impl super::Model {
    /// The loss as it is called on the command line: `zero-one`, `hamming`, `hamming-mean`, `cost` or `weighted`;
    /// `links` for matchings, whose costs are in the options.
    pub fn loss_name(&self) -> &'static str {
        loss_name(self.description.task, &self.options)
    }
}
