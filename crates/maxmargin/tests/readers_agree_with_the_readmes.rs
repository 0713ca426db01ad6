//! Promise: the real data sets are read as their descriptions count them. Skipped where the data is not at hand.

use std::collections::BTreeMap;
use std::process::Command;

use maxmargin::data::tag_scheme::{TagConversion, TagScheme};
use maxmargin::data::{
    ColumnOptions, DataObject, Dataset, ReadOptions, Reading, RowValues, TaskData, UNKNOWN_LABEL, Vocabulary,
    read_training, read_with,
};
use maxmargin::tasks::SequenceExamples;

use crate::common;

/// How often each label occurs, by name.
fn label_counts(data: &Dataset, names: &Vocabulary) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for &label in &data.labels {
        *counts.entry(names.labels.name(label).to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn ocr_letters() {
    let Some(path) = common::real_data("letters/letter.data.gz") else { return };
    let (data, names) = read_training(&[path], &ReadOptions::default()).unwrap();
    common::check(&data, &names);
    assert_eq!((data.len(), data.features.rows(), data.features.columns()), (6877, 52152, 128));
    let alphabet: Vec<String> = ('a'..='z').map(String::from).collect();
    assert!(names.labels.iter().eq(alphabet.iter()));
    // 21.97 % of the pixels, as a count by other means confirms; the description says 22.1 %.
    assert_eq!(data.features.stored(), 1_466_486);
    assert!(matches!(data.features.row(0).values(), RowValues::Ones(_)));
    let lengths = || (0..data.len()).map(|i| data.range(i).len());
    assert_eq!((lengths().min(), lengths().max()), (Some(3), Some(14)));
    let counts = label_counts(&data, &names);
    for (letter, count) in [("n", 5024), ("e", 4955), ("i", 4913), ("j", 189), ("q", 341), ("x", 413)] {
        assert_eq!(counts[letter], count, "{letter}");
    }
    let data = SequenceExamples::from_table(data).unwrap();
    let folds: Vec<_> = (0..10).map(|fold| (&data as &dyn DataObject).in_folds(&[fold]).unwrap()).collect();
    let words: Vec<usize> = folds.iter().map(|fold| fold.len()).collect();
    assert_eq!(words, [626, 704, 684, 698, 693, 651, 739, 717, 690, 675]);
    let letters: Vec<usize> = folds.iter().map(|fold| fold.parts().1).collect();
    assert_eq!(letters, [4617, 5375, 5110, 5353, 5270, 5001, 5583, 5370, 5331, 5142]);
    let tokens = data.into_rows().unwrap();
    assert_eq!(TaskData::len(&tokens), 52152);
    assert_eq!((&tokens as &dyn DataObject).in_folds(&[0]).unwrap().len(), 4617);
}

#[test]
fn mnist() {
    let files = ["mnist/train-images-idx3-ubyte.gz", "mnist/t10k-images-idx3-ubyte.gz"];
    let [Some(train), Some(test)] = files.map(common::real_data) else { return };
    let (data, names) = read_training(std::slice::from_ref(&train), &ReadOptions::default()).unwrap();
    common::check(&data, &names);
    assert_eq!((data.len(), data.features.columns()), (60_000, 784));
    let counts: Vec<usize> = label_counts(&data, &names).into_values().collect();
    assert_eq!(counts, [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]);
    let (test_data, unseen) =
        read_with(std::slice::from_ref(&test), &ReadOptions::default(), &names).unwrap();
    assert_eq!((unseen.labels, unseen.attributes, test_data.len()), (0, 0, 10_000));
    let counts: Vec<usize> = label_counts(&test_data, &names).into_values().collect();
    assert_eq!(counts, [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]);
    let (both, _) = read_training(&[train, test], &ReadOptions::default()).unwrap();
    assert_eq!(both.len(), 70_000);
    assert_eq!(both.features.row(60_000).to_pairs(), test_data.features.row(0).to_pairs());
}

/// Runs the example that makes attributes, which cargo builds before it runs tests.
fn attributes_of(columns: &std::path::Path) -> Option<Vec<u8>> {
    let folder = std::env::current_exe().ok()?.parent()?.parent()?.join("examples");
    let program = folder.join(format!("chunking_attributes{}", std::env::consts::EXE_SUFFIX));
    if !program.exists() {
        eprintln!("skipped: the example chunking_attributes was not built");
        return None;
    }
    Some(Command::new(program).arg(columns).output().ok()?.stdout)
}

#[test]
fn conll_2000() {
    let files = ["conll2000/train.txt.gz", "conll2000/test.txt"];
    let [Some(train), Some(test)] = files.map(common::real_data) else { return };
    let [Some(train), Some(test)] = [train, test].map(|path| attributes_of(&path)) else { return };
    let folder = tempfile::tempdir().unwrap();
    let paths = ["train", "test"].map(|name| folder.path().join(name));
    std::fs::write(&paths[0], train).unwrap();
    std::fs::write(&paths[1], test).unwrap();
    let (data, names) = read_training(&paths[..1], &ReadOptions::default()).unwrap();
    common::check(&data, &names);
    assert_eq!((data.len(), data.features.rows(), names.labels.len()), (8936, 211_727, 22));
    assert_eq!(data.features.columns(), 335_674);
    assert!(matches!(data.features.row(0).values(), RowValues::Ones(_)));
    let chunks: usize =
        label_counts(&data, &names).iter().filter(|(name, _)| name.starts_with("B-")).map(|(_, n)| n).sum();
    assert_eq!(106_978, chunks);
    assert_eq!((0..data.len()).map(|i| data.range(i).len()).max(), Some(78));
    // I-LST occurs only in the test data, twice.
    let (data, unseen) = read_with(&paths[1..], &ReadOptions::default(), &names).unwrap();
    assert_eq!((data.len(), data.features.rows(), unseen.labels), (2012, 47_377, 2));
    assert_eq!(data.labels.iter().filter(|&&label| label == UNKNOWN_LABEL).count(), 2);
    assert!(unseen.attributes > 0);
}

fn columns_with(templates: &str) -> ReadOptions {
    let columns = ColumnOptions { templates: Some(templates.into()), ..ColumnOptions::default() };
    ReadOptions { columns, ..ReadOptions::default() }
}

#[test]
fn conll_2000_as_columns() {
    let files = ["conll2000/train.txt.gz", "conll2000/test.txt"];
    let [Some(train), Some(test)] = files.map(common::real_data) else { return };
    let detected = read_training(std::slice::from_ref(&test), &ReadOptions::default()).unwrap();
    assert_eq!((detected.0.len(), detected.0.features.rows()), (2012, 47_377));
    let (data, names) = read_training(&[train], &columns_with("chunk")).unwrap();
    common::check(&data, &names);
    assert_eq!((data.len(), data.features.rows(), names.labels.len()), (8936, 211_727, 22));
    assert!((0..data.features.rows()).all(|row| data.features.row(row).to_pairs().len() == 19));
    let (data, unseen) = read_with(&[test], &columns_with("chunk"), &names).unwrap();
    assert_eq!((data.len(), data.features.rows(), unseen.labels), (2012, 47_377, 2));
}

#[test]
fn conll_2003_is_iob1() {
    let files = ["conll2003/eng.train.gz", "conll2003/eng.testa", "conll2003/eng.testb"];
    let counts = [(14_041, 203_621, 23_499), (3250, 51_362, 5942), (3453, 46_435, 5648)];
    for (file, (sentences, tokens, entities)) in files.into_iter().zip(counts) {
        let Some(path) = common::real_data(file) else { return };
        let options = ReadOptions { tag_scheme: Some(TagScheme::Bioes), ..columns_with("ner") };
        let reading = Reading::of_files(&[path], &options, None).unwrap();
        assert_eq!((reading.data.len(), reading.data.features.rows()), (sentences, tokens), "{file}");
        assert_eq!(reading.format.as_deref(), Some("conll"));
        let tags = TagConversion { files: TagScheme::Iob1, model: TagScheme::Bioes };
        assert_eq!(reading.text.tags, Some(tags), "{file}");
        // Two tags of the training data begin with B- where no chunk of their type is before them.
        let expected: &[&str] = match file.contains("train") {
            true => &["tag-scheme: 2 tags not as iob1 writes tags, read as conlleval does"],
            false => &[],
        };
        assert_eq!(reading.text.notes, expected, "{file}");
        let begun = label_counts(&reading.data, &reading.names).into_iter();
        let begun = begun.filter(|(name, _)| name.starts_with(['B', 'S'])).map(|(_, count)| count);
        assert_eq!(begun.sum::<usize>(), entities, "{file}");
    }
}
