//! Promise: what a file holds cannot flood the terminal, repaint it or keep the program busy, and what is wrong has a place.

use std::fs;
use std::io::Write;

use crate::common::Folder;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Labels and a name that a terminal would obey: colours, a C1 control, an override of direction.
const LABELS: [&str; 3] = ["\u{1b}[31mred", "\u{9b}2Jblank", "\u{202e}bidi"];

fn is_harmless(text: &str) -> bool {
    let obeyed = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
    !text.contains(obeyed)
}

fn with_strange_labels() -> Folder {
    let folder = Folder::new();
    let rows: String = (0..12).map(|i| format!("{} {}:1\n", LABELS[i % 3], i % 3 + 1)).collect();
    folder.write("strange.svm", rows);
    let attributes: String =
        (0..12).map(|i| format!("{}\t\u{1b}[1mx={}\n\n", LABELS[i % 3], i % 3)).collect();
    folder.write("strange.crf", attributes);
    let sets: String =
        (0..12).map(|i| format!("{},{} {}:1\n", LABELS[i % 3], LABELS[(i + 1) % 3], i % 3 + 1)).collect();
    folder.write("strange.sets", sets);
    folder
}

#[test]
fn control_characters_are_written_out_for_people() {
    let folder = with_strange_labels();
    for (task, data) in
        [("multiclass", "strange.svm"), ("chain", "strange.crf"), ("multilabel", "strange.sets")]
    {
        let train = format!("train {task} --train {data} --model strange.model");
        let shown = [
            folder.output(&train),
            folder.output("inspect strange.model"),
            folder.output(&format!("eval --model strange.model --data {data} --per-label")),
        ];
        for text in &shown {
            assert!(is_harmless(text), "{task}: {text:?}");
        }
        for text in &shown[1..] {
            assert!(text.contains("\\u{1b}[31mred") && text.contains("\\u{202e}bidi"), "{task}: {text}");
        }
        let json: serde_json::Value =
            serde_json::from_str(&folder.output("inspect strange.model --json")).unwrap();
        let labels: Vec<&str> =
            json["labels"].as_array().unwrap().iter().map(|l| l.as_str().unwrap()).collect();
        assert!(LABELS.iter().all(|label| labels.contains(label)), "{labels:?}");
        // What machines read is as it was.
        folder.output(&format!("predict --model strange.model --input {data} --output labels.txt"));
        let predicted = fs::read_to_string(folder.path("labels.txt")).unwrap();
        assert!(predicted.contains(LABELS[0]) && predicted.contains(LABELS[2]), "{predicted:?}");
    }
}

#[test]
fn control_characters_are_written_out_in_errors() {
    let folder = with_strange_labels();
    folder.write("bad.svm", "a 1:\u{1b}[2J\u{202e}\n");
    folder.write("costs", "\u{1b}[31mrad a 1\n");
    folder.run("train multiclass --train strange.svm --model strange.model").success();
    for (arguments, part) in [
        ("train multiclass --train bad.svm --model m", "`\\u{1b}[2J\\u{202e}` is not a number"),
        ("train multiclass --train \u{1b}[1m.svm --model m", "cannot read \\u{1b}[1m.svm"),
        (
            "train multiclass --train strange.svm --loss cost=costs --model m",
            "costs:1: the training data has no label \"\\u{1b}[31mrad\"",
        ),
        ("eval --model strange.model --data strange.svm --background x", "there are \\u{1b}[31mred"),
        ("inspect \u{1b}[1m", "cannot read \\u{1b}[1m"),
    ] {
        let message = folder.refusal(arguments, &[part]);
        assert!(is_harmless(&message), "{message:?}");
    }
}

#[test]
fn bad_text_in_label_files_has_a_place() {
    let folder = Folder::new();
    folder.write("sets.svm", "red,green 1:1\ngreen 2:1\nblue 3:1\n");
    folder.write("costs", b"# truth predicted cost\nred \xe9 1\n");
    folder.write("pairs", b"red green\n\xe9 red\n");
    folder.write("weights", b"red 1\ngreen 2 \xff\n");
    for (arguments, part) in [
        (
            "train multiclass --train rows.svm --loss cost=costs --model m",
            "costs:2:5: this is not UTF-8 text",
        ),
        ("train multilabel --train sets.svm --pairs pairs --model m", "pairs:2:1: this is not UTF-8 text"),
        (
            "train multilabel --train sets.svm --loss weights=weights --model m",
            "weights:2:9: this is not UTF-8 text",
        ),
    ] {
        folder.refusal(arguments, &[part]);
    }
}

#[test]
fn long_things_are_cut() {
    let folder = Folder::new();
    folder.write("token.svm", format!("a 1:{}\n", "x".repeat(10_000_000)));
    let message = folder
        .refusal("train multiclass --train token.svm --model m", &["token.svm:1:5", "x…` is not a number"]);
    assert!(message.len() < 300, "{} bytes", message.len());
    let mut zeros = GzEncoder::new(Vec::new(), Compression::fast());
    (0..200).for_each(|_| zeros.write_all(&[0; 1 << 20]).unwrap());
    folder.write("zeros.gz", zeros.finish().unwrap());
    for format in ["svmlight", "crfsuite", "letters", "edges"] {
        let arguments = format!("train multiclass --train zeros.gz --format {format} --model m");
        let message = folder.refusal(&arguments, &["zeros.gz:1: a line of more than 128 MiB", "zero bytes"]);
        assert!(message.len() < 300, "{message}");
    }
    let name = "n".repeat(100_000);
    folder.write("names.svm", format!("{name} 1:1\nb 2:1\n").repeat(3));
    folder.run("train multiclass --train names.svm --model names.model").success();
    for arguments in ["inspect names.model", "eval --model names.model --data names.svm --per-label"] {
        let text = folder.output(arguments);
        assert!(text.len() < 3000 && text.contains("n…"), "`{arguments}` printed {} bytes", text.len());
    }
}

#[test]
fn counts_have_limits() {
    let folder = Folder::new();
    folder.write("slip.svm", "a 1000000000:1\nb 1:1\n");
    folder.write("header.svm", "2 4294967294 3\n0 1:1\n1 2:1\n");
    folder.write("wide.csv", format!("{}b\n1,1\n", "a,".repeat((1 << 21) + 9)));
    folder.write("repeated.crf", format!("a{}\n\nb\ty\n", "\tx".repeat((1 << 24) + 9)));
    folder.write("left", "a b\n");
    folder.write("right", "c d\n");
    folder.write("links", "0-0\n");
    folder.write("table", "1 1 1 a:1e39\n");
    folder.write("fields", format!("1 1 1{}\n", " 1".repeat(1000)));
    for (arguments, part) in [
        (
            "multiclass --train slip.svm",
            "slip.svm: 1000000000 features by the largest index or the header, but only 2 values",
        ),
        (
            "multilabel --train header.svm --format svmlight",
            "4294967294 features by the largest index or the header",
        ),
        ("multiclass --train wide.csv --label-columns b", "wide.csv:1:4194305: more than 2097152 columns"),
        ("chain --train repeated.crf", "repeated.crf:1:33554435: more than 16777216 attributes on one line"),
        ("alignment --train left right --links links --feature-table table", "table:1:9: 1e39 is too large"),
        ("alignment --train left right --links fields", "fields:1:1: more than 4 fields"),
    ] {
        folder.refusal(&format!("train {arguments} --model m"), &[part]);
    }
}

/// A mark before the text would make two labels of one.
#[test]
fn a_byte_order_mark_is_no_part_of_a_label() {
    let folder = Folder::new();
    folder.write("mark.svm", "\u{feff}a 1:1\nb 2:1\na 1:2\n");
    folder.run("train multiclass --train mark.svm --model mark.model").success();
    let json: serde_json::Value = serde_json::from_str(&folder.output("inspect mark.model --json")).unwrap();
    assert_eq!(json["labels"], serde_json::json!(["a", "b"]));
}

#[cfg(target_os = "linux")]
#[test]
fn what_has_no_end_is_no_model() {
    let folder = Folder::new();
    folder.refusal("inspect /dev/zero", &["/dev/zero: not a model"]);
    folder.refusal("eval --model /dev/urandom --data rows.svm", &["/dev/urandom: not a model"]);
    folder.refusal("train multiclass --train rows.svm --warm-start /dev/zero --model m", &["not a model"]);
}
