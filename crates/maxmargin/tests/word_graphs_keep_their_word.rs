//! Promise: graphs of sentence pairs have an edge for each pair of words and features between −1 and 1. A model that knows the
//! names sees the same features as in training, whether from text or from a file of edges.

use maxmargin::data::{Edge, ReadOptions, TaskData, read_with};
use maxmargin::tasks::GraphExamples;
use maxmargin_align::association::{Associations, EstimationOptions};
use maxmargin_align::{AlignmentSource, FeatureGroup, ParallelText, SentenceLinks, write_edges};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::common;

const WORDS: [&str; 14] =
    ["the", "House", "maison", "Maisonnette", "12", "12,5", ".", ":", "a\\b", "l'", "été", "Ete", "x:1", "#"];

fn sentence(random: &mut impl Rng) -> Vec<&'static str> {
    (0..random.random_range(1..9)).map(|_| WORDS[random.random_range(0..WORDS.len())]).collect()
}

fn links(text: &ParallelText, random: &mut impl Rng) -> Vec<SentenceLinks> {
    (0..text.len())
        .map(|pair| {
            let (lefts, rights) = text.sizes(pair);
            let mut links = SentenceLinks::default();
            for left in 0..lefts as u32 {
                for right in 0..rights as u32 {
                    match random.random_range(0..8) {
                        0 => links.sure.push(Edge { left, right }),
                        1 => links.possible.push(Edge { left, right }),
                        _ => {}
                    }
                }
            }
            links
        })
        .collect()
}

fn assert_same(found: &GraphExamples, expected: &GraphExamples) {
    let ranges = |data: &GraphExamples| (0..data.len()).map(|i| data.rows().range(i)).collect::<Vec<_>>();
    assert_eq!(ranges(found), ranges(expected));
    assert_eq!((found.edges(), found.labels()), (expected.edges(), expected.labels()));
    let [found, expected] = [found, expected].map(|data| data.rows().features());
    for row in 0..expected.rows() {
        assert_eq!(found.row(row).to_pairs(), expected.row(row).to_pairs(), "row {row}");
    }
}

#[test]
fn from_text_and_from_files() {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let mut text = ParallelText::default();
    for _ in 0..30 {
        let (left, right) = (sentence(&mut random), sentence(&mut random));
        text.push(left, right);
    }
    let (gold, external) = (links(&text, &mut random), links(&text, &mut random));
    let usual = EstimationOptions::default();
    let associations = Associations::estimate(&[&text], &usual, |_| ()).unwrap();
    let otherwise = EstimationOptions { agreement: false, letters: None, ..usual };
    let second = Associations::estimate(&[&text], &otherwise, |_| ()).unwrap();
    let source = AlignmentSource {
        associations: Some(&associations),
        second: Some(&second),
        external: Some(&external),
        ..AlignmentSource::new(&text)
    };
    let groups = source.groups();
    assert_eq!(groups.len(), FeatureGroup::ALL.len() - 1, "all but the user's own");
    let (train, vocabulary) = source.training_set(&gold, &groups).unwrap();
    common::check_graphs(&train, &vocabulary);

    let edges = train.edges();
    for (pair, gold) in gold.iter().enumerate() {
        let (lefts, rights) = text.sizes(pair);
        assert_eq!(train.rows().range(pair).len(), lefts * rights);
        for row in train.rows().range(pair) {
            let label = train.labels()[row];
            assert_eq!(label == 1, gold.sure.contains(&edges[row]));
            assert_eq!(label == 2, gold.possible.contains(&edges[row]));
        }
    }
    for row in 0..train.rows().features().rows() {
        for (column, value) in train.rows().features().row(row).to_pairs() {
            assert!((-1.0..=1.0).contains(&value), "column {column} of row {row} is {value}");
        }
    }

    assert_same(&source.test_set(Some(&gold), &groups, &vocabulary).unwrap(), &train);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("train.edges");
    write_edges(&path, &train, &vocabulary).unwrap();
    let (read, unseen) = read_with(&[path], &ReadOptions::default(), &vocabulary).unwrap();
    assert_eq!((unseen.labels, unseen.attributes), (0, 0));
    assert_same(&GraphExamples::from_table(read).unwrap(), &train);
}

/// Each group has features of its own, and leaving it out changes no other.
#[test]
fn groups_do_not_meet() {
    let text = ParallelText::from_pairs([
        ("the House .", "la maison ."),
        ("the house", "la maison"),
        ("a b", "c d"),
    ]);
    let associations = Associations::estimate(&[&text], &EstimationOptions::default(), |_| ()).unwrap();
    let links = vec![SentenceLinks::sure(vec![Edge { left: 0, right: 0 }]); 3];
    let source = AlignmentSource {
        associations: Some(&associations),
        second: Some(&associations),
        external: Some(&links),
        ..AlignmentSource::new(&text)
    };
    let stored = |groups: &[FeatureGroup]| {
        let (data, vocabulary) = source.training_set(&links, groups).unwrap();
        (data.rows().features().stored(), vocabulary.attributes.len())
    };
    let all = stored(&source.groups());
    let each: Vec<(usize, usize)> = source.groups().iter().map(|&group| stored(&[group])).collect();
    assert_eq!(all, (each.iter().map(|each| each.0).sum(), each.iter().map(|each| each.1).sum()));
}
