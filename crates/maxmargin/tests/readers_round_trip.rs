//! Promise: what a file says is what the data set holds, to the last bit.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use maxmargin::data::{
    Attributes, Dataset, Format, ReadOptions, TaskData, Vocabulary, read_training, read_with,
};
use maxmargin::tasks::GraphExamples;
use proptest::prelude::*;

use crate::common;

/// A row as it is written: a label, and values by the number or name of their attribute. No value is 0.
type Row<K> = (String, BTreeMap<K, f64>);
/// A sequence (or a single row) and its weight.
type Example<K> = (Vec<Row<K>>, f64);

fn value() -> impl Strategy<Value = f64> {
    let any = prop_oneof![
        Just(1.0),
        (1u8..=255).prop_map(f64::from),
        any::<f32>().prop_map(f64::from),
        any::<f64>()
    ];
    any.prop_filter("finite and not 0", |value| value.is_finite() && *value != 0.0)
}

fn weight() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1.0), 1e-3..1e3]
}

fn examples<K: std::fmt::Debug + Ord>(
    key: impl Strategy<Value = K>,
    label: impl Strategy<Value = String>,
    tokens: std::ops::Range<usize>,
) -> impl Strategy<Value = Vec<Example<K>>> {
    let row = (label, prop::collection::btree_map(key, value(), 0..6));
    prop::collection::vec((prop::collection::vec(row, tokens), weight()), 1..8)
}

/// Writes the text, reads it back plain and packed, and also with the vocabulary that it made.
fn read(text: &[u8], options: &ReadOptions) -> (Dataset, Vocabulary) {
    let folder = tempfile::tempdir().unwrap();
    let paths = [folder.path().join("written")];
    fs::write(&paths[0], text).unwrap();
    let (plain, vocabulary) = read_training(&paths, options).unwrap();
    common::check(&plain, &vocabulary);
    fs::write(&paths[0], common::gz(text)).unwrap();
    let (packed, _) = read_training(&paths, options).unwrap();
    let (again, unseen) = read_with(&paths, options, &vocabulary).unwrap();
    assert_eq!((unseen.labels, unseen.attributes), (0, 0));
    for other in [&packed, &again] {
        assert_eq!((&plain.labels, &plain.sequences), (&other.labels, &other.sequences));
        assert_eq!((&plain.weights, &plain.folds), (&other.weights, &other.folds));
        assert_eq!((&plain.edges, &plain.unreachable), (&other.edges, &other.unreachable));
        assert!((0..plain.features.rows()).all(|row| pairs(&plain, row) == pairs(other, row)));
    }
    (plain, vocabulary)
}

/// A row's values as bits, so that equal means equal.
fn pairs(data: &Dataset, row: usize) -> Vec<(usize, u64)> {
    data.features.row(row).to_pairs().into_iter().map(|(j, value)| (j, value.to_bits())).collect()
}

/// Checks that a data set is what was written; `column` says where an attribute must be.
fn same<K>(examples: &[Example<K>], data: &Dataset, names: &Vocabulary, column: impl Fn(&K) -> usize) {
    assert_eq!(data.len(), examples.len());
    for (i, (rows, weight)) in examples.iter().enumerate() {
        assert_eq!(data.weight(i), *weight);
        assert_eq!(data.range(i).len(), rows.len());
        for ((label, values), at) in rows.iter().zip(data.range(i)) {
            assert_eq!(names.labels.name(data.labels[at]), label);
            let mut expected: Vec<_> =
                values.iter().map(|(key, value)| (column(key), value.to_bits())).collect();
            expected.sort_unstable();
            assert_eq!(pairs(data, at), expected);
        }
    }
}

fn escape(name: &str) -> String {
    name.replace('\\', "\\\\").replace(':', "\\:")
}

proptest! {
    #[test]
    fn svmlight_rows(examples in examples(0u32..3000, "[a-zA-Zü][a-z0-9+-]{0,3}|-?[1-9]", 1..2), zero_based: bool) {
        let mut text = String::new();
        for (rows, weight) in &examples {
            write!(text, "{} cost:{weight}", rows[0].0).unwrap();
            for (column, value) in &rows[0].1 {
                write!(text, " {}:{value}", column + u32::from(!zero_based)).unwrap();
            }
            text.push('\n');
        }
        let options = ReadOptions { zero_based, ..ReadOptions::default() };
        let (data, names) = read(text.as_bytes(), &options);
        prop_assert!(data.sequences.is_none());
        same(&examples, &data, &names, |&column| column as usize);
    }

    #[test]
    fn svmlight_sequences(examples in examples(0u32..30, "[a-z]{1,2}", 1..5)) {
        let mut text = String::new();
        for (i, (rows, weight)) in examples.iter().enumerate() {
            for (label, values) in rows {
                write!(text, "{label} qid:{} cost:{weight:e}", 100 - i).unwrap();
                values.iter().for_each(|(column, value)| write!(text, "\t{}:{value:e}", column + 1).unwrap());
                text.push_str(" # and so on\r\n");
            }
        }
        let (data, names) = read(text.as_bytes(), &ReadOptions::default());
        prop_assert!(data.sequences.is_some());
        same(&examples, &data, &names, |&column| column as usize);
    }

    #[test]
    fn crfsuite(examples in examples("[a-c:\\\\@ =ü0-9#]{1,5}", "[A-Z:\\\\ü#][A-Z:\\\\@0-9 -]{0,3}", 1..5)) {
        let mut text = String::new();
        for (rows, weight) in &examples {
            if *weight != 1.0 {
                writeln!(text, "@weight:{weight}").unwrap();
            }
            for (label, values) in rows {
                write!(text, "{}", escape(label)).unwrap();
                for (name, value) in values {
                    write!(text, "\t{}", escape(name)).unwrap();
                    if *value != 1.0 {
                        write!(text, ":{value}").unwrap();
                    }
                }
                text.push('\n');
            }
            text.push('\n');
        }
        let options = ReadOptions { format: Some(Format::Crfsuite), ..ReadOptions::default() };
        let (data, names) = read(text.as_bytes(), &options);
        let Attributes::Named(attributes) = &names.attributes else { panic!("named attributes") };
        same(&examples, &data, &names, |name| attributes.get(name).unwrap() as usize);
    }

    #[test]
    fn edges(
        examples in examples("[a-c:\\\\@=ü0-9#]{1,5}", "sure|possible|none", 1..7),
        unreachable in prop::collection::vec(0u32..3, 8),
        short: bool,
    ) {
        let mut text = String::from("# graphs\n");
        for (i, (rows, weight)) in examples.iter().enumerate() {
            if *weight != 1.0 || unreachable[i] > 0 {
                writeln!(text, "@example weight={weight} unreachable={}", unreachable[i]).unwrap();
            }
            for (edge, (label, values)) in rows.iter().enumerate() {
                let label = match label.as_str() {
                    "sure" if short => "S",
                    "possible" if short => "P",
                    "none" if short => "-",
                    label => label,
                };
                // Distinct nodes in no order.
                write!(text, "{} {}\t{label}", 5 - edge / 2, edge % 2).unwrap();
                for (name, value) in values {
                    write!(text, " {}", escape(name)).unwrap();
                    if *value != 1.0 {
                        write!(text, ":{value}").unwrap();
                    }
                }
                text.push('\n');
            }
            text.push_str("\n\n");
        }
        let (data, names) = read(text.as_bytes(), &ReadOptions::default());
        let Attributes::Named(attributes) = &names.attributes else { panic!("named attributes") };
        prop_assert!(names.labels.iter().eq(["none", "sure", "possible"]));
        let graphs = GraphExamples::from_table(data.clone()).unwrap();
        same(&examples, &data, &names, |name| attributes.get(name).unwrap() as usize);
        for (i, (rows, _)) in examples.iter().enumerate() {
            prop_assert_eq!(graphs.unreachable_links(i), unreachable[i]);
            let graph = graphs.graph(i);
            let ends: Vec<(u32, u32)> = graph.edges().iter().map(|edge| (edge.left, edge.right)).collect();
            prop_assert_eq!(ends, (0..rows.len() as u32).map(|e| (5 - e / 2, e % 2)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn letters(words in prop::collection::vec((prop::collection::vec(("[a-z]", prop::collection::vec(any::<bool>(), 6)), 1..5), 0u32..10), 1..8), tab: bool) {
        let mut text = String::new();
        let mut id = 0;
        for (word, (letters, fold)) in words.iter().enumerate() {
            for (place, (letter, pixels)) in letters.iter().enumerate() {
                id += 1;
                let next = if place + 1 < letters.len() { (id + 1).to_string() } else { "-1".to_owned() };
                write!(text, "{id}\t{letter}\t{next}\t{}\t{}\t{fold}", word + 1, place + 1).unwrap();
                pixels.iter().for_each(|&pixel| write!(text, "\t{}", u8::from(pixel)).unwrap());
                text.push_str(if tab { "\t\n" } else { "\n" });
            }
        }
        let (data, names) = read(text.as_bytes(), &ReadOptions::default());
        prop_assert_eq!(data.folds.clone(), Some(words.iter().map(|(_, fold)| *fold).collect()));
        prop_assert_eq!(data.features.columns(), 6);
        let on = |pixels: &[bool]| (0..6u32).filter(|&j| pixels[j as usize]).map(|j| (j, 1.0)).collect();
        let examples: Vec<Example<u32>> = words
            .iter()
            .map(|(letters, _)| (letters.iter().map(|(letter, pixels)| (letter.clone(), on(pixels))).collect(), 1.0))
            .collect();
        same(&examples, &data, &names, |&column| column as usize);
    }

    #[test]
    fn idx(images in prop::collection::vec((any::<u8>(), prop::collection::vec(prop_oneof![Just(0), any::<u8>()], 6)), 1..8), packed: bool) {
        let count = images.len() as u32;
        let folder = tempfile::tempdir().unwrap();
        let paths = [folder.path().join("some-images-idx3-ubyte")];
        let pixels: Vec<u8> = images.iter().flat_map(|(_, pixels)| pixels.iter().copied()).collect();
        fs::write(&paths[0], common::idx(2051, &[count, 3, 2], &pixels)).unwrap();
        let labels: Vec<u8> = images.iter().map(|(label, _)| *label).collect();
        let labels = common::idx(2049, &[count], &labels);
        match packed {
            true => fs::write(folder.path().join("some-labels-idx1-ubyte.gz"), common::gz(&labels)).unwrap(),
            false => fs::write(folder.path().join("some-labels-idx1-ubyte"), labels).unwrap(),
        }
        let (data, names) = read_training(&paths, &ReadOptions::default()).unwrap();
        common::check(&data, &names);
        for (i, (label, pixels)) in images.iter().enumerate() {
            prop_assert_eq!(names.labels.name(data.labels[i]), label.to_string());
            let mut found = [0.0; 6];
            data.features.row(i).for_each(|j, value| found[j] = value);
            prop_assert_eq!(found.to_vec(), pixels.iter().map(|&p| f64::from(p) * (1.0 / 255.0)).collect::<Vec<_>>());
        }
    }
}
