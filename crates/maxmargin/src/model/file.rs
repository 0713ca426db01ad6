//! Model files: safetensors with the description in the metadata.
//!
//! | tensor | type and shape | |
//! | --- | --- | --- |
//! | the task's blocks | f64 or f32 | the weights: `unary`, `transition`, … (see the task) |
//! | `counts`, `columns` | u8, u16 or u32 | where the first block is a list of weights that are not 0: how many each row has, and the place of each in its row. With attributes of pairs, `unary` then lists their rows too, before all others: one for each attribute and label before |
//! | `rows` | u32 | where only some rows have any: their numbers, ascending |
//! | the task's tensors | f64 | `cost`, `label_weight`, … (see the task) |
//! | `impute`, `idf`, `shift`, `scale` | f64, attributes | where columns are filled in, weighed, centred, divided |
//! | `attributes` | u8 | with named attributes: their names, one a line, mostly packed by zlib |
//!
//! Everything else is a JSON object under the metadata's only key, `maxmargin`. One key, because the metadata is a hash
//! map and files must be the same byte for byte.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, SafeTensorError, TensorView};

use super::description::{FORMAT_VERSION, Header, HeaderAttributes, version_of};
use super::network::{NETWORK_KEY, with_network};
use super::tensors::{self, COUNTS, ROWS, Tensor, numbers, weights_to_tensor};
use super::weights::{Weights, shape_of_rows};
use super::{Block, Description, Model};
use crate::data::templates::Templates;
use crate::data::{Alphabet, Attributes, Preprocessing, TextReading, VECTORS, Vocabulary};
use crate::error::Result;
use crate::shown::excerpt;
use crate::tasks::{FittedObject, Stored, registry};
use crate::tensor_file::{Checked, FileKind, said};

const KEY: &str = "maxmargin";
const FILES: FileKind = FileKind {
    key: KEY,
    no_description: "a safetensors file, but not of this program: its metadata has no description of a model",
    container: explain,
    unreadable: "the description of the model cannot be read",
    version: refuse_version,
};
impl Model {
    /// The content of a model file.
    pub(super) fn to_checked_bytes(&self) -> Checked<Vec<u8>> {
        if let Some(scorer) = self.task.scorer() {
            return Err(format!(
                "its scores come from elsewhere ({scorer}), which a file of weights does not hold"
            ));
        }
        let stored = self.task.save();
        let mut tensors: Vec<Tensor<'_>> = Vec::new();
        let single = self.single_precision;
        let blocks = self.blocks();
        let behind = self.weights.len() - self.weights.rest().len();
        let unary = place_of_rows(self.task.as_ref());
        for (place, block) in blocks.into_iter().enumerate() {
            let weights = match (place.cmp(&unary), self.weights.entries()) {
                (Ordering::Less, Some(_)) => continue,
                (Ordering::Equal, Some(entries)) => {
                    tensors.extend(tensors::entries_to_tensors(block.name, entries, single));
                    continue;
                }
                (Ordering::Less | Ordering::Equal, None) => &self.weights()[block.start..][..block.len()],
                (Ordering::Greater, _) => &self.weights.rest()[block.start - behind..][..block.len()],
            };
            tensors.push(weights_to_tensor(block.name, block.shape, weights, single));
        }
        for (name, shape, values) in &stored.tensors {
            tensors.push(weights_to_tensor(name, shape.clone(), values, false));
        }
        for (name, column) in VECTORS.into_iter().zip(self.preprocessing.vectors()) {
            if let Some(column) = column {
                tensors.push(weights_to_tensor(name, vec![column.len()], column, false));
            }
        }
        let mut unpacked = None;
        if let Attributes::Named(names) = &self.names.attributes {
            let (tensor, length) = tensors::names_to_tensor(names)?;
            tensors.push(tensor);
            unpacked = length;
        }
        let header = serde_json::to_string(&self.header(&stored, unpacked)).map_err(|e| e.to_string())?;
        let mut views = Vec::new();
        for (name, dtype, shape, bytes) in &tensors {
            let view = TensorView::new(*dtype, shape.clone(), bytes).map_err(|e| e.to_string())?;
            views.push((name, view));
        }
        let metadata = HashMap::from([(KEY.to_owned(), header)]);
        safetensors::serialize(views, Some(metadata)).map_err(|e| match e {
            SafeTensorError::HeaderTooLarge => "there are too many labels for a model file, or their names are too long: they take at most 100 MB".to_owned(),
            e => e.to_string(),
        })
    }

    fn header(&self, stored: &Stored, unpacked: Option<usize>) -> Header {
        let description = self.description.clone();
        let count = self.names.attributes.len();
        Header {
            format_version: version_of(
                &self.preprocessing,
                self.label_shifts().is_some(),
                self.task.pair_attributes() > 0,
            ),
            program_version: description.program_version,
            task: self.task.name().to_owned(),
            labels: self.names.labels.iter().map(str::to_owned).collect(),
            attributes: HeaderAttributes {
                named: matches!(self.names.attributes, Attributes::Named(_)),
                count,
                trained: (description.attributes != count).then_some(description.attributes),
                unpacked,
            },
            dropped_labels: self.dropped_labels.iter().map(str::to_owned).collect(),
            lambda: description.lambda,
            surrogate: description.surrogate,
            search: description.search,
            solver: description.solver,
            seed: description.seed,
            certificate: description.certificate.into(),
            passes: description.passes,
            n: description.examples,
            dim: self.weights.len(),
            data_format: description.format,
            log_counts: self.preprocessing.log_counts,
            normalize: self.preprocessing.normalize,
            text_columns: self.text.columns.as_deref().cloned(),
            tag_schemes: self.text.tags,
            table_columns: self.text.table.clone(),
            candidates: self.text.candidates,
            zero_based: self.text.zero_based,
            label_shifts: self.weights.shifts().cloned(),
            options: stored.fields.clone(),
        }
    }

    /// A model from its file. The description is checked before the weights are read.
    pub(super) fn from_file(path: &Path) -> Result<Self> {
        let other = (NETWORK_KEY, |bytes| with_network(path, bytes));
        FILES.load_or(path, None, other, check_header, Self::from_tensors)
    }

    /// A model from the content of its file, which errors call by this name.
    pub(super) fn from_content(name: &Path, bytes: Vec<u8>) -> Result<Self> {
        let other = (NETWORK_KEY, |bytes| with_network(name, bytes));
        FILES.load_or(name, Some(bytes), other, check_header, Self::from_tensors)
    }

    /// The same of a model of weights.
    pub(super) fn from_plain_content(name: &Path, bytes: Vec<u8>) -> Result<Self> {
        FILES.load_bytes(name, bytes, check_header, Self::from_tensors)
    }

    fn from_tensors(header: Header, tensors: &SafeTensors<'_>) -> Checked<Self> {
        let task = registry::find_for_model(&header.task, header.data_format.as_deref());
        let task = task.ok_or_else(|| {
            let task = excerpt(&header.task);
            format!("the task \"{task}\" is not known to this version; use a newer program")
        })?;
        let names = vocabulary(&header, tensors)?;
        let stored = stored(&header, tensors)?;
        let task = task.load(&stored, &names)?;
        let single_precision = tensors.iter().any(|(_, tensor)| tensor.dtype() == Dtype::F32);
        let weights = weights(&header, tensors, task.as_ref())?;
        if header.dim != weights.len() || header.dim != task.dim() {
            return Err(format!("{} weights, but the description says {}", weights.len(), header.dim));
        }
        let dropped_labels = dropped_labels(&header);
        let text = TextReading {
            columns: header.text_columns.map(Arc::new),
            tags: header.tag_schemes,
            table: header.table_columns,
            candidates: header.candidates,
            zero_based: header.zero_based,
            ..TextReading::default()
        };
        if let Some(columns) = text.columns.as_deref() {
            Templates::new(columns.clone()).map_err(|e| format!("its templates: {e}"))?;
        }
        let preprocessing = Preprocessing {
            log_counts: header.log_counts,
            normalize: header.normalize,
            ..preprocessing(tensors, names.attributes.len())?
        };
        let description = Description {
            program_version: header.program_version,
            lambda: header.lambda,
            surrogate: header.surrogate,
            search: header.search,
            solver: header.solver,
            seed: header.seed,
            certificate: header.certificate.into(),
            passes: header.passes,
            examples: header.n,
            attributes: header.attributes.trained.unwrap_or(header.attributes.count),
            format: header.data_format,
        };
        let model = Model::with_weights(description, task, names, weights);
        let model = model.and_then(|model| model.with_preprocessing(preprocessing));
        let model = model.and_then(|model| match header.label_shifts {
            Some(shifts) => model.with_label_shifts(shifts),
            None => Ok(model),
        });
        let model = model.map_err(|e| e.to_string())?.with_dropped_labels(dropped_labels).with_text(text);
        Ok(Model { single_precision, ..model })
    }
}

/// The weights of these blocks. The first one is listed by entries, or has all its rows, or (before version 3) some.
fn weights(header: &Header, tensors: &SafeTensors<'_>, task: &dyn FittedObject) -> Checked<Weights> {
    let (blocks, unary) = (task.blocks(), place_of_rows(task));
    let mut all = Vec::new();
    let mut entries = None;
    let is_listed = header.format_version >= 3 && tensors.tensor(COUNTS).is_ok();
    // Lists may become all weights later, where nobody expects an error. Without them a file holds all that it speaks of, and what
    // it promises is not believed.
    if is_listed || tensors.tensor(ROWS).is_ok() {
        let count = blocks.iter().map(Block::len).fold(0, usize::saturating_add);
        all.try_reserve_exact(count).map_err(|_| "there is not enough memory for the weights")?;
    }
    for (place, block) in blocks.iter().enumerate() {
        let (rows, width) = shape_of_rows(task);
        match (place, header.format_version) {
            _ if is_listed && place < unary => {}
            _ if is_listed && place == unary => {
                all = Vec::new();
                entries = Some(tensors::entries_from_tensors(tensors, block.name, (rows, width))?);
            }
            (0, ..3) if tensors.tensor(ROWS).is_ok() => {
                let some = tensors::ascending_rows(tensors, rows)?;
                let shape: Vec<usize> =
                    [some.len()].into_iter().chain(block.shape[1..].iter().copied()).collect();
                let values = numbers(tensors, block.name, &shape)?;
                all.resize(block.len(), 0.0);
                for (row, values) in some.into_iter().zip(values.chunks_exact(width.max(1))) {
                    all[row as usize * width..][..width].copy_from_slice(values);
                }
            }
            _ => all.extend(numbers(tensors, block.name, &block.shape)?),
        }
    }
    Ok(match entries {
        Some(entries) => Weights::from_entries(entries, all, task),
        None => Weights::new(all, task),
    })
}

/// The place of the block that has a row for each attribute, but those of pairs.
fn place_of_rows(task: &dyn FittedObject) -> usize {
    usize::from(task.pair_attributes() > 0)
}

/// What the task needs: its fields, and all tensors of plain numbers that may be its.
fn stored(header: &Header, tensors: &SafeTensors<'_>) -> Checked<Stored> {
    let mut stored = Stored { fields: header.options.clone(), tensors: Vec::new() };
    // Blocks of weights are read by themselves, and are the only large ones.
    for name in ["cost", "label_weight"].into_iter().chain(named_tensors(header)) {
        if let Ok(tensor) = tensors.tensor(name) {
            let shape = tensor.shape().to_vec();
            stored.add_tensor(name, shape.clone(), numbers(tensors, name, &shape)?);
        }
    }
    Ok(stored)
}

/// The tensors that a task of another crate says it has.
fn named_tensors(header: &Header) -> impl Iterator<Item = &str> {
    header
        .options
        .get("tensors")
        .and_then(|names| names.as_array())
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str())
}

/// Version 1 had them with the label sets.
fn dropped_labels(header: &Header) -> Alphabet {
    let old = header.options.get("sets").and_then(|sets| sets.get("dropped_labels")?.as_array());
    let old = old.into_iter().flatten().filter_map(|name| name.as_str());
    header.dropped_labels.iter().map(String::as_str).chain(old).collect()
}

/// What is done to columns; most models do nothing and have none of these tensors.
fn preprocessing(tensors: &SafeTensors<'_>, columns: usize) -> Checked<Preprocessing> {
    let vector = |name| match tensors.tensor(name) {
        Ok(_) => numbers(tensors, name, &[columns]).map(Some),
        Err(_) => Ok(None),
    };
    let [impute, idf, shift, scale] = VECTORS;
    let scale = vector(scale)?;
    if let Some(divisor) = scale.iter().flatten().find(|divisor| **divisor <= 0.0) {
        return Err(format!("the tensor scale holds {divisor}; columns are divided by numbers above 0"));
    }
    let (impute, idf, shift) = (vector(impute)?, vector(idf)?, vector(shift)?);
    Ok(Preprocessing { impute, idf, shift, scale, ..Preprocessing::default() })
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
        return Ok(Vocabulary { labels, attributes: Attributes::Numbered(checked_count(header, tensors)?) });
    }
    let names = tensors::names_from_tensor(tensors, count, header.attributes.unpacked)?;
    Ok(Vocabulary { labels, attributes: Attributes::Named(names) })
}

/// A number of columns whose weights can be counted, and that is no slip: it is not far beyond the rows that are listed, or all
/// numbers that the file has.
fn checked_count(header: &Header, tensors: &SafeTensors<'_>) -> Checked<usize> {
    /// A file may leave out so many rows for each that it has, and these in any case.
    const MOST_LEFT_OUT: usize = 1 << 20;
    let count = header.attributes.count;
    let all = || tensors.tensors().iter().map(|(_, tensor)| tensor.data().len() / 4).sum();
    let held: usize = tensors.tensor(ROWS).map_or_else(|_| all(), |rows| rows.data().len() / 4);
    let is_likely = count / MOST_LEFT_OUT <= held.saturating_add(1 << 7);
    let fits = count.checked_add(1).and_then(|rows| rows.checked_mul(8 * header.labels.len().max(1)));
    match fits {
        Some(_) if is_likely => Ok(count),
        _ => Err(format!("{count} attributes are more than a file can hold")),
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
