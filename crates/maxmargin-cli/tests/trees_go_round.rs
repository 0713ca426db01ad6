//! Dependency trees from CoNLL-U: train, evaluate, predict, inspect, compare, and what is refused on the way.

use crate::common::Folder;
use maxmargin::tasks::parsing::grammar;
use serde_json::Value;

const TRAIN: &str = "train parsing --train train.conllu --hash-bits 12 --lambda 0.01 --quiet";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("train.conllu", grammar::text(60, 1));
    folder.write("test.conllu", grammar::text(30, 2));
    folder
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn from_trees_to_trees_and_figures() {
    let folder = folder();
    let summary = folder.output(
        "train parsing --train train.conllu --test test.conllu --hash-bits 14 --lambda 0.01 --model m",
    );
    assert!(
        summary.contains("projective trees with one word below the root") && summary.contains("las"),
        "{summary}"
    );
    let figures = json(&folder.output("eval --model m --data test.conllu --json"));
    for (name, least) in [("uas", 0.95), ("las", 0.95), ("uas_no_punct", 0.9), ("root_accuracy", 0.95)] {
        let value = figures[name].as_f64().unwrap();
        assert!((least..=1.0).contains(&value), "{name} is {value}");
    }
    let table = folder.output("eval --model m --data test.conllu --per-label");
    assert!(table.contains("nsubj") && table.contains("root_accuracy"), "{table}");
    let inspected = folder.output("inspect m");
    assert!(inspected.contains("hashed: ") && inspected.contains("10 relations"), "{inspected}");
}

#[test]
fn predictions_keep_all_but_heads_and_relations() {
    let folder = folder();
    folder.output(&format!("{TRAIN} --model m"));
    let input = "# sent_id = 7\n# text = …\n1-2\tthe woman\t_\t_\t_\t_\t_\t_\t_\t_\n1\tthe\tthe\tDET\t_\tDefinite=Def\t_\t_\t_\tX=1\n2\twoman\twoman\tNOUN\t_\t_\t_\t_\t_\t_\n3\tsees\tsee\tVERB\t_\t_\t_\t_\t_\t_\n3.1\tseen\t_\t_\t_\t_\t_\t_\t3:conj\t_\n4\t.\t.\tPUNCT\t_\t_\t_\t_\t_\tSpaceAfter=No\n\n";
    folder.write("new.conllu", input);
    let expected = input
        .replace("Definite=Def\t_\t_", "Definite=Def\t2\tdet")
        .replace("NOUN\t_\t_\t_\t_", "NOUN\t_\t_\t3\tnsubj")
        .replace("VERB\t_\t_\t_\t_", "VERB\t_\t_\t0\troot")
        .replace("PUNCT\t_\t_\t_\t_", "PUNCT\t_\t_\t3\tpunct");
    assert_eq!(folder.output("predict --model m --input new.conllu"), expected);
    // Predictions are data again, all of it as good as the model.
    folder.output("predict --model m --input test.conllu --output again.conllu");
    let figures = json(&folder.output("eval --model m --data again.conllu --json"));
    assert_eq!((figures["las"].as_f64(), figures["exact"].as_f64()), (Some(1.0), Some(1.0)));
    let best = folder.output("predict --model m --input new.conllu --k-best 3");
    assert_eq!(best.lines().filter(|line| line.starts_with("# ")).count(), 3, "{best}");
    assert!(best.contains("\n2\tdet\n3\tnsubj\n0\troot\n3\tpunct\n"), "{best}");
    let object = json(&folder.output("predict --model m --input new.conllu --json"));
    assert_eq!(object["labels"][1], serde_json::json!([3, "nsubj"]));
    assert_eq!(object["confidences"].as_array().unwrap().len(), 4);
    let sure = folder.output("predict --model m --input new.conllu --confidence");
    assert!(sure.lines().next().unwrap().starts_with("2\tdet\t"), "{sure}");
}

#[test]
fn models_of_the_second_order_predict_again() {
    let folder = folder();
    folder.output(&format!("{TRAIN} --siblings --model m"));
    let inspected = folder.output("inspect m");
    assert!(inspected.contains("features of siblings"), "{inspected}");
    folder.output("predict --model m --input test.conllu --output again.conllu");
    let figures = json(&folder.output("eval --model m --data again.conllu --json"));
    assert_eq!((figures["las"].as_f64(), figures["exact"].as_f64()), (Some(1.0), Some(1.0)));
    let sure = folder.output("predict --model m --input test.conllu --confidence");
    let best = folder.output("predict --model m --input test.conllu --k-best 2");
    assert!(sure.contains("\tnsubj\t") && best.contains("nsubj"), "{sure}");
}

#[test]
fn crossing_arcs_are_learnt_lifted_or_said() {
    let folder = folder();
    let notes = |flags: &str| {
        let output = folder.run(&format!(
            "train parsing --train train.conllu --hash-bits 12 --lambda 0.1 --model m {flags}"
        ));
        String::from_utf8(output.success().get_output().stderr.clone()).unwrap()
    };
    assert!(notes("").contains("of 60 sentences have crossing arcs"));
    assert!(notes("--projectivize").contains("had crossing arcs, which were lifted"));
    assert!(!notes("--tree non-projective").contains("crossing"));
    folder.output(&format!("{TRAIN} --tree non-projective --model any"));
    folder.output(&format!("{TRAIN} --model none"));
    let uas = |model: &str| {
        json(&folder.output(&format!("eval --model {model} --data train.conllu --json")))["uas"]
            .as_f64()
            .unwrap()
    };
    assert!(uas("any") > uas("none"), "{} {}", uas("any"), uas("none"));
}

#[test]
fn every_loss_and_surrogate_is_learnt() {
    let folder = folder();
    folder.write("few.conllu", grammar::text(12, 5));
    for flags in [
        "--loss heads",
        "--loss head=2,relation=0.5",
        "--roots any",
        "--surrogate slack",
        "--surrogate slack --search stratified",
        "--surrogate beta=0.5",
        "--surrogate log --tree non-projective",
        "--surrogate prob --max-passes 3",
        "--siblings",
        // Lifted: of arcs that cross, which these trees do not have, hull searches cannot prove how much they hurt.
        "--siblings --roots any --projectivize --surrogate slack",
    ] {
        let text = folder.output(&format!(
            "train parsing --train few.conllu --hash-bits 10 --lambda 0.1 --model m --json --quiet {flags}"
        ));
        let report = json(&text);
        let (primal, lower) = (report["primal"].as_f64().unwrap(), report["lower_bound"].as_f64().unwrap());
        assert!(lower <= primal, "{flags}: {text}");
        if !flags.contains("prob") {
            assert!(report["gap"].as_f64().unwrap() <= 0.011, "{flags}: {text}");
        }
    }
}

#[test]
fn faults_are_named() {
    let folder = folder();
    let good = grammar::text(3, 9);
    let lines: Vec<&str> = good.lines().collect();
    let with = |line: usize, column: usize, value: &str| {
        let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        let mut columns: Vec<&str> = lines[line].split('\t').collect();
        columns[column] = value;
        lines[line] = columns.join("\t");
        lines.join("\n") + "\n"
    };
    let train = "train parsing --train bad.conllu --lambda 1 --model m";
    for (text, parts) in [
        (with(0, 6, "1"), &["bad.conllu:1", "above itself"][..]),
        (with(0, 6, "0"), &["has the root for a head", "--roots"]),
        (with(0, 6, "99"), &["bad.conllu:1", "the head 99 is no word"]),
        (with(1, 6, "x"), &["bad.conllu:2:", "`x` is no head"]),
        (good.replacen("\t_\t_\n", "\n", 1), &["bad.conllu:1:1", "8 columns"]),
        (with(1, 0, "7"), &["bad.conllu:2:1", "`7` where word 2"]),
        (String::new(), &["bad.conllu", "no sentences"]),
    ] {
        folder.write("bad.conllu", text);
        folder.refusal(train, parts);
    }
    let train = "train parsing --train train.conllu --lambda 1 --model m";
    folder.refusal(&format!("{train} --tree flat"), &["--tree", "projective and non-projective"]);
    folder.refusal(&format!("{train} --loss head=0,relation=1"), &["--loss", "above 0"]);
    folder.refusal(&format!("{train} --hash-bits 40"), &["--hash-bits", "8 to 30"]);
    folder.refusal(&format!("{train} --format csv"), &["--format is not a flag here"]);
    folder.refusal(&format!("{train} --surrogate micro-f1"), &["micro-f1"]);
    folder.refusal(
        &format!("{train} --tree non-projective --surrogate slack --search stratified"),
        &["projective trees"],
    );
    folder.refusal(&format!("{train} --tree non-projective --siblings"), &["--siblings", "NP-hard"]);
    folder.refusal(
        &format!("{train} --siblings --surrogate slack --search stratified"),
        &["projective trees without siblings"],
    );
    folder.output(&format!("{TRAIN} --max-passes 2 --model m"));
    let unlabelled = "1\ta\ta\tDET\t_\t_\t_\t_\t_\t_\n\n";
    folder.write("unlabelled.conllu", unlabelled);
    folder.refusal("eval --model m --data unlabelled.conllu", &["unlabelled.conllu", "HEAD"]);
    folder.refusal("train parsing --train unlabelled.conllu --lambda 1 --model n", &["has no tree"]);
}

#[test]
fn two_models_are_compared() {
    let folder = folder();
    folder.output(&format!("{TRAIN} --model good"));
    folder.output("train parsing --train train.conllu --hash-bits 14 --lambda 1000 --quiet --model bad");
    let object = json(&folder.output("compare models bad good --data test.conllu --rounds 200 --json"));
    let las = &object["figures"]["las"];
    assert!(las["difference"].as_f64().unwrap() > 0.03, "{las}");
    assert!(
        las["p_bootstrap"].as_f64().unwrap() <= 0.02 && las["p_wilcoxon"].as_f64().unwrap() < 0.01,
        "{las}"
    );
    let same = json(&folder.output("compare models good good --data test.conllu --rounds 200 --json"));
    assert_eq!(same["figures"]["las"]["p_wilcoxon"].as_f64(), Some(1.0));
    let table = folder.output("compare models bad good --data test.conllu --rounds 200");
    assert!(table.contains("95 % of resamples") && table.contains("| las "), "{table}");
    // Of other tasks too.
    for (task, data) in [("multiclass", "rows.svm"), ("chain", "tags.crf")] {
        folder.output(&format!("train {task} --train {data} --lambda 0.01 --quiet --model a"));
        folder.output(&format!("train {task} --train {data} --lambda 10 --quiet --model b"));
        let object = json(&folder.output(&format!("compare models a b --data {data} --rounds 100 --json")));
        assert!(object["figures"]["mean_loss"]["difference"].as_f64().unwrap() >= 0.0, "{object}");
    }
}

#[test]
fn the_demo_shows_both_kinds_of_trees() {
    let text = Folder::new().output("demo parsing");
    assert!(text.contains("non-projective") && text.contains("right heads"), "{text}");
}
