//! The options of a task in a model file: fields of its JSON object, and tensors for what is large.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::shown::excerpt;
use crate::tensor_file::said;

/// Fields and tensors, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stored {
    /// Fields of the JSON object that describes a model.
    pub fields: Map<String, Value>,
    /// Tensors beside the weights.
    pub tensors: Vec<(String, Vec<usize>, Vec<f64>)>,
}

impl Stored {
    /// With another field.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a tensor.
    pub fn add_tensor(&mut self, name: &str, shape: Vec<usize>, values: Vec<f64>) {
        self.tensors.push((name.to_owned(), shape, values));
    }

    /// A field that must be there.
    pub fn field<T: DeserializeOwned>(&self, name: &str) -> Result<T, String> {
        let value = self.fields.get(name).cloned().unwrap_or(Value::Null);
        serde_json::from_value(value).map_err(|e| format!("the description's {name}: {}", said(&e)))
    }

    /// The loss, which all tasks have.
    pub fn loss(&self) -> Result<String, String> {
        self.field("loss")
    }

    /// A tensor that must be there, of this shape.
    pub fn tensor(&self, name: &str, shape: &[usize]) -> Result<&[f64], String> {
        let found = self.tensors.iter().find(|(other, ..)| other == name);
        let (_, found, values) = found.ok_or_else(|| format!("the tensor {name} is missing"))?;
        match found == shape {
            true => Ok(values),
            false => {
                let found = format!("{found:?}");
                Err(format!("the tensor {name} is F64 {}; expected F64 {shape:?}", excerpt(&found)))
            }
        }
    }
}

/// The error of a loss that a task does not have.
pub(super) fn unknown_loss<T>(loss: &str) -> Result<T, String> {
    Err(format!("the loss \"{}\" is not known to this version", excerpt(loss)))
}
