//! The tasks that can be asked for by name. Other crates can add theirs.
//!
//! ```
//! use maxmargin::tasks::registry;
//! assert_eq!(registry::find("chain")?.name(), "chain");
//! assert!(registry::find("chains").is_err());
//! # Ok::<(), maxmargin::Error>(())
//! ```

use std::sync::{LazyLock, RwLock};

use super::{
    Chain, Hierarchy, Landmarks, Matching, Multiclass, Multilabel, Parsing, Segmentation, Task, TaskObject,
};
use crate::error::{Error, Result};
use crate::shown::did_you_mean;

/// Makes a task with its default options.
type Maker = fn() -> Box<dyn TaskObject>;

static TASKS: LazyLock<RwLock<Vec<(&'static str, Maker)>>> = LazyLock::new(|| {
    RwLock::new(vec![
        entry::<Multiclass>(),
        entry::<Chain>(),
        entry::<Segmentation>(),
        entry::<Parsing>(),
        entry::<Multilabel>(),
        entry::<Matching>(),
        entry::<Landmarks>(),
        ("hierarchy", || Box::new(Hierarchy::default())),
    ])
});

fn entry<T: Task>() -> (&'static str, Maker) {
    (T::NAME, || Box::new(T::default()))
}

/// Adds a task. From now on it is found by its name, and models of it can be loaded. Refused where the name is taken by
/// another one; the same one may be added again.
pub fn add<T: Task>() -> Result<()> {
    let mut tasks = TASKS.write().unwrap_or_else(|poisoned| poisoned.into_inner());
    let new = entry::<T>();
    match tasks.iter().find(|(name, _)| *name == T::NAME) {
        None => tasks.push(new),
        Some((_, maker)) if maker().type_id_of_task() == new.1().type_id_of_task() => {}
        Some(_) => {
            return Err(Error::parameter("task", format!("there is another task {} already", T::NAME)));
        }
    }
    Ok(())
}

/// The names of all tasks, in the order in which they were added.
pub fn names() -> Vec<&'static str> {
    let tasks = TASKS.read().unwrap_or_else(|poisoned| poisoned.into_inner());
    tasks.iter().map(|(name, _)| *name).collect()
}

/// The task of this name, with its default options.
pub fn find(name: &str) -> Result<Box<dyn TaskObject>> {
    let tasks = TASKS.read().unwrap_or_else(|poisoned| poisoned.into_inner());
    match tasks.iter().find(|(other, _)| *other == name) {
        Some((_, maker)) => Ok(maker()),
        None => {
            let names: Vec<&str> = tasks.iter().map(|(name, _)| *name).collect();
            let meant = did_you_mean(name, names.iter().copied());
            Err(Error::parameter(
                "task",
                format!("{name:?} is not a task; there are {}{meant}", names.join(", ")),
            ))
        }
    }
}

/// The task that loads models which are called so, of data in this format. Those that were added last are asked first.
pub(crate) fn find_for_model(name: &str, format: Option<&str>) -> Option<Box<dyn TaskObject>> {
    let tasks = TASKS.read().unwrap_or_else(|poisoned| poisoned.into_inner());
    tasks.iter().rev().map(|(_, maker)| maker()).find(|task| task.claims(name, format))
}
