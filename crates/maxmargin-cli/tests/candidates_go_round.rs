//! Learning from candidates on the command line: each turn is certified and shown, and the model is one like any other.

use std::fmt::Write;
use std::process::Stdio;
use std::time::Duration;

use crate::common::Folder;
use serde_json::Value;

const LISTS: &str = "Anna PER|O\nsees O\nUlm LOC|PER\n\nBela PER\nin O\nUlm LOC|LOC|O\n\nAnna PER\nsees O|_X\nYork LOC\n\nin _\nYork LOC|O\n\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("train.txt", LISTS.replace("|_X", ""));
    folder.write("test.txt", "Anna PER\nsees O\nYork LOC\n\nBela PER\nin O\nUlm LOC\n\n");
    folder.write("new.txt", "Bela\nsees\nYork\n\n");
    folder
}

#[test]
fn a_model_of_candidates_is_a_model() {
    let folder = folder();
    let text = folder
        .output("train chain --train train.txt --format conll --candidates --lambda 0.05 --model m.model --test test.txt");
    assert!(text.contains("candidates   cllp, ") && text.contains("completions rest"), "{text}");
    let object = folder.output(
        "train chain --train train.txt --format conll --candidates cllp --lambda 0.05 --model j.model --json --quiet",
    );
    let object: Value = serde_json::from_str(&object).expect("JSON");
    let turns = object["candidates"]["turns"].as_array().expect("turns");
    assert_eq!(object["candidates"]["method"], "cllp");
    let last = turns.last().expect("a turn");
    assert_eq!((&last["changed"], &last["examples"]), (&Value::from(0), &Value::from(4)));
    assert_eq!((&last["primal"], &last["lower_bound"]), (&object["primal"], &object["lower_bound"]));
    assert_eq!(folder.output("predict --model m.model --input new.txt"), "PER\nO\nLOC\n\n");
    let figures: Value =
        serde_json::from_str(&folder.output("eval --model m.model --data test.txt --json")).expect("JSON");
    assert_eq!(figures["token_error"], 0.0, "{figures}");
    for method in ["mms", "first", "random", "majority", "known"] {
        folder
            .run(&format!(
                "train chain --train train.txt --format conll --candidates {method} --lambda 0.05 --model {method}.model"
            ))
            .success();
        folder.run(&format!("eval --model {method}.model --data test.txt")).success();
    }
    // Progress shows each turn, with what is proven of it.
    let shown = folder
        .run("train chain --train train.txt --format conll --candidates --lambda 0.05 --model m.model")
        .success();
    let shown = String::from_utf8_lossy(&shown.get_output().stderr).into_owned();
    assert!(
        shown.contains("known positions: ") && shown.contains("turn 1: ") && shown.contains("≤ F* ≤"),
        "{shown}"
    );
}

#[test]
fn errors_name_the_place_and_the_remedy() {
    let folder = folder();
    folder.write("empty.txt", "Anna PER|\nsees O\n\n");
    folder.write("nothing.txt", "Anna |\nsees O\n\n");
    folder.write("between.txt", "Anna PER\nsees O||PER\n\n");
    folder.write("mixed.txt", LISTS.replace("_X", "_"));
    folder.write("strange.txt", "Anna PER|ORG\n\n");
    folder.write("open.txt", "Anna PER|O\nsees O\n\n");
    let train = |file: &str, more: &str| {
        format!("train chain --train {file} --format conll --candidates --model m.model {more}")
    };
    folder.refusal(
        &train("empty.txt", "--lambda 0.1"),
        &["empty.txt:1:10", "an empty candidate", "_ stands for any label"],
    );
    folder.refusal(&train("mixed.txt", "--lambda 0.1"), &["mixed.txt:10:8", "any label goes alone"]);
    folder.refusal(
        "train chain --train train.txt --format conll --candidates best --model m.model",
        &["cllp, mms, first, random, majority, known"],
    );
    folder.refusal(
        "train chain --train train.txt --format conll --candidates clpl --lambda 0.1 --model m.model",
        &["did you mean cllp?"],
    );
    folder.refusal(&train("train.txt", "--lambda 0.1 --candidate-weights 1"), &["two numbers"]);
    folder.refusal(&train("train.txt", "--lambda 0.1 --surrogate slack"), &["--candidates", "margin"]);
    folder.refusal(
        "train chain --train train.txt --format conll --candidates majority --candidate-weights 2,1 --lambda 0.1 --model m.model",
        &["--candidate-weights", "cllp"],
    );
    folder.refusal(
        "train segmentation --train train.txt --format conll --candidates --lambda 0.1 --model m.model",
        &["--candidates", "chain, multiclass, multilabel and hierarchy"],
    );
    folder.run(&train("train.txt", "--lambda 0.1")).success();
    folder.refusal(
        "predict --model m.model --input strange.txt",
        &["strange.txt:1:10", "`ORG` is no label of the model", "LOC, O, PER"],
    );
    folder.refusal(
        "eval --model m.model --data strange.txt",
        &["strange.txt:1:10", "`ORG` is no label of the model"],
    );
    for command in ["predict --model m.model --input", "eval --model m.model --data"] {
        folder.refusal(&format!("{command} empty.txt"), &["empty.txt:1:10", "an empty candidate"]);
        folder.refusal(&format!("{command} nothing.txt"), &["nothing.txt:1:6", "an empty candidate"]);
        folder.refusal(&format!("{command} between.txt"), &["between.txt:2:8", "an empty candidate"]);
    }
    folder.refusal("eval --model m.model --data open.txt", &["open.txt", "needs the true labels"]);
}

/// Lists are not learnt as labels without a word, and a flag that finds no list says so.
#[test]
fn lists_that_nobody_asked_about_are_noted() {
    let folder = folder();
    let notes = |command: &str| {
        let done = folder.run(command).success();
        String::from_utf8_lossy(&done.get_output().stderr).into_owned()
    };
    let unasked = notes("train chain --train train.txt --format conll --lambda 0.1 --model m.model");
    assert!(unasked.contains("`LOC|LOC|O` and 3 more") && unasked.contains("--candidates"), "{unasked}");
    let idle = notes("train chain --train test.txt --format conll --candidates --lambda 0.1 --model m.model");
    assert!(idle.contains("--candidates changes nothing"), "{idle}");
    let asked =
        notes("train chain --train train.txt --format conll --candidates --lambda 0.1 --model m.model");
    assert!(!asked.contains("reads as a list") && !asked.contains("changes nothing"), "{asked}");
}

/// Second-order chains and nodes of a hierarchy, by the same flag.
#[test]
fn other_tasks_have_candidates() {
    let folder = folder();
    folder
        .run("train chain --order 2 --train train.txt --format conll --candidates --lambda 0.05 --model o.model --test test.txt")
        .success();
    assert_eq!(folder.output("predict --model o.model --input new.txt"), "PER\nO\nLOC\n\n");
    folder.write("nodes.svm", "a/b|a/c 1:1\na/b 1:1\nd/e|a/b 2:1\nd/e 2:1\n_ 1:1\na/c 3:1\n");
    folder.write("rows.svm", "a/b 1:1\nd/e 2:1\n");
    let text = folder.output(
        "train hierarchy --train nodes.svm --candidates --lambda 0.02 --model h.model --test rows.svm",
    );
    assert!(text.contains("candidates   cllp, "), "{text}");
    assert_eq!(folder.output("predict --model h.model --input rows.svm"), "a/b\nd/e\n");
    folder.write("inner.svm", "a|a/c 1:1\na/b 1:1\nd/e 2:1\n");
    folder.refusal(
        "train hierarchy --train inner.svm --inner no --candidates --lambda 0.02 --model h.model",
        &["--inner", "`a`"],
    );
}

/// Enough sentences that a kill hits a run, with lists that take several turns.
fn many() -> String {
    let words =
        [("Anna", "PER"), ("sees", "O"), ("Ulm", "LOC"), ("in", "O"), ("York", "LOC"), ("Rose", "PER")];
    let mut text = String::new();
    for i in 0..400_usize {
        for j in 0..3 + i % 5 {
            let k = i * 31 + j * 17 + i / 7;
            let (word, truth) = words[k % 6];
            let other = ["PER", "LOC", "O"][k / 6 % 3];
            let label = match k % 11 {
                0..4 => truth.to_owned(),
                4 => "_".to_owned(),
                _ => format!("{other}|{truth}"),
            };
            writeln!(text, "{word}{} {label}", k % 40).expect("text");
        }
        text.push('\n');
    }
    text
}

/// A run with a checkpoint that is killed, or interrupted, in any turn goes on to the same bytes.
#[test]
fn turns_go_on_after_a_kill() {
    let folder = Folder::new();
    folder.write("many.txt", many());
    let train =
        "train chain --train many.txt --format conll --candidates --lambda 0.003 --gap 1e-4 --seed 3 --quiet";
    folder.run(&format!("{train} --model whole.model")).success();
    let whole = std::fs::read(folder.path("whole.model")).unwrap();
    for signal in ["KILL", "INT"] {
        let arguments =
            format!("{train} --model broken.model --checkpoint {signal}.state --checkpoint-every 0 --resume");
        for broken in 0..6_u64 {
            let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("maxmargin"))
                .current_dir(folder.path("."))
                .args(arguments.split_whitespace())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(20 + broken * 7919 % 90));
            let name = format!("-{signal}");
            _ = std::process::Command::new("kill").args([name, child.id().to_string()]).status();
            child.wait().unwrap();
        }
        folder.run(&arguments).success();
        assert!(std::fs::read(folder.path("broken.model")).unwrap() == whole, "{signal}: another model");
    }
    folder.refusal(
        &format!("{train} --model m.model --checkpoint KILL.state --resume --candidate-start first"),
        &["start of candidates is majority", "start of candidates is first"],
    );
}

/// λ is chosen where nobody names it, and the table is shown.
#[test]
fn lambda_is_chosen() {
    let folder = Folder::new();
    folder.write("many.txt", many());
    let shown = folder
        .run("train chain --train many.txt --format conll --candidates --model m.model --max-passes 30")
        .success();
    let shown = String::from_utf8_lossy(&shown.get_output().stderr).into_owned();
    assert!(shown.contains("choosing λ: ") && shown.contains("chosen"), "{shown}");
}

/// Sets with labels that are open, from tables and lists.
#[test]
fn labels_of_sets_may_be_open() {
    let folder = Folder::new();
    folder.write("sets.svm", "a,b? 1:1\n? 3:1\na,c 1:1 3:1\nc? 3:1\nc 3:1\na 1:1\nb,? 2:1\nb 2:1\n");
    folder.write(
        "sets.csv",
        "x1,x2,x3,a,b,c\n1,0,0,1,?,0\n0,0,1,?,?,?\n1,0,1,1,0,1\n0,1,0,0,1,0\n0,0,1,0,0,1\n",
    );
    folder.write("test.svm", "a,c 1:1 3:1\nb 2:1\n");
    let text = folder.output(
        "train multilabel --train sets.svm --candidates --lambda 0.02 --model s.model --test test.svm",
    );
    assert!(text.contains("candidates   cllp, ") && text.contains("completions rest"), "{text}");
    folder.run("train multilabel --train sets.csv --label-columns a,b,c --candidates --lambda 0.02 --model c.model").success();
    folder.refusal(
        "train multilabel --train sets.csv --label-columns a,b,c --lambda 0.02 --model c.model",
        &["sets.csv:2:9", "the label `b` is missing"],
    );
    folder.refusal("eval --model s.model --data sets.svm", &["sets.svm", "needs the true labels"]);
}
