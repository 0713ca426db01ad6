//! The task as a user asks for it: its data shows whether labels are one node or several.

use std::any::TypeId;
use std::path::PathBuf;
use std::sync::Arc;

use super::options::{self, LabelCount};
use super::{
    ABOUT, HierarchyExamples, HierarchyOptions, HierarchyTask, LabelKind, Many, NAME, NodeSetTask, NodeTask,
    One, demo,
};
use crate::data::{DataObject, ReadOptions, Reading, Vocabulary};
use crate::error::Result;
use crate::tasks::{ExampleBatches, FittedObject, Stored, TaskObject, TaskOption};

/// Nodes of a hierarchy: one for each example, or several.
#[derive(Debug, Clone, Default)]
pub struct Hierarchy {
    /// What is asked for.
    pub options: HierarchyOptions,
}

impl From<HierarchyOptions> for Hierarchy {
    fn from(options: HierarchyOptions) -> Self {
        Self { options }
    }
}

impl Hierarchy {
    /// The same as a task for one kind of labels, for what does not depend on it.
    fn typed<K: LabelKind>(&self) -> HierarchyTask<K> {
        self.options.clone().into()
    }

    /// Whether examples have one node each.
    fn is_one(&self, data: &HierarchyExamples) -> bool {
        match self.options.count {
            LabelCount::Auto => data.has_one_each(),
            LabelCount::One => true,
            LabelCount::Many => false,
        }
    }
}

impl TaskObject for Hierarchy {
    fn name(&self) -> &'static str {
        NAME
    }

    fn summary(&self) -> &'static str {
        self.typed::<One>().summary()
    }

    fn about(&self) -> &'static str {
        ABOUT.split_once("\n\n").map_or("", |(_, more)| more)
    }

    fn has_background(&self) -> bool {
        false
    }

    fn has_candidates(&self) -> bool {
        self.typed::<One>().has_candidates()
    }

    fn reads_tables(&self) -> bool {
        true
    }

    fn claims(&self, task: &str, _: Option<&str>) -> bool {
        task == NAME
    }

    fn for_test_data(&self) -> Box<dyn TaskObject> {
        self.boxed()
    }

    fn options(&self) -> Vec<TaskOption> {
        options::all()
    }

    fn set(&mut self, option: &str, values: &[String]) -> Result<()> {
        self.options.set(option, values)
    }

    fn files(&self) -> Vec<(&'static str, PathBuf)> {
        self.options.files()
    }

    fn read(
        &self,
        files: &[PathBuf],
        options: &ReadOptions,
        known: Option<&Vocabulary>,
    ) -> Result<Reading<Arc<dyn DataObject>>> {
        TaskObject::read(&self.typed::<One>(), files, options, known)
    }

    fn read_batches<'a>(
        &self,
        files: &[PathBuf],
        options: &ReadOptions,
        known: &'a Vocabulary,
    ) -> Result<ExampleBatches<'a>> {
        self.typed::<One>().read_batches(files, options, known)
    }

    fn select(&self, _: &dyn DataObject) -> Result<Option<Vec<u32>>> {
        Ok(None)
    }

    fn variants(&self, data: &dyn DataObject) -> Result<Vec<(String, Box<dyn TaskObject>)>> {
        match data.of_type::<HierarchyExamples>() {
            Some(examples) if !self.is_one(examples) => TaskObject::variants(&self.typed::<Many>(), data),
            _ => TaskObject::variants(&self.typed::<One>(), data),
        }
    }

    fn fit(&self, names: &Vocabulary, data: &dyn DataObject) -> Result<Box<dyn FittedObject>> {
        match data.of_type::<HierarchyExamples>() {
            Some(examples) if !self.is_one(examples) => self.typed::<Many>().fit(names, data),
            _ => self.typed::<One>().fit(names, data),
        }
    }

    fn load(
        &self,
        stored: &Stored,
        names: &Vocabulary,
    ) -> std::result::Result<Box<dyn FittedObject>, String> {
        match stored.field::<String>("label_count")?.as_str() {
            One::NAME => TaskObject::load(&NodeTask::default(), stored, names),
            Many::NAME => TaskObject::load(&NodeSetTask::default(), stored, names),
            other => {
                Err(format!("label_count is \"{}\"; expected one or many", crate::shown::excerpt(other)))
            }
        }
    }

    fn demo(&self, say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        demo::run(say)
    }

    fn type_id_of_task(&self) -> TypeId {
        TypeId::of::<Self>()
    }

    fn boxed(&self) -> Box<dyn TaskObject> {
        Box::new(self.clone())
    }
}
