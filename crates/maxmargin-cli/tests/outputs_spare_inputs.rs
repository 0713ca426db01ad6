//! Promise: no output is ever one of the inputs or another output, by whatever name; outputs are files, stand where links
//! point, and nothing stays of those that were never finished.

use std::fs;
#[cfg(unix)]
use std::process::{Command, Stdio};

use crate::common::{Folder, rows};

#[test]
fn outputs_are_compared_with_all_inputs() {
    let folder = Folder::new();
    folder.write("c.txt", "red green 2\n");
    folder.write("p.txt", "red green\n");
    folder.write("w.txt", "red 2\n");
    folder.output("train multiclass --train rows.svm --model m --quiet");
    let train = "train multiclass --train rows.svm --quiet";
    let sets = "train multilabel --train rows.svm --quiet";
    for (arguments, parts) in [
        (format!("{train} --loss cost=c.txt --model c.txt"), &["c.txt", "read as data (--loss)"][..]),
        (format!("{train} --loss cost=c.txt --model m --log ./c.txt"), &["c.txt", "--loss", "--log"]),
        (format!("{sets} --pairs p.txt --model p.txt"), &["p.txt", "read as data (--pairs)"]),
        (format!("{sets} --loss weights=w.txt --model w.txt"), &["w.txt", "read as data (--loss)"]),
        (
            format!("{train} --warm-start m --log m --model n"),
            &["m: ", "read as data (--warm-start)", "--log"],
        ),
        (format!("{train} --test c.txt --model c.txt"), &["c.txt", "read as data (--test)"]),
        (format!("{train} --model n --log n"), &["--model and --log name the same file"]),
        (format!("{train} --model n --log ./n"), &["--model and --log name the same file"]),
        (format!("{train} --labels c.txt --model c.txt"), &["c.txt", "read as data (--labels)"]),
        (format!("{train} --model -"), &["--model: - is the standard output"]),
        (format!("{train} --model n --checkpoint ."), &["--checkpoint", "directory of its own"]),
        ("predict --model m --input rows.svm --output m".into(), &["m: ", "read as data (--model)"]),
        ("predict --model m --input rows.svm --output rows.svm".into(), &["read as data (--input)"]),
        (
            "associate --text c.txt p.txt --output p.txt".into(),
            &["p.txt", "read as data (--text)", "--output"],
        ),
    ] {
        folder.refusal(&arguments, parts);
    }
    assert_eq!(fs::read_to_string(folder.path("c.txt")).unwrap(), "red green 2\n");
    // What is found beside the data counts as well.
    folder.write(
        "songs.arff",
        "@relation x\n@attribute a numeric\n@attribute y {0,1}\n@attribute z {0,1}\n@data\n1,0,1\n",
    );
    folder.write("songs.xml", "<labels><label name=\"y\"/><label name=\"z\"/></labels>");
    folder.refusal("train multilabel --train songs.arff --model songs.xml", &["songs.xml", "read as data"]);
    // A model is read as a whole before it is replaced.
    folder.output("train multiclass --train rows.svm --warm-start m --solver bmrm --model m --quiet");
}

#[test]
fn pictures_of_lists_and_tables_are_inputs() {
    let folder = Folder::new();
    let picture = [&b"P5 4 2 255\n"[..], &[9; 8]].concat();
    for name in ["1.pgm", "a face.pgm", "2.pgm"] {
        folder.write(name, &picture);
    }
    folder.write("list.txt", "1.pgm A:2 B:2\n2.pgm B:2 A:2\n".repeat(4));
    folder.write("faces.csv", "file,nose_x,nose_y\n\"a face.pgm\",1,1\n");
    let refused = |arguments: &[&str], parts: &[&str]| {
        let mut command = crate::common::command(folder.path(".").as_path(), "");
        let output = command.args(arguments).assert().code(2).get_output().clone();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    };
    let train = ["train", "segmentation", "--train", "list.txt", "--lambda", "1", "--quiet"];
    refused(
        &[&train[..], &["--model", "1.pgm"]].concat(),
        &["1.pgm: list.txt (--train) has this picture as data", "--model"],
    );
    refused(&[&train[..], &["--model", "m", "--log", "2.pgm"]].concat(), &["2.pgm", "--log"]);
    refused(
        &["train", "landmarks", "--train", "faces.csv", "--model", "a face.pgm"],
        &["a face.pgm", "faces.csv"],
    );
    folder.run("train segmentation --train list.txt --lambda 1 --quiet --model m").success();
    refused(&["predict", "--model", "m", "--input", "list.txt", "--output", "1.pgm"], &["1.pgm", "--output"]);
    for name in ["1.pgm", "a face.pgm", "2.pgm"] {
        assert_eq!(fs::read(folder.path(name)).unwrap(), picture);
    }
    // A picture that is no data may be replaced.
    folder.write("old.png", b"\x89PNG\r\n\x1a\n");
    folder.run("predict --model m --input list.txt --output old.png").success();
}

#[cfg(unix)]
#[test]
fn what_is_read_does_not_grow_by_the_answers() {
    let folder = Folder::new();
    folder.output("train multiclass --train rows.svm --lambda 1 --model m --quiet");
    let before = fs::read(folder.path("rows.svm")).unwrap();
    let appended = fs::OpenOptions::new().append(true).open(folder.path("rows.svm")).unwrap();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("maxmargin"));
    let arguments = ["predict", "--model", "m", "--input", "rows.svm"];
    let output = command
        .current_dir(folder.path("."))
        .args(arguments)
        .stdout(appended)
        .stderr(Stdio::piped())
        .output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("rows.svm: the standard output goes to this file"), "{message}");
    assert_eq!(fs::read(folder.path("rows.svm")).unwrap(), before);
}

#[cfg(unix)]
#[test]
fn by_whatever_name() {
    let folder = Folder::new();
    folder.write("c.txt", "red green 2\n");
    fs::hard_link(folder.path("c.txt"), folder.path("hard")).unwrap();
    std::os::unix::fs::symlink("c.txt", folder.path("soft")).unwrap();
    std::os::unix::fs::symlink("n", folder.path("dangling")).unwrap();
    let train = "train multiclass --train rows.svm --loss cost=c.txt --quiet";
    folder.refusal(&format!("{train} --model hard"), &["hard: ", "read as data"]);
    folder.refusal(&format!("{train} --model soft"), &["soft: ", "read as data"]);
    folder.refusal(&format!("{train} --model n --log hard"), &["hard: ", "read as data"]);
    folder.refusal(&format!("{train} --model n --log dangling"), &["name the same file"]);
    folder.run(&format!("{train} --model /dev/null --log /dev/null")).success();
}

#[cfg(unix)]
#[test]
fn pipes_are_refused_at_once() {
    let folder = Folder::new();
    folder.output("train multiclass --train rows.svm --model m --quiet");
    assert!(Command::new("mkfifo").arg(folder.path("fifo")).status().unwrap().success());
    std::os::unix::fs::symlink("fifo", folder.path("figure.svg")).unwrap();
    let train = "train multiclass --train rows.svm --quiet";
    for arguments in [
        format!("{train} --model fifo"),
        format!("{train} --model n --log fifo"),
        format!("{train} --model /dev/stdout"),
        "predict --model m --input rows.svm --output fifo".into(),
        "path multiclass --train rows.svm --hold-out 0.2 --lambdas 1 --model fifo".into(),
        "compare solvers multiclass --train rows.svm --lambdas 1 --plot figure.svg".into(),
    ] {
        folder.refusal(&arguments, &["cannot write ", "this is a pipe or the like, not a file"]);
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_stays_a_link() {
    let folder = Folder::new();
    fs::create_dir(folder.path("store")).unwrap();
    std::os::unix::fs::symlink("store/real", folder.path("link")).unwrap();
    for _ in 0..2 {
        folder.output("train multiclass --train rows.svm --model link --quiet");
        assert!(fs::symlink_metadata(folder.path("link")).unwrap().is_symlink());
        assert!(fs::metadata(folder.path("store/real")).unwrap().is_file());
    }
    folder.output("inspect store/real");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_under_the_log_does_not_lose_the_model() {
    let folder = Folder::new();
    folder.output("train multiclass --train rows.svm --model whole --quiet");
    let output = folder.run("train multiclass --train rows.svm --model m --log /dev/full --json --quiet");
    let output = output.code(2).get_output().clone();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(message.matches("the log ends here: cannot write /dev/full").count(), 1, "{message}");
    assert!(message.contains("error: cannot write /dev/full"), "{message}");
    assert!(message.contains("the model itself is saved in m"), "{message}");
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["stop"], "gap reached");
    assert!(fs::read(folder.path("m")).unwrap() == fs::read(folder.path("whole")).unwrap());
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_killed_run_leaves_is_cleared_away() {
    let folder = Folder::new();
    folder.write("many.svm", rows(200_000));
    folder.output("train multiclass --train rows.svm --model m --quiet");
    let arguments = "predict --model m --input many.svm --k-best 3 --output out";
    let left = || folder.files().into_iter().filter(|name| name.starts_with(".maxmargin-")).count();
    // The file in the making is there for a while; a kill that comes too late is tried again.
    for attempt in 0.. {
        assert!(attempt < 20, "no kill has left anything");
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("maxmargin"))
            .current_dir(folder.path(""))
            .args(arguments.split(' '))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The first is there only to see whether one can be made.
        let is_at_work = || {
            let files = folder.files();
            let new = files.iter().find(|name| name.starts_with(".maxmargin-"));
            new.and_then(|name| fs::metadata(folder.path(name)).ok()).is_some_and(|file| file.len() > 0)
        };
        while child.try_wait().unwrap().is_none() && !is_at_work() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        if left() > 0 {
            break;
        }
    }
    folder.output("predict --model m --input rows.svm --output other");
    assert_eq!(left(), 1, "another output has cleared it away");
    folder.output("predict --model m --input rows.svm --output out");
    assert_eq!(left(), 0);
}
