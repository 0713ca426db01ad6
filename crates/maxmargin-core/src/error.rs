//! What can go wrong in the engine: somebody asked for something that cannot be.

use std::fmt;

use crate::shown::escaped;

/// The result of everything that can fail here.
pub type Result<T> = std::result::Result<T, Error>;

/// A parameter outside its range, or two that contradict each other.
///
/// ```
/// use maxmargin_core::Error;
/// assert_eq!(Error::parameter("lambda", "it must be above 0").to_string(), "lambda: it must be above 0");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The parameter as the caller knows it.
    pub name: String,
    /// What is allowed.
    pub problem: String,
}

impl Error {
    /// A parameter outside its range.
    pub fn parameter(name: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { name: name.into(), problem: problem.into() }
    }

    /// The same, said of the example with this number, counted from 0.
    pub fn of_example(self, example: usize) -> Self {
        Self { problem: format!("example {}: {}", example + 1, self.problem), ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", escaped(&self.name), escaped(&self.problem))
    }
}

impl std::error::Error for Error {}
