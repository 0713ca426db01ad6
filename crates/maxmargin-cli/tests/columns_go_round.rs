//! Columns of text from the command line: templates, lists and schemes are kept by the model, and `predict` takes raw columns.

use std::fmt::Write;

use crate::common::Folder;

/// Sentences about people and places, tagged in IOB1. Two names in a row are two chunks.
fn sentences(count: usize, labelled: bool) -> String {
    let mut text = "-DOCSTART- -X- O\n\n".to_owned();
    for i in 0..count {
        let name = ["Anna", "Bela", "Carl", "Dora"][i % 4];
        let town = ["York", "Ulm", "Graz"][i % 3];
        let tokens = match i % 3 {
            0 => vec![
                (name, "NNP", "I-PER"),
                ("sees", "VBZ", "O"),
                ("New", "NNP", "I-LOC"),
                (town, "NNP", "I-LOC"),
            ],
            1 => vec![
                ("In", "IN", "O"),
                (town, "NNP", "I-LOC"),
                (name, "NNP", "I-PER"),
                ("Carl", "NNP", "B-PER"),
                ("met", "VBD", "O"),
            ],
            _ => vec![("Nothing", "NN", "O"), ("at", "IN", "O"), ("12:30", "CD", "O")],
        };
        for (word, pos, tag) in tokens {
            match labelled {
                true => writeln!(text, "{word} {pos} {tag}").unwrap(),
                false => writeln!(text, "{word} {pos}").unwrap(),
            }
        }
        text.push('\n');
    }
    text
}

fn tags(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.is_empty()).collect()
}

#[test]
fn a_model_reads_columns_as_it_was_taught() {
    let folder = Folder::new();
    folder.write("train.txt", sentences(36, true));
    folder.write("new.txt", sentences(12, false));
    folder.write("towns.txt", "York\nUlm\nGraz\nNew York\n");
    folder.write(
        "own.template",
        "# words\nU00:%x[0,word]\nU01:%x[-1,0]/%x[0,0]\nU02:%g[0,0,\"towns\"]\nU03:%p[0,0,1]\nB\n",
    );
    folder.write("pairs.template", "U00:%x[0,0]\nU01:%x[-1,0]/%x[0,0]\nB01:%x[0,1]\nB02:%x[-1,1]/%x[0,1]\n");
    let truth: Vec<String> =
        sentences(12, true).lines().filter_map(|line| line.split(' ').nth(2)).map(str::to_owned).collect();
    for options in [
        "--templates ner",
        "--templates chunk --tag-scheme iob2",
        "--templates pairs.template",
        "--templates pos --tag-scheme bioes --gazetteer towns=towns.txt",
        "--templates own.template --column-names word,pos,tag --label-column tag --gazetteer towns=towns.txt --tag-scheme bilou",
    ] {
        folder
            .run(&format!(
                "train chain --train train.txt --test train.txt {options} --c-sum 10 --model m --quiet"
            ))
            .success();
        let predicted = folder.output("predict --model m --input new.txt");
        assert_eq!(tags(&predicted), truth[1..], "{options}");
        // With the label column or without it, packed or not, the same.
        folder.write("labelled.txt", sentences(12, true));
        assert_eq!(folder.output("predict --model m --input labelled.txt"), predicted);
        let table = folder.output("eval --model m --data train.txt");
        let all = table.lines().find(|line| line.contains("| all")).unwrap();
        assert!(table.contains("| PER") && table.contains("| LOC") && all.contains("100.00 %"), "{table}");
        let json = folder.output("eval --model m --data train.txt --json");
        assert!(json.contains("\"per_type\":[{") && json.contains("\"chunk_f1\":1.0"), "{json}");
        std::fs::remove_file(folder.path("labelled.txt")).unwrap();
    }
    // Tokens by themselves are classified too.
    folder.run("train multiclass --train train.txt --templates pos --model n --quiet").success();
    assert_eq!(tags(&folder.output("predict --model n --input new.txt")).len(), truth.len() - 1);
}

#[test]
fn what_does_not_fit_is_said() {
    let folder = Folder::new();
    folder.write("train.txt", sentences(12, true));
    folder.write("pairs.template", "U:%x[0,0]\nB01:%x[0,0]\n");
    folder.write("slip.template", "U:%x[0,0]\nU:%y[0,0]\n");
    folder.write("list.txt", "York\n");
    folder.write("four.txt", "a b c d\n");
    folder.run("train chain --train train.txt --templates ner --model m --quiet").success();
    let train = "train chain --train train.txt --model n";
    for (arguments, parts) in [
        (
            "train multiclass --train train.txt --templates pairs.template --model n".to_owned(),
            &["--templates", "only the task chain"][..],
        ),
        (format!("{train} --templates slip.template"), &["slip.template:2:3", "%y is no command"]),
        (format!("{train} --templates nowhere"), &["cannot read nowhere"]),
        (format!("{train} --label-column 3"), &["label-column", "numbered from 0 to 2"]),
        (format!("{train} --label-column pos"), &["label-column", "column-names"]),
        (format!("{train} --column-names a,b"), &["column-names", "3 columns"]),
        (
            format!("{train} --templates slip.template --gazetteer x=list.txt"),
            &["no template uses the list `x`"],
        ),
        (format!("{train} --gazetteer list.txt"), &["cities=cities.txt"]),
        (format!("{train} --tag-scheme iob"), &["iob1, iob2, bioes, bilou"]),
        (format!("{train} --label-column 1 --tag-scheme iob2"), &["tag-scheme", "is no tag"]),
        (
            "train multiclass --train train.txt --tag-scheme iob2 --model n".into(),
            &["tag-scheme", "sequences"],
        ),
        (
            "train chain --train tags.crf --format crfsuite --templates ner --model n".into(),
            &["templates", "only conll"],
        ),
        ("predict --model m --input train.txt --templates ner".into(), &["templates", "the model keeps it"]),
        ("eval --model m --data train.txt --tag-scheme iob2".into(), &["tag-scheme", "the model keeps it"]),
        ("predict --model m --input four.txt".into(), &["four.txt", "trained on 3"]),
    ] {
        folder.refusal(&arguments, parts);
    }
    let noted = folder.run("train chain --train train.txt --model n").success().get_output().stderr.clone();
    assert!(String::from_utf8(noted).unwrap().contains("without templates"));
}

/// The same sentences with tags in another scheme.
fn in_scheme(scheme: &str) -> String {
    let text = sentences(24, true);
    let others: &[(&str, &str)] = match scheme {
        "iob1" => &[],
        "iob2" => &[(" I-PER", " B-PER"), ("New NNP I-LOC", "New NNP B-LOC")],
        _ => &[(" I-PER", " S-PER"), (" B-PER", " S-PER"), ("New NNP I-LOC", "New NNP B-LOC")],
    };
    let text = others.iter().fold(text, |text, (from, to)| text.replace(from, to));
    let mut before = String::new();
    let mut lines = Vec::new();
    for line in text.lines() {
        // A town is the end of one that began with New, or stands alone.
        let town = match (scheme, before.starts_with("New ")) {
            ("iob1", _) | ("iob2", true) => "I-LOC",
            ("iob2", false) => "B-LOC",
            (_, true) => "E-LOC",
            (_, false) => "S-LOC",
        };
        let is_town = ["York ", "Ulm ", "Graz "].iter().any(|town| line.starts_with(town));
        let line = if is_town { line.replace("I-LOC", town).replace("B-LOC", town) } else { line.to_owned() };
        before.clone_from(&line);
        lines.push(line);
    }
    lines.join("\n") + "\n"
}

#[test]
fn files_in_another_scheme_are_compared_as_chunks() {
    let folder = Folder::new();
    let schemes = ["iob1", "iob2", "bioes"];
    schemes.iter().for_each(|scheme| _ = folder.write(scheme, in_scheme(scheme)));
    assert_eq!(in_scheme("iob1"), sentences(24, true));
    for trained in schemes {
        for learnt in ["", "--tag-scheme bioes", "--tag-scheme iob2"] {
            let train = "train chain --templates ner --lambda 0.01 --quiet --model m";
            folder.output(&format!("{train} --train {trained} {learnt}"));
            for tested in schemes {
                let place = format!("{trained} {learnt}, tested on {tested}");
                let found = folder.output(&format!("eval --model m --data {tested} --json"));
                for part in ["\"chunk_f1\":1.0", "\"token_error\":0.0", "\"unseen_labels\":0"] {
                    assert!(found.contains(part), "{place}: {found}");
                }
                let said = folder.output(&format!("eval --model m --data {tested}"));
                assert_eq!(
                    said.contains(&format!(
                        "the tags are in {tested}, those of the training data were in {trained}"
                    )),
                    trained != tested,
                    "{place}: {said}"
                );
                // Whatever is tested on, answers are in the scheme of the training data.
                let predicted = folder.output(&format!("predict --model m --input {tested}"));
                let own = in_scheme(trained);
                let truth: Vec<&str> =
                    own.lines().skip(2).filter_map(|line| line.split(' ').nth(2)).collect();
                assert_eq!(tags(&predicted), truth, "{place}");
            }
        }
    }
    // A test on the way says the same.
    let tested = folder
        .output("train chain --train iob1 --test bioes --templates ner --lambda 0.01 --quiet --model m");
    assert!(tested.contains("token error 0.00 %") && tested.contains("the tags are in bioes"), "{tested}");
}

#[test]
fn a_start_takes_templates_and_scheme_from_its_model() {
    let folder = Folder::new();
    folder.write("train.txt", sentences(24, true));
    let train = "train chain --train train.txt --lambda 0.01 --gap 1e-4 --quiet --threads 1";
    folder.output(&format!("{train} --templates ner --tag-scheme bioes --model old"));
    let again = |flags: &str| -> serde_json::Value {
        serde_json::from_str(&folder.output(&format!("{train} --warm-start old --model new --json {flags}")))
            .unwrap()
    };
    let (taken, given) = (again(""), again("--templates ner --tag-scheme bioes"));
    assert_eq!((&taken["dim"], &taken["passes"]), (&given["dim"], &given["passes"]));
    assert_eq!(taken["primal"], given["primal"]);
    let [old, new] =
        ["old", "new"].map(|model| folder.output(&format!("predict --model {model} --input train.txt")));
    assert_eq!(old, new);
    // Another template is another one.
    assert_ne!(again("--templates pos --tag-scheme bioes")["dim"], given["dim"]);
}

#[test]
fn only_well_formed_tags_are_predicted() {
    let folder = Folder::new();
    // Some chunks begin with I-X, as they should not.
    let sound = "B-X\tw=a\nI-X\tw=b\n\nO\tw=c\n\n".repeat(6);
    folder.write("train.crf", sound + &"I-X\tw=b\n\n".repeat(4));
    folder.write("new.crf", "\tw=b\n\n\tw=a\n\tw=b\n\n");
    folder.output("train chain --train train.crf --lambda 0.001 --model m --quiet");
    folder.output("train chain --train train.crf --lambda 0.001 --model bare --quiet --no-boundary");
    assert_eq!(tags(&folder.output("predict --model m --input new.crf")), ["I-X", "B-X", "I-X"]);
    for scheme in ["", "auto", "iob2"] {
        let text = folder.output(&format!("predict --model m --input new.crf --well-formed {scheme}"));
        let found = tags(&text);
        assert!(["B-X", "O"].contains(&found[0]) && found[1..] == ["B-X", "I-X"], "{scheme}: {found:?}");
    }
    let best = folder.output("predict --model m --input new.crf --well-formed --k-best 2");
    let lines: Vec<&str> = best.lines().collect();
    assert!(lines.windows(2).all(|two| !two[0].starts_with("# ") || two[1] != "I-X"), "{best}");
    // Of a single token there are two well-formed answers, however many are asked for; and of one that must be B no other.
    let all = folder.output("predict --model m --input new.crf --well-formed --k-best 9");
    let of_first =
        all.lines().take_while(|line| !line.starts_with("# 1") || *line == all.lines().next().unwrap());
    assert_eq!(of_first.filter(|line| line.starts_with("# ")).count(), 2, "{all}");
    assert!(!all.contains("e12") && all.lines().all(|line| line.len() < 40), "{all}");
    folder.write("truth.crf", "I-X\tw=b\n\n");
    let right = |flag: &str| folder.output(&format!("eval --model m --data truth.crf --json --quiet {flag}"));
    assert_ne!(right(""), right("--well-formed"));
    folder.refusal("predict --model m --input new.crf --well-formed iob3", &["iob3", "iob1"]);
    folder.refusal("predict --model bare --input new.crf --well-formed", &["--no-boundary"]);
    folder.write("rows.svm", "cat 1:1\ndog 1:2\n");
    folder.output("train multiclass --train rows.svm --lambda 1 --model rows --quiet");
    folder.refusal("predict --model rows --input rows.svm --well-formed", &["chains of tags"]);
    folder.write("nouns.crf", "NOUN\tw=a\nVERB\tw=b\n\n");
    folder.output("train chain --train nouns.crf --lambda 1 --model nouns --quiet");
    folder.refusal("predict --model nouns --input nouns.crf --well-formed", &["NOUN", "no tag of"]);
}

#[test]
fn answers_stand_beside_the_lines_of_the_input() {
    let folder = Folder::new();
    folder.write("train.txt", sentences(24, true));
    folder.output("train chain --train train.txt --templates ner --lambda 0.001 --model m --quiet");
    let mut text = sentences(7, true).replace("\n\nIn ", "\n\n\n# a comment of more words\nIn ");
    text = text.replace("Nothing ", "-DOCSTART- -X- O\n\nNothing ");
    let beside = |text: &str, given: bool| {
        let line = |line: &str| match line {
            "" => String::new(),
            comment if comment.starts_with('#') => comment.to_owned(),
            document if document.starts_with("-DOCSTART-") => format!("{document} O"),
            token => {
                let tag = token.rsplit(' ').next().unwrap();
                let bare = token.strip_suffix(tag).unwrap().trim_end();
                format!("{} {tag}", if given { token } else { bare })
            }
        };
        let lines: Vec<String> = text.lines().map(line).collect();
        lines.join("\n").replace("\n\n\n", "\n\n") + "\n"
    };
    folder.write("labelled.txt", &text);
    assert_eq!(folder.output("predict --model m --input labelled.txt --columns"), beside(&text, true));
    let bare: String = text
        .lines()
        .map(|line| match line {
            token if token.split(' ').count() == 3 && !token.starts_with(['#', '-']) => {
                format!("{}\n", token.rsplit_once(' ').unwrap().0)
            }
            other => format!("{other}\n"),
        })
        .collect();
    folder.write("new.txt", bare);
    assert_eq!(folder.output("predict --model m --input new.txt --columns"), beside(&text, false));
    // Whole sentences as they arrive, and tasks that see tokens or segments.
    for task in ["segmentation", "multiclass"] {
        folder.output(&format!(
            "train {task} --train train.txt --templates ner --lambda 0.001 --model n --quiet"
        ));
        if task == "segmentation" {
            assert_eq!(
                folder.output("predict --model n --input labelled.txt --columns"),
                beside(&text, true)
            );
        } else {
            folder.refusal(
                "predict --model n --input labelled.txt --columns",
                &["--columns", "another format"],
            );
        }
    }
    folder.refusal("predict --model m --input new.txt --columns --json", &["--columns", "--json"]);
    // A batch in which there is no sentence: the beginning of a document that comes before all else.
    folder.write("begin.txt", "-DOCSTART- -X- O\n\n\n");
    folder.write("more.txt", "Anna NNP O\n");
    assert_eq!(
        folder.output("predict --model m --input begin.txt more.txt --columns"),
        "-DOCSTART- -X- O O\n\nAnna NNP O I-PER\n\n"
    );
    for endless in ["-DOCSTART- -X- O\n\n", "# a comment of more words\n"] {
        folder.write("endless.txt", format!("Bela NNP O\n\n{}Anna NNP O\n", endless.repeat(100_000)));
        // The sentence before is answered.
        let output =
            folder.run("predict --model m --input endless.txt --columns").code(2).get_output().clone();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "Bela NNP O I-PER\n\n");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("endless.txt:") && message.contains("1048576 bytes"), "{message}");
    }
}

#[test]
fn a_faulty_line_leaves_the_sentences_before_it_whole() {
    let folder = Folder::new();
    folder.write("train.txt", sentences(24, true));
    folder.output("train chain --train train.txt --templates ner --lambda 0.001 --model m --quiet");
    folder.write(
        "new.txt",
        "Anna NNP\nsees VBZ\n\n# a comment of more words\nBela NNP\nCarl NNP\nsees VBZ\nmet\n\n",
    );
    let output = folder.run("predict --model m --input new.txt --columns").code(2).get_output().clone();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "Anna NNP I-PER\nsees VBZ O\n\n");
    assert!(String::from_utf8(output.stderr).unwrap().contains("new.txt:8"));
}

#[test]
fn columns_of_another_task_are_no_answer() {
    let folder = Folder::new();
    folder.write("train.txt", sentences(24, true));
    for templates in ["ner", "chunk", "pos"] {
        folder.output(&format!(
            "train chain --train train.txt --templates {templates} --lambda 0.01 --model m --quiet"
        ));
        folder.write("numbers.txt", "0.5 \u{3b1} O\n0.75 \u{3b2} O\n\n".repeat(8));
        folder.refusal("eval --model m --data numbers.txt", &["knows none of the entries", "16 tokens"]);
        // What was answered as it came cannot be taken back.
        let output = folder.run("predict --model m --input numbers.txt").code(2).get_output().clone();
        assert!(String::from_utf8(output.stderr).unwrap().contains("knows none of the entries"));
        // A few words may be new ones, and one word in common is enough.
        folder.write("short.txt", "0.5 \u{3b1} O\n\n");
        folder.output("predict --model m --input short.txt");
        folder.write("mixed.txt", "0.5 \u{3b1} O\n\n".repeat(20) + "sees VBZ O\n");
        folder.output("predict --model m --input mixed.txt");
    }
}

#[test]
fn templates_that_find_nothing_are_said() {
    let folder = Folder::new();
    folder.write("train.txt", sentences(24, true));
    folder.write("towns.txt", "York\n");
    folder.write("none.txt", "Berlin\n");
    folder.write("t", "U0:%x[0,0]\nU1:%m[0,0,\"^\\u\"]\nU2:%t[-1,1,\"^xx\"]\nU3:%m[1,0,\"zz$\"]\nU4:%g[0,0,\"towns\"]/%g[0,0,\"none\"]\n");
    let lists = "--gazetteer towns=towns.txt --gazetteer none=none.txt";
    let train = format!("train chain --train train.txt --templates t {lists} --lambda 0.01 --model m");
    let said = String::from_utf8(folder.run(&train).success().get_output().stderr.clone()).unwrap();
    let found =
        "nothing in the training data is found by %t[0,1,\"^xx\"], %m[0,0,\"zz$\"], %g[0,0,\"none\"];";
    assert!(said.contains(found), "{said}");
}

#[test]
fn attributes_are_written_out() {
    let folder = Folder::new();
    folder.write("train.txt", sentences(24, true));
    let text = folder.output("expand --data train.txt --templates chunk");
    folder.output("expand --data train.txt --templates chunk --output train.crf");
    assert_eq!(std::fs::read_to_string(folder.path("train.crf")).unwrap(), text);
    assert!(text.starts_with("I-PER\tUw[-2]=_B-2\t"), "{}", &text[..200]);
    // Other programs see what our own sees.
    let train = |data: &str| {
        folder
            .output(&format!("train chain --train {data} --lambda 0.01 --model m --json --quiet --threads 1"))
    };
    let facts = |text: String| -> [serde_json::Value; 2] {
        let object: serde_json::Value = serde_json::from_str(&text).unwrap();
        ["dim", "primal"].map(|name| object[name].clone())
    };
    assert_eq!(facts(train("train.crf")), facts(train("train.txt --templates chunk")));
    folder.refusal("expand --data train.txt --templates chunks", &["templates", "did you mean"]);
    folder.write("pairs", "U:%x[0,0]\nB:%x[0,1]\n");
    folder.refusal("expand --data train.txt --templates pairs", &["pairs of labels"]);
    folder.refusal("expand --data train.txt --output train.txt", &["--output", "train.txt"]);
}
