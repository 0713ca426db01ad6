//! Sentence pairs: associations from text, a model from links, predictions, figures and pictures, and what is refused.

use crate::common::Folder;
use serde_json::Value;

/// Words and their translations, of which a sentence has three, in another order in the translation.
const WORDS: [(&str, &str); 6] = [
    ("house", "maison"),
    ("flower", "fleur"),
    ("dog", "chien"),
    ("small", "petit"),
    ("green", "vert"),
    ("old", "vieux"),
];

/// Text, translation, and links as the shared tasks write them and as Pharaoh does.
fn sentences(range: std::ops::Range<usize>) -> [String; 4] {
    let [mut left, mut right, mut wpt, mut pharaoh] = [const { String::new() }; 4];
    for (line, i) in range.enumerate() {
        let (noun, adjective) = (WORDS[i % 3], WORDS[3 + (i / 3) % 3]);
        left += &format!("the {} {}\n", adjective.0, noun.0);
        right += &format!("le {} {}\n", noun.1, adjective.1);
        let n = line + 1;
        wpt += &format!("{n} 1 1 P\n{n} 2 3 S\n{n} 3 2 S\n");
        pharaoh += "0p0 1-2 2-1\n";
    }
    [left, right, wpt, pharaoh]
}

fn folder() -> Folder {
    let folder = Folder::new();
    for (name, range) in [("a", 0..18), ("b", 4..13)] {
        let [left, right, wpt, pharaoh] = sentences(range);
        folder.write(&format!("{name}.en"), left);
        folder.write(&format!("{name}.fr"), right);
        folder.write(&format!("{name}.wa"), wpt);
        folder.write(&format!("{name}.talp"), pharaoh);
    }
    let said = folder.output("associate --text a.en a.fr --text b.en b.fr --output words.assoc");
    assert!(said.contains("27 sentence pairs"), "{said}");
    folder
}

#[test]
fn from_text_to_links_and_figures() {
    let folder = folder();
    let summary = folder.output(
        "train alignment --train a.en a.fr --links a.wa b.talp --test b.en b.fr --associations words.assoc --lambda 0.01 --model m",
    );
    assert!(summary.contains("18 examples") && summary.contains("aer 0.00 %"), "{summary}");
    let links = folder.output("predict --model m --input b.en b.fr --associations words.assoc");
    assert_eq!(links.lines().count(), 9);
    assert!(links.lines().all(|line| line.contains("1-2") && line.contains("2-1")), "{links}");
    let figures: Value = serde_json::from_str(
        &folder.output("eval --model m --data b.en b.fr --links b.wa --associations words.assoc --json"),
    )
    .unwrap();
    assert_eq!((figures["aer"].as_f64(), figures["recall"].as_f64()), (Some(0.0), Some(1.0)), "{figures}");

    folder.write("b.predicted", &links);
    let grid = folder.output("grid --text b.en b.fr --links b.wa --predicted b.predicted --sentence 2");
    assert_eq!(grid.matches('●').count(), 2, "{grid}");
    for figure in ["grid.svg", "grid.png"] {
        folder.output(&format!("grid --text b.en b.fr --links b.wa --output {figure}"));
        assert!(std::fs::metadata(folder.path(figure)).unwrap().len() > 500);
    }
}

#[test]
fn groups_of_features_are_chosen_and_needed_again() {
    let folder = folder();
    let train = "train alignment --train a.en a.fr --links a.wa --lambda 0.1 --quiet --model";
    folder.output(&format!("{train} plain"));
    folder.output("predict --model plain --input b.en b.fr");
    folder.output(&format!(
        "{train} hmm --associations words.assoc --features hmm,external --external-links a.talp"
    ));
    let names = folder.output("inspect hmm");
    assert!(names.contains("hmm.") && !names.contains("position."), "{names}");
    let predict = "predict --model hmm --input b.en b.fr";
    folder.refusal(predict, &["b.en", "hmm", "file of associations"]);
    folder.refusal(&format!("{predict} --associations words.assoc"), &["b.en", "external", "other aligner"]);
    folder.output(&format!("{predict} --associations words.assoc --external-links b.talp"));
    folder.refusal(&format!("{train} m --features hmm"), &["hmm", "associations"]);
    folder.write("a.table", "1 1 1 mine:0.5\n2 3 2 mine\n");
    folder.output(&format!("{train} own --features position,table --feature-table a.table"));
    folder.refusal("predict --model own --input b.en b.fr", &["b.en", "the table of this text"]);
    folder.output("predict --model own --input a.en a.fr --feature-table a.table");
    folder.write("graphs.edges", "0 0 sure alike\n0 1 none\n");
    folder.output("train matching --train graphs.edges --lambda 0.1 --quiet --model edges");
    folder.refusal(
        "predict --model edges --input b.en b.fr --links a.wa",
        &["--links: the task of the model, matching"],
    );
    folder.refusal(&format!("{train} m --features hmmm"), &["hmmm", "position"]);
}

#[test]
fn what_does_not_fit_is_refused_with_its_place() {
    let folder = folder();
    let [left, right, ..] = sentences(0..3);
    folder.write("c.en", &left);
    folder.write("c.fr", &right);
    let train = "train alignment --train c.en c.fr --lambda 0.1 --model m";
    for (links, parts) in [
        ("1 9 1 S\n", &["c.links:1:3", "the sentence has 3"][..]),
        ("0-0 1-1\n0-7\n0-0\n", &["c.links:2"]),
        ("0-0\n", &["c.links", "3"]),
        ("1 1 1 S\n1 1 2 S\n", &["example 1", "2 sure links", "fertility", "extra links"]),
    ] {
        folder.write("c.links", links);
        folder.refusal(&format!("{train} --links c.links"), parts);
    }
    folder.output(&format!("{train} --links c.links --extra-links free"));
    folder.output(&format!("{train}2 --links c.links --fertility 2,1"));
    folder.refusal("eval --model m --data c.en c.fr", &["c.en", "true links", "links"]);
    folder.refusal(train, &["c.en", "need links"]);
    folder.refusal(&format!("{} --links c.links", train.replace(" c.fr", "")), &["c.en", "two files"]);
    folder.write("c.fr", "le chien\n");
    folder.refusal(&format!("{train} --links c.links"), &["c.fr: 1 sentence", "c.en has 3"]);
    folder.write("c.fr", "le chien\n\nle chien\n");
    folder.refusal(&format!("{train} --links c.links"), &["c.fr:2", "without words"]);
    folder.refusal(
        "train chain --train a.en a.fr --links a.wa --lambda 0.1 --model m2",
        &["unexpected argument '--links'", "the task alignment has it"],
    );
    folder.refusal("associate --text a.en --output x", &["--text"]);
    folder.refusal("associate --text a.en c.fr --output x", &["c.fr"]);
    folder.refusal("grid --text a.en a.fr --links a.wa --sentence 99", &["99"]);
    folder.refusal("grid --text a.en a.fr --links a.wa --output grid.gif", &[".svg, .png or .pdf"]);
    folder.write("words.assoc", "nonsense");
    folder.refusal(&format!("{train} --links c.links --associations words.assoc"), &["c.fr"]);
    folder.refusal("predict --model m --input a.en a.fr --associations words.assoc", &["words.assoc"]);
}
