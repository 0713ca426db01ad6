use super::*;

#[test]
fn labels_are_sorted_whatever_their_order_in_the_file() {
    let mut data = DatasetBuilder::growing(false);
    for label in ["10", "9", "10"] {
        data.label(label);
        data.column(0, 1.0);
        data.end_row();
        data.end_example(1.0, None);
    }
    let (data, vocabulary, _) = data.finish();
    let vocabulary = vocabulary.unwrap();
    assert_eq!(vocabulary.labels.iter().collect::<Vec<_>>(), ["9", "10"]);
    assert_eq!(data.labels, [1, 0, 1]);
    assert!(data.weights.is_none() && data.sequences.is_none() && data.folds.is_none());
}

#[test]
fn weights_appear_with_the_first_that_is_not_1() {
    let mut data = DatasetBuilder::growing(false);
    for weight in [1.0, 2.0, 1.0] {
        data.label("x");
        data.end_row();
        data.end_example(weight, None);
    }
    assert_eq!(data.finish().0.weights, Some(vec![1.0, 2.0, 1.0]));
}

#[test]
fn a_fixed_vocabulary_drops_and_counts_what_it_does_not_know() {
    let labels = ["a"].into_iter().collect();
    let vocabulary = Vocabulary { labels, attributes: Attributes::Numbered(2) };
    let mut data = DatasetBuilder::fixed(&vocabulary);
    data.label("b");
    for column in [0, 1, 2, 7] {
        data.column(column, 1.0);
    }
    data.end_row();
    data.end_example(1.0, None);
    let (data, _, unseen) = data.finish();
    assert_eq!(unseen, Unseen { labels: 1, attributes: 2, ..Unseen::default() });
    assert_eq!(data.labels, [UNKNOWN_LABEL]);
    assert_eq!(data.features.columns(), 2);
    assert_eq!(data.features.row(0).to_pairs(), [(0, 1.0), (1, 1.0)]);
}

#[test]
fn sets_are_sorted_after_the_labels_are() {
    let mut data = DatasetBuilder::growing(false).with_label_sets(true);
    for set in [&["10", "9", "2"][..], &[], &["2", "10"]] {
        assert!(set.iter().all(|name| data.add_label(name)));
        data.end_label_set();
        data.end_row();
        data.end_example(1.0, None);
    }
    let (data, vocabulary, _) = data.finish();
    assert!(vocabulary.unwrap().labels.iter().eq(["2", "9", "10"]));
    assert_eq!((data.labels, data.sets), (vec![0, 1, 2, 0, 2], Some(vec![0, 3, 3, 5])));
}

#[test]
fn a_set_notices_what_it_has_already() {
    let vocabulary = Vocabulary { labels: ["b"].into_iter().collect(), ..Vocabulary::default() };
    let mut data = DatasetBuilder::fixed(&vocabulary).with_label_sets(true);
    for _ in 0..2 {
        assert!(data.add_label("x") && data.add_label("b") && data.add_label("a"));
        data.end_label_set();
        data.end_row();
    }
    assert!(data.add_label("x") && data.add_label("b"));
    assert!(!data.add_label("x") && !data.add_label("b"));
    data.end_label_set();
    data.end_row();
    let (data, _, unseen) = data.finish();
    assert_eq!(unseen.labels, 6);
    assert_eq!(data.labels_of(0), [0, UNKNOWN_LABEL, UNKNOWN_LABEL]);
}

#[test]
fn dense_rows_that_are_mostly_0_become_sparse_on_the_way() {
    let mut data = DatasetBuilder::growing(true);
    let columns = ["a", "b", "c", "d"].map(|name| data.column_of(name));
    data.set_dense(4);
    let rows = ENOUGH_TO_TELL / 4 + 10;
    for row in 0..rows {
        data.known_column(columns[(row + 1) % 4], 0.0);
        data.known_column(columns[row % 4], row as f64 + 0.5);
        data.label("x");
        data.end_row();
        data.end_example(1.0, None);
        assert_eq!(data.is_dense(), row + 1 < ENOUGH_TO_TELL / 4);
    }
    let features = data.finish().0.features;
    assert_eq!((features.rows(), features.columns(), features.is_sparse()), (rows, 4, true));
    assert!((0..rows).all(|row| features.row(row).to_pairs() == [(row % 4, row as f64 + 0.5)]));
}

#[test]
fn dense_rows_become_a_dense_matrix() {
    for (values, dense) in [([0.5, 2.0], true), ([0.0, 0.0], false)] {
        let mut data = DatasetBuilder::growing(true);
        let columns = ["a", "b"].map(|name| data.column_of(name));
        data.set_dense(2);
        for _ in 0..2 {
            // In any order.
            data.known_column(columns[1], values[1]);
            data.known_column(columns[0], values[0]);
            data.label("x");
            data.end_row();
            data.end_example(1.0, None);
        }
        let features = data.finish().0.features;
        assert_eq!(features.row(1).indices().is_none(), dense);
        let stored: Vec<f64> = features.row(1).to_pairs().into_iter().map(|(_, value)| value).collect();
        assert_eq!(stored, values.into_iter().filter(|_| dense).collect::<Vec<_>>());
    }
}

#[test]
fn a_whole_number_is_one_label_however_it_is_spelled() {
    // Whatever comes first.
    for labels in [["1", "1.0", "2.0", "0"], ["2.0", "0", "1.0", "1"], ["1.00", "2.0", "0.0", "0"]] {
        let mut data = DatasetBuilder::growing(false);
        for label in labels.into_iter().chain(["1", "0", "1.0"]) {
            data.label(label);
            data.end_row();
            data.end_example(1.0, None);
        }
        let (data, vocabulary, _) = data.finish();
        assert!(vocabulary.unwrap().labels.iter().eq(["0", "1", "2.0"]), "{labels:?}");
        assert_eq!(data.labels[4..], [1, 0, 1], "{labels:?}");
    }
    // A model knows them in any spelling, and has one spelling each.
    let labels = ["1", "2.0", "3.10"].into_iter().collect();
    let vocabulary = Vocabulary { labels, attributes: Attributes::Numbered(0) };
    let ignored = ["7"].into_iter().collect();
    let mut data = DatasetBuilder::fixed(&vocabulary).with_label_sets(true).without_labels(&ignored);
    for name in ["2", "1.000e+00", "3.1", "7.0", "01"] {
        data.add_label(name);
    }
    assert!(!data.add_label("1.0"), "a second time in one set");
    data.end_label_set();
    data.end_row();
    data.end_example(1.0, None);
    let (data, _, unseen) = data.finish();
    assert_eq!((&data.labels[..3], unseen.labels), (&[0, 0, 1][..], 2));
}
