//! A model file comes back as it was written, and what is wrong with one is named. That no file does harm, however spoilt, is
//! for `no_file_does_harm.rs`.

use std::path::Path;
use std::sync::Arc;

use maxmargin::Model;
use maxmargin::data::{
    Attributes, DataObject, Edge, ExampleRows, FeatureMatrix, MatrixBuilder, Preprocessing, UNKNOWN_LABEL,
};
use maxmargin::tasks::multilabel::Pairs;
use maxmargin::tasks::{
    GraphExamples, LabelSetExamples, Matching, Multilabel, RowExamples, SequenceExamples, Task,
};
use safetensors::SafeTensors;

use crate::common::models::{ALL_TASKS, model, models_of_sets, sparse_model};

fn saved(model: &Model) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    model.save(&path).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    std::fs::read(path).unwrap()
}

fn load(bytes: &[u8]) -> maxmargin::Result<Model> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    Model::load(file.path())
}

fn problem(bytes: &[u8]) -> String {
    load(bytes).unwrap_err().to_string()
}

/// Puts another text of the same length into the header.
fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).expect(from);
    let mut bytes = bytes.to_vec();
    bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    bytes
}

#[test]
fn a_matching_needs_its_labels_and_limits() {
    let bytes = saved(&model("matching", true, true, false));
    for (from, to, part) in [
        ("\\\"sure\\\"", "\\\"sore\\\"", "none, sure, possible"),
        ("\\\"links\\\":{", "\\\"lunks\\\":{", "how many links"),
        ("\\\"fertility\\\":[1,4]", "\\\"fertility\\\":[0,4]", "at least 1 link"),
        ("\\\"miss\\\":2.0", "\\\"miss\\\":0.0", "above 0"),
    ] {
        let message = problem(&replaced(&bytes, from, to));
        assert!(message.contains(part), "{from}: {message}");
    }
}

#[test]
fn a_model_comes_back_as_it_was() {
    for task in ALL_TASKS {
        for (named, bias, cost) in [(true, true, false), (false, false, true), (true, false, true)] {
            let model = model(task, named, bias, cost);
            let bytes = saved(&model);
            assert_eq!(bytes, saved(&model));
            let again = load(&bytes).unwrap();
            assert_eq!(again.weights(), model.weights());
            assert_eq!(again.description(), model.description());
            assert_eq!(again.task().facts(), model.task().facts());
            assert_eq!(again.task().facts()["bias"], bias);
            assert_eq!(again.task().loss_name(), model.task().loss_name());
            assert_eq!(again.task().save(), model.task().save());
            if let Some(matching) = model.task_as::<Matching>() {
                assert_eq!(again.task_as::<Matching>().map(|again| again.task()), Some(matching.task()));
            }
            assert!(again.names().labels.iter().eq(model.names().labels.iter()));
            assert_eq!(again.names().attributes.len(), 3);
            if let Attributes::Named(names) = &again.names().attributes {
                assert_eq!(names.iter().collect::<Vec<_>>(), ["w=a", "", "pos=\tx"]);
            }
            assert_eq!(saved(&again), bytes);
        }
    }
}

#[test]
fn a_model_of_label_sets_comes_back_as_it_was() {
    for model in models_of_sets() {
        let bytes = saved(&model);
        let again = load(&bytes).unwrap();
        assert_eq!(again.weights(), model.weights());
        assert_eq!(again.description(), model.description());
        let [task, before] = [&again, &model].map(|model| model.task_as::<Multilabel>().unwrap());
        assert_eq!(task.task().save(), before.task().save());
        if let Pairs::Listed(pairs) = &task.task().pairs {
            assert!(pairs.is_sorted() && pairs.iter().all(|(i, j)| i < j), "not as their weights: {pairs:?}");
        }
        assert_eq!(saved(&again), bytes);
        let (task, before) = (task.structure(), before.structure());
        assert_eq!((task.graph(), task.set_loss()), (before.graph(), before.set_loss()));
        assert_eq!(task.is_relaxed(), before.is_relaxed());
        // And it predicts the same.
        let features = FeatureMatrix::from_dense(&[[1.0, -2.0, 0.5], [-1.0, 0.0, 3.0]]);
        let data = LabelSetExamples::from_sets(features, &[[]; 2]).unwrap();
        let predict = |model: &Model| model.predict(&data, 3).unwrap();
        assert_eq!(predict(&again), predict(&model));
    }
}

/// Puts other bytes into a tensor.
fn with_tensor(bytes: &[u8], name: &str, change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let data = SafeTensors::deserialize(bytes).unwrap().tensor(name).expect(name).data().as_ptr_range();
    let [start, end] = [data.start, data.end].map(|at| at as usize - bytes.as_ptr() as usize);
    let mut bytes = bytes.to_vec();
    change(&mut bytes[start..end]);
    bytes
}

/// Rows of few attributes, whose values take a byte with a scale, or more.
fn few_attributes(columns: usize, scale: Option<f64>) -> FeatureMatrix {
    if let Some(scale) = scale {
        let bytes = (0..3 * columns).map(|i| if i % 17 == 3 { i as u8 } else { 0 }).collect();
        return FeatureMatrix::from_bytes(bytes, columns, scale).unwrap().sparse_if_worthwhile();
    }
    let mut builder = MatrixBuilder::sparse();
    for row in 0..3u32 {
        [1, 11 + row, 12 + row, 21, columns as u32 - 1]
            .into_iter()
            .for_each(|j| builder.push(j, f64::from(j) / 7.0));
        builder.end_row();
    }
    builder.finish(columns)
}

#[test]
fn a_model_of_few_weights_comes_back_and_predicts_the_same() {
    for (task, named, bias) in ALL_TASKS
        .into_iter()
        .flat_map(|task| [true, false].map(|named| (task, named, task != "chain" || named)))
    {
        let model = sparse_model(task, named, bias);
        let bytes = saved(&model);
        let file = SafeTensors::deserialize(&bytes).unwrap();
        assert!(file.tensor("columns").is_ok() && file.tensor("rows").is_ok() != named, "{task}: {named}");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert_eq!(text.contains("unpacked"), named);
        assert_eq!(saved(&load(&bytes).unwrap()), bytes);
        for scale in [None, Some(1.0 / 255.0)] {
            let again = load(&bytes).unwrap();
            let features = Arc::new(few_attributes(again.names().attributes.len(), scale));
            let labels = vec![UNKNOWN_LABEL; 3];
            let in_one = || ExampleRows::grouped(Arc::clone(&features), vec![0, 3]).unwrap();
            let edges = [0, 1, 2].map(|right| Edge { left: 0, right });
            let data: Arc<dyn DataObject> = match task {
                "matching" => Arc::new(GraphExamples::new(in_one(), edges, labels).unwrap()),
                "chain" => Arc::new(SequenceExamples::new(in_one(), labels).unwrap()),
                "multilabel" => Arc::new(LabelSetExamples::from_sets(features, &[[]; 3]).unwrap()),
                _ => Arc::new(RowExamples::new(features, labels).unwrap()),
            };
            // Only the rows that the data has are looked up; then all weights are made.
            let k = if task == "matching" { 1 } else { 3 };
            let few = again.predict(data.as_ref(), k).unwrap();
            assert_eq!(again.weights(), model.weights());
            let view = again.view(Arc::clone(&data)).unwrap();
            let all = again.task().predict(again.weights(), again.names(), view.as_ref(), k).unwrap();
            for (few, all) in few.iter().flatten().zip(all.iter().flatten()) {
                assert_eq!((&few.label, few.score.to_bits()), (&all.label, all.score.to_bits()), "{task}");
            }
            assert_eq!((few.len(), &few), (all.len(), &again.predict(data.as_ref(), k).unwrap()));
        }
    }
}

#[test]
fn lists_of_weights_that_do_not_fit_are_named() {
    let [named, numbered] = [true, false].map(|named| saved(&sparse_model("chain", named, true)));
    let numbered = |name, change: fn(&mut [u8])| problem(&with_tensor(&numbered, name, change));
    for (message, part) in [
        (problem(&with_tensor(&named, "counts", |counts| counts[0] += 1)), "columns must ascend"),
        (problem(&with_tensor(&named, "counts", |counts| counts[39] = 0)), "the tensor columns has"),
        (problem(&with_tensor(&named, "counts", |counts| counts.fill(255))), "columns must ascend"),
        (problem(&with_tensor(&named, "columns", |columns| columns[0] = 2)), "stay below 2"),
        (problem(&with_tensor(&named, "attributes", |packed| packed[9] ^= 1)), "packed by zlib"),
        (numbered("rows", |rows| rows[..4].fill(0xff)), "rows must ascend"),
    ] {
        assert!(message.contains(part), "expected {part:?} in {message:?}");
    }
    // Names that promise to be larger than they are, or than they may be.
    let unpacked: usize = (0..40).map(|number| format!("attribute={number}\n").len()).sum::<usize>() - 1;
    for (length, part) in [
        (unpacked + 1, "packed by zlib"),
        (unpacked - 1, "packed by zlib"),
        (100_000, "more than it can hold"),
        (usize::MAX, "more than it can hold"),
    ] {
        let end = 8 + u64::from_le_bytes(*named.first_chunk().unwrap()) as usize;
        let [from, to] = [unpacked, length].map(|length| format!("unpacked\\\":{length}"));
        let header = String::from_utf8_lossy(&named[8..end]).replace(&from, &to);
        let message =
            problem(&[&(header.len() as u64).to_le_bytes(), header.as_bytes(), &named[end..]].concat());
        assert!(message.contains(part), "{length}: expected {part:?} in {message:?}");
    }
}

#[test]
fn files_of_versions_before_load() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/model");
    let load_version = |version: u32| {
        let path = corpus.join(format!("in-order-of-version-{version}"));
        let bytes = std::fs::read(&path).unwrap();
        assert!(String::from_utf8_lossy(&bytes).contains(&format!("format_version\\\":{version},")));
        assert_eq!(SafeTensors::deserialize(&bytes).unwrap().tensor("rows").is_ok(), version == 2);
        Model::load(path).unwrap()
    };
    let [first, second] = [1, 2].map(load_version);
    // The solvers of their times took other ways to the same weights.
    let mut pairs = first.weights().iter().zip(second.weights());
    assert!(first.weights().len() == 3 * 13 && pairs.all(|(a, b)| (a - b).abs() < 1e-4));
    for old in [first, second] {
        let new = load(&saved(&old)).unwrap();
        assert_eq!((new.weights(), new.description()), (old.weights(), old.description()));
        let numbers: Vec<f64> = (0..12).map(f64::from).collect();
        assert_eq!(new.predict_numbers(&[&numbers]).unwrap(), old.predict_numbers(&[&numbers]).unwrap());
        let nonzero = old.weights().iter().filter(|&&weight| weight != 0.0).count();
        assert!((4..=12).contains(&nonzero), "{nonzero}");
    }
}

#[test]
fn problems_of_label_sets_are_named() {
    let model = &models_of_sets()[3];
    let bytes = saved(model);
    for (from, to, part) in [
        ("\\\"listed\\\",", "\\\"lister\\\",", "lister"),
        ("\\\"relaxed\\\"", "\\\"relaxes\\\"", "relaxes"),
        ("[[0,2],[1,2]]", "[[0,2],[1,3]]", "beyond the 3"),
        ("[[0,2],[1,2]]", "[[1,2],[1,2]]", "twice"),
        ("[[0,2],[1,2]]", "[[0,0],[1,2]]", "itself"),
        ("[[0,2],[1,2]]", "[[1,2],[0,2]]", "ascending order"),
        ("[[0,2],[1,2]]", "[[2,0],[1,2]]", "ascending order"),
        ("\"label_weight\"", "\"label_weighs\"", "label_weight is missing"),
        ("\"pair\"", "\"pain\"", "pair is missing"),
        ("\\\"sets\\\"", "\\\"jets\\\"", "which pairs"),
    ] {
        let message = problem(&replaced(&bytes, from, to));
        assert!(message.contains(part), "{from} as {to}: expected {part:?} in {message:?}");
    }
    let weight = bytes.windows(8).position(|window| window == 7.0f64.to_le_bytes()).unwrap();
    for wrong in [-1.0, f64::NAN, f64::INFINITY] {
        let mut bytes = bytes.clone();
        bytes[weight..weight + 8].copy_from_slice(&f64::to_le_bytes(wrong));
        let message = problem(&bytes);
        assert!(message.contains("label") && message.contains("weight"), "{wrong}: {message}");
    }
}

#[test]
fn what_is_done_to_columns_comes_back() {
    let plain = model("multilabel", true, true, false);
    let (impute, scale) = (Some(vec![0.0, 1.5, -1.0]), Some(vec![1.0, 0.1, 3.0]));
    let columns = Preprocessing { impute, scale, ..Preprocessing::default() };
    let model = plain.clone().with_preprocessing(columns.clone()).unwrap();
    let model = model.with_dropped_labels(["rare", "rarer"].into_iter().collect());
    let bytes = saved(&model);
    let again = load(&bytes).unwrap();
    assert_eq!(again.preprocessing(), model.preprocessing());
    assert!(again.dropped_labels().iter().eq(["rare", "rarer"]));
    assert_eq!(saved(&again), bytes);
    // Models that do nothing to columns do not mention it.
    let text = String::from_utf8_lossy(&saved(&plain)).into_owned();
    let names = ["impute", "shift", "scale", "dropped", "idf", "log_counts", "normalize"];
    assert!(!names.iter().any(|name| text.contains(name)));
    let no_divisor = Preprocessing { scale: Some(vec![1.0, 0.0, 3.0]), ..columns };
    let model = plain.clone().with_preprocessing(no_divisor).unwrap();
    assert!(problem(&saved(&model)).contains("the tensor scale holds 0"));
}

/// Programs that know nothing of these would predict something else: they refuse the version.
#[test]
fn weights_of_counts_come_back_in_a_version_of_their_own() {
    let plain = model("multilabel", true, true, false);
    let version = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        [3, 4].into_iter().find(|version| text.contains(&format!("format_version\\\":{version},")))
    };
    assert_eq!(version(&saved(&plain)), Some(3));
    let shift = Some(vec![0.5; 3]);
    for columns in [
        Preprocessing { log_counts: true, ..Preprocessing::default() },
        Preprocessing { idf: Some(vec![1.0, 2.0, 0.5]), shift, ..Preprocessing::default() },
        Preprocessing { normalize: true, ..Preprocessing::default() },
    ] {
        let model = plain.clone().with_preprocessing(columns).unwrap();
        let bytes = saved(&model);
        let again = load(&bytes).unwrap();
        assert_eq!(again.preprocessing(), model.preprocessing());
        assert_eq!((saved(&again) == bytes, version(&bytes)), (true, Some(4)));
    }
}

#[test]
fn problems_are_named() {
    let bytes = saved(&model("chain", true, true, false));
    for (bytes, part) in [
        (bytes[..bytes.len() / 2].to_vec(), "cut off"),
        (bytes[..bytes.len() - 1].to_vec(), "cut off"),
        (bytes[..5].to_vec(), "cut off"),
        (b"1 1:0.5 2:1\n-1 1:0.5 2:1\n".to_vec(), "not a model"),
        (replaced(&bytes, "format_version\\\":3", "format_version\\\":9"), "newer program"),
        (replaced(&bytes, "\\\"chain\\\"", "\\\"chair\\\""), "\"chair\""),
        (replaced(&bytes, "\"maxmargin\"", "\"minmargin\""), "not of this program"),
        (replaced(&bytes, "\"shape\":[4,2]", "\"shape\":[2,4]"), "unary is F64 [2, 4]; expected F64 [4, 2]"),
        (replaced(&bytes, "\"transition\"", "\"transitiom\""), "transition is missing"),
        (replaced(&bytes, "w=a\n", "w=ab"), "2 names of attributes"),
    ] {
        let message = problem(&bytes);
        assert!(message.contains(part), "expected {part:?} in {message:?}");
    }
    let mut not_a_number = bytes.clone();
    let weight = bytes.windows(8).rposition(|window| window == (1.0f64.sin() / 3.0).to_le_bytes()).unwrap();
    not_a_number[weight..weight + 8].copy_from_slice(&f64::NAN.to_le_bytes());
    assert!(problem(&not_a_number).contains("holds NaN"));

    let other = safetensors::tensor::TensorView::new(safetensors::Dtype::U8, vec![1], &[1]).unwrap();
    let other = safetensors::serialize([("x", other)], None).unwrap();
    assert!(problem(&other).contains("not of this program"));
    let metadata = Some([(maxmargin::model::NETWORK_KEY.to_owned(), "{}".to_owned())].into());
    let network = safetensors::tensor::TensorView::new(safetensors::Dtype::U8, vec![1], &[1]).unwrap();
    let network = safetensors::serialize([("x", network)], metadata).unwrap();
    assert!(problem(&network).contains("only a program with the crate maxmargin-neural"));
    assert!(Model::load(Path::new("/no/such/model")).unwrap_err().to_string().starts_with("cannot read"));
}
