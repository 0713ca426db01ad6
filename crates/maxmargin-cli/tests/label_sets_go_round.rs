//! Label sets from every format that has them: train, evaluate, predict, inspect, and what is refused on the way.

use crate::common::Folder;
use serde_json::Value;

const NAMES: &str =
    "<labels>\n <label name=\"calm\"/>\n <label name=\"happy\"/>\n <label name=\"sad\"/>\n</labels>\n";

/// A tempo between 60 and 180, a loudness, and who finds it happy, calm or sad.
fn songs(count: usize) -> Vec<(f64, f64, [bool; 3])> {
    let song = |i: usize| {
        let tempo = 60.0 + (i * 37 % 121) as f64;
        let loudness = (i * 53 % 97) as f64 / 97.0;
        let calm = tempo < 100.0 && !i.is_multiple_of(13);
        let happy = tempo > 90.0 && loudness > 0.3;
        (tempo, loudness, [calm, happy, loudness < 0.2])
    };
    (0..count).map(song).collect()
}

fn bit(on: bool) -> u8 {
    u8::from(on)
}

fn arff(count: usize) -> String {
    let mut text =
        "@relation songs\n@attribute tempo numeric\n@attribute loudness numeric\n@attribute calm {0,1}\n\
         @attribute happy {0,1}\n@attribute sad {0,1}\n@data\n"
            .to_owned();
    for (tempo, loudness, [calm, happy, sad]) in songs(count) {
        text += &format!("{tempo},{loudness},{},{},{}\n", bit(calm), bit(happy), bit(sad));
    }
    text
}

fn csv(count: usize) -> String {
    let mut text = "tempo,loudness,calm,happy,sad\n".to_owned();
    for (tempo, loudness, [calm, happy, sad]) in songs(count) {
        text += &format!("{tempo},{loudness},{},{},{}\n", bit(calm), bit(happy), bit(sad));
    }
    text
}

fn svmlight(count: usize) -> String {
    let row = |(tempo, loudness, on): (f64, f64, [bool; 3])| {
        let names = ["calm", "happy", "sad"].into_iter().zip(on).filter(|(_, on)| *on).map(|(name, _)| name);
        format!("{} 1:{tempo} 2:{loudness}\n", names.collect::<Vec<_>>().join(","))
    };
    songs(count).into_iter().map(row).collect()
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("songs.arff", arff(80));
    folder.write("songs.xml", NAMES);
    folder.write("songs.csv", csv(80));
    folder.write("songs.svm", svmlight(80));
    folder
}

fn object(text: &str) -> Value {
    assert_eq!(text.lines().count(), 1, "{text}");
    serde_json::from_str(text).unwrap()
}

const FIGURES: [&str; 9] = [
    "hamming",
    "subset_accuracy",
    "jaccard",
    "example_f1",
    "micro_precision",
    "micro_recall",
    "micro_f1",
    "macro_f1",
    "mean_loss",
];

#[test]
fn every_format_goes_round() {
    let folder = folder();
    let mut hamming = Vec::new();
    for (file, more) in [
        ("songs.arff", ""),
        ("songs.csv", "--label-columns happy,calm,sad"),
        // With one that has no label, this is no svmlight file of another kind.
        ("songs.svm", "--format svmlight"),
    ] {
        let train = format!(
            "train multilabel --train {file} --test {file} {more} --standardize --lambda 0.01 --gap 1e-3 --pair-weights four"
        );
        let trained = object(&folder.output(&format!("{train} --model m --json --quiet")));
        assert_eq!((&trained["n"], &trained["dim"]), (&80.into(), &21.into()), "{file}: {trained}");
        let measured =
            object(&folder.output(&format!("eval --model m --data {file} {more} --json --per-label")));
        for name in FIGURES {
            assert!(measured[name].is_number(), "{file}: {name} is missing in {measured}");
            assert_eq!(measured[name], trained["test"][name], "{file}: {name}");
        }
        assert!(measured["hamming"].as_f64().unwrap() < 0.15, "{file}: {measured}");
        assert_eq!(measured["per_label"].as_array().unwrap().len(), 3);
        hamming.push(measured["hamming"].as_f64().unwrap());

        let predicted = folder.output(&format!("predict --model m --input {file} {more}"));
        let lines: Vec<&str> = predicted.lines().collect();
        assert_eq!(lines.len(), 80);
        assert!(lines.contains(&"") && lines.contains(&"calm,sad"), "{file}: {lines:?}");
        let best = folder.output(&format!("predict --model m --input {file} {more} --k-best 3"));
        let blocks: Vec<&str> = best.lines().take(9).collect();
        assert!(blocks[0].starts_with("# 1 ") && blocks[6].starts_with("# 3 "), "{blocks:?}");
        assert_eq!(blocks[1], lines[0]);

        let inspected = folder.output("inspect m --top 1");
        for part in [
            "multilabel, 3 labels",
            "all 3 pairs, exact inference",
            "standardised",
            "pair: 3 × 4",
            "couplings",
        ] {
            assert!(inspected.contains(part), "{file}: expected {part:?} in\n{inspected}");
        }
        assert!(!inspected.contains("boundary"), "{inspected}");
        let seen = object(&folder.output("inspect m --json"));
        assert_eq!(
            (&seen["pairs"], &seen["inference"], &seen["standardized"]),
            (&3.into(), &"exact".into(), &true.into())
        );
    }
    // Sparse data is not centred, so the last one is another model.
    assert_eq!(hamming[0], hamming[1], "formats differ");
}

#[test]
fn tables_to_predict_need_no_labels() {
    let folder = folder();
    folder.output(
        "train multilabel --train songs.csv --label-columns happy,calm,sad --lambda 0.01 --model m --quiet",
    );
    folder.write("new.csv", "tempo,loudness\n65,0.9\n170,0.9\n");
    assert_eq!(folder.output("predict --model m --input new.csv --format csv").lines().count(), 2);
}

#[test]
fn options_of_label_sets_reach_the_model() {
    let folder = folder();
    folder.write("pairs", "calm sad\n");
    folder.write("weights", "sad 3\n");
    for (more, pairs, loss) in [
        ("--pairs none", 0, "hamming"),
        ("--pairs tree --loss hamming-mean", 2, "hamming-mean"),
        ("--pairs pairs --loss weights=weights", 1, "weighted"),
        ("--signed --inference relaxed", 3, "hamming"),
    ] {
        let train =
            format!("train multilabel --train songs.arff --standardize {more} --lambda 0.1 --model m");
        let summary = folder.output(&train);
        let seen = object(&folder.output("inspect m --json"));
        assert_eq!((&seen["pairs"], &seen["loss"]), (&pairs.into(), &loss.into()), "{more}: {seen}");
        assert_eq!(seen["signed"], more.contains("signed"));
        assert_eq!(summary.contains("linear relaxation"), more.contains("relaxed"), "{summary}");
        folder.output("eval --model m --data songs.arff");
        let warm = format!("{train}2 --warm-start m --solver bmrm --max-passes 1 --quiet");
        folder.output(&warm);
    }
    let other = "train multilabel --train songs.arff --standardize --lambda 0.1 --model n --warm-start m --solver bmrm";
    folder.refusal(other, &["--warm-start: cannot start from this model", "the same options as then"]);
    // Where nothing is said of columns, they are as for the model.
    let said = folder.output(&other.replace("--standardize", "--signed"));
    assert!(said.contains("columns      standardised"), "{said}");
    folder.refusal(
        &other.replace("--standardize", "--signed --center"),
        &["columns were changed in another way", "standardize, center"],
    );
}

#[test]
fn checkpoints_know_the_columns_and_the_pairs() {
    let folder = folder();
    let train = "train multilabel --train songs.arff --standardize --lambda 0.01 --solver bmrm --quiet";
    folder.output(&format!("{train} --model whole"));
    folder.output(&format!("{train} --model part --checkpoint kept --checkpoint-every 0 --max-passes 3"));
    let resume = |train: &str| format!("{train} --model resumed --checkpoint kept --resume");
    folder.refusal(&resume(&train.replace("--standardize", "")), &["data"]);
    folder.refusal(&resume(&format!("{train} --pairs none")), &["pairs is all", "pairs is none"]);
    folder.refusal(&resume(&format!("{train} --signed")), &["its signed is false"]);
    folder.output(&resume(train));
    let read = |name| std::fs::read(folder.path(name)).unwrap();
    assert!(read("whole") == read("resumed"), "the models differ");
}

#[test]
fn missing_values_are_refused_or_filled_in() {
    let folder = folder();
    folder.write("gaps.arff", arff(80).replacen("\n60,", "\n?,", 1));
    folder.write("gaps.xml", NAMES);
    let train = "train multilabel --train gaps.arff --test gaps.arff --lambda 0.01 --model m --json --quiet";
    folder.refusal(train, &["gaps.arff:", "`tempo` is missing", "--missing mean or --missing zero"]);
    for how in ["mean", "zero"] {
        let trained = object(&folder.output(&format!("{train} --missing {how} --standardize")));
        let measured = object(&folder.output("eval --model m --data gaps.arff --json"));
        assert_eq!(measured["hamming"], trained["test"]["hamming"]);
        assert_eq!(folder.output("predict --model m --input gaps.arff").lines().count(), 80);
        assert!(folder.output("inspect m").contains("missing values are filled in"));
    }
    folder.output("train multilabel --train songs.arff --lambda 0.01 --model plain --quiet");
    folder.refusal("eval --model plain --data gaps.arff", &["gaps.arff:", "in training"]);
    // For one label a row as well.
    let one = "a,class\n1,red\n,red\n3,blue\n4,blue\n";
    folder.write("one.csv", one);
    let train = "train multiclass --train one.csv --label-columns class --model one --lambda 0.1 --quiet";
    folder.refusal(train, &["one.csv:3", "--missing mean"]);
    folder.output(&format!("{train} --missing mean"));
    folder.output("predict --model one --input one.csv --label-columns class");
}

#[test]
fn rare_labels_are_left_out_and_ignored() {
    let folder = folder();
    let train =
        "train multilabel --train songs.svm --format svmlight --standardize --lambda 0.01 --model m --quiet";
    folder.output(&format!("{train} --most-frequent-labels 2 --first 60"));
    let seen = object(&folder.output("inspect m --json"));
    assert_eq!((&seen["n"], &seen["dropped_labels"]), (&60.into(), &serde_json::json!(["sad"])), "{seen}");
    let table = folder.output("eval --model m --data songs.svm --format svmlight");
    assert!(!table.contains("note"), "what was dropped is no mistake:\n{table}");
    folder.write("new.svm", svmlight(40).replace("sad", "sad,angry"));
    let measured =
        object(&folder.output("eval --model m --data new.svm --format svmlight --json --per-label"));
    let unknown = svmlight(40).matches("sad").count();
    assert_eq!(measured["unseen_labels"], unknown);
    let names: Vec<&str> = measured["per_label"]
        .as_array()
        .unwrap()
        .iter()
        .map(|label| label["label"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["calm", "happy", "angry"]);
    let table = folder.output("eval --model m --data new.svm --format svmlight");
    assert!(table.contains("labels that the model does not know"), "{table}");

    // Tables name all labels; those that were left out are no features either, whether the file has them or not.
    let more = "--most-frequent-labels 2 --standardize --lambda 0.01";
    folder.output(&format!(
        "train multilabel --train songs.csv --label-columns happy,calm,sad {more} --model m --quiet"
    ));
    let known = folder.output("eval --model m --data songs.csv --format csv");
    assert!(!known.contains("note"), "{known}");
    folder.write(
        "kept.csv",
        csv(80).lines().map(|line| format!("{}\n", line.rsplit_once(',').unwrap().0)).collect::<String>(),
    );
    assert_eq!(folder.output("eval --model m --data kept.csv --format csv"), known);
}

#[test]
fn a_path_selects_by_any_figure() {
    let folder = folder();
    let path =
        "path multilabel --train songs.arff --hold-out 0.25 --standardize --lambdas 10,0.1,0.01 --model m";
    let found = object(&folder.output(&format!("{path} --select jaccard --refit --json --quiet")));
    let jaccard = |run: &Value| run["validation"]["jaccard"].as_f64().unwrap();
    let runs = found["runs"].as_array().unwrap();
    assert!(runs.iter().all(|run| jaccard(run) <= jaccard(&found["best"])), "{found}");
    assert_eq!((&found["n"], &found["refit"]["n"]), (&60.into(), &80.into()));
    folder.refusal(&format!("{path}2 --select f1"), &["no figure f1", "hamming, subset_accuracy, jaccard"]);
}

#[test]
fn solvers_and_searches_are_compared() {
    let folder = folder();
    let data = "multilabel --train songs.arff --standardize";
    let solvers = format!("compare solvers {data} --lambdas 0.1 --solvers bmrm,bcfw --json --quiet");
    for run in object(&folder.output(&solvers))["runs"].as_array().unwrap() {
        assert_eq!(run["stop"], "gap reached", "{run}");
    }
    for more in ["", "--inference relaxed"] {
        let searches =
            format!("compare searches {data} --lambda 0.1 --surrogate slack {more} --json --quiet");
        for search in object(&folder.output(&searches))["searches"].as_array().unwrap() {
            assert_eq!(
                (&search["warm"]["bounds_broken"], &search["cold"]["bounds_broken"]),
                (&0.into(), &0.into())
            );
        }
    }
}

#[test]
fn bad_label_sets_are_refused() {
    let folder = folder();
    folder.write("odd.arff", arff(10));
    folder.write("odd.xml", NAMES.replace("sad", "bad"));
    folder.write("pairs", "calm sad\ncalm angry\n");
    folder.write("weights", "sad -1\n");
    let train = "train multilabel --train songs.arff --model m";
    for (arguments, parts) in [
        ("train multilabel --train odd.arff --model m".to_owned(), &["odd.arff", "`bad`", "odd.xml"][..]),
        (format!("{train} --pairs pairs"), &["pairs:2", "no label \"angry\""]),
        (format!("{train} --pairs nowhere"), &["cannot read nowhere"]),
        (format!("{train} --loss weights=weights"), &["weights:1", "a number ≥ 0"]),
        (format!("{train} --loss zero-one"), &["hamming"]),
        (format!("{train} --loss cost=pairs"), &["weights=FILE"]),
        (format!("{train} --inference fast"), &["auto, exact and relaxed"]),
        (
            format!("{train} --inference relaxed --surrogate slack --search stratified"),
            &["stratified is about whole labels", "hull-fractional"],
        ),
        (format!("{train} --test songs.arff --background sad"), &["unexpected argument '--background'"]),
        (
            "train chain --train tags.crf --model m --pairs tree".to_owned(),
            &["unexpected argument '--pairs'"],
        ),
        ("train multiclass --train rows.svm --model m --loss weights=".to_owned(), &["cost=FILE"]),
    ] {
        folder.refusal(&arguments, parts);
    }
    folder.output(&format!("{train} --lambda 1 --max-passes 2 --quiet"));
    folder.refusal(
        "eval --model m --data songs.arff --background sad",
        &["--background: multilabel has no label that stands for nothing"],
    );
}

#[test]
fn thresholds_are_tuned_kept_and_said() {
    let folder = Folder::new();
    let train = "train multilabel --train rows.svm --model m";
    let plain = folder.output(&format!("{train} --tune-threshold macro_f1"));
    assert!(plain.contains("\nthresholds   macro_f1 on 12 examples held out: "), "{plain}");
    let object = folder.output(&format!("{train} --tune-threshold micro_f1 --json"));
    let object: serde_json::Value = serde_json::from_str(&object).unwrap();
    let thresholds = &object["thresholds"];
    assert_eq!(
        (&thresholds["metric"], &thresholds["held_out"]),
        (&"micro_f1".into(), &12.into()),
        "{object}"
    );
    assert!(thresholds["after"].as_f64() >= thresholds["before"].as_f64(), "{object}");
    let inspected: serde_json::Value = serde_json::from_str(&folder.output("inspect m --json")).unwrap();
    assert_eq!(inspected["label_shifts"], thresholds["shifts"]);
    assert!(folder.output("inspect m").contains("\nthresholds   tuned: "));
    let parts = ["--tune-threshold", "chain has no thresholds", "multilabel has"];
    folder.refusal("train chain --train tags.crf --model n --tune-threshold micro_f1", &parts);
    let parts = ["--tune-threshold", "leave out --no-bias"];
    folder.refusal(&format!("{train} --no-bias --tune-threshold micro_f1"), &parts);
    folder.refusal(&format!("{train} --tune-threshold f1"), &["micro_f1, macro_f1"]);
}
