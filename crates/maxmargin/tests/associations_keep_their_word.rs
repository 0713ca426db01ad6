//! Promise: associations are the same whatever the number of threads, files of them bring back what was saved, and no file,
//! however spoiled, does more than fail with its name.

use std::fs;
use std::path::Path;

use maxmargin_align::ParallelText;
use maxmargin_align::association::{Associations, EstimationOptions};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::common;

use crate::common::fault::{fault, spoil};

/// Sentences in a made-up language and its translation, with words in another order and some left out.
fn text(pairs: usize, seed: u64) -> ParallelText {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut text = ParallelText::default();
    for _ in 0..pairs {
        let left: Vec<u32> = (0..random.random_range(1..12)).map(|_| random.random_range(0..60)).collect();
        let mut right: Vec<u32> = left.iter().copied().filter(|_| random.random_bool(0.9)).collect();
        right.push(random.random_range(0..60));
        if random.random_bool(0.5) {
            let at = random.random_range(0..right.len());
            right.rotate_left(at);
        }
        let left: Vec<String> = left.iter().map(|word| format!("L{word}")).collect();
        let right: Vec<String> = right.iter().map(|word| format!("r{word}")).collect();
        text.push(left.iter().map(String::as_str), right.iter().map(String::as_str));
    }
    text
}

fn bytes(associations: &Associations, folder: &Path) -> Vec<u8> {
    let path = folder.join("associations");
    associations.save(&path).unwrap();
    fs::read(path).unwrap()
}

#[test]
fn threads_do_not_matter() {
    // More than one wave of blocks.
    let text = text(2500, 1);
    let folder = tempfile::tempdir().unwrap();
    for agreement in [true, false] {
        let options = EstimationOptions { agreement, ..EstimationOptions::default() };
        let estimate = |threads: usize| {
            let estimated =
                common::with_threads(threads, || Associations::estimate(&[&text], &options, |_| ()));
            bytes(&estimated.unwrap(), folder.path())
        };
        let one = estimate(1);
        assert!(one == estimate(2) && one == estimate(5), "agreement {agreement}");
    }
}

#[test]
fn translations_are_found() {
    let text = text(600, 2);
    let associations = Associations::estimate(&[&text], &EstimationOptions::default(), |_| ()).unwrap();
    // Each word is the translation of the one with its number.
    let found = (0..60).filter(|word| {
        let others: Vec<String> = (0..60).map(|other| format!("r{other}")).collect();
        let pair = associations.of_pair(&[format!("l{word}")], &others);
        let best = (0..60).max_by(|&a, &b| pair.translation[0][a].total_cmp(&pair.translation[0][b]));
        best == Some(*word)
    });
    assert_eq!(found.count(), 60);
}

#[test]
fn files_bring_back_what_was_saved() {
    let text = text(80, 3);
    let associations = Associations::estimate(&[&text], &EstimationOptions::default(), |_| ()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let first = bytes(&associations, folder.path());
    let loaded = Associations::load(&folder.path().join("associations")).unwrap();
    assert!(bytes(&loaded, folder.path()) == first);
    for pair in 0..text.len() {
        let (left, right) = (text.left.text(pair), text.right.text(pair));
        assert_eq!(loaded.of_pair(&left, &right), associations.of_pair(&left, &right));
    }
}

/// What is read from these bytes can be used, or the error names the file.
fn survives(bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("strange-associations");
    fs::write(&path, bytes).unwrap();
    match Associations::load(&path) {
        Err(error) => assert!(error.to_string().contains("strange-associations"), "{error}"),
        Ok(associations) => {
            let pair = associations.of_pair(&["L1", "L2", "x"], &["r1", "r2", "r3", "y"]);
            for posterior in pair.hmm.iter().chain(&pair.model1).flatten() {
                assert!(posterior.is_finite() && (-1e-6..=1.0 + 1e-6).contains(posterior), "{posterior}");
            }
        }
    }
}

proptest! {
    #[test]
    fn spoiled_files(faults in prop::collection::vec(fault(), 1..4)) {
        static SOUND: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
        let sound = SOUND.get_or_init(|| {
            let associations = Associations::estimate(&[&text(6, 4)], &EstimationOptions::default(), |_| ()).unwrap();
            bytes(&associations, tempfile::tempdir().unwrap().path())
        });
        let mut spoiled = sound.clone();
        faults.iter().for_each(|fault| spoil(&mut spoiled, fault));
        survives(&spoiled);
    }

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        survives(&bytes);
    }
}
