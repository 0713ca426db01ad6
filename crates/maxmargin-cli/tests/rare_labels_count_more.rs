//! Weights of labels, said in two ways, make one problem: the same certificate.

use crate::common;

use crate::common::Folder;
use serde_json::Value;

const SOLVE: &str = "--lambda 0.05 --gap 1e-4 --threads 1 --quiet --json --model m";

/// Trains twice and compares the brackets.
fn same(folder: &Folder, one: &str, other: &str) {
    let bracket = |arguments: &str| {
        let object: Value =
            serde_json::from_str(&folder.output(&format!("train {arguments} {SOLVE}"))).unwrap();
        assert_eq!(object["stop"], "gap reached", "{arguments}");
        (object["primal"].as_f64().unwrap(), object["lower_bound"].as_f64().unwrap())
    };
    let (one_is, other_is) = (bracket(one), bracket(other));
    assert_eq!(one_is, other_is, "{one} | {other}");
    // It is not the problem without weights.
    let plain = one
        .split(" --")
        .filter(|part| !part.starts_with("loss") && !part.starts_with("class"))
        .collect::<Vec<_>>();
    assert_ne!(bracket(&plain.join(" --")), one_is, "{one}");
}

#[test]
fn class_weights_are_weights_of_examples() {
    let folder = Folder::new();
    let rows = common::rows(60);
    let weighed = |weights: [(&str, f64); 3]| -> String {
        let line = |line: &str| {
            let (label, rest) = line.split_once(' ').unwrap();
            let weight = weights.iter().find(|(name, _)| *name == label).unwrap().1;
            format!("{label} cost:{weight} {rest}\n")
        };
        rows.lines().map(line).collect()
    };
    folder.write("weights", "red 3\n\"blue\" 0.5\n");
    folder.write("weighed.svm", weighed([("red", 3.0), ("green", 1.0), ("blue", 0.5)]));
    same(
        &folder,
        "multiclass --train rows.svm --class-weights weights",
        "multiclass --train weighed.svm --loss zero-one",
    );
    let count = |label: &str| rows.lines().filter(|line| line.starts_with(label)).count();
    let balance = |label| (label, 60.0 / (3.0 * count(label) as f64));
    folder.write("balanced.svm", weighed(["red", "green", "blue"].map(balance)));
    same(
        &folder,
        "multiclass --train rows.svm --class-weights balanced",
        "multiclass --train balanced.svm --loss zero-one",
    );
}

#[test]
fn the_true_label_says_what_a_mistake_costs() {
    let folder = Folder::new();
    folder.write("weights", "B-NP 3\nI-NP 0.5\n");
    folder.write("costs", "B-NP O 3\nB-NP I-NP 3\nI-NP O 0.5\nI-NP B-NP 0.5\n");
    same(
        &folder,
        "chain --train tags.crf --loss weights=weights",
        "chain --train tags.crf --loss cost=costs",
    );
    folder.write("weights", "red 3\n");
    folder.write("costs", "red green 3\nred blue 3\n");
    same(
        &folder,
        "multiclass --train rows.svm --loss weights=weights",
        "multiclass --train rows.svm --loss cost=costs",
    );
}

#[test]
fn misses_and_false_labels_cost_what_is_said() {
    let folder = Folder::new();
    let line = |i: usize| {
        let labels: Vec<&str> = [(2, "a"), (3, "b"), (7, "rare")]
            .iter()
            .filter(|(of, _)| i.is_multiple_of(*of))
            .map(|(_, name)| *name)
            .collect();
        format!("{} {}:1 {}:0.5 9:{}\n", labels.join(","), i % 4 + 1, i % 3 + 5, (i * 7 % 5) as f64 / 5.0)
    };
    folder.write("sets.svm", (1..60).map(line).collect::<String>());
    let train = "multilabel --train sets.svm --pairs tree";
    folder.write("costs", "a 2 0.5\nb 2 0.5\nrare 2 0.5\n");
    same(&folder, &format!("{train} --loss miss=2,false=0.5"), &format!("{train} --loss weights=costs"));
    let (n, counts) = (59.0, [("a", 29.0), ("b", 19.0), ("rare", 8.0)]);
    let balanced =
        |(name, count): (&str, f64)| format!("{name} {} {}\n", n / (2.0 * count), n / (2.0 * (n - count)));
    folder.write("balanced", counts.map(balanced).concat());
    same(&folder, &format!("{train} --loss balanced"), &format!("{train} --loss weights=balanced"));
    // What is learnt is what is asked for: dear misses are rarer. (Slack rescaling multiplies by the loss.)
    let recall = |loss: &str| {
        let train =
            "multilabel --train sets.svm --pairs none --surrogate slack --lambda 0.3 --quiet --model m";
        folder.run(&format!("train {train} --loss {loss}")).success();
        let text = folder.output("eval --model m --data sets.svm --json");
        serde_json::from_str::<Value>(&text).unwrap()["micro_recall"].as_f64().unwrap()
    };
    let (dear, cheap) = (recall("miss=5,false=1"), recall("miss=1,false=5"));
    assert!(dear > cheap + 0.1, "{dear} {cheap}");
    // Micro-F1 counts labels by their weights.
    folder.write("weights", "rare 5\n");
    folder
        .run(&format!(
            "train {train} --loss weights=weights --surrogate micro-f1 --lambda 0.01 --quiet --model m"
        ))
        .success();
    assert!(folder.output("eval --model m --data sets.svm --json").contains("weighted_micro_f1"));
    // And so does the choice of λ.
    for (loss, figure) in [("weights=weights", "weighted_micro_f1"), ("hamming", "micro_f1")] {
        let text = folder.output(&format!("train {train} --loss {loss} --quiet --json --model m"));
        let object: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(object["lambda_choice"]["figure"], figure, "{text}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let folder = Folder::new();
    folder.write("three", "red 1\nblue 2 3\n");
    folder.write("unknown", "\nred 1\npink 2\n");
    folder.write("sets.svm", "a 1:1\nb 2:1\na,b 1:1 2:1\n");
    folder.write("zero", "a 0\n");
    let sets = "train multilabel --train sets.svm --model n --surrogate micro-f1";
    for (arguments, parts) in [
        ("train multiclass --train rows.svm --model n --class-weights three", &["three:2", "two fields"][..]),
        ("train multiclass --train rows.svm --model n --loss weights=unknown", &["unknown:3", "pink"]),
        ("train multiclass --train rows.svm --model n --loss miss=1,false=2", &["--loss"]),
        ("train multilabel --train sets.svm --model n --loss miss=0,false=2", &["--loss", "above 0"]),
        (&format!("{sets} --loss balanced"), &["micro-f1", "different costs"]),
        (&format!("{sets} --loss weights=zero"), &["micro-f1", "weights of 0"]),
    ] {
        folder.refusal(arguments, parts);
    }
}
