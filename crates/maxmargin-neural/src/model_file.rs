//! Model files: the model's own file, which has the task, its options and all names, and beside it the network.
//!
//! | tensor | type and shape | |
//! | --- | --- | --- |
//! | `model` | u8 | the file of the model without a network, all of whose weights are 0 |
//! | `network.…` | f32 | the parameters of the network |
//!
//! The metadata says what the network is: the names that it knows, and its sizes. Those are believed only where the tensors have them.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use candle_core::DType;
use maxmargin::tasks::Task;
use maxmargin::tensor_file::{Checked, FileKind, said};
use maxmargin::{Error, Model, OutputFile, Result};
use safetensors::tensor::{Dtype, SafeTensorError, TensorView};
use safetensors::{SafeTensors, serialize};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::network::{Builder, Network, ParserNetwork, TaggerNetwork};
use crate::scorer::{NetworkScorer, tensor, words_of};

/// The newest version of these files.
const FORMAT_VERSION: u32 = 1;

/// The key of the description in the metadata.
const KEY: &str = maxmargin::model::NETWORK_KEY;

const FILES: FileKind = FileKind {
    key: KEY,
    no_description: "a safetensors file, but not the model of a network",
    container: |error: SafeTensorError| format!("not the model of a network: {}", said(&error)),
    unreadable: "the description of the network cannot be read",
    version: |version| {
        (version > FORMAT_VERSION).then(|| {
            format!(
                "made by a newer program: format version {version}, this one reads up to {FORMAT_VERSION}"
            )
        })
    },
};

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    format_version: u32,
    task: String,
    network: Value,
}

/// Saves a model and its network: written beside, then renamed. Refused where the model has no network of this kind.
pub fn save<N: Network>(model: &Model, path: &Path) -> Result<()> {
    let bytes = to_bytes::<N>(model)?;
    let mut file = OutputFile::create(path)?;
    file.write_all(&bytes).map_err(|e| Error::io("write", path, e))?;
    file.finish()
}

/// The content of a model's file.
pub fn to_bytes<N: Network>(model: &Model) -> Result<Vec<u8>> {
    let failed = |problem: String| Error::parameter("model", problem);
    let scorer = scorer_of::<N>(model).ok_or_else(|| failed("it has no such network".to_owned()))?;
    let plain =
        model.without_scorer::<N::Task>().ok_or_else(|| failed("it is of another task".to_owned()))?;
    let plain = plain.to_bytes()?;
    let mut tensors = vec![("model".to_owned(), Dtype::U8, vec![plain.len()], plain)];
    let trained = scorer.parameters.iter().map(|(name, var)| (name, var.as_tensor()));
    for (name, tensor) in trained.chain(scorer.parameters.fixed()) {
        let values = tensor.flatten_all().and_then(|tensor| tensor.to_vec1::<f32>());
        let values = values.map_err(|e| failed(e.to_string()))?;
        let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        tensors.push((format!("network.{name}"), Dtype::F32, tensor.dims().to_vec(), bytes));
    }
    let network = serde_json::to_value(scorer.network.description()).map_err(|e| failed(e.to_string()))?;
    let header = Header { format_version: FORMAT_VERSION, task: model.task().name().to_owned(), network };
    let header = serde_json::to_string(&header).map_err(|e| failed(e.to_string()))?;
    let views = tensors
        .iter()
        .map(|(name, kind, shape, bytes)| Ok((name, TensorView::new(*kind, shape.clone(), bytes)?)));
    let views: std::result::Result<Vec<_>, SafeTensorError> = views.collect();
    let metadata = HashMap::from([(KEY.to_owned(), header)]);
    views.and_then(|views| serialize(views, Some(metadata))).map_err(|e| failed(e.to_string()))
}

/// The network of a model; none where it has none of this kind.
pub fn scorer_of<N: Network>(model: &Model) -> Option<&NetworkScorer<N>> {
    let scorer: &dyn std::any::Any = model.task_as::<N::Task>()?.scorer()?;
    scorer.downcast_ref()
}

/// From now on [`Model::load`] loads models with networks too.
pub fn register() {
    maxmargin::model::read_networks_with(from_bytes);
}

/// Loads a model whose network is of this kind: one of your own, say, which nobody else knows.
pub fn load_as<N: Network>(path: &Path) -> Result<Model> {
    FILES.load(path, |_: &Header| Ok(()), of_kind::<N>)
}

/// The model that [`to_bytes`] made bytes of.
pub fn from_bytes(name: &Path, bytes: Vec<u8>) -> Result<Model> {
    FILES.load_bytes(name, bytes, |_: &Header| Ok(()), from_tensors)
}

fn from_tensors(header: Header, tensors: &SafeTensors<'_>) -> Checked<Model> {
    match header.task.as_str() {
        "parsing" => of_kind::<ParserNetwork>(header, tensors),
        "chain" => of_kind::<TaggerNetwork>(header, tensors),
        other => {
            Err(format!("no network for the task \"{}\" is known to this version", maxmargin::excerpt(other)))
        }
    }
}

fn of_kind<N: Network>(header: Header, tensors: &SafeTensors<'_>) -> Checked<Model> {
    let model = tensors.tensor("model").map_err(|e| format!("it holds no model: {}", said(&e)))?;
    if model.dtype() != Dtype::U8 {
        return Err("its tensor model is not of bytes".to_owned());
    }
    // Of weights: a network within a network might go on without end.
    let model = Model::of_weights(model.data().to_vec()).map_err(|e| e.to_string())?;
    if model.task_as::<N::Task>().is_none() {
        return Err(format!("the model is of {}, the network of {}", model.task().name(), N::Task::NAME));
    }
    let mut stored = HashMap::new();
    for (name, view) in tensors.iter() {
        let Some(name) = name.strip_prefix("network.") else { continue };
        if view.dtype() != Dtype::F32 {
            return Err(format!("the tensor {} is not of single precision", maxmargin::excerpt(name)));
        }
        let values: Vec<f32> =
            view.data().chunks_exact(4).map(|x| f32::from_le_bytes([x[0], x[1], x[2], x[3]])).collect();
        if values.iter().any(|x| !x.is_finite()) {
            return Err(format!("the tensor {} holds what is no number", maxmargin::excerpt(name)));
        }
        stored.insert(name.to_owned(), tensor(&values, view.shape()).map_err(|e| words_of(&e))?);
    }
    let description = serde_json::from_value(header.network)
        .map_err(|e| format!("the description of the network cannot be read: {}", said(&e)))?;
    let mut builder = Builder::stored(stored, DType::F32);
    let network = N::new(description, model.task().labels(), &mut builder).map_err(|e| words_of(&e))?;
    let parameters = builder.finish().map_err(|e| words_of(&e))?;
    model.with_scorer::<N::Task>(Arc::new(NetworkScorer { network, parameters })).map_err(|e| e.to_string())
}
