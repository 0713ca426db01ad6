//! Links between the nodes of a bipartite graph, each node with so many at most.

mod demo;
mod examples;
mod metrics;
pub mod sentence_pairs;

pub use examples::GraphExamples;
pub use metrics::LinkMetrics;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::label_weights::miss_and_false;
use super::option::{NO_BIAS, choice, one, unknown};
use super::stored::unknown_loss;
use super::{ComparisonOf, Stored, Task, TaskOption};
use crate::data::{EDGE_LABELS, TaskData, Vocabulary};
use crate::error::{Error, Result};
use crate::metrics::Metrics;
use crate::search::Strategy;
use crate::shown::{count, number};
use crate::structure::{self, ExtraLinks, Graph, LabelSets, LinkLoss, Links, MatchingOptions};
use crate::surrogate::Surrogate;

/// The task: links between nodes.
///
/// ```
/// use maxmargin::tasks::{Fitted, Matching};
/// let matching = Matching { fertility: (1, 3), ..Matching::default() };
/// assert_eq!(Fitted::new(matching, 10, 3)?.dim(), 11);
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matching {
    /// Whether there is a constant feature.
    pub bias: bool,
    /// What a sure link costs that is missed.
    pub miss: f64,
    /// What a link costs that is neither sure nor possible.
    pub false_link: f64,
    /// The most links of a left and of a right node.
    pub fertility: (u32, u32),
    /// What to do about truths that have more.
    pub extra_links: ExtraLinks,
}

impl Default for Matching {
    fn default() -> Self {
        Self { bias: true, miss: 1.0, false_link: 1.0, fertility: (1, 1), extra_links: ExtraLinks::Refuse }
    }
}

/// What a model file says of links.
#[derive(Debug, Serialize, Deserialize)]
struct StoredLinks {
    /// What a missed and a false link cost.
    miss: f64,
    #[serde(rename = "false")]
    false_link: f64,
    /// The most links of a left and of a right node.
    fertility: (u32, u32),
    /// Whether sure links beyond that became possible in training.
    free_extra_links: bool,
}

const LOSS: TaskOption = TaskOption::value("loss", "LOSS", "The task loss: hamming or miss=X,false=Y")
    .default("hamming")
    .more(
        "miss=X,false=Y: X for each sure link that is missed and Y for each link that is neither sure nor possible; both are \
         1 with hamming.",
    );
const FERTILITY: TaskOption = TaskOption::value(
    "fertility",
    "L,R",
    "The most links of a left and of a right node, for example 1,1 or 1,3",
)
.default("1,1");
const EXTRA_LINKS: TaskOption = TaskOption::value(
    "extra-links",
    "HOW",
    "What to do about training examples whose nodes have more sure links than the option fertility allows: error or free",
)
.default("error")
.more("free: such links become possible: neither right nor wrong.");

impl Matching {
    fn set_loss(&mut self, loss: &str) -> Result<()> {
        let costs = if loss == "hamming" { Some((1.0, 1.0)) } else { miss_and_false(loss)? };
        let problem = "a matching has the loss hamming or miss=X,false=Y";
        (self.miss, self.false_link) = costs.ok_or_else(|| Error::parameter("loss", problem))?;
        Ok(())
    }

    fn set_fertility(&mut self, text: &str) -> Result<()> {
        let limit = |text: &str| text.trim().parse::<u32>().ok().filter(|limit| *limit > 0);
        match text.split_once(',').map(|(left, right)| (limit(left), limit(right))) {
            Some((Some(left), Some(right))) => self.fertility = (left, right),
            _ => {
                let problem = "two whole numbers from 1 are needed, such as 1,1 or 1,3";
                return Err(Error::parameter("fertility", problem));
            }
        }
        Ok(())
    }
}

/// The nodes that an edge links.
fn link(graph: &Graph, edge: usize) -> Value {
    let edge = graph.edges()[edge];
    json!([edge.left, edge.right])
}

impl Task for Matching {
    type Data = GraphExamples;
    type Structure = structure::MatchingStructure;

    const NAME: &'static str = "matching";
    const ABOUT: &'static str = "\
Links between the nodes of a bipartite graph

A label is a set of links, with a limit on those of each node. Predictions are one example per line: its links as \
`left-right`, separated by spaces. Metrics: precision, recall and f1 of links, the alignment error rate (aer), hamming (the \
share of edges that are wrongly linked or not), exact (the share of graphs without a mistake), the mean loss. Possible links \
are neither right nor wrong where they are left out, and right where they are predicted.";

    fn options() -> Vec<TaskOption> {
        vec![LOSS, NO_BIAS, FERTILITY, EXTRA_LINKS]
    }

    fn set(&mut self, option: &str, values: &[String]) -> Result<()> {
        match option {
            "no-bias" => self.bias = false,
            "loss" => self.set_loss(one(option, values)?)?,
            "fertility" => self.set_fertility(one(option, values)?)?,
            "extra-links" => {
                let choices = [("error", ExtraLinks::Refuse), ("free", ExtraLinks::Free)];
                self.extra_links = choice(option, values, &choices)?;
            }
            _ => return Err(unknown(Self::NAME, option)),
        }
        Ok(())
    }

    fn resolve(&self, _: &Vocabulary, _: &GraphExamples) -> Result<Self> {
        Ok(*self)
    }

    fn structure(&self, features: usize, _: usize) -> Result<Self::Structure> {
        let &Self { bias, miss, false_link, fertility, extra_links } = self;
        let loss = LinkLoss::Mistakes { miss, false_link };
        Ok(structure::MatchingStructure::new(
            features,
            MatchingOptions { bias, loss, fertility, extra_links },
        )?)
    }

    fn check_names(&self, names: &Vocabulary) -> Result<()> {
        match names.labels.iter().eq(EDGE_LABELS) {
            true => Ok(()),
            false => {
                let problem =
                    format!("the labels of a matching are {}, in this order", EDGE_LABELS.join(", "));
                Err(Error::parameter("labels", problem))
            }
        }
    }

    fn input(data: &GraphExamples, example: usize) -> Graph {
        data.graph(example)
    }

    fn truth(structure: &Self::Structure, data: &GraphExamples, example: usize) -> Result<Links> {
        Ok(structure.truth(&data.graph(example), data.labels_of(example))?)
    }

    fn counts_mistakes(&self) -> bool {
        let &Self { miss, false_link, .. } = self;
        LinkLoss::Mistakes { miss, false_link }.counts_mistakes()
    }

    fn has_whole_losses(structure: &Self::Structure, surrogate: Surrogate) -> bool {
        surrogate == Surrogate::MicroF1 || structure.has_whole_losses()
    }

    fn has_too_many_losses(
        structure: &Self::Structure,
        surrogate: Surrogate,
        data: &GraphExamples,
        _: Option<f64>,
    ) -> bool {
        let fits = |structure: &structure::MatchingStructure| {
            let has_strata = |i: usize| {
                let truth = Links::of_labels(data.labels_of(i));
                structure.has_strata(&data.graph(i), &truth)
            };
            (0..data.len()).all(has_strata)
        };
        match surrogate {
            Surrogate::MicroF1 => !fits(&structure.with_sizes(None)),
            _ => !fits(structure),
        }
    }

    const STRATIFIED_NEEDS: [&'static str; 2] = [
        "equal costs of mistakes, or whole numbers up to 100",
        "the best matching of every loss takes too long to find in the largest graph; stratified is for graphs with up to about 11 nodes on the smaller side, or sparse ones whose edges join nodes at similar places. Use hull, and a surrogate that rises with the loss",
    ];

    fn best_search(_: &Self::Structure, surrogate: Surrogate, _: &GraphExamples) -> (Strategy, &'static str) {
        match surrogate.is_monotone() {
            true => (Strategy::Hull, "exact, whatever the losses"),
            false => (Strategy::Stratified, "the only one for this surrogate"),
        }
    }

    fn blocks(&self, features: usize, _: usize) -> Vec<(&'static str, Vec<usize>)> {
        vec![("link", vec![features.saturating_add(usize::from(self.bias))])]
    }

    fn save(&self) -> Stored {
        let &Self { bias, miss, false_link, fertility, extra_links } = self;
        let free_extra_links = extra_links == ExtraLinks::Free;
        let links = StoredLinks { miss, false_link, fertility, free_extra_links };
        Stored::default()
            .with("bias", bias)
            .with("boundary", false)
            .with("loss", self.loss_name())
            .with("links", serde_json::to_value(links).unwrap_or_default())
    }

    fn load(stored: &Stored, _: usize) -> std::result::Result<Self, String> {
        if !stored.fields.contains_key("links") {
            return Err("the description does not say how many links nodes have".to_owned());
        }
        let StoredLinks { miss, false_link, fertility, free_extra_links } = stored.field("links")?;
        let extra_links = if free_extra_links { ExtraLinks::Free } else { ExtraLinks::Refuse };
        match stored.loss()?.as_str() {
            "links" | "hamming" => {}
            loss => return unknown_loss(loss),
        }
        Ok(Self { bias: stored.field("bias")?, miss, false_link, fertility, extra_links })
    }

    fn loss_name(&self) -> &'static str {
        "links"
    }

    fn describe(_: &Self::Structure, task: &Self) -> String {
        let &Self { bias, miss, false_link, fertility: (left, right), .. } = task;
        let of = |limit: u32, side: &str| format!("{} of a {side} node", count(limit as usize, "link"));
        format!(
            "{}, at most {} and {}; a missed link costs {}, a false one {}",
            if bias { "bias" } else { "no bias" },
            of(left, "left"),
            of(right, "right"),
            number(miss),
            number(false_link)
        )
    }

    fn facts(_: &Self::Structure, task: &Self) -> Map<String, Value> {
        let &Self { bias, miss, false_link, fertility, extra_links } = task;
        let facts = [
            ("bias", json!(bias)),
            ("miss", json!(miss)),
            ("false", json!(false_link)),
            ("fertility", json!([fertility.0, fertility.1])),
            ("free_extra_links", json!(extra_links == ExtraLinks::Free)),
        ];
        facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Links as pairs of nodes.
    fn name(_: &Self::Structure, _: &Vocabulary, input: &Graph, label: &Links) -> Value {
        label.on.iter().map(|&edge| link(input, edge as usize)).collect()
    }

    fn member(_: &Vocabulary, input: &Graph, variable: usize) -> Option<Value> {
        Some(link(input, variable))
    }

    fn is_right(data: &GraphExamples, example: usize, variable: usize, value: u32) -> Option<bool> {
        // A possible link is right.
        (value == 1).then(|| data.labels_of(example).get(variable).is_some_and(|label| *label != 0))
    }

    fn write(label: &Value) -> String {
        let link = |link: &Value| format!("{}-{}", link[0], link[1]);
        let links: Vec<String> = label.as_array().into_iter().flatten().map(link).collect();
        links.join(" ")
    }

    fn metrics(structure: &Self::Structure, comparison: ComparisonOf<'_, Self>) -> Metrics {
        LinkMetrics::of(structure, comparison).into()
    }

    fn demo(say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        demo::run(say)
    }
}
