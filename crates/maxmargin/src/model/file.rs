//! Model files: safetensors with the description in the metadata.
//!
//! | tensor | type and shape | |
//! | --- | --- | --- |
//! | `unary` | f64, features (and the bias, last) × labels | |
//! | `link` | f64, features (and the bias, last) | matchings, instead of `unary` |
//! | `transition` | f64, labels × labels | chains: from the row's label to the column's |
//! | `first`, `last` | f64, labels | chains with boundary weights |
//! | `pair` | f64, pairs × 4 or × 1 | label sets: neither, the second only, the first only, both; or both only |
//! | `cost` | f64, labels × labels | with a cost matrix: the row's label is true |
//! | `label_weight` | f64, labels | label sets with weights in the loss |
//! | `impute`, `shift`, `scale` | f64, attributes | where columns are filled in, centred, divided |
//! | `attributes` | u8 | with named attributes: their names, one a line |
//!
//! Everything else is a JSON object under the metadata's only key, `maxmargin`. One key, because the metadata is a hash
//! map and files must be the same byte for byte.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, SafeTensorError, TensorView};

use super::description::{FORMAT_VERSION, Header, HeaderAttributes, HeaderLinks, HeaderSets, loss_name};
use super::{Block, Description, Model};
use crate::data::{Alphabet, Attributes, EDGE_LABELS, Preprocessing, Vocabulary};
use crate::error::Result;
use crate::shown::excerpt;
use crate::structure::{CostMatrix, LabelCost};
use crate::task::{LinkOptions, Pairs, SetOptions, TaskKind, TaskOptions};
use crate::tensor_file::{Checked, FileKind, said};

const KEY: &str = "maxmargin";
const FILES: FileKind = FileKind {
    key: KEY,
    no_description: "a safetensors file, but not of this program: its metadata has no description of a model",
    container: explain,
    unreadable: "the description of the model cannot be read",
    version: refuse_version,
};

pub(super) fn blocks(task: TaskKind, options: &TaskOptions, features: usize, labels: usize) -> Vec<Block> {
    let features = features.saturating_add(usize::from(options.bias));
    let mut shapes = match task {
        TaskKind::Matching => vec![("link", vec![features])],
        _ => vec![("unary", vec![features, labels])],
    };
    if task == TaskKind::Chain {
        shapes.push(("transition", vec![labels, labels]));
        if options.boundary {
            shapes.extend([("first", vec![labels]), ("last", vec![labels])]);
        }
    }
    if task == TaskKind::Multilabel {
        let pairs = match &options.sets.pairs {
            Pairs::None => 0,
            Pairs::All => labels * labels.saturating_sub(1) / 2,
            Pairs::Listed(pairs) => pairs.len(),
        };
        shapes.push(("pair", vec![pairs, options.sets.pair_weights.count()]));
    }
    let mut start = 0;
    shapes
        .into_iter()
        .map(|(name, shape)| {
            let block = Block { name, start, shape };
            start = start.saturating_add(block.len());
            block
        })
        .collect()
}

impl Model {
    /// The content of a model file.
    pub(super) fn to_bytes(&self) -> Checked<Vec<u8>> {
        self.check()?;
        let labels = self.vocabulary.labels.len();
        let blocks = self.blocks();
        let dim = blocks.iter().map(Block::len).fold(0, usize::saturating_add);
        if dim != self.weights.len() {
            return Err(format!("{} weights where the task has {dim}", self.weights.len()));
        }
        let weights = to_le_bytes(&self.weights);
        // What a task does not look at is not its loss.
        let is_set = self.description.task == TaskKind::Multilabel;
        let has_cost = !is_set && self.description.task != TaskKind::Matching;
        let cost = match &self.options.cost {
            LabelCost::Matrix(matrix) if has_cost => Some(to_le_bytes(matrix.as_slice())),
            _ => None,
        };
        let label_weights = self.options.sets.weights.as_deref().filter(|_| is_set).map(to_le_bytes);
        let Preprocessing { impute, shift, scale } = &self.preprocessing;
        let columns: Vec<(&str, &Vec<f64>)> = [("impute", impute), ("shift", shift), ("scale", scale)]
            .into_iter()
            .filter_map(|(name, vector)| Some((name, vector.as_ref()?)))
            .collect();
        let columns: Vec<(&str, usize, Cow<'_, [u8]>)> =
            columns.iter().map(|(name, vector)| (*name, vector.len(), to_le_bytes(vector))).collect();
        let names = match &self.vocabulary.attributes {
            Attributes::Named(names) => Some(names.iter().collect::<Vec<_>>().join("\n")),
            Attributes::Numbered(_) => None,
        };
        let header = serde_json::to_string(&self.header()).map_err(|e| e.to_string())?;

        let mut tensors = Vec::new();
        for block in &blocks {
            let bytes = &weights[8 * block.start..8 * (block.start + block.len())];
            tensors.push((block.name, view(Dtype::F64, block.shape.clone(), bytes)?));
        }
        if let Some(cost) = &cost {
            tensors.push(("cost", view(Dtype::F64, vec![labels, labels], cost)?));
        }
        if let Some(weights) = &label_weights {
            tensors.push(("label_weight", view(Dtype::F64, vec![labels], weights)?));
        }
        for (name, length, bytes) in &columns {
            tensors.push((name, view(Dtype::F64, vec![*length], bytes)?));
        }
        if let Some(names) = &names {
            tensors.push(("attributes", view(Dtype::U8, vec![names.len()], names.as_bytes())?));
        }
        let metadata = HashMap::from([(KEY.to_owned(), header)]);
        safetensors::serialize(tensors, Some(metadata)).map_err(|e| match e {
            SafeTensorError::HeaderTooLarge => "there are too many labels for a model file, or their names are too long: they take at most 100 MB".to_owned(),
            e => e.to_string(),
        })
    }

    /// Refuses a model whose task cannot be.
    fn check(&self) -> Checked<()> {
        self.task().map_err(|e| e.to_string())?;
        match self.description.task {
            TaskKind::Matching => check_edge_labels(&self.vocabulary.labels),
            _ => Ok(()),
        }
    }

    fn header(&self) -> Header {
        let Description { certificate, .. } = self.description;
        let (description, options) = (self.description.clone(), &self.options);
        let chain = description.task == TaskKind::Chain;
        Header {
            format_version: FORMAT_VERSION,
            program_version: description.program_version,
            task: description.task.name().to_owned(),
            labels: self.vocabulary.labels.iter().map(str::to_owned).collect(),
            attributes: HeaderAttributes {
                named: matches!(self.vocabulary.attributes, Attributes::Named(_)),
                count: self.vocabulary.attributes.len(),
            },
            bias: options.bias,
            boundary: options.boundary && chain,
            sets: (description.task == TaskKind::Multilabel)
                .then(|| HeaderSets::of(&options.sets, &self.dropped_labels)),
            links: (description.task == TaskKind::Matching).then(|| HeaderLinks::of(&options.links)),
            loss: loss_name(description.task, options).to_owned(),
            lambda: description.lambda,
            surrogate: description.surrogate,
            search: description.search,
            solver: description.solver,
            seed: description.seed,
            certificate: certificate.into(),
            passes: description.passes,
            n: description.examples,
            dim: self.weights.len(),
            data_format: description.format.map(|format| format.name().to_owned()),
        }
    }

    /// A model from its file. The description is checked before the weights are read.
    pub(super) fn read(path: &Path) -> Result<Self> {
        FILES.load(path, check_header, Self::from_tensors)
    }

    fn from_tensors(header: Header, tensors: &SafeTensors<'_>) -> Checked<Self> {
        let task: TaskKind = header.task.parse().map_err(|_| {
            let task = excerpt(&header.task);
            format!("the task \"{task}\" is not known to this version; use a newer program")
        })?;
        let vocabulary = vocabulary(&header, tensors)?;
        let labels = vocabulary.labels.len();
        let mut sets = match &header.sets {
            Some(sets) => sets.options()?,
            None if task == TaskKind::Multilabel => {
                return Err("the description does not say which pairs of labels have weights".to_owned());
            }
            None => SetOptions::default(),
        };
        let links = match &header.links {
            Some(links) => links.options(),
            None if task == TaskKind::Matching => {
                return Err("the description does not say how many links nodes have".to_owned());
            }
            None => LinkOptions::default(),
        };
        if task == TaskKind::Matching {
            check_edge_labels(&vocabulary.labels)?;
        }
        let (cost, mean) = match header.loss.as_str() {
            "links" if task == TaskKind::Matching => (LabelCost::ZeroOne, false),
            "zero-one" | "hamming" => (LabelCost::ZeroOne, false),
            "hamming-mean" => (LabelCost::ZeroOne, true),
            loss @ ("weighted" | "weighted-mean") => {
                sets.weights = Some(numbers(tensors, "label_weight", &[labels])?.into());
                (LabelCost::ZeroOne, loss == "weighted-mean")
            }
            loss @ ("cost" | "cost-mean") => {
                let costs = numbers(tensors, "cost", &[labels, labels])?;
                let matrix = CostMatrix::new(labels, costs).map_err(|e| e.to_string())?;
                (LabelCost::Matrix(Arc::new(matrix)), loss == "cost-mean")
            }
            loss => return Err(format!("the loss \"{}\" is not known to this version", excerpt(loss))),
        };
        let options = TaskOptions { bias: header.bias, boundary: header.boundary, cost, mean, sets, links };
        let mut weights = Vec::new();
        for block in blocks(task, &options, vocabulary.attributes.len(), labels) {
            weights.extend(numbers(tensors, block.name, &block.shape)?);
        }
        if header.dim != weights.len() {
            return Err(format!("{} weights, but the description says {}", weights.len(), header.dim));
        }
        let format = header.data_format.as_deref().map(str::parse).transpose();
        let description = Description {
            program_version: header.program_version,
            task,
            lambda: header.lambda,
            surrogate: header.surrogate,
            search: header.search,
            solver: header.solver,
            seed: header.seed,
            certificate: header.certificate.into(),
            passes: header.passes,
            examples: header.n,
            format: format.map_err(|e: crate::Error| e.to_string())?,
        };
        let dropped_labels =
            header.sets.iter().flat_map(|sets| &sets.dropped_labels).map(String::as_str).collect();
        let preprocessing = preprocessing(tensors, vocabulary.attributes.len())?;
        let model = Model { description, options, vocabulary, preprocessing, dropped_labels, weights };
        model.task().map_err(|e| e.to_string())?;
        Ok(model)
    }
}

/// What is done to columns; most models do nothing and have none of these tensors.
fn preprocessing(tensors: &SafeTensors<'_>, columns: usize) -> Checked<Preprocessing> {
    let vector = |name| match tensors.tensor(name) {
        Ok(_) => numbers(tensors, name, &[columns]).map(Some),
        Err(_) => Ok(None),
    };
    let scale = vector("scale")?;
    if let Some(divisor) = scale.iter().flatten().find(|divisor| **divisor <= 0.0) {
        return Err(format!("the tensor scale holds {divisor}; columns are divided by numbers above 0"));
    }
    Ok(Preprocessing { impute: vector("impute")?, shift: vector("shift")?, scale })
}

fn check_edge_labels(labels: &Alphabet) -> Checked<()> {
    match labels.iter().eq(EDGE_LABELS) {
        true => Ok(()),
        false => Err(format!("the labels of a matching are {}, in this order", EDGE_LABELS.join(", "))),
    }
}

fn refuse_version(version: u32) -> Option<String> {
    (version > FORMAT_VERSION).then(|| {
        format!("made by a newer program: format version {version}, this one reads up to {FORMAT_VERSION}")
    })
}

fn check_header(header: &Header) -> Checked<()> {
    match header.lambda.is_finite() && header.lambda > 0.0 {
        true => Ok(()),
        false => Err(format!("λ is {}; it must be above 0", header.lambda)),
    }
}

fn vocabulary(header: &Header, tensors: &SafeTensors<'_>) -> Checked<Vocabulary> {
    let labels: Alphabet = header.labels.iter().map(String::as_str).collect();
    if labels.len() != header.labels.len() {
        return Err("the same label is listed twice".to_owned());
    }
    if let Some(label) = header.labels.iter().find(|label| label.contains('\n')) {
        return Err(format!("the label `{}` has a line break in it", excerpt(label)));
    }
    let count = header.attributes.count;
    if !header.attributes.named {
        return Ok(Vocabulary { labels, attributes: Attributes::Numbered(checked_count(header)?) });
    }
    let tensor = tensors.tensor("attributes").map_err(|e| e.to_string())?;
    if tensor.dtype() != Dtype::U8 || tensor.shape().len() != 1 {
        return Err("the tensor attributes is not a list of bytes".to_owned());
    }
    let text = std::str::from_utf8(tensor.data()).map_err(|_| "the names of attributes are not UTF-8")?;
    let names: Alphabet = if count == 0 { Alphabet::default() } else { text.split('\n').collect() };
    if names.len() != count {
        return Err(format!("{} names of attributes, but the description says {count}", names.len()));
    }
    Ok(Vocabulary { labels, attributes: Attributes::Named(names) })
}

/// A number of columns whose weights can be counted at all.
fn checked_count(header: &Header) -> Checked<usize> {
    let count = header.attributes.count;
    let fits = count.checked_add(1).and_then(|rows| rows.checked_mul(8 * header.labels.len().max(1)));
    fits.map(|_| count).ok_or_else(|| format!("{count} attributes are more than a file can hold"))
}

/// The numbers in a tensor, which must have this shape and be finite.
fn numbers(tensors: &SafeTensors<'_>, name: &str, shape: &[usize]) -> Checked<Vec<f64>> {
    let tensor = tensors.tensor(name).map_err(|_| format!("the tensor {name} is missing"))?;
    if tensor.dtype() != Dtype::F64 || tensor.shape() != shape {
        let (found, kind) = (format!("{:?}", tensor.shape()), tensor.dtype());
        return Err(format!("the tensor {name} is {kind:?} {}; expected F64 {shape:?}", excerpt(&found)));
    }
    let numbers: Vec<f64> =
        tensor.data().as_chunks().0.iter().map(|&bytes: &[u8; 8]| f64::from_le_bytes(bytes)).collect();
    match numbers.iter().position(|number| !number.is_finite()) {
        Some(i) => Err(format!("the tensor {name} holds {} at place {i}; weights are finite", numbers[i])),
        None => Ok(numbers),
    }
}

fn view(dtype: Dtype, shape: Vec<usize>, bytes: &[u8]) -> Checked<TensorView<'_>> {
    TensorView::new(dtype, shape, bytes).map_err(|e| e.to_string())
}

/// The numbers as a file has them, which is how most machines have them too: a large model is not copied.
fn to_le_bytes(numbers: &[f64]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        Cow::Borrowed(bytemuck::cast_slice(numbers))
    } else {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }
}

/// What a user can make of an error of the container.
fn explain(error: SafeTensorError) -> String {
    match error {
        SafeTensorError::MetadataIncompleteBuffer => {
            "the file is cut off or has something behind its end; copy or train it again".to_owned()
        }
        SafeTensorError::HeaderTooSmall | SafeTensorError::InvalidHeaderLength => {
            "the file is cut off, or not a model (not a safetensors file)".to_owned()
        }
        e => format!("not a model: not a valid safetensors file ({})", said(&e)),
    }
}
