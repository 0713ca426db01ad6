//! Small models of every task, with names that are hard to keep.

use std::sync::Arc;

use maxmargin::Model;
use maxmargin::data::{Attributes, Vocabulary};
use maxmargin::model::Description;
use maxmargin::solver::Certificate;
use maxmargin::structure::{CostMatrix, ExtraLinks, Inference, PairWeights};
use maxmargin::tasks::multilabel::{LabelWeights, Pairs};
use maxmargin::tasks::{Chain, Costs, Fitted, Matching, Multiclass, Multilabel, Task};

/// The names of all tasks.
pub const ALL_TASKS: [&str; 4] = ["multiclass", "chain", "multilabel", "matching"];

/// A model of this task.
pub fn model(task: &str, named: bool, bias: bool, cost: bool) -> Model {
    model_with(task, attributes(named), bias, cost, f64::sin)
}

/// A model of this task with many attributes, whose weights are mostly 0; of those with numbers few have any.
pub fn sparse_model(task: &str, named: bool, bias: bool) -> Model {
    match named {
        true => {
            let names = (0..40).map(|number| format!("attribute={number}")).collect::<Vec<_>>();
            let names = names.iter().map(String::as_str).collect();
            model_with(task, Attributes::Named(names), bias, false, |i| {
                if i % 3.0 == 1.0 { i.sin() } else { 0.0 }
            })
        }
        false => {
            let weight = |i: f64| if (20.0..25.0).contains(&i) || i > 370.0 { i.sin() } else { 0.0 };
            model_with(task, Attributes::Numbered(200), bias, false, weight)
        }
    }
}

fn model_with(task: &str, attributes: Attributes, bias: bool, cost: bool, weight: fn(f64) -> f64) -> Model {
    let costs = match cost {
        true => Costs::Matrix(Arc::new(CostMatrix::new(2, vec![0.0, 2.0, 0.5, 0.0]).unwrap())),
        false => Costs::Equal,
    };
    let extra_links = if bias { ExtraLinks::Free } else { ExtraLinks::Refuse };
    let (false_link, fertility) = (1.0 / 3.0, (1, 4));
    let labels = match task {
        "matching" => ["none", "sure", "possible"].into_iter().collect(),
        _ => ["B-é", "O"].into_iter().collect(),
    };
    let names = Vocabulary { labels, attributes };
    match task {
        "multiclass" => {
            let class_weights =
                if cost { LabelWeights::Listed([0.5, 2.0].into()) } else { LabelWeights::Equal };
            made(Multiclass { bias, costs, class_weights }, names, weight)
        }
        "chain" => made(Chain { bias, costs, ..Chain::default() }, names, weight),
        "multilabel" => made(Multilabel { bias, ..Multilabel::default() }, names, weight),
        _ => made(Matching { bias, miss: 2.0, false_link, fertility, extra_links }, names, weight),
    }
}

fn attributes(named: bool) -> Attributes {
    match named {
        true => Attributes::Named(["w=a", "", "pos=\tx"].into_iter().collect()),
        false => Attributes::Numbered(3),
    }
}

fn made(task: impl Task, names: Vocabulary, weight: fn(f64) -> f64) -> Model {
    let description = Description {
        program_version: "0.1.0".to_owned(),
        lambda: 0.1,
        surrogate: "margin".to_owned(),
        search: "exact".to_owned(),
        solver: "bmrm".to_owned(),
        seed: 7,
        certificate: Certificate { primal: 1.0 / 3.0, lower_bound: f64::NEG_INFINITY, oracle_gap: 0.0 },
        passes: 12,
        examples: 5,
        attributes: names.attributes.len(),
        format: Some("crfsuite".to_owned()),
    };
    let task = Box::new(Fitted::new(task, names.attributes.len(), names.labels.len()).unwrap());
    let weights = (0..task.dim()).map(|i| weight(i as f64) / 3.0).collect();
    Model::new(description, task, names, weights).unwrap()
}

/// Label sets with each kind of pairs, and all the rest in turn.
pub fn models_of_sets() -> Vec<Model> {
    let pairs = [Pairs::None, Pairs::All, Pairs::Listed(vec![]), Pairs::Listed(vec![(2, 0), (1, 2)])];
    let with = |(k, pairs): (usize, Pairs)| {
        let task = Multilabel {
            bias: k % 2 == 0,
            mean: k == 1,
            pairs,
            pair_weights: if k == 2 { PairWeights::Both } else { PairWeights::Four },
            signed: k % 2 == 1,
            inference: Some(if k == 3 { Inference::Relaxed } else { Inference::Exact }),
            weights: match k > 1 {
                true => LabelWeights::Listed([0.0, 0.1, 7.0].into()),
                false => LabelWeights::Equal,
            },
            most_frequent_labels: None,
        };
        let labels = ["B-é", "O", "third"].into_iter().collect();
        made(task, Vocabulary { labels, attributes: attributes(true) }, f64::cos)
    };
    pairs.into_iter().enumerate().map(with).collect()
}
