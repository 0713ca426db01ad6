//! Which tasks there are, and which options each has: the package makes its estimators of it.

use maxmargin::tasks::{OptionGroup, TaskOption, registry};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors::raised;

/// All tasks: name, summary, description and options. An option has its name in Python, what its value is called (`None` for a
/// switch), its default (`None` where none can be given), and what it does.
#[pyfunction]
pub fn tasks(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for name in registry::names() {
        let task = registry::find(name).map_err(raised)?;
        let options = PyList::empty(py);
        for option in task.options() {
            options.append(described(py, name, &option)?)?;
        }
        let about = PyDict::new(py);
        about.set_item("summary", task.summary())?;
        about.set_item("about", task.about())?;
        about.set_item("options", options)?;
        all.set_item(name, about)?;
    }
    Ok(all)
}

fn described<'py>(py: Python<'py>, task: &str, option: &TaskOption) -> PyResult<Bound<'py, PyDict>> {
    // What a default is called need not be a value that can be given: "by the norm".
    let can_be_given = |default: &&str| {
        registry::find(task).is_ok_and(|mut task| task.set(option.name, &[(*default).to_owned()]).is_ok())
    };
    let described = PyDict::new(py);
    described.set_item("name", option.name.replace('-', "_"))?;
    described.set_item("option", option.name)?;
    described.set_item("value", option.value)?;
    described.set_item("default", option.default.filter(can_be_given))?;
    described.set_item("help", option.help)?;
    described.set_item("more", option.more)?;
    described.set_item("is_read", option.group == OptionGroup::Reading)?;
    Ok(described)
}
