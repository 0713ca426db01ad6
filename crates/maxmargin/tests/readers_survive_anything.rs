//! Promise: whatever a file holds, reading it ends in data that fits together or in an error that names the file.

use std::fs;

use maxmargin::Result;
use maxmargin::data::{Dataset, Format, ReadOptions, Vocabulary, read_training, read_with};
use proptest::prelude::*;
use proptest::sample::Index;

mod common;

use common::fault::{fault, spoil};

/// The formats whose labels are not in columns; `label_sets_survive_anything.rs` has the others, and
/// `alignments_name_the_place.rs` has sentences.
const FORMATS: [Format; 5] =
    [Format::Svmlight, Format::Crfsuite, Format::Letters, Format::Idx, Format::Edges];

/// Small files in each format, without a fault.
fn sound(format: Format) -> Vec<u8> {
    let text = match format {
        Format::Svmlight => {
            "# a comment\nNOUN qid:1 cost:0.5 1:0.25 3:1\nVERB qid:1 2:-1e-3 3:7 # tail\nNOUN qid:2 9:1\n\nNOUN qid:3 1:0\n"
        }
        Format::Crfsuite => {
            "@weight:0.5\nB\tw=a\tw=\\:\tlen:0.5\nI\tw=b\tw=b\n\n\nO\tw=c:2\r\nB\n\n@weight\t2\nO\tw=\\\\\tü:1e2\t\n"
        }
        Format::Letters => {
            "1\to\t2\t1\t1\t0\t0\t1\t1\t0\n2\tn\t-1\t1\t2\t0\t1\t1\t0\t0\t\n3\ta\t-1\t2\t1\t7\t0\t0\t0\t1\n"
        }
        Format::Edges => {
            "# a comment\n0 0 sure w=a len:0.5\n0 1 P w=\\: len:1e2\n1 0 -\n\n@example weight=2 unreachable=1\n3 0 none w=a w=a:2\r\n"
        }
        Format::Arff | Format::Csv | Format::Sentences => unreachable!("not among the formats here"),
        Format::Idx => return common::idx(2051, &[3, 2, 2], &[0, 0, 255, 0, 0, 7, 0, 0, 1, 2, 3, 4]),
    };
    text.as_bytes().to_vec()
}

/// Reads a file with these bytes, in every way; the labels of images are those of three.
fn read_every_way(bytes: &[u8], format: Format) -> Vec<Result<(Dataset, Vocabulary)>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("strange-images-idx3");
    fs::write(&path, bytes).unwrap();
    fs::write(folder.path().join("strange-labels-idx1"), common::idx(2049, &[3], &[0, 2, 1])).unwrap();
    let paths = [path.clone()];
    let mut results = Vec::new();
    for format in [Some(format), None] {
        for zero_based in [false, true] {
            let options = ReadOptions { format, zero_based, ..ReadOptions::default() };
            results.push(read_training(&paths, &options));
            results.push(read_training(&[path.clone(), path.clone()], &options));
            for vocabulary in [common::numbered(&["NOUN", "1"], 4), common::named(&["B"], &["w=a", "w=:"])] {
                let result = read_with(&paths, &options, &vocabulary);
                results.push(result.map(|(data, _)| (data, vocabulary)));
            }
        }
    }
    results
}

fn survives(bytes: &[u8], format: Format) {
    for result in read_every_way(bytes, format) {
        match result {
            Ok((data, vocabulary)) => common::check(&data, &vocabulary),
            Err(error) => {
                let message = error.to_string();
                assert!(message.contains("strange-"), "no file named: {message}");
            }
        }
    }
}

fn any_format() -> impl Strategy<Value = Format> {
    prop::sample::select(&FORMATS[..])
}

#[test]
fn the_sound_files_are_sound() {
    for format in FORMATS {
        let results = read_every_way(&sound(format), format);
        assert!(results[0].is_ok(), "{format}: {:?}", results[0]);
        survives(&sound(format), format);
        survives(&common::gz(&sound(format)), format);
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300), format in any_format(), magic in 0..4u8) {
        let start: &[u8] = match magic {
            0 => &[],
            1 => &[0x1f, 0x8b],
            2 => &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3],
            _ => &[0, 0, 8, 3],
        };
        survives(&[start, &bytes].concat(), format);
        survives(&common::gz(&bytes), format);
    }

    #[test]
    fn arbitrary_text(text in "[\\t\\n :@#0-9a-c.eqid\\\\-]{0,80}", format in any_format()) {
        survives(text.as_bytes(), format);
    }

    #[test]
    fn spoiled_files(format in any_format(), faults in prop::collection::vec(fault(), 1..4)) {
        let mut bytes = sound(format);
        faults.iter().for_each(|fault| spoil(&mut bytes, fault));
        survives(&bytes, format);
        survives(&common::gz(&bytes), format);
    }

    #[test]
    fn spoiled_gz(format in any_format(), faults in prop::collection::vec(fault(), 1..4), cut in any::<Index>()) {
        let sound = sound(format);
        let (first, second) = sound.split_at(cut.index(sound.len()));
        let mut bytes = [common::gz(first), common::gz(second)].concat();
        faults.iter().for_each(|fault| spoil(&mut bytes, fault));
        survives(&bytes, format);
    }
}
