//! Tasks: what files are about, what labels are, and which structure learns them.
//!
//! A task is a folder here (or a module of another crate) with a type that implements [`Task`]: its name, its options, its
//! examples, its structure, its default search, its blocks of weights, how labels are written and compared. Its examples are a
//! type of their own, valid by construction. Everything else is written once for all of them: [`Fitted`] is a task for known numbers of features and labels, [`TaskObject`] and [`FittedObject`]
//! are the faces of both for those who know a task by its name only, and the [`registry`] has the names.
//!
//! | task | folder | examples | a label is |
//! | --- | --- | --- | --- |
//! | [`Multiclass`] | `multiclass` | [`RowExamples`] | one of several classes |
//! | [`Chain`] | `chain` | [`SequenceExamples`] | a class for each position of a sequence |
//! | [`Segmentation`] | `segmentation` | [`SequenceExamples`] | segments with a class each, which cut a sequence |
//! | [`Multilabel`] | `multilabel` | [`LabelSetExamples`] | a set of labels |
//! | [`Hierarchy`] | `hierarchy` | [`HierarchyExamples`] | a node of a hierarchy, or several |
//! | [`Parsing`] | `parsing` | [`TreeExamples`] | a tree of labelled arcs over the words of a sentence |
//! | [`Landmarks`] | `landmarks` | [`LandmarkExamples`] | a place in a picture for each of its named points |
//! | [`Matching`] | `matching` | [`GraphExamples`] | links between the nodes of a bipartite graph |

mod candidates;
pub mod chain;
mod comparing;
mod costs;
mod demonstrating;
mod drawn_image;
mod drawn_tree;
mod fitted;
mod given_labels;
pub mod hierarchy;
mod label_weights;
pub mod landmarks;
pub mod matching;
pub mod multiclass;
pub mod multilabel;
mod object;
mod option;
pub mod parsing;
mod part_scorer;
mod prediction;
pub mod registry;
mod searching;
mod seen_weights;
pub mod segmentation;
mod stored;
mod weight_names;

use std::fmt::Debug;
use std::path::PathBuf;

pub use candidates::CandidateTurns;
pub use chain::{Chain, SequenceExamples};
pub use comparing::ComparisonOptions;
pub use costs::Costs;
pub use drawn_image::{DrawnCut, DrawnImage, DrawnPoints};
pub use drawn_tree::{DrawnNode, DrawnTree};
pub use fitted::Fitted;
pub use hierarchy::{Hierarchy, HierarchyExamples, NodeSetTask, NodeTask};
pub use label_weights::LabelWeights;
pub use landmarks::{LandmarkExamples, Landmarks};
pub use matching::{GraphExamples, Matching};
pub use multiclass::{Multiclass, RowExamples};
pub use multilabel::{LabelSetExamples, Multilabel};
pub use object::{ExampleBatches, FittedObject, TaskObject};
pub use option::{OptionGroup, TaskOption};
pub use parsing::{Parsing, TreeExamples};
pub use part_scorer::PartScorer;
pub use prediction::{Certainty, Prediction};
pub use searching::{SearchOptions, TaskSearch};
pub use seen_weights::{SeenWeights, WeightChoice};
pub use segmentation::Segmentation;
use serde_json::{Map, Value};
pub use stored::Stored;
pub use weight_names::WeightNames;

use crate::data::{Alphabet, Dataset, ReadOptions, Reading, TaskData, Vocabulary};
use crate::error::{Error, Result};
use crate::linear::SeenPairs;
use crate::metrics::{Comparison, Metrics};
use crate::search::Strategy;
use crate::structure::Structure;
use crate::surrogate::Surrogate;

/// What a task is given.
pub type InputOf<T> = <<T as Task>::Structure as Structure>::Input;
/// What a task predicts.
pub type LabelOf<T> = <<T as Task>::Structure as Structure>::Label;
/// What a task is measured by.
pub type ComparisonOf<'a, T> = Comparison<'a, <T as Task>::Data, LabelOf<T>>;

/// A task with its options: everything that is to be known about it, said once.
///
/// A value of the type is a task as somebody asks for it. [`resolve`](Self::resolve) makes of it what the data needs (a tree of
/// pairs is found, a file of costs is read), and [`structure`](Self::structure) does the learning.
pub trait Task: Clone + Debug + Default + Send + Sync + 'static {
    /// Its examples.
    type Data: TaskData;
    /// What finds labels.
    type Structure: Structure + Clone + Debug + Send + 'static;

    /// The name by which it is asked for, and under which models are saved.
    const NAME: &'static str;
    /// What it does, in one line; then, after an empty line, more for a help text: its labels, its metrics, what predictions look
    /// like.
    const ABOUT: &'static str;
    /// Whether its data comes in the formats that all tasks about rows share.
    const READS_TABLES: bool = true;
    /// Whether a row of such data has a set of labels.
    const HAS_SETS: bool = false;
    /// Whether its labels may be tags of chunks, of which there are several schemes.
    const HAS_TAGS: bool = false;

    /// Whether it learns from candidates for its labels.
    const HAS_CANDIDATES: bool = false;

    /// The fields of what is saved that follow from the training data: weights go from one model to another where they differ, by names.
    const OF_DATA: &'static [&'static str] = &[];

    /// The options that are named by words: on a command line, in a configuration.
    fn options() -> Vec<TaskOption>;

    /// Sets an option; `values` is empty for a switch.
    fn set(&mut self, option: &str, values: &[String]) -> Result<()>;

    /// The files that options name, each with the option's name.
    fn files(&self) -> Vec<(&'static str, PathBuf)> {
        Vec::new()
    }

    /// The same task for data to test on, where options name files for both.
    fn for_test_data(&self) -> Self {
        self.clone()
    }

    /// Whether it loads models that are called so, of data in this format.
    fn claims(task: &str, format: Option<&str>) -> bool {
        let _ = format;
        task == Self::NAME
    }

    /// Reads data: to train from where `known` is none, else with the names that training fixed.
    fn read(
        &self,
        files: &[PathBuf],
        options: &ReadOptions,
        known: Option<&Vocabulary>,
    ) -> Result<Reading<Self::Data>> {
        Reading::of_files(files, &self.table_options(options)?, known)?.try_map(Self::Data::from_table)
    }

    /// The examples of a table that was read with the names that training fixed.
    fn examples(&self, table: Dataset, known: &Vocabulary) -> Result<Self::Data> {
        let _ = known;
        Self::Data::from_table(table)
    }

    /// Refuses candidates where the task learns from none.
    fn check_candidates(options: &ReadOptions) -> Result<()> {
        match options.candidates && !Self::HAS_CANDIDATES {
            false => Ok(()),
            true => {
                let others = "chain, multiclass, multilabel and hierarchy do";
                let problem = format!("{} does not learn from candidates; {others}", Self::NAME);
                Err(Error::parameter("candidates", problem))
            }
        }
    }

    /// The options with what the task has to say about tables.
    fn table_options(&self, options: &ReadOptions) -> Result<ReadOptions> {
        if options.tag_scheme.is_some() && !Self::HAS_TAGS {
            let problem = "schemes of tags are about sequences; the task chain learns these";
            return Err(Error::parameter("tag-scheme", problem));
        }
        Self::check_candidates(options)?;
        if options.candidates && options.tag_scheme.is_some() {
            let problem = "tags are not rewritten where they are candidates; leave one of the two out";
            return Err(Error::parameter("tag-scheme", problem));
        }
        Ok(ReadOptions { label_sets: Self::HAS_SETS, label_tags: Self::HAS_TAGS, ..options.clone() })
    }

    /// The labels of training data that the options leave in it, in ascending order; none where they leave all.
    fn select(&self, data: &Self::Data) -> Option<Vec<u32>> {
        let _ = data;
        None
    }

    /// The task for some data: nothing in it is left to be read or found out.
    fn resolve(&self, names: &Vocabulary, data: &Self::Data) -> Result<Self>;

    /// The tasks that validation is to choose among, each by its name, where an option leaves that open; else none.
    fn variants(&self, data: &Self::Data) -> Result<Vec<(String, Self)>> {
        let _ = data;
        Ok(Vec::new())
    }

    /// Refuses to learn where an option still leaves [variants](Self::variants) open.
    fn check_decided(&self) -> Result<()> {
        Ok(())
    }

    /// The structure for so many features and labels. The task must be [resolved](Self::resolve).
    fn structure(&self, features: usize, labels: usize) -> Result<Self::Structure>;

    /// Refuses names that are not those of the task's labels.
    fn check_names(&self, names: &Vocabulary) -> Result<()> {
        let _ = names;
        Ok(())
    }

    /// What is given of an example.
    fn input(data: &Self::Data, example: usize) -> InputOf<Self>;

    /// Refuses an example for which there is no label at all.
    fn check_input(structure: &Self::Structure, data: &Self::Data, example: usize) -> Result<()> {
        let _ = (structure, data, example);
        Ok(())
    }

    /// What is to be predicted of an example whose labels are all known.
    fn truth(structure: &Self::Structure, data: &Self::Data, example: usize) -> Result<LabelOf<Self>>;

    /// The weight c_i of an example whose labels are all known.
    fn weight(&self, data: &Self::Data, example: usize) -> f64 {
        data.weight(example)
    }

    /// Whether the loss is the number of mistakes.
    fn counts_mistakes(&self) -> bool;

    /// Whether the stratified search may round costs that are no whole numbers.
    fn rounds_costs(&self) -> bool {
        false
    }

    /// Whether the stratified search applies without rounding.
    fn has_whole_losses(structure: &Self::Structure, surrogate: Surrogate) -> bool;

    /// Whether the table of all losses of the largest example is too large to be made.
    fn has_too_many_losses(
        structure: &Self::Structure,
        surrogate: Surrogate,
        data: &Self::Data,
        step: Option<f64>,
    ) -> bool {
        let _ = (structure, surrogate, data, step);
        false
    }

    /// What the stratified search needs of the loss, and what to do about a table of losses that is too large.
    const STRATIFIED_NEEDS: [&'static str; 2];

    /// The search that is best for a surrogate, and why.
    fn best_search(
        structure: &Self::Structure,
        surrogate: Surrogate,
        data: &Self::Data,
    ) -> (Strategy, &'static str);

    /// Whether a number can be added to the score of each label being in a set.
    fn has_label_shifts(&self) -> bool {
        false
    }

    /// Adds such numbers to the weights, where [there can be any](Self::has_label_shifts).
    fn shift_labels(&self, features: usize, shifts: &[f64], weights: &mut [f64]) {
        let _ = (features, shifts, weights);
    }

    /// The blocks of weights by name and shape, in the order of the structure. Together they are all weights. Where the first one has
    /// as many rows as there are features (or one more), its rows are theirs: a model leaves out those that are 0.
    fn blocks(&self, features: usize, labels: usize) -> Vec<(&'static str, Vec<usize>)>;

    /// The pairs of attributes and labels that have weights, where not all have. These are then the first block, and the second one has
    /// those of the constant feature.
    fn seen_pairs(&self) -> Option<&SeenPairs> {
        None
    }

    /// How many of the attributes, the first ones, have a weight for each pair of labels. Where there are any, these weights are the first
    /// block, and the second one has the rows of all other attributes.
    fn pair_attributes(&self) -> usize {
        0
    }

    /// The same task with another number of them.
    fn with_pair_attributes(&self, pair_attributes: usize) -> Self {
        let _ = pair_attributes;
        self.clone()
    }

    /// What the options of a [resolved](Self::resolve) task are, for a model file.
    fn save(&self) -> Stored;

    /// The task that was saved.
    fn load(stored: &Stored, labels: usize) -> std::result::Result<Self, String>;

    /// The loss by name.
    fn loss_name(&self) -> &'static str;

    /// The options in words, beside the loss.
    fn describe(structure: &Self::Structure, task: &Self) -> String;

    /// What a program may want to know of the options.
    fn facts(structure: &Self::Structure, task: &Self) -> Map<String, Value>;

    /// Whether one of the labels may stand for "nothing here".
    const HAS_BACKGROUND: bool = false;

    /// A label with the names of what is in it: as a string, or a list.
    fn name(
        structure: &Self::Structure,
        names: &Vocabulary,
        input: &InputOf<Self>,
        label: &LabelOf<Self>,
    ) -> Value;

    /// What a variable of a label is called, as [`name`](Self::name) has it, where labels are sets and it is in them or not. (A variable
    /// is what [`MaxMarginals`](crate::structure::MaxMarginals) counts.)
    fn member(names: &Vocabulary, input: &InputOf<Self>, variable: usize) -> Option<Value> {
        let _ = (names, input, variable);
        None
    }

    /// Whether a variable has a place in what a label is [called](Self::name), where it is in it, or among what it is not.
    fn is_named(structure: &Self::Structure, label: &LabelOf<Self>, variable: usize) -> bool {
        let _ = (structure, label, variable);
        true
    }

    /// Whether it is right that a variable of an example's label has this value; none where nothing is predicted by it: it is not in a
    /// set.
    fn is_right(data: &Self::Data, example: usize, variable: usize, value: u32) -> Option<bool> {
        let _ = (data, example, variable, value);
        None
    }

    /// Such a label as a text file has it, without the end of the last line.
    fn write(label: &Value) -> String;

    /// How good predictions are.
    fn metrics(structure: &Self::Structure, comparison: ComparisonOf<'_, Self>) -> Metrics;

    /// More figures, for which scores are needed and not only the best labels.
    fn score_metrics(
        structure: &Self::Structure,
        weights: &[f64],
        truth: &Self::Data,
        labels: usize,
    ) -> Vec<(&'static str, f64)> {
        let _ = (structure, weights, truth, labels);
        Vec::new()
    }

    /// What it has learnt, as a tree of its labels; only what is near the labels `around`, where there are any.
    fn draw(
        &self,
        structure: &Self::Structure,
        names: &Alphabet,
        weights: &[f64],
        around: &[u32],
    ) -> Option<DrawnTree> {
        let _ = (structure, names, weights, around);
        None
    }

    /// What weights are about, given the names of labels.
    fn weight_names(&self, labels: &Alphabet) -> WeightNames {
        WeightNames::of_labels(labels)
    }

    /// Pairs of labels that hold together, or shun each other, by their names.
    fn couplings(
        structure: &Self::Structure,
        names: &Alphabet,
        weights: &[f64],
    ) -> Vec<(String, String, f64)> {
        let _ = (structure, names, weights);
        Vec::new()
    }

    /// Weights of three labels in a row, by their names, without those that are 0.
    fn triples(&self, names: &Alphabet, weights: &[f64]) -> Vec<([String; 3], f64)> {
        let _ = (names, weights);
        Vec::new()
    }

    /// An example with a label, as [`name`](Self::name) has it, drawn into its picture, where there is one.
    fn picture(data: &Self::Data, example: usize, label: &Value) -> Option<DrawnImage> {
        let _ = (data, example, label);
        None
    }

    /// The images of its [demo](Self::demo), where it has any.
    fn demo_images() -> Result<Vec<DrawnImage>> {
        Ok(Vec::new())
    }

    /// Shows on data that it makes up what the task is good for. What it says goes to `say`, as soon as it is known.
    fn demo(say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        let _ = say;
        Err(Error::parameter("task", format!("{} has no demo", Self::NAME)))
    }
}
