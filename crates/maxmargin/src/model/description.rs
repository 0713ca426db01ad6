//! What a model file says about itself: one JSON object in the metadata, under one key.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::data::tag_scheme::TagConversion;
use crate::data::{Preprocessing, TableColumns, TextColumns};
use crate::solver::Certificate;

/// The newest version of the file format that this library reads.
///
/// 2 leaves out rows of weights that are 0, and may have weights of single precision. 3 lists weights that are not 0, and packs
/// names. 4 has shifts of labels, weighs counts or normalises rows, which older programs would leave out. 5 has attributes of pairs.
pub(super) const FORMAT_VERSION: u32 = 5;

/// The version of a model's file: the oldest that reads it right.
pub(super) fn version_of(preprocessing: &Preprocessing, has_shifts: bool, has_pairs: bool) -> u32 {
    let Preprocessing { log_counts, idf, normalize, .. } = preprocessing;
    if has_pairs {
        return 5;
    }
    if *log_counts || idf.is_some() || *normalize || has_shifts { 4 } else { 3 }
}

/// How a model was trained.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// The version of the program that trained it.
    pub program_version: String,
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
    /// The number of examples; of all batches, where a model went on [from one to the next](crate::Trainer::seen).
    pub examples: usize,
    /// The number of attributes in training. A model may have fewer: those without weights are left out.
    pub attributes: usize,
    /// The format of the training data, where it came from files.
    pub format: Option<String>,
}

/// The JSON object. Field by field what a reader in another language sees.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Header {
    pub format_version: u32,
    pub program_version: String,
    pub task: String,
    pub labels: Vec<String>,
    pub attributes: HeaderAttributes,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped_labels: Vec<String>,
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
    /// Whether a count c becomes 1 + ln c.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub log_counts: bool,
    /// Whether rows are divided by their length.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub normalize: bool,
    /// How columns of text become attributes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_columns: Option<TextColumns>,
    /// The schemes of tags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag_schemes: Option<TagConversion>,
    /// What columns of tables are for.
    #[serde(default, skip_serializing_if = "TableColumns::is_empty")]
    pub table_columns: TableColumns,
    /// Whether rows may have several candidates for their label.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub candidates: bool,
    /// Whether indices of features count from 0.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub zero_based: bool,
    /// What is added to the score of each label being in a set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_shifts: Option<Vec<f64>>,
    /// The options of the task.
    #[serde(flatten)]
    pub options: Map<String, Value>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct HeaderAttributes {
    pub named: bool,
    pub count: usize,
    /// How many there were in training, where some are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trained: Option<usize>,
    /// The bytes of their names, where these are packed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unpacked: Option<usize>,
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
