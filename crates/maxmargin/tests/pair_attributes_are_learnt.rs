//! Promise: templates that begin with B and hold a command make attributes with a weight for each pair of neighbouring labels, as CRF++
//! has them; a model keeps them through files, pruning and warm starts.

use std::path::PathBuf;

use maxmargin::data::{Attributes, ColumnOptions, ReadOptions, TaskData};
use maxmargin::tasks::SequenceExamples;
use maxmargin::{Chain, Examples, Model, Multiclass, Trainer};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A chunking template in CRF++'s syntax: words and tags of two tokens on each side, pairs and triples of tags, and bigrams.
const CHUNKING: &str = "# words
U00:%x[-2,0]
U01:%x[-1,0]
U02:%x[0,0]
U03:%x[1,0]
U04:%x[2,0]
U05:%x[-1,0]/%x[0,0]
U06:%x[0,0]/%x[1,0]

# tags
U10:%x[-2,1]
U11:%x[-1,1]
U12:%x[0,1]
U13:%x[1,1]
U14:%x[2,1]
U15:%x[-2,1]/%x[-1,1]
U16:%x[-1,1]/%x[0,1]
U17:%x[0,1]/%x[1,1]
U18:%x[1,1]/%x[2,1]
U20:%x[-2,1]/%x[-1,1]/%x[0,1]
U21:%x[-1,1]/%x[0,1]/%x[1,1]
U22:%x[0,1]/%x[1,1]/%x[2,1]

# bigrams
B
B01:%x[0,1]
B02:%x[-1,1]/%x[0,1]
";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn options(&self, templates: &str) -> ReadOptions {
        let templates = Some(self.write("templates", templates));
        ReadOptions { columns: ColumnOptions { templates, ..Default::default() }, ..ReadOptions::default() }
    }

    fn read(&self, text: &str, templates: &str) -> Examples {
        let files = [self.write("train.txt", text)];
        Examples::read_files(&Chain::default(), &files, &self.options(templates)).unwrap()
    }
}

/// What CRF++'s rules say: each `%x[row,column]` is the entry there, `_B-1`, `_B-2` before the sentence, `_B+1`, `_B+2` behind it.
/// A bigram has an attribute for each token but the first.
fn by_the_rules(templates: &str, sentence: &[[&str; 2]], token: usize) -> (Vec<String>, Vec<String>) {
    let entry = |row: i64, column: usize| match token as i64 + row {
        at if at < 0 => format!("_B{at}"),
        at if at >= sentence.len() as i64 => format!("_B+{}", at - sentence.len() as i64 + 1),
        at => sentence[at as usize][column].to_owned(),
    };
    let expand = |line: &str| {
        let mut name = String::new();
        let mut rest = line;
        while let Some((before, command)) = rest.split_once("%x[") {
            let (place, after) = command.split_once(']').unwrap();
            let (row, column) = place.split_once(',').unwrap();
            name += before;
            name += &entry(row.parse().unwrap(), column.parse().unwrap());
            rest = after;
        }
        name + rest
    };
    let of =
        |letter: char| templates.lines().filter(move |line| line.starts_with(letter) && line.contains("%x"));
    let bigrams = of('B').filter(|_| token > 0);
    (of('U').map(expand).collect(), bigrams.map(expand).collect())
}

#[test]
fn a_chunking_template_gives_what_the_rules_say() {
    let sentences: [&[[&str; 2]]; 3] = [
        &[["He", "PRP"], ["reckons", "VBZ"], ["the", "DT"], ["deficit", "NN"], [".", "."]],
        &[["Confidence", "NN"]],
        &[["the", "DT"], ["the", "DT"]],
    ];
    let line = |[word, tag]: &[&str; 2]| format!("{word} {tag} {}\n", if *tag == "DT" { "B" } else { "O" });
    let text: Vec<String> = sentences.iter().map(|tokens| tokens.iter().map(line).collect()).collect();
    let examples = Folder::new().read(&text.join("\n"), CHUNKING);
    let data = examples.data().of_type::<SequenceExamples>().unwrap();
    let Attributes::Named(names) = &examples.names().attributes else { panic!("names") };
    let pairs = data.pair_columns();
    assert!(
        (0..names.len()).all(|j| names.name(j as u32).starts_with('B') == (j < pairs)),
        "pairs come first"
    );
    for (i, sentence) in sentences.iter().enumerate() {
        let rows = data.rows().input(i);
        for token in 0..sentence.len() {
            let (mut unigrams, mut bigrams) = by_the_rules(CHUNKING, sentence, token);
            let (mut found, mut found_pairs) = (Vec::new(), Vec::new());
            for (column, value) in rows.row(token).to_pairs() {
                let kind = if column < pairs { &mut found_pairs } else { &mut found };
                // No two attributes of a token are the same here.
                assert_eq!(value, 1.0);
                kind.push(names.name(column as u32).to_owned());
            }
            [&mut unigrams, &mut bigrams, &mut found, &mut found_pairs]
                .into_iter()
                .for_each(|list| list.sort());
            assert_eq!((found, found_pairs), (unigrams, bigrams), "sentence {i}, token {token}");
        }
    }
}

/// The label changes at `flip` and stays at `stay`: nothing but the word and both labels together says so.
fn flips(sentences: usize, seed: u64) -> String {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut text = String::new();
    for _ in 0..sentences {
        let mut label = random.random_range(0..2);
        text += &format!("start{label} L{label}\n");
        for _ in 0..random.random_range(1..8) {
            let is_flip: bool = random.random();
            label = if is_flip { 1 - label } else { label };
            text += &format!("{} L{label}\n", if is_flip { "flip" } else { "stay" });
        }
        text.push('\n');
    }
    text
}

const FLIPPING: &str = "U0:%x[0,0]\nB0:%x[0,0]\n";

fn trainer() -> Trainer {
    Trainer::new(Chain::default()).lambda(1e-3).gap(1e-3)
}

/// The share of tokens that are right.
fn accuracy(folder: &Folder, model: &Model, text: &str) -> f64 {
    let reading = model.read(&[folder.write("new.txt", text)], &ReadOptions::default()).unwrap();
    let predicted = model.predict(reading.data.as_ref(), 1).unwrap();
    let predicted: Vec<String> =
        predicted.iter().flat_map(|best| best[0].names()).map(str::to_owned).collect();
    let truth: Vec<&str> = text.lines().filter_map(|line| line.split(' ').nth(1)).collect();
    assert_eq!(predicted.len(), truth.len());
    predicted.iter().zip(&truth).filter(|(a, b)| a == *b).count() as f64 / truth.len() as f64
}

#[test]
fn what_depends_on_word_and_pair_is_learnt_and_kept() {
    let folder = Folder::new();
    let (train, test) = (flips(60, 1), flips(40, 2));
    let examples = folder.read(&train, FLIPPING);
    let model = trainer().train(&examples).unwrap();
    assert_eq!(model.blocks()[0].name, "pair");
    assert_eq!(accuracy(&folder, &model, &test), 1.0);
    let without = trainer().train(&folder.read(&train, "U0:%x[0,0]\n")).unwrap();
    assert!(accuracy(&folder, &without, &test) < 0.9, "transitions alone cannot know");
    // Through a file, in double and in single precision.
    for trainer in [trainer(), trainer().single_precision()] {
        let model = trainer.train(&examples).unwrap();
        let path = folder.0.path().join("model");
        model.save(&path).unwrap();
        let loaded = Model::load(&path).unwrap();
        assert_eq!(loaded.weights(), model.weights());
        assert_eq!((loaded.blocks(), loaded.task().pair_attributes()), (model.blocks(), 2));
        assert_eq!(accuracy(&folder, &loaded, &test), 1.0);
        loaded.save(folder.0.path().join("again")).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(folder.0.path().join("again")).unwrap());
    }
}

#[test]
fn attributes_without_weight_are_left_out_of_both_kinds() {
    let folder = Folder::new();
    let idle: String = (0..40).map(|i| format!("idle{i} L{}\nidle{i} L{}\n\n", i % 2, i % 2)).collect();
    let (train, test) = (flips(60, 1), flips(40, 2));
    let examples = folder.read(&format!("{idle}{train}"), FLIPPING);
    let trained = trainer().train(&examples).unwrap();
    let Attributes::Named(names) = &trained.names().attributes else { panic!("names") };
    let mut weights = trained.weights().to_vec();
    let pairs = trained.task().pair_attributes();
    for j in (0..names.len()).filter(|&j| names.name(j as u32).contains("idle")) {
        let (start, count) = if j < pairs { (4 * j, 4) } else { (4 * pairs + 2 * (j - pairs), 2) };
        weights[start..start + count].fill(0.0);
    }
    let description = trained.description().clone();
    let model = Model::new(description, trained.task().boxed(), trained.names().clone(), weights).unwrap();
    let model = model.with_text(trained.text().clone());
    let pruned = model.clone().pruned().unwrap();
    let Attributes::Named(names) = &pruned.names().attributes else { panic!("names") };
    let kept: Vec<&str> = names.iter().collect();
    assert!(kept.iter().all(|name| !name.contains("idle")), "{kept:?}");
    assert_eq!((pruned.task().pair_attributes(), kept.len()), (2, 6), "{kept:?}");
    let path = folder.0.path().join("model");
    pruned.save(&path).unwrap();
    for model in [&pruned, &Model::load(&path).unwrap()] {
        assert_eq!(accuracy(&folder, model, &test), 1.0);
    }
}

#[test]
fn warm_starts_go_by_names_of_both_kinds() {
    let folder = Folder::new();
    let (old, new) = (flips(40, 1), flips(60, 3));
    let first = trainer().train(&folder.read(&old, FLIPPING)).unwrap();
    // Another word first, so that all attributes have other numbers.
    let examples = folder.read(&format!("other L1\nother L1\n\n{new}"), FLIPPING);
    let start = |model: &Model| {
        let training = trainer().warm_start(model.clone()).prepare(&examples).unwrap();
        training.settings().start.clone().unwrap()
    };
    let weights = start(&first);
    let of = |model_names: &Attributes, name: &str| match model_names {
        Attributes::Named(names) => names.get(name).unwrap() as usize,
        Attributes::Numbered(_) => panic!("names"),
    };
    let new_names = &examples.names().attributes;
    for word in ["B0:flip", "B0:stay"] {
        let (from, to) = (of(&first.names().attributes, word), of(new_names, word));
        assert_eq!(weights[4 * to..4 * to + 4], first.weights()[4 * from..4 * from + 4], "{word}");
    }
    let other = of(new_names, "B0:other");
    assert!(weights[4 * other..4 * other + 4].iter().all(|&weight| weight == 0.0));
    // From a model without such attributes, and to one.
    let plain = trainer().train(&folder.read(&old, "U0:%x[0,0]\n")).unwrap();
    let pairs = examples.data().of_type::<SequenceExamples>().unwrap().pair_columns();
    let weights = start(&plain);
    assert!(weights[..4 * pairs].iter().all(|&weight| weight == 0.0));
    assert_eq!(
        weights[weights.len() - 8..],
        plain.weights()[plain.weights().len() - 8..],
        "transitions and ends"
    );
    let plainly = folder.read(&new, "U0:%x[0,0]\n");
    trainer().warm_start(first).prepare(&plainly).unwrap();
}

#[test]
fn what_cannot_have_them_says_so() {
    let folder = Folder::new();
    let files = [folder.write("train.txt", &flips(10, 1))];
    let error = Examples::read_files(&Multiclass::default(), &files, &folder.options(FLIPPING)).unwrap_err();
    assert!(error.to_string().contains("only the task chain"), "{error}");
    // 20,000 words times 120 × 120 pairs of labels.
    let huge: String = (0..20_000).map(|i| format!("w{i} l{}\nw{i} l0\n\n", i % 120)).collect();
    let examples = folder.read(&huge, FLIPPING);
    let error = trainer().prepare(&examples).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("20000 attributes") && error.contains("120 × 120 pairs of"), "{error}");
    let data = examples.data().of_type::<SequenceExamples>().unwrap().clone();
    assert!(data.clone().with_pair_columns(data.attributes() + 1).is_err());
}
