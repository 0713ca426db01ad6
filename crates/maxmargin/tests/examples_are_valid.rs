//! Promise: the examples of a task are valid by construction. Every constructor refuses what does not go together and says why;
//! what it lets pass can be cut into parts, given other features, trained on and predicted without a panic. And a task needs
//! no feature matrix.

use std::sync::Arc;

use maxmargin::data::{DataObject, Edge, ExampleRows, FeatureMatrix, Preprocessing, TaskData, UNKNOWN_LABEL};
use maxmargin::tasks::{GraphExamples, LabelSetExamples, RowExamples, SequenceExamples};
use maxmargin::{Chain, Examples, Matching, Multiclass, Multilabel, Result, Trainer};

fn matrix(rows: usize) -> FeatureMatrix {
    FeatureMatrix::from_dense(&(0..rows).map(|i| [i as f64, 1.0]).collect::<Vec<_>>())
}

fn grouped(starts: &[usize]) -> ExampleRows {
    ExampleRows::grouped(matrix(starts[starts.len() - 1]), starts.to_vec()).unwrap()
}

fn edges(ends: &[(u32, u32)]) -> Vec<Edge> {
    ends.iter().map(|&(left, right)| Edge { left, right }).collect()
}

#[track_caller]
fn refused<T>(what: Result<T>, part: &str) {
    match what {
        Ok(_) => panic!("taken, without {part:?}"),
        Err(error) => assert!(error.to_string().contains(part), "{error} lacks {part:?}"),
    }
}

#[test]
fn rows_are_grouped_weighed_and_folded_as_they_are() {
    let order = "must start at row 0, one after the other";
    for starts in [&[][..], &[0], &[1, 3], &[0, 2], &[0, 4], &[0, 2, 1, 3], &[0, usize::MAX, 3]] {
        refused(ExampleRows::grouped(matrix(3), starts.to_vec()), order);
    }
    let rows = || ExampleRows::grouped(matrix(3), vec![0, 2, 3]).unwrap();
    for count in [0, 1, 3] {
        refused(rows().with_weights(vec![1.0; count]), &format!("{count} weights for 2 examples"));
        refused(rows().with_folds(vec![1; count]), &format!("{count} folds for 2 examples"));
    }
    for weight in [-1.0, -1e-300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        refused(rows().with_weights(vec![1.0, weight]), "example 2 has the weight");
    }
    refused(rows().with_features(Arc::new(matrix(4))), "4 rows instead of 3");
    refused(rows().subset(&[0, 2]), "there is no example 2 of 2");
    assert!(ExampleRows::from(matrix(0)).is_empty() && ExampleRows::grouped(matrix(0), vec![0]).is_ok());
}

#[test]
fn labels_go_with_rows() {
    for labels in [vec![], vec![0], vec![0; 4]] {
        let part = format!("{} labels for 3 rows", labels.len());
        refused(RowExamples::new(matrix(3), labels.clone()), &part);
        refused(SequenceExamples::new(grouped(&[0, 2, 3]), labels.clone()), &part);
        let edges = edges(&[(0, 0), (0, 1), (0, 0)]);
        refused(GraphExamples::new(grouped(&[0, 2, 3]), edges, labels), &part);
    }
    refused(SequenceExamples::new(matrix(3).into(), vec![0; 3]), "has no sequences");
    refused(GraphExamples::new(matrix(1).into(), edges(&[(0, 0)]), vec![0]), "not grouped into graphs");
}

#[test]
fn label_sets_ascend_and_cover_all_labels() {
    let sets =
        |starts: &[usize], labels: &[u32]| LabelSetExamples::new(matrix(2), starts.to_vec(), labels.to_vec());
    for starts in [&[][..], &[0], &[0, 2], &[1, 1, 2], &[0, 1, 3], &[0, 2, 1], &[0, 1, 1, 2]] {
        refused(sets(starts, &[0, 1]), "the label sets of 2 rows must start at label 0");
    }
    for labels in [[1, 0], [1, 1], [UNKNOWN_LABEL, 0]] {
        refused(sets(&[0, 0, 2], &labels), "the labels of row 2 must ascend, each once");
    }
    assert!(sets(&[0, 0, 2], &[UNKNOWN_LABEL; 2]).is_ok());
    refused(LabelSetExamples::from_sets(matrix(2), &[[0]]), "the label sets of 2 rows");
}

#[test]
fn edges_are_unique_and_labelled_as_edges() {
    let graphs = |ends: &[(u32, u32)], labels: &[u32]| {
        GraphExamples::new(grouped(&[0, 2, 3]), edges(ends), labels.to_vec())
    };
    refused(graphs(&[(0, 0)], &[0; 3]), "1 edges for 3 rows");
    refused(graphs(&[(0, 0), (0, 0), (0, 0)], &[0; 3]), "example 0 has two edges from 0 to 0");
    refused(graphs(&[(0, 0), (0, 1), (1 << 20, 0)], &[0; 3]), "example 1 has a node 1048576");
    refused(graphs(&[(0, 0), (0, 1), (0, 0)], &[0, 3, 1]), "3 is not the label of an edge");
    let good = graphs(&[(0, 0), (0, 1), (0, 0)], &[0, 1, UNKNOWN_LABEL]).unwrap();
    refused(good.clone().with_unreachable(vec![1]), "1 numbers of unreachable links for 2 examples");
    let counted = good.with_unreachable(vec![1, 0]).unwrap();
    assert_eq!(TaskData::subset(&counted, &[1, 0]).unwrap().unreachable_links(1), 1);
}

fn all() -> [Arc<dyn DataObject>; 4] {
    let links = GraphExamples::new(grouped(&[0, 2, 3]), edges(&[(0, 0), (0, 1), (4, 9)]), vec![1, 0, 1]);
    [
        Arc::new(RowExamples::new(matrix(3), vec![0, 1, 0]).unwrap()),
        Arc::new(SequenceExamples::new(grouped(&[0, 2, 3]), vec![0, 1, 0]).unwrap()),
        Arc::new(LabelSetExamples::from_sets(matrix(3), &[vec![0, 1], vec![], vec![1]]).unwrap()),
        Arc::new(links.unwrap()),
    ]
}

#[test]
fn what_is_made_of_valid_examples_is_valid_or_refused() {
    for data in all() {
        refused(data.subset(&[0, data.len()]), "there is no example");
        refused(data.with_features(Arc::new(matrix(2))), "2 rows instead of 3");
        refused(data.in_folds(&[0]), "no folds");
        let again = data.subset(&(0..data.len()).collect::<Vec<_>>()).unwrap();
        assert_eq!(again.fingerprint(), data.fingerprint(), "{}", data.kind());
        assert_ne!(data.subset(&[1, 0]).unwrap().fingerprint(), data.fingerprint(), "{}", data.kind());
        assert_eq!(data.first(99).unwrap().len(), data.len());
        assert_eq!((data.parts().1, data.attributes()), (3, 2));
        let shift = Preprocessing { shift: Some(vec![1.0, 1.0]), ..Preprocessing::default() };
        let changed = shift.changed(data.as_ref()).unwrap().unwrap();
        assert_eq!(changed.features().unwrap().row(0).to_pairs(), [(0, -1.0), (1, 0.0)]);
        assert!(Preprocessing::default().changed(data.as_ref()).unwrap().is_none());
        if data.of_type::<LabelSetExamples>().is_none() {
            refused(data.keep_labels(&[0]), "labels cannot be left out of");
        }
    }
    let [rows, ..] = all();
    assert!(rows.of_type::<RowExamples>().is_some() && rows.of_type::<SequenceExamples>().is_none());
    refused(
        Examples::from_numbers(RowExamples::new(matrix(1), vec![u32::MAX - 1]).unwrap()),
        "too large a number",
    );
    assert!(Examples::from_numbers(RowExamples::unlabelled(matrix(2))).is_ok());
}

#[test]
fn trainers_say_which_kind_of_examples_they_take() {
    let trainers = [
        Trainer::new(Multiclass::default()),
        Trainer::new(Chain::default()),
        Trainer::new(Multilabel::default()),
        Trainer::new(Matching::default()),
    ];
    for (i, trainer) in trainers.iter().enumerate() {
        for (j, data) in all().into_iter().enumerate() {
            let names = match j {
                3 => ["none", "sure", "possible"].into_iter().collect(),
                _ => ["a", "b"].into_iter().collect(),
            };
            let attributes = maxmargin::data::Attributes::Numbered(2);
            let kind = data.kind();
            let examples = Examples::of(data, maxmargin::data::Vocabulary { labels: names, attributes });
            match trainer.train(&examples) {
                Ok(model) => assert_eq!((i, model.task().name()), (j, trainer.task().name())),
                Err(error) => {
                    let error = error.to_string();
                    assert!(
                        error.contains("it takes ") && error.ends_with(&format!("not {kind}")),
                        "{error}"
                    );
                }
            }
        }
    }
}

/// One example by its rows, as a server has it.
#[test]
fn one_example_has_as_many_rows_as_its_kind_allows() {
    assert_eq!(RowExamples::of_one(matrix(1)).unwrap().rows().len(), 1);
    assert_eq!(SequenceExamples::of_one(matrix(3)).unwrap().labels_of(0), [UNKNOWN_LABEL; 3]);
    assert_eq!(LabelSetExamples::of_one(matrix(1)).unwrap().rows().len(), 1);
    refused(RowExamples::of_one(matrix(2)), "2 rows are not one example");
    refused(LabelSetExamples::of_one(matrix(0)), "0 rows are not one example");
    refused(GraphExamples::of_one(matrix(2)), "2 rows are not one of bipartite graphs");
}

/// Examples that are no rows: words, each with a number to be guessed.
#[derive(Debug, Clone)]
struct Words(Vec<(String, u32)>, Vec<u32>);

impl TaskData for Words {
    const KIND: &'static str = "words";

    fn len(&self) -> usize {
        self.0.len()
    }

    fn attributes(&self) -> usize {
        26
    }

    fn labels(&self) -> &[u32] {
        &self.1
    }

    fn labels_of(&self, example: usize) -> &[u32] {
        &self.1[example..=example]
    }

    fn subset(&self, examples: &[usize]) -> Result<Self> {
        let chosen = examples.iter().filter_map(|&i| self.0.get(i).cloned());
        Ok(Self(chosen.collect(), examples.iter().filter_map(|&i| self.1.get(i).copied()).collect()))
    }

    fn bytes(&self) -> usize {
        self.0.iter().map(|(word, _)| word.len()).sum()
    }

    fn fingerprint(&self) -> u64 {
        maxmargin::data::fingerprint_of_bytes(
            self.0.iter().map(|(word, _)| word.as_str()).collect::<String>().as_bytes(),
        )
    }
}

#[test]
fn examples_need_no_feature_matrix() {
    let words: Arc<dyn DataObject> = Arc::new(Words(vec![("one".into(), 1), ("two".into(), 2)], vec![1, 2]));
    assert!(words.features().is_none() && !words.starts_block(0));
    assert_eq!((words.describe(), words.parts()), ("2 examples".to_owned(), ("row", 2)));
    refused(words.with_features(Arc::new(matrix(2))), "words have no feature matrix");
    refused(words.in_folds(&[0]), "no folds");
    assert!(Preprocessing::default().changed(words.as_ref()).unwrap().is_none());
    let scale = Preprocessing { scale: Some(vec![1.0; 26]), ..Preprocessing::default() };
    refused(scale.changed(words.as_ref()), "words have none that could be changed");
    refused(Words::from_table(Default::default()), "words are not read from tables");
    refused(Words::of_one(matrix(1)), "1 rows are not one of words");
    let names = Words(Vec::new(), vec![0, 4]).default_names().unwrap();
    assert_eq!((names.labels.len(), names.attributes.len()), (5, 26));
}
