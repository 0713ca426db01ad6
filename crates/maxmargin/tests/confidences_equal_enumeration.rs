//! Promise: how sure a model says it is of each part of a prediction is what the best answer with another value there scores less, and
//! the margin is what the second best answer scores less, for every task.

use std::sync::Arc;

use maxmargin::data::{Attributes, DataObject, Edge, ExampleRows, FeatureMatrix, TaskData, Vocabulary};
use maxmargin::structure::Confidence;
use maxmargin::tasks::{
    Chain, GraphExamples, Hierarchy, LabelSetExamples, Matching, Multiclass, Multilabel, Prediction,
    RowExamples, Segmentation, SequenceExamples, Task,
};
use maxmargin::{Examples, Model, Trainer};
use serde_json::Value;

/// Numbers that are all different, so that no two answers score the same.
fn value(row: usize, column: usize) -> f64 {
    ((row * 7 + column * 5) as f64 * 1.618).sin()
}

fn features(rows: usize) -> FeatureMatrix {
    let rows: Vec<Vec<f64>> = (0..rows).map(|i| (0..3).map(|j| value(i, j)).collect()).collect();
    FeatureMatrix::from_dense(&rows)
}

fn model(task: impl Task, data: impl TaskData) -> (Model, Arc<dyn DataObject>) {
    let examples = Examples::from_numbers(data).unwrap();
    let model = Trainer::new(task).lambda(0.05).gap(1e-2).train(&examples).unwrap();
    (model, examples.data().first(usize::MAX).unwrap())
}

/// Compares with all answers: there are `count` of them for each example. `has` says whether an answer has a part in its place.
fn check(
    (model, data): (Model, Arc<dyn DataObject>),
    counts: &[usize],
    has: impl Fn(&Value, usize, &Value) -> bool,
) {
    let (all, sure) = (model.predict(&*data, 10_000).unwrap(), model.predict_surely(&*data, 1).unwrap());
    assert_eq!(all.iter().map(Vec::len).collect::<Vec<_>>(), counts);
    let mut parts = 0;
    for (all, sure) in all.iter().zip(&sure) {
        let best = &sure[0];
        let certainty = best.certainty.as_ref().unwrap();
        let top = all.iter().map(|answer| answer.score).fold(f64::NEG_INFINITY, f64::max);
        assert!((top - best.score).abs() < 1e-9);
        let is = |found: &Confidence, differs: &dyn Fn(&Prediction) -> bool| {
            let others = all.iter().filter(|answer| differs(answer)).map(|answer| answer.score);
            let expected = top - others.fold(f64::NEG_INFINITY, f64::max);
            assert!(
                found.is_proven() && (found.at_least - expected).abs() < 1e-9,
                "{found:?}, not {expected}"
            );
        };
        is(&certainty.margin, &|answer| answer.label != best.label);
        let names = match &best.label {
            Value::Array(names) => names.clone(),
            one => vec![one.clone()],
        };
        assert_eq!(names.len(), certainty.parts.len());
        for (place, (name, part)) in names.iter().zip(&certainty.parts).enumerate() {
            is(part, &|answer| !has(&answer.label, place, name));
        }
        for (name, part) in &certainty.others {
            is(part, &|answer| has(&answer.label, usize::MAX, name));
        }
        parts += certainty.parts.len() + certainty.others.len();
    }
    assert!(parts > 0);
}

fn is_in(label: &Value, _: usize, name: &Value) -> bool {
    label.as_array().is_some_and(|names| names.contains(name))
}

#[test]
fn of_one_class() {
    let data = RowExamples::new(features(6), vec![0, 2, 1, 3, 2, 0]).unwrap();
    check(model(Multiclass::default(), data), &[4; 6], |label, _, name| label == name);
}

#[test]
fn of_each_position() {
    for order in ["1", "2"] {
        let rows = ExampleRows::grouped(features(9), vec![0, 4, 5, 9]).unwrap();
        let data = SequenceExamples::new(rows, vec![0, 1, 2, 1, 2, 2, 0, 1, 0]).unwrap();
        let mut chain = Chain::default();
        Task::set(&mut chain, "order", &[order.to_owned()]).unwrap();
        check(model(chain, data), &[81, 3, 81], |label, place, name| label[place] == *name);
    }
}

/// O, or an X of one or two positions: 2, 5, 12, 29 cuts of 1, 2, 3, 4 positions.
#[test]
fn of_each_position_in_segments() {
    let rows = ExampleRows::grouped(features(9), vec![0, 4, 6, 9]).unwrap();
    let data = SequenceExamples::new(rows, vec![0, 1, 2, 1, 1, 0, 0, 1, 2]).unwrap();
    let labels = ["O", "B-X", "I-X"].into_iter().collect();
    let examples = Examples::new(data, Vocabulary { labels, attributes: Attributes::Numbered(3) });
    let model = Trainer::new(Segmentation::default()).lambda(0.05).train(&examples).unwrap();
    let data = examples.data().first(usize::MAX).unwrap();
    check((model, data), &[29, 5, 12], |label, place, name| label[place] == *name);
}

/// A node goes with all that are below it.
#[test]
fn of_each_node() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.svm");
    let is_at_or_below = |label: &Value, name: &Value| {
        let [label, name] = [label, name].map(|name| name.as_str().unwrap());
        label == name || label.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
    };
    let found = |labels: [&str; 6]| {
        let line = |(i, label): (usize, &&str)| {
            let values: String = (0..3).map(|j| format!(" {}:{}", j + 1, value(i, j))).collect();
            format!("{label}{values}\n")
        };
        std::fs::write(&file, labels.iter().enumerate().map(line).collect::<String>()).unwrap();
        let examples = Examples::read(&Hierarchy::default(), &file).unwrap();
        let model = Trainer::new(Hierarchy::default()).lambda(0.05).train(&examples).unwrap();
        (model, examples.data().first(usize::MAX).unwrap())
    };
    // One node, at which a label may end inside; then sets that are not empty and end at leaves.
    check(found(["a/b", "a/c", "d", "a", "d", "a/b"]), &[4; 6], |label, _, name| label == name);
    check(found(["a/b", "a/c,d", "d", "a/b,a/c", "d", "a/b"]), &[7; 6], |label, _, name| {
        label.as_array().unwrap().iter().any(|label| is_at_or_below(label, name))
    });
}

#[test]
fn of_each_label() {
    let sets: [&[u32]; 6] = [&[0, 1], &[2], &[], &[1, 3], &[0, 2, 3], &[3]];
    let data = || LabelSetExamples::from_sets(features(6), &sets).unwrap();
    for pairs in [maxmargin::tasks::multilabel::Pairs::None, Multilabel::default().pairs] {
        check(model(Multilabel { pairs, ..Multilabel::default() }, data()), &[16; 6], is_in);
    }
}

#[test]
fn of_each_link() {
    let nodes = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (0, 0)];
    let edges: Arc<[Edge]> = nodes.map(|(left, right)| Edge { left, right }).into();
    let table = maxmargin::data::Dataset {
        features: Arc::new(features(6)),
        labels: vec![1, 0, 0, 1, 0, 1],
        sequences: Some(vec![0, 5, 6]),
        edges: Some(edges),
        ..Default::default()
    };
    // Of the first graph: no link, 5 single ones, and pairs without a common node.
    check(model(Matching::default(), GraphExamples::from_table(table).unwrap()), &[1 + 5 + 4, 2], is_in);
}
