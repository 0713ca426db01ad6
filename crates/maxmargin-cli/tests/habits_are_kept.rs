//! What a program is expected to have: completions, manual pages, help that fits on a screen, a word on memory.

use crate::common::Folder;
use serde_json::Value;

#[test]
fn shells_complete_commands_and_flags() {
    let folder = Folder::new();
    for (shell, part) in [
        ("bash", "complete -F _maxmargin"),
        ("zsh", "#compdef maxmargin"),
        ("fish", "complete -c maxmargin"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion"),
    ] {
        let script = folder.output(&format!("completions {shell}"));
        assert!(
            script.contains(part) && script.contains("warm-start") && script.contains("multilabel"),
            "{shell}"
        );
    }
    // What is one of a few words is offered as such, and files only where files are meant.
    let fish = folder.output("completions fish");
    let line =
        |flag: &str| fish.lines().find(|line| line.contains(&format!("-l {flag} "))).unwrap_or_default();
    assert!(line("tag-scheme").contains("bilou") && line("norm").contains("nhsvm"), "{}", line("norm"));
    assert!(line("solver").contains("prox-p-bmrm") && !line("solver").contains("-F"), "{}", line("solver"));
    assert!(line("warm-start").ends_with("-F"), "{}", line("warm-start"));
    folder.refusal("completions tcsh", &["tcsh", "bash"]);
}

#[test]
fn manual_pages_are_made() {
    let folder = Folder::new();
    let page = folder.output("man");
    assert!(page.contains(".TH maxmargin 1") && page.contains("train"), "{page}");
    std::fs::create_dir(folder.path("man1")).unwrap();
    folder.output("man man1");
    let page = |name: &str| std::fs::read_to_string(folder.path("man1").join(name)).unwrap();
    assert!(
        page("maxmargin-train-chain.1").contains("\\-\\-checkpoint"),
        "{}",
        page("maxmargin-train-chain.1")
    );
    page("maxmargin-compare-searches-multiclass.1");
    folder.refusal("man nowhere", &["cannot write nowhere"]);
}

#[test]
fn help_is_short_and_all_of_it_is_there() {
    let folder = Folder::new();
    let (short, all) = (folder.output("train chain --help"), folder.output("train chain --help-all"));
    assert!(short.lines().count() <= 60, "{short}");
    assert!(
        short.contains("--help-all") && short.contains("--c-sum") && !short.contains("--loss-step"),
        "{short}"
    );
    assert!(all.contains("--loss-step") && all.contains("What that may miss is in the certificate"), "{all}");
    assert_eq!(folder.output("train chain -h"), short);
}

/// Sentences whose words are mostly different, so that weights are many.
fn sentences(count: usize) -> String {
    let token = |i: usize, t: usize| {
        let word = (i * 7919 + t * 104_729) % 60_000;
        let tag = ["B-NP", "I-NP", "O", "B-VP", "I-VP", "B-PP", "B-ADJP", "B-ADVP", "I-ADJP", "B-SBAR"]
            [(word / 7 + t) % 10];
        format!("{tag}\tw={word}\tprev={}\tn={}\n", (word * 31) % 40_000, t % 5)
    };
    (0..count).map(|i| (0..12).map(|t| token(i, t)).collect::<String>() + "\n").collect()
}

/// Rows with two paths of a wide hierarchy each: sets that are much smaller than they could be.
fn path_sets(count: usize) -> String {
    let path = |i: usize| format!("g{}/n{}", i % 40, i % 1600);
    let row = |i: usize| format!("{},{} 1:1 {}:1\n", path(i), path(i * 7 + 3), 2 + i % 50);
    (0..count).map(row).collect()
}

/// Compares what a run said it would need with what it needed; its notes.
#[cfg(target_os = "linux")]
fn check_memory(folder: &Folder, arguments: &str) -> String {
    let output = folder.run(arguments).success().get_output().clone();
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (estimate, peak) =
        (object["memory_estimate"].as_f64().unwrap(), object["memory_peak"].as_f64().unwrap());
    let ratio = estimate / peak;
    assert!((0.5..2.0).contains(&ratio), "{arguments}: {estimate} bytes foretold, {peak} needed");
    String::from_utf8(output.stderr).unwrap()
}

/// An estimate that is wrong by more than a factor of two is worse than none.
#[cfg(target_os = "linux")]
#[test]
fn the_memory_that_is_foretold_is_needed() {
    let folder = Folder::new();
    folder.write("text.crf", sentences(5000));
    let train = "train chain --train text.crf --model m --c-sum 0.1 --json --threads 2 --max-passes 8";
    for solver in ["bcfw", "n-slack", "sgd", "prox-bmrm", "p-bmrm --groups 4"] {
        let notes = check_memory(&folder, &format!("{train} --solver {solver}"));
        assert!(notes.starts_with("about ") && notes.contains(" of memory will be needed"), "{notes}");
    }
    folder.write("sets.svm", path_sets(6000));
    let train = "train hierarchy --train sets.svm --lambda 0.001 --model m --json --threads 2";
    check_memory(&folder, &format!("{train} --solver bcfw --max-passes 3"));
}
