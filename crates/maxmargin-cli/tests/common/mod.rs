//! Small files to run the program on.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// A folder that vanishes, with the data that most tests want.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("rows.svm", rows(60));
        folder.write("tags.crf", tags(12));
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    /// The program, run in the folder.
    pub fn run(&self, arguments: &str) -> assert_cmd::assert::Assert {
        command(self.0.path(), arguments).assert()
    }

    /// What a successful run prints.
    pub fn output(&self, arguments: &str) -> String {
        let output = self.run(arguments).success().get_output().stdout.clone();
        String::from_utf8(output).unwrap()
    }

    /// The message of a run that must fail, which must name each part.
    pub fn refusal(&self, arguments: &str, parts: &[&str]) -> String {
        let before = self.files();
        let output = self.run(arguments).code(2).get_output().clone();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("error: "), "`{arguments}` said {message:?}");
        assert!(!message.contains("panicked"), "`{arguments}` said {message:?}");
        for part in parts {
            assert!(message.contains(part), "`{arguments}`: expected {part:?} in {message:?}");
        }
        assert!(output.stdout.is_empty(), "`{arguments}` printed something in spite of its error");
        assert_eq!(self.files(), before, "`{arguments}` left something behind or took something away");
        message
    }

    /// The names of all files, hidden ones too.
    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// The program with arguments that are separated by blanks.
pub fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::cargo_bin("maxmargin").unwrap();
    command.current_dir(folder).args(arguments.split_whitespace());
    command
}

/// Three classes in SVMlight's format, most of them easy to tell.
pub fn rows(count: usize) -> String {
    let row = |i: usize| {
        let (class, noise) = (i % 3, (i * 37 % 11) as f64 / 20.0);
        let label = ["red", "green", "blue"][if i.is_multiple_of(17) { (class + 1) % 3 } else { class }];
        format!("{label} {}:1 4:{noise} 5:{}\n", class + 1, 0.5 - noise)
    };
    (0..count).map(row).collect()
}

/// Tagged sentences in CRFsuite's format.
pub fn tags(count: usize) -> String {
    let sentence = |i: usize| {
        let tokens = ["B-NP\tw=the", "I-NP\tw=dog", "O\tw=barks", "B-NP\tw=cats", "O\tw=sleep"];
        let chosen: Vec<String> =
            (0..2 + i % 3).map(|t| format!("{}\tn={}:0.5", tokens[(i + t) % 5], (i * t) % 4)).collect();
        format!("{}\n\n", chosen.join("\n"))
    };
    (0..count).map(sentence).collect()
}
