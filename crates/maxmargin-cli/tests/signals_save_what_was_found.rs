//! Promise: SIGINT and SIGTERM break a run off, what it found is saved and printed, and the exit code is 130 or 143. Outside of
//! training they end the program at once.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use crate::common::{Folder, rows};
use serde_json::Value;

/// Never ends by itself.
const ENDLESS: &str = "--gap 1e-300";

fn start(folder: &Folder, arguments: &str) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin("maxmargin"))
        .current_dir(folder.path(""))
        .args(arguments.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn send(signal: &str, child: &Child) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success());
}

/// Sends a signal once training has begun; returns the exit code, the JSON object and what was said after the signal.
fn interrupted(folder: &Folder, signal: &str, arguments: &str) -> (Option<i32>, Value, String) {
    let mut child = start(folder, arguments);
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("pass 1:") {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "`{arguments}` ended before it began");
    }
    send(signal, &child);
    let mut said = String::new();
    lines.read_to_string(&mut said).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap(), said)
}

/// Whether whoever started this wants hang-ups to be ignored, also by what is started here.
fn hang_ups_are_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("many.svm", rows(20_000));
    folder
}

#[test]
fn of_training() {
    let folder = folder();
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        if signal == "HUP" && hang_ups_are_ignored() {
            eprintln!("skipped: SIGHUP is ignored here, as under nohup");
            continue;
        }
        let checkpoint = format!("{signal}.state");
        let train = format!("train multiclass --train many.svm --model m --json --checkpoint {checkpoint}");
        let (found, object, said) = interrupted(&folder, signal, &format!("{train} {ENDLESS}"));
        assert_eq!(found, Some(code), "{said}");
        assert_eq!(object["stop"], "interrupted", "{object}");
        assert_eq!(object["signal"], format!("SIG{signal}"), "{object}");
        assert!(said.contains("interrupted; the model so far is in m; go on with --resume"), "{said}");
        folder.output("eval --model m --data rows.svm");
        fs::remove_file(folder.path("m")).unwrap();

        let passes = object["passes"].as_u64().unwrap();
        let resumed = folder.output(&format!("{train} --resume --quiet --max-passes {}", passes + 1));
        let resumed: Value = serde_json::from_str(&resumed).unwrap();
        assert!(resumed["passes"].as_u64().unwrap() >= passes, "{resumed}");
        assert_eq!(resumed["signal"], Value::Null);
    }
}

#[test]
fn of_paths_and_comparisons() {
    let folder = folder();
    let data = "multiclass --train many.svm --json";
    for (signal, code, arguments) in [
        ("TERM", 143, format!("path {data} --hold-out 0.2 --lambdas 1,0.1,0.01 --model m {ENDLESS}")),
        ("INT", 130, format!("compare solvers {data} --lambdas 1,0.1 --solvers bcfw,sgd {ENDLESS}")),
        ("INT", 130, format!("compare searches {data} --lambda 0.1 {ENDLESS}")),
    ] {
        let (found, object, said) = interrupted(&folder, signal, &arguments);
        assert_eq!(found, Some(code), "`{arguments}` said {said}");
        assert_eq!(object["signal"], format!("SIG{signal}"), "{object}");
        assert!(said.contains("interrupted; "), "{said}");
    }
    folder.output("eval --model m --data rows.svm");
}

#[test]
fn or_ends_the_program_where_nothing_could_be_saved() {
    let folder = Folder::new();
    assert!(Command::new("mkfifo").arg(folder.path("fifo")).status().unwrap().success());
    for arguments in ["inspect fifo", "train multiclass --train fifo --model m"] {
        let mut child = start(&folder, arguments);
        std::thread::sleep(std::time::Duration::from_millis(200));
        send("TERM", &child);
        let status = child.wait().unwrap();
        // A signal that comes before the program has taken charge of signals ends it in the system's way.
        let by_system = std::os::unix::process::ExitStatusExt::signal(&status);
        assert!(status.code() == Some(143) || by_system == Some(15), "{arguments}: {status}");
    }
}

#[test]
fn after_a_second_one_nothing_is_saved() {
    let folder = folder();
    let mut child = start(&folder, &format!("train multiclass --train many.svm --model m {ENDLESS}"));
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    lines.find(|line| line.as_ref().unwrap().contains("pass 1:")).unwrap().unwrap();
    send("INT", &child);
    send("TERM", &child);
    let code = child.wait().unwrap().code();
    // The run may be over before the second one comes.
    assert!([Some(143), Some(130)].contains(&code), "{code:?}");
}

#[test]
fn two_at_once_are_one() {
    // As of `timeout`, which signals a process and then its group.
    let folder = folder();
    let mut child = start(&folder, &format!("train multiclass --train many.svm --model m {ENDLESS}"));
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    lines.find(|line| line.as_ref().unwrap().contains("pass 1:")).unwrap().unwrap();
    send("INT", &child);
    send("INT", &child);
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest:?}");
    assert!(folder.path("m").exists(), "{rest:?}");
}
