//! Model files with a network, which another crate reads.
//!
//! The library knows them by a key of their metadata, and hands them to whoever has said that it can read them.

use std::path::Path;
use std::sync::RwLock;

use super::Model;
use crate::error::{Error, Result};

/// The metadata of model files with a network have this key: they are read by the crate `maxmargin-neural`.
pub const NETWORK_KEY: &str = "maxmargin-network";

/// Makes a model of the content of a file, which errors call by this name.
pub type NetworkReader = fn(&Path, Vec<u8>) -> Result<Model>;

static READER: RwLock<Option<NetworkReader>> = RwLock::new(None);

/// From now on [`Model::load`] reads files with networks by this.
pub fn read_networks_with(reader: NetworkReader) {
    *READER.write().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(reader);
}

/// The model of a file with a network.
pub(super) fn with_network(name: &Path, bytes: Vec<u8>) -> Result<Model> {
    let reader = *READER.read().unwrap_or_else(|poisoned| poisoned.into_inner());
    let problem = "a model with a network, which only a program with the crate maxmargin-neural reads: the page on neural scores says how to build one";
    reader.ok_or_else(|| Error::model(name, problem))?(name, bytes)
}
