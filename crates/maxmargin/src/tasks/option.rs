//! Options of tasks as data, so that a program can make its flags of them.

use crate::error::{Error, Result};
use crate::shown::{did_you_mean, excerpt};

/// What an option is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionGroup {
    /// What is learnt. Only training looks at it.
    Problem,
    /// Which examples to learn from. Only training looks at it.
    TrainingData,
    /// What is read beside the data, whenever data is read.
    Reading,
}

/// An option that a task has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskOption {
    /// Its name, in lower case with hyphens.
    pub name: &'static str,
    /// What its values are called; a switch has none.
    pub value: Option<&'static str>,
    /// How many values it takes at most.
    pub most_values: usize,
    /// Whether values are separated by commas.
    pub has_commas: bool,
    /// What it is when it is not given, for a help text.
    pub default: Option<&'static str>,
    /// What it does, in a line.
    pub help: &'static str,
    /// More about it.
    pub more: &'static str,
    /// What it is about.
    pub group: OptionGroup,
    /// Another option, and its value with which this one says nothing.
    pub idle_with: Option<(&'static str, &'static str)>,
}

impl TaskOption {
    /// An option with a value.
    pub const fn value(name: &'static str, value: &'static str, help: &'static str) -> Self {
        let value = Some(value);
        let group = OptionGroup::Problem;
        let (most_values, has_commas, default, more, idle_with) = (1, false, None, "", None);
        Self { name, value, most_values, has_commas, default, help, more, group, idle_with }
    }

    /// An option that is given or not.
    pub const fn switch(name: &'static str, help: &'static str) -> Self {
        Self { value: None, ..Self::value(name, "", help) }
    }

    /// With more about it.
    pub const fn more(self, more: &'static str) -> Self {
        Self { more, ..self }
    }

    /// With what it is when it is not given.
    pub const fn default(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }

    /// With another option, and its value with which this one says nothing.
    pub const fn idle_with(self, option: &'static str, value: &'static str) -> Self {
        Self { idle_with: Some((option, value)), ..self }
    }

    /// With what it is about.
    pub const fn about(self, group: OptionGroup) -> Self {
        Self { group, ..self }
    }
}

/// The option without which no task is: leave out the constant feature.
pub(super) const NO_BIAS: TaskOption = TaskOption::switch("no-bias", "Leave out the constant feature");

/// The one value of an option.
pub(super) fn one<'a>(option: &str, values: &'a [String]) -> Result<&'a str> {
    match values {
        [value] => Ok(value),
        _ => Err(Error::parameter(option, format!("one value is needed, not {}", values.len()))),
    }
}

/// One of several words, each with what it stands for.
pub(super) fn choice<T: Clone>(option: &str, values: &[String], choices: &[(&str, T)]) -> Result<T> {
    let value = one(option, values)?;
    let found = choices.iter().find(|(name, _)| *name == value);
    found.map(|(_, choice)| choice.clone()).ok_or_else(|| {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        not_allowed(option, value, &names)
    })
}

/// The error of a value that is none of those that are allowed.
pub(super) fn not_allowed(option: &str, value: &str, allowed: &[&str]) -> Error {
    let (last, others) = allowed.split_last().unwrap_or((&"nothing", &[]));
    let (others, meant) = (others.join(", "), did_you_mean(value, allowed.iter().copied()));
    let value = excerpt(value);
    Error::parameter(option, format!("\"{value}\" is not allowed; allowed are {others} and {last}{meant}"))
}

/// The error of an option that a task does not have.
pub(super) fn unknown(task: &str, option: &str) -> Error {
    Error::parameter(option, format!("{task} has no such option"))
}
