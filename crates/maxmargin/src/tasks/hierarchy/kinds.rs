//! What differs between labels of one node and labels of several.

use std::fmt::Debug;
use std::sync::Arc;

use serde_json::Value;

use super::node_scores::node_scores;
use super::options::{LossChoice, Norm};
use super::{HierarchyExamples, HierarchyOptions};
use crate::data::{TaskData, Vocabulary};
use crate::error::{Error, Result};
use crate::features::Rows;
use crate::inference::{Hierarchy, SetRules};
use crate::search::Strategy;
use crate::structure::{
    LabelSet, NodeLoss, NodeOptions, NodeSetOptions, NodeSetStructure, NodeStructure, SetLoss, Structure,
};
use crate::surrogate::Surrogate;

/// The label of a kind of labels.
pub(super) type LabelOf<K> = <<K as LabelKind>::Structure as Structure>::Label;
/// The scores of a kind of labels.
pub(super) type ScoresOf<K> = <<K as LabelKind>::Structure as Structure>::Scores;

/// Labels of one node, or of several.
pub trait LabelKind: Clone + Copy + Debug + Default + Send + Sync + 'static {
    /// What finds labels.
    type Structure: Structure<Input = Rows, Label: Default> + Clone + Debug + Send + 'static;

    /// The word for it in options and model files.
    const NAME: &'static str;
    /// What the stratified search needs of the loss, and what to do about a table of losses that is too large.
    const STRATIFIED_NEEDS: [&'static str; 2];

    /// The loss that is meant. Refused where there is none such.
    fn loss(options: &HierarchyOptions) -> Result<LossChoice>;

    /// Whether labels that end at inner nodes are to have a leaf of their own. Refused where there can be none.
    fn has_own_leaves(options: &HierarchyOptions) -> Result<bool>;

    /// The structure of options that are resolved.
    fn structure(options: &HierarchyOptions, features: usize) -> Result<Self::Structure>;

    /// The label with these most specific nodes.
    fn label(structure: &Self::Structure, ends: &[u32]) -> Result<LabelOf<Self>>;

    /// The nodes of a label, ascending.
    fn nodes(structure: &Self::Structure, label: &LabelOf<Self>) -> Vec<u32>;

    /// The loss of a label with these nodes where others are true, both with all above them; the truth has so many more that the
    /// structure does not know.
    fn loss_of_nodes(structure: &Self::Structure, truth: &[u32], predicted: &[u32], strange: usize) -> f64;

    /// A label by the names of its most specific nodes.
    fn name(structure: &Self::Structure, names: &Vocabulary, label: &LabelOf<Self>) -> Value;

    /// Whether a variable of a label is one of the nodes by which it is called, or none of its nodes.
    fn is_named(structure: &Self::Structure, label: &LabelOf<Self>, variable: usize) -> bool {
        let _ = (structure, label, variable);
        true
    }

    /// What a variable is called, where it is in a label or not.
    fn member(names: &Vocabulary, variable: usize) -> Option<Value> {
        let _ = (names, variable);
        None
    }

    /// Σ of the squared weights of each node, and of each leaf of a label's own.
    fn squares(structure: &Self::Structure, weights: &[f64]) -> Vec<f64>;

    /// How much speaks for each node.
    fn node_scores(structure: &Self::Structure, scores: &ScoresOf<Self>, out: &mut Vec<f64>);

    /// Whether areas under precision-recall curves are of interest.
    const HAS_AREAS: bool;

    /// Whether it is right that a variable of an example's label has this value; none where nothing is predicted by it.
    fn is_right(data: &HierarchyExamples, example: usize, variable: usize, value: u32) -> Option<bool>;

    /// Whether the loss of resolved options is the number of mistakes.
    fn counts_mistakes(options: &HierarchyOptions) -> bool;

    /// Whether the stratified search applies without rounding.
    fn has_whole_losses(structure: &Self::Structure, surrogate: Surrogate) -> bool;

    /// The search that is best for a surrogate, and why.
    fn best_search(structure: &Self::Structure, surrogate: Surrogate) -> (Strategy, &'static str);
}

/// Each label is one node, with all above it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct One;

impl LabelKind for One {
    type Structure = NodeStructure;

    const NAME: &'static str = "one";
    const STRATIFIED_NEEDS: [&'static str; 2] = ["nothing", "use hull"];
    const HAS_AREAS: bool = false;

    fn loss(options: &HierarchyOptions) -> Result<LossChoice> {
        match (options.loss, options.norm) {
            (LossChoice::Auto, Norm::Flat | Norm::Ssvm) => Ok(LossChoice::ZeroOne),
            (LossChoice::Auto, Norm::Hsvm) => Ok(LossChoice::Nodes),
            (LossChoice::Auto, Norm::Nhsvm) => Ok(LossChoice::Normalized),
            (LossChoice::Leaves, _) => Err(Error::parameter(
                "loss",
                "leaves are counted where labels have several nodes; for one node there are zero-one, nodes and normalized",
            )),
            (LossChoice::Nodes | LossChoice::Normalized, Norm::Flat) => Err(Error::parameter(
                "loss",
                "flat labels share nothing, so that a mistake is a mistake: zero-one; the other losses go with the option norm=hsvm or norm=nhsvm",
            )),
            (loss, _) => Ok(loss),
        }
    }

    /// Where α add up to 1 on the way to each leaf, they do so for each label only if that ends at a leaf: then labels have features of one
    /// length (6.4), and flat labels are a special case of the shared norm.
    fn has_own_leaves(options: &HierarchyOptions) -> Result<bool> {
        match (options.own_leaves, options.norm) {
            (Some(true), Norm::Flat) => Err(Error::parameter(
                "own-leaves",
                "flat labels have all their weights for themselves; leave it out",
            )),
            (None, Norm::Nhsvm | Norm::Ssvm) => Ok(true),
            (None, Norm::Flat | Norm::Hsvm) => Ok(false),
            (Some(answer), _) => Ok(answer),
        }
    }

    fn structure(options: &HierarchyOptions, features: usize) -> Result<NodeStructure> {
        let hierarchy = options.learnt_hierarchy()?;
        let loss = match Self::loss(options)? {
            LossChoice::Nodes => NodeLoss::Difference { costs: None },
            LossChoice::Normalized => {
                let settled = &options.settled;
                NodeLoss::Distance {
                    weights: settled.loss_alphas.as_ref().or(settled.alphas.as_ref()).cloned(),
                }
            }
            _ => NodeLoss::ZeroOne,
        };
        let labels = options.settled.ends.as_ref().map(|ends| ends.to_vec());
        let of_nodes = NodeOptions {
            bias: options.bias,
            alpha: options.settled.alphas.clone(),
            labels,
            own_leaves: !options.settled.own.is_empty(),
            loss,
        };
        let structure = match options.weights.pairs_of(features)? {
            None => NodeStructure::new(features, hierarchy, of_nodes)?,
            Some(pairs) => NodeStructure::with_pairs(pairs, hierarchy, of_nodes)?,
        };
        Ok(if options.norm == Norm::Ssvm { structure.with_shared_norm()? } else { structure })
    }

    fn label(structure: &NodeStructure, ends: &[u32]) -> Result<u32> {
        match ends {
            [node] if structure.labels().binary_search(node).is_ok() => Ok(*node),
            [node] => {
                let problem = format!(
                    "it ends at node {node}, which has others below it; the option inner=yes allows that"
                );
                Err(Error::parameter("label", problem))
            }
            _ => {
                let problem = format!(
                    "it has {} nodes that are not above each other; the option label-count=many is for that",
                    ends.len()
                );
                Err(Error::parameter("label", problem))
            }
        }
    }

    fn nodes(structure: &NodeStructure, label: &u32) -> Vec<u32> {
        structure.hierarchy().ancestors(*label).to_vec()
    }

    fn loss_of_nodes(structure: &NodeStructure, truth: &[u32], predicted: &[u32], strange: usize) -> f64 {
        // Where a part of the truth is strange, it does not end where the rest does.
        let to_the_end = |nodes: &[u32], is_whole: bool| {
            let ends = if is_whole { structure.hierarchy().ends(nodes) } else { Vec::new() };
            let mut nodes =
                [nodes, &ends.iter().map(|&end| structure.end_of(end)).collect::<Vec<_>>()].concat();
            nodes.sort_unstable();
            nodes.dedup();
            nodes
        };
        let (truth, predicted) = (to_the_end(truth, strange == 0), to_the_end(predicted, true));
        let cost = |costs: &Option<Arc<[f64]>>| {
            let of_node = |node: &u32| costs.as_ref().map_or(1.0, |costs| costs[*node as usize]);
            let missed = truth.iter().filter(|node| predicted.binary_search(node).is_err()).map(of_node);
            let wrong = predicted.iter().filter(|node| truth.binary_search(node).is_err()).map(of_node);
            missed.chain(wrong).sum::<f64>() + strange as f64
        };
        match structure.node_loss() {
            NodeLoss::Difference { costs } => cost(costs),
            NodeLoss::Distance { weights } => cost(weights).sqrt(),
            NodeLoss::ZeroOne | NodeLoss::Size { .. } => f64::from(u8::from(cost(&None) > 0.0)),
        }
    }

    fn name(_: &NodeStructure, names: &Vocabulary, label: &u32) -> Value {
        names.labels.name(*label).into()
    }

    fn squares(structure: &NodeStructure, weights: &[f64]) -> Vec<f64> {
        structure.node_squares(weights)
    }

    fn node_scores(structure: &NodeStructure, scores: &ScoresOf<Self>, out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(&scores.nodes()[..structure.hierarchy().nodes()]);
    }

    fn is_right(data: &HierarchyExamples, example: usize, _: usize, value: u32) -> Option<bool> {
        Some(data.labels_of(example) == [value])
    }

    fn counts_mistakes(options: &HierarchyOptions) -> bool {
        options.loss == LossChoice::ZeroOne
    }

    /// All labels are listed anyway.
    fn has_whole_losses(_: &NodeStructure, _: Surrogate) -> bool {
        true
    }

    fn best_search(_: &NodeStructure, _: Surrogate) -> (Strategy, &'static str) {
        (Strategy::Stratified, "all labels are looked at anyway")
    }
}

/// Each label is a set of nodes, with all above them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Many;

impl LabelKind for Many {
    type Structure = NodeSetStructure;

    const NAME: &'static str = "many";
    const STRATIFIED_NEEDS: [&'static str; 2] = [
        "a tree, and costs that are whole numbers",
        "stratified would need too much memory for the losses of a set; use hull",
    ];
    const HAS_AREAS: bool = true;

    fn loss(options: &HierarchyOptions) -> Result<LossChoice> {
        let refuse = |option: &str, problem: &str| Err(Error::parameter(option, problem));
        match (options.loss, options.norm) {
            (_, Norm::Flat) => refuse(
                "norm",
                "flat sets are what the task multilabel learns; here it is for one node per example",
            ),
            (LossChoice::ZeroOne, _) => {
                refuse("loss", "zero-one is for one node per example; for several there are nodes and leaves")
            }
            (LossChoice::Normalized, _) => refuse(
                "loss",
                "normalized is for one node per example; for several there are nodes and leaves",
            ),
            (LossChoice::Auto, Norm::Nhsvm | Norm::Ssvm) if !options.ends_inside() => Ok(LossChoice::Leaves),
            (LossChoice::Auto, _) => Ok(LossChoice::Nodes),
            (loss, _) => Ok(loss),
        }
    }

    /// A set that ends at an inner node is one that has none of its children: a leaf of its own that says so would make every set one that
    /// must have a child of each inner node, which is hard to find in graphs and is not what closures are about.
    fn has_own_leaves(options: &HierarchyOptions) -> Result<bool> {
        match options.own_leaves {
            Some(true) => Err(Error::parameter(
                "own-leaves",
                "leaves of labels' own are for one node per example; these have several",
            )),
            Some(false) | None => Ok(false),
        }
    }

    fn structure(options: &HierarchyOptions, features: usize) -> Result<NodeSetStructure> {
        let hierarchy = options.learnt_hierarchy()?;
        let is_leaf = |node: u32| f64::from(u8::from(hierarchy.is_leaf(node)));
        let weights = (Self::loss(options)? == LossChoice::Leaves)
            .then(|| (0..hierarchy.nodes() as u32).map(is_leaf).collect());
        let loss = SetLoss::Hamming { weights, mean: false };
        let rules =
            SetRules { needs_child: !options.ends_inside(), never_empty: options.settled.never_empty };
        let of_sets =
            NodeSetOptions { bias: options.bias, alpha: options.settled.alphas.clone(), rules, loss };
        let structure = match options.weights.pairs_of(features)? {
            None => NodeSetStructure::new(features, hierarchy, of_sets)?,
            Some(pairs) => NodeSetStructure::with_pairs(pairs, hierarchy, of_sets)?,
        };
        Ok(if options.norm == Norm::Ssvm { structure.with_shared_norm()? } else { structure })
    }

    fn label(structure: &NodeSetStructure, ends: &[u32]) -> Result<LabelSet> {
        let hierarchy = structure.hierarchy();
        if let Some(end) = ends.iter().find(|&&end| structure.rules().needs_child && !hierarchy.is_leaf(end))
        {
            let problem =
                format!("it ends at node {end}, which has others below it; the option inner=yes allows that");
            return Err(Error::parameter("label", problem));
        }
        Ok(LabelSet::of(&hierarchy.closure(ends)))
    }

    fn nodes(_: &NodeSetStructure, label: &LabelSet) -> Vec<u32> {
        label.on().to_vec()
    }

    fn loss_of_nodes(structure: &NodeSetStructure, truth: &[u32], predicted: &[u32], strange: usize) -> f64 {
        structure.loss_between(&LabelSet::of(truth), &LabelSet::of(predicted)) + strange as f64
    }

    fn name(structure: &NodeSetStructure, names: &Vocabulary, label: &LabelSet) -> Value {
        structure.hierarchy().ends(label.on()).iter().map(|&node| names.labels.name(node)).collect()
    }

    fn is_named(structure: &NodeSetStructure, label: &LabelSet, variable: usize) -> bool {
        let below = structure.hierarchy().children(variable as u32);
        !below.iter().any(|child| label.on().binary_search(child).is_ok())
    }

    fn member(names: &Vocabulary, variable: usize) -> Option<Value> {
        Some(names.labels.name(variable as u32).into())
    }

    fn squares(structure: &NodeSetStructure, weights: &[f64]) -> Vec<f64> {
        structure.node_squares(weights)
    }

    fn node_scores(structure: &NodeSetStructure, scores: &ScoresOf<Self>, out: &mut Vec<f64>) {
        node_scores(structure.hierarchy(), scores.nodes(), out);
    }

    fn is_right(data: &HierarchyExamples, example: usize, variable: usize, value: u32) -> Option<bool> {
        (value == 1).then(|| data.nodes_of(example).binary_search(&(variable as u32)).is_ok())
    }

    fn counts_mistakes(options: &HierarchyOptions) -> bool {
        options.loss == LossChoice::Nodes
    }

    fn has_whole_losses(structure: &NodeSetStructure, surrogate: Surrogate) -> bool {
        match (surrogate, structure.offers().sets) {
            (Surrogate::MicroF1, Some(sets)) => sets.with_sizes(None).check_strata().is_ok(),
            (Surrogate::MicroF1, None) => false,
            _ => structure.check_strata().is_ok(),
        }
    }

    fn best_search(structure: &NodeSetStructure, surrogate: Surrogate) -> (Strategy, &'static str) {
        match Self::has_whole_losses(structure, surrogate) {
            true => (Strategy::Stratified, "exact, and one look at all losses"),
            false => (Strategy::Hull, "exact, whatever the losses"),
        }
    }
}

impl HierarchyOptions {
    /// The hierarchy whose blocks of weights are learnt: flat labels have none above them.
    fn learnt_hierarchy(&self) -> Result<Arc<Hierarchy>> {
        let hierarchy = self.taxonomy()?.hierarchy();
        match self.norm {
            Norm::Flat => {
                let flat = Hierarchy::forest(&vec![None; hierarchy.nodes()]);
                Ok(Arc::new(flat?))
            }
            Norm::Hsvm | Norm::Nhsvm | Norm::Ssvm => Ok(Arc::clone(hierarchy)),
        }
    }

    /// The hierarchy with the leaves that labels have of their own.
    pub(super) fn with_own_leaves(&self) -> Result<Arc<Hierarchy>> {
        let hierarchy = self.taxonomy()?.hierarchy();
        match &*self.settled.own {
            [] => Ok(Arc::clone(hierarchy)),
            own => Ok(Arc::new(hierarchy.with_leaves_below(own)?)),
        }
    }

    /// Whether labels may end at nodes that have others below them. Where nodes have several parents they may unless an option forbids
    /// it: that an inner node needs a child makes the best set hard to find.
    fn ends_inside(&self) -> bool {
        let Some(taxonomy) = &self.settled.taxonomy else { return true };
        let hierarchy = taxonomy.hierarchy();
        let is_inner = |end: &u32| !hierarchy.is_leaf(*end);
        let seen = self.settled.ends.as_ref().is_none_or(|ends| ends.iter().any(is_inner));
        seen || self.inner.is_none() && !hierarchy.is_tree()
    }
}
