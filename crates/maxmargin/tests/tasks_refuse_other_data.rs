//! Promise: a task and a model take the data that they were made for, and answer anything else with an error: never a panic,
//! and never weights that belong to something else.

use std::sync::Arc;

use maxmargin::Model;
use maxmargin::data::{
    Alphabet, Attributes, Dataset, Edge, FeatureMatrix, Preprocessing, UNKNOWN_LABEL, Vocabulary,
};
use maxmargin::model::Description;
use maxmargin::risk::StructuredRisk;
use maxmargin::search::{MarginSearch, Strategy, SurrogateSearch};
use maxmargin::solver::Certificate;
use maxmargin::structure::{CostMatrix, Example, LabelCost, Multiclass};
use maxmargin::surrogate::Surrogate;
use maxmargin::task::{ComparisonOptions, Pairs, SearchOptions, SetOptions, Task, TaskKind, TaskOptions};

const COLUMNS: usize = 3;

/// The number of labels of a task.
fn labels(kind: TaskKind) -> usize {
    if kind == TaskKind::Matching { 3 } else { 4 }
}

fn task(kind: TaskKind) -> Task {
    Task::new(kind, COLUMNS, labels(kind), TaskOptions::default()).unwrap()
}

fn matrix(rows: usize, columns: usize) -> Arc<FeatureMatrix> {
    let row = |i: usize| (0..columns).map(|j| ((i * 5 + j * 3) % 7) as f64 - 2.0).collect::<Vec<f64>>();
    Arc::new(FeatureMatrix::from_dense(&(0..rows).map(row).collect::<Vec<_>>()))
}

/// Data of four rows as a task takes it.
fn data(kind: TaskKind) -> Dataset {
    let plain = Dataset { features: matrix(4, COLUMNS), labels: vec![0, 2, 1, 2], ..Dataset::default() };
    let edges = [(0, 0), (5, 9), (0, 0), (7, 1)].map(|(left, right)| Edge { left, right });
    match kind {
        TaskKind::Multiclass => plain,
        TaskKind::Chain => Dataset { sequences: Some(vec![0, 3, 4]), ..plain },
        TaskKind::Multilabel => Dataset { sets: Some(vec![0, 2, 2, 3, 4]), ..plain },
        TaskKind::Matching => Dataset {
            sequences: Some(vec![0, 2, 4]),
            edges: Some(edges.into()),
            labels: vec![1, 0, 2, 1],
            ..plain
        },
    }
}

fn model(kind: TaskKind) -> Model {
    let names: Alphabet = match kind {
        TaskKind::Matching => ["none", "sure", "possible"].into_iter().collect(),
        _ => ["a", "b", "c", "d"].into_iter().collect(),
    };
    Model {
        description: Description {
            program_version: "0.1.0".into(),
            task: kind,
            lambda: 0.1,
            surrogate: "margin".into(),
            search: "exact".into(),
            solver: "bmrm".into(),
            seed: 0,
            certificate: Certificate { primal: 1.0, lower_bound: 0.5, oracle_gap: 0.0 },
            passes: 1,
            examples: 4,
            format: None,
        },
        options: TaskOptions::default(),
        vocabulary: Vocabulary { labels: names, attributes: Attributes::Numbered(COLUMNS) },
        preprocessing: Preprocessing::default(),
        dropped_labels: Alphabet::default(),
        weights: vec![0.5; task(kind).dim()],
    }
}

/// All that takes labelled data: the error of each, or none.
fn training(task: &Task, data: &Dataset) -> Vec<Option<String>> {
    let mut errors = Vec::new();
    errors.push(task.risk(data).err().map(|e| e.to_string()));
    for surrogate in [Surrogate::MARGIN, Surrogate::SLACK, Surrogate::MicroF1] {
        let options = SearchOptions { surrogate, ..SearchOptions::default() };
        errors.push(task.search(&options, data).err().map(|e| e.to_string()));
        let compared = task.compared_risk(data, &options, &ComparisonOptions::default());
        errors.push(compared.err().map(|e| e.to_string()));
        // A search that was chosen for other data.
        let search = task.search(&options, &self::data(task.kind())).unwrap();
        errors.push(task.risk_with(data, &search).err().map(|e| e.to_string()));
    }
    errors
}

fn prediction(task: &Task, data: &Dataset) -> Vec<Option<String>> {
    let weights = vec![0.25; task.dim()];
    (0..4).map(|k| task.predict(&weights, data, k).err().map(|e| e.to_string())).collect()
}

fn refused(errors: Vec<Option<String>>, what: &str, part: &str) {
    for (number, error) in errors.into_iter().enumerate() {
        let error = error.unwrap_or_else(|| panic!("{what}: number {number} took it"));
        assert!(error.contains(part), "{what}: number {number} said {error:?}, without {part:?}");
    }
}

fn taken(errors: Vec<Option<String>>, what: &str) {
    assert!(errors.iter().all(Option::is_none), "{what}: {errors:?}");
}

#[test]
fn data_of_its_own_is_taken() {
    for kind in TaskKind::ALL {
        taken(training(&task(kind), &data(kind)), kind.name());
        taken(prediction(&task(kind), &data(kind)), kind.name());
        // Labels that the model does not know, and no labels at all, are no hindrance to predictions.
        let strange = Dataset { labels: vec![UNKNOWN_LABEL; 4], ..data(kind) };
        let strange = if kind == TaskKind::Multilabel {
            Dataset { sets: Some(vec![0, 1, 2, 3, 4]), ..strange }
        } else {
            strange
        };
        taken(prediction(&task(kind), &strange), kind.name());
        refused(vec![task(kind).risk(&strange).err().map(|e| e.to_string())], kind.name(), "has no label");
        if kind != TaskKind::Matching {
            let none = Dataset { labels: Vec::new(), sets: None, ..data(kind) };
            let none = kind.view(none).unwrap();
            taken(prediction(&task(kind), &none), kind.name());
            assert!(task(kind).risk(&none).is_err());
        }
        let nothing = data(kind).subset(&[]);
        assert!(task(kind).predict(&vec![0.0; task(kind).dim()], &nothing, 1).unwrap().is_empty());
        assert!(task(kind).risk(&nothing).err().unwrap().to_string().contains("no examples"));
    }
}

#[test]
fn other_numbers_of_columns_are_refused() {
    for kind in TaskKind::ALL {
        for columns in [1, COLUMNS - 1, COLUMNS + 1, 50] {
            let other = Dataset { features: matrix(4, columns), ..data(kind) };
            let part = format!("has {columns} columns, but the task was made for {COLUMNS}");
            refused(training(&task(kind), &other), kind.name(), &part);
            refused(prediction(&task(kind), &other), kind.name(), &part);
        }
    }
}

#[test]
fn other_numbers_of_labels_are_refused() {
    for kind in TaskKind::ALL {
        for label in [labels(kind) as u32, 77, UNKNOWN_LABEL - 1] {
            let mut other = data(kind);
            other.labels[1] = label;
            let errors = training(&task(kind), &other);
            refused(
                errors,
                kind.name(),
                if kind == TaskKind::Matching { "is not the label of an edge" } else { "has label" },
            );
            if kind != TaskKind::Matching {
                taken(prediction(&task(kind), &other), kind.name());
            }
        }
    }
}

#[test]
fn data_of_other_tasks_is_refused() {
    for kind in TaskKind::ALL {
        for other in TaskKind::ALL.into_iter().filter(|&other| other != kind) {
            let what = format!("{kind} with data for {other}");
            let errors = training(&task(kind), &data(other));
            assert!(errors.iter().all(Option::is_some), "{what}: {errors:?}");
            // What is sure is that it does not panic: rows without labels may be of several tasks.
            let _ = prediction(&task(kind), &data(other));
        }
    }
}

/// Data whose parts do not go together.
fn broken(kind: TaskKind) -> Vec<(&'static str, Dataset)> {
    let data = || data(kind);
    let mut broken = vec![
        ("few rows", Dataset { features: matrix(3, COLUMNS), ..data() }),
        ("many rows", Dataset { features: matrix(9, COLUMNS), ..data() }),
        ("no rows", Dataset { features: Arc::default(), ..data() }),
        ("few weights", Dataset { weights: Some(vec![1.0]), ..data() }),
        ("many weights", Dataset { weights: Some(vec![1.0; 5]), ..data() }),
        ("few folds", Dataset { folds: Some(vec![1]), ..data() }),
        ("many counts", Dataset { unreachable: Some(vec![1; 9]), ..data() }),
        ("few labels", Dataset { labels: vec![0], ..data() }),
        ("many labels", Dataset { labels: vec![0; 10], ..data() }),
        ("few sets", Dataset { sets: Some(vec![0, 2]), ..data() }),
        ("no sets", Dataset { sets: Some(vec![]), ..data() }),
        ("far sets", Dataset { sets: Some(vec![0, 2, 3, 4, 99]), ..data() }),
        ("falling sets", Dataset { sets: Some(vec![0, 3, 2, 4, 4]), ..data() }),
        ("unsorted sets", Dataset { sets: Some(vec![0, 4, 4, 4, 4]), ..data() }),
        ("few edges", Dataset { edges: Some([Edge { left: 0, right: 0 }].into()), ..data() }),
        ("no sequences", Dataset { sequences: Some(vec![]), ..data() }),
        ("late sequences", Dataset { sequences: Some(vec![1, 4]), ..data() }),
        ("short sequences", Dataset { sequences: Some(vec![0, 3]), ..data() }),
        ("long sequences", Dataset { sequences: Some(vec![0, 2, 99]), ..data() }),
        ("falling sequences", Dataset { sequences: Some(vec![0, 3, 2, 4]), ..data() }),
    ];
    if kind == TaskKind::Matching {
        broken.push(("a graph twice", Dataset { sequences: Some(vec![0, 4]), ..data() }));
    }
    broken
}

#[test]
fn parts_that_do_not_go_together_are_refused() {
    for kind in TaskKind::ALL {
        for (what, data) in broken(kind) {
            let what = format!("{kind}: {what}");
            let errors = training(&task(kind), &data);
            assert!(errors.iter().all(Option::is_some), "{what}: {errors:?}");
            // Only what concerns inputs need be refused here; nothing may panic.
            let _ = prediction(&task(kind), &data);
            for view in TaskKind::ALL {
                if let Ok(view) = view.view(data.clone()) {
                    let _ = (training(&task(kind), &view), prediction(&task(kind), &view));
                }
            }
            let _ = Pairs::tree(&data, 4);
        }
    }
}

#[test]
fn weights_that_prove_nothing_are_refused() {
    for kind in TaskKind::ALL {
        let examples = data(kind).len();
        for weight in [-1.0, -1e-300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut weights = vec![1.0; examples];
            weights[1] = weight;
            let other = Dataset { weights: Some(weights), ..data(kind) };
            refused(training(&task(kind), &other), kind.name(), "example 2 has the weight");
            taken(prediction(&task(kind), &other), kind.name());
        }
        let none = Dataset { weights: Some(vec![0.0; examples]), ..data(kind) };
        taken(training(&task(kind), &none), kind.name());
    }
    let features = matrix(2, COLUMNS);
    let example = |weight| Example { input: maxmargin::data::Rows::new(&features, 0..1), truth: 0, weight };
    let structure = Multiclass::new(COLUMNS, 2, true, LabelCost::ZeroOne).unwrap();
    for weight in [-0.5, f64::NAN, f64::INFINITY] {
        let examples = vec![example(1.0), example(weight)];
        let error = StructuredRisk::new(structure.clone(), MarginSearch, examples).err().unwrap().to_string();
        assert!(error.contains("example 2 has the weight"), "{error}");
    }
    assert!(StructuredRisk::new(structure, MarginSearch, vec![example(0.0), example(2.5)]).is_ok());
}

#[test]
fn costs_too_small_for_a_surrogate_are_refused() {
    let features = matrix(2, COLUMNS);
    let example = |i: usize, truth: u32| Example {
        input: maxmargin::data::Rows::new(&features, i..i + 1),
        truth,
        weight: 1.0,
    };
    let risk = |name: &str, cost: f64| {
        // The first label is taken for the second one at no cost.
        let costs = Arc::new(CostMatrix::new(2, vec![0.0, 0.0, cost, 0.0]).unwrap());
        let structure = Multiclass::new(COLUMNS, 2, true, LabelCost::Matrix(costs)).unwrap();
        let search = SurrogateSearch::new(name.parse().unwrap(), Strategy::Stratified).unwrap();
        StructuredRisk::new(structure, search, vec![example(0, 0), example(1, 1)]).map(|_| ())
    };
    for (name, cost) in [("general=-1.5,-1.5", 0.3), ("general=-1.5,-1.5", 1e-60), ("slack", 1e-300)] {
        assert!(risk(name, cost).is_ok(), "{name}, {cost}: {:?}", risk(name, cost));
    }
    let error = risk("general=-1.5,-1.5", 1e-300).unwrap_err().to_string();
    assert!(error.contains("example 2") && error.contains("too small"), "{error}");
}

#[test]
fn weights_of_other_models_are_refused() {
    for kind in TaskKind::ALL {
        for length in [0, task(kind).dim() - 1, task(kind).dim() + 1] {
            let error = task(kind).predict(&vec![0.0; length], &data(kind), 1).unwrap_err().to_string();
            assert!(error.contains(&format!("{length} weights, but the task has")), "{kind}: {error}");
        }
    }
}

#[test]
fn losses_of_other_labels_are_refused() {
    let far = [4, 99, UNKNOWN_LABEL];
    for kind in TaskKind::ALL {
        let task = task(kind);
        let mut cases: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
        for label in far {
            cases.push((vec![0], vec![label]));
            cases.push((vec![label.min(UNKNOWN_LABEL - 1)], vec![0]));
        }
        match kind {
            TaskKind::Multiclass => {
                cases.extend([(vec![], vec![]), (vec![0, 1], vec![0, 1]), (vec![0], vec![])])
            }
            TaskKind::Chain => {
                cases.extend([(vec![0], vec![]), (vec![], vec![0]), (vec![0, 1, 2], vec![0, 1])])
            }
            TaskKind::Multilabel => {
                cases.extend([
                    (vec![1, 0], vec![0]),
                    (vec![0], vec![1, 1]),
                    (vec![UNKNOWN_LABEL, 9], vec![0]),
                ]);
            }
            TaskKind::Matching => cases.extend([(vec![], vec![0]), (vec![1, 1], vec![1, 0])]),
        }
        for (truth, predicted) in cases {
            assert!(task.loss(&truth, &predicted).is_err(), "{kind}: {truth:?} {predicted:?}");
        }
    }
    assert_eq!(task(TaskKind::Chain).loss(&[0, UNKNOWN_LABEL], &[0, 1]).unwrap(), 1.0);
    assert_eq!(task(TaskKind::Multilabel).loss(&[0, 2, UNKNOWN_LABEL], &[0]).unwrap(), 2.0);
    assert_eq!(task(TaskKind::Matching).loss(&[1, 0], &[1]).unwrap(), 2.0);
}

#[test]
fn models_that_contradict_themselves_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    for kind in TaskKind::ALL {
        let good = model(kind);
        assert_eq!(good.blocks().iter().map(|block| block.len()).sum::<usize>(), good.weights.len());
        good.save(&path).unwrap();
        assert!(Model::load(&path).is_ok(), "{kind}");
        std::fs::remove_file(&path).unwrap();
        let columns =
            |columns| Vocabulary { attributes: Attributes::Numbered(columns), ..model(kind).vocabulary };
        let cost = maxmargin::structure::CostMatrix::new(2, vec![0.0, 1.0, 1.0, 0.0]).unwrap();
        let listed = SetOptions { pairs: Pairs::Listed(vec![(0, 9)]), ..SetOptions::default() };
        let label_weights = SetOptions { weights: Some([1.0].into()), ..SetOptions::default() };
        for (what, bad) in [
            ("few weights", Model { weights: vec![], ..model(kind) }),
            ("many columns", Model { vocabulary: columns(usize::MAX), ..model(kind) }),
            ("more columns", Model { vocabulary: columns(COLUMNS + 1), ..model(kind) }),
            (
                "no labels",
                Model { vocabulary: Vocabulary { labels: Alphabet::default(), ..columns(3) }, ..model(kind) },
            ),
            (
                "columns to divide",
                Model {
                    preprocessing: Preprocessing { scale: Some(vec![1.0]), ..Preprocessing::default() },
                    ..model(kind)
                },
            ),
            (
                "costs",
                Model {
                    options: TaskOptions {
                        cost: LabelCost::Matrix(Arc::new(cost)),
                        ..TaskOptions::default()
                    },
                    ..model(kind)
                },
            ),
            (
                "pairs",
                Model { options: TaskOptions { sets: listed, ..TaskOptions::default() }, ..model(kind) },
            ),
            (
                "label weights",
                Model {
                    options: TaskOptions { sets: label_weights, ..TaskOptions::default() },
                    ..model(kind)
                },
            ),
        ] {
            let _ = (bad.task().is_ok(), bad.norm(), bad.blocks(), bad.loss_name());
            // What a task has no use for is not saved; all else is an error, now or when the file is read.
            if bad.save(&path).is_ok()
                && let Ok(loaded) = Model::load(&path)
            {
                assert_eq!(loaded.weights, good.weights, "{kind}: {what}");
                let task = loaded.task().unwrap();
                task.predict(&loaded.weights, &data(kind), 2).unwrap();
            }
            let _ = std::fs::remove_file(&path);
        }
    }
}

#[test]
fn only_weights_that_there_are_count() {
    let options = TaskOptions {
        sets: SetOptions { pairs: Pairs::None, ..SetOptions::default() },
        ..TaskOptions::default()
    };
    for kind in [TaskKind::Multiclass, TaskKind::Multilabel] {
        let task = Task::new(kind, 1, 66_000, options.clone()).unwrap();
        assert_eq!((task.dim(), task.features(), task.labels()), (132_000, 1, 66_000));
        let sets = (kind == TaskKind::Multilabel).then(|| vec![0, 1, 2]);
        let data = Dataset { features: matrix(2, 1), labels: vec![65_999, 0], sets, ..Dataset::default() };
        assert_eq!(task.risk(&data).unwrap().dim(), 132_000);
        let mut weights = vec![0.0; task.dim()];
        weights[132_000 - 1] = 1.0;
        assert!(task.predict(&weights, &data, 1).unwrap()[0][0].labels.contains(&65_999));
    }
    // A chain has a weight for each pair of labels; features may be too many, too.
    let error =
        |kind, features, labels| Task::new(kind, features, labels, options.clone()).unwrap_err().to_string();
    assert!(error(TaskKind::Chain, 1, 66_000).contains("more than 2³² weights"));
    for kind in TaskKind::ALL {
        for features in [1 << 32, usize::MAX - 1, usize::MAX] {
            assert!(error(kind, features, 3).contains("more than 2³² weights"), "{kind} {features}");
        }
    }
}
