//! Segments: from tagged sentences to a model, predictions in the scheme of the files, and figures; and what is refused.

use crate::common::Folder;
use serde_json::Value;

/// Names of one to three capitalised words, in the scheme IOB1: two names may touch.
fn sentences(range: std::ops::Range<usize>) -> String {
    let names = [&["Ada"][..], &["New", "York"], &["Rio", "De", "Janeiro"]];
    let mut text = String::new();
    for i in range {
        let [first, second] = [names[i % 3], names[(i / 3) % 3]];
        for (k, word) in first.iter().enumerate() {
            text += &format!("{word} {} I-X\n", if k == 0 { "first" } else { "next" });
        }
        if i % 2 == 0 {
            text += "likes verb O\n";
        }
        for (k, word) in second.iter().enumerate() {
            let touches = k == 0 && i % 2 == 1;
            let tag = if touches { "B-X" } else { "I-X" };
            text += &format!("{word} {} {tag}\n", if k == 0 { "first" } else { "next" });
        }
        text += ". stop O\n\n";
    }
    text
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("train.txt", sentences(0..18));
    folder.write("test.txt", sentences(4..13));
    folder.write("words", "U00:%x[0,0]\nU01:%x[0,1]\n");
    folder
}

const TRAIN: &str = "train segmentation --train train.txt --templates words --lambda 0.01 --quiet --model m";

#[test]
fn from_sentences_to_figures() {
    let folder = folder();
    let summary = folder.output(
        "train segmentation --train train.txt --templates words --lambda 0.01 --test test.txt --model m",
    );
    assert!(summary.contains("segments of up to 3 positions"), "{summary}");
    let predicted = folder.output("predict --model m --input test.txt");
    // Every tag as the file has it: in IOB1.
    let tags = |text: &str| {
        text.lines().map(|line| line.split(' ').next_back().unwrap_or("").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(tags(&predicted), tags(&sentences(4..13)));
    let figures: Value =
        serde_json::from_str(&folder.output("eval --model m --data test.txt --json")).unwrap();
    assert_eq!(
        (figures["segment_f1"].as_f64(), figures["position_error"].as_f64()),
        (Some(1.0), Some(0.0)),
        "{figures}"
    );
    let sure = folder.output("predict --model m --input test.txt --json");
    let first: Value = serde_json::from_str(sure.lines().next().unwrap()).unwrap();
    assert!(first["margin"].as_f64().unwrap() > 0.0, "{first}");
    let best = folder.output("predict --model m --input test.txt --k-best 2");
    assert!(best.lines().count() > predicted.lines().count());
}

#[test]
fn every_surrogate_and_loss_is_learnt() {
    let folder = folder();
    for (options, least) in [
        ("--surrogate slack", 0.9),
        ("--surrogate micro-f1", 0.9),
        ("--surrogate prob-convex", 0.9),
        ("--loss positions", 0.9),
        ("--loss positions-mean --surrogate slack", 0.9),
        // Nothing tells then where one of two neighbours ends.
        ("--no-edges --no-lengths --no-boundary", 0.7),
        ("--solver prox-bmrm", 0.9),
    ] {
        folder.output(&format!("{TRAIN} {options}"));
        let figures: Value =
            serde_json::from_str(&folder.output("eval --model m --data test.txt --json")).unwrap();
        assert!(figures["segment_f1"].as_f64().unwrap() > least, "{options}: {figures}");
    }
}

/// Two characters of fixed widths in rows of columns.
#[test]
fn templates_are_learnt() {
    let folder = Folder::new();
    let image = |characters: &str, qid: usize| {
        let mut rows = String::new();
        for character in characters.chars() {
            let columns: &[u8] = match character {
                'l' => &[1],
                'u' => &[2, 3, 2],
                _ => &[0],
            };
            for (k, ink) in columns.iter().enumerate() {
                let tag = if character == ' ' {
                    "O".to_owned()
                } else {
                    format!("{}-{character}", if k == 0 { 'B' } else { 'I' })
                };
                rows += &format!(
                    "{tag} qid:{qid} {}\n",
                    if *ink > 0 { format!("{ink}:1") } else { String::new() }
                );
            }
        }
        rows
    };
    let images =
        |texts: &[&str]| texts.iter().enumerate().map(|(i, text)| image(text, i + 1)).collect::<String>();
    folder.write("train", images(&[" lul", "ul u", "uu l ", "l lu"]));
    folder.write("test", images(&["u lu ", "llu"]));
    folder.output("train segmentation --train train --fixed-widths --lambda 0.001 --model m --quiet");
    let figures: Value = serde_json::from_str(&folder.output("eval --model m --data test --json")).unwrap();
    assert_eq!(figures["segment_f1"].as_f64(), Some(1.0), "{figures}");
    folder.write(
        "uneven",
        images(&[" lul", "ul u"]).replace("I-u qid:1 3:1\nI-u qid:1 2:1\n", "I-u qid:1 3:1\n"),
    );
    let train = "train segmentation --train uneven --fixed-widths --lambda 0.001 --model m";
    folder.refusal(train, &["have 2 and 3 positions", "fixed-widths"]);
}

#[test]
fn what_marks_no_segments_is_refused() {
    let folder = folder();
    folder.write("colours", "a x red\nb y green\n\na x red\nb y blue\n");
    folder.refusal(
        "train segmentation --train colours --format conll --templates words --lambda 0.1 --model m",
        &["O, B-NP"],
    );
    folder.refusal(&format!("{TRAIN} --longest 0"), &["--longest", "counted from 1"]);
    folder.refusal(&format!("{TRAIN} --loss hamming"), &["--loss", "segments"]);
    folder.write("pairs", "U00:%x[0,0]\nB01:%x[0,1]\n");
    folder.refusal(
        "train segmentation --train train.txt --templates pairs --lambda 0.1 --model m",
        &["task chain"],
    );
}

/// Weights are about classes, whose columns are not those of tags.
#[test]
fn inspect_shows_classes_and_not_tags() {
    let folder = folder();
    folder.output(TRAIN);
    let object: Value = serde_json::from_str(&folder.output("inspect m --json --top 100")).unwrap();
    let lists = object["heaviest"].as_array().unwrap();
    let labels: Vec<&str> = lists.iter().map(|list| list["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["O", "X", "O (first)", "X (first)", "O (last)", "X (last)"]);
    let weight = |label: &str, attribute: &str| {
        let of_label = lists.iter().find(|list| list["label"] == label).unwrap();
        let weights = of_label["weights"].as_array().unwrap();
        weights.iter().find(|pair| pair[0] == attribute).map_or(0.0, |pair| pair[1].as_f64().unwrap())
    };
    // Verbs and stops are outside.
    for attribute in ["U01:verb", "U01:stop"] {
        assert!(weight("O", attribute) > weight("X", attribute), "{attribute}: {lists:?}");
    }
    let ends: Vec<_> = (object["transitions"].as_array().unwrap().iter())
        .flat_map(|step| [&step["from"], &step["to"]].map(|end| end.as_str().unwrap_or("").to_owned()))
        .collect();
    assert!(ends.iter().all(|end| ["", "O", "X"].contains(&end.as_str())), "{ends:?}");
    let text = folder.output("inspect m --label X --top 3");
    assert!(text.contains("heaviest attributes of X (last)") && !text.contains("of O"), "{text}");
    folder.refusal("inspect m --label B-X", &["no label B-X", "there are O, X"]);
}

/// A class more, or segments that are longer than before, leave all other weights to start from.
#[test]
fn a_warm_start_goes_by_classes() {
    let folder = folder();
    folder.output(TRAIN);
    let longer = "Rio first I-X\nDe next I-X\nJaneiro next I-X\nYork next I-X\n. stop O\n\n";
    let class = "Ada first I-X\nsees verb O\nthe article I-A\nhouse noun I-A\n. stop O\n\n";
    folder.write("longer.txt", sentences(0..18) + longer);
    folder.write("class.txt", sentences(0..18) + class);
    // One pass of bmrm leaves the objective where it started.
    let start = |file: &str, more: &str| -> f64 {
        let train = "train segmentation --templates words --lambda 0.01 --max-passes 1 --solver bmrm --quiet --json --model n";
        let object = folder.output(&format!("{train} --train {file} {more}"));
        serde_json::from_str::<Value>(&object).unwrap()["primal"].as_f64().unwrap()
    };
    for (file, share) in [("longer.txt", 0.1), ("class.txt", 0.6)] {
        let (cold, warm) = (start(file, ""), start(file, "--warm-start m"));
        assert!(warm < share * cold, "{file}: {warm} {cold}");
    }
}

/// Segments that come again have weights as a whole, which models keep.
#[test]
fn known_segments_go_round() {
    let folder = Folder::new();
    // The same two words are a name side by side, and nothing where another word is between them.
    let sentence = |words: &[&str]| {
        let tag = |k: usize| match (words[k], k.checked_sub(1).map(|before| words[before])) {
            ("a", _) if words.get(k + 1) == Some(&"b") => "B-X",
            ("b", Some("a")) => "I-X",
            _ => "O",
        };
        let lines: Vec<String> = (0..words.len()).map(|k| format!("{} w {}\n", words[k], tag(k))).collect();
        lines.concat() + "\n"
    };
    let train =
        [&["a", "b", "c"][..], &["c", "a", "b"], &["a", "c", "b"], &["b", "a", "c"], &["c", "b", "a"]];
    folder.write("train.txt", train.iter().map(|words| sentence(words)).collect::<String>());
    let test = sentence(&["b", "c", "a", "b", "b", "a"]);
    folder.write("test.txt", &test);
    folder.write("words", "U00:%x[0,0]\nSw=%x[0,0]\n");
    let train =
        "train segmentation --train train.txt --templates words --no-edges --no-lengths --lambda 0.001";
    let summary = folder.output(&format!("{train} --model m"));
    assert!(summary.contains("1 segment known"), "{summary}");
    let tags: Vec<&str> = test.lines().map(|line| line.split(' ').next_back().unwrap_or("")).collect();
    let answers = |model: &str| {
        let text = folder.output(&format!("predict --model {model} --input test.txt"));
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(answers("m"), tags);
    let inspected = folder.output("inspect m --json");
    let inspected: Value = serde_json::from_str(&inspected).unwrap();
    assert_eq!(inspected["known_segments"], 1, "{inspected}");
    // Another known segment before it: a run that starts there knows the old one by its words, not by its number. One pass of bmrm leaves
    // the weights where they started.
    let other = "p w B-X\nq w I-X\n\n".repeat(2);
    folder.write("more.txt", other + &std::fs::read_to_string(folder.path("train.txt")).unwrap());
    let more = train.replace("train.txt", "more.txt");
    let summary = folder.output(&format!("{more} --warm-start m --solver bmrm --max-passes 1 --model warm"));
    assert!(summary.contains("2 segments known"), "{summary}");
    assert_eq!(answers("warm"), tags);
    // Once is not enough for three times, and none are asked for with 0.
    for none in ["3", "0"] {
        folder.output(&format!("{train} --known-segments {none} --quiet --model none"));
        assert_ne!(answers("none"), tags, "{none}");
    }
    folder.refusal(&format!("{train} --known-segments some --model n"), &["--known-segments", "0 leaves"]);
    folder.write("wrong", "U00:%x[0,0]\nSw=all\n");
    folder.refusal(&format!("{} --model n", train.replace("words", "wrong")), &["wrong:2:1", "%x[0,0]"]);
}

/// Plates of characters with fixed widths: from pictures to predictions.
#[test]
fn images_go_round() {
    let folder = Folder::new();
    let write = |name: &str, characters: &str| {
        let columns: Vec<[u8; 2]> = (characters.chars())
            .flat_map(|character| match character {
                'l' => vec![[255, 255]],
                'u' => vec![[255, 0], [0, 255], [255, 0]],
                _ => vec![[0, 0]],
            })
            .collect();
        let row = |row: usize| columns.iter().map(|column| format!("{} ", column[row])).collect::<String>();
        folder.write(name, format!("P2 {} 2 255\n{}\n{}\n", columns.len(), row(0), row(1)));
        let segment = |character: char| match character {
            'l' => " l:1",
            'u' => " u:3",
            _ => " O:1",
        };
        format!("{name}{}\n", characters.chars().map(segment).collect::<String>())
    };
    let train: Vec<String> = (0..)
        .zip([" lul", "ul u", "uu l ", "l lu"])
        .map(|(number, text)| write(&format!("{number}.pgm"), text))
        .collect();
    folder.write("train.txt", train.concat());
    folder.write("test.txt", write("a.pgm", "u lu ") + &write("b.pgm", "llu"));
    let command =
        "train segmentation --train train.txt --fixed-widths --loss positions --lambda 0.001 --model m";
    folder.output(&format!("{command} --quiet"));
    let figures: Value =
        serde_json::from_str(&folder.output("eval --model m --data test.txt --json")).unwrap();
    assert_eq!(figures["segment_f1"].as_f64(), Some(1.0), "{figures}");
    let predicted = folder.output("predict --model m --input b.pgm");
    let tags: Vec<&str> = predicted.split_whitespace().filter(|word| word.contains('-')).collect();
    assert_eq!(tags, ["B-l", "B-l", "B-u", "I-u", "I-u"], "{predicted}");

    // Without a class of width 1 some images cannot be covered.
    folder.write("wide.txt", write("0.pgm", "uuu") + &write("1.pgm", "uu").replace("u:3", "v:3"));
    folder.output("train segmentation --train wide.txt --fixed-widths --lambda 0.1 --model wide --quiet");
    write("c.pgm", "uul");
    folder.refusal(
        "predict --model wide --input c.pgm",
        &["c.pgm", "widths 3", "cover 7 positions", "such as O"],
    );
}

#[test]
fn the_demo_draws_plates() {
    let folder = Folder::new();
    let text = folder.output("demo segmentation --plot plates.svg --plot plates.png");
    assert!(text.contains("wrong columns") && text.contains("└─") && text.contains("proven"), "{text}");
    let svg = std::fs::read_to_string(folder.path("plates.svg")).unwrap();
    assert!(svg.contains("segmentation") && svg.contains("truth"), "{svg}");
    folder.refusal("demo multiclass --plot plates.svg", &["--plot", "multiclass"]);
}
