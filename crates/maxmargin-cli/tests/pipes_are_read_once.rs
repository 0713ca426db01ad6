//! Promise: data may come through a pipe, packed or not, with its format found out; what would have to be read twice is
//! refused with a reason, and nothing waits for ever.
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Folder, command, rows};

fn pipe(folder: &Folder, name: &str) -> PathBuf {
    let path = folder.path(name);
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

/// Writes to a pipe, as soon as somebody reads it.
fn feed(pipe: &Path, content: impl AsRef<[u8]> + Send + 'static) {
    let pipe = pipe.to_owned();
    std::thread::spawn(move || fs::write(pipe, content));
}

fn packed(content: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn to_the_same_model_as_a_file() {
    let folder = Folder::new();
    let train = "train multiclass --quiet --train";
    folder.output(&format!("{train} rows.svm --model file"));
    let model = fs::read(folder.path("file")).unwrap();
    for content in [rows(60).into_bytes(), packed(&rows(60))] {
        let arguments = format!("{train} - --model input");
        command(&folder.path(""), &arguments).write_stdin(content.clone()).assert().success();
        assert!(fs::read(folder.path("input")).unwrap() == model);
        fs::remove_file(folder.path("input")).unwrap();

        feed(&pipe(&folder, "fifo"), content);
        folder.output(&format!("{train} fifo --model input"));
        assert!(fs::read(folder.path("input")).unwrap() == model);
        fs::remove_file(folder.path("input")).unwrap();
        fs::remove_file(folder.path("fifo")).unwrap();
    }
}

#[test]
fn for_every_command_and_file() {
    let folder = Folder::new();
    folder.write("costs", "red green 2\n");
    folder.output("train multiclass --train rows.svm --loss cost=costs --model m --quiet");
    let (model, costs, data) = (pipe(&folder, "model"), pipe(&folder, "cost"), pipe(&folder, "data"));
    feed(&costs, "red green 2\n");
    feed(&data, rows(60));
    folder.output("train multiclass --train data --test rows.svm --loss cost=cost --model n --quiet");
    assert!(fs::read(folder.path("m")).unwrap() == fs::read(folder.path("n")).unwrap());

    let evaluation = folder.output("eval --model m --data rows.svm");
    feed(&model, fs::read(folder.path("m")).unwrap());
    feed(&data, rows(60));
    assert_eq!(folder.output("eval --model model --data data"), evaluation);

    let labels = folder.output("predict --model m --input rows.svm");
    let predict = command(&folder.path(""), "predict --model m --input - --output -");
    let output = { predict }.write_stdin(rows(60)).assert().success().get_output().stdout.clone();
    assert_eq!(String::from_utf8(output).unwrap(), labels);

    feed(&model, fs::read(folder.path("m")).unwrap());
    let inspected = folder.output("inspect model").replacen("model        model", "model        m", 1);
    assert_eq!(inspected, folder.output("inspect m"));
}

#[test]
fn sentences_too() {
    let folder = Folder::new();
    folder.write("en", "the house\na flower\nthe flower\n");
    folder.write("fr", "la maison\nune fleur\nla fleur\n");
    folder.write("links", "0-0 1-1\n0-0 1-1\n0-0 1-1\n");
    folder.output("train alignment --train en fr --links links --model m --quiet");
    let (en, fr) = (pipe(&folder, "en.pipe"), pipe(&folder, "fr.pipe"));
    feed(&en, packed("the house\na flower\nthe flower\n"));
    feed(&fr, "la maison\nune fleur\nla fleur\n");
    folder.output("train alignment --train en.pipe fr.pipe --links links --model n --quiet");
    assert!(fs::read(folder.path("m")).unwrap() == fs::read(folder.path("n")).unwrap());
}

#[test]
fn and_not_twice() {
    let folder = Folder::new();
    folder.output("train multiclass --train rows.svm --model m --quiet");
    pipe(&folder, "fifo");
    std::os::unix::fs::symlink("fifo", folder.path("link")).unwrap();
    for (arguments, parts) in [
        ("train multiclass --train - --test - --model n", &["--train and --test both read -", "once"][..]),
        ("train multiclass --train fifo --test link --model n", &["--train and --test both read link"]),
        ("train multiclass --train fifo --loss cost=fifo --model n", &["--train and --loss both read fifo"]),
        (
            "path multiclass --train rows.svm --loss cost=fifo --hold-out 0.2 --refit --lambdas 1 --model n",
            &["--loss: fifo is a pipe", "reads it again", "save it in a file"],
        ),
    ] {
        folder.refusal(arguments, parts);
    }
    // Unknown labels are counted by name, which takes a second reading.
    let eval = command(&folder.path(""), "eval --model m --data -");
    let output = { eval }.write_stdin(rows(9) + "pink 1:1\n").assert().code(2).get_output().stderr.clone();
    let message = String::from_utf8(output).unwrap();
    assert!(message.contains("1 label that the model does not know"), "{message}");
    assert!(message.contains("save it in a file first"), "{message}");
}
