//! The task for labels of one kind: one node each, or several.

use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::kinds::{LabelKind, LabelOf};
use super::metrics::{HierarchyMetrics, areas};
use super::options::{self, LossChoice, Norm, Settled};
use super::taxonomy::StoredTaxonomy;
use super::{AlphaChoice, HierarchyExamples, HierarchyOptions, Taxonomy, drawing};
use crate::data::{Alphabet, Dataset, ReadOptions, Reading, TaskData, UNKNOWN_LABEL, Vocabulary, join_names};
use crate::error::{Error, Result};
use crate::features::Rows;
use crate::linear::SeenPairs;
use crate::metrics::Metrics;
use crate::search::Strategy;
use crate::shown::excerpt;
use crate::structure::alpha::USUAL_LIMIT;
use crate::surrogate::Surrogate;
use crate::tasks::{ComparisonOf, DrawnTree, SeenWeights, Stored, Task, TaskOption, WeightNames};

/// The task with labels of one kind.
///
/// ```
/// use maxmargin::data::FeatureMatrix;
/// use maxmargin::inference::Hierarchy;
/// use maxmargin::tasks::{HierarchyExamples, NodeTask};
/// use maxmargin::{Examples, Trainer};
/// let hierarchy = Hierarchy::forest(&[None, Some(0), Some(0), None])?;
/// let features = FeatureMatrix::from_dense(&[[1.0, 0.0], [1.0, 1.0], [0.0, 0.5]]);
/// let data = HierarchyExamples::from_sets(features, &[[1], [2], [3]], hierarchy)?;
/// let model = Trainer::new(NodeTask::default()).lambda(0.01).train(&Examples::from_numbers(data)?)?;
/// assert_eq!(model.predict_numbers(&[[1.0, 0.9]])?.names(), ["2"]);
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct HierarchyTask<K: LabelKind> {
    /// What is asked for.
    pub options: HierarchyOptions,
    kind: PhantomData<K>,
}

impl<K: LabelKind> From<HierarchyOptions> for HierarchyTask<K> {
    fn from(options: HierarchyOptions) -> Self {
        Self { options, kind: PhantomData }
    }
}

/// What a leaf is called that a node has of its own as a label.
pub(super) fn own_leaf_name(node: &str) -> String {
    format!("{node} (itself)")
}

/// The tensors of a model file.
const ALPHA: &str = "alpha";
const LOSS_ALPHA: &str = "loss_alpha";
const SUPPORT: &str = "support";

impl Settled {
    /// The leaf that a node has of its own as a label: they are numbered after all nodes.
    fn own_leaf(&self, node: u32) -> Option<u32> {
        let nodes = self.taxonomy.as_ref()?.hierarchy().nodes();
        self.own.binary_search(&node).ok().map(|place| (nodes + place) as u32)
    }
}

impl HierarchyOptions {
    /// With the pairs of attributes and nodes that examples have, where only these are to have weights.
    fn weights_of(&self, data: &HierarchyExamples, nodes: usize) -> Result<SeenWeights> {
        let columns = data.features().map_or(0, |features| features.columns());
        self.weights.resolved(columns, nodes + self.settled.own.len(), |see| {
            for i in 0..data.len() {
                let input = data.rows().input(i);
                let named = data.named_of(i).iter().copied().filter(|&node| node != UNKNOWN_LABEL);
                let named: Vec<u32> = named.collect();
                let own: Vec<u32> = named.iter().filter_map(|&node| self.settled.own_leaf(node)).collect();
                let mut of_example = if self.norm == Norm::Flat { named } else { data.closed(named) };
                of_example.extend(own);
                (0..input.len()).for_each(|row| see(input.row(row), &of_example));
            }
        })
    }
}

impl<K: LabelKind> Task for HierarchyTask<K> {
    type Data = HierarchyExamples;
    type Structure = K::Structure;

    const NAME: &'static str = super::NAME;
    const ABOUT: &'static str = super::ABOUT;
    const HAS_SETS: bool = true;
    const HAS_CANDIDATES: bool = true;

    /// Which nodes there are, and where labels end, goes by names.
    const OF_DATA: &'static [&'static str] =
        &["hierarchy", "ends", "inner", "own_leaves", "never_empty", "alpha_rule"];

    fn options() -> Vec<TaskOption> {
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
    ) -> Result<Reading<HierarchyExamples>> {
        self.options.read(files, options, known)
    }

    fn examples(&self, table: Dataset, known: &Vocabulary) -> Result<HierarchyExamples> {
        self.options.examples(table, known, &self.options.named_nodes()?)
    }

    fn table_options(&self, options: &ReadOptions) -> Result<ReadOptions> {
        Ok(self.options.table_options(options, &self.options.named_nodes()?))
    }

    fn variants(&self, data: &HierarchyExamples) -> Result<Vec<(String, Self)>> {
        let Some(taxonomy) = data.taxonomy() else { return Ok(Vec::new()) };
        let variants = self.options.variants::<K>(taxonomy.hierarchy()).into_iter();
        Ok(variants.map(|(name, options)| (name, options.into())).collect())
    }

    fn check_decided(&self) -> Result<()> {
        match self.options.is_undecided() {
            true => Err(Error::parameter(
                "alpha",
                "auto is chosen where a model is trained with one λ, or with one that is chosen as well (train); name a rule here",
            )),
            false => Ok(()),
        }
    }

    fn resolve(&self, names: &Vocabulary, data: &HierarchyExamples) -> Result<Self> {
        self.options.check_auto()?;
        let Some(taxonomy) = data.taxonomy() else {
            return Err(Error::parameter("training data", "no example has a label"));
        };
        let hierarchy = taxonomy.hierarchy();
        if hierarchy.nodes() != names.labels.len() {
            let problem = format!("{} names for {} nodes", names.labels.len(), hierarchy.nodes());
            return Err(Error::parameter("hierarchy", problem));
        }
        if self.options.inner == Some(false) {
            for i in 0..data.len() {
                let is_inner = |node: &&u32| **node != UNKNOWN_LABEL && !hierarchy.is_leaf(**node);
                if let Some(&node) = data.named_of(i).iter().find(is_inner) {
                    let problem = format!(
                        "example {} of the training data ends at `{}`, which has others below it; the option inner=yes allows that",
                        i + 1,
                        excerpt(names.labels.name(node))
                    );
                    return Err(Error::parameter("inner", problem));
                }
            }
        }
        if hierarchy.is_tree() && self.options.norm == Norm::Nhsvm && self.options.alpha_limit != USUAL_LIMIT
        {
            let problem = "in a tree α always add up to 1 on the way to a leaf; this is for graphs in which nodes have several parents, leave it out";
            return Err(Error::parameter("alpha-limit", problem));
        }
        let mut ends = vec![false; hierarchy.nodes()];
        for i in 0..data.len() {
            let known = data.named_of(i).iter().filter(|&&node| node != UNKNOWN_LABEL);
            known.for_each(|&node| ends[node as usize] = true);
        }
        let is_end = |node: &u32| match self.options.inner {
            None => ends[*node as usize],
            Some(true) => true,
            Some(false) => hierarchy.is_leaf(*node),
        };
        let never_empty = (0..data.len()).all(|i| !data.labels_of(i).is_empty());
        // Leaves that no example of a part of the data has are labels all the same.
        let ends: Vec<u32> =
            (0..hierarchy.nodes() as u32).filter(|node| is_end(node) || hierarchy.is_leaf(*node)).collect();
        let own: Vec<u32> = match K::has_own_leaves(&self.options)? {
            true => ends.iter().copied().filter(|&end| !hierarchy.is_leaf(end)).collect(),
            false => Vec::new(),
        };
        let settled = Settled {
            taxonomy: Some(Arc::clone(taxonomy)),
            own: own.into(),
            ends: Some(ends.into()),
            never_empty,
            ..Settled::default()
        };
        let mut options = HierarchyOptions { settled, ..self.options.clone() };
        let graph = options.with_own_leaves()?;
        let by_rule = || -> Result<Option<Arc<[f64]>>> {
            Ok(Some(options.alpha.rule().weights(&graph, options.alpha_limit)?.into()))
        };
        let (alphas, loss_alphas) = match (options.norm, options.loss) {
            (Norm::Nhsvm, _) => (by_rule()?, None),
            (Norm::Ssvm, LossChoice::Normalized) => (None, by_rule()?),
            (Norm::Flat | Norm::Hsvm | Norm::Ssvm, _) => (None, None),
        };
        let mut support = vec![0u32; graph.nodes()];
        for i in 0..data.len() {
            let own = data.labels_of(i).iter().filter_map(|&node| options.settled.own_leaf(node));
            data.nodes_of(i).into_iter().chain(own).for_each(|node| support[node as usize] += 1);
        }
        options.settled = Settled { alphas, loss_alphas, support: Some(support.into()), ..options.settled };
        options.weights = options.weights_of(data, hierarchy.nodes())?;
        let loss = K::loss(&options)?;
        // Rules that are chosen among have losses of their own.
        let loss = if options.is_undecided() { options.loss } else { loss };
        Ok(HierarchyOptions { loss, ..options }.into())
    }

    fn structure(&self, features: usize, labels: usize) -> Result<K::Structure> {
        let nodes = self.options.taxonomy()?.hierarchy().nodes();
        if nodes != labels {
            let problem = format!("{labels} labels for a hierarchy of {nodes} nodes");
            return Err(Error::parameter("hierarchy", problem));
        }
        K::structure(&self.options, features)
    }

    fn input(data: &HierarchyExamples, example: usize) -> Rows {
        data.rows().input(example)
    }

    fn truth(structure: &K::Structure, data: &HierarchyExamples, example: usize) -> Result<LabelOf<K>> {
        K::label(structure, data.labels_of(example))
    }

    fn counts_mistakes(&self) -> bool {
        K::counts_mistakes(&self.options)
    }

    fn has_whole_losses(structure: &K::Structure, surrogate: Surrogate) -> bool {
        K::has_whole_losses(structure, surrogate)
    }

    const STRATIFIED_NEEDS: [&'static str; 2] = K::STRATIFIED_NEEDS;

    fn best_search(
        structure: &K::Structure,
        surrogate: Surrogate,
        _: &HierarchyExamples,
    ) -> (Strategy, &'static str) {
        K::best_search(structure, surrogate)
    }

    fn blocks(&self, features: usize, labels: usize) -> Vec<(&'static str, Vec<usize>)> {
        let constant = usize::from(self.options.bias);
        let nodes = labels + self.options.settled.own.len();
        match self.options.weights.pairs() {
            None => vec![("node", vec![features.saturating_add(constant), nodes])],
            Some(pairs) => {
                vec![("pair", vec![1, pairs.len()]), ("bias", vec![constant, nodes])]
            }
        }
    }

    /// Nodes, and then leaves that nodes have of their own as labels.
    fn weight_names(&self, labels: &Alphabet) -> WeightNames {
        let mut names = WeightNames::of_labels(labels);
        let own = self.options.settled.own.iter();
        names.columns.extend(own.map(|&node| (node as usize, own_leaf_name(labels.name(node)))));
        names
    }

    fn seen_pairs(&self) -> Option<&SeenPairs> {
        self.options.weights.pairs().map(Arc::as_ref)
    }

    fn save(&self) -> Stored {
        let options = &self.options;
        let mut stored = Stored::default()
            .with("bias", options.bias)
            .with("boundary", false)
            .with("loss", options.loss.name())
            .with("label_count", K::NAME)
            .with("norm", options.norm.name())
            .with("never_empty", options.settled.never_empty)
            .with("inner", options.inner)
            .with("own_leaves", !options.settled.own.is_empty())
            .with("tensors", [&[ALPHA, LOSS_ALPHA, SUPPORT][..], &SeenWeights::TENSORS].concat())
            .with("ends", options.settled.ends.as_deref().unwrap_or_default().to_vec());
        if let Some(taxonomy) = &options.settled.taxonomy {
            let taxonomy = serde_json::to_value(StoredTaxonomy::from(&**taxonomy)).unwrap_or_default();
            stored = stored.with("hierarchy", taxonomy);
        }
        for (name, alphas) in [(ALPHA, &options.settled.alphas), (LOSS_ALPHA, &options.settled.loss_alphas)] {
            if let Some(alphas) = alphas {
                stored = stored.with("alpha_rule", options.alpha.to_string());
                stored.add_tensor(name, vec![alphas.len()], alphas.to_vec());
            }
        }
        stored = options.weights.save(stored);
        if let Some(support) = &options.settled.support {
            stored.add_tensor(SUPPORT, vec![support.len()], support.iter().map(|&n| f64::from(n)).collect());
        }
        stored
    }

    fn load(stored: &Stored, labels: usize) -> std::result::Result<Self, String> {
        let taxonomy = Taxonomy::from(stored.field::<StoredTaxonomy>("hierarchy")?);
        let hierarchy = taxonomy.hierarchy();
        if hierarchy.nodes() != labels {
            return Err(format!(
                "the hierarchy has {} nodes, but there are {labels} labels",
                hierarchy.nodes()
            ));
        }
        let ends: Vec<u32> = stored.field("ends")?;
        if !ends.is_sorted_by(|a, b| a < b) || ends.last().is_some_and(|&last| last as usize >= labels) {
            return Err("the description's ends are no nodes in ascending order".to_owned());
        }
        let loss = stored.loss()?;
        let Ok(loss) = loss.parse::<LossChoice>() else { return crate::tasks::stored::unknown_loss(&loss) };
        let norm: Norm = stored.field("norm")?;
        let mut options = HierarchyOptions {
            bias: stored.field("bias")?,
            inner: stored.field("inner")?,
            norm,
            loss,
            ..HierarchyOptions::default()
        };
        options.settled.never_empty = stored.field("never_empty")?;
        if stored.field::<Option<bool>>("own_leaves")? == Some(true) {
            options.settled.own = ends.iter().copied().filter(|&end| !hierarchy.is_leaf(end)).collect();
        }
        let nodes = labels + options.settled.own.len();
        options.settled.ends = Some(ends.into());
        let (is_scaled, has_alphas) =
            (norm == Norm::Nhsvm, loss == LossChoice::Normalized && norm == Norm::Ssvm);
        if is_scaled || has_alphas {
            let rule: String = stored.field("alpha_rule")?;
            options.alpha = AlphaChoice::Rule(rule.parse().map_err(|e: crate::EngineError| e.to_string())?);
            let alphas = stored.tensor(if is_scaled { ALPHA } else { LOSS_ALPHA }, &[nodes])?;
            let settled = &mut options.settled;
            *(if is_scaled { &mut settled.alphas } else { &mut settled.loss_alphas }) = Some(alphas.into());
        }
        options.weights = SeenWeights::load(stored, nodes)?;
        let support = stored.tensor(SUPPORT, &[nodes])?;
        options.settled.support = Some(support.iter().map(|&count| count as u32).collect());
        options.settled.taxonomy = Some(Arc::new(taxonomy));
        Ok(options.into())
    }

    fn loss_name(&self) -> &'static str {
        self.options.loss.name()
    }

    fn describe(_: &K::Structure, task: &Self) -> String {
        let options = &task.options;
        let bias = if options.bias { "bias" } else { "no bias" };
        let norm = match options.norm {
            Norm::Nhsvm => format!("nhsvm with alpha {}", options.alpha),
            Norm::Ssvm if options.settled.loss_alphas.is_some() => {
                format!("ssvm with alpha {} in the loss", options.alpha)
            }
            norm => norm.name().to_owned(),
        };
        let shape = options.settled.taxonomy.as_ref().map_or(String::new(), |taxonomy| {
            let hierarchy = taxonomy.hierarchy();
            let kind = if hierarchy.is_tree() { "tree" } else { "acyclic graph" };
            let inner = options
                .settled
                .ends
                .iter()
                .flat_map(|ends| ends.iter())
                .filter(|&&node| !hierarchy.is_leaf(node));
            let own = if options.settled.own.is_empty() { "" } else { ", each with a leaf of its own" };
            format!(
                ", {kind} with {} leaves and {} inner nodes that are labels{own}",
                hierarchy.leaves().len(),
                inner.count()
            )
        });
        format!(
            "{bias}, {norm}, {} per example{shape}",
            if K::NAME == "one" { "one node" } else { "several nodes" }
        )
    }

    fn facts(_: &K::Structure, task: &Self) -> Map<String, Value> {
        let options = &task.options;
        let parents = options.settled.taxonomy.as_ref().map(|taxonomy| {
            let hierarchy = taxonomy.hierarchy();
            (0..hierarchy.nodes() as u32).map(|node| hierarchy.parents(node).to_vec()).collect::<Vec<_>>()
        });
        // Of nodes, and of leaves of labels' own.
        let nodes = parents.as_ref().map_or(0, Vec::len);
        let alphas = options.settled.alphas.as_deref().and_then(|alphas| alphas.split_at_checked(nodes));
        let support = options.settled.support.as_deref().and_then(|support| support.split_at_checked(nodes));
        let has_rule = options.settled.alphas.is_some() || options.settled.loss_alphas.is_some();
        let facts = [
            ("bias", json!(options.bias)),
            ("norm", json!(options.norm.name())),
            ("label_count", json!(K::NAME)),
            ("alpha_rule", json!(has_rule.then(|| options.alpha.to_string()))),
            ("alpha", json!(alphas.map(|lists| lists.0))),
            ("parents", json!(parents)),
            ("support", json!(support.map(|lists| lists.0))),
            ("own_leaves", json!(&*options.settled.own)),
            ("own_leaf_alpha", json!(alphas.map(|lists| lists.1))),
            ("own_leaf_support", json!(support.map(|lists| lists.1))),
        ];
        facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn name(structure: &K::Structure, names: &Vocabulary, _: &Rows, label: &LabelOf<K>) -> Value {
        K::name(structure, names, label)
    }

    fn is_named(structure: &K::Structure, label: &LabelOf<K>, variable: usize) -> bool {
        K::is_named(structure, label, variable)
    }

    fn member(names: &Vocabulary, _: &Rows, variable: usize) -> Option<Value> {
        K::member(names, variable)
    }

    fn write(label: &Value) -> String {
        match label {
            Value::Array(names) => join_names(names.iter().filter_map(Value::as_str)),
            other => other.as_str().unwrap_or_default().to_owned(),
        }
    }

    fn is_right(data: &HierarchyExamples, example: usize, variable: usize, value: u32) -> Option<bool> {
        K::is_right(data, example, variable, value)
    }

    fn metrics(structure: &K::Structure, comparison: ComparisonOf<'_, Self>) -> Metrics {
        HierarchyMetrics::of::<K>(structure, comparison).named(K::NAME == "one")
    }

    fn score_metrics(
        structure: &K::Structure,
        weights: &[f64],
        truth: &HierarchyExamples,
        labels: usize,
    ) -> Vec<(&'static str, f64)> {
        let areas = K::HAS_AREAS.then(|| areas::<K>(structure, weights, truth, labels)).flatten();
        areas.map_or(Vec::new(), |areas| {
            vec![
                ("au_prc", areas.pooled),
                ("au_prc_average", areas.average),
                ("au_prc_weighted", areas.weighted),
            ]
        })
    }

    fn draw(
        &self,
        structure: &K::Structure,
        names: &Alphabet,
        weights: &[f64],
        around: &[u32],
    ) -> Option<DrawnTree> {
        drawing::tree(&self.options, names, &K::squares(structure, weights), around)
    }
}
