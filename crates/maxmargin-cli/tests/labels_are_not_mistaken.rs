//! Promise: no word is ever taken for a label, and no label for a word. Those who say which columns of a table are labels
//! agree, or the program stops; a model finds its labels and its features by name, wherever they stand.

use crate::common::Folder;
use serde_json::Value;

/// All columns of the training data: features on both sides of the labels.
const COLUMNS: [&str; 7] = ["guitar", "drums", "calm", "happy", "sad", "tempo", "loudness"];
const NAMES: &str = "<labels><label name=\"sad\"/><label name=\"calm\"/><label name=\"happy\"/></labels>";

/// The value of a column in a row.
fn value(column: &str, i: usize) -> f64 {
    let tempo = 60.0 + (i * 37 % 121) as f64;
    let loudness = (i * 53 % 97) as f64 / 97.0;
    let is = |yes: bool| f64::from(u8::from(yes));
    match column {
        "guitar" => is(i * 7 % 5 < 2),
        "drums" => is(i * 11 % 7 < 3),
        "calm" => is(tempo < 100.0 && !i.is_multiple_of(13)),
        "happy" => is(tempo > 90.0 && loudness > 0.3),
        "sad" => is(loudness < 0.2),
        "tempo" => tempo / 100.0,
        "loudness" => loudness,
        // Columns that no model knows.
        _ => is(i.is_multiple_of(3)),
    }
}

fn declared(column: &str) -> String {
    match column {
        "tempo" | "loudness" => format!("@attribute {column} numeric\n"),
        _ => format!("@attribute {column} {{0,1}}\n"),
    }
}

/// A table with some columns, in this order.
fn arff(relation: &str, columns: &[&str], dense: bool) -> String {
    let header: String = columns.iter().map(|column| declared(column)).collect();
    let row = |i: usize| {
        let cells = columns.iter().map(|column| value(column, i));
        match dense {
            true => cells.map(|cell| cell.to_string()).collect::<Vec<_>>().join(","),
            false => {
                let cells = cells.enumerate().filter(|(_, cell)| *cell != 0.0);
                let cells: Vec<String> = cells.map(|(j, cell)| format!("{j} {cell}")).collect();
                format!("{{{}}}", cells.join(","))
            }
        }
    };
    let rows: Vec<String> = (0..60).map(row).collect();
    format!("@relation '{relation}'\n{header}@data\n{}\n", rows.join("\n"))
}

fn csv(columns: &[&str]) -> String {
    let row =
        |i| columns.iter().map(|column| value(column, i).to_string()).collect::<Vec<_>>().join(";") + "\n";
    columns.join(";") + "\n" + &(0..60).map(row).collect::<String>()
}

/// Without the labels.
fn features() -> Vec<&'static str> {
    COLUMNS.into_iter().filter(|name| !["calm", "happy", "sad"].contains(name)).collect()
}

const TRAIN: &str = "train multilabel --lambda 0.01 --quiet";

/// A folder with a model of the songs, trained with the XML.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("songs.arff", arff("songs", &COLUMNS, true));
    folder.write("songs.xml", NAMES);
    folder.run(&format!("{TRAIN} --train songs.arff --model songs.model")).success();
    folder
}

/// What an evaluation and predictions say about a file.
fn figures(folder: &Folder, file: &str, options: &str) -> (Value, String) {
    let text = folder.output(&format!("eval --model songs.model --data {file} --json {options}"));
    (
        serde_json::from_str(&text).unwrap(),
        folder.output(&format!("predict --model songs.model --input {file} {options}")),
    )
}

#[test]
fn a_stale_count_is_refused_in_training() {
    let folder = folder();
    for (relation, says) in [
        ("songs: -C 3", "-C 3 on line 1 says `guitar`, `drums`, `calm`"),
        ("songs: -C 5", "-C 5 on line 1 says `guitar`, `drums`, `calm`, … (5 in all)"),
        ("songs: -C -2", "-C -2 on line 1 says `tempo`, `loudness`"),
        ("songs: -C 2", "-C 2 on line 1 says `guitar`, `drums`"),
        ("songs: -C 30", "-C 30 on line 1 says more of them than there are columns"),
    ] {
        for dense in [true, false] {
            folder.write("stale-train.arff", arff(relation, &COLUMNS, dense));
            folder.write("stale.xml", NAMES);
            let train = format!("{TRAIN} --train stale-train.arff --model new.model");
            let parts = ["stale-train.arff: ", "stale.xml says `", "`sad`", says, "--label-columns"];
            folder.refusal(&train, &parts);
            // Who names the labels is believed.
            for option in ["--labels stale.xml", "--label-columns happy,calm,sad"] {
                folder.run(&format!("{train} {option}")).success();
                if dense {
                    let models =
                        ["new.model", "songs.model"].map(|name| std::fs::read(folder.path(name)).unwrap());
                    assert!(models[0] == models[1], "{relation} {option}");
                }
                std::fs::remove_file(folder.path("new.model")).unwrap();
            }
        }
    }
}

#[test]
fn a_count_that_is_right_does_no_harm() {
    let folder = folder();
    let columns = ["calm", "happy", "sad", "guitar", "drums", "tempo", "loudness"];
    folder.write("right.arff", arff("songs: -C 3", &columns, true));
    folder.run(&format!("{TRAIN} --train right.arff --model alone.model")).success();
    folder.write("right.xml", NAMES);
    folder.run(&format!("{TRAIN} --train right.arff --model both.model")).success();
    let models = ["alone.model", "both.model"].map(|name| std::fs::read(folder.path(name)).unwrap());
    assert!(models[0] == models[1]);
    // Names of other data say nothing about these columns.
    folder.write("right.xml", "<labels><label name=\"red\"/><label name=\"blue\"/></labels>");
    folder.run(&format!("{TRAIN} --train right.arff --model other.model")).success();
    assert!(std::fs::read(folder.path("other.model")).unwrap() == models[0]);
    // One of them is enough to disagree.
    folder.write("right.xml", "<labels><label name=\"red\"/><label name=\"tempo\"/></labels>");
    let parts = ["right.xml says `tempo`, `red`", "-C 3 on line 1 says `calm`, `happy`, `sad`"];
    folder.refusal(&format!("{TRAIN} --train right.arff --model new.model"), &parts);
}

#[test]
fn a_model_finds_labels_and_features_wherever_they_stand() {
    let folder = folder();
    let expected = figures(&folder, "songs.arff", "");
    assert!(expected.0["hamming"].as_f64().unwrap() < 0.1, "{}", expected.0);
    let mut reversed = COLUMNS;
    reversed.reverse();
    let first = ["sad", "happy", "calm", "loudness", "tempo", "drums", "guitar"];
    let scattered = ["sad", "tempo", "happy", "guitar", "drums", "calm", "loudness"];
    for columns in [COLUMNS, reversed, first, scattered] {
        for relation in ["songs", "songs: -C 3", "songs: -C -3", "songs: -C 5", "songs: -C 99"] {
            for dense in [true, false] {
                folder.write("moved.arff", arff(relation, &columns, dense));
                assert_eq!(figures(&folder, "moved.arff", ""), expected, "{relation} {columns:?}");
            }
        }
        folder.write("moved.csv", csv(&columns));
        assert_eq!(figures(&folder, "moved.csv", "--format csv"), expected, "{columns:?}");
        // With the names beside the data, and a count that contradicts them.
        folder.write("named-test.arff", arff("songs: -C 2", &columns, true));
        folder.write("named.xml", NAMES);
        assert_eq!(figures(&folder, "named-test.arff", ""), expected, "{columns:?}");
        assert_eq!(figures(&folder, "named-test.arff", "--labels named.xml"), expected, "{columns:?}");
    }
}

#[test]
fn data_without_labels_is_predicted_but_not_measured() {
    let folder = folder();
    let expected = figures(&folder, "songs.arff", "").1;
    for relation in ["new", "new: -C 3", "new: -C -1"] {
        for dense in [true, false] {
            folder.write("new.arff", arff(relation, &features(), dense));
            assert_eq!(folder.output("predict --model songs.model --input new.arff"), expected, "{relation}");
            folder.refusal("eval --model songs.model --data new.arff", &["new.arff: no example has a label"]);
            folder.write("new.xml", NAMES);
            assert_eq!(folder.output("predict --model songs.model --input new.arff"), expected, "{relation}");
            std::fs::remove_file(folder.path("new.xml")).unwrap();
        }
    }
    folder.write("new.csv", csv(&features()));
    assert_eq!(folder.output("predict --model songs.model --input new.csv --format csv"), expected);
    folder.refusal(
        "eval --model songs.model --data new.csv --format csv",
        &["new.csv: no example has a label"],
    );
}

#[test]
fn a_column_of_the_model_is_never_lost() {
    let folder = folder();
    let eval = |file: &str, options: &str, parts: &[&str]| {
        for command in ["eval --model songs.model --data", "predict --model songs.model --input"] {
            folder.refusal(&format!("{command} {file} {options}"), parts);
        }
    };
    // Other names beside the data, or on the command line, which take a feature for a label.
    for dense in [true, false] {
        folder.write("other.arff", arff("songs", &COLUMNS, dense));
        folder.write("other.xml", NAMES.replace("</labels>", "<label name=\"drums\"/></labels>"));
        eval("other.arff", "", &["other.xml names `drums` as a label, but the model has it as a feature"]);
        eval("songs.arff", "--labels other.xml", &["other.xml names `drums` as a label"]);
        eval(
            "songs.arff",
            "--label-columns sad,calm,happy,tempo",
            &["--label-columns names `tempo` as a label"],
        );
        // Or a label for a feature.
        folder.write("other.xml", "<labels><label name=\"sad\"/><label name=\"calm\"/></labels>");
        eval("other.arff", "", &["other.xml does not name `happy`, a label of the model"]);
        // Names of other data say nothing about these columns.
        folder.write("other.xml", "<labels><label name=\"angry\"/></labels>");
        assert_eq!(figures(&folder, "other.arff", ""), figures(&folder, "songs.arff", ""));
        // A label that is not there.
        let some: Vec<&str> = COLUMNS.into_iter().filter(|name| *name != "sad").collect();
        folder.write("some.arff", arff("songs", &some, dense));
        eval("some.arff", "", &["some.arff: no column is called `sad`, which the model names as a label"]);
        // Words where the model has numbers.
        let text = arff("songs", &COLUMNS, dense).replace("drums {0,1}", "drums {0,1,2}");
        folder.write("words.arff", text);
        eval(
            "words.arff",
            "",
            &["words.arff:3:12: `drums` has names of values here, but the model has it as a number"],
        );
    }
    // A feature that is not there.
    let some: Vec<&str> = COLUMNS.into_iter().filter(|name| *name != "drums").collect();
    folder.write("some.arff", arff("songs", &some, true));
    eval(
        "some.arff",
        "",
        &["some.arff:9: the model was trained with a column `drums`, which is missing here"],
    );
    folder.write("some.csv", csv(&some));
    eval("some.csv", "--format csv", &["some.csv:2: the model was trained with a column `drums`"]);
}

#[test]
fn numbers_are_refused_where_a_model_has_words() {
    let folder = Folder::new();
    let text = arff("keys", &COLUMNS, false).replace("drums {0,1}", "drums {0,1,2}");
    folder.write("keys.arff", &text);
    folder.write("keys.xml", NAMES);
    folder.run(&format!("{TRAIN} --train keys.arff --model keys.model")).success();
    folder.write("new.arff", arff("keys", &COLUMNS, false));
    let parts =
        ["new.arff:3:12: `drums` is a number here, but the model has features of its values, like `drums=0`"];
    folder.refusal("eval --model keys.model --data new.arff", &parts);
}

#[test]
fn labels_that_a_model_does_not_know_are_mistakes_if_somebody_says_that_they_are_labels() {
    let folder = folder();
    let expected = figures(&folder, "songs.arff", "");
    let columns = ["angry", "calm", "happy", "sad", "guitar", "drums", "tempo", "loudness"];
    // Nobody says so.
    folder.write("more.arff", arff("songs", &columns, true));
    let (alone, predicted) = figures(&folder, "more.arff", "");
    assert_eq!((&alone["hamming"], &alone["unseen_labels"]), (&expected.0["hamming"], &0.into()));
    assert_eq!((&alone["unseen_attributes"], &predicted), (&60.into(), &expected.1));
    // The XML, the command line, and a count that goes with the model.
    folder.write("named.arff", arff("songs: -C 2", &columns, true));
    folder.write("named.xml", NAMES.replace("</labels>", "<label name=\"angry\"/></labels>"));
    folder.write("counted.arff", arff("songs: -C 4", &columns, true));
    for (file, options) in [
        ("named.arff", ""),
        ("more.arff", "--labels named.xml"),
        ("more.arff", "--label-columns angry,calm,happy,sad"),
        ("counted.arff", ""),
    ] {
        let (figures, predicted) = figures(&folder, file, options);
        assert_eq!(
            (&figures["unseen_labels"], &figures["unseen_attributes"]),
            (&20.into(), &0.into()),
            "{file}"
        );
        assert!(figures["mean_loss"].as_f64() > expected.0["mean_loss"].as_f64(), "{file}");
        assert_eq!(predicted, expected.1, "{file}");
    }
}

#[test]
fn later_training_files_have_the_labels_of_the_first() {
    let folder = Folder::new();
    for dense in [true, false] {
        let first = ["calm", "happy", "sad", "guitar", "drums", "tempo", "loudness"];
        folder.write("one.arff", arff("songs: -C 3", &first, dense));
        folder.write(
            "two.arff",
            arff("songs: -C -3", &["loudness", "tempo", "drums", "guitar", "sad", "happy", "calm"], dense),
        );
        folder.run(&format!("{TRAIN} --train one.arff two.arff --model two.model")).success();
        for (relation, part) in [
            (
                "songs: -C 4",
                "two.arff:5:12: `guitar` is a label here, but a feature in the files before this one",
            ),
            ("songs: -C 2", "two.arff:4:12: the column `sad` is not in the files before this one"),
        ] {
            folder.write("two.arff", arff(relation, &first, dense));
            folder.refusal(&format!("{TRAIN} --train one.arff two.arff --model new.model"), &[part]);
        }
        folder.write(
            "two.arff",
            arff("songs: -C 2", &["calm", "happy", "guitar", "drums", "tempo", "loudness"], dense),
        );
        let part = "two.arff: the files before this one have a label `sad`, which is missing here";
        folder.refusal(&format!("{TRAIN} --train one.arff two.arff --model new.model"), &[part]);
        folder.write(
            "two.arff",
            arff(
                "songs: -C 4",
                &["angry", "calm", "happy", "sad", "guitar", "drums", "tempo", "loudness"],
                dense,
            ),
        );
        let part = "two.arff:2:12: the label `angry` is not in the files before this one";
        folder.refusal(&format!("{TRAIN} --train one.arff two.arff --model new.model"), &[part]);
    }
}

/// Rows with one label, `kind`, and a feature that is called `class`.
fn ships(relation: &str, columns: [&str; 3], dense: bool) -> String {
    let kind = |name: &str| match name {
        "size" => "@attribute size numeric\n",
        "class" => "@attribute class {x,y}\n",
        _ => "@attribute kind {cargo,ferry}\n",
    };
    let row = |i: usize| {
        let is_ferry = i.is_multiple_of(2);
        let size = i % 5;
        let cell = |name: &str| match name {
            "size" => size.to_string(),
            "class" => if is_ferry { "x" } else { "y" }.to_owned(),
            _ => if is_ferry { "ferry" } else { "cargo" }.to_owned(),
        };
        let cells = columns.map(cell);
        match dense {
            true => cells.join(","),
            false => {
                let cells: Vec<String> =
                    (0..).zip(cells).map(|(j, cell): (usize, _)| format!("{j} {cell}")).collect();
                format!("{{{}}}", cells.join(","))
            }
        }
    };
    let rows: Vec<String> = (0..20).map(row).collect();
    format!("@relation '{relation}'\n{}@data\n{}\n", columns.map(kind).concat(), rows.join("\n"))
}

#[test]
fn the_class_of_a_row_is_not_mistaken_either() {
    let folder = Folder::new();
    let train = "train multiclass --lambda 0.01 --quiet --train ships.arff --model ships.model";
    // The column `class`, and a count of another one.
    folder.write("ships.arff", ships("ships: -C 1", ["kind", "size", "class"], true));
    let parts =
        ["the attribute called `class` says `class`", "-C 1 on line 1 says `kind`", "--label-columns"];
    folder.refusal(train, &parts);
    // The column `class`, and the name of another one.
    folder.write("ships.arff", ships("ships", ["size", "class", "kind"], true));
    folder.write("ships.xml", "<labels><label name=\"kind\"/></labels>");
    folder.refusal(train, &["ships.xml says `kind`", "the attribute called `class` says `class`"]);
    std::fs::remove_file(folder.path("ships.xml")).unwrap();
    folder.run(&format!("{train} --label-columns kind")).success();
    let truth: String = (0..20).map(|i| if i % 2 == 0 { "ferry\n" } else { "cargo\n" }).collect();
    for dense in [true, false] {
        for (relation, columns) in [
            ("ships", ["size", "class", "kind"]),
            ("ships: -C 1", ["class", "kind", "size"]),
            ("ships: -C -1", ["kind", "size", "class"]),
        ] {
            folder.write("new.arff", ships(relation, columns, dense));
            // The model has `class` as a feature, so the labels are elsewhere; predictions need none.
            assert_eq!(folder.output("predict --model ships.model --input new.arff"), truth, "{relation}");
            // The model knows the name of its class, and an option may say the same.
            for option in ["", " --label-columns kind"] {
                let text = folder.output(&format!("eval --model ships.model --data new.arff --json{option}"));
                assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["error"], 0.0);
            }
            folder.write("new.arff", ships(relation, columns, dense).replace("kind", "sort"));
            folder.refusal(
                "eval --model ships.model --data new.arff",
                &["no example has a label", "label-columns"],
            );
            folder.write("new.arff", ships(relation, columns, dense));
            folder.refusal(
                "eval --model ships.model --data new.arff --label-columns class",
                &["--label-columns names `class` as a label, but the model has it as a feature"],
            );
        }
    }
}
