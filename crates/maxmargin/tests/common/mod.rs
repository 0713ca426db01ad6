//! What several of the tests need.
#![allow(dead_code)]

pub mod fault;
pub mod label_plane;
pub mod models;
pub mod polytope;
pub mod problem;
pub mod reference;
pub mod surrogate;

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use maxmargin::data::{Attributes, Dataset, RowValues, TaskData, UNKNOWN_LABEL, Vocabulary};
use maxmargin::tasks::GraphExamples;

/// A file of the real data sets: in the folder that `MAXMARGIN_DATA` names, else in `../shared/data` beside the
/// workspace. `None`, with a note, when it is not there: the test then has nothing to check.
pub fn real_data(file: &str) -> Option<PathBuf> {
    let folder = match std::env::var_os("MAXMARGIN_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    let path = folder.join(file);
    if !path.exists() {
        eprintln!("skipped: {file} is not here; set MAXMARGIN_DATA to the folder with the data sets");
        return None;
    }
    Some(path)
}

/// The bytes, packed as gzip.
pub fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

/// An idx file: its magic number, its sizes, its bytes.
pub fn idx(magic: u32, sizes: &[u32], bytes: &[u8]) -> Vec<u8> {
    let words = [magic].into_iter().chain(sizes.iter().copied());
    words.flat_map(u32::to_be_bytes).chain(bytes.iter().copied()).collect()
}

/// Panics unless the parts of a data set fit each other and its vocabulary.
pub fn check(data: &Dataset, vocabulary: &Vocabulary) {
    let rows = data.features.rows();
    let columns = vocabulary.attributes.len();
    match &data.sets {
        None => assert_eq!(data.labels.len(), rows),
        Some(starts) => {
            assert_eq!(starts.len(), rows + 1);
            assert_eq!((starts.first(), starts.last()), (Some(&0), Some(&data.labels.len())));
            for set in starts.windows(2).map(|set| &data.labels[set[0]..set[1]]) {
                assert!(set.is_sorted_by(|a, b| a < b || (*a == UNKNOWN_LABEL && a == b)), "{set:?}");
            }
        }
    }
    assert!(!data.is_empty());
    assert_eq!(data.features.columns(), columns);
    for &label in &data.labels {
        assert!(label == UNKNOWN_LABEL || (label as usize) < vocabulary.labels.len());
    }
    if let Some(starts) = &data.sequences {
        assert_eq!((starts.first(), starts.last()), (Some(&0), Some(&rows)));
        assert!(starts.is_sorted_by(|a, b| a < b), "no empty sequence: {starts:?}");
    }
    assert!(data.weights.as_ref().is_none_or(|weights| weights.len() == data.len()));
    assert!(data.edges.as_ref().is_none_or(|edges| edges.len() == rows && data.sequences.is_some()));
    assert!(data.unreachable.as_ref().is_none_or(|links| links.len() == data.len()));
    assert!(data.weights.iter().flatten().all(|weight| weight.is_finite() && *weight > 0.0));
    assert!(data.folds.as_ref().is_none_or(|folds| folds.len() == data.len()));
    for row in (0..rows).map(|row| data.features.row(row)) {
        assert!(row.indices().is_none_or(|indices| indices.is_sorted_by(|a, b| a < b)));
        assert!(row.to_pairs().iter().all(|&(j, value)| j < columns && value.is_finite()));
        if let RowValues::Ones(count) = row.values() {
            assert_eq!(row.indices().map(<[u32]>::len), Some(count));
        }
    }
}

/// The same for graphs.
pub fn check_graphs(data: &GraphExamples, vocabulary: &Vocabulary) {
    let rows = data.rows();
    let ends = (0..rows.len()).map(|i| rows.range(i).end);
    let table = Dataset {
        features: rows.features().clone(),
        labels: data.labels().to_vec(),
        sequences: Some(std::iter::once(0).chain(ends).collect()),
        weights: rows.weights().map(<[f64]>::to_vec),
        edges: Some(data.edges().into()),
        unreachable: data.unreachable().map(<[u32]>::to_vec),
        ..Dataset::default()
    };
    check(&table, vocabulary);
}

/// A vocabulary with numbered attributes.
pub fn numbered(labels: &[&str], columns: usize) -> Vocabulary {
    Vocabulary { labels: labels.iter().copied().collect(), attributes: Attributes::Numbered(columns) }
}

/// A vocabulary with named attributes.
pub fn named(labels: &[&str], attributes: &[&str]) -> Vocabulary {
    let attributes = Attributes::Named(attributes.iter().copied().collect());
    Vocabulary { labels: labels.iter().copied().collect(), attributes }
}

/// Runs something in a pool of this many threads.
pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(work)
}

/// The bits of numbers: equal only when every one is the same to the last digit.
pub fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

/// A number that the environment says, of runs or seeds.
pub fn number_of(variable: &str, default: usize) -> usize {
    std::env::var(variable).map_or(default, |text| {
        text.parse().unwrap_or_else(|_| panic!("{variable} is {text:?}, which is no whole number"))
    })
}
