//! The engine as Python sees it: matrices and examples in arrays that are there already, training, models, structures and surrogates
//! written in Python, and part scores of neural networks.
//!
//! Nothing here knows of scikit-learn or of estimators: the package in `python/maxmargin` makes those of it.

mod attributes;
mod data;
mod errors;
mod faces;
mod matrix;
mod model;
mod own_structure;
mod parts;
mod settings;
mod structure;
mod surrogate;
mod tasks;
mod training;
mod watching;

use pyo3::prelude::*;

/// The extension module `maxmargin._engine`.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    maxmargin_align::register().map_err(errors::raised)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<matrix::Matrix>()?;
    module.add_class::<data::Data>()?;
    module.add_class::<model::Model>()?;
    module.add_class::<surrogate::CustomSurrogate>()?;
    module.add_class::<parts::PartLoss>()?;
    module.add_function(wrap_pyfunction!(own_structure::train_structure, module)?)?;
    module.add_function(wrap_pyfunction!(own_structure::check_structure, module)?)?;
    module.add_function(wrap_pyfunction!(tasks::tasks, module)?)?;
    module.add_function(wrap_pyfunction!(faces::drawn_faces, module)?)?;
    module.add_function(wrap_pyfunction!(settings::default_settings, module)?)?;
    module.add_function(wrap_pyfunction!(training::train, module)?)?;
    Ok(())
}
