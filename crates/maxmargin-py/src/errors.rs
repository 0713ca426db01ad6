//! What goes wrong in the library, as Python's exceptions.

use maxmargin::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyValueError};

/// The exception for an error: `OSError` where the system refused, else `ValueError`.
pub fn raised(error: Error) -> PyErr {
    match error {
        Error::Io { ref source, ref path, .. } => match source.raw_os_error() {
            Some(number) => {
                // Python makes FileNotFoundError and the like of the number.
                let said = source.to_string();
                let said = said.strip_suffix(&format!(" (os error {number})")).unwrap_or(&said).to_owned();
                PyOSError::new_err((number, said, path.clone()))
            }
            None => PyOSError::new_err(error.to_string()),
        },
        Error::Parameter { name, problem } => {
            PyValueError::new_err(format!("{}: {problem}", in_python(&name)))
        }
        other => PyValueError::new_err(other.to_string()),
    }
}

/// The same for something that an argument brought with it.
pub fn of_argument(argument: &str, error: impl Into<Error>) -> PyErr {
    let problem = match error.into() {
        Error::Parameter { name, problem } => format!("{name}: {problem}"),
        other => other.to_string(),
    };
    PyValueError::new_err(format!("{argument}: {problem}"))
}

/// An option as Python calls it; what is no option (it has spaces in it) stays as it is.
fn in_python(name: &str) -> String {
    match name {
        "lambda" => "lam".to_owned(),
        _ if name.contains(' ') => name.to_owned(),
        _ => name.replace('-', "_"),
    }
}
