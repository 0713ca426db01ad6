//! Promise: a task and a model take the data that they were made for, and answer anything else with an error: never a panic,
//! and never weights that belong to something else.

use std::sync::Arc;

use maxmargin::Model;
use maxmargin::data::{
    Alphabet, Attributes, DataObject, Dataset, Edge, FeatureMatrix, Preprocessing, TaskData, UNKNOWN_LABEL,
    Vocabulary,
};
use maxmargin::model::Description;
use maxmargin::risk::{Risk, StructuredRisk};
use maxmargin::search::{MarginSearch, Strategy, SurrogateSearch};
use maxmargin::solver::Certificate;
use maxmargin::structure::CostMatrix;
use maxmargin::structure::{Example, LabelCost, MulticlassStructure};
use maxmargin::surrogate::Surrogate;
use maxmargin::tasks::multilabel::{LabelWeights, Pairs};
use maxmargin::tasks::{
    Chain, ComparisonOptions, Costs, Fitted, FittedObject, GraphExamples, LabelSetExamples, Matching,
    Multilabel, RowExamples, SearchOptions, SequenceExamples, Task, TaskObject, registry,
};

use crate::common::problem::TaskKind;

const COLUMNS: usize = 3;

/// The number of labels of a task.
fn labels(kind: TaskKind) -> usize {
    if kind == TaskKind::Matching { 3 } else { 4 }
}

const ALL: [TaskKind; 4] = [TaskKind::Multiclass, TaskKind::Chain, TaskKind::Multilabel, TaskKind::Matching];

fn object(kind: TaskKind) -> Box<dyn TaskObject> {
    registry::find(kind.name()).unwrap()
}

fn task(kind: TaskKind) -> Box<dyn FittedObject> {
    object(kind).fit(&names(kind), &*data(kind)).unwrap()
}

fn names(kind: TaskKind) -> Vocabulary {
    let labels = match kind {
        TaskKind::Matching => ["none", "sure", "possible"].into_iter().collect(),
        _ => ["a", "b", "c", "d"].into_iter().collect(),
    };
    Vocabulary { labels, attributes: Attributes::Numbered(COLUMNS) }
}

fn margin_risk(task: &dyn FittedObject, data: &dyn DataObject) -> maxmargin::Result<Box<dyn Risk>> {
    task.risk(data, &task.search(&SearchOptions::default(), data)?)
}

fn matrix(rows: usize, columns: usize) -> Arc<FeatureMatrix> {
    let row = |i: usize| (0..columns).map(|j| ((i * 5 + j * 3) % 7) as f64 - 2.0).collect::<Vec<f64>>();
    Arc::new(FeatureMatrix::from_dense(&(0..rows).map(row).collect::<Vec<_>>()))
}

/// The examples that a task makes of a table.
fn typed(kind: TaskKind, table: Dataset) -> maxmargin::Result<Arc<dyn DataObject>> {
    Ok(match kind {
        TaskKind::Multiclass => Arc::new(RowExamples::from_table(table)?),
        TaskKind::Chain => Arc::new(SequenceExamples::from_table(table)?),
        TaskKind::Multilabel => Arc::new(LabelSetExamples::from_table(table)?),
        TaskKind::Matching => Arc::new(GraphExamples::from_table(table)?),
    })
}

fn data(kind: TaskKind) -> Arc<dyn DataObject> {
    typed(kind, table(kind)).unwrap()
}

/// Data of four rows as a file for a task has it.
fn table(kind: TaskKind) -> Dataset {
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

fn description() -> Description {
    Description {
        program_version: "0.1.0".into(),
        lambda: 0.1,
        surrogate: "margin".into(),
        search: "exact".into(),
        solver: "bmrm".into(),
        seed: 0,
        certificate: Certificate { primal: 1.0, lower_bound: 0.5, oracle_gap: 0.0 },
        passes: 1,
        examples: 4,
        attributes: COLUMNS,
        format: None,
    }
}

fn model(kind: TaskKind) -> Model {
    let task = task(kind);
    let weights = vec![0.5; task.dim()];
    Model::new(description(), task, names(kind), weights).unwrap()
}

/// All that takes labelled data: the error of each, or none.
fn training(kind: TaskKind, data: &dyn DataObject) -> Vec<Option<String>> {
    let (mut errors, task) = (Vec::new(), task(kind));
    errors.push(margin_risk(task.as_ref(), data).err().map(|e| e.to_string()));
    for surrogate in [Surrogate::MARGIN, Surrogate::SLACK, Surrogate::MicroF1] {
        let options = SearchOptions { surrogate, ..SearchOptions::default() };
        errors.push(task.search(&options, data).err().map(|e| e.to_string()));
        let compared = task.compared_risk(data, &options, &ComparisonOptions::default());
        errors.push(compared.err().map(|e| e.to_string()));
        // A search that was chosen for other data.
        let search = task.search(&options, &*self::data(kind)).unwrap();
        errors.push(task.risk(data, &search).err().map(|e| e.to_string()));
    }
    errors
}

fn prediction(kind: TaskKind, data: &dyn DataObject) -> Vec<Option<String>> {
    let (task, names) = (task(kind), names(kind));
    let weights = vec![0.25; task.dim()];
    // An evaluation may refuse labels as well; it must not panic.
    let _ = task.evaluate(&weights, data, &names.labels, None);
    (0..4).map(|k| task.predict(&weights, &names, data, k).err().map(|e| e.to_string())).collect()
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
    for kind in ALL {
        taken(training(kind, &*data(kind)), kind.name());
        taken(prediction(kind, &*data(kind)), kind.name());
        // Labels that the model does not know, and no labels at all, are no hindrance to predictions.
        let sets = (kind == TaskKind::Multilabel).then(|| vec![0, 1, 2, 3, 4]);
        let strange = Dataset { labels: vec![UNKNOWN_LABEL; 4], sets, ..table(kind) };
        let none = Dataset { labels: Vec::new(), sets: None, ..table(kind) };
        for unknown in [strange, none] {
            let unknown = typed(kind, unknown).unwrap();
            taken(prediction(kind, &*unknown), kind.name());
            let error = margin_risk(task(kind).as_ref(), &*unknown).err().map(|e| e.to_string());
            refused(vec![error], kind.name(), "has no label");
        }
        let nothing = data(kind).subset(&[]).unwrap();
        assert!(
            task(kind).predict(&vec![0.0; task(kind).dim()], &names(kind), &*nothing, 1).unwrap().is_empty()
        );
        assert!(
            margin_risk(task(kind).as_ref(), &*nothing).err().unwrap().to_string().contains("no examples")
        );
    }
}

#[test]
fn other_numbers_of_columns_are_refused() {
    for kind in ALL {
        for columns in [1, COLUMNS - 1, COLUMNS + 1, 50] {
            let other = typed(kind, Dataset { features: matrix(4, columns), ..table(kind) }).unwrap();
            let part = format!("has {columns} columns, but the task was made for {COLUMNS}");
            refused(training(kind, &*other), kind.name(), &part);
            refused(prediction(kind, &*other), kind.name(), &part);
        }
    }
}

#[test]
fn other_numbers_of_labels_are_refused() {
    for kind in ALL {
        for label in [labels(kind) as u32, 77, UNKNOWN_LABEL - 1] {
            let mut other = table(kind);
            other.labels[1] = label;
            if kind == TaskKind::Matching {
                let error = typed(kind, other).err().map(|e| e.to_string());
                refused(vec![error], kind.name(), "is not the label of an edge");
                continue;
            }
            let other = typed(kind, other).unwrap();
            refused(training(kind, &*other), kind.name(), "has label");
            taken(prediction(kind, &*other), kind.name());
        }
    }
}

#[test]
fn data_of_other_tasks_is_refused() {
    for kind in ALL {
        for other in ALL.into_iter().filter(|&other| other != kind) {
            let what = format!("{kind} with data for {other}");
            refused(training(kind, &*data(other)), &what, "it takes");
            refused(prediction(kind, &*data(other)), &what, &format!("not {}", data(other).kind()));
            assert!(object(kind).fit(&names(kind), &*data(other)).is_err(), "{what}");
            let weights = vec![0.25; task(kind).dim()];
            assert!(
                task(kind).evaluate(&weights, &*data(other), &names(kind).labels, None).is_err(),
                "{what}"
            );
            let model = model(kind).predict(&*data(other), 1).unwrap_err().to_string();
            assert!(model.contains(&format!("task {kind}: it takes")), "{what}: {model}");
        }
    }
}

/// Each position of a sequence is an example of its own, and a single label is a set.
#[test]
fn tables_are_seen_as_tasks_see_them() {
    let tags = || table(TaskKind::Chain);
    let rows = typed(TaskKind::Multiclass, tags()).unwrap();
    assert_eq!((rows.len(), rows.labels()), (4, &[0, 2, 1, 2][..]));
    assert_eq!([0, 1, 2, 3].map(|i| rows.starts_block(i)), [true, false, false, true]);
    let sets = typed(TaskKind::Multilabel, tags()).unwrap();
    assert_eq!((sets.len(), sets.labels()), (4, &[0, 2, 1, 2][..]));
    let refusal = |kind, table| typed(kind, table).unwrap_err().to_string();
    assert!(
        refusal(TaskKind::Chain, table(TaskKind::Multiclass)).contains("has no sequences; svmlight files")
    );
    assert!(refusal(TaskKind::Matching, tags()).contains("has no graphs; write them in the format edges"));
    for (kind, other) in [
        (TaskKind::Multiclass, TaskKind::Multilabel),
        (TaskKind::Multiclass, TaskKind::Matching),
        (TaskKind::Chain, TaskKind::Multilabel),
        (TaskKind::Chain, TaskKind::Matching),
        (TaskKind::Multilabel, TaskKind::Matching),
    ] {
        let found = if other == TaskKind::Matching { "graphs" } else { "rows with sets of labels" };
        let message = refusal(kind, table(other));
        assert!(
            message.contains(&format!("the examples of the data are {found}, but ")),
            "{kind}, {other}: {message}"
        );
    }
}

/// Data whose parts do not go together.
fn broken(kind: TaskKind) -> Vec<(&'static str, Dataset)> {
    let data = || table(kind);
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
    for kind in ALL {
        for (what, data) in broken(kind) {
            assert!(typed(kind, data.clone()).is_err(), "{kind}: {what}");
            // What other tasks make of it is theirs; nothing may panic.
            for other in ALL {
                if let Ok(data) = typed(other, data.clone()) {
                    let _ = (training(other, &*data), prediction(other, &*data));
                }
            }
        }
    }
}

#[test]
fn weights_that_prove_nothing_are_refused() {
    for kind in ALL {
        let examples = data(kind).len();
        for weight in [-1.0, -1e-300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut weights = vec![1.0; examples];
            weights[1] = weight;
            let error =
                typed(kind, Dataset { weights: Some(weights), ..table(kind) }).unwrap_err().to_string();
            assert!(error.contains("example 2 has the weight"), "{kind}: {error}");
        }
        let none = typed(kind, Dataset { weights: Some(vec![0.0; examples]), ..table(kind) }).unwrap();
        taken(training(kind, &*none), kind.name());
    }
    let features = matrix(2, COLUMNS);
    let example = |weight| Example { input: maxmargin::data::Rows::new(&features, 0..1), truth: 0, weight };
    let structure = MulticlassStructure::new(COLUMNS, 2, true, LabelCost::ZeroOne).unwrap();
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
        let structure = MulticlassStructure::new(COLUMNS, 2, true, LabelCost::Matrix(costs)).unwrap();
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
    for kind in ALL {
        for length in [0, task(kind).dim() - 1, task(kind).dim() + 1] {
            let error = task(kind)
                .predict(&vec![0.0; length], &names(kind), &*data(kind), 1)
                .unwrap_err()
                .to_string();
            assert!(error.contains(&format!("{length} weights, but the task has")), "{kind}: {error}");
        }
    }
}

#[test]
fn models_that_contradict_themselves_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    for kind in ALL {
        let good = model(kind);
        assert_eq!(good.blocks().iter().map(|block| block.len()).sum::<usize>(), good.weights().len());
        good.save(&path).unwrap();
        assert!(Model::load(&path).is_ok(), "{kind}");
        let dim = task(kind).dim();
        let columns = |columns| Vocabulary { attributes: Attributes::Numbered(columns), ..names(kind) };
        let without_labels = Vocabulary { labels: Alphabet::default(), ..names(kind) };
        for (what, names, weights) in [
            ("few weights", names(kind), vec![]),
            ("many weights", names(kind), vec![0.5; dim + 1]),
            ("weights that are no numbers", names(kind), vec![f64::NAN; dim]),
            ("many columns", columns(usize::MAX), vec![0.5; dim]),
            ("more columns", columns(COLUMNS + 1), vec![0.5; dim]),
            ("no labels", without_labels, vec![0.5; dim]),
        ] {
            assert!(Model::new(description(), task(kind), names, weights).is_err(), "{kind}: {what}");
        }
        for scale in [vec![1.0], vec![f64::NAN; COLUMNS]] {
            let other = Preprocessing { scale: Some(scale), ..Preprocessing::default() };
            assert!(model(kind).with_preprocessing(other).is_err(), "{kind}");
        }
    }
    let costs = Costs::Matrix(Arc::new(CostMatrix::new(2, vec![0.0, 1.0, 1.0, 0.0]).unwrap()));
    assert!(Fitted::new(Chain { costs, ..Chain::default() }, COLUMNS, 4).is_err());
    let sets =
        |pairs, weights| Fitted::new(Multilabel { pairs, weights, ..Multilabel::default() }, COLUMNS, 4);
    assert!(sets(Pairs::Listed(vec![(0, 9)]), LabelWeights::Equal).is_err());
    assert!(sets(Pairs::Tree, LabelWeights::Equal).is_err());
    for weights in [vec![1.0], vec![f64::NAN; 4], vec![-1.0; 4]] {
        assert!(sets(Pairs::All, LabelWeights::Listed(weights.into())).is_err());
    }
    for (miss, fertility) in [(f64::NAN, (1, 1)), (0.0, (1, 1)), (1.0, (0, 1))] {
        assert!(Fitted::new(Matching { miss, fertility, ..Matching::default() }, COLUMNS, 3).is_err());
    }
}

fn dim_of(task: impl Task, features: usize, labels: usize) -> maxmargin::Result<usize> {
    Ok(Fitted::new(task, features, labels)?.dim())
}

#[test]
fn only_weights_that_there_are_count() {
    let sets = Multilabel { pairs: Pairs::None, ..Multilabel::default() };
    let classes = maxmargin::Multiclass::default();
    assert_eq!(dim_of(classes.clone(), 1, 66_000).unwrap(), 132_000);
    assert_eq!(dim_of(sets.clone(), 1, 66_000).unwrap(), 132_000);
    let data = RowExamples::new(matrix(2, 1), vec![65_999, 0]).unwrap();
    let task = Fitted::new(classes.clone(), 1, 66_000).unwrap();
    assert_eq!(task.risk(&data).unwrap().dim(), 132_000);
    let mut weights = vec![0.0; task.dim()];
    weights[132_000 - 1] = 1.0;
    assert_eq!(task.predict(&weights, &data, 1).unwrap()[0][0].label, 65_999);
    // A chain has a weight for each pair of labels; features may be too many, too.
    let message = |dim: maxmargin::Result<usize>| dim.unwrap_err().to_string();
    assert!(message(dim_of(Chain::default(), 1, 66_000)).contains("more than 2³² weights"));
    for features in [1 << 32, usize::MAX - 1, usize::MAX] {
        for error in [
            dim_of(classes.clone(), features, 3),
            dim_of(Chain::default(), features, 3),
            dim_of(sets.clone(), features, 3),
            dim_of(Matching::default(), features, 3),
        ] {
            assert!(message(error).contains("more than 2³² weights"), "{features}");
        }
    }
}
