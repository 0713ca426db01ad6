//! Promise: the real hierarchies are read as their descriptions count them. Skipped where the data is not at hand.

use std::path::PathBuf;
use std::sync::Arc;

use maxmargin::data::{self, Missing, ReadOptions, Reading, Shape, TaskData};
use maxmargin::inference;
use maxmargin::tasks::hierarchy::HierarchyOptions;
use maxmargin::tasks::{Hierarchy, HierarchyExamples, TaskObject};

use crate::common;

/// Reads files to train from, with a hierarchy and names of nodes beside them where there are such.
fn read(files: &[&str], options: HierarchyOptions) -> Option<Reading<Arc<dyn data::DataObject>>> {
    let files: Vec<PathBuf> = files.iter().map(|file| common::real_data(file)).collect::<Option<_>>()?;
    let reading = ReadOptions { missing: Missing::Keep, ..ReadOptions::default() };
    Some(Hierarchy::from(options).read(&files, &reading, None).unwrap())
}

fn examples(reading: &Reading<Arc<dyn data::DataObject>>) -> (&HierarchyExamples, &inference::Hierarchy) {
    let data: &HierarchyExamples = reading.data.of_type().unwrap();
    (data, data.taxonomy().unwrap().hierarchy())
}

/// Most specific nodes of all examples, the same with all above them, and the largest number of the first in one example.
fn nodes(data: &HierarchyExamples) -> (usize, usize, usize) {
    let all = (0..data.len()).map(|i| data.nodes_of(i).len()).sum();
    (data.labels().len(), all, (0..data.len()).map(|i| data.labels_of(i).len()).max().unwrap())
}

#[test]
fn diatoms() {
    let Some(reading) = read(&["diatoms/Diatoms_train.arff.gz"], HierarchyOptions::default()) else { return };
    let (data, hierarchy) = examples(&reading);
    assert!(data.has_one_each() && hierarchy.is_tree());
    assert_eq!((data.len(), reading.names.attributes.len(), hierarchy.nodes()), (2065, 371, 377));
    assert_eq!(hierarchy.leaves().len(), 291);
    let inner = data.labels().iter().filter(|&&node| !hierarchy.is_leaf(node));
    // The description counts those that are inner nodes of the declared tree; here nodes that do not occur are left out.
    assert!(inner.count() <= 125);
    let (_, with_ancestors, _) = nodes(data);
    assert_eq!(format!("{:.2}", with_ancestors as f64 / 2065.0), "1.95");
    let mut labels: Vec<u32> = data.labels().to_vec();
    labels.sort_unstable();
    labels.dedup();
    assert_eq!(labels.len(), 306);
}

#[test]
fn twenty_newsgroups() {
    let (Some(file), Some(names)) =
        (common::real_data("20news/hierarchy.txt"), common::real_data("20news/labels.txt"))
    else {
        return;
    };
    let options =
        HierarchyOptions { file: Some(file), node_names: Some(names), ..HierarchyOptions::default() };
    let Some(reading) = read(&["20news/20news_train.svm.gz"], options) else { return };
    let (data, hierarchy) = examples(&reading);
    assert!(data.has_one_each() && hierarchy.is_tree());
    assert_eq!((data.len(), hierarchy.nodes(), hierarchy.leaves().len()), (11_314, 27, 20));
    let depth = |name: &str| hierarchy.depth(reading.names.labels.get(name).unwrap()) + 1;
    assert_eq!((depth("alt.atheism"), depth("sci.med"), depth("talk.politics.guns")), (1, 2, 3));
}

#[test]
fn functions_of_genes() {
    let files = ["cellcycle_FUN/cellcycle_FUN.train.arff", "cellcycle_FUN/cellcycle_FUN.valid.arff"];
    for (files, examples_there, specific, nodes_there) in
        [(&files[..1], 1628, "3.233", Some(454)), (&files[..], 2476, "3.206", None)]
    {
        let Some(reading) = read(files, HierarchyOptions::default()) else { return };
        let (data, hierarchy) = examples(&reading);
        assert!(!data.has_one_each() && hierarchy.is_tree());
        assert_eq!((data.len(), reading.names.attributes.len()), (examples_there, 77));
        let (ends, _, _) = nodes(data);
        assert_eq!(format!("{:.3}", ends as f64 / data.len() as f64), specific);
        assert!(nodes_there.is_none_or(|nodes| nodes == hierarchy.nodes()));
    }
}

#[test]
fn terms_of_the_gene_ontology() {
    let Some(reading) = read(&["cellcycle_GO/cellcycle_GO.train.arff"], HierarchyOptions::default()) else {
        return;
    };
    let (data, hierarchy) = examples(&reading);
    assert!(!hierarchy.is_tree());
    assert_eq!((data.len(), hierarchy.nodes(), hierarchy.roots().len()), (1625, 3182, 3));
    let (ends, all, most) = nodes(data);
    assert_eq!(
        (format!("{:.3}", ends as f64 / 1625.0), format!("{:.2}", all as f64 / 1625.0), most),
        ("4.913".into(), "34.68".into(), 28)
    );
}

#[test]
fn topics_of_reuters() {
    let (Some(file), Some(names)) =
        (common::real_data("rcv1subset1/hierarchy.txt"), common::real_data("rcv1subset1/labels.txt"))
    else {
        return;
    };
    let options = HierarchyOptions {
        file: Some(file),
        node_names: Some(names),
        shape: Shape::Tree,
        ..HierarchyOptions::default()
    };
    let Some(reading) = read(&["rcv1subset1/rcv1subset1_train.svm.gz"], options) else { return };
    let (data, hierarchy) = examples(&reading);
    // All 101 labels, and MCAT above four of them.
    assert_eq!((data.len(), hierarchy.nodes(), hierarchy.is_tree()), (3000, 102, true));
    assert!(reading.names.labels.get("MCAT").is_some());
    // Labels were closed but for MCAT, which many have now.
    let (_, all, _) = nodes(data);
    assert!(all > (2.9143 * 3000.0) as usize && all < (2.9143 * 3000.0) as usize + 1804);
}
