//! What can be asked for of a hierarchy.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{AlphaChoice, Taxonomy};
use crate::data::Shape;
use crate::error::{Error, Result};
use crate::structure::alpha::USUAL_LIMIT;
use crate::tasks::option::{NO_BIAS, choice, one, unknown};
use crate::tasks::seen_weights::WEIGHTS;
use crate::tasks::{SeenWeights, TaskOption};

/// How many most specific nodes an example has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LabelCount {
    /// One where each example has one, else several.
    #[default]
    Auto,
    /// One.
    One,
    /// Any number.
    Many,
}

/// Which weights labels share, and how large these may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Norm {
    /// None: each label has weights of its own.
    Flat,
    /// A block for each node, all alike (THESIS 6.2).
    #[default]
    Hsvm,
    /// A block for each node, scaled by weights α_n of nodes (THESIS 6.10).
    Nhsvm,
    /// A block for each node, under the shared norm, whose α_n the data choose (THESIS 6.17).
    Ssvm,
}

impl Norm {
    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Norm::Flat => "flat",
            Norm::Hsvm => "hsvm",
            Norm::Nhsvm => "nhsvm",
            Norm::Ssvm => "ssvm",
        }
    }
}

/// What a wrong label costs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LossChoice {
    /// What goes with the norm.
    #[default]
    Auto,
    /// 1 for every mistake.
    ZeroOne,
    /// The nodes that are wrongly in or out.
    Nodes,
    /// The leaves that are wrongly in or out.
    Leaves,
    /// √ of the α of nodes that are wrongly in or out (THESIS 6.9).
    Normalized,
}

impl LossChoice {
    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            LossChoice::Auto => "auto",
            LossChoice::ZeroOne => "zero-one",
            LossChoice::Nodes => "nodes",
            LossChoice::Leaves => "leaves",
            LossChoice::Normalized => "normalized",
        }
    }

    const ALL: [Self; 5] = [Self::Auto, Self::ZeroOne, Self::Nodes, Self::Leaves, Self::Normalized];
}

impl FromStr for LossChoice {
    type Err = ();

    fn from_str(name: &str) -> std::result::Result<Self, ()> {
        Self::ALL.into_iter().find(|loss| loss.name() == name).ok_or(())
    }
}

impl fmt::Display for LossChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The options of hierarchies, whether labels are one node or several.
#[derive(Debug, Clone)]
pub struct HierarchyOptions {
    /// A file with the hierarchy; without it, the data declares it, or its labels are paths.
    pub file: Option<PathBuf>,
    /// A file with what nodes are called in the data.
    pub node_names: Option<PathBuf>,
    /// Whether nodes of the file may have several parents.
    pub shape: Shape,
    /// How many nodes an example has.
    pub count: LabelCount,
    /// Which weights labels share.
    pub norm: Norm,
    /// How the weights of nodes are found, for [`Norm::Nhsvm`] and for [`LossChoice::Normalized`] with [`Norm::Ssvm`].
    pub alpha: AlphaChoice,
    /// What α may add up to on the way to a leaf where nodes have several parents; in a tree it is 1.
    pub alpha_limit: f64,
    /// What a wrong label costs.
    pub loss: LossChoice,
    /// Whether labels may end at any inner node, or at none; without it, where those of the training data do.
    pub inner: Option<bool>,
    /// Whether labels of one node that end at inner nodes have a leaf of their own there; without it, where α add up to 1 on the way to
    /// each leaf.
    pub own_leaves: Option<bool>,
    /// Which pairs of attributes and nodes have weights.
    pub weights: SeenWeights,
    /// Whether there is a constant feature.
    pub bias: bool,
    /// What training data has settled, once it was seen.
    pub settled: Settled,
}

/// What training data settles about a hierarchy.
#[derive(Debug, Clone)]
pub struct Settled {
    pub(super) taxonomy: Option<Arc<Taxonomy>>,
    /// The nodes with a leaf of their own, ascending. Lists of nodes go on with these leaves.
    pub(super) own: Arc<[u32]>,
    /// α_n of each node, where they are not all 1.
    pub(super) alphas: Option<Arc<[f64]>>,
    /// α_n of each node in the loss, where those of the weights are found in training.
    pub(super) loss_alphas: Option<Arc<[f64]>>,
    /// The nodes that labels may end at, ascending.
    pub(super) ends: Option<Arc<[u32]>>,
    /// Whether the empty set is no label.
    pub(super) never_empty: bool,
    /// How many examples have each node.
    pub(super) support: Option<Arc<[u32]>>,
}

impl Default for Settled {
    fn default() -> Self {
        Self {
            taxonomy: None,
            own: Arc::default(),
            alphas: None,
            loss_alphas: None,
            ends: None,
            never_empty: true,
            support: None,
        }
    }
}

impl Default for HierarchyOptions {
    fn default() -> Self {
        Self {
            file: None,
            node_names: None,
            shape: Shape::Tree,
            count: LabelCount::Auto,
            norm: Norm::default(),
            alpha: AlphaChoice::default(),
            alpha_limit: USUAL_LIMIT,
            loss: LossChoice::Auto,
            inner: None,
            own_leaves: None,
            weights: SeenWeights::default(),
            bias: true,
            settled: Settled::default(),
        }
    }
}

const HIERARCHY: TaskOption = TaskOption::value("hierarchy", "FILE", "The hierarchy of the labels").more(
    "Lines `parent child`, or paths like a/b/c, or one number per line: that of each node's parent (-1 for none where nodes count \
     from 0, 0 where they count from 1). A node above all others is the root, and no label. Without it, the data declares its \
     hierarchy (arff of CLUS: an attribute of type hierarchical), or its labels are paths like a/b/c. Nodes that no training example \
     has are left out.",
);
const NODE_NAMES: TaskOption =
    TaskOption::value("node-names", "FILE", "What labels of the data are called in the hierarchy").more(
        "Lines `label node`, for data whose labels are numbers or the like. Labels that it does not name are nodes by themselves.",
    );
const DAG: TaskOption = TaskOption::switch("dag", "Nodes of the file may have several parents").more(
    "Without it that is an error, since it is mostly a slip. Not needed for hierarchies that the data declares.",
);
const LABEL_COUNT: TaskOption =
    TaskOption::value("label-count", "COUNT", "How many nodes an example has: auto, one or many")
        .default("auto")
        .more("Those above them are not counted. auto: one where each training example has one.");
const NORM: TaskOption =
    TaskOption::value("norm", "NORM", "Which weights labels share: flat, hsvm, nhsvm or ssvm").default("hsvm").more(
        "hsvm: each node has weights, and the score of a label is the sum over its nodes and all above them. nhsvm: the same with \
         nodes scaled by α, which says how much of a path each node is. ssvm: the shared norm, \
         whose α the data choose. flat: none, each label has weights of its own.",
    );
const ALPHA: TaskOption = TaskOption::value("alpha", "RULE", "How nhsvm scales nodes: rho=R[,directed], maxmin or auto")
    .default("rho=2")
    .more(
        "α add up to 1 on the way to each leaf. rho=R, a number above 1: of these the ones with the least sum of α to the power R; the \
         smaller R, the more do nodes at the top take. rho=R,directed: the same where no node has less than its parents. maxmin: the \
         largest least α, where no node has less than its parents. auto: what predicts held-out examples best of rho=2, maxmin, \
         rho=2,directed, rho=1.5, hsvm and, for one node, flat, each with its own λ unless that is named. With the option norm=ssvm and \
         the option loss=normalized these are the α of the loss.",
    )
    .idle_with("norm", "hsvm");
const ALPHA_LIMIT: TaskOption = TaskOption::value(
    "alpha-limit",
    "T",
    "What α may add up to on the way to a leaf, where nodes have several parents",
)
.default("1.5")
.more("With 1 most nodes of such graphs have no weights at all. In a tree it is 1.")
.idle_with("norm", "hsvm");
const LOSS: TaskOption = TaskOption::value(
    "loss",
    "LOSS",
    "The task loss: zero-one, nodes, leaves, normalized",
)
.default("by the norm")
.more(
    "nodes: how many nodes are in one of the two labels only, with all above them. leaves: the same of leaves. normalized: the square \
     root of what α these nodes have; with --norm ssvm those of --alpha. zero-one: 1 for a wrong label. By default nodes; with --norm nhsvm normalized for one node and \
     leaves for several; with --norm flat zero-one.",
);
const INNER: TaskOption =
    TaskOption::value("inner", "WHERE", "Whether labels may end at inner nodes: auto, yes or no").default("auto").more(
        "auto: where labels of the training data do; with several nodes per example, anywhere if one of them does, or if nodes have \
         several parents. no: an example whose label does is an error.",
    );

const OWN_LEAVES: TaskOption =
    TaskOption::value("own-leaves", "WHERE", "Whether labels at inner nodes have a leaf of their own: auto, yes or no")
        .default("auto")
        .more(
            "One node per example: a label that ends at a node with others below it gets weights that these do not share, as if it were \
             written as a leaf below itself. Predictions, metrics and files know the node only. Without it nhsvm and ssvm have less α on \
             the way to such a label than to others. auto: with nhsvm and ssvm.",
        );

/// The options of the task.
pub(super) fn all() -> Vec<TaskOption> {
    vec![
        HIERARCHY,
        NODE_NAMES,
        DAG,
        LABEL_COUNT,
        NORM,
        ALPHA,
        ALPHA_LIMIT,
        LOSS,
        INNER,
        OWN_LEAVES,
        WEIGHTS,
        NO_BIAS,
    ]
}

/// What `auto`, `yes` and `no` stand for.
const ANSWERS: [(&str, Option<bool>); 3] = [("auto", None), ("yes", Some(true)), ("no", Some(false))];

impl HierarchyOptions {
    /// Sets an option by its name.
    pub(super) fn set(&mut self, option: &str, values: &[String]) -> Result<()> {
        match option {
            "hierarchy" => self.file = Some(file(option, values)?),
            "node-names" => self.node_names = Some(file(option, values)?),
            "dag" => self.shape = Shape::Dag,
            "label-count" => {
                let choices =
                    [("auto", LabelCount::Auto), ("one", LabelCount::One), ("many", LabelCount::Many)];
                self.count = choice(option, values, &choices)?;
            }
            "norm" => {
                let choices =
                    [Norm::Flat, Norm::Hsvm, Norm::Nhsvm, Norm::Ssvm].map(|norm| (norm.name(), norm));
                self.norm = choice(option, values, &choices)?;
            }
            "alpha" => self.alpha = one(option, values)?.parse()?,
            "alpha-limit" => {
                let limit = one(option, values)?
                    .parse()
                    .ok()
                    .filter(|limit: &f64| limit.is_finite() && *limit >= 1.0);
                let problem = "it must be a number of at least 1";
                self.alpha_limit = limit.ok_or_else(|| Error::parameter(option, problem))?;
            }
            "loss" => self.loss = choice(option, values, &LossChoice::ALL.map(|loss| (loss.name(), loss)))?,
            "inner" => self.inner = choice(option, values, &ANSWERS)?,
            "own-leaves" => self.own_leaves = choice(option, values, &ANSWERS)?,
            "weights" => self.weights.set(option, values)?,
            "no-bias" => self.bias = false,
            _ => return Err(unknown("hierarchy", option)),
        }
        Ok(())
    }

    /// The files that options name.
    pub(super) fn files(&self) -> Vec<(&'static str, PathBuf)> {
        let hierarchy = self.file.iter().map(|file| ("hierarchy", file.clone()));
        hierarchy.chain(self.node_names.iter().map(|file| ("node-names", file.clone()))).collect()
    }

    /// The hierarchy. Refused where no data was seen.
    pub fn taxonomy(&self) -> Result<&Arc<Taxonomy>> {
        let problem = "it is not known before the data; resolve the task for some";
        self.settled.taxonomy.as_ref().ok_or_else(|| Error::parameter("hierarchy", problem))
    }

    /// α_n of each node, and then of each leaf of a label's own, where they are not all 1 and data was seen.
    pub fn alphas(&self) -> Option<&Arc<[f64]>> {
        self.settled.alphas.as_ref()
    }
}

fn file(option: &str, values: &[String]) -> Result<PathBuf> {
    match one(option, values)? {
        "" => Err(Error::parameter(option, "it needs the name of a file")),
        file => Ok(file.into()),
    }
}
