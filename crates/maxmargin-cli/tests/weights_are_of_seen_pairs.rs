//! Promise: with `--weights seen` a chain has weights only for what came together, and everything that is done with a model goes on as usual.

use crate::common::Folder;

/// Sentences whose words tell their tags, each word with one tag only.
fn sentences() -> String {
    let word = |i: usize| {
        let tag = ["D", "N", "V"][i % 3];
        format!("{tag}\tword={}{}\ttag-before={}\n", tag.to_lowercase(), i / 3 % 5, i % 3)
    };
    (0..12).map(|s| (0..6).map(|t| word(6 * s + t)).collect::<String>() + "\n").collect()
}

#[test]
fn chains_go_round() {
    let folder = Folder::new();
    folder.write("train.crf", sentences());
    let train = "train chain --train train.crf --format crfsuite --lambda 0.01 --gap 1e-4 --json";
    let weights = |flags: &str| {
        let trained: serde_json::Value =
            serde_json::from_str(&folder.output(&format!("{train} {flags} --model m"))).unwrap();
        trained["dim"].as_u64().unwrap()
    };
    let all = weights("--weights all");
    let seen = weights("--weights seen");
    // Each word and each tag before has come with one of three labels.
    assert!(seen < all, "{seen} of {all}");
    let attributes = 15 + 3;
    assert_eq!(all - seen, 3 * attributes - attributes);
    let predicted = folder.output("predict --model m --input train.crf");
    assert!(predicted.starts_with("D\nN\nV\n"), "{predicted}");
    let evaluated = folder.output("eval --model m --data train.crf --json");
    assert!(evaluated.contains("\"token_error\":0.0"), "{evaluated}");
    let shown = folder.output("inspect m");
    assert!(shown.contains("weights of seen pairs") && shown.contains("seen: 1 × 18"), "{shown}");
    assert!(shown.contains("heaviest transitions") && shown.contains("word=n0 +"), "{shown}");
    // λ is chosen on parts of the data, which have pairs of their own.
    let chosen =
        folder.output("train chain --train train.crf --format crfsuite --weights seen --model m --json");
    assert!(chosen.contains("\"lambda\""), "{chosen}");
    folder.refusal(&format!("{train} --weights none --model m"), &["--weights", "all and seen"]);
}

#[test]
fn a_run_goes_on() {
    let folder = Folder::new();
    folder.write("train.crf", sentences());
    let train =
        "train chain --train train.crf --format crfsuite --weights seen --lambda 0.001 --gap 1e-6 --quiet";
    folder.run(&format!("{train} --model whole")).success();
    folder.run(&format!("{train} --model broken --checkpoint state --max-passes 2")).success();
    folder.run(&format!("{train} --model broken --checkpoint state --resume")).success();
    let [whole, broken] = ["whole", "broken"].map(|model| std::fs::read(folder.path(model)).unwrap());
    assert!(whole == broken);
}
