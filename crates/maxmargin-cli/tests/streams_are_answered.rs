//! Promise: `predict` answers each example as it arrives, says how sure it is when asked, and no input is no output.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::common::{Folder, command, rows, tags};
use serde_json::Value;

/// The model of tags.crf, and one of the same sentences as columns.
fn with_models() -> Folder {
    let folder = Folder::new();
    folder.output("train chain --train tags.crf --model tags --quiet");
    let columns = "The D B\ncat N I\nsat V O\n\nA D B\ndog N I\nran V O\n\nHe P B\nsat V O\n\n".repeat(4);
    folder.write("columns.txt", columns);
    folder.output("train chain --train columns.txt --templates pos --model columns --quiet");
    folder.output("train multiclass --train rows.svm --model rows --quiet");
    folder
}

#[test]
fn before_the_next_example_is_sent() {
    let folder = with_models();
    for (model, flags, sentence, lines) in [
        // The blank line comes with its own sentence.
        ("columns", &[][..], "The D\ncat N\n\n", 3),
        ("columns", &["--json"], "A D\n\n", 1),
        ("tags", &["--confidence"], "\tw=the\n\tw=dog\n\n", 3),
        ("rows", &["--threads", "1"], "1:1 4:0.5\n", 1),
        ("rows", &["--k-best", "2"], "red 2:1\n", 6),
    ] {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("maxmargin"))
            .args(["predict", "--input", "-", "--model"])
            .arg(folder.path(model))
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut first = Vec::new();
        for turn in 0..3 {
            // Half of the next one is on its way already.
            let (now, later) = sentence.split_at(sentence.len() / 2);
            if turn == 0 {
                input.write_all(now.as_bytes()).unwrap();
            }
            input.write_all(later.as_bytes()).unwrap();
            input.write_all(now.as_bytes()).unwrap();
            input.flush().unwrap();
            let mut answer: Vec<String> = Vec::new();
            while answer.len() < lines {
                answer.extend(answers.next().map(Result::unwrap));
            }
            let answer = answer.join("\n").replace(&format!("\"id\":{}", turn + 1), "");
            if turn == 0 {
                first.push(answer);
            } else {
                assert_eq!(first[0], answer, "{model} {flags:?}");
            }
        }
        drop(input);
        // The rest of the line or sentence may be an answer or an error; nothing hangs.
        answers.for_each(drop);
        child.wait().unwrap();
    }
}

#[test]
fn like_files_of_any_size() {
    let folder = with_models();
    let many = tags(9000);
    folder.write("many.crf", &many);
    let from_file = folder.output("predict --model tags --input many.crf --quiet");
    let run = command(&folder.path(""), "predict --model tags --input - --threads 1 --quiet")
        .write_stdin(many)
        .assert();
    assert!(from_file == String::from_utf8(run.success().get_output().stdout.clone()).unwrap());
    assert!(from_file.ends_with("\n\n"));
    assert_eq!(from_file.matches("\n\n").count(), 9000);
    let twice = folder.output("predict --model tags --input tags.crf tags.crf");
    let once = folder.output("predict --model tags --input tags.crf");
    assert_eq!(twice, format!("{once}{once}"));
}

#[test]
fn with_nothing_for_nothing() {
    let folder = with_models();
    folder.write("empty", "");
    for model in ["rows", "tags", "columns"] {
        for flags in ["", "--json", "--k-best 2", "--confidence"] {
            let arguments = format!("predict --model {model} --input - {flags}");
            for input in ["", "\n\n"] {
                let run = command(&folder.path(""), &arguments).write_stdin(input).assert().success();
                let output = run.get_output();
                assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
            }
        }
        assert_eq!(folder.output(&format!("predict --model {model} --input empty")), "");
    }
}

#[test]
fn with_an_error_at_its_line() {
    let folder = with_models();
    let text = rows(5000) + "red 1:x\n";
    let run = command(&folder.path(""), "predict --model rows --input -").write_stdin(text).assert().code(2);
    let message = String::from_utf8(run.get_output().stderr.clone()).unwrap();
    assert!(message.contains("-:5001:7"), "{message}");
    // All that came before it is answered.
    assert_eq!(String::from_utf8(run.get_output().stdout.clone()).unwrap().lines().count(), 5000);
    for (model, flags, text, answers) in [
        ("columns", "--json", "The D\ncat N\n\nA D\n\nHe P x y z\n\nA D\n\n", 2),
        ("tags", "--json", "\tw=the\n\n\tw=dog:x\n\n", 1),
        ("rows", "", "1:1\n2:1\n1:y\n3:1\n", 2),
        ("rows", "", "1:y\n3:1\n", 0),
    ] {
        let arguments = format!("predict --model {model} --input - {flags}");
        let run = command(&folder.path(""), &arguments).write_stdin(text).assert().code(2);
        let written = String::from_utf8(run.get_output().stdout.clone()).unwrap();
        assert_eq!(written.lines().count(), answers, "{text:?}: {written}");
    }
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn as_json_without_confidences() {
    let folder = with_models();
    for model in ["tags", "rows"] {
        let input = if model == "tags" { "tags.crf" } else { "rows.svm" };
        let predict = format!("predict --model {model} --input {input} --json");
        let (all, short) = (
            objects(&folder.output(&predict)),
            objects(&folder.output(&format!("{predict} --no-confidence"))),
        );
        for (mut all, short) in all.into_iter().zip(short) {
            assert!(short.get("margin").is_none() && short.get("confidences").is_none(), "{short}");
            let fields = all.as_object_mut().unwrap();
            fields.retain(|name, _| !["margin", "confidences", "others"].contains(&name.as_str()));
            assert_eq!(all, short);
        }
    }
    folder.refusal("predict --model rows --input rows.svm --no-confidence", &["--json"]);
}

#[test]
fn as_json() {
    let folder = with_models();
    let found = objects(&folder.output("predict --model tags --input tags.crf --json --k-best 2"));
    let plain = folder.output("predict --model tags --input tags.crf");
    let sentences: Vec<Vec<&str>> =
        plain.trim_end().split("\n\n").map(|sentence| sentence.trim().split('\n').collect()).collect();
    assert_eq!(found.len(), sentences.len());
    for (id, (object, sentence)) in (1..).zip(found.iter().zip(sentences)) {
        let keys: Vec<&String> = object.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["confidences", "id", "k_best", "labels", "margin", "proven", "score"]);
        assert_eq!((&object["id"], &object["proven"]), (&Value::from(id), &Value::from(true)));
        assert_eq!(object["labels"], Value::from(sentence.clone()));
        let best = object["k_best"].as_array().unwrap();
        assert_eq!((&best[0]["labels"], &best[0]["score"]), (&object["labels"], &object["score"]));
        let number = |value: &Value| value.as_f64().unwrap();
        let margin = number(&object["margin"]);
        assert!((number(&best[0]["score"]) - number(&best[1]["score"]) - margin).abs() < 1e-9, "{object}");
        let sure: Vec<f64> = object["confidences"].as_array().unwrap().iter().map(number).collect();
        assert_eq!(sure.len(), sentence.len());
        assert_eq!(sure.iter().copied().fold(f64::INFINITY, f64::min), margin);
    }
    // The same in text.
    let text = folder.output("predict --model tags --input tags.crf --confidence");
    let first: Vec<String> = text.lines().take(2).map(str::to_owned).collect();
    let sure = &found[0]["confidences"];
    assert_eq!(first, [format!("B-NP\t{}", sure[0]), format!("I-NP\t{}", sure[1])]);

    // One class is a string, with one number.
    let object = &objects(&folder.output("predict --model rows --input rows.svm --json"))[0];
    assert!(object["labels"].is_string() && object["confidences"] == object["margin"], "{object}");
    // Sets say as much about what is not in them.
    folder.output("train multilabel --train rows.svm --model sets --quiet");
    for object in objects(&folder.output("predict --model sets --input rows.svm --json")) {
        let (labels, others) = (object["labels"].as_array().unwrap(), object["others"].as_object().unwrap());
        assert_eq!(labels.len() + others.len(), 3, "{object}");
        assert_eq!(labels.len(), object["confidences"].as_array().unwrap().len());
        assert!(labels.iter().all(|label| !others.contains_key(label.as_str().unwrap())), "{object}");
    }
    folder.refusal("predict --model rows --input rows.svm --json --confidence", &["cannot be used with"]);
}

#[test]
fn with_a_note_on_how_often_they_are_right() {
    let folder = with_models();
    let table =
        folder.output("eval --model rows --data rows.svm --confidence-bins 4 --plot sure.svg --quiet");
    assert!(table.contains("| confidence from |") && table.contains("\nPrecision "), "{table}");
    assert!(std::fs::read_to_string(folder.path("sure.svg")).unwrap().contains("precision"));
    let object = &objects(&folder.output("eval --model rows --data rows.svm --confidence-bins --json"))[0];
    let bins = object["confidence_bins"].as_array().unwrap();
    let sum = |name: &str| bins.iter().map(|bin| bin[name].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum("predicted"), 60);
    assert_eq!(sum("right") as f64 / 60.0, object["accuracy"].as_f64().unwrap());
}
