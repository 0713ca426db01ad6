//! Promise: `train` without λ chooses one, shows how, and makes the model that it would make with that λ; `path` goes on beyond the
//! ends of its list.

use serde_json::Value;

use crate::common;

use crate::common::Folder;

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn train_without_lambda_shows_a_table_and_makes_the_model_of_what_it_chose() {
    let folder = Folder::new();
    let train = "train multiclass --train rows.svm --model";
    let output = folder.run(&format!("{train} m")).success().get_output().clone();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(err.contains("error | mean loss | passes |") && err.matches("| chosen |").count() == 1, "{err}");
    assert!(out.contains(": least error of ") && out.contains(" in 5 folds"), "{out}");

    let found = object(&folder.output(&format!("{train} j --json --quiet")));
    let choice = &found["lambda_choice"];
    assert_eq!(
        (&choice["figure"], &choice["folds"], &choice["validated_on"]),
        (&"error".into(), &5.into(), &60.into())
    );
    let tried = choice["tried"].as_array().unwrap();
    assert!(tried.len() >= 5 && tried.iter().any(|tried| tried["lambda"] == found["lambda"]), "{choice}");
    let lambda = found["lambda"].as_f64().unwrap();
    let named = object(&folder.output(&format!("{train} n --lambda {lambda} --json --quiet")));
    assert!(named["lambda_choice"].is_null());
    let read = |name| std::fs::read(folder.path(name)).unwrap();
    assert!(read("m") == read("n") && read("m") == read("j"), "the models differ");

    let quiet = folder.run(&format!("{train} m --cv 3 --quiet")).success().get_output().clone();
    assert!(quiet.stdout.is_empty() && quiet.stderr.is_empty());
    folder.refusal(&format!("{train} q --cv 3 --lambda 1"), &["--cv", "cannot be used with"]);
    folder.refusal(&format!("{train} q --cv 1"), &["--cv"]);
    folder.refusal(&format!("{train} q --cv 61"), &["--cv", "60 examples"]);
    folder.refusal(&format!("{train} q --first 1"), &["--lambda", "name it"]);
}

#[test]
fn a_run_without_lambda_goes_on_from_its_checkpoint() {
    let folder = Folder::new();
    let train = "train multiclass --train rows.svm --gap 1e-6 --quiet";
    let part =
        object(&folder.output(&format!("{train} --model part --max-passes 2 --checkpoint state --json")));
    folder.output(&format!("{train} --model part --checkpoint state --resume"));
    folder.output(&format!("{train} --model whole --lambda {}", part["lambda"]));
    let read = |name| std::fs::read(folder.path(name)).unwrap();
    assert!(read("whole") == read("part"), "the models differ");
}

#[test]
fn a_path_goes_on_beyond_its_list_or_needs_none() {
    let folder = Folder::new();
    let path = "path chain --train tags.crf --validate tags.crf --model m";
    let list = format!("{path} --lambdas 1000,100 --select token_error");
    let said = String::from_utf8(folder.run(&list).success().get_output().stderr.clone()).unwrap();
    assert!(said.contains("the best λ is the smallest so far; going on beyond it with 10\n"), "{said}");
    let found = object(&folder.output(&format!("{list} --json --quiet")));
    let runs = found["runs"].as_array().unwrap();
    let lambda = |run: &Value| run["lambda"].as_f64().unwrap();
    assert!(runs.len() > 2 && lambda(&found["best"]) < 100.0, "{found}");
    assert_eq!(object(&folder.output("inspect m --json"))["lambda"], found["best_lambda"]);
    let alone = object(&folder.output(&format!("{path} --json --quiet")));
    assert!(alone["runs"].as_array().unwrap().len() >= 5 && alone["select"] == "chunk_f1", "{alone}");
}

#[test]
fn a_time_limit_bounds_the_choice_too() {
    let folder = Folder::new();
    folder.write("many.crf", common::tags(3000));
    // So short that not even the first λ is through in one fold: that one is taken, and it is said.
    let train = "train chain --train many.crf --model m --threads 1 --cv 5 --gap 1e-9";
    let output = folder.run(&format!("{train} --time-limit 0.01 --json")).success().get_output().clone();
    let (found, said) =
        (object(&String::from_utf8(output.stdout).unwrap()), String::from_utf8(output.stderr).unwrap());
    let choice = &found["lambda_choice"];
    assert_eq!(choice["tried"].as_array().unwrap().len(), 1, "{choice}");
    assert_eq!((&choice["cut_short"], &found["stop"]), (&true.into(), &"time limit".into()));
    let line = "the choice of λ was cut short after 1 value";
    assert!(said.contains(line) && said.contains("--time-limit 0.01"), "{said}");
    // With more time there is more to choose from, and nothing to say.
    let output =
        folder.run("train chain --train tags.crf --model m --time-limit 600").success().get_output().clone();
    assert!(!String::from_utf8(output.stderr).unwrap().contains("cut short"));
}

#[test]
fn a_tie_is_called_one() {
    let folder = Folder::new();
    // The large column hides the small one, which tells the labels.
    let rows: String = (0..40)
        .map(|i| {
            format!(
                "{} 1:{} 2:{}\n",
                ["a", "a", "b"][i % 3],
                1e9 * (1.0 + (i * 7 % 13) as f64),
                1e-3 * f64::from(i % 3 == 2)
            )
        })
        .collect();
    folder.write("raw.svm", rows);
    let run = |flags: &str| {
        let train = format!("train multiclass --train raw.svm --model m {flags}");
        String::from_utf8(folder.run(&train).success().get_output().stderr.clone()).unwrap()
    };
    let said = run("");
    assert!(
        said.contains("the table is a tie: all") && said.contains("--standardize is the remedy"),
        "{said}"
    );
    assert!(said.contains("numbers of very different sizes, such as 1 ("), "{said}");
    let said = run("--standardize");
    assert!(!said.contains("tie") && !said.contains("sizes"), "{said}");
}
