//! Dependency trees: each word of a sentence has a head and a relation to it.

mod demo;
mod examples;
pub mod grammar;
mod metrics;

use std::path::PathBuf;

pub use examples::TreeExamples;
pub use metrics::Attachments;
use serde_json::{Map, Value, json};

use super::option::{choice, one, unknown};
use super::stored::unknown_loss;
use super::{ComparisonOf, OptionGroup, Stored, Task, TaskOption};
use crate::data::{Alphabet, ReadOptions, Reading, TaskData, TextReading, Unseen, Vocabulary, read_conllu};
use crate::error::{Error, Place, Result};
use crate::inference::Roots;
use crate::metrics::Metrics;
use crate::search::Strategy;
use crate::shown::{count, number};
use crate::structure::{
    ArcLoss, DependencyTree, ParsingOptions, ParsingStructure, Sentence, Structure, TreeKind,
};
use crate::surrogate::Surrogate;

/// The format that models of trees name.
const FORMAT: &str = "conllu";

/// The weights in a row of the block: see [`Parsing::blocks`].
const ROW: usize = 256;

/// The task: dependency trees.
///
/// ```
/// use maxmargin::tasks::{Parsing, parsing::grammar::sentences};
/// use maxmargin::{Examples, Trainer};
///
/// let data = sentences(40, 1)?;
/// let task = Parsing { hash_bits: 14, ..Parsing::default() };
/// let model = Trainer::new(task).lambda(0.01).train(&Examples::from(data.clone()))?;
/// let best = &model.predict(&data.data, 1)?[0][0];
/// assert_eq!(best.label.as_array().map(Vec::len), Some(data.data.sentence(0).len()));
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parsing {
    /// Whether arcs may cross.
    pub trees: TreeKind,
    /// How many words are below the root.
    pub roots: Roots,
    /// What wrong arcs cost.
    pub loss: ArcLoss,
    /// Arcs have 2 to this power weights, and relations about as many.
    pub hash_bits: u32,
    /// Whether neighbours below one head have features too.
    pub siblings: bool,
    /// Whether crossing arcs of training data are lifted until none cross.
    pub projectivize: bool,
}

impl Default for Parsing {
    fn default() -> Self {
        let ParsingOptions { trees, roots, loss, hash_bits, siblings } = ParsingOptions::default();
        Self { trees, roots, loss, hash_bits, siblings, projectivize: false }
    }
}

const TREES: [(&str, TreeKind); 2] =
    [("projective", TreeKind::Projective), ("non-projective", TreeKind::Any)];
const ROOTS: [(&str, Roots); 2] = [("one", Roots::One), ("any", Roots::Any)];

const TREE: TaskOption =
    TaskOption::value("tree", "KIND", "Which trees there are: projective or non-projective").default("projective").more(
        "projective: no two arcs cross; the best one is found in O(n³) (Eisner). non-projective: all trees; O(n²) (Chu-Liu-Edmonds). Training data \
         may have crossing arcs in both cases: they are learnt from and never predicted where trees are projective, and how many there are is said.",
    );
const ROOT_COUNT: TaskOption =
    TaskOption::value("roots", "HOW", "How many words are below the root: one or any")
        .default("one")
        .more("one: as Universal Dependencies have it, exactly. Training data with several is refused then.");
const LOSS: TaskOption =
    TaskOption::value("loss", "LOSS", "The task loss: arcs, heads or head=X,relation=Y").default("arcs").more(
        "arcs: the number of words whose head or relation is wrong. heads: the number of wrong heads. head=X,relation=Y: X for each wrong head and \
         Y for each wrong relation to the right head.",
    );
const HASH_BITS: TaskOption =
    TaskOption::value("hash-bits", "N", "Arcs have 2^N weights that their features share, and relations about as many")
        .default("22")
        .more("8 to 30. Memory and models grow with it, and fewer features have to share a weight: a bit more is twice of both.");
const SIBLINGS: TaskOption =
    TaskOption::switch("siblings", "Features of neighbours below one head too: the second order").more(
        "Projective trees only; still O(n³) and exact (McDonald and Pereira 2006). The neighbour of a word is the next one of the same head on the way to \
         it. There is no stratified search and there are no part scores from outside with them.",
    );
const PROJECTIVIZE: TaskOption =
    TaskOption::switch("projectivize", "Lift the crossing arcs of training data until none cross")
        .about(OptionGroup::TrainingData)
        .more("A word whose arc crosses another is moved up to the head of its head, shortest arcs first (Nivre and Nilsson 2005).");

impl Parsing {
    fn options_of_structure(&self) -> ParsingOptions {
        let &Self { trees, roots, loss, hash_bits, siblings, .. } = self;
        ParsingOptions { trees, roots, loss, hash_bits, siblings }
    }

    fn set_loss(&mut self, loss: &str) -> Result<()> {
        self.loss = match loss {
            "arcs" => ArcLoss::ARCS,
            "heads" => ArcLoss::HEADS,
            _ => {
                let costs = loss.strip_prefix("head=").and_then(|rest| rest.split_once(",relation="));
                let number = |text: &str| text.trim().parse::<f64>().ok().filter(|cost| cost.is_finite());
                let costs = costs.and_then(|(head, relation)| Some((number(head)?, number(relation)?)));
                match costs.filter(|(head, relation)| *head > 0.0 && *relation >= 0.0) {
                    Some((head, relation)) => ArcLoss { head, relation },
                    None => {
                        let problem = "trees have the loss arcs, heads or head=X,relation=Y, where X is a finite number above 0 and Y one from 0";
                        return Err(Error::parameter("loss", problem));
                    }
                }
            }
        };
        Ok(())
    }

    fn tree_name(&self) -> &'static str {
        TREES[usize::from(self.trees == TreeKind::Any)].0
    }

    /// What is to be said about trees that cannot be found.
    fn notes(&self, data: &TreeExamples, lifted: usize) -> Vec<String> {
        let of = |count: usize| format!("{count} of {} sentences", data.len());
        if lifted > 0 {
            return vec![format!("{} had crossing arcs, which were lifted", of(lifted))];
        }
        let crosses = |i: &usize| data.tree(*i).is_some_and(|tree| !tree.is_projective());
        let crossing = match self.trees {
            TreeKind::Projective => (0..data.len()).filter(crosses).count(),
            TreeKind::Any => 0,
        };
        match crossing {
            0 => Vec::new(),
            crossing => vec![format!(
                "{} have crossing arcs, which projective trees do not have: they are learnt from as they are and never predicted (the options projectivize and tree do otherwise)",
                of(crossing)
            )],
        }
    }
}

impl Task for Parsing {
    type Data = TreeExamples;
    type Structure = ParsingStructure;

    const NAME: &'static str = "parsing";
    const ABOUT: &'static str = "\
Dependency trees: the head of each word, and the relation to it

Data is CoNLL-U (ten columns, a blank line after each sentence), with tags, gold or predicted. A label is a tree of labelled arcs. Predictions are \
the input again with other columns HEAD and DEPREL; with --k-best, --confidence and --json a word is its head and its relation. Metrics: uas and las \
(the share of words with the right head; with the right relation too), the same without punctuation (UPOS PUNCT), root_accuracy, exact (the share of \
sentences without a mistake), the mean loss, and how well each relation is found.";
    const READS_TABLES: bool = false;

    fn options() -> Vec<TaskOption> {
        vec![TREE, ROOT_COUNT, LOSS, HASH_BITS, SIBLINGS, PROJECTIVIZE]
    }

    fn set(&mut self, option: &str, values: &[String]) -> Result<()> {
        match option {
            "tree" => self.trees = choice(option, values, &TREES)?,
            "roots" => self.roots = choice(option, values, &ROOTS)?,
            "loss" => self.set_loss(one(option, values)?)?,
            "hash-bits" => {
                let value = one(option, values)?;
                let problem = || Error::parameter(option, "a whole number from 8 to 30 is needed");
                self.hash_bits =
                    value.parse().ok().filter(|bits| (8..=30).contains(bits)).ok_or_else(problem)?;
            }
            "siblings" => self.siblings = true,
            "projectivize" => self.projectivize = true,
            _ => return Err(unknown(Self::NAME, option)),
        }
        Ok(())
    }

    fn read(
        &self,
        files: &[PathBuf],
        options: &ReadOptions,
        known: Option<&Vocabulary>,
    ) -> Result<Reading<TreeExamples>> {
        if let Some(format) = options.format {
            return Err(Error::parameter("format", format!("trees are read from CoNLL-U, not {format}")));
        }
        let format = Some(FORMAT.to_owned());
        if let Some(names) = known {
            let mut unseen = Unseen::default();
            let data = TreeExamples::of_files(read_conllu(files, None)?, |relation| {
                let number = names.labels.get(relation);
                unseen.labels += usize::from(number.is_none());
                number
            })?;
            return Ok(Reading { data, names: names.clone(), format, unseen, text: TextReading::default() });
        }
        let texts = read_conllu(files, Some(self.roots))?;
        if texts.is_empty() {
            let file = files.first().cloned().unwrap_or_default();
            return Err(Error::data(Place::new(file, 0, 0), "there are no sentences; expected CoNLL-U"));
        }
        if let Some(place) = texts.iter().position(|text| text.heads().is_none()) {
            let problem = format!("sentence {} of the training data has no tree: its HEAD is _", place + 1);
            return Err(Error::parameter("training data", problem));
        }
        let mut relations = Alphabet::default();
        let data = TreeExamples::of_files(texts, |relation| Some(relations.add(relation)))?;
        let (data, lifted) = if self.projectivize { data.lifted() } else { (data, 0) };
        let names = Vocabulary { labels: relations, attributes: TreeExamples::fields() };
        let text = TextReading { notes: self.notes(&data, lifted), ..TextReading::default() };
        Ok(Reading { data, names, format, unseen: Unseen::default(), text })
    }

    fn resolve(&self, _: &Vocabulary, _: &TreeExamples) -> Result<Self> {
        Ok(*self)
    }

    fn structure(&self, _: usize, relations: usize) -> Result<ParsingStructure> {
        Ok(ParsingStructure::new(relations, self.options_of_structure())?)
    }

    fn input(data: &TreeExamples, example: usize) -> Sentence {
        data.sentence(example).clone()
    }

    fn truth(_: &ParsingStructure, data: &TreeExamples, example: usize) -> Result<DependencyTree> {
        data.tree(example).ok_or_else(|| Error::parameter("tree", "it is not known"))
    }

    fn counts_mistakes(&self) -> bool {
        self.loss == ArcLoss::ARCS || self.loss == ArcLoss::HEADS
    }

    fn has_whole_losses(structure: &ParsingStructure, surrogate: Surrogate) -> bool {
        surrogate != Surrogate::MicroF1 && structure.has_strata(1)
    }

    fn has_too_many_losses(
        structure: &ParsingStructure,
        _: Surrogate,
        data: &TreeExamples,
        _: Option<f64>,
    ) -> bool {
        !(0..data.len()).all(|i| structure.has_strata(data.sentence(i).len()))
    }

    const STRATIFIED_NEEDS: [&'static str; 2] = [
        "projective trees without siblings, and costs that are equal or whole numbers up to 100: the best tree of every loss is not known otherwise",
        "the best tree of every loss takes too long to find for the longest sentence; stratified is for sentences of up to about 70 words. Use hull, and a surrogate that rises with the loss",
    ];

    fn best_search(_: &ParsingStructure, surrogate: Surrogate, _: &TreeExamples) -> (Strategy, &'static str) {
        match surrogate.is_monotone() {
            true => (Strategy::Hull, "exact, whatever the losses"),
            false => (Strategy::Stratified, "the only one for this surrogate"),
        }
    }

    /// One block, in rows so that a model file lists the weights that are not 0.
    fn blocks(&self, features: usize, labels: usize) -> Vec<(&'static str, Vec<usize>)> {
        let dim = self.structure(features, labels).map_or(0, |structure| structure.dim());
        vec![("hashed", vec![dim / ROW, ROW])]
    }

    fn save(&self) -> Stored {
        let ArcLoss { head, relation } = self.loss;
        Stored::default()
            .with("bias", false)
            .with("boundary", false)
            .with("loss", self.loss_name())
            .with("tree", self.tree_name())
            .with("single_root", self.roots == Roots::One)
            .with("arc_costs", json!([head, relation]))
            .with("hash_bits", self.hash_bits)
            .with("siblings", self.siblings)
            .with("features", ParsingStructure::FEATURES)
    }

    fn load(stored: &Stored, _: usize) -> std::result::Result<Self, String> {
        match stored.loss()?.as_str() {
            "arcs" => {}
            loss => return unknown_loss(loss),
        }
        if stored.field("features") != Ok(ParsingStructure::FEATURES) {
            return Err("its features are those of another version; train it again".into());
        }
        let tree: String = stored.field("tree")?;
        let trees = TREES.iter().find(|(name, _)| *name == tree);
        let (head, relation) = stored.field("arc_costs")?;
        Ok(Self {
            trees: trees.ok_or("the kind of trees is not known to this version")?.1,
            roots: if stored.field("single_root")? { Roots::One } else { Roots::Any },
            loss: ArcLoss { head, relation },
            hash_bits: stored.field("hash_bits")?,
            siblings: stored.field("siblings")?,
            projectivize: false,
        })
    }

    fn loss_name(&self) -> &'static str {
        "arcs"
    }

    fn describe(structure: &ParsingStructure, task: &Self) -> String {
        let ArcLoss { head, relation } = task.loss;
        let roots =
            if task.roots == Roots::One { "one word below the root" } else { "any words below the root" };
        format!(
            "{} trees with {roots}{}, {}, {} hash bits; a wrong head costs {}, a wrong relation {}",
            task.tree_name(),
            if task.siblings { " and features of siblings" } else { "" },
            count(structure.relations(), "relation"),
            task.hash_bits,
            number(head),
            number(relation),
        )
    }

    fn facts(_: &ParsingStructure, task: &Self) -> Map<String, Value> {
        let facts = [
            ("tree", json!(task.tree_name())),
            ("single_root", json!(task.roots == Roots::One)),
            ("head_cost", json!(task.loss.head)),
            ("relation_cost", json!(task.loss.relation)),
            ("hash_bits", json!(task.hash_bits)),
            ("siblings", json!(task.siblings)),
        ];
        facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Head and relation of each word.
    fn name(_: &ParsingStructure, names: &Vocabulary, _: &Sentence, label: &DependencyTree) -> Value {
        label.arcs().map(|(head, _, relation)| json!([head, names.labels.name(relation)])).collect()
    }

    fn is_right(data: &TreeExamples, example: usize, variable: usize, value: u32) -> Option<bool> {
        let truth = data.tree(example)?;
        let (head, relation) = (truth.heads.get(variable)?, truth.relations.get(variable)?);
        Some(value == head << 16 | relation)
    }

    fn write(label: &Value) -> String {
        let word = |arc: &Value| format!("{}\t{}", arc[0], arc[1].as_str().unwrap_or("_"));
        let words: Vec<String> = label.as_array().into_iter().flatten().map(word).collect();
        words.join("\n")
    }

    fn metrics(structure: &ParsingStructure, comparison: ComparisonOf<'_, Self>) -> Metrics {
        metrics::metrics(structure, comparison)
    }

    fn demo(say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        demo::run(say)
    }
}
