//! Networks in the place of weights: train, evaluate, predict, compare, and what is refused on the way.
#![cfg(feature = "neural")]

use crate::common::{Folder, tags};
use maxmargin::tasks::parsing::grammar;
use serde_json::Value;

const TRAIN: &str = "train-network parsing --train train.conllu --units 12 --layers 1 --embedding 12 --dropout 0.1 --batch 80 --rate 0.01 --quiet";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("train.conllu", grammar::text(80, 1));
    folder.write("test.conllu", grammar::text(30, 2));
    folder
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn from_trees_to_trees_and_figures() {
    let folder = folder();
    let object = json(&folder.output(&format!(
        "{TRAIN} --validate test.conllu --test test.conllu --epochs 30 --then prob --then-epochs 2 --model m --json --log log"
    )));
    assert_eq!((object["passes"].as_u64(), object["surrogate"].as_str()), (Some(32), Some("prob")));
    assert!(object["test"]["las"].as_f64().unwrap() > 0.7, "{object}");
    let log = std::fs::read_to_string(folder.path("log")).unwrap();
    assert_eq!(log.lines().map(json).filter(|line| line["held_out"]["las"].is_number()).count(), 32);
    let figures = json(&folder.output("eval --model m --data test.conllu --json"));
    assert_eq!(figures["las"], object["test"]["las"]);
    assert!(folder.output("inspect m").contains("a network with"));
    // All else of the input is kept, and predictions are data again.
    folder.output("predict --model m --input test.conllu --output again.conllu");
    let figures = json(&folder.output("eval --model m --data again.conllu --json"));
    assert_eq!(figures["exact"].as_f64(), Some(1.0));
    let sure = folder.output("predict --model m --input test.conllu --confidence");
    assert!(sure.contains("\tnsubj\t"), "{sure}");
    // More training from there, and how the two differ.
    folder.output(
        &format!("{TRAIN} --start m --epochs 1 --surrogate slack --model more")
            .replace("--units 12 --layers 1 ", ""),
    );
    let compared = json(&folder.output("compare models m more --data test.conllu --json"));
    assert_eq!(compared["figures"]["las"]["first"], object["test"]["las"]);
    // A linear model and a network are compared alike.
    folder.output("train parsing --train train.conllu --hash-bits 12 --lambda 0.01 --quiet --model linear");
    assert!(folder.output("compare models linear m --data test.conllu").contains("uas"));
}

#[test]
fn runs_go_on_to_the_same_model() {
    let folder = folder();
    let train = format!("{TRAIN} --epochs 3 --seed 5");
    folder.output(&format!("{train} --model whole"));
    folder.output(&format!("{train} --checkpoint kept --model first"));
    folder.output(&format!("{train} --checkpoint kept --resume --model second"));
    let content = |name| std::fs::read(folder.path(name)).unwrap();
    assert!(content("whole") == content("first") && content("first") == content("second"));
    folder.refusal(
        &format!("{TRAIN} --epochs 4 --seed 5 --checkpoint kept --resume --model x"),
        &["another run"],
    );
}

#[test]
fn chains_too() {
    let folder = Folder::new();
    folder.write("test.crf", tags(8));
    folder.output("train-network chain --train tags.crf --units 8 --embedding 8 --epochs 10 --rate 0.02 --batch 20 --model m --quiet");
    let figures = json(&folder.output("eval --model m --data test.crf --json"));
    assert!(figures["token_error"].as_f64().unwrap() < 0.3, "{figures}");
    assert!(folder.output("predict --model m --input test.crf").contains("B-NP"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = folder();
    folder.refusal("train-network multiclass --train rows.svm --model m", &["no network for multiclass"]);
    folder.refusal(&format!("{TRAIN} --model m --tags upos,colour"), &["--tags", "colour"]);
    folder.refusal(&format!("{TRAIN} --model m --siblings"), &["takes no part scores"]);
    folder.write("words.txt", "the 1 2\ncat 1\n");
    folder.refusal(&format!("{TRAIN} --model m --vectors words.txt"), &["words.txt:2", "1 numbers"]);
    folder.output(&format!("{TRAIN} --epochs 1 --model m"));
    folder.refusal("train parsing --train train.conllu --warm-start m --model n", &["those of a network"]);
    let content = std::fs::read(folder.path("m")).unwrap();
    folder.write("half", &content[..content.len() / 2]);
    folder.refusal("eval --model half --data test.conllu", &["half"]);
}
