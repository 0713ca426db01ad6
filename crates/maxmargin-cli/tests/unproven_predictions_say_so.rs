//! Promise: where branch and bound is cut short, `predict` and `eval` say for how many examples.

use crate::common::Folder;
use maxmargin::Model;
use maxmargin::data::{Attributes, Vocabulary};
use maxmargin::model::Description;
use maxmargin::solver::Certificate;
use maxmargin::structure::Inference;
use maxmargin::tasks::{Fitted, Multilabel};

const LABELS: usize = 80;

/// A model whose pairs of labels pull in all directions, so that no bound is of any use.
fn frustrated() -> Model {
    let names: Vec<String> = (0..LABELS).map(|label| format!("l{label:02}")).collect();
    let labels = names.iter().map(String::as_str).collect();
    let vocabulary = Vocabulary { labels, attributes: Attributes::Numbered(1) };
    let task = Multilabel { inference: Some(Inference::Exact), ..Multilabel::default() };
    let task = Fitted::new(task, 1, LABELS).unwrap();
    let mut seed = 1u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as f64 / (1u64 << 30) as f64 - 1.0
    };
    let description = Description {
        program_version: "0.1.0".to_owned(),
        lambda: 1.0,
        surrogate: "margin".to_owned(),
        search: "exact".to_owned(),
        solver: "bcfw".to_owned(),
        seed: 0,
        certificate: Certificate { primal: 1.0, lower_bound: 0.5, oracle_gap: 0.0 },
        passes: 1,
        examples: 1,
        attributes: 1,
        format: None,
    };
    let weights = (0..task.dim()).map(|_| random()).collect();
    Model::new(description, Box::new(task), vocabulary, weights).unwrap()
}

#[test]
fn in_notes_scores_and_json() {
    let folder = Folder::new();
    frustrated().save(folder.path("m")).unwrap();
    folder.write("two.svm", "l00,l01 1:0.25\nl02 1:-0.5\n");
    let predict = folder.run("predict --model m --input two.svm --scores").success();
    let output = predict.get_output();
    let (said, scores) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    let note = "note: the predictions of 2 of 2 examples are not proven to be the best ones";
    assert!(said.contains(note), "{said}");
    let heads: Vec<&str> = scores.lines().filter(|line| line.starts_with('#')).collect();
    assert!(heads.len() == 2 && heads.iter().all(|line| line.ends_with(" unproven")), "{scores}");

    // How sure labels are is then an interval.
    folder.write("one.svm", "l00,l01 1:0.25\n");
    let quiet = folder.run("predict --model m --input one.svm --json --quiet").success();
    assert!(quiet.get_output().stderr.is_empty());
    for line in String::from_utf8_lossy(&quiet.get_output().stdout).lines() {
        let object: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(object["proven"], false);
        let margin = object["margin"].as_array().unwrap();
        assert!(margin[0].as_f64().unwrap() < margin[1].as_f64().unwrap(), "{object}");
    }
    let shown = folder.output("predict --model m --input one.svm --confidence --quiet");
    assert!(shown.lines().all(|line| line.contains("..")), "{shown}");

    let evaluation = folder.output("eval --model m --data two.svm");
    assert!(evaluation.contains(note), "{evaluation}");
    let object = folder.output("eval --model m --data two.svm --json");
    let object: serde_json::Value = serde_json::from_str(&object).unwrap();
    assert_eq!(object["unproven"], 2, "{object}");
}

#[test]
fn and_nothing_where_they_are_proven() {
    let folder = Folder::new();
    folder.output("train multilabel --train rows.svm --model m --quiet");
    let predict = folder.run("predict --model m --input rows.svm --scores").success();
    let output = predict.get_output();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!String::from_utf8_lossy(&output.stdout).contains("unproven"));
    assert!(!folder.output("eval --model m --data rows.svm").contains("not proven"));
}
