//! Promise: the real multi-label data sets are read as their descriptions count them. Skipped where the data is not at hand.

use std::collections::BTreeSet;

use maxmargin::data::{
    Attributes, Dataset, Impute, Preprocessing, ReadOptions, TaskData, Vocabulary, read_training, read_with,
};
use maxmargin::features::FeatureMatrix;
use maxmargin::tasks::LabelSetExamples;

use crate::common;

fn options() -> ReadOptions {
    ReadOptions { label_sets: true, ..ReadOptions::default() }
}

/// Reads two files: the second with the vocabulary of the first, and both as one.
fn read(files: [&str; 2]) -> Option<([Dataset; 3], Vocabulary)> {
    let [Some(train), Some(test)] = files.map(common::real_data) else { return None };
    let (data, names) = read_training(std::slice::from_ref(&train), &options()).unwrap();
    common::check(&data, &names);
    let (test_data, unseen) = read_with(std::slice::from_ref(&test), &options(), &names).unwrap();
    common::check(&test_data, &names);
    assert_eq!(unseen.labels, 0);
    let (both, both_names) = read_training(&[train, test], &options()).unwrap();
    common::check(&both, &both_names);
    assert!(both_names.labels.iter().eq(names.labels.iter()));
    assert_eq!(both.labels, [&data.labels[..], &test_data.labels[..]].concat());
    Some(([data, test_data, both], names))
}

/// Examples, the mean number of labels with four digits, the number of distinct label sets, and the most labels.
fn counts(data: &Dataset) -> (usize, String, usize, usize) {
    let sets: BTreeSet<&[u32]> = (0..data.len()).map(|i| data.labels_of(i)).collect();
    let cardinality = data.labels.len() as f64 / data.len() as f64;
    let most = sets.iter().map(|set| set.len()).max().unwrap();
    (data.len(), format!("{cardinality:.4}"), sets.len(), most)
}

fn expect(data: &[Dataset; 3], expected: [(usize, &str, usize, usize); 3]) {
    for (data, expected) in data.iter().zip(expected) {
        let (examples, cardinality, sets, most) = counts(data);
        assert_eq!((examples, cardinality.as_str(), sets, most), expected);
    }
}

fn values(features: &FeatureMatrix) -> impl Iterator<Item = f64> {
    (0..features.rows()).flat_map(|i| features.row(i).to_pairs()).map(|(_, value)| value)
}

fn named(names: &Vocabulary) -> Vec<&str> {
    match &names.attributes {
        Attributes::Named(names) => names.iter().collect(),
        Attributes::Numbered(_) => panic!("ARFF has names"),
    }
}

#[test]
fn yeast() {
    let Some((data, names)) = read(["yeast/yeast-train.arff.gz", "yeast/yeast-test.arff.gz"]) else { return };
    expect(&data, [(1500, "4.2280", 164, 11), (917, "4.2519", 140, 10), (2417, "4.2371", 198, 11)]);
    assert!(!data[0].features.is_sparse());
    let columns: Vec<String> = (1..=103).map(|j| format!("Att{j}")).collect();
    assert_eq!(named(&names), columns);
    let labels: BTreeSet<String> = (1..=14).map(|j| format!("Class{j}")).collect();
    assert!(names.labels.iter().eq(labels.iter()));
    let (least, most) = values(&data[2].features).fold((0f64, 0f64), |(a, b), v| (a.min(v), b.max(v)));
    assert_eq!((format!("{least:.3}"), format!("{most:.3}")), ("-0.797".to_owned(), "0.730".to_owned()));
    assert!((0..data[2].len()).all(|i| !data[2].labels_of(i).is_empty()));
}

/// The XML lists labels in another order than the columns have: a reader that went by position would mix them up.
#[test]
fn yeast_by_name() {
    let Some(path) = common::real_data("yeast/yeast-train.arff.gz") else { return };
    let (data, names) = read_training(std::slice::from_ref(&path), &options()).unwrap();
    // Column by column, as an independent look at the rows gives it: label k is the attribute Class{k}, after 103 others.
    let mut text = Vec::new();
    let mut source = maxmargin::data::Source::open(&path).unwrap();
    source.read_bytes(u64::MAX, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let rows = text.lines().skip_while(|line| *line != "@data").skip(1).filter(|line| !line.is_empty());
    for (i, row) in rows.enumerate() {
        let cells: Vec<&str> = row.split(',').map(str::trim).collect();
        let expected: BTreeSet<String> =
            (1..=14).filter(|k| cells[102 + k] == "1").map(|k| format!("Class{k}")).collect();
        let found: BTreeSet<String> =
            data.labels_of(i).iter().map(|&label| names.labels.name(label).to_owned()).collect();
        assert_eq!(found, expected, "row {i}");
    }
}

#[test]
fn emotions() {
    let Some((data, names)) = read(["emotions/emotions-train.arff", "emotions/emotions-test.arff"]) else {
        return;
    };
    expect(&data, [(391, "1.8133", 26, 3), (202, "1.9752", 21, 3), (593, "1.8685", 27, 3)]);
    assert_eq!((names.attributes.len(), names.labels.len()), (72, 6));
    let (least, most) = values(&data[2].features).fold((0f64, 0f64), |(a, b), v| (a.min(v), b.max(v)));
    assert_eq!((format!("{least:.1}"), most), ("-99.1".to_owned(), 237.0));
    let standard = Preprocessing::fit(&data[0].features, Impute::None, true).unwrap();
    let scaled = standard.apply(&data[0].features).unwrap();
    let columns = scaled.columns() as f64;
    let (n, sum, squares) = values(&scaled).fold((0.0, 0.0, 0.0), |(n, s, q), v| (n + 1.0, s + v, q + v * v));
    assert!(n == 391.0 * columns && (sum / n).abs() < 1e-9 && (squares / n - 1.0).abs() < 1e-9);
    standard.apply(&data[1].features).unwrap();
}

#[test]
fn bibtex() {
    let Some((data, names)) = read(["bibtex/bibtex-train.arff.gz", "bibtex/bibtex-test.arff.gz"]) else {
        return;
    };
    expect(&data, [(4880, "2.3803", 2058, 28), (2515, "2.4437", 1257, 17), (7395, "2.4019", 2856, 28)]);
    assert_eq!((names.attributes.len(), names.labels.len()), (1836, 159));
    assert_eq!(&named(&names)[..3], ["0", "000", "02"]);
    for (data, nonzero) in data.iter().zip(["68.5", "69.0", "68.7"]) {
        assert!(data.features.is_sparse() && values(&data.features).all(|value| value == 1.0));
        assert_eq!(format!("{:.1}", data.features.stored() as f64 / data.len() as f64), nonzero);
    }
    // Every label has a positive, and no example is without one, in both parts.
    let sets = |data: &Dataset| LabelSetExamples::from_table(data.clone()).unwrap();
    for data in &data[..2] {
        assert_eq!(sets(data).most_frequent_labels(999).len(), 159);
        assert!((0..data.len()).all(|i| !data.labels_of(i).is_empty()));
    }
    let frequent = sets(&data[0]).most_frequent_labels(30);
    let few = sets(&data[0]).keep_labels(&frequent).unwrap();
    let kept = data[0].labels.iter().filter(|label| frequent.contains(label)).count();
    assert_eq!((few.labels().len(), few.label_count()), (kept, 30));
}

#[test]
fn rcv1_subset() {
    let files = ["rcv1subset1/rcv1subset1_train.svm.gz", "rcv1subset1/rcv1subset1_test.svm.gz"];
    let Some((data, names)) = read(files) else { return };
    let [train, test, both] = &data;
    assert_eq!((train.len(), test.len()), (3000, 3000));
    assert_eq!(
        (counts(train).1, counts(test).1, counts(both).2),
        ("2.9143".to_owned(), "2.8757".to_owned(), 811)
    );
    let numbers: Vec<String> = (0..101).map(|label| label.to_string()).collect();
    assert!(names.labels.iter().eq(numbers.iter()));
    let positives =
        |data: &Dataset| LabelSetExamples::from_table(data.clone()).unwrap().most_frequent_labels(999).len();
    assert_eq!((positives(train), positives(test)), (101, 97));
    assert_eq!(format!("{:.1}", train.features.stored() as f64 / 3000.0), "76.7");
    let occurring: BTreeSet<usize> =
        (0..both.len()).flat_map(|i| both.features.row(i).to_pairs()).map(|(j, _)| j).collect();
    assert_eq!(occurring.len(), 19_550);
    for i in 0..both.len() {
        let length: f64 = both.features.row(i).to_pairs().iter().map(|(_, value)| value * value).sum();
        assert!((length - 1.0).abs() < 1e-4 && !both.labels_of(i).is_empty());
    }
}
