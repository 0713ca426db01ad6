//! Small models of every task, with names that are hard to keep.

use std::sync::Arc;

use maxmargin::Model;
use maxmargin::data::{Alphabet, Attributes, Format, Preprocessing, Vocabulary};
use maxmargin::model::Description;
use maxmargin::solver::Certificate;
use maxmargin::structure::{CostMatrix, ExtraLinks, Inference, LabelCost, PairWeights};
use maxmargin::task::{LinkOptions, Pairs, SetOptions, TaskKind, TaskOptions};

/// A model of this task.
pub fn model(task: TaskKind, named: bool, bias: bool, cost: bool) -> Model {
    let attributes = match named {
        true => Attributes::Named(["w=a", "", "pos=\tx"].into_iter().collect()),
        false => Attributes::Numbered(3),
    };
    let cost = match cost {
        true => LabelCost::Matrix(Arc::new(CostMatrix::new(2, vec![0.0, 2.0, 0.5, 0.0]).unwrap())),
        false => LabelCost::ZeroOne,
    };
    let description = Description {
        program_version: "0.1.0".to_owned(),
        task,
        lambda: 0.1,
        surrogate: "margin".to_owned(),
        search: "exact".to_owned(),
        solver: "bmrm".to_owned(),
        seed: 7,
        certificate: Certificate { primal: 1.0 / 3.0, lower_bound: f64::NEG_INFINITY, oracle_gap: 0.0 },
        passes: 12,
        examples: 5,
        format: Some(Format::Crfsuite),
    };
    let links = LinkOptions {
        miss: 2.0,
        false_link: 1.0 / 3.0,
        fertility: (1, 4),
        extra_links: if bias { ExtraLinks::Free } else { ExtraLinks::Refuse },
    };
    let mut model = Model {
        description,
        options: TaskOptions { bias, cost, links, ..TaskOptions::default() },
        vocabulary: Vocabulary {
            labels: match task {
                TaskKind::Matching => ["none", "sure", "possible"].into_iter().collect(),
                _ => ["B-é", "O"].into_iter().collect(),
            },
            attributes,
        },
        preprocessing: Preprocessing::default(),
        dropped_labels: Alphabet::default(),
        weights: Vec::new(),
    };
    let dim = model.task().unwrap().dim();
    model.weights = (0..dim).map(|i| (i as f64).sin() / 3.0).collect();
    model
}

/// Label sets with each kind of pairs, and all the rest in turn.
pub fn models_of_sets() -> Vec<Model> {
    let pairs = [Pairs::None, Pairs::All, Pairs::Listed(vec![]), Pairs::Listed(vec![(2, 0), (1, 2)])];
    let with = |(k, pairs): (usize, Pairs)| {
        let mut model = model(TaskKind::Multilabel, true, k % 2 == 0, false);
        model.vocabulary.labels = ["B-é", "O", "third"].into_iter().collect();
        model.options.mean = k == 1;
        model.options.sets = SetOptions {
            pairs,
            pair_weights: if k == 2 { PairWeights::Both } else { PairWeights::Four },
            signed: k % 2 == 1,
            inference: if k == 3 { Inference::Relaxed } else { Inference::Exact },
            weights: (k > 1).then(|| [0.0, 0.1, 7.0].into()),
        };
        let dim = model.task().unwrap().dim();
        model.weights = (0..dim).map(|i| (i as f64).cos() / 3.0).collect();
        model
    };
    pairs.into_iter().enumerate().map(with).collect()
}
