//! Checkpoints: all that a run needs to go on as if it had never stopped.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use maxmargin::tensor_file::said;
use maxmargin::{Error, OutputFile, Result};
use safetensors::tensor::{Dtype, SafeTensorError, TensorView};
use safetensors::{SafeTensors, serialize};
use serde::{Deserialize, Serialize};

use crate::adam::Adam;
use crate::network::Parameters;

/// Where a run is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The phase.
    pub phase: usize,
    /// The epoch within it.
    pub epoch: usize,
    /// Epochs in all.
    pub epochs: usize,
    /// Epochs since the best one.
    pub without_gain: usize,
    /// The figure of the best network on held-out data.
    pub best: Option<f64>,
    /// The mean of H over the last epoch.
    pub risk: f64,
}

/// The state of a run.
pub struct Checkpoint {
    pub progress: Progress,
    /// The parameters.
    pub values: Vec<Vec<f32>>,
    pub adam: Adam,
    /// The parameters of the best network, where there is one.
    pub best: Vec<Vec<f32>>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    fingerprint: u64,
    steps: u64,
    progress: Progress,
}

const KEY: &str = "maxmargin-network-checkpoint";

impl Checkpoint {
    /// Writes it beside, then renames it.
    pub fn write(&self, path: &Path, fingerprint: u64) -> Result<()> {
        let failed = |problem: String| Error::model(path, problem);
        let header = Header { fingerprint, steps: self.adam.steps, progress: self.progress.clone() };
        let header = serde_json::to_string(&header).map_err(|e| failed(e.to_string()))?;
        let mut tensors = Vec::new();
        for (kind, values) in self.kinds() {
            for (place, values) in values.iter().enumerate() {
                let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
                tensors.push((format!("{kind}{place}"), values.len(), bytes));
            }
        }
        let views = tensors
            .iter()
            .map(|(name, length, bytes)| Ok((name, TensorView::new(Dtype::F32, vec![*length], bytes)?)));
        let views: std::result::Result<Vec<_>, SafeTensorError> = views.collect();
        let metadata = HashMap::from([(KEY.to_owned(), header)]);
        let bytes = views.and_then(|views| serialize(views, Some(metadata)));
        let bytes = bytes.map_err(|e| failed(e.to_string()))?;
        let mut file = OutputFile::create(path)?;
        file.write_all(&bytes).map_err(|e| Error::io("write", path, e))?;
        file.finish()
    }

    fn kinds(&self) -> [(&'static str, &Vec<Vec<f32>>); 4] {
        [
            ("values", &self.values),
            ("means", &self.adam.means),
            ("squares", &self.adam.squares),
            ("best", &self.best),
        ]
    }

    /// Reads it; none where there is no such file. Refused where it is of another run.
    pub fn read(path: &Path, fingerprint: u64, parameters: &Parameters) -> Result<Option<Self>> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("read", path, error)),
        };
        let failed = |problem: String| Error::model(path, problem);
        let (_, metadata) =
            SafeTensors::read_metadata(&bytes).map_err(|e| failed(format!("no checkpoint: {e}")))?;
        let header = metadata.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
        let header = header.ok_or_else(|| failed("no checkpoint of a network".to_owned()))?;
        let Header { fingerprint: found, steps, progress } =
            serde_json::from_str(header).map_err(|e| failed(format!("no checkpoint: {}", said(&e))))?;
        if found != fingerprint {
            let problem = "a checkpoint of another run: data, options and seed must be the same";
            return Err(failed(problem.to_owned()));
        }
        let tensors = SafeTensors::deserialize(&bytes).map_err(|e| failed(format!("no checkpoint: {e}")))?;
        let read = |kind: &str| -> Result<Vec<Vec<f32>>> {
            let one = |(place, expected): (usize, usize)| {
                let tensor = tensors.tensor(&format!("{kind}{place}")).map_err(|e| failed(e.to_string()))?;
                if tensor.dtype() != Dtype::F32 || tensor.shape() != [expected] {
                    return Err(failed(format!("{kind}{place} has another size than the network")));
                }
                let numbers = tensor.data().chunks_exact(4);
                Ok(numbers.map(|x| f32::from_le_bytes([x[0], x[1], x[2], x[3]])).collect())
            };
            parameters.iter().map(|(_, var)| var.elem_count()).enumerate().map(one).collect()
        };
        let best = if tensors.tensor("best0").is_ok() { read("best")? } else { Vec::new() };
        let adam = Adam { steps, means: read("means")?, squares: read("squares")? };
        Ok(Some(Self { progress, values: read("values")?, adam, best }))
    }
}
