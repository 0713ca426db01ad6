//! Promise: a training run with a checkpoint that is killed at any moment, without warning, goes on with --resume and ends
//! with the byte-identical model.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use crate::common::{Folder, tags};

/// Trains slowly enough that a kill hits it: to a gap that is never reached, for a fixed number of passes.
const TRAIN: &str = "train chain --train many.crf --lambda 0.001 --gap 1e-15 --max-passes 60 --quiet";

#[test]
fn to_the_same_model() {
    let folder = Folder::new();
    folder.write("many.crf", tags(300));
    for solver in ["bcfw", "prox-bmrm", "sgd"] {
        folder.run(&format!("{TRAIN} --solver {solver} --model whole.model")).success();
        let whole = fs::read(folder.path("whole.model")).unwrap();

        let checkpoint = format!("--checkpoint {solver}.state --checkpoint-every 0");
        let arguments = format!("{TRAIN} --solver {solver} --model killed.model {checkpoint} --resume");
        for kill in 0..10u64 {
            let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("maxmargin"))
                .current_dir(folder.path("."))
                .args(arguments.split_whitespace())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            // Moments all over the run, without a pattern.
            std::thread::sleep(Duration::from_millis(3 + kill * 7919 % 40));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        folder.run(&arguments).success();
        assert!(fs::read(folder.path("killed.model")).unwrap() == whole, "{solver}: another model");

        let left: Vec<_> = fs::read_dir(folder.path(&format!("{solver}.state"))).unwrap().collect();
        assert_eq!(left.len(), 1, "{solver}: {left:?}");
    }
}

#[test]
fn a_checkpoint_is_neither_lost_nor_taken_for_another() {
    let folder = Folder::new();
    let train = "train chain --train tags.crf --model m --solver bcfw --max-passes 3 --gap 1e-15 --quiet";
    folder.run(&format!("{train} --lambda 0.1 --checkpoint c")).success();
    folder.refusal(&format!("{train} --lambda 0.1 --checkpoint c"), &["--resume: ", "c/state.checkpoint"]);
    folder.refusal(&format!("{train} --lambda 0.2 --checkpoint c --resume"), &["λ is 0.1", "λ is 0.2"]);
    folder.refusal(&format!("{train} --lambda 0.1 --seed 1 --checkpoint c --resume"), &["seed is 0"]);
    folder.write("tags.crf", tags(13));
    folder.refusal(&format!("{train} --lambda 0.1 --checkpoint c --resume"), &["number of examples is 12"]);
    folder.refusal(&format!("{train} --lambda 0.1 --resume"), &["--checkpoint"]);
}

#[test]
fn a_log_goes_on_too() {
    let folder = Folder::new();
    let train = "train chain --train tags.crf --model m --solver bcfw --gap 1e-15 --quiet --lambda 0.1 --checkpoint c --log l";
    folder.run(&format!("{train} --max-passes 3")).success();
    folder.run(&format!("{train} --max-passes 5 --resume")).success();
    let log = fs::read_to_string(folder.path("l")).unwrap();
    let passes: Vec<u64> = log
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["passes"].as_u64().unwrap())
        .collect();
    assert_eq!(passes, [1, 2, 3, 4, 5]);
}
