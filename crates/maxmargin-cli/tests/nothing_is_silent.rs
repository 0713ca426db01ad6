//! What a user would not notice is said: a gap that was missed, data of another kind, flags in vain, names with slips.

use crate::common::{Folder, rows};

/// A problem that takes more than one pass.
const TRAIN: &str = "train multiclass --train rows.svm --model m --threads 1 --solver bmrm --gap 1e-3";

#[test]
fn a_run_that_misses_its_gap_says_so() {
    let folder = Folder::new();
    let reached =
        folder.run(&format!("{TRAIN} --c-sum 1 --quiet --require-gap")).code(0).get_output().clone();
    assert_eq!(String::from_utf8(reached.stderr).unwrap(), "");
    let missed = |more: &str, code: i32| {
        let output = folder.run(&format!("{TRAIN} --c-sum 1 --quiet {more}")).code(code).get_output().clone();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (out, note) = missed("--max-passes 1", 0);
    assert_eq!((out.as_str(), note.lines().count()), ("", 1), "{note}");
    assert!(
        note.starts_with("note: the gap is ") && note.contains("not the 0.001 asked for: pass limit"),
        "{note}"
    );
    let (out, _) = missed("--max-passes 1 --json", 0);
    let object: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(object["stop"], "pass limit");
    std::fs::remove_file(folder.path("m")).unwrap();
    let (out, error) = missed("--max-passes 1 --require-gap --json", 3);
    assert!(error.starts_with("error: the gap is ") && error.contains("saved in m"), "{error}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&out).unwrap()["stop"], "pass limit");
    folder.output("inspect m");
}

#[test]
fn a_path_tells_which_runs_missed_their_gap() {
    let folder = Folder::new();
    let path = "path multiclass --train rows.svm --hold-out 0.2 --lambdas 1,0.001 --model m --solver bmrm --gap 1e-3 --quiet";
    assert!(folder.run(path).success().get_output().stderr.is_empty());
    let output = folder.run(&format!("{path} --max-passes 2")).success().get_output().clone();
    let note = String::from_utf8(output.stderr).unwrap();
    assert!(note.starts_with("note: λ ") && note.contains("λ 0.001: the gap is "), "{note}");
    folder.run(&format!("{path} --max-passes 2 --require-gap")).code(3);
    folder.run(&format!("{path} --max-passes 2 --refit --require-gap --json")).code(3);
    folder.run(&format!("{path} --refit --require-gap")).success();
}

#[test]
fn lines_without_a_label_begin_with_a_tab() {
    let folder = Folder::new();
    folder.output("train chain --train tags.crf --lambda 0.01 --model m --quiet");
    let text = std::fs::read_to_string(folder.path("tags.crf")).unwrap();
    let bare = |mark: &str| -> String {
        let line =
            |line: &str| line.split_once('\t').map_or(String::new(), |(_, rest)| format!("{mark}{rest}"));
        text.lines().map(|text| line(text) + "\n").collect()
    };
    folder.write("bare.crf", bare(""));
    let output = folder.run("predict --model m --input bare.crf").code(2).get_output().clone();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("bare.crf:1:1") && error.contains("begins with a tab"), "{error}");
    folder.write("bare.crf", bare("\t"));
    folder.output("predict --model m --input bare.crf");
    // Some other labels are no reason to refuse a file.
    let attribute = text.lines().next().unwrap().split('\t').nth(1).unwrap().to_owned();
    folder.write("other.crf", format!("{attribute}\t{attribute}\n\n{text}"));
    folder.output("eval --model m --data other.crf");
}

#[test]
fn flags_in_vain_are_refused() {
    let folder = Folder::new();
    folder.write("sets.svm", "a,b 1:1 2:0.5\nb 2:1\nc,a 3:1 1:0.5\nc 3:1\n");
    folder.write("text.txt", "the D\ncat N\n\nthe D\ndog N\n");
    let sets = "train multilabel --train sets.svm --model x";
    let compare = "compare solvers multiclass --train rows.svm --lambdas 1 --budget 5";
    for (arguments, parts) in [
        (format!("{TRAIN} --groups 4"), &["--groups: bmrm has no number", "p-bmrm"][..]),
        ("train multiclass --train rows.svm --model x --c-sum 0.1 --groups 4".into(), &["--groups: bcfw"]),
        (
            "path multiclass --train rows.svm --model x --lambdas 1 --hold-out 0.2 --solver sgd --groups 2"
                .into(),
            &["--groups: sgd"],
        ),
        (
            "train multiclass --train rows.svm --model x --surrogate prob --gap 0.1".into(),
            &["--gap: prob is not convex"],
        ),
        (
            "train multiclass --train rows.svm --model x --surrogate prob --require-gap".into(),
            &["--require-gap: prob"],
        ),
        // Before λ is chosen, which would take long on large data.
        ("train multiclass --train rows.svm --model x --solver bcfw --groups 4".into(), &["--groups: bcfw"]),
        (format!("{TRAIN} --c-sum 1 --missing mean"), &["--missing: only tables (arff, csv)", "svmlight"]),
        (
            "train chain --train text.txt --templates chunk --model x --missing zero".into(),
            &["--missing: only tables", "conll"],
        ),
        (format!("{TRAIN} --class-weights balancd"), &["--class-weights", "did you mean balanced"]),
        (format!("{TRAIN} --loss-step 0.5"), &["--loss-step: only the stratified search"]),
        ("train chain --train tags.crf --model x --zero-based".into(), &["--zero-based: only svmlight"]),
        (
            "train chain --train text.txt --model x --templates chunk --template-syntax wapiti".into(),
            &["--template-syntax", "--templates"],
        ),
        (
            format!("{sets} --pairs none --pair-weights both"),
            &["--pair-weights: it says nothing with --pairs none"],
        ),
        (format!("{compare} --solvers bcfw,bmrm --groups 3"), &["--groups: bcfw, bmrm has no"]),
        (format!("{compare} --solvers bcfw --reuse"), &["--reuse: only prox-bmrm"]),
        (format!("{compare} --background red"), &["--background: only --surrogate micro-f1"]),
    ] {
        folder.refusal(&arguments, parts);
    }
    folder.output("train multiclass --train rows.svm --model x --solver p-bmrm --groups 4 --quiet");
    folder.output(&format!("{compare} --solvers bcfw,p-bmrm --groups 3 --quiet"));
}

#[test]
fn slips_in_names_are_guessed() {
    let folder = Folder::new();
    folder.write("train.csv", "x,size,kind\n1,0,red\n0,1,blue\n");
    folder.write("text.txt", "the D\ncat N\n\nthe D\ndog N\n");
    folder.write("sets.svm", "a,b 1:1 2:0.5\nb 2:1\nc,a 3:1 1:0.5\nc 3:1\n");
    let table = "train multiclass --train train.csv --model m";
    for (arguments, meant) in [
        ("train chain --train text.txt --templates chunck --model m".to_owned(), "did you mean chunk?"),
        (format!("{table} --label-columns knid"), "did you mean kind?"),
        (format!("{table} --label-columns kind --ignore-columns siez"), "did you mean size?"),
        (
            "train multilabel --train sets.svm --tune-threshold micro-f1 --model m".to_owned(),
            "did you mean micro_f1?",
        ),
    ] {
        folder.refusal(&arguments, &[meant]);
    }
}

#[test]
fn columns_of_raw_sizes_are_said_once() {
    let folder = Folder::new();
    let rows: String = (0..20)
        .map(|i| format!("{},{},{}\n", 40_000 + 900 * i, 0.1 * f64::from(i % 3), ["a", "b"][i as usize % 2]))
        .collect();
    folder.write("raw.csv", format!("income,share,kind\n{rows}"));
    folder.write("even.csv", format!("income,share,kind\n{rows}").replace("00,", ","));
    let train = "train multiclass --label-columns kind --lambda 1 --model m --quiet --max-passes 3";
    let notes = |arguments: &str| {
        let output = folder.run(arguments).success().get_output().clone();
        let stderr = String::from_utf8(output.stderr).unwrap();
        stderr
            .lines()
            .filter(|line| line.contains("very different sizes"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let found = notes(&format!("{train} --train raw.csv"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("\"income\"")
            && found[0].contains("\"share\"")
            && found[0].contains("--standardize")
    );
    assert!(notes(&format!("{train} --train raw.csv --standardize")).is_empty());
    assert!(notes("train multiclass --train rows.svm --lambda 1 --model m --quiet").is_empty());
}

#[test]
fn a_quiet_run_still_says_what_its_test_gave() {
    let folder = Folder::new();
    let output =
        folder.run(&format!("{TRAIN} --c-sum 1 --test rows.svm --quiet")).success().get_output().clone();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("test         ") && text.lines().count() == 1, "{text}");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn data_of_another_kind_is_refused() {
    let folder = Folder::new();
    folder.output("train multiclass --train rows.svm --model m --quiet");
    folder.output("train chain --train tags.crf --model chain --quiet");
    folder.write("attributes.svm", "red 90:1\ngreen 91:2 92:1\n");
    folder.write("labels.svm", "cat 1:1\ndog 2:1\n");
    folder.write("words.crf", "B-NP\tform=the\nI-NP\tform=dog\n");
    folder.write("tags.crf2", "NOUN\tw=dog\nVERB\tw=barks\n");
    let other = "this is data of another model";
    // Columns of text are labels alone to a reader of attributes.
    folder.write("columns.txt", "the D\ncat N\n\n");
    // Without a file, predictions are written as data comes, and the error is at the end.
    for command in ["eval --data", "predict --output out --input"] {
        folder.refusal(
            &format!("{command} attributes.svm --model m"),
            &["attributes.svm: the model knows no attribute", "3 values", "1 to 5", other],
        );
        folder.refusal(
            &format!("{command} words.crf --model chain"),
            &["words.crf: the model knows no attribute", "w=", other],
        );
        folder.refusal(
            &format!("{command} columns.txt --model chain --format crfsuite"),
            &["columns.txt: the model knows no", other],
        );
    }
    folder.refusal(
        "eval --model m --data labels.svm",
        &["labels.svm: the model knows no label", "cat, dog", "blue, green, red", other],
    );
    folder.refusal("eval --model chain --data tags.crf2", &["no label", "NOUN, VERB", "B-NP", other]);
    // What is to be predicted may have any label, and some that are known are enough.
    folder.output("predict --model m --input labels.svm");
    folder.write("some.svm", "cat 1:1 90:1\nred 2:1\n");
    folder.output("eval --model m --data some.svm");
}

#[test]
fn files_in_another_format_are_refused() {
    let folder = Folder::new();
    folder.write("text.txt", "the D\ncat N\n\nthe D\ndog N\n".repeat(3));
    folder.write("new.arff", "@relation new\n@attribute y real\n@data\n0\n1\n");
    folder.write("new.csv", "word,y,z\na b c,0,1\n");
    folder.write("wide.csv", "word x,y z\na b,0 1\n");
    folder.output("train chain --train text.txt --templates pos --c-sum 1 --model text --quiet");
    folder.refusal("predict --model text --input new.arff", &["new.arff: this file is arff", "(conll)"]);
    folder.refusal("predict --model text --input new.csv", &["new.csv: this file looks like csv", "(conll)"]);
    let parts = ["wide.csv", "trained on 2", "in conll", "not a table"];
    folder.refusal("predict --model text --input wide.csv", &parts);
    folder.write("labels", "red\ngreen\nred\nblue\n");
    folder.refusal(
        "train multiclass --train labels --model m --format svmlight",
        &["labels: there are no attributes to learn from, only 3 labels, read as svmlight", "--format"],
    );
    let targets: String = (0..40).map(|i| format!("{}.5 1:{i}\n", i * i)).collect();
    folder.write("targets", targets);
    folder.refusal(
        "train multiclass --train targets --model m",
        &["each of 40 rows has a label of its own, such as 0.5, 1.5, 4.5, …", "read as svmlight"],
    );
    let nearly: String = (0..40).map(|i| format!("{}.5 1:{i}\n", i.max(2))).collect();
    folder.write("nearly", nearly);
    folder.refusal(
        "train multiclass --train nearly --model m",
        &["nearly each of 40 rows has a label of its own"],
    );
    folder.write("few", rows(3));
    folder.output("train multiclass --train few --model m --quiet");
}

#[test]
fn templates_are_for_columns_whose_label_is_where_it_is_looked_for() {
    let folder = Folder::new();
    let train = "train chain --lambda 0.1 --model m --quiet --train";
    for command in
        [format!("{train} tags.crf --templates chunk"), "expand --data tags.crf --templates ner".into()]
    {
        folder.refusal(&command, &["tags.crf: this looks like crfsuite", "--format (conll)"]);
    }
    folder.write("first.txt", "B-NP dog NN\nO barks VB\n\nB-NP cats NN\nI-NP too RB\n\n".repeat(4));
    for command in
        [format!("{train} first.txt --templates chunk"), "expand --data first.txt --templates ner".into()]
    {
        folder.refusal(&command, &["first.txt: the first column has tags of chunks", "--label-column"]);
    }
    for column in ["0", "-1"] {
        folder.output(&format!("{train} first.txt --templates chunk --label-column {column}"));
    }
    // Morphology is no attribute.
    folder.write("morphology.txt", "dogs\tNN\tNumber=Plur\tB-NP\nbark\tVB\tMood=Ind\tO\n\n".repeat(4));
    folder.output(&format!("{train} morphology.txt --templates ner"));
}

#[test]
fn labels_that_are_missing_are_noticed() {
    let folder = Folder::new();
    let line = |i: usize, label: &str| format!("{label}w={}\tp={}\n\n", i % 7, i % 3);
    let label = |i: usize| ["A\t", "B\t"][usize::from(i % 7 > 3)];
    let whole: String = (0..40).map(|i| line(i, label(i))).collect();
    // A fifth of all lines begins with its first attribute.
    let broken: String = (0..40).map(|i| line(i, if i % 5 == 0 { "" } else { label(i) })).collect();
    folder.write("whole.crf", whole);
    folder.write("broken.crf", broken);
    folder.output("train chain --train whole.crf --lambda 0.1 --model m --quiet");
    let said = ["where the label belongs", "begins with a tab"];
    folder.refusal("eval --model m --data broken.crf", &said);
    // What was answered as it came cannot be taken back.
    let output = folder.run("predict --model m --input broken.crf").code(2).get_output().clone();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(said.iter().all(|part| message.contains(part)), "{message}");
    let output =
        folder.run("train chain --train broken.crf --lambda 0.1 --model n").success().get_output().clone();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("labels look like attributes, such as `w="), "{said}");
}

#[test]
fn numbers_that_count_from_0_do_so_in_the_model_too() {
    let folder = Folder::new();
    folder.write("train.svm", "a 0:1\nb 1:1\n".repeat(10));
    // No line says that there is a column 0.
    folder.write("test.svm", "b 1:1\nb 1:2\n");
    folder
        .output("train multiclass --train train.svm --zero-based --lambda 0.01 --no-bias --model m --quiet");
    assert_eq!(folder.output("predict --model m --input test.svm"), "b\nb\n");
    assert_eq!(folder.output("predict --model m --input test.svm --zero-based"), "b\nb\n");
}

#[test]
fn tags_of_another_scheme_are_said_or_refused() {
    let folder = Folder::new();
    folder.output("train chain --train tags.crf --lambda 0.01 --model m --quiet");
    folder.refusal(
        "predict --model m --input tags.crf --well-formed bioes",
        &["--well-formed", "`S-NP`", "another scheme"],
    );
    folder.output("predict --model m --input tags.crf --well-formed iob2");
    folder.output("train chain --train tags.crf --tag-scheme bioes --lambda 0.01 --model n --quiet");
    let output = folder.run("eval --model n --data tags.crf").success().get_output().clone();
    let said = String::from_utf8(output.stderr).unwrap() + &String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("learnt and compared as bioes"), "{said}");
}

#[test]
fn flags_of_other_commands_are_answered_with_the_right_one() {
    let folder = Folder::new();
    folder.refusal("train --train rows.svm --model m", &["maxmargin train TASK --train", "train chain"]);
    folder.refusal("predict --model m --data rows.svm", &["--input"]);
    folder.refusal("eval --model m --input rows.svm", &["--data"]);
    assert!(!folder.refusal("predict --model m --lambda 3", &[]).contains("--lambdas"));
    folder.refusal("path chain --lambda 3", &["--lambdas"]);
}

#[test]
fn slips_are_answered_with_the_name_that_was_meant() {
    let folder = Folder::new();
    let train = "train multiclass --train rows.svm --model m";
    for (arguments, meant) in [
        (format!("{train} --solver bfcw"), "did you mean bcfw?"),
        (format!("{train} --surrogate slak"), "did you mean slack?"),
        (format!("{train} --surrogate slack --search stratfied"), "did you mean stratified?"),
        (format!("{train} --loss zeroone"), "did you mean zero-one?"),
        (format!("{train} --loss costs=x"), "did you mean cost=FILE?"),
        (format!("{train} --format svmligth"), "did you mean svmlight?"),
        ("demo chian".into(), "did you mean chain?"),
        ("train chain --train tags.crf --model m --tag-scheme bioe".into(), "did you mean bioes?"),
        ("evl --model m".into(), "'eval'"),
        ("train chian --train tags.crf --model m".into(), "'chain'"),
        ("train chain --train tags.crf --model m --loss haming".into(), "did you mean hamming?"),
        (
            "path multiclass --train rows.svm --model m --lambdas 1 --hold-out 0.3 --select macrof1".into(),
            "did you mean macro_f1?",
        ),
    ] {
        folder.refusal(&arguments, &[meant]);
    }
    assert!(!folder.refusal("evl --model m", &[]).contains("The tasks are"));
    let message = folder.refusal(&format!("{train} --solver newton"), &[]);
    assert!(!message.contains("did you mean"), "{message}");
}
