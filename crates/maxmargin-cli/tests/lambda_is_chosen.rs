//! Promise: `train` without λ chooses one, shows how, and makes the model that it would make with that λ; `path` goes on beyond the
//! ends of its list.

use serde_json::Value;

mod common;

use common::Folder;

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
    assert!(out.contains(": least error of ") && out.contains(" in 10 folds"), "{out}");

    let found = object(&folder.output(&format!("{train} j --json --quiet")));
    let choice = &found["lambda_choice"];
    assert_eq!(
        (&choice["figure"], &choice["folds"], &choice["validated_on"]),
        (&"error".into(), &10.into(), &60.into())
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
    let said = folder.run(&format!("{path} --lambdas 100,10")).success().get_output().stderr.clone();
    let said = String::from_utf8(said).unwrap();
    assert!(said.contains("the best λ is the smallest so far; going on beyond it with 1"), "{said}");
    let found = object(&folder.output(&format!("{path} --lambdas 100,10 --json --quiet")));
    let runs = found["runs"].as_array().unwrap();
    let lambda = |run: &Value| run["lambda"].as_f64().unwrap();
    assert!(runs.len() > 3 && lambda(&found["best"]) < 10.0);
    assert!(lambda(&runs[runs.len() - 1]) < lambda(&found["best"]), "{found}");
    assert_eq!(found["select"], "chunk_f1");
    let alone = object(&folder.output(&format!("{path} --json --quiet")));
    assert!(alone["runs"].as_array().unwrap().len() >= 5);
}
