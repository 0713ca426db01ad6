//! What can go wrong, said so that a user can mend it.
//!
//! An error about data names the file, the line, the column and what was expected there. An error about a parameter says
//! what is allowed. Nothing that comes from outside the program may panic, and nothing from outside is shown as it is: a
//! message quotes excerpts (see [`excerpt`](crate::excerpt)), and whatever it holds is escaped when it is shown.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::shown::{escaped, escaped_path};

/// The result of everything that can fail here.
pub type Result<T> = std::result::Result<T, Error>;

/// Where in a file something is: line and column count from 1, in bytes; 0 means "not known".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file as the user named it.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
}

impl Place {
    /// A place in a file; pass 0 for a line or column that has no meaning (binary files).
    pub fn new(file: impl Into<PathBuf>, line: usize, column: usize) -> Self {
        Self { file: file.into(), line, column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", escaped_path(&self.file))?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
            if self.column > 0 {
                write!(f, ":{}", self.column)?;
            }
        }
        Ok(())
    }
}

/// Every way in which reading, training, predicting or writing can fail.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file's content is not what its format promises.
    #[error("{place}: {}", escaped(problem))]
    Data {
        /// Where.
        place: Place,
        /// What is wrong, what was expected, and how to mend it.
        problem: String,
    },
    /// The operating system refused to read or write.
    #[error("cannot {action} {}: {}", escaped_path(path), escaped(source.to_string()))]
    Io {
        /// What was tried: "read", "write", "create".
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A parameter outside its range, or two that contradict each other.
    #[error("{}: {}", escaped(name), escaped(problem))]
    Parameter {
        /// The parameter as the user knows it.
        name: String,
        /// What is allowed.
        problem: String,
    },
    /// A model file that cannot be used.
    #[error("{}: {}", escaped_path(path), escaped(problem))]
    Model {
        /// The model file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

impl From<maxmargin_core::Error> for Error {
    fn from(error: maxmargin_core::Error) -> Self {
        let maxmargin_core::Error { name, problem } = error;
        Error::Parameter { name, problem }
    }
}

impl From<crate::inference::HierarchyFault> for Error {
    fn from(fault: crate::inference::HierarchyFault) -> Self {
        maxmargin_core::Error::from(fault).into()
    }
}

impl Error {
    /// A problem with a file's content.
    pub fn data(place: Place, problem: impl Into<String>) -> Self {
        Error::Data { place, problem: problem.into() }
    }

    /// A refused read or write.
    pub fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Error::Io { action, path: path.to_owned(), source }
    }

    /// A parameter outside its range.
    pub fn parameter(name: impl Into<String>, problem: impl Into<String>) -> Self {
        Error::Parameter { name: name.into(), problem: problem.into() }
    }

    /// An unusable model file.
    pub fn model(path: &Path, problem: impl Into<String>) -> Self {
        Error::Model { path: path.to_owned(), problem: problem.into() }
    }
}
