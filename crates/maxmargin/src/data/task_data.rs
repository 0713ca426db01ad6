//! What all kinds of examples have in common, whatever a task is about.
//!
//! Each task has a type of its own for its examples. Its constructors check what they are given, once, so that nothing that
//! takes such data has to ask again whether its parts go together. [`TaskData`] is what training, models and programs need to
//! know of it; [`DataObject`] is its face for those who do not know the type, with one implementation for all. Data need not
//! be made of rows: what is done to the columns of a feature matrix is done where there is one.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use super::example_rows::refuse;
use super::{
    Attributes, Completion, Dataset, ExampleRows, FeatureMatrix, RowCandidates, UNKNOWN_LABEL, Vocabulary,
};
use crate::error::{Error, Result};
use crate::shown::count;
use crate::structure::CandidateSets;

/// More labels than this are not given names by their numbers: such a number is more likely a slip.
const MOST_NUMBERED: usize = 1 << 24;

/// The examples of a task, labelled or not. A value is valid: whatever is in it goes together.
pub trait TaskData: Clone + Debug + Send + Sync + 'static {
    /// What it is, in the plural: "rows with a label each".
    const KIND: &'static str;

    /// The number of examples. To be written by data that is not made of rows.
    fn len(&self) -> usize {
        self.as_rows().map_or(0, ExampleRows::len)
    }

    /// Whether there is no example.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of attributes: what weights are learnt for. To be written by data that is not made of rows.
    fn attributes(&self) -> usize {
        self.as_rows().map_or(0, |rows| rows.features().columns())
    }

    /// The rows of a feature matrix, where examples are made of them.
    fn as_rows(&self) -> Option<&ExampleRows> {
        None
    }

    /// The weight c_i of an example: finite and not negative.
    fn weight(&self, example: usize) -> f64 {
        self.as_rows().map_or(1.0, |rows| rows.weight(example))
    }

    /// The fold of each example, where they have any.
    fn folds(&self) -> Option<&[u32]> {
        self.as_rows()?.folds()
    }

    /// What an example is called, where its file says so. Predictions are written with it.
    fn id(&self, example: usize) -> Option<&str> {
        self.as_rows()?.id(example)
    }

    /// Some of the examples, in the order in which they are given. Refused where one does not exist.
    fn subset(&self, examples: &[usize]) -> Result<Self>;

    /// The labels of all examples, one after the other; [`UNKNOWN_LABEL`] where one is not known.
    fn labels(&self) -> &[u32];

    /// The labels of an example. Panics when it does not exist.
    fn labels_of(&self, example: usize) -> &[u32];

    /// The candidates of rows, where the data has any.
    fn candidates(&self) -> Option<&RowCandidates> {
        None
    }

    /// How many rows have labels that are not settled; none where the data was read without candidates.
    fn open_rows(&self) -> Option<usize> {
        self.candidates().map(|rows| rows.len() - rows.counts()[0])
    }

    /// What is known of the label of an example, where there are so many labels in all. Panics when the example does not exist.
    fn candidate_sets(&self, example: usize, labels: usize) -> Option<CandidateSets> {
        let _ = labels;
        Some(self.candidates()?.sets(self.as_rows()?.range(example)))
    }

    /// The same examples with one label, of so many, in place of the candidates of each row.
    fn completed(&self, how: Completion, labels: usize, seed: u64) -> Result<Self> {
        let _ = (how, labels, seed);
        refuse(format!("there are no candidates for {}", Self::KIND))
    }

    /// The same examples with one candidate in place of several; any label stays that.
    fn narrowed(&self, how: Completion, labels: usize, seed: u64) -> Result<Self> {
        let _ = (how, labels, seed);
        refuse(format!("there are no candidates for {}", Self::KIND))
    }

    /// Those parts of the examples whose label has one candidate.
    fn known_parts(&self) -> Result<Self> {
        refuse(format!("there are no candidates for {}", Self::KIND))
    }

    /// Whether all that is to be predicted of an example is known.
    fn is_labelled(&self, example: usize) -> bool {
        !self.labels_of(example).contains(&UNKNOWN_LABEL)
    }

    /// One more than the largest number of a known label.
    fn label_count(&self) -> usize {
        let known = self.labels().iter().filter(|&&label| label != UNKNOWN_LABEL);
        known.max().map_or(0, |&most| most as usize + 1)
    }

    /// Where an evaluation has nothing to compare with: what to do about it. `strangers`: whether files had labels whose
    /// names were not known.
    fn missing_truth(&self, strangers: bool) -> Option<&'static str> {
        let nothing = "no example has a label, but an evaluation needs the true ones; name the column of a table (label-columns), or the file with the labels of images (labels)";
        (!strangers && self.has_unknown_labels_only()).then_some(nothing)
    }

    /// Whether there are labels, and none of them is known.
    fn has_unknown_labels_only(&self) -> bool {
        !self.labels().is_empty() && self.labels().iter().all(|&label| label == UNKNOWN_LABEL)
    }

    /// The names of labels and attributes where nobody gave them any.
    fn default_names(&self) -> Result<Vocabulary> {
        let labels = self.label_count();
        if labels > MOST_NUMBERED {
            return refuse(format!("{} is too large a number for a label; count them from 0", labels - 1));
        }
        let labels: Vec<String> = (0..labels).map(|label| label.to_string()).collect();
        let labels = labels.iter().map(String::as_str).collect();
        Ok(Vocabulary { labels, attributes: Attributes::Numbered(self.attributes()) })
    }

    /// The same examples with some labels only, which keep their order and get new numbers.
    fn keep_labels(&self, keep: &[u32]) -> Result<Self> {
        let _ = keep;
        refuse(format!("labels cannot be left out of {}", Self::KIND))
    }

    /// The bytes that it holds in memory.
    fn bytes(&self) -> usize;

    /// A number that depends on all that is learnt from, and on the order of the examples. See
    /// [`Fingerprint`](super::Fingerprint).
    fn fingerprint(&self) -> u64;

    /// What one of the parts is called that examples are made of, and how many there are in all.
    fn parts(&self) -> (&'static str, usize) {
        ("row", self.features().map_or(self.len(), |features| features.rows()))
    }

    /// What a person should know before learning from it.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether text has a blank line before an example, which has no end of its own.
    fn starts_block(&self, example: usize) -> bool {
        self.as_rows().is_some_and(|rows| rows.starts_group(example))
    }

    /// Whether text has a blank line after each example.
    fn has_blocks(&self) -> bool {
        self.as_rows().is_some_and(ExampleRows::is_grouped)
    }

    /// The lines of a file that an example is, with another label in them, where what is predicted is written so.
    fn in_place(&self, example: usize, label: &serde_json::Value) -> Option<String> {
        let _ = (example, label);
        None
    }

    /// The feature matrix, where there is one.
    fn features(&self) -> Option<&Arc<FeatureMatrix>> {
        self.as_rows().map(ExampleRows::features)
    }

    /// The same examples with another feature matrix of as many rows.
    fn with_features(&self, features: Arc<FeatureMatrix>) -> Result<Self> {
        let _ = features;
        refuse(format!("{} have no feature matrix", Self::KIND))
    }

    /// Examples as tables have them. Refused where they cannot be seen so.
    fn from_table(table: Dataset) -> Result<Self> {
        let _ = table;
        refuse(format!("{} are not read from tables", Self::KIND))
    }

    /// One example of these rows, without a label.
    fn of_one(features: FeatureMatrix) -> Result<Self> {
        let problem = format!("{} rows are not one of {}", features.rows(), Self::KIND);
        Err(Error::parameter("rows", problem))
    }
}

/// Examples of some task. See [`TaskData`] for what each method says.
#[allow(missing_docs)]
pub trait DataObject: Debug + Send + Sync {
    fn kind(&self) -> &'static str;
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool;
    fn attributes(&self) -> usize;
    fn folds(&self) -> Option<&[u32]>;
    fn id(&self, example: usize) -> Option<&str>;
    fn subset(&self, examples: &[usize]) -> Result<Arc<dyn DataObject>>;
    fn labels(&self) -> &[u32];
    fn candidates(&self) -> Option<&RowCandidates>;
    fn open_rows(&self) -> Option<usize>;
    fn completed(&self, how: Completion, labels: usize, seed: u64) -> Result<Arc<dyn DataObject>>;
    fn narrowed(&self, how: Completion, labels: usize, seed: u64) -> Result<Arc<dyn DataObject>>;
    fn known_parts(&self) -> Result<Arc<dyn DataObject>>;
    fn missing_truth(&self, strangers: bool) -> Option<&'static str>;
    fn keep_labels(&self, keep: &[u32]) -> Result<Arc<dyn DataObject>>;
    fn bytes(&self) -> usize;
    fn fingerprint(&self) -> u64;
    fn parts(&self) -> (&'static str, usize);
    fn notes(&self) -> Vec<String>;
    fn starts_block(&self, example: usize) -> bool;
    fn has_blocks(&self) -> bool;
    fn in_place(&self, example: usize, label: &serde_json::Value) -> Option<String>;
    fn features(&self) -> Option<&Arc<FeatureMatrix>>;
    fn with_features(&self, features: Arc<FeatureMatrix>) -> Result<Arc<dyn DataObject>>;
    fn as_any(&self) -> &dyn Any;
}

impl<D: TaskData> DataObject for D {
    fn kind(&self) -> &'static str {
        D::KIND
    }

    fn len(&self) -> usize {
        TaskData::len(self)
    }

    fn is_empty(&self) -> bool {
        TaskData::is_empty(self)
    }

    fn attributes(&self) -> usize {
        TaskData::attributes(self)
    }

    fn folds(&self) -> Option<&[u32]> {
        TaskData::folds(self)
    }

    fn id(&self, example: usize) -> Option<&str> {
        TaskData::id(self, example)
    }

    fn subset(&self, examples: &[usize]) -> Result<Arc<dyn DataObject>> {
        Ok(Arc::new(TaskData::subset(self, examples)?))
    }

    fn labels(&self) -> &[u32] {
        TaskData::labels(self)
    }

    fn candidates(&self) -> Option<&RowCandidates> {
        TaskData::candidates(self)
    }

    fn open_rows(&self) -> Option<usize> {
        TaskData::open_rows(self)
    }

    fn completed(&self, how: Completion, labels: usize, seed: u64) -> Result<Arc<dyn DataObject>> {
        Ok(Arc::new(TaskData::completed(self, how, labels, seed)?))
    }

    fn narrowed(&self, how: Completion, labels: usize, seed: u64) -> Result<Arc<dyn DataObject>> {
        Ok(Arc::new(TaskData::narrowed(self, how, labels, seed)?))
    }

    fn known_parts(&self) -> Result<Arc<dyn DataObject>> {
        Ok(Arc::new(TaskData::known_parts(self)?))
    }

    fn missing_truth(&self, strangers: bool) -> Option<&'static str> {
        TaskData::missing_truth(self, strangers)
    }

    fn keep_labels(&self, keep: &[u32]) -> Result<Arc<dyn DataObject>> {
        Ok(Arc::new(TaskData::keep_labels(self, keep)?))
    }

    fn bytes(&self) -> usize {
        TaskData::bytes(self)
    }

    fn fingerprint(&self) -> u64 {
        TaskData::fingerprint(self)
    }

    fn parts(&self) -> (&'static str, usize) {
        TaskData::parts(self)
    }

    fn notes(&self) -> Vec<String> {
        TaskData::notes(self)
    }

    fn starts_block(&self, example: usize) -> bool {
        TaskData::starts_block(self, example)
    }

    fn has_blocks(&self) -> bool {
        TaskData::has_blocks(self)
    }

    fn in_place(&self, example: usize, label: &serde_json::Value) -> Option<String> {
        TaskData::in_place(self, example, label)
    }

    fn features(&self) -> Option<&Arc<FeatureMatrix>> {
        TaskData::features(self)
    }

    fn with_features(&self, features: Arc<FeatureMatrix>) -> Result<Arc<dyn DataObject>> {
        Ok(Arc::new(TaskData::with_features(self, features)?))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl dyn DataObject + '_ {
    /// The examples by their type; none where it is another one.
    pub fn of_type<D: TaskData>(&self) -> Option<&D> {
        self.as_any().downcast_ref()
    }

    /// How much it is, for a person.
    pub fn describe(&self) -> String {
        let examples = count(self.len(), "example");
        match self.parts() {
            (_, parts) if parts == self.len() => examples,
            (part, parts) => format!("{examples} of {} in all", count(parts, part)),
        }
    }

    /// The first examples, or all where there are fewer.
    pub fn first(&self, count: usize) -> Result<Arc<dyn DataObject>> {
        self.subset(&(0..count.min(self.len())).collect::<Vec<_>>())
    }

    /// The examples in some folds. Refused where there are none.
    pub fn in_folds(&self, folds: &[u32]) -> Result<Arc<dyn DataObject>> {
        let Some(of) = self.folds() else {
            let problem = "this data has no folds; only the letters format numbers them";
            return Err(Error::parameter("folds", problem));
        };
        let examples: Vec<usize> = (0..self.len()).filter(|&i| folds.contains(&of[i])).collect();
        if examples.is_empty() {
            let mut there = of.to_vec();
            there.sort_unstable();
            there.dedup();
            let there: Vec<String> = there.iter().take(20).map(u32::to_string).collect();
            let problem = format!("no example is in these folds; the data has {}", there.join(", "));
            return Err(Error::parameter("folds", problem));
        }
        self.subset(&examples)
    }
}
