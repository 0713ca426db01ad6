//! Tasks and models in words.

use maxmargin::data::{Alphabet, Preprocessing};
use maxmargin::model::Model;
use maxmargin::structure::{LinkLoss, PairWeights};
use maxmargin::task::Task;

use crate::print::{count, number};

/// The pairs of labels that have weights, and how sets are searched; none where labels are no sets.
pub fn label_sets(task: &Task) -> Option<String> {
    let Task::Multilabel(structure) = task else { return None };
    let graph = structure.graph();
    let pairs = match graph.edges().len() {
        0 => "no pairs".to_owned(),
        pairs if graph.is_complete() => format!("all {}", count(pairs, "pair")),
        pairs => count(pairs, "pair"),
    };
    let weights = match structure.pair_weights() {
        PairWeights::Both if !graph.edges().is_empty() => " (both)",
        _ => "",
    };
    let inference = if structure.is_relaxed() { "relaxed inference" } else { "exact inference" };
    let signed = if structure.is_signed() { ", signed" } else { "" };
    Some(format!("{pairs}{weights}, {inference}{signed}"))
}

/// How many links nodes have and what wrong ones cost; none where there are no links.
pub fn links(task: &Task) -> Option<String> {
    let Task::Matching(structure) = task else { return None };
    let (left, right) = structure.fertility();
    let of = |limit: u32, side: &str| format!("{} of a {side} node", count(limit as usize, "link"));
    let costs = match structure.link_loss() {
        LinkLoss::Mistakes { miss, false_link } => {
            format!("; a missed link costs {}, a false one {}", number(miss), number(false_link))
        }
        LinkLoss::Size => String::new(),
    };
    Some(format!("at most {} and {}{costs}", of(left, "left"), of(right, "right")))
}

/// What is done to columns; none where they are left as they are.
pub fn columns(preprocessing: &Preprocessing) -> Option<String> {
    let Preprocessing { impute, shift, scale } = preprocessing;
    let filled = impute.as_ref().map(|values| match values.iter().any(|&value| value != 0.0) {
        true => "missing values are filled in with the column's mean",
        false => "missing values are filled in with 0",
    });
    let standardised = match (shift, scale) {
        (Some(_), Some(_)) => Some("standardised (mean 0, deviation 1)"),
        (None, Some(_)) => Some("standardised (divided by their deviation)"),
        (Some(_), None) => Some("centred"),
        (None, None) => None,
    };
    let parts: Vec<&str> = [filled, standardised].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// What each pair of labels adds to the score when both are in, beside what each adds by itself. The largest first, by
/// absolute value.
pub fn couplings<'a>(task: &Task, labels: &'a Alphabet, weights: &[f64]) -> Vec<Coupling<'a>> {
    let Task::Multilabel(structure) = task else { return Vec::new() };
    let edges = structure.graph().edges();
    let kind = structure.pair_weights();
    let start = weights.len().saturating_sub(kind.count() * edges.len());
    let mut couplings: Vec<Coupling<'a>> = edges
        .iter()
        .zip(weights[start..].chunks_exact(kind.count()))
        .map(|(&(i, j), weights)| Coupling {
            first: labels.name(i),
            second: labels.name(j),
            strength: kind.coupling(weights),
        })
        .filter(|coupling| coupling.strength != 0.0)
        .collect();
    couplings.sort_by(|a, b| b.strength.abs().total_cmp(&a.strength.abs()));
    couplings
}

/// Two labels and how much they hold together.
pub struct Coupling<'a> {
    pub first: &'a str,
    pub second: &'a str,
    /// Above 0 they go together, below 0 they shun each other.
    pub strength: f64,
}

/// The couplings of a model.
pub fn couplings_of(model: &Model) -> maxmargin::Result<Vec<Coupling<'_>>> {
    Ok(couplings(&model.task()?, &model.vocabulary.labels, &model.weights))
}
