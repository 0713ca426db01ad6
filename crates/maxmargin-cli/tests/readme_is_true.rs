//! Promise: what the README shows is what the program prints.
//!
//! Every block of output is fenced as `console` and begins with `$ command`. The commands are run in their order, in a folder that has
//! the example files, and their output is compared line by line. `…` stands for any lines. Times are left out; other
//! numbers may differ a little, since processors with and without fused multiply-add round differently.

use crate::common;

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The blocks of output: the command, and what it prints.
fn blocks(page: &str) -> Vec<(String, Vec<String>)> {
    let mut blocks = Vec::new();
    for block in page.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        let mut lines = block.lines().map(str::to_owned);
        let command = lines.next().unwrap();
        let command = command.strip_prefix("$ ").unwrap_or_else(|| panic!("no command in\n{block}"));
        blocks.push((command.to_owned(), lines.collect()));
    }
    blocks
}

/// What a command prints, in a folder.
fn output(folder: &Path, command: &str) -> String {
    let arguments = command.strip_prefix("maxmargin ").or(command.strip_prefix("cargo run --release -- "));
    if let Some(arguments) = arguments {
        let (arguments, is_all) = match arguments.strip_suffix(" 2>&1") {
            Some(arguments) => (arguments, true),
            None => (arguments, false),
        };
        let output = common::command(folder, arguments).assert().success().get_output().clone();
        let notes = if is_all { output.stderr } else { Vec::new() };
        return String::from_utf8([notes, output.stdout].concat()).unwrap();
    }
    let rest = command.strip_prefix("head -").unwrap_or_else(|| panic!("what is `{command}`?"));
    let (count, file) = rest.split_once(' ').unwrap();
    let text = fs::read_to_string(folder.join(file)).unwrap();
    text.lines().take(count.parse().unwrap()).map(|line| format!("{line}\n")).collect()
}

/// A line as words; those that are numbers are compared as such, and the number before a unit of time is none.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    for i in 1..words.len() {
        if ["s", "ms", "min", "s,"].contains(&words[i].as_str()) {
            words[i - 1] = "TIME".to_owned();
        }
    }
    words
}

fn is_same(shown: &str, printed: &str) -> bool {
    let (shown, printed) = (words(shown), words(printed));
    // A number, and what its last digit is worth.
    let number = |word: &str| {
        let digits = word.trim_matches([',', ':', ';', '(', ')', '.']);
        let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        Some((digits.parse::<f64>().ok()?, 0.1f64.powi(decimals as i32)))
    };
    let is_rule = |word: &str| word.len() > 1 && word.trim_matches(['-', ':']).is_empty();
    let same = |(a, b): (&String, &String)| match (number(a), number(b)) {
        (Some((a, unit)), Some((b, _))) => {
            (a - b).abs() <= (0.02 * a.abs().max(b.abs())).max(if a.abs() < 1e3 { 1.01 * unit } else { 0.0 })
        }
        _ => a == b || is_rule(a) && is_rule(b),
    };
    shown.len() == printed.len() && shown.iter().zip(&printed).all(same)
}

/// The first line that is shown but not printed where it should be.
fn difference(shown: &[String], printed: &[&str]) -> Option<String> {
    let mut at = 0;
    let mut may_skip = false;
    for line in shown {
        if line == "…" {
            may_skip = true;
            continue;
        }
        let found = printed[at..].iter().position(|other| is_same(line, other));
        match found {
            Some(skipped) if skipped == 0 || may_skip => at += skipped + 1,
            _ => return Some(line.clone()),
        }
        may_skip = false;
    }
    (!may_skip && at < printed.len()).then(|| format!("(the end; printed is also {:?})", printed[at]))
}

#[test]
fn every_output_in_the_readme_is_what_is_printed() {
    let page = fs::read_to_string(root().join("README.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let example = folder.path().join("docs/example");
    fs::create_dir_all(&example).unwrap();
    for entry in fs::read_dir(root().join("docs/example")).unwrap() {
        let file = entry.unwrap();
        fs::copy(file.path(), example.join(file.file_name())).unwrap();
    }
    let blocks = blocks(&page);
    assert!(blocks.len() >= 6, "{blocks:?}");
    assert!(!page.contains("```text"), "output that no test makes");
    for (command, shown) in blocks {
        let printed = output(folder.path(), &command);
        let lines: Vec<&str> = printed.lines().collect();
        if let Some(line) = difference(&shown, &lines) {
            panic!("`{command}` does not print {line:?} (there) any more:\n{printed}");
        }
    }
}

#[test]
fn the_first_commands_are_the_demo_and_the_tests() {
    let page = fs::read_to_string(root().join("README.md")).unwrap();
    let commands: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("    ")).take(2).collect();
    assert_eq!(commands, ["cargo run --release -- demo", "cargo test --workspace --all-features"]);
}

#[test]
fn stale_output_is_noticed() {
    let shown = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let printed = ["data 200 rows", "gap 9.55e-4, 0.12 s", "done"];
    for text in
        ["data 200 rows\ngap 9.55e-4, 3.70 s\ndone", "…\ndone", "data 200 rows\n…", "…\ngap 9.56e-4, 1 s\n…"]
    {
        assert_eq!(difference(&shown(text), &printed), None, "{text}");
    }
    for text in
        ["data 210 rows\n…", "data 200 rows\ndone", "data 200 rows", "…\ngap 9.55e-4, 0.12 s", "…\nover\n…"]
    {
        assert!(difference(&shown(text), &printed).is_some(), "{text}");
    }
}
