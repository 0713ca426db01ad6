//! Safetensors files, read with suspicion: the header first, and no more than it promises.
//!
//! A file begins with the length of its header in eight bytes, then comes the header as JSON: tensors with their places, and
//! a description under a key of ours. All of this is checked before the tensors are read, so that what is no such file (a
//! device without an end, say) is refused after a few bytes. Memory is taken as bytes arrive.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use safetensors::SafeTensors;
use safetensors::tensor::{Metadata, SafeTensorError};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::shown::excerpt;

/// The longest header that the format allows.
const LONGEST_HEADER: u64 = 100_000_000;

/// The characters of an error of the container or of JSON that are shown: it may quote the file.
const MOST_SAID: usize = 200;

/// An error of the container or of JSON, cut where it grows long.
pub fn said(error: &impl Display) -> String {
    excerpt(&error.to_string()).at_most(MOST_SAID).to_string()
}

/// What is wrong with a file; the caller knows its path.
pub type Checked<T> = Result<T, String>;

/// What this program writes into such files, and what it says of those that it cannot read.
pub struct FileKind {
    /// The key of the description in the metadata.
    pub key: &'static str,
    /// There is no such key.
    pub no_description: &'static str,
    /// The container is broken.
    pub container: fn(SafeTensorError) -> String,
    /// The description is broken; what is wrong with it comes after.
    pub unreadable: &'static str,
    /// What is wrong with this version of the format, if anything is.
    pub version: fn(u32) -> Option<String>,
}

/// What a description of any version says.
#[derive(Deserialize)]
struct Version {
    format_version: u32,
}

impl FileKind {
    /// Loads a file. Its description is checked before the tensors are read.
    pub fn load<D: DeserializeOwned, T>(
        &self,
        path: &Path,
        check: impl FnOnce(&D) -> Checked<()>,
        build: impl FnOnce(D, &SafeTensors<'_>) -> Checked<T>,
    ) -> crate::Result<T> {
        self.load_opened(path, TensorFile::open(path), check, build)
    }

    /// The same, where a file whose metadata has another key goes to `other` as a whole.
    pub(crate) fn load_or<D: DeserializeOwned, T>(
        &self,
        path: &Path,
        content: Option<Vec<u8>>,
        (key, other): (&str, impl FnOnce(Vec<u8>) -> crate::Result<T>),
        check: impl FnOnce(&D) -> Checked<()>,
        build: impl FnOnce(D, &SafeTensors<'_>) -> Checked<T>,
    ) -> crate::Result<T> {
        let file = match content {
            Some(bytes) => {
                let length = bytes.len() as u64;
                TensorFile::new(Box::new(io::Cursor::new(bytes)), Some(length))
            }
            None => TensorFile::open(path),
        };
        match file {
            Ok(file) if file.description(self.key).is_err() && file.description(key).is_ok() => {
                let bytes = file.read().map_err(|refused| self.refused(path, refused))?;
                other(bytes.0)
            }
            file => self.load_opened(path, file, check, build),
        }
    }

    fn refused(&self, path: &Path, refused: Refused) -> Error {
        match refused.explain(self.container, self.no_description) {
            Ok(problem) => Error::model(path, problem),
            Err(error) => Error::io("read", path, error),
        }
    }

    /// The same of the content of a file, which errors call by this name.
    pub fn load_bytes<D: DeserializeOwned, T>(
        &self,
        name: &Path,
        bytes: Vec<u8>,
        check: impl FnOnce(&D) -> Checked<()>,
        build: impl FnOnce(D, &SafeTensors<'_>) -> Checked<T>,
    ) -> crate::Result<T> {
        let length = bytes.len() as u64;
        let file = TensorFile::new(Box::new(io::Cursor::new(bytes)), Some(length));
        self.load_opened(name, file, check, build)
    }

    fn load_opened<D: DeserializeOwned, T>(
        &self,
        path: &Path,
        file: Result<TensorFile, Refused>,
        check: impl FnOnce(&D) -> Checked<()>,
        build: impl FnOnce(D, &SafeTensors<'_>) -> Checked<T>,
    ) -> crate::Result<T> {
        let refuse = |refused: Refused| self.refused(path, refused);
        let file = file.map_err(refuse)?;
        let description = self.description(file.description(self.key).map_err(refuse)?);
        let description = description.and_then(|description| check(&description).map(|()| description));
        let description = description.map_err(|problem| Error::model(path, problem))?;
        let bytes = file.read().map_err(refuse)?;
        let tensors = bytes.tensors().map_err(self.container);
        tensors
            .and_then(|tensors| build(description, &tensors))
            .map_err(|problem| Error::model(path, problem))
    }

    /// Reads a description: its version first, on which it depends what else is in it.
    fn description<D: DeserializeOwned>(&self, text: &str) -> Checked<D> {
        let broken = |error: serde_json::Error| format!("{}: {}", self.unreadable, said(&error));
        let Version { format_version } = serde_json::from_str(text).map_err(broken)?;
        match (self.version)(format_version) {
            Some(problem) => Err(problem),
            None => serde_json::from_str(text).map_err(broken),
        }
    }
}

/// What is wrong with a file.
#[derive(Debug)]
enum Refused {
    /// The system refused to read it.
    Io(io::Error),
    /// It is not what the format says.
    Container(SafeTensorError),
    /// It is of the format, but its metadata has no such key.
    NoDescription,
}

/// A file whose header is read and checked, but not yet its tensors.
struct TensorFile {
    reader: Box<dyn Read>,
    /// The length of the header and the header, as the file has them.
    bytes: Vec<u8>,
    metadata: Metadata,
    /// How long the whole file has to be.
    length: u64,
    /// Whether it is known to be so long.
    is_long_enough: bool,
}

impl TensorFile {
    /// Opens a file and reads its header.
    fn open(path: &Path) -> Result<Self, Refused> {
        let file = File::open(path).map_err(Refused::Io)?;
        let metadata = file.metadata().map_err(Refused::Io)?;
        let length = metadata.is_file().then_some(metadata.len());
        Self::new(Box::new(file), length)
    }

    /// Reads the header of what may be known to have this length.
    fn new(mut reader: Box<dyn Read>, length: Option<u64>) -> Result<Self, Refused> {
        let mut bytes = Vec::new();
        let mut read = |count: u64, bytes: &mut Vec<u8>| {
            let read = reader.by_ref().take(count).read_to_end(bytes).map_err(Refused::Io)?;
            Ok(read as u64 == count)
        };
        if !read(8, &mut bytes)? {
            return Err(Refused::Container(SafeTensorError::HeaderTooSmall));
        }
        let header_length = bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
        if header_length > LONGEST_HEADER {
            return Err(Refused::Container(SafeTensorError::HeaderTooLarge));
        }
        let is_longer = length.is_some_and(|length| 8 + header_length > length);
        if is_longer || !read(header_length, &mut bytes)? {
            return Err(Refused::Container(SafeTensorError::InvalidHeaderLength));
        }
        let header = std::str::from_utf8(&bytes[8..])
            .map_err(|error| Refused::Container(SafeTensorError::InvalidHeader(error)))?;
        let metadata: Metadata = serde_json::from_str(header)
            .map_err(|error| Refused::Container(SafeTensorError::InvalidHeaderDeserialization(error)))?;
        // The container itself adds this up without a check.
        let expected = (8 + header_length).checked_add(metadata.data_len() as u64);
        match expected {
            Some(expected) if length.is_none_or(|length| length == expected) => {
                Ok(Self { reader, bytes, metadata, length: expected, is_long_enough: length.is_some() })
            }
            _ => Err(Refused::Container(SafeTensorError::MetadataIncompleteBuffer)),
        }
    }

    /// The description that the metadata has under this key.
    fn description(&self, key: &str) -> Result<&str, Refused> {
        let description = self.metadata.metadata().as_ref().and_then(|metadata| metadata.get(key));
        description.map(String::as_str).ok_or(Refused::NoDescription)
    }

    /// The whole file.
    fn read(mut self) -> Result<TensorBytes, Refused> {
        // One byte more tells whether the file goes on.
        let missing = (self.length - self.bytes.len() as u64).saturating_add(1);
        if self.is_long_enough {
            let missing = usize::try_from(missing).unwrap_or(usize::MAX);
            let reserved = self.bytes.try_reserve_exact(missing);
            reserved.map_err(|_| Refused::Io(ErrorKind::OutOfMemory.into()))?;
        }
        self.reader.take(missing).read_to_end(&mut self.bytes).map_err(Refused::Io)?;
        match self.bytes.len() as u64 == self.length {
            true => Ok(TensorBytes(self.bytes)),
            false => Err(Refused::Container(SafeTensorError::MetadataIncompleteBuffer)),
        }
    }
}

/// A whole file.
struct TensorBytes(Vec<u8>);

impl TensorBytes {
    fn tensors(&self) -> Result<SafeTensors<'_>, SafeTensorError> {
        SafeTensors::deserialize(&self.0)
    }
}

impl Refused {
    /// What the system said, or else the problem as these words have it.
    fn explain(
        self,
        container: impl FnOnce(SafeTensorError) -> String,
        no_description: &str,
    ) -> Result<String, io::Error> {
        match self {
            // A pipe that breaks inside a file is a file that is cut off.
            Refused::Io(error) if error.kind() == ErrorKind::UnexpectedEof => {
                Ok(container(SafeTensorError::MetadataIncompleteBuffer))
            }
            Refused::Io(error) => Err(error),
            Refused::Container(error) => Ok(container(error)),
            Refused::NoDescription => Ok(no_description.to_owned()),
        }
    }
}
