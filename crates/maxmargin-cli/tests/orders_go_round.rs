//! Promise: chains of second order learn what three labels in a row tell, and their models are used like others.

use crate::common::Folder;

/// Tags that only the two before tell, and words that tell nothing: a a b a a b …, from any place of the round.
fn sentences() -> String {
    let sentence = |s: usize| -> String {
        (0..9).map(|t| format!("{}\tword\n", ["a", "a", "b"][(s + t) % 3])).collect()
    };
    (0..12).map(|s| sentence(s) + "\n").collect()
}

#[test]
fn chains_of_second_order() {
    let folder = Folder::new();
    folder.write("train.crf", sentences());
    let train = "train chain --train train.crf --format crfsuite --lambda 0.001 --gap 1e-4 --json";
    let trained = |flags: &str| -> serde_json::Value {
        serde_json::from_str(&folder.output(&format!("{train} {flags} --model m"))).unwrap()
    };
    let sure = |prediction: &str| {
        ["a\na\nb\n", "a\nb\na\n", "b\na\na\n"].iter().any(|start| prediction.starts_with(start))
    };
    let first = trained("--order 1")["dim"].as_u64().unwrap();
    assert_eq!(trained("--order 2")["dim"].as_u64().unwrap(), first + 8);
    // Whatever the round begins with, it goes on in its way: with first order a follows a as often as b does.
    let predicted = folder.output("predict --model m --input train.crf --quiet");
    assert!(sure(&predicted), "{predicted}");
    let listed = folder.output("predict --model m --input train.crf --k-best 3 --json --quiet");
    assert_eq!(listed.lines().count(), 12, "{listed}");
    let shown = folder.output("inspect m");
    assert!(shown.contains("second order") && shown.contains("triple: 2 × 2 × 2"), "{shown}");
    assert!(shown.contains("heaviest labels in a row"), "{shown}");
    assert!(shown.contains("a → a  → b  +") && shown.contains("a → a  → a  -"), "{shown}");
    // a a b, a b a and b a a were seen; one attribute has nothing to save.
    assert_eq!(trained("--order 2 --weights seen")["dim"].as_u64().unwrap(), first + 3);
    let shown = folder.output("inspect m");
    assert!(shown.contains("seen triple: 1 × 3") && shown.contains("a → a  → b  +"), "{shown}");
    let shown: serde_json::Value = serde_json::from_str(&folder.output("inspect m --json")).unwrap();
    assert_eq!(shown["triples"].as_array().unwrap().len(), 3, "{shown}");
    let again = folder.output("predict --model m --input train.crf --quiet");
    assert!(sure(&again), "{again}");
    folder.run(&format!("{train} --order 2 --weights seen --warm-start m --model n")).success();
    folder.refusal(&format!("{train} --order 1 --warm-start m --model n"), &["same options"]);
    folder.refusal(&format!("{train} --order 3 --model n"), &["--order", "1 and 2"]);
    folder.refusal(&format!("{train} --order 2 --solver extragradient --model n"), &["extragradient"]);
}
