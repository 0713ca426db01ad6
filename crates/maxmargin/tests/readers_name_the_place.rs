//! Promise: an error in a file comes with the file, the line and the column, and says what to do about it.

use std::fs;
use std::path::Path;

use maxmargin::Error;
use maxmargin::data::{Format, ReadOptions, read_training, read_with};

use crate::common;

/// The error of a training file with these bytes; its place as `line:column`, and its message.
fn error_of(bytes: &[u8], format: Option<Format>) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, bytes).unwrap();
    let options = ReadOptions { format, ..ReadOptions::default() };
    match read_training(std::slice::from_ref(&path), &options) {
        Err(Error::Data { place, problem }) => {
            assert_eq!(place.file, path);
            (format!("{}:{}", place.line, place.column), problem)
        }
        other => panic!("{:?} gave {other:?}", String::from_utf8_lossy(bytes)),
    }
}

fn check_table(format: Format, table: &[(&str, &str, &str)]) {
    for (text, place, part) in table {
        let (found, problem) = error_of(text.as_bytes(), Some(format));
        assert_eq!(found, *place, "{text:?}: {problem}");
        assert!(problem.contains(part), "{text:?}: {problem:?} lacks {part:?}");
        // Packing a file changes nothing about its errors, nor do line ends.
        assert_eq!(error_of(&common::gz(text.as_bytes()), Some(format)), (found.clone(), problem.clone()));
        let crlf = text.replace('\n', "\r\n");
        assert_eq!(error_of(crlf.as_bytes(), Some(format)), (found, problem));
    }
}

#[test]
fn svmlight() {
    check_table(
        Format::Svmlight,
        &[
            ("1 1:1\n1:0.5 2:1\n", "2:1", "label is missing"),
            ("1 1:1\n  qid:1 2:1\n", "2:3", "label is missing"),
            ("1 1:1 2:nan\n", "1:9", "`nan` is not finite"),
            ("1 1:1 2:-inf\n", "1:9", "not finite"),
            ("1 1:1e999\n", "1:5", "not finite"),
            ("1 3:1 2:1\n", "1:7", "2 comes after 3"),
            ("1 3:1 3:1\n", "1:7", "3 comes twice"),
            ("1 0:1\n", "1:3", "the option zero-based"),
            ("1 4294967296:1\n", "1:3", "above 4294967294"),
            ("1 99999999999999999999999:1\n", "1:3", "no feature"),
            ("1 1:\n", "1:5", "number is missing"),
            ("1 1:x\n", "1:5", "`x` is not a number"),
            ("1 1:1:1\n", "1:5", "`1:1` is not a number"),
            ("1 word\n", "1:3", "`word` is no feature"),
            ("1 -1:1\n", "1:3", "no feature"),
            ("1 1:1 2\n", "1:7", "no feature"),
            ("a qid:1 1:1\na qid:2 1:1\na qid:1 1:1\n", "3:1", "qid:1 returns"),
            ("a qid:1 1:1\na 1:1\n", "2:1", "no `qid:`"),
            ("a 1:1\na qid:1 1:1\n", "2:1", "no qid on those before"),
            ("a qid:x 1:1\n", "1:7", "whole number"),
            ("a qid:1 qid:1\n", "1:9", "second `qid:`"),
            ("a cost:0 1:1\n", "1:8", "above 0"),
            ("a cost:nan 1:1\n", "1:8", "above 0"),
            ("a cost:1 cost:1\n", "1:10", "second `cost:`"),
            ("a qid:1 cost:2 1:1\na qid:1 cost:3\n", "2:1", "differs"),
            ("a qid:1 1:1\na qid:1 cost:3\n", "2:1", "first line"),
            ("", "0:0", "no examples"),
            ("# only a comment\n\n", "0:0", "no examples"),
        ],
    );
    assert_eq!(error_of(b"a 1:1\nb\xff 1:1\n", Some(Format::Svmlight)).0, "2:2");
}

#[test]
fn crfsuite() {
    check_table(
        Format::Crfsuite,
        &[
            ("B\tw=a\n\tw=b\n", "2:1", "label is missing"),
            ("B\tw=a:b\n", "1:7", "written `\\:`"),
            ("B\tw=a:\n", "1:7", "written `\\:`"),
            ("B\ta\tb:nan\n", "1:7", "not finite"),
            ("B\ta\t:1\n", "1:5", "without a name"),
            ("B\ta:1e308\ta:1e308\n", "1:1", "too large to add up"),
            ("@weight:0\nB\n", "1:9", "above 0"),
            ("@weight\tx\nB\n", "1:9", "above 0"),
            ("@weight:1\n@weight:1\nB\n", "2:9", "second weight"),
            ("@weight:1\n\nB\n", "2:1", "no tokens"),
            ("B\n\n@weight:1\n", "3:1", "no tokens"),
            ("@wait:1\nB\n", "1:1", "only declaration"),
            ("@weight:1\t\tw=a\n", "1:11", "label is missing"),
            ("", "0:0", "no examples"),
            ("\n\n", "0:0", "no examples"),
        ],
    );
    assert_eq!(error_of(b"B\ta\nB\tx\xc3\x28\n", Some(Format::Crfsuite)).0, "2:4");
}

#[test]
fn letters() {
    check_table(
        Format::Letters,
        &[
            ("1\ta\t-1\t1\t1\n", "1:11", "no field after position"),
            ("x\ta\t-1\t1\t1\t0\t1\n", "1:1", "id: `x`"),
            ("1\t\t-1\t1\t1\t0\t1\n", "1:3", "letter is missing"),
            ("1\ta\t-2\t1\t1\t0\t1\n", "1:5", "next_id: `-2`"),
            ("1\ta\t-1\t1\t1\t99999999999\t1\n", "1:12", "fold"),
            ("1\ta\t-1\t1\t2\t0\t1\n", "1:10", "must be 1"),
            ("1\ta\t2\t1\t1\t0\t1\n3\ta\t-1\t1\t2\t0\t1\n", "2:1", "2 follows, not 3"),
            ("1\ta\t2\t1\t1\t0\t1\n2\ta\t-1\t2\t2\t0\t1\n", "2:8", "inside word 1"),
            ("1\ta\t2\t1\t1\t0\t1\n2\ta\t-1\t1\t3\t0\t1\n", "2:10", "3 comes after 1"),
            ("1\ta\t2\t1\t1\t0\t1\n2\ta\t-1\t1\t2\t5\t1\n", "2:12", "fold 0"),
            ("1\ta\t2\t1\t1\t0\t1\n", "1:0", "letter 2 is missing"),
            ("1\ta\t-1\t1\t1\t0\t1\t2\n", "1:16", "pixel 1"),
            ("1\ta\t-1\t1\t1\t0\t1 1\n", "1:14", "pixel 0"),
            ("1\ta\t-1\t1\t1\t0\t\n", "1:14", "without pixels"),
            (
                "1\ta\t-1\t1\t1\t0\t1\t1\n2\ta\t-1\t2\t1\t0\t1\n",
                "2:0",
                "1 pixels, but the lines before have 2",
            ),
            ("", "0:0", "no examples"),
        ],
    );
}

#[test]
fn whole_files() {
    let text = b"1 1:1 2:1\n".repeat(100);
    let packed = common::gz(&text);
    let (place, problem) = error_of(&packed[..packed.len() - 6], None);
    assert_eq!((&place[..], problem.contains("truncated")), ("0:0", true), "{problem}");
    let mut corrupt = packed.clone();
    corrupt[packed.len() - 6] ^= 1;
    let (place, problem) = error_of(&corrupt, None);
    assert_eq!((&place[..], problem.contains("corrupt")), ("0:0", true), "{problem}");
    for (bytes, part) in [
        (&b""[..], "empty"),
        (b"\n\n", "no examples"),
        (b"one two three\n", "the option format"),
        (&common::idx(2051, &[1, 1, 1], &[7]), "the option labels"),
    ] {
        let (place, problem) = error_of(bytes, None);
        assert_eq!((&place[..], problem.contains(part)), ("0:0", true), "{problem}");
    }
}

#[test]
fn several_files() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let svm = write("svm", b"1 1:1\n");
    let crf = write("crf", b"B\tw=a\n");
    let chain = write("chain", b"1 qid:1 1:1\n");
    let narrow = write("narrow", b"1\ta\t-1\t1\t1\t0\t1\n");
    let wide = write("wide", b"1\ta\t-1\t1\t1\t0\t1\t1\n");
    let small = write("small-images", &common::idx(2051, &[1, 1, 1], &[7]));
    write("small-labels", &common::idx(2049, &[2], &[7, 7]));
    let nothing = folder.path().join("nothing");
    let options = ReadOptions::default();
    let message = |paths: &[&Path]| {
        let paths: Vec<_> = paths.iter().map(|path| path.to_path_buf()).collect();
        read_training(&paths, &options).map(|_| ()).unwrap_err().to_string()
    };
    for (paths, place, part) in [
        (vec![&svm, &crf], "crf:", "looks like crfsuite, but the first one is svmlight"),
        (vec![&svm, &chain], "chain:1:1:", "no qid on those before"),
        (vec![&narrow, &wide], "wide:1:", "2 pixels, but the files before this one have 1"),
        (vec![&small], "small-labels:", "2 labels, but"),
        (vec![&svm, &nothing], "nothing:", "cannot read"),
        (vec![], "data:", "at least one file"),
    ] {
        let paths: Vec<&Path> = paths.into_iter().map(|path| path.as_path()).collect();
        let message = message(&paths);
        assert!(message.contains(place) && message.contains(part), "{message}");
    }
    for (path, vocabulary, part) in [
        (&svm, common::named(&["1"], &["a"]), "the model's have names"),
        (&crf, common::numbered(&["B"], 3), "the model's have numbers"),
        (&narrow, common::numbered(&["a"], 3), "the model was trained on 3 columns"),
        (&small, common::numbered(&["7"], 4), "the model was trained on 4 columns"),
    ] {
        let message = read_with(std::slice::from_ref(path), &options, &vocabulary).unwrap_err().to_string();
        assert!(message.contains(part) && message.contains(&path.display().to_string()), "{message}");
    }
}

#[test]
fn conll() {
    check_table(
        Format::Conll,
        &[
            ("a B x\nb I\n", "2:1", "2 columns, but the first token has 3 (with spaces between)"),
            ("a\tB\nb\tI\tO\n", "2:1", "3 columns, but the first token has 2 (with tabs between)"),
            ("a\tx\tB\nb\t\tI\n", "2:3", "an empty column"),
            ("a B\n\n# x\nb I\n# late\nc\n", "6:1", "1 columns"),
            ("\n-DOCSTART- O\n\n", "0:0", "holds no examples"),
        ],
    );
    let long = format!("a {} B\n", "x".repeat(1 << 15));
    assert_eq!(error_of(long.as_bytes(), Some(Format::Conll)).0, "1:3");
    let (place, problem) = error_of(b"a\tb\nb\ta\na\tb\nb\ta\n", None);
    assert!(place == "0:0" && problem.contains("conll") && problem.contains("crfsuite"), "{problem}");
}
