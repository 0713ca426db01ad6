//! Promise: label sets and tables are read as they were written, to the last bit, in every format that holds them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;

use maxmargin::data::{
    Attributes, Dataset, Format, ReadOptions, TaskData, Vocabulary, read_training, read_with,
};
use maxmargin::tasks::LabelSetExamples;
use proptest::prelude::*;

use crate::common;

/// A table as it is written: names of features and labels, and rows of values and labels.
#[derive(Debug, Clone)]
struct Table {
    features: Vec<String>,
    labels: Vec<String>,
    rows: Vec<(Vec<f64>, BTreeSet<usize>, f64)>,
}

fn value() -> impl Strategy<Value = f64> {
    let any = prop_oneof![
        3 => Just(0.0),
        1 => Just(1.0),
        1 => (1u8..=255).prop_map(f64::from),
        1 => any::<f32>().prop_map(f64::from),
        1 => any::<f64>()
    ];
    any.prop_filter("finite", |value| value.is_finite())
}

/// Tables whose names are like this.
fn table(name: &'static str) -> impl Strategy<Value = Table> {
    (1usize..6, 1usize..5).prop_flat_map(move |(features, labels)| {
        let names =
            prop::collection::btree_set(name, features + labels).prop_map(Vec::from_iter).prop_shuffle();
        let set = prop::collection::btree_set(0..labels, 0..=labels);
        let weight = prop_oneof![Just(1.0), 1e-3..1e3];
        let row = (prop::collection::vec(value(), features), set, weight);
        (names, prop::collection::vec(row, 1..8)).prop_map(move |(mut names, rows)| {
            let labels = names.split_off(features);
            Table { features: names, labels, rows }
        })
    })
}

/// Checks that a data set is what was written; `column` and `label` give names to numbers.
fn same(
    table: &Table,
    data: &Dataset,
    names: &Vocabulary,
    column: impl Fn(usize) -> usize,
    label: impl Fn(usize) -> String,
) {
    common::check(data, names);
    assert_eq!(data.len(), table.rows.len());
    for (i, (values, labels, weight)) in table.rows.iter().enumerate() {
        let expected: BTreeSet<String> = labels.iter().map(|&l| label(l)).collect();
        let found: BTreeSet<String> =
            data.labels_of(i).iter().map(|&label| names.labels.name(label).to_owned()).collect();
        assert_eq!((found, data.labels_of(i).len()), (expected, labels.len()));
        assert_eq!(data.weight(i), *weight);
        let stored = |pairs: Vec<(usize, f64)>| -> BTreeMap<usize, u64> {
            pairs.into_iter().filter(|(_, v)| *v != 0.0).map(|(j, v)| (j, v.to_bits())).collect()
        };
        let expected = stored(values.iter().enumerate().map(|(j, &v)| (column(j), v)).collect());
        assert_eq!(stored(data.features.row(i).to_pairs()), expected);
    }
}

/// Reads a text in every way in which it must be the same, next to a file `written.xml`.
fn read(text: &str, xml: Option<&str>, options: &ReadOptions) -> (Dataset, Vocabulary) {
    let folder = tempfile::tempdir().unwrap();
    let paths = [folder.path().join("written_test.arff")];
    if let Some(xml) = xml {
        fs::write(folder.path().join("written.xml"), xml).unwrap();
    }
    fs::write(&paths[0], text).unwrap();
    let (plain, vocabulary) = read_training(&paths, options).unwrap();
    let crlf = text.replace('\n', "\r\n");
    for bytes in [common::gz(text.as_bytes()), crlf.into_bytes()] {
        fs::write(&paths[0], bytes).unwrap();
        let (again, unseen) = read_with(&paths, options, &vocabulary).unwrap();
        assert_eq!((unseen.labels, unseen.attributes), (0, 0));
        let [one, other] =
            [&plain, &again].map(|data| LabelSetExamples::from_table(data.clone()).unwrap().fingerprint());
        assert_eq!(one, other);
        assert_eq!(plain.sets, again.sets);
    }
    (plain, vocabulary)
}

fn column(names: &Vocabulary, name: &str) -> usize {
    let Attributes::Named(attributes) = &names.attributes else { panic!("named attributes") };
    attributes.get(name).unwrap() as usize
}

/// A name in ARFF's quotes.
fn quoted(name: &str) -> String {
    format!("'{}'", name.replace('\\', "\\\\").replace('\'', "\\'"))
}

fn escaped(name: &str) -> String {
    name.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// The columns of a written table: features and labels in some order.
fn order(table: &Table, mix: usize) -> Vec<(bool, usize)> {
    let mut order: Vec<_> = (0..table.features.len()).map(|j| (false, j)).collect();
    for label in 0..table.labels.len() {
        order.insert((label * 7 + mix) % (order.len() + 1), (true, label));
    }
    order
}

proptest! {
    #[test]
    fn svmlight(table in table("[a-z]{1,4}"), header: bool) {
        let mut text = String::new();
        if header {
            writeln!(text, "{} {} {}", table.rows.len(), table.features.len(), table.labels.len()).unwrap();
        }
        let label = |l: usize| if header { l.to_string() } else { table.labels[l].clone() };
        for (values, labels, weight) in &table.rows {
            let labels: Vec<String> = labels.iter().rev().map(|&l| label(l)).collect();
            write!(text, "{} cost:{weight}", labels.join(",")).unwrap();
            for (j, value) in values.iter().enumerate() {
                write!(text, " {}:{value}", j + usize::from(!header)).unwrap();
            }
            text.push('\n');
        }
        let options = ReadOptions { label_sets: true, ..ReadOptions::default() };
        let (data, names) = read(&text, None, &options);
        prop_assert_eq!(names.attributes.len(), table.features.len());
        same(&table, &data, &names, |j| j, label);
    }

    #[test]
    fn arff(table in table("[a-c\\\\'\" ,{}%?&<ü=1]{1,4}"), sparse: bool, nominal: bool, mix in 0usize..9) {
        let order = order(&table, mix);
        let mut text = String::from("% written\n@relation r\n");
        for &(is_label, j) in &order {
            let name = quoted(if is_label { &table.labels[j] } else { &table.features[j] });
            let kind = if is_label && nominal { "{0,1}" } else { "numeric" };
            writeln!(text, "@attribute {name} {kind}").unwrap();
        }
        text.push_str("@data\n");
        for (values, labels, weight) in &table.rows {
            let cell = |&(is_label, j): &(bool, usize)| match is_label {
                true => u8::from(labels.contains(&j)).to_string(),
                false => values[j].to_string(),
            };
            let cells: Vec<String> = match sparse {
                false => order.iter().map(cell).collect(),
                true => {
                    let cells = order.iter().map(cell).enumerate().filter(|(_, cell)| cell != "0");
                    cells.map(|(i, cell)| format!("{i} {cell}")).collect()
                }
            };
            let row = cells.join(if mix % 2 == 0 { "," } else { " ,\t" });
            let row = if sparse { format!("{{{row}}}") } else { row };
            writeln!(text, "{row},{{{weight}}}").unwrap();
        }
        let mut xml = String::from("<labels>");
        for label in table.labels.iter().rev() {
            write!(xml, "<label name=\"{}\"/>", escaped(label)).unwrap();
        }
        xml.push_str("</labels>");
        let options = ReadOptions { label_sets: true, ..ReadOptions::default() };
        let (data, names) = read(&text, Some(&xml), &options);
        prop_assert_eq!(names.labels.len(), table.labels.len());
        same(&table, &data, &names, |j| column(&names, &table.features[j]), |l| table.labels[l].clone());
    }

    #[test]
    fn csv(mut table in table("[a-c'\",;ü=1]{1,4}"), separator in prop::sample::select(&[',', ';', '\t'][..]), mix in 0usize..9) {
        table.rows.iter_mut().for_each(|row| row.2 = 1.0);
        let order = order(&table, mix);
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        let mut line = Vec::new();
        for &(is_label, j) in &order {
            line.push(quoted(if is_label { &table.labels[j] } else { &table.features[j] }));
        }
        let mut text = line.join(&separator.to_string()) + "\n";
        for (values, labels, _) in &table.rows {
            let cells: Vec<String> = order
                .iter()
                .map(|&(is_label, j)| match is_label {
                    true => u8::from(labels.contains(&j)).to_string(),
                    false => values[j].to_string(),
                })
                .collect();
            text.push_str(&(cells.join(&separator.to_string()) + "\n"));
        }
        let format = Some(Format::Csv);
        let label_columns = table.labels.clone();
        let options = ReadOptions { label_sets: true, format, label_columns, ..ReadOptions::default() };
        let (data, names) = read(&text, None, &options);
        same(&table, &data, &names, |j| column(&names, &table.features[j]), |l| table.labels[l].clone());
    }
}
