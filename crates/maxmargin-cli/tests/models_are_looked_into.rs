//! `inspect`: the heaviest weights of a label, the transitions of chains, in text and in JSON.

use crate::common::Folder;
use serde_json::Value;

#[test]
fn the_heaviest_attributes_of_a_label_are_listed() {
    let folder = Folder::new();
    folder.output("train chain --train tags.crf --model m --quiet --c-sum 1");
    let text = folder.output("inspect m --label B-NP --top 2");
    let (_, lists) = text.split_once("heaviest attributes of B-NP\n").unwrap();
    let lines: Vec<&str> = lists.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 2, "{text}");
    let object: Value =
        serde_json::from_str(&folder.output("inspect m --label B-NP --top 2 --json")).unwrap();
    let heaviest = object["heaviest"].as_array().unwrap();
    assert_eq!((heaviest.len(), &heaviest[0]["label"]), (1, &Value::from("B-NP")));
    for (line, weight) in lines.iter().zip(heaviest[0]["weights"].as_array().unwrap()) {
        let shown = format!("{:+.4}  {}", weight[1].as_f64().unwrap(), weight[0].as_str().unwrap());
        assert_eq!(line.trim(), shown);
    }
    let all: Value = serde_json::from_str(&folder.output("inspect m --top 1000 --json")).unwrap();
    let weights = |of: &Value| of["weights"].as_array().unwrap().clone();
    let mine = all["heaviest"].as_array().unwrap().iter().find(|of| of["label"] == "B-NP").unwrap();
    assert_eq!(weights(mine)[..2], weights(&heaviest[0])[..]);
    folder.refusal("inspect m --label B-NPP", &["no label B-NPP", "B-NP, I-NP, O", "did you mean B-NP?"]);
}

#[test]
fn transitions_of_chains_are_listed() {
    let folder = Folder::new();
    folder.output("train chain --train tags.crf --model m --quiet --c-sum 1");
    let object: Value = serde_json::from_str(&folder.output("inspect m --json --top 1000")).unwrap();
    let transitions = object["transitions"].as_array().unwrap();
    let weight = |from: &str, to: &str| {
        let is =
            |of: &&Value| of["from"].as_str().unwrap_or("") == from && of["to"].as_str().unwrap_or("") == to;
        transitions.iter().find(is).map_or(0.0, |of| of["weight"].as_f64().unwrap())
    };
    // In the data I-NP follows only B-NP, and never begins a sentence unless it is cut there.
    assert!(weight("B-NP", "I-NP") > weight("O", "I-NP"), "{transitions:?}");
    assert!(transitions.iter().any(|of| of["from"].is_null()), "{transitions:?}");
    let sizes: Vec<f64> = transitions.iter().map(|of| of["weight"].as_f64().unwrap().abs()).collect();
    assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
    let text = folder.output("inspect m --label I-NP");
    let (_, list) = text.split_once("heaviest transitions (from a label to the next one)\n").unwrap();
    assert!(list.lines().all(|line| line.contains("I-NP")), "{text}");
    folder.output("train multiclass --train rows.svm --model m --quiet");
    assert!(!folder.output("inspect m").contains("transitions"));
}

#[test]
fn attributes_of_transitions_are_listed() {
    let folder = Folder::new();
    // The label changes at a comma.
    folder.write("train.txt", "a L0\n, L1\nb L1\n\na L0\nb L0\n, L1\n\nb L1\n, L0\na L0\n\n".repeat(4));
    folder.write("pairs.template", "U0:%x[-1,0]\nB0:%x[0,0]\n");
    folder.output("train chain --train train.txt --templates pairs.template --model m --quiet --c-sum 1");
    let text = folder.output("inspect m");
    assert!(text.contains("3 pair attributes") && text.contains("pair: 3 × 2 × 2"), "{text}");
    let (_, list) = text.split_once("heaviest attributes of transitions\n").unwrap();
    assert!(list.lines().any(|line| line.contains("B0:,") && line.contains("L0 → L1")), "{text}");
    let object: Value = serde_json::from_str(&folder.output("inspect m --json --top 100")).unwrap();
    let steps = object["pair_weights"].as_array().unwrap();
    let weight = |attribute: &str, from: &str, to: &str| {
        let is = |of: &&Value| of["attribute"] == attribute && of["from"] == from && of["to"] == to;
        steps.iter().find(is).map_or(0.0, |of| of["weight"].as_f64().unwrap())
    };
    assert!(weight("B0:,", "L0", "L1") > weight("B0:,", "L0", "L0"), "{steps:?}");
    assert_eq!(object["pair_attributes"], 3);
    // Attributes of labels are apart.
    let heaviest = object["heaviest"].as_array().unwrap();
    assert!(
        heaviest
            .iter()
            .flat_map(|of| of["weights"].as_array().unwrap())
            .all(|of| { of[0].as_str().unwrap().starts_with("U0:") })
    );
}

#[test]
fn weights_of_seen_pairs_are_listed_and_a_node_has_its_neighbours() {
    let folder = Folder::new();
    folder.write("train.svm", "a/b/d 1:1 4:1\na/b/e 1:1 2:1\na/c 3:1\nf/g 5:1\nf/h 6:1\n".repeat(4));
    let train = "train hierarchy --train train.svm --lambda 0.01 --quiet --model";
    folder.output(&format!("{train} all"));
    folder.output(&format!("{train} seen --weights seen"));
    let seen: Value = serde_json::from_str(&folder.output("inspect seen --json --label a/b/d")).unwrap();
    let weights = seen["heaviest"][0]["weights"].as_array().unwrap();
    let names: Vec<&str> = weights.iter().filter_map(|weight| weight[0].as_str()).collect();
    assert_eq!(names.len(), 2, "{seen}");
    assert!(names.contains(&"1") && names.contains(&"4"), "{names:?}");
    for model in ["all", "seen"] {
        let whole = folder.output(&format!("inspect {model}"));
        assert!(
            whole.contains("\nf ") && whole.contains("  f/g ") && whole.contains("f/g        "),
            "{whole}"
        );
        // The node, those above it and those right below it.
        let near = folder.output(&format!("inspect {model} --label a/b"));
        for part in
            ["\na ", "\n  a/b ", "\n    a/b/d ", "\n    a/b/e ", "… 4 more", "heaviest attributes of a/b\n"]
        {
            assert!(near.contains(part), "{model}: {part:?} in {near}");
        }
        assert!(!near.contains("f/g") && !near.contains("a/c"), "{near}");
    }
}
