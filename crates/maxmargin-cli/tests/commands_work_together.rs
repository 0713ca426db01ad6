//! Train, evaluate, predict, inspect: what one command writes, the next one reads.

use crate::common;

use crate::common::Folder;
use serde_json::Value;

fn object(text: &str) -> Value {
    assert_eq!(text.lines().count(), 1, "{text}");
    serde_json::from_str(text).unwrap()
}

#[test]
fn multiclass_from_file_to_prediction() {
    let folder = Folder::new();
    let train = "train multiclass --train rows.svm --test rows.svm --model m --c-sum 1 --gap 1e-4 --json --log log --quiet";
    let trained = object(&folder.output(train));
    for key in [
        "task",
        "solver",
        "search",
        "surrogate",
        "lambda",
        "n",
        "dim",
        "primal",
        "lower_bound",
        "gap",
        "oracle_gap",
        "passes",
        "oracle_calls",
        "seconds",
        "model",
        "stop",
        "threads",
        "seed",
        "master_seconds",
    ] {
        assert!(!trained[key].is_null(), "{key} is missing in {trained}");
    }
    assert_eq!((&trained["n"], &trained["dim"]), (&60.into(), &18.into()));
    assert!(trained["gap"].as_f64().unwrap() <= 1e-4);
    assert!((trained["lambda"].as_f64().unwrap() - 1.0 / 60.0).abs() < 1e-15);

    let log = std::fs::read_to_string(folder.path("log")).unwrap();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), trained["passes"].as_u64().unwrap() as usize);
    assert_eq!(lines[lines.len() - 1]["primal"], trained["primal"]);
    // A pass that did not measure its primal value says null: the first and the last one do.
    let measured = |line: &Value| line["primal_now"].is_number();
    assert!(
        lines
            .iter()
            .all(|line| line["seconds"].is_number() && (measured(line) || line["primal_now"].is_null()))
    );
    assert!(measured(&lines[0]) && measured(&lines[lines.len() - 1]));

    let measured = object(&folder.output("eval --model m --data rows.svm --json --per-label"));
    assert_eq!(measured["error"], trained["test"]["error"]);
    assert!(measured["error"].as_f64().unwrap() < 0.1);
    assert_eq!(measured["per_label"].as_array().unwrap().len(), 3);

    let predicted = folder.output("predict --model m --input rows.svm");
    assert_eq!(predicted.lines().count(), 60);
    assert_eq!(predicted.lines().nth(1), Some("green"));
    folder.run("predict --model m --input rows.svm --output out").success().stdout("");
    assert_eq!(std::fs::read_to_string(folder.path("out")).unwrap(), predicted);
    let best = folder.output("predict --model m --input rows.svm --k-best 2");
    let lines: Vec<&str> = best.lines().take(6).collect();
    assert!(lines[0].starts_with("# 1 ") && lines[3].starts_with("# 2 ") && lines[5].is_empty(), "{lines:?}");

    let seen = object(&folder.output("inspect m --json"));
    assert_eq!(seen["primal"], trained["primal"]);
    assert_eq!(seen["labels"], serde_json::json!(["blue", "green", "red"]));
}

#[test]
fn chains_from_file_to_prediction() {
    let folder = Folder::new();
    let summary =
        folder.output("train chain --train tags.crf --model m --c-mean 10 --loss hamming-mean --seed 3");
    for part in ["data  ", "λ            0.1 (C-mean 10", "auto: ", "≤ F* ≤", "gap reached", "hamming-mean"]
    {
        assert!(summary.contains(part), "expected {part:?} in\n{summary}");
    }
    folder.write("new.crf", "I-LST\tw=the\tw=new\nI-LST\tw=dog\n\nO\tw=sleep\n");
    let table = folder.output("eval --model m --data new.crf");
    insta::assert_snapshot!(table, @r"
    | metric          |   value |
    | --------------- | ------: |
    | examples        |       2 |
    | rows            |       3 |
    | background      |       O |
    | token_error     | 66.67 % |
    | token_accuracy  | 33.33 % |
    | sequence_error  | 50.00 % |
    | mean_loss       |     0.5 |
    | micro_precision |  0.00 % |
    | micro_recall    |  0.00 % |
    | micro_f1        |  0.00 % |
    | macro_f1        |  0.00 % |
    | chunk_precision |  0.00 % |
    | chunk_recall    |  0.00 % |
    | chunk_f1        |  0.00 % |

    | chunk | true | predicted | right | precision | recall |     F1 |
    | ----- | ---: | --------: | ----: | --------: | -----: | -----: |
    | LST   |    1 |         0 |     0 |    0.00 % | 0.00 % | 0.00 % |
    | NP    |    0 |         1 |     0 |    0.00 % | 0.00 % | 0.00 % |
    | all   |    1 |         1 |     0 |    0.00 % | 0.00 % | 0.00 % |

    note: counted as mistakes: 2 labels that the model does not know; left out: 1 value of attributes that the model does not know
    ");
    let predicted = folder.output("predict --model m --input new.crf");
    assert_eq!(predicted, "B-NP\nI-NP\n\nO\n\n");
    let inspected = folder.output("inspect m --top 1");
    for part in ["chain, 3 labels", "named attributes", "transition: 3 × 3", "first: 3", "w=dog +"] {
        assert!(inspected.contains(part), "expected {part:?} in\n{inspected}");
    }
}

#[test]
fn a_background_is_found_or_named() {
    let folder = Folder::new();
    let train =
        "train chain --train tags.crf --test tags.crf --model m --c-mean 1 --max-passes 1 --json --quiet";
    let trained = object(&folder.output(train));
    let eval = |more: &str| object(&folder.output(&format!("eval --model m --data tags.crf --json {more}")));
    let found = eval("--per-label");
    assert_eq!(found["background"], "O");
    for key in [
        "token_error",
        "token_accuracy",
        "sequence_error",
        "mean_loss",
        "micro_precision",
        "micro_recall",
        "micro_f1",
        "macro_f1",
        "chunk_precision",
        "chunk_recall",
        "chunk_f1",
    ] {
        assert!(found[key].is_number(), "{key} is missing in {found}");
        assert_eq!(found[key], trained["test"][key], "{key}");
    }
    let sum = |key: &str| -> f64 {
        let labels = found["per_label"].as_array().unwrap().iter();
        labels.filter(|label| label["label"] != "O").map(|label| label[key].as_f64().unwrap()).sum()
    };
    assert_eq!(found["micro_f1"], 2.0 * sum("right") / (sum("truth") + sum("predicted")));

    assert_eq!(eval("--background O")["micro_f1"], found["micro_f1"]);
    assert_eq!(eval("--background B-NP")["background"], "B-NP");
    let none = eval("--background none");
    assert!(none["background"].is_null() && none["micro_f1"].is_null() && none["macro_f1"].is_number());

    folder.refusal("eval --model m --data tags.crf --background X", &["called X", "B-NP, I-NP, O", "none"]);
    let path = "path chain --train tags.crf --validate tags.crf --lambdas 1 --model n --max-passes 1";
    assert!(folder.output(path).contains("| micro_f1 | macro_f1 | chunk_f1 |"));
    assert!(!folder.output(&format!("{path} --background none")).contains("micro_f1"));
    folder.refusal(&format!("{path} --background X"), &["called X"]);
    folder.refusal("train chain --train tags.crf --model n --background O", &["--test"]);
}

#[test]
fn threads_do_not_change_the_model() {
    let folder = Folder::new();
    for task in ["chain --train tags.crf", "multiclass --train rows.svm"] {
        for threads in [1, 2] {
            folder.output(&format!("train {task} --model m{threads} --threads {threads} --seed 5 --quiet"));
        }
        let read = |name| std::fs::read(folder.path(name)).unwrap();
        assert!(read("m1") == read("m2"), "{task}: the models differ");
    }
}

#[test]
fn a_warm_start_begins_where_the_model_is_and_needs_the_same_problem() {
    let folder = Folder::new();
    let primal = |arguments: &str| object(&folder.output(arguments))["primal"].as_f64().unwrap();
    let train = "train multiclass --train rows.svm --lambda 0.01 --json --quiet";
    let optimal = primal(&format!("{train} --model a"));
    for solver in ["bmrm", "prox-bmrm", "p-bmrm", "prox-p-bmrm", "n-slack", "bcfw", "sdca", "auto"] {
        let warm = primal(&format!("{train} --solver {solver} --model b --warm-start a --max-passes 1"));
        assert!(warm <= optimal * (1.0 + 1e-12), "{solver}: {warm} from a model with {optimal}");
    }
    folder.refusal(
        "train chain --train tags.crf --model c --warm-start a",
        &["--warm-start", "for the task multiclass"],
    );
    let other = "train multiclass --train rows.svm --no-bias --model c --warm-start a";
    folder.refusal(other, &["--warm-start: cannot start from this model", "the same options as then"]);
    let none = "train multiclass --train rows.svm --solver small-qp --lambda 1 --model c --warm-start a";
    folder.refusal(none, &["small-qp always starts at 0"]);
}

#[test]
fn a_path_keeps_the_best_model() {
    let folder = Folder::new();
    let path = "path multiclass --train rows.svm --validate rows.svm --lambdas 0.01,10,0.1 --model m";
    let found = object(&folder.output(&format!("{path} --json --quiet")));
    let runs = found["runs"].as_array().unwrap();
    let lambdas: Vec<f64> = runs.iter().map(|run| run["lambda"].as_f64().unwrap()).collect();
    assert_eq!(lambdas, [10.0, 0.1, 0.01]);
    let loss = |run: &Value| run["validation"]["mean_loss"].as_f64().unwrap();
    assert!(runs.iter().all(|run| loss(run) >= loss(&found["best"])));
    let model = object(&folder.output("inspect m --json"));
    assert_eq!(model["lambda"], found["best_lambda"]);
    assert_eq!(model["primal"], found["best"]["primal"]);
    assert!(folder.output(path).contains("best λ "));
}

#[test]
fn a_path_holds_out_selects_and_trains_once_more() {
    let folder = Folder::new();
    let path = "path multiclass --train rows.svm --hold-out 0.25 --lambdas 10,0.1,0.01 --model m --seed 1";
    let output = folder.run(&format!("{path} --select accuracy")).success().get_output().clone();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(err.contains("held out for validation: 15 of 60 examples"), "{err}");
    assert!(out.contains("| accuracy |") && out.contains(", by the accuracy; its model is in m"), "{out}");

    let found = object(&folder.output(&format!("{path} --select macro_f1 --json --quiet")));
    assert_eq!((&found["n"], &found["validated_on"]), (&45.into(), &15.into()));
    let f1 = |run: &Value| run["validation"]["macro_f1"].as_f64().unwrap();
    let runs = found["runs"].as_array().unwrap();
    assert!(runs.iter().all(|run| f1(run) <= f1(&found["best"])), "{found}");
    assert_eq!(object(&folder.output("inspect m --json"))["n"], 45);
    let again = object(&folder.output(&format!("{path} --select macro_f1 --json --quiet")));
    assert_eq!(again["best"]["primal"], found["best"]["primal"]);

    let refit = object(&folder.output(&format!("{path} --select macro_f1 --refit --json --quiet")));
    assert_eq!((&refit["refit"]["n"], &refit["refit"]["lambda"]), (&60.into(), &found["best_lambda"]));
    let model = object(&folder.output("inspect m --json"));
    assert_eq!((&model["n"], &model["primal"]), (&60.into(), &refit["refit"]["primal"]));
    let lambda = found["best_lambda"].as_f64().unwrap();
    let train = format!("train multiclass --train rows.svm --model n --lambda {lambda} --seed 1 --quiet");
    folder.output(&train);
    let read = |name| std::fs::read(folder.path(name)).unwrap();
    assert!(read("m") == read("n"), "training once more is training");
}

#[test]
fn solvers_are_compared() {
    let folder = Folder::new();
    let compare = "compare solvers multiclass --train rows.svm --lambdas 0.1,0.01 --gap 1e-3 --solvers bmrm,prox-p-bmrm";
    for reuse in ["", "--reuse"] {
        let found = object(&folder.output(&format!("{compare} {reuse} --json --quiet")));
        let runs = found["runs"].as_array().unwrap();
        assert_eq!(runs.len(), 4);
        for run in runs {
            assert!(run["gap"].as_f64().unwrap() <= 1e-3, "{run}");
            assert_eq!(run["stop"], "gap reached");
        }
        assert_eq!(runs[0]["speed_up"], 1.0);
        let close = |a: &Value, b: &Value| (a.as_f64().unwrap() / b.as_f64().unwrap() - 1.0).abs() < 2e-3;
        assert!(close(&runs[1]["primal"], &runs[3]["primal"]));
    }
    let tables = folder.output(compare);
    assert!(tables.contains("| prox-p-bmrm |") && tables.contains("λ 0.01: iter"), "{tables}");
}

#[test]
fn a_budget_ends_runs_that_do_not_reach_the_gap() {
    let folder = Folder::new();
    folder.write("many.svm", common::rows(5000));
    let compare = "compare solvers multiclass --train many.svm --lambdas 0.01 --gap 1e-300 --budget 0.05";
    let found = object(&folder.output(&format!("{compare} --solvers sgd --json --quiet")));
    let run = &found["runs"][0];
    assert_eq!((&found["budget"], &run["stop"]), (&0.05.into(), &"time limit".into()), "{found}");
    assert!(run["seconds"].as_f64().unwrap() >= 0.05, "{found}");
    let tables = folder.output(&format!("{compare} --solvers sgd,bmrm --max-passes 1"));
    assert!(tables.contains("or for 0.05 s") && tables.contains("|     gap |"), "{tables}");
}

#[test]
fn all_solvers_are_compared_when_none_is_named() {
    let folder = Folder::new();
    let compare = "compare solvers multiclass --train rows.svm --lambdas 0.1 --max-passes 1 --json --quiet";
    let found = object(&folder.output(compare));
    let names: Vec<&str> =
        found["runs"].as_array().unwrap().iter().map(|run| run["solver"].as_str().unwrap()).collect();
    let all = maxmargin::solver::SolverKind::ALL.map(|solver| solver.name());
    assert_eq!(names, all[1..], "all but {}", all[0]);
}

#[test]
fn costs_count() {
    let folder = Folder::new();
    folder.write("costs", "red green 5\n# the rest costs 1\n");
    folder.output("train multiclass --train rows.svm --loss cost=costs --model m --quiet");
    assert_eq!(object(&folder.output("inspect m --json"))["loss"], "cost");
    let measured = object(&folder.output("eval --model m --data rows.svm --json"));
    assert!(measured["mean_loss"].as_f64() >= measured["error"].as_f64());
}

#[test]
fn the_demo_says_what_it_shows() {
    let folder = Folder::new();
    let text = folder.output("demo multiclass");
    for part in ["wrong letters", "proven", "in all"] {
        assert!(text.contains(part), "{text}");
    }
    let text = folder.output("demo multilabel");
    for part in
        ["wrong labels", "proven that no weights whatever", "football  sport", "single labels:", "in all"]
    {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(folder.files(), ["rows.svm", "tags.crf"]);
}

#[test]
fn every_command_explains_itself() {
    let folder = Folder::new();
    for command in [
        "",
        "train",
        "predict",
        "eval",
        "path",
        "compare",
        "compare solvers",
        "compare searches",
        "inspect",
        "demo",
    ] {
        let help = folder.output(&format!("{command} --help"));
        assert!(help.contains("Usage: maxmargin"), "{help}");
        if !["", "compare"].contains(&command) {
            assert!(help.contains("Example"), "{command} has no examples:\n{help}");
        }
        let bare: Vec<&str> = help.lines().filter(|line| line.trim_start().starts_with("--")).collect();
        let has_tasks = ["", "train", "path", "compare", "compare solvers", "compare searches", "demo"];
        assert!(!bare.is_empty() || has_tasks.contains(&command), "{help}");
    }
    for task in ["multiclass", "chain", "multilabel", "matching", "alignment"] {
        for command in ["train", "path", "compare solvers", "compare searches"] {
            let help = folder.output(&format!("{command} {task} --help"));
            assert!(help.contains("--train <FILE>") && help.contains("--loss <LOSS>"), "{help}");
            assert_eq!(help.contains("--pairs"), task == "multilabel", "{help}");
            assert_eq!(help.contains("--links"), task == "alignment", "{help}");
        }
    }
    insta::assert_snapshot!(folder.output("compare --help"), @r"
    Compare methods on your data, as the papers do on theirs

    Usage: maxmargin compare <COMMAND>

    Commands:
      solvers   Passes, time and speed-up of solvers for several λ
      searches  What the searches for the most violated label find, and what they cost
      models    Compare two models on the same labelled data

    Options:
      -h, --help  Print help
    ");
}
