//! Model files: safetensors with the description in the metadata.
//!
//! | tensor | type and shape | |
//! | --- | --- | --- |
//! | the task's blocks | f64 or f32 | the weights: `unary`, `transition`, … (see the task) |
//! | `rows` | u32 | where the first block has only some of its rows: their numbers, ascending; all others are 0 |
//! | the task's tensors | f64 | `cost`, `label_weight`, … (see the task) |
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

use super::description::{FORMAT_VERSION, Header, HeaderAttributes};
use super::{Block, Description, Model};
use crate::data::templates::Templates;
use crate::data::{Alphabet, Attributes, Preprocessing, TextReading, Vocabulary};
use crate::error::Result;
use crate::shown::excerpt;
use crate::tasks::{Stored, registry};
use crate::tensor_file::{Checked, FileKind, said};

const KEY: &str = "maxmargin";
const FILES: FileKind = FileKind {
    key: KEY,
    no_description: "a safetensors file, but not of this program: its metadata has no description of a model",
    container: explain,
    unreadable: "the description of the model cannot be read",
    version: refuse_version,
};
/// The rows that the first block has.
const ROWS: &str = "rows";
/// What is done to columns.
const COLUMNS: [&str; 3] = ["impute", "shift", "scale"];

/// Name, type, shape and bytes.
type Tensor<'a> = (String, Dtype, Vec<usize>, Cow<'a, [u8]>);

impl Model {
    /// The content of a model file.
    pub(super) fn to_bytes(&self) -> Checked<Vec<u8>> {
        let stored = self.task.save();
        let header = serde_json::to_string(&self.header(&stored)).map_err(|e| e.to_string())?;
        let mut tensors: Vec<Tensor<'_>> = Vec::new();
        for (place, mut block) in self.blocks().into_iter().enumerate() {
            let weights = &self.weights[block.start..block.start + block.len()];
            let rows = if place == 0 { nonzero_rows(&block, weights) } else { None };
            let weights = match &rows {
                Some(rows) => {
                    let width = block.len() / block.shape[0].max(1);
                    block.shape[0] = rows.len();
                    let of_row = |&row: &u32| &weights[row as usize * width..(row as usize + 1) * width];
                    Cow::Owned(rows.iter().flat_map(of_row).copied().collect::<Vec<f64>>())
                }
                None => Cow::Borrowed(weights),
            };
            let (dtype, bytes) = self.encoded(weights);
            tensors.push((block.name.to_owned(), dtype, block.shape, bytes));
            if let Some(rows) = rows {
                let bytes: Vec<u8> = rows.iter().flat_map(|row| row.to_le_bytes()).collect();
                tensors.push((ROWS.to_owned(), Dtype::U32, vec![rows.len()], bytes.into()));
            }
        }
        for (name, shape, values) in &stored.tensors {
            tensors.push((name.clone(), Dtype::F64, shape.clone(), to_le_bytes(values)));
        }
        let Preprocessing { impute, shift, scale } = &self.preprocessing;
        for (name, column) in COLUMNS.into_iter().zip([impute, shift, scale]) {
            if let Some(column) = column {
                tensors.push((name.to_owned(), Dtype::F64, vec![column.len()], to_le_bytes(column)));
            }
        }
        if let Attributes::Named(names) = &self.names.attributes {
            let names = names.iter().collect::<Vec<_>>().join("\n").into_bytes();
            tensors.push(("attributes".to_owned(), Dtype::U8, vec![names.len()], names.into()));
        }
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

    /// Weights as the file has them.
    fn encoded<'a>(&self, weights: Cow<'a, [f64]>) -> (Dtype, Cow<'a, [u8]>) {
        if self.single_precision {
            let bytes: Vec<u8> = weights.iter().flat_map(|&weight| (weight as f32).to_le_bytes()).collect();
            return (Dtype::F32, bytes.into());
        }
        match weights {
            Cow::Borrowed(weights) => (Dtype::F64, to_le_bytes(weights)),
            Cow::Owned(weights) => (Dtype::F64, Cow::Owned(to_le_bytes(&weights).into_owned())),
        }
    }

    fn header(&self, stored: &Stored) -> Header {
        let description = self.description.clone();
        let count = self.names.attributes.len();
        Header {
            format_version: FORMAT_VERSION,
            program_version: description.program_version,
            task: self.task.name().to_owned(),
            labels: self.names.labels.iter().map(str::to_owned).collect(),
            attributes: HeaderAttributes {
                named: matches!(self.names.attributes, Attributes::Named(_)),
                count,
                trained: (description.attributes != count).then_some(description.attributes),
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
            text_columns: self.text.columns.as_deref().cloned(),
            tag_schemes: self.text.tags,
            options: stored.fields.clone(),
        }
    }

    /// A model from its file. The description is checked before the weights are read.
    pub(super) fn from_file(path: &Path) -> Result<Self> {
        FILES.load(path, check_header, Self::from_tensors)
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
        let mut weights = Vec::new();
        for (place, block) in task.blocks().into_iter().enumerate() {
            match tensors.tensor(ROWS) {
                Ok(_) if place == 0 => weights.extend(some_rows(tensors, &block)?),
                _ => weights.extend(numbers(tensors, block.name, &block.shape)?),
            }
        }
        if header.dim != weights.len() {
            return Err(format!("{} weights, but the description says {}", weights.len(), header.dim));
        }
        let dropped_labels = dropped_labels(&header);
        let text = TextReading {
            columns: header.text_columns.map(Arc::new),
            tags: header.tag_schemes,
            ..TextReading::default()
        };
        if let Some(columns) = text.columns.as_deref() {
            Templates::new(columns.clone()).map_err(|e| format!("its templates: {e}"))?;
        }
        let preprocessing = preprocessing(tensors, names.attributes.len())?;
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
        let model = Model::new(description, task, names, weights);
        let model = model.and_then(|model| model.with_preprocessing(preprocessing));
        let model = model.map_err(|e| e.to_string())?.with_dropped_labels(dropped_labels).with_text(text);
        Ok(Model { single_precision, ..model })
    }
}

/// The rows of a block that are not 0, where leaving the others out saves something.
fn nonzero_rows(block: &Block, weights: &[f64]) -> Option<Vec<u32>> {
    let rows = *block.shape.first()?;
    let width = block.len().checked_div(rows)?;
    if width == 0 || u32::try_from(rows).is_err() {
        return None;
    }
    let is_used = |(_, row): &(u32, &[f64])| row.iter().any(|&weight| weight != 0.0);
    let used: Vec<u32> = (0..).zip(weights.chunks_exact(width)).filter(is_used).map(|(row, _)| row).collect();
    (used.len() < rows - rows / 8).then_some(used)
}

/// The weights of a block of which the file has only some rows.
fn some_rows(tensors: &SafeTensors<'_>, block: &Block) -> Checked<Vec<f64>> {
    let tensor = tensors.tensor(ROWS).map_err(|e| e.to_string())?;
    if tensor.dtype() != Dtype::U32 || tensor.shape().len() != 1 {
        return Err(format!("the tensor {ROWS} is not a list of whole numbers"));
    }
    let rows: Vec<usize> =
        tensor.data().as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes) as usize).collect();
    let all = block.shape.first().copied().unwrap_or(0);
    if !rows.is_sorted_by(|a, b| a < b) || rows.last().is_some_and(|&row| row >= all) {
        return Err(format!("the tensor {ROWS} must ascend, and stay below {all}"));
    }
    let mut shape = block.shape.clone();
    shape[0] = rows.len();
    let values = numbers(tensors, block.name, &shape)?;
    let width = block.len().checked_div(all).unwrap_or(0);
    let mut weights = Vec::new();
    weights.try_reserve_exact(block.len()).map_err(|_| "there is not enough memory for the weights")?;
    weights.resize(block.len(), 0.0);
    for (row, values) in rows.into_iter().zip(values.chunks_exact(width.max(1))) {
        weights[row * width..(row + 1) * width].copy_from_slice(values);
    }
    Ok(weights)
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
    let [impute, shift, scale] = COLUMNS;
    let scale = vector(scale)?;
    if let Some(divisor) = scale.iter().flatten().find(|divisor| **divisor <= 0.0) {
        return Err(format!("the tensor scale holds {divisor}; columns are divided by numbers above 0"));
    }
    Ok(Preprocessing { impute: vector(impute)?, shift: vector(shift)?, scale })
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

/// A number of columns whose weights can be counted, and that is no slip: without a list of rows the file has them all,
/// and with one the last row is not far from the end of the description's word.
fn checked_count(header: &Header, tensors: &SafeTensors<'_>) -> Checked<usize> {
    /// A file may leave out so many rows for each that it has, and these in any case.
    const MOST_LEFT_OUT: usize = 1 << 20;
    let count = header.attributes.count;
    let rows = tensors.tensor(ROWS).ok().map(|rows| rows.data().len() / 4);
    let is_likely = rows.is_none_or(|rows| count / MOST_LEFT_OUT <= rows.saturating_add(1 << 7));
    let fits = count.checked_add(1).and_then(|rows| rows.checked_mul(8 * header.labels.len().max(1)));
    match fits {
        Some(_) if is_likely => Ok(count),
        _ => Err(format!("{count} attributes are more than a file can hold")),
    }
}

/// The numbers in a tensor, which must have this shape and be finite.
fn numbers(tensors: &SafeTensors<'_>, name: &str, shape: &[usize]) -> Checked<Vec<f64>> {
    let tensor = tensors.tensor(name).map_err(|_| format!("the tensor {name} is missing"))?;
    let kind = tensor.dtype();
    if !matches!(kind, Dtype::F64 | Dtype::F32) || tensor.shape() != shape {
        let found = format!("{:?}", tensor.shape());
        return Err(format!("the tensor {name} is {kind:?} {}; expected F64 {shape:?}", excerpt(&found)));
    }
    let numbers: Vec<f64> = match kind {
        Dtype::F32 => {
            let chunks = tensor.data().as_chunks().0.iter();
            chunks.map(|&bytes: &[u8; 4]| f64::from(f32::from_le_bytes(bytes))).collect()
        }
        _ => tensor.data().as_chunks().0.iter().map(|&bytes: &[u8; 8]| f64::from_le_bytes(bytes)).collect(),
    };
    match numbers.iter().position(|number| !number.is_finite()) {
        Some(i) => Err(format!("the tensor {name} holds {} at place {i}; weights are finite", numbers[i])),
        None => Ok(numbers),
    }
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
